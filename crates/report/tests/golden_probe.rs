//! The table of the golden probes, to the letter. `SNAPSHOTS=overwrite cargo test -p report` accepts a change.

use report::golden_table;
use scenario::{Company, GiveUp, GiveUpRow, GoldenProbe, Host, YieldRow};
use snapbox::{assert_data_eq, file};

fn yields(company: Company, mean_us: f64, share: f64) -> YieldRow {
    YieldRow {
        company,
        yields: 1000,
        switched: 500,
        mean_us,
        p50_us: 1.4,
        p99_us: 4.0 * mean_us,
        max_us: 9.0 * mean_us,
        share,
    }
}

fn give_up(company: Company, give_up: GiveUp, ops_per_s: f64) -> GiveUpRow {
    GiveUpRow {
        company,
        give_up,
        ops_per_s,
        switched_per_op: 0.9,
        mean_wait_us: 1e6 / ops_per_s,
        max_wait_us: 4e6 / ops_per_s,
        share: ops_per_s / 1e4,
    }
}

fn probe(kernel: &str, era: &str, hog_us: f64) -> GoldenProbe {
    let fair = |others: f64| 1.0 / (1.0 + others);
    GoldenProbe {
        host: Host {
            kernel: kernel.to_owned(),
            era: era.to_owned(),
            ..Host::default()
        },
        seconds: 1.0,
        yields: vec![
            yields(Company::Alone, 1.4, 1.0),
            yields(Company::OneHog, hog_us, fair(hog_us)),
            yields(Company::ThreeHogs, 3.0 * hog_us, fair(3.0 * hog_us)),
            yields(Company::OneYielder, 43.0, 0.5),
            yields(Company::SevenYielders, 194.0, 0.125),
        ],
        give_up: vec![
            give_up(Company::ThreeHogs, GiveUp::None, 2318.0),
            give_up(Company::ThreeHogs, GiveUp::Yield, 448.0),
            give_up(Company::ThreeHogs, GiveUp::Nap, 1710.0),
            give_up(Company::ThreeHogsFourPeers, GiveUp::None, 1190.0),
            give_up(Company::ThreeHogsFourPeers, GiveUp::Yield, 362.0),
            give_up(Company::ThreeHogsFourPeers, GiveUp::Nap, 784.0),
        ],
    }
}

#[test]
fn kernels_stand_below_each_other() {
    let mut interrupted = probe("7.2.9", "eevdf-forfeit", 736.0);
    interrupted.yields.truncate(2);
    interrupted.give_up.clear();
    let probes = [
        probe("6.1.140", "cfs", 3.2),
        probe("6.12.69", "eevdf-forfeit", 711.0),
        interrupted,
    ];
    assert_data_eq!(golden_table(&probes), file!["golden/golden_probe.txt"]);
}
