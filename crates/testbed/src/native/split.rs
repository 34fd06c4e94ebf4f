use scenario::{Auto, Scenario};
use thiserror::Error;

use super::cpu_list::CpuList;

/// Open connections for each CPU of the server, as 128 on 8 in the original evaluation.
const CONNECTIONS_PER_CPU: u32 = 16;
/// The client gets one CPU of so many.
const CLIENT_SHARE: usize = 4;

/// Who runs where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuSplit {
    /// The server's CPUs.
    pub server: CpuList,
    /// The client's CPUs.
    pub client: CpuList,
    /// Whether both have the same.
    pub shared: bool,
}

/// Why the host's CPUs cannot be split as asked.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("cpus={wanted}: expected at most {available}, the CPUs that this process may use")]
pub struct SplitError {
    wanted: usize,
    available: usize,
}

impl CpuSplit {
    /// Gives the server the CPUs that `scenario` asks for, or all but a quarter, and the client the rest; where there
    /// is no rest, both share.
    ///
    /// # Errors
    /// If the scenario asks for more CPUs than there are.
    pub fn new(available: &CpuList, scenario: &Scenario) -> Result<Self, SplitError> {
        let count = available.len();
        let wanted = match scenario.cpus {
            Auto::Given(cpus) => cpus as usize,
            Auto::Auto => (count - (count / CLIENT_SHARE).max(1)).max(1),
        };
        if wanted > count {
            return Err(SplitError {
                wanted,
                available: count,
            });
        }
        let (server, rest) = available.split_at(wanted);
        let shared = rest.is_empty();
        let client = if shared { server.clone() } else { rest };
        Ok(Self {
            server,
            client,
            shared,
        })
    }

    /// CPUs of the server.
    #[must_use]
    pub fn cpus(&self) -> u32 {
        u32::try_from(self.server.len()).unwrap_or(u32::MAX)
    }

    /// Connections of `scenario` on this split.
    #[must_use]
    pub fn connections(&self, scenario: &Scenario) -> u32 {
        scenario
            .connections
            .unwrap_or_else(|| self.cpus().saturating_mul(CONNECTIONS_PER_CPU))
    }

    /// One sentence about who runs where.
    #[must_use]
    pub fn describe(&self) -> String {
        if self.shared {
            format!(
                "server and client share CPU {}: the client competes with the server's threads, and so is part of the result",
                self.server
            )
        } else {
            format!("server on CPU {}, client on CPU {}", self.server, self.client)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(available: &str, cpus: Auto<u32>) -> Result<(String, String, bool), SplitError> {
        let scenario = Scenario {
            cpus,
            ..Scenario::default()
        };
        CpuSplit::new(&available.parse().unwrap(), &scenario)
            .map(|split| (split.server.to_string(), split.client.to_string(), split.shared))
    }

    #[test]
    fn the_client_gets_a_quarter_and_at_least_one_cpu() {
        assert_eq!(split("0", Auto::Auto), Ok(("0".into(), "0".into(), true)));
        assert_eq!(split("0-1", Auto::Auto), Ok(("0".into(), "1".into(), false)));
        assert_eq!(split("2-5", Auto::Auto), Ok(("2-4".into(), "5".into(), false)));
        assert_eq!(split("0-7", Auto::Auto), Ok(("0-5".into(), "6-7".into(), false)));
    }

    #[test]
    fn what_is_asked_for_is_given_or_refused() {
        assert_eq!(
            split("0-1", Auto::Given(2)),
            Ok(("0-1".into(), "0-1".into(), true))
        );
        assert_eq!(
            split("0-7", Auto::Given(2)),
            Ok(("0-1".into(), "2-7".into(), false))
        );
        assert_eq!(
            split("0-1", Auto::Given(3)),
            Err(SplitError {
                wanted: 3,
                available: 2
            })
        );
    }
}
