//! CodeCup, the tournament protocol of 0.1: the player and the check of engines that speak it. The engine crate, which
//! speaks CodeCup too, defines its lines.

mod check;
mod player;

pub use player::CodecupPlayer;

use super::info::{Players, ProtocolInfo};
use crate::clock::Limit;
use std::time::Duration;

pub(super) static PROTOCOL: ProtocolInfo = ProtocolInfo {
    name: "codecup",
    players: Players {
        zero_point_one: Some(|spec, starter| Box::new(CodecupPlayer::new(spec.clone(), starter.clone()))),
        chess: None,
    },
    supported_limits: |limit| match limit {
        Limit::Clock { increment: Duration::ZERO, moves: None, .. } => None,
        Limit::Clock { .. }
        | Limit::Nodes(_)
        | Limit::Depth(_)
        | Limit::Movetime(_)
        | Limit::Hourglass(_)
        | Limit::Several(_) => Some("a time for the whole game, such as `30s`: CodeCup knows no other limit"),
    },
    repeats_moves: false,
    ponders: false,
    check_limit: "10s",
    option_command: None,
    thoughts: None,
    check: check::run,
};
