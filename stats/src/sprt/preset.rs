//! Named bounds for common kinds of tests.

use super::SprtConfig;
use std::fmt;
use std::str::FromStr;

/// The bounds of a common kind of test, in nElo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its purpose.
    pub purpose: &'static str,
    /// H0.
    pub elo0: f64,
    /// H1.
    pub elo1: f64,
}

/// All presets. The three with narrow bounds are fishtest's: for its short and its long time control, and for
/// simplifications.
pub const PRESETS: [Preset; 6] = [
    Preset { name: "gain", purpose: "a change that should gain", elo0: 0.0, elo1: 5.0 },
    Preset { name: "small-gain", purpose: "the same where gains have become small", elo0: 0.0, elo1: 2.0 },
    Preset { name: "small-gain-again", purpose: "the test after that, at a longer control", elo0: 0.5, elo1: 2.5 },
    Preset { name: "simplification", purpose: "removed code, which may cost a little", elo0: -4.0, elo1: 1.0 },
    Preset { name: "small-simplification", purpose: "the same, and may cost very little", elo0: -1.75, elo1: 0.25 },
    NON_REGRESSION,
];

/// A loss of 5 nElo is a regression, no loss is none.
pub const NON_REGRESSION: Preset =
    Preset { name: "non-regression", purpose: "a change that must not lose", elo0: -5.0, elo1: 0.0 };

impl Preset {
    /// The preset's test, at the default error rates.
    pub fn config(&self) -> SprtConfig {
        SprtConfig { elo0: self.elo0, elo1: self.elo1, ..SprtConfig::default() }
    }
}

/// The error for a name that no preset has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPreset(pub String);

impl fmt::Display for UnknownPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = PRESETS.map(|preset| preset.name).join(", ");
        write!(f, "unknown preset `{}`: expected one of {names}", self.0)
    }
}

impl std::error::Error for UnknownPreset {}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(text: &str) -> Result<Self, UnknownPreset> {
        PRESETS.into_iter().find(|preset| preset.name == text).ok_or_else(|| UnknownPreset(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Conditions, Prospect};

    #[test]
    fn each_is_a_test_that_passes_what_it_is_for() {
        let conditions = Conditions::new(0.5, 0.0).unwrap();
        for preset in PRESETS {
            assert_eq!(preset.name.parse(), Ok(preset));
            preset.config().check().unwrap();
            let of_no_change = Prospect::new(&preset.config(), &conditions, 0.0).unwrap().pass;
            let gains = preset.name.contains("gain");
            assert!(if gains { of_no_change <= 0.051 } else { of_no_change > 0.8 }, "{}: {of_no_change}", preset.name);
        }
        assert_eq!("gian".parse::<Preset>().unwrap_err().to_string().split(':').next(), Some("unknown preset `gian`"));
    }
}
