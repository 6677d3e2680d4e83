//! The players of each game: makes a player from an entrant's settings, or turns it into another entrant's player.
//!
//! [`Seats`](crate::Seats) keeps players from game to game.

use crate::adjudication::{Endgames, TableRuling};
use crate::entrant::{CustomSpec, Entrant, NativeSpec, PlayerSpec, ProcessSpec};
use crate::game::Game;
use crate::games::{Chess, ZeroPointOne};
use crate::network::Weights;
use crate::player::{Failure, GameStart, Player};
use crate::players::process::{Programs, Starter, unknown_network, unknown_policy};
use crate::players::{NativePlayer, RandomPlayer};
use std::sync::Arc;

/// A game for which players can be made from entrants' settings.
pub trait SeatedGame: Game {
    /// The judge of random openings.
    type Judge: Default;

    /// The score of an opening for the side to move, in logit x 10,000; 0 if nothing judges openings.
    fn judge(_judge: &mut Self::Judge, _position: &Self::Position) -> i32 {
        0
    }

    /// A player in this process with the given weights, if spar's own engine plays this game.
    fn native(_spec: &NativeSpec, _weights: Weights) -> Option<Box<dyn ReusablePlayer<Self>>> {
        None
    }

    /// The player of an engine process.
    ///
    /// # Errors
    /// Why its protocol cannot play this game.
    fn process(&self, _spec: &ProcessSpec, _starter: &Starter) -> Result<Box<dyn ReusablePlayer<Self>>, String> {
        Err("no protocol is known for this game".to_owned())
    }

    /// Opens endgame tables.
    ///
    /// # Errors
    /// Why they cannot be used.
    fn endgames(&self, _ruling: &TableRuling) -> Result<Arc<dyn Endgames<Self>>, String> {
        Err("there are no endgame tables of this game".to_owned())
    }

    /// Another game whose engines may be given to this one by mistake: the rehearsal asks a UCI engine for its first
    /// move, and refuses an engine that plays the other game.
    fn taken_for() -> Option<Chess> {
        None
    }

    /// A player that only the program that plays this game knows, if it knows this one.
    fn custom(&self, _entrant: &Entrant, _spec: &CustomSpec) -> Option<Box<dyn ReusablePlayer<Self>>> {
        None
    }
}

/// A player that is kept from game to game.
pub trait ReusablePlayer<G: Game>: Player<G> {
    /// Turns the player into another entrant's, keeping its allocations; `false` if it cannot.
    fn reuse(&mut self, _spec: &PlayerSpec, _starter: Option<&Starter>) -> bool {
        false
    }

    /// Gets ready for a game that will not be played. If an engine says when it is ready, beginning a game is enough.
    /// Otherwise each player describes how it finds out whether the engine has started.
    ///
    /// # Errors
    /// Why the player does not get ready.
    fn rehearse(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure>;
}

impl ReusablePlayer<ZeroPointOne> for NativePlayer {
    fn reuse(&mut self, spec: &PlayerSpec, starter: Option<&Starter>) -> bool {
        let PlayerSpec::Native(native) = spec else { return false };
        // Creating a new player reports why there are no such weights.
        let Ok(weights) = weights(native, starter.map(|starter| starter.programs.as_ref())) else { return false };
        self.configure(&native.engine_config(weights));
        true
    }

    fn rehearse(&mut self, start: &GameStart<'_, ZeroPointOne>) -> Result<(), Failure> {
        self.begin(start)
    }
}

/// The weights that an engine in process evaluates and searches with: those shipped with it, or those of the files that
/// its settings name.
///
/// # Errors
/// Why the weights are not available, in words.
pub fn weights(native: &NativeSpec, programs: Option<&dyn Programs>) -> Result<Weights, String> {
    let evaluation = match (&native.network, programs) {
        (None, _) => Ok(native.evaluation.into()),
        (Some(_), Some(programs)) => programs.network(native),
        (Some(_), None) => Err(unknown_network(native)),
    }?;
    let policy = match (&native.policy, programs) {
        (None, _) => None,
        (Some(_), Some(programs)) => Some(programs.policy(native)?),
        (Some(_), None) => return Err(unknown_policy(native)),
    };
    Weights::new(evaluation, policy).map_err(|why| why.to_string())
}

impl<G: Game> ReusablePlayer<G> for RandomPlayer {
    fn reuse(&mut self, spec: &PlayerSpec, _starter: Option<&Starter>) -> bool {
        *spec == PlayerSpec::Random
    }

    fn rehearse(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure> {
        self.begin(start)
    }
}
