//! Tests of chess as a [`Game`]: endings, positions as text, moves as number and text.

use super::*;
use crate::{OpeningLine, RandomOpenings};
use record::{DrawRule, WinRule};

fn chess(kind: GameKind) -> Chess {
    Chess::of(kind).expect("a kind of chess")
}

fn kinds() -> impl Iterator<Item = GameKind> {
    GameKind::ALL.into_iter().filter(|&kind| kind != GameKind::ZeroPointOne)
}

/// The position after these moves from a text, or from the start where that is empty.
fn after(kind: GameKind, fen: &str, moves: &str) -> ChessPosition {
    let mut position = if fen.is_empty() { chess(kind).start() } else { chess(kind).setup(fen).expect("a position") };
    for text in moves.split_whitespace() {
        let mv = Chess::parse_move(&position, text).unwrap_or_else(|| panic!("{text} in {position}"));
        Chess::play(&mut position, mv);
    }
    position
}

fn ending(kind: GameKind, fen: &str, moves: &str) -> Option<RuleEnding> {
    Chess::ending(&after(kind, fen, moves))
}

#[expect(clippy::unnecessary_wraps, reason = "compared with what the game says")]
const fn win(winner: Side, by: WinRule) -> Option<RuleEnding> {
    Some(RuleEnding::Win { winner, by })
}

#[expect(clippy::unnecessary_wraps, reason = "compared with what the game says")]
const fn draw(by: DrawRule) -> Option<RuleEnding> {
    Some(RuleEnding::Draw(by))
}

#[test]
fn mate_stalemate_and_play() {
    use GameKind::Chess as CHESS;
    assert_eq!(ending(CHESS, "", "f2f3 e7e5 g2g4"), None);
    assert_eq!(ending(CHESS, "", "f2f3 e7e5 g2g4 d8h4"), win(Side::Second, WinRule::Checkmate));
    assert_eq!(ending(CHESS, "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6f7"), draw(DrawRule::Stalemate));
    assert!(Chess::wins_at_once(&after(CHESS, "", "f2f3 e7e5 g2g4")));
    assert!(!Chess::wins_at_once(&after(CHESS, "", "f2f3 e7e5")));
}

#[test]
fn the_third_occurrence_draws() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ";
    assert_eq!(ending(GameKind::Chess, "", &shuffle.repeat(2)), draw(DrawRule::Repetition));
    assert_eq!(ending(GameKind::Chess, "", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1"), None, "only twice");
    // Losing a castling right in between makes it a different position.
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let kings = "e1e2 e8e7 e2e1 e7e8 ";
    assert_eq!(ending(GameKind::Chess, fen, &kings.repeat(2)), None);
    assert_eq!(ending(GameKind::Chess, fen, &kings.repeat(3)), draw(DrawRule::Repetition));
}

#[test]
fn en_passant_counts_for_repetition_only_where_it_is_legal() {
    let shuffle = "b8c6 b1c3 c6b8 c3b1 ";
    // No pawn can capture after 1. e4, so the position right after it occurs for the third time.
    assert_eq!(ending(GameKind::Chess, "", &format!("e2e4 {}", shuffle.repeat(2))), draw(DrawRule::Repetition));
    // Here d4xe3 is possible once.
    let fen = "rnbqkbnr/ppp1pppp/8/8/3p4/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 1";
    let moves = format!("e2e4 {}", shuffle.repeat(2));
    assert_eq!(ending(GameKind::Chess, fen, &moves), None);
    assert_eq!(ending(GameKind::Chess, fen, &format!("{moves}{shuffle}")), draw(DrawRule::Repetition));
}

#[test]
fn fifty_moves_draw_but_mate_goes_first() {
    let fen = "7k/8/5K2/8/8/8/8/6Q1 w - - 98 90";
    assert_eq!(ending(GameKind::Chess, fen, "g1g2"), None);
    assert_eq!(ending(GameKind::Chess, fen, "g1g2 h8h7"), draw(DrawRule::FiftyMoves));
    let mating = "7k/8/5K2/8/8/8/8/6Q1 w - - 99 90";
    assert_eq!(ending(GameKind::Chess, mating, "g1g7"), win(Side::First, WinRule::Checkmate));
    assert_eq!(ending(GameKind::Chess, mating, "g1g2"), draw(DrawRule::FiftyMoves));
    assert_eq!(
        ending(GameKind::Chess, "4k3/8/8/8/8/8/P7/4K3 w - - 99 90", "a2a4"),
        None,
        "a pawn move resets the count"
    );
}

#[test]
fn dead_positions_draw() {
    let cases = [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", true),
        ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", false),
        ("4k1n1/8/8/8/8/8/8/4KN2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4KR2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", false),
    ];
    for (fen, dead) in cases {
        let expected = if dead { draw(DrawRule::InsufficientMaterial) } else { None };
        assert_eq!(ending(GameKind::Chess, fen, ""), expected, "{fen}");
    }
}

#[test]
fn variants_end_by_their_own_rules() {
    use GameKind::{Antichess, Atomic, Crazyhouse, Horde, KingOfTheHill, RacingKings, ThreeCheck};
    let first = win(Side::First, WinRule::Variant);
    assert_eq!(ending(ThreeCheck, "4k3/8/8/8/8/8/8/3QK3 w - - 1+3 0 1", "d1d8"), first);
    assert_eq!(ending(ThreeCheck, "4k3/8/8/8/8/8/8/3QK3 w - - 2+3 0 1", "d1d8"), None);
    assert_eq!(ending(KingOfTheHill, "4k3/8/8/8/8/4K3/8/8 w - - 0 1", "e3e4"), first);
    assert_eq!(ending(Atomic, "", "e2e4 a7a6 d1h5 a6a5 h5f7"), first);
    assert_eq!(
        ending(Antichess, "8/1p6/8/8/8/8/P7/8 w - - 0 1", "a2a4 b7b5 a4b5"),
        win(Side::Second, WinRule::Variant)
    );
    assert_eq!(ending(Horde, "4k3/8/8/8/8/8/4q3/4P3 b - - 0 1", "e2e1"), win(Side::Second, WinRule::Variant));
    assert_eq!(ending(RacingKings, "8/1K4k1/8/8/8/8/8/8 w - - 0 1", "b7b8 g7g8"), draw(DrawRule::Variant));
    let mate = "f2f3 e7e5 g2g4 d8h4";
    assert_eq!(ending(Crazyhouse, "", mate), win(Side::Second, WinRule::Checkmate));
    // A pawn in hand can still block the check.
    let in_hand = |pocket| format!("rnbqkbnr/pppp1pp1/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR[{pocket}] b KQkq - 0 1");
    assert_eq!(ending(Crazyhouse, &in_hand(""), "d8h4"), win(Side::Second, WinRule::Checkmate));
    assert_eq!(ending(Crazyhouse, &in_hand("P"), "d8h4"), None);
    assert_eq!(ending(Crazyhouse, "4k3/8/8/8/8/8/8/4K3[] w - - 0 1", ""), draw(DrawRule::InsufficientMaterial));
    assert_eq!(ending(Crazyhouse, "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", ""), None);
}

#[test]
fn crazyhouse_positions_come_back_after_captures_and_drops() {
    // The knights are exchanged and dropped where they stood, and Black's king loses a move on its way.
    let fen = "3rk3/8/8/3n4/8/2N5/8/4K3[] w - - 0 1";
    let cycle = "c3d5 d8d5 N@c3 d5d8 e1e2 N@d5 e2e1 e8f8 e1e2 f8f7 e2e1 f7e8 ";
    let once = after(GameKind::Crazyhouse, fen, cycle).to_string();
    assert!(once.starts_with("3rk3/8/8/3n4/8/2N5/8/4K3[] w - - "), "{once}");
    assert_eq!(ending(GameKind::Crazyhouse, fen, cycle), None);
    assert_eq!(ending(GameKind::Crazyhouse, fen, &cycle.repeat(2)), draw(DrawRule::Repetition));
}

#[test]
fn castling_is_read_both_ways_and_written_as_the_game_does() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (kind, short, long) in [(GameKind::Chess, "e1g1", "e1c1"), (GameKind::Chess960, "e1h1", "e1a1")] {
        let position = after(kind, fen, "");
        for text in ["e1g1", "e1h1"] {
            let mv = Chess::parse_move(&position, text).expect("castling");
            assert_eq!(Chess::format_move(&position, mv), short);
            assert_eq!(Chess::record_move(&position, mv), "O-O");
            assert_eq!(Chess::code(mv), 4 * 64 + 7);
        }
        let mv = Chess::parse_move(&position, "e1c1").expect("castling");
        assert_eq!((Chess::format_move(&position, mv).as_str(), Chess::code(mv)), (long, 256));
    }
    // From b1 the king reaches g1 only by castling, but c1 also by a step.
    let position = after(GameKind::Chess960, "1k6/8/8/8/8/8/8/RK4R1 w GA - 0 1", "");
    assert_eq!(Chess::format_move(&position, Chess::parse_move(&position, "b1g1").expect("castling")), "b1g1");
    let step = Chess::parse_move(&position, "b1c1").expect("a king's step");
    assert_eq!(Chess::record_move(&position, step), "Kc1");
    let long = Chess::parse_move(&position, "b1a1").expect("castling");
    assert_eq!(Chess::record_move(&position, long), "O-O-O");
}

#[test]
fn what_is_no_move_is_refused() {
    let position = chess(GameKind::Chess).start();
    for text in ["", "e2e5", "e7e5", "0000", "e2e4q", "P@e4", "Nf3", "e1g1", "e2", "e2e4 ", "ééé"] {
        assert_eq!(Chess::parse_move(&position, text), None, "{text}");
    }
    let promoting = after(GameKind::Chess, "8/P6k/8/8/8/8/8/K7 w - - 0 1", "");
    assert_eq!(Chess::parse_move(&promoting, "a7a8"), None, "to what?");
    assert_eq!(Chess::parse_move(&promoting, "a7a8k"), None);
    assert_eq!(Chess::format_move(&promoting, Chess::parse_move(&promoting, "a7a8N").expect("a move")), "a7a8n");
    assert_eq!(Chess::from_code(&position, 4 * 64 + 6), None, "castling has one number");
    assert_eq!(Chess::from_code(&position, u32::MAX), None);
}

#[test]
fn records_are_san_with_checks() {
    let cases = [
        ("4k3/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", "a8=Q+"),
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "g1g7", "Qg7#"),
        ("4k3/8/8/8/8/8/8/R2RK3 w - - 0 1", "a1b1", "Rab1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
    ];
    for (fen, uci, san) in cases {
        let position = after(GameKind::Chess, fen, "");
        assert_eq!(Chess::record_move(&position, Chess::parse_move(&position, uci).expect("a move")), san);
    }
    let position = after(GameKind::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[N] w - - 0 1", "");
    assert_eq!(Chess::record_move(&position, Chess::parse_move(&position, "N@f6").expect("a drop")), "N@f6+");
}

#[test]
fn positions_are_read_in_every_usual_form() {
    let read = |kind, text: &str| chess(kind).setup(text).map(|position| position.to_string());
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(read(GameKind::Chess, start).as_deref(), Ok(start));
    let shredder = start.replace("KQkq", "HAha");
    assert_eq!(read(GameKind::Chess, &shredder).as_deref(), Ok(start));
    assert_eq!(read(GameKind::Chess960, start), Ok(shredder));
    assert_eq!(read(GameKind::Chess, start.trim_end_matches(" 0 1")).as_deref(), Ok(start), "an EPD");
    // X-FEN: K is the outermost rook, a letter an inner one.
    let inner = "4k3/8/8/8/8/8/8/1RK2RR1 w FB - 0 1";
    assert_eq!(read(GameKind::Chess960, inner).as_deref(), Ok(inner));
    let x_fen = inner.replace("FB", "KQ");
    assert_eq!(read(GameKind::Chess960, &x_fen), Ok(inner.replace("FB", "GB")));
    assert_eq!(chess(GameKind::Chess960).setup(&x_fen).expect("a position").x_fen(), x_fen);
    for fen in ["rnbqkbnr/ppppppp1/8/8/8/8/PPPPPPPP/RNB1KBNR/Qp w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K3[Qp] w - - 0 1"] {
        assert!(read(GameKind::Crazyhouse, fen).expect("a position").contains("[Qp]"));
    }
}

#[test]
fn what_is_no_position_is_refused_with_a_reason() {
    let cases = [
        (GameKind::Chess, "", "invalid fen"),
        (GameKind::Chess, "rnbqkbnr/pppppppp w - - 0 1", "invalid board"),
        (GameKind::Chess, "8/8/8/8/8/8/8/4K3 w - - 0 1", "missing king"),
        (GameKind::Chess, "4k3/8/8/8/8/8/8/R2K4 w Q - 0 1", "should the game be chess960?"),
        (GameKind::Chess, "4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1", "crazyhouse alone"),
        (GameKind::Chess, "4k3/8/8/8/8/8/8/4K3 w - - 3+3 0 1", "three-check alone"),
        (GameKind::Chess, "4k3/8/8/8/8/8/8/4K2R b K - 0 1 bm Kd7", "invalid fen"),
        (GameKind::Chess, "4k3/8/8/8/8/8/8/4K2R w K - 0 0", "counted from 1"),
        (GameKind::Chess, "4k3/8/8/8/8/8/8/4K2R w K - 0 99999999999999999999", "counted from 1"),
        (GameKind::Chess, "4k3/8/8/8/8/8/8/4K2R w K - 4294967296 9", "no game has that many"),
        (GameKind::Chess, "4k3/8/8/8/8/8/8/4K2R w K - 50 1", "50 plies without a capture"),
        (GameKind::Chess, "4k3/8/8/8/8/8/8/4K2R w K - 17 9", "by move 9: write `0 1`"),
        (GameKind::ThreeCheck, "4k3/8/8/8/8/8/8/4K2R w K - 3+3 1 1", "1 plies without"),
        (GameKind::RacingKings, "8/8/8/8/8/p7/krbnNBRK/qrbnNBRQ w - - 0 1", "variant rule"),
    ];
    for (kind, text, why) in cases {
        let error = chess(kind).setup(text).expect_err(text);
        assert!(error.contains(why) && error.starts_with(&format!("`{text}` is not a position")), "{error}");
    }
}

#[test]
fn counters_that_can_be_are_taken() {
    for text in ["w K - 16 9", "b K - 17 9", "b K - 1 1", "w K -", "w K - 0", "w K - 0 1"] {
        let _position = chess(GameKind::Chess).setup(&format!("4k3/8/8/8/8/8/8/4K2R {text}")).expect(text);
    }
}

#[test]
fn black_may_move_first() {
    let position = after(GameKind::Chess, "4k3/8/8/8/8/8/8/4K2R b K - 0 1", "");
    assert_eq!(Chess::side_to_move(&position), Side::Second);
    assert_eq!(Chess::move_number(&position), 1);
}

#[test]
fn random_games_of_every_kind_keep_numbers_and_texts() {
    for kind in kinds() {
        let mut stream = Stream::from_seed(5);
        for _ in 0..4 {
            let start = chess(kind).random_start(&mut stream);
            assert_eq!(start.is_some(), matches!(kind, GameKind::Chess960 | GameKind::Crazyhouse960));
            let mut position = after(kind, start.as_deref().unwrap_or_default(), "");
            while Chess::ending(&position).is_none() {
                check_texts(kind, &position);
                let mv = Chess::random_move(&position, &mut stream).expect("the game is not over");
                Chess::play(&mut position, mv);
            }
        }
    }
}

fn check_texts(kind: GameKind, position: &ChessPosition) {
    let text = position.to_string();
    let again = chess(kind).setup(&text).unwrap_or_else(|error| panic!("{kind}: {error}"));
    assert_eq!(again.to_string(), text);
    for mv in position.legal_moves() {
        assert!(Chess::is_legal(position, mv));
        assert_eq!(Chess::from_code(position, Chess::code(mv)), Some(mv), "{kind}: {mv:?} in {text}");
        let uci = Chess::format_move(position, mv);
        assert_eq!(Chess::parse_move(position, &uci), Some(mv), "{kind}: {uci} in {text}");
        let san: SanPlus = Chess::record_move(position, mv).parse().expect("SAN");
        assert_eq!(san.san.to_move(&position.board).ok(), Some(mv), "{kind}: {san} in {text}");
    }
}

#[test]
fn first_openings_of_seed_1_are_pinned() {
    // The openings are part of what makes a run reproducible: if they change, no old run can be resumed.
    let drawn = |kind| {
        let source = RandomOpenings { plies: 8.into(), balance: None };
        let opening = source.draw(&chess(kind), 1, 0, &mut |_| 0).expect("an opening");
        assert_eq!(opening.moves.len(), 8);
        (opening.start, opening.position.to_string())
    };
    let chess = "rnq1kbnr/1pp1pppp/p2p4/5b2/P7/5N1P/1PPPPPP1/RNBQKBR1 w Qkq - 1 5";
    assert_eq!(drawn(GameKind::Chess), (None, chess.to_owned()));
    let start = "nbrkbqnr/pppppppp/8/8/8/8/PPPPPPPP/NBRKBQNR w HChc - 0 1";
    let chess960 = "n1krbqnr/p2ppppp/1p6/1Pp1b3/6P1/8/P1PPPP1P/NBKRBQNR w - - 1 5";
    assert_eq!(drawn(GameKind::Chess960), (Some(start.to_owned()), chess960.to_owned()));
}

#[test]
fn lines_of_a_book_are_played() {
    let line = |start: &str, moves: &str| OpeningLine {
        start: (!start.is_empty()).then(|| start.to_owned()),
        moves: moves.split_whitespace().map(str::to_owned).collect(),
    };
    let game = chess(GameKind::Chess);
    let opening = line("", "e2e4 e7e5 g1f3").play(&game).expect("an opening");
    assert_eq!(opening.position.to_string(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    assert!(line("", "e2e4 e2e4").play(&game).unwrap_err().contains("`e2e4` is not a legal move"));
    assert!(line("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "").play(&game).unwrap_err().contains("the game is over"));
}

#[test]
fn engines_get_the_variant() {
    let names = |kind| (chess(kind).uci_options(), chess(kind).xboard_variant());
    assert_eq!(names(GameKind::Chess), (vec![], "normal"));
    assert_eq!(names(GameKind::Chess960), (vec![("UCI_Chess960", "true")], "fischerandom"));
    assert_eq!(names(GameKind::Crazyhouse), (vec![("UCI_Variant", "crazyhouse")], "crazyhouse"));
    assert_eq!(names(GameKind::ThreeCheck), (vec![("UCI_Variant", "3check")], "3check"));
    assert_eq!(names(GameKind::KingOfTheHill), (vec![("UCI_Variant", "kingofthehill")], "kingofthehill"));
    assert_eq!(Chess::of(GameKind::ZeroPointOne), None);
}

#[test]
fn openings_have_names_however_they_are_reached() {
    let name = |kind, fen: &str, moves: &str| {
        Chess::opening_name(&after(kind, fen, moves)).map(|name| format!("{} {}", name.eco, name.name))
    };
    let chess = |moves: &str| name(GameKind::Chess, "", moves);
    let najdorf = "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6";
    assert_eq!(chess(najdorf).as_deref(), Some("B90 Sicilian Defense: Najdorf Variation"));
    let transposed = "g1f3 d7d6 e2e4 c7c5 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6";
    assert_eq!(chess(transposed), chess(najdorf), "another order of moves");
    let from_fen =
        name(GameKind::Chess, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "e7e5 g1f3 b8c6");
    assert_eq!(from_fen.as_deref(), Some("C44 King's Knight Opening: Normal Variation"));
    assert_eq!(chess(""), None, "the start");
    assert_eq!(chess("e2e4 a7a5 h2h4 h7h5 a2a3"), None, "an opening without a name");
    assert_eq!(name(GameKind::Chess960, "", najdorf), None);
    assert_eq!(name(GameKind::Crazyhouse, "", "e2e4"), None);
    // The same squares in another position: Black cannot castle any more.
    assert_eq!(name(GameKind::Chess, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ - 0 1", ""), None);
}
