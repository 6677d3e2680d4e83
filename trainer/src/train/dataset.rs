//! The training data: records of files and runs, filtered and split.
//!
//! Records are held in memory: 38 bytes each, for chess 36, for crazyhouse 56. Positions of one game are alike, so a
//! game is wholly in the training set or wholly held out, whatever file it is in. Files of chess do not number their
//! games: [`Games`] recognises them, and a game's number is a hash of its first position. In runs of chess both games
//! of a pair share one opening and count as one.

use super::TrainError;
use super::crazyhouse::record::Record as CrazyhouseRecord;
use super::input::of_millilogits;
use super::input::{Input, Labelled, Target};
use super::policy::{MoveRecord, is_usable};
use super::sample::Sample;
use crate::chess::formats::{self, Games, Place, ReadError};
use crate::chess::record::RecordError;
use crate::chess::{self, Labels};
use crate::data::extract::FromPly;
use crate::data::{self, NoPositions, Record, Run, VisitRecord};
use arena::config::PositionFormat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// A source of positions.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// The games of a run, which give the positions that the run's file would have.
    Run(Run),
}

/// Which records to use, and which of them to hold out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The share of games held out, 0 to 1.
    pub held_out: f64,
    /// The largest absolute score of a usable record, in 1/1,000 logit.
    pub max_score: i16,
    /// What to learn about moves.
    pub moves: Moves,
}

/// What to learn about moves. Except for [`Moves::None`], the move played must be legal, and records whose move loses
/// the wazir are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moves {
    /// Nothing.
    #[default]
    None,
    /// The move played.
    Played,
    /// The shares of a tree search's visits: all positions must have visit shares.
    Visits,
}

/// Records for training, and held-out records.
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
    Visits(Split<VisitRecord>),
    Chess(Split<chess::Record>),
    Crazyhouse(Split<CrazyhouseRecord>),
}

/// Records of one kind.
#[derive(Clone, Debug)]
pub(super) struct Split<R> {
    pub(super) training: Vec<R>,
    pub(super) held_out: Vec<R>,
}

/// The identity of a data set: equal for equal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The number of positions to train on.
    pub training: u64,
    /// The number of positions held out.
    pub held_out: u64,
    /// The CRC-32 of all positions, in order.
    pub checksum: u32,
}

/// The size of a hash's range, for shares of it.
const RANGE: f64 = 18_446_744_073_709_551_616.0;
/// The limit that crazyhouse scores are clamped to, in 1/1,000 logit: mates are learnt from too.
const MOST_SCORE: i16 = 32_000;
/// The number of leading bytes of a chess record that hold the position: pieces, side to move, castling, en passant.
const POSITION_BYTES: usize = 26;

impl Source {
    fn file(&self) -> Option<&PathBuf> {
        if let Self::File(path) = self { Some(path) } else { None }
    }

    fn run(&self) -> Option<&Run> {
        if let Self::Run(run) = self { Some(run) } else { None }
    }
}

impl Dataset {
    /// Reads and checks positions of 0.1: first those of all files, then those of runs.
    ///
    /// # Errors
    /// [`TrainError::Data`] for the first file or block that cannot be read, with its offset; [`TrainError::NotInPlay`]
    /// for a record that is not a position; [`TrainError::Run`] for a run that gives no positions;
    /// [`TrainError::TooFew`] if nothing is left to train on or nothing is held out.
    pub fn open(sources: &[Source], choice: Choice) -> Result<Self, TrainError> {
        let files: Vec<&PathBuf> = sources.iter().filter_map(Source::file).collect();
        let positions = data::Positions::open(&files)?;
        positions.verify()?;
        let split = match choice.moves {
            Moves::None | Moves::Played => {
                let block = |number| chosen(number, positions.block(number), choice);
                let all = Split::of_files_and_runs(&positions, sources, block, |run| of_run(run, choice))?;
                return Self::new(all);
            }
            Moves::Visits => {
                let block = |number| {
                    let visits = positions.visits(number);
                    let visits = visits.ok_or_else(|| TrainError::NoVisits(positions.file(number).to_owned()))?;
                    chosen(number, visits, choice)
                };
                Split::of_files_and_runs(&positions, sources, block, |run| of_run(run, choice))?
            }
        };
        split.is_usable()?;
        Ok(Self { identity: split.identity(), positions: Positions::Visits(split), without_plies: None })
    }

    /// Reads positions of chess from files, whose extensions give the format, and from runs. `logit` is the number of
    /// centipawns per logit.
    ///
    /// # Errors
    /// [`TrainError::UnknownFormat`] for a file with another extension; [`TrainError::Open`] and
    /// [`TrainError::Positions`] for the first unreadable input, with its line; [`TrainError::Run`] for a run that
    /// gives no positions; [`TrainError::TooFew`] if nothing is left to train on or nothing is held out.
    pub fn open_chess(sources: &[Source], choice: Choice, logit: u16) -> Result<Self, TrainError> {
        let limit = of_millilogits(choice.max_score, logit);
        let parts: Vec<_> = sources
            .par_iter()
            .map(|source| {
                let mut split = Split::default();
                let mut take = |record: chess::Record| {
                    if record.label().0.abs() <= limit {
                        split.push(record, record.labels().game, choice.held_out);
                    }
                };
                match source {
                    Source::File(path) => read_chess(path, &mut take)?,
                    Source::Run(run) => read_chess_run(run, &mut take)?,
                }
                Ok::<_, TrainError>(split)
            })
            .collect();
        let split = Split::of_parts(parts.into_iter().collect::<Result<_, _>>()?);
        split.is_usable()?;
        let mut paths = sources.iter().filter_map(Source::file);
        let without_plies =
            paths.find(|path| formats::of_packed(path).is_some_and(|format| !formats::has_plies(format)));
        let without_plies = without_plies.cloned();
        Ok(Self { identity: split.identity(), positions: Positions::Chess(split), without_plies })
    }

    /// Reads positions of crazyhouse from files in the format [`plain`](formats::plain) and from runs. `logit` is the
    /// number of centipawns per logit. The moves played are always learnt.
    ///
    /// # Errors
    /// Those of [`Dataset::open_chess`].
    pub fn open_crazyhouse(sources: &[Source], choice: Choice, logit: u16) -> Result<Self, TrainError> {
        let [limit, most] = [choice.max_score, MOST_SCORE].map(|score| of_millilogits(score, logit));
        let parts: Vec<_> = sources
            .par_iter()
            .map(|source| {
                let mut split = Split::default();
                let mut take = |record: CrazyhouseRecord| {
                    if record.label().0.abs().min(most) <= limit {
                        split.push(record, record.game(), choice.held_out);
                    }
                };
                match source {
                    Source::File(path) => read_crazyhouse(path, &mut take)?,
                    Source::Run(run) => read_crazyhouse_run(run, &mut take)?,
                }
                Ok::<_, TrainError>(split)
            })
            .collect();
        let split = Split::of_parts(parts.into_iter().collect::<Result<_, _>>()?);
        split.is_usable()?;
        Ok(Self { identity: split.identity(), positions: Positions::Crazyhouse(split), without_plies: None })
    }

    /// Makes a data set from records of 0.1.
    pub(super) fn new(split: Split<Record>) -> Result<Self, TrainError> {
        split.is_usable()?;
        Ok(Self { identity: split.identity(), positions: Positions::ZeroPointOne(split), without_plies: None })
    }

    /// The identity of the data set.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The first file whose positions lack the ply of their game.
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
    /// The records of the blocks of all files, then those of runs.
    fn of_files_and_runs(
        positions: &data::Positions,
        sources: &[Source],
        block: impl Fn(usize) -> Result<Self, TrainError> + Sync + Send,
        run: impl Fn(&Run) -> Result<Self, TrainError>,
    ) -> Result<Self, TrainError> {
        let blocks: Vec<_> = (0..positions.blocks()).into_par_iter().map(block).collect();
        // Reports the first error in order, not in time.
        let mut parts = blocks.into_iter().collect::<Result<Vec<_>, _>>()?;
        for source in sources.iter().filter_map(Source::run) {
            parts.push(run(source)?);
        }
        Ok(Self::of_parts(parts))
    }

    /// Concatenates all parts in order.
    fn of_parts(parts: Vec<Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.training.extend(part.training);
            all.held_out.extend(part.held_out);
        }
        all
    }

    /// Adds a record to the part of the split that its game belongs to.
    fn push(&mut self, record: R, game: u32, held_out: f64) {
        if is_held_out(game, held_out) { self.held_out.push(record) } else { self.training.push(record) }
    }

    /// Checks that there are records to train on and records held out.
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

/// The chosen records of a block.
fn chosen<R: MoveRecord>(
    number: usize,
    records: impl Iterator<Item = R>,
    choice: Choice,
) -> Result<Split<R>, TrainError> {
    let mut sample = Sample::EMPTY;
    let mut split = Split::default();
    for (index, of_moves) in records.enumerate() {
        let record = of_moves.played();
        if record.score().unsigned_abs() > choice.max_score.unsigned_abs() {
            continue;
        }
        sample.read(&record, Target::NONE).ok_or(TrainError::NotInPlay { block: number, index })?;
        let is_usable = || is_usable(&record).map_err(|()| TrainError::IllegalMove { block: number, index });
        if choice.moves == Moves::None || is_usable()? {
            split.push(of_moves, record.game(), choice.held_out);
        }
    }
    Ok(split)
}

/// The chosen records of a run of 0.1.
fn of_run<R: MoveRecord + FromPly>(run: &Run, choice: Choice) -> Result<Split<R>, TrainError> {
    let mut split = Split::default();
    run.read(|journal| {
        data::export::read_once(journal, run.pairs, &run.filter, |_, of_moves: &R| {
            let record = of_moves.played();
            let has_move = choice.moves == Moves::None || is_usable(&record) == Ok(true);
            if has_move && record.score().unsigned_abs() <= choice.max_score.unsigned_abs() {
                split.push(*of_moves, record.game(), choice.held_out);
            }
            Ok(())
        })
    })?;
    Ok(split)
}

/// Passes the records of a chess file to `sink`, with the numbers of their games.
fn read_chess(path: &Path, sink: &mut dyn FnMut(chess::Record)) -> Result<(), TrainError> {
    let format = formats::of_packed(path).ok_or_else(|| TrainError::UnknownFormat(path.to_owned()))?;
    let wrong = |why: ReadError| TrainError::Positions { path: path.to_owned(), why };
    let (mut games, mut game) = (Games::new(formats::has_plies(format)), 0);
    for (number, read) in (1_u64..).zip(formats::open(format, path)?) {
        let of = read.map_err(wrong)?;
        let no_record = |why: RecordError| ReadError::Wrong { place: Place::Position(number), why: why.to_string() };
        let record = unnumbered(&of).map_err(|why| wrong(no_record(why)))?;
        if !games.continues(of.ply(), Some(of.result)) {
            game = begun_by(&record);
        }
        sink(record.with_labels(&Labels { game, ..record.labels() }));
    }
    Ok(())
}

/// Passes the records of a run of chess to `sink`, with a number for each pair.
fn read_chess_run(run: &Run, sink: &mut dyn FnMut(chess::Record)) -> Result<(), NoPositions> {
    let (mut last, mut game) = (None, 0);
    run.read(|journal| {
        chess::export::read_once(journal, run.pairs, &run.filter, |pair, of| {
            let record = unnumbered(of).map_err(io::Error::other)?;
            if last.replace(pair) != Some(pair) {
                game = begun_by(&record);
            }
            sink(record.with_labels(&Labels { game, ..record.labels() }));
            Ok(())
        })
    })
}

/// Passes the records of a crazyhouse file to `sink`, with the numbers of their games.
fn read_crazyhouse(path: &Path, sink: &mut dyn FnMut(CrazyhouseRecord)) -> Result<(), TrainError> {
    if formats::of_packed(path) != Some(PositionFormat::Plain) {
        return Err(TrainError::NotPlain(path.to_owned()));
    }
    let wrong = |why: ReadError| TrainError::Positions { path: path.to_owned(), why };
    let (mut games, mut game) = (Games::new(true), 0);
    for (number, read) in (1_u64..).zip(formats::open_crazyhouse(path)?) {
        let of = read.map_err(wrong)?;
        let no_record = |why| wrong(ReadError::Wrong { place: Place::Position(number), why });
        let record = CrazyhouseRecord::new(&of).map_err(no_record)?;
        if !games.continues(of.ply(), Some(of.result)) {
            game = record.begun_game();
        }
        sink(record.of_game(game));
    }
    Ok(())
}

/// Passes the records of a run of crazyhouse to `sink`, with a number for each pair.
fn read_crazyhouse_run(run: &Run, sink: &mut dyn FnMut(CrazyhouseRecord)) -> Result<(), NoPositions> {
    let (mut last, mut game) = (None, 0);
    run.read(|journal| {
        chess::export::read_once(journal, run.pairs, &run.filter, |pair, of| {
            let record = CrazyhouseRecord::new(of).map_err(io::Error::other)?;
            if last.replace(pair) != Some(pair) {
                game = record.begun_game();
            }
            sink(record.of_game(game));
            Ok(())
        })
    })
}

/// Makes a record without the number of its game.
fn unnumbered(of: &chess::Labelled) -> Result<chess::Record, RecordError> {
    chess::Record::new(&of.position, &Labels { score: Some(of.score), result: Some(of.result), game: 0 })
}

/// The number of a game that begins with this position.
fn begun_by(record: &chess::Record) -> u32 {
    crc32fast::hash(&record.as_bytes()[..POSITION_BYTES])
}

/// Whether a game is held out. A hash of its number decides, so that other games do not matter.
fn is_held_out(game: u32, share: f64) -> bool {
    (stats::random::mix(u64::from(game)) as f64) < share * RANGE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::PositionsWriter;
    use crate::data::tests::records;
    use crate::train::chess::tests::records as records_of_chess;
    use shakmaty::Position;
    use std::io::Write;

    const CHOICE: Choice = Choice { held_out: 0.25, max_score: 1_500, moves: Moves::None };

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
        let source = Source::File(path);
        let data = Dataset::open(std::slice::from_ref(&source), CHOICE).unwrap();
        let Positions::ZeroPointOne(split) = data.positions() else { panic!("positions of 0.1") };
        let kept = all.iter().filter(|record| record.score().abs() <= 1_500).count();
        assert_eq!(split.training.len() + split.held_out.len(), kept);
        let games = |records: &[Record]| records.iter().map(Record::game).collect::<std::collections::BTreeSet<_>>();
        let (training, held_out) = (games(&split.training), games(&split.held_out));
        assert!(training.is_disjoint(&held_out) && training.len() > held_out.len());
        assert_eq!(Dataset::open(std::slice::from_ref(&source), CHOICE).unwrap().identity(), data.identity());
        assert_ne!(Dataset::open(&[source.clone(), source], CHOICE).unwrap().identity(), data.identity());
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
            Dataset::open(&[Source::File(good.clone()), Source::File(path)], CHOICE).unwrap_err().to_string()
        };
        assert!(with("short", &bytes[..1_000]).contains("short, byte 0: the file ends within this block"));
        let mut damaged = bytes.clone();
        damaged[500] ^= 1;
        assert!(with("damaged", &damaged).contains("damaged, byte 0: the block's checksum is"));
        assert!(with("foreign", b"something of another kind").contains("foreign, byte 0: this is not a block"));
        let missing = Dataset::open(&[Source::File(folder.path().join("missing"))], CHOICE).unwrap_err().to_string();
        assert!(missing.contains("missing"), "{missing}");
        let nothing = stored(&folder, "nothing", &[Record::from_bytes([0; Record::BYTES])]);
        let error = Dataset::open(&[Source::File(nothing)], CHOICE).unwrap_err();
        assert!(matches!(error, TrainError::NotInPlay { block: 0, index: 0 }), "{error}");
        let few = Dataset::open(&[Source::File(good)], Choice { held_out: 0.0, ..CHOICE }).unwrap_err();
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
    fn packed_files_of_chess_are_those_that_were_packed() {
        let folder = tempfile::tempdir().unwrap();
        for format in PositionFormat::ALL {
            let mut bytes = Vec::new();
            for record in records_of_chess(400) {
                let Labels { score, result, .. } = record.labels();
                let position = record.position().unwrap();
                // The format of blocks needs a move for each position.
                let played @ Some(_) = position.legal_moves().first().copied() else { continue };
                let of = chess::Labelled { position, score: score.unwrap(), result: result.unwrap(), played };
                formats::write(format, &of, &mut bytes).unwrap();
            }
            let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gz.write_all(&bytes).unwrap();
            let name = format!("a.{}", format.extension());
            let open = |ending: &str, bytes: &[u8]| {
                let path = folder.path().join(format!("{name}{ending}"));
                fs_err::write(&path, bytes).unwrap();
                let data = Dataset::open_chess(&[Source::File(path)], CHOICE, 400).unwrap();
                assert_eq!(data.without_plies().is_some(), format == PositionFormat::Bullet);
                data.identity()
            };
            let plain = open("", &bytes);
            assert!(plain.training > 100 && plain.held_out > 10, "{plain:?}");
            assert_eq!(open(".gz", &gz.finish().unwrap()), plain, "{format:?}");
            assert_eq!(open(".zst", &zstd::encode_all(&bytes[..], 1).unwrap()), plain, "{format:?}");
        }
    }

    #[test]
    fn files_of_chess_that_cannot_be_used_are_named_with_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, content: &str| {
            Dataset::open_chess(&[Source::File(text(&folder, name, content))], CHOICE, 400).unwrap_err().to_string()
        };
        let good = format!("{FEN} b KQkq - 0 1 | 10 | 0.5\n");
        assert!(of("a.txt", &format!("{good}nonsense\n")).contains("a.txt, line 2: expected `FEN | score | result`"));
        assert!(of("a.plain", "fen 8/8\ne\n").contains("a.plain, line 2: "));
        assert!(of("a.bullet", "short").contains("a.bullet, position 1: the file ends"));
        assert!(of("a.positions", "").contains("no format of positions of chess has this extension"));
        assert!(of("none.txt", "").contains("0 positions to train on"));
        let decided = format!("{FEN} b KQkq - 0 1 | -32768 | 0.0\n");
        assert!(of("decided.txt", &decided).contains("0 positions to train on and 0 held out"), "beyond `max_score`");
        let missing = Dataset::open_chess(&[Source::File(folder.path().join("missing.txt"))], CHOICE, 400)
            .unwrap_err()
            .to_string();
        assert!(missing.contains("missing.txt"), "{missing}");
    }
}
