//! Analysis of a position of a stored game by an engine of its run. The engine is a separate process with the run's
//! options; its search reports are forwarded as they arrive.

use crate::control::programs::{Program, programs as programs_of};
use arena::config::RunConfig;
use arena::run::{GameName, Header, JournalReader, Processes, run_header};
use play::analysis::{Listener, Question, Report, Thought, analyse, can_analyse};
use play::child::Spawner;
use play::entrant::ProcessSpec;
use reports::replay::{Branch, PositionAnalysis};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The default and the maximum thinking time of an engine.
const USUAL: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_mins(5);
/// The shortest interval between forwarded reports: some engines repeat the same report thousands of times per second.
const TELL_EVERY: Duration = Duration::from_millis(50);

/// The most characters of a remark that are forwarded.
const MOST_REMARK: usize = 400;

/// A request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// The number of plies, including those of the opening.
    ply: usize,
    /// The name of the entrant.
    pub(crate) entrant: String,
    /// The thinking time in milliseconds.
    #[serde(default)]
    time_ms: Option<u64>,
}

/// An analysis that can start.
pub(crate) struct Analysis {
    config: RunConfig,
    process: ProcessSpec,
    start: Option<String>,
    moves: Vec<u32>,
    time: Duration,
    branch: Branch,
    processes: Processes,
    /// The program that the analysis starts.
    pub(crate) started: Vec<Program>,
    /// A note about the engine.
    note: Option<String>,
}

/// Returns the names of a run's entrants that can analyse.
pub(crate) fn analysts(config: &RunConfig) -> Vec<&str> {
    config.entrants.iter().filter(|one| can_analyse(one).is_ok()).map(|one| one.name.as_str()).collect()
}

impl Analysis {
    /// Looks up the game in a journal, and the engine.
    ///
    /// # Errors
    /// A sentence: there is no such game, ply or engine, or its program is unavailable.
    pub(crate) fn of(
        (journal, header): (&JournalReader, &Header),
        game: GameName,
        asked: &Asked,
        spawner: Spawner,
    ) -> Result<Self, String> {
        let stored = journal.result(game.pair).map_err(|why| why.to_string())?;
        let stored = stored.ok_or_else(|| format!("there is no game {game}"))?;
        let played = stored.result.games.get(game.game).ok_or_else(|| format!("there is no game {game}"))?;
        let mut moves: Vec<u32> = stored.result.opening.iter().chain(&played.moves).copied().collect();
        if asked.ply > moves.len() {
            return Err(format!("game {game} has {} plies", moves.len()));
        }
        moves.truncate(asked.ply);
        let index = header.config.entrants.iter().position(|one| one.name == asked.entrant);
        let index = index.ok_or_else(|| format!("this run has no entrant \"{}\"", asked.entrant))?;
        let process = can_analyse(&header.config.entrants[index])?.clone();
        // The programs of the other entrants may no longer exist.
        let config = RunConfig { entrants: vec![header.config.entrants[index].clone()], ..header.config.clone() };
        let programs = session::executables(&config).map_err(|why| why.to_string())?;
        let started = programs_of(&config, &programs);
        let is_same = run_header(&config, &programs).builds.first() == header.builds.get(index);
        let note = (!is_same).then(|| format!("{} was rebuilt since this game", asked.entrant));
        let start = stored.result.start;
        let branch = Branch::after(config.game, start.as_deref(), &moves);
        let branch = branch.ok_or_else(|| format!("game {game} cannot be drawn"))?;
        let time = asked.time_ms.map_or(USUAL, Duration::from_millis).min(LONGEST);
        let processes = Processes::new(spawner, Arc::new(programs));
        Ok(Self { config, process, start, moves, time, branch, processes, started, note })
    }

    /// Lets the engine think, and passes its reports on as JSON. The last one has the move that the engine would play,
    /// or the reason why there is none.
    pub(crate) fn think(self, stop: &AtomicBool, found: &Arc<dyn Fn(Value) + Send + Sync>) {
        if let Some(note) = &self.note {
            found(json!({ "note": note }));
        }
        let question = Question {
            game: self.config.game,
            start: self.start.as_deref(),
            moves: &self.moves,
            time: self.time,
            process: &self.process,
            starter: &self.processes.starter(0),
            stop,
        };
        let latest: Arc<Mutex<Latest>> = Arc::default();
        let answer = analyse(&question, forwarding(self.branch.clone(), Arc::clone(found), Arc::clone(&latest)));
        let Latest { thought: Paced { held: last, .. }, remark } =
            std::mem::take(&mut *latest.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(words) = remark.held {
            found(json!({ "remark": words }));
        }
        found(match answer {
            Ok(answer) => self.concluded(&answer, last),
            Err(why) => json!({ "error": why }),
        });
    }

    /// Returns the last search report, with the move that the engine chose.
    fn concluded(&self, answer: &Thought, last: Option<Thought>) -> Value {
        let last = last.filter(|last| last.line.first() == answer.line.first());
        let shown = |thought: &Thought| self.branch.shown(thought);
        let opinion: Option<PositionAnalysis> = last.as_ref().and_then(shown).or_else(|| shown(answer));
        let mut value = json!(opinion);
        value["best"] = json!(opinion.and_then(|opinion| Some(opinion.line.first()?.text.clone())));
        value
    }
}

/// The latest report of each kind.
#[derive(Default)]
struct Latest {
    thought: Paced<Thought>,
    remark: Paced<String>,
}

/// Reports of one kind: when one was last forwarded, and the latest one.
struct Paced<T> {
    at: Option<Instant>,
    held: Option<T>,
}

impl<T> Default for Paced<T> {
    fn default() -> Self {
        Self { at: None, held: None }
    }
}

impl<T> Paced<T> {
    /// Notes a report. Returns it if it is time to forward one.
    fn note(&mut self, report: T) -> Option<&T> {
        let now = Instant::now();
        let is_due = self.at.is_none_or(|at| now.duration_since(at) >= TELL_EVERY);
        let held = &*self.held.insert(report);
        if is_due {
            self.at = Some(now);
        }
        is_due.then_some(held)
    }
}

/// Forwards an engine's reports at a bounded rate, and keeps the latest.
fn forwarding(branch: Branch, found: Arc<dyn Fn(Value) + Send + Sync>, latest: Arc<Mutex<Latest>>) -> Listener {
    Arc::new(move |report| {
        let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
        let due = match report {
            Report::Thought(thought) => {
                latest.thought.note(thought.clone()).and_then(|thought| Some(json!(branch.shown(thought)?)))
            }
            Report::Remark(words) => latest.remark.note(shortened(words)).map(|words| json!({ "remark": words })),
        };
        if let Some(due) = due {
            found(due);
        }
    })
}

/// Returns the start of a remark, as much as a page shows.
fn shortened(words: &str) -> String {
    match words.char_indices().nth(MOST_REMARK) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.to_owned(),
    }
}
