//! Reads labelled positions of chess from third-party files: games with evaluations, and positions with scores or
//! results in the usual spellings.
//!
//! Files of any length are read as streams, one position at a time. Unusable input is reported with its line and is not
//! an error: the caller judges it. Scores are in centipawns from white's view. The caller decides what to do with the
//! positions.

mod blocks;
mod comment;
mod json;
mod line;
mod pgn;
mod table;

use super::View;
use super::formats::{self, Games};
use super::labelled;
use super::record::Record;
use arena::config::PositionFormat;
use play::pgn::{Source, SourceError, unpacked_name};
use shakmaty::{Chess, Color, Position};
use stats::Score;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

/// A file format for labelled positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Games with evaluations in their comments: `[%eval 0.17]` of the position after the move, or `+0.33/14` of the
    /// position before it.
    Pgn,
    /// One position per line, as EPD or FEN, with a result or a score in one of the usual spellings, `fen | score |
    /// result` among them.
    Lines,
    /// Columns separated by commas, with names in the first row: `fen`; `eval`, `cp`, `score` or `evaluation`; and
    /// `result`.
    Csv,
    /// Objects with `fen`; `eval`, `cp`, `score` or `mate`; and `result`: one per line, in an array, or in an array
    /// under `positions`.
    Json,
    /// Records of 32 bytes, as defined in [`bullet`](super::formats::bullet).
    Bullet,
    /// Blocks of lines, as defined in [`plain`](super::formats::plain).
    Plain,
}

impl Format {
    /// All formats, with their names in files and configurations.
    pub const ALL: [(&'static str, Self); 6] = [
        ("pgn", Self::Pgn),
        ("lines", Self::Lines),
        ("csv", Self::Csv),
        ("json", Self::Json),
        ("bullet", Self::Bullet),
        ("plain", Self::Plain),
    ];

    /// The format that the name of a file implies, compressed or not.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = unpacked_name(path).file_name()?.to_str()?.to_ascii_lowercase();
        let (_, ending) = name.rsplit_once('.')?;
        match ending {
            "pgn" => Some(Self::Pgn),
            "epd" | "fen" | "txt" | "book" => Some(Self::Lines),
            "csv" => Some(Self::Csv),
            "json" | "jsonl" | "ndjson" => Some(Self::Json),
            "bullet" => Some(Self::Bullet),
            "plain" => Some(Self::Plain),
            _ => None,
        }
    }

    /// Whether positions may have the ply of their game.
    fn has_plies(self) -> bool {
        self != Self::Bullet || formats::has_plies(PositionFormat::Bullet)
    }

    /// The view and the unit of scores, if the format fixes them.
    pub fn fixed(self) -> Option<(View, Unit)> {
        matches!(self, Self::Bullet | Self::Plain).then_some((View::Mover, Unit::Centipawns))
    }
}

/// The unit of scores that are plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Hundredths of a pawn.
    Centipawns,
    /// Pawns.
    Pawns,
}

/// How to interpret a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The format of the file.
    pub format: Format,
    /// The view of scores. The default is the mover's in games, and white's elsewhere. `[%eval]` always takes white's
    /// view, and `ce` and `dm` in EPD always take the mover's.
    pub view: Option<View>,
    /// The unit of scores. The default is pawns in JSON numbers with a decimal point, else centipawns. Games always
    /// have pawns.
    pub unit: Option<Unit>,
}

/// A position found in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The position.
    pub position: Chess,
    /// Centipawns, white's view.
    pub score: Option<i16>,
    /// The game's result, white's view.
    pub result: Option<Score>,
    /// The source of the labels, for formats of one position per line.
    pub by: By,
    /// The number of the game in the file, from 0. [`Games`] numbers the games if a format does not mark them.
    pub game: u64,
}

/// The source of a position's labels within a line: an opcode, or the spelling without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct By {
    /// The source of the score.
    pub score: Option<&'static str>,
    /// The source of the result.
    pub result: Option<&'static str>,
}

/// Unusable input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The line, or the number of the record, from 1.
    pub line: u64,
    /// The reason.
    pub why: String,
    /// Whether two contradictory results are the reason.
    pub contradicts: bool,
}

impl Flaw {
    /// Makes a flaw without contradictory results.
    fn new(line: u64, why: impl Into<String>) -> Self {
        Self { line, why: why.into(), contradicts: false }
    }
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] SourceError),
    /// An I/O error while reading.
    #[error("cannot read {path}")]
    Io {
        /// The file.
        path: String,
        /// The I/O error.
        source: io::Error,
    },
    /// The file is of another kind.
    #[error("{path}: {why}")]
    Foreign {
        /// The file.
        path: String,
        /// What is wrong, and what was expected.
        why: String,
    },
}

/// Receives each position and each flaw, and returns whether to continue.
pub type Sink<'a> = dyn FnMut(Result<Found, Flaw>) -> ControlFlow<()> + 'a;

/// Reads a file to its end, or until `sink` stops.
///
/// # Errors
/// [`ReadError`] for the file itself; flaws of single positions go to `sink`.
pub fn read(path: &Path, reading: Reading, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let Source { name, reader } = match reading.format {
        Format::Bullet => Source::open_binary(path)?,
        Format::Pgn | Format::Lines | Format::Csv | Format::Json | Format::Plain => Source::open(path)?,
    };
    let (mut games, mut game) = (Games::new(reading.format.has_plies()), 0);
    let numbered = &mut |mut found: Result<Found, Flaw>| {
        if let Ok(found) = &mut found {
            let ply = labelled::ply(&found.position);
            game += u64::from(!games.continues(ply, found.result));
            found.game = game - 1;
        }
        sink(found)
    };
    let end = match reading.format {
        Format::Pgn => pgn::read(reader, reading, sink),
        Format::Lines => line::read(reader, reading, numbered),
        Format::Csv => table::read(reader, reading, numbered),
        Format::Json => json::read(reader, reading, numbered),
        Format::Bullet => blocks::read(reader, PositionFormat::Bullet, numbered),
        Format::Plain => blocks::read(reader, PositionFormat::Plain, numbered),
    };
    end.map_err(|end| match end {
        End::Io(source) => ReadError::Io { path: name, source },
        End::Foreign(why) => ReadError::Foreign { path: name, why },
    })
}

/// Why reading ended early.
#[derive(Debug)]
enum End {
    Io(io::Error),
    Foreign(String),
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The labels of a position, as written in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct RawLabels {
    score: Option<WrittenScore>,
    result: Option<Score>,
    /// The view of the score, if it is fixed.
    view: Option<View>,
    by: By,
}

/// A score as written in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum WrittenScore {
    /// Centipawns.
    Centipawns(f64),
    /// Moves to mate; negative if the other side mates.
    Mate(i32),
}

impl WrittenScore {
    /// Converts to centipawns, within the limit of records.
    fn centipawns(self) -> i16 {
        let limit = f64::from(Record::SCORE_LIMIT);
        match self {
            Self::Centipawns(score) => score.round().clamp(1_000.0 - limit, limit - 1_000.0) as i16,
            Self::Mate(moves) => {
                let distance = moves.unsigned_abs().min(999) as i16;
                if moves > 0 { Record::SCORE_LIMIT - distance } else { distance - Record::SCORE_LIMIT }
            }
        }
    }

    /// Parses `0.19`, `19`, `#-3`, `-M3` or `mate 3`, in a unit.
    fn parse(text: &str, unit: Unit) -> Option<Self> {
        let text = text.trim();
        let (sign, bare) = match text.strip_prefix('-') {
            Some(bare) => (-1, bare),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let mate =
            bare.strip_prefix('#').or_else(|| bare.strip_prefix(['M', 'm'])).or_else(|| bare.strip_prefix("mate "));
        if let Some(moves) = mate {
            let moves: i32 = moves.trim_start_matches('+').parse().ok()?;
            return Some(Self::Mate(sign * moves));
        }
        let number: f64 = text.parse().ok()?;
        let factor = if unit == Unit::Pawns { 100.0 } else { 1.0 };
        number.is_finite().then_some(Self::Centipawns(factor * number))
    }
}

impl RawLabels {
    /// Makes a position whose game is not known yet.
    fn found(self, position: Chess, view: View) -> Found {
        let flip = self.view.unwrap_or(view) == View::Mover && position.turn() == Color::Black;
        let score = self.score.map(|score| if flip { -score.centipawns() } else { score.centipawns() });
        Found { position, score, result: self.result, by: self.by, game: 0 }
    }
}

/// Parses `1-0`, `1/2-1/2` or `0-1` in all their spellings, or points from white's view.
fn parse_result(text: &str) -> Option<Score> {
    match text.trim() {
        "1" | "1.0" | "w" => Some(Score::Win),
        "0.5" | ".5" | "d" => Some(Score::Draw),
        "0" | "0.0" | "b" => Some(Score::Loss),
        words => play::pgn::parse_result(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// All positions and all flaws of a text.
    pub(super) fn all(text: &str, name: &str, view: Option<View>, unit: Option<Unit>) -> (Vec<Found>, Vec<Flaw>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs_err::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        let reading = Reading { format: Format::of_path(&path).unwrap(), view, unit };
        let (mut found, mut flaws) = (Vec::new(), Vec::new());
        read(&path, reading, &mut |it| {
            match it {
                Ok(it) => found.push(it),
                Err(flaw) => flaws.push(flaw),
            }
            ControlFlow::Continue(())
        })
        .unwrap();
        (found, flaws)
    }

    #[test]
    fn scores_are_read_in_their_spellings() {
        for (text, unit, expected) in [
            ("0.19", Unit::Pawns, 19),
            ("-1.5", Unit::Pawns, -150),
            ("+34", Unit::Centipawns, 34),
            ("#-3", Unit::Pawns, -31_997),
            ("#3", Unit::Centipawns, 31_997),
            ("-#3", Unit::Centipawns, -31_997),
            ("-M12", Unit::Pawns, -31_988),
            ("900", Unit::Pawns, 31_000),
        ] {
            assert_eq!(WrittenScore::parse(text, unit).unwrap().centipawns(), expected, "{text}");
        }
        for text in ["", "x", "nan", "inf", "#", "1.2.3"] {
            assert_eq!(WrittenScore::parse(text, Unit::Pawns), None, "{text}");
        }
    }

    #[test]
    fn positions_with_rising_plies_and_one_result_are_of_one_game() {
        let rows =
            [("w", 3, "0.5"), ("b", 3, "0.5"), ("w", 9, "0.5"), ("w", 2, "0.5"), ("w", 4, "1.0"), ("w", 4, "1.0")];
        let fen = |(turn, number): (&str, u32)| format!("8/8/8/8/8/8/8/K1k5 {turn} - - 0 {number}");
        let text = |row: &dyn Fn(&str, &str) -> String| {
            rows.map(|(turn, number, result)| row(&fen((turn, number)), result)).concat()
        };
        let csv = format!("fen,result\n{}", text(&|fen, result| format!("{fen},{result}\n")));
        let json = text(&|fen, result| format!("{{\"fen\": \"{fen}\", \"result\": {result}}}\n"));
        let games = |text: &str, name: &str| {
            let (found, flaws) = all(text, name, None, None);
            assert_eq!(flaws, [], "{name}");
            found.iter().map(|found| found.game).collect::<Vec<_>>()
        };
        for (text, name) in [
            (text(&|fen, result| format!("{fen} | 10 | {result}\n")), "a.txt"),
            (text(&|fen, result| format!("{fen}; {result}\n")), "a.epd"),
            (csv, "a.csv"),
            (json, "a.jsonl"),
        ] {
            assert_eq!(games(&text, name), [0, 0, 0, 1, 2, 3], "{name}");
        }
        let alone =
            |end: &str| ["w", "b", "w", "b"].map(|turn| format!("8/8/8/8/8/8/8/K1k5 {turn} - - {end}\n")).concat();
        for end in ["c9 \"1-0\";", "0 1 | 34", "; 0.5"] {
            assert_eq!(games(&alone(end), "a.epd"), [0, 1, 2, 3], "there are no plies: {end}");
        }
        assert_eq!(games(&alone("0 4294967295 | 1.0"), "a.epd"), [0, 1, 2, 3], "nor so many");
    }

    #[test]
    fn names_say_formats() {
        for (name, format) in [
            ("a.PGN.gz", Some(Format::Pgn)),
            ("b.epd", Some(Format::Lines)),
            ("c.json", Some(Format::Json)),
            ("c.bullet.zst", Some(Format::Bullet)),
            ("c.plain", Some(Format::Plain)),
            ("d", None),
        ] {
            assert_eq!(Format::of_path(Path::new(name)), format);
        }
    }
}
