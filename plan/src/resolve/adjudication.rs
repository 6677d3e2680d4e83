//! `[adjudication]`: when games end early. Missing endgame tables are reported here, before a run begins.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, value};
use super::super::keys::{AdjudicationPlan, TablesPlan};
use super::read::needed;
use play::games::{FEWEST_MEN, GameKind, Rules, TableError};
use play::{Adjudication, DrawRuling, ResignRuling, TableRuling};
use std::num::NonZeroU32;

pub(super) fn resolve(source: &Source, plan: &AdjudicationPlan, game: GameKind) -> Result<Adjudication, PlanError> {
    let above_zero = |n: &Given<u32>| {
        let none = || source.error_at(&n.origin, "nothing can be adjudicated after 0 moves", "expected 1 or more");
        NonZeroU32::new(n.value).ok_or_else(none)
    };
    let draw = plan.draw.as_ref().map(|draw| {
        let need = |key, name| needed(source, &draw.origin, "`[adjudication.draw]`", key, name);
        let (moves, score) =
            (above_zero(need(draw.value.moves.as_ref(), "moves")?)?, need(draw.value.score.as_ref(), "score")?.value);
        Ok(DrawRuling { from_move: value(draw.value.from_move.as_ref()).unwrap_or(0), moves, score })
    });
    let resign = plan.resign.as_ref().map(|resign| {
        let need = |key, name| needed(source, &resign.origin, "`[adjudication.resign]`", key, name);
        let (moves, score) = (
            above_zero(need(resign.value.moves.as_ref(), "moves")?)?,
            need(resign.value.score.as_ref(), "score")?.value,
        );
        Ok(ResignRuling { moves, score, two_sided: value(resign.value.two_sided.as_ref()).unwrap_or(false) })
    });
    let max_plies = plan.max_moves.as_ref().map(|most| Ok(above_zero(most)?.saturating_mul(TWO)));
    let tables = plan.tables.as_ref().map(|given| tables(source, given, game));
    Ok(Adjudication {
        draw: draw.transpose()?,
        resign: resign.transpose()?,
        max_plies: max_plies.transpose()?,
        tables: tables.transpose()?,
    })
}

/// Plies in a move of both sides.
const TWO: NonZeroU32 = NonZeroU32::new(2).expect("not 0");

/// Resolves endgame tables, which must exist.
fn tables(source: &Source, given: &Given<TablesPlan>, game: GameKind) -> Result<TableRuling, PlanError> {
    let plan = &given.value;
    let path = needed(source, &given.origin, "`[adjudication.tables]`", plan.path.as_ref(), "path")?;
    let fits = |pieces: u32| u8::try_from(pieces).ok().filter(|men| (FEWEST_MEN..=MOST_MEN).contains(men));
    let pieces = plan.pieces.as_ref().map(|pieces| {
        let message = format!("there are no endgame tables of {} men", pieces.value);
        let label = format!("expected {FEWEST_MEN} to {MOST_MEN}, kings included");
        fits(pieces.value).ok_or_else(|| source.error_at(&pieces.origin, message, label))
    });
    let pieces = pieces.transpose()?;
    let found = match game.rules() {
        Rules::Chess(chess) => source.files.tables(chess, &path.value, pieces),
        Rules::ZeroPointOne(_) | Rules::Custom => Err(TableError::NoSuchGame),
    };
    let found = found.map_err(|error| {
        let (place, label) = match (&error, &plan.pieces) {
            (TableError::Incomplete { .. }, Some(pieces)) => (&pieces.origin, "ask for fewer men, or get those tables"),
            (TableError::NoSuchGame, _) => (&given.origin, "remove this"),
            _ => (&path.origin, "expected folders of Syzygy tables, separated as in PATH"),
        };
        source.error_at(place, error.to_string(), label)
    })?;
    let ignore_50 = value(plan.ignore_50.as_ref()).unwrap_or(false);
    let results = value(plan.results.as_ref()).unwrap_or_default();
    Ok(TableRuling { path: path.value.clone(), pieces: found, ignore_50, results })
}

/// The most men of any tables.
const MOST_MEN: u8 = 7;
