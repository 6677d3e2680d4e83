//! Results of pairs that the session has not requested yet, which waited on the server while the coordinator was away.
//! They are kept until the session requests the pairs, up to a limit; pairs beyond it are played again.

use crate::names::WorkerName;
use arena::run::{PairIndex, PairResult};
use std::collections::BTreeMap;

/// The maximum number of results.
const MOST_RESULTS: usize = 100_000;

/// The maximum total size in bytes, as received.
const MOST_BYTES: usize = 256 << 20;

/// A result of a pair that the session has not requested yet.
pub(super) struct Arrived {
    /// Distinguishes the request from others with the same number.
    pub(super) mark: u64,
    /// The result.
    pub(super) result: Box<PairResult>,
    /// The worker that played the pair.
    pub(super) by: WorkerName,
    bytes: usize,
}

/// All early results.
#[derive(Default)]
pub(super) struct Early {
    pairs: BTreeMap<PairIndex, Vec<Arrived>>,
    results: usize,
    bytes: usize,
}

impl Early {
    /// Keeps a result of this many bytes; returns whether there is room for it. A worker has one result of each pair:
    /// the last that it sent.
    pub(super) fn keep(&mut self, by: &WorkerName, mark: u64, result: Box<PairResult>, bytes: usize) -> bool {
        let arrived = self.pairs.entry(result.pair).or_default();
        for before in arrived.extract_if(.., |before| before.by == *by) {
            self.results -= 1;
            self.bytes -= before.bytes;
        }
        let has_room = self.results < MOST_RESULTS && self.bytes + bytes <= MOST_BYTES;
        if has_room {
            arrived.push(Arrived { mark, result, by: by.clone(), bytes });
            self.results += 1;
            self.bytes += bytes;
        }
        has_room
    }

    /// Removes and returns the results of a pair.
    pub(super) fn take(&mut self, pair: PairIndex) -> Vec<Arrived> {
        let arrived = self.pairs.remove(&pair).unwrap_or_default();
        self.results -= arrived.len();
        self.bytes -= arrived.iter().map(|arrived| arrived.bytes).sum::<usize>();
        arrived
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::checks::tests::of_pair;

    fn keep(early: &mut Early, by: &str, pair: PairIndex, bytes: usize) -> bool {
        early.keep(&by.parse().expect("a name"), 1, Box::new(of_pair(pair)), bytes)
    }

    #[test]
    fn no_worker_can_fill_the_memory() {
        let mut early = Early::default();
        assert!((0..100).all(|_| keep(&mut early, "a", 7, MOST_BYTES / 2)), "one result of each pair");
        assert!(keep(&mut early, "b", 7, MOST_BYTES / 2) && !keep(&mut early, "c", 7, 1));
        assert_eq!((early.take(7).len(), early.bytes, early.results), (2, 0, 0));
        assert!(keep(&mut early, "c", 8, 1), "there is room again");
        assert!(early.take(9).is_empty());
    }
}
