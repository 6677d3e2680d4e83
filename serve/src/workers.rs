//! The workers of a fleet, from a function that the program passes: polled, and published to all watchers.

use crate::hub::EventKind;
use crate::listing::Listing;
use serde::Serialize;
use serde_json::json;
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long they are left alone between two looks.
const PAUSE: Duration = Duration::from_secs(3);
/// The maximum of workers listed.
const MOST: usize = 2000;

/// The current state of a worker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worker {
    /// What it is called.
    pub name: String,
    /// The machine that it is on.
    pub host: String,
    /// The version of spar that it is.
    pub spar: String,
    /// The cores that it has for games.
    pub cores: usize,
    /// Those of them that play just now.
    pub busy: usize,
    /// Pairs that it has played since it was started.
    pub pairs: u64,
    /// Pairs a second that it has played lately.
    pub rate: f64,
    /// How much higher its pairs score than the others', in standard errors; `None` if there is nothing to compare.
    pub residual: Option<f64>,
    /// A note: why it is given no pairs, what it prepares, that it is an outlier.
    pub says: Vec<String>,
}

/// Returns the current workers, which may take some seconds; or why they are unknown, in a sentence.
#[derive(Clone)]
pub struct Workers(Arc<dyn Fn() -> Result<Vec<Worker>, String> + Send + Sync>);

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").finish_non_exhaustive()
    }
}

impl Workers {
    /// Listed by a function.
    pub fn new(state: impl Fn() -> Result<Vec<Worker>, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(state))
    }
}

/// The latest state of the workers, as JSON.
#[derive(Debug)]
pub(crate) struct Crew(Mutex<Arc<str>>);

impl Crew {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(json!({ "fleet": true, "workers": null }).to_string().into()))
    }

    pub(crate) fn to_json(&self) -> Arc<str> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_news(&self, state: Arc<str>) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = *known != state;
        *known = state;
        is_news
    }

    /// Polls until the other end of `stop` is dropped.
    pub(crate) fn watch(&self, workers: &Workers, listing: &Listing, stop: &Receiver<()>) {
        loop {
            let state: Arc<str> = match (workers.0)() {
                Ok(mut all) => {
                    let count = all.len();
                    all.truncate(MOST);
                    json!({ "fleet": true, "workers": all, "count": count }).to_string().into()
                }
                Err(why) => json!({ "fleet": true, "workers": null, "error": why }).to_string().into(),
            };
            if self.is_news(state) {
                // The rows of thousands of workers would fill the ring: watchers request them.
                listing.hub.publish(EventKind::Workers, &"".into(), "{}".into());
            }
            match stop.recv_timeout(PAUSE) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }
}
