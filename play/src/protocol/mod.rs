//! The text protocols of external engines. Each is a folder with its lines, the player and the check of engines that
//! speak it, and its capabilities (`PROTOCOL`). A new protocol needs such a folder, its module here, and a variant of
//! [`Protocol`].
//!
//! The codecs, from lines to messages and from commands to lines, are pure: no process, no pipe, no clock, and no rules
//! of a game. They treat moves and positions as text; the players interpret them. Commands are implemented in both
//! directions, so that each can be tested against the other.

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

    /// The name in configurations and on the command line.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether the protocol supports this game.
    pub fn plays(self, game: GameKind) -> bool {
        self.info().players.play(game)
    }

    /// The game of the protocol's engines if a configuration names none: 0.1 if the protocol supports no other.
    pub fn default_game(self) -> GameKind {
        let is_only_game = self.info().players.play_only_zero_point_one();
        if is_only_game { GameKind::ZeroPointOne } else { GameKind::Chess }
    }

    /// `None` if the protocol can send an engine this limit; otherwise the limits that it can send.
    pub fn supported_limits(self, limit: Limit) -> Option<&'static str> {
        (self.info().supported_limits)(limit)
    }

    /// Whether spar sends the moves again for each search, and can therefore choose which.
    pub fn repeats_moves(self) -> bool {
        self.info().repeats_moves
    }

    /// Whether engines can ponder.
    pub fn ponders(self) -> bool {
        self.info().ponders
    }

    /// The limit under which a check plays whole games, in the notation of configurations.
    pub fn check_limit(self) -> &'static str {
        self.info().check_limit
    }

    /// Whether engines have options.
    pub fn has_options(self) -> bool {
        self.info().option_command.is_some()
    }

    /// Whether `setoption` sets an engine's options.
    pub fn has_setoption(self) -> bool {
        self.info().option_command == Some("setoption")
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
