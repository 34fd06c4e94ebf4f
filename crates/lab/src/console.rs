//! What a guest's console says about how it ended.

/// Lines that are kept for an error.
const LAST_LINES: usize = 8;

/// What the kernel prints when it is beyond repair, and what to call that. The first match in this order counts: a panic
/// names its cause.
const SIGNS: [(&str, &str); 6] = [
    ("soft lockup", "a soft lockup"),
    ("Oops:", "an oops of the kernel"),
    ("general protection fault", "an oops of the kernel"),
    ("detected stalls on", "an RCU stall"),
    ("cede: the guest gives up:", "no way to go on"),
    ("Kernel panic", "a panic of the kernel"),
];

/// What went wrong, if the console tells.
pub(crate) fn verdict(console: &str) -> Option<&'static str> {
    SIGNS
        .into_iter()
        .find(|(sign, _)| console.contains(sign))
        .map(|(_, name)| name)
}

/// The last lines that say something, without control characters, in one line.
pub(crate) fn last_lines(console: &str) -> String {
    let lines = said(console);
    let skipped = lines.len().saturating_sub(LAST_LINES);
    lines.get(skipped..).unwrap_or_default().join(" / ")
}

/// The first line that says something, likewise: of a program that prints its error before all that goes with it.
pub(crate) fn first_line(text: &str) -> String {
    said(text).into_iter().next().unwrap_or_default()
}

/// The lines that say something, without control characters.
fn said(text: &str) -> Vec<String> {
    let clean = |line: &str| -> String {
        let visible: String = line.chars().filter(|letter| !letter.is_control()).collect();
        visible.trim().to_owned()
    };
    text.lines().map(clean).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_named_after_its_cause() {
        let oops = "[ 1.0] BUG: kernel NULL pointer dereference\n[ 1.1] Oops: 0002 [#1]\n[ 1.2] Kernel panic - not syncing: Fatal exception\n";
        assert_eq!(verdict(oops), Some("an oops of the kernel"));
        assert_eq!(
            verdict("Kernel panic - not syncing: VFS: Unable to mount root fs"),
            Some("a panic of the kernel")
        );
        assert_eq!(verdict("[ 0.0] Linux version 6.1\n"), None);
    }

    #[test]
    fn the_last_lines_are_one_line() {
        let console = (0..20).fold(String::new(), |console, line| {
            console + &format!("\x1b[0mline {line}\r\n\r\n")
        });
        assert_eq!(
            last_lines(&console),
            (12..20)
                .map(|line| format!("[0mline {line}"))
                .collect::<Vec<_>>()
                .join(" / ")
        );
        assert_eq!(last_lines(""), "");
    }
}
