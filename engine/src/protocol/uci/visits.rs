//! The line with the number of visits of the root moves in a tree search.
//!
//! ```text
//! info string visits b5d3 412 Df8 97 a1a3 3
//! ```
//!
//! Moves are ordered by visits, the most visited first. Unvisited moves are left out.

use crate::{format_move, parse_move, Move, Position, RootMove};
use std::fmt;

/// The first word of the line's text.
const WORD: &str = "visits";

/// The visits of the moves of a root, as the text of an `info string`.
#[derive(Clone, Debug)]
pub struct Visits<'a> {
    position: &'a Position,
    moves: Vec<RootMove>,
}

impl<'a> Visits<'a> {
    /// The visits of these moves of a position; `None` if there are none.
    pub fn new(position: &'a Position, moves: &[RootMove]) -> Option<Self> {
        let mut moves: Vec<RootMove> = moves.iter().copied().filter(|root| root.nodes > 0).collect();
        // The sort is stable: equally visited moves stay in the order of the search.
        moves.sort_by_key(|root| std::cmp::Reverse(root.nodes));
        if moves.is_empty() {
            None
        } else {
            Some(Self { position, moves })
        }
    }
}

impl fmt::Display for Visits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(WORD)?;
        self.moves.iter().try_for_each(|root| write!(f, " {} {}", format_move(self.position, root.mv), root.nodes))
    }
}

/// Parses a line of an engine: the moves with their visits, at least one each. `None` for any other line, and if a move
/// is illegal in the position or repeated.
pub fn parse_visits(position: &Position, line: &str) -> Option<Vec<(Move, u64)>> {
    let mut words = line.split_whitespace();
    if !["info", "string", WORD].iter().all(|word| words.next() == Some(word)) {
        return None;
    }
    let mut moves: Vec<(Move, u64)> = Vec::new();
    while let Some(text) = words.next() {
        let mv = parse_move(position, text).ok()?;
        let visits = words.next()?.parse().ok().filter(|&visits| visits > 0)?;
        if !position.is_legal(mv) || moves.iter().any(|&(known, _)| known == mv) {
            return None;
        }
        moves.push((mv, visits));
    }
    Some(moves).filter(|moves| !moves.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MoveList;

    const POSITION: &str = "AFADDW.D/.AADAFAA/..N.A.../......../....n.../......../aa.wafda/adddaaaf - r 6";

    #[test]
    fn what_is_written_is_read() {
        let position: Position = POSITION.parse().unwrap();
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let visits = [3, 0, 40, 3];
        let moves: Vec<_> = legal.iter().zip(visits).map(|(&mv, nodes)| RootMove { mv, nodes }).collect();
        let text = Visits::new(&position, &moves).unwrap().to_string();
        let [a, c, d] = [0, 2, 3].map(|at: usize| moves[at].mv);
        let named = |mv| format_move(&position, mv);
        assert_eq!(text, format!("visits {} 40 {} 3 {} 3", named(c), named(a), named(d)));
        let line = format!("info string {text}\n");
        assert_eq!(parse_visits(&position, &line), Some(vec![(c, 40), (a, 3), (d, 3)]));
        assert!(Visits::new(&position, &moves[1..2]).is_none());
        let first = named(a);
        for bad in [
            "",
            "info depth 3",
            "info string visits",
            &format!("info string visits {first}"),
            &format!("info string visits {first} 0"),
            &format!("info string visits {first} -1"),
            &format!("info string visits {first} 1 {first} 2"),
            "info string visits a1a1 3",
            "info string visits h8h8 99999999999999999999999",
        ] {
            assert_eq!(parse_visits(&position, bad), None, "{bad}");
        }
    }
}
