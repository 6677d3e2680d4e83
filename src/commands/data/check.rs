//! `spar data check`: checks that files of positions are complete.

use crate::args::data::Check;
use crate::commands::{print, print_json};
use crate::failure::{Exit, Failure};
use reports::text::{counted, grouped};
use serde_json::json;
use trainer::data::{self, Checked};

pub(crate) fn check(check: &Check) -> Result<Exit, Failure> {
    let mut found = Vec::new();
    for path in &check.files {
        let checked = data::check(path)?;
        if !check.json {
            print(text(&path.display().to_string(), &checked))?;
        }
        found.push((path, checked));
    }
    if check.json {
        let file = |(path, Checked { blocks, records, faults }): &(_, Checked)| {
            let faults: Vec<_> =
                faults.iter().map(|(offset, fault)| json!({ "byte": offset, "fault": fault.to_string() })).collect();
            json!({ "file": path, "blocks": blocks, "positions": records, "faults": faults })
        };
        print_json(&found.iter().map(file).collect::<Vec<_>>())?;
    }
    let damaged = found.iter().filter(|(_, checked)| !checked.faults.is_empty()).count();
    match damaged {
        0 => Ok(Exit::Done),
        _ => Err(Failure::Environment(anyhow::anyhow!(
            "{} of {} damaged; `spar data check` names what is wrong, and all else in them can be read",
            damaged,
            counted(found.len() as u64, "file")
        ))),
    }
}

fn text(path: &str, Checked { blocks, records, faults }: &Checked) -> String {
    let whole = format!("{path}: {} positions in {}", grouped(*records), counted(*blocks, "block"));
    let faults = faults.iter().map(|(offset, fault)| format!("{path}, byte {offset}: {fault}"));
    std::iter::once(whole).chain(faults).collect::<Vec<_>>().join("\n")
}
