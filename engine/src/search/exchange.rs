//! Static exchange evaluation: what a sequence of captures on one square wins or loses.
//!
//! All pieces leap, so that nothing stands in the way of anything: the attackers of the square are all there are, and no other
//! appears when one of them captures. Pieces that are captured change sides, so that an exchange counts each twice; only the
//! ratios matter here.

use crate::{Bitboard, Move, Piece, Position, Square};

/// What a piece is worth in an exchange, by kind: logit x 1,000, on the board and in the captor's hand. Nothing is worth the
/// wazir.
pub(super) const VALUES: [i32; 5] = [300, 450, 500, 750, 100_000];

/// The value of a kind.
#[inline]
pub(super) fn value(piece: Piece) -> i32 {
    VALUES[piece.index()]
}

/// What the mover wins, or below 0 loses, by a legal jump or drop if both sides go on capturing on its target as long as it
/// pays.
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
    // What each capture wins if it is the last, seen from the side that makes it.
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
    use super::{exchange, VALUES};
    use crate::{parse_move, Position};

    #[test]
    fn exchanges_are_played_out_as_long_as_they_pay() {
        let [alfil, dabbaba, ferz, _, _] = VALUES;
        // Red alfil c3 attacks e5; blue's pieces there and around it differ.
        let position = |text: &str| -> Position { text.parse().unwrap() };
        let cases = [
            // An alfil that nobody guards.
            ("W......./......../..A...../......../....a.../......../......../.......w DDDDDDDDFFFFNNAAAAAAAaaaaaaa r 40", "c3e5", alfil),
            // A dabbaba guards it: alfil for alfil.
            ("W......./......../..A...../......../....a.../......../....d.../.......w DDDDDDDFFFFNNAAAAAAAaaaaaaa r 40", "c3e5", 0),
            // A ferz captures it: worth less than what it costs.
            ("W......./......../......../...F..../....a.../......../....d.../.......w DDDDDDDFFFNNAAAAAAAAaaaaaaa r 40", "d4e5", alfil - ferz),
            // The same with a second attacker of red's: the dabbaba does not capture back at that price... it does, and is lost.
            ("W......./......../..A...../...F..../....a.../......../....d.../.......w DDDDDDDFFFNNAAAAAAAaaaaaaa r 40", "c3e5", alfil - alfil.min(alfil - 0).max(alfil - dabbaba).max(0)),
        ];
        for (text, mv, expected) in cases {
            let position = position(text);
            assert_eq!(exchange(&position, parse_move(&position, mv).unwrap()), expected, "{mv} in {text}");
        }
    }
}
