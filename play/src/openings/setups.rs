//! Good setups of 0.1 from the engine's book, followed by random legal plies.

use super::random::{balance, described, plies};
use super::source::{ChosenBy, KeyError, OpeningsRequest, Source, SourceInfo, Supply};
use super::{OpeningSource, Openings};
use crate::book::BookError;
use crate::games::{GameKind, ZeroPointOne};
use crate::{Game, PairOpening, RandomOpenings, SetupOpenings};

pub(super) const SOURCE: SourceInfo = SourceInfo {
    chosen_by: ChosenBy::Word("setups"),
    noun: "openings of good setups",
    keys: &["plies", "balance"],
    resolve: |request| {
        let source = SetupOpenings {
            after: RandomOpenings { plies: plies(request)?, balance: balance(request)? },
            book: book(request)?,
        };
        Ok((OpeningSource::Setups(source), Openings::new(source)))
    },
};

/// The hash of the book.
fn book(request: &OpeningsRequest) -> Result<u64, KeyError> {
    let hash = ZeroPointOne::setups_hash().filter(|_| request.game == GameKind::ZeroPointOne);
    hash.ok_or_else(|| {
        KeyError::new("source", format!("{} has no book of setups", request.game), "only 0.1 begins with setups")
    })
}

impl Source for SetupOpenings {
    fn load(&self, _game: GameKind) -> Result<Openings, BookError> {
        Ok(Openings::new(*self))
    }

    fn conditions(&self, _grouped: fn(u64) -> String) -> Vec<(&'static str, String)> {
        vec![("openings", format!("setups of the book, {}", described(self.after)))]
    }
}

impl Supply for SetupOpenings {
    fn opening(&self, _run_seed: u64, number: u64) -> PairOpening {
        PairOpening::Setups { source: *self, number }
    }
}
