//! The text protocols of external engines. Each is a folder: its lines, the player and the check of engines that speak
//! it, and what it can do (`PROTOCOL`). A new one is such a folder, its module here, and its variant of [`Protocol`].
//!
//! The codecs, from lines to messages and from commands to lines, are pure: no process, no pipe, no clock, and no rules
//! of a game. Moves and positions are text there; who plays the game knows what they mean. Both directions of the
//! commands are there, so that each can be tested against the other.

pub mod codecup;
pub(crate) mod evaluation;
pub(crate) mod info;
mod name;
pub(crate) mod option;
pub mod uci;
mod words;
pub mod xboard;

pub use evaluation::Bound;
pub use name::Protocol;
pub use option::{OptionDeclaration, OptionError, OptionKind, truth};

use crate::clock::Limit;
use crate::games::GameKind;
use info::ProtocolInfo;

impl Protocol {
    pub(crate) fn info(self) -> &'static ProtocolInfo {
        match self {
            Self::Uci => &uci::PROTOCOL,
            Self::Xboard => &xboard::PROTOCOL,
            Self::Codecup => &codecup::PROTOCOL,
        }
    }

    /// Its name in configurations and on the command line.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether it plays this game.
    pub fn plays(self, game: GameKind) -> bool {
        self.info().players.play(game)
    }

    /// The game of its engines where a configuration names none: 0.1 if it plays no other.
    pub fn default_game(self) -> GameKind {
        let is_only_game = self.info().players.play_only_zero_point_one();
        if is_only_game { GameKind::ZeroPointOne } else { GameKind::Chess }
    }

    /// `None` if it can send an engine this limit, else the limits that it can.
    pub fn supported_limits(self, limit: Limit) -> Option<&'static str> {
        (self.info().supported_limits)(limit)
    }

    /// Whether spar sends the moves again for each search, and so can choose which.
    pub fn repeats_moves(self) -> bool {
        self.info().repeats_moves
    }

    /// Whether engines can ponder.
    pub fn ponders(self) -> bool {
        self.info().ponders
    }

    /// The limit under which a check plays whole games, as configurations have it.
    pub fn check_limit(self) -> &'static str {
        self.info().check_limit
    }

    /// Whether `setoption` sets an engine's options.
    pub fn has_setoption(self) -> bool {
        self.info().has_setoption
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_is_stored_by_its_name() {
        for protocol in Protocol::ALL {
            let stored = serde_json::to_string(&protocol).unwrap();
            assert_eq!(stored, format!("\"{}\"", protocol.name()));
            assert_eq!(serde_json::from_str::<Protocol>(&stored).unwrap(), protocol);
        }
    }

    #[test]
    fn a_game_is_played_over_some_protocol_and_each_has_its_default_game() {
        for game in GameKind::ALL {
            assert!(Protocol::ALL.into_iter().any(|protocol| protocol.plays(game)), "{game}");
        }
        assert!(Protocol::ALL.into_iter().all(|protocol| protocol.plays(protocol.default_game())));
        assert!(!Protocol::Xboard.plays(GameKind::Chess960) && !Protocol::Xboard.plays(GameKind::Crazyhouse960));
        assert!(!Protocol::Codecup.plays(GameKind::Chess));
    }
}
