//! The threads of a search (lazy SMP): each searches the same root independently, and they help each other only through
//! the transposition table.
//!
//! Owns the data of each thread, and the start and end of helpers. The main thread has all limits and the answer.
//! `root` searches a root; `iterative_deepening` decides the depth at which a helper begins.

use super::super::budget::{NoClock, Stop, Timer};
use super::super::control::Control;
use super::super::limits::Limits;
use super::super::result::{Progress, SearchResult};
use super::super::setups::Setups;
use super::node::Searcher;
use super::settings::Settings;
use super::state::{SearchState, PLIES};
use super::tt::TranspositionTable;
use crate::eval::{Evaluation, EvaluationVisitor, Evaluator};
use crate::Position;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;

/// The data that all threads of a search share.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) position: &'a Position,
    /// The keys of the game's earlier positions, oldest first.
    pub(super) history: &'a [u64],
    pub(super) settings: &'a Settings,
    pub(super) setups: Setups<'a>,
    pub(super) tt: &'a TranspositionTable,
    /// The nodes of all threads, if there are several.
    pub(super) all_nodes: Option<&'a AtomicU64>,
}

/// The task of one thread of a search.
pub(super) struct Part<'a> {
    /// 0 for the main thread, 1 and up for helpers.
    pub(super) thread: usize,
    pub(super) limits: Limits,
    pub(super) stop: &'a dyn Stop,
    pub(super) timer: &'a dyn Timer,
    pub(super) on_progress: &'a mut dyn FnMut(&Progress<'_>),
}

/// Any evaluation with its line.
trait Seated: fmt::Debug + Send {
    fn search(&mut self, state: &mut SearchState, job: Job<'_>, part: Part<'_>) -> Option<SearchResult>;
}

#[derive(Debug)]
struct WithLine<E: Evaluation> {
    evaluation: Arc<E>,
    line: E::Line,
}

impl<E: Evaluation> Seated for WithLine<E> {
    fn search(&mut self, state: &mut SearchState, job: Job<'_>, part: Part<'_>) -> Option<SearchResult> {
        search_with(&*self.evaluation, &mut self.line, state, job, part)
    }
}

/// Adds a line to an evaluation.
struct Seat;

impl EvaluationVisitor for Seat {
    type Output = Box<dyn Seated>;

    fn visit<E: Evaluation>(self, evaluation: &Arc<E>) -> Box<dyn Seated> {
        Box::new(WithLine { evaluation: Arc::clone(evaluation), line: evaluation.new_line(PLIES) })
    }
}

/// The data of a thread.
#[derive(Debug)]
pub(super) struct Worker {
    seated: Box<dyn Seated>,
    state: SearchState,
}

impl Worker {
    pub(super) fn new(evaluator: &Evaluator) -> Self {
        Self { seated: evaluator.visit(Seat), state: SearchState::new() }
    }

    /// Changes the evaluation and starts a new game.
    pub(super) fn configure(&mut self, evaluator: &Evaluator) {
        self.seated = evaluator.visit(Seat);
        self.state.new_game();
    }

    /// Forgets what was learned in earlier games.
    pub(super) fn new_game(&mut self) {
        self.state.new_game();
    }

    /// Searches in this thread only.
    pub(super) fn search(&mut self, job: Job<'_>, part: Part<'_>) -> Option<SearchResult> {
        self.seated.search(&mut self.state, job, part)
    }

    /// Searches as a helper, limited only by the nodes of all threads.
    fn help(&mut self, job: Job<'_>, thread: usize, nodes: u64, stop: &AtomicBool) {
        let limits = Limits { nodes, depth: u8::MAX, time: None };
        let part = Part { thread, limits, stop, timer: &NoClock, on_progress: &mut |_| () };
        // Its results reach the other threads through the table.
        let _found = self.search(job, part);
    }
}

fn search_with<E: Evaluation>(
    evaluation: &E,
    line: &mut E::Line,
    state: &mut SearchState,
    job: Job<'_>,
    part: Part<'_>,
) -> Option<SearchResult> {
    let Part { thread, limits, stop, timer, on_progress } = part;
    let deadline = limits.time.map(|time| time.hard_limit());
    state.new_search(&job.settings.params, job.history, job.position.key());
    let searcher = Searcher {
        evaluation,
        line,
        settings: job.settings,
        setups: job.setups,
        state,
        tt: job.tt,
        thread,
        control: Control::new(limits.nodes, deadline, stop, timer, job.all_nodes),
        root_side: job.position.side_to_move(),
        on_progress,
    };
    searcher.run(job.position, limits)
}

/// Searches in this thread with helpers beside it, fewer if the system cannot start more threads. All helpers have
/// ended when it returns.
pub(super) fn search_together(
    main: &mut Worker,
    helpers: &mut [Worker],
    job: Job<'_>,
    part: Part<'_>,
) -> Option<SearchResult> {
    let (stop, all_nodes) = (AtomicBool::new(false), AtomicU64::new(0));
    let job = Job { all_nodes: Some(&all_nodes), ..job };
    let nodes = part.limits.nodes;
    let found = thread::scope(|scope| {
        let stop = &stop;
        let _ends = StopOnDrop(stop);
        for (helper, number) in helpers.iter_mut().zip(1..) {
            let help = move || helper.help(job, number, nodes, stop);
            if thread::Builder::new().spawn_scoped(scope, help).is_err() {
                break;
            }
        }
        main.search(job, part)
    });
    found.map(|result| SearchResult { nodes: all_nodes.load(Ordering::Relaxed), ..result })
}

/// Stops the helpers when the main thread ends, even by a panic.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
