//! Compares the output of a command with the lines that its page shows.

use regex_lite::Regex;
use std::sync::LazyLock;

/// A line that stands for any lines.
const ANY: &str = "...";

/// Patterns of text that differs between runs, and their placeholders.
static VARIABLE: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let patterns = [
        (r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC)?", "DATE"),
        (r"[\d.,]+ ?(pairs|games|positions|nodes|Mnps|M?nodes)/s", "SPEED"),
        (r"\d+(\.\d+)? (s|ms|µs|min|h|days)\b", "TIME"),
        (r"\b\d+ workers?\b", "WORKERS"),
        (r"\s+", " "),
    ];
    patterns.into_iter().map(|(pattern, name)| (Regex::new(pattern).expect("a pattern"), name)).collect()
});

static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[+-]?(\d[\d,.]*|∞)").expect("a pattern"));

/// Whether the text matches the lines. In `shape`, any number stands for any other.
pub(crate) fn is_as_shown(lines: &[String], text: &str, shape: bool) -> bool {
    let wanted: Vec<String> = compared(lines.iter().map(String::as_str), shape);
    let found: Vec<String> = compared(text.lines(), shape);
    matches(&wanted, &found)
}

/// Lines without text that differs between runs. Ignores blank lines and progress, which only slow hosts print.
fn compared<'a>(lines: impl Iterator<Item = &'a str>, shape: bool) -> Vec<String> {
    let is_progress = |line: &str| line.contains("SPEED") || line.contains('━');
    lines.map(|line| general(line, shape)).filter(|line| !line.is_empty() && !is_progress(line)).collect()
}

fn general(line: &str, shape: bool) -> String {
    let mut line = line.trim().to_owned();
    if line == ANY {
        return line;
    }
    for (pattern, name) in VARIABLE.iter() {
        line = pattern.replace_all(&line, *name).into_owned();
    }
    if shape { NUMBER.replace_all(&line, "#").into_owned() } else { line }
}

fn matches(wanted: &[String], found: &[String]) -> bool {
    match wanted.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first == ANY => (0..=found.len()).any(|skipped| matches(rest, &found[skipped..])),
        Some((first, rest)) => found.first() == Some(first) && matches(rest, &found[1..]),
    }
}
