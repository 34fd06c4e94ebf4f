//! The layout of the buckets: 16 of equal width up to 128 ns, then 16 per power of two.

/// Buckets per power of two. Half a bucket's width, the largest error, is 1/32 of its lower bound.
const PER_OCTAVE: usize = 16;
const PER_OCTAVE_BITS: u32 = PER_OCTAVE.ilog2();
/// Width of the buckets below [`FIRST_OCTAVE_BITS`]: 8 ns, a fraction of what the shortest system call takes.
const LINEAR_WIDTH_BITS: u32 = 3;
/// The first power of two with buckets of its own: 128 ns.
const FIRST_OCTAVE_BITS: u32 = LINEAR_WIDTH_BITS + PER_OCTAVE_BITS;
/// From 128 ns to 34 s: no pause worth telling apart is longer.
const OCTAVES: usize = 28;
/// With 8 bytes each 3.6 KiB, little beside a connection thread's stack.
pub(crate) const BUCKETS: usize = PER_OCTAVE * (1 + OCTAVES);

/// Values of a [`Histogram`](crate::Histogram) that are kept as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bucket {
    /// The least value that falls into it, in nanoseconds.
    pub lower_ns: u64,
    /// How many nanoseconds wide it is: values below `lower_ns + width_ns` belong to it.
    pub width_ns: u64,
    /// How many values it holds.
    pub count: u64,
}

impl Bucket {
    pub(crate) const fn new(index: usize, count: u64) -> Self {
        let (octave, position) = (index / PER_OCTAVE, (index % PER_OCTAVE) as u64);
        // The linear part is octave 0; octave 1, the first of the logarithmic part, has the same width.
        let (shift, offset) = if octave == 0 {
            (0, 0)
        } else {
            (octave - 1, PER_OCTAVE as u64)
        };
        let width_ns = 1 << LINEAR_WIDTH_BITS << shift;
        Self {
            lower_ns: (offset + position) * width_ns,
            width_ns,
            count,
        }
    }

    /// The value that stands for all in this bucket: its middle, in nanoseconds.
    #[must_use]
    pub const fn value_ns(&self) -> u64 {
        self.lower_ns + self.width_ns / 2
    }
}

/// The bucket that a value falls into.
pub(crate) fn index_of(ns: u64) -> usize {
    let octave = (ns | 1).ilog2().saturating_sub(FIRST_OCTAVE_BITS - 1);
    let shift = LINEAR_WIDTH_BITS + octave.saturating_sub(1);
    let offset = (octave.saturating_sub(1) as usize) * PER_OCTAVE;
    // At most 2 * PER_OCTAVE - 1 is left after the shift, so the conversion cannot fail.
    let index = usize::try_from(ns >> shift)
        .unwrap_or(usize::MAX)
        .saturating_add(offset);
    index.min(BUCKETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_join_without_gap_or_overlap() {
        let mut next = 0;
        for index in 0..BUCKETS {
            let bucket = Bucket::new(index, 0);
            assert_eq!(bucket.lower_ns, next, "bucket {index}");
            for value in [
                bucket.lower_ns,
                bucket.value_ns(),
                bucket.lower_ns + bucket.width_ns - 1,
            ] {
                assert_eq!(index_of(value), index, "{value} ns");
            }
            next = bucket.lower_ns + bucket.width_ns;
        }
        assert_eq!(next, 1 << 35);
        assert_eq!(index_of(next), BUCKETS - 1);
        assert_eq!(index_of(u64::MAX), BUCKETS - 1);
    }
}
