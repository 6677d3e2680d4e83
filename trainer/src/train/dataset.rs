//! What is trained on: records of some files, chosen and split.
//!
//! Records are held in memory, 38 bytes each, of chess 36. Positions of one game are alike, so a game is wholly in the training set or wholly
//! held out, whatever file it is in. Files of chess do not number their games: they are told by what they say ([`Games`]), and the number
//! of one is a hash of its first position.

use super::TrainError;
use super::input::{Input, Labelled, Target};
use super::sample::Sample;
use super::settings::of_millilogits;
use crate::chess::formats::{self, Games, Place, ReadError};
use crate::chess::{self, Labels};
use crate::data::{self, Record};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::io::BufReader;
use std::path::{Path, PathBuf};

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
    positions: Positions,
    identity: Identity,
    /// The first file whose format has no plies.
    without_plies: Option<PathBuf>,
}

/// The records of a data set, by game.
#[derive(Clone, Debug)]
pub(super) enum Positions {
    ZeroPointOne(Split<Record>),
    Chess(Split<chess::Record>),
}

/// Records of one kind.
#[derive(Clone, Debug)]
pub(super) struct Split<R> {
    pub(super) training: Vec<R>,
    pub(super) held_out: Vec<R>,
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
/// Bytes of a record of chess that are the position: pieces, who moves, castling, en passant.
const POSITION_BYTES: usize = 26;

impl Dataset {
    /// Reads files of positions of 0.1 and checks them.
    ///
    /// # Errors
    /// [`TrainError::Data`] for the first file or block that cannot be read, with its place; [`TrainError::NotInPlay`] for a record that is
    /// no position; [`TrainError::TooFew`] if nothing is left to train on or nothing is held out.
    pub fn open<P: AsRef<Path>>(files: &[P], choice: Choice) -> Result<Self, TrainError> {
        let positions = data::Positions::open(files)?;
        positions.verify()?;
        let blocks: Result<Vec<_>, TrainError> =
            (0..positions.blocks()).into_par_iter().map(|number| chosen(&positions, number, choice)).collect();
        Self::new(Split::of_parts(blocks?))
    }

    /// Reads files of positions of chess, whose formats their extensions say. So many centipawns are 1 logit.
    ///
    /// # Errors
    /// [`TrainError::UnknownFormat`] for a file of another extension; [`TrainError::Positions`] for the first thing that cannot be read, with
    /// its line; [`TrainError::TooFew`] if nothing is left to train on or nothing is held out.
    pub fn open_chess<P: AsRef<Path> + Sync>(files: &[P], choice: Choice, logit: u16) -> Result<Self, TrainError> {
        let limit = of_millilogits(choice.max_score, logit);
        let parts: Result<Vec<_>, TrainError> = files
            .par_iter()
            .map(|path| {
                let mut split = Split::default();
                read_chess(path.as_ref(), &mut |record| {
                    if record.label().0.abs() <= limit {
                        split.push(record, record.labels().game, choice.held_out);
                    }
                })?;
                Ok(split)
            })
            .collect();
        let split = Split::of_parts(parts?);
        split.is_usable()?;
        let mut paths = files.iter().map(AsRef::as_ref);
        let without_plies = paths.find(|path| formats::of_path(path).is_some_and(|format| !formats::has_plies(format)));
        let without_plies = without_plies.map(Path::to_owned);
        Ok(Self { identity: split.identity(), positions: Positions::Chess(split), without_plies })
    }

    /// A data set of these records of 0.1.
    pub(super) fn new(split: Split<Record>) -> Result<Self, TrainError> {
        split.is_usable()?;
        Ok(Self { identity: split.identity(), positions: Positions::ZeroPointOne(split), without_plies: None })
    }

    /// What makes it the same as another.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The first file whose positions do not say how far their game is.
    pub fn without_plies(&self) -> Option<&Path> {
        self.without_plies.as_deref()
    }

    pub(super) fn positions(&self) -> &Positions {
        &self.positions
    }
}

impl<R> Default for Split<R> {
    fn default() -> Self {
        Self { training: Vec::new(), held_out: Vec::new() }
    }
}

impl<R: Labelled> Split<R> {
    /// All parts in their order.
    fn of_parts(parts: Vec<Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.training.extend(part.training);
            all.held_out.extend(part.held_out);
        }
        all
    }

    /// Adds a record of a game to that part which the game belongs to.
    fn push(&mut self, record: R, game: u32, held_out: f64) {
        if is_held_out(game, held_out) { self.held_out.push(record) } else { self.training.push(record) }
    }

    /// Whether there is something to train on, and something to judge by.
    fn is_usable(&self) -> Result<(), TrainError> {
        let [training, held_out] = [self.training.len(), self.held_out.len()];
        if training == 0 || held_out == 0 { Err(TrainError::TooFew { training, held_out }) } else { Ok(()) }
    }

    fn identity(&self) -> Identity {
        let mut hasher = crc32fast::Hasher::new();
        self.training.iter().chain(&self.held_out).for_each(|record| hasher.update(record.bytes()));
        Identity {
            training: self.training.len() as u64,
            held_out: self.held_out.len() as u64,
            checksum: hasher.finalize(),
        }
    }
}

/// The records of a block.
fn chosen(positions: &data::Positions, number: usize, choice: Choice) -> Result<Split<Record>, TrainError> {
    let mut sample = Sample::EMPTY;
    let records = positions
        .block(number)
        .enumerate()
        .filter(|(_, record)| record.score().unsigned_abs() <= choice.max_score.unsigned_abs());
    let mut split = Split::default();
    for (index, record) in records {
        sample.read(&record, Target::NONE).ok_or(TrainError::NotInPlay { block: number, index })?;
        split.push(record, record.game(), choice.held_out);
    }
    Ok(split)
}

/// Hands on the records of a file of chess, with the numbers of their games.
fn read_chess(path: &Path, sink: &mut dyn FnMut(chess::Record)) -> Result<(), TrainError> {
    let format = formats::of_path(path).ok_or_else(|| TrainError::UnknownFormat(path.to_owned()))?;
    let wrong = |why: ReadError| TrainError::Positions { path: path.to_owned(), why };
    let file = BufReader::new(fs_err::File::open(path)?);
    let (mut games, mut game) = (Games::new(format), 0);
    for (number, read) in (1_u64..).zip(formats::Positions::new(format, file)) {
        let of = read.map_err(wrong)?;
        let record =
            chess::Record::new(&of.position, &Labels { score: Some(of.score), result: Some(of.result), game: 0 });
        let record =
            record.map_err(|why| wrong(ReadError::Wrong { place: Place::Position(number), why: why.to_string() }))?;
        if !games.goes_on(&of) {
            game = crc32fast::hash(&record.as_bytes()[..POSITION_BYTES]);
        }
        sink(record.with_labels(&Labels { game, ..record.labels() }));
    }
    Ok(())
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
        let Positions::ZeroPointOne(split) = data.positions() else { panic!("positions of 0.1") };
        let kept = all.iter().filter(|record| record.score().abs() <= 1_500).count();
        assert_eq!(split.training.len() + split.held_out.len(), kept);
        let games = |records: &[Record]| records.iter().map(Record::game).collect::<std::collections::BTreeSet<_>>();
        let (training, held_out) = (games(&split.training), games(&split.held_out));
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

    const FEN: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

    fn text(folder: &tempfile::TempDir, name: &str, text: &str) -> std::path::PathBuf {
        let path = folder.path().join(name);
        fs_err::write(&path, text).unwrap();
        path
    }

    #[test]
    fn positions_with_rising_plies_and_one_result_are_of_one_game() {
        let folder = tempfile::tempdir().unwrap();
        let line = |(mv, result): (u32, &str)| format!("{FEN} b KQkq - 0 {mv} | 10 | {result}\n");
        let rows = [(3, "1.0"), (4, "1.0"), (9, "1.0"), (2, "1.0"), (5, "0.5"), (5, "0.5")].map(line);
        let games = |name: &str, rows: &[String]| {
            let mut games = Vec::new();
            read_chess(&text(&folder, name, &rows.concat()), &mut |record| games.push(record.labels().game)).unwrap();
            games
        };
        let of_one_start = games("a.txt", &rows);
        assert!(
            of_one_start.iter().all(|game| *game == of_one_start[0]),
            "begun by the same position: {of_one_start:?}"
        );
        let mut others = rows;
        others[0] = others[0].replace("KBNR", "KB1R");
        others[3] = others[3].replace("KBNR", "K1NR");
        others[4] = others[4].replace("KBNR", "1BNR").replace("RNBQ", "RNBK");
        let found = games("b.txt", &others);
        assert_eq!(found[1..3], [found[0]; 2], "plies rise");
        assert!(found[3] != found[2], "plies fall");
        assert!(found[4] != found[3], "another result");
        assert!(found[5] != found[4], "the same ply");
    }

    #[test]
    fn files_of_chess_that_cannot_be_used_are_named_with_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, content: &str| {
            Dataset::open_chess(&[text(&folder, name, content)], CHOICE, 400).unwrap_err().to_string()
        };
        let good = format!("{FEN} b KQkq - 0 1 | 10 | 0.5\n");
        assert!(of("a.txt", &format!("{good}nonsense\n")).contains("a.txt, line 2: expected `FEN | score | result`"));
        assert!(of("a.plain", "fen 8/8\ne\n").contains("a.plain, line 2: "));
        assert!(of("a.bullet", "short").contains("a.bullet, position 1: the file ends"));
        assert!(of("a.positions", "").contains("no format of positions of chess has this extension"));
        assert!(of("none.txt", "").contains("0 positions to train on"));
        let decided = format!("{FEN} b KQkq - 0 1 | -32768 | 0.0\n");
        assert!(of("decided.txt", &decided).contains("0 positions to train on and 0 held out"), "beyond `max_score`");
        let missing = Dataset::open_chess(&[folder.path().join("missing.txt")], CHOICE, 400).unwrap_err().to_string();
        assert!(missing.contains("missing.txt"), "{missing}");
    }
}
