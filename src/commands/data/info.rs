//! `spar data info`: the contents of files of positions, on the terminal and as a page.

use super::{by_score, chess, mean, panel, results};
use crate::args::data::Info;
use crate::commands::{print, print_json};
use crate::failure::{Exit, Failure};
use arena::run::replace_file;
use reports::FactSheet;
use reports::plots::{PlotError, ScoreOfEvaluation, agreement, bars};
use reports::text::grouped;
use serde_json::{Value, json};
use stats::Estimate;
use stats::elo::logistic;
use std::path::Path;
use trainer::chess::formats::of_packed;
use trainer::data::{Block, Payload, ScoreBin, Statistics, blocks};

/// The number of digits shown of a content's hash.
const SHORT: usize = 12;
/// The fewest games in a bin of scores that count as evidence about calibration.
const LEAST_GAMES: f64 = 2.0;

/// All that is known about the files.
struct Known {
    statistics: Statistics,
    scores: Vec<ScoreBin>,
    bytes: u64,
    provenance: Vec<Value>,
}

pub(crate) fn info(info: &Info) -> Result<Exit, Failure> {
    if let Some(format) = info.files.first().and_then(|path| of_packed(path)) {
        return chess::info(info, format);
    }
    let known = read(info)?;
    if let Some(page) = &info.page {
        let html = known.page().map_err(Failure::environment)?;
        replace_file(page, html.as_bytes())?;
    }
    if info.json {
        print_json(&known.json())?;
    } else {
        for (name, value) in known.facts() {
            print(format_args!("  {name:<12} {value}"))?;
        }
        print(known.histogram())?;
        if let Some(page) = &info.page {
            print(format_args!("  {:<12} {}", "page", page.display()))?;
        }
    }
    Ok(Exit::Done)
}

fn read(info: &Info) -> Result<Known, Failure> {
    let mut statistics = Statistics::new(!info.no_duplicates);
    let (mut bytes, mut provenance) = (0, Vec::new());
    for path in &info.files {
        bytes += size(path)?;
        for block in blocks(path)? {
            let Block { payload, .. } = block?;
            match payload {
                Payload::Positions(records) => records.iter().for_each(|record| statistics.add(record)),
                Payload::Visits(records) => records.iter().for_each(|record| statistics.add_visits(record)),
                Payload::Provenance(text) => {
                    statistics.end_of_run();
                    provenance.push(serde_json::from_str(&text).unwrap_or(Value::Null));
                }
            }
        }
        statistics.end_of_run();
    }
    let scores = statistics.scores();
    Ok(Known { statistics, scores, bytes, provenance })
}

fn size(path: &Path) -> Result<u64, Failure> {
    Ok(fs_err::metadata(path)?.len())
}

impl Known {
    fn facts(&self) -> Vec<(&'static str, String)> {
        let of = &self.statistics;
        let share = |part: u64| format!("{:.1}%", 100.0 * part as f64 / of.positions.max(1) as f64);
        let mut facts = vec![
            ("positions", format!("{} of {} games", grouped(of.positions), grouped(of.games))),
            ("size", format!("{:.1} MB", self.bytes as f64 / 1e6)),
        ];
        for text in self.provenance.iter().map(from) {
            facts.push(("from", text));
        }
        if of.positions == 0 {
            return facts;
        }
        if of.with_visits > 0 {
            facts.push(("visit shares", format!("in {} of the positions", share(of.with_visits))));
        }
        let [lost, drawn, won] = of.results.map(share);
        facts.push(("results", format!("won {won}, drawn {drawn}, lost {lost}, for the side to move")));
        let [blue, _, red] = of.red_results.map(share);
        facts.push(("", format!("red won {red}, blue {blue}")));
        facts.push(("agreement", self.agreement_in_words()));
        let (plies, held) = (mean(&of.plies), mean(&of.in_hand));
        facts.push(("phases", format!("after {plies:.0} plies on average, {held:.1} pieces in hand")));
        facts.push(("drops", format!("{} of the moves played", share(of.drops))));
        let [least, most] = of.node_range.map(|nodes| grouped(nodes.into()));
        let nodes = grouped(of.nodes / of.positions);
        facts.push(("nodes", format!("{nodes} a search on average ({least} to {most})")));
        if let Some(duplicates) = of.duplicates {
            facts.push(("duplicates", format!("{} ({})", grouped(duplicates), share(duplicates))));
        }
        facts
    }

    /// The mean difference between the results and the scores' expectation, weighted by positions.
    fn agreement_in_words(&self) -> String {
        let off = |bin: &ScoreBin| bin.positions as f64 * (bin.result - logistic(bin.score)).abs();
        let total: f64 = self.scores.iter().filter(|bin| bin.positions > 0).map(off).sum();
        let off = 100.0 * total / self.statistics.positions.max(1) as f64;
        format!("results differ by {off:.1}% from sigmoid(score), on average over bins")
    }

    /// The scores as bars of text.
    fn histogram(&self) -> String {
        const WIDTH: u64 = 40;
        let whole: Vec<&[ScoreBin]> = self.scores.chunks(4).collect();
        let sum = |bins: &[ScoreBin]| bins.iter().map(|bin| bin.positions).sum::<u64>();
        let most = whole.iter().map(|bins| sum(bins)).max().unwrap_or(0).max(1);
        let shown = whole.iter().filter(|bins| sum(bins) > 0);
        let row = |bins: &&[ScoreBin]| {
            let positions = sum(bins);
            let result = bins.iter().map(|bin| bin.result * bin.positions as f64).sum::<f64>() / positions as f64;
            let bar = "█".repeat((positions * WIDTH).div_ceil(most) as usize);
            let low = bins[0].low;
            format!("  {low:>+5.0} to {:>+2.0}  {:>5.1}%  {:>12}  {bar}", low + 1.0, 100.0 * result, grouped(positions))
        };
        let heads = format!("  {:>11}  {:>6}  {:>12}", "score", "result", "positions");
        std::iter::once(heads).chain(shown.map(row)).collect::<Vec<_>>().join("\n")
    }

    fn json(&self) -> Value {
        let of = &self.statistics;
        json!({
            "positions": of.positions,
            "with_visits": of.with_visits,
            "games": of.games,
            "bytes": self.bytes,
            "provenance": self.provenance,
            "results": { "losses": of.results[0], "draws": of.results[1], "wins": of.results[2] },
            "red": { "losses": of.red_results[0], "draws": of.red_results[1], "wins": of.red_results[2] },
            "scores": self.scores,
            "plies": of.plies.to_vec(),
            "in_hand": of.in_hand.to_vec(),
            "drops": of.drops,
            "nodes": of.nodes,
            "duplicates": of.duplicates,
        })
    }

    fn page(&self) -> Result<String, PlotError> {
        let of = &self.statistics;
        let says = format!("{} positions of {} games", grouped(of.positions), grouped(of.games));
        let mut sheet = FactSheet::new("Positions", says.as_str());
        for (name, value) in self.facts() {
            sheet.fact(name, value);
        }
        let title = "Scores of searches";
        let low = self.scores.first().map_or(0.0, |bin| bin.low);
        let bins = self.scores.iter().map(|bin| (bin.positions, bin.result));
        let by_score = by_score("score for the side to move (logits)", low, Statistics::bin_width(), bins);
        sheet.plot("scores", title, bars(title, &says, &["points won", "points lost"], &[by_score]))?;
        let title = "Scores against results";
        sheet.plot("agreement", title, agreement(title, &self.agreement_in_words(), &self.points()))?;
        let title = "Phases of the game";
        let phases = [
            panel("By plies", "plies made, setups included", &of.plies),
            panel("By pieces in hand", "pieces in both hands", &of.in_hand),
        ];
        sheet.plot("phases", title, bars(title, &says, &[], &phases))?;
        let title = "Results";
        let panels = [results("For the side to move", &of.results), results("For red", &of.red_results)];
        sheet.plot("results", title, bars(title, &says, &[], &panels))?;
        Ok(sheet.html())
    }

    fn points(&self) -> Vec<ScoreOfEvaluation> {
        let bins = self.scores.iter().filter(|bin| bin.positions > 0 && bin.games >= LEAST_GAMES);
        let point = |bin: &ScoreBin| {
            let score = Estimate::wilson(bin.result, bin.games)?;
            Some(ScoreOfEvaluation { evaluation: bin.score, score })
        };
        bins.filter_map(point).collect()
    }
}

/// The origin of the positions, in a line.
fn from(provenance: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut parts = vec![text(&provenance["run"])];
    for entrant in provenance["entrants"].as_array().into_iter().flatten() {
        let (name, limit) = (text(&entrant["name"]), text(&entrant["limit"]));
        parts.push(format!("{name}{} at {limit}", evaluation(entrant)));
    }
    parts.push(format!("seed {}", text(&provenance["seed"])));
    parts.join(", ")
}

/// The evaluation of an engine in process.
fn evaluation(entrant: &Value) -> String {
    let network = entrant["build"]["native"]["network"].as_str();
    let short = |sha256: &str| format!("SHA-256 {}", sha256.chars().take(SHORT).collect::<String>());
    match (entrant["evaluation"].as_str(), network) {
        (Some(kind), Some(sha256)) => format!(" ({kind}, {})", short(sha256)),
        (Some(kind), None) if entrant["name"] != kind => format!(" ({kind})"),
        _ => String::new(),
    }
}
