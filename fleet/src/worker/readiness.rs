//! What a worker does before it plays pairs of a run, and how far it is. Meanwhile it holds none of them: others may play.

use super::cache::Cache;
use super::pool::Key;
use crate::message::GETTING_READY;
use crate::terms::{Named, Terms};
use arena::run::{PairIndex, PairSpec};
use async_nats::connection::State;
use async_nats::jetstream::Context;
use play::entrant::PlayerSpec;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// What a reachable server does not have in this time cannot be had.
const FILES_WITHIN: Duration = Duration::from_secs(30);

/// How long is waited between two requests.
const AGAIN: Duration = Duration::from_millis(500);

/// What failed is tried again after so long, if pairs come that need it.
const FAILED_FOR: Duration = Duration::from_mins(1);

/// How the pairs of a run are played on this machine.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// What was built here, by what entrants name.
    builds: BTreeMap<Named, Named>,
}

impl Ready {
    /// Makes of a pair what is played here.
    pub(super) fn adapt(&self, spec: &mut PairSpec) {
        for seat in &mut spec.seats {
            if let PlayerSpec::Process(process) = &mut Arc::make_mut(seat).player {
                let named = (std::mem::take(&mut process.command), process.directory.take());
                (process.command, process.directory) = self.builds.get(&named).cloned().unwrap_or(named);
            }
        }
    }
}

/// How far the worker is with a run.
enum Stage {
    Preparing { what: String },
    Ready(Arc<Ready>),
    Failed { why: String, at: Instant },
}

/// A run, by the content of its terms.
struct Preparation {
    terms: String,
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
    terms: String,
    news: Progress,
}

enum Progress {
    /// This is being done, in words.
    Doing(String),
    /// It is done, or why it cannot be.
    Done(Result<Ready, String>),
}

/// What is to be done about a pair of a run.
pub(super) enum Next {
    /// Play it, in this way.
    Play(Arc<Ready>),
    /// Forget it: preparing goes on.
    Wait,
    /// Prepare first: [`prepare`] does, until the flag is raised.
    Prepare(Arc<AtomicBool>),
    /// It cannot be played here.
    Refuse(String),
}

/// What is to be said of a preparation.
pub(super) enum Told {
    /// This is being done.
    Doing(String),
    /// The worker can play.
    Ready,
    /// It cannot.
    Failed(Key, String),
}

/// How far the worker is with each run that wants something done first.
#[derive(Default)]
pub(super) struct Readiness {
    runs: BTreeMap<Arc<str>, Preparation>,
}

impl Readiness {
    /// What is to be done about a pair of a run with these terms.
    pub(super) fn next(&mut self, run: &Arc<str>, terms: &str) -> Next {
        let known = self.runs.get(run).filter(|known| known.terms == terms);
        match known.map(|known| &known.stage) {
            Some(Stage::Ready(ready)) => return Next::Play(Arc::clone(ready)),
            Some(Stage::Preparing { .. }) => return Next::Wait,
            Some(Stage::Failed { why, at }) if at.elapsed() < FAILED_FOR => return Next::Refuse(why.clone()),
            Some(Stage::Failed { .. }) | None => {}
        }
        let stop = Arc::new(AtomicBool::new(false));
        let stage = Stage::Preparing { what: GETTING_READY.to_owned() };
        self.runs.insert(Arc::clone(run), Preparation { terms: terms.to_owned(), stage, stop: Arc::clone(&stop) });
        Next::Prepare(stop)
    }

    /// Takes news in, unless nobody waits for them any more.
    pub(super) fn hear(&mut self, Step { key, terms, news }: Step) -> Option<Told> {
        let known = self.runs.get_mut(&key.0).filter(|known| known.terms == terms)?;
        match news {
            Progress::Doing(text) => {
                known.stage = Stage::Preparing { what: text.clone() };
                Some(Told::Doing(text))
            }
            Progress::Done(Ok(ready)) => {
                known.stage = Stage::Ready(Arc::new(ready));
                Some(Told::Ready)
            }
            Progress::Done(Err(why)) => {
                known.stage = Stage::Failed { why: why.clone(), at: Instant::now() };
                Some(Told::Failed(key, why))
            }
        }
    }

    /// What is being done, by run.
    pub(super) fn preparing(&self) -> BTreeMap<String, String> {
        let preparing = self.runs.iter().filter_map(|(run, known)| match &known.stage {
            Stage::Preparing { what } => Some((run.to_string(), what.clone())),
            Stage::Ready(_) | Stage::Failed { .. } => None,
        });
        preparing.collect()
    }

    /// A run is over: what is done for it need not be.
    pub(super) fn give_up(&mut self, run: &str) {
        if self.runs.get(run).is_some_and(|known| matches!(known.stage, Stage::Preparing { .. })) {
            self.runs.remove(run);
        }
    }

    /// Nothing is done for anybody from now on.
    pub(super) fn give_up_all(&mut self) {
        self.runs.clear();
    }
}

/// Does what the terms of a run want; `steps` is told.
pub(super) async fn prepare(
    (run, pair): (Arc<str>, PairIndex),
    terms: String,
    (cache, jetstream): (Arc<Cache>, Context),
    steps: UnboundedSender<Step>,
    stop: Arc<AtomicBool>,
) {
    let tell = {
        let (run, terms) = (Arc::clone(&run), terms.clone());
        move |news| {
            // The worker ends: nobody wants to know.
            let _gone = steps.send(Step { key: (Arc::clone(&run), pair), terms: terms.clone(), news });
        }
    };
    let doing = {
        let tell = tell.clone();
        move |text: String| tell(Progress::Doing(text))
    };
    let done = carry_out(&terms, &cache, &jetstream, doing, &stop).await;
    // What was interrupted is no failure.
    if !stop.load(Ordering::SeqCst) {
        tell(Progress::Done(done));
    }
}

async fn carry_out(
    terms: &str,
    cache: &Arc<Cache>,
    jetstream: &Context,
    doing: impl Fn(String) + Clone + Send + 'static,
    stop: &Arc<AtomicBool>,
) -> Result<Ready, String> {
    let path = insist(jetstream, stop, || cache.fetch(jetstream, terms, "terms.json")).await?;
    let text = std::fs::read(path).map_err(|error| format!("what is to be done cannot be read: {error}"))?;
    let terms: Terms =
        serde_json::from_slice(&text).map_err(|error| format!("what is to be done is unclear: {error}"))?;
    let mut ready = Ready::default();
    for to_build in terms.builds {
        let archive = to_build.blueprint.archive();
        let archive = insist(jetstream, stop, || cache.fetch(jetstream, archive, "source.tar.zst")).await?;
        let built = cache.build(to_build, archive, doing.clone(), stop).await?;
        ready.builds.extend([built]);
    }
    Ok(ready)
}

/// Asks again and again: the server may be away for a while, or have lost its files and get them again.
async fn insist<T, F: Future<Output = Result<T, String>>>(
    jetstream: &Context,
    stop: &AtomicBool,
    mut ask: impl FnMut() -> F,
) -> Result<T, String> {
    let mut until = Instant::now() + FILES_WITHIN;
    loop {
        let answer = ask().await;
        if jetstream.client().connection_state() != State::Connected {
            until = Instant::now() + FILES_WITHIN;
        }
        if answer.is_ok() || Instant::now() >= until || stop.load(Ordering::SeqCst) {
            return answer;
        }
        tokio::time::sleep(AGAIN).await;
    }
}
