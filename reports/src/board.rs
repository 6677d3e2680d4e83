//! Boards to draw: squares, hands and the look of the pieces. The only file that knows the games' position texts.
//!
//! Understands the text of 0.1 (`rows a..h, '/'-separated, '.' empty; hands or -; r or b; plies`) and FEN (crazyhouse's
//! pockets in brackets, a promoted piece followed by `~`).

use play::Side;
use serde::Serialize;

/// How the page draws the pieces of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// Letters in discs, the first mover's red, the second mover's blue.
    Discs,
    /// The shapes of chess.
    Chess,
}

/// A position ready for drawing, with the first mover's side below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The look of the pieces.
    pub look: Look,
    /// Labels of the rows, from the top.
    pub rows: Vec<String>,
    /// Labels of the columns, from the left.
    pub columns: Vec<String>,
    /// The squares row by row from the top left: a piece's letter, in upper case for the first mover's, or nothing.
    pub squares: Vec<Option<char>>,
    /// Letters of the pieces in hand: the first mover's and the second mover's.
    pub hands: [String; 2],
}

/// The number of rows and columns in all games so far.
const SIZE: usize = 8;

impl Board {
    /// The board of a position's text; `None` if the text is neither of 0.1 nor a FEN.
    pub fn of_text(text: &str) -> Option<Self> {
        let mut fields = text.split_ascii_whitespace();
        let (board, second, _third) = (fields.next()?, fields.next()?, fields.next()?);
        zero_point_one(board, second).or_else(|| fen(board))
    }
}

/// The side to move in a position's text.
pub fn side_to_move(text: &str) -> Side {
    let mut fields = text.split_ascii_whitespace().skip(1);
    let (second, third) = (fields.next(), fields.next());
    // The second field of a FEN is `w` or `b`; that of 0.1 holds the hands, which never contain these letters.
    let is_second = if matches!(second, Some("w" | "b")) { second == Some("b") } else { third == Some("b") };
    if is_second { Side::Second } else { Side::First }
}

/// Reads a board of 0.1. Row a, where the first mover's pieces start, is the first in the text and the lowest on the
/// board.
fn zero_point_one(board: &str, hands: &str) -> Option<Board> {
    let rows: Vec<&str> = board.split('/').collect();
    let is_row = |row: &&str| row.chars().count() == SIZE && row.chars().all(|letter| ".ADFNWadfnw".contains(letter));
    if rows.len() != SIZE || !rows.iter().all(is_row) {
        return None;
    }
    let square = |letter: char| (letter != '.').then_some(letter);
    Some(Board {
        look: Look::Discs,
        rows: ('a'..='h').rev().map(String::from).collect(),
        columns: (1..=SIZE).map(|column| column.to_string()).collect(),
        squares: rows.iter().rev().flat_map(|row| row.chars().map(square)).collect(),
        hands: split_hands(if hands == "-" { "" } else { hands }),
    })
}

/// Reads a FEN. Rank 8 is the first in the text and the highest on the board.
fn fen(board: &str) -> Option<Board> {
    let (board, pockets) = match board.split_once('[') {
        Some((board, pockets)) => (board, pockets.trim_end_matches(']')),
        None => (board, ""),
    };
    let rows: Vec<&str> = board.split('/').collect();
    // Some programs write the pockets as a ninth rank.
    let (rows, pockets) = match rows.as_slice() {
        [ranks @ .., last] if ranks.len() == SIZE => (ranks, *last),
        ranks => (ranks, pockets),
    };
    let ranks: Option<Vec<Vec<Option<char>>>> = rows.iter().map(|rank| fen_rank(rank)).collect();
    let squares: Vec<Option<char>> = ranks.filter(|ranks| ranks.len() == SIZE)?.into_iter().flatten().collect();
    Some(Board {
        look: Look::Chess,
        rows: (1..=SIZE).rev().map(|rank| rank.to_string()).collect(),
        columns: ('a'..='h').map(String::from).collect(),
        squares,
        hands: split_hands(pockets.trim_matches('-')),
    })
}

fn fen_rank(rank: &str) -> Option<Vec<Option<char>>> {
    let mut squares = Vec::with_capacity(SIZE);
    for letter in rank.chars() {
        match letter {
            '~' => {}
            '1'..='8' => squares.extend(std::iter::repeat_n(None, letter as usize - '0' as usize)),
            'P' | 'N' | 'B' | 'R' | 'Q' | 'K' | 'p' | 'n' | 'b' | 'r' | 'q' | 'k' => squares.push(Some(letter)),
            _ => return None,
        }
    }
    (squares.len() == SIZE).then_some(squares)
}

fn split_hands(hands: &str) -> [String; 2] {
    let letters = hands.chars().filter(char::is_ascii_alphabetic);
    let (first, second) = letters.partition(char::is_ascii_uppercase);
    [first, second]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(board: &Board, index: usize) -> String {
        board.squares[8 * index..8 * (index + 1)].iter().map(|square| square.unwrap_or('.')).collect()
    }

    #[test]
    fn zero_point_one_has_row_a_below() {
        let text = "ADAAFNWD/AAFADA.D/......../....A.../.a....../......../afa.daaa/fwaaddnd AdF r 4";
        let board = Board::of_text(text).unwrap();
        assert_eq!(board.look, Look::Discs);
        assert_eq!((row(&board, 0).as_str(), row(&board, 7).as_str()), ("fwaaddnd", "ADAAFNWD"));
        assert_eq!(board.rows.first().map(String::as_str), Some("h"));
        assert_eq!(board.hands, ["AF".to_owned(), "d".to_owned()]);
        let empty = Board::of_text("......../......../......../......../......../......../......../........ - r 0");
        assert!(empty.unwrap().squares.iter().all(Option::is_none));
    }

    #[test]
    fn fen_has_rank_1_below_and_pockets_in_hand() {
        let start = Board::of_text("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").unwrap();
        assert_eq!(start.look, Look::Chess);
        assert_eq!(row(&start, 0), "rnbqkbnr");
        assert_eq!(row(&start, 4), "....P...");
        assert_eq!(start.hands, [String::new(), String::new()]);
        let house = Board::of_text("r1bqk2r/8/8/8/8/8/8/RNBQKB~NR[QNpp] w KQkq - 0 10").unwrap();
        assert_eq!(row(&house, 7), "RNBQKBNR");
        assert_eq!(house.hands, ["QN".to_owned(), "pp".to_owned()]);
        let slashed = Board::of_text("r1bqk2r/8/8/8/8/8/8/RNBQKBNR/Pp w - - 0 1").unwrap();
        assert_eq!(slashed.hands, ["P".to_owned(), "p".to_owned()]);
    }

    #[test]
    fn who_moves_is_in_the_text() {
        let of = |text| side_to_move(text) == Side::Second;
        assert!(!of("8/8/8/8/8/8/8/8 w b - 0 1") && of("8/8/8/8/8/8/8/8 b KQkq - 0 1"));
        assert!(!of("......../......../......../......../......../......../......../........ - r 0"));
        assert!(of("......../......../......../......../......../......../......../........ adD b 7"));
        let rook_of_file_b = Board::of_text("1r2k3/8/8/8/8/8/8/4K3 w b - 0 1").unwrap();
        assert_eq!(rook_of_file_b.look, Look::Chess);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "x y z", "8/8 w - -", "9/8/8/8/8/8/8/8 w - - 0 1", "zzzzzzzz/8/8/8/8/8/8/8 w - - 0 1", "a/b/c - r 1"]
        {
            assert_eq!(Board::of_text(text), None, "{text}");
        }
    }
}
