//! What each protocol has: its name, the games and limits that it knows, its players, and its check.

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
    /// Its name in configurations and on the command line.
    pub(crate) name: &'static str,
    /// The games that it plays, each with its player.
    pub(crate) players: Players,
    /// `None` if it can send an engine this limit, else the limits that it can, for the error.
    pub(crate) supported_limits: fn(Limit) -> Option<&'static str>,
    /// Whether spar sends the moves again for each search, and so can choose which.
    pub(crate) repeats_moves: bool,
    /// Whether engines can ponder.
    pub(crate) ponders: bool,
    /// The limit under which a check plays whole games.
    pub(crate) check_limit: &'static str,
    /// Whether `setoption` sets an engine's options.
    pub(crate) has_setoption: bool,
    /// How engines that speak it say what they think, if they do.
    pub(crate) thoughts: Option<Thoughts>,
    /// The steps of its check. It returns whether whole games should be played next.
    pub(crate) check: fn(&Check<'_>, &mut dyn FnMut(Finding)) -> bool,
}

/// Makes a player of 0.1.
pub(crate) type MakePlayer = fn(&ProcessSpec, &Starter) -> Box<dyn ReusablePlayer<ZeroPointOne>>;

/// The players of a protocol, by the rules of the games that it plays.
pub(crate) struct Players {
    /// That of 0.1, if it plays it.
    pub(crate) zero_point_one: Option<MakePlayer>,
    /// That of chess and its variants, if it plays any.
    pub(crate) chess: Option<ChessPlayers>,
}

/// The players of chess and its variants.
pub(crate) struct ChessPlayers {
    /// Which of them it plays.
    pub(crate) plays: fn(&Chess) -> bool,
    /// Makes one.
    pub(crate) make: fn(&Chess, &ProcessSpec, &Starter) -> Box<dyn ReusablePlayer<Chess>>,
}

impl Players {
    /// Whether the protocol plays this game.
    pub(crate) fn play(&self, game: GameKind) -> bool {
        match game.rules() {
            Rules::ZeroPointOne(_) => self.zero_point_one.is_some(),
            Rules::Chess(chess) => self.chess.as_ref().is_some_and(|players| (players.plays)(&chess)),
            Rules::Custom => false,
        }
    }

    /// Whether it plays 0.1, and nothing else.
    pub(crate) fn play_only_zero_point_one(&self) -> bool {
        self.zero_point_one.is_some() && self.chess.is_none()
    }
}

/// What a clock shows to each side, and the limit that it keeps.
pub(crate) type TimeForMove = (Limit, BySide<Option<ClockFace>>);

/// How an engine says what it thinks.
pub(crate) struct Thoughts {
    /// How spar sends it a time for one move.
    pub(crate) limit: fn(Duration) -> TimeForMove,
    /// What a line says of the search, and the line of play as it is written; `None` if it says no such thing.
    pub(crate) read: fn(&str) -> Option<(MoveInfo, &str)>,
}
