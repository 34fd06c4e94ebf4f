//! The trace of a run's measured part. The client tells when that begins and ends.

use std::sync::mpsc::{self, Receiver, Sender};

use scenario::OffCpu;

use crate::{
    client::Progress,
    trace::{Recorder, TraceError},
};

/// What a recorder that has ended hands over.
pub(super) type Recorded = Result<Recorder, TraceError>;

/// A recorder that follows the client's lines.
#[derive(Debug)]
pub(super) struct Tracing {
    /// None once it has handed over.
    recorder: Option<Recorder>,
    recorded: Sender<Recorded>,
}

impl Tracing {
    /// Gets ready to trace the server `process`. When the client says that the measured part is over, or something fails,
    /// there is an answer.
    pub(super) fn prepare(process: u32) -> Result<(Self, Receiver<Recorded>), TraceError> {
        let (recorded, answer) = mpsc::channel();
        let tracing = Self {
            recorder: Some(Recorder::prepare(process)?),
            recorded,
        };
        Ok((tracing, answer))
    }

    /// Does what a line of the client calls for.
    pub(super) fn hear(&mut self, line: &str) {
        let begins = line == Progress::Measuring.to_string();
        let ends = line == Progress::Finishing.to_string();
        let Some(mut recorder) = self.recorder.take_if(|_| begins || ends) else {
            return;
        };
        match if begins { recorder.begin() } else { recorder.end() } {
            Ok(()) if begins => self.recorder = Some(recorder),
            told => {
                // Whoever asked for it may have given up.
                let _unread = self.recorded.send(told.map(|()| recorder));
            }
        }
    }
}

/// What the reader of a traced run has to know.
pub(super) fn notes(off_cpu: &OffCpu) -> impl Iterator<Item = String> {
    let cost = "traced: all numbers include what that costs".to_owned();
    let lost = (off_cpu.lost_events > 0).then(|| {
        format!(
            "{} events of the trace were lost: its times are those of a part of the run",
            off_cpu.lost_events
        )
    });
    std::iter::once(cost).chain(lost)
}
