//! The players that the games known here have.

use crate::adjudication::{Endgames, TableRuling};
use crate::entrant::{NativeSpec, ProcessSpec};
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
        (spec.protocol.registered().zero_point_one)(spec, starter)
    }
}

impl SeatedGame for Chess {
    type Judge = ();

    fn endgames(&self, ruling: &TableRuling) -> Result<Arc<dyn Endgames<Self>>, String> {
        self.open_tables(ruling).map_err(|error| error.to_string())
    }

    fn process(&self, spec: &ProcessSpec, starter: &Starter) -> Result<Box<dyn ReusablePlayer<Self>>, String> {
        (spec.protocol.registered().chess)(self, spec, starter)
    }
}
