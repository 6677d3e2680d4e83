//! Syzygy endgame tables: finds them, checks that a set is complete and readable, and probes them.
//!
//! Win/draw/loss tables give the value of a position if its fifty-move counter is zero. A higher counter only helps the
//! defender: a draw in the tables is a draw at any counter, while a win is certain only at zero. Tables of distances,
//! which have more information, are not used: a game's result must not depend on which further files exist.
//!
//! [`crate::adjudication`] decides when tables end games; `shakmaty-syzygy` reads the files.

use super::{Chess, ChessPosition};
use crate::adjudication::{Endgames, TableRuling, TableVerdict};
use crate::random::Stream;
use record::Side;
use shakmaty::variant::{Antichess, Atomic, Variant, VariantPosition};
use shakmaty::{Bitboard, CastlingMode, Color, FromSetup, Piece, Position, Role, Setup, Square};
use shakmaty_syzygy::{Syzygy, SyzygyError, Tablebase, Wdl};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Why tables cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// No tables exist for this game.
    #[error("there are no endgame tables of this game: chess, Chess960, atomic and antichess have some")]
    NoSuchGame,
    /// A folder cannot be read.
    #[error("cannot read the folder {} of endgame tables: {why}", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        why: String,
    },
    /// There are no tables.
    #[error("there are no endgame tables of this game in {path}: their files end with `.{ending}`")]
    Nothing {
        /// The folders that were searched.
        path: String,
        /// The extension of the tables' files.
        ending: &'static str,
    },
    /// Tables are missing: every material that a capture or a promotion leads to needs one.
    #[error("{missing} endgame tables of up to {pieces} men are missing, `{first}` among them")]
    Incomplete {
        /// The number of men, kings included.
        pieces: u8,
        /// The number of missing tables.
        missing: usize,
        /// The first missing table.
        first: String,
    },
    /// A file does not hold what its name says.
    #[error("the endgame table {} is damaged: {why}", .file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

/// The minimum number of men in a table, kings included.
pub const FEWEST_MEN: u8 = 3;

/// The files of the tables in some folders, by material such as `KQvK`.
struct Files {
    ending: &'static str,
    by_material: BTreeMap<String, PathBuf>,
}

impl Files {
    /// Lists the tables in the folders of `path`, which are separated as in `PATH`.
    fn list(game: Chess, path: &str) -> Result<Self, TableError> {
        let (ending, also) = match game.variant {
            Variant::Chess => Chess::endings::<shakmaty::Chess>(),
            Variant::Atomic => Chess::endings::<Atomic>(),
            Variant::Antichess => Chess::endings::<Antichess>(),
            _ => return Err(TableError::NoSuchGame),
        };
        let mut by_material = BTreeMap::new();
        for folder in std::env::split_paths(path) {
            let unreadable =
                |error: std::io::Error| TableError::Folder { folder: folder.clone(), why: error.to_string() };
            for entry in folder.read_dir().map_err(unreadable)? {
                let file = entry.map_err(unreadable)?.path();
                let has_ending = |ending: &str| file.extension().is_some_and(|found| found == ending);
                let material = file.file_stem().and_then(|stem| stem.to_str()).filter(|stem| men_of(stem).is_some());
                if let Some(material) = material.filter(|_| has_ending(ending) || also.is_some_and(has_ending)) {
                    by_material.insert(material.to_owned(), file);
                }
            }
        }
        if by_material.is_empty() {
            return Err(TableError::Nothing { path: path.to_owned(), ending });
        }
        Ok(Self { ending, by_material })
    }

    /// The file of this material, in either order of the sides.
    fn find(&self, [ours, theirs]: &[String; 2]) -> Option<&PathBuf> {
        let name = |one: &str, other: &str| self.by_material.get(&format!("{one}v{other}"));
        name(ours, theirs).or_else(|| name(theirs, ours))
    }

    /// Checks that all tables of up to this many men exist.
    fn check(&self, pieces: u8) -> Result<(), TableError> {
        let missing: Vec<String> = materials(pieces)
            .into_iter()
            .filter(|material| self.find(material).is_none())
            .map(|material| format!("{}.{}", material.join("v"), self.ending))
            .collect();
        match missing.first() {
            Some(first) => Err(TableError::Incomplete { pieces, missing: missing.len(), first: first.clone() }),
            None => Ok(()),
        }
    }

    /// The maximum number of men in any table.
    fn most(&self) -> u8 {
        self.by_material.keys().filter_map(|material| men_of(material)).max().unwrap_or_default()
    }
}

/// The number of men in a table's name, such as `KQvK`; `None` if it is not such a name.
fn men_of(name: &str) -> Option<u8> {
    let (ours, theirs) = name.split_once('v')?;
    let is_side = |side: &str| !side.is_empty() && side.chars().all(|c| "KQRBNP".contains(c));
    (is_side(ours) && is_side(theirs) && name.len() <= 8).then_some(name.len() as u8 - 1)
}

/// All materials of 3 to this many men with a king on either side, the stronger side first.
fn materials(pieces: u8) -> Vec<[String; 2]> {
    let sides: Vec<Vec<String>> = (0..pieces.saturating_sub(1)).map(|men| sides(usize::from(men), 0)).collect();
    let mut all = Vec::new();
    for men in 1..=usize::from(pieces.saturating_sub(2)) {
        for theirs in 0..=men / 2 {
            for ours in &sides[men - theirs] {
                // Of two materials that differ only by colours, one has a table.
                let weaker = sides[theirs].iter().filter(|other| men > 2 * theirs || ours <= other);
                all.extend(weaker.map(|other| [format!("K{ours}"), format!("K{other}")]));
            }
        }
    }
    all
}

/// All choices of this many men beside the king, strongest first, none stronger than the choice at index `from`.
fn sides(men: usize, from: usize) -> Vec<String> {
    const ROLES: [char; 5] = ['Q', 'R', 'B', 'N', 'P'];
    if men == 0 {
        return vec![String::new()];
    }
    let beginning_with =
        |role: usize| sides(men - 1, role).into_iter().map(move |rest| format!("{}{rest}", ROLES[role]));
    (from..ROLES.len()).flat_map(beginning_with).collect()
}

impl Chess {
    /// The extensions of win/draw/loss tables, and of pawnless ones if they differ.
    fn endings<P: Syzygy>() -> (&'static str, Option<&'static str>) {
        (P::TBW.ext, P::PAWNLESS_TBW.map(|kind| kind.ext))
    }

    /// The maximum number of men for which the tables in the folders of `path` can end games: as requested, or else the
    /// size of their largest complete set. Checks names, not the content of files; [`open_tables`](Self::open_tables)
    /// does that.
    ///
    /// # Errors
    /// [`TableError`] if there are no tables, or not all that were requested.
    pub fn find_tables(self, path: &str, pieces: Option<u8>) -> Result<u8, TableError> {
        let files = Files::list(self, path)?;
        if self.variant == Variant::Antichess {
            // Kings are men like others there, and spar does not know which sets are complete.
            return Ok(pieces.unwrap_or(u8::MAX).min(files.most()));
        }
        if let Some(pieces) = pieces {
            return files.check(pieces).map(|()| pieces);
        }
        files.check(FEWEST_MEN)?;
        let complete = (FEWEST_MEN..=files.most()).take_while(|&pieces| files.check(pieces).is_ok());
        Ok(complete.last().unwrap_or(FEWEST_MEN))
    }

    /// Opens tables and probes each of them once. Shares tables that are already open.
    ///
    /// # Errors
    /// [`TableError`] if they cannot be used.
    pub fn open_tables(self, ruling: &TableRuling) -> Result<Arc<dyn Endgames<Self>>, TableError> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|tables| tables.strong_count() > 0);
        let is_wanted = |tables: &Arc<Tables>| tables.game == self && tables.ruling == *ruling;
        if let Some(tables) = open.iter().filter_map(Weak::upgrade).find(is_wanted) {
            return Ok(tables);
        }
        let tables = Arc::new(Tables::open(self, ruling)?);
        open.push(Arc::downgrade(&tables));
        Ok(tables)
    }
}

/// The open tables, shared by the workers of a run, since each table is an open file.
static OPEN: Mutex<Vec<Weak<Tables>>> = Mutex::new(Vec::new());

/// Open tables.
struct Tables {
    game: Chess,
    ruling: TableRuling,
    base: Base,
    /// The error of the first table that could not be read during a game.
    failure: OnceLock<String>,
}

enum Base {
    Chess(Tablebase<shakmaty::Chess>),
    Atomic(Tablebase<Atomic>),
    Antichess(Tablebase<Antichess>),
}

impl Tables {
    fn open(game: Chess, ruling: &TableRuling) -> Result<Self, TableError> {
        let files = Files::list(game, &ruling.path)?;
        let base = match game.variant {
            Variant::Chess => files.check(ruling.pieces).and_then(|()| open(&files, ruling.pieces)).map(Base::Chess),
            Variant::Atomic => files.check(ruling.pieces).and_then(|()| open(&files, ruling.pieces)).map(Base::Atomic),
            Variant::Antichess => open(&files, ruling.pieces).map(Base::Antichess),
            _ => Err(TableError::NoSuchGame),
        };
        Ok(Self { game, ruling: ruling.clone(), base: base?, failure: OnceLock::new() })
    }

    fn probe(&self, board: &VariantPosition) -> Result<Wdl, SyzygyError> {
        match (&self.base, board) {
            (Base::Chess(tables), VariantPosition::Chess(position)) => tables.probe_wdl_after_zeroing(position),
            (Base::Atomic(tables), VariantPosition::Atomic(position)) => tables.probe_wdl_after_zeroing(position),
            (Base::Antichess(tables), VariantPosition::Antichess(position)) => tables.probe_wdl_after_zeroing(position),
            _ => Err(SyzygyError::TooManyPieces),
        }
    }
}

impl Endgames<Chess> for Tables {
    fn verdict(&self, position: &ChessPosition) -> Option<TableVerdict> {
        let board = &position.board;
        if board.board().occupied().count() > usize::from(self.ruling.pieces) || board.castles().any() {
            return None;
        }
        let wdl = match self.probe(board) {
            Ok(wdl) => wdl,
            Err(SyzygyError::ProbeFailed { material, error, .. }) => {
                let _the_first_is_told =
                    self.failure.set(format!("the endgame table {material:?} is damaged: {error}"));
                return None;
            }
            Err(_) => return None,
        };
        let ours = super::side(board.turn());
        let won = |winner: Side| Some(TableVerdict { winner: Some(winner) });
        let is_certain = self.ruling.ignore_50 || board.halfmoves() == 0;
        let verdict = match wdl {
            Wdl::Draw => Some(TableVerdict { winner: None }),
            Wdl::CursedWin | Wdl::BlessedLoss if !self.ruling.ignore_50 => Some(TableVerdict { winner: None }),
            Wdl::Win | Wdl::CursedWin if is_certain => won(ours),
            Wdl::Loss | Wdl::BlessedLoss if is_certain => won(!ours),
            _ => None,
        };
        verdict.filter(|&verdict| self.ruling.results.include(verdict))
    }

    fn failure(&self) -> Option<String> {
        self.failure.get().cloned()
    }
}

/// Adds the tables of up to this many men, and probes each of them for some positions.
fn open<P: Position + FromSetup + Clone + Syzygy>(files: &Files, pieces: u8) -> Result<Tablebase<P>, TableError> {
    let wanted = || files.by_material.iter().filter(|(name, _)| men_of(name).is_some_and(|men| men <= pieces));
    let mut tables = Tablebase::new();
    for (_, file) in wanted() {
        let damaged = |error: std::io::Error| TableError::Damaged { file: file.clone(), why: error.to_string() };
        tables.add_file(file).map_err(damaged)?;
    }
    for (material, file) in wanted() {
        for position in samples::<P>(material) {
            if let Err(error @ SyzygyError::ProbeFailed { .. }) = tables.probe_wdl_after_zeroing(&position) {
                return Err(damaged(file, &error));
            }
        }
    }
    Ok(tables)
}

/// The error of a damaged file, without the library's location of the damage.
fn damaged(file: &Path, error: &SyzygyError) -> TableError {
    let why = match error {
        SyzygyError::ProbeFailed { error, .. } => match error.as_ref() {
            shakmaty_syzygy::ProbeError::CorruptedTable { .. } => "its data make no sense".to_owned(),
            other => other.to_string(),
        },
        other => other.to_string(),
    };
    TableError::Damaged { file: file.to_owned(), why }
}

/// The number of positions that each table is probed for before it is used, and the maximum number of draws for them.
const SAMPLES: usize = 16;
const DRAWS: usize = 10_000;

/// Positions with this material in which nothing can be captured, so that the material's own table is probed.
fn samples<P: Position + FromSetup>(material: &str) -> Vec<P> {
    let mut stream = Stream::from_seed(1);
    let drawn = (0..DRAWS).filter_map(|_| P::from_setup(draw(material, &mut stream)?, CastlingMode::Standard).ok());
    drawn.filter(|position| position.capture_moves().is_empty()).take(SAMPLES).collect()
}

/// A setup with the men on randomly drawn squares; `None` if two were drawn onto one.
fn draw(material: &str, stream: &mut Stream) -> Option<Setup> {
    let (ours, theirs) = material.split_once('v')?;
    let mut setup = Setup::empty();
    for (men, color) in [(ours, Color::White), (theirs, Color::Black)] {
        for role in men.chars().filter_map(Role::from_char) {
            let square = Square::new(stream.below(64));
            if setup.board.occupied().contains(square) || role == Role::Pawn && Bitboard::BACKRANKS.contains(square) {
                return None;
            }
            setup.board.set_piece_at(square, Piece { color, role });
        }
    }
    Some(setup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjudication::TableResults;
    use crate::game::Game;
    use crate::games::GameKind;

    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

    fn chess() -> Chess {
        Chess::of(GameKind::Chess).expect("a kind of chess")
    }

    fn ruling(path: &str, ignore_50: bool) -> TableRuling {
        TableRuling { path: path.to_owned(), pieces: 3, ignore_50, results: TableResults::All }
    }

    /// The winner, `-` for a draw, or `?` if the tables have no answer.
    fn verdict(fen: &str, ignore_50: bool) -> char {
        let tables = chess().open_tables(&ruling(FOLDER, ignore_50)).expect("tables");
        match tables.verdict(&chess().setup(fen).expect("a position")) {
            None => '?',
            Some(TableVerdict { winner: None }) => '-',
            Some(TableVerdict { winner: Some(Side::First) }) => 'w',
            Some(TableVerdict { winner: Some(Side::Second) }) => 'b',
        }
    }

    #[test]
    fn a_set_of_tables_is_as_large_as_everybody_says() {
        // The numbers published by the makers of the tables: 5, 30, 110, 365 and 1001 tables of 3 to 7 men.
        let counts: Vec<usize> = (3..=7).map(|pieces| materials(pieces).len()).collect();
        assert_eq!(counts, [5, 35, 145, 510, 1511]);
        let names: Vec<String> = materials(3).iter().map(|sides| sides.join("v")).collect();
        assert_eq!(names, ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]);
    }

    #[test]
    fn a_win_is_certain_while_the_counter_is_zero_and_a_draw_always() {
        for (fen, with_50, without_50) in [
            ("8/8/8/8/8/1k6/8/K2R4 w - - 0 80", 'w', 'w'),
            ("8/8/8/8/8/1k6/8/K2r4 w - - 0 80", 'b', 'b'),
            ("8/8/8/8/8/1k6/8/K2Q4 b - - 0 80", 'w', 'w'),
            ("8/8/8/8/8/1k6/8/K2R4 w - - 1 80", '?', 'w'),
            ("8/8/8/8/8/1k6/8/K2R4 w - - 99 80", '?', 'w'),
            ("8/8/8/8/8/1k6/3R4/K7 b - - 99 80", '?', 'w'),
            ("8/8/8/8/8/1k6/1R6/7K b - - 0 80", '-', '-'),
            ("8/8/8/8/8/1k6/1R6/7K b - - 99 80", '-', '-'),
            ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 80", 'w', 'w'),
            ("4k3/8/8/8/8/8/P7/4K3 b - - 0 80", '-', '-'),
            ("8/8/8/8/8/1k6/3R4/K2N4 w - - 0 80", '?', '?'),
        ] {
            assert_eq!((verdict(fen, false), verdict(fen, true)), (with_50, without_50), "{fen}");
        }
    }

    #[test]
    fn won_games_alone_or_drawn_ones_can_be_ended() {
        let verdict = |fen: &str, results| {
            let ruling = TableRuling { results, ..ruling(FOLDER, false) };
            let tables = chess().open_tables(&ruling).expect("tables");
            tables.verdict(&chess().setup(fen).expect("a position")).is_some()
        };
        let won = "8/8/8/8/8/1k6/8/K2R4 w - - 0 80";
        let drawn = "8/8/8/8/8/1k6/1R6/7K b - - 0 80";
        let of = |results| (verdict(won, results), verdict(drawn, results));
        let all = [TableResults::All, TableResults::Wins, TableResults::Draws].map(of);
        assert_eq!(all, [(true, true), (true, false), (false, true)]);
    }

    #[test]
    fn what_is_missing_or_damaged_is_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().to_str().expect("a name");
        let find = |path: &str, pieces| chess().find_tables(path, pieces).map_err(|error| error.to_string());
        let nothing = format!("there are no endgame tables of this game in {path}: their files end with `.rtbw`");
        assert_eq!(find(path, None), Err(nothing));
        assert_eq!((find(FOLDER, None), find(FOLDER, Some(3))), (Ok(3), Ok(3)));
        let missing = "30 endgame tables of up to 4 men are missing, `KQQvK.rtbw` among them";
        assert_eq!(find(FOLDER, Some(4)), Err(missing.to_owned()));
        assert!(find("/nowhere", None).is_err_and(|why| why.starts_with("cannot read the folder /nowhere")));
        for name in ["KQvK", "KRvK", "KBvK", "KNvK"] {
            std::fs::copy(format!("{FOLDER}/{name}.rtbw"), folder.path().join(format!("{name}.rtbw"))).expect("a copy");
        }
        let missing = "1 endgame tables of up to 3 men are missing, `KPvK.rtbw` among them";
        assert_eq!(find(path, None), Err(missing.to_owned()));
        let both = format!("{path}:{FOLDER}");
        assert_eq!(find(&both, None), Ok(3), "folders complete each other");
        let whole = std::fs::read(format!("{FOLDER}/KPvK.rtbw")).expect("a table");
        let mut other = whole.clone();
        other[0] ^= 1;
        let shorter = whole[..whole.len() / 128 * 64 + 16].to_vec();
        for (content, why) in [(&whole[..100], "unexpected file size"), (&other, "magic"), (&shorter, "make no sense")]
        {
            std::fs::write(folder.path().join("KPvK.rtbw"), content).expect("written");
            let opened = chess().open_tables(&ruling(path, false)).map(drop).map_err(|error| error.to_string());
            let expected = format!("the endgame table {path}/KPvK.rtbw is damaged: ");
            assert!(opened.as_ref().is_err_and(|is| is.starts_with(&expected) && is.contains(why)), "{opened:?}");
        }
    }

    #[test]
    fn games_without_tables_say_so() {
        let horde = Chess::of(GameKind::Horde).expect("a kind of chess");
        assert_eq!(horde.find_tables(FOLDER, None), Err(TableError::NoSuchGame));
        let atomic = Chess::of(GameKind::Atomic).expect("a kind of chess");
        assert!(matches!(atomic.find_tables(FOLDER, None), Err(TableError::Nothing { ending: "atbw", .. })));
    }
}
