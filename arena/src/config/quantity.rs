//! Parses quantities that carry their unit: limits, durations, sizes, rates. None of them is a bare number.

use play::{Limit, TimeSource, Timing};
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// Parses a limit: `1000 nodes`, `depth 6`, `100ms a move`, `30s hourglass`, or an unambiguous [`time_control`] (a bare
/// number could also mean nodes). Several limits of different kinds, separated by a comma and a space, all apply.
pub fn limit(text: &str) -> Option<Limit> {
    let mut parts = text.split(", ").map(single_limit);
    let first = parts.next()??;
    parts.try_fold(first, |so_far, part| so_far.with(part?))
}

fn single_limit(text: &str) -> Option<Limit> {
    let text = text.trim();
    if let Some(depth) = text.strip_prefix("depth") {
        return depth.trim().parse().ok().filter(|&depth| depth > 0).map(Limit::Depth);
    }
    if let Some(nodes) = text.strip_suffix("nodes") {
        return count(nodes).map(Limit::Nodes);
    }
    if let Some(time) = text.strip_suffix("a move") {
        return duration(time).map(Limit::Movetime);
    }
    if let Some(base) = text.strip_suffix("hourglass") {
        return clock_time(base.trim()).filter(|time| !time.is_zero()).map(Limit::Hourglass);
    }
    let is_bare = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    if is_bare { None } else { time_control(text) }
}

/// Parses a clock: `30s`, `4s+40ms`, `40/60s` (60 s for every 40 moves; 0 moves means the whole game). Times without a
/// unit are in seconds, or minutes and seconds, as match runners write them: `10+0.1`, `1:30+1`, `40/60+0.5`.
pub fn time_control(text: &str) -> Option<Limit> {
    let (moves, text) = match text.split_once('/') {
        Some((moves, rest)) => (NonZeroU32::new(digits(moves)?.parse().ok()?), rest),
        None => (None, text),
    };
    let (base, increment) = text.split_once('+').map_or((text, None), |(base, increment)| (base, Some(increment)));
    let base = clock_time(base).filter(|time| !time.is_zero())?;
    let increment = increment.map_or(Some(Duration::ZERO), clock_time)?;
    Some(Limit::Clock { base, increment, moves })
}

/// Parses `90s`, `90` or `1:30`.
fn clock_time(text: &str) -> Option<Duration> {
    match text.split_once(':') {
        Some((minutes, rest)) => {
            let minutes = decimal(digits(minutes)?, 60 * NANOS_PER_SECOND)?;
            seconds(rest)?.checked_add(Duration::from_nanos(minutes))
        }
        None => seconds(text).or_else(|| duration_or_zero(text)),
    }
}

/// Parses a number of seconds without its unit, such as `0.1`.
fn seconds(text: &str) -> Option<Duration> {
    let text = text.trim();
    let is_bare = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    decimal(text, NANOS_PER_SECOND).filter(|_| is_bare).map(Duration::from_nanos)
}

/// Parses a duration above zero, in seconds if it has no unit: `100ms`, `0.1`.
pub fn duration_in_seconds(text: &str) -> Option<Duration> {
    seconds(text).or_else(|| duration_or_zero(text)).filter(|time| !time.is_zero())
}

/// Returns the trimmed text if it consists of digits.
fn digits(text: &str) -> Option<&str> {
    let text = text.trim();
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

/// The accepted forms of a limit, for messages.
pub const LIMIT_FORMS: &str = "`1000 nodes`, `depth 6`, `100ms a move`, `30s` (for the game), `4s+40ms`, `40/60s+1s` \
    or, in seconds, `10+0.1`; or several, such as `4s+40ms, 1000 nodes`";

/// Returns the amount that a limit grants, and its unit; the time, if the limit combines time with other kinds.
pub fn amount(limit: Limit) -> (f64, &'static str) {
    match (limit.timing(), limit.nodes(), limit.depth()) {
        (Some(Timing::Movetime(time)), ..) => (time.as_secs_f64(), "seconds a move"),
        (Some(Timing::Clock { base, .. } | Timing::Hourglass(base)), ..) => {
            (base.as_secs_f64(), "seconds on the clock")
        }
        (None, Some(nodes), _) => (nodes.get() as f64, "nodes a move"),
        (None, None, depth) => (f64::from(depth.unwrap_or_default()), "plies of depth"),
    }
}

/// Parses a time source: `wall`, or `1000000 nodes/s` for the node clock.
pub fn time_source(text: &str) -> Option<TimeSource> {
    match text.trim() {
        "wall" => Some(TimeSource::Wall),
        text => {
            let per_second = count(text.strip_suffix("nodes/s")?)?;
            Some(TimeSource::Nodes { per_second })
        }
    }
}

/// Parses a size in bytes: `64 KiB`, `1 MiB`, `1 GiB`.
pub fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = split_unit(text)?;
    let factor = match unit {
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    decimal(number, factor).filter(|&bytes| bytes > 0)
}

/// Parses a duration above zero: `40ms`, `1.5s`, `2min`, `1h`, `500us`.
pub fn duration(text: &str) -> Option<Duration> {
    duration_or_zero(text).filter(|time| !time.is_zero())
}

/// Parses a duration that may be zero.
pub fn duration_or_zero(text: &str) -> Option<Duration> {
    let (number, unit) = split_unit(text)?;
    let nanos = match unit {
        "ns" => 1,
        "us" | "µs" => 1000,
        "ms" => 1_000_000,
        "s" => NANOS_PER_SECOND,
        "min" => 60 * NANOS_PER_SECOND,
        "h" => 3600 * NANOS_PER_SECOND,
        _ => return None,
    };
    decimal(number, nanos).map(Duration::from_nanos)
}

/// Parses a whole number above zero; underscores and commas may group its digits.
pub fn count(text: &str) -> Option<NonZeroU64> {
    let digits: String = text.trim().chars().filter(|c| !matches!(c, '_' | ',')).collect();
    digits.parse().ok()
}

fn split_unit(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    Some((&text[..end], text[end..].trim()))
}

/// Returns `number * factor` in integers, for a decimal number such as `1.5`; `None` on overflow or bad digits.
fn decimal(number: &str, factor: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.len() > 9 || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let scale = 10u128.pow(fraction.len() as u32);
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    u64::try_from(digits.checked_mul(u128::from(factor))? / scale).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(n: u64) -> Limit {
        Limit::Nodes(NonZeroU64::new(n).unwrap())
    }

    #[test]
    fn limits() {
        assert_eq!(limit("1000 nodes"), Some(nodes(1000)));
        assert_eq!(limit("1_000nodes"), Some(nodes(1000)));
        assert_eq!(limit("depth 6"), Some(Limit::Depth(6)));
        assert_eq!(limit("100ms a move"), Some(Limit::Movetime(Duration::from_millis(100))));
        let base = Duration::from_secs(4);
        assert_eq!(limit("4s"), Some(Limit::Clock { base, increment: Duration::ZERO, moves: None }));
        assert_eq!(limit("4s + 40ms"), Some(Limit::Clock { base, increment: Duration::from_millis(40), moves: None }));
        assert_eq!(
            limit("0.1min+0s"),
            Some(Limit::Clock { base: Duration::from_secs(6), increment: Duration::ZERO, moves: None })
        );
    }

    #[test]
    fn clocks_are_written_with_units_or_in_seconds() {
        let same = [
            ("10+0.1", "10s+100ms"),
            ("8.0+0.08", "8s + 80ms"),
            ("1:30+1", "90s+1s"),
            ("2:00.5+0", "120.5s"),
            ("40/60+0.5", "40/1min+500ms"),
            ("40/60", "40/60s"),
            ("0/10", "10s"),
            (".5+.01", "500ms+10ms"),
            ("10s+0.1", "10+100ms"),
        ];
        for (bare, with_units) in same {
            assert!(limit(bare).is_some(), "{bare}");
            assert_eq!(limit(bare), limit(with_units), "{bare}");
            assert_eq!(limit(bare), time_control(bare), "{bare}");
        }
        assert_eq!((time_control("60"), limit("60")), (limit("60s"), None));
        for text in
            ["", "0", "x", "10+", "+1", "-1", "1e3", "nan", "1:2:3", "a/10", "+4/60", "1:+5", "9e9", "10 nodes", "."]
        {
            assert_eq!(time_control(text), None, "{text}");
        }
        assert_eq!(duration_in_seconds("0.1"), duration("100ms"));
        assert_eq!((duration_in_seconds("0"), duration_in_seconds("1:30")), (None, None));
    }

    #[test]
    fn limits_without_sense_are_refused() {
        for bad in [
            "",
            "1000",
            "0 nodes",
            "depth 0",
            "depth 300",
            "-5s",
            "1e3 nodes",
            "0s",
            "4s+",
            "10 s a game",
            "9e99s",
            "99999999999h",
        ] {
            assert_eq!(limit(bad), None, "{bad}");
        }
    }

    #[test]
    fn limits_read_what_they_write() {
        for text in ["1000 nodes", "depth 6", "100ms a move", "250.5µs a move", "30s", "4s+40ms", "40/60s+1s"] {
            assert_eq!(limit(text).unwrap().to_string(), text);
        }
        for text in ["1.5s hourglass", "10s+100ms, 50000 nodes", "1s a move, depth 9", "10s, 5 nodes, depth 3"] {
            assert_eq!(limit(text).unwrap().to_string(), text);
        }
        let grouped = limit("depth 3, 1,000 nodes, 10+0.1");
        assert_eq!(grouped, limit("10s+100ms, 1000 nodes, depth 3"), "in any order");
        for bad in ["10s, 5s", "10s, 1s a move", "5 nodes, 6 nodes", "10s,", "10s, ", ", 10s", "10s, 60", "hourglass"] {
            assert_eq!(limit(bad), None, "{bad}");
        }
    }

    #[test]
    fn sizes_and_clocks() {
        assert_eq!(bytes("64 KiB"), Some(65536));
        assert_eq!(bytes("1.5MiB"), Some(3 << 19));
        assert_eq!((bytes("1 MB"), bytes("0 KiB"), bytes("99999999999999999 GiB")), (None, None, None));
        assert_eq!(time_source("wall"), Some(TimeSource::Wall));
        let per_second = NonZeroU64::new(1_000_000).unwrap();
        assert_eq!(time_source("1,000,000 nodes/s"), Some(TimeSource::Nodes { per_second }));
        assert_eq!(time_source("fast"), None);
    }
}
