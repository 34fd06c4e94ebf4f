use super::list;

/// The style sheet: colours, type and layout of the page and its plots.
const STYLE: &str = include_str!("style.css");

/// What the marks of the plots are, for those who do not read on to the guide.
pub(super) const CAPTION: &str = "<p class=\"caption\">Bar: median throughput. Dot: one repeat. Bracket: 95 % \
    interval of the change. Dashed line: the reference. Markers on the latency lines stand at 50, 90, 99, 99.9 % \
    and so on.</p>";

/// A whole document around `body`. The page may load nothing at all, and says so to the browser.
pub(super) fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
}

/// What the plots and the table show; `legend` is the table's own.
pub(super) fn reading_guide(legend: Vec<String>) -> String {
    let plots = [
        "Throughput: a bar is the median of the repeats, a dot one repeat. The bracket is the 95 % interval of the \
         change, drawn around the reference's throughput (dashed line): where it includes that line, the change is \
         not significant. Rounds are compared pair by pair, so the bracket can be narrower than the dots are apart.",
        "Latency: a point says that this percentage of operations took at most that long; the line takes all \
         repeats together, and ends at the longest latency. Lower is better. Read p50 and p99 of both operations \
         together: at full load throughput fixes the mean latency, and a policy only chooses who waits.",
        "Among many comparisons at 95 %, about one in twenty is marked by chance alone.",
    ];
    let lines: Vec<String> = plots.map(str::to_owned).into_iter().chain(legend).collect();
    list("guide", &lines)
}
