//! The messages between coordinators and workers, and their encoding.
//!
//! Pairs and results are bytes of `arena`'s wire format. A message holds many and compresses them together, since the
//! pairs of a run are nearly alike. The first two bytes give the version. So do heartbeats, which are JSON so that
//! every version can read them.

use arena::config::HostScale;
use arena::run::{PAIR_VERSION, PairIndex};
use play::players::process::Introduction;
use play::protocol::OptionError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;

/// The version of these messages. It changes whenever one of them changes.
pub(crate) const WIRE: u16 = 1;

/// The maximum uncompressed size of a message. No valid message comes near it.
const MOST_BYTES: u64 = 64 << 20;

/// The uncompressed size in bytes at which a message is closed. A server takes 1 MiB by default.
pub(crate) const FULL: usize = 256 << 10;

/// The default activity of a worker.
pub(crate) const GETTING_READY: &str = "getting ready";

/// This version of spar.
pub(crate) const SPAR: &str = env!("CARGO_PKG_VERSION");

/// A worker's heartbeat: shows that the worker is alive, and lists the pairs that it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// The worker's version of spar.
    pub spar: String,
    /// The worker's version of the messages.
    pub wire: u16,
    /// The worker's version of pairs and results.
    pub pair: u16,
    /// The worker's machine.
    pub host: String,
    /// Identifies the process: another process under the same name has another number.
    pub process: u64,
    /// The number of cores for games.
    pub cores: usize,
    /// The maximum number of cores in use: fewer than `cores` while the host starves players of CPU time.
    pub at_a_time: usize,
    /// The number of busy cores.
    pub busy: usize,
    /// The number of pairs that the worker has played since it started.
    pub done: u64,
    /// By run, the pairs that the worker was given and whose results are not yet safe on the server.
    pub holds: BTreeMap<String, Vec<PairIndex>>,
    /// By run, the preparation in progress, in words, such as building a program. Until it is done, the worker takes no
    /// pairs of the run.
    pub preparing: BTreeMap<String, String>,
    /// By run, the factor by which the worker multiplies time controls, if they are scaled to its speed.
    pub scales: BTreeMap<String, HostScale>,
    /// A temporary problem, in words, such as why the server does not take its results.
    pub trouble: Option<String>,
    /// The SHA-256 of files that the worker needs and the server does not have.
    pub misses: Vec<String>,
    /// Whether the worker is about to exit and takes no further pairs.
    pub leaving: bool,
}

impl Heartbeat {
    /// Returns why a coordinator of this version cannot use the worker, in words.
    pub fn unfit(&self) -> Option<String> {
        if self.spar == SPAR && self.wire == WIRE && self.pair == PAIR_VERSION {
            return None;
        }
        Some(format!(
            "it has spar {} (messages {}, pairs {}), and the run has spar {SPAR} (messages {WIRE}, pairs \
                {PAIR_VERSION}): \
             use the same version of spar on all machines",
            self.spar, self.wire, self.pair
        ))
    }
}

/// A coordinator's periodic status of its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunNews {
    /// The run's name.
    pub name: String,
    /// The run's share of the machines, relative to the shares of other runs.
    pub weight: u32,
    /// The number of pairs that wait for a worker.
    pub waiting: usize,
    /// The number of pairs that are being played again to verify their results.
    pub checking: usize,
    /// The probability, 0 to 1, that the pair scores of all workers differ this much or more if machines do not matter:
    /// Pearson's test of homogeneity. `None` if there are too few pairs.
    pub homogeneity: Option<f64>,
    /// The run's data on each worker.
    pub workers: BTreeMap<String, WorkerNews>,
}

/// How far a worker's pairs are from those of all other workers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Residuals {
    /// How much higher the worker's pairs score, in standard errors of the difference.
    pub score: f64,
    /// The probability, 0 to 1, that the scores differ this much or more if machines do not matter; `None` if there are
    /// too few pairs.
    pub scores_p: Option<f64>,
    /// The number of the worker's pairs in which a game was lost by a fault.
    pub faulty: u64,
    /// The probability, 0 to 1, of this many faulty pairs or more if machines do not matter; `None` without faults.
    pub faults_p: Option<f64>,
    /// Whether the difference needs attention.
    pub stands_out: bool,
}

/// A request to a coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Stop trusting a worker: withdraw its pairs, and give it no more.
    SetAside {
        /// The worker's name.
        worker: String,
        /// The reason, in words.
        why: String,
    },
}

/// A run's data on a worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerNews {
    /// The number of pairs that the worker was given and has not answered.
    pub given: usize,
    /// The number of pairs that the worker has played in this session.
    pub played: u64,
    /// The recent rate, in pairs per second.
    pub rate: f64,
    /// Why the worker is excluded, if it is.
    pub set_aside: Option<String>,
    /// Whether the worker is paused on request.
    #[serde(default)]
    pub paused: bool,
    /// Games of this session that were lost by a fault, by the kind of fault.
    #[serde(default)]
    pub faults: BTreeMap<String, u64>,
    /// How far the worker's pairs are from those of other workers, if there are any.
    pub residuals: Option<Residuals>,
}

/// An order to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Play these pairs.
    Play {
        /// The run of the pairs.
        run: String,
        /// The run's share of the machine, relative to the shares of other runs.
        weight: u32,
        /// The SHA-256 of the file with the preparation that the run needs before any pair is played, if it needs any.
        worker_setup: Option<String>,
        /// The pairs in `arena`'s wire format.
        specs: Vec<Vec<u8>>,
    },
    /// Give up all pairs of a run from this number on.
    Revoke {
        /// The run.
        run: String,
        /// The first pair to give up.
        from: PairIndex,
    },
    /// A run cannot use this worker.
    Refused {
        /// The run.
        run: String,
        /// The reason, in words.
        why: String,
    },
}

/// Answers for pairs of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// One for each pair.
    pub(crate) answers: Vec<Answer>,
    /// The engines' messages since the previous report.
    pub(crate) notices: Vec<EngineNotice>,
}

/// The answer for a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The pair was played.
    Played {
        /// The pair.
        pair: PairIndex,
        /// The [`mark`] of the request: another session may have requested a different pair with the same number.
        mark: u64,
        /// The result in `arena`'s wire format.
        result: Vec<u8>,
    },
    /// The pair was not played, and any worker may play it.
    Lost {
        /// The pair.
        pair: PairIndex,
        /// The reason.
        why: String,
    },
    /// The pair was played, but its result cannot be sent: it exceeds the server's maximum.
    TooLarge {
        /// The pair.
        pair: PairIndex,
        /// The size of the message and the server's maximum, in bytes.
        bytes: [usize; 2],
    },
    /// This worker cannot play the pairs of this run.
    Unable {
        /// The pair that showed it.
        pair: PairIndex,
        /// The reason.
        why: String,
    },
}

/// What an engine reported at its start. The process spec is JSON: its compact encoding cannot omit default values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum EngineNotice {
    /// The engine's own name.
    Introduced(String, Introduction),
    /// An option that could not be set.
    UnsetOption(String, OptionError),
}

/// A message that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    /// The message has another version.
    #[error(
        "its messages are of version {0}, and these are of version {WIRE}: use the same version of spar on all machines"
    )]
    Version(u16),
    /// The message was truncated, or is no message of spar.
    #[error("it is not a message of spar: {0}")]
    Malformed(String),
}

/// Returns a mark that tells the spec of a pair from others with the same number: FNV-1a of its bytes.
pub(crate) fn mark(spec: &[u8]) -> u64 {
    spec.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Encodes a message.
pub(crate) fn pack<T: Serialize>(message: &T) -> Vec<u8> {
    let mut bytes = WIRE.to_le_bytes().to_vec();
    // Neither call fails: all messages can be encoded, and the output is in memory.
    let plain = postcard::to_allocvec(message).unwrap_or_default();
    bytes.extend(zstd::bulk::compress(&plain, 1).unwrap_or_default());
    bytes
}

/// Decodes a message.
///
/// # Errors
/// [`Unreadable`]
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Unreadable> {
    let Some((version, packed)) = bytes.split_first_chunk::<2>() else {
        return Err(Unreadable::Malformed(format!("it has {} bytes", bytes.len())));
    };
    match u16::from_le_bytes(*version) {
        WIRE => {}
        other => return Err(Unreadable::Version(other)),
    }
    let malformed = |why: &dyn std::fmt::Display| Unreadable::Malformed(why.to_string());
    let mut plain = Vec::new();
    // Bounds decompression: no valid message is longer.
    let decoder = zstd::stream::Decoder::new(packed).map_err(|why| malformed(&why))?;
    let _bytes = decoder.take(MOST_BYTES).read_to_end(&mut plain).map_err(|why| malformed(&why))?;
    postcard::from_bytes(&plain).map_err(|why| malformed(&why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> Order {
        Order::Play { run: "00ff".to_owned(), weight: 1, worker_setup: None, specs: vec![vec![7; 5000]; 40] }
    }

    #[test]
    fn messages_come_back_as_they_were_sent_and_pairs_that_are_alike_take_little_room() {
        let bytes = pack(&order());
        assert_eq!(unpack::<Order>(&bytes), Ok(order()));
        assert!(bytes.len() < 1000, "{}", bytes.len());
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let bytes = pack(&order());
        for cut in 0..bytes.len() {
            assert!(unpack::<Order>(&bytes[..cut]).is_err(), "cut after {cut}");
        }
        assert!(matches!(unpack::<Order>(&[2, 0, 1, 2, 3]), Err(Unreadable::Version(2))));
        assert!(matches!(unpack::<Order>(b"\x01\0hello"), Err(Unreadable::Malformed(_))));
    }

    #[test]
    fn a_message_that_would_fill_the_memory_is_refused() {
        let huge = pack(&vec![0_u8; MOST_BYTES as usize + 1]);
        assert!(huge.len() < 100_000 && unpack::<Vec<u8>>(&huge).is_err());
    }

    #[test]
    fn workers_of_other_versions_get_an_explanation() {
        let heartbeat = Heartbeat {
            spar: SPAR.to_owned(),
            wire: WIRE,
            pair: PAIR_VERSION,
            host: "here".to_owned(),
            process: 1,
            cores: 2,
            at_a_time: 2,
            busy: 0,
            done: 0,
            holds: BTreeMap::new(),
            preparing: BTreeMap::new(),
            scales: BTreeMap::new(),
            trouble: None,
            misses: Vec::new(),
            leaving: false,
        };
        assert_eq!(heartbeat.unfit(), None);
        for other in [
            Heartbeat { spar: "9.9.9".to_owned(), ..heartbeat.clone() },
            Heartbeat { wire: WIRE + 1, ..heartbeat.clone() },
            Heartbeat { pair: PAIR_VERSION + 1, ..heartbeat.clone() },
        ] {
            let why = other.unfit().unwrap();
            assert!(why.contains("use the same version of spar on all machines"), "{why}");
        }
        // Unknown fields of a later version do no harm.
        let mut json = serde_json::to_value(&heartbeat).unwrap();
        json["more"] = 1.into();
        assert_eq!(serde_json::from_value::<Heartbeat>(json).unwrap(), heartbeat);
    }
}
