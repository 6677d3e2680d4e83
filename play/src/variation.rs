//! Variations that engines announce, and whether they can be played.

use crate::game::{Game, RuleEnding};
use crate::protocol::evaluation::Bound;
use crate::protocol::uci::info::Info;
use crate::protocol::uci::message::Message;
use record::DrawRule;

/// The first move of a variation that cannot be played from this position, as the engine wrote it; `None` if all can.
/// The variation ends at the first word that does not have the form of a UCI move. No move may follow a game's end,
/// with one exception: many engines look beyond insufficient material.
pub fn illegal_move<'a, G: Game>(position: &G::Position, line: &'a str) -> Option<&'a str> {
    let mut position = position.clone();
    for word in line.split_ascii_whitespace() {
        let is_over =
            G::ending(&position).is_some_and(|ending| ending != RuleEnding::Draw(DrawRule::InsufficientMaterial));
        match G::read_move(&position, word).filter(|_| !is_over) {
            Some(mv) => G::play(&mut position, mv),
            None if is_move(word) => return Some(word),
            None => return None,
        }
    }
    None
}

/// Whether a line can be the result of its search (the last such line is): it has a score or a variation and, of
/// several variations, is the best.
pub fn is_last_word(info: &Info<'_>) -> bool {
    (info.evaluation.is_some() || info.pv.is_some()) && info.multipv.is_none_or(|number| number == 1)
}

/// Whether the line has a variation, and of several the best.
pub(crate) fn is_best(info: &Info<'_>) -> bool {
    info.pv.is_some() && info.multipv.is_none_or(|number| number == 1)
}

/// Whether a search's last line begins with another move than the one that was played. This does not count a line whose
/// score is a bound, a line without a variation, or a variation that does not begin with a move.
pub fn other_move<G: Game>(position: &G::Position, line: &str, played: G::Move) -> bool {
    let Message::Info(Info { pv: Some(pv), bound: Bound::Exact, .. }) = Message::parse(line) else { return false };
    let Some(word) = pv.split_ascii_whitespace().next() else { return false };
    G::read_move(position, word).map_or_else(|| is_move(word), |first| first != played)
}

/// Whether a word has the form of a UCI move, including the drop of a piece: `e2e4`, `e7e8q`, `P@e4`.
fn is_move(word: &str) -> bool {
    let is_square = |square: &[u8]| matches!(square, [b'a'..=b'h', b'1'..=b'8']);
    match word.as_bytes() {
        [b'A'..=b'Z', b'@', to @ ..] => is_square(to),
        [from_file, from_rank, to_file, to_rank, promotion @ ..] => {
            let is_promotion = matches!(promotion, [] | [b'n' | b'b' | b'r' | b'q' | b'k']);
            is_square(&[*from_file, *from_rank]) && is_square(&[*to_file, *to_rank]) && is_promotion
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Chess, GameKind};

    #[test]
    fn the_last_line_of_a_search_should_begin_with_its_move() {
        let start = Chess::of(GameKind::Chess).expect("chess").start();
        let played = Chess::read_move(&start, "e2e4").expect("a move");
        for (line, is_other) in [
            ("info depth 2 score cp 5 pv d2d4 d7d5", true),
            ("info depth 2 score cp 5 pv e2e4", false),
            ("info depth 2 score cp 5 lowerbound pv d2d4", false),
            ("info depth 2 score cp 5", false),
            ("info depth 2 score cp 5 pv a1a8", true),
            ("info depth 2 score cp 5 pv e2-e4", false),
            ("info depth 2 score cp 5 pv", false),
            ("info depth 2 score cp 5 pv (none)", false),
            ("info string pv d2d4", false),
            ("bestmove d2d4", false),
        ] {
            assert_eq!(other_move::<Chess>(&start, line, played), is_other, "{line}");
        }
    }

    #[test]
    fn a_line_is_played_to_its_first_wrong_move() {
        let chess = Chess::of(GameKind::Chess).expect("chess");
        let illegal = |fen: &str, line| {
            let position = if fen.is_empty() { chess.start() } else { chess.setup(fen).expect("a position") };
            illegal_move::<Chess>(&position, line)
        };
        let bare = "7k/8/8/8/8/8/p7/1K6 w - - 0 1";
        for (fen, line, expected) in [
            ("", "e2e4 e7e5 g1f3", None),
            ("", "", None),
            ("", "e2e4 e7e4 g1f3", Some("e7e4")),
            ("", "e2e4 e2e4", Some("e2e4")),
            ("", "e4 e5 Nf3", None),
            ("", "e2e4 (e7e4) e7e4", None),
            ("", "f2f3 e7e5 g2g4 d8h4 e1f2", Some("e1f2")),
            ("", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4", Some("e2e4")),
            (bare, "b1a2 h8g8 a2a3", None),
            (bare, "b1a2 h8g8 a2a4", Some("a2a4")),
        ] {
            assert_eq!(illegal(fen, line), expected, "{line}");
        }
    }
}
