//! Moves and their codes, notations, checks, the network's inputs.

use super::positions;
use crazyhouse::Position;
use crazyhouse::features::{INPUTS, MoveRows, ROWS, for_each_input};
use crazyhouse::moves::{code, decode, key, read_fen, read_move, write_move};
use shakmaty::fen::Fen;
use shakmaty::{Color, EnPassantMode, FromSetup, Move, Position as _, Role};
use std::collections::BTreeSet;

fn fen(position: &Position) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// Counts leaves below a position; plays moves by their codes.
fn perft(position: &Position, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    moves
        .into_iter()
        .map(|mv| {
            let mut after = position.clone();
            after.play_unchecked(decode(position, code(mv)).unwrap());
            perft(&after, depth - 1)
        })
        .sum()
}

#[test]
fn counts_of_positions_are_those_that_others_publish() {
    // Fairy-Stockfish counts the same (`go perft`).
    for (fen, depth, expected) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1", 4, 197_281),
        ("2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - - 0 1", 2, 75_353),
        ("2k5/8/8/8/8/8/8/4K3[Qn] w - - 0 1", 3, 88_634),
        ("r1bqk2r/pppp1ppp/2n1p3/4P3/1b1Pn3/2NB1N2/PPP2PPP/R1BQK2R[] b KQkq - 0 1", 3, 58_057),
        ("4k3/1Q~6/8/8/4b3/8/Kpp5/8/ b - - 0 1", 3, 5_445),
    ] {
        assert_eq!(perft(&read_fen(fen).unwrap(), depth), expected, "{fen}");
    }
}

#[test]
fn each_move_has_a_code_of_its_own_and_comes_back_from_it() {
    let mut kinds = BTreeSet::new();
    for position in positions(60, 1) {
        let moves = position.legal_moves();
        let codes: BTreeSet<u16> = moves.iter().map(|&mv| code(mv)).collect();
        assert_eq!(codes.len(), moves.len());
        for mv in moves {
            assert_eq!(decode(&position, code(mv)), Some(mv));
            assert_eq!(read_move(&write_move(mv), &position), Some(mv));
            kinds.insert(match mv {
                Move::Put { .. } => "drop",
                Move::Castle { .. } => "castle",
                Move::EnPassant { .. } => "en passant",
                Move::Normal { promotion: Some(_), .. } => "promotion",
                Move::Normal { .. } => "normal",
            });
        }
    }
    assert_eq!(kinds.len(), 5, "{kinds:?}");
}

#[test]
fn codes_of_no_move_do_no_harm() {
    for position in positions(2, 3).iter().step_by(7) {
        for code in 0..=u16::MAX {
            let _ = decode(position, code);
        }
    }
}

#[test]
fn notations_are_those_of_uci() {
    let position = read_fen("r3k2r/P7/8/8/8/8/8/R3K2R[Pn] w KQkq - 0 1").unwrap();
    for text in ["e1g1", "e1c1", "a7b8q", "P@e4", "h1h8", "a1d1"] {
        let mv = read_move(text, &position);
        assert_eq!(mv.map(write_move).as_deref(), if text == "a7b8q" { None } else { Some(text) }, "{text}");
    }
    for text in ["", "e1", "N@e4", "P@e8", "P@e9", "e1e1", "0000", "e1g1q", "€"] {
        assert_eq!(read_move(text, &position), None, "{text}");
    }
    for fen in ["", "x", "8/8/8/8/8/8/8/8[] w - - 0 1", "kk6/8/8/8/8/8/8/K7 w - - 0 1"] {
        assert!(read_fen(fen).unwrap_err().contains("is not a position"), "{fen}");
    }
}

#[test]
fn checks_are_seen_before_they_are_given() {
    let (mut checks, mut others, mut special) = (0, 0, 0);
    let more = [
        // Castling, en passant captures and promotions that give check, directly and by discovery.
        "5k2/8/8/8/8/8/8/R3K2R[] w KQ - 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K2B[] b - d3 0 1",
        "8/4P3/8/4k3/8/8/8/4K3[] w - - 0 1",
        "1r6/B1P5/3k4/8/8/8/8/4K3[] w - - 0 1",
        "8/8/8/R2pP2k/8/8/8/K7[] w - d6 0 1",
    ];
    let more = more.map(|fen| read_fen(fen).unwrap());
    for position in positions(60, 5).into_iter().chain(more) {
        let rows = MoveRows::new(&position);
        for mv in position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(mv);
            assert_eq!(rows.gives_check(mv), after.is_check(), "{} in {}", write_move(mv), fen(&position));
            checks += u32::from(after.is_check());
            others += u32::from(!after.is_check());
            special += u32::from(after.is_check() && (mv.is_promotion() || mv.is_castle() || mv.is_en_passant()));
        }
    }
    assert!(checks > 1_000 && others > 10_000 && special > 20, "{checks} {others} {special}");
}

/// The same position with colours and ranks exchanged.
fn mirrored(position: &Position) -> Position {
    let mut setup = position.to_setup(EnPassantMode::Legal);
    setup.board.flip_vertical();
    setup.board.swap_colors();
    setup.promoted = setup.promoted.flip_vertical();
    setup.castling_rights = setup.castling_rights.flip_vertical();
    setup.ep_square = setup.ep_square.map(shakmaty::Square::flip_vertical);
    setup.turn = !setup.turn;
    if let Some(pockets) = &mut setup.pockets {
        std::mem::swap(&mut pockets.white, &mut pockets.black);
    }
    Position::from_setup(setup, shakmaty::CastlingMode::Standard).unwrap()
}

fn inputs(position: &Position) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    for_each_input(position, |input| assert!(all.insert(input) && input < INPUTS));
    all
}

#[test]
fn both_colours_see_the_same() {
    for position in positions(20, 7) {
        let other = mirrored(&position);
        assert_eq!(inputs(&position), inputs(&other));
        let rows = |of: &Position| {
            let rows = MoveRows::new(of);
            of.legal_moves().into_iter().map(|mv| rows.row(mv).rows).collect::<BTreeSet<_>>()
        };
        let own = rows(&position);
        assert_eq!(own, rows(&other));
        assert!(own.iter().flatten().all(|&row| usize::from(row) < ROWS));
    }
}

#[test]
fn moves_of_a_position_have_rows_of_their_own() {
    for position in positions(20, 8) {
        let rows = MoveRows::new(&position);
        let moves = position.legal_moves();
        let different: BTreeSet<_> = moves.iter().map(|&mv| rows.row(mv).rows).collect();
        assert_eq!(different.len(), moves.len(), "{}", fen(&position));
    }
}

/// Computed by hand, for a position with some of everything.
#[test]
fn inputs_and_rows_are_as_described() {
    let position = read_fen("4k3/8/8/8/3n4/8/4P3/4K3[NNp] w - - 0 1").unwrap();
    let expected = [
        12,                // the pawn on e2
        64 * 5 + 4,        // the king on e1
        384 + 64 + 27,     // their knight on d4
        384 + 64 * 5 + 60, // their king on e8
        768 + 8,           // a knight in the pocket
        768 + 9,           // a second one
        768 + 8 * 5,       // their pawn
    ];
    assert_eq!(inputs(&position), BTreeSet::from(expected));
    let rows = MoveRows::new(&position);
    let row = |text: &str| rows.row(read_move(text, &position).unwrap());
    // The pawn is attacked and defended; e3 is neither attacked nor attacked by another own piece.
    let push = row("e2e3");
    assert_eq!(push.rows, [12, 389 + 20, 389 + 704, 389 + 704 + 720 + 4]);
    // A drop next to the opponent's king that gives check: on c7, where nothing attacks or defends.
    let drop = row("N@c7");
    assert_eq!(drop.rows, [384 + 1, 389 + 384 + 64 + 50, 389 + 704 + (11 * 2 + 1) * 24, 389 + 704 + 720 + 11 * 12]);
    assert!(drop.gives_check && !push.gives_check);
}

#[test]
fn keys_tell_pockets_sides_and_rights_apart() {
    let fens = [
        "r3k2r/8/8/8/8/8/8/R3K2R[] w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R[] b KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R[] w KQ - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R[P] w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R[p] w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R[PP] w KQkq - 0 1",
    ];
    let keys: BTreeSet<u64> = fens.iter().map(|fen| key(&read_fen(fen).unwrap())).collect();
    assert_eq!(keys.len(), fens.len());
    let later = read_fen("r3k2r/8/8/8/8/8/8/R3K2R[] w KQkq - 9 30").unwrap();
    assert_eq!(key(&later), key(&read_fen(fens[0]).unwrap()), "counters do not count");
    assert_eq!((later.turn(), Role::ALL.len()), (Color::White, 6));
}
