//! UCI options: table size, threads, search, evaluation, the weights files and the book file, and every tunable
//! parameter.
//!
//! Owns the conversion between parameter values and option texts. UCI has only whole numbers, so a real number is given
//! in ten-thousandths: `null_move_margin` 0.1 is `1000`. Switches are `true` and `false`.

use crate::params::{ParamError, ParamInfo, ParamKind, PARAMS};
use crate::{EngineConfig, EvaluationKind, SearchKind};
use std::fmt;
use std::num::NonZeroUsize;

/// The factor from a real number to an option's whole number.
const PER_UNIT: f64 = 10_000.0;

/// The text for an empty value.
pub const EMPTY: &str = "<empty>";

const MEBIBYTE: usize = 1 << 20;
/// The valid table sizes, in MiB.
const HASH_RANGE: std::ops::RangeInclusive<usize> = 1..=4096;
/// The valid numbers of threads.
const THREADS_RANGE: std::ops::RangeInclusive<usize> = 1..=256;

/// The option text of a parameter's value. Reals are rounded to the nearest ten-thousandth.
pub fn option_text(info: &ParamInfo, value: f64) -> String {
    match info.kind {
        ParamKind::Switch => (value != 0.0).to_string(),
        ParamKind::Integer => (value as i64).to_string(),
        ParamKind::Real => ((value * PER_UNIT).round() as i64).to_string(),
    }
}

/// Parses a parameter's value from its option text: the inverse of [`option_text`] for values that are a whole number
/// of ten-thousandths. The text of the default means exactly the default, so sending every option its default changes
/// nothing.
///
/// # Errors
/// [`OptionError`] if the text is not a value of the parameter's kind or is out of its range.
pub fn option_value(info: &'static ParamInfo, text: &str) -> Result<f64, OptionError> {
    if text == option_text(info, info.default) {
        return Ok(info.default);
    }
    let malformed = || OptionError::Value { option: EngineOption::Param(info), found: text.to_owned() };
    let whole = || text.parse::<i32>().map(f64::from).map_err(|_| malformed());
    let value = match (info.kind, text) {
        (ParamKind::Switch, "true") => 1.0,
        (ParamKind::Switch, "false") => 0.0,
        (ParamKind::Switch, _) => return Err(malformed()),
        (ParamKind::Integer, _) => whole()?,
        (ParamKind::Real, _) => whole()? / PER_UNIT,
    };
    info.check(value).map_err(|_: ParamError| malformed())?;
    Ok(value)
}

/// A UCI option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EngineOption {
    /// The memory of the search, its transposition table or tree, in MiB.
    Hash,
    /// The number of threads that search together.
    Threads,
    /// The kind of search.
    Search,
    /// The static evaluation.
    Evaluation,
    /// A file whose weights replace those of the evaluation; empty for none. The program reads the file; a
    /// configuration does not contain it.
    EvalFile,
    /// A file with the policy of the tree search; empty for the engine's own. The program reads it too.
    PolicyFile,
    /// A book of setups that replaces the shipped one; empty for none. The program reads it too.
    BookFile,
    /// A tunable parameter.
    Param(&'static ParamInfo),
}

impl EngineOption {
    /// All options, in the order in which `uci` lists them.
    pub fn all() -> impl Iterator<Item = Self> {
        let own = [
            Self::Hash,
            Self::Threads,
            Self::Search,
            Self::Evaluation,
            Self::EvalFile,
            Self::PolicyFile,
            Self::BookFile,
        ];
        own.into_iter().chain(PARAMS.iter().map(Self::Param))
    }

    /// The option of this name, ignoring case.
    ///
    /// # Errors
    /// [`OptionError::Unknown`] if there is none.
    pub fn find(name: &str) -> Result<Self, OptionError> {
        let found = Self::all().find(|option| option.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| OptionError::Unknown { name: name.to_owned() })
    }

    /// The option's name; for a parameter, its name in the parameter table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hash => "Hash",
            Self::Threads => "Threads",
            Self::Search => "Search",
            Self::Evaluation => "Evaluation",
            Self::EvalFile => "EvalFile",
            Self::PolicyFile => "PolicyFile",
            Self::BookFile => "BookFile",
            Self::Param(info) => info.name,
        }
    }

    /// The text of the option's value in a configuration.
    pub fn text(self, config: &EngineConfig) -> String {
        match self {
            Self::Hash => (config.table_bytes / MEBIBYTE).to_string(),
            Self::Threads => config.threads.to_string(),
            Self::Search => config.search.to_string(),
            Self::Evaluation => config.evaluation.kind().to_string(),
            Self::EvalFile | Self::PolicyFile | Self::BookFile => EMPTY.to_owned(),
            Self::Param(info) => option_text(info, config.params.get(info.name).unwrap_or(info.default)),
        }
    }

    /// Sets the option's value in a configuration; files do not change it.
    ///
    /// # Errors
    /// [`OptionError`] if the text is not a value of this option; nothing is changed then.
    pub fn set(self, config: &mut EngineConfig, text: &str) -> Result<(), OptionError> {
        let malformed = || OptionError::Value { option: self, found: text.to_owned() };
        match self {
            Self::Hash => {
                let size = text.parse().ok().filter(|size| HASH_RANGE.contains(size));
                config.table_bytes = size.ok_or_else(malformed)? * MEBIBYTE;
            }
            Self::Threads => {
                let threads = text.parse().ok().filter(|threads: &NonZeroUsize| THREADS_RANGE.contains(&threads.get()));
                config.threads = threads.ok_or_else(malformed)?;
            }
            Self::Search => config.search = text.parse().map_err(|_| malformed())?,
            Self::Evaluation => {
                let kind: EvaluationKind = text.parse().map_err(|_| malformed())?;
                config.evaluation = kind.into();
            }
            Self::EvalFile | Self::PolicyFile | Self::BookFile => {}
            Self::Param(info) => {
                let value = option_value(info, text)?;
                config.params.set(info.name, value).map_err(|_| malformed())?;
            }
        }
        Ok(())
    }

    /// Writes the line that declares the option, with its value in `config` as the default.
    pub(super) fn declare(self, f: &mut fmt::Formatter<'_>, config: &EngineConfig) -> fmt::Result {
        let (name, default) = (self.name(), self.text(config));
        match self {
            Self::Hash => spin(f, name, &default, &HASH_RANGE.start().to_string(), &HASH_RANGE.end().to_string()),
            Self::Threads => {
                spin(f, name, &default, &THREADS_RANGE.start().to_string(), &THREADS_RANGE.end().to_string())
            }
            Self::Search => {
                write!(f, "option name {name} type combo default {default}")?;
                SearchKind::all().try_for_each(|kind| write!(f, " var {kind}"))
            }
            Self::Evaluation => {
                write!(f, "option name {name} type combo default {default}")?;
                EvaluationKind::ALL.iter().try_for_each(|kind| write!(f, " var {kind}"))
            }
            Self::EvalFile | Self::PolicyFile | Self::BookFile => {
                write!(f, "option name {name} type string default {default}")
            }
            Self::Param(info) if info.kind == ParamKind::Switch => {
                write!(f, "option name {name} type check default {default}")
            }
            Self::Param(info) => spin(f, name, &default, &option_text(info, info.min), &option_text(info, info.max)),
        }
    }

    fn write_expected(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash => write!(f, "a whole number of MiB from {} to {}", HASH_RANGE.start(), HASH_RANGE.end()),
            Self::Threads => {
                write!(f, "a whole number from {} to {}", THREADS_RANGE.start(), THREADS_RANGE.end())
            }
            Self::Search => f.write_str(&SearchKind::all().map(SearchKind::name).collect::<Vec<_>>().join(" or ")),
            Self::Evaluation => f.write_str(&EvaluationKind::ALL.map(EvaluationKind::name).join(" or ")),
            Self::EvalFile => f.write_str("the path of a file of weights"),
            Self::PolicyFile => f.write_str("the path of a file with a policy"),
            Self::BookFile => f.write_str("the path of a book of setups"),
            Self::Param(info) => {
                let (min, max) = (option_text(info, info.min), option_text(info, info.max));
                match info.kind {
                    ParamKind::Switch => f.write_str("true or false"),
                    ParamKind::Integer => write!(f, "a whole number from {min} to {max}"),
                    ParamKind::Real => write!(f, "a whole number of ten-thousandths from {min} to {max}"),
                }
            }
        }
    }
}

fn spin(f: &mut fmt::Formatter<'_>, name: &str, default: &str, min: &str, max: &str) -> fmt::Result {
    write!(f, "option name {name} type spin default {default} min {min} max {max}")
}

/// Why an option was not changed.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionError {
    /// There is no such option.
    Unknown {
        /// The name.
        name: String,
    },
    /// The text is not a value of the option.
    Value {
        /// The option.
        option: EngineOption,
        /// The text.
        found: String,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => {
                write!(f, "unknown option \"{}\": expected one of those listed by the command uci", name.escape_debug())
            }
            Self::Value { option, found } => {
                write!(f, "option {}: expected ", option.name())?;
                option.write_expected(f)?;
                write!(f, ", found \"{}\"", found.escape_debug())
            }
        }
    }
}

impl std::error::Error for OptionError {}
