//! From lines to games: where one ends and the next begins, in files that obey the format and in those that do not.
//!
//! A game ends where the tags of the next begin, even within a comment that has no end: at a tag after a blank line, at two tags in
//! a row, or at an `Event`. So a broken game never takes its neighbour with it.

use super::game::{Draft, Flaw, Game, Kept, Record};
use super::tag;
use std::io::{self, BufRead, Read};

/// Longer lines are read in pieces, so that memory stays bounded whatever the file holds.
const LONGEST_PIECE: u64 = 1 << 16;

/// One game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Line where it starts, counted from 1.
    pub line: u64,
    /// The game, or why it cannot be used.
    pub game: Result<Game, Flaw>,
}

/// Reads games one by one.
pub struct Scanner<R> {
    lines: Lines<R>,
    draft: Draft,
    /// What is kept of each game for its [`Record`].
    keep: Kept,
    /// The line at hand belongs to the next game.
    held: bool,
    /// The line before was blank.
    after_blank: bool,
    /// The line before, within a comment, if it reads as a tag.
    tag_in_comment: Option<TagLine>,
}

/// A line that may be the first tag of a game.
struct TagLine {
    number: u64,
    text: Vec<u8>,
}

impl<R: BufRead> Scanner<R> {
    /// Starts at the beginning of a stream of PGN text.
    pub fn new(reader: R) -> Self {
        Self::keeping(reader, 0)
    }

    /// The same, to read [`Record`]s with the first `plies` plies of each game.
    pub fn keeping(reader: R, plies: u32) -> Self {
        Self::keeping_some(reader, Kept::Plies(plies))
    }

    /// The same, to read [`Record`]s with all plies and the comments between them.
    pub fn keeping_all(reader: R) -> Self {
        Self::keeping_some(reader, Kept::All)
    }

    fn keeping_some(reader: R, keep: Kept) -> Self {
        Self {
            lines: Lines { reader, piece: Vec::new(), number: 0, whole: true, begins: true },
            draft: Draft::keeping(keep),
            keep,
            held: false,
            after_blank: false,
            tag_in_comment: None,
        }
    }

    /// Line that was read last, counted from 1.
    pub fn line(&self) -> u64 {
        self.lines.number
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    /// Whatever the stream says, such as damaged compressed data. What is wrong with the text is told by the [`Entry`].
    pub fn next_game(&mut self) -> io::Result<Option<Entry>> {
        let draft = self.next_draft()?;
        Ok(draft.map(|draft| Entry { line: draft.line, game: draft.finish() }))
    }

    /// The next game as a record, or the line where it starts and what is wrong with its text; `None` at the end.
    ///
    /// # Errors
    /// As [`next_game`](Self::next_game).
    pub fn next_record(&mut self) -> io::Result<Option<Result<Record, (u64, Flaw)>>> {
        let draft = self.next_draft()?;
        Ok(draft.map(|draft| {
            let line = draft.line;
            draft.record().map_err(|flaw| (line, flaw))
        }))
    }

    fn next_draft(&mut self) -> io::Result<Option<Draft>> {
        loop {
            if !self.held && !self.lines.advance()? {
                return Ok(self.take());
            }
            self.held = false;
            if self.next_game_starts()
                && let Some(draft) = self.take()
            {
                self.held = true;
                self.begin_in_comment();
                return Ok(Some(draft));
            }
            self.absorb();
        }
    }

    fn take(&mut self) -> Option<Draft> {
        let draft = std::mem::replace(&mut self.draft, Draft::keeping(self.keep));
        (draft.line > 0).then_some(draft)
    }

    /// Begins the game whose first tag was taken for a part of a comment.
    fn begin_in_comment(&mut self) {
        if let Some(TagLine { number, text }) = self.tag_in_comment.take() {
            self.draft.line = number;
            self.draft.tags(&text, number);
        }
    }

    /// Whether the line at hand cannot belong to the game at hand.
    fn next_game_starts(&mut self) -> bool {
        let line = self.lines.piece.as_slice();
        if !self.lines.begins {
            return false;
        }
        if self.draft.moves.in_comment() {
            return self.comment_is_lost();
        }
        self.tag_in_comment = None;
        let moves = &self.draft.moves;
        match line.trim_ascii_start().first() {
            Some(b'[') if moves.started() => tag::begins(line),
            Some(b'[') => tag::split(line).is_some_and(|(tag, _)| self.draft.is_over_at(tag.name)),
            Some(b'{' | b';' | b'%') => false,
            // Words after the end of a game: another, without tags.
            _ => moves.ending().is_some() && !line.trim_ascii().is_empty(),
        }
    }

    /// Whether the line at hand, within a comment, is a tag of the next game: the comment has no end, and must not swallow the rest
    /// of the file.
    fn comment_is_lost(&mut self) -> bool {
        let line = self.lines.piece.as_slice();
        let Some((tag, _)) = tag::split(line) else {
            self.tag_in_comment = None;
            return false;
        };
        let is_lost = self.after_blank || self.tag_in_comment.is_some() || tag.name == b"Event";
        if is_lost {
            self.draft.flaw.get_or_insert(Flaw::OpenComment);
        } else {
            self.tag_in_comment = Some(TagLine { number: self.lines.number, text: line.to_owned() });
        }
        is_lost
    }

    fn absorb(&mut self) {
        let line = self.lines.piece.as_slice();
        let in_comment = self.draft.moves.in_comment();
        let blank = line.trim_ascii().is_empty();
        self.after_blank = blank && self.lines.begins;
        // A line that starts with % is for other programs.
        self.draft.blank |= blank && self.draft.line > 0;
        if blank || (!in_comment && self.lines.begins && line.starts_with(b"%")) {
            return;
        }
        if self.draft.line == 0 {
            self.draft.line = self.lines.number;
        }
        if in_comment || self.draft.moves.started() {
            self.draft.moves.line(line);
        } else {
            self.draft.tags(line, self.lines.number);
        }
    }
}

/// A stream, line by line.
struct Lines<R> {
    reader: R,
    piece: Vec<u8>,
    number: u64,
    /// Whether the piece ends its line.
    whole: bool,
    /// Whether the piece begins its line.
    begins: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads the next line, or the next piece of a very long one; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        self.piece.clear();
        self.reader.by_ref().take(LONGEST_PIECE).read_until(b'\n', &mut self.piece)?;
        if self.piece.is_empty() {
            return Ok(false);
        }
        self.number += u64::from(self.whole);
        self.begins = self.whole;
        self.whole = self.piece.ends_with(b"\n");
        while matches!(self.piece.last(), Some(b'\n' | b'\r')) {
            self.piece.pop();
        }
        if self.number == 1 && self.piece.starts_with(b"\xef\xbb\xbf") {
            self.piece.drain(..3);
        }
        Ok(true)
    }
}
