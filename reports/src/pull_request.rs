//! The result of a test as Markdown for the page of a pull request: verdict, numbers, the path of the ratio, and how to
//! play the test again.
//!
//! Forges do not show pictures that are stored beside a text, so the path is a Mermaid chart, which GitHub, GitLab and
//! Forgejo draw.

use crate::conditions::Condition;
use crate::markdown::{escaped, faults, fenced, strength};
use crate::report::Report;
use arena::run::{Point, Series, SprtStanding, Verdict};

/// The number of steps of the chart's path. Mermaid adds them up: only a power of two loses nothing to rounding.
const CHART_STEPS: usize = 64;
/// Colours of the path, of H0's bound and of H1's, as in the report's plots.
const COLOURS: &str = "#0072b2, #d55e00, #009e73";
/// The maximum number of characters shown of an error.
const LONGEST_ERROR: usize = 20_000;

/// How to play a test again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// The revisions that were built: name, commit and subject.
    pub revisions: Vec<[String; 3]>,
    /// The commands to type, one a line.
    pub commands: Vec<String>,
}

impl Report {
    /// The result of a test, for the page of a pull request. `stage` is the name of its stage, if there are several;
    /// `plot` is the file with the ratio's path beside the text, if there is one.
    pub fn pull_request(&self, stage: Option<&str>, again: &Again, plot: Option<&str>) -> String {
        let numbers = &self.numbers;
        let of_stage = stage.map_or_else(String::new, |stage| format!("{}: ", escaped(stage)));
        let mut lines = vec![
            format!("### {of_stage}{}", heading(numbers.verdict)),
            String::new(),
            format!("**{}**", escaped(&numbers.says)),
            String::new(),
        ];
        if let Some(link) = numbers.diff.as_ref().and_then(|diff| Some((diff, diff.link.as_ref()?))) {
            let (diff, link) = link;
            lines.extend([format!("Change: [{}...{}]({link})", diff.from, diff.to), String::new()]);
        }
        lines.extend(strength(numbers));
        lines.extend([format!("| faults | {} |", escaped(&faults(numbers))), String::new()]);
        let llr = self.series.iter().find(|(plot, series)| *plot == "course" && series.name == "llr");
        if let Some((sprt, (_, series))) = numbers.sprt.as_ref().zip(llr) {
            lines.extend(chart(series, sprt, numbers.unit));
        }
        if let Some(plot) = plot {
            lines.extend([format!("The same as a picture: [{0}]({0})", escaped(plot)), String::new()]);
        }
        lines.extend(self.again(again));
        lines.join("\n")
    }

    /// The section on how to play the test again.
    fn again(&self, again: &Again) -> Vec<String> {
        let row = |name: &str, value: &str| format!("| {} | {} |", escaped(name), escaped(value));
        let limits = self.conditions.entrants.iter().flat_map(|entrant| {
            let limit = entrant.conditions.iter().filter(|condition| condition.name == "limit");
            limit.map(|limit| row(&format!("limit of {}", entrant.name), &limit.value))
        });
        let mut lines = vec!["<details><summary>How to play it again</summary>".to_owned(), String::new()];
        lines.extend(["| | |".to_owned(), "|---|---|".to_owned()]);
        lines.extend(again.revisions.iter().map(|[name, commit, subject]| row(name, &format!("{commit} {subject}"))));
        lines.extend(self.conditions.run.iter().map(|Condition { name, value }| row(name, value)));
        lines.extend(limits);
        if let Some(session) = self.conditions.sessions.last() {
            lines.push(row("spar", &session.version));
        }
        lines.push(String::new());
        if !again.commands.is_empty() {
            lines.push("```sh".to_owned());
            lines.extend(again.commands.iter().map(|line| fenced(line)));
            lines.extend(["```".to_owned(), String::new()]);
        }
        lines.extend(["</details>".to_owned(), String::new()]);
        let run = fenced(&self.numbers.run);
        lines.push(format!("All plots and games are in `{}`, in the folder `{run}` of the runs.", crate::PAGE));
        lines.push(String::new());
        lines
    }
}

/// The verdict in a few words.
fn heading(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::AcceptedH1) => "Passed: H1 accepted",
        Some(Verdict::AcceptedH0) => "Failed: H0 accepted",
        Some(Verdict::Undecided | Verdict::Complete) => "Undecided",
        None => "Unfinished",
    }
}

/// The Markdown for a test that could not be played, or not to its end.
pub fn not_tested(error: &str) -> String {
    let shown: String = error.chars().take(LONGEST_ERROR).collect();
    // Without control characters first: what they separate may become a fence.
    let printable = |line: &str| line.chars().filter(|c| !c.is_control()).collect::<String>();
    let plain = |line: &str| printable(line).replace("```", "'''");
    let lines = shown.lines().map(plain);
    let lines: Vec<String> = ["### Not tested", "", "```text"].map(str::to_owned).into_iter().chain(lines).collect();
    format!("{}\n```\n", lines.join("\n"))
}

/// The path of the ratio between its bounds, from 0 before the first pair, as a Mermaid chart.
fn chart(series: &Series, sprt: &SprtStanding, unit: &str) -> Vec<String> {
    let Some(last) = series.points.last().filter(|last| last.x > 0.0) else { return Vec::new() };
    let start = Point { x: 0.0, y: 0.0, low: None, high: None };
    let points: Vec<Point> = std::iter::once(start).chain(series.points.iter().copied()).collect();
    let at = |step: usize| last.x * step as f64 / CHART_STEPS as f64;
    let values: Vec<f64> = (0..=CHART_STEPS).map(|step| value_at(&points, at(step))).collect();
    let reach = |bound: f64, pick: fn(f64, f64) -> f64| values.iter().copied().fold(bound, pick);
    let (low, high) = (reach(sprt.lower, f64::min), reach(sprt.upper, f64::max));
    let line = |values: &[f64]| {
        let numbers: Vec<String> = values.iter().map(|value| format!("{value:.2}")).collect();
        format!("    line [{}]", numbers.join(", "))
    };
    vec![
        "```mermaid".to_owned(),
        format!("%%{{init: {{\"themeVariables\": {{\"xyChart\": {{\"plotColorPalette\": \"{COLOURS}\"}}}}}}}}%%"),
        "xychart-beta".to_owned(),
        format!("    title \"LLR: H0 is accepted at {:.2}, H1 at {:.2}\"", sprt.lower, sprt.upper),
        format!("    x-axis \"{unit}s\" 0 --> {:.0}", last.x),
        format!("    y-axis \"LLR\" {low:.2} --> {high:.2}"),
        line(&values),
        line(&[sprt.lower; 2]),
        line(&[sprt.upper; 2]),
        "```".to_owned(),
        String::new(),
    ]
}

/// The value at `x`, interpolated linearly between two points.
fn value_at(points: &[Point], x: f64) -> f64 {
    let after = points.partition_point(|point| point.x < x).min(points.len() - 1);
    let (one, other) = (&points[after.saturating_sub(1)], &points[after]);
    if other.x <= one.x {
        return other.y;
    }
    one.y + (other.y - one.y) * ((x - one.x) / (other.x - one.x)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(f64, f64)]) -> Series {
        let points = points.iter().map(|&(x, y)| Point { x, y, low: None, high: None }).collect();
        Series { name: "llr".to_owned(), points }
    }

    #[test]
    fn the_chart_has_the_path_and_both_bounds() {
        let sprt = SprtStanding { llr: 3.0, lower: -2.944, upper: 2.944, decided: None };
        let lines = chart(&series(&[(1.0, 0.0), (50.0, -3.5), (99.0, 3.0)]), &sprt, "pair");
        assert_eq!(lines[4], "    x-axis \"pairs\" 0 --> 99");
        let values: Vec<f64> = lines[6]
            .trim_start_matches("    line [")
            .trim_end_matches(']')
            .split(", ")
            .map(|number| number.parse().expect("a number"))
            .collect();
        assert_eq!((values.len(), values[0], values[CHART_STEPS]), (CHART_STEPS + 1, 0.0, 3.0));
        assert!(values.iter().any(|value| *value < -3.3), "{values:?}");
        let low: f64 = lines[5].split(' ').nth(6).and_then(|low| low.parse().ok()).expect("a number");
        assert!(low <= -3.3 && lines[5].ends_with("--> 3.00"), "{}", lines[5]);
        assert!(lines[7].ends_with("[-2.94, -2.94]") && lines[8].ends_with("[2.94, 2.94]"), "{lines:?}");
    }

    #[test]
    fn a_path_without_length_has_no_chart() {
        let sprt = SprtStanding { llr: 0.0, lower: -2.9, upper: 2.9, decided: None };
        assert!(chart(&series(&[]), &sprt, "pair").is_empty());
        assert!(chart(&series(&[(0.0, 0.0)]), &sprt, "pair").is_empty());
    }

    #[test]
    fn an_error_stays_within_its_fence() {
        let text = not_tested("error: a `b`\n```\n``\u{1b}`\n<script>\u{1b}[2J");
        assert_eq!(text.matches("```").count(), 2, "{text}");
        assert!(text.contains("error: a `b`\n") && text.contains("\n<script>[2J\n```"), "{text}");
    }
}
