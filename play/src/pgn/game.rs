//! One game as its tags and moves tell it, and what can be wrong with it.

use super::movetext::{Ending, MOST_NESTED, Movetext, Note, Opening};
use super::tag::{self, Tag};
use stats::Score;
use thiserror::Error;

/// What ratings need of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Name of the one in the first seat.
    pub white: String,
    /// Name of the one in the second seat.
    pub black: String,
    /// What the game was worth to White.
    pub score: Score,
    /// What it started from.
    pub opening: Opening,
    /// The `Round` tag, if it says anything.
    pub round: Option<String>,
}

/// What openings and books need of a game: where it starts, and its first plies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Line where it starts, counted from 1.
    pub line: u64,
    /// The `FEN` tag.
    pub fen: Option<String>,
    /// The `Variant` tag, if it says anything.
    pub variant: Option<String>,
    /// Its result for White, or why that is unknown.
    pub score: Result<Score, Flaw>,
    /// The tags `WhiteElo` and `BlackElo`, where they are numbers.
    pub elo: [Option<u32>; 2],
    /// The first plies as the file has them, separated by spaces; at most as many as were asked for.
    pub moves: String,
    /// Comments outside variations, if they were asked for.
    pub comments: Vec<Note>,
}

/// Why a game cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Flaw {
    /// Its result is `*`.
    #[error("the game is not finished: its result is *")]
    Unfinished,
    /// The players are unknown.
    #[error("no {0} tag with the name of a player")]
    NoPlayer(&'static str),
    /// Both seats have one name.
    #[error("\"{0}\" plays itself")]
    PlaysItself(String),
    /// Neither tag nor moves tell the result.
    #[error("no result")]
    NoResult,
    /// A result that is none.
    #[error("the result \"{0}\" is unknown: expected 1-0, 0-1, 1/2-1/2 or *")]
    UnknownResult(String),
    /// The tag and the end of the moves tell different results.
    #[error("the Result tag says {tag}, but the moves end with another result")]
    Contradiction {
        /// What the tag says.
        tag: String,
    },
    /// A line that starts as a tag and is none.
    #[error("line {line} is not a tag: expected [Name \"value\"]")]
    BadTag {
        /// Which line, counted from 1.
        line: u64,
    },
    /// A comment runs into the next game, or to the end of the file.
    #[error("a comment does not end: expected }}")]
    OpenComment,
    /// Another comment begins in a comment, so that moves may be hidden in it.
    #[error("a comment has a {{ in it: expected }} before it, or the moves in between are lost")]
    NestedComment,
    /// A variation runs to the end of the game.
    #[error("a variation does not end: expected )")]
    OpenVariation,
    /// Variations within variations, deeper than in real files.
    #[error("variations are nested more than {MOST_NESTED} deep")]
    Nested,
}

/// What is kept of the text between a game's tags and its result.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kept {
    /// The words of the first plies.
    Plies(u32),
    /// The words of all plies, and the comments.
    All,
}

/// A game while it is being read.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// Line of its first tag or word, counted from 1; 0 while there is none.
    pub(super) line: u64,
    /// Whether a blank line followed.
    pub(super) blank: bool,
    pub(super) flaw: Option<Flaw>,
    pub(super) moves: Movetext,
    event: Option<String>,
    white: Option<String>,
    black: Option<String>,
    result: Option<String>,
    round: Option<String>,
    fen: Option<String>,
    variant: Option<String>,
    white_elo: Option<String>,
    black_elo: Option<String>,
}

impl Draft {
    /// A game with these parts of it.
    pub(super) fn keeping(kept: Kept) -> Self {
        let moves = match kept {
            Kept::Plies(plies) => Movetext::keeping(plies),
            Kept::All => Movetext::keeping_all(),
        };
        Self { moves, ..Self::default() }
    }

    fn slot(&mut self, name: &[u8]) -> Option<&mut Option<String>> {
        match name {
            b"Event" => Some(&mut self.event),
            b"White" => Some(&mut self.white),
            b"Black" => Some(&mut self.black),
            b"Result" => Some(&mut self.result),
            b"Round" => Some(&mut self.round),
            b"FEN" => Some(&mut self.fen),
            b"Variant" => Some(&mut self.variant),
            b"WhiteElo" => Some(&mut self.white_elo),
            b"BlackElo" => Some(&mut self.black_elo),
            _ => None,
        }
    }

    /// Whether a tag of this name is the next game's: no game has a tag twice, and each should begin with its event.
    pub(super) fn is_over_at(&mut self, name: &[u8]) -> bool {
        let begins = self.blank && name == b"Event";
        begins || self.slot(name).is_some_and(|slot| slot.is_some())
    }

    /// Takes in the tags of a line before the moves, and what moves follow them on it.
    pub(super) fn tags(&mut self, line: &[u8], number: u64) {
        let mut rest = line.trim_ascii();
        while let Some((tag, after)) = tag::split(rest) {
            self.tag(&tag);
            rest = after;
        }
        if rest.starts_with(b"[") {
            self.flaw.get_or_insert(Flaw::BadTag { line: number });
        } else if !rest.is_empty() && !self.is_end_of_tag(rest) {
            self.moves.line(rest);
        }
    }

    /// Whether these words are the end of a tag that is broken into two lines.
    fn is_end_of_tag(&self, words: &[u8]) -> bool {
        !self.blank && matches!(self.flaw, Some(Flaw::BadTag { .. })) && words.ends_with(b"\"]")
    }

    /// Takes in a tag; most are of no interest.
    fn tag(&mut self, tag: &Tag<'_>) {
        if let Some(slot) = self.slot(tag.name) {
            *slot = Some(tag.value());
        }
    }

    /// What is wrong with the text itself.
    fn damage(&self) -> Option<Flaw> {
        self.flaw.clone().or_else(|| self.moves.in_comment().then_some(Flaw::OpenComment))
    }

    /// The game, or what is wrong with it.
    pub(super) fn finish(self) -> Result<Game, Flaw> {
        if let Some(flaw) = self.damage() {
            return Err(flaw);
        }
        let score = score(self.result, self.moves.ending())?;
        let white = name(self.white, "White")?;
        let black = name(self.black, "Black")?;
        if white == black {
            return Err(Flaw::PlaysItself(white));
        }
        let opening = self.moves.opening(self.fen.as_deref(), self.variant.as_deref());
        let round = self.round.filter(|round| !matches!(round.trim(), "" | "?" | "-"));
        Ok(Game { white, black, score, opening, round })
    }

    /// Why moves of the opening may hide in variations.
    fn lost_moves(&self) -> Option<Flaw> {
        match &self.moves {
            moves if moves.is_nested_too_deep() => Some(Flaw::Nested),
            moves if moves.in_variation() => Some(Flaw::OpenVariation),
            moves if moves.may_hide_moves() => Some(Flaw::NestedComment),
            _ => None,
        }
    }

    /// The plies kept and the other data of an opening; or what is wrong with the text.
    pub(super) fn record(self) -> Result<Record, Flaw> {
        if let Some(flaw) = self.damage().or_else(|| self.lost_moves()) {
            return Err(flaw);
        }
        let elo = [self.white_elo, self.black_elo].map(|tag| tag.and_then(|text| text.trim().parse().ok()));
        let score = score(self.result, self.moves.ending());
        let variant = self.variant.filter(|variant| !matches!(variant.trim(), "" | "?" | "-"));
        let (moves, comments) = self.moves.into_kept();
        Ok(Record { line: self.line, fen: self.fen, variant, score, elo, moves, comments })
    }
}

fn name(tag: Option<String>, which: &'static str) -> Result<String, Flaw> {
    tag.map(|name| name.trim().to_owned())
        .filter(|name| !matches!(name.as_str(), "" | "?" | "-"))
        .ok_or(Flaw::NoPlayer(which))
}

/// The result by the tag, which the end of the moves must not contradict; without a tag, by the end of the moves.
fn score(tag: Option<String>, end: Option<Ending>) -> Result<Score, Flaw> {
    let tagged = match &tag {
        None => None,
        Some(text) => match Ending::parse(text.trim().as_bytes()) {
            None => return Err(Flaw::UnknownResult(text.chars().take(20).collect())),
            known => known,
        },
    };
    match (tagged, end) {
        (Some(Ending::Open), _) | (None, Some(Ending::Open)) => Err(Flaw::Unfinished),
        (Some(one), Some(other)) if one != other => Err(Flaw::Contradiction { tag: tag.unwrap_or_default() }),
        (Some(Ending::Decided(score)), _) | (None, Some(Ending::Decided(score))) => Ok(score),
        (None, None) => Err(Flaw::NoResult),
    }
}
