//! The start position of every game.

use super::source::{ChosenBy, Source, SourceInfo, Supply};
use super::{OpeningSource, Openings};
use crate::book::BookError;
use crate::games::GameKind;
use crate::{OpeningLine, PairOpening};

pub(super) const SOURCE: SourceInfo = SourceInfo {
    chosen_by: ChosenBy::Word("start"),
    noun: "the game's start",
    keys: &[],
    resolve: |_request| Ok((OpeningSource::Start, Openings::new(Start))),
};

#[derive(Debug)]
pub(super) struct Start;

impl Source for Start {
    fn load(&self, _game: GameKind) -> Result<Openings, BookError> {
        Ok(Openings::new(Self))
    }

    fn conditions(&self, _grouped: fn(u64) -> String) -> Vec<(&'static str, String)> {
        vec![("openings", "the game's start".to_owned())]
    }
}

impl Supply for Start {
    fn opening(&self, _run_seed: u64, _number: u64) -> PairOpening {
        PairOpening::Line(OpeningLine::default())
    }
}
