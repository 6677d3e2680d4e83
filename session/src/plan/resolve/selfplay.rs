//! `[selfplay]`: games of 0.1 for the positions in them.

use super::super::error::{PlanError, Source};
use super::super::given::Given;
use super::super::keys::{FilterPlan, Keys, SelfplayPlan};
use super::{needed, section, value};
use arena::config::{ExperimentConfig, PositionFilter};
use play::entrant::{Entrant, PlayerSpec};
use play::games::GameKind;
use std::num::NonZeroU64;

/// The most logits that a bound can be: beyond, no score is an estimate.
const MOST_LOGITS: f64 = 100.0;

pub(super) fn resolve(
    source: &Source,
    keys: &Keys,
    given: &Given<SelfplayPlan>,
    entrants: &[Entrant],
) -> Result<ExperimentConfig, PlanError> {
    if let Some(track) = keys.track.as_ref().filter(|track| !track.value) {
        return Err(source.error_at(&track.origin, "positions are made of the scores of each ply", "leave this out"));
    }
    if entrants.iter().all(|entrant| matches!(entrant.player, PlayerSpec::Random)) {
        let advice = "write one `[[entrant]]` section, or several whose engines play each other";
        return Err(source.error("there is no engine whose scores could be kept", advice));
    }
    let games = needed(source, &given.origin, "`[selfplay]`", given.value.games.as_ref(), "games")?;
    let none = || source.error_at(&games.origin, "self-play needs at least one game", "expected 1 or more");
    let games = NonZeroU64::new(games.value).ok_or_else(none)?;
    let filter =
        section(given.value.filter.as_ref()).map_or(Ok(PositionFilter::default()), |raw| filter(source, raw))?;
    Ok(ExperimentConfig::Selfplay { games, entrants: entrants.len() as u32, filter })
}

/// Refuses other games before their entrants are looked at.
pub(super) fn check_game(source: &Source, keys: &Keys) -> Result<(), PlanError> {
    match keys.game.as_ref().filter(|game| game.value != GameKind::ZeroPointOne) {
        Some(game) => {
            let message = format!("positions are made of games of 0.1, and not of {}", game.value);
            Err(source.error_at(&game.origin, message, "leave this out"))
        }
        None => Ok(()),
    }
}

fn filter(source: &Source, raw: &FilterPlan) -> Result<PositionFilter, PlanError> {
    let usual = PositionFilter::default();
    let score = |key: &Option<Given<f64>>, usual| key.as_ref().map_or(Ok(usual), |logits| units(source, logits));
    Ok(PositionFilter {
        in_check: value(raw.in_check.as_ref()).unwrap_or(usual.in_check),
        captures: value(raw.captures.as_ref()).unwrap_or(usual.captures),
        proven: value(raw.proven.as_ref()).unwrap_or(usual.proven),
        duplicates: value(raw.duplicates.as_ref()).unwrap_or(usual.duplicates),
        score: score(&raw.score, usual.score)?,
        first_score: score(&raw.first_score, usual.first_score)?,
    })
}

/// A bound in logit, to the engine's unit.
fn units(source: &Source, logits: &Given<f64>) -> Result<u32, PlanError> {
    if (0.0..=MOST_LOGITS).contains(&logits.value) {
        return Ok((logits.value * 10_000.0).round() as u32);
    }
    let message = format!("no score is compared with {}", logits.value);
    Err(source.error_at(&logits.origin, message, format!("expected logits, from 0 to {MOST_LOGITS}")))
}
