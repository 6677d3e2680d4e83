//! Random legal plies.

use super::source::{ChosenBy, KeyError, KeyValue, OpeningsRequest, Source, SourceInfo, Supply};
use super::{OpeningSource, Openings};
use crate::book::BookError;
use crate::games::GameKind;
use crate::{PairOpening, PlyRange, RandomOpenings};
use std::num::NonZeroU32;

pub(super) const SOURCE: SourceInfo = SourceInfo {
    chosen_by: ChosenBy::Word("random"),
    noun: "random openings",
    keys: &["plies", "balance"],
    resolve: |request| {
        let source = RandomOpenings { plies: plies(request)?, balance: balance(request)? };
        Ok((OpeningSource::Random(source), Openings::new(source)))
    },
};

pub(super) fn plies(request: &OpeningsRequest) -> Result<PlyRange, KeyError> {
    let Some(plies) = request.value("plies") else { return Ok(request.game.usual_random_plies().into()) };
    let (range, most) = (ply_range(plies)?, request.game.most_random_plies());
    if range.most() > most {
        let message = format!("{range} random plies leave no game");
        return Err(KeyError::new("plies", message, format!("expected 0 to {most}")));
    }
    Ok(range)
}

/// A number of plies, or a range of them.
fn ply_range(plies: &KeyValue) -> Result<PlyRange, KeyError> {
    let range = |text: &str| {
        let (least, most) = text.split_once("..")?;
        PlyRange::new(least.trim().parse().ok()?, most.trim().parse().ok()?)
    };
    let (range, shown) = match plies {
        KeyValue::Whole(plies) => (u32::try_from(*plies).ok().map(PlyRange::from), plies.to_string()),
        KeyValue::Text(text) => (range(text), format!("\"{text}\"")),
        KeyValue::Real(plies) => (None, plies.to_string()),
        KeyValue::Switch(plies) => (None, plies.to_string()),
    };
    let expected = "expected a number, or a range of them such as `\"6..10\"`";
    range.ok_or_else(|| KeyError::new("plies", format!("`plies` cannot be {shown}"), expected))
}

/// A bound given in logit, converted to the engine's unit.
pub(super) fn balance(request: &OpeningsRequest) -> Result<Option<NonZeroU32>, KeyError> {
    let Some(KeyValue::Real(logit)) = request.value("balance") else { return Ok(None) };
    if request.game != GameKind::ZeroPointOne {
        let message = format!("openings of {} cannot be balanced", request.game);
        return Err(KeyError::new("balance", message, "remove this: the engine that judges openings plays 0.1"));
    }
    let units = if (0.0..=10.0).contains(logit) { (logit * 10_000.0).round() as u32 } else { 0 };
    let refused =
        || KeyError::new("balance", format!("`balance` cannot be {logit}"), "expected logit, from 0.0001 to 10");
    NonZeroU32::new(units).ok_or_else(refused).map(Some)
}

/// The openings in words.
pub(super) fn described(openings: RandomOpenings) -> String {
    let balance = openings
        .balance
        .map_or_else(String::new, |units| format!(", balanced within {:.2} logits", f64::from(units.get()) / 10_000.0));
    let noun = if openings.plies == 1.into() { "ply" } else { "plies" };
    format!("{} random {noun}{balance}", openings.plies)
}

impl Source for RandomOpenings {
    fn load(&self, _game: GameKind) -> Result<Openings, BookError> {
        Ok(Openings::new(*self))
    }

    fn conditions(&self, _grouped: fn(u64) -> String) -> Vec<(&'static str, String)> {
        vec![("openings", described(*self))]
    }
}

impl Supply for RandomOpenings {
    fn opening(&self, _run_seed: u64, number: u64) -> PairOpening {
        PairOpening::Random { source: *self, number }
    }
}
