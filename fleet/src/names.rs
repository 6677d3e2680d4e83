//! The names of subjects, streams and buckets, and the valid names of workers.

use std::fmt;
use std::sync::Arc;

/// The stream that keeps results until they are in a coordinator's journal.
pub(crate) const RESULTS: &str = "SPAR_RESULTS";

/// The object store bucket with programs and weights.
pub(crate) const CONTENT: &str = "spar";

/// The stream behind the bucket.
pub(crate) const CONTENT_STREAM: &str = "OBJ_spar";

/// Calls all workers: each answers at once with a heartbeat.
pub(crate) const CALL: &str = "spar.call";

/// The heartbeats of all workers.
pub(crate) const HEARTBEATS: &str = "spar.heartbeat.*";

/// The status of all runs.
pub(crate) const RUNS: &str = "spar.run.*";

/// The results of all workers in all runs.
pub(crate) const ALL_RESULTS: &str = "spar.result.*.*";

/// The stream that keeps the last order about each worker.
pub(crate) const ORDERS: &str = "SPAR_ORDERS";

/// The orders about all workers.
pub(crate) const ALL_ORDERS: &str = "spar.order.*";

/// Returns the subject of the orders about a worker.
pub(crate) fn order(worker: &WorkerName) -> String {
    format!("spar.order.{worker}")
}

/// Returns the subject of a worker's heartbeats.
pub(crate) fn heartbeat(worker: &WorkerName) -> String {
    format!("spar.heartbeat.{worker}")
}

/// Returns the subject of the orders to a worker.
pub(crate) fn work(worker: &WorkerName) -> String {
    format!("spar.work.{worker}")
}

/// Returns the subject of a worker's answers for the pairs of a run.
pub(crate) fn result(worker: &WorkerName, run: &str) -> String {
    format!("spar.result.{worker}.{run}")
}

/// Returns the subject of the answers for all pairs of a run.
pub(crate) fn results_of(run: &str) -> String {
    format!("spar.result.*.{run}")
}

/// Returns the subject of a run's status.
pub(crate) fn run(run: &str) -> String {
    format!("spar.run.{run}")
}

/// Returns the subject of the requests to a run's coordinator.
pub(crate) fn requests(run: &str) -> String {
    format!("spar.ask.{run}")
}

/// Returns the name of the consumer of a run's results.
pub(crate) fn consumer(run: &str) -> String {
    format!("run-{run}")
}

/// Returns the inbox prefix of a member. No other member may read its inboxes.
pub(crate) fn inbox(name: &str) -> String {
    format!("_INBOX_{name}")
}

/// Returns the worker of a subject such as `spar.heartbeat.east` or `spar.result.east.RUN`.
pub(crate) fn worker_of(subject: &str) -> Option<WorkerName> {
    subject.split('.').nth(2)?.parse().ok()
}

/// The name of a worker, as in subjects: 1 to 64 letters, digits, hyphens and underscores.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkerName(Arc<str>);

impl WorkerName {
    /// Returns the shared text.
    pub fn shared(&self) -> &Arc<str> {
        &self.0
    }
}

impl std::str::FromStr for WorkerName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if (1..=64).contains(&text.len()) && text.bytes().all(fits) {
            Ok(Self(text.into()))
        } else {
            Err(format!("`{text}` is not a name of a worker: 1 to 64 letters, digits, hyphens and underscores are"))
        }
    }
}

impl fmt::Display for WorkerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_into_subjects() {
        let east: WorkerName = "east-1".parse().unwrap();
        assert_eq!(worker_of(&heartbeat(&east)), Some(east.clone()));
        assert_eq!(worker_of(&order(&east)), Some(east.clone()));
        assert_eq!(worker_of(&result(&east, "00ff")), Some(east));
        for bad in ["", "a.b", "a b", "*", ">", "ä", &"x".repeat(65)] {
            assert!(bad.parse::<WorkerName>().is_err(), "{bad}");
        }
        assert_eq!(worker_of("spar.heartbeat"), None);
    }
}
