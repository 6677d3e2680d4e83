//! Formats numbers: thousands separators, signs, durations.

use play::pgn::Moment;
use stats::Estimate;
use std::time::Duration;

/// An interval is shown by its half width unless its sides differ by more than this share.
pub const UNEVEN: f64 = 0.05;

/// An integer with its digits grouped by thousands.
pub fn grouped(n: u64) -> String {
    grouped_digits(&n.to_string())
}

/// Digits in groups of three.
pub(crate) fn grouped_digits(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Counts in brackets, as pairs by outcome are shown.
pub fn grouped_list(counts: &[u64]) -> String {
    let counts: Vec<String> = counts.iter().copied().map(grouped).collect();
    format!("[{}]", counts.join(" "))
}

/// A duration in everyday words.
pub fn spoken(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..10.0 => format!("{seconds:.1} s"),
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}

/// A moment in milliseconds since 1970 as a date and a time in UTC, to the minute.
pub fn utc(unix_ms: i64) -> String {
    let Moment { year, month, day, hour, minute, .. } = Moment::of_unix_ms(unix_ms);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// A moment in milliseconds since 1970 in ISO 8601's format, in UTC, to the second.
pub fn iso(unix_ms: i64) -> String {
    let Moment { year, month, day, hour, minute, second, .. } = Moment::of_unix_ms(unix_ms);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// A duration with two significant digits, or all before the point: `850 µs`, `1.2 ms`, `123 ms`, `12 s`.
pub fn brief(duration: Duration) -> String {
    let micros = duration.as_nanos() as f64 / 1e3;
    let (value, unit) = match micros {
        ..999.5 => (micros, "µs"),
        ..999_500.0 => (micros / 1e3, "ms"),
        _ => (micros / 1e6, "s"),
    };
    let decimals = usize::from(value < 9.95 && unit != "µs");
    format!("{value:.decimals$} {unit}")
}

/// A signed number with this many decimals; infinity as a symbol.
pub fn signed(value: f64, decimals: usize) -> String {
    if value == f64::INFINITY {
        "+∞".to_owned()
    } else if value == f64::NEG_INFINITY {
        "-∞".to_owned()
    } else {
        // Never "-0.0".
        let value = if value.abs() * libm::pow(10.0, decimals as f64) < 0.5 { 0.0 } else { value };
        format!("{value:+.decimals$}")
    }
}

/// A p-value with its sign; a bound if it rounds to 0.
pub fn probability(p: f64) -> String {
    if p < 1e-4 { "p < 0.0001".to_owned() } else { format!("p {p:.4}") }
}

/// A value and its interval: `+12.3 ± 4.5`, or both ends if they are not about as far from it.
pub fn plus_minus(interval: Estimate, decimals: usize) -> String {
    let Estimate { value, low, high } = interval;
    let (below, above) = (value - low, high - value);
    let value = signed(value, decimals);
    if above.is_finite() && (above - below).abs() <= UNEVEN * above.max(below) {
        format!("{value} ± {:.decimals$}", f64::midpoint(above, below))
    } else {
        format!("{value} ({})", range(low, high, decimals))
    }
}

/// A value and its 95% interval in words.
pub fn interval(interval: Estimate, decimals: usize) -> String {
    let [value, low, high] = [interval.value, interval.low, interval.high].map(|number| signed(number, decimals));
    format!("{value} ({low} to {high})")
}

/// A word with a capital letter, for the beginning of a sentence.
pub(crate) fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// Half the width of an interval, or its ends if one is infinite.
pub fn half_width(interval: Estimate, decimals: usize) -> String {
    let Estimate { low, high, .. } = interval;
    let half = (high - low) / 2.0;
    if half.is_finite() { format!("± {half:.decimals$}") } else { range(low, high, decimals) }
}

/// Both ends of an interval, which may be infinite.
pub fn range(low: f64, high: f64, decimals: usize) -> String {
    let [from, to] = [low, high].map(|end| signed(end, decimals));
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{from} to {to}"),
        (true, false) => format!("{from} or more"),
        (false, true) => format!("{to} or less"),
        (false, false) => "unknown".to_owned(),
    }
}

/// A number with four significant digits and no trailing zeros.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = (3.0 - libm::floor(libm::log10(value.abs()))).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The executor in words: this many workers, or, if there are 0, other machines, which come and go.
pub(crate) fn who_plays(workers: usize) -> String {
    if workers == 0 { "a fleet".to_owned() } else { counted(workers as u64, "worker") }
}

/// Rows in columns as wide as their widest cells: texts are left-aligned, numbers right-aligned.
pub fn aligned(rows: &[Vec<String>], is_text: impl Fn(usize) -> bool) -> impl Iterator<Item = String> {
    let width = |column| rows.iter().filter_map(|row| row.get(column)).map(|cell: &String| cell.chars().count()).max();
    let widths: Vec<usize> = (0..).map_while(width).collect();
    rows.iter().map(move |row| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if is_text(column) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    })
}

/// A number with its noun: `1 game`, `2,000 games`, `0 plies`. The plural of `thing` must end in s, with y as ies.
pub fn counted(number: u64, thing: &str) -> String {
    let things = match (number, thing.strip_suffix('y')) {
        (1, _) => thing.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) => format!("{thing}s"),
    };
    format!("{} {things}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups() {
        let texts = [0, 999, 1000, 123_456, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn one_is_no_plural() {
        let texts =
            [(0, "pair"), (1, "pair"), (2000, "pair"), (1, "ply"), (12, "ply")].map(|(n, thing)| counted(n, thing));
        assert_eq!(texts, ["0 pairs", "1 pair", "2,000 pairs", "1 ply", "12 plies"]);
    }

    #[test]
    fn durations() {
        let texts = [0.04, 9.94, 61.0, 600.0, 10_000.0, 400_000.0].map(|s| spoken(Duration::from_secs_f64(s)));
        assert_eq!(texts, ["0.0 s", "9.9 s", "61 s", "10 min", "2.8 h", "5 days"]);
    }

    #[test]
    fn moments() {
        // By `date -u -d @SECONDS`.
        let dates = [0, 951_782_399_000, 951_868_800_000, 1_709_210_096_000, 1_795_305_600_000, -1].map(utc);
        let expected = [
            "1970-01-01 00:00 UTC",
            "2000-02-28 23:59 UTC",
            "2000-03-01 00:00 UTC",
            "2024-02-29 12:34 UTC",
            "2026-11-22 00:00 UTC",
            "1969-12-31 23:59 UTC",
        ];
        assert_eq!(dates, expected);
    }

    #[test]
    fn moments_for_machines() {
        assert_eq!(iso(1_709_210_096_789), "2024-02-29T12:34:56Z");
    }

    #[test]
    fn brief_durations() {
        let texts =
            [0, 850, 999, 1_000, 9_940, 9_960, 123_456, 999_600, 12_345_678].map(|us| brief(Duration::from_micros(us)));
        assert_eq!(texts, ["0 µs", "850 µs", "999 µs", "1.0 ms", "9.9 ms", "10 ms", "123 ms", "1.0 s", "12 s"]);
    }

    #[test]
    fn signs() {
        assert_eq!(signed(-0.01, 1), "+0.0");
        assert_eq!(signed(12.34, 1), "+12.3");
        assert_eq!(signed(f64::NEG_INFINITY, 1), "-∞");
    }
}
