//! Replays a pair's games to turn codes into moves and positions.

use play::games::{GameKind, Rules};
use play::{Game, OpeningName, Side};
use record::PairResult;

/// The notation of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// The notation that players exchange ([`Game::format_move`]).
    Players,
    /// The notation that people read ([`Game::record_move`]).
    Record,
    /// The notation that people read, with the piece's origin square.
    Long,
}

/// A replayed pair.
pub(super) struct Replayed {
    /// The start position of the opening.
    pub(super) start: String,
    /// The move number in that position.
    pub(super) number: u32,
    /// The side to move in that position.
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
    /// The plies after the opening.
    pub(super) moves: Vec<String>,
    /// The final position.
    pub(super) last: String,
}

impl Replayed {
    /// Replays a pair; `None` if the stored moves are not moves of the game.
    pub(super) fn new(kind: GameKind, result: &PairResult, notation: Notation) -> Option<Self> {
        match kind.rules() {
            Rules::ZeroPointOne(game) => replayed(&game, result, notation),
            Rules::Chess(game) => replayed(&game, result, notation),
            Rules::Custom => None,
        }
    }
}

/// Returns the opening name of each of a pair's games: that of the last position with a name.
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

/// Returns the name of the last named position among `position` and those that the moves lead to.
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

/// Returns long algebraic notation from the short notation and the move in engine notation: `Ng1xf3`, `e7e8=Q+`. Moves
/// without an origin square, such as castling, stay as they are.
fn long(short: &str, played: &str) -> String {
    let squares = played.get(..2).zip(played.get(2..4)).filter(|_| !short.starts_with('O') && !short.contains('@'));
    let Some((from, to)) = squares else { return short.to_owned() };
    let piece = short.chars().next().filter(char::is_ascii_uppercase).map(String::from).unwrap_or_default();
    let capture = if short.contains('x') { "x" } else { "" };
    // The text after the target square: a promotion or check.
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
