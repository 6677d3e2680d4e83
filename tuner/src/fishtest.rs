//! The parameter lines of fishtest and `OpenBench`: fishtest's `name, start, min, max, c_end, r_end`, and `OpenBench`'s
//! `name, int|float, start, min, max, c_end, r_end`. [`Kindless`] chooses the kind of a parameter whose line has none.
//!
//! This module parses and prints the lines; [`crate::spsa`] uses them. `c_end` is the step. A `c_end` or an `r_end` of
//! 0 freezes a parameter, as in fishtest, where it never moves.

use std::fmt;

use crate::parameter::{Kind, Parameter, SpaceError, same, whole_start};

/// The smallest step of a whole number: half a unit.
const LEAST_WHOLE_STEP: f64 = 0.5;
/// A typical step, as a share of the range.
const USUAL_STEP_SHARE: f64 = 0.05;

/// One line: a parameter and its gain at the last pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The parameter, of kind real or integer.
    pub parameter: Parameter,
    /// The gain R at the end of fishtest's schedule.
    pub r_end: f64,
    /// The start as written, if it was rounded to a whole number.
    pub rounded: Option<f64>,
}

/// The rule for the kind of a parameter whose line has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kindless {
    /// An integer if the start and the range are whole. Stored sessions are read like this.
    ByNumbers,
    /// An integer if the range is whole and the step can move an integer, whatever the start: fishtest and
    /// weather-factory send only whole numbers, but their tuned values are fractions.
    ByRange,
}

impl Kindless {
    /// The kind of a parameter with these numbers.
    pub fn kind(self, start: f64, (min, max): (f64, f64), step: f64) -> Kind {
        let are_whole = |numbers: &[f64]| numbers.iter().all(|number| number.fract() == 0.0);
        let step = if step == 0.0 { USUAL_STEP_SHARE * (max - min) } else { step };
        let is_whole = match self {
            Self::ByNumbers => are_whole(&[start, min, max]),
            Self::ByRange => are_whole(&[start, min, max]) || are_whole(&[min, max]) && step >= LEAST_WHOLE_STEP,
        };
        if is_whole { Kind::Integer } else { Kind::Real }
    }
}

/// The reason why lines cannot be read. Line numbers count from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParseLineError {
    /// The line has neither six nor seven fields.
    #[error(
        "line {line}: {found} fields: expected six, `name, start, min, max, c_end, r_end` (fishtest), or seven, with \
            `int` or `float` after the \
         name (OpenBench)"
    )]
    Fields {
        /// The line number.
        line: usize,
        /// The number of fields.
        found: usize,
    },
    /// A parameter without a name.
    #[error("line {line}: the name is empty")]
    Unnamed {
        /// The line number.
        line: usize,
    },
    /// Two lines have the same name.
    #[error("line {line}: `{name}` is in line {first} already")]
    Twice {
        /// The line number.
        line: usize,
        /// The name.
        name: String,
        /// The number of the first line with the name.
        first: usize,
    },
    /// The second field is neither int nor float.
    #[error("line {line}: unknown kind `{found}`: expected `int` or `float`")]
    Kind {
        /// The line number.
        line: usize,
        /// The word found.
        found: String,
    },
    /// A field should be a number and is not.
    #[error("line {line}: {field} `{found}` is not a number")]
    Number {
        /// The line number.
        line: usize,
        /// The field's name.
        field: &'static str,
        /// The word found.
        found: String,
    },
    /// The gain is negative or not a number.
    #[error("line {line}: r_end {found} must be greater than 0, or 0 to freeze the parameter")]
    Gain {
        /// The line number.
        line: usize,
        /// The gain found.
        found: f64,
    },
    /// The numbers do not make a valid parameter.
    #[error("line {line}: {source}")]
    Parameter {
        /// The line number.
        line: usize,
        /// The error of the parameter.
        source: SpaceError,
    },
}

/// Reads all lines of `text` as stored sessions have them. Skips empty lines and lines that start with `#` or `//`.
///
/// # Errors
/// The first line that is not a valid parameter.
pub fn parse_lines(text: &str) -> Result<Vec<Line>, ParseLineError> {
    parse_lines_by(text, Kindless::ByNumbers)
}

/// Like [`parse_lines`], with the rule `kindless` for parameters without a kind.
///
/// # Errors
/// The first line that is not a valid parameter.
pub fn parse_lines_by(text: &str, kindless: Kindless) -> Result<Vec<Line>, ParseLineError> {
    let mut lines: Vec<(usize, Line)> = Vec::new();
    for (number, text) in (1..).zip(split(text)) {
        let text = text.trim();
        if text.is_empty() || is_comment(text) {
            continue;
        }
        let line = parse_line(number, text, kindless)?;
        let name = line.parameter.name();
        if let Some((first, _)) = lines.iter().find(|(_, other)| other.parameter.name() == name) {
            return Err(ParseLineError::Twice { line: number, name: name.to_owned(), first: *first });
        }
        lines.push((number, line));
    }
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// Splits the text at the line ends of any system.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim_start_matches('\u{feff}');
    let is_old_mac = text.contains('\r') && !text.contains('\n');
    text.split(if is_old_mac { '\r' } else { '\n' })
}

fn is_comment(text: &str) -> bool {
    text.starts_with('#') || text.starts_with("//")
}

/// A name without the quotation marks around it.
fn unquoted(name: &str) -> &str {
    name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).map_or(name, str::trim)
}

/// The fields of a line, without a trailing comment or comma.
fn fields(text: &str) -> Vec<&str> {
    let mut fields: Vec<&str> = text.split(',').map(str::trim).collect();
    if let Some(last) = fields.last_mut() {
        let remark = [last.find('#'), last.find("//")].into_iter().flatten().min();
        *last = last[..remark.unwrap_or(last.len())].trim_end();
    }
    if fields.len() > 6 && fields.last() == Some(&"") {
        fields.pop();
    }
    fields
}

fn parse_line(line: usize, text: &str, kindless: Kindless) -> Result<Line, ParseLineError> {
    let fields = fields(text);
    let (name, kind, [start, min, max, c_end, r_end]) = match fields[..] {
        [name, start, min, max, c_end, r_end] => (name, None, [start, min, max, c_end, r_end]),
        [name, kind, start, min, max, c_end, r_end] => (name, Some(kind), [start, min, max, c_end, r_end]),
        _ => return Err(ParseLineError::Fields { line, found: fields.len() }),
    };
    let name = unquoted(name);
    if name.is_empty() {
        return Err(ParseLineError::Unnamed { line });
    }
    let number = |field, word: &str| {
        word.parse::<f64>().map_err(|_| ParseLineError::Number { line, field, found: word.to_owned() })
    };
    let (start, range) = (number("start", start)?, (number("min", min)?, number("max", max)?));
    let (step, r_end) = (number("c_end", c_end)?, number("r_end", r_end)?);
    let kind = match kind {
        Some("int") => Kind::Integer,
        Some("float") => Kind::Real,
        Some(other) => return Err(ParseLineError::Kind { line, found: other.to_owned() }),
        None => kindless.kind(start, range, step),
    };
    if !(r_end.is_finite() && r_end >= 0.0) {
        return Err(ParseLineError::Gain { line, found: r_end });
    }
    let whole = whole_start(kind, start, range);
    let make = if step == 0.0 || r_end == 0.0 { Parameter::frozen } else { Parameter::new };
    let parameter = make(name.to_owned(), kind, whole, range, step);
    let parameter = parameter.map_err(|source| ParseLineError::Parameter { line, source })?;
    // NaN, which equals nothing, is rejected above.
    let rounded = Some(start).filter(|&start| !same(start, whole));
    Ok(Line { parameter, r_end, rounded })
}

impl fmt::Display for Line {
    /// Prints `OpenBench`'s line. Logarithmic parameters print as `float` and booleans as `int`, because those tuners
    /// have no other kinds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = &self.parameter;
        let kind = if p.is_whole() { "int" } else { "float" };
        write!(f, "{}, {kind}, {}, {}, {}, {}, {}", p.name(), p.start(), p.min(), p.max(), p.step(), self.r_end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_printed_alike() {
        let text = "# margins\nfutility, int, 120, 20, 300, 10, 0.002\n\nscale, float, 0.75, 0.1, 2, 0.08, 0.0015\n";
        let lines = parse_lines(text).unwrap();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].to_string(), "futility, int, 120, 20, 300, 10, 0.002");
        assert_eq!(lines[1].to_string(), "scale, float, 0.75, 0.1, 2, 0.08, 0.0015");
        assert_eq!(lines[1].parameter.kind(), Kind::Real);
    }

    #[test]
    fn errors_name_line_and_field() {
        let message = |text: &str| parse_lines(text).unwrap_err().to_string();
        assert_eq!(
            message("a, 1, 0, 2, 1"),
            "line 1: 5 fields: expected six, `name, start, min, max, c_end, r_end` (fishtest), or seven, with `int` or \
                `float` after the name \
             (OpenBench)"
        );
        assert_eq!(message("\na, bool, 1, 0, 2, 1, 1"), "line 2: unknown kind `bool`: expected `int` or `float`");
        assert_eq!(message("a, int, one, 0, 2, 1, 1"), "line 1: start `one` is not a number");
        assert_eq!(message("a, int, 3, 0, 2, 1, 1"), "line 1: parameter `a`: start 3 is outside 0..2");
        let gain = |found: &str| format!("line 1: r_end {found} must be greater than 0, or 0 to freeze the parameter");
        assert_eq!(message("a, int, 1, 0, 2, 1, -1"), gain("-1"));
        assert_eq!(message("a, int, 1, 0, 2, 1, inf"), gain("inf"));
        assert_eq!(message("a, int, NaN, 0, 2, 1, 1"), "line 1: parameter `a`: start is NaN, but must be finite");
        assert_eq!(message("a, 1, 0, inf, 1, 1"), "line 1: parameter `a`: max is inf, but must be finite");
        assert_eq!(message("a, 1, 2, 0, 1, 1"), "line 1: parameter `a`: min 2 must be less than max 0");
        assert_eq!(message(", 1, 0, 2, 1, 1"), "line 1: the name is empty");
        assert_eq!(message("a, 1, 0, 2, 1, 1\n\na, 2, 0, 3, 1, 1"), "line 3: `a` is in line 1 already");
        assert_eq!(
            message("a, 1, 0, 2, -1, 1"),
            "line 1: parameter `a`: step -1 must be greater than 0 (0 freezes a parameter)"
        );
        assert_eq!(
            message("a, int, 1, 0.5, 2, 1, 1"),
            "line 1: parameter `a`: min is 0.5, but with kind = \"integer\" it must be a whole number, or write kind \
            = \"real\""
        );
        assert_eq!(
            message("a, int, 1, 0, 2, 0.2, 1"),
            "line 1: parameter `a`: with kind = \"integer\" and step 0.2 both sides would be the same engine; the step \
                must be at least 0.5"
        );
        assert!(message("a, b, 1, 2, 0, 2, 1, 1").starts_with("line 1: 8 fields: expected six"));
    }

    fn printed(text: &str, kindless: Kindless) -> Vec<String> {
        parse_lines_by(text, kindless).unwrap().iter().map(Line::to_string).collect()
    }

    #[test]
    fn lines_are_read_however_they_are_laid_out() {
        let text = "\u{feff}// margins\r\n\r\n Razor Margin ,300,100,600,25,0.002, # a remark\r\n\"b\", int, -0, -9, \
            9, 1, 1e-3\r\n";
        let lines = ["Razor Margin, int, 300, 100, 600, 25, 0.002", "b, int, 0, -9, 9, 1, 0.001"];
        assert_eq!(printed(text, Kindless::ByNumbers), lines);
        assert_eq!(printed("a,1,0,2,1,1\rb,1,0,2,1,1", Kindless::ByNumbers).len(), 2);
        assert_eq!(printed("wide, 1, 0, 2, 50, 1", Kindless::ByNumbers), ["wide, int, 1, 0, 2, 50, 1"]);
    }

    #[test]
    fn a_fractional_start_of_a_whole_number_is_rounded() {
        let lines = parse_lines("a, int, 51.37, 0, 100, 5, 0.002\nb, int, -0.4, -9, 9, 1, 0.002").unwrap();
        let starts: Vec<_> = lines.iter().map(|line| (line.parameter.start(), line.rounded)).collect();
        assert_eq!(starts, [(51.0, Some(51.37)), (0.0, Some(-0.4))]);
        assert_eq!(lines[1].to_string(), "b, int, 0, -9, 9, 1, 0.002", "not -0");
        let text = "a, 51.37, 0, 100, 5, 0.002\nshare, 0.6, 0, 1, 0.05, 0.002\nc, 0.5, 0, 1, 0, 0.002";
        let by_range =
            ["a, int, 51, 0, 100, 5, 0.002", "share, float, 0.6, 0, 1, 0.05, 0.002", "c, float, 0.5, 0, 1, 0, 0.002"];
        assert_eq!(printed(text, Kindless::ByRange), by_range);
        assert_eq!(
            printed(text, Kindless::ByNumbers)[0],
            "a, float, 51.37, 0, 100, 5, 0.002",
            "as stored sessions have it"
        );
    }

    #[test]
    fn a_step_or_a_gain_of_0_freezes() {
        let text = [
            "a, int, 5, 0, 10, 0, 0.002",
            "b, int, 5, 0, 10, 2, 0",
            "c, float, 0.5, 0, 1, 0, 0",
            "d, int, 5, 5, 5, 0, 1",
        ];
        let lines = parse_lines(&text.join("\n")).unwrap();
        assert!(lines.iter().all(|line| line.parameter.is_frozen()));
        assert_eq!(lines.iter().map(Line::to_string).collect::<Vec<_>>(), text);
    }
}
