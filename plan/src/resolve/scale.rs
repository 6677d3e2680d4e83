//! Time controls scaled to the host: by a factor, or by the bench of an entrant.

use super::super::error::{PlanError, Source};
use super::super::given::Given;
use super::super::keys::{BenchPlan, Keys, TcScalePlan};
use super::read::{needed, parse};
use arena::config::{LEAST_FACTOR, MOST_FACTOR, ReferenceSpeed, ScaleBy, TimeScale, is_factor, read_duration};
use play::child::address;
use play::entrant::{Entrant, PlayerSpec};
use play::spelling::nearest;
use std::num::NonZeroU64;
use std::time::Duration;

/// The default timeout of a bench.
const WITHIN: Duration = Duration::from_mins(2);

/// The bench arguments of most programs.
const USUAL_ARGUMENTS: [&str; 1] = ["bench"];

pub(super) fn resolve(
    source: &Source,
    keys: &Keys,
    entrants: &[Entrant],
) -> Result<Option<(TimeScale, ScaleBy)>, PlanError> {
    let bench = keys.bench.as_ref();
    let Some(given) = &keys.tc_scale else {
        return bench.map_or(Ok(None), |bench| {
            let message = "`[bench]` says how fast a host is, and nothing is scaled to it";
            Err(source.error_at(&bench.origin, message, "add `tc_scale = \"auto\"`, or remove this"))
        });
    };
    if !entrants.iter().any(|entrant| entrant.player.is_timed_by_the_wall()) {
        let message = "`tc_scale` is for limits in time, and no entrant has one";
        return Err(source.error_at(&given.origin, message, "remove this, or give an engine a limit in time"));
    }
    match &given.value {
        TcScalePlan::Factor(factor) if is_factor(*factor) => match bench {
            None => Ok(Some((TimeScale::Given, ScaleBy::Factor(*factor)))),
            Some(bench) => {
                let label = "remove this, or write `tc_scale = \"auto\"`";
                Err(source.error_at(&bench.origin, "the factor is given: no bench is needed", label))
            }
        },
        TcScalePlan::Word(word) if word == "auto" => {
            let bench = bench.ok_or_else(|| missing(source, given))?;
            measured(source, bench, entrants).map(Some)
        }
        TcScalePlan::Factor(_) | TcScalePlan::Word(_) => {
            let value = match &given.value {
                TcScalePlan::Factor(factor) => factor.to_string(),
                TcScalePlan::Word(word) => format!("\"{word}\""),
            };
            let label = format!("expected `\"auto\"` or a factor from {LEAST_FACTOR} to {MOST_FACTOR}");
            Err(source.error_at(&given.origin, format!("`tc_scale` cannot be {value}"), label))
        }
    }
}

fn missing(source: &Source, given: &Given<TcScalePlan>) -> PlanError {
    let message = "time controls cannot be scaled to a host without a measured speed";
    source.error_at(&given.origin, message, "there is no `[bench]` section").with_help(
        "say how fast an entrant's engine is where the time controls are meant to hold:\n  [bench]\n  engine = \
            \"base\"\n  nps = 1_000_000",
    )
}

fn measured(
    source: &Source,
    bench: &Given<BenchPlan>,
    entrants: &[Entrant],
) -> Result<(TimeScale, ScaleBy), PlanError> {
    let raw = &bench.value;
    let nps = needed(source, &bench.origin, "`[bench]`", raw.nps.as_ref(), "nps")?;
    let none = || source.error_at(&nps.origin, "the reference cannot be 0 nodes a second", "expected 1 or more");
    let nps_value = NonZeroU64::new(nps.value).ok_or_else(none)?;
    let entrant = match (&raw.engine, entrants) {
        (None, [only]) => only,
        (engine, _) => named(source, needed(source, &bench.origin, "`[bench]`", engine.as_ref(), "engine")?, entrants)?,
    };
    let place = raw.engine.as_ref().map_or(&bench.origin, |engine| &engine.origin);
    let arguments = match &entrant.player {
        PlayerSpec::Process(process) if address(&process.command).is_none() => {
            let usual = || USUAL_ARGUMENTS.map(str::to_owned).to_vec();
            raw.args.as_ref().map_or_else(usual, |args| args.value.clone())
        }
        PlayerSpec::Native(_) => match &raw.args {
            None => Vec::new(),
            Some(args) => {
                return Err(source.error_at(
                    &args.origin,
                    "the engine of 0.1 has one bench, which takes no arguments",
                    "remove this",
                ));
            }
        },
        PlayerSpec::Process(_) | PlayerSpec::Random | PlayerSpec::Custom(_) => {
            let message = format!("\"{}\" is not a program of this host, and has no bench", entrant.name);
            return Err(source.error_at(place, message, "expected an entrant with a program, or the engine of 0.1"));
        }
    };
    let within = raw
        .within
        .as_ref()
        .map_or(Ok(WITHIN), |text| parse(source, text, read_duration, "duration", "a time such as `1min`"))?;
    let reference = ReferenceSpeed { entrant: entrant.name.clone(), arguments, nps: nps_value };
    Ok((TimeScale::Bench(reference), ScaleBy::Bench { within }))
}

fn named<'a>(source: &Source, engine: &Given<String>, entrants: &'a [Entrant]) -> Result<&'a Entrant, PlanError> {
    entrants.iter().find(|entrant| entrant.name == engine.value).ok_or_else(|| {
        let names = || entrants.iter().map(|entrant| entrant.name.as_str());
        let advice = match nearest(&engine.value, names()) {
            Some(best) => format!("did you mean \"{best}\"?"),
            None => format!("expected one of {}", names().collect::<Vec<_>>().join(", ")),
        };
        source.error_at(&engine.origin, format!("no entrant is called \"{}\"", engine.value), advice)
    })
}
