//! Notes on settings of parameters that are not taken literally, such as rounded starts and frozen parameters.

use super::super::super::keys::{Keys, StartPlan, TunePlan, TunedPlan};
use arena::config::{ExperimentConfig, RunConfig, TuneConfig, TuneNote, Tuned};
use tuner::fishtest::{self, Kindless};
use tuner::{Kind, TunedParameter};

/// The notes of a run, in the order of the plan.
pub(in super::super) fn of(keys: &Keys, run: &RunConfig) -> Vec<TuneNote> {
    let (ExperimentConfig::Tune(config), Some(plan)) = (&run.experiment, &keys.tune) else { return Vec::new() };
    let is_process = run.entrants.first().is_some_and(|entrant| entrant.player.process().is_some());
    let frozen = frozen(config);
    let notes = [
        Some(TuneNote::Rounded(rounded(&plan.value, config, is_process))),
        Some(TuneNote::Off(off(&plan.value, config, run))),
        Some(TuneNote::Frozen(frozen)),
    ];
    let is_empty = |note: &TuneNote| match note {
        TuneNote::Rounded(starts) => starts.is_empty(),
        TuneNote::Off(names) | TuneNote::Frozen(names) => names.is_empty(),
    };
    notes.into_iter().flatten().filter(|note| !is_empty(note)).collect()
}

/// Returns the sections of a plan with the parameters that they resolve to.
fn sections<'a>(
    plan: &'a TunePlan,
    config: &'a TuneConfig,
) -> impl Iterator<Item = (&'a TunedPlan, &'a TunedParameter)> {
    let parameters = match &config.tuned {
        Tuned::Parameters(parameters) => parameters.as_slice(),
        Tuned::Lines(_) => &[],
    };
    plan.parameter.iter().map(|given| &given.value).zip(parameters)
}

fn rounded(plan: &TunePlan, config: &TuneConfig, is_process: bool) -> Vec<(String, f64, f64)> {
    if let Some(lines) = &plan.lines {
        let kindless = if is_process { Kindless::ByRange } else { Kindless::ByNumbers };
        let lines = fishtest::parse_lines_by(&lines.value, kindless).unwrap_or_default();
        let start =
            |line: fishtest::Line| Some((line.parameter.name().to_owned(), line.rounded?, line.parameter.start()));
        return lines.into_iter().filter_map(start).collect();
    }
    let start = |(raw, parameter): (&TunedPlan, &TunedParameter)| match raw.start.as_ref()?.value {
        StartPlan::Number(number) if (number - parameter.start).abs() > 0.0 => {
            Some((parameter.name.clone(), number, parameter.start))
        }
        _ => None,
    };
    sections(plan, config).filter_map(start).collect()
}

fn off(plan: &TunePlan, config: &TuneConfig, run: &RunConfig) -> Vec<String> {
    let Some(process) = run.entrants.first().and_then(|entrant| entrant.player.process()) else { return Vec::new() };
    let is_unsaid = |(raw, parameter): &(&TunedPlan, &TunedParameter)| {
        parameter.kind == Kind::Boolean && raw.start.is_none() && process.options.get(&parameter.name).is_none()
    };
    sections(plan, config).filter(is_unsaid).map(|(_, parameter)| parameter.name.clone()).collect()
}

fn frozen(config: &TuneConfig) -> Vec<String> {
    match &config.tuned {
        Tuned::Parameters(parameters) => {
            let frozen = parameters.iter().filter(|parameter| parameter.step == 0.0);
            frozen.map(|parameter| parameter.name.clone()).collect()
        }
        Tuned::Lines(lines) => {
            let lines = fishtest::parse_lines(lines).unwrap_or_default();
            let frozen = lines.iter().filter(|line| line.parameter.is_frozen());
            frozen.map(|line| line.parameter.name().to_owned()).collect()
        }
    }
}
