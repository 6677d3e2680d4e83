//! Splits a file's text into openings, not yet checked against the rules of a game: one position a line, the moves of
//! one opening a line, or the games of a PGN file.

use super::error::BookError;
use super::skipped::Skipped;
use crate::epd::{FIELDS, Operations, after_fields};
use crate::games::GameKind;
use crate::pgn::{Record, Scanner, parse_result};
use std::borrow::Cow;
use std::io::BufRead;

/// The most counters that follow the fields of a position: checks, and those of plies and moves.
const COUNTERS: usize = 3;

/// An opening as the file has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written<'a> {
    /// The line where it starts, counted from 1.
    pub(super) line: u64,
    /// The position it starts from, unless it is the game's start.
    pub(super) start: Option<Cow<'a, str>>,
    /// Its moves, separated by spaces.
    pub(super) moves: Cow<'a, str>,
}

/// The lines that say something, with their numbers: all but blank ones and comments.
fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let numbered = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', ';', '%']))
}

/// A position a line, EPD or FEN. Lines of fewer fields are skipped.
pub(super) fn positions(text: &str) -> (Vec<Written<'_>>, Skipped) {
    let (mut written, mut skipped) = (Vec::new(), Skipped::default());
    for (line, text) in lines(text) {
        if let Some(start) = position(text) {
            written.push(Written { line, start: Some(start), moves: Cow::Borrowed("") });
        } else {
            let why = "this is not a position: expected at least four fields, in chess the board, the side to move, \
                       castling rights and the en passant square";
            skipped.add(line, why, text);
        }
    }
    (written, skipped)
}

/// The position of a line: its four fields and what counters follow them, or those that the EPD operations `hmvc` and
/// `fmvn` give.
fn position(line: &str) -> Option<Cow<'_, str>> {
    let (fields, rest) = after_fields(line, FIELDS)?;
    let counters = counters(rest);
    if !counters.is_empty() {
        return Some(Cow::Owned(format!("{fields} {}", counters.join(" "))));
    }
    let operations = Operations::read(rest);
    match (operations.operand("hmvc"), operations.operand("fmvn")) {
        (None, None) => Some(Cow::Borrowed(fields)),
        (halfmoves, moves) => {
            let halfmoves = halfmoves.unwrap_or("0");
            let moves = moves.map_or_else(|| least_move(halfmoves), str::to_owned);
            Some(Cow::Owned(format!("{fields} {halfmoves} {moves}")))
        }
    }
}

/// The counters that follow a position, among them the checks of three-check; an operation starts with a letter. Behind
/// a `;` a single number is a label.
fn counters(rest: &str) -> Vec<&str> {
    let is_counter = |word: &&str| word.bytes().all(|b| b.is_ascii_digit() || b == b'+');
    let numbers = rest.trim_start_matches([';', ' ', '\t']);
    let end = numbers.find([';', '|', ',', '[', '"']).unwrap_or(numbers.len());
    let counters: Vec<&str> = numbers[..end].split_whitespace().take_while(is_counter).take(COUNTERS).collect();
    if rest.trim_start().starts_with(';') && counters.len() < 2 { Vec::new() } else { counters }
}

/// The lowest number that a move can have after this many plies, where none is given.
fn least_move(halfmoves: &str) -> String {
    let plies = halfmoves.parse().unwrap_or(0u64);
    (1 + plies.div_ceil(2)).to_string()
}

/// The moves of an opening a line.
pub(super) fn move_lines(text: &str) -> Vec<Written<'_>> {
    lines(text).map(|(line, moves)| Written { line, start: None, moves: bare_moves(moves) }).collect()
}

/// The moves of a line without their numbers and a result at the end.
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

/// The games of a PGN file, with this many of their first plies. Games that cannot be read, or are marked as another
/// kind than `kind`, are skipped.
///
/// # Errors
/// [`BookError::Read`] if the stream breaks off.
pub(super) fn games(
    file: &str,
    text: impl BufRead,
    kind: GameKind,
    plies: u32,
) -> Result<(Vec<Written<'static>>, Skipped), BookError> {
    let mut scanner = Scanner::keeping(text, plies);
    let (mut games, mut skipped) = (Vec::new(), Skipped::default());
    let broken = |cause| BookError::Read { file: file.to_owned(), cause };
    while let Some(record) = scanner.next_record().map_err(broken)? {
        match record {
            Ok(record) => match other_game(&record, kind) {
                Some((why, tag)) => skipped.add(record.line, &why, &tag),
                None => games.push(Written {
                    line: record.line,
                    start: record.fen.map(Cow::Owned),
                    moves: Cow::Owned(record.moves),
                }),
            },
            Err((line, flaw)) => skipped.add(line, &flaw.to_string(), ""),
        }
    }
    Ok((games, skipped))
}

/// Why a game is not one of `kind`, if its tags name another variant: its moves may mean something else there.
fn other_game(record: &Record, kind: GameKind) -> Option<(String, String)> {
    let variant = record.variant.as_ref().filter(|variant| GameKind::of_pgn_variant(variant) != Some(kind))?;
    let why = format!("this game is of another kind: the run plays {kind}, expected a book of its openings");
    Some((why, format!("[Variant \"{variant}\"]")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(u64, String)> {
        let (lines, _) = positions(text);
        lines.into_iter().map(|written| (written.line, written.start.expect("a position").into_owned())).collect()
    }

    #[test]
    fn positions_are_distinguished_from_operations() {
        let cases = [
            ("8/8/8/8/8/8/8/K1k5 w - -", "8/8/8/8/8/8/8/K1k5 w - -"),
            ("8/8/8/8/8/8/8/K1k5 w - - 3 17", "8/8/8/8/8/8/8/K1k5 w - - 3 17"),
            ("8/8/8/8/8/8/8/K1k5 w - - 3+3 0 1", "8/8/8/8/8/8/8/K1k5 w - - 3+3 0 1"),
            ("8/8/8/8/8/8/8/K1k5 w - - id \"one; two\"; bm Ka2;", "8/8/8/8/8/8/8/K1k5 w - -"),
            ("8/8/8/8/8/8/8/K1k5 w - - hmvc 5; id \"x\"; fmvn 20;", "8/8/8/8/8/8/8/K1k5 w - - 5 20"),
            ("8/8/8/8/8/8/8/K1k5 w - - hmvc 5;", "8/8/8/8/8/8/8/K1k5 w - - 5 4"),
            ("8/8/8/8/8/8/8/K1k5 w - - fmvn 20;", "8/8/8/8/8/8/8/K1k5 w - - 0 20"),
            ("8/8/8/8/8/8/8/K1k5 w - - 0 1 ; c9", "8/8/8/8/8/8/8/K1k5 w - - 0 1"),
            ("  8/8/8/8/8/8/8/K1k5\tw  -  -\r", "8/8/8/8/8/8/8/K1k5\tw  -  -"),
            ("8/8/8/8/8/8/8/K1k5 w - -;", "8/8/8/8/8/8/8/K1k5 w - -"),
            ("8/8/8/8/8/8/8/K1k5 w - -; id \"x\";", "8/8/8/8/8/8/8/K1k5 w - -"),
            ("8/8/8/8/8/8/8/K1k5 w - -; 3 17", "8/8/8/8/8/8/8/K1k5 w - - 3 17"),
            ("8/8/8/8/8/8/8/K1k5 w - -; 1", "8/8/8/8/8/8/8/K1k5 w - -"),
            ("8/8/8/8/8/8/8/K1k5 w - - 0 1;", "8/8/8/8/8/8/8/K1k5 w - - 0 1"),
            ("8/8/8/8/8/8/8/K1k5 w - - 0 1;1-0", "8/8/8/8/8/8/8/K1k5 w - - 0 1"),
            ("8/8/8/8/8/8/8/K1k5 w - - 0 1[0.5] 34", "8/8/8/8/8/8/8/K1k5 w - - 0 1"),
            ("8/8/8/8/8/8/8/K1k5 w - -|34|0.5", "8/8/8/8/8/8/8/K1k5 w - -"),
            ("8/8/8/8/8/8/8/K1k5 w - - id \"hmvc 5; fmvn 9\"; fmvn 20;", "8/8/8/8/8/8/8/K1k5 w - - 0 20"),
        ];
        for (line, position) in cases {
            assert_eq!(read(line), [(1, position.to_owned())], "{line}");
        }
    }

    #[test]
    fn comments_and_blank_lines_count_as_lines() {
        let text = "# a comment\n\n8/8/8/8/8/8/8/K1k5 w - -\n; another\n8/8/8/8/8/8/8/K1k5 b - -";
        let numbers: Vec<u64> = read(text).iter().map(|(line, _)| *line).collect();
        assert_eq!(numbers, [3, 5]);
    }

    #[test]
    fn a_line_of_three_fields_is_skipped() {
        let (written, skipped) = positions("\n8/8/8/8/8/8/8/K1k5 w -\n8/8/8/8/8/8/8/K1k5 w - -\n");
        assert_eq!((written.len(), skipped.count), (1, 1));
        let error = skipped.first_error("b.epd").expect("a line").to_string();
        assert!(error.starts_with("b.epd:2: this is not a position: expected at least four fields"), "{error}");
        assert!(error.ends_with("\n  8/8/8/8/8/8/8/K1k5 w -"), "{error}");
    }

    #[test]
    fn the_first_plies_of_games_are_read() {
        let text = "[Event \"a\"]\n[Result \"*\"]\n\n1. e4 {x} e5! (1... c5 2. d4) 2. Nf3 $1 Nc6 *\n\n\
                    [Event \"b\"]\n[FEN \"8/8/8/8/8/8/8/K1k5 w - -\"]\n\n1. Ka2 Kc2\n*\n";
        let (games, _) = games("b.pgn", text.as_bytes(), GameKind::Chess, 3).expect("games");
        let seen: Vec<_> = games.iter().map(|game| (game.line, game.start.as_deref(), &*game.moves)).collect();
        assert_eq!(seen, [(1, None, "e4 e5 Nf3"), (6, Some("8/8/8/8/8/8/8/K1k5 w - -"), "Ka2 Kc2")]);
    }

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
