//! Tests that every format reads back what it writes, and matches its specification.

use super::super::tests::position;
use super::*;
use proptest::prelude::*;
use shakmaty::uci::UciMove;
use shakmaty::{Color, Position};

fn labelled(fen: &str, score: i16, result: Score, played: Option<&str>) -> Labelled {
    let position = read_fen(fen).unwrap();
    let played = played.map(|word| word.parse::<UciMove>().unwrap().to_move(&position).unwrap());
    Labelled { position, score, result, played }
}

fn bytes(format: PositionFormat, of: &Labelled) -> Vec<u8> {
    let mut out = Vec::new();
    write(format, of, &mut out).unwrap();
    out
}

fn read(format: PositionFormat, bytes: &[u8]) -> Result<Vec<Labelled>, ReadError> {
    Positions::new(format, bytes).collect()
}

const BLACK: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 17";

#[test]
fn text_has_whites_view() {
    let of = labelled(BLACK, 35, Score::Win, Some("e7e5"));
    assert_eq!(bytes(PositionFormat::Text, &of), format!("{BLACK} | 35 | 1.0\n").as_bytes());
}

#[test]
fn plain_has_the_movers_view() {
    let of = labelled(BLACK, 35, Score::Win, Some("e7e5"));
    let expected = format!("fen {BLACK}\nmove e7e5\nscore -35\nply 1\nresult -1\ne\n");
    assert_eq!(String::from_utf8(bytes(PositionFormat::Plain, &of)).unwrap(), expected);
    let castles = labelled(CASTLING, 0, Score::Draw, Some("e1g1"));
    let text = String::from_utf8(bytes(PositionFormat::Plain, &castles)).unwrap();
    assert!(text.contains("\nmove e1g1\n") && text.contains("\nply 32\n"), "{text}");
    let end = Labelled { played: None, ..of };
    assert!(write(PositionFormat::Plain, &end, &mut Vec::new()).is_err());
}

#[test]
fn bullet_has_the_board_as_the_mover_sees_it() {
    // White king e1 (4), pawn a2 (8), black king h8 (63): bits 4, 8 and 63.
    let white = labelled("7k/8/8/8/8/8/P7/4K3 w - - 0 1", -258, Score::Loss, None);
    let mut expected = [0_u8; 32];
    expected[..8].copy_from_slice(&[0x10, 0x01, 0, 0, 0, 0, 0, 0x80]);
    // In the order of bits: own king 5, own pawn 0, opponent's king 13.
    expected[8..10].copy_from_slice(&[0x05, 0x0d]);
    // -258 is 0xfefe; a loss; e1; h8 as its owner sees it: h1 (7).
    expected[24..29].copy_from_slice(&[0xfe, 0xfe, 0, 4, 7]);
    assert_eq!(bytes(PositionFormat::Bullet, &white), expected);

    // The same with Black to move. Flipped: the opponent's king e8 (60), its pawn a7 (48), own king h1 (7).
    let black = labelled("7k/8/8/8/8/8/P7/4K3 b - - 0 1", -258, Score::Loss, None);
    let mut expected = [0_u8; 32];
    expected[..8].copy_from_slice(&[0x80, 0, 0, 0, 0, 0, 0x01, 0x10]);
    // Own king 5, opponent's pawn 8, opponent's king 13.
    expected[8..10].copy_from_slice(&[0x85, 0x0d]);
    // 258 is 0x0102; a win; h1; e8 as its owner sees it: e1.
    expected[24..29].copy_from_slice(&[0x02, 0x01, 2, 7, 4]);
    assert_eq!(bytes(PositionFormat::Bullet, &black), expected);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let line = format!("{BLACK} | 35 | 1.0\n");
    let whole = format!("fen {BLACK}\nmove e7e5\nscore -35\nply 1\nresult -1\ne\n");
    let cases = [
        (PositionFormat::Text, format!("{line}{BLACK} | 3.5 | 1.0"), "line 2: `3.5` is not a score"),
        (
            PositionFormat::Text,
            format!("{line}{BLACK} | 35 | 2"),
            "line 2: `2` is not a result: expected one of 0.0, 0.5, 1.0",
        ),
        (PositionFormat::Text, format!("{line}{BLACK}"), "line 2: expected `FEN | score | result`"),
        (PositionFormat::Text, format!("{line}8/8 | 1 | 0.0"), "line 2: `8/8` is not a FEN"),
        (PositionFormat::Plain, format!("{whole}fen {BLACK}\n"), "line 7: the file ends"),
        (PositionFormat::Plain, whole.replace("e7e5", "e7e4"), "line 6: `e7e4` is not a legal move"),
        (PositionFormat::Plain, whole.replace("score", "points"), "line 3: `points -35`: expected"),
        (PositionFormat::Plain, whole.replace("move e7e5\n", ""), "line 5: the block ends without"),
    ];
    for (format, text, expected) in cases {
        let error = read(format, text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let record = bytes(PositionFormat::Bullet, &labelled(BLACK, 1, Score::Draw, None));
    let changed = |at: usize, to: u8| [&record[..], &record[..at], &[to], &record[at + 1..]].concat();
    for (bytes, expected) in [
        (changed(26, 3), "position 2: 3 is not a result"),
        (changed(27, 9), "position 2: its kings"),
        (changed(8, 0xff), "position 2: 15 is not a piece"),
        (record[..31].to_vec(), "position 1: the file ends within its 32 bytes"),
    ] {
        let error = read(PositionFormat::Bullet, &bytes).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        choices in prop::collection::vec(0_usize..1_000, 0..150), score in -32_000_i16..=32_000, result in 0_usize..3
    ) {
        let position = position(&choices);
        let result = Score::ALL[result];
        let Some(played) = position.legal_moves().first().copied() else { return Ok(()) };
        let of = Labelled { position, score, result, played: Some(played) };
        for format in PositionFormat::ALL {
            let twice = [bytes(format, &of), bytes(format, &of)].concat();
            let read = read(format, &twice).unwrap();
            prop_assert_eq!(read.len(), 2);
            let expected = match format {
                PositionFormat::Text => Labelled { played: None, ..of.clone() },
                PositionFormat::Plain => of.clone(),
                PositionFormat::Bullet => {
                    prop_assert_eq!(read[0].for_mover(), of.for_mover());
                    prop_assert_eq!(read[0].position.turn(), Color::White);
                    prop_assert_eq!(bytes(format, &read[0]), bytes(format, &of));
                    continue;
                }
            };
            prop_assert_eq!(&read[0], &expected);
        }
    }
}
