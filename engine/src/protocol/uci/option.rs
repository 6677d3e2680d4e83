//! The options: table size, evaluation, and every tunable parameter.
//!
//! Owns the one translation of parameter values to option texts and back. UCI knows whole numbers only, so a real number
//! is said in ten-thousandths: `null_move_margin` 0.1 is `1000`. Switches are `true` and `false`, integers themselves.

use crate::params::{ParamError, ParamInfo, ParamKind, PARAMS};
use crate::{EngineConfig, EvaluationKind};
use std::fmt;

/// What a real number is multiplied by to become an option's whole number.
const PER_UNIT: f64 = 10_000.0;

const MEBIBYTE: usize = 1 << 20;
/// Sizes of the table, in MiB.
const HASH_RANGE: std::ops::RangeInclusive<usize> = 1..=4096;

/// The text of a parameter's value as an option's. Reals are rounded to the nearest ten-thousandth.
pub fn option_text(info: &ParamInfo, value: f64) -> String {
    match info.kind {
        ParamKind::Switch => (value != 0.0).to_string(),
        ParamKind::Integer => (value as i64).to_string(),
        ParamKind::Real => ((value * PER_UNIT).round() as i64).to_string(),
    }
}

/// The value of a parameter from its option's text: the reverse of [`option_text`] for every value that is a whole number
/// of ten-thousandths. The text of the default means the default exactly, so that to send every option's default changes
/// nothing.
///
/// # Errors
/// [`OptionError`] when the text is no value of the parameter's kind, or one out of its range.
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

/// An option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EngineOption {
    /// The size of the transposition table in MiB.
    Hash,
    /// How positions are judged.
    Evaluation,
    /// A row of the parameter table.
    Param(&'static ParamInfo),
}

impl EngineOption {
    /// All options, in the order in which they are declared.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Hash, Self::Evaluation].into_iter().chain(PARAMS.iter().map(Self::Param))
    }

    /// The option of that name, in any case.
    ///
    /// # Errors
    /// [`OptionError::Unknown`] when there is none.
    pub fn find(name: &str) -> Result<Self, OptionError> {
        let found = Self::all().find(|option| option.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| OptionError::Unknown { name: name.to_owned() })
    }

    /// Its name: a parameter's is that of the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hash => "Hash",
            Self::Evaluation => "Evaluation",
            Self::Param(info) => info.name,
        }
    }

    /// Its value in a configuration.
    pub fn text(self, config: &EngineConfig) -> String {
        match self {
            Self::Hash => (config.table_bytes / MEBIBYTE).to_string(),
            Self::Evaluation => config.evaluation.to_string(),
            Self::Param(info) => option_text(info, config.params.get(info.name).unwrap_or(info.default)),
        }
    }

    /// Changes its value in a configuration.
    ///
    /// # Errors
    /// [`OptionError`] when the text is no value of this option; nothing is changed then.
    pub fn set(self, config: &mut EngineConfig, text: &str) -> Result<(), OptionError> {
        let malformed = || OptionError::Value { option: self, found: text.to_owned() };
        match self {
            Self::Hash => {
                let size = text.parse().ok().filter(|size| HASH_RANGE.contains(size));
                config.table_bytes = size.ok_or_else(malformed)? * MEBIBYTE;
            }
            Self::Evaluation => config.evaluation = text.parse().map_err(|_| malformed())?,
            Self::Param(info) => {
                let value = option_value(info, text)?;
                config.params.set(info.name, value).map_err(|_| malformed())?;
            }
        }
        Ok(())
    }

    /// The line that declares it, its default as in `config`.
    pub(super) fn declare(self, f: &mut fmt::Formatter<'_>, config: &EngineConfig) -> fmt::Result {
        let (name, default) = (self.name(), self.text(config));
        match self {
            Self::Hash => spin(f, name, &default, &HASH_RANGE.start().to_string(), &HASH_RANGE.end().to_string()),
            Self::Evaluation => {
                write!(f, "option name {name} type combo default {default}")?;
                EvaluationKind::ALL.iter().try_for_each(|kind| write!(f, " var {kind}"))
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
            Self::Evaluation => f.write_str(&EvaluationKind::ALL.map(EvaluationKind::name).join(" or ")),
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
    /// The text is no value of it.
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
                write!(f, "unknown option \"{}\": expected one of those that uci lists", name.escape_debug())
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
