//! `spar elo`: the statistics of a match, from its counts.

use super::{print, print_json};
use crate::args::calculators::Elo;
use crate::counts::Match;
use crate::failure::{Exit, Failure};
use reports::summary::{interval, summary_json};
use reports::text::{grouped, grouped_list};
use serde_json::{Map, Value};
use stats::{Estimate, Summary};

pub(crate) fn elo(elo: &Elo) -> Result<Exit, Failure> {
    let counts = Match::try_from(&elo.counts)?;
    let summary = counts.summary();
    if elo.json {
        print_json(&json(&counts, &summary))?;
    } else {
        for (name, value) in rows(&counts, &summary) {
            print(format_args!("{name:<7}{value}"))?;
        }
    }
    Ok(Exit::Done)
}

/// The keys that all summaries have. If the counts do not determine the games, `draw_ratio` is that of the pairs.
fn json(counts: &Match, summary: &Summary) -> Map<String, Value> {
    let mut map = summary_json(summary);
    let per = if counts.games().is_some() {
        "game"
    } else {
        let pairs = map.get("pair_draw_ratio").cloned().unwrap_or(Value::Null);
        map.insert("draw_ratio".to_owned(), pairs);
        "pair"
    };
    map.insert("draw_ratio_per".to_owned(), per.into());
    map
}

fn rows(counts: &Match, summary: &Summary) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("Elo", interval(summary.elo, 1)),
        ("nElo", interval(summary.nelo, 1)),
        ("LOS", format!("{:.1}%", 100.0 * summary.los)),
    ];
    if let Some(games) = counts.games() {
        let [wins, draws, losses] = [games.wins, games.draws, games.losses].map(grouped);
        rows.push(("games", format!("+{wins} ={draws} -{losses}{}", share("draws", summary.draw_ratio))));
    }
    if let Some(pairs) = counts.pairs() {
        let ratio = summary.pairs_ratio.map_or(String::new(), |ratio| format!("   won/lost {}", quotient(ratio.value)));
        let list = grouped_list(pairs);
        rows.push(("pairs", format!("{list}{}{ratio}", share("pair draws", summary.pair_draw_ratio))));
    }
    if let Some(bias) = summary.rms_bias {
        rows.push(("bias", format!("{:.1} Elo, between {:.1} and {:.1}", bias.value, bias.low, bias.high)));
    }
    rows
}

fn share(what: &str, estimate: Option<Estimate>) -> String {
    estimate.map_or(String::new(), |estimate| format!("   {what} {:.1}%", 100.0 * estimate.value))
}

fn quotient(ratio: f64) -> String {
    if ratio.is_finite() { format!("{ratio:.2}") } else { "∞".to_owned() }
}
