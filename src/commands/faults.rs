//! `spar show RUN --faults`: each game lost by a fault, and what was heard last of the engine.

use super::{print, print_json};
use crate::failure::{Exit, Failure};
use crate::jobs;
use arena::play::{Fault, Side};
use arena::run::{GameName, Header, RunFolder, SIDES_OF_FIRST_SEAT, StoredResult, audit, pair_number, replay};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// A game lost by a fault.
pub(super) struct LostGame<'a> {
    pub(super) name: GameName,
    entrant: &'a str,
    side: Side,
    fault: &'a Fault,
    /// The longest that the host kept it waiting for a processor within one move.
    waited: Duration,
    /// Whether the host is to blame.
    excused: bool,
    evidence: &'a str,
}

/// Prints the faults of a run's absorbed pairs, pair by pair.
pub(super) fn list_faults(run: &Path, as_json: bool) -> Result<Exit, Failure> {
    let journal = RunFolder::open_journal(run)?;
    let header = journal.header()?;
    audit(&journal, &header.config)?;
    let absorbed = replay(jobs::experiment(&header.config)?.as_mut(), &journal)?;
    let faulty = journal.faulty_pairs(absorbed)?;
    let mut rows = Vec::new();
    for &pair in &faulty {
        let Some(stored) = journal.result(pair)? else { continue };
        for lost in lost_games(&header, &stored) {
            if as_json {
                rows.push(lost.json());
            } else {
                print(lost.text())?;
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

/// The games of a pair that were lost by a fault.
pub(super) fn lost_games<'a>(header: &'a Header, stored: &'a StoredResult) -> Vec<LostGame<'a>> {
    let StoredResult { proposal, result } = stored;
    let of = |game: usize| {
        let name = GameName { pair: result.pair, game };
        let (side, fault) = result.games[game].ending.fault()?;
        let seat = usize::from(side != SIDES_OF_FIRST_SEAT[game]);
        let entrant = header.config.entrants.get(proposal.seats[seat].entrant as usize)?;
        let waited = result.times.delayed[game][side];
        let excused = header.config.starvation.excuses(fault, waited, entrant.player.margin());
        let evidence = result.evidence[game].as_deref().unwrap_or_default();
        Some(LostGame { name, entrant: &entrant.name, side, fault, waited, excused, evidence })
    };
    [0, 1].into_iter().filter_map(of).collect()
}

impl LostGame<'_> {
    /// A headline, and the evidence indented.
    pub(super) fn text(&self) -> String {
        let Self { name, entrant, fault, waited, excused, evidence, .. } = self;
        let side = match self.side {
            Side::First => "moving first",
            Side::Second => "moving second",
        };
        let mut text = format!("game {name}: {entrant}, {side}, {fault}");
        if *excused {
            let _never_fails = write!(text, " (the host kept it waiting for {waited:.3?})");
        }
        for line in evidence.lines() {
            let _never_fails = write!(text, "\n    {line}");
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let Self { name, entrant, side, fault, waited, excused, evidence } = self;
        json!({
            "game": name.to_string(), "pair": pair_number(name.pair), "entrant": entrant, "side": side, "fault": fault, "what": fault.to_string(),
            "waited": waited.as_secs_f64(), "excused": excused, "evidence": evidence,
        })
    }
}
