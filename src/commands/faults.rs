//! `spar show RUN --faults`: each game lost by a fault, with the engine's last lines.

use super::{print, print_json};
use crate::failure::{Exit, Failure};
use crate::shown::shown;
use arena::run::{LostGame, RunFolder, audit, lost_games, pair_number, replay};
use plan::jobs;
use play::Side;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Prints the faults of a run's absorbed pairs, pair by pair.
pub(super) fn list_faults(run: &Path, as_json: bool) -> Result<Exit, Failure> {
    let journal = RunFolder::open_journal(run)?;
    let header = journal.header()?;
    audit(&journal, &header.config)?;
    let absorbed = replay(jobs::experiment(&header.config)?.as_mut(), &journal)?.pairs;
    let faulty = journal.faulty_pairs(absorbed)?;
    let mut rows = Vec::new();
    for &pair in &faulty {
        let Some(stored) = journal.result(pair)? else { continue };
        for lost in lost_games(&header, &stored) {
            if as_json {
                rows.push(json(&lost));
            } else {
                print(shown(&text(&lost)))?;
            }
        }
    }
    if as_json {
        print_json(&rows)?;
    } else if faulty.is_empty() {
        print("No game was lost by a fault.")?;
    }
    Ok(Exit::Done)
}

/// A headline, followed by the indented evidence.
pub(super) fn text(lost: &LostGame<'_>) -> String {
    let LostGame { name, entrant, fault, waited, host_caused, evidence, .. } = lost;
    let side = match lost.side {
        Side::First => "moving first",
        Side::Second => "moving second",
    };
    let mut text = format!("game {name}: {entrant}, {side}, {fault}");
    if *host_caused {
        let _never_fails = write!(text, " (the host kept it waiting for {waited:.3?})");
    }
    for line in evidence.lines() {
        let _never_fails = write!(text, "\n    {line}");
    }
    text
}

pub(super) fn json(lost: &LostGame<'_>) -> Value {
    let LostGame { name, entrant, side, fault, waited, host_caused, evidence } = lost;
    json!({
        "game": name.to_string(), "pair": pair_number(name.pair), "entrant": entrant, "side": side, "fault": fault,
        "what": fault.to_string(), "waited": waited.as_secs_f64(), "host_caused": host_caused, "evidence": evidence,
    })
}
