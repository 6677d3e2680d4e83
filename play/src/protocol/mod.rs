//! The text protocols of external engines. Each is a folder: its lines, the player and the check of engines that speak
//! it, and what it can do (`PROTOCOL`). A new one is such a folder, a variant of [`Protocol`], and a line here.
//!
//! The codecs, from lines to messages and from commands to lines, are pure: no process, no pipe, no clock, and no rules
//! of a game. Moves and positions are text there; who plays the game knows what they mean. Both directions of the
//! commands are there, so that each can be tested against the other.

pub mod codecup;
pub(crate) mod evaluation;
pub(crate) mod option;
pub(crate) mod registered;
pub mod uci;
mod words;
pub mod xboard;

pub use evaluation::Bound;
pub use option::{OptionDeclaration, OptionError, OptionKind, truth};

use crate::clock::Limit;
use crate::entrant::Protocol;
use crate::games::GameKind;
use registered::Registered;

impl Protocol {
    pub(crate) fn registered(self) -> &'static Registered {
        match self {
            Self::Uci => &uci::PROTOCOL,
            Self::Xboard => &xboard::PROTOCOL,
            Self::Codecup => &codecup::PROTOCOL,
        }
    }

    /// `None` if it plays this game, else which protocols do.
    pub fn instead_for_game(self, game: GameKind) -> Option<&'static str> {
        (self.registered().instead_for_game)(game)
    }

    /// `None` if it can send an engine this limit, else what to use instead.
    pub fn instead_of_limit(self, limit: Limit) -> Option<&'static str> {
        (self.registered().instead_of_limit)(limit)
    }

    /// Whether spar sends the moves again for each search, and so can choose which.
    pub fn repeats_moves(self) -> bool {
        self.registered().repeats_moves
    }

    /// Whether engines can ponder.
    pub fn ponders(self) -> bool {
        self.registered().ponders
    }

    /// Whether it is a protocol of 0.1 alone.
    pub fn is_of_zero_point_one(self) -> bool {
        self.registered().is_of_zero_point_one
    }

    /// The limit under which a check plays whole games, as configurations have it.
    pub fn check_limit(self) -> &'static str {
        self.registered().check_limit
    }

    /// Whether `setoption` sets an engine's options.
    pub fn has_setoption(self) -> bool {
        self.registered().has_setoption
    }
}
