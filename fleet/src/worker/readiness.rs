//! A worker's preparation for runs, and its progress. Meanwhile the worker holds no pairs of the run, so that others
//! can play them.

use super::cache::Cache;
use super::pool::{Holder, Key};
use crate::content::FetchError;
use crate::message::GETTING_READY;
use crate::worker_setup::{Named, ToMeasure, WorkerSetup};
use arena::config::HostScale;
use arena::run::{PairIndex, PairSpec};
use async_nats::connection::State;
use async_nats::jetstream::Context;
use play::entrant::{Entrant, PlayerSpec};
use session::speed;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// How long to ask a reachable server for a file before giving up.
const FILES_WITHIN: Duration = Duration::from_secs(30);

/// The delay between two requests.
const AGAIN: Duration = Duration::from_millis(500);

/// The time after which a failed preparation is tried again, if pairs need it.
const FAILED_FOR: Duration = Duration::from_mins(1);

/// How to play the pairs of a run on this machine.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// Local builds, by the programs that entrants name.
    builds: BTreeMap<Named, Named>,
    /// The factor for time controls, if they are scaled.
    scale: Option<HostScale>,
}

impl Ready {
    /// Turns a pair into its local form.
    pub(super) fn adapt(&self, spec: &mut PairSpec) {
        for seat in &mut spec.seats {
            let seat = Arc::make_mut(seat);
            self.rename(seat);
            if let Some(scale) = self.scale {
                seat.player.scale_time(scale.factor);
            }
        }
    }

    /// Turns an entrant into its local form.
    fn rename(&self, entrant: &mut Entrant) {
        if let PlayerSpec::Process(process) = &mut entrant.player {
            let named = (std::mem::take(&mut process.command), process.directory.take());
            (process.command, process.directory) = self.builds.get(&named).cloned().unwrap_or(named);
        }
    }
}

/// The progress with the preparation of a run.
enum Stage {
    Preparing { what: String },
    Ready(Arc<Ready>),
    Failed { why: String, at: Instant },
}

/// The preparation of a run, identified by the content of its setup.
struct Preparation {
    worker_setup: String,
    stage: Stage,
    stop: Arc<AtomicBool>,
}

impl Drop for Preparation {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

/// News of a preparation.
pub(super) struct Step {
    key: Key,
    worker_setup: String,
    news: Progress,
}

enum Progress {
    /// A step in progress, in words.
    InProgress(String),
    /// The outcome.
    Done(Result<Ready, String>),
}

/// What to do with a pair of a run.
pub(super) enum Next {
    /// Play it in this way.
    Play(Arc<Ready>),
    /// Forget it: preparation continues.
    Wait,
    /// Prepare first, by [`prepare`], until the flag is set.
    Prepare(Arc<AtomicBool>),
    /// It cannot be played here.
    Refuse(String),
}

/// What to report about a preparation.
pub(super) enum PreparationReport {
    /// A step in progress.
    InProgress(String),
    /// The worker can play; with a message about that, if any.
    Ready(Option<String>),
    /// The worker cannot play.
    Failed(Key, String),
}

/// The worker's progress with each run that needs preparation.
#[derive(Default)]
pub(super) struct Readiness {
    runs: BTreeMap<Arc<str>, Preparation>,
}

impl Readiness {
    /// Returns what to do with a pair of a run with this setup.
    pub(super) fn next(&mut self, run: &Arc<str>, worker_setup: &str) -> Next {
        let known = self.runs.get(run).filter(|known| known.worker_setup == worker_setup);
        match known.map(|known| &known.stage) {
            Some(Stage::Ready(ready)) => return Next::Play(Arc::clone(ready)),
            Some(Stage::Preparing { .. }) => return Next::Wait,
            Some(Stage::Failed { why, at }) if at.elapsed() < FAILED_FOR => return Next::Refuse(why.clone()),
            Some(Stage::Failed { .. }) | None => {}
        }
        let stop = Arc::new(AtomicBool::new(false));
        let stage = Stage::Preparing { what: GETTING_READY.to_owned() };
        self.runs.insert(
            Arc::clone(run),
            Preparation { worker_setup: worker_setup.to_owned(), stage, stop: Arc::clone(&stop) },
        );
        Next::Prepare(stop)
    }

    /// Processes a step, unless it is no longer needed.
    pub(super) fn advance(&mut self, Step { key, worker_setup, news }: Step) -> Option<PreparationReport> {
        let known = self.runs.get_mut(&key.0).filter(|known| known.worker_setup == worker_setup)?;
        match news {
            Progress::InProgress(text) => {
                known.stage = Stage::Preparing { what: text.clone() };
                Some(PreparationReport::InProgress(text))
            }
            Progress::Done(Ok(ready)) => {
                let messages = ready
                    .scale
                    .map(|scale| format!("Time controls are multiplied by {:.3} on this host.", scale.factor));
                known.stage = Stage::Ready(Arc::new(ready));
                Some(PreparationReport::Ready(messages))
            }
            Progress::Done(Err(why)) => {
                known.stage = Stage::Failed { why: why.clone(), at: Instant::now() };
                Some(PreparationReport::Failed(key, why))
            }
        }
    }

    /// Returns the preparation in progress, by run.
    pub(super) fn preparing(&self) -> BTreeMap<String, String> {
        let preparing = self.runs.iter().filter_map(|(run, known)| match &known.stage {
            Stage::Preparing { what } => Some((run.to_string(), what.clone())),
            Stage::Ready(_) | Stage::Failed { .. } => None,
        });
        preparing.collect()
    }

    /// Returns the factors for time controls, by run.
    pub(super) fn scales(&self) -> BTreeMap<String, HostScale> {
        let scales = self.runs.iter().filter_map(|(run, known)| match &known.stage {
            Stage::Ready(ready) => Some((run.to_string(), ready.scale?)),
            Stage::Preparing { .. } | Stage::Failed { .. } => None,
        });
        scales.collect()
    }

    /// Cancels the preparation of a run that is over. It starts over if the run continues.
    pub(super) fn give_up(&mut self, run: &str) {
        self.runs.remove(run);
    }

    /// Cancels all preparation.
    pub(super) fn give_up_all(&mut self) {
        self.runs.clear();
    }
}

/// The resources for a preparation.
pub(super) struct Site {
    pub(super) cache: Arc<Cache>,
    pub(super) jetstream: Context,
    /// The number of cores for games.
    pub(super) cores: NonZeroUsize,
    /// Keeps the cores free while the speed is measured.
    pub(super) holder: Holder,
    /// Set to interrupt.
    pub(super) stop: Arc<AtomicBool>,
}

/// Does what the setup of a run asks for, and reports each step to `steps`.
pub(super) async fn prepare(
    (run, pair): (Arc<str>, PairIndex),
    worker_setup: String,
    site: Site,
    steps: UnboundedSender<Step>,
) {
    let tell = {
        let (run, worker_setup) = (Arc::clone(&run), worker_setup.clone());
        move |news| {
            // If the worker exits, no receiver is left.
            let _gone = steps.send(Step { key: (Arc::clone(&run), pair), worker_setup: worker_setup.clone(), news });
        }
    };
    let on_step = {
        let tell = tell.clone();
        move |text: String| tell(Progress::InProgress(text))
    };
    let done = site.carry_out(&worker_setup, on_step).await;
    // An interruption is not a failure.
    if !site.stop.load(Ordering::SeqCst) {
        tell(Progress::Done(done));
    }
}

impl Site {
    async fn carry_out(
        &self,
        worker_setup: &str,
        on_step: impl Fn(String) + Clone + Send + 'static,
    ) -> Result<Ready, String> {
        let path = self.fetch(worker_setup, "worker_setup.json").await?;
        let text = std::fs::read(path).map_err(|error| format!("what is to be done cannot be read: {error}"))?;
        let worker_setup =
            serde_json::from_slice(&text).map_err(|error| format!("what is to be done is unclear: {error}"));
        let WorkerSetup { builds, speed } = worker_setup?;
        let mut ready = Ready::default();
        for to_build in builds {
            let archive = self.fetch(to_build.build_spec.archive(), "source.tar.zst").await?;
            let built = self.cache.build(to_build, archive, on_step.clone(), &self.stop).await?;
            ready.builds.extend([built]);
        }
        if let Some(to_measure) = speed {
            ready.scale = Some(self.measure(to_measure, &ready, on_step).await?);
        }
        Ok(ready)
    }

    /// Returns the factor for time controls on this machine. Each program is measured once.
    async fn measure(
        &self,
        ToMeasure { mut entrant, reference, within, threads }: ToMeasure,
        ready: &Ready,
        on_step: impl Fn(String),
    ) -> Result<HostScale, String> {
        ready.rename(&mut entrant);
        self.insist(|| self.cache.provide_for(&entrant, &self.jetstream)).await?;
        let at_once = NonZeroUsize::new(self.cores.get() / threads).unwrap_or(NonZeroUsize::MIN);
        on_step(format!("Measuring the speed of this host by the bench of \"{}\"", entrant.name));
        let (bench, reading) = ((at_once, within), reference.clone());
        let measured = self.cache.measure(entrant, reading, bench, &self.holder, &self.stop).await?;
        speed::scale(&reference, measured).map_err(|error| error.to_string())
    }

    async fn fetch(&self, sha256: &str, name: &str) -> Result<PathBuf, String> {
        self.insist(|| self.cache.fetch(&self.jetstream, sha256, name)).await
    }

    /// Repeats a request: the server may be away for a while, or have lost its files and get them again.
    async fn insist<T, F: Future<Output = Result<T, FetchError>>>(
        &self,
        mut ask: impl FnMut() -> F,
    ) -> Result<T, String> {
        let mut until = Instant::now() + FILES_WITHIN;
        loop {
            let why = match ask().await {
                Ok(answer) => return Ok(answer),
                Err(FetchError::Here(why)) => return Err(why),
                Err(FetchError::Yet(why)) => why,
            };
            if self.jetstream.client().connection_state() != State::Connected {
                until = Instant::now() + FILES_WITHIN;
            }
            if Instant::now() >= until || self.stop.load(Ordering::SeqCst) {
                return Err(why);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}
