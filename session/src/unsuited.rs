//! Tuned parameters whose kind does not fit the engine's option: what to write instead.
//!
//! The options of an engine are known only once it has started, so these texts are part of the error of its start.

use arena::config::RunConfig;
use arena::run::Unready;
use tuner::{Kind, Layout};

/// Adds advice to the error, if an option does not accept a tuned value because of the parameter's kind.
pub(crate) fn explained(why: Unready, layout: &Layout) -> Unready {
    let Unready::Entrant { entrant, why, evidence } = why else { return why };
    let advice = layout.engine_parameters().iter().find_map(|parameter| {
        let found = why.strip_prefix(&format!("option `{}` ", parameter.name()))?;
        Some(advice(parameter.name(), parameter.kind(), found))
    });
    Unready::Entrant { entrant, why: why + &advice.unwrap_or_default(), evidence }
}

/// What to write for a parameter of this kind whose option needs the kind of value in `found`.
fn advice(name: &str, kind: Kind, found: &str) -> String {
    let instead = if found.starts_with("takes a whole number") {
        "write kind = \"integer\""
    } else if found.starts_with("takes true or false") {
        "write kind = \"switch\", without min, max and step"
    } else if found.starts_with("takes one of") {
        "write these as `values`, instead of kind, start, min, max and step"
    } else {
        "write min and max within the option's range"
    };
    format!(". The parameter `{name}` has kind = \"{}\": {instead}", kind.name())
}

/// A share of the range that yields a whole number for hardly any range.
const FRACTION: f64 = 0.381_966_011_250_105_1;

/// Returns values that a session may propose besides the ends of all ranges, and that show whether options accept
/// fractions; `None` if all parameters are whole numbers, or if no engine process plays.
pub(crate) fn fractions(layout: &Layout, run: &RunConfig) -> Option<Vec<f64>> {
    let has_process = run.entrants.first().is_some_and(|entrant| entrant.player.process().is_some());
    if !has_process || layout.engine_parameters().iter().all(|parameter| parameter.is_whole() || parameter.is_frozen())
    {
        return None;
    }
    let value = |parameter: &tuner::Parameter| {
        if parameter.is_whole() || parameter.is_frozen() {
            return parameter.start();
        }
        parameter.min() + FRACTION * (parameter.max() - parameter.min())
    };
    Some(layout.engine_parameters().iter().map(value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_write_instead_is_said_by_what_the_option_takes() {
        let advised = |found| advice("X", Kind::Real, found);
        assert_eq!(
            advised("takes a whole number, not `38.1`"),
            ". The parameter `X` has kind = \"real\": write kind = \"integer\""
        );
        assert!(advised("takes true or false, not `38.1`").contains("\"switch\""));
        assert!(advised("takes one of a, b, not `38.1`").contains("`values`"));
        assert!(advised("is at least 3, not 0").ends_with("write min and max within the option's range"));
    }
}
