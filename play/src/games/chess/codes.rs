//! The numbers of chess moves in journals, the same for all variants. They never change.
//!
//! | numbers | what | number |
//! |---|---|---|
//! | 0 to 4095 | moves from square to square; castling goes from the king's square to the rook's | 64 from + to |
//! | 4096 to 4735 | promotions | 4096 + 128 piece + 64 (1 for Black) + 8 from's file + to's file |
//! | 4736 to 5055 | drops | 4736 + 64 piece + to |
//!
//! Squares count a1 = 0, b1 = 1, ... h8 = 63, files a = 0 to h = 7. Pieces promoted to count queen, rook, bishop,
//! knight, king from 0, pieces dropped pawn, knight, bishop, rook, queen. So every number takes two bytes at most as a
//! varint.

use shakmaty::uci::UciMove;
use shakmaty::{Color, File, Move, Rank, Role, Square};

const SQUARES: u32 = 64;
const PROMOTIONS: u32 = SQUARES * SQUARES;
const DROPS: u32 = PROMOTIONS + PROMOTED.len() as u32 * 2 * FILES * FILES;
const END: u32 = DROPS + DROPPED.len() as u32 * SQUARES;
const FILES: u32 = 8;

/// The pieces that a pawn can promote to (the king only in antichess).
const PROMOTED: [Role; 5] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::King];
/// The pieces that can be dropped.
const DROPPED: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The number of a move.
pub(super) fn code(mv: Move) -> u32 {
    match mv {
        Move::Normal { from, to, promotion: Some(role), .. } => {
            let black = u32::from(to.rank() == Rank::First);
            let files = u32::from(from.file()) * FILES + u32::from(to.file());
            PROMOTIONS + (index(PROMOTED, role) * 2 + black) * FILES * FILES + files
        }
        Move::Normal { from, to, promotion: None, .. } | Move::EnPassant { from, to } => ordinary(from, to),
        Move::Castle { king, rook } => ordinary(king, rook),
        Move::Put { role, to } => DROPS + index(DROPPED, role) * SQUARES + u32::from(to),
    }
}

fn ordinary(from: Square, to: Square) -> u32 {
    u32::from(from) * SQUARES + u32::from(to)
}

/// The index of a role in its list. Each list holds every role that can occur there.
fn index(roles: [Role; 5], role: Role) -> u32 {
    roles.iter().position(|&other| other == role).unwrap_or_default() as u32
}

/// The move that a number stands for, without reference to a position; castling goes from the king's square to the
/// rook's.
pub(super) fn decode(code: u32) -> Option<UciMove> {
    if code < PROMOTIONS {
        return Some(UciMove::Normal { from: square(code / SQUARES), to: square(code), promotion: None });
    }
    if code < DROPS {
        let code = code - PROMOTIONS;
        let side = if (code / (FILES * FILES)).is_multiple_of(2) { Color::White } else { Color::Black };
        let (from_rank, to_rank) = side.fold_wb((Rank::Seventh, Rank::Eighth), (Rank::Second, Rank::First));
        return Some(UciMove::Normal {
            from: Square::from_coords(File::new(code / FILES % FILES), from_rank),
            to: Square::from_coords(File::new(code % FILES), to_rank),
            promotion: Some(PROMOTED[(code / (2 * FILES * FILES)) as usize]),
        });
    }
    let drop = || UciMove::Put { role: DROPPED[((code - DROPS) / SQUARES) as usize], to: square(code - DROPS) };
    (code < END).then(drop)
}

/// The square in the last part of a number.
fn square(code: u32) -> Square {
    Square::new(code % SQUARES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_text(text: &str) -> u32 {
        let uci: UciMove = text.parse().unwrap();
        code(match uci {
            UciMove::Normal { from, to, promotion } => {
                Move::Normal { role: Role::Pawn, from, capture: None, to, promotion }
            }
            UciMove::Put { role, to } => Move::Put { role, to },
            UciMove::Null => panic!("no move"),
        })
    }

    #[test]
    fn numbers_are_pinned() {
        let pinned = [
            ("a1a1", 0),
            ("e2e4", 796),
            ("h8h7", 4087),
            ("a7a8q", 4096),
            ("e7e8q", 4132),
            ("e2d1q", 4195),
            ("b7a8n", 4488),
            ("h2h1k", 4735),
            ("P@a1", 4736),
            ("N@f3", 4821),
            ("Q@h8", 5055),
        ];
        for (text, number) in pinned {
            assert_eq!(of_text(text), number, "{text}");
        }
        assert_eq!(code(Move::Castle { king: Square::E1, rook: Square::H1 }), 263);
        assert_eq!(code(Move::EnPassant { from: Square::E5, to: Square::D6 }), of_text("e5d6"));
    }

    #[test]
    fn every_number_is_one_move() {
        for number in 0..END {
            let uci = decode(number).unwrap();
            assert_eq!(of_text(&uci.to_string()), number, "{uci}");
        }
        assert_eq!(decode(END), None);
        assert_eq!(decode(u32::MAX), None);
    }
}
