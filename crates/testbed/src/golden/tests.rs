use super::*;

/// Long enough for a slice of each of eight threads on any number of CPUs.
const SECONDS: f64 = 0.1;

fn probe() -> GoldenProbe {
    let plan = GoldenPlan {
        seconds: SECONDS,
        ..GoldenPlan::default()
    };
    run(&plan, Host::default()).unwrap()
}

#[test]
fn every_row_is_there_and_agrees_with_itself() {
    let probe = probe();
    let companies: Vec<_> = probe.yields.iter().map(|row| row.company).collect();
    assert_eq!(companies, Company::OF_YIELDS);
    for row in &probe.yields {
        assert!(row.yields > 0 && row.switched <= row.yields, "{row:?}");
        assert!(row.p50_us <= row.p99_us, "{row:?}");
        // The histogram is exact to 1/32.
        assert!(row.p99_us <= row.max_us * (1.0 + 1.0 / 32.0), "{row:?}");
        assert!(row.mean_us <= row.max_us, "{row:?}");
        assert!(row.share > 0.0 && row.share <= 1.0, "{row:?}");
        let alone = row.company == Company::Alone;
        assert_eq!(alone, row.share > 0.999, "{row:?}");
    }
    let cells: Vec<_> = probe
        .give_up
        .iter()
        .map(|row| (row.company, row.give_up))
        .collect();
    let ways = [GiveUp::None, GiveUp::Yield, GiveUp::Nap];
    assert_eq!(
        cells,
        Company::OF_WORKERS
            .map(|company| ways.map(|way| (company, way)))
            .concat()
    );
    for row in &probe.give_up {
        assert!(row.ops_per_s > 0.0, "{row:?}");
        assert!(row.share > 0.0 && row.share < 1.0, "{row:?}");
        assert!(row.mean_wait_us <= row.max_wait_us, "{row:?}");
        let gives_up = row.give_up != GiveUp::None;
        assert_eq!(row.mean_wait_us > 0.0, gives_up, "{row:?}");
        assert!(gives_up || row.switched_per_op == 0.0, "{row:?}");
    }
}

#[test]
fn a_cpu_that_is_not_there_is_an_error_and_no_thread_stays() {
    let cpu = "1023".parse().unwrap();
    let crowd = Crowd {
        cpu: &cpu,
        window: Duration::from_secs(3600),
        work: Work::new(Auto::Given(1.0)),
    };
    let task = Task {
        work_us: 1.0,
        policy: Policy::None,
    };
    // The scope inside waits for all threads, so returning is the proof that they have ended.
    let error = crowd.run(Company::ThreeHogsFourPeers, task).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(22), "{error}");
}

#[test]
fn a_length_that_is_none_is_refused() {
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let plan = GoldenPlan {
            seconds,
            ..GoldenPlan::default()
        };
        let message = run(&plan, Host::default()).unwrap_err().to_string();
        assert!(message.contains("above 0"), "{message}");
    }
}
