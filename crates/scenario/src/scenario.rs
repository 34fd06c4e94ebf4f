use crate::{Admission, Auto, Engine, Guard, GuardCounter, JournalSync, Key, SetError, key::keys};

/// One hour, the longest pause or run that a scenario can ask for.
const HOUR_US: u64 = 3_600_000_000;
const HOUR_S: f64 = 3_600.0;

keys! {
    cpus: Auto<u32> [1..=4096] = Auto::Auto, "CPUs of the server; auto: those of the host that the client does not need";
    connections: Auto<u32> [1..=100_000] = Auto::Auto, "open connections; auto: 16 per CPU of the server";
    think_us: u64 [0..=HOUR_US] = 100, "client's pause between a reply and the next request of that connection, in us (closed loop)";
    rate_ops: u64 [0..=100_000_000] = 0, "above 0: open loop at this rate, in operations per second";
    read_percent: Auto<u32> [0..=100] = Auto::Auto, "share of reads in percent; auto: the workload's";
    records: u64 [1..=1_000_000_000] = 10_000, "documents that the load phase inserts";
    engine: Engine [()] = Engine::Fjall, "where documents are kept";
    journal_sync: JournalSync [()] = JournalSync::Os, "what an acknowledged write of a durable engine has reached";
    wiredtiger_cache_mb: u32 [1..=1_048_576] = 16, "cache of the wiredtiger engine, in MiB";
    read_cpu_us: f64 [0.0..=1e6] = 30.0, "CPU of a read in the synthetic engine, in us, on top of wire and dispatch";
    update_cpu_us: f64 [0.0..=1e6] = 200.0, "CPU of an update in the synthetic engine, in us, on top of wire and dispatch";
    lock_percent: u32 [0..=100] = 10, "share of the synthetic update's CPU that is spent under one lock, in percent";
    work_loops_per_us: Auto<f64> [0.001..=1e6] = Auto::Auto, "speed of the work loop, in rounds per us of CPU; auto: calibrated at start";
    background_us_per_update: f64 [0.0..=1e6] = 40.0, "CPU that each update leaves to a background thread that never yields, in us";
    background_burst_us: f64 [1.0..=1e6] = 1000.0, "work left behind at which the background thread runs, in us of CPU";
    background_limit_us: f64 [1.0..=1e7] = 5000.0, "work left behind past which updates do their share themselves, in us of CPU";
    patrol_busy_us: f64 [0.0..=1e6] = 1000.0, "CPU of one round of the patrol thread, in us; 0: no patrol";
    patrol_sleep_us: u64 [0..=HOUR_US] = 6000, "pause between rounds of the patrol thread, in us; 0: it is always busy while there are updates";
    guard: Guard [()] = Guard::Connections, "which threads the executor counts before it yields";
    guard_counter: GuardCounter [()] = GuardCounter::Relaxed, "how the executor reads that count";
    admission: Admission [1..=100_000] = Admission::None, "admission control in front of the storage engine: none; probing, MongoDB's controller of throughput; or fixed:N, N tickets for reads and N for writes";
    base_slice_us: Auto<u64> [100..=100_000] = Auto::Auto, "EEVDF base slice of the host during the run, in us, with CFS the tunables that stand for it (needs root and debugfs); auto: untouched, in the lab the values of 8 CPUs";
    slice_us: u64 [100..=100_000] = 350, "custom slice of connection threads in the variant `capped`, in us";
    client_cpus: Auto<u32> [1..=4096] = Auto::Auto, "CPUs for the client alone; auto: those that the server leaves, and where it leaves none, the server's";
    client_threads: u32 [1..=64] = 1, "event-driven threads of the client";
    settle_s: f64 [0.0..=HOUR_S] = 0.0, "pause before the load phase, in seconds";
    warmup_s: f64 [0.0..=HOUR_S] = 1.0, "load before the measured part, in seconds";
    seconds: f64 [0.01..=86_400.0] = 10.0, "length of the measured part, in seconds";
    seed: u64 [0..=u64::MAX] = 1, "seed of the client's random choices";
}

impl Scenario {
    /// Sets one key from the text `KEY=VALUE`.
    ///
    /// # Errors
    /// Says what was expected if the text has another form, the key is unknown or does not take the value.
    pub fn set(&mut self, key_and_value: &str) -> Result<(), SetError> {
        let (key, value) = key_and_value
            .split_once('=')
            .ok_or_else(|| SetError::Form(key_and_value.to_owned()))?;
        self.set_key(key, value)
    }

    /// Sets the key `key` to `value`.
    ///
    /// # Errors
    /// Says what was expected if the key is unknown or does not take the value.
    pub fn set_key(&mut self, key: &str, value: &str) -> Result<(), SetError> {
        let key = Key::find(key)?;
        (key.set)(self, value).map_err(|expected| SetError::Value {
            key: key.name,
            value: value.to_owned(),
            expected,
        })
    }

    /// Every key as `KEY=VALUE`: what [`Scenario::set`] turns back into this scenario.
    pub fn pairs(&self) -> impl Iterator<Item = String> {
        Self::KEYS
            .iter()
            .map(|key| format!("{}={}", key.name, key.get(self)))
    }

    /// The keys, as `KEY=VALUE`, whose values are not those of `other`.
    pub fn changes_from(&self, other: &Self) -> impl Iterator<Item = String> {
        self.pairs()
            .zip(other.pairs().collect::<Vec<_>>())
            .filter(|(own, other)| own != other)
            .map(|(own, _)| own)
    }
}

impl Key {
    /// The key named `name`.
    ///
    /// # Errors
    /// Lists the valid names if there is no such key.
    pub fn find(name: &str) -> Result<&'static Key, SetError> {
        Scenario::KEYS
            .iter()
            .find(|key| key.name == name.trim())
            .ok_or_else(|| SetError::UnknownKey { key: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_reads_back_what_it_prints() {
        let mut changed = Scenario::default();
        for pair in [
            "cpus=3",
            "connections=48",
            "read_percent=7",
            "engine=synthetic",
            "admission=fixed:12",
            "work_loops_per_us=200.5",
        ] {
            changed.set(pair).unwrap();
        }
        let mut copy = Scenario::default();
        for pair in changed.pairs() {
            copy.set(&pair).unwrap();
        }
        assert_ne!(changed, Scenario::default());
        let default = Scenario::default();
        assert_eq!(
            changed.changes_from(&default).last().as_deref(),
            Some("admission=fixed:12")
        );
        assert_eq!(
            (
                changed.changes_from(&default).count(),
                default.changes_from(&default).count()
            ),
            (6, 0)
        );
        assert_eq!(changed, copy);
    }

    #[test]
    fn wrong_keys_and_values_say_what_was_expected() {
        let mut scenario = Scenario::default();
        let message = |result: Result<(), SetError>| result.unwrap_err().to_string();
        assert!(message(scenario.set("think=1")).contains("think_us, rate_ops"));
        assert_eq!(
            message(scenario.set("read_percent=101")),
            "read_percent=101: expected a number from 0 to 100, or auto"
        );
        assert_eq!(
            message(scenario.set("engine=rocksdb")),
            "engine=rocksdb: expected one of: memory, fjall, synthetic, wiredtiger"
        );
        for wrong in [
            "fixed",
            "fixed:",
            "fixed:0",
            "fixed:-1",
            "fixed:100001",
            "Probing",
            "",
        ] {
            assert_eq!(
                message(scenario.set(&format!("admission={wrong}"))),
                format!("admission={wrong}: expected none, probing, or fixed:N with N from 1 to 100000")
            );
        }
        assert_eq!(
            message(scenario.set("seconds")),
            "`seconds` is not of the form KEY=VALUE"
        );
        assert!(message(scenario.set("seconds=NaN")).contains("a number from 0.01 to 86400"));
        assert_eq!(scenario, Scenario::default(), "a refused value changes nothing");
    }
}
