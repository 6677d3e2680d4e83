//! Processes the answers of workers: results, which are checked before they count, and pairs that were not played.

use super::Task;
use crate::coordinator::results::{Incoming, acknowledge};
use crate::coordinator::roster::{AfterLoss, Loss};
use crate::message::{Answer, EngineNotice, Report, unpack};
use crate::names::{self, WorkerName};
use crate::tidy::{SENTENCE, tidy, tidy_texts};
use arena::run::{Event, PairIndex, PairResult, PairSpec, impossible, pair_number, wire};
use async_nats::Message;
use play::entrant::ProcessSpec;
use play::players::process::Programs;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A worker that loses this many pairs in a row gets no more.
const MOST_LOSSES: u32 = 5;

/// The maximum number of engines' messages that are accepted from each worker.
const MOST_NOTICES: usize = 200;

fn cannot_be(pair: PairIndex, why: &str) -> String {
    format!("what it says of pair {} cannot be: {why}", pair_number(pair))
}

impl Task {
    pub(super) async fn take(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Waiting(messages) => {
                if let Some((left, since)) = &mut self.waiting {
                    (*left, *since) = (messages, Instant::now());
                }
            }
            Incoming::Trouble(why) if self.is_connected => {
                self.notice(true, format!("results cannot be taken from the server: {why}"));
            }
            Incoming::Trouble(_) => {}
            Incoming::Message(message) => {
                let (message, acker) = *message;
                if let Some((left, since)) = &mut self.waiting {
                    (*left, *since) = (left.saturating_sub(1), Instant::now());
                }
                let acker = Arc::new(acker);
                let pairs = self.read(&message);
                self.in_hand.take(&pairs, &acker);
                // A message without results is done once it has been read.
                acknowledge(Arc::into_inner(acker).into_iter().collect()).await;
            }
        }
    }

    /// Processes the answers for pairs; returns the numbers of the pairs that were played.
    fn read(&mut self, message: &Message) -> Vec<PairIndex> {
        let Some(worker) = names::worker_of(&message.subject) else { return Vec::new() };
        // A wrong answer of the server on this subject is no worker's fault.
        let Ok(report) = unpack::<Report>(&message.payload) else { return Vec::new() };
        if !self.roster.believes(&worker) {
            return Vec::new();
        }
        for notice in &report.notices {
            self.note(&worker, notice);
        }
        let answers = report.answers.into_iter();
        answers.filter_map(|answer| self.answered(&worker, answer)).collect()
    }

    fn answered(&mut self, worker: &WorkerName, answer: Answer) -> Option<PairIndex> {
        if !self.roster.believes(worker) {
            return None;
        }
        match answer {
            Answer::Played { mark, result, .. } => match wire::from_bytes::<PairResult>(&result) {
                Ok(played) => return self.played(worker, mark, played, result.len()),
                Err(error) => self.set_aside(worker, &error.to_string()),
            },
            Answer::Lost { pair, why } => self.lost(worker, pair, &tidy(&why, SENTENCE)),
            Answer::TooLarge { pair, bytes: [bytes, most] } => {
                let why = format!(
                    "its result has {bytes} bytes, and the server takes {most}: keep less of each move, or raise \
                        `max_payload`"
                );
                self.lost(worker, pair, &why);
            }
            Answer::Unable { pair, why } => {
                let why = tidy(&why, SENTENCE);
                self.set_aside(worker, &format!("it cannot play pair {}: {why}", pair_number(pair)));
            }
        }
        None
    }

    /// Handles a pair that a worker has lost. Others play it; if none can, the run cannot continue.
    fn lost(&mut self, worker: &WorkerName, pair: PairIndex, why: &str) {
        let Some(Loss { on_end, then }) = self.roster.not_played(worker, pair) else { return };
        if on_end >= MOST_LOSSES {
            self.set_aside(worker, &format!("it has lost {on_end} pairs in a row; the last one: {why}"));
        }
        match then {
            AfterLoss::Others => {
                let text = format!(" has lost pair {}, which others play: {why}", pair_number(pair));
                self.tell_of(worker, false, &text);
            }
            AfterLoss::WasCheck => self.check_here(pair),
            AfterLoss::Hopeless(losers) => {
                let names: BTreeSet<String> = losers.iter().map(ToString::to_string).collect();
                let names = names.into_iter().collect::<Vec<_>>().join(", ");
                let times = losers.len();
                let why = format!("{times} times it was lost, by {names}; the last time: {why}");
                self.tell_session(Event::Failed { pair, why });
            }
        }
    }

    /// Accepts a result if it is for a pair as requested, or for one that may still be requested; returns the pair's
    /// number if it was accepted.
    fn played(&mut self, worker: &WorkerName, mark: u64, result: PairResult, bytes: usize) -> Option<PairIndex> {
        let (pair, result) = (result.pair, Box::new(result));
        match self.asked.get(&pair) {
            Some(asked) if asked.mark == mark && !asked.is_answered => {
                let is_taken = self.accept(worker, result);
                if is_taken {
                    self.roster.played(worker, pair);
                }
                is_taken.then_some(pair)
            }
            None if self.waiting.is_some() && !self.checks.has(pair) => {
                self.early.keep(worker, mark, result, bytes).then_some(pair)
            }
            // The pair is in the journal, or on its way there, or was requested by a session that took another course.
            Some(_) | None => {
                // Only the answer of the worker that was given the pair counts: others could copy it.
                if self.roster.played_too(worker, pair, mark) {
                    self.played_too(worker, mark, result);
                }
                None
            }
        }
    }

    /// Compares a result with the earlier one of the pair, if the pair is being checked.
    fn played_too(&mut self, worker: &WorkerName, mark: u64, result: Box<PairResult>) {
        let pair = result.pair;
        let asked = self.checks.asked(pair, mark).and_then(|spec| wire::from_bytes::<PairSpec>(spec).ok());
        if let Some(why) = asked.and_then(|spec| impossible(&spec, &result)) {
            self.disbelieve(worker, &cannot_be(pair, why));
            return self.check_here(pair);
        }
        if let Some(finding) = self.checks.second(pair, mark, worker, result, Instant::now()) {
            self.find(pair, worker.shared(), finding);
        }
    }

    /// Gives the session the result of a pair that it has requested, if the result is possible; otherwise stops
    /// trusting the worker.
    pub(super) fn accept(&mut self, by: &WorkerName, result: Box<PairResult>) -> bool {
        let pair = result.pair;
        let Some(asked) = self.asked.get(&pair) else { return false };
        if let Some(why) = impossible(&asked.pair, &result) {
            self.disbelieve(by, &cannot_be(pair, why));
            return false;
        }
        self.pass_on(by, result);
        true
    }

    pub(super) fn set_aside(&mut self, worker: &WorkerName, why: &str) {
        let Some((wait, times)) = self.roster.set_aside(worker, why, false, Instant::now()) else { return };
        let minutes = wait.as_secs() / 60;
        let again = if wait > Duration::ZERO {
            format!(" (for the {times}th time: a worker that reconnects under this name gets none for {minutes} min)")
        } else {
            String::new()
        };
        self.notice(true, format!("worker {worker} is given no pairs: {why}{again}"));
    }

    fn note(&mut self, worker: &WorkerName, notice: &EngineNotice) {
        let count = self.notices.entry(worker.clone()).or_default();
        *count += 1;
        if *count > MOST_NOTICES {
            return;
        }
        match notice {
            EngineNotice::Introduced(process, introduction) => {
                if let (Ok(process), Some(introduction)) =
                    (serde_json::from_str::<ProcessSpec>(process), tidy_texts(introduction))
                {
                    self.programs.introduced(&process, &introduction);
                }
            }
            EngineNotice::UnsetOption(process, why) => {
                if let (Ok(process), Some(why)) = (serde_json::from_str::<ProcessSpec>(process), tidy_texts(why)) {
                    self.programs.passed_over(&process, &why);
                }
            }
        }
    }
}
