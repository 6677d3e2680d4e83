//! The section of the job at hand: what is done with the entrants, and whether there are enough of them.

use super::error::{ConfigError, Source};
use super::raw::{RawConfig, RawMatch, RawSprt};
use super::{ExperimentConfig, Job, ladder, tune};
use play::entrant::Entrant;
use serde_spanned::Spanned;
use stats::SprtConfig;
use std::num::NonZeroU64;

pub(super) fn experiment(
    source: &Source,
    raw: &RawConfig,
    job: Job,
    entrants: &[Entrant],
) -> Result<ExperimentConfig, ConfigError> {
    let missing = |section: &str, advice: &str| source.error(format!("there is no `[{section}]` section"), advice);
    match job {
        Job::Sprt => {
            let advice = "add one, for instance\n  [sprt]\n  elo0 = 0\n  elo1 = 5\n\
                          or play a fixed number of pairs with `spar match`";
            let sprt = raw.sprt.as_ref().ok_or_else(|| missing("sprt", advice))?;
            sprt_config(source, sprt, entrants.len())
        }
        Job::Match => {
            let advice = "add one, for instance\n  [match]\n  pairs = 500\nor run a sequential test with `spar sprt`";
            let fixed = raw.fixed.as_ref().ok_or_else(|| missing("match", advice))?;
            match_config(source, fixed, entrants.len())
        }
        Job::Tune => {
            let advice =
                "add one, for instance\n  [tune]\n  pairs = 20000\n  [[tune.parameter]]\n  name = \"null_move_margin\"";
            let tune = raw.tune.as_ref().ok_or_else(|| missing("tune", advice))?;
            tune::resolve(source, tune, entrants).map(ExperimentConfig::Tune)
        }
        Job::Ladder => {
            let advice = "add one, for instance\n  [ladder]\n  pairs = 2000";
            let ladder = raw.ladder.as_ref().ok_or_else(|| missing("ladder", advice))?;
            ladder::resolve(source, ladder, entrants).map(ExperimentConfig::Ladder)
        }
    }
}

fn match_config(source: &Source, raw: &RawMatch, entrants: usize) -> Result<ExperimentConfig, ConfigError> {
    let count = u32::try_from(entrants).ok().filter(|&count| count >= 2).ok_or_else(|| too_few(source, entrants))?;
    let none = || source.error_at(raw.pairs.span(), "a match needs at least one pair", "expected 1 or more");
    let pairs = NonZeroU64::new(*raw.pairs.get_ref()).ok_or_else(none)?;
    Ok(ExperimentConfig::Match { pairs, schedule: raw.schedule, entrants: count })
}

fn too_few(source: &Source, entrants: usize) -> ConfigError {
    source.error(
        format!("there are too few entrants: {entrants}"),
        "write one `[[entrant]]` section for the candidate, then one for each opponent",
    )
}

fn sprt_config(source: &Source, spanned: &Spanned<RawSprt>, entrants: usize) -> Result<ExperimentConfig, ConfigError> {
    match entrants {
        2 => {}
        0 | 1 => return Err(too_few(source, entrants)),
        _ => {
            return Err(source.error(
                format!("there are {entrants} entrants, and a test is between two"),
                "keep the candidate, then its opponent; `spar match` plays the first against each of the others",
            ));
        }
    }
    let raw = spanned.get_ref();
    check_error_rates(source, raw)?;
    let (elo0, elo1) = (*raw.elo0.get_ref(), *raw.elo1.get_ref());
    for (name, bound) in [("elo0", &raw.elo0), ("elo1", &raw.elo1)] {
        if !bound.get_ref().is_finite() {
            return Err(source.error_at(bound.span(), format!("`{name}` is not finite"), "expected a number of Elo"));
        }
    }
    if elo0 >= elo1 {
        let message = format!("`elo0` ({elo0}) must be less than `elo1` ({elo1})");
        return Err(source
            .error_at(raw.elo1.span(), message, format!("expected more than {elo0}"))
            .with_help("H0 says that the gain is at most elo0, H1 that it is at least elo1"));
    }
    let model = raw.model.as_ref().map(|model| sprt_model(source, model)).transpose()?;
    let test = SprtConfig {
        elo0,
        elo1,
        alpha: raw.alpha.as_ref().map_or(0.05, |rate| *rate.get_ref()),
        beta: raw.beta.as_ref().map_or(0.05, |rate| *rate.get_ref()),
        model: model.unwrap_or(stats::Model::Normalized),
        overshoot: raw.overshoot.unwrap_or(true),
    };
    test.check().map_err(|error| source.error_at(spanned.span(), error.to_string(), "in this section"))?;
    let limit = |n: &Spanned<u64>| {
        let none = || source.error_at(n.span(), "a test of no pairs decides nothing", "expected 1 or more");
        NonZeroU64::new(*n.get_ref()).ok_or_else(none)
    };
    Ok(ExperimentConfig::Sprt { test, max_pairs: raw.max_pairs.as_ref().map(limit).transpose()? })
}

fn check_error_rates(source: &Source, raw: &RawSprt) -> Result<(), ConfigError> {
    for rate in [&raw.alpha, &raw.beta].into_iter().flatten() {
        let value = *rate.get_ref();
        if !stats::sprt::is_error_rate(value) {
            let message = format!("an error rate of {value} makes no test");
            let expected = format!("expected {:?} or more, and less than 0.5", stats::sprt::LEAST_ERROR_RATE);
            return Err(source.error_at(rate.span(), message, expected));
        }
    }
    Ok(())
}

fn sprt_model(source: &Source, model: &Spanned<String>) -> Result<stats::Model, ConfigError> {
    let unknown = |_| {
        let label = "expected `normalized`, `logistic` or `bayesian`";
        source.error_at(model.span(), format!("unknown SPRT model `{}`", model.get_ref()), label)
    };
    model.get_ref().parse().map_err(unknown)
}
