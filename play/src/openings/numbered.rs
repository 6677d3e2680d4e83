//! Starts of Chess960 given by their numbers, instead of a book: which ones, and in which order.

use super::source::{ChosenBy, KeyError, OpeningsRequest, Source, SourceInfo, Supply};
use super::{BookOrder, OpeningSource, Openings};
use crate::book::BookError;
use crate::games::{Chess, GameKind, STARTS_960, Start960};
use crate::{OpeningLine, PairOpening};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU64;

pub(super) const CHESS960: SourceInfo = SourceInfo {
    chosen_by: ChosenBy::Word("chess960"),
    noun: NOUN,
    keys: KEYS,
    resolve: |request| resolve(request, false),
};

pub(super) const DOUBLE_CHESS960: SourceInfo = SourceInfo {
    chosen_by: ChosenBy::Word("double-chess960"),
    noun: NOUN,
    keys: KEYS,
    resolve: |request| resolve(request, true),
};

const NOUN: &str = "numbered starts";
const KEYS: &[&str] = &["numbers", "order", "start"];

fn resolve(request: &OpeningsRequest, double: bool) -> Result<(OpeningSource, Openings), KeyError> {
    let all = NumberedStarts::all(double);
    let numbers = match request.text("numbers") {
        Some(text) => Numbers::read(text, all).ok_or_else(|| {
            let expected = format!("expected {NUMBERS_FORM}, none above {}", all - 1);
            KeyError::new("numbers", format!("`{text}` is not a valid list of starts"), expected)
        })?,
        None => Numbers::below(all),
    };
    let starts = NumberedStarts { double, numbers, order: BookOrder::resolve(request)?, start: request.start()? };
    let openings = starts.load(request.game).map_err(|error| KeyError::of_book(&error, "source", request))?;
    Ok((OpeningSource::Numbered(starts), openings))
}

/// Starts of Chess960, given by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedStarts {
    /// Whether each side has a row of its own: a start's number is then White's times 960, plus Black's.
    pub double: bool,
    /// The numbers of the starts.
    pub numbers: Numbers,
    /// The order in which the starts are played.
    pub order: BookOrder,
    /// The first place of that order to play, counted from 1.
    pub start: NonZeroU64,
}

/// Ranges of numbers, each with both its ends, in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers(Vec<[u32; 2]>);

/// The form of numbers, for messages.
pub const NUMBERS_FORM: &str = "numbers and ranges of them with both ends, such as `0..959` or `518, 0..99`";

impl Numbers {
    /// All numbers below a limit.
    pub fn below(limit: u32) -> Self {
        Self(vec![[0, limit.saturating_sub(1)]])
    }

    /// Reads a text of the form [`NUMBERS_FORM`]; `None` for any other text, a range that ends before it begins, or a
    /// number that is not below the limit.
    pub fn read(text: &str, limit: u32) -> Option<Self> {
        let range = |part: &str| {
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let ends = [first.trim().parse().ok()?, last.trim().parse().ok()?];
            (ends[0] <= ends[1] && ends[1] < limit).then_some(ends)
        };
        text.split(',').map(range).collect::<Option<Vec<_>>>().map(Self)
    }

    /// The number of starts, duplicates included.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|&range| length(range)).sum()
    }

    /// The number at a place, counted from 0.
    pub fn at(&self, place: u64) -> Option<u32> {
        let mut left = place;
        for &range in &self.0 {
            match left.checked_sub(length(range)) {
                None => return range[0].checked_add(u32::try_from(left).ok()?),
                Some(rest) => left = rest,
            }
        }
        None
    }
}

fn length([first, last]: [u32; 2]) -> u64 {
    u64::from(last.saturating_sub(first)) + 1
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range =
            |[first, last]: &[u32; 2]| if first == last { first.to_string() } else { format!("{first}..{last}") };
        f.write_str(&self.0.iter().map(range).collect::<Vec<_>>().join(", "))
    }
}

impl NumberedStarts {
    /// The number of starts, with one row for both sides or two.
    pub const fn all(double: bool) -> u32 {
        if double { STARTS_960 * STARTS_960 } else { STARTS_960 }
    }

    /// The game, if it has such starts, and the number of starts before one repeats.
    ///
    /// # Errors
    /// [`BookError::Numbered`], [`BookError::Start`].
    fn check(&self, game: GameKind) -> Result<(Chess, NonZeroU64), BookError> {
        let chess = Chess::of(game).filter(|chess| chess.is_chess960()).ok_or(BookError::Numbered { game })?;
        let openings = self.numbers.count();
        let count = NonZeroU64::new(openings).filter(|&count| self.start <= count);
        let refused = || BookError::Start { file: self.to_string(), start: self.start.get(), openings };
        Ok((chess, count.ok_or_else(refused)?))
    }

    /// The start at a place of the order.
    fn line(&self, chess: Chess, place: u64) -> OpeningLine {
        let number = self.numbers.at(place).unwrap_or_default();
        let (white, black) = if self.double { (number / STARTS_960, number % STARTS_960) } else { (number, number) };
        let start = Start960 { white: white % STARTS_960, black: black % STARTS_960 };
        OpeningLine { start: Some(chess.numbered_start(start)), moves: Vec::new() }
    }
}

impl Source for NumberedStarts {
    fn load(&self, game: GameKind) -> Result<Openings, BookError> {
        let (chess, count) = self.check(game)?;
        Ok(Openings::new(Ordered { starts: self.clone(), chess, count }))
    }

    fn conditions(&self, grouped: fn(u64) -> String) -> Vec<(&'static str, String)> {
        let (order, start) = (self.order.name(), grouped(self.start.get()));
        vec![("openings", format!("{self}, {order} order from {start}"))]
    }

    fn finite_name(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// Numbered starts of a game, in their order.
#[derive(Debug)]
struct Ordered {
    starts: NumberedStarts,
    chess: Chess,
    count: NonZeroU64,
}

impl Supply for Ordered {
    fn opening(&self, run_seed: u64, number: u64) -> PairOpening {
        let place = number.wrapping_add(self.starts.start.get() - 1);
        PairOpening::Line(self.starts.line(self.chess, self.starts.order.at(run_seed, place, self.count)))
    }

    fn count(&self) -> Option<NonZeroU64> {
        Some(self.count)
    }
}

/// `starts 0..959`, `double starts 0..921599`.
impl fmt::Display for NumberedStarts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}starts {}", if self.double { "double " } else { "" }, self.numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::{OpeningSource, Openings};
    use crate::{Game, PairOpening};

    fn starts(double: bool, numbers: &str, order: BookOrder, start: u64) -> OpeningSource {
        let numbers = Numbers::read(numbers, NumberedStarts::all(double)).unwrap();
        OpeningSource::Numbered(NumberedStarts { double, numbers, order, start: NonZeroU64::new(start).unwrap() })
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for text in ["0..959", "518", "518, 0..99, 3"] {
            assert_eq!(Numbers::read(text, 960).unwrap().to_string(), text);
        }
        let numbers = Numbers::read(" 5 ..7,2 , 9..9", 960).unwrap();
        assert_eq!(
            (0..6).map(|place| numbers.at(place)).collect::<Vec<_>>(),
            [5, 6, 7, 2, 9].map(Some).into_iter().chain([None]).collect::<Vec<_>>()
        );
        assert_eq!((numbers.count(), Numbers::below(960).count()), (5, 960));
        for wrong in ["", "960", "5..3", "1,,2", "-1", "1...3", "a", "1..", "99999999999"] {
            assert_eq!(Numbers::read(wrong, 960), None, "{wrong}");
        }
    }

    /// The numbers of the first openings of seed 1.
    fn played(source: &OpeningSource, game: GameKind, count: u64) -> Vec<Start960> {
        let openings = Openings::load(source, game).unwrap();
        let chess = Chess::of(game).unwrap();
        let start = |number| {
            let PairOpening::Line(line) = openings.opening(1, number) else { panic!("a line") };
            let opening = line.play(&chess).unwrap();
            assert_eq!(
                opening.position.to_string(),
                line.start.clone().unwrap(),
                "a start is written the way it was read"
            );
            assert!(Chess::ending(&opening.position).is_none() && line.moves.is_empty());
            Start960::of(&line.start.unwrap()).unwrap()
        };
        (0..count).map(start).collect()
    }

    #[test]
    fn the_starts_that_are_asked_for_are_played() {
        let same = |numbers: &[u32]| numbers.iter().copied().map(Start960::same).collect::<Vec<_>>();
        let ordered = starts(false, "518, 957..959", BookOrder::Sequential, 2);
        for game in [GameKind::Chess960, GameKind::Crazyhouse960] {
            assert_eq!(played(&ordered, game, 5), same(&[957, 958, 959, 518, 957]));
        }
        let mut all = played(&starts(false, "0..959", BookOrder::Random, 1), GameKind::Chess960, 960);
        assert_eq!(all[..3], same(&[all[0].white, all[1].white, all[2].white]));
        all.sort_by_key(|start| start.white);
        assert_eq!(all, same(&(0..960).collect::<Vec<_>>()));
        let double = starts(true, "1, 960, 921599", BookOrder::Sequential, 1);
        let of = |[white, black]: [u32; 2]| Start960 { white, black };
        assert_eq!(played(&double, GameKind::Chess960, 3), [[0, 1], [1, 0], [959, 959]].map(of));
    }

    #[test]
    fn games_with_one_start_and_places_past_the_end_are_refused() {
        let refused = |source: &OpeningSource, game| Openings::load(source, game).unwrap_err().to_string();
        let one = starts(false, "3", BookOrder::Random, 2);
        assert!(refused(&one, GameKind::Chess).contains("chess has no numbered starts"));
        assert!(refused(&one, GameKind::Chess960).contains("starts 3"));
    }
}
