//! Splits lines into games, both in files that obey the format and in those that do not.
//!
//! A game ends where the tags of the next begin, even within an unterminated comment: at a tag after a blank line, at
//! two tags in a row, or at an `Event`. A game without tags begins after a result. Within a comment this is known only
//! once the comment turns out to be unterminated; the lines since are then read again. So a broken game never swallows
//! the next one.

use super::game::{Draft, Flaw, Game, Kept, Record};
use super::movetext::{begins_moves, ends_with_result, next_game_in};
use super::tag;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

/// Longer lines are read in pieces, so that memory stays bounded for any file.
const LONGEST_PIECE: u64 = 1 << 16;

/// The maximum number of bytes of a comment that are kept to be read again as games. Longer texts are not comments.
const MOST_HIDDEN: usize = 1 << 16;

/// One game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Line where the game starts, counted from 1.
    pub line: u64,
    /// The game, or why it cannot be used.
    pub game: Result<Game, Flaw>,
}

/// Reads games one by one.
pub struct Scanner<R> {
    lines: Lines<R>,
    draft: Draft,
    /// The parts to keep of each game for its [`Record`].
    keep: Kept,
    /// Whether the current line belongs to the next game.
    held: bool,
    /// Whether the previous line was blank.
    after_blank: bool,
    /// The previous line, within a comment, if it reads as a tag.
    tag_in_comment: Option<TagLine>,
    /// Whether the last line that is not blank ends with a result.
    after_result: bool,
    /// The lines of the current comment, from one that may begin a game without tags.
    hidden: Vec<Piece>,
}

/// A line that may be the first tag of a game.
struct TagLine {
    number: u64,
    text: Vec<u8>,
}

impl<R: BufRead> Scanner<R> {
    /// A scanner at the beginning of a stream of PGN text.
    pub fn new(reader: R) -> Self {
        Self::keeping(reader, 0)
    }

    /// Like [`new`](Self::new), for reading [`Record`]s with the first `plies` plies of each game.
    pub fn keeping(reader: R, plies: u32) -> Self {
        Self::keeping_some(reader, Kept::Plies(plies))
    }

    /// Like [`new`](Self::new), for reading [`Record`]s with all plies and the comments between them.
    pub fn keeping_all(reader: R) -> Self {
        Self::keeping_some(reader, Kept::All)
    }

    fn keeping_some(reader: R, keep: Kept) -> Self {
        Self {
            lines: Lines { reader, at: Piece::default(), read: 0, is_at_start: true, again: VecDeque::new() },
            draft: Draft::keeping(keep),
            keep,
            held: false,
            after_blank: false,
            tag_in_comment: None,
            after_result: false,
            hidden: Vec::new(),
        }
    }

    /// The number of the last line read, counted from 1.
    pub fn line(&self) -> u64 {
        self.lines.at.number
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    /// The stream's errors, such as damaged compressed data. Errors in the text are in the [`Entry`].
    pub fn next_game(&mut self) -> io::Result<Option<Entry>> {
        let draft = self.next_draft()?;
        Ok(draft.map(|draft| Entry { line: draft.line, game: draft.finish() }))
    }

    /// The next game as a record, or the line where it starts and its flaw; `None` at the end.
    ///
    /// # Errors
    /// The same as for [`next_game`](Self::next_game).
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
                // The open comment is unterminated.
                return Ok(self.lose_comment());
            }
            self.held = false;
            if self.hides_games() {
                return Ok(self.lose_comment());
            }
            if self.next_game_starts() {
                if !self.hidden.is_empty() {
                    return Ok(self.lose_comment());
                }
                if let Some(draft) = self.take() {
                    self.held = true;
                    self.begin_in_comment();
                    return Ok(Some(draft));
                }
            }
            self.absorb();
        }
    }

    /// Ends the current game. If its comment hides games, they are read again.
    fn lose_comment(&mut self) -> Option<Draft> {
        if !self.hidden.is_empty() {
            self.lines.read_again(self.hidden.drain(..));
            (self.tag_in_comment, self.after_result) = (None, false);
        }
        self.take()
    }

    /// Whether this line shows that the current comment is unterminated and holds games without tags. Keeps the lines
    /// for which this may still turn out to be true, including this one.
    fn hides_games(&mut self) -> bool {
        if !self.draft.moves.in_comment() {
            return false;
        }
        let piece = &self.lines.at;
        if self.hidden.is_empty() && !self.may_begin_game(piece) {
            return false;
        }
        let brace = memchr::memchr2(b'{', b'}', &piece.text).map(|at| piece.text[at]);
        if brace == Some(b'}') {
            // The comment has an end.
            self.hidden.clear();
            return false;
        }
        self.hidden.push(piece.clone());
        brace.is_some() || self.hidden.iter().map(|piece| piece.text.len()).sum::<usize>() > MOST_HIDDEN
    }

    /// Whether a line in a comment may begin a game without tags.
    fn may_begin_game(&self, Piece { text, begins, .. }: &Piece) -> bool {
        let line = text.trim_ascii();
        let is_first = begins_moves(line) || self.after_blank && self.after_result;
        *begins && !line.is_empty() && !line.starts_with(b"[") && is_first && (self.after_blank || self.after_result)
    }

    fn take(&mut self) -> Option<Draft> {
        let draft = std::mem::replace(&mut self.draft, Draft::keeping(self.keep));
        (draft.line > 0).then_some(draft)
    }

    /// Begins the game whose first tag was mistaken for a part of a comment.
    fn begin_in_comment(&mut self) {
        if let Some(TagLine { number, text }) = self.tag_in_comment.take() {
            self.draft.line = number;
            self.draft.tags(&text, number);
        }
    }

    /// Whether the current line cannot belong to the current game.
    fn next_game_starts(&mut self) -> bool {
        let line = self.lines.at.text.as_slice();
        if !self.lines.at.begins {
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
            // Words after the end of a game: they begin another game, without tags.
            _ => moves.ending().is_some() && !line.trim_ascii().is_empty(),
        }
    }

    /// Whether the current line, within a comment, is a tag of the next game. The comment is then unterminated and must
    /// not swallow the rest of the file.
    fn comment_is_lost(&mut self) -> bool {
        let line = self.lines.at.text.as_slice();
        let Some((tag, _)) = tag::split(line) else {
            self.tag_in_comment = None;
            return false;
        };
        let is_lost = self.after_blank || self.tag_in_comment.is_some() || tag.name == b"Event";
        if is_lost {
            self.draft.flaw.get_or_insert(Flaw::OpenComment);
        } else {
            self.tag_in_comment = Some(TagLine { number: self.lines.at.number, text: line.to_owned() });
        }
        is_lost
    }

    fn absorb(&mut self) {
        let Piece { text: line, number, begins, .. } = &self.lines.at;
        let in_comment = self.draft.moves.in_comment();
        let blank = line.trim_ascii().is_empty();
        self.after_blank = blank && *begins;
        // A line that starts with % is for other programs.
        self.draft.blank |= blank && self.draft.line > 0;
        if blank || (!in_comment && *begins && line.starts_with(b"%")) {
            return;
        }
        self.after_result = ends_with_result(line);
        if self.draft.line == 0 {
            self.draft.line = *number;
        }
        if in_comment || self.draft.moves.started() {
            self.draft.moves.line(line);
        } else {
            self.draft.tags(line, *number);
        }
        if !self.draft.moves.in_comment() {
            self.hidden.clear();
        }
    }
}

/// A line, or a part of a line that is very long or holds several games.
#[derive(Clone, Debug, Default)]
struct Piece {
    text: Vec<u8>,
    /// The number of the line, counted from 1.
    number: u64,
    /// Whether the piece begins a line, or a game.
    begins: bool,
}

/// A stream, line by line.
struct Lines<R> {
    reader: R,
    /// The piece read last.
    at: Piece,
    /// The number of lines read from the stream.
    read: u64,
    /// Whether the stream is at the start of a line.
    is_at_start: bool,
    /// Pieces that come before the rest of the stream.
    again: VecDeque<Piece>,
}

impl<R: BufRead> Lines<R> {
    /// Reads the next line, or the next piece of a very long one; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        let is_there = if let Some(piece) = self.again.pop_front() {
            self.at = piece;
            true
        } else {
            self.read_line()?
        };
        if let Some(at) = next_game_in(&self.at.text) {
            let rest = self.at.text.split_off(at);
            self.again.push_front(Piece { text: rest, number: self.at.number, begins: true });
        }
        Ok(is_there)
    }

    fn read_line(&mut self) -> io::Result<bool> {
        let Piece { text, number, begins } = &mut self.at;
        text.clear();
        self.reader.by_ref().take(LONGEST_PIECE).read_until(b'\n', text)?;
        if text.is_empty() {
            return Ok(false);
        }
        self.read += u64::from(self.is_at_start);
        (*number, *begins) = (self.read, self.is_at_start);
        self.is_at_start = text.ends_with(b"\n");
        while matches!(text.last(), Some(b'\n' | b'\r')) {
            text.pop();
        }
        if *number == 1 && text.starts_with(b"\xef\xbb\xbf") {
            text.drain(..3);
        }
        Ok(true)
    }

    /// Queues pieces that have been read, so that they are read again.
    fn read_again(&mut self, pieces: impl DoubleEndedIterator<Item = Piece>) {
        for piece in pieces.rev() {
            self.again.push_front(piece);
        }
    }
}
