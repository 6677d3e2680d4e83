//! The workers of a fleet, as somebody tells of them who knows one: looked at again and again, and told to all
//! watchers.

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
/// So many workers are told of.
const MOST: usize = 2000;

/// A worker as it is just now.
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
    /// What else is to be said of it: why it is given no pairs, what it prepares, that it stands out.
    pub says: Vec<String>,
}

/// Tells which workers there are just now, which may take some seconds; or why they cannot be told of, in a sentence.
#[derive(Clone)]
pub struct Workers(Arc<dyn Fn() -> Result<Vec<Worker>, String> + Send + Sync>);

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").finish_non_exhaustive()
    }
}

impl Workers {
    /// Told of by a function.
    pub fn new(told: impl Fn() -> Result<Vec<Worker>, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(told))
    }
}

/// What was told of the workers last, as JSON.
#[derive(Debug)]
pub(crate) struct Crew(Mutex<Arc<str>>);

impl Crew {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(json!({ "fleet": true, "workers": null }).to_string().into()))
    }

    pub(crate) fn to_json(&self) -> Arc<str> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_news(&self, told: Arc<str>) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = *known != told;
        *known = told;
        is_news
    }

    /// Looks until the other end of `stop` is gone.
    pub(crate) fn watch(&self, workers: &Workers, listing: &Listing, stop: &Receiver<()>) {
        loop {
            let told: Arc<str> = match (workers.0)() {
                Ok(mut all) => {
                    let count = all.len();
                    all.truncate(MOST);
                    json!({ "fleet": true, "workers": all, "count": count }).to_string().into()
                }
                Err(why) => json!({ "fleet": true, "workers": null, "error": why }).to_string().into(),
            };
            if self.is_news(told) {
                // What is told of thousands of workers would fill the ring: whoever watches asks for it.
                listing.hub.publish(EventKind::Workers, &"".into(), "{}".into());
            }
            match stop.recv_timeout(PAUSE) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }
}
