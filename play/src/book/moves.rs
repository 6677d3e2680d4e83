//! Books of moves: one opening a line, in the notation of the game's players.

use super::error::BookError;
use super::format::BookFormatInfo;
use super::skipped::Skipped;
use super::text::{Written, lines, text_of};
use super::{BookFile, Content, played};
use crate::games::GameKind;
use crate::pgn::parse_result;
use std::borrow::Cow;

pub(super) static FORMAT: BookFormatInfo =
    BookFormatInfo { names: &["moves"], extensions: &["txt", "moves"], refused_keys: &[], needs_plies: None, read };

fn read(file: &BookFile, bytes: &[u8], game: GameKind) -> Result<Content, BookError> {
    let text = text_of(file, bytes)?.into_string_lossy();
    played(file, game, &move_lines(&text), Skipped::default())
}

/// The moves of one opening a line.
fn move_lines(text: &str) -> Vec<Written<'_>> {
    lines(text).map(|(line, moves)| Written { line, start: None, moves: bare_moves(moves) }).collect()
}

/// The moves of a line, without move numbers and a result at the end.
fn bare_moves(line: &str) -> Cow<'_, str> {
    let is_number = |word: &str| word.ends_with('.') && word.trim_end_matches('.').bytes().all(|b| b.is_ascii_digit());
    let bare = |word: &str| -> usize {
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let rest = word[digits..].trim_start_matches('.');
        if digits > 0 && word[digits..].starts_with('.') { word.len() - rest.len() } else { 0 }
    };
    let is_result = |word: &str| word == "*" || parse_result(word).is_some();
    if !line.split_whitespace().any(|word| bare(word) > 0 || is_result(word)) {
        return Cow::Borrowed(line);
    }
    let words = line.split_whitespace().filter(|word| !is_number(word) && !is_result(word));
    Cow::Owned(words.map(|word| &word[bare(word)..]).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_results_are_no_moves() {
        for (line, moves) in [
            ("e2e4 e7e5", "e2e4 e7e5"),
            ("1. e4 e5 2. Nf3 *", "e4 e5 Nf3"),
            ("1.e4 e5 2.Nf3 2...Nc6 1/2-1/2", "e4 e5 Nf3 Nc6"),
            ("b5d3 Dh4", "b5d3 Dh4"),
        ] {
            assert_eq!(bare_moves(line), moves);
        }
    }
}
