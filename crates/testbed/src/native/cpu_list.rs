use std::{collections::BTreeSet, fmt, io, str::FromStr};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use thiserror::Error;

/// A set of CPUs, written as in cpuset(7): `0,2-3`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuList(BTreeSet<usize>);

/// Why a text is not a list of CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}`: expected CPUs such as 0,2-3, each below {max}", max = CpuSet::MAX_CPU)]
pub struct CpuListError(String);

impl CpuList {
    /// The CPUs that this process may use.
    ///
    /// # Errors
    /// The system's.
    pub fn available() -> io::Result<Self> {
        let set = sched_getaffinity(None)?;
        Ok(Self(
            (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect(),
        ))
    }

    /// Binds the calling thread, and every thread that it starts from now on, to these CPUs.
    ///
    /// # Errors
    /// The system's, if none of the CPUs may be used.
    pub fn bind(&self) -> io::Result<()> {
        let mut set = CpuSet::new();
        for &cpu in &self.0 {
            set.set(cpu);
        }
        Ok(sched_setaffinity(None, &set)?)
    }

    /// Number of CPUs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A list of one CPU for each.
    pub fn each(&self) -> impl Iterator<Item = Self> + '_ {
        self.0.iter().map(|&cpu| Self([cpu].into()))
    }

    /// The first `count` CPUs, and the others.
    #[must_use]
    pub fn split_at(&self, count: usize) -> (Self, Self) {
        let mut cpus = self.0.iter().copied();
        let first = cpus.by_ref().take(count).collect();
        (Self(first), Self(cpus.collect()))
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for &cpu in &self.0 {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == cpu => *last = cpu,
                _ => ranges.push((cpu, cpu)),
            }
        }
        for (at, (first, last)) in ranges.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for CpuList {
    type Err = CpuListError;

    fn from_str(text: &str) -> Result<Self, CpuListError> {
        let error = || CpuListError(text.to_owned());
        let cpu = |text: &str| {
            text.trim()
                .parse()
                .ok()
                .filter(|&cpu| cpu < CpuSet::MAX_CPU)
                .ok_or_else(error)
        };
        let mut cpus = BTreeSet::new();
        for range in text.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (usize, usize) = (cpu(first)?, cpu(last)?);
            if first > last {
                return Err(error());
            }
            cpus.extend(first..=last);
        }
        Ok(Self(cpus))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_back_what_they_print() {
        for text in ["0", "0-3", "1,3,5-7"] {
            assert_eq!(
                text.parse::<CpuList>().map(|list| list.to_string()),
                Ok(text.to_owned())
            );
        }
        assert_eq!(
            "3,0-1,1".parse::<CpuList>().map(|list| list.to_string()),
            Ok("0-1,3".to_owned())
        );
        for text in ["", "a", "3-1", "1024", "1,", "-1"] {
            assert!(text.parse::<CpuList>().is_err(), "{text}");
        }
    }
}
