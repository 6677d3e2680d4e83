//! `spar rate`: rates many engines from the games in PGN files.

mod games;
mod table;

use super::{print, print_json};
use crate::args::calculators::{Anchor, OrdoFit, Rate, RatedOpenings};
use crate::failure::{Exit, Failure};
use games::Games;
use stats::Estimate;
use stats::rating::ordo::{self, OrdoMode, OrdoRatings, Reference};
use stats::rating::{ErrorModel, Openings, Rating, RatingError, RatingSettings, Ratings, Results, Standing};
use table::{Errors, Row, Table};

pub(crate) fn rate(rate: &Rate) -> Result<Exit, Failure> {
    let games = Games::read(&rate.files)?;
    games.complain();
    let games = games.finish()?;
    let anchors = anchors(&rate.anchor, &games.names)?;
    let table = match rate.ordo {
        Some(fit) => as_ordo(&games.names, &games.results, mode(fit), reference(&anchors, rate.average)?),
        None => own(&games.names, &games.results, &anchors, openings(rate.openings)),
    }?;
    if rate.json {
        print_json(&table.json(&games))?;
    } else {
        print(table.text(&games).trim_end())?;
    }
    Ok(Exit::Done)
}

/// The anchors, by index of the entrant.
fn anchors(typed: &[Anchor], names: &[String]) -> Result<Vec<(usize, f64)>, Failure> {
    let number = |anchor: &Anchor| match names.iter().position(|name| *name == anchor.name) {
        Some(number) => Ok((number, anchor.elo)),
        None => Err(Failure::usage(unknown_anchor(&anchor.name, names))),
    };
    let mut anchors = typed.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    anchors.sort_by_key(|(number, _)| *number);
    match anchors.windows(2).find(|two| two[0].0 == two[1].0) {
        Some(two) => Err(Failure::usage(format!("\"{}\" is anchored twice: expected one rating", names[two[0].0]))),
        None => Ok(anchors),
    }
}

fn unknown_anchor(name: &str, names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("\"{name}\"")).collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    format!("the anchor \"{name}\" played no game: expected one of {}{more}", shown.join(", "))
}

fn openings(typed: RatedOpenings) -> Openings {
    match typed {
        RatedOpenings::Fair => Openings::Fair,
        RatedOpenings::Biased => Openings::Biased,
    }
}

fn own(names: &[String], results: &Results, anchors: &[(usize, f64)], openings: Openings) -> Result<Table, Failure> {
    let settings = RatingSettings { anchors: anchors.to_vec(), openings, ..RatingSettings::default() };
    let ratings = stats::rating::rate(results, &settings).map_err(|error| refused(error, names))?;
    let rows = ratings.ranking(anchors).into_iter().map(|ranked| {
        let Rating { games, points, standing, group, .. } = ratings.entrants[ranked.entrant];
        Row { name: names[ranked.entrant].clone(), ranked, games, points, standing, group }
    });
    Ok(Table {
        rows: rows.collect(),
        groups: ratings.groups,
        errors: errors(&ratings),
        first_mover: ratings.first_mover,
        draw_rate: ratings.draw_rate,
        openings,
        opening_bias: ratings.opening_bias,
    })
}

/// The failure for a rating error, with names instead of indices.
fn refused(error: RatingError, names: &[String]) -> Failure {
    match error {
        RatingError::Unpaired(entrant) => Failure::usage(format!(
            "\"{}\" played no pair, and --openings biased rates by pairs: two games from one opening with the seats \
             swapped. Give the two games of a pair a common Round (`7.1` and `7.2`) and the FEN of their opening, or \
             use --openings fair",
            names[entrant]
        )),
        error => Failure::usage(error.to_string()),
    }
}

fn errors(ratings: &Ratings) -> Errors {
    match ratings.errors {
        ErrorModel::Clustered => Errors::Clustered,
        ErrorModel::Prior => Errors::Prior,
    }
}

fn mode(fit: OrdoFit) -> OrdoMode {
    match fit {
        OrdoFit::Plain => OrdoMode::Plain,
        OrdoFit::SeatsDraws => OrdoMode::SeatsAndDraws,
        OrdoFit::Likelihood => OrdoMode::MaximumLikelihood,
    }
}

fn reference(anchors: &[(usize, f64)], average: f64) -> Result<Reference, Failure> {
    match *anchors {
        [] => Ok(Reference::Mean(average)),
        [(entrant, rating)] => Ok(Reference::Anchor { entrant, rating }),
        _ => Err(Failure::usage("--ordo takes one anchor: expected one --anchor, or none")),
    }
}

fn as_ordo(names: &[String], results: &Results, mode: OrdoMode, reference: Reference) -> Result<Table, Failure> {
    let fit: OrdoRatings = ordo::rate(results, mode, reference)
        .map_err(|error| Failure::usage(format!("{error}; without --ordo they can be rated")))?;
    // The points do not depend on the fitted model.
    let tallies = own(names, results, &[], Openings::Fair)?;
    let rows = fit.ranking(reference).into_iter().filter_map(|ranked| {
        let tally = tallies.rows.iter().find(|row| row.ranked.entrant == ranked.entrant)?;
        Some(Row { ranked, standing: Standing::Bounded, ..tally.clone() })
    });
    let rows = rows.collect();
    let first_mover = (mode != OrdoMode::Plain).then_some(fit.first_mover());
    Ok(Table {
        rows,
        groups: 1,
        errors: Errors::Independent,
        first_mover,
        draw_rate: Some(Estimate::normal(fit.draw_rate, 0.0)),
        ..tallies
    })
}
