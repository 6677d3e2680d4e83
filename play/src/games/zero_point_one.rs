//! The game 0.1, by the engine's rules.

use crate::game::{Game, RuleEnding};
use crate::random::Stream;
use engine::book::{BookEntry, SetupBook};
use engine::{DrawReason, Move, MoveKind, Outcome, PLY_LIMIT, Position, Setup, format_move, parse_move};
use record::{DrawRule, Side, WinRule};
use std::sync::LazyLock;

/// Zero Point One.
#[derive(Clone, Copy, Debug)]
pub struct ZeroPointOne;

/// The plies of the two setups.
const SETUP_PLIES: u32 = 2;

/// The number of red's setups in openings from the book.
const BOOK_SETUPS: usize = 600;

/// The part of the engine's book of setups from which openings are drawn.
struct GoodSetups {
    /// The best entries, with each also its reflection.
    entries: Vec<BookEntry>,
    /// Blue's replies, with each also its reflection.
    replies: Vec<Setup>,
    /// The hash of the book.
    hash: u64,
}

static GOOD_SETUPS: LazyLock<GoodSetups> = LazyLock::new(|| {
    let book = SetupBook::shipped();
    let mut best = book.entries().to_vec();
    // A value of a deeper search is the better judgement: each depth kept the best entries of the one before.
    best.sort_by_key(|entry| std::cmp::Reverse((entry.depth, entry.value)));
    best.truncate(BOOK_SETUPS);
    GoodSetups {
        entries: best.iter().flat_map(|entry| [*entry, entry.mirrored()]).collect(),
        replies: book.replies().iter().flat_map(|reply| [*reply, reply.mirrored()]).collect(),
        hash: book.hash(),
    }
});

fn drawn<T: Copy>(all: &[T], stream: &mut Stream) -> Option<T> {
    let count = u32::try_from(all.len()).ok().filter(|&count| count > 0)?;
    all.get(stream.below(count) as usize).copied()
}

const fn side(side: engine::Side) -> Side {
    match side {
        engine::Side::Red => Side::First,
        engine::Side::Blue => Side::Second,
    }
}

impl Game for ZeroPointOne {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        Position::new()
    }

    fn setup(&self, text: &str) -> Result<Position, String> {
        text.parse().map_err(|error: engine::ParsePositionError| error.to_string())
    }

    fn random_start(&self, _stream: &mut Stream) -> Option<String> {
        None
    }

    fn side_to_move(position: &Position) -> Side {
        side(position.side_to_move())
    }

    fn move_number(position: &Position) -> u32 {
        u32::from(position.plies()) / 2 + 1
    }

    fn ending(position: &Position) -> Option<RuleEnding> {
        position.outcome().map(|outcome| match outcome {
            Outcome::Win(winner) => RuleEnding::Win { winner: side(winner), by: WinRule::WazirCaptured },
            Outcome::Draw(DrawReason::PlyLimit) => RuleEnding::Draw(DrawRule::PlyLimit),
            Outcome::Draw(DrawReason::NoMove) => RuleEnding::Draw(DrawRule::NoMove),
        })
    }

    fn is_legal(position: &Position, mv: Move) -> bool {
        position.is_legal(mv)
    }

    fn play(position: &mut Position, mv: Move) {
        position.play(mv);
    }

    fn is_progress(position: &Position, mv: Move) -> bool {
        matches!(mv.kind(), MoveKind::Jump { to, .. } if position.piece_at(to).is_some())
    }

    fn random_move(position: &Position, stream: &mut Stream) -> Option<Move> {
        if u32::from(position.plies()) < SETUP_PLIES {
            return Move::setup_of_rank(stream.below(Setup::COUNT));
        }
        position.nth_legal(stream.below(position.legal_count()))
    }

    /// Red has one of the book's best setups. Blue has the book's reply to it in half of all openings, and any of its
    /// replies in the others.
    fn book_setups(stream: &mut Stream) -> Option<Vec<Move>> {
        let BookEntry { red, reply, .. } = drawn(&GOOD_SETUPS.entries, stream)?;
        let blue = if stream.below(2) == 0 { reply } else { drawn(&GOOD_SETUPS.replies, stream)? };
        Some(vec![Move::setup(&red), Move::setup(&blue)])
    }

    fn setups_hash() -> Option<u64> {
        Some(GOOD_SETUPS.hash)
    }

    fn wins_at_once(position: &Position) -> bool {
        position.can_capture_wazir()
    }

    fn code(mv: Move) -> u32 {
        mv.code()
    }

    fn from_code(_position: &Position, code: u32) -> Option<Move> {
        Move::from_code(code)
    }

    fn write_move(position: &Position, mv: Move, out: &mut String) {
        out.push_str(&format_move(position, mv));
    }

    fn parse_move(position: &Position, text: &str) -> Option<Move> {
        parse_move(position, text).ok()
    }

    fn most_random_plies() -> u32 {
        // Half a game: random play seldom lasts longer, so longer openings would hardly ever be found.
        u32::from(PLY_LIMIT) / 2
    }

    fn least_opening() -> u32 {
        SETUP_PLIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlyRange, RandomOpenings, SetupOpenings};

    #[test]
    fn first_openings_of_seed_1_are_pinned() {
        // The openings are part of what makes a run reproducible: if they change, no old run can be resumed.
        let source = RandomOpenings { plies: 2.into(), balance: None };
        let drawn: Vec<String> =
            (0..3).map(|pair| source.draw(&ZeroPointOne, 1, pair, &mut |_| 0).unwrap().position.to_string()).collect();
        let pinned = [
            "ADAAFNWD/AAFADA.D/......../....A.../.a....../......../afa.daaa/fwaaddnd - r 4",
            "AADDDAAA/ADFWAA.F/......../.....N../..a...../......../.nwaaafa/aadfddad - r 4",
            "DAAAAAFA/DDDA.AWF/......../...N..../..a...../......../ddan.aaa/ddfaawfa - r 4",
        ];
        assert_eq!(drawn, pinned);
    }

    #[test]
    fn a_range_of_plies_is_drawn_from_for_each_opening() {
        let plies = PlyRange::new(3, 5).unwrap();
        let draw = |plies, number| {
            let opening = RandomOpenings { plies, balance: None }.draw(&ZeroPointOne, 4, number, &mut |_| 0);
            opening.unwrap().moves
        };
        let lengths: Vec<usize> = (0..300).map(|number| draw(plies, number).len() - 2).collect();
        for length in 3..=5 {
            let count = lengths.iter().filter(|&&other| other == length).count();
            assert!((60..140).contains(&count), "{length} plies {count} times of 300");
        }
        assert_eq!(lengths.iter().filter(|length| !(3..=5).contains(*length)).count(), 0);
        assert_eq!(draw(PlyRange::new(4, 4).unwrap(), 1), draw(4.into(), 1), "one number is not a range");
        assert_eq!(PlyRange::new(5, 3), None);
        for (plies, written) in [(4.into(), "[4,4]"), (plies, "[3,5]")] {
            assert_eq!(serde_json::to_string(&plies).unwrap(), written);
            assert_eq!(serde_json::from_str::<PlyRange>(written).unwrap(), plies);
        }
        assert!(serde_json::from_str::<PlyRange>("[5,3]").is_err());
    }

    #[test]
    fn openings_are_not_decided() {
        let source = RandomOpenings { plies: 30.into(), balance: None };
        for pair in 0..200 {
            let opening = source.draw(&ZeroPointOne, 9, pair, &mut |_| 0).unwrap();
            assert_eq!(opening.moves.len(), 32);
            assert_eq!(opening.position.outcome(), None);
            assert!(!opening.position.can_capture_wazir());
        }
    }

    #[test]
    fn unbalanced_openings_are_rejected() {
        let source = RandomOpenings { plies: 0.into(), balance: std::num::NonZeroU32::new(100) };
        let mut scores = [5000, -101, 100].into_iter();
        let mut judged = Vec::new();
        let opening = source.draw(&ZeroPointOne, 1, 0, &mut |position: &Position| {
            judged.push(position.to_string());
            scores.next().unwrap()
        });
        assert_eq!(judged.len(), 3);
        assert_eq!(opening.unwrap().position.to_string(), judged[2]);
        let nothing = source.draw(&ZeroPointOne, 1, 7, &mut |_| 101);
        assert_eq!(nothing.unwrap_err(), crate::NoOpening::AllRejected { number: 7 });
    }

    #[test]
    fn code_and_text_are_read_back() {
        let mut stream = Stream::from_seed(3);
        for _ in 0..50 {
            let mut position = ZeroPointOne.start();
            while ZeroPointOne::ending(&position).is_none() {
                let mv = ZeroPointOne::random_move(&position, &mut stream).unwrap();
                assert!(ZeroPointOne::is_legal(&position, mv));
                assert_eq!(ZeroPointOne::from_code(&position, ZeroPointOne::code(mv)), Some(mv));
                let text = ZeroPointOne::format_move(&position, mv);
                assert_eq!(ZeroPointOne::parse_move(&position, &text), Some(mv), "{text}");
                ZeroPointOne::play(&mut position, mv);
            }
        }
    }

    #[test]
    fn setups_can_come_from_the_book() {
        let after = RandomOpenings { plies: 1.into(), balance: None };
        let source = SetupOpenings { after, book: ZeroPointOne::setups_hash().unwrap() };
        let drawn = |number| {
            let opening = source.draw(&ZeroPointOne, 1, number, &mut |_| 0).unwrap();
            assert_eq!(opening.moves.len(), 3);
            let [red, blue] = [0, 1].map(|ply: usize| match opening.moves[ply].kind() {
                MoveKind::Setup(setup) => setup,
                other => panic!("{other:?} is no setup"),
            });
            (red, blue)
        };
        let book = SetupBook::shipped();
        let pairs: Vec<(Setup, Setup)> = (0..400).map(drawn).collect();
        let own = pairs.iter().filter(|(red, blue)| book.find(red).unwrap().reply == *blue).count();
        assert!((160..260).contains(&own), "{own} of 400 have the reply of the book");
        let best = book.choices(engine::Score::from_logit(10.0)).map(|entry| entry.red).collect::<Vec<_>>();
        let [first, mirrored] = [false, true].map(|mirrored| {
            let of = |red: &Setup| if mirrored { red.mirrored() } else { *red };
            pairs.iter().filter(|(red, _)| best.contains(&of(red))).count()
        });
        assert!(first > 0 && mirrored > 0, "{first} {mirrored} of the deepest entries and their reflections");
        assert!(
            pairs
                .iter()
                .all(|(_, blue)| { book.replies().contains(blue) || book.replies().contains(&blue.mirrored()) })
        );
        let other = SetupOpenings { book: 1, ..source };
        assert_eq!(other.draw(&ZeroPointOne, 1, 0, &mut |_| 0).unwrap_err(), crate::NoOpening::OtherSetups);
    }
}
