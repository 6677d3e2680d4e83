//! `tune.from`: the folder of an earlier session, whose pairs say something of this one's parameters before its first.
//!
//! The journal there is read once. What it says is written into the plan, as `[tune.earlier]`: the earlier parameters and what the pairs say of
//! each. So a run is whole without that folder, and its configuration says all that it began with. The pairs of any method are told
//! to a `quadratic`, whose knowledge is taken; starts are what the earlier session answered itself.

use super::super::super::RunPlan;
use super::super::super::error::{PlanError, Source};
use super::super::super::given::{Given, Origin};
use super::super::super::keys::{EarlierPlan, LearntPlan, TunePlan, TunedPlan};
use super::super::needed;
use crate::error::SessionError;
use crate::jobs;
use arena::config::{
    EarlierTune, ExperimentConfig, LearntParameter, RunConfig, TuneConfig, TuneMethod, TunedKind, TunedParameter,
};
use arena::run::{Replay, RunFolder};
use stats::Outcome;
use std::path::Path;
use tuner::experiment::tell;
use tuner::quadratic::{self, Known, Quadratic};
use tuner::{Layout, Parameter, SpaceError};

/// The plan with what the earlier session says in place of its folder; nothing if it names none.
pub(in super::super) fn expanded(plan: &RunPlan) -> Result<Option<RunPlan>, PlanError> {
    let Some(tune) = plan.keys.tune.as_ref() else { return Ok(None) };
    let source = &plan.source;
    check_trust(source, &tune.value)?;
    let Some(from) = &tune.value.from else { return Ok(None) };
    if tune.value.lines.is_some() {
        let message = "`from` takes over the parameters of an earlier session, and `lines` say them all anew";
        let label = "leave this out, or write `[[tune.parameter]]` sections in place of `lines`";
        return Err(source.error_at(&from.origin, message, label));
    }
    if tune.value.earlier.is_some() {
        let message = "`from` and `[tune.earlier]` both say what is known before the first pair";
        return Err(source.error_at(&from.origin, message, "leave this out, or that section"));
    }
    let earlier = read(source, from)?;
    let mut expanded = plan.clone();
    if let Some(tune) = &mut expanded.keys.tune {
        earlier.fill(source, from, &mut tune.value)?;
    }
    Ok(Some(expanded))
}

fn check_trust(source: &Source, raw: &TunePlan) -> Result<(), PlanError> {
    let Some(trust) = &raw.trust else { return Ok(()) };
    if !(trust.value > 0.0 && trust.value <= 1.0) {
        let message = format!("`tune.trust` cannot be {}", trust.value);
        let label = "expected a share, more than 0 and at most 1: leave `from` out to believe nothing";
        return Err(source.error_at(&trust.origin, message, label));
    }
    if raw.from.is_none() && raw.earlier.is_none() {
        let message = "`tune.trust` is the share that is believed of an earlier session, and there is none";
        return Err(source.error_at(&trust.origin, message, "add `from = \"runs/tune-...\"`, or leave this out"));
    }
    Ok(())
}

/// An earlier session: what it was, and what its pairs say.
struct Earlier {
    /// What its folder is called.
    name: String,
    pairs: u64,
    parameters: Vec<EarlierParameter>,
}

/// A parameter of an earlier session.
struct EarlierParameter {
    /// As it was.
    was: Parameter,
    /// What was answered.
    answer: f64,
    /// What is known of it; nothing of a category and of a member of a group.
    known: Known,
    /// The values of a category, the answer first.
    values: Vec<String>,
}

fn read(source: &Source, from: &Given<String>) -> Result<Earlier, PlanError> {
    let refuse = |message: String, label: &str| source.error_at(&from.origin, message, label);
    let path = Path::new(&from.value);
    let expected = "expected the folder of a tuning session, from the working directory, such as `runs/tune-x-1`";
    if !path.exists() {
        return Err(refuse(format!("there is no folder {}", from.value), expected));
    }
    let unread = |error: &dyn std::fmt::Display| refuse(error.to_string(), expected);
    let journal = RunFolder::open_journal(path).map_err(|error| unread(&error))?;
    let config = journal.header().map_err(|error| unread(&error))?.config;
    let ExperimentConfig::Tune(tune) = &config.experiment else {
        return Err(refuse(format!("{} is no tuning session", from.value), expected));
    };
    let (mut scholar, layout) = scholar(&config, tune).map_err(|error| unread(&error))?;
    let mut replayed = || {
        let mut replay = Replay::new(jobs::experiment(&config)?)?;
        let pairs = replay.catch_up_outcomes(&journal, u64::MAX, |stored| {
            if let Outcome::Pair(outcome) = stored.outcome {
                tell(&mut scholar, &layout, stored.pair, &stored.proposal, outcome);
            }
        })?;
        Ok::<_, SessionError>((pairs, replay.experiment().standing()))
    };
    let (pairs, standing) = replayed().map_err(|error| unread(&error))?;
    let answer = standing.tune().filter(|_| pairs > 0);
    let Some(answer) = answer else {
        let message = format!("no pair of the session in {} has been played", from.value);
        return Err(refuse(message, "expected a session that has something to say"));
    };
    let knows = scholar.knows();
    let parameters = layout.told().iter().zip(&answer.parameters).enumerate().map(|(index, (was, tuned))| {
        let (at, scaled) = layout.source(index);
        EarlierParameter {
            was: was.clone(),
            answer: tuned.number(tuned.now).parse().unwrap_or(tuned.now),
            known: if scaled { Known::default() } else { knows[at] },
            values: answer_first(layout.texts(index), tuned.now),
        }
    });
    let parameters = parameters.collect();
    let name = path.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    Ok(Earlier { name: name.unwrap_or_else(|| from.value.clone()), pairs, parameters })
}

/// A `quadratic` before the first pair of a session, whatever its method was, and what is tuned.
fn scholar(config: &RunConfig, tune: &TuneConfig) -> Result<(Quadratic, Layout), jobs::JobError> {
    let whose = &config.entrants[0].player;
    let (layout, _gains) = jobs::layout(tune, whose)?;
    let space = layout.space().clone();
    let limits = jobs::limits(tune, whose)?;
    let method = Quadratic::new(space.clone(), quadratic::Config::default(), config.seed, tune.pairs.get())?;
    let method = match limits {
        Some(limits) => method.at_limits(limits)?,
        None => method,
    };
    Ok((jobs::with_earlier(method, tune, &space)?, layout))
}

/// The values of a category with the one at this place first.
fn answer_first(values: &[String], place: f64) -> Vec<String> {
    let answer = values.get(place as usize);
    let others = values.iter().filter(|value| Some(*value) != answer);
    answer.into_iter().chain(others).cloned().collect()
}

impl Earlier {
    /// Writes it into a plan, in place of `from`.
    fn fill(&self, source: &Source, from: &Given<String>, tune: &mut TunePlan) -> Result<(), PlanError> {
        let origin = Origin::derived(format!("of {}", self.name));
        if tune.parameter.is_empty() {
            let named = |parameter: &EarlierParameter| {
                let name = Some(Given::new(parameter.was.name(), origin.clone()));
                Given::new(TunedPlan { name, ..TunedPlan::default() }, origin.clone())
            };
            tune.parameter = self.parameters.iter().map(named).collect();
        }
        let mut shared = 0;
        for given in &mut tune.parameter {
            let Some(name) = given.value.name.as_ref().map(|name| &name.value) else { continue };
            if let Some(parameter) = self.parameters.iter().find(|parameter| parameter.was.name() == name) {
                take_over(&mut given.value, parameter, &origin);
                shared += 1;
            }
        }
        if shared == 0 {
            let names: Vec<&str> = self.parameters.iter().map(|parameter| parameter.was.name()).collect();
            let message = format!("no parameter of this session was tuned in {}", from.value);
            return Err(source.error_at(&from.origin, message, format!("it tuned {}", names.join(", "))));
        }
        tune.from = None;
        let _trust = tune.trust.get_or_insert_with(|| Given::usual(DEFAULT_TRUST));
        let number = |number: f64| Some(Given::new(number, origin.clone()));
        let learnt = |EarlierParameter { was: p, known, .. }: &EarlierParameter| LearntPlan {
            name: Some(Given::new(p.name(), origin.clone())),
            kind: Some(Given::new(p.kind(), origin.clone())),
            start: number(p.start()),
            min: number(p.min()),
            max: number(p.max()),
            step: number(p.step()),
            gg: number(known.gg),
            gh: number(known.gh),
            hh: number(known.hh),
            g: number(known.g),
            h: number(known.h),
        };
        let parameter = self.parameters.iter().map(|each| Given::new(learnt(each), origin.clone())).collect();
        let session = Some(Given::new(self.name.as_str(), origin.clone()));
        let pairs = Some(Given::new(self.pairs, origin.clone()));
        tune.earlier = Some(Given::new(EarlierPlan { session, pairs, parameter }, origin));
        Ok(())
    }
}

/// Takes over what a parameter's section leaves out. The step of a logarithmic parameter is told at its start; a member of a group has
/// none, and a category nothing but its values.
fn take_over(raw: &mut TunedPlan, earlier: &EarlierParameter, origin: &Origin) {
    let EarlierParameter { was: parameter, answer: start, values, .. } = earlier;
    if raw.values.is_some() {
        return;
    }
    if parameter.kind() == TunedKind::Category {
        let values: Vec<toml::Value> = values.iter().map(|value| value.as_str().into()).collect();
        raw.values = Some(Given::new(values, origin.clone()));
        return;
    }
    let kind = raw.kind.get_or_insert_with(|| Given::new(parameter.kind(), origin.clone())).value;
    let number =
        |key: &mut Option<Given<f64>>, value: f64| key.get_or_insert_with(|| Given::new(value, origin.clone())).value;
    let start = number(&mut raw.start, *start);
    let _min = number(&mut raw.min, parameter.min());
    let _max = number(&mut raw.max, parameter.max());
    if raw.group.is_some() {
        return;
    }
    let stays = kind != TunedKind::Log || parameter.kind() != TunedKind::Log;
    let step = if stays { parameter.step() } else { parameter.step() * start / parameter.start() };
    let _step = number(&mut raw.step, step);
}

/// What is known of these parameters before the first pair. Methods without a model take the starts alone.
pub(super) fn resolve(
    source: &Source,
    raw: &TunePlan,
    method: TuneMethod,
    tuned: &[TunedParameter],
) -> Result<Option<EarlierTune>, PlanError> {
    let Some(given) = raw.earlier.as_ref().filter(|_| method == TuneMethod::Quadratic) else { return Ok(None) };
    let earlier = &given.value;
    let session = needed(source, &given.origin, "`[tune.earlier]`", earlier.session.as_ref(), "session")?;
    let pairs = needed(source, &given.origin, "`[tune.earlier]`", earlier.pairs.as_ref(), "pairs")?;
    let mut learnt = Vec::new();
    for parameter in &earlier.parameter {
        let (then, known) = learnt_of(source, parameter)?;
        let here = tuned.iter().find(|tuned| tuned.name == then.name());
        let Some(now) = here.filter(|tuned| tuned.group.is_none()) else { continue };
        // Whether it is one is for the tuner to say, which is asked once all is known.
        let Ok(now) = jobs::member(now).map(|member| member.parameter) else { continue };
        if let Some(Known { gg, gh, hh, g, h }) = known.told_to(&then, &now) {
            learnt.push(LearntParameter { name: now.name().to_owned(), gg, gh, hh, g, h });
        }
    }
    let parameters = earlier.parameter.len() as u64;
    let trust = raw.trust.as_ref().map_or(DEFAULT_TRUST, |trust| trust.value);
    Ok(Some(EarlierTune { session: session.value.clone(), pairs: pairs.value, parameters, trust, learnt }))
}

/// Share of what an earlier session knew that is believed unless the file says.
const DEFAULT_TRUST: f64 = 0.5;

fn learnt_of(source: &Source, given: &Given<LearntPlan>) -> Result<(Parameter, Known), PlanError> {
    let raw = &given.value;
    let section = "`[[tune.earlier.parameter]]`";
    let name = needed(source, &given.origin, section, raw.name.as_ref(), "name")?;
    let kind = needed(source, &given.origin, section, raw.kind.as_ref(), "kind")?.value;
    let number = |key: &Option<Given<f64>>, name| {
        let number = needed(source, &given.origin, section, key.as_ref(), name)?;
        if number.value.is_finite() {
            return Ok(number.value);
        }
        Err(source.error_at(&number.origin, format!("`{name}` cannot be {}", number.value), "expected a finite number"))
    };
    let range = (number(&raw.min, "min")?, number(&raw.max, "max")?);
    let (start, step) = (number(&raw.start, "start")?, number(&raw.step, "step")?);
    let refuse = |error: SpaceError| source.error_at(&given.origin, error.to_string(), "as an earlier session had it");
    let parameter = Parameter::new(name.value.clone(), kind, start, range, step).map_err(refuse)?;
    let known = Known {
        gg: number(&raw.gg, "gg")?,
        gh: number(&raw.gh, "gh")?,
        hh: number(&raw.hh, "hh")?,
        g: number(&raw.g, "g")?,
        h: number(&raw.h, "h")?,
    };
    Ok((parameter, known))
}
