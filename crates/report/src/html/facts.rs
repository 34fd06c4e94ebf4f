use scenario::{Host, Scenario};

use super::{each, escape::escape};
use crate::format::{duration, number};

/// What the host is and how the runs were set up.
pub(super) fn render(host: &Host, scenario: &Scenario) -> String {
    let measured = |us: Option<f64>| us.filter(|us| us.is_finite()).map_or_else(unknown, duration);
    let facts: [(&str, String); 12] = [
        ("kernel", host.kernel.clone()),
        ("release", host.release.clone()),
        ("era", host.era.clone()),
        ("how the era was told", host.era_evidence.clone()),
        ("era by version alone", host.era_by_version.clone()),
        (
            "one sched_yield beside a busy thread",
            measured(host.yield_cost_us),
        ),
        ("EEVDF base slice", measured(host.base_slice_us)),
        ("threads may choose their slice", yes_or_no(host.custom_slice)),
        ("CPUs", host.cpus.to_string()),
        ("processor", host.cpu_model.clone()),
        (
            "timer interrupts per second",
            host.hz.map_or_else(unknown, |hz| number(f64::from(hz))),
        ),
        ("preemption", host.preemption.clone()),
    ];
    let facts = each(facts.iter(), |(name, value)| {
        format!("<tr><th scope=\"row\">{name}</th><td>{}</td></tr>", escape(value))
    });
    let keys = each(Scenario::KEYS.iter(), |key| {
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"meaning\">{}</td></tr>",
            escape(key.name),
            escape(&key.get(scenario)),
            escape(key.meaning)
        )
    });
    format!(
        "<h3>The host that started the comparison</h3><table class=\"facts\">{facts}</table>\
         <details><summary>Scenario: every setting that the cells share</summary>\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Scenario\">\
         <table class=\"facts\">{keys}</table></div></details>"
    )
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn yes_or_no(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}
