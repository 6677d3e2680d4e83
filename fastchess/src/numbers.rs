//! The numbers of fastchess's reports, estimated as fastchess does: from the plain counts of pairs or games, with one
//! half-width for an interval.
//!
//! If a sample shows no noise, fastchess prints `nan`; here the intervals are spar's own, by likelihood. No number is
//! NaN.

use stats::elo::{elo_of_advantage, nelo_of_t};
use stats::estimate::advantage;
use stats::normal::{self, Z95};
use stats::{Counts, Estimate, Law, Spread};

/// A value and half the width of its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Halved {
    /// The value; may be infinite.
    pub(super) value: f64,
    /// Half the width; may be infinite.
    pub(super) half: f64,
}

impl From<Estimate> for Halved {
    fn from(Estimate { value, low, high }: Estimate) -> Self {
        // An interval that is infinite on both sides would have no width.
        let half = if value.is_infinite() || low.is_infinite() || high.is_infinite() {
            f64::INFINITY
        } else {
            (high - low) / 2.0
        };
        Self { value, half }
    }
}

/// The statistics of a match, from the first entrant's view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numbers {
    /// Logistic Elo.
    pub(super) elo: Halved,
    /// Normalized Elo.
    pub(super) nelo: Halved,
    /// Likelihood of superiority, 0 to 1.
    pub(super) los: f64,
    /// The share of pairs with one point each; if games are counted, the share of draws.
    pub(super) draws: f64,
    /// Won pairs per lost pair; infinite without lost pairs, 0 without either.
    pub(super) pairs_ratio: f64,
    /// Pairs of a win and a loss per pair of two draws; infinite without the latter, 0 without either.
    pub(super) wl_dd: f64,
}

impl Numbers {
    /// Computes the numbers from the pairs or the games of a match.
    pub(super) fn of(counts: &Counts) -> Self {
        let summary = counts.summary();
        let value = |estimate: Option<Estimate>| estimate.map_or(0.0, |estimate| estimate.value);
        let nothing = Halved { value: 0.0, half: f64::INFINITY };
        let (elo, nelo, los) = match summary.spread {
            Spread::Varied => plain(counts),
            Spread::Empty | Spread::Single(_) => {
                (summary.elo.map_or(nothing, Halved::from), summary.nelo.map_or(nothing, Halved::from), summary.los)
            }
        };
        Self {
            elo,
            nelo,
            los,
            draws: value(summary.pair_draw_ratio.or(summary.draw_ratio)),
            pairs_ratio: value(summary.pairs_ratio),
            wl_dd: value(summary.wl_dd_ratio),
        }
    }
}

/// Elo, nElo and likelihood of superiority of a sample with some noise. For nElo the noise counts as known: the
/// half-width is that of a t-value of N observations, 1.96/sqrt(N).
fn plain(counts: &Counts) -> (Halved, Halved, f64) {
    let (size, unit) = (counts.total() as f64, counts.unit());
    let share = |n: u64| n as f64 / size;
    let p = match counts {
        Counts::Pairs(pairs) => pairs.pentanomial().0.map(share),
        // On the scale of a pair's points, on which a game has 0, 2 or 4.
        Counts::Games(games) => {
            let [lost, drawn, won] = games.ascending().map(share);
            [lost, 0.0, drawn, 0.0, won]
        }
    };
    let law = Law { size, p, unit };
    let moments = law.moments();
    let t = moments.advantage / moments.variance.sqrt();
    let nelo = Halved { value: nelo_of_t(t, law.unit), half: nelo_of_t(Z95 / size.sqrt(), law.unit) };
    (advantage(&law).map(elo_of_advantage).into(), nelo, normal::cdf(t * size.sqrt()))
}

/// A number with this many decimals in the form that scripts expect: `inf` if it is infinite.
pub(super) fn decimals(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    // Never "-0.00".
    let is_zero = text.strip_prefix('-').filter(|digits| digits.chars().all(|c| matches!(c, '0' | '.')));
    is_zero.map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::{PairCounts, Wdl};

    fn shown(counts: [u64; 6]) -> String {
        of(PairCounts(counts))
    }

    fn of(counts: impl Into<Counts>) -> String {
        let Numbers { elo, nelo, los, draws, pairs_ratio, wl_dd } = Numbers::of(&counts.into());
        let numbers = [elo.value, elo.half, nelo.value, nelo.half, 100.0 * los, 100.0 * draws, pairs_ratio, wl_dd];
        numbers.map(|number| decimals(number, 2)).join(" ")
    }

    /// The expected lines are printed by fastchess alpha 1.8.2.
    #[test]
    fn the_same_numbers_as_fastchess() {
        assert_eq!(shown([4, 0, 37, 0, 2, 21]), "100.42 52.73 122.27 60.19 100.00 57.81 5.75 inf");
        assert_eq!(shown([3, 75, 75, 74, 83, 4]).split(' ').next(), Some("5.53"));
        let table = [[1, 1, 1, 1, 3, 3], [1, 2, 2, 0, 1, 4], [5, 2, 2, 0, 1, 0]];
        let four = |counts| shown(counts).split(' ').take(4).collect::<Vec<_>>().join(" ");
        let rows = ["107.54 166.48 115.10 152.27", "88.74 182.62 85.79 152.27", "-214.85 194.11 -258.84 152.27"];
        assert_eq!(table.map(four), rows);
    }

    /// The expected numbers follow fastchess's formulas for games, computed outside spar.
    #[test]
    fn games_have_the_numbers_of_games() {
        assert_eq!(of(Wdl { wins: 3, draws: 1, losses: 2 }), "58.45 350.58 64.52 278.00 67.54 16.67 0.00 0.00");
        assert_eq!(of(Wdl { wins: 210, draws: 500, losses: 190 }), "7.72 15.14 11.59 22.70 84.15 55.56 0.00 0.00");
        assert_eq!(of(Wdl::default()), "0.00 inf 0.00 inf 50.00 0.00 0.00 0.00");
    }

    #[test]
    fn no_sample_gives_nan() {
        assert_eq!(shown([0; 6]), "0.00 inf 0.00 inf 50.00 0.00 0.00 0.00");
        assert_eq!(shown([0, 0, 0, 0, 0, 9]).split(' ').next(), Some("inf"));
        for one in 0..6 {
            for two in 0..6 {
                let mut counts = [0; 6];
                counts[one] += 3;
                counts[two] += 1;
                assert!(!shown(counts).contains("nan") && !shown(counts).contains("NaN"), "{counts:?}");
            }
        }
    }

    #[test]
    fn a_drawn_match_has_a_finite_interval() {
        let Numbers { elo, .. } = Numbers::of(&PairCounts([0, 0, 0, 100, 0, 0]).into());
        assert!(elo.value == 0.0 && elo.half > 1.0 && elo.half < 50.0, "{elo:?}");
    }
}
