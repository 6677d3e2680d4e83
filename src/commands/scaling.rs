//! `spar scaling`: the value of more time or nodes, or how strength depends on a parameter. Plays a ladder over the
//! levels.

use super::ladder::{climb, drawing, exit, folders, keep, note, says};
use super::sessions::read_plan;
use super::{print, print_json};
use crate::args::releases::Ladder;
use crate::failure::{Exit, Failure};
use arena::config::Job;
use reports::levels::Levels;
use reports::summary::finite;
use reports::summary::ladder as table;
use serde_json::{Value, json};
use session::work::{self, LadderState};
use stats::Estimate;
use stats::rating::Parabola;
use std::path::Path;

pub(crate) fn scaling(scaling: &Ladder, runs: &Path) -> Result<Exit, Failure> {
    let levels = read_plan(&scaling.config, &scaling.working, Job::Ladder)?.scaling()?;
    let sources = scaling.building.sources(&scaling.config, &scaling.working);
    let climbed = climb(work::Ladder::of_levels(levels, sources), scaling, runs)?;
    let Some(levels) = &climbed.rated.levels else { return Err(Failure::usage("this is not a scaling job")) };
    let title = format!("{}: Elo by {}", climbed.title, levels.label);
    let drawing = drawing(&climbed.rated, &title, &says(&climbed))?;
    let drawn = keep(&climbed, "scaling", drawing)?;
    if scaling.working.json {
        print_json(&json(&climbed, levels))?;
    } else {
        let mut parts = vec![table::text(&climbed.rated), note(&climbed, drawn.as_deref())];
        let fitted = climbed.rated.parabola_in_words();
        if !fitted.is_empty() {
            parts.insert(1, fitted.join("\n"));
        }
        print(parts.join("\n\n"))?;
    }
    Ok(exit(&climbed))
}

fn json(climbed: &LadderState, levels: &Levels) -> Value {
    let estimate = |e: Estimate| json!({ "value": finite(e.value), "low": finite(e.low), "high": finite(e.high) });
    let axis = levels.axis();
    let fitted = climbed.rated.parabola.as_ref().map(|fit: &Parabola| {
        let curve: Vec<Value> = axis.iter().map(|&x| estimate(fit.gain(x, axis[0]))).collect();
        json!({
            "gain_over_first": curve, "summit": fit.summit().map(estimate),
            "misfit": finite(fit.misfit), "degrees_of_freedom": fit.freedom,
        })
    });
    json!({
        "runs": folders(climbed), "of": levels.label, "doublings": levels.doublings, "values": levels.values,
        "entrants": table::json(&climbed.rated), "fit": fitted,
    })
}
