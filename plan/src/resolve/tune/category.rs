//! `[[tune.parameter]]` with `values`: a parameter with several values that have no order.

use super::super::super::error::{PlanError, Source};
use super::super::super::given::{Given, Origin};
use super::super::super::keys::TunedPlan;

use engine::{ParamInfo, ParamKind};
use tuner::{Kind, TunedParameter};

/// The most values: more of them would need more pairs than any run has.
const MOST: usize = 64;

/// Resolves the category that a section describes; `None` if it describes another kind. `info` describes a parameter of
/// the built-in engine.
pub(super) fn category(
    source: &Source,
    raw: &TunedPlan,
    name: &Given<String>,
    info: Option<&ParamInfo>,
) -> Result<Option<TunedParameter>, PlanError> {
    let kind = raw.kind.as_ref();
    let Some(values) = &raw.values else {
        let lacks = kind.filter(|kind| kind.value == Kind::Category);
        let lacks = lacks.map(|kind| {
            let message = format!("the category `{}` has no `values`", name.value);
            source.error_at(&kind.origin, message, "add `values = [\"this\", \"that\"]`, the start first")
        });
        return lacks.map_or(Ok(None), Err);
    };
    let refuse = |origin: &Origin, message: String, label: &str| Err(source.error_at(origin, message, label));
    if let Some(other) = kind.filter(|kind| kind.value != Kind::Category) {
        let message = format!("`{}` has `values`, as a category has", name.value);
        return refuse(&other.origin, message, "expected `kind = \"category\"`, or nothing");
    }
    let others = [&raw.min, &raw.max, &raw.step].into_iter().flatten().map(|other| &other.origin);
    if let Some(other) = raw.start.as_ref().map(|start| &start.origin).into_iter().chain(others).next() {
        let message = format!("a category such as `{}` has neither a range nor a step", name.value);
        return refuse(other, message, "leave this out: the first of `values` is the start");
    }
    if let Some(group) = &raw.group {
        return refuse(&group.origin, format!("the category `{}` cannot be scaled", name.value), "leave this out");
    }
    let texts: Vec<String> = values.value.iter().filter_map(text).collect();
    let distinct = texts.iter().enumerate().all(|(place, text)| !texts[..place].contains(text));
    if texts.len() != values.value.len() || !distinct || !(2..=MOST).contains(&texts.len()) {
        let message = format!("these cannot be the values of `{}`", name.value);
        return refuse(&values.origin, message, "expected 2 to 64 different texts or numbers, the start first");
    }
    if let Some(info) = info {
        let suits = |text: &String| text.parse::<f64>().is_ok_and(|value| is_legal(value, info));
        if info.kind == ParamKind::Switch || !texts.iter().all(suits) {
            let label = match info.kind {
                ParamKind::Switch => "it is on or off: leave this out".to_owned(),
                ParamKind::Integer => format!("expected whole numbers from {} to {}", info.min, info.max),
                ParamKind::Real => format!("expected numbers from {} to {}", info.min, info.max),
            };
            return refuse(&values.origin, format!("`{}` cannot have these values", name.value), &label);
        }
    }
    Ok(Some(TunedParameter {
        name: name.value.clone(),
        kind: Kind::Category,
        start: 0.0,
        min: 0.0,
        max: (texts.len() - 1) as f64,
        step: 1.0,
        group: None,
        values: texts,
    }))
}

/// Returns the text that an engine gets for a value of a configuration; `None` if the value is neither a text nor a
/// number.
fn text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) if !text.is_empty() && !text.contains(['\n', '\r']) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) if number.is_finite() => Some(number.to_string()),
        _ => None,
    }
}

fn is_legal(value: f64, info: &ParamInfo) -> bool {
    (info.min..=info.max).contains(&value) && (info.kind == ParamKind::Real || value.fract() == 0.0)
}
