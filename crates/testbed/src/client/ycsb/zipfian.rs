use rand::{Rng, RngExt};

/// Numbers from 0 up, of which `i` has a share in proportion to `1 / (i + 1)^theta`: the generator of Gray et al.,
/// "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994, section 3.2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zipfian {
    items: f64,
    zeta_items: f64,
    alpha: f64,
    eta: f64,
    zeta_2: f64,
}

impl Zipfian {
    /// A generator over `items` numbers; `zeta_items` is [`zeta`] of them, which takes long to compute.
    pub(super) fn new(items: u64, theta: f64, zeta_items: f64) -> Self {
        let items = items as f64;
        let zeta_2 = zeta(2, theta);
        Self {
            items,
            zeta_items,
            alpha: 1.0 / (1.0 - theta),
            eta: (1.0 - (2.0 / items).powf(1.0 - theta)) / (1.0 - zeta_2 / zeta_items),
            zeta_2,
        }
    }

    pub(super) fn next(&self, random: &mut impl Rng) -> u64 {
        self.at(random.random())
    }

    /// The number at `uniform`, which is in [0, 1).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the product is between 0 and the number of items"
    )]
    fn at(&self, uniform: f64) -> u64 {
        let scaled = uniform * self.zeta_items;
        if scaled < 1.0 {
            0
        } else if scaled < self.zeta_2 {
            1
        } else {
            let place = self.items * (self.eta * uniform - self.eta + 1.0).powf(self.alpha);
            // Rounding can reach the number of items itself.
            place.min(self.items - 1.0) as u64
        }
    }
}

/// The sum of `1 / i^theta` for `i` from 1 to `items`.
fn zeta(items: u64, theta: f64) -> f64 {
    (1..=items).map(|item| (item as f64).powf(-theta)).sum()
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

    use super::*;

    #[test]
    fn shares_fall_as_the_law_says() {
        const DRAWS: u32 = 200_000;
        let zeta_items = zeta(1000, 0.99);
        let zipfian = Zipfian::new(1000, 0.99, zeta_items);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut counts = [0_u32; 1000];
        for _ in 0..DRAWS {
            counts[usize::try_from(zipfian.next(&mut random)).unwrap()] += 1;
        }
        for item in [0, 1] {
            let share = f64::from(counts[item]) / f64::from(DRAWS);
            let law = ((item + 1) as f64).powf(-0.99) / zeta_items;
            assert!(
                (share - law).abs() < 0.003,
                "item {item}: {share} instead of {law}"
            );
        }
        let (head, tail) = counts.split_at(100);
        // zeta(100) / zeta(1000): the generator approximates the law past the second item.
        let head_share = f64::from(head.iter().sum::<u32>()) / f64::from(DRAWS);
        assert!(
            (head_share - zeta(100, 0.99) / zeta_items).abs() < 0.03,
            "{head_share}"
        );
        assert!(tail.iter().filter(|&&count| count > 0).count() > 850);
    }

    #[test]
    fn both_ends_of_the_range_are_reached() {
        let zipfian = Zipfian::new(1000, 0.99, zeta(1000, 0.99));
        assert_eq!(zipfian.at(0.0), 0);
        assert_eq!(zipfian.at(1.0 - f64::EPSILON), 999);
    }
}
