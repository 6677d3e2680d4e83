//! Parameters as engines and other tuners declare them: read from whichever of them, made a `[tune]` section, and their values put into a
//! source file.
//!
//! It owns the spellings that are not spar's own; lines of fishtest and `OpenBench` are [`tuner::fishtest`]'s, options of engines
//! [`play::protocol`]'s.

mod patch;
mod source;

pub use patch::{PatchError, Patched, patch};

use play::protocol::{OptionKind, uci};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use tuner::{Kind, Parameter, fishtest};

/// Fishtest's step where nobody says one, as a share of the range.
const STEP_SHARE: f64 = 0.05;
/// Options that are no matter of strength at equal terms, or that whoever plays sets.
const NOT_TUNED: [&str; 9] = [
    "hash",
    "threads",
    "multipv",
    "move overhead",
    "slow mover",
    "skill level",
    "nodestime",
    "syzygyprobedepth",
    "syzygyprobelimit",
];

/// How parameters are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `option name X type spin default 3 min 0 max 9`
    UciOptions,
    /// `X, 3, 0, 9, 1, 0.002`, or with `int` or `float` after the name.
    Lines,
    /// `{"X": {"value": 3, "min_value": 0, "max_value": 9, "step": 1}}`
    WeatherFactory,
    /// `int X = 3; TUNE(SetRange(0, 9), X);`
    Source,
}

impl fmt::Display for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UciOptions => "UCI options",
            Self::Lines => "lines of fishtest or OpenBench",
            Self::WeatherFactory => "JSON of weather-factory",
            Self::Source => "TUNE lists of a source file",
        })
    }
}

/// Text in which no parameters are found, or that is not what it looks like.
#[derive(Debug, thiserror::Error)]
pub enum DeclaredError {
    /// It is none of the spellings.
    #[error(
        "no parameters are found: expected UCI options, lines of fishtest or OpenBench, weather-factory's JSON, or source with TUNE(...)"
    )]
    Unknown,
    /// It looks like weather-factory's JSON.
    #[error("this is no JSON as weather-factory has it: {0}")]
    Json(#[from] serde_json::Error),
    /// It looks like lines.
    #[error(transparent)]
    Line(#[from] fishtest::ParseLineError),
    /// There are declarations, and none can be tuned.
    #[error("none of the {count} that are declared as {spelling} can be tuned: {first}")]
    Nothing {
        /// How they are spelled.
        spelling: Spelling,
        /// How many there are.
        count: usize,
        /// What is wrong with the first of them.
        first: String,
    },
}

/// Parameters that were read.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// How they are spelled.
    pub spelling: Spelling,
    /// Those that can be tuned.
    pub parameters: Vec<Parameter>,
    /// The gains that lines have, one for each parameter; none of other spellings.
    pub gains: Vec<f64>,
    /// The others: their names, and why they are left out.
    pub left_out: Vec<(String, String)>,
}

impl Declared {
    /// Reads parameters, in whichever spelling they are.
    ///
    /// # Errors
    /// [`DeclaredError`]
    pub fn read(text: &str) -> Result<Self, DeclaredError> {
        let trimmed = text.trim_start();
        let declared = if trimmed.starts_with('{') {
            Self::of_json(text)?
        } else if text.lines().any(|line| line.trim_start().starts_with("option name ")) {
            Self::of_options(text)
        } else if text.contains("TUNE(") {
            source::read(text)
        } else if text.lines().any(|line| line.matches(',').count() >= 5) {
            Self::of_lines(text)?
        } else {
            return Err(DeclaredError::Unknown);
        };
        if declared.parameters.is_empty() {
            let count = declared.left_out.len();
            let first = declared.left_out.first().map(|(name, why)| format!("{name}: {why}")).unwrap_or_default();
            return Err(DeclaredError::Nothing { spelling: declared.spelling, count, first });
        }
        Ok(declared)
    }

    fn none(spelling: Spelling) -> Self {
        Self { spelling, parameters: Vec::new(), gains: Vec::new(), left_out: Vec::new() }
    }

    /// Takes in a parameter; what makes none is left out with the reason.
    fn take(&mut self, name: &str, start: f64, range: (f64, f64), step: Option<f64>) {
        let is_whole = [start, range.0, range.1].iter().all(|number| number.fract() == 0.0);
        let kind = if is_whole { Kind::Integer } else { Kind::Real };
        let usual = STEP_SHARE * (range.1 - range.0);
        let step = step.unwrap_or(if is_whole { usual.round().max(1.0) } else { usual });
        match Parameter::new(name.to_owned(), kind, start, range, step) {
            Ok(parameter) => self.parameters.push(parameter),
            Err(why) => self.left_out.push((name.to_owned(), why.to_string())),
        }
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        self.left_out.push((name.to_owned(), why.to_owned()));
    }

    fn of_lines(text: &str) -> Result<Self, DeclaredError> {
        let lines = fishtest::parse_lines(text)?;
        let gains = lines.iter().map(|line| line.r_end).collect();
        let parameters = lines.into_iter().map(|line| line.parameter).collect();
        Ok(Self { parameters, gains, ..Self::none(Spelling::Lines) })
    }

    fn of_json(text: &str) -> Result<Self, DeclaredError> {
        /// A parameter as weather-factory has it.
        #[derive(Deserialize)]
        struct Entry {
            value: f64,
            min_value: f64,
            max_value: f64,
            step: f64,
        }
        let entries: BTreeMap<String, Entry> = serde_json::from_str(text)?;
        let mut declared = Self::none(Spelling::WeatherFactory);
        for (name, Entry { value, min_value, max_value, step }) in entries {
            declared.take(&name, value, (min_value, max_value), Some(step));
        }
        Ok(declared)
    }

    fn of_options(text: &str) -> Self {
        let mut declared = Self::none(Spelling::UciOptions);
        for line in text.lines() {
            let uci::Message::Option(option) = uci::Message::parse(line) else { continue };
            match option.kind {
                _ if option.name.to_ascii_lowercase().starts_with("uci_")
                    || NOT_TUNED.contains(&option.name.to_ascii_lowercase().as_str()) =>
                {
                    declared.leave_out(&option.name, "it is set by whoever plays");
                }
                OptionKind::Spin { default: Some(default), min: Some(min), max: Some(max) } => {
                    declared.take(&option.name, default as f64, (min as f64, max as f64), None);
                }
                OptionKind::Spin { .. } => declared.leave_out(&option.name, "it has no default or no range"),
                _ => declared.leave_out(&option.name, "it is no number"),
            }
        }
        declared
    }

    /// The `[tune]` section of a configuration that tunes them.
    pub fn to_toml(&self) -> String {
        if !self.gains.is_empty() {
            let lines = self.parameters.iter().zip(&self.gains);
            let lines = lines.map(|(p, &r_end)| fishtest::Line { parameter: p.clone(), r_end }.to_string());
            return format!("[tune]\nlines = \"\"\"\n{}\n\"\"\"\n", lines.collect::<Vec<_>>().join("\n"));
        }
        let blocks = self.parameters.iter().map(|p| {
            let kind = if p.kind() == Kind::Integer { "integer" } else { "real" };
            let name = toml::Value::from(p.name());
            let [start, min, max, step] = [p.start(), p.min(), p.max(), p.step()];
            format!(
                "\n[[tune.parameter]]\nname = {name}\nkind = \"{kind}\"\nstart = {start}\nmin = {min}\nmax = {max}\nstep = {step}\n"
            )
        });
        format!("[tune]\n{}", blocks.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Declared {
        Declared::read(text).expect("parameters")
    }

    fn rows(declared: &Declared) -> Vec<String> {
        let row =
            |p: &Parameter| format!("{} {:?} {} {} {} {}", p.name(), p.kind(), p.start(), p.min(), p.max(), p.step());
        declared.parameters.iter().map(row).collect()
    }

    #[test]
    fn options_of_an_engine() {
        let declared = read(
            "id name x\noption name Hash type spin default 16 min 1 max 1024\noption name Razor Margin type spin default 300 min 100 max 600\n\
             option name UCI_Elo type spin default 1320 min 1320 max 3190\noption name Ponder type check default false\nuciok\n",
        );
        assert_eq!(
            (declared.spelling, rows(&declared)),
            (Spelling::UciOptions, vec!["Razor Margin Integer 300 100 600 25".to_owned()])
        );
        let names: Vec<&str> = declared.left_out.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Hash", "UCI_Elo", "Ponder"]);
        let toml = declared.to_toml();
        assert!(toml.contains("name = \"Razor Margin\"\nkind = \"integer\"\nstart = 300\n"), "{toml}");
    }

    #[test]
    fn lines_of_both_frameworks() {
        let fishtest = read("razor,300,100,600,25,0.0020\n scale, 0.75, 0.1, 2, 0.08, 0.0015");
        assert_eq!(rows(&fishtest), ["razor Integer 300 100 600 25", "scale Real 0.75 0.1 2 0.08"]);
        let openbench = read("razor, int, 300.0, 100.0, 600.0, 25.0, 0.002");
        assert_eq!(openbench.to_toml(), "[tune]\nlines = \"\"\"\nrazor, int, 300, 100, 600, 25, 0.002\n\"\"\"\n");
        let wrong = Declared::read("razor,300,100,600,x,0.0020").expect_err("no number").to_string();
        assert_eq!(wrong, "line 1: c_end `x` is not a number");
    }

    #[test]
    fn json_of_weather_factory() {
        let declared = read(
            r#"{"b": {"value": 5, "min_value": 1, "max_value": 9, "step": 2}, "a": {"value": 0.5, "min_value": 0, "max_value": 1, "step": 0.1}}"#,
        );
        assert_eq!(rows(&declared), ["a Real 0.5 0 1 0.1", "b Integer 5 1 9 2"]);
        assert!(matches!(Declared::read("{\"a\": 3}"), Err(DeclaredError::Json(_))));
        let beyond = Declared::read(r#"{"a": {"value": 5, "min_value": 6, "max_value": 9, "step": 1}}"#);
        let why = beyond.expect_err("none is left").to_string();
        assert!(
            why.starts_with("none of the 1 that are declared as JSON of weather-factory can be tuned: a: "),
            "{why}"
        );
    }

    #[test]
    fn what_declares_nothing_is_no_declaration() {
        for text in ["", "hello", "a, b, c", "int x = 3;"] {
            assert!(matches!(Declared::read(text), Err(DeclaredError::Unknown)), "{text:?}");
        }
    }
}
