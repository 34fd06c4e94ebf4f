//! `none`: keep the CPU until the kernel takes it. The yardstick for what yielding is worth.

use crate::decision::Decision;

pub(crate) const fn at_yield_point() -> Decision {
    Decision::Stay
}
