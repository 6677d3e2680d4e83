//! The result in the lines in which fishtest prints it: to be copied into a forum or a commit message.

use crate::numbers::{EntrantRow, Interval, Numbers, SprtBounds};
use crate::text::{counted, plus_minus, signed};
use arena::run::SprtStanding;

/// Entrants listed; of more, the strongest.
const MOST_ROWS: usize = 20;

/// The lines. Of a tuning session they are its values, of many entrants their ratings; none of a run without a game, nor of one that
/// has neither.
pub(crate) fn block(numbers: &Numbers) -> Vec<String> {
    if let Some(pasted) = &numbers.pasted {
        return pasted.assignments.clone();
    }
    if numbers.first_mover.games() == 0 {
        return Vec::new();
    }
    let is_match = numbers.measures_strength() && numbers.entrants.len() == 2;
    if is_match { strength(numbers) } else { ratings(numbers) }
}

fn strength(numbers: &Numbers) -> Vec<String> {
    let total = &numbers.total;
    let first = match (numbers.sprt, numbers.bounds) {
        (Some(sprt), Some(bounds)) => llr(&sprt, bounds),
        _ => format!("Elo: {} LOS: {:.1}%", value(total.elo), 100.0 * total.los),
    };
    let games = &total.games;
    let mut lines =
        vec![first, format!("Total: {} W: {} L: {} D: {}", games.games(), games.wins, games.losses, games.draws)];
    if let Some(penta) = total.penta {
        lines.push(format!("Ptnml(0-2): {}", penta.map(|count| count.to_string()).join(", ")));
    }
    if numbers.sprt.is_none() {
        let ratio = total.penta.and_then(|[ll, ld, _, wd, ww]| {
            let (won, lost) = (wd + ww, ll + ld);
            (lost > 0).then(|| format!(" PairsRatio: {:.2}", won as f64 / lost as f64))
        });
        lines.push(format!("nElo: {}{}", value(total.nelo), ratio.unwrap_or_default()));
    }
    lines
}

/// Rank, name, rating and games, the strongest first.
fn ratings(numbers: &Numbers) -> Vec<String> {
    let mut rows: Vec<(&EntrantRow, Interval)> =
        numbers.entrants.iter().filter_map(|entrant| Some((entrant, entrant.rating?))).collect();
    rows.sort_by(|(_, one), (_, two)| two.value.total_cmp(&one.value));
    let width = rows.iter().map(|(entrant, _)| entrant.name.chars().count()).max().unwrap_or(0);
    let row = |((entrant, elo), rank): (&(&EntrantRow, Interval), usize)| {
        let games = entrant.first.games() + entrant.second.games();
        // A rating that was given has no interval.
        let told = if elo.high > elo.low { plus_minus(*elo, 1) } else { signed(elo.value, 1) };
        format!("{rank:>2} {:<width$}  {told:<16} {}", entrant.name, counted(games, "game"))
    };
    rows.iter().zip(1..).take(MOST_ROWS).map(row).collect()
}

fn llr(sprt: &SprtStanding, bounds: SprtBounds) -> String {
    let SprtStanding { llr, lower, upper, .. } = sprt;
    format!("LLR: {llr:.2} ({lower:.2},{upper:.2}) <{:.2},{:.2}>", bounds.elo0, bounds.elo1)
}

/// fishtest prints no signs.
fn value(interval: Option<Interval>) -> String {
    match interval {
        Some(Interval { value, low, high }) if value.is_finite() && (high - low).is_finite() => {
            format!("{value:.2} ± {:.1} (95%)", (high - low) / 2.0)
        }
        Some(Interval { low, high, .. }) => format!("{low:.2} to {high:.2} (95%)"),
        None => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_worded_as_fishtest_words_it() {
        let sprt = SprtStanding { llr: 2.951, lower: -2.944, upper: 2.944, decided: None };
        let line = llr(&sprt, SprtBounds { elo0: 0.0, elo1: 20.0 });
        assert_eq!(line, "LLR: 2.95 (-2.94,2.94) <0.00,20.00>");
        let elo = |value, low, high| self::value(Some(Interval { value, low, high }));
        assert_eq!(elo(3.134, 1.6, 4.6), "3.13 ± 1.5 (95%)");
        assert_eq!(elo(f64::INFINITY, 12.0, f64::INFINITY), "12.00 to inf (95%)");
    }
}
