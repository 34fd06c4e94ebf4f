use super::fnv::fnv64;

/// Most digits that a key can have: those of 2^63.
pub(in crate::client) const LONGEST_NUMBER: usize = 19;

/// The digits of a record's key; the key itself is `user` and these, as in YCSB's hashed insert order.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct Key {
    digits: [u8; LONGEST_NUMBER],
    start: usize,
}

impl Key {
    /// What comes before the digits.
    pub(in crate::client) const PREFIX: &str = "user";

    /// The key of record `number`.
    pub(in crate::client) fn of(number: u64) -> Self {
        let mut digits = [b'0'; LONGEST_NUMBER];
        let mut rest = fnv64(number);
        let mut start = LONGEST_NUMBER;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            start -= 1;
            if rest == 0 {
                break;
            }
        }
        Self { digits, start }
    }

    /// The decimal digits, at least one.
    pub(in crate::client) fn digits(&self) -> &[u8] {
        self.digits.get(self.start..).unwrap_or_default()
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(Self::PREFIX)?;
        self.digits()
            .iter()
            .try_for_each(|&digit| write!(f, "{}", char::from(digit)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_key_is_that_of_ycsb() {
        assert_eq!(Key::of(0).to_string(), "user6284781860667377211");
    }

    proptest! {
        #[test]
        fn a_key_is_the_decimal_hash(number: u64) {
            prop_assert_eq!(Key::of(number).to_string(), format!("user{}", fnv64(number)));
        }
    }
}
