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
pub enum SplitError {
    /// The server wants more than there are.
    #[error("cpus={wanted}: expected at most {available}, the CPUs that this process may use")]
    Server {
        /// CPUs that the scenario asks for.
        wanted: usize,
        /// CPUs that there are.
        available: usize,
    },
    /// The server leaves the client fewer than it wants.
    #[error(
        "client_cpus={wanted} beside {server} of the server: expected at most {available} together, the CPUs that this process may use"
    )]
    Client {
        /// CPUs that the scenario asks for.
        wanted: usize,
        /// CPUs of the server, of which it needs one.
        server: usize,
        /// CPUs that there are.
        available: usize,
    },
}

impl CpuSplit {
    /// Gives the server the CPUs that `scenario` asks for, or all but the client's, which are a quarter unless it says
    /// how many. The client gets the next ones, as many as it asks for or the rest; where it asks for none and there is
    /// no rest, both share.
    ///
    /// # Errors
    /// If the scenario asks for more CPUs than there are.
    pub fn new(available: &CpuList, scenario: &Scenario) -> Result<Self, SplitError> {
        let count = available.len();
        let for_client = scenario.client_cpus.given().map(|cpus| cpus as usize);
        let wanted = match scenario.cpus {
            Auto::Given(cpus) => cpus as usize,
            Auto::Auto => {
                let left = count.saturating_sub(for_client.unwrap_or((count / CLIENT_SHARE).max(1)));
                left.max(1)
            }
        };
        if wanted > count {
            return Err(SplitError::Server {
                wanted,
                available: count,
            });
        }
        let (server, rest) = available.split_at(wanted);
        let rest = match for_client {
            None => rest,
            Some(wanted) if wanted <= rest.len() => rest.split_at(wanted).0,
            Some(wanted) => {
                return Err(SplitError::Client {
                    wanted,
                    server: server.len(),
                    available: count,
                });
            }
        };
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

    /// CPUs of the client, also where it shares them with the server.
    #[must_use]
    pub fn client_cpus(&self) -> u32 {
        u32::try_from(self.client.len()).unwrap_or(u32::MAX)
    }

    /// Connections of `scenario` on this split.
    #[must_use]
    pub fn connections(&self, scenario: &Scenario) -> u32 {
        scenario
            .connections
            .unwrap_or_else(|| self.cpus().saturating_mul(CONNECTIONS_PER_CPU))
    }

    /// One sentence about who runs where, of a client with the real-time priority `client_priority`, if it has one.
    #[must_use]
    pub fn describe(&self, client_priority: Option<u8>) -> String {
        let Self { server, client, .. } = self;
        match (self.shared, client_priority) {
            (true, None) => format!(
                "server and client share CPU {server}: the client competes with the server's threads, and so is part of the result"
            ),
            (true, Some(_)) => format!(
                "server and client share CPU {server}: the client runs as SCHED_FIFO, as interrupts do, before the server's threads"
            ),
            (false, None) => format!("server on CPU {server}, client on CPU {client}"),
            (false, Some(_)) => format!("server on CPU {server}, client on CPU {client}, as SCHED_FIFO"),
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
    fn the_client_gets_cpus_of_its_own_if_it_asks() {
        let split = |available: &str, cpus, client_cpus| {
            let scenario = Scenario {
                cpus,
                client_cpus: Auto::Given(client_cpus),
                ..Scenario::default()
            };
            CpuSplit::new(&available.parse().unwrap(), &scenario)
                .map(|split| (split.server.to_string(), split.client.to_string(), split.shared))
                .map_err(|error| error.to_string())
        };
        assert_eq!(
            split("0-7", Auto::Given(2), 3),
            Ok(("0-1".into(), "2-4".into(), false))
        );
        assert_eq!(split("2-5", Auto::Auto, 3), Ok(("2".into(), "3-5".into(), false)));
        assert_eq!(
            split("0-3", Auto::Given(2), 3),
            Err("client_cpus=3 beside 2 of the server: expected at most 4 together, the CPUs that this process may use".into())
        );
        assert!(split("0-3", Auto::Auto, 4).unwrap_err().contains("beside 1 of"));
        assert!(split("0", Auto::Auto, 1).is_err(), "not for the client alone");
    }

    #[test]
    fn what_the_reader_is_told_depends_on_who_comes_first() {
        let shared = CpuSplit::new(&"0".parse().unwrap(), &Scenario::default()).unwrap();
        assert!(shared.describe(None).contains("competes"));
        let first = shared.describe(Some(50));
        assert!(
            first.contains("the client runs as SCHED_FIFO, as interrupts do") && !first.contains("competes")
        );
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
            Err(SplitError::Server {
                wanted: 3,
                available: 2
            })
        );
    }
}
