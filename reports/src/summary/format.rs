//! The format of lines and numbers in a summary.

use serde_json::Value;

/// A line of the text: a heading, then the text.
pub(super) fn row(name: &str, value: &str) -> String {
    format!("  {name:<10}{value}")
}

/// A number, or `null` if JSON cannot hold it.
pub fn finite(number: f64) -> Value {
    serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number)
}
