//! From a file's text to openings as they are written, not yet looked at by the rules of a game: positions a line, moves a
//! line, or the games of a PGN file.

use super::error::BookError;
use crate::games::GameKind;
use crate::pgn::{Record, Scanner};
use std::borrow::Cow;
use std::io::{self, Read};

/// Fields of a position that every line has: of an EPD the board, the side to move, castling rights and the en passant
/// square; of a 0.1 position rows, hands, side to move and plies.
const FIELDS: usize = 4;

/// An opening as it is written.
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
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', ';', '%']))
}

/// A position a line, EPD or FEN.
///
/// # Errors
/// [`BookError::Line`] for a line of fewer fields.
pub(super) fn positions<'a>(file: &str, text: &'a str) -> Result<Vec<Written<'a>>, BookError> {
    lines(text)
        .map(|(line, text)| {
            let start = position(text).ok_or_else(|| {
                let why = "this is not a position: expected at least four fields, in chess the board, the side to move, \
                           castling rights and the en passant square";
                BookError::line(file, line, why, text)
            })?;
            Ok(Written { line, start: Some(start), moves: Cow::Borrowed("") })
        })
        .collect()
}

/// The position of a line: its four fields and what counters follow them, or those that the EPD operations `hmvc` and `fmvn`
/// give.
fn position(line: &str) -> Option<Cow<'_, str>> {
    let (fields, rest) = after_words(line, FIELDS)?;
    // Counters, and the checks of three-check; an operation starts with a letter.
    let is_counter = |word: &&str| word.bytes().all(|b| b.is_ascii_digit() || b == b'+');
    let counters = rest.split_whitespace().take_while(is_counter).count();
    if counters > 0 {
        let (_, rest) = after_words(line, FIELDS + counters)?;
        return Some(Cow::Borrowed(line[..line.len() - rest.len()].trim_end()));
    }
    let operation = |name: &str| {
        let mut operations = rest.split(';').map(str::split_whitespace);
        operations.find_map(|mut words| (words.next() == Some(name)).then(|| words.next())?)
    };
    match (operation("hmvc"), operation("fmvn")) {
        (None, None) => Some(Cow::Borrowed(fields)),
        (halfmoves, moves) => {
            let halfmoves = halfmoves.unwrap_or("0");
            let moves = moves.map_or_else(|| least_move(halfmoves), str::to_owned);
            Some(Cow::Owned(format!("{fields} {halfmoves} {moves}")))
        }
    }
}

/// The least number that a move can have after so many plies, where none is given.
fn least_move(halfmoves: &str) -> String {
    let plies = halfmoves.parse().unwrap_or(0u64);
    (1 + plies.div_ceil(2)).to_string()
}

/// The first `count` words of a line, and what follows them; `None` if there are fewer.
fn after_words(line: &str, count: usize) -> Option<(&str, &str)> {
    let mut rest = line;
    for _ in 0..count {
        rest = rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        rest = &rest[end..];
    }
    Some((line[..line.len() - rest.len()].trim_end(), rest))
}

/// The moves of an opening a line.
pub(super) fn move_lines(text: &str) -> Vec<Written<'_>> {
    lines(text).map(|(line, moves)| Written { line, start: None, moves: Cow::Borrowed(moves) }).collect()
}

/// The games of a PGN file, with so many of their first plies. All must be games of `kind`, as far as they say what they are.
///
/// # Errors
/// [`BookError`] if the stream breaks off, or if what it holds is no PGN or another game's.
pub(super) fn games(
    file: &str,
    text: impl Read,
    kind: GameKind,
    plies: u32,
) -> Result<Vec<Written<'static>>, BookError> {
    let mut scanner = Scanner::keeping(io::BufReader::new(text), plies);
    let mut games = Vec::new();
    let broken = |cause| BookError::Read { file: file.to_owned(), cause };
    while let Some(record) = scanner.next_record().map_err(broken)? {
        let record = record.map_err(|(line, flaw)| BookError::line(file, line, flaw.to_string(), ""))?;
        refuse_other_game(file, &record, kind)?;
        games.push(Written { line: record.line, start: record.fen.map(Cow::Owned), moves: Cow::Owned(record.moves) });
    }
    Ok(games)
}

/// Moves of one game mean something else, or nothing, in another.
fn refuse_other_game(file: &str, record: &Record, kind: GameKind) -> Result<(), BookError> {
    match &record.variant {
        Some(variant) if GameKind::of_pgn_variant(variant) != Some(kind) => {
            let why = format!("this game is of another kind: the run plays {kind}, expected a book of its openings");
            Err(BookError::line(file, record.line, why, &format!("[Variant \"{variant}\"]")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(u64, String)> {
        let lines = positions("b.epd", text).expect("positions");
        lines.into_iter().map(|written| (written.line, written.start.expect("a position").into_owned())).collect()
    }

    #[test]
    fn positions_are_told_from_operations() {
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
        ];
        for (line, position) in cases {
            assert_eq!(read(line), [(1, position.to_owned())], "{line}");
        }
    }

    #[test]
    fn comments_and_blank_lines_count_as_lines() {
        let text = "\u{feff}# a comment\n\n8/8/8/8/8/8/8/K1k5 w - -\n; another\n8/8/8/8/8/8/8/K1k5 b - -";
        let numbers: Vec<u64> = read(text).iter().map(|(line, _)| *line).collect();
        assert_eq!(numbers, [3, 5]);
    }

    #[test]
    fn a_line_of_three_fields_is_refused() {
        let error = positions("b.epd", "\n8/8/8/8/8/8/8/K1k5 w -\n").expect_err("refused").to_string();
        assert!(error.starts_with("b.epd:2: this is not a position: expected at least four fields"), "{error}");
        assert!(error.ends_with("\n  8/8/8/8/8/8/8/K1k5 w -"), "{error}");
    }

    #[test]
    fn the_first_plies_of_games_are_read() {
        let text = "[Event \"a\"]\n[Result \"*\"]\n\n1. e4 {x} e5! (1... c5 2. d4) 2. Nf3 $1 Nc6 *\n\n\
                    [Event \"b\"]\n[FEN \"8/8/8/8/8/8/8/K1k5 w - -\"]\n\n1. Ka2 Kc2\n*\n";
        let games = games("b.pgn", text.as_bytes(), GameKind::Chess, 3).expect("games");
        let seen: Vec<_> = games.iter().map(|game| (game.line, game.start.as_deref(), &*game.moves)).collect();
        assert_eq!(seen, [(1, None, "e4 e5 Nf3"), (6, Some("8/8/8/8/8/8/8/K1k5 w - -"), "Ka2 Kc2")]);
    }
}
