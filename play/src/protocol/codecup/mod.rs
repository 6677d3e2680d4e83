//! CodeCup, the tournament protocol of 0.1: the player and the check of engines that speak it. What its lines mean is
//! known to the engine, which speaks it, too.

mod check;
mod player;

pub use player::CodecupPlayer;

use super::registered::Registered;
use crate::clock::Limit;
use crate::games::GameKind;
use std::time::Duration;

pub(super) static PROTOCOL: Registered = Registered {
    instead_for_game: |game| {
        (game != GameKind::ZeroPointOne).then_some("`uci` or `xboard`: CodeCup is a protocol of 0.1")
    },
    instead_of_limit: |limit| match limit {
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
    is_of_zero_point_one: true,
    check_limit: "10s",
    has_setoption: false,
    zero_point_one: |spec, starter| Ok(Box::new(CodecupPlayer::new(spec.clone(), starter.clone()))),
    chess: |_chess, _spec, _starter| Err("CodeCup is a protocol of 0.1".to_owned()),
    thoughts: None,
    check: check::run,
};
