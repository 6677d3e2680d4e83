//! One game as described by its tags and moves, and the flaws that it can have.

use super::movetext::{Ending, MOST_NESTED, Movetext, Note, Opening};
use super::tag::{self, Tag};
use stats::Score;
use thiserror::Error;

/// The parts of a finished game that ratings need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Name of the player in the first seat.
    pub white: String,
    /// Name of the player in the second seat.
    pub black: String,
    /// The score for White.
    pub score: Score,
    /// The opening that the game started from.
    pub opening: Opening,
    /// The `Round` tag, if it is not empty.
    pub round: Option<String>,
}

/// The parts of a game that openings and books need: its start, and its first plies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Line where the game starts, counted from 1.
    pub line: u64,
    /// The `FEN` tag.
    pub fen: Option<String>,
    /// The `Variant` tag, if it is not empty.
    pub variant: Option<String>,
    /// The result for White, or why it is unknown.
    pub score: Result<Score, Flaw>,
    /// The tags `WhiteElo` and `BlackElo`, where they are numbers.
    pub elo: [Option<u32>; 2],
    /// The first plies as written in the file, separated by spaces; at most the requested number.
    pub moves: String,
    /// Comments outside variations, if requested.
    pub comments: Vec<Note>,
}

/// Why a game cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Flaw {
    /// The result is `*`.
    #[error("the game is not finished: its result is *")]
    Unfinished,
    /// The players are unknown.
    #[error("no {0} tag with the name of a player")]
    NoPlayer(&'static str),
    /// Both seats have the same name.
    #[error("\"{0}\" plays itself")]
    PlaysItself(String),
    /// Neither tag nor moves tell the result.
    #[error("no result")]
    NoResult,
    /// A text that is not a result.
    #[error("the result \"{0}\" is unknown: expected 1-0, 0-1, 1/2-1/2 or *")]
    UnknownResult(String),
    /// The tag and the end of the moves tell different results.
    #[error("the Result tag says {tag}, but the moves end with another result")]
    Contradiction {
        /// The tag's result.
        tag: String,
    },
    /// A line that starts like a tag and is not one.
    #[error("line {line} is not a tag: expected [Name \"value\"]")]
    BadTag {
        /// The line, counted from 1.
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

/// The parts to keep of the text between a game's tags and its result.
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
    /// Line of the first tag or word, counted from 1; 0 while there is none.
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
    /// A draft that keeps these parts of the game.
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

    /// Whether a tag of this name belongs to the next game: no game has a tag twice, and each should begin with its
    /// event.
    pub(super) fn is_over_at(&mut self, name: &[u8]) -> bool {
        let begins = self.blank && name == b"Event";
        begins || self.slot(name).is_some_and(|slot| slot.is_some())
    }

    /// Reads the tags in a line before the moves, and any moves after them.
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

    /// Reads a tag; most are ignored.
    fn tag(&mut self, tag: &Tag<'_>) {
        if let Some(slot) = self.slot(tag.name) {
            *slot = Some(tag.value());
        }
    }

    /// The flaw in the text itself, if any.
    fn damage(&self) -> Option<Flaw> {
        self.flaw.clone().or_else(|| self.moves.in_comment().then_some(Flaw::OpenComment))
    }

    /// The game, or its flaw.
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

    /// The flaw that may hide moves of the opening in variations.
    fn lost_moves(&self) -> Option<Flaw> {
        match &self.moves {
            moves if moves.is_nested_too_deep() => Some(Flaw::Nested),
            moves if moves.in_variation() => Some(Flaw::OpenVariation),
            moves if moves.may_hide_moves() => Some(Flaw::NestedComment),
            _ => None,
        }
    }

    /// The kept plies and the other data of an opening; or the flaw in the text.
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

/// The result of the tag, which the end of the moves must not contradict; without a tag, that of the end of the moves.
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
