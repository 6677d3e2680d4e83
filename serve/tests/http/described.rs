//! Compares every answer of these tests with the description of the interface: its status, its type and its body. A key
//! that the description lacks is an error here, though clients ignore it.
//!
//! The schemas use few keywords of JSON Schema, which are checked here, so that no validator has to be built. An
//! unknown keyword fails. The second tier checks the same with an external validator.

use crate::support::Answer;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The description as it is served.
pub(crate) static DESCRIPTION: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../assets/openapi.json")).expect("JSON"));

/// Returns all operations: method, path, and description.
pub(crate) fn operations() -> impl Iterator<Item = (&'static str, &'static str, &'static Value)> {
    let paths = DESCRIPTION["paths"].as_object().expect("paths");
    paths.iter().flat_map(|(path, item)| {
        item.as_object()
            .into_iter()
            .flatten()
            .map(move |(method, operation)| (method.as_str(), path.as_str(), operation))
    })
}

/// Returns the operation of a request, if there is one.
fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |template: &str| {
        let wanted: Vec<&str> = template.split('/').collect();
        let takes_rest = template.ends_with("/report/{file}");
        let is_long_enough = parts.len() == wanted.len() || takes_rest && parts.len() > wanted.len();
        is_long_enough
            && wanted
                .iter()
                .zip(&parts)
                .all(|(wanted, part)| wanted.starts_with('{') && !part.is_empty() || wanted == part)
    };
    // The literal `/api/runs/{name}/games` is a better match than a placeholder.
    let near = |template: &str| template.matches('{').count();
    let found = operations().filter(|(of, template, _)| of.eq_ignore_ascii_case(method) && fits(template));
    found.min_by_key(|(_, template, _)| near(template)).map(|(_, _, operation)| operation)
}

/// Fails if an answer to this request does not match the description.
pub(crate) fn check(request: &[u8], answer: &Answer) {
    let line = String::from_utf8_lossy(request).lines().next().unwrap_or_default().to_owned();
    let words: Vec<&str> = line.split(' ').collect();
    let [method @ ("GET" | "POST"), path, "HTTP/1.1"] = words[..] else { return };
    if !path.starts_with("/api/") || answer.status == 0 || !answer.headers.contains_key("content-type") {
        return;
    }
    let what = format!("{} of {line}", answer.status);
    let Some(operation) = operation(method, path) else {
        assert!((400..500).contains(&answer.status), "{what}: the description has no such operation");
        return matches(&answer.json(), &refusal(), &what);
    };
    let response = &operation["responses"][answer.status.to_string()];
    assert!(!response.is_null(), "{what}: the description has no such status: {}", answer.text());
    let response = resolved(response);
    let kind = answer.headers["content-type"].as_str();
    let content = &response["content"][kind];
    assert!(!content.is_null(), "{what}: the description has no {kind}");
    if kind == "application/json" && !answer.headers.contains_key("content-encoding") {
        matches(&answer.json(), &content["schema"], &what);
    } else if !content["x-lines"].is_null() {
        for line in answer.text().lines() {
            matches(&serde_json::from_str(line).expect("JSON"), &content["x-lines"], &what);
        }
    }
}

/// Fails if an event of this path does not match the description.
pub(crate) fn check_event(path: &str, kind: &str, data: &Value) {
    let operation = operation("GET", path).unwrap_or_else(|| panic!("{path} is not described"));
    let events = &operation["responses"]["200"]["content"]["text/event-stream"]["x-events"];
    assert!(!events[kind].is_null(), "{path}: the description has no event `{kind}`");
    matches(data, &events[kind], &format!("event {kind} of {path}"));
}

fn refusal() -> Value {
    serde_json::json!({ "$ref": "#/components/schemas/Refusal" })
}

/// Follows a reference.
fn resolved(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(reference) => {
            let found = DESCRIPTION.pointer(reference.trim_start_matches('#'));
            found.unwrap_or_else(|| panic!("{reference} leads nowhere"))
        }
        None => value,
    }
}

/// Fails if a value does not match a schema.
fn matches(value: &Value, schema: &Value, what: &str) {
    if let Err(why) = fits(value, schema) {
        panic!("{what}: {why}: {}", value.to_string().chars().take(2000).collect::<String>());
    }
}

/// Whether a value matches a schema, or where it does not.
fn fits(value: &Value, schema: &Value) -> Result<(), String> {
    let Some(schema) = schema.as_object() else { return Err("a schema is not an object".to_owned()) };
    for (keyword, of) in schema {
        keyword_fits(value, keyword, of, schema)?;
    }
    Ok(())
}

fn keyword_fits(value: &Value, keyword: &str, of: &Value, schema: &Map<String, Value>) -> Result<(), String> {
    let or = |fits: bool, why: &str| if fits { Ok(()) } else { Err(format!("{why} {of}")) };
    match keyword {
        "description" | "format" => Ok(()),
        "$ref" => {
            let of = of.as_str().map(|of| of.trim_start_matches('#')).and_then(|of| DESCRIPTION.pointer(of));
            fits(value, of.ok_or("a reference leads nowhere")?)
        }
        "type" => {
            let types: Vec<&str> = match of {
                Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
                of => of.as_str().into_iter().collect(),
            };
            or(types.iter().any(|of| is_a(value, of)), "it is not of type")
        }
        "enum" => or(of.as_array().is_some_and(|all| all.contains(value)), "it is none of"),
        "const" => or(of == value, "it is not"),
        "minimum" => {
            or(value.as_f64().is_none_or(|value| of.as_f64().is_some_and(|of| value >= of)), "it is less than")
        }
        "maximum" => {
            or(value.as_f64().is_none_or(|value| of.as_f64().is_some_and(|of| value <= of)), "it is more than")
        }
        "maxLength" => {
            let length = value.as_str().map(|text| text.chars().count() as u64);
            or(length <= of.as_u64(), "it is longer than")
        }
        "items" => value
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
            .try_for_each(|(index, item)| fits(item, of).map_err(|why| format!("{index}: {why}"))),
        "oneOf" => {
            let all = of.as_array().ok_or("oneOf is not a list")?;
            let tried: Vec<Result<(), String>> = all.iter().map(|of| fits(value, of)).collect();
            match tried.iter().filter(|tried| tried.is_ok()).count() {
                1 => Ok(()),
                0 => Err(tried.into_iter().filter_map(Result::err).collect::<Vec<_>>().join("; or ")),
                many => Err(format!("it matches {many} of {of}")),
            }
        }
        "required" => {
            let missing = |key: &&Value| key.as_str().is_none_or(|key| value.get(key).is_none());
            match of.as_array().into_iter().flatten().find(missing).filter(|_| value.is_object()) {
                Some(key) => Err(format!("it has no {key}")),
                None => Ok(()),
            }
        }
        "properties" => value.as_object().into_iter().flatten().try_for_each(|(key, value)| match of.get(key) {
            Some(of) => fits(value, of).map_err(|why| format!("{key}: {why}")),
            None if schema.get("additionalProperties").is_some_and(|more| *more != false) => Ok(()),
            None => Err(format!("the description has no `{key}`")),
        }),
        "additionalProperties" => match of {
            Value::Object(_) => value.as_object().into_iter().flatten().try_for_each(|(_, value)| fits(value, of)),
            _ => Ok(()),
        },
        unknown => Err(format!("the keyword `{unknown}` is not known here")),
    }
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type {other}"),
    }
}

#[test]
fn each_operation_has_a_name_schemas_and_its_refusals() {
    let mut names = BTreeSet::new();
    for (method, path, operation) in operations() {
        let name = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path} has no operationId"));
        assert!(names.insert(name), "{name} is there twice");
        let responses = operation["responses"].as_object().expect("responses");
        for (status, response) in responses {
            let response = resolved(response);
            let content = response["content"].as_object().unwrap_or_else(|| panic!("{name}: {status} has no content"));
            for (kind, content) in content {
                assert!(content["schema"].is_object(), "{name}: {status} {kind} has no schema");
            }
        }
        let mut needed = vec!["200", "401", "405", "413", "414", "421"];
        needed.extend(if path.contains('{') { &["400", "404"][..] } else { &[] });
        needed.extend(if method == "post" { &["400", "403", "408", "411", "415"][..] } else { &[] });
        needed.extend(if operation["x-right"].is_string() { &["403"][..] } else { &[] });
        for status in needed {
            assert!(responses.contains_key(status), "{name} lacks {status}");
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(body.is_object(), method == "post", "{name}: what is sent has a schema");
    }
}

#[test]
fn answers_that_are_not_as_described_are_found() {
    let (run, kind) =
        (serde_json::json!({ "name": "x", "state": "finished", "says": "", "started_by": null }), "RunRow");
    let schema = serde_json::json!({ "$ref": format!("#/components/schemas/{kind}") });
    assert_eq!(fits(&run, &schema), Ok(()));
    for (key, value, says) in [
        ("state", serde_json::json!("done"), "state: it is none of"),
        ("wins", serde_json::json!("3"), "wins: it is not of type"),
        ("new", serde_json::json!(1), "the description has no `new`"),
        ("penta", serde_json::json!([1, null]), "penta: 1: it is not of type"),
    ] {
        let mut wrong = run.clone();
        wrong[key] = value;
        let why = fits(&wrong, &schema).expect_err("it does not match");
        assert!(why.contains(says), "{why}");
    }
    assert!(fits(&serde_json::json!({ "name": "x" }), &schema).is_err_and(|why| why.contains("it has no")));
    let change = serde_json::json!({ "$ref": "#/components/schemas/Change" });
    assert!(fits(&serde_json::json!({ "do": "priority" }), &change).is_err());
}
