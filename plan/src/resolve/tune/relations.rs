//! `tune.constraints` and `[[tune.group]]`: inequalities between parameters, and parameters that are scaled together.
//!
//! This module reads them; the tuner checks whether they fit the parameters.

use super::super::super::error::{PlanError, Source};
use super::super::super::given::{Given, value as value_of};
use super::super::super::keys::{TunePlan, TunedGroupPlan};
use super::super::read::needed;
use play::spelling::nearest;
use tuner::{Below, Group};

const FORMS: &str =
    "expected `\"a < b\"`, `\"a <= b\"`, `\"a + 10 < b\"` or `\"a < b < c\"`, of names of tuned parameters";

/// Reads the constraints of a session; a chain makes several constraints.
pub(super) fn constraints(source: &Source, raw: &TunePlan) -> Result<Vec<Below>, PlanError> {
    let Some(given) = &raw.constraints else { return Ok(Vec::new()) };
    let mut constraints = Vec::new();
    for text in &given.value {
        let wrong = || source.error_at(&given.origin, format!("`{text}` is not a constraint"), FORMS);
        constraints.extend(chain(text).ok_or_else(wrong)?);
    }
    for name in constraints.iter().flat_map(|constraint| [&constraint.low, &constraint.high]) {
        check_name(source, raw, given, name)?;
    }
    Ok(constraints)
}

fn check_name(source: &Source, raw: &TunePlan, given: &Given<Vec<String>>, name: &str) -> Result<(), PlanError> {
    let named =
        |parameter: &&Given<super::TunedPlan>| parameter.value.name.as_ref().is_some_and(|own| own.value == name);
    match raw.parameter.iter().find(named) {
        Some(parameter) if parameter.value.group.is_none() => Ok(()),
        Some(_) => {
            let message = format!("`{name}` is in a constraint, but scaled by a group");
            Err(source.error_at(
                &given.origin,
                message,
                "only parameters that are tuned by themselves have constraints",
            ))
        }
        // Lines name their parameters themselves; the tuner reads them.
        None if raw.lines.is_some() => Ok(()),
        None => {
            let names =
                raw.parameter.iter().filter_map(|parameter| Some(parameter.value.name.as_ref()?.value.as_str()));
            let label = match nearest(name, names) {
                Some(best) => format!("did you mean `{best}`?"),
                None => "expected names of `[[tune.parameter]]` sections".to_owned(),
            };
            Err(source.error_at(&given.origin, format!("a constraint is about `{name}`, which is not tuned"), label))
        }
    }
}

/// Reads the constraints of `a < b <= c`.
fn chain(text: &str) -> Option<Vec<Below>> {
    let mut terms = text.split('<').map(|term| {
        let (or_equal, term) = term.strip_prefix('=').map_or((false, term), |rest| (true, rest));
        term_of(term.trim()).map(|(name, plus)| (or_equal, name, plus))
    });
    let (_, mut low, mut plus) = terms.next()??;
    let mut constraints = Vec::new();
    for term in terms {
        let (or_equal, high, more) = term?;
        constraints.push(Below { low, high: high.clone(), by: plus - more, or_equal });
        (low, plus) = (high, more);
    }
    (!constraints.is_empty() && !text.starts_with('=')).then_some(constraints)
}

/// Reads a name and the number that is added to it.
fn term_of(term: &str) -> Option<(String, f64)> {
    let Some(at) = term.find(" + ").or_else(|| term.find(" - ")) else { return named(term, 0.0) };
    let (name, rest) = term.split_at(at);
    let (sign, number) = rest.trim().split_at(1);
    let number: f64 = number.trim().parse().ok().filter(|number: &f64| number.is_finite())?;
    named(name.trim(), if sign == "-" { -number } else { number })
}

fn named(name: &str, plus: f64) -> Option<(String, f64)> {
    let is_name = !name.is_empty() && !name.contains(['>', '=', '<', '"']);
    is_name.then(|| (name.to_owned(), plus))
}

/// Reads the groups of a session.
pub(super) fn groups(source: &Source, raw: &TunePlan) -> Result<Vec<Group>, PlanError> {
    let groups = raw.group.iter().map(|given| group(source, raw, given)).collect::<Result<Vec<Group>, _>>()?;
    for (place, group) in groups.iter().enumerate() {
        if groups[..place].iter().any(|other| other.name == group.name) {
            let message = format!("there are two groups `{}`", group.name);
            return Err(source.error_at(&raw.group[place].origin, message, "expected another name"));
        }
    }
    for given in &raw.parameter {
        check_member(source, given, &groups)?;
    }
    Ok(groups)
}

fn group(source: &Source, raw: &TunePlan, given: &Given<TunedGroupPlan>) -> Result<Group, PlanError> {
    let keys = &given.value;
    let name = needed(source, &given.origin, "a group", keys.name.as_ref(), "name")?;
    let member = |parameter: &Given<super::TunedPlan>| {
        parameter.value.group.as_ref().is_some_and(|group| group.value == name.value)
    };
    if !raw.parameter.iter().any(member) {
        let message = format!("no parameter belongs to the group `{}`", name.value);
        let label =
            format!("expected `group = \"{}\"` in the `[[tune.parameter]]` sections of its members", name.value);
        return Err(source.error_at(&name.origin, message, label));
    }
    Ok(Group {
        name: name.value.clone(),
        min: value_of(keys.min.as_ref()),
        max: value_of(keys.max.as_ref()),
        step: value_of(keys.step.as_ref()),
    })
}

fn check_member(source: &Source, given: &Given<super::TunedPlan>, groups: &[Group]) -> Result<(), PlanError> {
    let Some(group) = &given.value.group else { return Ok(()) };
    if !groups.iter().any(|known| known.name == group.value) {
        let label = match nearest(&group.value, groups.iter().map(|known| known.name.as_str())) {
            Some(best) => format!("did you mean `{best}`?"),
            None => format!("add\n  [[tune.group]]\n  name = \"{}\"", group.value),
        };
        return Err(source.error_at(&group.origin, format!("there is no group `{}`", group.value), label));
    }
    if let Some(step) = &given.value.step {
        let message = "a parameter of a group cannot have its own step";
        return Err(source.error_at(&step.origin, message, "the step is the group's, as a factor"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::chain;

    fn read(text: &str) -> Option<Vec<(String, String, f64, bool)>> {
        Some(chain(text)?.into_iter().map(|one| (one.low, one.high, one.by, one.or_equal)).collect())
    }

    #[test]
    fn constraints_are_read_with_offsets_and_as_chains() {
        let one = |low: &str, high: &str, by: f64, or_equal: bool| (low.to_owned(), high.to_owned(), by, or_equal);
        assert_eq!(read("a < b"), Some(vec![one("a", "b", 0.0, false)]));
        assert_eq!(read(" a<=b "), Some(vec![one("a", "b", 0.0, true)]));
        assert_eq!(read("a + 10 < b"), Some(vec![one("a", "b", 10.0, false)]));
        assert_eq!(read("a < b - 2.5 <= c"), Some(vec![one("a", "b", 2.5, false), one("b", "c", -2.5, true)]));
        assert_eq!(read("Threat-Weight < c"), Some(vec![one("Threat-Weight", "c", 0.0, false)]));
    }

    #[test]
    fn what_is_no_constraint_is_refused() {
        for text in
            ["", "a", "a <", "< b", "a > b", "a < 3 + b <", "a + x < b", "a == b", "a < < b", "=a < b", "a + inf < b"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
