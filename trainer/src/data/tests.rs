//! Tests of whole files of positions: their bytes, and the errors for damaged ones.

use super::block::{HEADER_BYTES, Kind};
use super::{
    BLOCK_RECORDS, Block, Blocks, DataError, Fault, Labels, Payload, Positions, PositionsWriter, Record, VisitRecord,
    check, merge,
};
use engine::{Move, MoveList, Position};
use proptest::prelude::*;
use stats::Score;
use std::path::{Path, PathBuf};

/// The positions of a game whose moves `choices` pick, each with the move made in it.
pub(super) fn walk(setups: [u32; 2], choices: &[u32]) -> Vec<(Position, Move)> {
    let mut position = Position::new();
    for setup in setups {
        position.play(Move::setup_of_rank(setup % engine::Setup::COUNT).unwrap());
    }
    let mut walked = Vec::new();
    let mut moves = MoveList::new();
    for &choice in choices {
        if position.outcome().is_some() {
            break;
        }
        moves.clear();
        position.legal_moves(&mut moves);
        let mv = moves[choice as usize % moves.len()];
        walked.push((position, mv));
        position.play(mv);
    }
    walked
}

/// `count` records of real positions, no two with the same labels.
pub(crate) fn records(count: usize) -> Vec<Record> {
    let mut records = Vec::with_capacity(count);
    for game in 0.. {
        let choices: Vec<u32> = (0..80).map(|ply| (ply * 7_919 + game * 104_729) % 65_521).collect();
        for (position, best) in walk([game * 1_009, game * 7_717], &choices) {
            if records.len() == count {
                return records;
            }
            let score = records.len() as i16;
            let labels = Labels { result: Score::ALL[game as usize % 3], score, best, nodes: 2_000 + game, game };
            records.push(Record::new(&position, &labels).unwrap());
        }
    }
    records
}

pub(super) fn file(provenance: Option<&str>, records: &[Record]) -> Vec<u8> {
    let mut writer = PositionsWriter::new(Vec::new(), provenance).unwrap();
    for record in records {
        writer.push(record).unwrap();
    }
    assert_eq!(writer.records(), records.len() as u64);
    writer.finish().unwrap()
}

pub(super) fn stored(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs_err::write(&path, bytes).unwrap();
    path
}

/// The offset and the fault that both readers report for these bytes, and the number of records before it.
fn fault_of(bytes: &[u8]) -> (u64, Fault, usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = stored(&folder, "some.positions", bytes);
    let streamed = Blocks::new(bytes, &path);
    let mut before = 0;
    let mut failure = None;
    for block in streamed {
        match block {
            Ok(Block { payload: Payload::Positions(records), .. }) => before += records.len(),
            Ok(Block { payload: Payload::Visits(records), .. }) => before += records.len(),
            Ok(_) => {}
            Err(error) => failure = Some(error),
        }
    }
    let mapped = Positions::open(&[&path]).and_then(|positions| positions.verify()).unwrap_err();
    let failure = failure.expect("an error");
    assert_eq!(failure.to_string(), mapped.to_string());
    let DataError::Block { path: named, offset, fault } = failure else { panic!("{failure}") };
    assert_eq!(named, path);
    (offset, fault, before)
}

#[test]
fn the_bytes_of_a_file_stay_as_they_are() {
    let position: Position =
        "AAAADDDD/AAAANFFW/......../......../......../......../dddwaaaa/dffnaaaa - r 2".parse().unwrap();
    let best = engine::parse_move(&position, "a1c3").unwrap();
    let labels = Labels { result: Score::Loss, score: -300, best, nodes: 2_000, game: 258 };
    let record = Record::new(&position, &labels).unwrap();
    let bytes = file(Some(r#"{"run":"x"}"#), &[record]);
    // The provenance: header, checksum, text. The position: header, checksum, squares, pieces, labels.
    let expected = [
        "53505250010201000b000000",
        "156c3269",
        "7b2272756e223a2278227d",
        "535052500101260001000000",
        "7595a627",
        "ffff00000000ffff",
        "00001111000023426696555576875555",
        "0200d4fe1200d007000002010000",
    ];
    let expected = expected.concat();
    let expected: Vec<u8> =
        (0..expected.len()).step_by(2).map(|at| u8::from_str_radix(&expected[at..at + 2], 16).unwrap()).collect();
    assert_eq!(bytes, expected);
}

#[test]
fn files_are_read_as_they_were_written_and_concatenated() {
    let all = records(2 * BLOCK_RECORDS + 700);
    let (one, two) = all.split_at(BLOCK_RECORDS + 300);
    let (first, second) = (file(Some(r#"{"run":"one"}"#), one), file(Some(r#"{"run":"two"}"#), two));
    let folder = tempfile::tempdir().unwrap();
    let together = stored(&folder, "together.positions", &[&first[..], &second].concat());
    let apart = [
        stored(&folder, "empty.positions", b""),
        stored(&folder, "one.positions", &first),
        stored(&folder, "two.positions", &second),
    ];
    for opened in [Positions::open(&[&together]).unwrap(), Positions::open(&apart).unwrap()] {
        opened.verify().unwrap();
        assert_eq!((opened.len(), opened.is_empty(), opened.blocks()), (all.len(), false, 4));
        assert_eq!(opened.provenance(), [r#"{"run":"one"}"#, r#"{"run":"two"}"#]);
        assert_eq!(opened.iter().collect::<Vec<_>>(), all);
        for index in [0, BLOCK_RECORDS - 1, BLOCK_RECORDS, one.len() - 1, one.len(), all.len() - 1] {
            assert_eq!(opened.get(index), Some(all[index]));
        }
        assert_eq!((opened.get(all.len()), opened.get(usize::MAX), opened.block(4).len()), (None, None, 0));
    }
    let bytes = fs_err::read(&together).unwrap();
    let streamed: Vec<Record> = Blocks::new(&bytes[..], &together)
        .filter_map(|block| match block.unwrap().payload {
            Payload::Positions(records) => Some(records),
            Payload::Visits(_) | Payload::Provenance(_) => None,
        })
        .flatten()
        .collect();
    assert_eq!(streamed, all);
}

#[test]
fn nothing_is_a_file_of_no_positions() {
    let folder = tempfile::tempdir().unwrap();
    let empty = Positions::open(&[stored(&folder, "empty.positions", b"")]).unwrap();
    assert_eq!((empty.len(), empty.get(0), empty.blocks()), (0, None, 0));
    assert_eq!(Blocks::new(&b""[..], Path::new("empty")).count(), 0);
    assert_eq!(file(None, &[]), b"");
}

#[test]
fn foreign_files_and_later_versions_are_refused() {
    let mut later = file(None, &records(1));
    later[4] = 2;
    let text = "a file of something else";
    assert_eq!(fault_of(text.as_bytes()), (0, Fault::Foreign, 0));
    assert_eq!(fault_of(&later), (0, Fault::Version { found: 2, reads: 1 }, 0));
    let good = file(None, &records(3));
    let (offset, fault, before) = fault_of(&[&good[..], text.as_bytes()].concat());
    assert_eq!((offset, fault, before), (good.len() as u64, Fault::Foreign, 3));
}

#[test]
fn provenance_is_a_json_object_and_not_long() {
    for text in ["", "7", "{", "[1]"] {
        let refused = PositionsWriter::new(Vec::new(), Some(text)).err().expect("an error");
        assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput, "{text}");
    }
    let long = format!(r#"{{"a":"{}"}}"#, "a".repeat(1 << 20));
    assert!(PositionsWriter::new(Vec::new(), Some(&long)).is_err());
    let text = [0xff, 0xfe];
    let bytes = [&super::block::Header::of(Kind::Provenance, &text)[..], &text].concat();
    assert!(matches!(fault_of(&bytes), (0, Fault::Provenance(_), 0)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_file_cut_short_says_where(cut in any::<prop::sample::Index>()) {
        let bytes = file(Some("{}"), &records(40));
        let cut = cut.index(bytes.len());
        let boundary = HEADER_BYTES + 2;
        prop_assume!(cut != 0 && cut != boundary);
        let (offset, fault, before) = fault_of(&bytes[..cut]);
        let truncated = matches!(fault, Fault::Truncated { missing: 1.. });
        prop_assert!(truncated, "{}", fault);
        prop_assert_eq!((offset, before), (if cut < boundary { 0 } else { boundary as u64 }, 0));
    }

    #[test]
    fn a_changed_bit_is_seen(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let good = file(None, &records(5));
        let mut bytes = [&good[..], &good].concat();
        let at = at.index(good.len());
        bytes[good.len() + at] ^= 1_u8 << bit;
        let (offset, _, before) = fault_of(&bytes);
        prop_assert_eq!((offset, before), (good.len() as u64, 5));
    }
}

#[test]
fn positions_with_and_without_visits_are_blocks_of_their_own_in_one_file() {
    let all = records(BLOCK_RECORDS + 20);
    let visits: Vec<VisitRecord> = all.iter().map(|record| VisitRecord::new(record, &[])).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut writer = PositionsWriter::new(Vec::new(), Some("{}")).unwrap();
    writer.push(&all[0]).unwrap();
    for record in &visits {
        writer.push_visits(record).unwrap();
    }
    writer.push(&all[1]).unwrap();
    assert_eq!(writer.records(), all.len() as u64 + 2);
    let bytes = writer.finish().unwrap();
    // In the second block: version, kind, record size.
    let [first, second] = [16 + 2, 16 + 2 + 16 + Record::BYTES];
    assert_eq!(
        (&bytes[first..first + 8], &bytes[second..second + 8]),
        (&b"SPRP\x01\x01\x26\x00"[..], &b"SPRP\x01\x03\x56\x00"[..])
    );
    let path = stored(&folder, "mixed.positions", &bytes);
    let opened = Positions::open(&[&path]).unwrap();
    opened.verify().unwrap();
    assert_eq!((opened.len(), opened.blocks()), (all.len() + 2, 4));
    assert_eq!(opened.get(BLOCK_RECORDS + 1), Some(all[BLOCK_RECORDS]));
    assert_eq!(opened.iter().skip(1).take(all.len()).collect::<Vec<_>>(), all);
    let found: Vec<VisitRecord> = (0..4).filter_map(|number| opened.visits(number)).flatten().collect();
    assert_eq!(found, visits);
    assert_eq!(opened.file(2), path);
    let checked = check(&path).unwrap();
    assert_eq!((checked.records, checked.faults), (all.len() as u64 + 2, Vec::new()));
    let out = folder.path().join("merged.positions");
    merge(&[path], &out, true).unwrap();
    assert_eq!(fs_err::read(&out).unwrap(), bytes, "a copy keeps the kinds of blocks");
    let mut damaged = bytes;
    damaged[second + 16 + Record::BYTES] ^= 1;
    let path = stored(&folder, "damaged.positions", &damaged);
    assert!(matches!(check(&path).unwrap().faults[..], [(_, Fault::Checksum { .. })]));
}
