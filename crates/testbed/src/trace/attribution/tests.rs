use std::fmt::Write;

use proptest::prelude::*;
use scenario::OffTime;

use super::*;

/// The server: connections 11 and 12, patrol 13.
fn account(trace: &str) -> OffCpu {
    let threads = Threads {
        server: [11, 12, 13].into(),
        kernel: [2, 9].into(),
    };
    let mut attribution = Attribution::new(threads);
    trace.lines().for_each(|line| attribution.read(line));
    attribution.finish()
}

fn time(times: u64, us: f64, runnable_us: f64) -> OffTime {
    OffTime {
        times,
        us,
        runnable_us,
    }
}

#[test]
fn every_microsecond_has_a_cause() {
    // As Linux 6.1 writes it.
    let off_cpu = account(
        "\
# tracer: nop
#
# entries-in-buffer/entries-written: 19/19   #P:1
#
#                                _-----=> irqs-off/BH-disabled
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
            conn-11      [000] ...1.     4.000100: sys_sched_yield()
            conn-11      [000] d..2.     4.000101: sched_switch: prev_comm=conn prev_pid=11 prev_prio=120 prev_state=R ==> next_comm=patrol next_pid=13 next_prio=120
          patrol-13      [000] d..2.     4.000401: sched_switch: prev_comm=patrol prev_pid=13 prev_prio=120 prev_state=R ==> next_comm=conn next_pid=12 next_prio=120
            conn-12      [000] ...1.     4.000450: sys_recvfrom(fd: 4, ubuf: 7ffff740c0b0, size: 8, flags: 0, addr: 0, addr_len: 0)
            conn-12      [000] d..2.     4.000451: sched_switch: prev_comm=conn prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=load next_pid=20 next_prio=120
            load-20      [000] dN.6.     4.000471: sched_wakeup: comm=conn pid=12 prio=120 target_cpu=000
            load-20      [000] d..2.     4.000481: sched_switch: prev_comm=load prev_pid=20 prev_prio=120 prev_state=S ==> next_comm=conn next_pid=11 next_prio=120
            conn-11      [000] ...1.     4.000482: sys_sched_yield -> 0x0
            conn-11      [000] d..2.     4.000531: sched_switch: prev_comm=conn prev_pid=11 prev_prio=120 prev_state=R ==> next_comm=conn next_pid=12 next_prio=120
            conn-12      [000] ...1.     4.000540: sys_recvfrom -> 0x8
            conn-12      [000] ...1.     4.000545: sys_futex(uaddr: 7ffff7ff7fc4, op: 89, val: 2, utime: 0, uaddr2: 0, val3: ffffffff)
            conn-12      [000] d..2.     4.000546: sched_switch: prev_comm=conn prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=conn next_pid=11 next_prio=120
            conn-11      [000] ...1.     4.000560: sys_clock_nanosleep(which_clock: 0, flags: 0, rqtp: 7ffff7e400a8, rmtp: 0)
            conn-11      [000] d..2.     4.000561: sched_switch: prev_comm=conn prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0       [000] dNh4.     4.000600: sched_wakeup: comm=conn pid=11 prio=120 target_cpu=000
          <idle>-0       [000] d..2.     4.000610: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=conn next_pid=11 next_prio=120
            conn-11      [000] ...1.     4.000620: sys_clock_nanosleep -> 0x0
",
    );
    assert_eq!((off_cpu.lost_events, off_cpu.connections), (0, 2));
    assert!((off_cpu.window_us - 520.0).abs() < 1e-9);
    // 11: 50 + 15 + 10; 12: 50 + 15. What was before the first switch is not known.
    assert!((off_cpu.on_cpu_us - 140.0).abs() < 1e-9);
    assert_eq!(
        off_cpu.by_cause,
        BTreeMap::from([
            (Cause::Yield, time(1, 380.0, 380.0)),
            (Cause::Receive, time(1, 80.0, 60.0)),
            (Cause::Preempted, time(1, 15.0, 15.0)),
            (Cause::Park, time(1, 49.0, 10.0)),
            // Never woken: until the end.
            (Cause::Lock, time(1, 74.0, 0.0)),
        ])
    );
    assert_eq!(
        off_cpu.ran_meanwhile,
        [
            (ThreadKind::Patrol, 300.0),
            (ThreadKind::Connection, 50.0),
            (ThreadKind::Client, 30.0),
        ]
    );
    let patrol = &off_cpu.threads[2];
    assert_eq!((patrol.tid, patrol.name.as_str()), (13, "patrol"));
    assert_eq!(
        patrol.by_cause,
        BTreeMap::from([(Cause::Preempted, time(1, 219.0, 219.0))])
    );
}

#[test]
fn each_of_several_yielders_waits_for_whoever_runs_on_the_cpu_it_left() {
    // As Linux 7 writes it; 11 comes back on another CPU and ends, and the name of 99 is no kindness.
    let off_cpu = account(
        "\
# entries-in-buffer/entries-written: 9/9   #P:2
            conn-11      [000] .....     1.000010: sys_sched_yield()
            conn-11      [000] d..2.     1.000011: sched_switch: prev_comm=conn prev_pid=11 prev_prio=120 prev_state=R ==> next_comm=conn next_pid=12 next_prio=120
            conn-12      [000] .....     1.000020: sys_sched_yield()
            conn-12      [000] d..2.     1.000021: sched_switch: prev_comm=conn prev_pid=12 prev_prio=120 prev_state=R ==> next_comm=my [000] a-pp next_pid=99 next_prio=120
          <idle>-0       [001] dl.2.     1.000051: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=conn next_pid=11 next_prio=120
            conn-11      [001] .....     1.000052: sys_sched_yield -> 0x0
   my [000] a-pp-99      [000] d..2.     1.000071: sched_switch: prev_comm=my [000] a-pp prev_pid=99 prev_prio=120 prev_state=S ==> next_comm=conn next_pid=12 next_prio=120
            conn-11      [001] d..2.     1.000080: sched_switch: prev_comm=conn prev_pid=11 prev_prio=120 prev_state=X ==> next_comm=swapper/1 next_pid=0 next_prio=120
            conn-12      [000] .....     1.000090: sys_sched_yield -> 0x0
",
    );
    assert_eq!(
        off_cpu.by_cause,
        BTreeMap::from([(Cause::Yield, time(2, 40.0 + 50.0, 90.0))])
    );
    // 11 until its end: 29; 12: 10 + 19.
    assert!((off_cpu.on_cpu_us - 58.0).abs() < 1e-9);
    assert_eq!(
        off_cpu.ran_meanwhile,
        [
            (ThreadKind::Other, 2.0 * 30.0 + 20.0),
            (ThreadKind::Connection, 10.0)
        ]
    );
}

#[test]
fn a_gap_is_told_and_nothing_is_made_up_across_it() {
    let off_cpu = account(
        "\
# entries-in-buffer/entries-written: 6/9   #P:1
 conn-11 [000] ..... 1.000010: sys_sched_yield()
 conn-11 [000] d..2. 1.000011: sched_switch: prev_comm=conn prev_pid=11 prev_prio=120 prev_state=R ==> next_comm=patrol next_pid=13 next_prio=120
CPU:0 [LOST 5 EVENTS]
 conn-12 [000] d..2. 1.900000: sched_switch: prev_comm=conn prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=conn next_pid=11 next_prio=120
 conn-11 [000] d..2. 1.900007: sched_switch: prev_comm=conn prev_pid=11 prev_prio=120 prev_state=R ==> next_comm=patrol next_pid=13 next_prio=120
 patrol-13 [000] d..2. 1.900010: sched_switch: prev_comm=patrol prev_pid=13 prev_prio=120 prev_state=R ==> next_comm=conn next_pid=11 next_prio=120
",
    );
    assert_eq!(off_cpu.lost_events, 5);
    // The call of 11 may have ended in the gap.
    assert_eq!(
        off_cpu.by_cause,
        BTreeMap::from([
            (Cause::Preempted, time(1, 3.0, 3.0)),
            (Cause::Other, time(1, 10.0, 0.0)),
        ])
    );
    assert!(off_cpu.ran_meanwhile.is_empty());
    let written_over = account("# entries-in-buffer/entries-written: 6/9   #P:1\nCPU:0 [LOST EVENTS]");
    assert_eq!(written_over.lost_events, 3);
}

#[test]
fn the_state_decides_where_the_call_does_not() {
    // 11 is in a call from before the trace; 12 is preempted in a call that would have blocked.
    let off_cpu = account(
        "\
 conn-11 [000] d..2. 1.000000: sched_switch: prev_comm=conn prev_pid=11 prev_prio=120 prev_state=R+ ==> next_comm=conn next_pid=12 next_prio=120
 conn-12 [000] ...1. 1.000001: sys_futex(uaddr: 0x7ffff7ff7fc4, op: 0x81, val: 1)
 conn-12 [000] d..2. 1.000002: sched_switch: prev_comm=conn prev_pid=12 prev_prio=120 prev_state=R+ ==> next_comm=conn next_pid=11 next_prio=120
 conn-11 [000] ...1. 1.000003: sys_recvfrom -> 0x1
 conn-11 [000] d..2. 1.000004: sched_switch: prev_comm=conn prev_pid=11 prev_prio=120 prev_state=D ==> next_comm=conn next_pid=12 next_prio=120
 conn-12 [000] ...1. 1.000008: sys_futex -> 0x0
",
    );
    assert_eq!(
        off_cpu.by_cause,
        BTreeMap::from([
            (Cause::Preempted, time(2, 2.0 + 2.0, 4.0)),
            (Cause::Other, time(1, 4.0, 0.0)),
        ])
    );
}

#[test]
fn no_trace_is_no_time() {
    assert_eq!(account(""), OffCpu::default());
}

/// What a thread does on the CPU: it may enter or leave a call, and after so many us another thread follows.
fn steps() -> impl Strategy<Value = Vec<(Option<&'static str>, u64, &'static str, usize)>> {
    let calls = prop::sample::select(vec![
        None,
        Some("sys_sched_yield()"),
        Some("sys_sched_yield -> 0x0"),
        Some("sys_futex(op: 0x80)"),
        Some("sys_futex -> 0x0"),
    ]);
    let states = prop::sample::select(vec!["R", "R+", "S", "D", "X"]);
    prop::collection::vec((calls, 0_u64..1000, states, 0_usize..5), 0..100)
}

proptest! {
    /// On one CPU all time of a thread is on or off, and all time of a yielder is somebody's.
    #[test]
    fn accounts_balance(steps in steps()) {
        const TASKS: [(u32, &str); 5] = [(11, "conn"), (12, "conn"), (13, "patrol"), (20, "load"), (0, "swapper/0")];
        let (mut trace, mut now, mut current) = (String::new(), 1_000_000_u64, 0);
        for (call, after, state, next) in steps {
            let (tid, name) = TASKS[current];
            let mut line = |now: u64, event: &str| {
                let (s, us) = (now / 1_000_000, now % 1_000_000);
                writeln!(trace, "{name}-{tid} [000] d..2. {s}.{us:06}: {event}").unwrap();
            };
            if let Some(call) = call {
                line(now, call);
            }
            now += after;
            let (next_tid, next_name) = TASKS[next];
            if next != current {
                line(now, &format!(
                    "sched_switch: prev_comm={name} prev_pid={tid} prev_prio=120 prev_state={state} ==> \
                     next_comm={next_name} next_pid={next_tid} next_prio=120"
                ));
            }
            current = next;
        }
        let off_cpu = account(&trace);
        for thread in &off_cpu.threads {
            let off: f64 = thread.by_cause.values().map(|time| time.us).sum();
            prop_assert!(thread.on_cpu_us + off <= off_cpu.window_us, "{:?}", off_cpu);
        }
        let waited = off_cpu.by_cause.get(&Cause::Yield).map_or(0.0, |time| time.us);
        let ran: f64 = off_cpu.ran_meanwhile.iter().map(|(_, us)| us).sum();
        prop_assert!((waited - ran).abs() < 1e-6, "{waited} {ran} {off_cpu:?}");
    }

    /// Also times that run backwards, and threads that are in two places.
    #[test]
    fn any_trace_has_an_account(
        lines in prop::collection::vec(
            prop_oneof![
                Just("CPU:0 [LOST EVENTS]".to_owned()),
                "conn-1[1-3] \\[00[0-2]\\] [0-9]{1,10}\\.[0-9]{6}: sys_sched_yield(\\(\\)| -> 0x0)",
                "conn-1[1-3] \\[00[0-2]\\] [0-9]{1,10}\\.[0-9]{6}: sched_switch: prev_comm=conn prev_pid=1[1-3] prev_prio=1 \
                 prev_state=[RSX] ==> next_comm=conn next_pid=1[1-3] next_prio=1",
                "conn-1[1-3] \\[00[0-2]\\] [0-9]{1,10}\\.[0-9]{6}: sched_wakeup: comm=conn pid=1[1-3] prio=1",
                ".{0,40}",
            ],
            0..60,
        ),
    ) {
        let off_cpu = account(&lines.join("\n"));
        prop_assert!(off_cpu.threads.len() <= 3);
        prop_assert!(off_cpu.by_cause.values().all(|time| time.us >= 0.0 && time.runnable_us <= time.us));
    }
}
