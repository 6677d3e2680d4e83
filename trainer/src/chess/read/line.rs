//! One position per line: an EPD or a FEN, with its labels in one of the common spellings.
//!
//! ```text
//! <fen> c9 "1-0";        <fen>; 0.5        <fen> [1.0]        <fen> 1/2-1/2
//! <fen> ce 34;           <fen> | 34 | 0.5  <fen> [0.5] 34     <fen> result 1-0; eval 34;
//! ```
//!
//! Of an EPD's operations only these hold a label:
//!
//! | opcode | holds |
//! |---|---|
//! | `c0` to `c9` | a result, if its one operand is one: `1-0`, `0-1`, `1/2-1/2`; in `c9` also `1.0`, `0.5`, `0.0` |
//! | `result`, `res`, `outcome`, `wdl` | a result, in words or points |
//! | `ce`, `dm` | centipawns and moves to mate, which the standard defines for the side to move |
//! | `eval`, `evaluation`, `cp`, `score` | a score, in the view and the unit that the caller gives |
//!
//! A line with two different results is an error.

use super::{By, End, Flaw, RawLabels, Reading, Sink, Unit, WrittenScore, parse_result};
use crate::chess::View;
use crate::chess::record::parse_fen;
use play::epd::{FIELDS, Operation, Operations, Word, after_fields};
use stats::Score;
use std::io::{BufRead, Read};

/// The maximum length of a line with a position.
const LONGEST: u64 = 4_096;
/// The comment opcodes of an EPD, which hold results in the files of some programs.
const COMMENTS: [&str; 10] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"];
/// The comment opcode that often holds a result, so that it may hold points too.
const RESULT_COMMENT: &str = "c9";
/// Non-standard opcodes for results.
const RESULTS: [&str; 4] = ["result", "res", "outcome", "wdl"];
/// Non-standard opcodes for scores.
const SCORES: [&str; 4] = ["eval", "evaluation", "cp", "score"];
/// The spellings of an unknown result.
const UNKNOWN: [&str; 4] = ["*", "?", "-", ""];

/// The name of labels without an opcode.
const BARE: &str = "a word";
const BRACKETS: &str = "[...]";
const QUOTES: &str = "\"...\"";
const PIPES: &str = "|";

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
        let text = text.trim();
        if text.is_empty() || text.starts_with(['#', '%']) {
            continue;
        }
        let found = parse(text, unit).and_then(|(fen, labels)| {
            let position = parse_fen(fen).map_err(|error| error.to_string())?;
            Ok(labels.found(position, view))
        });
        if sink(found.map_err(|wrong| wrong.at(number))).is_break() {
            return Ok(());
        }
    }
}

/// Why a line is unusable.
struct Wrong {
    why: String,
    contradicts: bool,
}

impl Wrong {
    fn at(self, line: u64) -> Flaw {
        Flaw { line, why: self.why, contradicts: self.contradicts }
    }
}

impl<T: Into<String>> From<T> for Wrong {
    fn from(why: T) -> Self {
        Self { why: why.into(), contradicts: false }
    }
}

/// Parses the position of a line and its labels.
fn parse(line: &str, unit: Unit) -> Result<(&str, RawLabels), Wrong> {
    let (fen, rest) = split(line).ok_or("expected a position, and a result or a score behind it")?;
    let labels = match rest.trim_start().strip_prefix('|') {
        Some(fields) => piped(fields, unit).ok_or_else(|| unlabelled(rest))?,
        None => Labels::read(rest, unit)?.labels()?.ok_or_else(|| unlabelled(rest))?,
    };
    Ok((fen, labels))
}

fn unlabelled(rest: &str) -> Wrong {
    match rest.trim() {
        "" => "there is no result and no score behind the position".into(),
        rest => format!("`{rest}` has no result and no score").into(),
    }
}

/// Splits off the position. Only two numbers are counters, so a single number is a label.
fn split(line: &str) -> Option<(&str, &str)> {
    let fields = after_fields(line, FIELDS)?;
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let both = after_fields(line, FIELDS + 2).filter(|(whole, _)| {
        let counters = whole[fields.0.len()..].split_whitespace();
        counters.clone().count() == 2 && counters.clone().all(is_number)
    });
    Some(both.unwrap_or(fields))
}

/// Parses `score | result`, or one of them: a field that can be a result is one, except whole numbers.
fn piped(fields: &str, unit: Unit) -> Option<RawLabels> {
    let by = |has_score: bool, has_result: bool| By {
        score: has_score.then_some(PIPES),
        result: has_result.then_some(PIPES),
    };
    let fields: Vec<&str> = fields.split('|').map(str::trim).filter(|field| !field.is_empty()).collect();
    let labels = match *fields.as_slice() {
        [score, result] => RawLabels {
            score: Some(WrittenScore::parse(score, unit)?),
            result: Some(parse_result(result)?),
            by: by(true, true),
            ..RawLabels::default()
        },
        [one] => match parse_result(one).filter(|_| one.len() > 1) {
            Some(result) => RawLabels { result: Some(result), by: by(false, true), ..RawLabels::default() },
            None => {
                RawLabels { score: Some(WrittenScore::parse(one, unit)?), by: by(true, false), ..RawLabels::default() }
            }
        },
        _ => return None,
    };
    Some(labels)
}

/// A score, the view that the standard gives it, if any, and the source of the score.
type SaidScore = (WrittenScore, Option<View>, &'static str);

/// The labels of a line, in order.
#[derive(Default)]
struct Labels {
    results: Vec<(Score, &'static str)>,
    scores: Vec<SaidScore>,
}

impl Labels {
    /// Parses operations, and results and scores without an opcode.
    fn read(text: &str, unit: Unit) -> Result<Self, Wrong> {
        let operations = Operations::read(text);
        if operations.has_open_quote {
            return Err(format!("`{}` has a `\"` without its end", text.trim()).into());
        }
        let mut labels = Self::default();
        for Operation { words } in &operations.all {
            let opcode = words.iter().position(|word| !word.is_quoted && is_opcode(word.text));
            let (bare, operation) = words.split_at(opcode.unwrap_or(words.len()));
            labels.bare(bare, unit)?;
            if let [opcode, operands @ ..] = operation {
                labels.operation(opcode.text, operands, unit)?;
            }
        }
        Ok(labels)
    }

    /// Parses the first operand; points are a result only if they stand alone.
    fn operation(&mut self, opcode: &str, operands: &[Word<'_>], unit: Unit) -> Result<(), Wrong> {
        let known = |names: &[&'static str]| names.iter().find(|name| opcode.eq_ignore_ascii_case(name)).copied();
        let [Word { text, .. }, others @ ..] = operands else { return Ok(()) };
        let text = *text;
        let in_words = || play::pgn::parse_result(text);
        let in_points = || parse_result(text).filter(|_| others.is_empty());
        if let Some(name) = known(&COMMENTS) {
            let result = if name == RESULT_COMMENT { in_words().or_else(in_points) } else { in_words() };
            self.results.extend(result.map(|result| (result, name)));
        } else if let Some(name) = known(&RESULTS) {
            match in_words().or_else(in_points) {
                Some(result) => self.results.push((result, name)),
                None if UNKNOWN.contains(&text) || !others.is_empty() => {}
                None => return Err(format!("`{opcode} {text}` is not a result").into()),
            }
        } else {
            let (score, view, name) = match (known(&SCORES), known(&["ce"]), known(&["dm"])) {
                (Some(name), ..) => (WrittenScore::parse(text, unit), None, name),
                (_, Some(name), _) => (WrittenScore::parse(text, Unit::Centipawns), Some(View::Mover), name),
                (.., Some(name)) => (text.parse().ok().map(WrittenScore::Mate), Some(View::Mover), name),
                _ => return Ok(()),
            };
            let score = score.ok_or_else(|| format!("`{opcode} {text}` is not a score"))?;
            self.scores.push((score, view, name));
        }
        Ok(())
    }

    /// Parses results and scores without an opcode. Numbers such as 0.5 are results, unless another word is one.
    fn bare(&mut self, words: &[Word<'_>], unit: Unit) -> Result<(), Wrong> {
        let mut numbers = Vec::new();
        for word in words {
            let text = word.text.trim_matches(['[', ']', '(', ')', ',']).trim();
            let (is_bracketed, is_number) = (word.text.starts_with('['), text.parse::<f64>().is_ok());
            let name = match (word.is_quoted, is_bracketed) {
                (true, _) => QUOTES,
                (_, true) => BRACKETS,
                _ => BARE,
            };
            match parse_result(text).filter(|_| name != BARE || !is_number) {
                Some(result) => self.results.push((result, name)),
                // Quoted texts may be about anything.
                None if word.is_quoted || text.is_empty() => {}
                None => numbers.push(text),
            }
        }
        for text in numbers {
            if self.results.is_empty()
                && let Some(result) = parse_result(text)
            {
                self.results.push((result, BARE));
                continue;
            }
            let score = WrittenScore::parse(text, unit).filter(|_| !self.results.is_empty());
            let score = score.ok_or_else(|| format!("`{text}` is not a result"))?;
            self.scores.push((score, None, BARE));
        }
        Ok(())
    }

    /// Returns the first result and the first score; `None` if there is neither.
    ///
    /// # Errors
    /// Different results.
    fn labels(self) -> Result<Option<RawLabels>, Wrong> {
        let (result, score) = (self.results.first(), self.scores.first());
        if let Some((first, name)) = result
            && let Some((other, other_name)) = self.results.iter().find(|(other, _)| other != first)
        {
            let [first, other] = [*first, *other].map(white_word);
            let why = format!("its results contradict each other: {first} by {name}, {other} by {other_name}");
            return Err(Wrong { why, contradicts: true });
        }
        let by = By { score: score.map(|(.., name)| *name), result: result.map(|(_, name)| *name) };
        let labels = RawLabels {
            score: score.map(|(score, ..)| *score),
            result: result.map(|(result, _)| *result),
            view: score.and_then(|(_, view, _)| *view),
            by,
        };
        Ok((by != By::default()).then_some(labels))
    }
}

/// Whether an unquoted word is an opcode: it begins with a letter, and is neither a result (`w`, `d`, `b`) nor a mate.
fn is_opcode(word: &str) -> bool {
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic());
    begins && parse_result(word).is_none() && WrittenScore::parse(word, Unit::Centipawns).is_none()
}

/// A result for White as PGN writes it.
fn white_word(result: Score) -> &'static str {
    match result {
        Score::Loss => "0-1",
        Score::Draw => "1/2-1/2",
        Score::Win => "1-0",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::all;
    use super::*;
    use stats::Score;

    #[test]
    fn results_and_scores_are_read_in_the_usual_spellings() {
        let fen = "8/8/8/8/8/8/8/K1k5 b - -";
        let (win, draw, loss) = (Some(Score::Win), Some(Score::Draw), Some(Score::Loss));
        for (rest, score, result) in [
            (" c9 \"1-0\";", None, win),
            (" 0 1 c9 \"1/2-1/2\";", None, draw),
            ("; 0.5", None, draw),
            (";1-0", None, win),
            ("; 1", None, win),
            (" \"1-0\"", None, win),
            (" [0.5] 34", Some(34), draw),
            (" 0 1 [1.0] -12", Some(-12), win),
            (" 0 1[0.0];-12", Some(-12), loss),
            (" 34 [0.5]", Some(34), draw),
            (" 0 [0.5]", Some(0), draw),
            (" [0.5] ce 34;", Some(-34), draw),
            (" 0.5 34", Some(34), draw),
            (" hmvc 0; fmvn 30; c9 \"1-0\";", None, win),
            (" acd 1; acn 0; acs 1; c9 \"0-1\"", None, loss),
            (" id \"ERET; 1-0\"; c9 \"0-1\";", None, loss),
            (" bm Nf3; c0 \"1\"; c1 \"0.5\"; c2 \"1/2-1/2\"", None, draw),
            (" c0 \"1-0\" \"x; y\"; id \"0-1\"; c9 \"d5 e4\";", None, win),
            (" c9 0.5", None, draw),
            (" c9 \"½-½\"; c0 \"1/2\";", None, draw),
            (" result 0-1; eval 34;", Some(34), loss),
            (" wdl 0.5; cp -7", Some(-7), draw),
            (" wdl 120 700 180; ce 5", Some(-5), None),
            (" result \"*\"; ce 5", Some(-5), None),
            (" pv e4 1-0; ce 5", Some(-5), None),
            ("|12|1.0", Some(12), win),
            (" | 0", Some(0), None),
            (" | 1", Some(1), None),
            (" | 1.0", None, win),
            (" w", None, win),
            (" \"about; it\" ; c9 \"1-0\"", None, win),
            (" 12 40; 0.0", None, loss),
            (" [0.5]", None, draw),
            (" 0 1 [1.0]", None, win),
            (" 0 1 0-1", None, loss),
            (" 0 1 \"1-0\"", None, win),
            (" 0 1 | -34 | 0.0", Some(-34), loss),
            (" | 12 | 1.0", Some(12), win),
            (" 0 1 | 0.5", None, draw),
            (" ce 55; id \"x\";", Some(-55), None),
            (" ce -7; c9 \"0-1\";", Some(7), loss),
            (" ce 20; eval 50;", Some(-20), None),
            (" dm 3;", Some(-31_997), None),
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
    fn standard_scores_are_the_movers_and_others_as_given() {
        let line = |turn: &str, rest: &str| format!("8/8/8/8/8/8/8/K1k5 {turn} - - {rest}\n");
        for (turn, rest, view, score) in [
            ("w", "ce 30;", None, 30),
            ("b", "ce 30;", None, -30),
            ("b", "ce 30;", Some(View::White), -30),
            ("b", "eval 30;", None, 30),
            ("b", "eval 30;", Some(View::Mover), -30),
            ("b", "[0.5] 30", Some(View::Mover), -30),
            ("b", "| 30", Some(View::White), 30),
        ] {
            assert_eq!(all(&line(turn, rest), "a.epd", view, None).0[0].score, Some(score), "{turn} {rest} {view:?}");
        }
        let pawns = all(&line("w", "eval 0.3; c9 \"1-0\""), "a.epd", None, Some(Unit::Pawns)).0;
        let ce = all(&line("w", "ce 30"), "a.epd", None, Some(Unit::Pawns)).0;
        assert_eq!((pawns[0].score, ce[0].score), (Some(30), Some(30)), "ce is in centipawns");
    }

    #[test]
    fn lines_say_what_labels_them() {
        let by = |score, result| By { score, result };
        for (rest, expected) in [
            ("c9 \"1-0\"; c0 \"1-0\"", by(None, Some("c9"))),
            ("C0 \"1-0\"; ce 4", by(Some("ce"), Some("c0"))),
            ("[1.0] 4", by(Some("a word"), Some("[...]"))),
            ("| 4 | 0.5", by(Some("|"), Some("|"))),
            ("\"1-0\"", by(None, Some("\"...\""))),
        ] {
            assert_eq!(
                all(&format!("8/8/8/8/8/8/8/K1k5 w - - {rest}"), "a.epd", None, None).0[0].by,
                expected,
                "{rest}"
            );
        }
    }

    #[test]
    fn two_results_that_differ_are_none() {
        for (rest, why) in [
            ("c9 \"1-0\"; c0 \"0-1\";", "its results contradict each other: 1-0 by c9, 0-1 by c0"),
            ("[0.5]; result 1-0", "its results contradict each other: 1/2-1/2 by [...], 1-0 by result"),
            ("1-0 0-1", "its results contradict each other: 1-0 by a word, 0-1 by a word"),
            ("c9 \"1-0\"; c9 \"0-1\"; ce 5;", "its results contradict each other: 1-0 by c9, 0-1 by c9"),
        ] {
            let (found, flaws) = all(&format!("8/8/8/8/8/8/8/K1k5 w - - {rest}"), "a.epd", None, None);
            assert_eq!((found.len(), flaws.len()), (0, 1), "{rest}");
            assert!(flaws[0].contradicts && flaws[0].why == why, "{flaws:?}");
        }
        for rest in ["c9 \"1-0", "ce x;", "result 2", "hmvc 0; fmvn 1", "34", "[0.7]", "c0 \"0.5\"", "; id \"1-0\""] {
            let (found, flaws) = all(&format!("8/8/8/8/8/8/8/K1k5 w - - {rest}"), "a.epd", None, None);
            assert_eq!((found.len(), flaws.len()), (0, 1), "{rest}: {found:?}");
            assert!(!flaws[0].contradicts);
        }
    }

    #[test]
    fn errors_name_their_line() {
        let text = "# a comment\n\n8/8/8/8/8/8/8/K1k5 b - - 0 1 | 1 | 0.5\nK7/8/8/8/8/8/8/K1k5 b - - ; 0.5\n8/8 \
            w\n8/8/8/8/8/8/8/K1k5 b - - maybe\n8/8/8/8/8/8/8/K1k5 b - -\n";
        let (found, flaws) = all(text, "a.epd", None, None);
        assert_eq!((found.len(), flaws.iter().map(|flaw| flaw.line).collect::<Vec<_>>()), (1, vec![4, 5, 6, 7]));
        assert_eq!(found[0].game, 0);
        let long = format!("{}\n8/8/8/8/8/8/8/K1k5 b - - ; 1\n", "x".repeat(9_999));
        let (found, flaws) = all(&long, "a.epd", None, None);
        assert_eq!((found.len(), flaws.len()), (1, 1));
    }
}
