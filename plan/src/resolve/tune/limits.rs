//! `tune.limits`: lower limits at which a session plays some of its pairs. The entrant's own limit is the target, for
//! which values are found. The cost of a pair at another limit, relative to the target, must be known.

use super::super::super::error::{PlanError, Source};
use super::super::super::given::Given;
use arena::config::{LIMIT_FORMS, limit_amount, read_limit};
use play::Limit;
use play::entrant::Entrant;
use tuner::MethodId;

/// The most limits: with more of them, each would only get fewer pairs.
const MOST: usize = 8;

pub(super) fn resolve(
    source: &Source,
    given: &Given<Vec<String>>,
    method: MethodId,
    entrants: &[Entrant],
) -> Result<Vec<Limit>, PlanError> {
    let refuse = |message: String, label: String| Err(source.error_at(&given.origin, message, label));
    if !method.at_limits() {
        let message = format!("`{method}` plays at one limit");
        return refuse(message, "`quadratic` alone learns how values move with the limit".to_owned());
    }
    let read = |text: &String| {
        let message = format!("`{text}` is not a limit");
        read_limit(text).ok_or_else(|| source.error_at(&given.origin, message, format!("expected {LIMIT_FORMS}")))
    };
    let limits = given.value.iter().map(read).collect::<Result<Vec<Limit>, _>>()?;
    let Some(target) = entrants.first().map(|entrant| entrant.player.limit().0) else { return Ok(limits) };
    let amounts: Vec<(f64, &str)> = limits.iter().chain([&target]).map(|&limit| limit_amount(limit)).collect();
    if amounts.iter().any(|(_, unit)| unit.ends_with("depth")) {
        let message = "what a pair at another depth costs is not known".to_owned();
        return refuse(message, "expected limits in nodes or in time, here and of the entrant".to_owned());
    }
    let rises = amounts.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 == two[1].1);
    if limits.is_empty() || limits.len() > MOST || !rises {
        let message = format!("`limits` must be below the entrant's own limit, {target}, which is the target");
        return refuse(message, format!("expected 1 to {MOST} limits of its kind, rising, each below {target}"));
    }
    Ok(limits)
}
