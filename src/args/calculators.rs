//! What can be typed after `spar elo`, `llr`, `plan` and `rate`, and how it becomes numbers that can be used.

use super::{number, probability};
use clap::Args;
use stats::sprt::Preset;
use stats::{Model, SprtConfig};
use std::path::PathBuf;
use std::str::FromStr;

/// How often each outcome occurred.
#[derive(Debug, Args)]
pub(crate) struct Counts {
    /// Pairs by outcome: LL LD WL+DD WD WW, or LL LD WL DD WD WW
    #[arg(value_names = ["LL", "LD", "WL+DD", "WD", "WW"], value_parser = count, num_args = 5..=6)]
    #[arg(allow_negative_numbers = true, required_unless_present = "wdl", conflicts_with = "wdl")]
    pub(crate) pairs: Vec<u64>,
    /// Games instead of pairs: wins, draws, losses
    #[arg(long, value_parser = count, allow_negative_numbers = true, num_args = 3)]
    #[arg(value_names = ["WINS", "DRAWS", "LOSSES"])]
    pub(crate) wdl: Option<Vec<u64>>,
}

/// The two hypotheses, and the risks.
#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Bounds by name instead of elo0 and elo1, e.g. gain or non-regression
    #[arg(long, value_name = "NAME", conflicts_with_all = ["elo0", "elo1", "model"])]
    pub(crate) preset: Option<Preset>,
    /// Elo under H0, on the scale of the model
    #[arg(long, value_name = "ELO", default_value_t = SprtConfig::default().elo0, allow_hyphen_values = true)]
    #[arg(value_parser = number)]
    pub(crate) elo0: f64,
    /// Elo under H1, on the scale of the model
    #[arg(long, value_name = "ELO", default_value_t = SprtConfig::default().elo1, allow_hyphen_values = true)]
    #[arg(value_parser = number)]
    pub(crate) elo1: f64,
    /// Scale of elo0 and elo1: normalized, logistic or bayesian
    #[arg(long, default_value_t = SprtConfig::default().model)]
    pub(crate) model: Model,
    #[command(flatten)]
    pub(crate) risks: Risks,
}

/// How often a test may be wrong.
#[derive(Debug, Args)]
pub(crate) struct Risks {
    /// Probability of accepting H1 when H0 is true
    #[arg(long, value_name = "RATE", default_value_t = SprtConfig::default().alpha, allow_negative_numbers = true)]
    #[arg(value_parser = probability)]
    pub(crate) alpha: f64,
    /// Probability of accepting H0 when H1 is true
    #[arg(long, value_name = "RATE", default_value_t = SprtConfig::default().beta, allow_negative_numbers = true)]
    #[arg(value_parser = probability)]
    pub(crate) beta: f64,
}

impl Test {
    /// The test as typed, not checked.
    pub(crate) fn config(&self) -> SprtConfig {
        let Risks { alpha, beta } = self.risks;
        match &self.preset {
            Some(preset) => SprtConfig { alpha, beta, ..preset.config() },
            None => {
                SprtConfig { elo0: self.elo0, elo1: self.elo1, alpha, beta, model: self.model, ..SprtConfig::default() }
            }
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Elo {
    #[command(flatten)]
    pub(crate) counts: Counts,
    /// Print the numbers as JSON; undefined and infinite numbers are null
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Llr {
    #[command(flatten)]
    pub(crate) counts: Counts,
    #[command(flatten)]
    pub(crate) test: Test,
    /// Print the numbers as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) test: Test,
    /// Plan a match of N games instead of a sequential test
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["elo0", "elo1", "model", "preset", "at", "simulate"])]
    pub(crate) games: Option<f64>,
    /// List the named bounds and their cost in games
    #[arg(long, conflicts_with_all = ["elo0", "elo1", "model", "preset", "at", "simulate", "games"])]
    pub(crate) presets: bool,
    /// Share of drawn games, from 0 to less than 1
    #[arg(long, value_name = "RATIO", default_value_t = 0.5, allow_negative_numbers = true)]
    #[arg(value_parser = probability)]
    pub(crate) draws: f64,
    /// Root mean square advantage of one side from the opening, in logistic Elo
    #[arg(long, value_name = "ELO", default_value_t = 0.0, value_parser = number, allow_negative_numbers = true)]
    pub(crate) bias: f64,
    /// True differences to tabulate, in logistic Elo, e.g. --at 0,2.5,5
    #[arg(long, value_name = "ELO", value_delimiter = ',', value_parser = finite, allow_hyphen_values = true)]
    pub(crate) at: Vec<f64>,
    /// Also simulate N tests at each of H0, H1 and the middle
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) simulate: Option<u64>,
    /// Seed of the simulation
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Pairs per second; also print times
    #[arg(long, value_name = "PAIRS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) rate: Option<f64>,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Rate {
    /// PGN files, plain or compressed with gzip or zstd; `-` is standard input
    #[arg(value_name = "PGN", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// A known rating. Repeat it for more
    #[arg(long, value_name = "NAME=ELO")]
    pub(crate) anchor: Vec<Anchor>,
    /// Whether the model allows openings that favour one side
    #[arg(long, value_name = "WHAT", default_value = "fair", conflicts_with = "ordo")]
    pub(crate) openings: RatedOpenings,
    /// Rate as Ordo does: single games, no prior, 76% at a difference of 202
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "plain")]
    pub(crate) ordo: Option<OrdoFit>,
    /// With --ordo: the mean of all ratings if there is no anchor
    #[arg(long, value_name = "ELO", default_value_t = 2300.0, requires = "ordo", allow_negative_numbers = true)]
    #[arg(value_parser = finite, conflicts_with = "anchor")]
    pub(crate) average: f64,
    /// Print the ratings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What ratings take openings to be worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum RatedOpenings {
    /// Rate by points, as if openings favoured neither seat
    Fair,
    /// Rate by pairs, and remove the advantage that each opening gives
    Biased,
}

/// What Ordo fits in addition to the ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OrdoFit {
    /// The ratings alone
    Plain,
    /// Also the first seat's advantage and the draw rate, as -W -D
    SeatsDraws,
    /// All of these by maximum likelihood, as -W -D -M
    Likelihood,
}

/// An entrant whose rating is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Anchor {
    /// Its name, as the games have it.
    pub(crate) name: String,
    /// Its rating.
    pub(crate) elo: f64,
}

impl FromStr for Anchor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A name may hold an equals sign, a number cannot.
        let (name, elo) = text.rsplit_once('=').ok_or("expected NAME=ELO, e.g. old=3500")?;
        Ok(Self { name: name.trim().to_owned(), elo: finite(elo.trim())? })
    }
}

fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "expected a number".to_owned())
}

fn positive(text: &str) -> Result<f64, String> {
    finite(text).ok().filter(|number| *number > 0.0).ok_or_else(|| "expected a number above 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors() {
        let anchor = |name: &str, elo| Ok(Anchor { name: name.to_owned(), elo });
        assert_eq!("old=3500".parse(), anchor("old", 3500.0));
        assert_eq!("a=b = -2.5".parse(), anchor("a=b", -2.5));
        for text in ["old", "old=", "old=x", "old=nan", "old=inf"] {
            assert!(text.parse::<Anchor>().is_err(), "{text}");
        }
    }
}
