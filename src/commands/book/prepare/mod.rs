//! `spar book prepare`: prepares a book of setups against an opponent. Asks the opponent, searches the positions after
//! its answers and writes the book.

mod games;
mod report;

use super::engines::{process, starter};
use crate::args::books::Prepare;
use crate::commands::{print, print_json};
use crate::failure::{Exit, Failure};
use crate::host;
use crate::progress::ProgressLine;
use anyhow::{Context, anyhow};
use arena::config::read_limit;
use arena::run::replace_file;
use engine::{EvaluationKind, Evaluator, Network, Score, Setup, SetupBook, Side};
use play::Limit;
use play::book::opponent::{Opponent, OpponentError};
use play::entrant::{Options, ProcessSpec, Protocol};
use play::players::process::Starter;
use reports::text::grouped;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use trainer::setups::{
    Answered, KEPT, Preparation, Searched, SetupsError, Stage, Tried, candidates, finalists, is_same, prepared,
};

/// By how much the opponent may overrun its time unpunished: what a busy host takes.
const MARGIN: Duration = Duration::from_millis(50);
/// How often the opponent is asked for its own setup as red.
const FIRST_SETUPS: usize = 8;

/// What a preparation works with.
struct Work<'a> {
    arguments: &'a Prepare,
    book: Arc<SetupBook>,
    process: ProcessSpec,
    starter: Starter,
    limit: Limit,
    network: Arc<Network>,
    concurrency: NonZeroUsize,
    stop: &'static AtomicBool,
}

/// What a preparation found.
struct Found {
    /// The searches after the opponent's replies.
    stages: Vec<Stage>,
    /// Red's setups, the best first, with the opponent's replies and the games.
    red: Vec<Tried<Searched>>,
    /// Blue's replies to each of the opponent's setups, the best first.
    blue: Vec<Vec<Tried<Searched>>>,
    /// What ended the games early.
    error: Option<OpponentError>,
}

/// Why there is no book.
enum NoBook {
    Stopped,
    Failed(Failure),
}

impl From<OpponentError> for NoBook {
    fn from(error: OpponentError) -> Self {
        match error {
            OpponentError::Stopped => Self::Stopped,
            error => Self::Failed(Failure::Environment(anyhow!("{error}"))),
        }
    }
}

impl From<SetupsError> for NoBook {
    fn from(error: SetupsError) -> Self {
        Self::Failed(Failure::environment(error))
    }
}

pub(crate) fn prepare(arguments: &Prepare) -> Result<Exit, Failure> {
    let work = Work::new(arguments)?;
    let found = match work.find() {
        Ok(found) => found,
        Err(NoBook::Failed(failure)) => return Err(failure),
        Err(NoBook::Stopped) => {
            say!("Interrupted; nothing was written.");
            return Ok(Exit::Interrupted);
        }
    };
    let book = found.book(&work.book, arguments.depth).map_err(Failure::environment)?;
    replace_file(&arguments.out, &book.to_bytes())?;
    if arguments.json {
        print_json(&report::json(arguments, &book, &found))?;
    } else {
        print(report::text(arguments, &found))?;
    }
    match found.error {
        None => Ok(Exit::Done),
        Some(OpponentError::Stopped) => {
            say!("Interrupted; the book has the results of the finished rounds.");
            Ok(Exit::Interrupted)
        }
        Some(error) => Err(Failure::Environment(anyhow!("{error}\nThe book has the results of the finished rounds."))),
    }
}

impl<'a> Work<'a> {
    fn new(arguments: &'a Prepare) -> Result<Self, Failure> {
        let limit = read_limit(&arguments.limit).filter(|limit| Protocol::Codecup.supported_limits(*limit).is_none());
        let limit = limit.ok_or_else(|| {
            Failure::usage(format!("`--limit {}`: expected a time for the whole game, such as `30s`", arguments.limit))
        })?;
        let process = process(&arguments.against, &arguments.args, Options::default(), Protocol::Codecup, limit);
        Ok(Self {
            arguments,
            book: book(arguments)?,
            process: ProcessSpec { margin: MARGIN, ..process },
            starter: starter(&arguments.against)?,
            limit,
            network: network()?,
            concurrency: arguments.concurrency.unwrap_or_else(host::processors),
            stop: host::stop_flag()?,
        })
    }

    fn find(&self) -> Result<Found, NoBook> {
        let reds = candidates(&self.book, self.arguments.setups.get());
        let replies = self.ask(&reds.iter().copied().map(Some).collect::<Vec<_>>(), "replies")?;
        // Before the searches, which take longer than a failure should.
        let first_setups = if self.arguments.games.is_some() { self.first_setups()? } else { Vec::new() };
        let answered: Vec<Answered> =
            reds.into_iter().zip(replies).map(|(red, reply)| Answered { red, reply }).collect();
        let stages = self.search(&answered, Side::Red)?;
        let Some(games) = self.arguments.games else {
            let untried = |choice| Tried { choice, games: 0, points: 0.0 };
            let red = stages.last().map(Stage::best_first).unwrap_or_default().into_iter().map(untried).collect();
            return Ok(Found { stages, red, blue: Vec::new(), error: None });
        };
        let mut blue = Vec::new();
        for red in first_setups {
            let replies = with_line(|show| {
                let watch = |_, done| show(format!("{} of blue's replies", grouped(done as u64)));
                self.preparation().replies(&self.book, red, &watch)
            });
            blue.push(self.search(&replies?.ok_or(NoBook::Stopped)?, Side::Blue)?);
        }
        Ok(self.play(stages, &blue, games.get()))
    }

    /// The opponent's own setups as red, reflections apart.
    fn first_setups(&self) -> Result<Vec<Setup>, NoBook> {
        let mut setups: Vec<Setup> = Vec::new();
        for setup in self.ask(&[None; FIRST_SETUPS], "first setups")? {
            if !setups.iter().any(|known| is_same(known, &setup)) {
                setups.push(setup);
            }
        }
        Ok(setups)
    }

    /// Asks the opponent for setups.
    fn ask(&self, reds: &[Option<Setup>], what: &str) -> Result<Vec<Setup>, OpponentError> {
        with_line(|show| {
            let of = grouped(reds.len() as u64);
            self.opponent(&|done| show(format!("{} of {of} {what}", grouped(done as u64)))).setups(reds)
        })
    }

    fn search(&self, answered: &[Answered], side: Side) -> Result<Vec<Stage>, NoBook> {
        let stages = with_line(|show| {
            let watch = |depth, setups| show(format!("depth {depth}, {} setups", grouped(setups as u64)));
            self.preparation().search(answered, side, &watch)
        });
        stages?.ok_or(NoBook::Stopped)
    }

    fn preparation(&self) -> Preparation<'_> {
        let Self { network, concurrency: threads, stop, .. } = self;
        Preparation { network, depth: self.arguments.depth, threads: *threads, stop }
    }

    fn opponent<'s>(&'s self, observe: &'s (dyn Fn(usize) + Sync)) -> Opponent<'s> {
        let Self { process, starter, concurrency, stop, .. } = self;
        Opponent { process, starter, concurrency: *concurrency, stop, observe }
    }
}

impl Found {
    /// The setups that red begins with, and their values: those that the games left, or else those of the last
    /// searches.
    fn first_choices(&self) -> Vec<(Setup, Score)> {
        let kept = &self.red[..self.red.len().min(KEPT)];
        let last = self.stages.last().map(Stage::best_first).unwrap_or_default();
        let choices: Vec<(u32, Score)> = match games::value(kept) {
            Some(value) => kept.iter().map(|tried| (tried.choice.red, value)).collect(),
            None => last.iter().map(|searched| (searched.red, Score::estimate(searched.value))).collect(),
        };
        choices.into_iter().filter_map(|(red, value)| Some((Setup::from_rank(red)?, value))).collect()
    }

    fn book(&self, book: &SetupBook, depth: u8) -> Result<SetupBook, SetupsError> {
        // Without games, the book's own reply stays.
        let played = self.blue.iter().filter_map(|tried| tried.first().filter(|one| one.games > 0));
        let replies = played.filter_map(|one| one.choice.answered());
        prepared(book, &self.first_choices(), depth, &replies.collect::<Vec<_>>())
    }
}

/// Runs something that shows its progress on one line.
fn with_line<T>(run: impl FnOnce(&(dyn Fn(String) + Sync)) -> T) -> T {
    let line = Mutex::new(ProgressLine::new());
    let result = run(&|text| {
        if let Ok(mut line) = line.lock() {
            line.show(|_| text);
        }
    });
    if let Ok(line) = line.into_inner() {
        line.finish();
    }
    result
}

/// Returns the book to prepare. Its searches must be less deep than those to come.
fn book(arguments: &Prepare) -> Result<Arc<SetupBook>, Failure> {
    let book = match &arguments.book {
        Some(path) => {
            let cannot_use = || format!("cannot use the book {}", path.display());
            let bytes = std::fs::read(path).with_context(cannot_use).map_err(Failure::Usage)?;
            Arc::new(SetupBook::from_bytes(&bytes).with_context(cannot_use).map_err(Failure::Usage)?)
        }
        None => SetupBook::shipped(),
    };
    match book.entries().iter().map(|entry| entry.depth).max() {
        None => Err(Failure::usage("the book has no setups of red: make one with `spar book setups`")),
        Some(deepest) if deepest >= arguments.depth => Err(Failure::usage(format!(
            "`--depth {}`: the book has searches of depth {deepest}: expected {} or more",
            arguments.depth,
            deepest.saturating_add(1)
        ))),
        Some(_) => Ok(book),
    }
}

/// The engine's own network.
fn network() -> Result<Arc<Network>, Failure> {
    match Evaluator::from(EvaluationKind::Network) {
        Evaluator::Network(network) => Ok(network),
        other => Err(Failure::Environment(anyhow!("{} is no network", other.kind()))),
    }
}
