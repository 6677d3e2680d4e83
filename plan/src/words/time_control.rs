//! Time controls in words: all forms of a configuration, and `inf`.

use arena::config::read_time_control;
use play::Limit;

/// The accepted forms, for messages.
pub(super) const FORMS: &str = "seconds such as `10+0.1`, `1:30+1` (minutes:seconds), `40/60+0.5` (again after 40 \
    moves), units as in `10s+100ms`, or `inf`";

/// A time control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TimeControl {
    /// No clock: something else must limit the engine.
    Infinite,
    /// A clock.
    Clock(Limit),
}

/// Reads a time control; `None` if the text is not one.
pub(super) fn time_control(text: &str) -> Option<TimeControl> {
    // The base of an infinite clock does not come again, so the number of moves has no meaning: `inf/8+0.08`.
    let rest = text.split_once('/').filter(|(moves, _)| is_infinite(moves)).map_or(text, |(_, rest)| rest);
    if is_infinite(rest) { Some(TimeControl::Infinite) } else { read_time_control(rest).map(TimeControl::Clock) }
}

fn is_infinite(text: &str) -> bool {
    matches!(text, "inf" | "infinite")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_runners_know() {
        let clock = |text| match time_control(text) {
            Some(TimeControl::Clock(limit)) => limit.to_string(),
            other => panic!("{text}: {other:?}"),
        };
        let cases = [
            ("10+0.1", "10s+100ms"),
            ("8.0+0.08", "8s+80ms"),
            ("1:30+1", "90s+1s"),
            ("2:00.5", "120.5s"),
            ("40/60+0.5", "40/60s+500ms"),
            ("0/10", "10s"),
            ("100+0", "100s"),
            ("0.05+0.001", "50ms+1ms"),
            ("10s+100ms", "10s+100ms"),
            ("2+0.02s", "2s+20ms"),
            ("40/1:9.65+0.1", "40/69.65s+100ms"),
            ("inf/8+0.08", "8s+80ms"),
            ("infinite/8s", "8s"),
        ];
        for (text, limit) in cases {
            assert_eq!(clock(text), limit, "{text}");
        }
        assert_eq!(["inf", "infinite", "inf/inf"].map(time_control), [Some(TimeControl::Infinite); 3]);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "0", "10+", "5 nodes", "depth 3", "1s a move"] {
            assert_eq!(time_control(text), None, "{text}");
        }
    }
}
