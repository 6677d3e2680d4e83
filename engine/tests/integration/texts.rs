//! Invalid texts of positions and moves: each error says what is wrong and where, and no text makes the parsers panic.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use engine::{
    format_long, parse_long, parse_move, Move, ParseMoveError, ParsePositionError, ParseSetupError, Piece, Position,
    Setup, Side, Square, PLY_LIMIT,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const MIDDLE: &str = "A.DDW..d/AAAa.A.F/....a.Dd/A...Ad../a.AA..../N.f...../..fa..f./w...N.Aa ADd r 54";
const PLACED: &str = "AAAAAAAA/DDDDFFNW/......../......../......../......../......../........ - b 1";
const BOTH: &str = "AAAAAAAA/DDDDFFNW/......../......../......../......../wnffdddd/aaaaaaaa - r 2";

fn error(text: &str) -> ParsePositionError {
    text.parse::<Position>().unwrap_err()
}

fn square(text: &str) -> Square {
    text.parse().unwrap()
}

#[test]
fn positions_from_all_parts_of_a_game_are_parsed() {
    let start = Position::new();
    assert_eq!(start.to_string(), "......../......../......../......../......../......../......../........ - r 0");
    assert_eq!(start.to_string().parse(), Ok(start));
    for text in [MIDDLE, PLACED, BOTH] {
        assert_eq!(text.parse::<Position>().unwrap().to_string(), text);
    }
    let hands_in_another_order = MIDDLE.replace(" ADd ", " dDA ");
    assert_eq!(hands_in_another_order.parse::<Position>(), MIDDLE.parse());
}

#[test]
fn the_fields_are_counted_and_parsed() {
    assert_eq!(error(""), ParsePositionError::Fields { found: 0 });
    assert_eq!(error("a b c d e"), ParsePositionError::Fields { found: 5 });
    for side in ["R", "red", "w"] {
        assert_eq!(
            error(&MIDDLE.replace(" r ", &format!(" {side} "))),
            ParsePositionError::Side { found: side.into() }
        );
    }
    for plies in ["", "-2", "+54", "103", "5a", "99999999999"] {
        let text = MIDDLE.replace(" 54", &format!(" {plies}"));
        let expected = if plies.is_empty() {
            ParsePositionError::Fields { found: 3 }
        } else {
            ParsePositionError::Plies { found: plies.into() }
        };
        assert_eq!(error(&text), expected);
    }
    assert_eq!(error(&MIDDLE.replace(" 54", " 55")), ParsePositionError::Turn { found: Side::Red, plies: 55 });
}

#[test]
fn errors_on_the_board_name_the_place() {
    assert_eq!(error(&MIDDLE.replacen('/', "", 1)), ParsePositionError::Rows { found: 7 });
    assert_eq!(error(&MIDDLE.replace("/N.f", "/.N.f")), ParsePositionError::RowLength { row: 'f', found: 9 });
    assert_eq!(error(&MIDDLE.replace("/N.f", "/f")), ParsePositionError::RowLength { row: 'f', found: 6 });
    let unknown = MIDDLE.replace("/N.f", "/Né");
    assert_eq!(error(&unknown), ParsePositionError::RowLength { row: 'f', found: 7 });
    let unknown = MIDDLE.replace("/N.f", "/NKf");
    assert_eq!(error(&unknown), ParsePositionError::BoardLetter { square: square("f2"), found: 'K' });
    assert_eq!(error(&MIDDLE.replace(" ADd ", " AWd ")), ParsePositionError::HandLetter { at: 1, found: 'W' });
    assert_eq!(error(&MIDDLE.replace(" ADd ", " A- ")), ParsePositionError::HandLetter { at: 1, found: '-' });
}

#[test]
fn material_must_be_both_sets() {
    let expected = ParsePositionError::Total { piece: Piece::Dabbaba, expected: 8, found: 9 };
    assert_eq!(error(&MIDDLE.replace(" ADd ", " ADDd ")), expected);
    let many = format!(" {} ", "A".repeat(300));
    let expected = ParsePositionError::Total { piece: Piece::Alfil, expected: 16, found: 315 };
    assert_eq!(error(&MIDDLE.replace(" ADd ", &many)), expected);
    let expected = ParsePositionError::Count { side: Side::Red, piece: Piece::Wazir, expected: 1, found: 2 };
    assert_eq!(error(&MIDDLE.replace("/N.f", "/NWf")), expected);
    let expected = ParsePositionError::Count { side: Side::Blue, piece: Piece::Wazir, expected: 1, found: 0 };
    assert_eq!(error(&MIDDLE.replace("/w", "/.")), expected, "red is to move, so blue cannot have lost its wazir");
}

#[test]
fn the_side_to_move_can_have_lost_its_wazir() {
    let lost: Position = MIDDLE.replace("DDW", "DD.").parse().unwrap();
    assert_eq!(lost.outcome(), Some(engine::Outcome::Win(Side::Blue)));
    assert_eq!((lost.legal_count(), lost.nth_legal(0), lost.in_check()), (0, None, false));
}

#[test]
fn setups_stand_on_their_rows() {
    let placement = |text: &str, at: &str, plies| {
        assert_eq!(error(text), ParsePositionError::Placement { square: square(at), plies });
    };
    placement(&PLACED.replace("- b 1", "- r 0"), "a1", 0);
    placement(&PLACED.replace("- b 1", "- r 2"), "g1", 2);
    placement(&BOTH.replace("/AAAA", "/.AAA").replace("- r 2", "- b 1"), "g1", 1);
    placement(&PLACED.replace("W/......", "W/a....."), "c1", 1);
    let expected = ParsePositionError::Count { side: Side::Red, piece: Piece::Alfil, expected: 8, found: 7 };
    assert_eq!(error(&PLACED.replacen('A', "D", 1)), expected);
    assert_eq!(error(&BOTH.replace(" - ", " A ")), ParsePositionError::EarlyHand { plies: 2 });
}

#[test]
fn invalid_moves_say_why() {
    let position: Position = MIDDLE.parse().unwrap();
    let parse = |text| parse_move(&position, text).unwrap_err();
    for text in ["", "a", "a1b", "a1b2c3", "é1b2", "AAAAAAAADDDDFFNW", "Aé"] {
        assert!(matches!(parse(text), ParseMoveError::Form { .. } | ParseMoveError::Square(_)), "{text}");
    }
    assert!(matches!(parse("a1i2"), ParseMoveError::Square(error) if error.found == "i2"));
    assert_eq!(parse("Wa2"), ParseMoveError::DropLetter { found: 'W' });
    assert_eq!(parse("xa2"), ParseMoveError::DropLetter { found: 'x' });
    assert_eq!(parse("aa2"), ParseMoveError::WrongCase { found: 'a', side: Side::Red });
    let setup = parse_move(&Position::new(), "b5d3").unwrap_err();
    assert_eq!(setup, ParseMoveError::Setup(ParseSetupError::Length { found: 4 }));
}

#[test]
fn the_long_form_is_checked_against_the_board() {
    let position: Position = MIDDLE.parse().unwrap();
    let parse = |text| parse_long(&position, text);
    assert_eq!(parse("Aa1-c3"), Ok(Move::jump(square("a1"), square("c3"))));
    assert_eq!(parse("D@a2"), Ok(Move::drop(Piece::Dabbaba, square("a2")).unwrap()));
    let wrong = |at: &str, found, expected| Err(ParseMoveError::WrongPiece { square: square(at), found, expected });
    assert_eq!(parse("Da1-c3"), wrong("a1", Some('D'), Some('A')));
    assert_eq!(parse("Aa2-c4"), wrong("a2", Some('A'), None));
    assert_eq!(parse("Aa1xac3"), wrong("c3", Some('a'), None));
    assert_eq!(parse("Dc7-c8"), wrong("c8", None, Some('d')));
    assert_eq!(parse("da8-c8"), Err(ParseMoveError::WrongCase { found: 'd', side: Side::Red }));
    for text in ["a1c3", "Aa1c3", "Aa1+c3", "A@", "A@a", "Aa1-c3+", "Aé-c3"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn setups_are_moves_of_the_first_two_plies() {
    let mut position = Position::new();
    for (side, letters) in [(Side::Red, "AAAAAAAADDDDFFNW"), (Side::Blue, "wnffddddaaaaaaaa")] {
        let mv = parse_long(&position, letters).unwrap();
        assert_eq!(mv, Move::setup(&Setup::parse(letters, side).unwrap()));
        assert_eq!(format_long(&position, mv), letters);
        assert!(position.is_legal(mv));
        assert!(!position.is_legal(Move::jump(Square::A1, Square::H8)));
        position.play(mv);
    }
    assert_eq!(position.to_string(), BOTH);
}

#[test]
fn a_null_move_changes_only_side_to_move_plies_and_key() {
    let position: Position = MIDDLE.parse().unwrap();
    let mut passed = position;
    passed.play_null();
    assert_eq!(passed.to_string(), MIDDLE.replace(" r 54", " b 55"));
    assert_ne!(passed.key(), position.key());
    passed.play_null();
    assert_eq!((passed.key(), passed.plies()), (position.key(), position.plies() + 2));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_text_makes_a_parser_panic(text in "\\PC{0,40}") {
        let position: Position = MIDDLE.parse().unwrap();
        let _ = text.parse::<Position>();
        let _ = Setup::parse(&text, Side::Red);
        for position in [position, Position::new()] {
            let _ = (parse_move(&position, &text), parse_long(&position, &text));
        }
    }

    #[test]
    fn parsed_positions_round_trip(at in 0..MIDDLE.len(), letter in "[.ADFNWadfnw/ \
        0-9rb-]", plies in 0..PLY_LIMIT + 2) {
        let mut text = MIDDLE.replace("54", &plies.to_string());
        let at = at.min(text.len() - 1);
        text.replace_range(at..=at, &letter);
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string().parse(), Ok(position));
            prop_assert_eq!(position.legal_count() == 0, position.outcome().is_some());
        }
    }

    #[test]
    fn parsed_moves_round_trip(text in "[A-Na-h1-8@x-]{3,7}") {
        let position: Position = MIDDLE.parse().unwrap();
        if let Ok(mv) = parse_move(&position, &text) {
            prop_assert_eq!(engine::format_move(&position, mv), text.clone());
        }
        if let Ok(mv) = parse_long(&position, &text) {
            prop_assert_eq!(format_long(&position, mv), text);
        }
    }
}
