//! A position a line: EPD or FEN, and what is said of it in one of the spellings that are in use.
//!
//! ```text
//! <fen> c9 "1-0";        <fen>; 0.5        <fen> [1.0]        <fen> 1/2-1/2
//! <fen> ce 34;           <fen> | 34 | 0.5
//! ```

use super::{End, Flaw, Reading, Said, Sink, Spoken, Unit, parse_result};
use crate::chess::View;
use crate::chess::record::parse_fen;
use std::io::{BufRead, Read};

/// Longer lines are no positions.
const LONGEST: u64 = 4_096;
/// Fields of a FEN without its counters.
const FIELDS: usize = 4;

pub(super) fn read(mut reader: impl BufRead, reading: Reading, sink: &mut Sink<'_>) -> Result<(), End> {
    let (mut line, mut number) = (Vec::new(), 0);
    let (view, unit) = (reading.view.unwrap_or(View::White), reading.unit.unwrap_or(Unit::Centipawns));
    loop {
        line.clear();
        number += 1;
        if reader.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if !line.ends_with(b"\n") && line.len() as u64 == LONGEST {
            reader.skip_until(b'\n')?;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() || text.starts_with(['#', '%']) {
            continue;
        }
        let found = parse(text, unit).and_then(|(fen, said)| {
            let position = parse_fen(fen).map_err(|error| error.to_string())?;
            Ok(said.found(position, view))
        });
        if sink(found.map_err(|why| Flaw { line: number, why })).is_break() {
            return Ok(());
        }
    }
}

/// The position of a line and what is said of it.
fn parse(line: &str, unit: Unit) -> Result<(&str, Said), String> {
    let (fen, rest) = split(line).ok_or("expected a position, and a result or a score behind it")?;
    let said = if let Some(fields) = rest.trim_start().strip_prefix('|') { piped(fields, unit) } else { worded(rest) };
    let said = said.ok_or_else(|| format!("`{}` is no result and no score", rest.trim()))?;
    Ok((fen, said))
}

/// The position, and what follows it.
fn split(line: &str) -> Option<(&str, &str)> {
    let end_of = |fields: usize| {
        let mut rest = line;
        for _ in 0..fields {
            rest = rest.trim_start();
            let end =
                rest.find(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | '[' | ',')).unwrap_or(rest.len());
            if end == 0 {
                return None;
            }
            rest = &rest[end..];
        }
        Some(line.len() - rest.len())
    };
    let is_counter = |text: &str| !text.trim().is_empty() && text.trim().bytes().all(|b| b.is_ascii_digit());
    let fields = end_of(FIELDS)?;
    match (end_of(FIELDS + 1), end_of(FIELDS + 2)) {
        (Some(one), Some(two)) if is_counter(&line[fields..one]) && is_counter(&line[one..two]) => {
            Some((&line[..two], &line[two..]))
        }
        _ => Some((&line[..fields], &line[fields..])),
    }
}

/// `score | result`, or one of them: what can be a result is one.
fn piped(fields: &str, unit: Unit) -> Option<Said> {
    let fields: Vec<&str> = fields.split('|').map(str::trim).filter(|field| !field.is_empty()).collect();
    match *fields.as_slice() {
        [score, result] => Some(Said { score: Some(Spoken::parse(score, unit)?), result: Some(parse_result(result)?) }),
        [one] => match parse_result(one) {
            Some(result) => Some(Said { score: None, result: Some(result) }),
            None => Some(Said { score: Some(Spoken::parse(one, unit)?), result: None }),
        },
        _ => None,
    }
}

/// Operations of an EPD, or a bare result.
fn worded(text: &str) -> Option<Said> {
    let mut said = Said::default();
    for operation in text.split(';').map(str::trim) {
        let (name, value) = operation.split_once(char::is_whitespace).unwrap_or((operation, ""));
        let value = value.trim().trim_matches('"');
        match name {
            "ce" => said.score = Some(Spoken::parse(value, Unit::Centipawns)?),
            "dm" => said.score = Some(Spoken::Mate(value.parse().ok()?)),
            _ => {
                let words = [value, name.trim_matches(['"', '[', ']']), operation.trim_matches(['"', '[', ']'])];
                said.result = said.result.or_else(|| words.into_iter().find_map(parse_result));
            }
        }
    }
    (said != Said::default()).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::super::tests::all;
    use super::*;
    use crate::data::GameResult;

    #[test]
    fn results_and_scores_are_read_in_the_usual_spellings() {
        let fen = "8/8/8/8/8/8/8/K1k5 b - -";
        let (win, draw, loss) = (Some(GameResult::Win), Some(GameResult::Draw), Some(GameResult::Loss));
        for (rest, score, result) in [
            (" c9 \"1-0\";", None, win),
            (" 0 1 c9 \"1/2-1/2\";", None, draw),
            ("; 0.5", None, draw),
            (" 12 40; 0.0", None, loss),
            (" [0.5]", None, draw),
            (" 0 1 [1.0]", None, win),
            (" 0 1 0-1", None, loss),
            (" 0 1 \"1-0\"", None, win),
            (" 0 1 | -34 | 0.0", Some(-34), loss),
            (" | 12 | 1.0", Some(12), win),
            (" 0 1 | 0.5", None, draw),
            (" ce 55; id \"x\";", Some(55), None),
            (" ce -7; c9 \"0-1\";", Some(-7), loss),
            (" dm 3;", Some(31_997), None),
        ] {
            let (found, flaws) = all(&format!("{fen}{rest}\n"), "a.epd", None, None);
            assert_eq!(
                found.iter().map(|it| (it.score, it.result)).collect::<Vec<_>>(),
                [(score, result)],
                "{rest}: {flaws:?}"
            );
        }
        let (found, _) = all(&format!("{fen} 0 1 | 34 | 0.5"), "a.txt", Some(View::Mover), Some(Unit::Pawns));
        assert_eq!((found[0].score, found[0].result), (Some(-3_400), draw));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let text = "# a comment\n\n8/8/8/8/8/8/8/K1k5 b - - 0 1 | 1 | 0.5\nK7/8/8/8/8/8/8/K1k5 b - - ; 0.5\n8/8 w\n8/8/8/8/8/8/8/K1k5 b - - maybe\n8/8/8/8/8/8/8/K1k5 b - -\n";
        let (found, flaws) = all(text, "a.epd", None, None);
        assert_eq!((found.len(), flaws.iter().map(|flaw| flaw.line).collect::<Vec<_>>()), (1, vec![4, 5, 6, 7]));
        assert_eq!(found[0].game, 0);
        let long = format!("{}\n8/8/8/8/8/8/8/K1k5 b - - ; 1\n", "x".repeat(9_999));
        let (found, flaws) = all(&long, "a.epd", None, None);
        assert_eq!((found.len(), flaws.len()), (1, 1));
    }
}
