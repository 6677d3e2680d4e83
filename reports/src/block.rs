//! The result in the lines that fishtest prints, for copying into a forum or a commit message.

use crate::numbers::{Numbers, SprtBounds, Strength};
use crate::summary::RunSummary;
use crate::text::{counted, plus_minus, signed};
use crate::tournament::rated;
use crate::tuned::Pasted;
use arena::run::{PairingStanding, SprtStanding};
use stats::Estimate;

/// The maximum number of entrants listed; of more, the strongest are listed.
const MOST_ROWS: usize = 20;

/// An entrant's rating, for a row.
pub(crate) struct Rated<'a> {
    pub(crate) name: &'a str,
    pub(crate) elo: Estimate,
    pub(crate) games: u64,
}

/// The result in lines: a tuning session's values, two entrants' strength, or the ratings of many entrants; none for a
/// run without a game, nor for one without values and ratings.
pub(crate) fn block(numbers: &Numbers) -> Vec<String> {
    if let Some(pasted) = &numbers.pasted {
        return pasted.assignments.clone();
    }
    if numbers.measures_strength() && numbers.entrants.len() == 2 {
        return strength(&numbers.total, numbers.sprt.as_ref().zip(numbers.bounds));
    }
    let rated = numbers.entrants.iter().filter_map(|entrant| {
        let games = entrant.first.total() + entrant.second.total();
        Some(Rated { name: &entrant.name, elo: entrant.rating?, games })
    });
    ratings(rated.collect())
}

impl RunSummary<'_> {
    /// The result in the lines that fishtest prints, the same as in the report.
    pub fn block(&self) -> Vec<String> {
        let entrants = &self.config.entrants;
        if let Some((tune, entrant)) = self.standing.tune().zip(entrants.first()) {
            return Pasted::new(tune, &entrant.player).assignments;
        }
        if let [one, other] = entrants.as_slice()
            && self.is_one_strength()
        {
            let total = Strength::new([one.name.clone(), other.name.clone()], &self.standing.counts);
            return strength(&total, self.standing.sprt().zip(SprtBounds::of(&self.config.experiment)));
        }
        let pairings = self.standing.pairings();
        let elo: Vec<Option<Estimate>> = match self.ladder() {
            Some(ladder) => ladder.places.iter().map(|place| place.played().then_some(place.elo)).collect(),
            None => rated(self.config, self.standing)
                .map_or_else(Vec::new, |all| all.entrants.iter().map(|one| Some(one.elo)).collect()),
        };
        let rows = entrants.iter().zip(elo).enumerate().filter_map(|(number, (entrant, elo))| {
            let is_here = |pairing: &&PairingStanding| [pairing.entrant, pairing.opponent].contains(&(number as u32));
            let games = pairings.iter().filter(is_here).map(|pairing| pairing.counts.wdl().total()).sum();
            Some(Rated { name: &entrant.name, elo: elo?, games })
        });
        ratings(rows.collect())
    }
}

/// The lines for two entrants: a test's ratio, or a match's Elo.
pub(crate) fn strength(total: &Strength, test: Option<(&SprtStanding, SprtBounds)>) -> Vec<String> {
    let games = &total.games;
    if games.total() == 0 {
        return Vec::new();
    }
    let first = test.map_or_else(
        || format!("Elo: {} LOS: {:.1}%", value(total.elo), 100.0 * total.los),
        |(sprt, bounds)| llr(sprt, bounds),
    );
    let mut lines =
        vec![first, format!("Total: {} W: {} L: {} D: {}", games.total(), games.wins, games.losses, games.draws)];
    if let Some(penta) = total.penta {
        lines.push(format!("Ptnml(0-2): {}", penta.map(|count| count.to_string()).join(", ")));
    }
    if test.is_none() {
        let ratio = total.penta.and_then(|[ll, ld, _, wd, ww]| {
            let (won, lost) = (wd + ww, ll + ld);
            (lost > 0).then(|| format!(" PairsRatio: {:.2}", won as f64 / lost as f64))
        });
        lines.push(format!("nElo: {}{}", value(total.nelo), ratio.unwrap_or_default()));
    }
    lines
}

/// Rows of rank, name, rating and games, the strongest first.
pub(crate) fn ratings(mut rows: Vec<Rated<'_>>) -> Vec<String> {
    if rows.iter().all(|rated| rated.games == 0) {
        return Vec::new();
    }
    rows.sort_by(|one, two| two.elo.value.total_cmp(&one.elo.value));
    let width = rows.iter().map(|rated| rated.name.chars().count()).max().unwrap_or(0);
    let row = |(Rated { name, elo, games }, rank): (&Rated<'_>, usize)| {
        // A rating that was given has no interval.
        let rating = if elo.high > elo.low { plus_minus(*elo, 1) } else { signed(elo.value, 1) };
        format!("{rank:>2} {name:<width$}  {rating:<16} {}", counted(*games, "game"))
    };
    rows.iter().zip(1..).take(MOST_ROWS).map(row).collect()
}

fn llr(sprt: &SprtStanding, bounds: SprtBounds) -> String {
    let SprtStanding { llr, lower, upper, .. } = sprt;
    format!("LLR: {llr:.2} ({lower:.2},{upper:.2}) <{:.2},{:.2}>", bounds.elo0, bounds.elo1)
}

/// A value without a sign, as fishtest prints it.
fn value(interval: Option<Estimate>) -> String {
    match interval {
        Some(Estimate { value, low, high }) if value.is_finite() && (high - low).is_finite() => {
            format!("{value:.2} ± {:.1} (95%)", (high - low) / 2.0)
        }
        Some(Estimate { low, high, .. }) => format!("{low:.2} to {high:.2} (95%)"),
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
        let elo = |value, low, high| self::value(Some(Estimate { value, low, high }));
        assert_eq!(elo(3.134, 1.6, 4.6), "3.13 ± 1.5 (95%)");
        assert_eq!(elo(f64::INFINITY, 12.0, f64::INFINITY), "12.00 to inf (95%)");
    }
}
