//! What is trained on: records of some files, chosen and split.
//!
//! Records are held in memory, 38 bytes each. Positions of one game are alike, so a game is wholly in the training set or wholly held
//! out, whatever file it is in.

use super::TrainError;
use super::sample::{Sample, Target};
use crate::data::{Positions, Record};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Which records are used, and which of them are held out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The share of games that are held out, 0 to 1.
    pub held_out: f64,
    /// Records with a score beyond are left out, in 1/1,000 logit.
    pub max_score: i16,
}

/// Records to train on, and records to judge by.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub(super) training: Vec<Record>,
    pub(super) held_out: Vec<Record>,
    identity: Identity,
}

/// What makes two data sets the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Positions that are trained on.
    pub training: u64,
    /// Positions that are held out.
    pub held_out: u64,
    /// CRC-32 of all of them, in order.
    pub checksum: u32,
}

/// The part of a hash's range that a share is.
const RANGE: f64 = 18_446_744_073_709_551_616.0;

impl Dataset {
    /// Reads files of positions and checks them.
    ///
    /// # Errors
    /// [`TrainError::Data`] for the first file or block that cannot be read, with its place; [`TrainError::NotInPlay`] for a record that is
    /// no position; [`TrainError::TooFew`] if nothing is left to train on or nothing is held out.
    pub fn open<P: AsRef<Path>>(files: &[P], choice: Choice) -> Result<Self, TrainError> {
        let positions = Positions::open(files)?;
        positions.verify()?;
        let blocks: Result<Vec<_>, TrainError> =
            (0..positions.blocks()).into_par_iter().map(|number| chosen(&positions, number, choice)).collect();
        let (mut training, mut held_out) = (Vec::new(), Vec::new());
        for (to_training, to_held_out) in blocks? {
            training.extend(to_training);
            held_out.extend(to_held_out);
        }
        Self::new(training, held_out)
    }

    /// A data set of these records.
    pub(super) fn new(training: Vec<Record>, held_out: Vec<Record>) -> Result<Self, TrainError> {
        if training.is_empty() || held_out.is_empty() {
            return Err(TrainError::TooFew { training: training.len(), held_out: held_out.len() });
        }
        let mut hasher = crc32fast::Hasher::new();
        training.iter().chain(&held_out).for_each(|record| hasher.update(record.as_bytes()));
        let identity =
            Identity { training: training.len() as u64, held_out: held_out.len() as u64, checksum: hasher.finalize() };
        Ok(Self { training, held_out, identity })
    }

    /// What makes it the same as another.
    pub fn identity(&self) -> Identity {
        self.identity
    }
}

/// The records of a block that are trained on, and those that are held out.
fn chosen(positions: &Positions, number: usize, choice: Choice) -> Result<(Vec<Record>, Vec<Record>), TrainError> {
    let mut sample = Sample::EMPTY;
    let anything = Target { lambda: 0.0, clip: 0 };
    let records = positions
        .block(number)
        .enumerate()
        .filter(|(_, record)| record.score().unsigned_abs() <= choice.max_score.unsigned_abs());
    let (mut training, mut held_out) = (Vec::new(), Vec::new());
    for (index, record) in records {
        sample.read(&record, anything).ok_or(TrainError::NotInPlay { block: number, index })?;
        if is_held_out(record.game(), choice.held_out) { held_out.push(record) } else { training.push(record) }
    }
    Ok((training, held_out))
}

/// Whether a game is held out: by a hash of its number, so that it does not depend on the others.
fn is_held_out(game: u32, share: f64) -> bool {
    (stats::random::mix(u64::from(game)) as f64) < share * RANGE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::PositionsWriter;
    use crate::data::tests::records;

    const CHOICE: Choice = Choice { held_out: 0.25, max_score: 1_500 };

    fn stored(folder: &tempfile::TempDir, name: &str, records: &[Record]) -> std::path::PathBuf {
        let mut writer = PositionsWriter::new(Vec::new(), None).unwrap();
        for record in records {
            writer.push(record).unwrap();
        }
        let path = folder.path().join(name);
        fs_err::write(&path, writer.finish().unwrap()).unwrap();
        path
    }

    #[test]
    fn games_are_split_and_high_scores_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let all = records(4_000);
        let path = stored(&folder, "a.positions", &all);
        let data = Dataset::open(&[&path], CHOICE).unwrap();
        let kept = all.iter().filter(|record| record.score().abs() <= 1_500).count();
        assert_eq!(data.training.len() + data.held_out.len(), kept);
        let games = |records: &[Record]| records.iter().map(Record::game).collect::<std::collections::BTreeSet<_>>();
        let (training, held_out) = (games(&data.training), games(&data.held_out));
        assert!(training.is_disjoint(&held_out) && training.len() > held_out.len());
        assert_eq!(Dataset::open(&[&path], CHOICE).unwrap().identity(), data.identity());
        assert_ne!(Dataset::open(&[&path, &path], CHOICE).unwrap().identity(), data.identity());
    }

    #[test]
    fn the_share_of_games_that_are_held_out_is_as_asked() {
        let held = (0..100_000).filter(|&game| is_held_out(game, 0.05)).count();
        assert!((4_700..5_300).contains(&held), "{held}");
        assert_eq!((0..1_000).filter(|&game| is_held_out(game, 0.0)).count(), 0);
    }

    #[test]
    fn files_that_cannot_be_used_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let good = stored(&folder, "good.positions", &records(400));
        let bytes = fs_err::read(&good).unwrap();
        let with = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs_err::write(&path, bytes).unwrap();
            Dataset::open(&[&good, &path], CHOICE).unwrap_err().to_string()
        };
        assert!(with("short", &bytes[..1_000]).contains("short, byte 0: the file ends within this block"));
        let mut damaged = bytes.clone();
        damaged[500] ^= 1;
        assert!(with("damaged", &damaged).contains("damaged, byte 0: the block's checksum is"));
        assert!(with("foreign", b"something of another kind").contains("foreign, byte 0: this is no block"));
        let missing = Dataset::open(&[folder.path().join("missing")], CHOICE).unwrap_err().to_string();
        assert!(missing.contains("missing"), "{missing}");
        let nothing = stored(&folder, "nothing", &[Record::from_bytes([0; Record::BYTES])]);
        let error = Dataset::open(&[nothing], CHOICE).unwrap_err();
        assert!(matches!(error, TrainError::NotInPlay { block: 0, index: 0 }), "{error}");
        let few = Dataset::open(&[&good], Choice { held_out: 0.0, ..CHOICE }).unwrap_err();
        assert!(matches!(few, TrainError::TooFew { held_out: 0, .. }), "{few}");
    }
}
