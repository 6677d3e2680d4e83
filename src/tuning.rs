//! How a tuning session is shown: a line for each parameter while it runs, and values to paste at the end.

use crate::text::signed;
use arena::entrant::PlayerSpec;
use arena::run::{TuneStanding, TunedForm, TunedStanding};
use engine::ParamInfo;
use engine::protocol::uci::option_text;
use serde_json::{Value, json};

/// Levels of a sparkline.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One line for each parameter, under a heading.
pub(crate) fn table(standing: &TuneStanding) -> Vec<String> {
    let width = standing.parameters.iter().map(|tuned| tuned.name.len()).max().unwrap_or(0).max(9);
    let heading =
        format!("  {:<width$} {:>10} {:>10} {:>9} {:>9}  course", "parameter", "start", "now", "± sd", "steps");
    let row = |tuned: &TunedStanding| {
        let [start, now] = [tuned.start, tuned.now].map(|value| number(tuned, value));
        let sd = tuned.sd.map_or_else(|| "-".to_owned(), |sd| number(tuned, sd));
        let steps = signed((tuned.now - tuned.start) / tuned.step, 1);
        let course = sparkline(&tuned.course);
        format!("  {:<width$} {start:>10} {now:>10} {sd:>9} {steps:>9}  {course}", tuned.name)
    };
    std::iter::once(heading).chain(standing.parameters.iter().map(row)).collect()
}

/// What the session is believed to have gained, and what is still to be had.
pub(crate) fn expectation(standing: &TuneStanding) -> String {
    let gain = standing.gain.map(|(mean, sd)| format!("expected gain {} ± {sd:.1} Elo", signed(mean, 1)));
    let regret = standing.regret.map(|regret| format!("expected to be left {regret:.1} Elo"));
    let parts: Vec<String> = gain.into_iter().chain(regret).collect();
    if parts.is_empty() { "this method says nothing of gain".to_owned() } else { parts.join(", ") }
}

/// The values as a line of TOML, for the entrant's section.
pub(crate) fn toml(standing: &TuneStanding, whose: &PlayerSpec) -> String {
    let key = |name: &str| {
        let bare = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if bare { name.to_owned() } else { format!("\"{name}\"") }
    };
    let values = standing.parameters.iter().map(|tuned| format!("{} = {}", key(&tuned.name), literal(tuned)));
    let section = if whose.process().is_some() { "options" } else { "params" };
    format!("{section} = {{ {} }}", values.collect::<Vec<_>>().join(", "))
}

/// The values as UCI commands.
pub(crate) fn setoptions(standing: &TuneStanding, whose: &PlayerSpec) -> Vec<String> {
    // The engine in process has numbers where its options have whole ones.
    let info = |tuned: &TunedStanding| ParamInfo::find(&tuned.name).filter(|_| whose.process().is_none());
    let value = |tuned: &TunedStanding| info(tuned).map_or_else(|| literal(tuned), |info| option_text(info, tuned.now));
    standing.parameters.iter().map(|tuned| format!("setoption name {} value {}", tuned.name, value(tuned))).collect()
}

/// The session for machines.
pub(crate) fn json(standing: &TuneStanding) -> Value {
    let parameters: Vec<Value> = standing
        .parameters
        .iter()
        .map(|tuned| json!({ "name": tuned.name, "start": tuned.start, "value": tuned.now, "sd": tuned.sd, "step": tuned.step }))
        .collect();
    let gain = standing.gain.map(|(mean, sd)| json!({ "elo": mean, "sd": sd }));
    json!({ "parameters": parameters, "gain": gain, "regret": standing.regret })
}

fn literal(tuned: &TunedStanding) -> String {
    match tuned.form {
        TunedForm::Switch => (tuned.now != 0.0).to_string(),
        TunedForm::Real | TunedForm::Whole => number(tuned, tuned.now),
    }
}

/// A value with the decimals that a hundredth of a step needs; whole numbers without any.
fn number(tuned: &TunedStanding, value: f64) -> String {
    let decimals = match tuned.form {
        TunedForm::Real => (2.0 - libm::log10(tuned.step)).ceil().clamp(0.0, 8.0) as usize,
        TunedForm::Whole | TunedForm::Switch => 0,
    };
    format!("{value:.decimals$}")
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

    fn standing() -> TuneStanding {
        let margin = TunedStanding {
            name: "null_move_margin".into(),
            form: TunedForm::Real,
            start: 0.6,
            now: 0.11234,
            sd: Some(0.02),
            step: 0.05,
            course: vec![0.6, 0.4, 0.2, 0.1],
        };
        let depth = TunedStanding {
            name: "iid_min_depth".into(),
            form: TunedForm::Whole,
            now: 5.0,
            step: 1.0,
            start: 4.0,
            ..margin.clone()
        };
        TuneStanding { parameters: vec![margin, depth], gain: Some((87.21, 9.0)), regret: Some(0.62) }
    }

    #[test]
    fn values_are_ready_to_paste() {
        assert_eq!(toml(&standing(), &PlayerSpec::Random), "params = { null_move_margin = 0.1123, iid_min_depth = 5 }");
        assert_eq!(setoptions(&standing(), &PlayerSpec::Random)[1], "setoption name iid_min_depth value 5");
        assert_eq!(expectation(&standing()), "expected gain +87.2 ± 9.0 Elo, expected to be left 0.6 Elo");
    }

    #[test]
    fn rows_line_up() {
        let rows = table(&standing());
        assert_eq!(rows[1], "  null_move_margin     0.6000     0.1123    0.0200      -9.8  █▅▂▁");
        let heading: String = rows[0].chars().skip(rows[1].chars().position(|c| c == '█').unwrap()).collect();
        assert_eq!(heading, "course");
    }
}
