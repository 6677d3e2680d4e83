//! Formats the values of a tuning session: cells of a table, and lines to paste. The terminal, the page and the
//! Markdown summary all use these functions.

use crate::text::{grouped, signed};
use arena::run::{LimitStanding, TuneCaution, TuneStanding, TunedStanding};
use engine::protocol::uci::option_text;
use engine::{ParamInfo, ParamKind};
use play::entrant::PlayerSpec;
use serde::Serialize;
use serde_json::{Map, Number, Value, json};
use stats::Estimate;

/// The heads of the columns of [`wide_row`].
pub const WIDE_HEADS: [&str; 6] = ["parameter", "start", "now", "± sd", "95%", "steps"];

/// A parameter as in [`row`], with the range that holds its best value with 95% probability.
pub fn wide_row(tuned: &TunedStanding) -> [String; 6] {
    let [name, start, now, doubt, steps] = row(tuned);
    [name, start, now, doubt, range(tuned), steps]
}

/// The range that holds the best value with 95% probability, within the legal range; a dash for a switch and without a
/// model.
fn range(tuned: &TunedStanding) -> String {
    let end = |value: f64| tuned.number(value.clamp(tuned.min, tuned.max));
    let ends = |half: f64| format!("{} to {}", end(tuned.now - half), end(tuned.now + half));
    tuned.range.map_or_else(|| "–".to_owned(), ends)
}

/// The heads of the columns of [`row`].
pub const HEADS: [&str; 5] = ["parameter", "start", "now", "± sd", "steps"];

/// Whether a parameter is a category.
fn is_category(tuned: &TunedStanding) -> bool {
    !tuned.values.is_empty()
}

/// The probability that the current value of a category is the best.
fn best(tuned: &TunedStanding) -> Option<f64> {
    tuned.values.get(tuned.now as usize)?.best
}

/// A parameter's name, start and current value, how certain that value is, and how many steps it has moved.
pub fn row(tuned: &TunedStanding) -> [String; 5] {
    [tuned.name.clone(), value(tuned, tuned.start), value(tuned, tuned.now), doubt(tuned), steps(tuned)]
}

/// A value in words or digits: `on` or `off` for a switch.
pub fn value(tuned: &TunedStanding, value: f64) -> String {
    match tuned.kind {
        ParamKind::Switch => (if value == 0.0 { "off" } else { "on" }).to_owned(),
        ParamKind::Real | ParamKind::Integer => tuned.number(value),
    }
}

/// The certainty of a value: its standard error, or the probability that a switch is better on or a category's value
/// the best; a dash without a model.
pub fn doubt(tuned: &TunedStanding) -> String {
    if let Some(best) = best(tuned) {
        return format!("best {}", percent(best));
    }
    if tuned.frozen {
        return "frozen".to_owned();
    }
    match (tuned.on, tuned.sd) {
        (Some(on), _) => format!("on {}", percent(on)),
        (None, Some(sd)) => format!("{sd:.*}", tuned.decimals(tuned.now).max(1)),
        (None, None) => "–".to_owned(),
    }
}

/// A parameter's current value and its certainty.
pub fn in_words(tuned: &TunedStanding) -> String {
    let now = value(tuned, tuned.now);
    if let Some(best) = best(tuned) {
        return format!("{now} (is the best: {})", percent(best));
    }
    if tuned.frozen {
        return format!("{now} (frozen)");
    }
    match (tuned.on, tuned.sd) {
        (Some(on), _) => format!("{now} (on is better: {})", percent(on)),
        (None, Some(_)) => format!("{now} ± {}", doubt(tuned)),
        (None, None) => now,
    }
}

/// A probability in percent that never reads as 0 or 100.
fn percent(probability: f64) -> String {
    match 100.0 * probability {
        ..1.0 => "<1%".to_owned(),
        99.0.. => ">99%".to_owned(),
        percent => format!("{percent:.0}%"),
    }
}

fn steps(tuned: &TunedStanding) -> String {
    match tuned.kind {
        _ if tuned.frozen => "–".to_owned(),
        ParamKind::Switch => "–".to_owned(),
        ParamKind::Real | ParamKind::Integer if is_category(tuned) => "–".to_owned(),
        ParamKind::Real | ParamKind::Integer => signed(tuned.steps(), 1),
    }
}

/// The estimated gain of the session, and the gain that is still possible.
pub fn expectation(standing: &TuneStanding) -> String {
    let gain = standing.gain.map(|(mean, sd)| format!("expected gain {} ± {sd:.1} Elo", signed(mean, 1)));
    let at_most =
        standing.regret_at_most.map(|most| format!(" (up to {most:.1} if strength changes between the sides)"));
    let regret =
        standing.regret.map(|regret| format!("expected regret {regret:.1} Elo{}", at_most.unwrap_or_default()));
    let parts: Vec<String> = gain.into_iter().chain(regret).collect();
    if parts.is_empty() { "this method does not estimate the gain".to_owned() } else { parts.join(", ") }
}

/// Reasons to doubt the estimate, with remedies: a line each.
pub fn cautions(standing: &TuneStanding) -> Vec<String> {
    let in_words = |caution: &TuneCaution| match caution {
        TuneCaution::Together(names) => format!(
            "warning: {} act together: the best value of each depends on the others. Keep their values together. If \
                they are to be scaled by \
             one factor, a `[[tune.group]]` finds it in fewer pairs.",
            names.join(", ")
        ),
        TuneCaution::Unpredicted(share, sd) => format!(
            "warning: late pairs came out at {share:.2} ± {sd:.2} of what the fit expected (1 is right). Believe the \
                test, not the expected gain; \
             smaller steps may help."
        ),
        TuneCaution::Curves(more, sd) => format!(
            "warning: the curves of single parameters depart from the fit by {} ± {sd:.1} Elo. Believe the test, not \
                the expected gain; a second \
             session from these values may find more.",
            signed(*more, 1)
        ),
        TuneCaution::Start(more, sd) => format!(
            "warning: in games against the start these values gain {:.1} ± {sd:.1} Elo {} than the fit expects. The \
                expected gain counts these games. \
             Tune once more from these values with half the steps: the best values may be elsewhere.",
            more.abs(),
            if *more > 0.0 { "more" } else { "less" }
        ),
    };
    standing.cautions.iter().map(in_words).collect()
}

/// Compares the gain that a session expected with the result of its test, in words: too high or too low if it is
/// outside the test's 95% interval. Nothing if one of them is missing.
pub fn against_test(standing: &TuneStanding, tested: Estimate) -> Option<String> {
    let (mean, sd) = standing.gain?;
    let Estimate { value, low, high } = tested;
    if ![mean, sd, value, low, high].iter().all(|number| number.is_finite()) {
        return None;
    }
    let judged = if mean > high {
        "the expectation was too high"
    } else if mean < low {
        "the expectation was too low"
    } else {
        "they agree"
    };
    Some(format!(
        "The session expected {} ± {sd:.1} Elo, the test measured {} ({} to {}): {judged}.",
        signed(mean, 1),
        signed(value, 1),
        signed(low, 1),
        signed(high, 1)
    ))
}

/// For a session at several limits, a line each: where its pairs were played, what they cost, and which values move
/// with the limit.
pub fn of_limits(standing: &TuneStanding) -> Vec<String> {
    let Some(target) = standing.limits.last() else { return Vec::new() };
    let cost: f64 = standing.limits.iter().map(|at| at.pairs as f64 * at.cost).sum();
    let share = |at: &LimitStanding| {
        let percent = if cost > 0.0 { 100.0 * at.pairs as f64 * at.cost / cost } else { 0.0 };
        format!("{} at {} ({percent:.0}% of the cost)", grouped(at.pairs), at.limit)
    };
    let shares: Vec<String> = standing.limits.iter().map(share).collect();
    let all = format!(
        "pairs: {}; they cost as much as {} at {}",
        shares.join(", "),
        grouped(cost.round() as u64),
        target.limit
    );
    let moving = standing.parameters.iter().filter_map(|tuned| Some((tuned, tuned.drift?)));
    let notable = moving.filter(|(_, (mean, sd))| mean.abs() >= NOTABLE * sd);
    let drifts: Vec<String> = notable
        .map(|(tuned, (mean, sd))| {
            let decimals = tuned.decimals(tuned.now).max(1);
            format!("{} {} ± {sd:.decimals$}", tuned.name, signed(mean, decimals))
        })
        .collect();
    let moves = match drifts.as_slice() {
        [] => "no value surely moves with the limit".to_owned(),
        drifts => format!("with each doubling of the limit the best values move: {}", drifts.join(", ")),
    };
    vec![format!("values for {}", target.limit), all, moves]
}

/// The number of standard errors from 0 at which a value is reported to move with the limit.
const NOTABLE: f64 = 2.0;

/// The current values, ready to paste.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pasted {
    /// `name = value`, a line each.
    pub assignments: Vec<String>,
    /// All values as one line of the entrant's section in a configuration.
    pub toml: String,
    /// UCI commands; none if the engine speaks another protocol.
    pub setoptions: Vec<String>,
    /// Lines for fishtest, to continue tuning from these values.
    pub fishtest: Vec<String>,
    /// The same lines for `OpenBench`.
    pub openbench: Vec<String>,
    /// The same values in weather-factory's JSON.
    pub weather_factory: String,
}

impl Pasted {
    /// The values of a session of this entrant.
    pub fn new(standing: &TuneStanding, whose: &PlayerSpec) -> Self {
        let assignments: Vec<String> =
            standing.parameters.iter().map(|tuned| format!("{} = {}", key(&tuned.name), literal(tuned))).collect();
        let section = if whose.process().is_some() { "options" } else { "params" };
        Self {
            toml: format!("{section} = {{ {} }}", assignments.join(", ")),
            assignments,
            setoptions: setoptions(standing, whose),
            fishtest: standing.openbench.iter().map(|line| as_fishtest(line)).collect(),
            openbench: standing.openbench.clone(),
            weather_factory: weather_factory(standing),
        }
    }
}

/// A line of `OpenBench` without the kind, which fishtest does not know.
fn as_fishtest(line: &str) -> String {
    let mut fields: Vec<&str> = line.split(", ").collect();
    if fields.len() > 1 {
        fields.remove(1);
    }
    fields.join(",")
}

fn weather_factory(standing: &TuneStanding) -> String {
    let number = |text: String| text.parse::<Number>().unwrap_or(Number::from(0));
    let entry = |tuned: &TunedStanding| {
        // Keep range and step: only the value is a result.
        let [min, max, step] = [tuned.min, tuned.max, tuned.step].map(|value| number(value.to_string()));
        let value = number(tuned.number(tuned.now));
        (tuned.name.clone(), json!({ "value": value, "min_value": min, "max_value": max, "step": step }))
    };
    let numbers = standing.parameters.iter().filter(|tuned| !is_category(tuned));
    let entries: Map<String, Value> = numbers.map(entry).collect();
    format!("{:#}", Value::Object(entries))
}

/// The parameters that other tuners' formats do not support, and why.
pub fn not_exported(standing: &TuneStanding) -> Vec<(&str, &'static str)> {
    let why = |tuned: &TunedStanding| match tuned {
        _ if is_category(tuned) => Some("it is a category"),
        _ if tuned.name.contains(',') => Some("a comma in its name would part it"),
        _ => None,
    };
    standing.parameters.iter().filter_map(|tuned| Some((tuned.name.as_str(), why(tuned)?))).collect()
}

/// The current values in the form of a source file, by name: switches as 0 and 1. Leaves out categories unless their
/// values are numbers.
pub fn literals(standing: &TuneStanding) -> Vec<(String, String)> {
    let literal = |tuned: &TunedStanding| (tuned.name.clone(), tuned.number(tuned.now));
    let all = standing.parameters.iter().map(literal);
    all.filter(|(_, value)| value.parse::<f64>().is_ok()).collect()
}

fn setoptions(standing: &TuneStanding, whose: &PlayerSpec) -> Vec<String> {
    let process = whose.process();
    if process.is_some_and(|process| !process.protocol.has_setoption()) {
        return Vec::new();
    }
    // The engine in process has numbers where its options are whole numbers.
    let info = |tuned: &TunedStanding| ParamInfo::find(&tuned.name).filter(|_| process.is_none());
    let number = |tuned: &TunedStanding| tuned.number(tuned.now).parse().unwrap_or(tuned.now);
    let value = |tuned: &TunedStanding| match info(tuned) {
        Some(info) if is_category(tuned) => option_text(info, number(tuned)),
        Some(info) => option_text(info, tuned.now),
        None if is_category(tuned) => tuned.number(tuned.now),
        None => literal(tuned),
    };
    standing.parameters.iter().map(|tuned| format!("setoption name {} value {}", tuned.name, value(tuned))).collect()
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if bare { name.to_owned() } else { quoted(name) }
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The current value in the notation of configurations.
fn literal(tuned: &TunedStanding) -> String {
    match tuned.kind {
        ParamKind::Switch => (tuned.now != 0.0).to_string(),
        ParamKind::Real | ParamKind::Integer => {
            let text = tuned.number(tuned.now);
            if is_category(tuned) && text.parse::<f64>().is_err() { quoted(&text) } else { text }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::run::CategoryValue;

    fn standing() -> TuneStanding {
        let margin = TunedStanding {
            name: "null_move_margin".into(),
            kind: ParamKind::Real,
            start: 0.6,
            min: 0.0,
            max: 2.0,
            now: 0.11234,
            sd: Some(0.02),
            range: Some(0.2),
            on: None,
            drift: None,
            step: 0.05,
            is_log: false,
            course: vec![0.6, 0.4, 0.2, 0.1],
            values: Vec::new(),
            frozen: false,
        };
        let whole = ParamKind::Integer;
        let depth = TunedStanding {
            name: "iid_min_depth".into(),
            kind: whole,
            now: 5.0,
            step: 1.0,
            is_log: false,
            start: 4.0,
            min: 1.0,
            max: 20.0,
            sd: Some(0.31),
            range: Some(0.8),
            ..margin.clone()
        };
        let panic = TunedStanding {
            name: "panic".into(),
            kind: ParamKind::Switch,
            now: 1.0,
            start: 0.0,
            max: 1.0,
            sd: None,
            range: None,
            on: Some(0.937),
            drift: None,
            step: 1.0,
            is_log: false,
            ..margin.clone()
        };
        TuneStanding {
            parameters: vec![margin, depth, panic],
            gain: Some((87.21, 9.0)),
            regret: Some(0.62),
            regret_at_most: Some(7.95),
            cautions: Vec::new(),
            limits: Vec::new(),
            openbench: vec!["iid_min_depth, int, 5, 1, 20, 1, 0.002".to_owned()],
        }
    }

    #[test]
    fn what_speaks_against_the_numbers_is_said_with_its_remedy() {
        assert!(cautions(&standing()).is_empty());
        let together = TuneCaution::Together(vec!["a".into(), "b".into()]);
        let all = vec![together, TuneCaution::Unpredicted(-0.2, 0.2), TuneCaution::Curves(-12.0, 4.0)];
        let worded = cautions(&TuneStanding { cautions: all, ..standing() });
        let start = |more| cautions(&TuneStanding { cautions: vec![TuneCaution::Start(more, 5.0)], ..standing() });
        assert!(
            start(13.24)[0].contains("gain 13.2 ± 5.0 Elo more") && start(-13.24)[0].contains("13.2 ± 5.0 Elo less")
        );
        assert!(worded[0].contains("a, b act together") && worded[0].contains("[[tune.group]]"), "{worded:?}");
        assert!(worded[1].contains("-0.20 ± 0.20") && worded[2].contains("-12.0 ± 4.0 Elo"), "{worded:?}");
    }

    #[test]
    fn an_expectation_is_held_against_the_test() {
        let session = TuneStanding { gain: Some((47.8, 19.2)), ..standing() };
        let worded = |value, low, high| against_test(&session, Estimate { value, low, high });
        let high = "The session expected +47.8 ± 19.2 Elo, the test measured +21.0 (+9.0 to +33.0): the expectation \
            was too high.";
        assert_eq!(worded(21.0, 9.0, 33.0).unwrap(), high);
        assert!(worded(60.0, 50.0, 70.0).unwrap().ends_with("too low."));
        assert!(worded(40.0, 30.0, 50.0).unwrap().ends_with("they agree."));
        assert_eq!(worded(f64::INFINITY, 9.0, f64::INFINITY), None);
        assert_eq!(
            against_test(&TuneStanding { gain: None, ..standing() }, Estimate { value: 1.0, low: 0.0, high: 2.0 }),
            None
        );
    }

    #[test]
    fn every_kind_says_how_sure_it_is_in_its_own_way() {
        let rows: Vec<[String; 5]> = standing().parameters.iter().map(row).collect();
        assert_eq!(rows[0], ["null_move_margin", "0.6000", "0.1123", "0.0200", "-9.8"]);
        assert_eq!(rows[1], ["iid_min_depth", "4", "5", "0.31", "+1.0"], "not ± 0");
        assert_eq!(rows[2], ["panic", "off", "on", "on 94%", "–"]);
        let sure = TunedStanding { on: Some(1.0), ..standing().parameters[2].clone() };
        assert_eq!(doubt(&sure), "on >99%");
        let ranges = standing().parameters.iter().map(range).collect::<Vec<_>>();
        assert_eq!(ranges, ["0.0000 to 0.3123", "4 to 6", "–"], "inside what is legal");
        let bare = TunedStanding { sd: None, ..standing().parameters[0].clone() };
        assert_eq!(doubt(&bare), "–");
    }

    #[test]
    fn a_category_is_written_by_its_values() {
        let value = |text: &str, best| CategoryValue { text: text.to_owned(), best };
        let values = vec![value("wps", Some(0.2)), value("piece square", Some(0.8))];
        let plain = TunedStanding { sd: None, range: None, ..standing().parameters[1].clone() };
        let category = TunedStanding { name: "Evaluation".into(), start: 0.0, now: 1.0, max: 1.0, values, ..plain };
        assert_eq!(wide_row(&category), ["Evaluation", "wps", "piece square", "best 80%", "–", "–"]);
        assert_eq!(in_words(&category), "piece square (is the best: 80%)");
        assert_eq!(literal(&category), "\"piece square\"");
        let standing = TuneStanding { parameters: vec![category.clone()], ..standing() };
        assert_eq!(literals(&standing), [], "no number that a source could have");
        assert_eq!(weather_factory(&standing), "{}");
        assert_eq!(setoptions(&standing, &PlayerSpec::Random), ["setoption name Evaluation value piece square"]);
        // A category of the engine in process consists of numbers.
        let values = vec![value("3", None), value("2", None)];
        let numbers = TunedStanding { name: "null_move_reduction".into(), values, ..category };
        assert_eq!([literal(&numbers), doubt(&numbers)], ["2", "–"]);
        let standing = TuneStanding { parameters: vec![numbers], ..standing };
        assert_eq!(setoptions(&standing, &PlayerSpec::Random), ["setoption name null_move_reduction value 2"]);
        assert_eq!(literals(&standing), [("null_move_reduction".to_owned(), "2".to_owned())]);
    }

    #[test]
    fn a_session_at_several_limits_says_where_it_played_and_what_moves() {
        assert_eq!(of_limits(&standing()), [""; 0]);
        let at = |limit: &str, pairs, cost| LimitStanding { limit: limit.to_owned(), pairs, cost };
        let limits = vec![at("20ms", 6000, 0.1), at("200ms", 900, 1.0)];
        let mut standing = TuneStanding { limits, ..standing() };
        standing.parameters[1].drift = Some((0.3, 0.2));
        let lines = of_limits(&standing);
        assert_eq!(lines[0], "values for 200ms");
        let pairs = "pairs: 6,000 at 20ms (40% of the cost), 900 at 200ms (60% of the cost)";
        assert_eq!(lines[1], format!("{pairs}; they cost as much as 1,500 at 200ms"));
        assert_eq!(lines[2], "no value surely moves with the limit");
        standing.parameters[0].drift = Some((-0.05, 0.01));
        let moves = "with each doubling of the limit the best values move: null_move_margin -0.0500 ± 0.0100";
        assert_eq!(of_limits(&standing)[2], moves);
    }

    #[test]
    fn values_are_ready_to_paste() {
        let pasted = Pasted::new(&standing(), &PlayerSpec::Random);
        assert_eq!(pasted.assignments, ["null_move_margin = 0.1123", "iid_min_depth = 5", "panic = true"]);
        assert_eq!(pasted.toml, "params = { null_move_margin = 0.1123, iid_min_depth = 5, panic = true }");
        assert_eq!(pasted.setoptions[1], "setoption name iid_min_depth value 5");
        assert_eq!(pasted.fishtest, ["iid_min_depth,5,1,20,1,0.002"]);
        let json: Value = serde_json::from_str(&pasted.weather_factory).expect("JSON");
        assert_eq!(json["iid_min_depth"], json!({ "value": 5, "min_value": 1, "max_value": 20, "step": 1 }));
        assert_eq!(json["null_move_margin"]["value"], json!(0.1123));
        assert_eq!(literals(&standing())[2], ("panic".to_owned(), "1".to_owned()));
        assert_eq!(
            expectation(&standing()),
            "expected gain +87.2 ± 9.0 Elo, expected regret 0.6 Elo (up to 8.0 if strength changes between the sides)"
        );
    }

    #[test]
    fn what_is_pasted_is_legal() {
        let at_bound = TunedStanding { max: 0.10004, now: 0.10004, ..standing().parameters[0].clone() };
        assert_eq!(literal(&at_bound), "0.1000");
        let beyond = TunedStanding { min: 0.10004, now: 0.10004, ..standing().parameters[0].clone() };
        assert_eq!(literal(&beyond), "0.10004", "0.1000 would be below the range");
    }

    #[test]
    fn a_logarithmic_value_keeps_its_digits_far_from_the_start() {
        let (start, step, max) = (2.5, 2.0, 9.0);
        let near = TunedStanding { start, now: start, step, max, is_log: true, ..standing().parameters[0].clone() };
        assert_eq!((literal(&near), steps(&near)), ("2.50".to_owned(), "+0.0".to_owned()));
        // Eight steps of log(1 + 2 / 2.5) down.
        let far = TunedStanding { now: 0.022_687, sd: Some(0.0021), ..near };
        assert_eq!((literal(&far), steps(&far)), ("0.0227".to_owned(), "-8.0".to_owned()));
        assert_eq!(doubt(&far), "0.0021");
    }
}
