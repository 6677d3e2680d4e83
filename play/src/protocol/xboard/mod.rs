//! The chess engine communication protocol of `XBoard`, version 2: commands to an engine and its answers, the player
//! and the check of engines that speak it.
//!
//! Engines mix answers with greetings, board pictures and statistics, so a line that is not understood is
//! [`Message::Unknown`]. Answers borrow from the line.

mod check;
mod command;
mod engine;
mod feature;
mod message;
mod notation;
mod player;
mod thinking;

pub use command::XboardCommand;
pub use feature::{Feature, Features, Flag, Handshake};
pub use message::Message;
pub use player::XboardPlayer;
pub use thinking::Thinking;

use super::evaluation::Bound;
use super::info::{ChessPlayers, Players, ProtocolInfo, Thoughts};
use crate::clock::{Clock, ClockFace, Limit};
use record::{BySide, MoveInfo};
use std::num::NonZeroU32;
use std::time::Duration;

pub(super) static PROTOCOL: ProtocolInfo = ProtocolInfo {
    name: "xboard",
    players: Players {
        zero_point_one: None,
        chess: Some(ChessPlayers {
            // The protocol does not say which rook a king castles with.
            plays: |chess| !chess.is_chess960(),
            make: |chess, spec, starter| {
                Box::new(XboardPlayer::new(spec.clone(), starter.clone(), chess.xboard_variant()))
            },
        }),
    },
    supported_limits: |limit| limit.nodes().map(|_nodes| "a depth or a time: XBoard knows no limit in nodes"),
    repeats_moves: false,
    ponders: true,
    check_limit: "10s",
    option_command: Some("option"),
    thoughts: Some(Thoughts { limit, read: read_info, remark: |_line| None }),
    check: check::run,
};

/// A clock for one move: not all engines support a time for each move (GNU Chess does not), but all support a clock.
fn limit(time: Duration) -> (Limit, BySide<Option<ClockFace>>) {
    let limit = Limit::Clock { base: time, increment: Duration::ZERO, moves: Some(NonZeroU32::MIN) };
    let face = Clock::new(limit, Duration::ZERO).face();
    (limit, BySide { first: face, second: face })
}

/// The search data in a line, and its variation.
fn read_info(line: &str) -> Option<(MoveInfo, &str)> {
    let Message::Thinking(thinking) = Message::parse(line) else { return None };
    (thinking.bound == Bound::Exact).then(|| (thinking.to_move_info(), thinking.pv))
}
