//! How games end: by the rules, by a fault of a player's, or early by the run's own settings.

use crate::side::Side;
use serde::{Deserialize, Serialize};
use stats::Score;
use std::fmt;
use std::time::Duration;

/// The default time to wait for an engine that has overrun its time, to learn by how much.
pub const LATE_ANSWER: Duration = Duration::from_secs(1);

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Won by the rules.
    Win {
        /// The winner.
        winner: Side,
        /// By what rule.
        by: WinRule,
    },
    /// Drawn by the rules.
    Draw {
        /// By what rule.
        by: DrawRule,
    },
    /// Lost by a fault.
    Forfeit {
        /// The loser.
        loser: Side,
        /// What it did.
        fault: Fault,
    },
    /// Ended early by the run's own settings.
    Adjudicated {
        /// The winner; `None` if it was adjudicated a draw.
        winner: Option<Side>,
        /// By what setting.
        by: AdjudicatedBy,
    },
}

impl Ending {
    /// The game's score for `side`.
    pub fn score(&self, side: Side) -> Score {
        match self {
            Self::Draw { .. } | Self::Adjudicated { winner: None, .. } => Score::Draw,
            Self::Win { winner, .. } | Self::Adjudicated { winner: Some(winner), .. } if *winner == side => Score::Win,
            Self::Forfeit { loser, .. } if *loser != side => Score::Win,
            Self::Win { .. } | Self::Forfeit { .. } | Self::Adjudicated { .. } => Score::Loss,
        }
    }

    /// The fault and its side, if that ended the game.
    pub fn fault(&self) -> Option<(Side, &Fault)> {
        match self {
            Self::Forfeit { loser, fault } => Some((*loser, fault)),
            Self::Win { .. } | Self::Draw { .. } | Self::Adjudicated { .. } => None,
        }
    }
}

/// The rule by which a game was won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WinRule {
    /// 0.1: the wazir was captured.
    WazirCaptured,
    /// Chess and its variants: checkmate.
    Checkmate,
    /// The other side gave the game up.
    Resignation,
    /// A chess variant's own rule: the third check, the king on the hill, the king exploded, no piece left, ...
    Variant,
}

/// The rule by which a game was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DrawRule {
    /// 0.1: ply 102 was made.
    PlyLimit,
    /// 0.1: the side to move has no legal move.
    NoMove,
    /// Chess: the side to move has no legal move and is not in check.
    Stalemate,
    /// Chess: the position occurred for the third time.
    Repetition,
    /// Chess: fifty moves of each side without a capture or a pawn move.
    FiftyMoves,
    /// Chess: neither side can mate any more.
    InsufficientMaterial,
    /// A chess variant's own rule.
    Variant,
    /// Both sides wanted it.
    Agreement,
    /// The time of one side ran out, and the other has no material to win with.
    Timeout,
}

/// What a player did wrong. It loses the game; the run continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// It crashed or panicked; the text says how.
    Crash(String),
    /// It played an illegal move, given as text.
    IllegalMove(String),
    /// It overran its time by this much.
    Time {
        /// How much more than it had.
        over: Duration,
    },
    /// It gave no answer within this time.
    Silence {
        /// The deadline it missed.
        after: Duration,
    },
    /// It could not be started, or did not get ready for the game; the text says why.
    Startup(String),
    /// It claimed what is not so, in the words of this text: a result that the game does not have, or that a legal move
    /// of its opponent is illegal.
    FalseClaim(String),
}

impl Fault {
    /// Whether the player's process, if it is one, has ended or must be ended.
    pub fn needs_restart(&self) -> bool {
        matches!(self, Self::Crash(_) | Self::Silence { .. } | Self::Startup(_))
    }

    /// Whether the player could have been in time, `margin` included, if the host had not kept it waiting for a
    /// processor for this long. After that time it had `overrun` to answer.
    pub fn is_explained_by(&self, waited: Duration, margin: Duration, overrun: Duration) -> bool {
        match self {
            Self::Time { over } => *over <= waited.saturating_add(margin),
            Self::Silence { .. } => waited >= overrun,
            Self::Crash(_) | Self::IllegalMove(_) | Self::Startup(_) | Self::FalseClaim(_) => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(how) => write!(f, "crashed: {how}"),
            Self::IllegalMove(text) => write!(f, "illegal move {text:?}"),
            Self::Time { over } => write!(f, "overran its time by {over:.3?}"),
            Self::Startup(why) => write!(f, "did not start: {why}"),
            Self::FalseClaim(text) => write!(f, "false claim {text:?}"),
            Self::Silence { after } => write!(f, "no answer within {after:.3?}"),
        }
    }
}

/// The setting by which a game was ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdjudicatedBy {
    /// Both players saw equality for long.
    Draw,
    /// A player saw itself lost for long.
    Resign,
    /// It was the longest game that is allowed.
    MaxPlies,
    /// Endgame tables knew the result.
    Tables,
}
