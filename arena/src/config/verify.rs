//! The test that follows a tuning session, as a configuration of its own: tuned values against the start, fresh openings.

use super::tune::VerifyConfig;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

/// What a session's test is called after it.
pub const VERIFY: &str = "-verify";

/// A parameter's value, by name.
pub type NamedValue<'a> = (&'a str, f64);

/// The text of a configuration that tests `tuned` against `start`, made from the text of the session's.
///
/// `None` if that text is no configuration of a session any more.
pub fn verification(
    session: &str,
    verify: &VerifyConfig,
    name: &str,
    seed: u64,
    tuned: &[NamedValue<'_>],
    start: &[NamedValue<'_>],
) -> Option<String> {
    let mut document: DocumentMut = session.parse().ok()?;
    let _session = document.remove("tune")?;
    document["name"] = toml_edit::value(format!("{}{VERIFY}", &name[..name.len().min(64 - VERIFY.len())]));
    document["seed"] = toml_edit::value(i64::try_from(seed).ok()?);
    document["sprt"] = Item::Table(sprt(verify));
    let entrant = document.remove("entrant")?.into_array_of_tables().ok()?.get(0)?.clone();
    let mut entrants = ArrayOfTables::new();
    let each_command = document.get("each").and_then(|each| each.get("cmd")).is_some();
    let section = if each_command || entrant.contains_key("cmd") { "options" } else { "params" };
    entrants.push(with_values(entrant.clone(), "tuned", section, tuned));
    entrants.push(with_values(entrant, "start", section, start));
    document["entrant"] = Item::ArrayOfTables(entrants);
    Some(document.to_string())
}

fn sprt(verify: &VerifyConfig) -> Table {
    let mut table = Table::new();
    let VerifyConfig { test, max_pairs } = verify;
    for (key, value) in [("elo0", test.elo0), ("elo1", test.elo1), ("alpha", test.alpha), ("beta", test.beta)] {
        table[key] = toml_edit::value(value);
    }
    table["model"] = toml_edit::value(test.model.to_string());
    if let Some(most) = max_pairs.and_then(|most| i64::try_from(most.get()).ok()) {
        table["max_pairs"] = toml_edit::value(most);
    }
    table
}

fn with_values(mut entrant: Table, name: &str, section: &str, values: &[NamedValue<'_>]) -> Table {
    entrant["name"] = toml_edit::value(name);
    let mut params = match entrant.remove(section) {
        Some(Item::Value(Value::InlineTable(inline))) => inline,
        Some(Item::Table(table)) => table.into_inline_table(),
        _ => InlineTable::new(),
    };
    for (parameter, value) in values {
        let _old = params.insert(*parameter, parameter_value(parameter, *value));
    }
    entrant[section] = Item::Value(Value::InlineTable(params));
    entrant
}

/// In the type that the parameter has in a configuration.
fn parameter_value(name: &str, value: f64) -> Value {
    match engine::ParamInfo::find(name).map(|info| info.kind) {
        Some(engine::ParamKind::Switch) => (value != 0.0).into(),
        Some(engine::ParamKind::Integer) => (value as i64).into(),
        // Options of an engine process are whole numbers as a rule, and must look like it.
        None if value.fract() == 0.0 => (value as i64).into(),
        Some(engine::ParamKind::Real) | None => value.into(),
    }
}
