//! Stores the speeds of workers for the next server. An unreadable file counts as none.

use super::speeds::Speeds;
use super::{Known, MOST, Worker};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The version of the file.
const VERSION: u16 = 1;

#[derive(Serialize, Deserialize)]
struct Kept {
    version: u16,
    workers: Vec<KeptWorker>,
}

#[derive(Serialize, Deserialize)]
struct KeptWorker {
    name: String,
    host: String,
    spar: String,
    cores: usize,
    heard_unix_ms: i64,
    /// The numbers of the steps, and the mean speed in each.
    speeds: Vec<(i64, f32)>,
}

/// Reads the file.
pub(super) fn read(path: &Path) -> Option<BTreeMap<String, Known>> {
    let kept: Kept = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let known = |kept: KeptWorker| {
        let KeptWorker { name, host, spar, cores, heard_unix_ms, speeds } = kept;
        let worker = Worker { name: name.clone(), host, spar, cores, ..Worker::default() };
        (name, Known { worker, heard_unix_ms: Some(heard_unix_ms), speeds: Speeds::new(speeds) })
    };
    (kept.version == VERSION).then(|| kept.workers.into_iter().take(MOST).map(known).collect())
}

/// Returns the text of the file.
pub(super) fn to_text(known: &BTreeMap<String, Known>) -> String {
    let kept = |known: &Known| {
        let Worker { name, host, spar, cores, .. } = known.worker.clone();
        let speeds = known.speeds.steps();
        known.heard_unix_ms.map(|heard_unix_ms| KeptWorker { name, host, spar, cores, heard_unix_ms, speeds })
    };
    let kept = Kept { version: VERSION, workers: known.values().filter_map(kept).collect() };
    serde_json::to_string(&kept).unwrap_or_default()
}
