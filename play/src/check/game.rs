//! Whole games against a random mover, which an engine of any protocol must survive.

use super::examine::{GENEROUS, Outcome, failed};
use super::finding::{Check, Finding, Grade};
use super::waits::judged;
use crate::entrant::{Entrant, PlayerSpec, ProcessSpec};
use crate::games::Rules;
use crate::random::{Purpose, Stream};
use crate::{
    BySide, GameSetup, Limit, NotPlayed, Opening, PairOpening, RandomOpenings, SeatedGame, Seats, Side, TableRules,
    check_programs,
};
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of pairs in a check: each pair plays one opening twice, with the seats swapped.
const PAIRS: u64 = 2;
/// Openings and random moves are the same in every check.
const SEED: u64 = 1;

pub(super) fn run(check: &Check<'_>, tell: &mut dyn FnMut(Finding)) {
    match check.game.rules() {
        Rules::ZeroPointOne(game) => play_pairs(check, &game, tell),
        Rules::Chess(game) => play_pairs(check, &game, tell),
        // spar does not know the game's rules.
        Rules::Custom => {}
    }
}

fn play_pairs<G: SeatedGame>(check: &Check<'_>, game: &G, tell: &mut dyn FnMut(Finding)) {
    let process = Box::new(impatient(check.process));
    let engine = Arc::new(Entrant { name: "engine".to_owned(), player: PlayerSpec::Process(process) });
    let random = Arc::new(Entrant { name: "random".to_owned(), player: PlayerSpec::Random });
    let entrants = [engine, random];
    for pair in 0..PAIRS {
        if check.is_stopped() {
            return;
        }
        let step = format!("plays pair {} of games against random moves by the rules and in time", pair + 1);
        let finding = match play_pair(check, game, &entrants, pair) {
            Err((grade, why)) => Finding::new(&step, grade, why),
            Ok(plies) => Finding::new(&step, Grade::Pass, plies),
        };
        let is_over = finding.grade != Grade::Pass;
        tell(finding);
        if is_over {
            return;
        }
    }
}

/// Plays two games with players of their own, and describes their length.
///
/// # Errors
/// The first fault, or why no game was played, in words, and the grade that the engine gets for it.
fn play_pair<G: SeatedGame>(
    check: &Check<'_>,
    game: &G,
    entrants: &[Arc<Entrant>; 2],
    pair: u64,
) -> Result<String, Outcome> {
    let source = RandomOpenings { plies: check.game.usual_random_plies().into(), balance: None };
    let mut seats = Seats::default();
    let opening = seats.opening(game, &PairOpening::Random { source, number: pair }, SEED);
    let opening = opening.map_err(|why| failed(why.to_string()))?;
    let mut play = |number| play_game(check, game, &mut seats, entrants, &opening, 2 * pair + number);
    let (first, second) = (play(0)?, play(1)?);
    check_programs(entrants, Some(check.starter)).map_err(failed)?;
    Ok(format!("{first} and {second} plies"))
}

/// Plays game `number` of the check, from 0, and counts its plies.
fn play_game<G: SeatedGame>(
    check: &Check<'_>,
    game: &G,
    seats: &mut Seats<G>,
    entrants: &[Arc<Entrant>; 2],
    opening: &Opening<G>,
    number: u64,
) -> Result<usize, Outcome> {
    let seed = |side: u64| Stream::new(SEED, Purpose::Player, 2 * number + side).bits();
    let setup = GameSetup {
        entrants,
        side_of_first_seat: if number.is_multiple_of(2) { Side::First } else { Side::Second },
        opening,
        seeds: BySide { first: seed(0), second: seed(1) },
        rules: &TableRules::default(),
        observer: None,
    };
    let played = seats.play(game, &setup, Some(check.starter), check.stop);
    let played = played.map_err(|why: NotPlayed| failed(why.to_string()))?;
    match played.ending.fault() {
        Some((side, fault)) => {
            let waited = played.circumstances.times.decisive[side];
            Err(judged(
                failed(fault.to_string()),
                fault.is_explained_by(waited, Duration::ZERO, check.process.timeouts.overrun).then_some(Duration::ZERO),
                waited,
            ))
        }
        None => Ok(played.moves.len()),
    }
}

/// The engine with so little time for each move or game that a hang is soon found out.
fn impatient(process: &ProcessSpec) -> ProcessSpec {
    let mut process = process.clone();
    process.timeouts.answer = process.timeouts.answer.min(GENEROUS);
    let hurried = process.limit.map(|part| {
        Some(match part {
            Limit::Clock { base, increment, moves } => Limit::Clock { base: base.min(GENEROUS), increment, moves },
            Limit::Hourglass(base) => Limit::Hourglass(base.min(GENEROUS)),
            other => other,
        })
    });
    process.limit = hurried.unwrap_or(process.limit);
    process
}
