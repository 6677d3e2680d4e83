//! The headers of runs as people write them: a dotted key, such as `entrant.dev.limit`, and a value in words for each
//! setting. This module has no configuration of its own: it reads the headers as JSON.

use arena::run::Header;
use play::Limit;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The settings of a run by key.
type Settings = BTreeMap<String, String>;

/// The part of keys below which there are so many values that only their number is shown where a run has none of them.
const MANY: &str = ".params";

/// Returns the keys in which the runs differ, with the value of each run; `None` where a run has none.
pub(crate) fn differences(headers: &[Header]) -> Vec<(String, Vec<Option<String>>)> {
    let all = headers.iter().map(|header| serde_json::to_value(header).unwrap_or_default()).collect::<Vec<_>>();
    let labels = labels(headers);
    let mut settings: Vec<Settings> = all.iter().map(|header| settings(header, &labels)).collect();
    count_many(&mut settings);
    let keys: BTreeSet<String> = settings.iter().flat_map(|settings| settings.keys().cloned()).collect();
    let values = |key: String| {
        let values: Vec<Option<String>> = settings.iter().map(|settings| settings.get(&key).cloned()).collect();
        (key, values)
    };
    keys.into_iter().map(values).filter(|(_, values)| values.iter().any(|value| *value != values[0])).collect()
}

/// Returns the names of entrants in keys: their own names if all runs have the same, otherwise their places.
fn labels(headers: &[Header]) -> Vec<String> {
    let most = headers.iter().map(|header| header.config.entrants.len()).max().unwrap_or_default();
    let label = |place: usize| {
        let mut names = headers.iter().filter_map(|header| header.config.entrants.get(place)).map(|one| &one.name);
        let first = names.next();
        first.filter(|first| names.all(|name| name == *first)).cloned().unwrap_or_else(|| (place + 1).to_string())
    };
    (0..most).map(label).collect()
}

fn settings(header: &Value, labels: &[String]) -> Settings {
    let mut found = Settings::new();
    for (key, value) in header.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("config", Value::Object(config)) => {
                for (key, value) in config {
                    of_config(key, value, labels, &mut found);
                }
            }
            ("builds", Value::Array(builds)) => {
                for (build, label) in builds.iter().zip(labels) {
                    tagged(&format!("build.{label}"), "", build, &mut found);
                }
            }
            (key, value) => walk(key, value, &mut found),
        }
    }
    found
}

fn of_config(key: &str, value: &Value, labels: &[String], found: &mut Settings) {
    match (key, value) {
        ("entrants", Value::Array(entrants)) => {
            for (entrant, label) in entrants.iter().zip(labels) {
                let path = format!("entrant.{label}");
                for (key, value) in entrant.as_object().into_iter().flatten() {
                    if key == "player" {
                        tagged(&path, ".player", value, found);
                    } else {
                        walk(&below(&path, key), value, found);
                    }
                }
            }
        }
        // The experiment: `sprt` and its keys are top-level.
        ("experiment", Value::Object(jobs)) => {
            for (job, value) in jobs {
                found.insert("job".to_owned(), job.clone());
                walk(job, value, found);
            }
        }
        _ => walk(key, value, found),
    }
}

/// Adds a value of one of several kinds: the kind goes to `name` below the path, and the keys of the kind go directly
/// below the path.
fn tagged(path: &str, name: &str, value: &Value, found: &mut Settings) {
    match value {
        Value::Object(kinds) if kinds.len() == 1 => {
            for (kind, value) in kinds {
                found.insert(format!("{path}{name}"), kind.clone());
                walk(path, value, found);
            }
        }
        value => walk(&format!("{path}{name}"), value, found),
    }
}

fn below(path: &str, key: &str) -> String {
    // The hypotheses of a test become keys of the test.
    if path == "sprt" && key == "test" { path.to_owned() } else { format!("{path}.{key}") }
}

fn walk(path: &str, value: &Value, found: &mut Settings) {
    if let Some(text) = words(value) {
        found.insert(path.to_owned(), text);
        return;
    }
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| walk(&below(path, key), value, found)),
        Value::Array(all) => {
            for (place, value) in all.iter().enumerate() {
                walk(&format!("{path}.{}", place + 1), value, found);
            }
        }
        _ => {}
    }
}

/// Returns a value in words; `None` if it is absent or made of other values.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => {
            Some(number.as_f64().filter(|_| number.is_f64()).map_or(number.to_string(), |x| x.to_string()))
        }
        Value::String(text) => Some(text.clone()),
        Value::Array(all) if all.is_empty() => Some("none".to_owned()),
        Value::Array(all) => {
            let simple = all.iter().all(|one| !one.is_array() && !one.is_object());
            simple.then(|| all.iter().filter_map(words).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => duration(map).or_else(|| {
            let limit: Option<Limit> = serde_json::from_value(value.clone()).ok();
            limit.map(|limit| limit.to_string())
        }),
    }
}

/// Returns a time from its stored form.
fn duration(map: &Map<String, Value>) -> Option<String> {
    let seconds = map.get("secs")?.as_u64()?;
    let nanos = u32::try_from(map.get("nanos")?.as_u64()?).ok()?;
    (map.len() == 2).then(|| format!("{:?}", Duration::new(seconds, nanos)))
}

/// If a run has no values below such a key, replaces those of the others by their number: nothing can be compared one
/// by one.
fn count_many(all: &mut [Settings]) {
    let key_of = |key: &str| key.find(MANY).map(|at| key[..at + MANY.len()].to_owned());
    let keys: BTreeSet<String> =
        all.iter().flat_map(|settings| settings.keys().filter_map(|key| key_of(key))).collect();
    for key in keys {
        let inside = |other: &str| other.strip_prefix(key.as_str()).is_some_and(|rest| rest.starts_with('.'));
        let counts: Vec<usize> =
            all.iter().map(|settings| settings.keys().filter(|other| inside(other)).count()).collect();
        if counts.iter().all(|&count| count > 0) {
            continue;
        }
        for (settings, count) in all.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
            settings.retain(|other, _| !inside(other));
            settings.insert(key.clone(), format!("{count} values"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::{Job, RunConfig};
    use arena::run::{Executables, run_header};
    use plan::{Disk, load};

    const MATCH: &str = "game = \"chess\"\n[match]\npairs = 9\n[[entrant]]\nname = \"a\"\nplayer = \"random\"\n\
        [[entrant]]\nname = \"b\"\nplayer = \"random\"\n";

    fn header(change: impl FnOnce(&mut RunConfig)) -> Header {
        let mut run = load(MATCH, "a test", "test", &[], Job::Match, Disk).expect("a configuration").run;
        change(&mut run);
        run_header(&run, &Executables::default())
    }

    fn lines(headers: &[Header]) -> Vec<String> {
        let text = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
        let line = |(key, values): (String, Vec<Option<String>>)| {
            format!("{key}: {}", values.into_iter().map(text).collect::<Vec<_>>().join(" | "))
        };
        differences(headers).into_iter().map(line).collect()
    }

    #[test]
    fn differing_settings_are_dotted_keys_with_plain_values() {
        let one = header(|_| {});
        assert_eq!(lines(&[one.clone(), one.clone()]), Vec::<String>::new());
        let other = header(|run| {
            run.seed = 9;
            run.entrants[1].name = "b2".to_owned();
        });
        assert_eq!(lines(&[one.clone(), other, one]), ["entrant.2.name: b | b2 | b", "seed: 1 | 9 | 1"]);
    }

    #[test]
    fn times_limits_and_lists_are_written_as_in_a_configuration() {
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        for (json, expected) in [
            (r#"{"secs": 0, "nanos": 10000000}"#, Some("10ms")),
            (
                r#"{"clock": {"base": {"secs": 1, "nanos": 0},
                    "increment": {"secs": 0, "nanos": 10000000}, "moves": null}}"#,
                Some("1s+10ms"),
            ),
            (r#"{"nodes": 400}"#, Some("400 nodes")),
            ("60.0", Some("60")),
            ("0.62", Some("0.62")),
            ("[]", Some("none")),
            ("[0, 2]", Some("0, 2")),
            ("null", None),
            (r#"{"a": 1, "b": 2}"#, None),
        ] {
            assert_eq!(words(&value(json)).as_deref(), expected, "{json}");
        }
    }

    #[test]
    fn values_that_one_run_has_none_of_are_counted() {
        let settings = |keys: &[&str]| keys.iter().map(|key| ((*key).to_owned(), "1".to_owned())).collect::<Settings>();
        let mut all = [settings(&["entrant.a.params.x", "entrant.a.params.y", "seed"]), settings(&["seed"])];
        count_many(&mut all);
        assert_eq!(all[0].get("entrant.a.params").map(String::as_str), Some("2 values"));
        assert_eq!((all[0].len(), all[1].len()), (2, 1));
        let mut both = [settings(&["entrant.a.params.x"]), settings(&["entrant.a.params.y"])];
        count_many(&mut both);
        assert_eq!(both[0], settings(&["entrant.a.params.x"]));
    }
}
