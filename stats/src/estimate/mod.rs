//! The estimates of a match of fixed length: Elo, normalized Elo, likelihood of superiority, draw and pair ratios,
//! opening bias, each with a 95% interval.
//!
//! Policy:
//! * values come from the regularised law (an empty bin counts as 0.001), as fishtest's do; if all observations are
//!   equal, they are those of the plain counts, and a value at the edge of the scale is infinite;
//! * both intervals and LOS come from one test of the difference (`interval` picks it: normal for ordinary samples,
//!   likelihood ratio for small, drawish and lopsided ones): 0 lies outside the 95% interval exactly when LOS lies
//!   outside 2.5% to 97.5%. The ends are mapped one by one, so an interval is asymmetric on the mapped scale;
//! * intervals of proportions are Wilson's, which never collapse on 0 or 1 (`ratios`);
//! * ratios are ratios of the plain counts;
//! * without data there are no numbers (`None`), and LOS is 1/2.
//!
//! No number is ever NaN.

pub(crate) mod empirical;
pub(crate) mod interval;
mod profile;
mod ratios;
pub(crate) mod search;

pub use interval::{Basis, advantage};

use crate::counts::{PairCounts, Pentanomial, Tally, Wdl};
use crate::elo;
use crate::law::Unit;
use crate::normal::Z95;
use interval::Reading;
use ratios::{draw_ratio_of_pairs, proportion, ratio, rms_bias};

/// A value and the ends of its 95% interval. Each may be infinite, which is `null` in JSON; none is NaN, and low <=
/// value <= high.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// Best guess.
    pub value: f64,
    /// Lower end of the 95% interval.
    pub low: f64,
    /// Upper end of the 95% interval.
    pub high: f64,
}

impl Estimate {
    /// Maps the value and both ends by a rising function.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: f(self.value), low: f(self.low), high: f(self.high) }
    }

    /// The estimate from the other side's view: signs flipped, ends swapped.
    #[must_use]
    pub fn negate(self) -> Self {
        Self { value: -self.value, low: -self.high, high: -self.low }
    }

    /// value ± [`Z95`] standard errors.
    pub fn normal(value: f64, standard_error: f64) -> Self {
        Self { value, low: value - Z95 * standard_error, high: value + Z95 * standard_error }
    }

    /// A share of `n` observations, 0 to 1, with its score interval (Wilson, JASA 22 (1927)), which never leaves that
    /// range nor collapses on its ends. `n` may be an effective size. `None` without observations, or if the share is
    /// out of range.
    pub fn wilson(share: f64, n: f64) -> Option<Self> {
        if !((0.0..=1.0).contains(&share) && n > 0.0) {
            return None;
        }
        let shrink = Z95 * Z95 / n;
        let centre = (share + shrink / 2.0) / (1.0 + shrink);
        let half = (share * (1.0 - share) * shrink + shrink * shrink / 4.0).sqrt() / (1.0 + shrink);
        // A tiny size makes the terms infinite: then nothing is known.
        let [low, high] = if half.is_finite() { [centre - half, centre + half] } else { [0.0, 1.0] };
        Some(Self { value: share, low: low.clamp(0.0, share), high: high.clamp(share, 1.0) })
    }
}

/// How many different outcomes were seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spread {
    /// No observation.
    Empty,
    /// All observations scored the same: this share of the points, 0 to 1.
    Single(f64),
    /// At least two different scores.
    Varied,
}

impl Spread {
    fn of<const K: usize>(counts: &[u64; K]) -> Self {
        let mut seen = counts.iter().enumerate().filter(|(_, n)| **n > 0);
        match (seen.next(), seen.next()) {
            (None, _) => Self::Empty,
            (Some((k, _)), None) => Self::Single(k as f64 / (K - 1) as f64),
            _ => Self::Varied,
        }
    }
}

/// Everything that `spar elo` prints about a finished match, from the first entrant's view.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The counted unit: pairs or games.
    pub unit: Unit,
    /// Observations (pairs or games).
    pub observations: u64,
    /// Whether the sample shows any noise.
    pub spread: Spread,
    /// The method for the intervals and LOS; `None` without observations.
    pub basis: Option<Basis>,
    /// Share of the points, 0 to 1.
    pub score: Option<Estimate>,
    /// Logistic Elo.
    pub elo: Option<Estimate>,
    /// Normalized Elo.
    pub nelo: Option<Estimate>,
    /// Likelihood of superiority: probability that the first entrant is stronger, 0 to 1. Outside 2.5% to 97.5% exactly
    /// when 0 is outside the intervals of both Elos.
    pub los: f64,
    /// Draws per game. Needs games or six-way pairs.
    pub draw_ratio: Option<Estimate>,
    /// Pairs with one point for each side, per pair. Needs pairs.
    pub pair_draw_ratio: Option<Estimate>,
    /// Pairs won per pair lost, (WD + WW) / (LL + LD). Needs pairs, at least one of them decided.
    pub pairs_ratio: Option<Estimate>,
    /// Pairs of a win and a loss per pair of two draws. Needs six-way pairs, at least one of them of these.
    pub wl_dd_ratio: Option<Estimate>,
    /// Root of the mean square opening bias, in logistic Elo: how much better a game of the pair starts than its
    /// seat-swapped twin. 0 if the sample's square is negative. Needs six-way pairs.
    pub rms_bias: Option<Estimate>,
}

impl Summary {
    /// Summarises pairs that separate a win and a loss from two draws.
    pub fn of_pairs(counts: &PairCounts) -> Self {
        let [_, _, wl, dd, _, _] = counts.0;
        Self {
            draw_ratio: draw_ratio_of_pairs(counts),
            wl_dd_ratio: ratio(wl, dd),
            rms_bias: rms_bias(counts),
            ..Self::of_pentanomial(&counts.pentanomial())
        }
    }

    /// Summarises the five pair counts alone; everything that needs the games is `None`.
    pub fn of_pentanomial(counts: &Pentanomial) -> Self {
        let [ll, ld, even, wd, ww] = counts.0;
        Self {
            pair_draw_ratio: proportion(even as f64, counts.total() as f64),
            pairs_ratio: ratio(wd.saturating_add(ww), ll.saturating_add(ld)),
            ..Self::of_counts(&counts.0, counts)
        }
    }

    /// Summarises games whose pairing is unknown.
    pub fn of_games(games: &Wdl) -> Self {
        Self {
            draw_ratio: proportion(games.draws as f64, games.total() as f64),
            ..Self::of_counts(&games.ascending(), games)
        }
    }

    fn of_counts<const K: usize>(counts: &[u64; K], tally: &impl Tally) -> Self {
        let law = tally.law();
        let reading = Reading::new(counts, &law);
        let advantage = reading.map(|r| r.advantage);
        Self {
            unit: law.unit,
            observations: counts.iter().fold(0_u64, |n, &k| n.saturating_add(k)),
            spread: Spread::of(counts),
            basis: reading.map(|r| r.basis),
            score: advantage.map(|a| a.map(|x| (0.5 + x).clamp(0.0, 1.0))),
            elo: advantage.map(|a| a.map(elo::elo_of_advantage)),
            nelo: reading.map(|r| r.t_value.map(|t| elo::nelo_of_t(t, law.unit))),
            los: reading.map_or(0.5, |r| r.los),
            draw_ratio: None,
            pair_draw_ratio: None,
            pairs_ratio: None,
            wl_dd_ratio: None,
            rms_bias: None,
        }
    }
}
