//! Reads positions in the formats that [`formats`](crate::chess::formats) owns.

use super::{By, End, Flaw, Found, Sink};
use crate::chess::formats::{Place, Positions, ReadError};
use arena::config::PositionFormat;
use std::io::BufRead;

pub(super) fn read(reader: impl BufRead, format: PositionFormat, sink: &mut Sink<'_>) -> Result<(), End> {
    for read in Positions::new(format, reader) {
        let found = match read {
            Ok(of) => Ok(Found {
                position: of.position,
                score: Some(of.score),
                result: Some(of.result),
                by: By::default(),
                game: 0,
            }),
            Err(ReadError::Wrong { place, why }) => Err(flaw(place, why)),
            Err(ReadError::Io(error)) => return Err(error.into()),
        };
        if sink(found).is_break() {
            break;
        }
    }
    Ok(())
}

/// Makes a flaw, which identifies a line by its number only.
fn flaw(place: Place, why: String) -> Flaw {
    match place {
        Place::Line(line) => Flaw::new(line, why),
        Place::Position(number) => Flaw::new(number, format!("{place}: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Reading, read};
    use super::*;
    use crate::chess::Labelled;
    use crate::chess::formats::write;
    use crate::chess::record::parse_fen;
    use shakmaty::Position;
    use stats::Score;
    use std::io::Write;
    use std::ops::ControlFlow;
    use std::path::Path;

    /// Two games, the second one lost, each position with a legal move.
    fn positions() -> Vec<Labelled> {
        let of = |fen: &str, score, result| {
            let position = parse_fen(fen).unwrap();
            let played = position.legal_moves().first().copied();
            Labelled { position, score, result, played }
        };
        vec![
            of("4k3/8/8/8/8/8/4P3/4K3 w - - 0 10", 120, Score::Win),
            of("4k3/8/8/8/8/4P3/8/4K3 b - - 0 10", 130, Score::Win),
            of("4k3/4p3/8/8/8/8/8/4K3 b - - 0 12", -90, Score::Loss),
            // A bullet file that begins with this position could be mistaken for another format: the a-pawn has moved,
            // all else is at home.
            of("4k3/8/8/8/8/P7/1PPPPPPP/RNBQKBNR w - - 0 1", 900, Score::Win),
        ]
    }

    fn written(format: PositionFormat, all: &[Labelled]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for of in all {
            write(format, of, &mut bytes).unwrap();
        }
        bytes
    }

    fn found(path: &Path) -> (Vec<Found>, Vec<Flaw>) {
        let reading = Reading { format: Format::of_path(path).unwrap(), view: None, unit: None };
        let (mut found, mut flaws) = (Vec::new(), Vec::new());
        read(path, reading, &mut |it| {
            match it {
                Ok(it) => found.push(it),
                Err(flaw) => flaws.push(flaw),
            }
            ControlFlow::Continue(())
        })
        .unwrap();
        (found, flaws)
    }

    fn in_file(name: &str, bytes: &[u8]) -> (Vec<Found>, Vec<Flaw>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs_err::write(&path, bytes).unwrap();
        found(&path)
    }

    #[test]
    fn blocks_have_whites_view_and_their_games() {
        let (all, flaws) = in_file("a.plain", &written(PositionFormat::Plain, &positions()));
        let seen: Vec<_> = all.iter().map(|it| (it.score, it.result, it.game)).collect();
        let (win, loss) = (Some(Score::Win), Some(Score::Loss));
        let expected = [(Some(120), win, 0), (Some(130), win, 0), (Some(-90), loss, 1), (Some(900), win, 2)];
        assert_eq!((seen.as_slice(), flaws.len()), (&expected[..], 0));
        assert!(all.iter().zip(positions()).all(|(it, of)| it.position == of.position));
    }

    #[test]
    fn records_have_the_movers_view_and_are_a_game_each() {
        let (all, _) = in_file("a.bullet", &written(PositionFormat::Bullet, &positions()));
        let seen: Vec<_> = all.iter().map(|it| (it.score, it.result, it.game)).collect();
        let (win, loss) = (Some(Score::Win), Some(Score::Loss));
        let expected = [(Some(120), win, 0), (Some(-130), loss, 1), (Some(90), win, 2), (Some(900), win, 3)];
        assert_eq!(seen, expected);
        assert!(all.iter().all(|it| it.position.turn().is_white()));
    }

    #[test]
    fn compressed_files_are_unpacked_and_records_that_look_like_others_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut all = positions();
        all.rotate_right(1);
        for format in [PositionFormat::Bullet, PositionFormat::Plain] {
            let bytes = written(format, &all);
            let plain = in_file(&format!("a.{}", format.extension()), &bytes);
            assert_eq!((plain.0.len(), plain.1.len()), (4, 0), "{format:?}");
            let path = |ending: &str| folder.path().join(format!("a.{}.{ending}", format.extension()));
            let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gz.write_all(&bytes).unwrap();
            fs_err::write(path("gz"), gz.finish().unwrap()).unwrap();
            fs_err::write(path("zst"), zstd::encode_all(&bytes[..], 1).unwrap()).unwrap();
            assert_eq!((found(&path("gz")), found(&path("zst"))), (plain.clone(), plain), "{format:?}");
        }
    }

    #[test]
    fn an_error_is_reported_once_and_the_rest_is_read() {
        let text = String::from_utf8(written(PositionFormat::Plain, &positions())).unwrap();
        let (all, flaws) = in_file("a.plain", text.replace("score 90\n", "score ninety\n").as_bytes());
        let listed = |flaws: &[Flaw]| flaws.iter().map(|flaw| (flaw.line, flaw.why.clone())).collect::<Vec<_>>();
        assert_eq!(all.len(), 3);
        assert!(
            matches!(listed(&flaws).as_slice(), [(15, why)] if why.starts_with("`ninety` is not a score")),
            "{flaws:?}"
        );
        let mut bytes = written(PositionFormat::Bullet, &positions());
        bytes[32 + 26] = 7;
        bytes.truncate(4 * 32 - 1);
        let (all, flaws) = in_file("a.bullet", &bytes);
        assert_eq!(all.len(), 2);
        let found = listed(&flaws);
        let [(2, wrong), (4, cut)] = found.as_slice() else { panic!("{flaws:?}") };
        assert!(wrong.starts_with("position 2: 7 is not a result") && cut.contains("the file ends"), "{wrong} {cut}");
    }
}
