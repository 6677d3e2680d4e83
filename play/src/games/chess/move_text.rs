//! One move of chess in any usual spelling: the legal move that a text means, if it means exactly one.
//!
//! | read as | spellings |
//! |---|---|
//! | SAN | `Nf3`, `Nbd2`, `exd5`, also `e:d5`, `ed5`, `exd`, `ed`, `nf3`, `♘f3` |
//! | coordinates | `e2e4`, `e2-e4`, `E2-E4`, `Ng1-f3`, `Ng1xf3` |
//! | promotions | `a8=Q`, `a8Q`, `a8q`, `a8(Q)`, `a8/Q`, `a8=(Q)`, `a7a8q` |
//! | castling | `O-O`, `0-0`, `o-o`, `OO`, the king's two squares, the king's square and the rook's |
//! | drops | `N@f3`, `n@f3`, `@f3` for a pawn |
//!
//! Marks that change no move are passed over at the end: `+`, `#`, `!?`, `e.p.`, `$1`, a draw offer `(=)`. A missing or
//! needless `x` does not matter. Null moves are not legal moves.

use shakmaty::san::SanPlus;
use shakmaty::{CastlingSide, File, Move, Position, Rank, Role, Square};

/// Texts at the end that do not belong to the move.
const MARKS: [&str; 7] = ["(e.p.)", "e.p.", "e.p", "(ep)", "ep", "mate", "ch"];

/// The legal move that a text means; `None` if it means none, or more than one.
///
/// A pawn that reaches the last rank needs its new piece: without it the text means four moves.
pub fn read_move<P: Position>(position: &P, text: &str) -> Option<Move> {
    let plain = plain(text);
    let text = without_marks(&plain);
    // As SAN, `bb4` is a pawn's step with a needless file; people mean a bishop's move.
    let is_doubtful = text.starts_with("bb");
    let san = || if is_doubtful { None } else { text.parse::<SanPlus>().ok()?.san.to_move(position).ok() };
    castling_side(text)
        .map_or_else(san, |side| position.castling_moves(side).first().copied())
        .or_else(|| the_only(&meant(position, text)))
}

/// The text with letters for figurines and hyphens for dashes.
fn plain(text: &str) -> String {
    let letter = |c| match c {
        '♔' | '♚' => 'K',
        '♕' | '♛' => 'Q',
        '♖' | '♜' => 'R',
        '♗' | '♝' => 'B',
        '♘' | '♞' => 'N',
        '♙' | '♟' => 'P',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '×' => 'x',
        other => other,
    };
    text.trim().chars().map(letter).collect()
}

/// The text without the marks after the move.
fn without_marks(text: &str) -> &str {
    let mut text = text.split('$').next().unwrap_or_default();
    loop {
        let mut rest = text.trim_end_matches(|c: char| c.is_whitespace() || "+#!?†‡,;".contains(c));
        let mark = MARKS.iter().chain(&["(=)", "=", "."]).find_map(|mark| rest.strip_suffix(mark));
        rest = mark.unwrap_or(rest);
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

fn castling_side(text: &str) -> Option<CastlingSide> {
    let mut strokes = 0;
    for c in text.chars() {
        match c {
            'O' | 'o' | '0' => strokes += 1,
            '-' => {}
            _ => return None,
        }
    }
    match strokes {
        2 => Some(CastlingSide::KingSide),
        3 => Some(CastlingSide::QueenSide),
        _ => None,
    }
}

fn the_only(moves: &[Move]) -> Option<Move> {
    match moves {
        [mv] => Some(*mv),
        _ => None,
    }
}

/// All legal moves that the text may mean.
fn meant<P: Position>(position: &P, text: &str) -> Vec<Move> {
    let legal = position.legal_moves();
    if let Some((role, square)) = text.split_once('@') {
        return drop(role, square).map_or_else(Vec::new, |pattern| pattern.among(&legal));
    }
    let mut letters = text.chars();
    let role = letters.next().and_then(Role::from_char);
    let squares = Pattern::all(None, text);
    let by_square = among(&legal, &squares);
    // A small b before an x is a file, according to the standard. Without the x it can equally be a bishop's letter.
    let is_capture = text.starts_with('b') && text.contains(['x', ':']) && !by_square.is_empty();
    if role.is_none() || is_capture || squares.iter().any(|pattern| pattern.has_both_squares()) {
        return by_square;
    }
    let mut all = by_square;
    all.extend(among(&legal, &Pattern::all(role, letters.as_str())));
    all
}

/// The legal moves that agree with any of the patterns, each once.
fn among(legal: &[Move], patterns: &[Pattern]) -> Vec<Move> {
    let mut all = Vec::new();
    for mv in patterns.iter().flat_map(|pattern| pattern.among(legal)) {
        if !all.contains(&mv) {
            all.push(mv);
        }
    }
    all
}

/// The parts of a move's text.
#[derive(Clone, Copy, Debug, Default)]
struct Pattern {
    role: Option<Role>,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    to_file: Option<File>,
    to_rank: Option<Rank>,
    promotion: Option<Role>,
    is_drop: bool,
}

/// Reads a drop, of a pawn if no piece is named.
fn drop(role: &str, square: &str) -> Option<Pattern> {
    let mut letters = role.chars();
    let role = match (letters.next(), letters.next()) {
        (None, _) => Role::Pawn,
        (Some(letter), None) => Role::from_char(letter)?,
        _ => return None,
    };
    let square: Square = square.to_ascii_lowercase().parse().ok()?;
    Some(Pattern {
        role: Some(role),
        to_file: Some(square.file()),
        to_rank: Some(square.rank()),
        is_drop: true,
        ..Pattern::default()
    })
}

impl Pattern {
    /// Every reading of the text after a piece letter, or of a whole text without such a letter.
    fn all(role: Option<Role>, text: &str) -> Vec<Self> {
        let origins = [(true, true), (true, false), (false, true), (false, false)];
        origins.into_iter().filter_map(|origin| Self::read(role, origin, text)).collect()
    }

    /// Reads a text that begins with the origin's file or rank, with both, or with neither.
    fn read(role: Option<Role>, (has_file, has_rank): (bool, bool), text: &str) -> Option<Self> {
        let mut reader = Reader(text);
        let from_file = if has_file { Some(reader.file()?) } else { None };
        let from_rank = if has_rank { Some(reader.rank()?) } else { None };
        reader.eat(&['-', 'x', 'X', ':', '*']);
        let to_file = Some(reader.file()?);
        let to_rank = reader.rank();
        let promotion = reader.promotion();
        let read = Self { role, from_file, from_rank, to_file, to_rank, promotion, is_drop: false };
        if reader.0.is_empty() { read.checked(text) } else { None }
    }

    fn has_both_squares(self) -> bool {
        self.from_file.is_some() && self.from_rank.is_some() && self.to_rank.is_some()
    }

    /// Rejects impossible combinations and adds what is implied: a text without a piece letter is a pawn move, unless
    /// it has both squares.
    fn checked(mut self, text: &str) -> Option<Self> {
        if self.has_both_squares() {
            return (self.role.is_some() || is_one_case(text)).then_some(self);
        }
        match self.role {
            Some(Role::Pawn) | None => {
                if self.role.is_none() && !text.starts_with(|c: char| c.is_ascii_lowercase()) {
                    return None;
                }
                self.role = Some(Role::Pawn);
                if let Some(from) = self.from_file {
                    return (Some(from) != self.to_file).then_some(self);
                }
                self.from_file = self.to_file;
                self.to_rank.is_some().then_some(self)
            }
            Some(_) => self.to_rank.is_some().then_some(self),
        }
    }

    /// The legal moves that match the pattern.
    fn among(self, legal: &[Move]) -> Vec<Move> {
        let steps: Vec<Move> = legal.iter().copied().filter(|mv| !mv.is_castle() && self.is_of(*mv)).collect();
        if steps.is_empty() { legal.iter().copied().filter(|mv| self.castles(*mv)).collect() } else { steps }
    }

    fn is_of(self, mv: Move) -> bool {
        let agrees = |from: Square| {
            self.from_file.is_none_or(|file| file == from.file())
                && self.from_rank.is_none_or(|rank| rank == from.rank())
        };
        let to = mv.to();
        self.role.is_none_or(|role| role == mv.role())
            && self.to_file == Some(to.file())
            && self.to_rank.is_none_or(|rank| rank == to.rank())
            && self.promotion.is_none_or(|role| mv.promotion() == Some(role))
            && mv.from().map_or(self.is_drop, |from| !self.is_drop && agrees(from))
    }

    /// Whether the pattern means this castling, by the king's two squares or by the squares of the king and its rook.
    fn castles(self, mv: Move) -> bool {
        let Move::Castle { king, rook } = mv else { return false };
        let Some(side) = mv.castling_side() else { return false };
        let (Some(file), Some(rank)) = (self.to_file, self.to_rank) else { return false };
        let to = Square::from_coords(file, rank);
        let says_king = self.role.is_none_or(|role| role == Role::King) && self.promotion.is_none() && !self.is_drop;
        says_king
            && (self.from_file, self.from_rank) == (Some(king.file()), Some(king.rank()))
            && (to == rook || to == Square::from_coords(side.king_to_file(), king.rank()))
    }
}

/// Whether the files of both squares are written in the same case, so that neither can be a piece letter.
fn is_one_case(text: &str) -> bool {
    let mut files = text.chars().filter(|c| ('a'..='h').contains(&c.to_ascii_lowercase())).take(2);
    let first = files.next().is_some_and(|c| c.is_ascii_uppercase());
    files.all(|c| c.is_ascii_uppercase() == first)
}

/// The rest of a text.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    /// Takes the next character, if `read` accepts it.
    fn next<T>(&mut self, read: impl FnOnce(char) -> Option<T>) -> Option<T> {
        let mut chars = self.0.chars();
        let found = read(chars.next()?)?;
        self.0 = chars.as_str();
        Some(found)
    }

    /// Skips the next character if it is one of these.
    fn eat(&mut self, any: &[char]) -> bool {
        self.next(|c| any.contains(&c).then_some(())).is_some()
    }

    fn file(&mut self) -> Option<File> {
        self.next(|c| File::from_char(c.to_ascii_lowercase()))
    }

    fn rank(&mut self) -> Option<Rank> {
        self.next(Rank::from_char)
    }

    /// Reads the piece of a promotion: `=Q`, `Q`, `(Q)`, `/Q`, `(=Q)`, `=(Q)`.
    fn promotion(&mut self) -> Option<Role> {
        self.eat(&['=', '/', ':']);
        self.eat(&['(']);
        self.eat(&['=']);
        let role = self.next(Role::from_char);
        self.eat(&[')']);
        role
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;
    use shakmaty::variant::{Variant, VariantPosition};

    /// The move that a text means, in coordinates; empty if it means none.
    fn read(fen: &str, text: &str) -> String {
        let setup = fen.parse::<Fen>().expect("a FEN").into_setup();
        let variant = if fen.contains('[') { Variant::Crazyhouse } else { Variant::Chess };
        let castling = CastlingMode::detect(&setup);
        let position = VariantPosition::from_setup(variant, setup, castling).expect("a position");
        read_move(&position, text).map_or_else(String::new, |mv| mv.to_uci(CastlingMode::Chess960).to_string())
    }

    /// Checks many texts in one position: each line has the move expected, and its spellings.
    fn check(fen: &str, expected: &[(&str, &str)]) {
        for (mv, texts) in expected {
            for text in texts.split(' ') {
                assert_eq!(read(fen, text), *mv, "{text} in {fen}");
            }
        }
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn steps() {
        check(
            START,
            &[
                ("e2e4", "e4 e2e4 e2-e4 E2E4 E2-E4 Pe2-e4 Pe4 pe4 e4! e4!? e4$1 e4+ e4. e4= e4(=) e2–e4 ♙e4 e4;"),
                ("g1f3", "Nf3 nf3 NF3 Ng1-f3 Ng1f3 g1f3 g1-f3 Ngf3 N1f3 Nf3?! ♘f3 ♞f3 Nxf3 G1F3"),
                ("b1c3", "Nc3 b1c3 B1C3 b1-c3"),
                // No legal move, more than one, or no move at all.
                ("", "e5 e2e5 Nd4 Bc3 b4c5 B1c3 -- Z0 null 0000 @@@@ pass O-O 0-0-0 Kg1 e2 e E4E 1-0 * h9 Ng3 é4"),
                ("", ""),
            ],
        );
    }

    #[test]
    fn captures() {
        let fen = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        check(
            fen,
            &[("e4d5", "exd5 ed5 e:d5 exd ed e4xd5 e4d5 e4:d5 E4XD5 e4xd exd5! Pe4xd5 xd5"), ("", "cxd5 dxe4 e5xd5")],
        );
        let passing = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 2";
        check(passing, &[("d4e3", "dxe3 dxe3e.p. dxe3ep dxe3(ep) de3 de d4e3")]);
    }

    #[test]
    fn a_small_b_is_a_file_before_it_is_a_bishop() {
        // The bishop on d3 and the pawn on b3 can both go to c4.
        let both = "4k3/8/8/8/2p5/1P1B4/8/4K3 w - - 0 1";
        check(both, &[("b3c4", "bxc4 b:c4 bxc4! b3c4"), ("d3c4", "Bxc4 Bc4 Bd3c4 B3c4"), ("", "bc4 BC")]);
        let bishop = "4k3/8/8/8/2p5/3B4/8/4K3 w - - 0 1";
        check(bishop, &[("d3c4", "Bxc4 bxc4 bc4 BC4 BXC4"), ("", "b3c4 B3C4 b3-c4")]);
        check("4k3/8/8/8/8/3B4/1P6/4K3 w - - 0 1", &[("d3b5", "bb5 Bb5"), ("b2b4", "b4 b2b4")]);
        let pawn = "4k3/8/8/8/2p5/1P6/8/4K1B1 w - - 0 1";
        check(pawn, &[("b3c4", "bxc4 bc4"), ("b3b4", "b4 b3b4"), ("", "bb4")]);
        // A move of a bishop is never read as a pawn move.
        check("4k3/8/8/8/2p5/1P6/8/4K3 w - - 0 1", &[("b3c4", "bxc4"), ("", "Bxc4 Bc4 BC4")]);
    }

    #[test]
    fn promotions() {
        let fen = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1";
        check(
            fen,
            &[
                ("a7a8q", "a8=Q a8Q a8q a8(Q) a8/Q a8=(Q) a8(=Q) a8=q a7a8q a7a8Q a7-a8=Q a7a8=q A7A8Q a8=Q+ a8Q#"),
                ("a7a8b", "a8=B a8B a8b a7a8b"),
                ("a7b8n", "axb8N axb8=N abN axb8(N) a7xb8n ab8n axb8/N"),
                ("", "a8 a7a8 axb8 ab a8=K a8=P a8= a8=X e2Q Ke2Q"),
            ],
        );
    }

    #[test]
    fn castling() {
        let both = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
        check(
            both,
            &[
                ("e8h8", "O-O 0-0 o-o OO O-O+ 0-0# O-O!? e8g8 e8h8 Ke8-g8 E8G8 O–O e8-g8"),
                ("e8a8", "O-O-O 0-0-0 o-o-o OOO 0-0-0+ e8c8 e8a8"),
                ("", "Kg8 e8b8 e8g8q O O-O-O-O 0-0-0-0 e1g1"),
            ],
        );
        // From b1 the king castles to g1 and c1; to c1 it can also step.
        let chess960 = "4k3/8/8/8/8/8/8/RK4R1 w GA - 0 1";
        check(chess960, &[("b1g1", "O-O b1g1"), ("b1c1", "Kc1 b1c1"), ("b1a1", "O-O-O b1a1")]);
    }

    #[test]
    fn ambiguous_texts_mean_nothing() {
        let fen = "4k3/8/8/8/8/8/8/N1N1K3 w - - 0 1";
        check(fen, &[("", "Nb3 nb3 N1b3"), ("a1b3", "Nab3 Na1b3 a1b3"), ("c1b3", "Ncb3 Nc1-b3 NCB3")]);
        // A pinned knight does not count.
        check("4r1k1/8/8/8/4N3/8/8/N3K1N1 w - - 0 1", &[("g1f3", "Nf3"), ("", "Nf2")]);
    }

    #[test]
    fn drops() {
        let fen = "4k3/8/8/8/8/8/8/4K3[NP] w - - 0 1";
        check(
            fen,
            &[("N@f3", "N@f3 n@f3 N@F3 N@f3+"), ("P@e4", "P@e4 @e4 p@e4"), ("", "Nf3 e4 Q@e4 @@@@ N@ NN@e4 @e8 N@e1")],
        );
    }
}
