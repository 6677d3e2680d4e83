//! The rules of each kind of game, and what they say about its openings and its sides.

use super::{Chess, GameKind, ZeroPointOne};
use crate::game::Game;
use record::BySide;

/// The maximum number of random plies to request in a game with unknown rules; its own rules may allow fewer.
const MOST_CUSTOM_PLIES: u32 = 1000;

/// The rules of a kind of game.
#[derive(Clone, Copy, Debug)]
pub enum Rules {
    /// The rules of 0.1.
    ZeroPointOne(ZeroPointOne),
    /// The rules of chess or of a variant.
    Chess(Chess),
    /// Unknown rules.
    Custom,
}

impl GameKind {
    /// The rules of this kind of game.
    pub fn rules(self) -> Rules {
        match self {
            Self::ZeroPointOne => Rules::ZeroPointOne(ZeroPointOne),
            Self::Custom(_) => Rules::Custom,
            Self::Chess
            | Self::Chess960
            | Self::Crazyhouse
            | Self::Crazyhouse960
            | Self::ThreeCheck
            | Self::KingOfTheHill
            | Self::Atomic
            | Self::Antichess
            | Self::Horde
            | Self::RacingKings => Chess::of(self).map_or(Rules::Custom, Rules::Chess),
        }
    }

    /// The maximum number of plies in a random opening: [`Game::most_random_plies`] of the game's rules.
    pub fn most_random_plies(self) -> u32 {
        match self.rules() {
            Rules::ZeroPointOne(_) => ZeroPointOne::most_random_plies(),
            Rules::Chess(_) => Chess::most_random_plies(),
            Rules::Custom => MOST_CUSTOM_PLIES,
        }
    }

    /// The names of the sides.
    pub fn side_names(self) -> BySide<&'static str> {
        match self.rules() {
            Rules::ZeroPointOne(_) => BySide { first: "Red", second: "Blue" },
            Rules::Chess(_) => BySide { first: "White", second: "Black" },
            Rules::Custom => BySide { first: "First", second: "Second" },
        }
    }

    /// The default number of random plies of an opening.
    pub fn usual_random_plies(self) -> u32 {
        match self.rules() {
            // The random setups differ enough.
            Rules::ZeroPointOne(_) | Rules::Custom => 0,
            Rules::Chess(_) => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_0_1_is_not_chess() {
        for kind in GameKind::ALL {
            assert_eq!(matches!(kind.rules(), Rules::ZeroPointOne(_)), kind == GameKind::ZeroPointOne);
            assert!(kind.usual_random_plies() <= kind.most_random_plies());
        }
    }
}
