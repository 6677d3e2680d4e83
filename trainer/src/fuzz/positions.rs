//! Files of positions of 0.1: every record is read or reported, however the file is opened.

use super::target;
use crate::data::block::VERSION;
use crate::data::{Blocks, Checked, DataError, Labels, Positions, Record, Share, Statistics, check, merge, sample};
use fuzz::ReadOutcome;
use std::path::Path;

/// The size of a block's header in bytes.
const HEADER: usize = 16;

#[test]
fn files() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, out) = (folder.path().join("a.positions"), folder.path().join("b.positions"));
    target("positions").run(|input| {
        std::fs::write(&path, sealed(input)).expect("a file");
        let checked = check(&path).expect("a file can be read");
        let outcome = match opened(&path) {
            Ok(positions) => {
                assert_eq!(checked.records, positions.len() as u64, "{checked:?}");
                counted(&positions);
                ReadOutcome::Read(shown(&checked))
            }
            Err(error) => {
                assert!(!checked.faults.is_empty() || is_bad_record(&error), "{error}: {checked:?}");
                ReadOutcome::Refused(error.to_string().replace(&*path.to_string_lossy(), "a.positions"))
            }
        };
        let streamed = Blocks::new(&sealed(input)[..], "a").filter_map(Result::ok).count() as u64;
        assert!(streamed <= checked.blocks, "{streamed} blocks by reading, {checked:?}");
        copied(&path, &out, &checked);
        outcome
    });
}

/// The input with correct checksums, if it has the headers of blocks.
fn sealed(input: &[u8]) -> Vec<u8> {
    let (mut file, mut at) = (input.to_vec(), 0);
    while file.get(at..at + 5).is_some_and(|head| head.starts_with(b"SPRP") && head[4] == VERSION) {
        let Some(head) = file.get(at..at + HEADER) else { break };
        let width = if head[5] == 1 { 38 } else { 1 };
        let count = u32::from_le_bytes([head[8], head[9], head[10], head[11]]) as usize;
        let end = count.checked_mul(width).and_then(|bytes| (at + HEADER).checked_add(bytes));
        let Some(payload) = end.and_then(|end| file.get(at + HEADER..end)) else { break };
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&head[..12]);
        hasher.update(payload);
        let length = HEADER + payload.len();
        file[at + 12..at + HEADER].copy_from_slice(&hasher.finalize().to_le_bytes());
        at += length;
    }
    file
}

/// Opens the records of a file and checks that their blocks are whole.
fn opened(path: &Path) -> Result<Positions, DataError> {
    let positions = Positions::open(&[path])?;
    positions.verify()?;
    Ok(positions)
}

fn is_bad_record(error: &DataError) -> bool {
    error.to_string().contains("record")
}

/// Counts the records in every way.
fn counted(positions: &Positions) {
    let mut statistics = Statistics::new(true);
    for (index, record) in positions.iter().enumerate() {
        assert_eq!(positions.get(index), Some(record));
        statistics.add(&record);
        if record.check().is_ok() {
            let position = record.position().expect("it was checked");
            let labels = Labels {
                result: record.result(),
                score: record.score(),
                best: record.best().expect("it was checked"),
                nodes: record.nodes(),
                game: record.game(),
            };
            assert_eq!(Record::new(&position, &labels).as_ref(), Ok(&record), "not the same again");
        }
    }
    statistics.end_of_run();
    assert_eq!(statistics.positions, positions.len() as u64);
    assert_eq!(statistics.results.iter().sum::<u64>(), statistics.positions);
    let _bins = statistics.scores();
}

/// Checks that copying fails if the file has an error, and otherwise copies all records.
fn copied(path: &Path, out: &Path, checked: &Checked) {
    let merged = merge(&[path.to_owned()], out, true);
    match (&merged, checked.faults.is_empty()) {
        (Ok(copied), true) => {
            assert_eq!((copied.read, copied.written), (checked.records, checked.records));
            assert_eq!(check(out).expect("a copy").records, checked.records);
            let sampled = sample(&[path.to_owned()], out, Share::OfPositions(0.5), 1).expect("a whole file");
            assert_eq!(sampled.read, sampled.left_out + sampled.written);
        }
        (Err(_), false) => {}
        _ => panic!("{merged:?}, but {checked:?}"),
    }
}

fn shown(checked: &Checked) -> String {
    format!("{} blocks, {} records, {} faults", checked.blocks, checked.records, checked.faults.len())
}
