//! The 960 starts of Chess960, numbered as Reinhard Scharnagl did: 518 is the usual one.

/// How many there are.
pub(super) const COUNT: u32 = 960;

/// The files of the two knights among the five left free by bishops and queen.
const KNIGHTS: [[usize; 2]; 10] = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

/// Start `number` (below [`COUNT`]) as a Shredder-FEN.
pub(super) fn start(number: u32) -> String {
    let row = back_row(number);
    let file = |index: usize| char::from(b'A' + index as u8);
    let mut rooks = (0..8).filter(|&index| row[index] == 'r').map(file);
    let castling: String = rooks.by_ref().collect::<Vec<_>>().into_iter().rev().collect();
    let black: String = row.iter().collect();
    let white = black.to_ascii_uppercase();
    format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w {castling}{} - 0 1", castling.to_ascii_lowercase())
}

/// The pieces from file a to file h.
fn back_row(number: u32) -> [char; 8] {
    let mut row = [None; 8];
    row[number as usize % 4 * 2 + 1] = Some('b');
    row[number as usize / 4 % 4 * 2] = Some('b');
    place(&mut row, number as usize / 16 % 6, 'q');
    let [first, second] = KNIGHTS[number as usize / 96 % KNIGHTS.len()];
    // The second first: placing it does not move the other's place among the free files.
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
        assert_eq!(start(518), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
        assert_eq!(start(0), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1");
    }

    #[test]
    fn all_differ_and_obey_the_rules() {
        let rows: BTreeSet<[char; 8]> = (0..COUNT).map(back_row).collect();
        assert_eq!(rows.len() as u32, COUNT);
        for row in rows {
            let at = |piece| (0..8).filter(|&file| row[file] == piece).collect::<Vec<usize>>();
            let (rooks, kings, bishops) = (at('r'), at('k'), at('b'));
            assert_eq!((rooks.len(), kings.len(), bishops.len(), at('n').len(), at('q').len()), (2, 1, 2, 2, 1));
            assert!(rooks[0] < kings[0] && kings[0] < rooks[1]);
            assert_ne!(bishops[0] % 2, bishops[1] % 2);
        }
    }
}
