//! What a match of fixed length says: Elo, normalized Elo, likelihood of superiority, draw and pair ratios, opening bias,
//! each with a 95% interval.
//!
//! Policy, once for all:
//! * values, standard errors and LOS come from the regularised law (an empty bin counts as 0.001), as fishtest's do;
//! * an interval is mean ± [`Z95`] standard errors, its two ends mapped one by one, so it is asymmetric on the mapped scale
//!   and may reach infinity. Intervals of proportions are Wilson's, which never collapse on 0 or 1;
//! * where all observations are alike the sample shows no noise. Then the exact binomial (Clopper-Pearson) bound says how
//!   often something else can happen, the worst is assumed of that rest, and a value at the edge of the scale is infinite;
//! * ratios are ratios of the plain counts;
//! * without data there are no numbers (`None`), and LOS is 1/2.
//!
//! No number is ever NaN.

use crate::counts::{PairCounts, PairOutcome, Pentanomial, Tally, Wdl};
use crate::elo;
use crate::law::{Law, SCORES, Unit};
use crate::normal::{self, Z95};
use std::cmp::Ordering;

/// A value and the ends of its 95% interval. Each may be infinite, none is NaN, and low <= value <= high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Best guess.
    pub value: f64,
    /// Lower end of the 95% interval.
    pub low: f64,
    /// Upper end of the 95% interval.
    pub high: f64,
}

impl Estimate {
    /// Value and ends through a rising function.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: f(self.value), low: f(self.low), high: f(self.high) }
    }

    /// The same as the other side sees it: signs flipped, ends swapped.
    #[must_use]
    pub fn negate(self) -> Self {
        Self { value: -self.value, low: -self.high, high: -self.low }
    }

    /// value ± [`Z95`] standard errors.
    pub fn normal(value: f64, standard_error: f64) -> Self {
        Self { value, low: value - Z95 * standard_error, high: value + Z95 * standard_error }
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

/// All that `spar elo` prints about a finished match, from the first entrant's view.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// What was counted: pairs or games.
    pub unit: Unit,
    /// Observations (pairs or games).
    pub observations: u64,
    /// Whether the sample shows any noise.
    pub spread: Spread,
    /// Share of the points, 0 to 1.
    pub score: Option<Estimate>,
    /// Logistic Elo.
    pub elo: Option<Estimate>,
    /// Normalized Elo.
    pub nelo: Option<Estimate>,
    /// Likelihood of superiority: probability that the first entrant is the stronger, 0 to 1.
    pub los: f64,
    /// Draws per game. Needs games or six-way pairs.
    pub draw_ratio: Option<Estimate>,
    /// Pairs that scored one point each side, per pair. Needs pairs.
    pub pair_draw_ratio: Option<Estimate>,
    /// Pairs won per pair lost, (WD + WW) / (LL + LD). Needs pairs, one of them decided.
    pub pairs_ratio: Option<Estimate>,
    /// Pairs of a win and a loss per pair of two draws. Needs six-way pairs, one of them of these.
    pub wl_dd_ratio: Option<Estimate>,
    /// Root of the mean square opening bias, in logistic Elo: how much better than its seat-swapped twin a game of the
    /// pair starts. 0 where the sample's square is negative. Needs six-way pairs.
    pub rms_bias: Option<Estimate>,
}

impl Summary {
    /// From pairs, a win and a loss apart from two draws.
    pub fn of_pairs(counts: &PairCounts) -> Self {
        let [_, _, wl, dd, _, _] = counts.0;
        Self {
            draw_ratio: draw_ratio_of_pairs(counts),
            wl_dd_ratio: ratio(wl, dd),
            rms_bias: rms_bias(counts),
            ..Self::of_pentanomial(&counts.pentanomial())
        }
    }

    /// From the five pair counts alone; what needs the games is `None`.
    pub fn of_pentanomial(counts: &Pentanomial) -> Self {
        let [ll, ld, even, wd, ww] = counts.0;
        Self {
            pair_draw_ratio: proportion(even as f64, counts.total() as f64),
            pairs_ratio: ratio(wd.saturating_add(ww), ll.saturating_add(ld)),
            ..Self::of_counts(&counts.0, counts)
        }
    }

    /// From games whose pairing is unknown.
    pub fn of_games(games: &Wdl) -> Self {
        Self {
            draw_ratio: proportion(games.draws as f64, games.total() as f64),
            ..Self::of_counts(&games.ascending(), games)
        }
    }

    fn of_counts<const K: usize>(counts: &[u64; K], tally: &impl Tally) -> Self {
        let law = tally.law();
        let observations = counts.iter().fold(0_u64, |n, &k| n.saturating_add(k));
        let spread = spread(counts);
        let (advantage, nelo) = match spread {
            Spread::Empty => (None, None),
            Spread::Single(x) => {
                let nelo = single_t(x, observations).map(|t| elo::nelo_of_t(t, law.unit));
                (Some(single_advantage(x, observations)), Some(nelo))
            }
            Spread::Varied => (Some(advantage(&law)), Some(nelo(&law))),
        };
        Self {
            unit: law.unit,
            observations,
            spread,
            score: advantage.map(|a| a.map(|x| (0.5 + x).clamp(0.0, 1.0))),
            elo: advantage.map(|a| a.map(elo::elo_of_advantage)),
            nelo,
            los: los(&law),
            draw_ratio: None,
            pair_draw_ratio: None,
            pairs_ratio: None,
            wl_dd_ratio: None,
            rms_bias: None,
        }
    }
}

fn spread<const K: usize>(counts: &[u64; K]) -> Spread {
    let mut seen = counts.iter().enumerate().filter(|(_, n)| **n > 0);
    match (seen.next(), seen.next()) {
        (None, _) => Spread::Empty,
        (Some((k, _)), None) => Spread::Single(k as f64 / (K - 1) as f64),
        _ => Spread::Varied,
    }
}

/// Expected score less 1/2, ± [`Z95`] standard errors; the ends may lie beyond ±1/2.
pub fn advantage(law: &Law) -> Estimate {
    let moments = law.moments();
    Estimate::normal(moments.advantage, (moments.variance / law.size).sqrt())
}

/// Probability that the expected score exceeds 1/2, by the normal approximation.
pub fn los(law: &Law) -> f64 {
    let moments = law.moments();
    normal::cdf(moments.advantage / (moments.variance / law.size).sqrt())
}

/// Normalized Elo with the interval of the delta method: sigma is estimated too, so for the t-value t of one observation
/// Var(t) = (1 - t skewness + t^2 (excess + 2)/4) / N.
pub fn nelo(law: &Law) -> Estimate {
    let m = law.moments();
    let t = m.advantage / m.variance.sqrt();
    let spread = 1.0 - t * m.skewness + t * t * (m.excess + 2.0) / 4.0;
    let standard_error = (spread.max(0.0) / law.size).sqrt();
    Estimate::normal(t, standard_error).map(|t| elo::nelo_of_t(t, law.unit))
}

/// How often something else may happen than what happened `n` times out of `n`: the exact binomial upper bound (97.5%),
/// 1 - 0.025^(1/n). Clopper and Pearson, Biometrika 26 (1934).
fn rest_bound(n: u64) -> f64 {
    -libm::expm1(libm::log(0.025) / n as f64)
}

/// Expected score less 1/2 when all `n` observations scored `x`: the rest, as frequent as the exact bound allows, may score all
/// or nothing.
fn single_advantage(x: f64, n: u64) -> Estimate {
    let rest = rest_bound(n);
    let value = x - 0.5;
    Estimate { value, low: value - rest * x, high: value + rest * (1.0 - x) }
}

/// t-value when all `n` observations scored `x`. The rest is again put where it does most harm; with no rest at all the
/// t-value is infinite, unless x is 1/2.
fn single_t(x: f64, n: u64) -> Estimate {
    let rest = rest_bound(n);
    let advantage = x - 0.5;
    // A law with mass on x and the rest on `other`.
    let t = |other: f64| {
        let mean = (1.0 - rest) * advantage + rest * (other - 0.5);
        mean / (((1.0 - rest) * rest).sqrt() * (other - x).abs())
    };
    let sure = match advantage.total_cmp(&0.0) {
        Ordering::Less => f64::NEG_INFINITY,
        Ordering::Equal => 0.0,
        Ordering::Greater => f64::INFINITY,
    };
    Estimate {
        value: sure,
        low: if advantage < 0.0 { sure } else { t(0.0) },
        high: if advantage > 0.0 { sure } else { t(1.0) },
    }
}

/// A proportion with Wilson's interval (Wilson, JASA 22 (1927)); `None` for an empty sample. `n` may be an effective size.
fn proportion(hits: f64, n: f64) -> Option<Estimate> {
    if n <= 0.0 {
        return None;
    }
    let p = hits / n;
    let shrink = Z95 * Z95 / n;
    let centre = (p + shrink / 2.0) / (1.0 + shrink);
    let half = (p * (1.0 - p) * shrink + shrink * shrink / 4.0).sqrt() / (1.0 + shrink);
    Some(Estimate { value: p, low: (centre - half).clamp(0.0, p), high: (centre + half).clamp(p, 1.0) })
}

/// hits / misses, through the proportion of hits; infinite without misses, `None` without either.
fn ratio(hits: u64, misses: u64) -> Option<Estimate> {
    let (hits, misses) = (hits as f64, misses as f64);
    let odds = |p: f64| if p < 1.0 { p / (1.0 - p) } else { f64::INFINITY };
    let share = proportion(hits, hits + misses)?;
    Some(Estimate {
        value: if misses > 0.0 { hits / misses } else { f64::INFINITY },
        low: odds(share.low),
        high: if misses > 0.0 { odds(share.high) } else { f64::INFINITY },
    })
}

/// Draws per game; the two games of a pair are not independent, so the size of the sample is the one whose binomial variance
/// equals the variance seen between pairs.
fn draw_ratio_of_pairs(counts: &PairCounts) -> Option<Estimate> {
    let draws = |outcome: PairOutcome| match outcome {
        PairOutcome::DD => 1.0,
        PairOutcome::LD | PairOutcome::WD => 0.5,
        PairOutcome::LL | PairOutcome::WL | PairOutcome::WW => 0.0,
    };
    let pairs = counts.total() as f64;
    let (mean, variance) = pair_moments(counts, draws)?;
    let size = if variance > 0.0 { pairs * mean * (1.0 - mean) / variance } else { pairs };
    // The size is never below one pair's worth each, nor above two.
    let size = size.clamp(pairs, 2.0 * pairs);
    proportion(mean * size, size)
}

/// Mean and variance of a number per pair; `None` without pairs.
fn pair_moments(counts: &PairCounts, f: impl Fn(PairOutcome) -> f64) -> Option<(f64, f64)> {
    let pairs = counts.total() as f64;
    let average = |f: &dyn Fn(PairOutcome) -> f64| {
        let terms = PairOutcome::ALL.iter().map(|&o| counts.count(o) as f64 * f(o));
        terms.sum::<f64>() / pairs
    };
    let mean = average(&f);
    let variance = average(&|o| (f(o) - mean) * (f(o) - mean));
    (pairs > 0.0).then_some((mean, variance))
}

/// RMS opening bias, in logistic Elo.
///
/// The mean square bias is (variance of a game) - 2 (variance of a pair), which is minus the covariance of the two games of a
/// pair: a plain mean over pairs, with a standard error of its own.
fn rms_bias(counts: &PairCounts) -> Option<Estimate> {
    let pairs = counts.total();
    let score = |o: PairOutcome| SCORES[o.index()];
    let (mean, _) = pair_moments(counts, score)?;
    let product = |o: PairOutcome| {
        let (one, two) = o.scores();
        let off = |s: crate::Score| f64::from(s.half_points()) / 2.0 - mean;
        -off(one) * off(two)
    };
    let (square, variance) = pair_moments(counts, product)?;
    let alike = counts.0.iter().filter(|n| **n > 0).count() == 1;
    let estimate = if alike {
        // One product can be at most 1/4 either way.
        let rest = rest_bound(pairs);
        Estimate { value: square, low: square - rest * (square + 0.25), high: square + rest * (0.25 - square) }
    } else {
        Estimate::normal(square, (variance / pairs as f64).sqrt())
    };
    Some(estimate.map(|square| elo::elo_of_advantage(square.max(0.0).sqrt())))
}
