//! A pair's games played over: codes become words, and positions are reached again.

use crate::run::pair::PairResult;
use play::games::{GameKind, Rules};
use play::{Game, Side};

/// How moves are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// As players exchange them ([`Game::format_move`]).
    Players,
    /// As people read them ([`Game::record_move`]).
    Record,
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
    /// Plays a pair over; `None` if what is stored are no moves of the game.
    pub(super) fn new(kind: GameKind, result: &PairResult, notation: Notation) -> Option<Self> {
        match kind.rules() {
            Rules::ZeroPointOne(game) => replayed(&game, result, notation),
            Rules::Chess(game) => replayed(&game, result, notation),
            Rules::Custom => None,
        }
    }
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
            let mv = G::from_code(position, code).filter(|&mv| G::is_legal(position, mv))?;
            let text = match notation {
                Notation::Players => G::format_move(position, mv),
                Notation::Record => G::record_move(position, mv),
            };
            G::play(position, mv);
            Some(text)
        })
        .collect()
}
