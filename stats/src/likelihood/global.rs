//! The likeliest law with a given t-value among all laws, by branch and bound over its standard deviation.
//!
//! The loss of a law q is sum p ln(p/q). For each sigma the mean 1/2 + t sigma and the variance sigma^2 are two linear
//! constraints (`two_moments`); what remains is a function of sigma alone, which may have several minima. The
//! multipliers found at one sigma bound it at all others: for every v > 0 and every law q, by ln r <= r - 1, sum p
//! ln(p/q) >= sum p ln v - ln E_q v, and for v quadratic in x the expectation E_q v is quadratic in sigma. Stretches of
//! sigma whose bound is above the best known loss are discarded, the others are split, until none is left: so no
//! maximum is missed.

use super::t_value::{Root, loss};
use super::two_moments::{self, TwoMoments};
use crate::law::SCORES;

/// Losses that differ by less than this are equal, per observation.
const SLACK: f64 = 1e-12;
/// A stretch that touches the end of the feasible ones, where the likelihood has a pole, is split this much nearer to
/// it.
const CROWDING: f64 = 64.0;
/// A stretch narrower than this share of its sigma is not split.
const NARROWEST: f64 = 1e-15;
/// More stretches than ever occur (dozens; hundreds if bins of 1e-12 of the sample reduce the bounds' precision).
const MOST_STRETCHES: usize = 20_000;
const HALVINGS: usize = 60;

/// The likeliest law.
pub(super) struct Likeliest {
    /// The law as a stationary point; `None` if Newton's method did not find one next to it.
    pub(super) root: Option<Root>,
    /// The law's v_k = p_k / q_k.
    pub(super) v: [f64; 5],
}

/// The likeliest of all laws on the support of `p` with the t-value `t`, not 0, to [`SLACK`] in the loss. A good
/// `guess` makes it fast.
pub(super) fn likeliest(p: &[f64; 5], t: f64, guess: Option<Root>) -> Likeliest {
    search(p, t, guess).0
}

/// The likeliest law, and the number of stretches that the search took.
fn search(p: &[f64; 5], t: f64, guess: Option<Root>) -> (Likeliest, usize) {
    let v = some_law(p, t);
    let mut search = Search { p, t, best: loss(p, &v), found: Likeliest { root: None, v }, proven: Vec::new() };
    if let Some(root) = guess {
        search.offer_root(root);
    }
    let mut stretches: Vec<Stretch> = feasible(p, t).into_iter().map(Stretch::whole).collect();
    for examined in 0..MOST_STRETCHES {
        let Some(stretch) = stretches.pop() else { return (search.found, examined) };
        search.examine(stretch, &mut stretches);
    }
    (search.found, MOST_STRETCHES)
}

/// The largest standard deviation of a law with this t-value: that of the two-point law on 0 and 1.
pub(super) fn largest_sigma(t: f64) -> f64 {
    0.5 / (1.0 + t * t).sqrt()
}

/// v_k of one law with this t-value: the sample's own law, mixed with the certainty of a score on the side that it
/// lacks. The searched law can only be better.
fn some_law(p: &[f64; 5], t: f64) -> [f64; 5] {
    let advantage: f64 = p.iter().zip(SCORES).map(|(p, x)| p * (x - 0.5)).sum();
    let variance: f64 = p.iter().zip(SCORES).map(|(p, x)| p * (x - 0.5 - advantage) * (x - 0.5 - advantage)).sum();
    let (end, sign) = if advantage < t * variance.sqrt() { (4, 1.0) } else { (0, -1.0) };
    let gap = 0.5 * sign - advantage;
    // The share of the sample's law; the t-value is monotonic in it.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let share: f64 = f64::midpoint(low, high);
        let noise = (share * (variance + (1.0 - share) * gap * gap)).sqrt();
        let passed = sign * (advantage + (1.0 - share) * gap) > sign * t * noise;
        (low, high) = if passed { (share, high) } else { (low, share) };
    }
    let mut v = [1.0 / high; 5];
    v[end] = p[end] / (high * p[end] + (1.0 - high));
    v
}

/// The distance from the sigma of a stationary point up to which no law is likelier than that point; infinite if that
/// holds for all laws.
///
/// At distance d the bound of its own multipliers lets the loss fall by k d^2 at most, where k = -theta t (1+t^2) / (2
/// sigma): by nothing if k <= 0. Else v -+ eta w, with w = u^2 - sigma^2 and eta |w| <= v/2, raises the bound by at
/// least eta e |d| - eta^2 S, where e = (1-t^2) sigma and S = sum p w^2/v^2 (by ln(1+z) >= z - z^2 for z >= -1/2, and
/// |d| <= sigma for a smaller sigma). The best eta, and beyond its limit the limit, keep that above k d^2 up to the
/// distance returned.
pub(super) fn proven_radius(p: &[f64; 5], t: f64, root: Root) -> f64 {
    let fall = -root.theta * t * (1.0 + t * t) / (2.0 * root.sigma);
    if fall <= 0.0 {
        return f64::INFINITY;
    }
    let rise = (1.0 - t * t) * root.sigma;
    let (squares, largest) = root.spread(p, t);
    let rest = rise * rise - 4.0 * fall * squares;
    let proven = if rise > 0.0 && rest >= 0.0 { (rise + rest.sqrt()) / (4.0 * largest * fall) } else { 0.0 };
    proven.max((SLACK / fall).sqrt())
}

/// The stretches of sigma with a law of full support: more variance than on the two neighbours of the mean, less than
/// on 0 and 1. Uses |t| in place of t, by symmetry.
fn feasible(p: &[f64; 5], t: f64) -> Vec<[f64; 2]> {
    let (t, scale) = (t.abs(), 1.0 + t * t);
    let pairs = p[1] > 0.0 || p[3] > 0.0;
    let least = if pairs { 0.25 } else { 0.5 } * t / scale;
    let most = largest_sigma(t);
    // For a mean between 3/4 and 1: scale sigma^2 - (3/4) t sigma + 1/8 > 0.
    let discriminant = t * t / 16.0 - 0.5;
    if pairs && discriminant > 0.0 {
        let [left, right] = [-1.0, 1.0].map(|sign| (0.75 * t + sign * discriminant.sqrt()) / (2.0 * scale));
        vec![[least, left], [right, most]]
    } else {
        vec![[least, most]]
    }
}

/// The bound of the multipliers at one sigma for all others: E_q v = 1 + slope d + bend d^2 at a distance d.
#[derive(Clone, Copy)]
struct Cut {
    sigma: f64,
    loss: f64,
    slope: f64,
    bend: f64,
    linear: f64,
    square: f64,
}

impl Cut {
    fn new(p: &[f64; 5], t: f64, sigma: f64, solved: &TwoMoments) -> Self {
        let &TwoMoments { linear, square, ref v, .. } = solved;
        let (slope, bend) = (linear * t + 2.0 * square * sigma, square * (1.0 + t * t));
        Self { sigma, loss: loss(p, v), slope, bend, linear, square }
    }

    /// E_q v for the laws with this sigma.
    fn expectation(&self, sigma: f64) -> f64 {
        let d = sigma - self.sigma;
        1.0 + d * (self.slope + self.bend * d)
    }

    /// The multipliers of the same v at another sigma; `None` if it is not a bound there.
    fn multipliers(&self, t: f64, sigma: f64) -> Option<[f64; 2]> {
        let scale = self.expectation(sigma);
        let shift = t * (sigma - self.sigma);
        (scale > 0.0).then(|| [(self.linear + 2.0 * self.square * shift) / scale, self.square / scale])
    }

    /// The least loss that this bound allows between `low` and `high`.
    fn least(&self, low: f64, high: f64) -> f64 {
        let vertex = self.sigma - self.slope / (2.0 * self.bend);
        let inside = if self.bend < 0.0 { vertex.clamp(low, high) } else { low };
        let most = [low, high, inside].map(|sigma| self.expectation(sigma)).into_iter().fold(0.0, f64::max);
        // A positive function has no negative expectation.
        if most > 0.0 { self.loss - libm::log(most) } else { f64::INFINITY }
    }
}

/// An interval of sigma that may hold the likeliest law.
#[derive(Clone, Copy)]
struct Stretch {
    low: f64,
    high: f64,
    /// The ends of the feasible interval that contains this one.
    ends: [f64; 2],
    cuts: [Option<Cut>; 2],
}

impl Stretch {
    fn whole(ends: [f64; 2]) -> Self {
        Self { low: ends[0], high: ends[1], ends, cuts: [None; 2] }
    }

    /// The point to split at: half way in the order of magnitude of the distance to the nearer end.
    fn middle(&self) -> f64 {
        let [least, most] = self.ends;
        let centre = f64::midpoint(least, most);
        let between = |near: f64, far: f64| if near > 0.0 { (near * far).sqrt() } else { far / CROWDING };
        if self.high <= centre {
            least + between(self.low - least, self.high - least)
        } else if self.low >= centre {
            most - between(most - self.high, most - self.low)
        } else {
            centre
        }
    }

    fn least(&self) -> f64 {
        self.cuts.iter().flatten().map(|cut| cut.least(self.low, self.high)).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// The best law so far, and the intervals around stationary points that are proven to hold no better law.
struct Search<'a> {
    p: &'a [f64; 5],
    t: f64,
    best: f64,
    found: Likeliest,
    proven: Vec<[f64; 2]>,
}

impl Search<'_> {
    fn offer_root(&mut self, root: Root) {
        let v = root.odds(self.t);
        let loss = loss(self.p, &v);
        let radius = proven_radius(self.p, self.t, root);
        self.proven.push([root.sigma - radius, root.sigma + radius]);
        if loss < self.best {
            self.best = loss;
            self.found = Likeliest { root: Some(root), v };
        }
    }

    /// Offers the law found at a sigma and, if it is the best so far, the stationary point next to it.
    fn offer(&mut self, cut: Cut, solved: &TwoMoments) {
        if !solved.converged || cut.loss >= self.best - SLACK {
            return;
        }
        self.best = cut.loss;
        self.found = Likeliest { root: None, v: solved.v };
        if let Some(root) = Root::near(self.p, self.t, Root { sigma: cut.sigma, theta: solved.linear }) {
            self.offer_root(root);
        }
    }

    /// Discards a stretch, or returns its halves to the rest.
    fn examine(&mut self, stretch: Stretch, rest: &mut Vec<Stretch>) {
        let Some(stretch) = self.unproven(stretch, rest) else { return };
        let sigma = stretch.middle();
        let splits = sigma > stretch.low && sigma < stretch.high;
        let narrow = stretch.high - stretch.low <= NARROWEST * stretch.high;
        if narrow || !splits || stretch.least() >= self.best - SLACK {
            return;
        }
        let mut cuts = stretch.cuts;
        let start = stretch.cuts.iter().flatten().find_map(|cut| cut.multipliers(self.t, sigma)).unwrap_or([0.0; 2]);
        if let Some(solved) = two_moments::solve(self.p, self.t, sigma, start) {
            let cut = Cut::new(self.p, self.t, sigma, &solved);
            self.offer(cut, &solved);
            cuts = [Some(cut); 2];
        }
        rest.push(Stretch { high: sigma, cuts: [stretch.cuts[0], cuts[1]], ..stretch });
        rest.push(Stretch { low: sigma, cuts: [cuts[0], stretch.cuts[1]], ..stretch });
    }

    /// The part of a stretch that no stationary point covers; a second part goes back to the rest.
    fn unproven(&self, mut stretch: Stretch, rest: &mut Vec<Stretch>) -> Option<Stretch> {
        for &[from, to] in &self.proven {
            if from <= stretch.low && stretch.high <= to {
                return None;
            }
            if to <= stretch.low || stretch.high <= from {
                continue;
            }
            if stretch.low < from {
                if to < stretch.high {
                    rest.push(Stretch { low: to, ..stretch });
                }
                stretch.high = from;
            } else {
                stretch.low = to;
            }
        }
        (stretch.low < stretch.high).then_some(stretch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Law, Unit};
    use crate::random::Stream;

    /// Counts of very different sizes, some of them zero; every fourth law is one of games.
    fn random_law(generator: &mut Stream, k: u64) -> [f64; 5] {
        let mut count = || (1_u64 << (generator.bits() % 16)) / 4 * (generator.bits() % 4);
        let (five, three) = ([0; 5].map(|_| count()), [0; 3].map(|_| count()));
        if k.is_multiple_of(4) { Law::regularised(&three, Unit::Game).p } else { Law::regularised(&five, Unit::Pair).p }
    }

    /// The loss of the law with this t-value on the way from `q` to the certainty of a score.
    fn loss_near(p: &[f64; 5], q: &[f64; 5], t: f64) -> f64 {
        let v = some_law(q, t);
        (0..5).filter(|k| p[*k] > 0.0).map(|k| p[k] * libm::log(p[k] * v[k] / q[k])).sum()
    }

    fn perturbed(generator: &mut Stream, q: &[f64; 5], size: f64) -> [f64; 5] {
        let moved = q.map(|x| x * libm::exp(size * (2.0 * generator.uniform() - 1.0)));
        let sum: f64 = moved.iter().sum();
        moved.map(|x| x / sum)
    }

    /// The best result of a random search: from starts of all shapes, by random steps that shrink as they fail.
    fn searched(generator: &mut Stream, p: &[f64; 5], t: f64) -> f64 {
        let mut least = f64::INFINITY;
        for _ in 0..4 {
            let mut law = perturbed(generator, p, 12.0);
            let mut loss = loss_near(p, &law, t);
            let mut size = 4.0;
            while size > 1e-4 {
                let next = perturbed(generator, &law, size);
                let found = loss_near(p, &next, t);
                (law, loss, size) = if found < loss { (next, found, size * 1.5) } else { (law, loss, size * 0.93) };
            }
            least = least.min(loss);
        }
        least
    }

    #[test]
    #[ignore = "slow"]
    fn no_law_of_a_random_search_is_likelier() {
        let mut generator = Stream::from_seed(3);
        let widths = [0.01, 0.1, 0.4, 0.8, 2.0, 3.3, 8.0, 20.0];
        for k in 0..96 {
            let p = random_law(&mut generator, k);
            let t = widths[k as usize % 8] * (2.0 * generator.uniform() - 1.0);
            let found = loss(&p, &crate::likelihood::t_value::odds(&p, t, &mut None));
            let other = searched(&mut generator, &p, t);
            assert!(found <= other + 1e-9, "{p:?} {t}: {found} {other}");
        }
    }

    #[test]
    fn what_is_found_is_a_law_with_the_t_value() {
        let mut generator = Stream::from_seed(4);
        for k in 0..2000 {
            let p = random_law(&mut generator, k);
            let t = 20.0 * (2.0 * generator.uniform() - 1.0);
            for v in [some_law(&p, t), likeliest(&p, t, None).v] {
                let q = [0, 1, 2, 3, 4].map(|k| if p[k] > 0.0 { p[k] / v[k] } else { 0.0 });
                let mean: f64 = (0..5).map(|k| q[k] * (SCORES[k] - 0.5)).sum();
                let variance: f64 = (0..5).map(|k| q[k] * (SCORES[k] - 0.5 - mean) * (SCORES[k] - 0.5 - mean)).sum();
                assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{p:?} {t}: {q:?}");
                assert!((mean / variance.sqrt() - t).abs() < 1e-5 * (1.0 + t.abs()), "{p:?} {t}: {q:?}");
            }
        }
    }

    #[test]
    fn from_a_t_value_of_1_on_nothing_is_proven_but_what_rounding_hides() {
        let p = [0.1, 0.2, 0.4, 0.2, 0.1];
        let proven = |t: f64| {
            let root = Root { sigma: 0.2, theta: -0.01 };
            let fall = -root.theta * t * (1.0 + t * t) / (2.0 * root.sigma);
            proven_radius(&p, t, root) / (SLACK / fall).sqrt()
        };
        assert!(proven(0.5) > 1e3, "{}", proven(0.5));
        for t in [1.0, 1.5, 3.0] {
            assert!((proven(t) - 1.0).abs() < 1e-9, "{t}: {}", proven(t));
        }
    }

    #[test]
    fn a_search_comes_to_an_end() {
        let mut generator = Stream::from_seed(6);
        for k in 0..20_000 {
            let size: f64 = [10.0, 100.0, 1e6, 1e12][k % 4];
            let count = [0; 5].map(|_| match generator.bits() % 3 {
                0 => 0,
                _ => libm::exp(generator.uniform() * libm::log(size)) as u64,
            });
            let t = 20.0 * libm::exp(-8.0 * generator.uniform()) * if k % 8 < 4 { 1.0 } else { -1.0 };
            let (_, examined) = search(&Law::regularised(&count, Unit::Pair).p, t, None);
            assert!(examined < 1000, "{count:?} {t}: {examined}");
        }
    }

    #[test]
    fn a_warm_start_does_not_hold_on_to_a_lesser_maximum() {
        let mut generator = Stream::from_seed(5);
        for k in 0..500 {
            let (before, p) = (random_law(&mut generator, 1), random_law(&mut generator, 1));
            let t = [0.1, 0.3, 0.8, 3.0][k % 4];
            let mut warm = None;
            crate::likelihood::t_value::odds(&before, t, &mut warm);
            let (after, cold) =
                [warm, None].map(|mut w| loss(&p, &crate::likelihood::t_value::odds(&p, t, &mut w))).into();
            assert!((after - cold).abs() < 1e-9, "{p:?} {t}: {after} {cold}");
        }
    }
}
