//! Openings: the plies both games of a pair start with. Drawn here as random legal plies; nothing is read from files yet.

use super::game::Game;
use crate::random::{Purpose, Stream};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Draws are given up after so many rejected openings: the settings then leave too few.
const MOST_DRAWS: u32 = 10_000;

/// The plies with which both games of a pair start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening<G: Game> {
    /// From [`Game::start`] on.
    pub moves: Vec<G::Move>,
    /// The position they lead to.
    pub position: G::Position,
}

/// Where openings come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningSource {
    /// Random legal plies after the opening that the game requires (0.1: after random setups).
    pub plies: u32,
    /// Reject openings that a depth-4 search by the 0.1 engine scores beyond this, in logit x 10,000 for either side.
    pub balance: Option<NonZeroU32>,
}

/// The settings of an [`OpeningSource`] rejected every draw.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("opening {number} was not found in {MOST_DRAWS} draws: ask for fewer random plies or a wider balance")]
pub struct NoOpening {
    /// Which opening of the run.
    pub number: u64,
}

impl OpeningSource {
    /// Opening `number` of a run: a pure function of the run's seed and that number.
    ///
    /// Rejected are openings already decided (the game over, or the side to move wins at once) and those that `judge`
    /// scores beyond the balance.
    ///
    /// # Errors
    /// [`NoOpening`] if nothing but rejected openings was drawn.
    pub fn draw<G: Game>(
        &self,
        run_seed: u64,
        number: u64,
        judge: &mut dyn FnMut(&G::Position) -> i32,
    ) -> Result<Opening<G>, NoOpening> {
        let mut stream = Stream::new(run_seed, Purpose::Opening, number);
        (0..MOST_DRAWS)
            .filter_map(|_| self.random_plies::<G>(&mut stream))
            .find(|opening| self.is_balanced(judge, &opening.position))
            .ok_or(NoOpening { number })
    }

    fn random_plies<G: Game>(&self, stream: &mut Stream) -> Option<Opening<G>> {
        let plies = G::least_opening() + self.plies;
        let mut opening = Opening { moves: Vec::with_capacity(plies as usize), position: G::start() };
        for _ in 0..plies {
            let mv = G::random_move(&opening.position, stream)?;
            G::play(&mut opening.position, mv);
            opening.moves.push(mv);
            if G::ending(&opening.position).is_some() {
                return None;
            }
        }
        (!G::wins_at_once(&opening.position)).then_some(opening)
    }

    fn is_balanced<P>(&self, judge: &mut dyn FnMut(&P) -> i32, position: &P) -> bool {
        self.balance.is_none_or(|most| judge(position).unsigned_abs() <= most.get())
    }
}
