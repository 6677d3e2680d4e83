//! A tuning session on the terminal and for machines: a line for each parameter, and JSON.

use crate::tuned::{HEADS, cautions, row};
use arena::run::{LimitStanding, TuneStanding, TunedStanding};
use serde_json::{Value, json};

/// The levels of a sparkline.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One line for each parameter, under a heading.
pub fn table(standing: &TuneStanding) -> Vec<String> {
    let width = standing.parameters.iter().map(|tuned| tuned.name.chars().count()).max().unwrap_or(0).max(9);
    let line = |[name, start, now, doubt, steps]: [&str; 5], course: &str| {
        format!("  {name:<width$} {start:>10} {now:>10} {doubt:>9} {steps:>9}  {course}")
    };
    let rows = standing.parameters.iter().map(|tuned: &TunedStanding| {
        let cells = row(tuned);
        line(cells.each_ref().map(String::as_str), &sparkline(&tuned.course))
    });
    std::iter::once(line(HEADS, "course")).chain(rows).collect()
}

/// The session as JSON for machines.
pub fn json(standing: &TuneStanding) -> Value {
    let parameter = |tuned: &TunedStanding| {
        json!({
            "name": tuned.name, "start": tuned.start, "value": tuned.now,
            "sd": tuned.sd, "on": tuned.on, "step": tuned.step,
        })
    };
    let parameter = |tuned: &TunedStanding| {
        let mut json = parameter(tuned);
        if tuned.frozen {
            json["frozen"] = json!(true);
        }
        if let Some((mean, sd)) = tuned.drift {
            json["drift_per_doubling"] = json!({ "value": mean, "sd": sd });
        }
        if !tuned.values.is_empty() {
            // The numbers above are indices into this list.
            json["text"] = json!(tuned.number(tuned.now));
            json["values"] =
                tuned.values.iter().map(|value| json!({ "text": value.text, "best": value.best })).collect();
        }
        json
    };
    let parameters: Vec<Value> = standing.parameters.iter().map(parameter).collect();
    let gain = standing.gain.map(|(mean, sd)| json!({ "elo": mean, "sd": sd }));
    let mut json = json!({
        "parameters": parameters, "gain": gain, "regret": standing.regret, "regret_at_most": standing.regret_at_most,
    });
    if !standing.cautions.is_empty() {
        json["warnings"] = json!(cautions(standing));
    }
    if !standing.limits.is_empty() {
        let limit = |at: &LimitStanding| json!({ "limit": at.limit, "pairs": at.pairs, "cost": at.cost });
        json["limits"] = standing.limits.iter().map(limit).collect();
    }
    json
}

fn sparkline(course: &[f64]) -> String {
    let low = course.iter().copied().fold(f64::INFINITY, f64::min);
    let high = course.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let level = |value: &f64| {
        let share = if high > low { (value - low) / (high - low) } else { 0.0 };
        LEVELS[((share * 7.0).round() as usize).min(7)]
    };
    course.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::ParamKind;

    #[test]
    fn rows_line_up() {
        let margin = TunedStanding {
            name: "null_move_margin".into(),
            kind: ParamKind::Real,
            start: 0.6,
            min: 0.0,
            max: 2.0,
            now: 0.11234,
            sd: Some(0.02),
            range: None,
            on: None,
            drift: None,
            step: 0.05,
            is_log: false,
            course: vec![0.6, 0.4, 0.2, 0.1],
            values: Vec::new(),
            frozen: false,
        };
        let standing = TuneStanding {
            parameters: vec![margin],
            gain: None,
            regret: None,
            regret_at_most: None,
            cautions: Vec::new(),
            limits: Vec::new(),
            openbench: Vec::new(),
        };
        let rows = table(&standing);
        assert_eq!(rows[1], "  null_move_margin     0.6000     0.1123    0.0200      -9.8  █▅▂▁");
        let heading: String = rows[0].chars().skip(rows[1].chars().position(|c| c == '█').unwrap()).collect();
        assert_eq!(heading, "course");
    }
}
