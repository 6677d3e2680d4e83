//! The input lines that fishtest and `OpenBench` take, one parameter a line: fishtest's `name, start, min, max, c_end, r_end`, and
//! `OpenBench`'s `name, int|float, start, min, max, c_end, r_end`. Where no kind is said, a parameter whose numbers are whole is an integer.
//!
//! Parses and prints them; what they mean is left to [`crate::spsa`]. `c_end` is the step.

use std::fmt;

use crate::space::{Kind, Parameter, SpaceError};

/// One line: a parameter and its gain at the last pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The parameter, of kind real or integer.
    pub parameter: Parameter,
    /// The gain R that fishtest's schedule ends at.
    pub r_end: f64,
}

/// Why lines cannot be read. Line numbers count from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParseLineError {
    /// Neither six fields nor seven.
    #[error(
        "line {line}: {found} fields: expected six, `name, start, min, max, c_end, r_end` (fishtest), or seven, with `int` or `float` after the \
         name (OpenBench)"
    )]
    Fields {
        /// Where.
        line: usize,
        /// Fields found.
        found: usize,
    },
    /// The second field is neither int nor float.
    #[error("line {line}: unknown kind `{found}`: expected `int` or `float`")]
    Kind {
        /// Where.
        line: usize,
        /// The word found.
        found: String,
    },
    /// A field that should be a number is none.
    #[error("line {line}: {field} `{found}` is not a number")]
    Number {
        /// Where.
        line: usize,
        /// The field's name.
        field: &'static str,
        /// The word found.
        found: String,
    },
    /// The gain is not a positive number.
    #[error("line {line}: r_end {found} must be greater than 0")]
    Gain {
        /// Where.
        line: usize,
        /// The gain found.
        found: f64,
    },
    /// The numbers do not make a parameter.
    #[error("line {line}: {source}")]
    Parameter {
        /// Where.
        line: usize,
        /// What is wrong with them.
        source: SpaceError,
    },
}

/// Reads all lines of `text`; empty lines and lines that start with `#` are skipped.
///
/// # Errors
/// The first line that does not make a parameter.
pub fn parse_lines(text: &str) -> Result<Vec<Line>, ParseLineError> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(n, line)| parse_line(n, line)).collect()
}

fn parse_line(line: usize, text: &str) -> Result<Line, ParseLineError> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let (name, kind, [start, min, max, c_end, r_end]) = match fields[..] {
        [name, start, min, max, c_end, r_end] => (name, None, [start, min, max, c_end, r_end]),
        [name, kind, start, min, max, c_end, r_end] => (name, Some(kind), [start, min, max, c_end, r_end]),
        _ => return Err(ParseLineError::Fields { line, found: fields.len() }),
    };
    let number = |field, word: &str| {
        word.parse::<f64>().map_err(|_| ParseLineError::Number { line, field, found: word.to_owned() })
    };
    let (start, range) = (number("start", start)?, (number("min", min)?, number("max", max)?));
    let kind = match kind {
        Some("int") => Kind::Integer,
        Some("float") => Kind::Real,
        Some(other) => return Err(ParseLineError::Kind { line, found: other.to_owned() }),
        None if [start, range.0, range.1].iter().all(|number| number.fract() == 0.0) => Kind::Integer,
        None => Kind::Real,
    };
    let parameter = Parameter::new(name.to_owned(), kind, start, range, number("c_end", c_end)?)
        .map_err(|source| ParseLineError::Parameter { line, source })?;
    let r_end = number("r_end", r_end)?;
    if r_end.is_finite() && r_end > 0.0 {
        Ok(Line { parameter, r_end })
    } else {
        Err(ParseLineError::Gain { line, found: r_end })
    }
}

impl fmt::Display for Line {
    /// As `OpenBench` has it. Logarithmic parameters print as `float` and booleans as `int`: those tuners know no other kinds.
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
            "line 1: 5 fields: expected six, `name, start, min, max, c_end, r_end` (fishtest), or seven, with `int` or `float` after the name \
             (OpenBench)"
        );
        assert_eq!(message("\na, bool, 1, 0, 2, 1, 1"), "line 2: unknown kind `bool`: expected `int` or `float`");
        assert_eq!(message("a, int, one, 0, 2, 1, 1"), "line 1: start `one` is not a number");
        assert_eq!(message("a, int, 3, 0, 2, 1, 1"), "line 1: parameter `a`: start 3 is outside 0..2");
        assert_eq!(message("a, int, 1, 0, 2, 1, 0"), "line 1: r_end 0 must be greater than 0");
    }
}
