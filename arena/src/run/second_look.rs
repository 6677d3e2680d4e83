//! A second look at positions from a run's games: two of its entrants search them again with another limit, and
//! evaluate them. Nothing is stored.

use super::builds::by_content;
use super::executor::{Event, Executor};
use super::journal::Header;
use super::pair::PairSpec;
use play::entrant::PlayerSpec;
use play::games::{GameKind, Rules};
use play::{Adjudication, Game, Limit, OpeningLine, PairOpening, TableRules};
use record::{Evaluation, PairIndex, PairResult, Side, Sides};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often `stop` is checked.
const TICK: Duration = Duration::from_millis(100);
/// How far an engine may overrun the time of a move, which is generous because this is not a game.
const MARGIN: Duration = Duration::from_secs(5);
/// How long an engine may take for a move limited by nodes or depth.
const ANSWER_WITHIN: Duration = Duration::from_hours(1);

/// A position reached in a game.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reached {
    /// The text of the start position, if it is not the game's usual one.
    pub start: Option<String>,
    /// The moves from there, as the numbers used in journals ([`Game::code`]).
    pub moves: Vec<u32>,
}

/// The entrants and the limit of a second look.
#[derive(Clone, Copy, Debug)]
pub struct SecondLook<'a> {
    /// The run, with the builds that play now.
    pub header: &'a Header,
    /// The numbers of the two entrants.
    pub entrants: [usize; 2],
    /// The limit of a move.
    pub limit: Limit,
}

/// The evaluations of a position by the two entrants, for the side to move; `None` if an entrant gives none.
pub type Said = [Option<Evaluation>; 2];

/// The outcome of a second look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// The evaluations by position.
    pub said: Vec<Said>,
    /// The first fault that kept an entrant from evaluating a position, if any.
    pub fault: Option<String>,
}

/// Why positions were not searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSearched {
    /// The search was asked to stop.
    #[error("stopped")]
    Stopped,
    /// The reason, in a sentence.
    #[error("{0}")]
    Failed(String),
}

impl SecondLook<'_> {
    /// Has both entrants search each position. `searched` is called with the number of finished positions. Positions in
    /// which an entrant fails are skipped.
    ///
    /// # Errors
    /// [`NotSearched`]: `stop` was raised, or no position can be searched this way.
    pub fn search(
        &self,
        positions: &[Reached],
        executor: &mut dyn Executor,
        stop: &AtomicBool,
        searched: &mut dyn FnMut(usize),
    ) -> Result<Searched, NotSearched> {
        let specs = (0..).zip(positions).map(|(number, position)| self.spec(number, position));
        let (specs, movers): (Vec<PairSpec>, Vec<Side>) = specs.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let mut found = Searched { said: vec![[None; 2]; positions.len()], fault: None };
        let (mut waiting, mut outstanding, mut done) = (specs.into_iter(), 0, 0);
        while done < positions.len() {
            if stop.load(Ordering::SeqCst) {
                return Err(NotSearched::Stopped);
            }
            while outstanding < executor.capacity()
                && let Some(spec) = waiting.next()
            {
                executor.submit(spec);
                outstanding += 1;
            }
            let (pair, fault) = match executor.next_event(Instant::now() + TICK) {
                Some(Event::Done { result, .. }) => {
                    let index = result.pair as usize;
                    found.said[index] = said(&result, movers[index]);
                    (result.pair, self.fault(&result))
                }
                Some(Event::Lost { pair, why }) => (pair, Some(why)),
                Some(Event::Failed { why, .. }) => return Err(NotSearched::Failed(why)),
                _ => continue,
            };
            found.fault = found.fault.or(fault.map(|why| format!("position {}: {why}", pair + 1)));
            outstanding -= 1;
            done += 1;
            searched(done);
        }
        Ok(found)
    }

    /// Returns the fault of an entrant in the first of the games that ended with one.
    fn fault(&self, result: &PairResult) -> Option<String> {
        result.games.iter().zip(result.sides.of_first_seat()).find_map(|(game, first)| {
            let (side, fault) = game.ending.fault()?;
            let entrant = self.entrants[usize::from(side != *first)];
            Some(format!("{}: {fault}", self.header.config.entrants[entrant].name))
        })
    }

    /// Returns a pair of one-ply games from the position, in each of which a different entrant has the move, and the
    /// side to move.
    fn spec(&self, number: PairIndex, position: &Reached) -> Result<(PairSpec, Side), NotSearched> {
        let Self { header: Header { config, builds }, entrants, limit } = *self;
        let line = line_to(config.game, position);
        let (line, mover) = line.ok_or_else(|| NotSearched::Failed("a stored game cannot be followed".to_owned()))?;
        let seats = entrants.map(|entrant| {
            let mut seat = by_content(&config.entrants[entrant], &builds[entrant]);
            seat.player.set_limit(limit);
            if let PlayerSpec::Process(process) = &mut seat.player {
                (process.margin, process.timeouts.answer) = (MARGIN, ANSWER_WITHIN);
            }
            Arc::new(seat)
        });
        let plies = u32::try_from(position.moves.len()).unwrap_or(u32::MAX).saturating_add(1);
        let adjudication = Adjudication { max_plies: NonZeroU32::new(plies), ..Adjudication::default() };
        let spec = PairSpec {
            pair: number,
            run_seed: config.seed,
            game: config.game,
            seats,
            builds: entrants.map(|entrant| Arc::new(builds[entrant].clone())),
            sides: Sides::Swapped,
            opening: PairOpening::Line(line),
            rules: TableRules { track: true, adjudication, ..TableRules::default() },
        };
        Ok((spec, mover))
    }
}

/// Returns what each entrant said in the game in which it had the move.
fn said(result: &PairResult, mover: Side) -> Said {
    let mut said = [None; 2];
    for (game, side) in result.games.iter().zip(result.sides.of_first_seat()) {
        said[usize::from(*side != mover)] = game.track.first().and_then(|ply| ply.info.score);
    }
    said
}

/// Returns the moves that lead to a position, in the notation of players, and the side to move there. `None` if they
/// cannot be played.
fn line_to(game: GameKind, position: &Reached) -> Option<(OpeningLine, Side)> {
    match game.rules() {
        Rules::ZeroPointOne(game) => written(&game, position),
        Rules::Chess(game) => written(&game, position),
        Rules::Custom => None,
    }
}

fn written<G: Game>(game: &G, Reached { start, moves }: &Reached) -> Option<(OpeningLine, Side)> {
    let mut position = match start {
        Some(text) => game.setup(text).ok()?,
        None => game.start(),
    };
    let mut texts = Vec::with_capacity(moves.len());
    for &code in moves {
        let mv = G::legal_from_code(&position, code)?;
        texts.push(G::format_move(&position, mv));
        G::play(&mut position, mv);
    }
    let side = G::side_to_move(&position);
    G::ending(&position).is_none().then_some((OpeningLine { start: start.clone(), moves: texts }, side))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::run::{Executables, Local, run_header};
    use engine::{EvaluationKind, Params, SearchKind};
    use play::TimeSource;
    use play::entrant::NativeSpec;
    use play::games::ZeroPointOne;
    use std::num::{NonZeroU64, NonZeroUsize};
    use std::path::Path;

    /// Returns the evaluations of the engine and a random mover after these moves.
    fn looks(limit: u64, moves: &[Vec<u32>]) -> Result<Vec<Said>, NotSearched> {
        let mut config = RunConfig::random_match(GameKind::ZeroPointOne);
        config.entrants[0].player = PlayerSpec::Native(Box::new(NativeSpec {
            search: SearchKind::default(),
            evaluation: EvaluationKind::PieceSquare,
            network: None,
            policy: None,
            table_bytes: 1 << 16,
            limit: Limit::Nodes(NonZeroU64::MIN),
            source: TimeSource::Wall,
            params: Params::default(),
        }));
        let programs = Executables::of(&config, Path::new("/")).unwrap();
        let header = run_header(&config, &programs);
        let look =
            SecondLook { header: &header, entrants: [0, 1], limit: Limit::Nodes(NonZeroU64::new(limit).unwrap()) };
        let positions: Vec<_> = moves.iter().map(|moves| Reached { start: None, moves: moves.clone() }).collect();
        let mut executor = Local::start(NonZeroUsize::MIN, None).unwrap();
        let mut told = Vec::new();
        let found = look.search(&positions, &mut executor, &AtomicBool::new(false), &mut |done| told.push(done))?;
        assert_eq!((told, found.fault), ((1..=moves.len()).collect::<Vec<_>>(), None));
        Ok(found.said)
    }

    /// Returns the codes of a game in which each move is the first legal one from some number on.
    fn line<G: Game>(game: &G, plies: usize) -> Vec<u32> {
        let (mut position, mut codes) = (game.start(), Vec::new());
        for ply in 0..plies {
            let mut legal = (7 * ply as u32..).filter_map(|code| G::legal_from_code(&position, code));
            let mv = legal.next().unwrap();
            G::play(&mut position, mv);
            codes.push(G::code(mv));
        }
        codes
    }

    #[test]
    fn each_entrant_says_what_it_thinks_and_a_random_one_nothing() {
        for moves in [line(&ZeroPointOne, 4), line(&ZeroPointOne, 5)] {
            let found = looks(200, &[moves]).unwrap();
            assert!(matches!(found[..], [[Some(Evaluation::Logit(_)), None]]), "{found:?}");
        }
    }

    #[test]
    fn a_position_that_cannot_be_reached_or_is_over_is_refused() {
        let failed = |moves: Vec<u32>| matches!(looks(10, &[moves]), Err(NotSearched::Failed(_)));
        assert!(failed([line(&ZeroPointOne, 4), vec![u32::MAX]].concat()));
        let after = |start: &str| {
            let reached = Reached { start: Some(start.to_owned()), moves: Vec::new() };
            line_to(GameKind::Chess, &reached).map(|(line, side)| (line.start, side))
        };
        let open = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
        assert_eq!(after(open), Some((Some(open.to_owned()), Side::Second)));
        assert_eq!(after("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"), None, "a mate");
    }
}
