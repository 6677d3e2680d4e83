//! `start` of a tuned parameter: a number, or the state of a switch in any spelling.

use super::super::super::error::{PlanError, Source};
use super::super::super::given::Given;
use super::super::super::keys::StartPlan;
use play::protocol::truth;
use tuner::Kind;

/// Returns the start of a parameter of this kind as a number.
pub(super) fn number(source: &Source, name: &str, given: &Given<StartPlan>, kind: Kind) -> Result<f64, PlanError> {
    let is_switch = kind == Kind::Boolean;
    let wrong = |written: &str| {
        let message = format!("`{name}` cannot start at {written} with kind = \"{}\"", kind.name());
        let label = if is_switch { "expected true or false" } else { "expected a number, or `kind = \"switch\"`" };
        Err(source.error_at(&given.origin, message, label))
    };
    match &given.value {
        StartPlan::Number(number) => Ok(*number),
        StartPlan::Switch(is_on) if is_switch => Ok(f64::from(u8::from(*is_on))),
        StartPlan::Switch(is_on) => wrong(&is_on.to_string()),
        StartPlan::Word(word) => match truth(word).filter(|_| is_switch) {
            Some(is_on) => Ok(f64::from(u8::from(is_on))),
            None => wrong(&format!("\"{word}\"")),
        },
    }
}

/// Returns the value of an option as a start.
pub(super) fn of_option(value: &str, kind: Kind) -> Option<f64> {
    if kind == Kind::Boolean { truth(value).map(|is_on| f64::from(u8::from(is_on))) } else { value.parse().ok() }
}
