use super::*;

const PASSES: u64 = 100;

fn room(cpus: &CpuList, meeting: Meeting) -> Room<'_> {
    Room {
        meeting,
        cpus,
        busy: None,
        passes: PASSES,
        limit: Duration::from_secs(3600),
    }
}

#[test]
fn every_way_makes_every_pass_of_every_meeting() {
    let cpus = CpuList::available().unwrap();
    for &meeting in Meeting::ALL {
        for &wait_by in WaitBy::ALL {
            let row = room(&cpus, meeting)
                .run(wait_by)
                .unwrap()
                .row(meeting, false, wait_by);
            assert_eq!(row.passes, PASSES, "{row:?}");
            assert!(row.us_per_pass > 0.0 && row.cpu_us_per_pass > 0.0, "{row:?}");
        }
    }
}

#[test]
fn the_limit_ends_a_row_beside_neighbours() {
    let cpus = CpuList::available().unwrap();
    for &meeting in Meeting::ALL {
        let room = Room {
            busy: Some(Work::new(Auto::Given(1.0))),
            passes: u64::MAX,
            limit: Duration::from_millis(1),
            ..room(&cpus, meeting)
        };
        let row = room.run(WaitBy::Futex).unwrap().row(meeting, true, WaitBy::Futex);
        assert!(row.passes > 0 && row.passes < u64::MAX, "{row:?}");
    }
}

#[test]
fn rows_are_compared_with_the_faster_of_the_others() {
    let plan = SpinPlan {
        passes: 10,
        ..SpinPlan::default()
    };
    let probe = run(&plan, Host::default()).unwrap();
    for rows in probe.rows.chunks(WaitBy::ALL.len()) {
        let [cede, yields, futex] = rows else {
            panic!("{rows:?}")
        };
        let ways = [cede, yields, futex].map(|row| (row.meeting, row.busy, row.wait_by));
        assert_eq!(
            ways,
            [WaitBy::Cede, WaitBy::Yield, WaitBy::Futex].map(|way| (cede.meeting, cede.busy, way))
        );
        let better = yields.us_per_pass.min(futex.us_per_pass);
        assert!(
            (cede.ratio * better / cede.us_per_pass - 1.0).abs() < 1e-9,
            "{rows:?}"
        );
        let better = cede.us_per_pass.min(futex.us_per_pass);
        assert!(
            (yields.ratio * better / yields.us_per_pass - 1.0).abs() < 1e-9,
            "{rows:?}"
        );
    }
}

#[test]
fn a_cpu_that_is_not_there_is_an_error_and_no_thread_stays() {
    let cpus = "1023".parse().unwrap();
    let room = Room {
        busy: Some(Work::new(Auto::Given(1.0))),
        ..room(&cpus, Meeting::PingPong)
    };
    // The scope inside waits for all threads, so returning is the proof that they have ended.
    for &wait_by in WaitBy::ALL {
        assert!(room.run(wait_by).is_err());
    }
}

#[test]
fn a_plan_without_passes_or_time_is_refused() {
    for (passes, limit_s) in [(0, 1.0), (1, 0.0), (1, f64::NAN), (1, f64::INFINITY)] {
        let message = run(&SpinPlan { passes, limit_s }, Host::default())
            .unwrap_err()
            .to_string();
        assert!(message.contains("at least 1"), "{message}");
    }
}
