//! weather-factory's JSON: its `config.json`, an object of parameters by name, and its `state.json`, which has them as
//! a list next to the progress. weather-factory rounds to whole numbers, so a parameter is an integer if its range and
//! step allow that.

use super::{Declared, DeclaredError, Spelling, guessed};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt;

/// The keys under which a `state.json` lists its parameters.
const LISTS: [&str; 2] = ["uci_params", "params"];

/// Whether a text looks like this JSON.
pub(super) fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('{') || text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'))
}

/// Reads all parameters in the order of the file.
pub(super) fn read(text: &str) -> Result<Declared, DeclaredError> {
    let entries = if text.trim_start().starts_with('[') { listed(serde_json::from_str(text)?)? } else { object(text)? };
    let mut declared = Declared::none(Spelling::WeatherFactory);
    let mut rounded = Vec::new();
    for (place, (name, value)) in entries.iter().enumerate() {
        let wrong = |why: String| DeclaredError::Entry { line: line_of(text, name), why };
        if name.trim().is_empty() {
            return Err(wrong("a parameter has no name".to_owned()));
        }
        if entries[..place].iter().any(|(earlier, _)| earlier == name) {
            return Err(wrong(format!("`{name}` is given twice")));
        }
        let Entry { value, min_value, max_value, step } =
            Entry::deserialize(value).map_err(|error| wrong(format!("`{name}`: {error}")))?;
        let parameter = guessed(name, value, (min_value, max_value), Some(step)).map_err(wrong)?;
        if (parameter.start - value).abs() > 0.0 {
            rounded.push((name.clone(), value, parameter.start));
        }
        declared.parameters.push(parameter);
    }
    declared.note_rounded(rounded);
    Ok(declared)
}

/// A parameter in weather-factory's format.
#[derive(Deserialize)]
#[serde(expecting = "an object with `value`, `min_value`, `max_value` and `step`")]
struct Entry {
    value: f64,
    min_value: f64,
    max_value: f64,
    step: f64,
}

/// The members of an object, in order, including duplicates.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of parameters by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All)
    }
}

/// Returns the parameters of an object: its members, or those of the member that contains all of them.
fn object(text: &str) -> Result<Vec<(String, Value)>, DeclaredError> {
    let Members(mut members) = serde_json::from_str(text)?;
    // A parameter may have this name, too.
    let is_list = |value: &Value| value.is_array() || value.is_object() && value.get("value").is_none();
    match members.iter().position(|(key, value)| LISTS.contains(&key.as_str()) && is_list(value)) {
        None => Ok(members),
        Some(at) => match members.swap_remove(at).1 {
            Value::Object(by_name) => Ok(by_name.into_iter().collect()),
            list => listed(list),
        },
    }
}

/// Returns the parameters of a list with their names.
fn listed(list: Value) -> Result<Vec<(String, Value)>, DeclaredError> {
    /// The name of a parameter.
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let list: Vec<Value> = serde_json::from_value(list)?;
    list.into_iter().map(|value| Ok((Named::deserialize(&value)?.name, value))).collect()
}

/// Returns the line of a name's last occurrence, so that an error shows the second of two; 1 if the name is written
/// with escapes.
fn line_of(text: &str, name: &str) -> usize {
    let at = text.rfind(&format!("\"{name}\"")).unwrap_or_default();
    1 + text[..at].matches('\n').count()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{notes, rows};
    use super::*;

    fn entry(name: &str, numbers: [&str; 4]) -> String {
        let [value, min, max, step] = numbers;
        format!("\"{name}\": {{\"value\": {value}, \"min_value\": {min}, \"max_value\": {max}, \"step\": {step}}}")
    }

    fn wrong(text: &str) -> String {
        Declared::read(text).expect_err("no parameters").to_string()
    }

    #[test]
    fn a_configuration_has_parameters_by_name() {
        let (b, a) = (entry("b", ["5", "1", "9", "2"]), entry("a", ["0.5", "0", "1", "0.1"]));
        let declared = Declared::read(&format!("{{{b},\n{a}}}")).expect("parameters");
        assert_eq!(rows(&declared), ["b Integer 5 1 9 2", "a Real 0.5 0 1 0.1"]);
        assert_eq!(notes(&declared), "");
    }

    #[test]
    fn fractions_of_whole_numbers_are_rounded() {
        let plain = entry("Plain", ["51.37", "0", "100", "5"]);
        let declared = Declared::read(&format!("{{{plain}}}")).expect("a parameter");
        assert_eq!(rows(&declared), ["Plain Integer 51 0 100 5"]);
        assert_eq!(notes(&declared), "starts of whole numbers are rounded: `Plain` from 51.37 to 51");
    }

    #[test]
    fn a_state_lists_parameters_beside_how_far_it_is() {
        let listed = |name: &str, value: &str| {
            format!("{{\"name\": \"{name}\", \"value\": {value}, \"min_value\": -50, \"max_value\": 50, \"step\": 4}}")
        };
        let list = format!("[{}, {}]", listed("A B", "-0.3"), listed("C", "7"));
        let expected = ["A B Integer 0 -50 50 4", "C Integer 7 -50 50 4"];
        for text in [
            format!("{{\"t\": 320, \"spsa_params\": {{\"a\": 1.0, \"c\": 1.0, \"A\": 5000}}, \"uci_params\": {list}}}"),
            format!("{{\"params\": {list}, \"t\": 3}}"),
            list.clone(),
            format!(
                "{{\"t\": 3, \"params\": {{{}, {}}}}}",
                entry("A B", ["-0.3", "-50", "50", "4"]),
                entry("C", ["7", "-50", "50", "4"])
            ),
        ] {
            let declared = Declared::read(&text).expect("parameters");
            assert_eq!(rows(&declared), expected, "{text}");
            assert_eq!(notes(&declared), "starts of whole numbers are rounded: `A B` from -0.3 to 0");
        }
        assert!(wrong("[{\"value\": 3}]").contains("missing field `name`"));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let (good, low) = (entry("a", ["5", "1", "9", "2"]), entry("b", ["5", "6", "9", "1"]));
        assert_eq!(wrong(&format!("{{{good},\n{low}}}")), "line 2: parameter `b`: start 5 is outside 6..9");
        assert_eq!(wrong(&format!("{{{good},\r\n\r\n{good}}}")), "line 3: `a` is given twice");
        assert_eq!(wrong("{\n\"a\": {\"value\": 5}}"), "line 2: `a`: missing field `min_value`");
        assert!(
            wrong("{\"a\": 3}").starts_with("line 1: `a`: invalid type: integer `3`, expected an object with `value`")
        );
        assert!(
            wrong("{\"a\": {\"value\": NaN}}")
                .starts_with("this is not JSON as weather-factory has it: expected value")
        );
        for (numbers, why) in [
            (["5", "9", "1", "1"], "min 9 must be less than max 1"),
            (["5", "1", "9", "-1"], "step -1 must be greater than 0 (0 freezes a parameter)"),
        ] {
            let text = format!("{{{}}}", entry("a", numbers));
            assert_eq!(wrong(&text), format!("line 1: parameter `a`: {why}"));
        }
        let frozen = Declared::read(&format!("{{{}}}", entry("a", ["5", "-0.0", "9", "0"]))).expect("a frozen one");
        assert_eq!(rows(&frozen), ["a Integer 5 0 9 0"], "frozen, and not -0");
    }
}
