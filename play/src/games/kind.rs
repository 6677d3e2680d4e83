//! The kinds of games: their names in configurations, journals and PGN tags.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

/// The game a run is played in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GameKind {
    /// Zero Point One.
    #[default]
    ZeroPointOne,
    /// Chess from its usual start.
    Chess,
    /// Chess from one of 960 starts.
    Chess960,
    /// Captured pieces change sides and are dropped again.
    Crazyhouse,
    /// Crazyhouse from one of the 960 starts of Chess960.
    Crazyhouse960,
    /// The third check wins too.
    ThreeCheck,
    /// A king in the centre wins too.
    KingOfTheHill,
    /// Captures explode.
    Atomic,
    /// Captures are forced, and a side without pieces wins.
    Antichess,
    /// White is a crowd of pawns without a king.
    Horde,
    /// The first king on the eighth rank wins, and giving check is illegal.
    RacingKings,
    /// A game that only the program that plays it knows, by its whole name: `custom:` and 1 to 32 letters, digits or
    /// hyphens.
    Custom(CustomName),
}

/// The name of a game that only the program that plays it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CustomName(&'static str);

/// The error for an unknown name of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown game `{0}`: expected one of {all}, or the name of a game of your own after \
    `custom:`", all = GameKind::ALL.map(GameKind::name).join(", "))]
pub struct UnknownGame(pub String);

impl GameKind {
    /// All games whose rules spar knows.
    pub const ALL: [Self; 11] = [
        Self::ZeroPointOne,
        Self::Chess,
        Self::Chess960,
        Self::Crazyhouse,
        Self::Crazyhouse960,
        Self::ThreeCheck,
        Self::KingOfTheHill,
        Self::Atomic,
        Self::Antichess,
        Self::Horde,
        Self::RacingKings,
    ];

    /// The name in configurations, journals and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ZeroPointOne => "0.1",
            Self::Chess => "chess",
            Self::Chess960 => "chess960",
            Self::Crazyhouse => "crazyhouse",
            Self::Crazyhouse960 => "crazyhouse960",
            Self::ThreeCheck => "three-check",
            Self::KingOfTheHill => "king-of-the-hill",
            Self::Atomic => "atomic",
            Self::Antichess => "antichess",
            Self::Horde => "horde",
            Self::RacingKings => "racing-kings",
            Self::Custom(CustomName(name)) => name,
        }
    }

    /// The name in PGN's `Variant` tag; `None` for ordinary chess, which has no such tag.
    pub const fn pgn_variant(self) -> Option<&'static str> {
        match self {
            Self::Chess => None,
            Self::ZeroPointOne => Some("0.1"),
            Self::Chess960 => Some("Chess960"),
            Self::Crazyhouse => Some("Crazyhouse"),
            Self::Crazyhouse960 => Some("Crazyhouse960"),
            Self::ThreeCheck => Some("Three-check"),
            Self::KingOfTheHill => Some("King of the Hill"),
            Self::Atomic => Some("Atomic"),
            Self::Antichess => Some("Antichess"),
            Self::Horde => Some("Horde"),
            Self::RacingKings => Some("Racing Kings"),
            Self::Custom(CustomName(name)) => Some(name),
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
}

/// The prefix of a custom game's name.
const CUSTOM: &str = "custom:";
/// The maximum length of a custom name, without the prefix.
const LONGEST_CUSTOM: usize = 32;
/// The maximum number of custom names. They are never freed, so that a game's kind can be copied like a number; no
/// program has more games of its own.
const MOST_CUSTOM_NAMES: usize = 1000;

impl CustomName {
    /// The name as in configurations and journals, `custom:` included; `None` for other names.
    pub fn of(text: &str) -> Option<Self> {
        static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let name = text.strip_prefix(CUSTOM)?;
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if !(1..=LONGEST_CUSTOM).contains(&name.len()) || !name.chars().all(fits) {
            return None;
        }
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = known.get(text) {
            return Some(Self(name));
        }
        if known.len() >= MOST_CUSTOM_NAMES {
            return None;
        }
        let name: &'static str = Box::leak(text.into());
        known.insert(name);
        Some(Self(name))
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
        let known = Self::ALL.into_iter().find(|kind| kind.name() == text);
        let own = || CustomName::of(text).map(Self::Custom);
        known.or_else(own).ok_or_else(|| UnknownGame(text.to_owned()))
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
        let own: GameKind = "custom:tic-tac-toe".parse().unwrap();
        assert_eq!((own.to_string().parse(), own.name()), (Ok(own), "custom:tic-tac-toe"));
        for wrong in ["custom:", "custom:a b", "custom", &format!("custom:{}", "a".repeat(33))] {
            assert!(wrong.parse::<GameKind>().is_err(), "{wrong}");
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
}
