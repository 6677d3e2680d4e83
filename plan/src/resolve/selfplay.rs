//! `[selfplay]`: games of 0.1 or of chess, played for their positions.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, Origin, section, value};
use super::super::keys::{FilterPlan, Keys, SelfplayPlan};
use super::read::needed;
use crate::positions::{Wanted, is_chess, usual_format};
use arena::config::{ExperimentConfig, PositionFilter, Sampling};
use play::entrant::{Entrant, PlayerSpec};
use play::games::GameKind;
use std::num::{NonZeroU32, NonZeroU64};

/// The largest bound in logits or pawns: no score beyond it is an estimate.
const MOST: f64 = 100.0;

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
    let Wanted { filter, format } = wanted(source, keys, &given.value)?;
    Ok(ExperimentConfig::Selfplay { games, entrants: entrants.len() as u32, filter, format })
}

/// Refuses other games before resolving their entrants.
pub(super) fn check_game(source: &Source, keys: &Keys) -> Result<(), PlanError> {
    match keys.game.as_ref().filter(|game| game.value != GameKind::ZeroPointOne && !is_chess(game.value)) {
        Some(game) => {
            let message = format!(
                "positions are made of games of 0.1, chess, chess960 and crazyhouse, and not of {}",
                game.value
            );
            Err(source.error_at(&game.origin, message, "expected another game"))
        }
        None => Ok(()),
    }
}

/// Resolves which positions to keep, and their format.
fn wanted(source: &Source, keys: &Keys, given: &SelfplayPlan) -> Result<Wanted, PlanError> {
    let raw = section(given.filter.as_ref());
    if !is_chess(keys.game()) {
        refuse_for_chess(source, given, raw)?;
    }
    let filter = raw.map_or(Ok(PositionFilter::default()), |raw| filter(source, raw))?;
    let game = keys.game();
    let format = value(given.format.as_ref()).unwrap_or_else(|| usual_format(game));
    let wanted = Wanted { filter, format };
    let at = given.format.as_ref().map_or(&Origin::Usual, |format| &format.origin);
    let other = match game {
        GameKind::Crazyhouse => "expected `plain`, and no `quiet`",
        _ => "expected `text` or `bullet`, or no `quiet`",
    };
    wanted.check(game).map_err(|why| source.error_at(at, why, other))?;
    Ok(wanted)
}

/// Refuses filters for 0.1, whose files of positions are sampled later and have one format.
fn refuse_for_chess(source: &Source, given: &SelfplayPlan, raw: Option<&FilterPlan>) -> Result<(), PlanError> {
    let unset = FilterPlan::default();
    let raw = raw.unwrap_or(&unset);
    let keys = [
        ("format", given.format.as_ref().map(|key| &key.origin)),
        ("skip_plies", raw.skip_plies.as_ref().map(|key| &key.origin)),
        ("sample", raw.sample.as_ref().map(|key| &key.origin)),
        ("per_game", raw.per_game.as_ref().map(|key| &key.origin)),
        ("quiet", raw.quiet.as_ref().map(|key| &key.origin)),
    ];
    match keys.into_iter().find_map(|(key, origin)| Some((key, origin?))) {
        Some((key, origin)) => {
            let message = format!("`{key}` is for positions of chess");
            Err(source.error_at(origin, message, "expected `game = \"chess\"`, or leave this out"))
        }
        None => Ok(()),
    }
}

fn filter(source: &Source, raw: &FilterPlan) -> Result<PositionFilter, PlanError> {
    let quiet = value(raw.quiet.as_ref()).unwrap_or_default();
    // A position that its quiet end replaces need not be quiet itself.
    let usual = PositionFilter { in_check: quiet, captures: quiet, ..PositionFilter::default() };
    let score = |key: &Option<Given<f64>>, usual| key.as_ref().map_or(Ok(usual), |bound| units(source, bound));
    Ok(PositionFilter {
        in_check: value(raw.in_check.as_ref()).unwrap_or(usual.in_check),
        captures: value(raw.captures.as_ref()).unwrap_or(usual.captures),
        proven: value(raw.proven.as_ref()).unwrap_or(usual.proven),
        duplicates: value(raw.duplicates.as_ref()).unwrap_or(usual.duplicates),
        score: score(&raw.score, usual.score)?,
        first_score: score(&raw.first_score, usual.first_score)?,
        skip_plies: value(raw.skip_plies.as_ref()).unwrap_or(usual.skip_plies),
        sampling: sampling(source, raw)?,
        quiet,
    })
}

/// Resolves the random sampling of positions.
fn sampling(source: &Source, raw: &FilterPlan) -> Result<Sampling, PlanError> {
    match (&raw.sample, &raw.per_game) {
        (None, None) => Ok(Sampling::All),
        (Some(share), None) => Sampling::of_share(share.value).ok_or_else(|| {
            let message = format!("{} is not a share of the positions", share.value);
            source.error_at(&share.origin, message, "expected more than 0, and at most 1")
        }),
        (None, Some(most)) => NonZeroU32::new(most.value).map(Sampling::PerGame).ok_or_else(|| {
            source.error_at(&most.origin, "games without positions are played for nothing", "expected 1 or more")
        }),
        (Some(_), Some(most)) => Err(source.error_at(
            &most.origin,
            "`sample` says already how many positions are kept",
            "leave one of them out",
        )),
    }
}

/// Converts a bound in logits or pawns to 1/10,000 of the unit.
fn units(source: &Source, bound: &Given<f64>) -> Result<u32, PlanError> {
    if (0.0..=MOST).contains(&bound.value) {
        return Ok((bound.value * 10_000.0).round() as u32);
    }
    let message = format!("no score is compared with {}", bound.value);
    Err(source.error_at(&bound.origin, message, format!("expected logits, or pawns of chess, from 0 to {MOST}")))
}
