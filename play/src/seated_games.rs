//! The players of the games that spar knows.

use crate::adjudication::{Endgames, TableRuling};
use crate::entrant::{NativeSpec, ProcessSpec, Protocol};
use crate::games::{Chess, GameKind, ZeroPointOne};
use crate::network::Weights;
use crate::players::process::Starter;
use crate::players::{NativePlayer, judge_opening, opening_judge};
use crate::seated_game::{ReusablePlayer, SeatedGame};
use engine::Engine;
use std::sync::Arc;

impl SeatedGame for ZeroPointOne {
    type Judge = Option<Engine>;

    fn judge(judge: &mut Self::Judge, position: &engine::Position) -> i32 {
        judge_opening(judge.get_or_insert_with(opening_judge), position)
    }

    fn taken_for() -> Option<Chess> {
        Chess::of(GameKind::Chess)
    }

    fn native(spec: &NativeSpec, weights: Weights) -> Option<Box<dyn ReusablePlayer<Self>>> {
        Some(Box::new(NativePlayer::new(&spec.engine_config(weights))))
    }

    fn process(&self, spec: &ProcessSpec, starter: &Starter) -> Result<Box<dyn ReusablePlayer<Self>>, String> {
        let make = spec.protocol.info().players.zero_point_one;
        make.map(|make| make(spec, starter)).ok_or_else(|| not_played("0.1", spec.protocol))
    }
}

impl SeatedGame for Chess {
    type Judge = ();

    fn endgames(&self, ruling: &TableRuling) -> Result<Arc<dyn Endgames<Self>>, String> {
        self.open_tables(ruling).map_err(|error| error.to_string())
    }

    fn process(&self, spec: &ProcessSpec, starter: &Starter) -> Result<Box<dyn ReusablePlayer<Self>>, String> {
        let players = spec.protocol.info().players.chess.as_ref().filter(|players| (players.plays)(self));
        players
            .map(|players| (players.make)(self, spec, starter))
            .ok_or_else(|| not_played("this game of chess", spec.protocol))
    }
}

fn not_played(game: &str, protocol: Protocol) -> String {
    format!("{game} is not played over {}", protocol.name())
}
