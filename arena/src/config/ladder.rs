//! `[ladder]`: many entrants, rated together; those pairings are played that say most about the differences asked for.

use super::error::{ConfigError, Source, nearest};
use super::raw::{RawKnown, RawLadder};
use crate::run::PairingStanding;
use play::entrant::Entrant;
use serde::{Deserialize, Serialize};
use serde_spanned::Spanned;
use stats::PairCounts;
use std::num::NonZeroU64;

/// How far proposals run ahead unless the file says otherwise.
const DEFAULT_LOOKAHEAD: NonZeroU64 = NonZeroU64::new(64).expect("not 0");
/// More entrants than these would make choosing slower than playing.
const MOST_ENTRANTS: usize = 100;

/// Which differences a ladder is to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// Of each entrant to the one before it.
    #[default]
    Neighbours,
    /// Of each entrant to the anchor.
    Anchor,
}

/// The settings of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderConfig {
    /// The most pairs that this run plays.
    pub pairs: NonZeroU64,
    /// Stop as soon as all differences are known to so many Elo: half the width of their 95% intervals.
    pub precision: Option<f64>,
    /// Pairs are proposed in batches of so many, one batch ahead of the results they are proposed from.
    pub lookahead: NonZeroU64,
    /// What is to be found.
    pub compare: Compare,
    /// Whose rating is given.
    pub anchor: u32,
    /// The anchor's rating, in Elo.
    pub anchor_elo: f64,
    /// How many entrants there are, two or more.
    pub entrants: u32,
    /// The opening of the first pair: earlier runs of the ladder have had others.
    pub first_opening: u64,
    /// The results of earlier runs among the same entrants.
    pub known: Vec<PairingStanding>,
}

pub(super) fn resolve(source: &Source, raw: &RawLadder, entrants: &[Entrant]) -> Result<LadderConfig, ConfigError> {
    let above_zero = |n: &Spanned<u64>| {
        let none = || source.error_at(n.span(), "this cannot be 0", "expected 1 or more");
        NonZeroU64::new(*n.get_ref()).ok_or_else(none)
    };
    if entrants.len() < 2 || entrants.len() > MOST_ENTRANTS {
        let message = format!("a ladder of {} entrants cannot be played", entrants.len());
        return Err(source.error(message, format!("write 2 to {MOST_ENTRANTS} `[[entrant]]` sections")));
    }
    let known = raw.known.iter().map(|known| earlier(source, known, entrants)).collect::<Result<_, _>>()?;
    Ok(LadderConfig {
        pairs: above_zero(&raw.pairs)?,
        precision: raw.precision.as_ref().map(|elo| precision(source, elo)).transpose()?,
        lookahead: raw.lookahead.as_ref().map_or(Ok(DEFAULT_LOOKAHEAD), above_zero)?,
        compare: raw.compare,
        anchor: raw.anchor.as_ref().map_or(Ok(0), |name| entrant(source, name, entrants))?,
        anchor_elo: raw.anchor_elo.as_ref().map_or(Ok(0.0), |elo| anchor_elo(source, elo))?,
        entrants: entrants.len() as u32,
        first_opening: raw.first_opening,
        known,
    })
}

fn precision(source: &Source, elo: &Spanned<f64>) -> Result<f64, ConfigError> {
    let value = *elo.get_ref();
    let refused = || source.error_at(elo.span(), format!("`precision` cannot be {value}"), "expected Elo above 0");
    (value > 0.0 && value.is_finite()).then_some(value).ok_or_else(refused)
}

fn anchor_elo(source: &Source, elo: &Spanned<f64>) -> Result<f64, ConfigError> {
    let value = *elo.get_ref();
    let refused = || source.error_at(elo.span(), format!("no rating is {value}"), "expected -100000 to 100000");
    (-1e5..=1e5).contains(&value).then_some(value).ok_or_else(refused)
}

/// The number of an entrant that is named.
fn entrant(source: &Source, name: &Spanned<String>, entrants: &[Entrant]) -> Result<u32, ConfigError> {
    let found = entrants.iter().position(|entrant| entrant.name == *name.get_ref());
    found.map(|number| number as u32).ok_or_else(|| {
        let advice = match nearest(name.get_ref(), entrants.iter().map(|entrant| entrant.name.as_str())) {
            Some(best) => format!("did you mean `{best}`?"),
            None => "expected the name of an `[[entrant]]`".to_owned(),
        };
        source.error_at(name.span(), format!("no entrant is called `{}`", name.get_ref()), advice)
    })
}

fn earlier(source: &Source, raw: &RawKnown, entrants: &[Entrant]) -> Result<PairingStanding, ConfigError> {
    let [one, two] = [entrant(source, &raw.entrant, entrants)?, entrant(source, &raw.opponent, entrants)?];
    if one == two {
        return Err(source.error_at(raw.opponent.span(), "an entrant plays itself", "expected another one"));
    }
    let counts = PairCounts(*raw.counts.get_ref());
    // Adding nothing tells whether the games in all can be counted.
    let counts = counts.merge(&PairCounts::default()).map_err(|error| {
        source.error_at(raw.counts.span(), error.to_string(), "expected six counts of pairs: LL LD WL DD WD WW")
    })?;
    Ok(PairingStanding { entrant: one, opponent: two, counts })
}
