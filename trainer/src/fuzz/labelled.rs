//! Labelled positions of chess in every format: each is read or reported with its line, and survives a round trip.

use super::target;
use crate::chess::formats::{self, Positions};
use crate::chess::read::{self, Format, Found, Reading, Unit};
use crate::chess::statistics::Statistics;
use crate::chess::{Labels, Record, View};
use arena::config::PositionFormat;
use fuzz::ReadOutcome;
use shakmaty::{Chess, Position};
use std::ops::ControlFlow;

#[test]
fn files() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    target("labelled").words(&["ce", "dm", "acd", "c9 \"1-0\";", "[%eval 0.1]", "| 0.5", "#-3", "M5"]).run(|input| {
        // The first byte chooses the format.
        let Some((&choice, text)) = input.split_first() else { return ReadOutcome::Read(String::new()) };
        let choice = usize::from(choice);
        let (name, format) = Format::ALL[choice % Format::ALL.len()];
        let view = [None, Some(View::White), Some(View::Mover)][choice / 6 % 3];
        let unit = [None, Some(Unit::Centipawns), Some(Unit::Pawns)][choice / 18 % 3];
        std::fs::write(&path, text).expect("a file");
        written_again(format, text);
        let (mut found, mut flaw) = (0_u64, None);
        let read = read::read(&path, Reading { format, view, unit }, &mut |position| {
            match position {
                Ok(position) => {
                    recorded(&position);
                    found += 1;
                }
                Err(flawed) => {
                    assert!(flawed.line > 0, "{flawed:?} is nowhere");
                    flaw.get_or_insert(flawed.why);
                }
            }
            ControlFlow::Continue(())
        });
        let shortly = |error: String| format!("{name}: {}", error.replace(&*path.to_string_lossy(), "a"));
        match (read, flaw) {
            (Err(error), _) => ReadOutcome::Refused(shortly(error.to_string())),
            (Ok(()), Some(flaw)) => ReadOutcome::Refused(shortly(flaw)),
            (Ok(()), None) => ReadOutcome::Read(format!("{name}: {found}")),
        }
    });
}

/// Checks that a record stores the position without loss.
fn recorded(found: &Found) {
    let labels = Labels { score: found.score, result: found.result, game: 0 };
    let Ok(record) = Record::new(&found.position, &labels) else { return };
    let again = record.position().expect("a position that was one");
    assert_eq!(shown(&again), shown(&found.position));
}

/// Board, side to move and castling rights.
fn shown(position: &Chess) -> String {
    format!("{} {:?} {:?}", position.board(), position.turn(), position.castles().castling_rights())
}

/// Checks that what the export formats read survives a round trip.
fn written_again(format: Format, text: &[u8]) {
    let format = match format {
        Format::Bullet => PositionFormat::Bullet,
        Format::Plain => PositionFormat::Plain,
        Format::Lines => PositionFormat::Text,
        Format::Pgn | Format::Csv | Format::Json => return,
    };
    let mut statistics = Statistics::new(format, true);
    let mut count = 0;
    for of in Positions::new(format, text) {
        let Ok(of) = of else { continue };
        statistics.add(&of);
        count += 1;
        let mut bytes = Vec::new();
        formats::write(format, &of, &mut bytes).expect("what was read can be written");
        let again: Vec<_> = Positions::new(format, &bytes[..]).collect::<Result<_, _>>().expect("it reads again");
        assert_eq!(again.len(), 1);
        let (mut then, mut now) = (of, again[0].clone());
        if format == PositionFormat::Text {
            // Lines do not have the move.
            (then.played, now.played) = (None, None);
        }
        assert_eq!(then.score, now.score);
        assert_eq!((then.result, then.played), (now.result, now.played));
        assert_eq!(shown(&then.position), shown(&now.position));
    }
    assert_eq!(statistics.positions, count);
    assert_eq!(statistics.scores().iter().map(|group| group.positions).sum::<u64>(), count);
}
