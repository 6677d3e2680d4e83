//! Books of positions: one EPD or FEN a line.

use super::error::BookError;
use super::format::BookFormatInfo;
use super::skipped::Skipped;
use super::text::{Written, lines, text_of};
use super::{BookFile, Content, played};
use crate::epd::{FIELDS, Operations, after_fields};
use crate::games::GameKind;
use std::borrow::Cow;

pub(super) static FORMAT: BookFormatInfo = BookFormatInfo {
    names: &["epd", "fen"],
    extensions: &["epd", "fen"],
    refused_keys: &[("plies", "is for books of moves: a position has none")],
    needs_plies: None,
    read,
};

/// The maximum number of counters after the fields of a position: checks, plies and moves.
const COUNTERS: usize = 3;

fn read(file: &BookFile, bytes: &[u8], game: GameKind) -> Result<Content, BookError> {
    let text = text_of(file, bytes)?.into_string_lossy();
    let (written, skipped) = positions(&text);
    played(file, game, &written, skipped)
}

/// The positions in the lines, each an EPD or FEN. Skips lines with fewer fields.
fn positions(text: &str) -> (Vec<Written<'_>>, Skipped) {
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

/// The position of a line: its four fields, and the counters that follow them or that the EPD operations `hmvc` and
/// `fmvn` give.
fn position(line: &str) -> Option<Cow<'_, str>> {
    let (fields, rest) = after_fields(line, FIELDS)?;
    match counters(rest).as_slice() {
        [] => Some(with_operations(fields, rest)),
        // Operations may follow the checks of three-check.
        [checks] if checks.contains('+') => {
            let (fields, rest) = after_fields(line, FIELDS + 1)?;
            Some(with_operations(fields, rest))
        }
        counters => Some(Cow::Owned(format!("{fields} {}", counters.join(" ")))),
    }
}

/// The fields of a position, and the counters that the operations behind them give.
fn with_operations<'a>(fields: &'a str, rest: &str) -> Cow<'a, str> {
    let operations = Operations::read(rest);
    match (operations.operand("hmvc"), operations.operand("fmvn")) {
        (None, None) => Cow::Borrowed(fields),
        (halfmoves, moves) => {
            let halfmoves = halfmoves.unwrap_or("0");
            let moves = moves.map_or_else(|| least_move(halfmoves), str::to_owned);
            Cow::Owned(format!("{fields} {halfmoves} {moves}"))
        }
    }
}

/// The counters that follow a position, among them the checks of three-check. An operation starts with a letter; a
/// single number behind a `;` is a label.
fn counters(rest: &str) -> Vec<&str> {
    let is_counter = |word: &&str| word.bytes().all(|b| b.is_ascii_digit() || b == b'+');
    let numbers = rest.trim_start_matches([';', ' ', '\t']);
    let end = numbers.find([';', '|', ',', '[', '"']).unwrap_or(numbers.len());
    let counters: Vec<&str> = numbers[..end].split_whitespace().take_while(is_counter).take(COUNTERS).collect();
    if rest.trim_start().starts_with(';') && counters.len() < 2 { Vec::new() } else { counters }
}

/// The lowest possible move number after this many plies, for a line that gives none.
fn least_move(halfmoves: &str) -> String {
    let plies = halfmoves.parse().unwrap_or(0u64);
    (1 + plies.div_ceil(2)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<(u64, String)> {
        let (lines, _) = positions(text);
        lines.into_iter().map(|written| (written.line, written.start.expect("a position").into_owned())).collect()
    }

    #[test]
    fn positions_are_distinguished_from_operations() {
        let cases = [
            ("8/8/8/8/8/8/8/K1k5 w - -", "8/8/8/8/8/8/8/K1k5 w - -"),
            ("8/8/8/8/8/8/8/K1k5 w - - 3 17", "8/8/8/8/8/8/8/K1k5 w - - 3 17"),
            ("8/8/8/8/8/8/8/K1k5 w - - 3+3 0 1", "8/8/8/8/8/8/8/K1k5 w - - 3+3 0 1"),
            ("8/8/8/8/8/8/8/K1k5 w - - 3+2 hmvc 5; fmvn 20; id \"1\";", "8/8/8/8/8/8/8/K1k5 w - - 3+2 5 20"),
            ("8/8/8/8/8/8/8/K1k5 w - - 3+2;", "8/8/8/8/8/8/8/K1k5 w - - 3+2"),
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
            assert_eq!(read_all(line), [(1, position.to_owned())], "{line}");
        }
    }

    #[test]
    fn comments_and_blank_lines_count_as_lines() {
        let text = "# a comment\n\n8/8/8/8/8/8/8/K1k5 w - -\n; another\n8/8/8/8/8/8/8/K1k5 b - -";
        let numbers: Vec<u64> = read_all(text).iter().map(|(line, _)| *line).collect();
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
}
