//! What coordinators and workers tell each other, and how it travels.
//!
//! Pairs and results are bytes of `arena`'s wire format, many in a message, compressed together: pairs of a run are
//! nearly alike. The first two bytes identify another version, and so do heartbeats, which are JSON so that every
//! version can read them.

use arena::config::HostScale;
use arena::run::{PAIR_VERSION, PairIndex};
use play::players::process::Introduction;
use play::protocol::OptionError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;

/// The version of these messages. It changes whenever one of them does.
pub(crate) const WIRE: u16 = 1;

/// What a message may hold at most, uncompressed: nothing of ours comes near it.
const MOST_BYTES: u64 = 64 << 20;

/// Messages are closed when they hold this many bytes, uncompressed: a server takes 1 MiB by default.
pub(crate) const FULL: usize = 256 << 10;

/// The default activity of a worker.
pub(crate) const GETTING_READY: &str = "getting ready";

/// This version of spar.
pub(crate) const SPAR: &str = env!("CARGO_PKG_VERSION");

/// A worker's heartbeat: it lives, and holds these pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// Its version of spar.
    pub spar: String,
    /// Its version of the messages.
    pub wire: u16,
    /// Its version of pairs and results.
    pub pair: u16,
    /// Its machine.
    pub host: String,
    /// Which process it is: another one under the same name has another number.
    pub process: u64,
    /// The cores that it has for games.
    pub cores: usize,
    /// How many of them it uses at most just now: fewer while its host keeps players waiting.
    pub at_a_time: usize,
    /// How many are at work.
    pub busy: usize,
    /// How many pairs it has played since it started.
    pub done: u64,
    /// By run, the pairs that it was given and whose results are not yet safe on the server.
    pub holds: BTreeMap<String, Vec<PairIndex>>,
    /// By run, what it does before it plays for it, in words, such as building a program. Until then it takes no pairs
    /// of it.
    pub preparing: BTreeMap<String, String>,
    /// By run, by how much it multiplies time controls, where they are scaled to its speed.
    pub scales: BTreeMap<String, HostScale>,
    /// What it cannot do for now, in words, such as why the server does not take its results.
    pub trouble: Option<String>,
    /// The contents of files that it needs and that the server does not have, as SHA-256.
    pub misses: Vec<String>,
    /// Whether it takes no further pairs, since it is about to end.
    pub leaving: bool,
}

impl Heartbeat {
    /// Why a coordinator of this version cannot use it, in words.
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
    /// What the run is called.
    pub name: String,
    /// Its share of the machines, in proportion to the others'.
    pub weight: u32,
    /// The pairs that wait for a worker.
    pub waiting: usize,
    /// The pairs that are being played again, to see whether they give the same result.
    pub checking: usize,
    /// How likely the pair scores of all workers differ this much or more where their machines do not matter, 0 to 1:
    /// Pearson's test of homogeneity. `None` if there are too few to tell.
    pub homogeneity: Option<f64>,
    /// What it has of each worker.
    pub workers: BTreeMap<String, WorkerNews>,
}

/// How far a worker's pairs are from all others'.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Residuals {
    /// How much higher they score, in standard errors of the difference.
    pub score: f64,
    /// How likely their scores differ this much or more where machines do not matter, 0 to 1; `None` if there are too
    /// few to tell.
    pub scores_p: Option<f64>,
    /// In how many of them a game was lost by a fault.
    pub faulty: u64,
    /// The probability of this many faults or more in them if machines do not matter, 0 to 1; `None` without faults.
    pub faults_p: Option<f64>,
    /// Whether that needs attention.
    pub stands_out: bool,
}

/// What a coordinator is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Believe a worker no more: withdraw its pairs, and give it none.
    SetAside {
        /// Its name.
        worker: String,
        /// Why, in words.
        why: String,
    },
}

/// What a run has of a worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerNews {
    /// The pairs that it was given and has not answered.
    pub given: usize,
    /// The pairs that it has played in this session.
    pub played: u64,
    /// Pairs a second that it has played lately.
    pub rate: f64,
    /// Why it is given no pairs, if it is not.
    pub set_aside: Option<String>,
    /// Whether it is given no pairs for a while, on request.
    #[serde(default)]
    pub paused: bool,
    /// Games of this session that were lost by a fault, by its kind.
    #[serde(default)]
    pub faults: BTreeMap<String, u64>,
    /// How far its pairs are from the others', if there are others.
    pub residuals: Option<Residuals>,
}

/// An order to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Play these pairs.
    Play {
        /// The run that they are of.
        run: String,
        /// The run's share of the machine, in proportion to the others'.
        weight: u32,
        /// The content of the file that says what is done before any pair is played, if anything is.
        worker_setup: Option<String>,
        /// The pairs, as `arena`'s wire format has them.
        specs: Vec<Vec<u8>>,
    },
    /// Give up all pairs of a run from this number on.
    Revoke {
        /// The run.
        run: String,
        /// The first of them.
        from: PairIndex,
    },
    /// A run has no use for this worker.
    Refused {
        /// The run.
        run: String,
        /// Why, in words.
        why: String,
    },
}

/// Answers for pairs of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// One for each pair.
    pub(crate) answers: Vec<Answer>,
    /// The engines' messages since then.
    pub(crate) notices: Vec<EngineNotice>,
}

/// The answer for a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// It was played.
    Played {
        /// Which.
        pair: PairIndex,
        /// The [`mark`] of what was asked for: another session may have asked for something else under this number.
        mark: u64,
        /// The result, as `arena`'s wire format has it.
        result: Vec<u8>,
    },
    /// It was not played, and any worker may play it.
    Lost {
        /// Which.
        pair: PairIndex,
        /// Why.
        why: String,
    },
    /// It was played, but its result cannot be sent: it is larger than the server takes.
    TooLarge {
        /// Which.
        pair: PairIndex,
        /// Bytes of the message, and the most that the server takes.
        bytes: [usize; 2],
    },
    /// This worker cannot play the pairs of this run.
    Unable {
        /// Which pair showed it.
        pair: PairIndex,
        /// Why.
        why: String,
    },
}

/// What an engine reported when it was started. The process is JSON: its compact encoding cannot leave out
/// default values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum EngineNotice {
    /// What it calls itself.
    Introduced(String, Introduction),
    /// An option that it was not set.
    UnsetOption(String, OptionError),
}

/// A message that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    /// It is of another version.
    #[error(
        "its messages are of version {0}, and these are of version {WIRE}: use the same version of spar on all machines"
    )]
    Version(u16),
    /// It was cut short, or is something else.
    #[error("it is not a message of spar: {0}")]
    Malformed(String),
}

/// What tells the spec of a pair from others of the same number: FNV-1a of its bytes.
pub(crate) fn mark(spec: &[u8]) -> u64 {
    spec.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// As bytes.
pub(crate) fn pack<T: Serialize>(message: &T) -> Vec<u8> {
    let mut bytes = WIRE.to_le_bytes().to_vec();
    // Neither fails: all of these have bytes, and memory is written to.
    let plain = postcard::to_allocvec(message).unwrap_or_default();
    bytes.extend(zstd::bulk::compress(&plain, 1).unwrap_or_default());
    bytes
}

/// From bytes.
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
    // What would grow out of bounds is cut where no message of ours ends.
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
        // What a later version adds does no harm.
        let mut json = serde_json::to_value(&heartbeat).unwrap();
        json["more"] = 1.into();
        assert_eq!(serde_json::from_value::<Heartbeat>(json).unwrap(), heartbeat);
    }
}
