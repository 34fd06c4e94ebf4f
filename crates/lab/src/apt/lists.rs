use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use super::{Apt, AptError};
use crate::durable;

/// How long package lists serve: Debian's archive changes four times a day, its kernels about once a week.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The package lists of an apt root, as fresh as they have to be.
#[derive(Debug)]
pub(crate) struct Lists<'a> {
    apt: &'a Apt,
    refreshed: bool,
    complaint: Option<String>,
}

impl<'a> Lists<'a> {
    /// Gets them if there are none yet, or none of today, or from elsewhere.
    pub(crate) fn open(apt: &'a Apt, progress: &mut dyn FnMut(&str)) -> Result<Self, AptError> {
        let mut lists = Self {
            apt,
            refreshed: false,
            complaint: None,
        };
        if !lists.are_fresh() {
            lists.refresh(progress)?;
        }
        Ok(lists)
    }

    /// Gets them, unless that was done already; says whether it was done now. If not all can be had, the others and
    /// the old ones have to do.
    pub(crate) fn refresh(&mut self, progress: &mut dyn FnMut(&str)) -> Result<bool, AptError> {
        if self.refreshed {
            return Ok(false);
        }
        self.refreshed = true;
        progress("reading Debian's package lists");
        match self.apt.update() {
            Ok(()) => {
                let stamp = self.stamp();
                durable::replace(&stamp, self.apt.sources().as_bytes())
                    .map_err(AptError::io("write", stamp))?;
            }
            Err(AptError::Failed { line, .. }) => {
                progress(&format!("going on with what lists there are: {line}"));
                self.complaint = Some(line);
            }
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// What apt said if not all of the lists could be had.
    pub(crate) fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    fn are_fresh(&self) -> bool {
        let stamp = self.stamp();
        let age = stamp
            .metadata()
            .and_then(|data| data.modified())
            .ok()
            // A stamp from the future is worth nothing.
            .and_then(|modified| SystemTime::now().duration_since(modified).ok());
        age.is_some_and(|age| age < LIFETIME)
            && fs::read_to_string(&stamp).is_ok_and(|sources| sources == self.apt.sources())
    }

    /// A file as old as the lists that says where they are from.
    fn stamp(&self) -> PathBuf {
        self.apt.root().join(super::REFRESHED)
    }
}
