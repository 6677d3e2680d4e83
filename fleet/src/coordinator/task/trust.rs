//! Decides whether to trust the results of workers: has pairs played again, finds out which result is right if they
//! differ, and excludes workers.

use super::{SEND, Task};
use crate::coordinator::arbiter::Arbiter;
use crate::coordinator::checks::{Check, Finding};
use crate::coordinator::roster::Job;
use crate::message::{Request, mark};
use crate::names::WorkerName;
use crate::orders::{Arrived, StandingOrder, WorkerOrder};
use crate::tidy::{SENTENCE, tidy};
use arena::run::{Event, PairIndex, PairResult, PairSpec, pair_number, wire};
use async_nats::Message;
use play::child::Spawner;
use play::players::process::{StandbyPlayers, Starter};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl Task {
    /// Publishes how many pairs are being checked.
    pub(super) fn count_checks(&self) {
        self.shared.checking.store(self.checks.open(), Ordering::SeqCst);
    }

    /// Plays, on this machine, the checks that have no second worker.
    pub(super) fn check_alone(&mut self, now: Instant) {
        let Self { checks, roster, .. } = self;
        for (pair, spec) in checks.alone(now, |worker| roster.has_others(worker)) {
            self.roster.drop_check(pair);
            self.play_here(pair, spec, 1);
        }
    }

    /// Plays, on this machine, a check whose second worker is gone.
    pub(super) fn check_here(&mut self, pair: PairIndex) {
        if let Some(spec) = self.checks.take(pair) {
            self.play_here(pair, spec, 1);
        }
    }

    /// Has a pair of the journal played again, unless a check of it is in progress.
    pub(super) fn check_again(&mut self, spec: &PairSpec, result: Box<PairResult>, by: &str) {
        let (Ok(by), Ok(bytes)) = (by.parse::<WorkerName>(), wire::to_bytes(spec)) else { return };
        if self.checks.may_check(&result) && self.roster.believes(&by) {
            let (asked, bytes): (_, Arc<[u8]>) = (mark(&bytes), bytes.into());
            self.roster.submit(Job::check(spec.pair, Arc::clone(&bytes), by.clone()));
            self.checks.begin(spec.pair, Check::new(by, asked, bytes, result, Instant::now()));
            self.count_checks();
        }
    }

    /// Cancels plays on this machine that are no longer needed.
    pub(super) fn forget_cases(&mut self) {
        let Self { checks, arbiter, .. } = self;
        if let Some(arbiter) = arbiter {
            arbiter.retain(|pair| checks.has(pair));
        }
    }

    /// Acts on the finding of a check. `by` played the pair the second time.
    pub(super) fn find(&mut self, pair: PairIndex, by: &Arc<str>, finding: Finding) {
        match finding {
            Finding::Same => self.tell_session(Event::Checked { pair, by: Arc::clone(by) }),
            Finding::PlayHere { spec, times } => self.play_here(pair, spec, times),
            Finding::Liars(liars) => {
                let number = pair_number(pair);
                for liar in liars {
                    let why = format!("what it says of pair {number} is not what comes out elsewhere");
                    self.disbelieve(&liar, &why);
                }
            }
            Finding::ThreeWays(by) => {
                let by = by.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and by ");
                let number = pair_number(pair);
                let text = format!(
                    "pair {number} comes out in three ways, by {by} and here: it is unknown which result is right"
                );
                self.notice(true, text);
            }
            Finding::Unsteady => self.notice(
                true,
                format!(
                    "pair {} comes out otherwise each time it is played: an engine is not deterministic, and what \
                        workers say \
                     cannot be checked",
                    pair_number(pair)
                ),
            ),
        }
        self.roster.drop_check(pair);
        self.count_checks();
    }

    /// Has this process play a pair.
    fn play_here(&mut self, pair: PairIndex, spec: Arc<[u8]>, times: usize) {
        if self.arbiter.is_none() {
            let started = Spawner::start(self.launcher.clone()).and_then(|spawner| {
                let starter = || Starter {
                    spawner: spawner.clone(),
                    cpus: Vec::new(),
                    trace: None,
                    programs: Arc::clone(&self.programs) as _,
                    standby: StandbyPlayers::default(),
                    pause: Duration::ZERO,
                };
                Arbiter::start(starter, &self.verdicts.0)
            });
            match started {
                Ok(arbiter) => self.arbiter = Some(arbiter),
                Err(error) => return self.judge(pair, mark(&spec), Err(error.to_string())),
            }
        }
        if let Some(arbiter) = &mut self.arbiter {
            arbiter.play(pair, spec, times);
        }
    }

    /// Handles this process's plays of a pair, or its failure to play it.
    pub(super) fn judge(&mut self, pair: PairIndex, mark: u64, plays: Result<Vec<PairResult>, String>) {
        if let Some(arbiter) = &mut self.arbiter {
            arbiter.go_on();
        }
        match plays {
            Ok(plays) => {
                if let Some(finding) = self.checks.here(pair, mark, &plays) {
                    self.find(pair, &Arc::from("coordinator"), finding);
                }
                self.count_checks();
            }
            Err(why) => {
                self.checks.give_up(pair);
                self.count_checks();
                self.notice(true, format!("pair {} cannot be checked here: {why}", pair_number(pair)));
            }
        }
    }

    /// Stops trusting a worker: its results do not count, and it plays no more.
    pub(super) fn disbelieve(&mut self, worker: &WorkerName, why: &str) {
        if self.roster.set_aside(worker, why, true, Instant::now()).is_none() {
            return;
        }
        self.notice(true, format!("worker {worker} is set aside: {why}"));
        for pair in self.checks.forget(worker) {
            self.roster.drop_check(pair);
        }
        self.watch.forget(worker);
        // Readers must not see that all pairs are checked before they have seen this event.
        self.tell_session(Event::Withdraw { worker: Arc::clone(worker.shared()), why: why.to_owned() });
        self.count_checks();
    }

    fn set_aside_on_request(&mut self, worker: &str, why: &str) -> Result<(), String> {
        let worker = worker.parse::<WorkerName>()?;
        if self.is_over {
            return Err("the run is over".to_owned());
        }
        // The journal may have pairs of a worker that has not been here since the run was resumed.
        if !self.roster.knows(&worker) && !self.watch.knows(&worker) {
            return Err(format!("it knows no worker {worker}"));
        }
        if !self.roster.believes(&worker) {
            return Err(format!("worker {worker} is set aside already"));
        }
        self.disbelieve(&worker, &tidy(why, SENTENCE));
        Ok(())
    }

    /// Trusts a worker again and gives it pairs.
    fn take_back(&mut self, worker: &WorkerName, by: &str) {
        if !self.roster.take_back(worker) {
            return;
        }
        self.notice(false, format!("worker {worker} is taken back by {by}: it is given pairs again"));
        self.tell_session(Event::TakeBack { worker: Arc::clone(worker.shared()) });
    }

    /// Acts on a person's order about a worker, which may be older than this run.
    pub(super) fn steer(&mut self, Arrived { worker, order, is_new }: Arrived) {
        let StandingOrder { order, by, .. } = order;
        let is_paused = order == WorkerOrder::Pause;
        if self.is_over {
            return;
        }
        if self.roster.pause(&worker, is_paused) {
            let text =
                if is_paused { "finishes its pairs and is given no further ones" } else { "is given pairs again" };
            self.notice(false, format!("worker {worker} {text}: asked for by {by}"));
        }
        match order {
            WorkerOrder::SetAside { why } => self.disbelieve(&worker, &format!("{why} (asked for by {by})")),
            // An old order does not undo what a run has found out since then.
            WorkerOrder::TakeBack if is_new => self.take_back(&worker, &by),
            WorkerOrder::TakeBack | WorkerOrder::Pause | WorkerOrder::Continue => {}
        }
    }

    /// Executes a request of a member with permission.
    pub(super) async fn grant(&mut self, message: &Message) {
        let answer = match serde_json::from_slice::<Request>(&message.payload) {
            Ok(Request::SetAside { worker, why }) => self.set_aside_on_request(&worker, &why),
            Err(error) => Err(format!("it is not a request: {error}")),
        };
        if let Some(reply) = message.reply.clone() {
            let text = serde_json::to_vec(&answer).unwrap_or_default();
            let sent = self.link.client.publish(reply, text.into());
            let _lost = tokio::time::timeout(SEND, sent).await;
        }
    }
}
