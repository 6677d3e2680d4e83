//! What each protocol says of itself: which games and limits it knows, its players, and its check.

use crate::check::finding::{Check, Finding};
use crate::clock::{ClockFace, Limit};
use crate::entrant::ProcessSpec;
use crate::games::{Chess, GameKind, ZeroPointOne};
use crate::players::process::Starter;
use crate::seated_game::ReusablePlayer;
use record::{BySide, Said};
use std::time::Duration;

/// What the rest of spar knows about a protocol.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and none excludes another")]
pub(crate) struct Registered {
    /// `None` if it plays this game, else which protocols do, for the error.
    pub(crate) instead_for_game: fn(GameKind) -> Option<&'static str>,
    /// `None` if it can send an engine this limit, else what to use instead, for the error.
    pub(crate) instead_of_limit: fn(Limit) -> Option<&'static str>,
    /// Whether spar sends the moves again for each search, and so can choose which.
    pub(crate) repeats_moves: bool,
    /// Whether engines can ponder.
    pub(crate) ponders: bool,
    /// Whether it is a protocol of 0.1 alone.
    pub(crate) is_of_zero_point_one: bool,
    /// The limit under which a check plays whole games.
    pub(crate) check_limit: &'static str,
    /// Whether `setoption` sets an engine's options.
    pub(crate) has_setoption: bool,
    /// The player of an engine of 0.1, or why there is none.
    pub(crate) zero_point_one: fn(&ProcessSpec, &Starter) -> Made<ZeroPointOne>,
    /// The player of an engine of chess or a variant, or why there is none.
    pub(crate) chess: fn(&Chess, &ProcessSpec, &Starter) -> Made<Chess>,
    /// How engines that speak it say what they think, if they do.
    pub(crate) thoughts: Option<Thoughts>,
    /// The steps of its check. It returns whether whole games should be played next.
    pub(crate) check: fn(&Check<'_>, &mut dyn FnMut(Finding)) -> bool,
}

/// A player, or why there is none.
pub(crate) type Made<G> = Result<Box<dyn ReusablePlayer<G>>, String>;

/// What a clock shows to each side, and the limit that it keeps.
pub(crate) type TimeForMove = (Limit, BySide<Option<ClockFace>>);

/// How an engine says what it thinks.
pub(crate) struct Thoughts {
    /// How spar sends it a time for one move.
    pub(crate) limit: fn(Duration) -> TimeForMove,
    /// What a line says of the search, and the line of play as it is written; `None` if it says no such thing.
    pub(crate) heard: fn(&str) -> Option<(Said, &str)>,
}
