//! A pair's games played over: codes become words, and positions are reached again.

use play::games::{GameKind, Rules};
use play::{Game, OpeningName, Side};
use record::PairResult;

/// How moves are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// As players exchange them ([`Game::format_move`]).
    Players,
    /// As people read them ([`Game::record_move`]).
    Record,
    /// As people read them, with the square that a piece comes from.
    Long,
}

/// A pair, played over.
pub(super) struct Replayed {
    /// The position that the opening starts from.
    pub(super) start: String,
    /// The number of the move that is due there.
    pub(super) number: u32,
    /// Whose turn it is there.
    pub(super) side: Side,
    /// The opening's plies.
    pub(super) opening: Vec<String>,
    /// The position after the opening.
    pub(super) opened: String,
    /// The games after the opening.
    pub(super) games: Vec<PlayedOver>,
}

/// One game after its opening.
pub(super) struct PlayedOver {
    /// Its plies.
    pub(super) moves: Vec<String>,
    /// The position it ended in.
    pub(super) last: String,
}

impl Replayed {
    /// Plays a pair over; `None` if the stored moves are not moves of the game.
    pub(super) fn new(kind: GameKind, result: &PairResult, notation: Notation) -> Option<Self> {
        match kind.rules() {
            Rules::ZeroPointOne(game) => replayed(&game, result, notation),
            Rules::Chess(game) => replayed(&game, result, notation),
            Rules::Custom => None,
        }
    }
}

/// What the opening of each of a pair's games is called: the last of its positions that has a name gives it.
pub(super) fn opening_names(kind: GameKind, result: &PairResult) -> Vec<Option<OpeningName>> {
    let names = match kind.rules() {
        Rules::Chess(game) => named(&game, result),
        Rules::ZeroPointOne(_) | Rules::Custom => None,
    };
    names.unwrap_or_else(|| vec![None; result.games.len()])
}

fn named<G: Game>(game: &G, result: &PairResult) -> Option<Vec<Option<OpeningName>>> {
    let mut position = match &result.start {
        Some(text) => game.setup(text).ok()?,
        None => game.start(),
    };
    let opening = last_name::<G>(&mut position, &result.opening);
    let name = |codes: &[u32]| last_name::<G>(&mut position.clone(), codes).or(opening);
    Some(result.games.iter().map(|game| name(&game.moves)).collect())
}

/// The name of the last position that has one, of `position` and those that moves lead to.
fn last_name<G: Game>(position: &mut G::Position, codes: &[u32]) -> Option<OpeningName> {
    let mut last = G::opening_name(position);
    for &code in codes {
        let mv = G::legal_from_code(position, code)?;
        G::play(position, mv);
        last = G::opening_name(position).or(last);
    }
    last
}

fn replayed<G: Game>(game: &G, result: &PairResult, notation: Notation) -> Option<Replayed> {
    let mut position = match &result.start {
        Some(text) => game.setup(text).ok()?,
        None => game.start(),
    };
    let (start, number, side) = (position.to_string(), G::move_number(&position), G::side_to_move(&position));
    let opening = play_out::<G>(&mut position, &result.opening, notation)?;
    let play_on = |codes: &[u32]| {
        let mut position = position.clone();
        let moves = play_out::<G>(&mut position, codes, notation)?;
        Some(PlayedOver { moves, last: position.to_string() })
    };
    let games = result.games.iter().map(|game| play_on(&game.moves)).collect::<Option<_>>()?;
    Some(Replayed { start, number, side, opening, opened: position.to_string(), games })
}

fn play_out<G: Game>(position: &mut G::Position, codes: &[u32], notation: Notation) -> Option<Vec<String>> {
    codes
        .iter()
        .map(|&code| {
            let mv = G::legal_from_code(position, code)?;
            let text = match notation {
                Notation::Players => G::format_move(position, mv),
                Notation::Record => G::record_move(position, mv),
                Notation::Long => long(&G::record_move(position, mv), &G::format_move(position, mv)),
            };
            G::play(position, mv);
            Some(text)
        })
        .collect()
}

/// Long algebraic notation from the short one and the move as engines write it: `Ng1xf3`, `e7e8=Q+`. What comes from no
/// square, such as castling, stays.
fn long(short: &str, played: &str) -> String {
    let squares = played.get(..2).zip(played.get(2..4)).filter(|_| !short.starts_with('O') && !short.contains('@'));
    let Some((from, to)) = squares else { return short.to_owned() };
    let piece = short.chars().next().filter(char::is_ascii_uppercase).map(String::from).unwrap_or_default();
    let capture = if short.contains('x') { "x" } else { "" };
    // What follows the square that it goes to: a promotion, a check.
    let rest = short.rfind(to).map_or("", |at| &short[at + to.len()..]);
    format!("{piece}{from}{capture}{to}{rest}")
}

#[cfg(test)]
mod tests {
    use super::long;

    #[test]
    fn long_notation_names_both_squares() {
        let cases = [
            ("Nf3", "g1f3", "Ng1f3"),
            ("Nbd2", "b1d2", "Nb1d2"),
            ("exd5", "e4d5", "e4xd5"),
            ("e8=Q+", "e7e8q", "e7e8=Q+"),
            ("Qxf7#", "h5f7", "Qh5xf7#"),
            ("O-O+", "e1g1", "O-O+"),
            ("N@f3", "N@f3", "N@f3"),
            ("8", "8", "8"),
        ];
        for (short, played, expected) in cases {
            assert_eq!(long(short, played), expected);
        }
    }
}
