use std::fs;

use cede::era;
use rustix::time::{ClockId, clock_getres};
use scenario::Host;

use super::cpu_list::CpuList;

/// Looks at this machine and its kernel. Takes up to 2 s: it times yields beside a busy thread.
#[must_use]
pub fn host() -> Host {
    let probe = era::probe();
    let system = rustix::system::uname();
    let kernel = probe
        .version
        .map(|(major, minor, patch)| format!("{major}.{minor}.{patch}"));
    Host {
        kernel: kernel.unwrap_or_else(|| probe.release.clone()),
        era: probe.era.to_string(),
        era_by_version: probe.era_by_version.to_string(),
        era_evidence: probe.evidence.join(" "),
        yield_cost_us: (probe.yields > 0).then_some(probe.yield_cost.as_secs_f64() * 1e6),
        base_slice_us: probe.base_slice.map(|slice| slice.as_secs_f64() * 1e6),
        custom_slice: probe.custom_slice,
        release: probe.release,
        cpus: CpuList::available().map_or(1, |cpus| u32::try_from(cpus.len()).unwrap_or(u32::MAX)),
        cpu_model: cpu_model(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
        hz: hz(),
        preemption: preemption(
            &system.version().to_string_lossy(),
            fs::read_to_string("/sys/kernel/debug/sched/preempt")
                .ok()
                .as_deref(),
        ),
    }
}

fn cpu_model(cpuinfo: &str) -> String {
    cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or_else(
            || std::env::consts::ARCH.to_owned(),
            |(_, name)| name.trim().to_owned(),
        )
}

/// The coarse clock moves with the timer interrupt.
fn hz() -> Option<u32> {
    let tick = clock_getres(ClockId::MonotonicCoarse);
    u32::try_from(tick.tv_nsec)
        .ok()
        .filter(|&ns| tick.tv_sec == 0 && ns > 0)
        .map(|ns| 1_000_000_000 / ns)
}

/// `uname -v` names the model that was built in; where it can be switched, debugfs shows the one in use in brackets.
fn preemption(version: &str, debugfs: Option<&str>) -> String {
    let in_use = debugfs
        .and_then(|text| text.split_once('(')?.1.split_once(')'))
        .map(|(mode, _)| mode);
    let built = version
        .split_whitespace()
        .find(|word| word.starts_with("PREEMPT"));
    match (built, in_use) {
        (_, Some(mode)) => mode.to_owned(),
        (Some("PREEMPT_DYNAMIC"), None) => {
            "dynamic (the mode in use is readable by root in debugfs)".to_owned()
        }
        (Some("PREEMPT_RT"), None) => "rt".to_owned(),
        (Some("PREEMPT_LAZY"), None) => "lazy".to_owned(),
        (Some(_), None) => "full".to_owned(),
        (None, None) => "none or voluntary".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preemption_mode_in_use_comes_first() {
        assert_eq!(
            preemption(
                "#1 SMP PREEMPT_DYNAMIC Debian",
                Some("none voluntary (full) lazy\n")
            ),
            "full"
        );
        assert!(preemption("#1 SMP PREEMPT_DYNAMIC @0", None).starts_with("dynamic"));
        assert_eq!(preemption("#1 SMP PREEMPT_RT Debian 6.1.1-1", None), "rt");
        assert_eq!(preemption("#1 SMP Debian 6.1.140-1", None), "none or voluntary");
    }

    #[test]
    fn the_processor_is_named() {
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: AMD EPYC\n"), "AMD EPYC");
        assert!(!cpu_model("").is_empty());
    }
}
