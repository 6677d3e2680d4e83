//! Which games there are: their names in configurations and journals, and the rules of each.

use super::{Chess, ZeroPointOne};
use crate::{BySide, Game};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// The game a run is played in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GameKind {
    /// Zero Point One.
    #[default]
    ZeroPointOne,
    /// Chess from its usual start.
    Chess,
    /// Chess from any of 960 starts.
    Chess960,
    /// Captured pieces change sides and are dropped again.
    Crazyhouse,
    /// The third check wins too.
    ThreeCheck,
    /// A king in the centre wins too.
    KingOfTheHill,
    /// Captures explode.
    Atomic,
    /// Captures are forced, and who has nothing left wins.
    Antichess,
    /// White is a crowd of pawns without a king.
    Horde,
    /// The first king on the eighth rank wins, and nobody may give check.
    RacingKings,
}

/// The rules of a kind of game.
#[derive(Clone, Copy, Debug)]
pub enum Rules {
    /// Those of 0.1.
    ZeroPointOne(ZeroPointOne),
    /// Those of chess or of a variant.
    Chess(Chess),
}

/// There is no such game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown game `{0}`: expected one of {all}", all = GameKind::ALL.map(GameKind::name).join(", "))]
pub struct UnknownGame(pub String);

impl GameKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::ZeroPointOne,
        Self::Chess,
        Self::Chess960,
        Self::Crazyhouse,
        Self::ThreeCheck,
        Self::KingOfTheHill,
        Self::Atomic,
        Self::Antichess,
        Self::Horde,
        Self::RacingKings,
    ];

    /// Its name in configurations, journals and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ZeroPointOne => "0.1",
            Self::Chess => "chess",
            Self::Chess960 => "chess960",
            Self::Crazyhouse => "crazyhouse",
            Self::ThreeCheck => "three-check",
            Self::KingOfTheHill => "king-of-the-hill",
            Self::Atomic => "atomic",
            Self::Antichess => "antichess",
            Self::Horde => "horde",
            Self::RacingKings => "racing-kings",
        }
    }

    /// Its rules.
    pub fn rules(self) -> Rules {
        Chess::of(self).map_or(Rules::ZeroPointOne(ZeroPointOne), Rules::Chess)
    }

    /// How many plies at most a random opening may have: [`Game::most_random_plies`] of its rules.
    pub fn most_random_plies(self) -> u32 {
        match self.rules() {
            Rules::ZeroPointOne(_) => ZeroPointOne::most_random_plies(),
            Rules::Chess(_) => Chess::most_random_plies(),
        }
    }

    /// What its sides are called.
    pub fn side_names(self) -> BySide<&'static str> {
        match self.rules() {
            Rules::ZeroPointOne(_) => BySide { first: "Red", second: "Blue" },
            Rules::Chess(_) => BySide { first: "White", second: "Black" },
        }
    }

    /// Its name in PGN's `Variant` tag, which ordinary chess goes without.
    pub const fn pgn_variant(self) -> Option<&'static str> {
        match self {
            Self::Chess => None,
            Self::ZeroPointOne => Some("0.1"),
            Self::Chess960 => Some("Chess960"),
            Self::Crazyhouse => Some("Crazyhouse"),
            Self::ThreeCheck => Some("Three-check"),
            Self::KingOfTheHill => Some("King of the Hill"),
            Self::Atomic => Some("Atomic"),
            Self::Antichess => Some("Antichess"),
            Self::Horde => Some("Horde"),
            Self::RacingKings => Some("Racing Kings"),
        }
    }

    /// The game that PGN's `Variant` tag names, by any of the names in use; `None` if it is none of these.
    pub fn of_pgn_variant(name: &str) -> Option<Self> {
        let plain = |name: &str| {
            let letters = name.chars().filter(char::is_ascii_alphanumeric);
            letters.map(|c| c.to_ascii_lowercase()).collect::<String>()
        };
        match plain(name).as_str() {
            "standard" | "normal" | "fromposition" => Some(Self::Chess),
            "fischerandom" | "fischerrandom" => Some(Self::Chess960),
            "3check" => Some(Self::ThreeCheck),
            name => Self::ALL.into_iter().find(|kind| plain(kind.name()) == name),
        }
    }

    /// The random plies of an opening where a configuration says nothing of them.
    pub fn usual_random_plies(self) -> u32 {
        match self.rules() {
            // The random setups differ enough.
            Rules::ZeroPointOne(_) => 0,
            Rules::Chess(_) => 8,
        }
    }
}

impl fmt::Display for GameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GameKind {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<Self, UnknownGame> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| UnknownGame(text.to_owned()))
    }
}

impl Serialize for GameKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for GameKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_all_different() {
        for kind in GameKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            let json = serde_json::to_string(&kind).unwrap();
            assert_eq!(json, format!("\"{kind}\""));
            assert_eq!(serde_json::from_str::<GameKind>(&json).unwrap(), kind);
        }
        let error = "ches".parse::<GameKind>().unwrap_err().to_string();
        assert!(error.starts_with("unknown game `ches`: expected one of 0.1, chess, chess960, "), "{error}");
    }

    #[test]
    fn variants_are_known_by_all_their_names() {
        for kind in GameKind::ALL {
            assert_eq!(GameKind::of_pgn_variant(kind.pgn_variant().unwrap_or("Standard")), Some(kind));
        }
        for (name, kind) in [
            ("From Position", Some(GameKind::Chess)),
            ("fischerandom", Some(GameKind::Chess960)),
            ("racingkings", Some(GameKind::RacingKings)),
            ("threeCheck", Some(GameKind::ThreeCheck)),
            ("Xiangqi", None),
            ("", None),
        ] {
            assert_eq!(GameKind::of_pgn_variant(name), kind, "{name}");
        }
    }

    #[test]
    fn only_0_1_is_not_chess() {
        for kind in GameKind::ALL {
            assert_eq!(matches!(kind.rules(), Rules::ZeroPointOne(_)), kind == GameKind::ZeroPointOne);
            assert!(kind.usual_random_plies() <= kind.most_random_plies());
        }
    }
}
