//! A reference implementation of the rules, written from their text for clarity, with a board of letters and
//! coordinates instead of bitboards. Tests compare the engine with it. It also plays seeded random games.

#![allow(clippy::unwrap_used, dead_code)] // A panic is how a test fails, and no test uses all of this.

use engine::{parse_move, Position};

/// A board by row and column with the letters of the position text, and the other fields of the text.
#[derive(Clone)]
pub(crate) struct Board {
    pub(crate) squares: [[char; 8]; 8],
    pub(crate) hands: Vec<char>,
    pub(crate) red_to_move: bool,
    pub(crate) plies: usize,
}

/// Row and column, 0 to 7.
pub(crate) type Place = (i32, i32);

/// A jump by its two places, a drop by the letter of the hand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NaiveMove {
    Jump(Place, Place),
    Drop(char, Place),
}

pub(crate) fn name((row, column): Place) -> String {
    format!("{}{}", char::from(b'a' + row as u8), column + 1)
}

impl NaiveMove {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Jump(from, to) => name(*from) + &name(*to),
            Self::Drop(letter, to) => format!("{letter}{}", name(*to)),
        }
    }

    pub(crate) fn to(&self) -> Place {
        match self {
            Self::Jump(_, to) | Self::Drop(_, to) => *to,
        }
    }
}

/// Whether a piece (in either case) leaps from one place to the other.
pub(crate) fn leaps(letter: char, (r1, c1): Place, (r2, c2): Place) -> bool {
    let (rows, columns) = ((r1 - r2).abs(), (c1 - c2).abs());
    match letter.to_ascii_lowercase() {
        'a' => (rows, columns) == (2, 2),
        'd' => (rows, columns) == (2, 0) || (rows, columns) == (0, 2),
        'f' => (rows, columns) == (1, 1),
        'n' => (rows, columns) == (1, 2) || (rows, columns) == (2, 1),
        'w' => rows + columns == 1,
        _ => false,
    }
}

pub(crate) fn places() -> impl Iterator<Item = Place> {
    (0..8).flat_map(|row| (0..8).map(move |column| (row, column)))
}

impl Board {
    pub(crate) fn new(position: &Position) -> Self {
        let text = position.to_string();
        let fields: Vec<&str> = text.split(' ').collect();
        let mut squares = [['.'; 8]; 8];
        for (row, letters) in squares.iter_mut().zip(fields[0].split('/')) {
            letters.chars().zip(row).for_each(|(letter, square)| *square = letter);
        }
        let hands = fields[1].chars().filter(|&letter| letter != '-').collect();
        Self { squares, hands, red_to_move: fields[2] == "r", plies: fields[3].parse().unwrap() }
    }

    pub(crate) fn at(&self, (row, column): Place) -> char {
        self.squares[row as usize][column as usize]
    }

    /// Whether a letter is a piece of red (`true`) or blue.
    pub(crate) fn belongs(letter: char, red: bool) -> bool {
        letter != '.' && letter.is_ascii_uppercase() == red
    }

    pub(crate) fn wazir(&self, red: bool) -> Option<Place> {
        places().find(|&place| self.at(place) == if red { 'W' } else { 'w' })
    }

    pub(crate) fn is_attacked(&self, place: Place, by_red: bool) -> bool {
        places().any(|from| Self::belongs(self.at(from), by_red) && leaps(self.at(from), from, place))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.plies >= 102 || self.wazir(true).is_none() || self.wazir(false).is_none()
    }

    pub(crate) fn legal_moves(&self) -> Vec<NaiveMove> {
        if self.is_over() {
            return Vec::new();
        }
        let mut moves = Vec::new();
        for to in places().filter(|&to| !Self::belongs(self.at(to), self.red_to_move)) {
            for from in places().filter(|&from| Self::belongs(self.at(from), self.red_to_move)) {
                if leaps(self.at(from), from, to) {
                    moves.push(NaiveMove::Jump(from, to));
                }
            }
            let mut held: Vec<char> = self.hands.clone();
            held.retain(|&letter| self.at(to) == '.' && Self::belongs(letter, self.red_to_move));
            held.dedup();
            moves.extend(held.into_iter().map(|letter| NaiveMove::Drop(letter, to)));
        }
        moves
    }

    pub(crate) fn after(&self, mv: &NaiveMove) -> Self {
        let mut next = self.clone();
        let letter = match *mv {
            NaiveMove::Drop(letter, _) => {
                let index = next.hands.iter().position(|&held| held == letter).unwrap();
                next.hands.remove(index)
            }
            NaiveMove::Jump((row, column), _) => {
                std::mem::replace(&mut next.squares[row as usize][column as usize], '.')
            }
        };
        let (row, column) = mv.to();
        let victim = std::mem::replace(&mut next.squares[row as usize][column as usize], letter);
        if !['.', 'w', 'W'].contains(&victim) {
            next.hands.push(if self.red_to_move { victim.to_ascii_uppercase() } else { victim.to_ascii_lowercase() });
        }
        next.hands.sort_unstable();
        next.red_to_move = !self.red_to_move;
        next.plies += 1;
        next
    }

    /// Whether the mover's wazir cannot be captured after `mv`, or `mv` is its capture of the other wazir.
    pub(crate) fn is_safe(&self, mv: &NaiveMove) -> bool {
        let mover = match *mv {
            NaiveMove::Jump(from, _) => self.at(from),
            NaiveMove::Drop(letter, _) => letter,
        };
        let wazir_takes_wazir = "wW".contains(mover) && "wW".contains(self.at(mv.to()));
        let next = self.after(mv);
        wazir_takes_wazir || !next.is_attacked(next.wazir(self.red_to_move).unwrap(), !self.red_to_move)
    }

    /// The position text, with hands in the order ADFN, adfn.
    pub(crate) fn text(&self) -> String {
        let rows: Vec<String> = self.squares.iter().map(|row| row.iter().collect()).collect();
        let hands: String = if self.hands.is_empty() { "-".into() } else { self.hands.iter().collect() };
        format!("{} {hands} {} {}", rows.join("/"), if self.red_to_move { 'r' } else { 'b' }, self.plies)
    }
}

/// Pseudo-random numbers below a bound, from a seed (`SplitMix64`).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((((z ^ (z >> 31)) >> 32) * u64::from(bound)) >> 32) as u32
    }
}

/// Plays one random game for each seed and visits every position from ply 2 on, including the last.
///
/// Most moves are safe, since otherwise most games would end after a few plies.
pub(crate) fn random_games(seeds: std::ops::Range<u64>, mut visit: impl FnMut(&Position, &Board)) {
    for seed in seeds {
        let mut random = Random(seed);
        let mut position = Position::new();
        while position.plies() < 2 {
            let mv = position.nth_legal(random.below(position.legal_count())).unwrap();
            position.play(mv);
        }
        let mut board = Board::new(&position);
        loop {
            visit(&position, &board);
            let mut moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            // One move in twenty may be unsafe, so that some wazirs are captured.
            if random.below(20) > 0 && moves.iter().any(|mv| board.is_safe(mv)) {
                moves.retain(|mv| board.is_safe(mv));
            }
            let mv = &moves[random.below(moves.len() as u32) as usize];
            position.play(parse_move(&position, &mv.text()).unwrap());
            board = board.after(mv);
        }
    }
}
