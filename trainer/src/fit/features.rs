//! User-defined features: one position per line, with the target of its evaluation and its features by name.
//!
//! ```text
//! # result, or score with `cp`     features that are not 0
//! 1.0   material:1.5 mobility:-3 passed:1
//! 34cp  material:0.5 tempo:1
//! ```
//!
//! `game:7` gives the line's game. On a line without features, all features are 0.

use super::FitError;
use super::design::{Label, MOST_FEATURES};
use std::collections::BTreeMap;
use std::io::BufRead;

/// A parsed line. Features are numbered in the order in which their names first occur.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) label: Label,
    pub(super) game: u64,
    pub(super) features: Vec<(u16, f32)>,
}

/// Reads files in sequence, with one set of names.
#[derive(Debug, Default)]
pub(super) struct Features {
    places: BTreeMap<String, u16>,
    names: Vec<String>,
}

impl Features {
    /// The names, in the order in which they first occur.
    pub(super) fn names(self) -> Vec<String> {
        self.names
    }

    /// Reads a file; `each` gets the number of each line, and the line or its error.
    pub(super) fn read(
        &mut self,
        reader: impl BufRead,
        each: &mut dyn FnMut(u64, Result<Line, String>) -> bool,
    ) -> Result<(), FitError> {
        for (number, line) in (1..).zip(reader.lines()) {
            let line = line.map_err(FitError::Io)?;
            let text = line.split('#').next().unwrap_or_default().trim();
            if text.is_empty() {
                continue;
            }
            if !each(number, self.line(text, number)) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn line(&mut self, text: &str, number: u64) -> Result<Line, String> {
        let mut words = text.split_whitespace();
        let label = label(words.next().unwrap_or_default())?;
        let mut line = Line { label, game: number, features: Vec::new() };
        for word in words {
            let wrong = || format!("`{word}` is not a feature: expected `name:value`");
            let (name, value) = word.rsplit_once(':').ok_or_else(wrong)?;
            let value: f32 = value.parse().ok().filter(|value: &f32| value.is_finite()).ok_or_else(wrong)?;
            if name == "game" {
                line.game = value as u64;
            } else {
                line.features.push((self.place(name)?, value));
            }
        }
        Ok(line)
    }

    fn place(&mut self, name: &str) -> Result<u16, String> {
        if let Some(&place) = self.places.get(name) {
            return Ok(place);
        }
        if self.names.len() >= MOST_FEATURES {
            return Err(format!("`{name}` is one feature too many: expected at most {MOST_FEATURES}"));
        }
        let place = self.names.len() as u16;
        self.places.insert(name.to_owned(), place);
        self.names.push(name.to_owned());
        Ok(place)
    }
}

fn label(word: &str) -> Result<Label, String> {
    let wrong =
        || format!("`{word}` is not a label: expected points from 0 to 1, such as `0.5`, or a score such as `34cp`");
    if let Some(score) = word.strip_suffix("cp") {
        let score: f32 = score.parse().ok().filter(|score: &f32| score.is_finite()).ok_or_else(wrong)?;
        return Ok(Label { score: Some(score), result: None });
    }
    let result: f32 = word.parse().ok().filter(|result| (0.0..=1.0).contains(result)).ok_or_else(wrong)?;
    Ok(Label { score: None, result: Some(result) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_errors_are_reported() {
        let text =
            "# features\n1.0 material:1.5 mobility:-3 game:7\n34cp material:0.5 # more\n\n2 a:1\n0 a\n0.5\n0.5 a:x\n";
        let (mut features, mut lines, mut flaws) = (Features::default(), Vec::new(), Vec::new());
        let mut each = |number: u64, line: Result<Line, String>| {
            match line {
                Ok(line) => lines.push(line),
                Err(_) => flaws.push(number),
            }
            true
        };
        features.read(text.as_bytes(), &mut each).unwrap();
        assert_eq!(
            lines[0],
            Line { label: Label { score: None, result: Some(1.0) }, game: 7, features: vec![(0, 1.5), (1, -3.0)] }
        );
        assert_eq!((lines[1].label.score, lines[1].features.as_slice()), (Some(34.0), &[(0, 0.5)][..]));
        assert_eq!(lines.len(), 3);
        assert_eq!(flaws, [5, 6, 8]);
        assert_eq!(features.names(), ["material", "mobility"]);
    }
}
