//! Whole games against a random mover: what an engine of any protocol must survive.

use super::examine::GENEROUS;
use super::{Check, Finding, Grade};
use crate::entrant::{Entrant, PlayerSpec, ProcessSpec};
use crate::play::{Limit, PairOpening, RandomOpenings, TableRules};
use crate::run::{PAIR_VERSION, PairResult, PairSpec, play_pair};
use std::sync::Arc;

/// Half the most that a check may play: pairs.
const PAIRS: u64 = 2;

pub(super) fn run(check: &Check<'_>, tell: &mut dyn FnMut(Finding)) {
    let process = Box::new(impatient(check.process));
    let engine = Arc::new(Entrant { name: "engine".to_owned(), player: PlayerSpec::Process(process) });
    let random = Arc::new(Entrant { name: "random".to_owned(), player: PlayerSpec::Random });
    for pair in 0..PAIRS {
        let source = RandomOpenings { plies: check.game.usual_random_plies(), balance: None };
        let spec = PairSpec {
            version: PAIR_VERSION,
            pair,
            run_seed: 1,
            game: check.game,
            seats: [Arc::clone(&engine), Arc::clone(&random)],
            opening: PairOpening::Random { source, number: pair },
            rules: TableRules { track: true, ..TableRules::default() },
        };
        let step = format!("plays pair {} of games against random moves by the rules and in time", pair + 1);
        let finding = match play_pair(&spec, check.starter.clone(), check.stop) {
            Err(why) => Finding::new(&step, Grade::Failure, why),
            Ok(result) => finding(&step, &result),
        };
        let has_failed = finding.grade == Grade::Failure;
        tell(finding);
        if has_failed {
            return;
        }
    }
}

/// The engine with so little time for each move or game that one which hangs is soon found out.
fn impatient(process: &ProcessSpec) -> ProcessSpec {
    let mut process = process.clone();
    process.patience.answer = process.patience.answer.min(GENEROUS);
    if let Limit::Clock { base, .. } = &mut process.limit {
        *base = (*base).min(GENEROUS);
    }
    process
}

fn finding(step: &str, result: &PairResult) -> Finding {
    if let Some((_, fault)) = result.games.iter().find_map(|game| game.ending.fault()) {
        return Finding::new(step, Grade::Failure, fault.to_string());
    }
    let [first, second] = [0, 1].map(|game| result.games[game].moves.len());
    Finding::new(step, Grade::Pass, format!("{first} and {second} plies"))
}
