//! Evaluations in the comments of games.

use super::{Unit, WrittenScore};

/// The evaluation in a comment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Comment {
    /// `[%eval 0.17]`: white's view of the position after the move.
    After(WrittenScore),
    /// `+0.33/14 0.5s`: the mover's view of the position before the move.
    Before(WrittenScore),
}

impl Comment {
    /// Parses a comment; `None` if it has no evaluation.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some((_, rest)) = text.split_once("[%eval ") {
            let value = rest.split([']', ',']).next()?;
            return WrittenScore::parse(value, Unit::Pawns).map(Self::After);
        }
        let word = text.split_whitespace().next()?;
        let (score, depth) = word.split_once('/')?;
        let is_depth = depth.split('/').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
        let signed = score.starts_with(['+', '-']) || score.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        (is_depth && signed).then(|| WrittenScore::parse(score, Unit::Pawns)).flatten().map(Self::Before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_distinguished_from_other_comments() {
        let cp = |value| Some(Comment::Before(WrittenScore::Centipawns(value)));
        for (text, expected) in [
            ("+0.33/14 0.5s", cp(33.0)),
            ("-1.25/9/12 1.0s, n=3000", cp(-125.0)),
            ("0.00/1 0s", cp(0.0)),
            ("-M4/20 0.1s", Some(Comment::Before(WrittenScore::Mate(-4)))),
            (" [%eval 0.17] [%clk 0:03:00] ", Some(Comment::After(WrittenScore::Centipawns(17.0)))),
            ("[%eval #-3]", Some(Comment::After(WrittenScore::Mate(-3)))),
            ("[%eval -2.5,23]", Some(Comment::After(WrittenScore::Centipawns(-250.0)))),
            ("book", None),
            ("better was Nf3", None),
            ("1/2-1/2 by agreement", None),
            ("[%eval", None),
            ("", None),
        ] {
            assert_eq!(Comment::parse(text), expected, "{text}");
        }
    }
}
