//! `spar params`: the engine's one table of tunable parameters.

use super::{print, print_json};
use crate::args::ListParams;
use crate::failure::{Exit, Failure};
use engine::PARAMS;
use serde_json::{Value, json};

pub(crate) fn params(list: &ListParams) -> Result<Exit, Failure> {
    if list.json {
        let rows: Vec<Value> = PARAMS
            .iter()
            .map(|info| {
                json!({
                    "name": info.name, "kind": info.kind.to_string(), "default": info.default,
                    "min": info.min, "max": info.max, "step": info.step, "doc": info.doc,
                })
            })
            .collect();
        print_json(&rows)?;
        return Ok(Exit::Done);
    }
    print(format_args!(
        "{:<24}{:<9}{:>10}{:>8}{:>8}{:>8}  what it does",
        "name", "kind", "default", "min", "max", "step"
    ))?;
    for info in PARAMS {
        print(format_args!(
            "{:<24}{:<9}{:>10}{:>8}{:>8}{:>8}  {}",
            info.name,
            info.kind.to_string(),
            info.default,
            info.min,
            info.max,
            info.step,
            info.doc
        ))?;
    }
    Ok(Exit::Done)
}
