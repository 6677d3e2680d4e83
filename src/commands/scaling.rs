//! `spar scaling`: what is more of a limit worth, and how does strength depend on a parameter? A ladder over the levels.

use super::engines::read_plan;
use super::ladder::{Climb, Climbed, with_engines};
use super::{print, print_json};
use crate::args::releases::Ladder;
use crate::failure::{Exit, Failure};
use crate::releases::table;
use crate::summary::finite;
use arena::config::Job;
use reports::levels::Levels;
use serde_json::{Value, json};
use session::plan::Scaling;
use stats::Estimate;
use stats::rating::Parabola;
use std::path::Path;

pub(crate) fn scaling(scaling: &Ladder, runs: &Path) -> Result<Exit, Failure> {
    let Scaling { plan, label, values, doublings } =
        read_plan(&scaling.config, &scaling.working, Job::Ladder)?.scaling()?;
    let levels = Levels { label, values, doublings };
    let plan = with_engines(&plan, &scaling.building, runs)?;
    let Ladder { show, more, working, .. } = scaling;
    let climb = Climb { plan, levels: Some(levels.clone()), show: *show, more: *more, working, runs };
    let climbed = climb.climb()?;
    let title = format!("{}: Elo by {}", climbed.title, levels.label);
    let drawing = table::drawing(&climbed.ladder, &title, &climbed.says())?;
    let drawn = climbed.keep("scaling", drawing)?;
    if working.json {
        print_json(&json(&climbed, &levels))?;
    } else {
        let mut parts = vec![table::text(&climbed.ladder), climbed.note(drawn.as_deref())];
        let fitted = climbed.ladder.parabola_in_words();
        if !fitted.is_empty() {
            parts.insert(1, fitted.join("\n"));
        }
        print(parts.join("\n\n"))?;
    }
    Ok(climbed.exit)
}

fn json(climbed: &Climbed, levels: &Levels) -> Value {
    let estimate = |e: Estimate| json!({ "value": finite(e.value), "low": finite(e.low), "high": finite(e.high) });
    let axis = levels.axis();
    let fitted = climbed.ladder.parabola.as_ref().map(|fit: &Parabola| {
        let curve: Vec<Value> = axis.iter().map(|&x| estimate(fit.gain(x, axis[0]))).collect();
        json!({
            "gain_over_first": curve, "summit": fit.summit().map(estimate),
            "misfit": finite(fit.misfit), "degrees_of_freedom": fit.freedom,
        })
    });
    json!({
        "runs": climbed.runs(), "of": levels.label, "doublings": levels.doublings, "values": levels.values,
        "entrants": table::json(&climbed.ladder), "fit": fitted,
    })
}
