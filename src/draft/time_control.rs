//! Time controls as match runners write them, in seconds: `10+0.1`, `1:30+1`, `40/60+0.5`, `inf`.

use std::time::Duration;

/// What such a text may look like, for messages.
pub(super) const FORMS: &str =
    "seconds such as `10+0.1`, `1:30+1` (minutes:seconds), `40/60+0.5` (again after 40 moves) or `inf`";

/// A time control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TimeControl {
    /// No clock: something else must limit the engine.
    Infinite,
    /// A clock, as a configuration writes it.
    Clock(String),
}

/// Reads a time control; `None` if it is none.
pub(super) fn time_control(text: &str) -> Option<TimeControl> {
    if matches!(text, "inf" | "infinite") {
        return Some(TimeControl::Infinite);
    }
    let (moves, rest) = text.split_once('/').map_or((None, text), |(moves, rest)| (Some(moves), rest));
    let moves = match moves.map(str::parse::<u32>) {
        // No moves: for the whole game.
        None | Some(Ok(0)) => String::new(),
        Some(Ok(moves)) => format!("{moves}/"),
        Some(Err(_)) => return None,
    };
    let (base, increment) = rest.split_once('+').map_or((rest, None), |(base, increment)| (base, Some(increment)));
    let base = minutes_and_seconds(base).filter(|time| !time.is_zero())?;
    let increment = increment.map_or(Some(Duration::ZERO), seconds)?;
    let increment = if increment.is_zero() { String::new() } else { format!("+{}", written(increment)) };
    Some(TimeControl::Clock(format!("{moves}{}{increment}", written(base))))
}

/// Reads seconds such as `0.1`.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|_| is_plain).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

fn minutes_and_seconds(text: &str) -> Option<Duration> {
    let Some((minutes, rest)) = text.split_once(':') else { return seconds(text) };
    let minutes = minutes.parse::<u64>().ok()?.checked_mul(60)?;
    Duration::from_secs(minutes).checked_add(seconds(rest)?)
}

/// A duration as configurations have it: `90s`, `0.1s`.
pub(super) fn written(time: Duration) -> String {
    let text = format!("{}.{:09}", time.as_secs(), time.subsec_nanos());
    format!("{}s", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_runners_know() {
        let clock = |text| match time_control(text) {
            Some(TimeControl::Clock(limit)) => limit,
            other => panic!("{text}: {other:?}"),
        };
        let cases = [
            ("10+0.1", "10s+0.1s"),
            ("8.0+0.08", "8s+0.08s"),
            ("1:30+1", "90s+1s"),
            ("2:00.5", "120.5s"),
            ("40/60+0.5", "40/60s+0.5s"),
            ("0/10", "10s"),
            ("100+0", "100s"),
            ("0.05+0.001", "0.05s+0.001s"),
        ];
        for (text, limit) in cases {
            assert_eq!(clock(text), limit, "{text}");
        }
        assert_eq!(time_control("inf"), Some(TimeControl::Infinite));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "0", "x", "10+", "+1", "-1", "1e3", "nan", "10s", "1:2:3", "a/10", "99999999999999999999999"] {
            assert_eq!(time_control(text), None, "{text}");
        }
    }
}
