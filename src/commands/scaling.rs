//! `spar scaling`: what is more of a limit worth, and how does strength depend on a parameter? A ladder over the levels.

use super::engines::SourceFile;
use super::ladder::{Climb, Climbed, with_engines};
use super::{print, print_json};
use crate::args::releases::Ladder;
use crate::failure::{Exit, Failure};
use crate::releases::{Levels, levels};
use crate::summary::finite;
use crate::text::signed;
use arena::config::Job;
use reports::plots::{self, ScalingPoint};
use serde_json::{Value, json};
use stats::Estimate;
use stats::rating::Parabola;
use std::path::Path;

pub(crate) fn scaling(scaling: &Ladder, runs: &Path) -> Result<Exit, Failure> {
    let (file, working) = SourceFile::read_amended(&scaling.config, Job::Ladder, &scaling.working)?;
    let levels = levels(&file.text, &file.name, &file.stem)?;
    let text = with_engines(&file, &levels.text, &scaling.building, runs)?;
    let Ladder { show, more, .. } = scaling;
    let climb = Climb { text, name: &file.name, stem: &file.stem, show: *show, more: *more, working: &working, runs };
    let climbed = climb.climb()?;
    let fit = Parabola::fit(&climbed.ratings, &levels.axis());
    let drawn = climbed.keep("scaling", drawing(&climbed, &levels)?)?;
    if working.json {
        print_json(&json(&climbed, &levels, fit.as_ref()))?;
    } else {
        let fitted = fit.as_ref().map_or_else(String::new, |fit| format!("{}\n\n", in_words(fit, &levels)));
        print(format!("{}\n\n{fitted}{}", climbed.table.text(), climbed.note(drawn.as_deref())))?;
    }
    Ok(climbed.exit)
}

/// Doublings on a scale of their own, a parameter's values as they are.
fn drawing(climbed: &Climbed, levels: &Levels) -> Result<Option<String>, Failure> {
    let (title, subtitle) = (format!("{}: Elo by {}", climbed.title, levels.label), climbed.says());
    if !levels.doublings || climbed.history.pairs() == 0 {
        return climbed.table.drawing(&title, &subtitle, Some(&levels.values));
    }
    let point = |(&x, elo): (&f64, Estimate)| ScalingPoint { x, elo: elo.value, low: elo.low, high: elo.high };
    let points = levels.values.iter().zip(climbed.table.estimates()).map(point).collect();
    let plot = plots::Scaling { title, subtitle, x_label: levels.label.clone(), points };
    plots::scaling(&plot).map(|plot| Some(plot.wide)).map_err(|error| Failure::Environment(error.into()))
}

/// What the parabola says.
fn in_words(fit: &Parabola, levels: &Levels) -> String {
    let plus_minus = |e: Estimate| format!("{} ± {:.1}", signed(e.value, 1), (e.high - e.low) / 2.0);
    let axis = levels.axis();
    let (first, last) = (axis[0], axis[axis.len() - 1]);
    let mut lines = vec![format!(
        "A parabola over {}, misfit {:.1} on {} degrees of freedom:",
        what(levels),
        fit.misfit,
        fit.freedom
    )];
    if levels.doublings {
        let [start, end] = [(first + 1.0, first), (last, last - 1.0)].map(|(to, from)| plus_minus(fit.gain(to, from)));
        lines.push(format!("  the first doubling gains {start} Elo, the last one {end}"));
        return lines.join("\n");
    }
    match fit.summit() {
        None => lines.push("  no summit: the curvature is not certain to be downwards".to_owned()),
        Some(summit) => {
            let half = (summit.high - summit.low) / 2.0;
            let beyond = if (first..=last).contains(&summit.value) { "" } else { ", beyond what was played" };
            lines.push(format!("  best at {} = {:.4} ± {half:.4} (95%){beyond}", levels.label, summit.value));
            for value in [first, last] {
                lines.push(format!("  there {} Elo above {value}", plus_minus(fit.gain(summit.value, value))));
            }
        }
    }
    lines.join("\n")
}

fn what(levels: &Levels) -> String {
    if levels.doublings { format!("doublings of {}", levels.label) } else { levels.label.clone() }
}

fn json(climbed: &Climbed, levels: &Levels, fit: Option<&Parabola>) -> Value {
    let estimate = |e: Estimate| json!({ "value": finite(e.value), "low": finite(e.low), "high": finite(e.high) });
    let axis = levels.axis();
    let fitted = fit.map(|fit| {
        let curve: Vec<Value> = axis.iter().map(|&x| estimate(fit.gain(x, axis[0]))).collect();
        json!({
            "gain_over_first": curve, "summit": fit.summit().map(estimate),
            "misfit": finite(fit.misfit), "degrees_of_freedom": fit.freedom,
        })
    });
    json!({
        "runs": climbed.runs(), "of": levels.label, "doublings": levels.doublings, "values": levels.values,
        "entrants": climbed.table.json(), "fit": fitted,
    })
}
