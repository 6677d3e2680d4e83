//! The sources of a run's openings. Each source is a module with the key or word that selects it, the keys that it
//! accepts, how it reads them, its openings and its wording. A new source needs such a module, a variant of
//! [`OpeningSource`] here, and a place in `SOURCES`.
//!
//! [`crate`] plays an opening's moves, and [`crate::book`] reads files of openings.

mod book;
mod numbered;
mod order;
mod random;
mod setups;
mod source;
mod start;

pub use book::BookSource;
pub use numbered::{NUMBERS_FORM, NumberedStarts, Numbers};
pub use order::BookOrder;
pub use source::{KeyError, KeyValue, OpeningsRequest};

use crate::book::{BookError, Lines};
use crate::games::GameKind;
use crate::{PairOpening, RandomOpenings, SetupOpenings};
use serde::{Deserialize, Serialize};
use source::{ChosenBy, Source, SourceInfo, Supply};
use start::Start;
use std::num::NonZeroU64;
use std::sync::Arc;

/// The sources, the default first.
static SOURCES: [SourceInfo; 6] =
    [random::SOURCE, setups::SOURCE, start::SOURCE, numbered::CHESS960, numbered::DOUBLE_CHESS960, book::SOURCE];

/// The source of a run's openings. It is part of the run's identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningSource {
    /// Every game starts from the game's start.
    Start,
    /// Random legal plies.
    Random(RandomOpenings),
    /// A file of openings.
    Book(BookSource),
    /// Starts of Chess960 by their numbers.
    Numbered(NumberedStarts),
    /// Good setups of 0.1, then random legal plies.
    Setups(SetupOpenings),
}

impl OpeningSource {
    fn source(&self) -> &dyn Source {
        match self {
            Self::Start => &Start,
            Self::Random(random) => random,
            Self::Book(book) => book,
            Self::Numbered(numbered) => numbered,
            Self::Setups(setups) => setups,
        }
    }

    /// The source's conditions for a report: facts with their names. `grouped` formats a number.
    pub fn conditions(&self, grouped: fn(u64) -> String) -> Vec<(&'static str, String)> {
        self.source().conditions(grouped)
    }

    /// The file that the source reads, if any.
    pub fn file(&self) -> Option<&str> {
        self.source().file()
    }

    /// The source's name in warnings, if its openings can run out.
    pub fn finite_name(&self) -> Option<String> {
        self.source().finite_name()
    }

    /// The source that a configuration asks for, and its openings, read.
    ///
    /// # Errors
    /// [`KeyError`] of the first key that does not fit the source.
    pub fn resolve(request: &OpeningsRequest) -> Result<(Self, Openings), KeyError> {
        let chosen = chosen(request)?;
        match request.given.iter().find(|(key, _)| !chosen.takes(key)) {
            Some((key, _)) => Err(chosen.refusal(key, request)),
            None => (chosen.resolve)(request),
        }
    }
}

/// The key that selects a source by a word.
const SOURCE: &str = "source";

/// The source that the request selects.
fn chosen(request: &OpeningsRequest) -> Result<&'static SourceInfo, KeyError> {
    let of_key = |key: &str| SOURCES.iter().find(|info| matches!(info.chosen_by, ChosenBy::Key(of) if of == key));
    let by_key = request.given.iter().find_map(|(key, _)| Some((*key, of_key(key)?)));
    match (by_key, request.text(SOURCE)) {
        (None, None) => Ok(&SOURCES[0]),
        (Some((_, info)), None) => Ok(info),
        (None, Some(word)) => SOURCES.iter().find(|info| info.word() == Some(word)).ok_or_else(|| unknown(word)),
        (Some((key, _)), Some(_)) => {
            let message = format!("`{SOURCE}` and `{key}` exclude each other");
            Err(KeyError::new(SOURCE, message, "leave out one of them"))
        }
    }
}

fn unknown(word: &str) -> KeyError {
    let words: Vec<String> = SOURCES.iter().filter_map(SourceInfo::word).map(|word| format!("`{word}`")).collect();
    let others = SOURCES.iter().filter(|info| info.word().is_none());
    let others = others.map(|info| format!("{} are given by {}", info.noun, info.chosen_by));
    let parts = std::iter::once(format!("expected {}", in_words(&words, "or"))).chain(others);
    let expected = parts.collect::<Vec<_>>().join("; ");
    KeyError::new(SOURCE, format!("`{word}` is not a source of openings"), expected)
}

impl SourceInfo {
    fn word(&self) -> Option<&'static str> {
        match self.chosen_by {
            ChosenBy::Word(word) => Some(word),
            ChosenBy::Key(_) => None,
        }
    }

    fn takes(&self, key: &str) -> bool {
        key == SOURCE || self.keys.contains(&key)
    }

    /// Whether a key selects this source; false for the default source without a key.
    fn is_chosen(&self, request: &OpeningsRequest) -> bool {
        let key = match self.chosen_by {
            ChosenBy::Word(_) => SOURCE,
            ChosenBy::Key(key) => key,
        };
        request.value(key).is_some()
    }

    /// The error for a key that belongs to other sources.
    fn refusal(&self, key: &'static str, request: &OpeningsRequest) -> KeyError {
        let mut owners: Vec<&Self> = SOURCES.iter().filter(|info| info.takes(key)).collect();
        owners.dedup_by_key(|info| info.noun);
        let nouns: Vec<String> = owners.iter().map(|info| info.noun.to_owned()).collect();
        let expected = if self.is_chosen(request) {
            "leave it out".to_owned()
        } else {
            let choices: Vec<String> = owners.iter().map(|info| info.chosen_by.to_string()).collect();
            format!("expected {}, too", in_words(&choices, "or"))
        };
        KeyError::new(key, format!("`{key}` is for {}", in_words(&nouns, "and")), expected)
    }
}

/// Joins words in a sentence: `a, b or c`.
fn in_words(words: &[String], link: &str) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} {link} {last}", first.join(", ")),
        all => all.concat(),
    }
}

/// The openings of a run, ready to use. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Openings(Arc<dyn Supply>);

impl Openings {
    /// Loads what the source needs.
    ///
    /// # Errors
    /// [`BookError`] if a book cannot be read, or is not the one that the source names.
    pub fn load(source: &OpeningSource, game: GameKind) -> Result<Self, BookError> {
        source.source().load(game)
    }

    fn new(supply: impl Supply + 'static) -> Self {
        Self(Arc::new(supply))
    }

    /// Opening `number` of the run with this seed.
    pub fn opening(&self, run_seed: u64, number: u64) -> PairOpening {
        self.0.opening(run_seed, number)
    }

    /// The number of openings before one repeats, if it is known.
    pub fn count(&self) -> Option<NonZeroU64> {
        self.0.count()
    }

    /// The lines of a book, if the openings come from one.
    pub fn lines(&self) -> Option<&Lines> {
        self.0.lines()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::Conventions;
    use std::collections::BTreeSet;

    fn refusal(given: &[(&'static str, &str)]) -> String {
        let given = given.iter().map(|(key, value)| (*key, KeyValue::Text((*value).to_owned()))).collect();
        let request = OpeningsRequest { game: GameKind::Chess960, conventions: Conventions::default(), given };
        let KeyError { key, message, expected } = OpeningSource::resolve(&request).unwrap_err();
        format!("{key}: {message}: {expected}")
    }

    #[test]
    fn each_source_is_chosen_in_its_own_way() {
        let ways: BTreeSet<String> = SOURCES.iter().map(|info| info.chosen_by.to_string()).collect();
        assert_eq!(ways.len(), SOURCES.len());
        for info in &SOURCES {
            if let ChosenBy::Key(key) = info.chosen_by {
                assert!(info.takes(key), "{key}");
            }
        }
    }

    #[test]
    fn keys_of_other_sources_are_refused() {
        let book = "order: `order` is for numbered starts and books: expected `source = \"chess960\"` or `file`, too";
        assert_eq!(refusal(&[("order", "random")]), book);
        assert_eq!(
            refusal(&[("source", "start"), ("plies", "3..4")]),
            "plies: `plies` is for random openings, openings of good setups and books: leave it out"
        );
        assert_eq!(
            refusal(&[("file", "a.epd"), ("numbers", "3")]),
            "numbers: `numbers` is for numbered starts: leave it out"
        );
        assert_eq!(
            refusal(&[("source", "start"), ("file", "a.epd")]),
            "source: `source` and `file` exclude each other: leave out one of them"
        );
        assert_eq!(
            refusal(&[("source", "book")]),
            "source: `book` is not a source of openings: expected `random`, `setups`, `start`, `chess960` or \
             `double-chess960`; books are given by `file`"
        );
    }
}
