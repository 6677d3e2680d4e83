//! The common part of all protocols' checks: how steps follow each other, and whether moves can be played.

use super::finding::{Check, Finding, Grade};
pub(crate) use super::waits::Outcome;
use super::waits::{Waits, judged};
use crate::Game;
use crate::child::{Child, ChildError};
use crate::games::{Chess, Rules};
use crate::players::process::STOP_TIMEOUT;
use crate::protocol::option::{OptionDeclaration, OptionKind};
use crate::protocol::uci::command::Start;
use crate::variation::other_move;
use std::time::{Duration, Instant};

/// A step of a check: its name, and the function that carries it out.
pub(crate) type Step<S> = (&'static str, fn(&mut S) -> Outcome);

/// The time limit for requests that have none of their own.
pub(crate) const GENEROUS: Duration = Duration::from_secs(5);

/// A wait for a processor that explains an engine's silence in a step: on another host the engine may well have
/// answered.
const EXPLAINS_SILENCE: Duration = Duration::from_millis(2_500);

/// The number of silent steps after which the check gives up: the rest would end in silence, too.
const MOST_HANGS: u32 = 2;

pub(crate) const fn pass() -> Outcome {
    (Grade::Pass, String::new())
}

pub(crate) fn failed(note: impl Into<String>) -> Outcome {
    (Grade::Failure, note.into())
}

pub(crate) fn warned(note: impl Into<String>) -> Outcome {
    (Grade::Warning, note.into())
}

/// The outcome of a step that passes unless it returns early.
pub(crate) fn outcome(tried: Result<(), Outcome>) -> Outcome {
    tried.err().unwrap_or(pass())
}

/// An engine under examination, and the observations of the current step.
pub(crate) struct EngineUnderTest<'a, E> {
    pub(crate) check: &'a Check<'a>,
    /// The protocol's state of the engine.
    pub(crate) engine: E,
    /// Whether the step ended in silence.
    has_hung: bool,
    /// By how much an answer of the step was late.
    late: Option<Duration>,
}

/// An engine as the check of its protocol handles it.
pub(crate) trait CheckedEngine: Sized {
    /// The engine's process.
    fn child(&mut self) -> &mut Child;

    /// Starts the engine, up to the first step.
    fn start<'a>(check: &'a Check<'a>) -> Result<EngineUnderTest<'a, Self>, String>;
}

impl<'a, E: CheckedEngine> EngineUnderTest<'a, E> {
    pub(crate) fn new(check: &'a Check<'a>, engine: E) -> Self {
        Self { check, engine, has_hung: false, late: None }
    }

    /// The same engine in a new process.
    pub(crate) fn fresh(&self) -> Result<Self, String> {
        E::start(self.check)
    }

    /// What went wrong, in words.
    pub(crate) fn why(&mut self, error: &ChildError) -> String {
        match error {
            ChildError::Closed => self.end(),
            other => {
                self.has_hung |= matches!(other, ChildError::Deadline);
                other.to_string()
            }
        }
    }

    /// Returns a failed step if an answer took longer than allowed.
    pub(crate) fn in_time(&mut self, took: Duration, within: Duration, decimals: usize) -> Result<(), Outcome> {
        if took <= within {
            return Ok(());
        }
        self.late = Some(took.saturating_sub(within));
        Err(failed(format!("it took {took:.decimals$?}")))
    }

    /// How the engine's process ended.
    fn end(&mut self) -> String {
        let exit = self.engine.child().wait_for_exit(Instant::now() + STOP_TIMEOUT);
        exit.map_or_else(|| "it closed its output".to_owned(), |exit| exit.to_string())
    }

    /// A failed step.
    pub(crate) fn broken(&mut self, error: &ChildError) -> Outcome {
        failed(self.why(error))
    }
}

/// Goes through all steps, with a fresh process after each step that the engine did not survive; returns the engine, or
/// `None` if it is pointless to continue.
pub(crate) fn all<'a, E: CheckedEngine>(
    mut subject: EngineUnderTest<'a, E>,
    steps: &[Step<EngineUnderTest<'a, E>>],
    tell: &mut dyn FnMut(Finding),
) -> Option<E> {
    let (mut hangs, mut unjudged) = (0, 0);
    for (step, examine) in steps {
        let before = Waits::of(subject.engine.child());
        let outcome = examine(&mut subject);
        if subject.check.is_stopped() {
            return None;
        }
        let waited = Waits::of(subject.engine.child()).since(&before);
        let has_hung = std::mem::take(&mut subject.has_hung);
        // An engine that never stops talking has the processor that it needs.
        let is_silent = has_hung && subject.engine.child().received_at().elapsed() >= STOP_TIMEOUT;
        let late = subject.late.take().or(is_silent.then_some(EXPLAINS_SILENCE));
        let (grade, note) = judged(outcome, late, waited);
        unjudged += u32::from(has_hung && grade == Grade::Unjudged);
        tell(Finding::new(step, grade, note));
        if !has_hung && subject.engine.child().is_alive() {
            continue;
        }
        if has_hung {
            hangs += 1;
        } else {
            let why = format!("it ended after the step before: {}", subject.end());
            tell(Finding::new("stays alive", Grade::Failure, why));
        }
        if hangs == MOST_HANGS {
            let grade = if unjudged == MOST_HANGS { Grade::Unjudged } else { Grade::Failure };
            tell(Finding::new("answers", grade, "it was silent in two steps: the others are left out"));
            return None;
        }
        match subject.fresh() {
            Ok(fresh) => subject = fresh,
            Err(why) => {
                tell(Finding::new("starts again", Grade::Failure, why));
                return None;
            }
        }
    }
    Some(subject.engine)
}

/// Tells the engine to end; returns a finding on whether it does.
pub(crate) fn farewell(child: Child, words: &str, step: &str) -> Finding {
    let (grade, note) = match child.shut_down(words, STOP_TIMEOUT) {
        Some(_) => pass(),
        None => warned("it had to be killed"),
    };
    Finding::new(step, grade, note)
}

/// Checks that the defaults of options are values that the options accept.
pub(crate) fn defaults_are_sound(declared: &[OptionDeclaration]) -> Outcome {
    let unsound = declared.iter().filter_map(|option| {
        let default = default_of(option)?;
        option.check(&default).err().map(|error| error.to_string())
    });
    let unsound: Vec<String> = unsound.collect();
    if unsound.is_empty() { pass() } else { warned(unsound.join("; ")) }
}

/// The default of an option as a value to set; `None` if it has none.
pub(crate) fn default_of(option: &OptionDeclaration) -> Option<String> {
    match &option.kind {
        OptionKind::Check { default } => default.map(|on| on.to_string()),
        OptionKind::Spin { default, .. } => default.map(|number| number.to_string()),
        OptionKind::Combo { default, .. } | OptionKind::Text { default } => default.clone(),
        OptionKind::Button => None,
    }
}

/// Positions with castling, a pawn about to promote, an en passant capture and a single legal move, each with a move to
/// play first, if any.
pub(crate) const POSITIONS: [(&str, &str); 5] = [
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ""),
    ("8/P6k/8/8/8/8/8/K7 w - - 0 1", ""),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "e5f6"),
    ("7k/8/8/8/8/8/r7/1r5K w - - 0 1", ""),
    ("4k3/8/8/8/8/8/8/4K2R b K - 10 60", ""),
];

/// A mate and a stalemate.
pub(crate) const ENDS: [&str; 2] = ["7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"];

pub(crate) fn is_plain_chess(check: &Check<'_>) -> bool {
    matches!(check.game.rules(), Rules::Chess(chess) if chess.uci_options().is_empty())
}

/// Whether the last line of a search from the start begins with another move than `mv`, the search's result.
pub(crate) fn begins_otherwise(check: &Check<'_>, line: &str, mv: &str) -> bool {
    fn at_start<G: Game>(game: &G, line: &str, mv: &str) -> bool {
        let start = game.start();
        G::read_move(&start, mv).is_some_and(|mv| other_move::<G>(&start, line, mv))
    }
    match check.game.rules() {
        Rules::Chess(game) => at_start(&game, line, mv),
        Rules::ZeroPointOne(game) => at_start(&game, line, mv),
        Rules::Custom => false,
    }
}

/// The outcome of a step whose positions are not of the game.
pub(crate) fn left_out() -> Outcome {
    (Grade::Pass, "left out: the positions are of chess".to_owned())
}

/// Whether the moves of a step are legal, and the game continues after them.
pub(crate) fn goes_on(check: &Check<'_>, fen: &str, moves: &str) -> bool {
    match check.game.rules() {
        Rules::Chess(chess) => {
            played::<Chess>(&chess, Start::Fen(fen), moves).is_ok_and(|p| Chess::ending(&p).is_none())
        }
        Rules::ZeroPointOne(_) | Rules::Custom => false,
    }
}

/// Checks that an engine's answer is a legal move in UCI's notation.
pub(crate) fn legality(check: &Check<'_>, start: Start<'_>, moves: &str, answer: &str) -> Result<(), String> {
    let uci = read(check, start, moves, answer)?;
    let is_uci = match check.game.rules() {
        Rules::Chess(game) => Chess::parse_move(&played(&game, start, moves)?, answer).is_some(),
        Rules::ZeroPointOne(_) | Rules::Custom => true,
    };
    if is_uci { Ok(()) } else { Err(format!("it writes `{answer}` for the move `{uci}`")) }
}

/// Reads an engine's answer in any spelling; returns the legal move in UCI's notation.
pub(crate) fn read(check: &Check<'_>, start: Start<'_>, moves: &str, answer: &str) -> Result<String, String> {
    match check.game.rules() {
        Rules::Chess(game) => read_after(&game, start, moves, answer),
        Rules::ZeroPointOne(game) => read_after(&game, start, moves, answer),
        Rules::Custom => Err(format!("the rules of {} are not known here", check.game)),
    }
}

fn read_after<G: Game>(game: &G, start: Start<'_>, moves: &str, answer: &str) -> Result<String, String> {
    let position = played(game, start, moves)?;
    let illegal = || format!("`{answer}` is not a legal move in {position}");
    G::read_move(&position, answer).map(|mv| G::format_move(&position, mv)).ok_or_else(illegal)
}

pub(crate) fn played<G: Game>(game: &G, start: Start<'_>, moves: &str) -> Result<G::Position, String> {
    let mut position = match start {
        Start::Initial => game.start(),
        Start::Fen(fen) => game.setup(fen)?,
    };
    for text in moves.split_whitespace() {
        let mv = G::parse_move(&position, text).ok_or_else(|| format!("`{text}` is not a move"))?;
        G::play(&mut position, mv);
    }
    Ok(position)
}

/// The first move of a variation from the start that is not legal.
pub(crate) fn illegal_in_line(check: &Check<'_>, pv: &str) -> Option<String> {
    fn first<G: Game>(game: &G, pv: &str) -> Option<String> {
        let mut position = game.start();
        pv.split_whitespace().find_map(|text| match G::parse_move(&position, text) {
            Some(mv) if G::is_legal(&position, mv) => {
                G::play(&mut position, mv);
                None
            }
            _ => Some(text.to_owned()),
        })
    }
    match check.game.rules() {
        Rules::Chess(game) => first(&game, pv),
        Rules::ZeroPointOne(game) => first(&game, pv),
        Rules::Custom => None,
    }
}
