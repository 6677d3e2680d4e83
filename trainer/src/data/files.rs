//! Operations on whole files: checking, merging and sampling.

use super::block::{Block, Blocks, HEADER_BYTES, Header, MAGIC, Payload};
use super::error::{DataError, Fault};
use super::keys::KeySet;
use super::record::{Record, RecordError};
use super::visits::VisitRecord;
use super::write::{PositionsWriter, replace};
use fs_err::File;
use serde::Serialize;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// The blocks of a file, each checked.
///
/// # Errors
/// If the file cannot be opened.
pub fn blocks(path: &Path) -> io::Result<Blocks<BufReader<File>>> {
    Ok(Blocks::new(BufReader::with_capacity(1 << 18, File::open(path)?), path))
}

/// The result of checking a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The number of whole blocks.
    pub blocks: u64,
    /// The number of records in them.
    pub records: u64,
    /// The faults, each with the offset of its block in bytes.
    pub faults: Vec<(u64, Fault)>,
}

/// Checks every block and every record of a file, and continues after damaged ones.
///
/// # Errors
/// If the file cannot be read.
pub fn check(path: &Path) -> Result<Checked, DataError> {
    // A damaged header does not locate the next block, so all of it must be in memory.
    let file = super::positions::map(path)?;
    let bytes = file.as_deref().unwrap_or_default();
    let mut checked = Checked::default();
    let mut at = 0;
    while at < bytes.len() {
        match whole_block(&bytes[at..]) {
            Ok((payload, length)) => {
                checked.take(at as u64, &payload);
                at += length;
            }
            Err((fault, length)) => {
                checked.faults.push((at as u64, fault));
                at += length.unwrap_or_else(|| next_block(&bytes[at..]));
            }
        }
    }
    Ok(checked)
}

impl Checked {
    fn take(&mut self, at: u64, payload: &Payload) {
        self.blocks += 1;
        match payload {
            Payload::Positions(records) => self.take_records(at, records.iter().map(Record::check)),
            Payload::Visits(records) => self.take_records(at, records.iter().map(VisitRecord::check)),
            Payload::Provenance(_) => {}
        }
    }

    fn take_records(&mut self, at: u64, checked: impl ExactSizeIterator<Item = Result<(), RecordError>>) {
        self.records += checked.len() as u64;
        let bad = checked.enumerate().find_map(|(index, checked)| Some((index, checked.err()?)));
        if let Some((index, error)) = bad {
            self.faults.push((at, Fault::Record { index, error }));
        }
    }
}

/// Returns the block at the start of these bytes, and its length. An error comes with the length if the length can be
/// trusted: the header is whole, and another block or nothing follows.
fn whole_block(bytes: &[u8]) -> Result<(Payload, usize), (Fault, Option<usize>)> {
    let truncated = |length: usize| (Fault::Truncated { missing: (length - bytes.len()) as u64 }, None);
    let head = bytes.first_chunk().ok_or_else(|| truncated(HEADER_BYTES))?;
    let header = Header::read(head).map_err(|fault| (fault, None))?;
    let length = HEADER_BYTES + header.payload_bytes();
    let payload = bytes.get(HEADER_BYTES..length).ok_or_else(|| truncated(length))?;
    let follows = bytes.len() == length || bytes[length..].starts_with(&MAGIC);
    let read = header.verify(head, payload).and_then(|()| Payload::read(header.kind, payload));
    read.map(|payload| (payload, length)).map_err(|fault| (fault, follows.then_some(length)))
}

/// The distance to the next place where a block may begin, or to the end.
fn next_block(bytes: &[u8]) -> usize {
    let mut candidates = bytes.windows(MAGIC.len()).enumerate().skip(1);
    let may_begin = |at: usize| bytes[at..].first_chunk().is_some_and(|head| Header::read(head).is_ok());
    candidates.find(|(at, window)| *window == MAGIC && may_begin(*at)).map_or(bytes.len(), |(at, _)| at)
}

/// The counts of a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Copied {
    /// Records read.
    pub read: u64,
    /// Records left out.
    pub left_out: u64,
    /// Records written.
    pub written: u64,
}

/// Writes the records of all files into one, with all the provenance of the files. Drops duplicate positions unless
/// `keep_duplicates` is set. Checks every checksum and every record.
///
/// # Errors
/// [`DataError`] for the first fault in a file; `out` is then unchanged.
pub fn merge(paths: &[PathBuf], out: &Path, keep_duplicates: bool) -> Result<Copied, DataError> {
    let mut seen = KeySet::default();
    copy(paths, out, |_, key| keep_duplicates || seen.insert(key))
}

/// How positions are sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Share {
    /// Each position independently, with this probability.
    OfPositions(f64),
    /// Each game as a whole, with this probability.
    OfGames(f64),
}

/// Writes a random sample of some files into one. The same files, share and seed give the same sample.
///
/// # Errors
/// Those of [`merge`].
pub fn sample(paths: &[PathBuf], out: &Path, share: Share, seed: u64) -> Result<Copied, DataError> {
    let mut number = 0;
    copy(paths, out, |record, _| {
        number += 1;
        match share {
            Share::OfPositions(share) => is_drawn(seed, number, share),
            Share::OfGames(share) => is_drawn(seed, u64::from(record.game()), share),
        }
    })
}

/// Whether the item with this number is drawn.
fn is_drawn(seed: u64, number: u64, share: f64) -> bool {
    use play::random::mix;
    let drawn = mix(mix(seed) ^ number) >> 11;
    (drawn as f64) < share * (1_u64 << 53) as f64
}

fn copy(paths: &[PathBuf], out: &Path, mut keep: impl FnMut(&Record, u64) -> bool) -> Result<Copied, DataError> {
    replace(out, |to: &mut dyn Write| {
        let mut writer = PositionsWriter::new(to, None)?;
        let mut copied = Copied::default();
        for path in paths {
            for block in blocks(path)? {
                let Block { offset, payload } = block?;
                let fault = |index, error| {
                    let fault = Fault::Record { index, error };
                    DataError::Block { path: path.clone(), offset, fault }
                };
                let mut is_kept = |index: usize, record: &Record, checked: Result<(), RecordError>| {
                    let position = checked.and_then(|()| record.position()).map_err(|error| fault(index, error))?;
                    let kept = keep(record, position.key());
                    copied.read += 1;
                    copied.written += u64::from(kept);
                    Ok::<_, DataError>(kept)
                };
                match payload {
                    Payload::Provenance(text) => writer.provenance(&text)?,
                    Payload::Positions(records) => {
                        for (index, record) in records.iter().enumerate() {
                            if is_kept(index, record, record.check())? {
                                writer.push(record)?;
                            }
                        }
                    }
                    Payload::Visits(records) => {
                        for (index, record) in records.iter().enumerate() {
                            if is_kept(index, &record.record(), record.check())? {
                                writer.push_visits(record)?;
                            }
                        }
                    }
                }
            }
        }
        let _out = writer.finish()?;
        copied.left_out = copied.read - copied.written;
        Ok(copied)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{file, records, stored};
    use super::super::{BLOCK_RECORDS, Positions};
    use super::*;
    use proptest::prelude::*;

    fn read(path: &Path) -> Vec<Record> {
        Positions::open(&[path]).unwrap().iter().collect()
    }

    #[test]
    fn a_check_names_what_is_damaged_and_continues() {
        let folder = tempfile::tempdir().unwrap();
        let records = records(3 * BLOCK_RECORDS);
        let good = file(Some("{}"), &records);
        let path = stored(&folder, "good.positions", &good);
        let whole = Checked { blocks: 4, records: 3 * BLOCK_RECORDS as u64, faults: Vec::new() };
        assert_eq!(check(&path).unwrap(), whole);
        let block = HEADER_BYTES + BLOCK_RECORDS * Record::BYTES;
        let [first, second, third] = [0, 1, 2].map(|number| HEADER_BYTES + 2 + number * block);
        // A record of the first block, the header of the second, and the end of the third.
        let mut bad = good.clone();
        bad[first + 1_000] ^= 1;
        bad[second + 9] ^= 0x40;
        bad.truncate(bad.len() - 1);
        let found = check(&stored(&folder, "bad.positions", &bad)).unwrap();
        let places: Vec<u64> = found.faults.iter().map(|(at, _)| *at).collect();
        assert_eq!((found.blocks, found.records, places), (1, 0, [first, second, third].map(|at| at as u64).to_vec()));
        assert!(matches!(found.faults[0].1, Fault::Checksum { .. }));
        assert_eq!((&found.faults[1].1, &found.faults[2].1), (&Fault::Header, &Fault::Truncated { missing: 1 }));
    }

    #[test]
    fn a_record_that_is_none_is_named_though_its_checksum_holds() {
        let folder = tempfile::tempdir().unwrap();
        let mut bad = *records(1)[0].as_bytes();
        bad[25] = 7;
        let good = records(2);
        let path = stored(&folder, "a.positions", &file(None, &[good[0], Record::from_bytes(bad), good[1]]));
        let fault = Fault::Record { index: 1, error: super::super::RecordError::Flags { found: 7 } };
        assert_eq!(check(&path).unwrap(), Checked { blocks: 1, records: 3, faults: vec![(0, fault)] });
        let out = folder.path().join("out");
        let refused = merge(&[path], &out, true).unwrap_err();
        assert!(matches!(refused, DataError::Block { fault: Fault::Record { index: 1, .. }, .. }), "{refused}");
        assert!(!out.exists(), "what cannot be finished is not left behind");
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn merging_keeps_the_first_of_each_position_and_all_provenance() {
        let folder = tempfile::tempdir().unwrap();
        let records = records(300);
        let (one, two) = (&records[..200], &records[100..]);
        let paths = [
            stored(&folder, "one.positions", &file(Some(r#"{"run":"one"}"#), one)),
            stored(&folder, "two.positions", &file(Some(r#"{"run":"two"}"#), two)),
        ];
        let out = folder.path().join("out.positions");
        let copied = merge(&paths, &out, true).unwrap();
        assert_eq!(copied, Copied { read: 400, left_out: 0, written: 400 });
        assert_eq!(
            fs_err::read(&out).unwrap(),
            [file(Some(r#"{"run":"one"}"#), one), file(Some(r#"{"run":"two"}"#), two)].concat()
        );
        let copied = merge(&paths, &out, false).unwrap();
        let merged = read(&out);
        let mut keys: Vec<u64> = merged.iter().map(|record| record.position().unwrap().key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!((keys.len() as u64, merged.len() as u64), (copied.written, copied.written));
        assert_eq!((copied.read, copied.read - copied.left_out), (400, copied.written));
        assert_eq!(Positions::open(&[&out]).unwrap().provenance().len(), 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        #[ignore = "slow"]
        fn a_sample_is_the_same_for_the_same_seed_and_of_whole_games_if_asked(seed: u64, share in 0.0..=1.0) {
            let folder = tempfile::tempdir().unwrap();
            let records = records(1_500);
            let paths = [stored(&folder, "all.positions", &file(None, &records))];
            let [out, again] = ["out", "again"].map(|name| folder.path().join(name));
            let copied = sample(&paths, &out, Share::OfGames(share), seed).unwrap();
            sample(&paths, &again, Share::OfGames(share), seed).unwrap();
            let taken = read(&out);
            prop_assert_eq!(&taken, &read(&again));
            prop_assert_eq!(copied.written, taken.len() as u64);
            let of_game = |all: &[Record], game| all.iter().filter(|record| record.game() == game).count();
            for record in &taken {
                prop_assert_eq!(of_game(&taken, record.game()), of_game(&records, record.game()));
            }
            let single = sample(&paths, &out, Share::OfPositions(share), seed).unwrap();
            // Within five standard deviations.
            let (mean, sd) = (1_500.0 * share, (1_500.0 * share * (1.0 - share)).sqrt());
            prop_assert!((single.written as f64 - mean).abs() <= 5.0 * sd + 1e-9, "{} of {}", single.written, mean);
        }
    }
}
