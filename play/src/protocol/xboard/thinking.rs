//! Thinking output: `ply score time nodes pv`.

use super::super::evaluation::Bound;
use super::super::words::Words;
use crate::{Evaluation, MoveInfo};
use std::time::Duration;

/// A mate in N is written as 100000 + N, being mated in N as -100000 - N.
const MATE: i32 = 100_000;

/// Beyond this the number follows an engine's own convention, and is kept unchanged.
const LONGEST_MATE: i32 = 1_000;

/// A line of thinking output. Engines that write more numbers end them with a tab; of those only the depth of the
/// deepest line is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thinking<'a> {
    /// Depth in plies.
    pub depth: u32,
    /// Depth of the deepest line searched, in plies, if the engine reports it.
    pub seldepth: Option<u32>,
    /// The evaluation, for the engine's side.
    pub evaluation: Evaluation,
    /// Whether `evaluation` is exact: a variation that ends in `!` failed high, in `?` low.
    pub bound: Bound,
    /// Time spent on this move, to the hundredth of a second.
    pub time: Duration,
    /// Nodes searched in this move.
    pub nodes: u64,
    /// The principal variation, in any notation: moves separated by white space.
    pub pv: &'a str,
}

impl<'a> Thinking<'a> {
    /// Reads a line; `None` if it does not begin with four whole numbers.
    pub(super) fn read(mut words: Words<'a>) -> Option<Self> {
        let depth = depth(words.next()?)?;
        let evaluation = evaluation(words.parsed()?);
        let time = Duration::from_millis(count(words.parsed()?).saturating_mul(10));
        let nodes = count(words.parsed()?);
        let (seldepth, pv) = match words.rest().split_once('\t').and_then(|(numbers, pv)| Some((extra(numbers)?, pv))) {
            Some((seldepth, pv)) => (Some(seldepth), pv.trim_ascii()),
            None => (None, words.rest()),
        };
        let (bound, pv) = bound(pv);
        Some(Self { depth, seldepth, evaluation, bound, time, nodes, pv })
    }

    /// The search data in the line.
    pub fn to_move_info(&self) -> MoveInfo {
        MoveInfo {
            score: Some(self.evaluation),
            depth: self.depth,
            seldepth: self.seldepth.unwrap_or(0),
            nodes: self.nodes,
            time: Some(self.time),
            ..MoveInfo::default()
        }
    }
}

/// Reads a depth. Old engines mark it, as in `4.` or `4&`.
fn depth(word: &str) -> Option<u32> {
    word.trim_end_matches(['.', '+', '-', '&', ':', '!', '?']).parse().ok()
}

fn evaluation(score: i32) -> Evaluation {
    let moves = score.saturating_abs().saturating_sub(MATE);
    match moves {
        0..=LONGEST_MATE if score < 0 => Evaluation::Mate(-moves),
        0..=LONGEST_MATE => Evaluation::Mate(moves),
        _ => Evaluation::Centipawns(score),
    }
}

/// A counter as an unsigned number. Counters that have overflowed in the engine come out negative, and count as zero.
fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The first of further numbers, if they are all numbers.
fn extra(numbers: &str) -> Option<u32> {
    let mut words = Words::new(numbers);
    let first = words.parsed()?;
    words.all(|word| word.parse::<i64>().is_ok()).then_some(first)
}

fn bound(pv: &str) -> (Bound, &str) {
    let without = |mark| pv.strip_suffix(mark).map(|pv| pv.trim_end_matches(mark).trim_ascii_end());
    match (without('!'), without('?')) {
        (Some(pv), _) => (Bound::Lower, pv),
        (_, Some(pv)) => (Bound::Upper, pv),
        _ => (Bound::Exact, pv),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thinking(line: &str) -> Option<Thinking<'_>> {
        Thinking::read(Words::new(line))
    }

    #[test]
    fn a_line() {
        let expected = Thinking {
            depth: 9,
            seldepth: None,
            evaluation: Evaluation::Centipawns(156),
            bound: Bound::Exact,
            time: Duration::from_millis(10_840),
            nodes: 48_000,
            pv: "Nf3 Nc6 Nc3",
        };
        assert_eq!(thinking(" 9  156 1084   48000 Nf3 Nc6 Nc3 "), Some(expected));
        assert_eq!(thinking("9. +156\t1084\t48000\tNf3 Nc6 Nc3"), Some(expected));
        assert_eq!(
            thinking("9 156 1084 48000 17 31000 0\t Nf3 Nc6 Nc3"),
            Some(Thinking { seldepth: Some(17), ..expected })
        );
        assert_eq!(thinking("9 156 1084 48000 Nf3\tNc6"), Some(Thinking { pv: "Nf3\tNc6", ..expected }));
        assert_eq!(thinking("9& 156 1084 48000"), Some(Thinking { pv: "", ..expected }));
        assert_eq!(thinking("9 156 -1 -5 a4").map(|read| (read.time, read.nodes)), Some((Duration::ZERO, 0)));
        for line in ["", "9 156 1084", "9 0.15 1084 48000 Nf3", "x 1 2 3", "9 99999999999 1 1 e4"] {
            assert_eq!(thinking(line), None, "{line:?}");
        }
    }

    #[test]
    fn mates() {
        for (score, evaluation) in [
            (100_003, Evaluation::Mate(3)),
            (-100_002, Evaluation::Mate(-2)),
            (99_999, Evaluation::Centipawns(99_999)),
            (999_998, Evaluation::Centipawns(999_998)),
            (i32::MIN, Evaluation::Centipawns(i32::MIN)),
        ] {
            assert_eq!(super::evaluation(score), evaluation, "{score}");
        }
    }

    #[test]
    fn marks_at_the_end_are_bounds() {
        for (line, bound, pv) in [
            ("2 1 1 1 e4 e5 !", Bound::Lower, "e4 e5"),
            ("2 1 1 1 e4!!", Bound::Lower, "e4"),
            ("2 1 1 1 e4 ?", Bound::Upper, "e4"),
            ("2 1 1 1 !", Bound::Lower, ""),
        ] {
            assert_eq!(thinking(line).map(|read| (read.bound, read.pv)), Some((bound, pv)), "{line:?}");
        }
    }
}
