//! Parameters as engines and other tuners declare them: reads any of their formats, writes a configuration that tunes
//! the parameters, and puts the values into a source file.
//!
//! This module owns the formats of other programs; lines of fishtest and `OpenBench` belong to [`tuner::fishtest`],
//! options of engines to [`play::protocol`].

mod config;
mod json;
mod options;
mod patch;
mod source;

pub use config::Program;
pub use patch::{PatchError, Patched, patch};

use arena::config::TuneNote;
use play::spelling::nearest;
use std::fmt;
use tuner::fishtest::{self, Kindless};
use tuner::{Kind, Parameter, TunedParameter, whole_start};

/// Fishtest's default step, as a share of the range.
const STEP_SHARE: f64 = 0.05;

/// The format of declared parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `option name X type spin default 3 min 0 max 9`
    UciOptions,
    /// `X, 3, 0, 9, 1, 0.002`, or with `int` or `float` after the name.
    Lines,
    /// `{"X": {"value": 3, "min_value": 0, "max_value": 9, "step": 1}}`, or a `state.json`.
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

/// A text without parameters, or an invalid text.
#[derive(Debug, thiserror::Error)]
pub enum DeclaredError {
    /// The text has none of the formats.
    #[error(
        "no parameters are found: expected UCI options, lines of fishtest or OpenBench, weather-factory's JSON, or \
            source with TUNE(...)"
    )]
    Unknown,
    /// The text looks like weather-factory's JSON, but is invalid.
    #[error("this is not JSON as weather-factory has it: {0}")]
    Json(#[from] serde_json::Error),
    /// A parameter in such JSON is invalid.
    #[error("line {line}: {why}")]
    Entry {
        /// The line of its name, from 1.
        line: usize,
        /// The mistake.
        why: String,
    },
    /// The text looks like lines, but is invalid.
    #[error(transparent)]
    Line(#[from] fishtest::ParseLineError),
    /// None of the declared parameters can be tuned.
    #[error("none of the {count} that are declared as {spelling} can be tuned:{}", listed(left_out))]
    Nothing {
        /// Their format.
        spelling: Spelling,
        /// The number of declarations.
        count: usize,
        /// The reason for each.
        left_out: Vec<LeftOut>,
    },
    /// A requested name is not declared.
    #[error("`{name}` is not \
        declared{}", .nearest.as_ref().map(|best| format!(": did you mean `{best}`?")).unwrap_or_default())]
    NotDeclared {
        /// The name.
        name: String,
        /// The declared name that was probably meant.
        nearest: Option<String>,
    },
    /// A requested name cannot be tuned.
    #[error("`{name}` cannot be tuned: {why}")]
    NotTunable {
        /// The name.
        name: String,
        /// The reason.
        why: String,
    },
}

/// The most declarations that a message lists.
const MOST_LISTED: usize = 30;

fn listed(left_out: &[LeftOut]) -> String {
    let line = |LeftOut { name, why, .. }: &LeftOut| format!("\n  {name}: {why}");
    let listed: String = left_out.iter().take(MOST_LISTED).map(line).collect();
    match left_out.len().checked_sub(MOST_LISTED) {
        None | Some(0) => listed,
        Some(more) => format!("{listed}\n  and {more} more"),
    }
}

/// A declaration that is not used.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// The reason.
    pub why: String,
    /// The parameter that it would be, if it can be one.
    pub parameter: Option<TunedParameter>,
}

/// Declared parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// Their format.
    pub spelling: Spelling,
    /// The parameters to tune.
    pub parameters: Vec<TunedParameter>,
    /// The gains of lines, one for each parameter; empty for other formats.
    pub gains: Vec<f64>,
    /// Switches and categories of an engine, which most users do not want to tune: they are written as comments.
    pub aside: Vec<TunedParameter>,
    /// The other declarations, and why they are left out.
    pub left_out: Vec<LeftOut>,
    /// Notes on values that are not taken literally.
    pub notes: Vec<TuneNote>,
}

impl Declared {
    /// Reads parameters in any format.
    ///
    /// # Errors
    /// [`DeclaredError`]
    pub fn read(text: &str) -> Result<Self, DeclaredError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut declared = if json::is_json(text) {
            json::read(text)?
        } else if text.lines().any(|line| line.trim_start().starts_with("option name ")) {
            options::read(text)
        } else if text.contains("TUNE(") {
            source::read(text)
        } else if text.split(['\r', '\n']).any(|line| line.matches(',').count() >= 5) {
            Self::of_lines(text)?
        } else {
            return Err(DeclaredError::Unknown);
        };
        if declared.parameters.is_empty() {
            // An engine without other parameters gets these.
            declared.parameters = std::mem::take(&mut declared.aside);
        }
        if declared.parameters.is_empty() && declared.left_out.is_empty() {
            return Err(DeclaredError::Unknown);
        }
        if declared.parameters.is_empty() {
            let (spelling, left_out) = (declared.spelling, declared.left_out);
            return Err(DeclaredError::Nothing { spelling, count: left_out.len(), left_out });
        }
        Ok(declared)
    }

    /// Selects the parameters with these names, ignoring case. Parameters that are otherwise left out or written as
    /// comments can be selected, too.
    ///
    /// # Errors
    /// [`DeclaredError::NotDeclared`] and [`DeclaredError::NotTunable`]
    pub fn only(self, names: &[String]) -> Result<Self, DeclaredError> {
        let (mut parameters, mut gains) = (Vec::new(), Vec::new());
        for name in names {
            let is_it = |known: &str| known.eq_ignore_ascii_case(name);
            if let Some(at) = self.parameters.iter().position(|parameter| is_it(&parameter.name)) {
                parameters.push(self.parameters[at].clone());
                gains.extend(self.gains.get(at).copied());
            } else if let Some(aside) = self.aside.iter().find(|parameter| is_it(&parameter.name)) {
                parameters.push(aside.clone());
            } else {
                parameters.push(self.asked_for(name)?);
            }
        }
        Ok(Self { parameters, gains, aside: Vec::new(), left_out: Vec::new(), ..self })
    }

    /// Returns a parameter that is left out unless it is requested.
    fn asked_for(&self, name: &str) -> Result<TunedParameter, DeclaredError> {
        let Some(left_out) = self.left_out.iter().find(|left_out| left_out.name.eq_ignore_ascii_case(name)) else {
            let known = self.parameters.iter().chain(&self.aside).map(|parameter| parameter.name.as_str());
            let nearest = nearest(name, known).map(str::to_owned);
            return Err(DeclaredError::NotDeclared { name: name.to_owned(), nearest });
        };
        let not_tunable = || DeclaredError::NotTunable { name: left_out.name.clone(), why: left_out.why.clone() };
        left_out.parameter.clone().ok_or_else(not_tunable)
    }

    fn none(spelling: Spelling) -> Self {
        let (parameters, gains, aside) = (Vec::new(), Vec::new(), Vec::new());
        Self { spelling, parameters, gains, aside, left_out: Vec::new(), notes: Vec::new() }
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        self.left_out.push(LeftOut { name: name.to_owned(), why: why.to_owned(), parameter: None });
    }

    fn of_lines(text: &str) -> Result<Self, DeclaredError> {
        let lines = fishtest::parse_lines_by(text, Kindless::ByRange)?;
        let mut declared = Self::none(Spelling::Lines);
        let mut rounded = Vec::new();
        for fishtest::Line { parameter: p, r_end, rounded: from } in lines {
            rounded.extend(from.map(|from| (p.name().to_owned(), from, p.start())));
            declared.gains.push(r_end);
            declared.parameters.push(number(p.name(), p.kind(), p.start(), (p.min(), p.max()), p.step()));
        }
        declared.note_rounded(rounded);
        Ok(declared)
    }

    fn note_rounded(&mut self, starts: Vec<(String, f64, f64)>) {
        if !starts.is_empty() {
            self.notes.push(TuneNote::Rounded(starts));
        }
    }
}

/// Makes a number parameter, with 0 in place of -0.
fn number(name: &str, kind: Kind, start: f64, (min, max): (f64, f64), step: f64) -> TunedParameter {
    let [start, min, max, step] = [start, min, max, step].map(|number| number + 0.0);
    TunedParameter { name: name.to_owned(), kind, start, min, max, step, group: None, values: Vec::new() }
}

/// Makes a number parameter, guessing its kind and, if not given, its step. The error says why it cannot be a
/// parameter.
fn guessed(name: &str, start: f64, range: (f64, f64), step: Option<f64>) -> Result<TunedParameter, String> {
    let usual = STEP_SHARE * (range.1 - range.0);
    let kind = match step {
        Some(step) => Kindless::ByRange.kind(start, range, step),
        None if [start, range.0, range.1].iter().all(|number| number.fract() == 0.0) => Kind::Integer,
        None => Kind::Real,
    };
    let step = step.unwrap_or(if kind == Kind::Integer { usual.round().max(1.0) } else { usual });
    let parameter = number(name, kind, whole_start(kind, start, range), range, step);
    Parameter::of(parameter.clone()).map(|_| parameter).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Declared {
        Declared::read(text).expect("parameters")
    }

    pub(super) fn rows(declared: &Declared) -> Vec<String> {
        let row = |p: &TunedParameter| format!("{} {:?} {} {} {} {}", p.name, p.kind, p.start, p.min, p.max, p.step);
        declared.parameters.iter().map(row).collect()
    }

    pub(super) fn names(parameters: &[TunedParameter]) -> Vec<&str> {
        parameters.iter().map(|parameter| parameter.name.as_str()).collect()
    }

    pub(super) fn notes(declared: &Declared) -> String {
        declared.notes.iter().map(TuneNote::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn lines_of_both_frameworks() {
        let fishtest = read("razor,300,100,600,25,0.0020\n scale, 0.75, 0.1, 2, 0.08, 0.0015");
        assert_eq!(rows(&fishtest), ["razor Integer 300 100 600 25", "scale Real 0.75 0.1 2 0.08"]);
        let openbench = read("razor, int, 300.0, 100.0, 600.0, 25.0, 0.002");
        let toml = openbench.to_toml(None);
        assert!(toml.contains("lines = \"\"\"\nrazor, int, 300, 100, 600, 25, 0.002\n\"\"\"\n"), "{toml}");
        let wrong = Declared::read("razor,300,100,600,x,0.0020").expect_err("no number").to_string();
        assert_eq!(wrong, "line 1: c_end `x` is not a number");
        let tuned = read("Plain, 51.37, 0, 100, 5, 0.002\r\nNeg, int, -40, -100, 0, 0, 0.002\r\n");
        assert_eq!(rows(&tuned), ["Plain Integer 51 0 100 5", "Neg Integer -40 -100 0 0"]);
        assert_eq!(notes(&tuned), "starts of whole numbers are rounded: `Plain` from 51.37 to 51");
    }

    #[test]
    fn what_declares_nothing_is_no_declaration() {
        for text in ["", "hello", "a, b, c", "int x = 3;", "[tune]\npairs = 3", "{}", "{\"uci_params\": []}"] {
            assert!(matches!(Declared::read(text), Err(DeclaredError::Unknown)), "{text:?}");
        }
    }

    /// A plan reads the written configuration back unchanged.
    #[test]
    fn a_configuration_tunes_what_was_declared() {
        let options = "option name Razor \"Margin\" type spin default 300 min 100 max 600\noption name Use X type \
            check default on\n\
                       option name Style type combo default b var a var b\n";
        let declared = read(options);
        let program =
            Program { command: "/opt/my engine".to_owned(), arguments: vec!["-q".to_owned(), "a \"b\"".to_owned()] };
        let toml = declared.to_toml(Some(&program));
        assert!(
            toml.contains("# [[tune.parameter]]\n# name = \"Use X\"\n# kind = \"switch\"\n# start = true\n"),
            "{toml}"
        );
        assert!(toml.contains("# values = [\"b\", \"a\"]\n"), "{toml}");
        let uncommented: String = toml
            .lines()
            .map(|line| {
                line.strip_prefix("# ").filter(|rest| rest.contains(['=', '['])).unwrap_or(line).to_owned() + "\n"
            })
            .collect();
        for (text, count) in [(toml.clone(), 1), (uncommented.replace("`enabled", "#").replace("A book", "#"), 3)] {
            let loaded = plan::load(&text, "x.toml", "x", &[], arena::config::Job::Tune, plan::Disk)
                .unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            let arena::config::ExperimentConfig::Tune(tune) = &loaded.run.experiment else { panic!("{loaded:?}") };
            let arena::config::Tuned::Parameters(parameters) = &tune.tuned else { panic!("{tune:?}") };
            let expected: Vec<TunedParameter> =
                declared.parameters.iter().chain(&declared.aside).take(count).cloned().collect();
            assert_eq!(parameters, &expected, "{text}");
            let process = loaded.run.entrants[0].player.process().expect("a program");
            assert_eq!((&process.command, &process.arguments), (&program.command, &program.arguments));
        }
    }
}
