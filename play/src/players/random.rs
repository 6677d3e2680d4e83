//! The random player: plays uniformly random legal moves from its own seed. The yardstick for speed and for weak
//! engines.

use crate::game::Game;
use crate::player::{Failure, GameStart, Player, Reply, Turn};
use crate::random::Stream;
use record::{Fault, MoveInfo};

/// Plays uniformly random legal moves.
#[derive(Debug)]
pub struct RandomPlayer {
    stream: Stream,
}

impl Default for RandomPlayer {
    fn default() -> Self {
        Self { stream: Stream::from_seed(0) }
    }
}

impl<G: Game> Player<G> for RandomPlayer {
    fn begin(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure> {
        self.stream = Stream::from_seed(start.seed);
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_, G>) -> Result<Reply<G::Move>, Failure> {
        let mv = G::random_move(turn.position, &mut self.stream);
        let mv = mv.ok_or_else(|| Fault::Crash("asked to move where there is not a move".to_owned()))?;
        Ok(Reply::new(mv, MoveInfo::default()))
    }
}
