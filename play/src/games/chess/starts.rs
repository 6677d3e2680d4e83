//! The 960 starts of Chess960 in Reinhard Scharnagl's numbering (518 is the usual one), and those of double Chess960,
//! in which each side has a start of its own.

/// The number of starts.
pub const STARTS_960: u32 = 960;

/// The start of a game: the numbers of both sides' back rows, below [`STARTS_960`]. In Chess960 both are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start960 {
    /// White's number.
    pub white: u32,
    /// Black's number.
    pub black: u32,
}

impl Start960 {
    /// The start with the same row for both sides.
    pub const fn same(number: u32) -> Self {
        Self { white: number, black: number }
    }

    /// The start with which a position's text begins, if it is a start.
    pub fn of(text: &str) -> Option<Self> {
        let board = text.split([' ', '[']).next()?;
        let mut rows = board.split('/');
        let (black, white) = (rows.next()?, rows.next_back()?);
        if !rows.eq(["pppppppp", "8", "8", "8", "8", "PPPPPPPP"]) {
            return None;
        }
        let number = |row: &str, upper: bool| {
            (0..STARTS_960).find(|&number| {
                let known =
                    back_row(number).into_iter().map(|piece| if upper { piece.to_ascii_uppercase() } else { piece });
                known.eq(row.chars())
            })
        };
        Some(Self { white: number(white, true)?, black: number(black, false)? })
    }
}

/// The files of the two knights among the five left free by bishops and queen.
const KNIGHTS: [[usize; 2]; 10] = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

/// A start as a Shredder-FEN, with an empty pocket where the game has one.
pub(super) fn text(start: Start960, has_pocket: bool) -> String {
    let [white, black] = [start.white, start.black].map(back_row);
    let [white_row, black_row] = [white, black].map(|row| row.iter().collect::<String>());
    let [white_rooks, black_rooks] = [white, black].map(rook_files);
    let pocket = if has_pocket { "[]" } else { "" };
    format!(
        "{black_row}/pppppppp/8/8/8/8/PPPPPPPP/{}{pocket} w {}{black_rooks} - 0 1",
        white_row.to_ascii_uppercase(),
        white_rooks.to_ascii_uppercase()
    )
}

/// The files of the rooks, the one on the king's side first.
fn rook_files(row: [char; 8]) -> String {
    let file = |index: usize| char::from(b'a' + index as u8);
    (0..8).rev().filter(|&index| row[index] == 'r').map(file).collect()
}

/// The pieces from file a to file h.
fn back_row(number: u32) -> [char; 8] {
    let mut row = [None; 8];
    row[number as usize % 4 * 2 + 1] = Some('b');
    row[number as usize / 4 % 4 * 2] = Some('b');
    place(&mut row, number as usize / 16 % 6, 'q');
    let [first, second] = KNIGHTS[number as usize / 96 % KNIGHTS.len()];
    // The second first: placing it does not shift the first one's place among the free files.
    place(&mut row, second, 'n');
    place(&mut row, first, 'n');
    for piece in ['r', 'k', 'r'] {
        place(&mut row, 0, piece);
    }
    row.map(|piece| piece.unwrap_or('r'))
}

/// Puts a piece on the `index`th free file.
fn place(row: &mut [Option<char>; 8], index: usize, piece: char) {
    if let Some(free) = row.iter_mut().filter(|file| file.is_none()).nth(index) {
        *free = Some(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn known_numbers_are_where_they_should_be() {
        // Numbers 0, 518 and 959 as in every published table.
        for (number, row) in [(0, "bbqnnrkr"), (518, "rnbqkbnr"), (959, "rkrnnqbb")] {
            assert_eq!(back_row(number).iter().collect::<String>(), row);
        }
        let start = |number| text(Start960::same(number), false);
        assert_eq!(start(518), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
        assert_eq!(start(0), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1");
        let double = Start960 { white: 0, black: 518 };
        assert_eq!(text(double, true), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR[] w HFha - 0 1");
    }

    #[test]
    fn starts_are_known_by_their_text() {
        for number in [0, 1, 517, 518, 959] {
            let start = Start960 { white: number, black: STARTS_960 - 1 - number };
            assert_eq!([true, false].map(|has_pocket| Start960::of(&text(start, has_pocket))), [Some(start); 2]);
        }
        for other in [
            "",
            "rnbqkbnr",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNN w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ] {
            assert_eq!(Start960::of(other), None, "{other}");
        }
    }

    #[test]
    fn all_differ_and_obey_the_rules() {
        let rows: BTreeSet<[char; 8]> = (0..STARTS_960).map(back_row).collect();
        assert_eq!(rows.len() as u32, STARTS_960);
        for row in rows {
            let at = |piece| (0..8).filter(|&file| row[file] == piece).collect::<Vec<usize>>();
            let (rooks, kings, bishops) = (at('r'), at('k'), at('b'));
            assert_eq!((rooks.len(), kings.len(), bishops.len(), at('n').len(), at('q').len()), (2, 1, 2, 2, 1));
            assert!(rooks[0] < kings[0] && kings[0] < rooks[1]);
            assert_ne!(bishops[0] % 2, bishops[1] % 2);
        }
    }
}
