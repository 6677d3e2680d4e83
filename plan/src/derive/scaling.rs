//! `[scaling]`: one engine at several levels of a limit or of a parameter, as a ladder.

use super::super::keys::{EnginePlan, LadderPlan, ScalingPlan};
use super::super::names::run_name;
use super::super::section::Section;
use super::super::{Given, Origin, PlanError, RunPlan};
use super::{is_process, value_of, values_of};
use arena::config::{LIMIT_FORMS, limit_amount, read_limit};
use play::Limit;

/// The most levels: more of them would hardly differ.
const MOST_LEVELS: usize = 64;

/// The levels of one engine, and the ladder that measures them.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// The plan of the ladder.
    pub plan: RunPlan,
    /// The varied quantity, with its unit.
    pub label: String,
    /// Its value at each level, rising.
    pub values: Vec<f64>,
    /// Whether the quantity is measured in doublings.
    pub doublings: bool,
}

/// A level: the name of its entrant, and the setting that it changes.
struct Level<'a> {
    name: String,
    put: Box<dyn Fn(&mut EnginePlan) + 'a>,
}

impl RunPlan {
    /// Returns the ladder for `[scaling]`, with an entrant for each level, made from the only entrant of the plan.
    ///
    /// # Errors
    /// [`PlanError`]: no levels, levels that do not rise, or no or several entrants.
    pub fn scaling(&self) -> Result<Scaling, PlanError> {
        let missing = || {
            let advice = "add one, for instance\n  [scaling]\n  limit = \"500 nodes\"\n  doublings = 5\n  pairs = 2000";
            self.error("there is no `[scaling]` section", advice)
        };
        let given = self.keys.scaling.as_ref().ok_or_else(missing)?;
        let scaling = &given.value;
        match (&scaling.limit, &scaling.limits, &scaling.parameter) {
            (Some(_), None, None) | (None, Some(_), None) => self.of_limits(given),
            (None, None, Some(parameter)) => self.of_parameter(given, parameter),
            _ => {
                let label = "expected one of `limit` with `doublings`, `limits`, and `parameter` with `values`";
                Err(self.error_at(&given.origin, "`[scaling]` must say what varies, once", label))
            }
        }
    }

    fn of_limits(&self, given: &Given<ScalingPlan>) -> Result<Scaling, PlanError> {
        let (limits, origin) = self.limits(given)?;
        let amounts: Vec<(f64, &str)> = limits.iter().map(|&limit| limit_amount(limit)).collect();
        let rises = amounts.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 == two[1].1);
        if limits.len() < 2 || limits.len() > MOST_LEVELS || !rises {
            let label = format!("expected 2 to {MOST_LEVELS} limits of one kind, each more than the one before");
            return Err(self.error_at(origin, "these limits are not levels", label));
        }
        let level = |&limit: &Limit| {
            let name = limit.to_string();
            let limit = Given::new(name.as_str(), origin.clone());
            Level { name, put: Box::new(move |engine| engine.limit = Some(limit.clone())) }
        };
        let levels: Vec<Level<'_>> = limits.iter().map(level).collect();
        let label = amounts[0].1.to_owned();
        let values = amounts.into_iter().map(|(amount, _)| amount).collect();
        Ok(Scaling { plan: self.ladder_of(given, &levels)?, label, values, doublings: true })
    }

    /// Returns the limits and their origin.
    fn limits<'a>(&self, given: &'a Given<ScalingPlan>) -> Result<(Vec<Limit>, &'a Origin), PlanError> {
        let read = |text: &str, origin: &Origin| {
            let refused =
                || self.error_at(origin, format!("`{text}` is not a limit"), format!("expected {LIMIT_FORMS}"));
            read_limit(text).ok_or_else(refused)
        };
        let ScalingPlan { limit, limits, doublings, .. } = &given.value;
        if let Some(least) = limit {
            let at = doublings.as_ref().map_or(&given.origin, |doublings| &doublings.origin);
            let times = doublings.as_ref().map(|given| given.value as usize).filter(|n| (1..MOST_LEVELS).contains(n));
            let none =
                || self.error_at(at, "a limit is doubled to make levels", "`doublings` is 1 or more, and below 64");
            let times = times.ok_or_else(none)?;
            let levels = std::iter::successors(Some(read(&least.value, &least.origin)?), |&limit| doubled(limit));
            let levels: Vec<Limit> = levels.take(times + 1).collect();
            if levels.len() <= times {
                let message = format!("`{}` cannot be doubled {times} times", least.value);
                return Err(self.error_at(at, message, format!("expected at most {}", levels.len() - 1)));
            }
            return Ok((levels, at));
        }
        let Some(limits) = limits else { return Ok((Vec::new(), &given.origin)) };
        let read = limits.value.iter().map(|text| read(text, &limits.origin)).collect::<Result<_, _>>()?;
        Ok((read, &limits.origin))
    }

    fn of_parameter(&self, given: &Given<ScalingPlan>, parameter: &Given<String>) -> Result<Scaling, PlanError> {
        let ScalingPlan { values, doublings, .. } = &given.value;
        let origin = values.as_ref().map_or(&given.origin, |values| &values.origin);
        let levels = values.as_ref().and_then(|values| numbers(&values.value)).filter(|_| doublings.is_none());
        let Some(numbers) = levels else {
            let label = format!(
                "expected `values`, 2 to {MOST_LEVELS} numbers, each more than the one before, or [false, true]"
            );
            return Err(self.error_at(origin, format!("there are no levels of `{}`", parameter.value), label));
        };
        let only = self.only_entrant()?;
        let is_process = is_process(&self.keys, &only.value);
        let written = values.iter().flat_map(|values| &values.value);
        let levels = numbers.iter().zip(written).map(|(&number, written)| {
            let (value, shown) = match written {
                toml::Value::Boolean(on) => (written.clone(), on.to_string()),
                // Most options of an engine process are whole numbers, and must be written as such.
                _ if is_process && number.fract() == 0.0 => ((number as i64).into(), number.to_string()),
                _ if is_process => (number.into(), number.to_string()),
                _ => (value_of(&parameter.value, number), number.to_string()),
            };
            let value = Given::new(value, origin.clone());
            let put = move |engine: &mut EnginePlan| {
                values_of(engine, is_process).insert(parameter.clone(), value.clone());
            };
            Level { name: format!("{} {shown}", parameter.value), put: Box::new(put) }
        });
        let levels: Vec<Level<'_>> = levels.collect();
        let plan = self.ladder_of(given, &levels)?;
        Ok(Scaling { plan, label: parameter.value.clone(), values: numbers, doublings: false })
    }

    fn only_entrant(&self) -> Result<&Given<EnginePlan>, PlanError> {
        match self.keys.entrant.as_slice() {
            [only] => Ok(only),
            [] => Err(self.error("a scaling is of one `[[entrant]]`", "write one: the engine at its levels")),
            [_, second, ..] => Err(self.error_at(&second.origin, "a scaling is of one `[[entrant]]`", "a second one")),
        }
    }

    /// Returns the plan of the ladder, with the only entrant once for each level.
    fn ladder_of(&self, given: &Given<ScalingPlan>, levels: &[Level<'_>]) -> Result<Self, PlanError> {
        self.refuse_ladder_settings()?;
        let only = self.only_entrant()?;
        let origin = Origin::derived("a level of [scaling]");
        let entrant = |level: &Level<'_>| {
            let mut entrant = only.clone();
            entrant.value.name = Some(Given::new(level.name.as_str(), origin.clone()));
            (level.put)(&mut entrant.value);
            entrant
        };
        let mut plan = self.clone();
        plan.keys.scaling = None;
        let name = self.keys.name.as_ref().map_or(self.stem(), |name| &name.value);
        plan.keys.name =
            Some(Given::derived(run_name(&format!("scaling-{name}"), ""), "a scaling's runs are called so"));
        plan.keys.entrant = levels.iter().map(entrant).collect();
        let ScalingPlan { pairs, precision, .. } = given.value.clone();
        plan.keys.ladder = Some(given.with(LadderPlan { pairs, precision, ..LadderPlan::default() }));
        Ok(plan)
    }

    /// Refuses ladder settings of the command line: the ladder is made here, so they would have no effect.
    fn refuse_ladder_settings(&self) -> Result<(), PlanError> {
        let mut set = None;
        if let Some(ladder) = &self.keys.ladder {
            Section::origins(&mut ladder.value.clone(), &mut |origin| {
                if matches!(origin, Origin::Words(_)) {
                    set.get_or_insert_with(|| origin.clone());
                }
            });
        }
        match set {
            Some(origin) => {
                Err(self.error_at(&origin, "this run reads `[scaling]`, and not `[ladder]`", "set it in `scaling`"))
            }
            None => Ok(()),
        }
    }
}

/// Returns the values of a parameter as numbers, if they are rising numbers or the two states of a switch.
fn numbers(values: &[toml::Value]) -> Option<Vec<f64>> {
    let number = |value: &toml::Value| match value {
        toml::Value::Integer(n) => Some(*n as f64),
        toml::Value::Float(x) => Some(*x).filter(|x| x.is_finite()),
        _ => None,
    };
    if let [toml::Value::Boolean(false), toml::Value::Boolean(true)] = values {
        return Some(vec![0.0, 1.0]);
    }
    let numbers = values.iter().map(number).collect::<Option<Vec<f64>>>()?;
    let rises = numbers.windows(2).all(|two| two[0] < two[1]);
    (rises && (2..=MOST_LEVELS).contains(&numbers.len())).then_some(numbers)
}

/// Returns twice the limit; `None` on overflow.
fn doubled(limit: Limit) -> Option<Limit> {
    limit.map(|part| {
        Some(match part {
            Limit::Nodes(nodes) => Limit::Nodes(nodes.checked_add(nodes.get())?),
            Limit::Depth(depth) => Limit::Depth(depth.checked_mul(2)?),
            Limit::Movetime(time) => Limit::Movetime(time.checked_mul(2)?),
            Limit::Clock { base, increment, moves } => {
                Limit::Clock { base: base.checked_mul(2)?, increment: increment.checked_mul(2)?, moves }
            }
            Limit::Hourglass(base) => Limit::Hourglass(base.checked_mul(2)?),
            several @ Limit::Several(_) => several,
        })
    })
}
