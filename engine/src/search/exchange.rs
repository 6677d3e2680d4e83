//! Static exchange evaluation: the gain or loss of a sequence of captures on one square.
//!
//! All pieces leap, so nothing blocks an attack: the attackers of the square are known from the start, and a capture
//! uncovers no others. Captured pieces change sides, so an exchange counts each twice; only the ratios matter here.

use crate::{Bitboard, Move, Piece, Position, Square};

/// The value of a piece in an exchange, by kind: logit x 1,000, on the board and in the captor's hand. Nothing is worth
/// the wazir.
pub(super) const VALUES: [i32; 5] = [300, 450, 500, 750, 100_000];

/// The value of a kind.
#[inline]
pub(super) fn value(piece: Piece) -> i32 {
    VALUES[piece.index()]
}

/// The gain of the mover, negative for a loss, by a legal jump or drop if both sides keep capturing on its target as
/// long as it pays.
pub(super) fn exchange(position: &Position, mv: Move) -> i32 {
    let Some(to) = mv.to() else { return 0 };
    let side = position.side_to_move();
    let (moved, from) = if mv.is_drop() {
        (Piece::DROPPABLE[mv.dropped_index()], Bitboard::EMPTY)
    } else {
        (position.kind_on(mv.from()), mv.from().bitboard())
    };
    let victim = position.piece_at(to).map_or(0, |(_, piece)| value(piece));
    let mut attackers = [position.attackers(to, side) - from, position.attackers(to, !side)];
    // The gain of each capture if it is the last, in the view of the side that makes it.
    let mut gains = [0; 33];
    gains[0] = victim;
    let (mut standing, mut mover, mut length) = (value(moved), 1, 0);
    while let Some((at, piece)) = least_valuable(position, attackers[mover]) {
        attackers[mover] = attackers[mover] - at.bitboard();
        if piece == Piece::Wazir && !attackers[1 - mover].is_empty() {
            break;
        }
        length += 1;
        gains[length] = standing - gains[length - 1];
        (standing, mover) = (value(piece), 1 - mover);
    }
    for i in (1..=length).rev() {
        // Each side may stop instead of capturing.
        gains[i - 1] = -gains[i].max(-gains[i - 1]);
    }
    gains[0]
}

fn least_valuable(position: &Position, attackers: Bitboard) -> Option<(Square, Piece)> {
    Piece::ALL.into_iter().find_map(|piece| Some(((attackers & position.kind_pieces(piece)).first()?, piece)))
}

#[cfg(test)]
mod tests {
    use super::{exchange, least_valuable, value};
    use crate::{parse_move, Move, Piece, Position, Square};

    /// The gain of the side to move by capturing on `square` as long as it pays, each time with its least valuable
    /// piece: computed by playing it out.
    fn played_out(position: &Position, square: Square) -> i32 {
        let side = position.side_to_move();
        let Some((from, piece)) = least_valuable(position, position.attackers(square, side)) else { return 0 };
        if piece == Piece::Wazir && !position.attackers(square, !side).is_empty() {
            return 0;
        }
        (victim(position, square) - after(position, Move::jump(from, square))).max(0)
    }

    fn victim(position: &Position, square: Square) -> i32 {
        position.piece_at(square).map_or(0, |(_, piece)| value(piece))
    }

    /// The gain of the other side on the target of a move.
    fn after(position: &Position, mv: Move) -> i32 {
        let mut after = *position;
        after.play(mv);
        mv.to().map_or(0, |to| played_out(&after, to))
    }

    #[test]
    fn exchanges_are_worth_what_playing_them_out_wins() {
        let (mut state, mut longest) = (1_u64, 0);
        for _ in 0..40 {
            let mut position = Position::new();
            while position.outcome().is_none() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let Some(mv) = position.nth_legal((state >> 33) as u32 % position.legal_count().max(1)) else { break };
                let takes_wazir = mv.to().is_some_and(|to| victim(&position, to) == value(Piece::Wazir));
                if let Some(to) =
                    mv.to().filter(|_| (2..80).contains(&position.plies()) && !takes_wazir && position.is_safe(mv))
                {
                    let expected = victim(&position, to) - after(&position, mv);
                    assert_eq!(exchange(&position, mv), expected, "{mv:?} in {position}");
                    longest = longest.max(position.attackers(to, position.side_to_move()).count());
                }
                position.play(mv);
            }
        }
        assert!(longest > 3, "some squares are attacked by several pieces");
    }

    #[test]
    fn a_guarded_piece_is_worth_less_than_what_captures_it() {
        let position: Position =
            "W......./......../......../...F..../....a.../......../....d.../.......w DDDDDDDFFFNNAAAAAAAAaaaaaaa r 40"
                .parse()
                .unwrap();
        let capture = parse_move(&position, "d4e5").unwrap();
        assert_eq!(exchange(&position, capture), value(Piece::Alfil) - value(Piece::Ferz));
    }
}
