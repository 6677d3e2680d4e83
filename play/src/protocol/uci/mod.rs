//! UCI, the universal chess interface: commands to an engine and its answers, the player and the check of engines that
//! speak it. Also covers its dialects for other games: moves and positions are text.
//!
//! Reading is lenient, as the protocol asks: a line that is not understood is [`Message::Unknown`], and a number that
//! does not parse is ignored. Answers borrow from the line; only a declared option is copied.

mod check;
pub(crate) mod command;
mod declaration;
pub(crate) mod info;
pub(crate) mod message;
pub(crate) mod player;
mod talk;

pub use command::{Go, Start, UciCommand};
pub use info::Info;
pub use message::Message;
pub use player::{Engine, UciPlayer};

use super::evaluation::Bound;
use super::info::{ChessPlayers, Players, ProtocolInfo, Thoughts};
use crate::clock::Limit;
use crate::game::Game;
use crate::games::ZeroPointOne;
use record::{BySide, MoveInfo};

pub(super) static PROTOCOL: ProtocolInfo = ProtocolInfo {
    name: "uci",
    players: Players {
        zero_point_one: Some(|spec, starter| Box::new(UciPlayer::new(spec.clone(), starter.clone(), Vec::new()))),
        chess: Some(ChessPlayers {
            plays: |_chess| true,
            make: |chess, spec, starter| {
                let player = UciPlayer::new(spec.clone(), starter.clone(), chess.uci_options());
                Box::new(player.refusing(plays_zero_point_one))
            },
        }),
    },
    supported_limits: |_limit| None,
    repeats_moves: true,
    ponders: true,
    check_limit: "1000 nodes",
    option_command: Some("setoption"),
    thoughts: Some(Thoughts {
        limit: |time| (Limit::Movetime(time), BySide::default()),
        read: read_info,
        remark: |line| line.trim().strip_prefix("info string "),
    }),
    check: check::run,
};

/// The search data in a line, and its variation.
fn read_info(line: &str) -> Option<(MoveInfo, &str)> {
    match Message::parse(line) {
        Message::Info(info) if info.bound == Bound::Exact && info.multipv.is_none_or(|number| number == 1) => {
            Some((info.to_move_info(), info.pv?))
        }
        Message::Info(_)
        | Message::Name(_)
        | Message::Author(_)
        | Message::Option(_)
        | Message::UciOk
        | Message::ReadyOk
        | Message::BestMove { .. }
        | Message::Unknown(_) => None,
    }
}

/// An explanation if a move is a setup of 0.1, with which every game of 0.1 begins.
fn plays_zero_point_one(mv: &str) -> Option<String> {
    let setup = ZeroPointOne::read_move(&ZeroPointOne.start(), &mv.to_ascii_uppercase());
    setup.map(|_setup| {
        format!(
            "it plays 0.1: its first move is `{mv}`, a setup. Say `game = \"0.1\"`, or leave `game` out where \
            no engine plays chess"
        )
    })
}
