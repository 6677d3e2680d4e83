//! Reading one record of the vectors.

use serde_json::Value;
use stats::{PairCounts, Pentanomial, Wdl};
use std::ops::Deref;

/// One record, and accessors shared by several kinds.
pub(crate) struct Record(Value);

fn all() -> Vec<Value> {
    let text = include_str!("../../data/statistics.json");
    let file: Value = serde_json::from_str(text).unwrap();
    file["vectors"].as_array().unwrap().clone()
}

/// The names of all records.
pub(crate) fn ids() -> Vec<String> {
    all().iter().map(|r| r["id"].as_str().unwrap().to_owned()).collect()
}

/// A number; the vectors write "inf", "-inf" and "nan" as strings.
pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

fn counts<const K: usize>(value: &Value) -> [u64; K] {
    let all: Vec<u64> = value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    all.try_into().unwrap()
}

impl Record {
    pub(crate) fn load(id: &str) -> Self {
        Self(all().into_iter().find(|r| r["id"] == id).unwrap())
    }

    pub(crate) fn pentanomial(&self) -> Pentanomial {
        Pentanomial(counts(&self.0["penta"]))
    }

    pub(crate) fn pairs(&self) -> PairCounts {
        let six = ["LL", "LD", "WL", "DD", "WD", "WW"];
        PairCounts(six.map(|k| self.0["pairs"][k].as_u64().unwrap()))
    }

    pub(crate) fn wdl(&self) -> Wdl {
        let [losses, draws, wins] = counts(&self.0["ldw"]);
        Wdl { wins, draws, losses }
    }
}

impl Deref for Record {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

/// Asserts |x - expected| <= absolute + relative |expected|.
#[track_caller]
pub(crate) fn close(what: &str, x: f64, expected: f64, absolute: f64, relative: f64) {
    let room = absolute + relative * expected.abs();
    assert!((x - expected).abs() <= room, "{what}: {x}, expected {expected}");
}
