//! `tune.from`: the folder of an earlier session, whose pairs give prior knowledge about this session's parameters.
//!
//! The journal of that folder is read once. Its content goes into the plan as `[tune.earlier]`: the earlier parameters,
//! and the evidence of the pairs about each. So a run does not need the folder, and its configuration has everything
//! that it began with. A `quadratic` absorbs the pairs of any method, and its knowledge is used; starts are the answer
//! of the earlier session itself.

use super::super::super::RunPlan;
use super::super::super::error::{PlanError, Source};
use super::super::super::given::{Given, Origin};
use super::super::super::keys::{EarlierPlan, LearntPlan, StartPlan, TunePlan, TunedPlan};
use super::super::read::needed;
use crate::error::ReadError;
use crate::jobs;
use arena::config::{EarlierTune, ExperimentConfig, LearntCategory, LearntParameter, RunConfig, TuneConfig};
use arena::run::{Replay, tell_method};
use play::entrant::PlayerSpec;
use stats::Outcome;
use std::path::Path;
use tuner::quadratic::{self, CategoryPosterior, Known, Learnt, Quadratic};
use tuner::{Kind, Layout, Parameter, SpaceError};

/// Returns the plan with the earlier session in place of its folder; `None` if the plan names no folder.
pub(in super::super) fn expanded(plan: &RunPlan) -> Result<Option<RunPlan>, PlanError> {
    let Some(tune) = plan.keys.tune.as_ref() else { return Ok(None) };
    let source = &plan.source;
    check_trust(source, &tune.value)?;
    let Some(from) = &tune.value.from else { return Ok(None) };
    if tune.value.lines.is_some() {
        let message = "`from` takes over the parameters of an earlier session, and `lines` define them all again";
        let label = "leave this out, or write `[[tune.parameter]]` sections instead of `lines`";
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

/// An earlier session: its parameters, and the evidence of its pairs.
struct Earlier {
    /// The name of its folder.
    name: String,
    pairs: u64,
    parameters: Vec<EarlierParameter>,
    learnt: Vec<LearntPlan>,
    origin: Origin,
}

/// A parameter of an earlier session.
struct EarlierParameter {
    /// The parameter as the session defined it.
    was: Parameter,
    /// The answer of the session.
    answer: f64,
    /// The values of a category, the answer first.
    values: Vec<String>,
}

fn read(source: &Source, from: &Given<String>) -> Result<Earlier, PlanError> {
    let refuse = |message: String, label: &str| source.error_at(&from.origin, message, label);
    let path = Path::new(&from.value);
    let expected = "expected the folder of a tuning session, from the working directory, such as `runs/tune-x-1`";
    if source.files.find(path).is_none() {
        return Err(refuse(format!("there is no folder {}", from.value), expected));
    }
    let unread = |error: &dyn std::fmt::Display| refuse(error.to_string(), expected);
    let journal = source.files.run(path).map_err(|error| unread(&error))?;
    let config = journal.header().map_err(|error| unread(&error))?.config;
    let ExperimentConfig::Tune(tune) = &config.experiment else {
        return Err(refuse(format!("{} is not a tuning session", from.value), expected));
    };
    let (mut scholar, layout) = scholar(&config, tune).map_err(|error| unread(&error))?;
    let mut replayed = || {
        let mut replay = Replay::new(jobs::experiment(&config)?, &config)?;
        let pairs = replay.catch_up_outcomes(&journal, u64::MAX, |stored| {
            if let Outcome::Pair(outcome) = stored.outcome {
                tell_method(&mut scholar, &layout, stored.pair, &stored.proposal, outcome);
            }
        })?;
        Ok::<_, ReadError>((pairs, replay.experiment().standing()))
    };
    let (pairs, standing) = replayed().map_err(|error| unread(&error))?;
    let answer = standing.tune().filter(|_| pairs > 0);
    let Some(answer) = answer else {
        let message = format!("no pair of the session in {} has been played", from.value);
        return Err(refuse(message, "expected a session that has something to say"));
    };
    let parameters = layout.engine_parameters().iter().zip(&answer.parameters).enumerate();
    let parameters = parameters.map(|(index, (was, tuned))| EarlierParameter {
        was: was.clone(),
        answer: tuned.number(tuned.now).parse().unwrap_or(tuned.now),
        values: answer_first(layout.texts(index), tuned.now),
    });
    let parameters = parameters.collect();
    let name = source.files.folder_name(path).unwrap_or_else(|| from.value.clone());
    let origin = Origin::derived(format!("of {name}"));
    let learnt = scholar.knows().into_iter().enumerate().map(|(at, learnt)| written(&layout, at, learnt, &origin));
    Ok(Earlier { learnt: learnt.collect(), name, pairs, parameters, origin })
}

/// Returns the evidence about the parameter or the group's factor at this place, as a section of a plan.
fn written(layout: &Layout, at: usize, learnt: Learnt, origin: &Origin) -> LearntPlan {
    let was = &layout.space().parameters()[at];
    let number = |number: f64| Some(Given::new(number, origin.clone()));
    let plan = LearntPlan {
        name: Some(Given::new(was.name(), origin.clone())),
        kind: Some(Given::new(was.kind(), origin.clone())),
        start: number(was.start()),
        min: number(was.min()),
        max: number(was.max()),
        step: number(was.step()),
        ..LearntPlan::default()
    };
    let members = || {
        layout
            .engine_parameters()
            .iter()
            .enumerate()
            .filter(|(index, _)| layout.source(*index).is_some_and(|(source, _)| source == at))
    };
    match learnt {
        Learnt::CategoryPosterior(worths) => LearntPlan {
            values: members().next().map(|(index, _)| Given::new(layout.texts(index).to_vec(), origin.clone())),
            precisions: Some(Given::new(worths.precisions().to_vec(), origin.clone())),
            shifts: Some(Given::new(worths.shifts().to_vec(), origin.clone())),
            ..plan
        },
        Learnt::Slope(Known { gg, gh, hh, g, h }) => {
            let (gg, gh, hh, g, h) = (number(gg), number(gh), number(hh), number(g), number(h));
            let members =
                || members().filter(|(index, _)| layout.source(*index) == Some((at, true))).map(|(_, member)| member);
            let is_group = members().next().is_some();
            let names: Vec<String> = members().map(|member| member.name().to_owned()).collect();
            let starts: Vec<f64> = members().map(Parameter::start).collect();
            let members = is_group.then(|| Given::new(names, origin.clone()));
            let starts = is_group.then(|| Given::new(starts, origin.clone()));
            LearntPlan { gg, gh, hh, g, h, members, starts, ..plan }
        }
    }
}

/// Returns a `quadratic` before the first pair of a session of any method, and the layout of its parameters.
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

/// Returns the values of a category, beginning with the one at this place.
fn answer_first(values: &[String], place: f64) -> Vec<String> {
    let answer = values.get(place as usize);
    let others = values.iter().filter(|value| Some(*value) != answer);
    answer.into_iter().chain(others).cloned().collect()
}

impl Earlier {
    /// Writes the session into a plan, in place of `from`.
    fn fill(&self, source: &Source, from: &Given<String>, tune: &mut TunePlan) -> Result<(), PlanError> {
        let origin = self.origin.clone();
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
        let parameter = self.learnt.iter().map(|learnt| Given::new(learnt.clone(), origin.clone())).collect();
        let session = Some(Given::new(self.name.as_str(), origin.clone()));
        let pairs = Some(Given::new(self.pairs, origin.clone()));
        tune.earlier = Some(Given::new(EarlierPlan { session, pairs, parameter }, origin));
        Ok(())
    }
}

/// Takes over the values that a parameter's section leaves out. The step of a logarithmic parameter is relative to its
/// start; a member of a group has no step, and a category has only its values.
fn take_over(raw: &mut TunedPlan, earlier: &EarlierParameter, origin: &Origin) {
    let EarlierParameter { was: parameter, answer: start, values, .. } = earlier;
    if raw.values.is_some() {
        return;
    }
    if parameter.kind() == Kind::Category {
        let values: Vec<toml::Value> = values.iter().map(|value| value.as_str().into()).collect();
        raw.values = Some(Given::new(values, origin.clone()));
        return;
    }
    let kind = raw.kind.get_or_insert_with(|| Given::new(parameter.kind(), origin.clone())).value;
    let number =
        |key: &mut Option<Given<f64>>, value: f64| key.get_or_insert_with(|| Given::new(value, origin.clone())).value;
    let given = raw.start.get_or_insert_with(|| Given::new(*start, origin.clone()));
    let start = if let StartPlan::Number(number) = given.value { number } else { *start };
    let _min = number(&mut raw.min, parameter.min());
    let _max = number(&mut raw.max, parameter.max());
    if raw.group.is_some() {
        return;
    }
    let stays = kind != Kind::Log || parameter.kind() != Kind::Log;
    let step = match parameter {
        // A gain of 0 may have frozen it; only lines have gains.
        frozen if frozen.is_frozen() => 0.0,
        _ if stays => parameter.step(),
        _ => parameter.step() * start / parameter.start(),
    };
    let _step = number(&mut raw.step, step);
}

/// The default share of an earlier session's knowledge that is trusted.
const DEFAULT_TRUST: f64 = 0.5;

/// Returns the prior knowledge of this session. Methods without a model only use the starts.
pub(super) fn resolve(
    source: &Source,
    raw: &TunePlan,
    config: &TuneConfig,
    whose: &PlayerSpec,
) -> Result<Option<EarlierTune>, PlanError> {
    let Some(given) = raw.earlier.as_ref().filter(|_| config.method.with_earlier()) else { return Ok(None) };
    let earlier = &given.value;
    let session = needed(source, &given.origin, "`[tune.earlier]`", earlier.session.as_ref(), "session")?;
    let pairs = needed(source, &given.origin, "`[tune.earlier]`", earlier.pairs.as_ref(), "pairs")?;
    let known = earlier.parameter.iter().map(|given| Then::read(source, given)).collect::<Result<Vec<Then>, _>>()?;
    let parameters = known.iter().map(|then| then.members.len().max(1) as u64).sum();
    let trust = raw.trust.as_ref().map_or(DEFAULT_TRUST, |trust| trust.value);
    let (session, pairs) = (session.value.clone(), pairs.value);
    let (mut learnt, mut categories) = (Vec::new(), Vec::new());
    // The tuner checks later whether this session can be tuned.
    if let Ok((layout, _gains)) = jobs::layout(config, whose) {
        for at in 0..layout.space().dimension() {
            learnt.extend(known.iter().find_map(|then| then.slope(&layout, at)));
            categories.extend(known.iter().find_map(|then| then.category(&layout, at)));
        }
    }
    Ok(Some(EarlierTune { session, pairs, parameters, trust, learnt, categories }))
}

/// What an earlier session knew about a parameter or a group's factor.
struct Then {
    was: Parameter,
    learnt: Learnt,
    /// The members of a group and their starts.
    members: Vec<(String, f64)>,
    /// The values of a category.
    values: Vec<String>,
}

impl Then {
    fn read(source: &Source, given: &Given<LearntPlan>) -> Result<Self, PlanError> {
        let raw = &given.value;
        let section = "`[[tune.earlier.parameter]]`";
        let name = needed(source, &given.origin, section, raw.name.as_ref(), "name")?;
        let kind = needed(source, &given.origin, section, raw.kind.as_ref(), "kind")?.value;
        let number = |key: &Option<Given<f64>>, name| {
            let number = needed(source, &given.origin, section, key.as_ref(), name)?;
            if number.value.is_finite() {
                return Ok(number.value);
            }
            let message = format!("`{name}` cannot be {}", number.value);
            Err(source.error_at(&number.origin, message, "expected a finite number"))
        };
        let range = (number(&raw.min, "min")?, number(&raw.max, "max")?);
        let (start, step) = (number(&raw.start, "start")?, number(&raw.step, "step")?);
        let as_it_was = "as an earlier session had it";
        let refuse = |error: SpaceError| source.error_at(&given.origin, error.to_string(), as_it_was);
        let was = Parameter::new(name.value.clone(), kind, start, range, step).map_err(refuse)?;
        let values = list(raw.values.as_ref());
        let learnt = if values.is_empty() {
            let (gg, gh, hh) = (number(&raw.gg, "gg")?, number(&raw.gh, "gh")?, number(&raw.hh, "hh")?);
            Learnt::Slope(Known { gg, gh, hh, g: number(&raw.g, "g")?, h: number(&raw.h, "h")? })
        } else {
            let worths = CategoryPosterior::new(list(raw.precisions.as_ref()), list(raw.shifts.as_ref()));
            let message =
                format!("the knowledge of the values of `{}` does not fit {} values", name.value, values.len());
            let wrong = || source.error_at(&given.origin, message, as_it_was);
            Learnt::CategoryPosterior(worths.filter(|worths| worths.count() == values.len()).ok_or_else(wrong)?)
        };
        let members = list(raw.members.as_ref()).into_iter().zip(list(raw.starts.as_ref())).collect();
        Ok(Self { was, learnt, members, values })
    }

    /// Returns the evidence about the parameter or the group's factor at this place, if it is the same one.
    fn slope(&self, layout: &Layout, at: usize) -> Option<LearntParameter> {
        let Learnt::Slope(known) = self.learnt else { return None };
        let now = &layout.space().parameters()[at];
        let is_factor = (0..layout.engine_parameters().len()).any(|index| layout.source(index) == Some((at, true)));
        let Known { gg, gh, hh, g, h } = if is_factor {
            let before = layout.factor_before(at, &self.members).filter(|_| self.was.kind() == Kind::Log)?;
            known.converted_at(&self.was, now, before)
        } else {
            let same = self.members.is_empty() && self.was.name() == now.name();
            known.converted_to(&self.was, now).filter(|_| same)?
        };
        let members = self.members.iter().map(|(name, _)| name.clone()).collect();
        Some(LearntParameter { name: now.name().to_owned(), members, gg, gh, hh, g, h })
    }

    /// Returns the evidence about the values of the category at this place, if it is the same one.
    fn category(&self, layout: &Layout, at: usize) -> Option<LearntCategory> {
        let Learnt::CategoryPosterior(worths) = &self.learnt else { return None };
        let index = (0..layout.engine_parameters().len()).find(|index| layout.source(*index) == Some((at, false)))?;
        let texts = Some(layout.texts(index)).filter(|texts| !texts.is_empty())?;
        let name = Some(layout.engine_parameters()[index].name()).filter(|name| *name == self.was.name())?.to_owned();
        let place = |text: &String| self.values.iter().position(|value| value == text);
        let converted = worths.clone().converted_to(&texts.iter().map(place).collect::<Vec<_>>());
        Some(LearntCategory { name, precisions: converted.precisions().to_vec(), shifts: converted.shifts().to_vec() })
    }
}

/// Returns the list of a key; empty without the key.
fn list<T: Clone>(key: Option<&Given<Vec<T>>>) -> Vec<T> {
    key.map(|given| given.value.clone()).unwrap_or_default()
}
