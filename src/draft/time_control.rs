//! Time controls in words: all that a configuration takes, and `inf`.

use arena::config::read_time_control;
use play::Limit;
use std::time::Duration;

/// What such a text may look like, for messages.
pub(super) const FORMS: &str = "seconds such as `10+0.1`, `1:30+1` (minutes:seconds), `40/60+0.5` (again after 40 moves), units as in `10s+100ms`, or `inf`";

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
    let Limit::Clock { base, increment, moves } = read_time_control(text)? else { return None };
    let moves = moves.map_or_else(String::new, |moves| format!("{moves}/"));
    let increment = if increment.is_zero() { String::new() } else { format!("+{}", written(increment)) };
    Some(TimeControl::Clock(format!("{moves}{}{increment}", written(base))))
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
            ("10s+100ms", "10s+0.1s"),
        ];
        for (text, limit) in cases {
            assert_eq!(clock(text), limit, "{text}");
        }
        assert_eq!(time_control("inf"), Some(TimeControl::Infinite));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "0", "10+", "5 nodes", "depth 3", "1s a move"] {
            assert_eq!(time_control(text), None, "{text}");
        }
    }
}
