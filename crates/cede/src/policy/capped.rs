//! `capped`: yield, but with little to forfeit.

use std::time::Duration;

use crate::decision::Decision;
use crate::slice::OwnSlice;
use crate::thread_setup::ThreadSetup;

pub(crate) const fn at_yield_point() -> Decision {
    Decision::Yield
}

pub(crate) fn prepare(slice: Duration) -> ThreadSetup {
    ThreadSetup::Slice(OwnSlice::set(slice))
}
