//! The properties of each protocol: its name, the games and limits that it supports, its players, and its check.

use crate::check::finding::{Check, Finding};
use crate::clock::{ClockFace, Limit};
use crate::entrant::ProcessSpec;
use crate::games::{Chess, GameKind, Rules, ZeroPointOne};
use crate::players::process::Starter;
use crate::seated_game::ReusablePlayer;
use record::{BySide, MoveInfo};
use std::time::Duration;

/// What the rest of spar knows about a protocol.
pub(crate) struct ProtocolInfo {
    /// The name in configurations and on the command line.
    pub(crate) name: &'static str,
    /// The players of the games that the protocol supports.
    pub(crate) players: Players,
    /// `None` if the protocol can send an engine this limit; otherwise the limits that it can send, for the error.
    pub(crate) supported_limits: fn(Limit) -> Option<&'static str>,
    /// Whether spar sends the moves again for each search, and can therefore choose which.
    pub(crate) repeats_moves: bool,
    /// Whether engines can ponder.
    pub(crate) ponders: bool,
    /// The limit under which a check plays whole games.
    pub(crate) check_limit: &'static str,
    /// The command that sets an engine's options, if engines have options.
    pub(crate) option_command: Option<&'static str>,
    /// How engines report their search in the protocol, if they do.
    pub(crate) thoughts: Option<Thoughts>,
    /// Runs the steps of the check. Returns whether whole games should be played next.
    pub(crate) check: fn(&Check<'_>, &mut dyn FnMut(Finding)) -> bool,
}

/// Makes a player of 0.1.
pub(crate) type MakePlayer = fn(&ProcessSpec, &Starter) -> Box<dyn ReusablePlayer<ZeroPointOne>>;

/// The players of a protocol, by the rules of the games that it supports.
pub(crate) struct Players {
    /// Makes the player of 0.1, if there is one.
    pub(crate) zero_point_one: Option<MakePlayer>,
    /// The players of chess and its variants, if there are any.
    pub(crate) chess: Option<ChessPlayers>,
}

/// The players of chess and its variants.
pub(crate) struct ChessPlayers {
    /// Whether the protocol supports this variant.
    pub(crate) plays: fn(&Chess) -> bool,
    /// Makes a player.
    pub(crate) make: fn(&Chess, &ProcessSpec, &Starter) -> Box<dyn ReusablePlayer<Chess>>,
}

impl Players {
    /// Whether the protocol supports this game.
    pub(crate) fn play(&self, game: GameKind) -> bool {
        match game.rules() {
            Rules::ZeroPointOne(_) => self.zero_point_one.is_some(),
            Rules::Chess(chess) => self.chess.as_ref().is_some_and(|players| (players.plays)(&chess)),
            Rules::Custom => false,
        }
    }

    /// Whether the protocol supports 0.1, and nothing else.
    pub(crate) fn play_only_zero_point_one(&self) -> bool {
        self.zero_point_one.is_some() && self.chess.is_none()
    }
}

/// The limit of the move, and the clock that each side sees.
pub(crate) type TimeForMove = (Limit, BySide<Option<ClockFace>>);

/// How an engine reports its search.
pub(crate) struct Thoughts {
    /// How spar sends the engine a time for one move.
    pub(crate) limit: fn(Duration) -> TimeForMove,
    /// The search data in a line, and the variation as written; `None` if the line has none.
    pub(crate) read: fn(&str) -> Option<(MoveInfo, &str)>,
    /// The words in a line that are addressed to the user; `None` if it has none.
    pub(crate) remark: fn(&str) -> Option<&str>,
}
