use std::{
    fs::{File, OpenOptions},
    io,
};

use rustix::termios::{OptionalActions, tcdrain, tcgetattr, tcsetattr};
use serde::Serialize;

use crate::frame;

/// The second serial port. Every kernel that the lab boots has its driver built in, unlike that of virtio consoles.
const DEVICE: &str = "/dev/ttyS1";

/// The line to the host.
pub(super) struct Serial {
    device: File,
}

impl Serial {
    pub(super) fn open() -> io::Result<Self> {
        let device = OpenOptions::new().read(true).write(true).open(DEVICE)?;
        // As a terminal the line would turn every newline into two bytes.
        let mut settings = tcgetattr(&device)?;
        settings.make_raw();
        tcsetattr(&device, OptionalActions::Now, &settings)?;
        Ok(Self { device })
    }

    /// Sends one frame and waits until it is out.
    pub(super) fn send(&mut self, kind: &str, what: &impl Serialize) -> io::Result<()> {
        frame::write(&self.device, kind, &serde_json::to_vec(what)?)?;
        Ok(tcdrain(&self.device)?)
    }
}
