use std::{cmp::Ordering, fmt};

use serde::{Deserialize, Serialize};

/// The version of a Debian package, such as `6.12.57-1~bpo12+1`. In Debian's order (deb-version(7)), in which a `~` comes
/// before everything, even the end: a backport is older than what it was made from.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct DebianVersion(String);

impl DebianVersion {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Epoch, upstream version and revision; the first and the last are 0 where there is none.
    fn parts(&self) -> (&str, &str, &str) {
        let (epoch, rest) = self.0.split_once(':').unwrap_or(("0", &self.0));
        let (upstream, revision) = rest.rsplit_once('-').unwrap_or((rest, "0"));
        (epoch, upstream, revision)
    }
}

impl fmt::Display for DebianVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Ord for DebianVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mine, theirs) = (self.parts(), other.parts());
        compare(mine.0, theirs.0)
            .then_with(|| compare(mine.1, theirs.1))
            .then_with(|| compare(mine.2, theirs.2))
    }
}

impl PartialOrd for DebianVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Of the order: `1.0` and `1.00` are the same.
impl PartialEq for DebianVersion {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for DebianVersion {}

/// Takes turns in comparing what is no number, by `weight`, and numbers, by value.
fn compare(mut a: &str, mut b: &str) -> Ordering {
    while !(a.is_empty() && b.is_empty()) {
        let (a_text, a_rest) = split(a, |c| !c.is_ascii_digit());
        let (b_text, b_rest) = split(b, |c| !c.is_ascii_digit());
        let (a_number, a_after) = split(a_rest, |c| c.is_ascii_digit());
        let (b_number, b_after) = split(b_rest, |c| c.is_ascii_digit());
        let order = compare_text(a_text, b_text).then_with(|| compare_numbers(a_number, b_number));
        if order.is_ne() {
            return order;
        }
        (a, b) = (a_after, b_after);
    }
    Ordering::Equal
}

/// The longest start whose characters all fit, and the rest.
fn split(text: &str, fits: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !fits(c)).unwrap_or(text.len());
    text.split_at(end)
}

fn compare_text(a: &str, b: &str) -> Ordering {
    let weights = |text: &str| text.chars().map(weight).collect::<Vec<_>>();
    let (mut a, mut b) = (weights(a), weights(b));
    // The end has the weight 0 as well, between `~` and all others.
    let length = a.len().max(b.len());
    a.resize(length, 0);
    b.resize(length, 0);
    a.cmp(&b)
}

fn weight(c: char) -> i64 {
    match c {
        '~' => -1,
        c if c.is_ascii_alphabetic() => i64::from(u32::from(c)),
        c => i64::from(u32::from(c)) + i64::from(u32::from(char::MAX)),
    }
}

/// As numbers of any length.
fn compare_numbers(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    fn version(text: &str) -> DebianVersion {
        DebianVersion::new(text)
    }

    #[test]
    fn kernels_are_in_debians_order() {
        let ordered = [
            "6.1.176-1",
            "6.1.192-1",
            "6.1.192-3",
            "6.12.57-1~bpo12+1",
            "6.12.57-1",
            "6.12.90-2~bpo12+1",
            "6.12.90-2",
            "6.12.117-1~deb12u1",
            "6.12.117-1",
            "6.12.118-1",
            "7.0.13-1~bpo13+1",
            "1:5.0-1",
        ];
        for (i, a) in ordered.iter().enumerate() {
            for (j, b) in ordered.iter().enumerate() {
                assert_eq!(version(a).cmp(&version(b)), i.cmp(&j), "{a} and {b}");
            }
        }
    }

    proptest! {
        #[test]
        fn it_is_an_order(a in "[0-9a~+.]{0,6}", b in "[0-9a~+.]{0,6}", c in "[0-9a~+.]{0,6}") {
            let [a, b, c] = [a, b, c].map(|text| version(&text));
            prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
            if a <= b && b <= c {
                prop_assert!(a <= c);
            }
        }
    }

    #[test]
    fn it_is_the_order_of_dpkg() {
        if Command::new("dpkg").arg("--version").output().is_err() {
            eprintln!("skipped: needs dpkg");
            return;
        }
        let texts = [
            "1",
            "1.0",
            "1.00",
            "1~",
            "1~~",
            "1~a",
            "1a",
            "1+",
            "1.0-1",
            "1.0-1~bpo1",
            "1.0-0",
            "10",
            "1.a",
            "1.+",
        ];
        for a in texts {
            for b in texts {
                let relation = match version(a).cmp(&version(b)) {
                    Ordering::Less => "lt",
                    Ordering::Equal => "eq",
                    Ordering::Greater => "gt",
                };
                let status = Command::new("dpkg")
                    .args(["--compare-versions", a, relation, b])
                    .status();
                assert!(status.unwrap().success(), "{a} {relation} {b}");
            }
        }
    }
}
