//! The sequential test, as run by the arena, keeps its error rates: with players of known strength, wrong verdicts are
//! no more frequent than alpha and beta.

use arena::config::Rounds;
use arena::run::{Experiment, Sprt, Verdict};
use play::random::Stream;
use stats::{Model, PairOutcome, SprtConfig};

/// The probabilities of a pair's six outcomes, in the order of [`PairOutcome::ALL`]: LL, LD, WL, DD, WD, WW.
type Law = [f64; 6];

/// Returns the law of two players: `edge` is moved from each losing outcome to its mirror image.
fn law(edge: f64) -> Law {
    let balanced = [0.06, 0.20, 0.18, 0.30, 0.20, 0.06];
    let mut law = balanced;
    law[0] -= edge * 0.06;
    law[5] += edge * 0.06;
    law[1] -= edge * 0.20;
    law[4] += edge * 0.20;
    law
}

/// Returns the normalized Elo of a law: (mean - 1/2) over the standard deviation of a game, times 800 / ln 10.
fn nelo(law: &Law) -> f64 {
    let points = [0.0, 0.25, 0.5, 0.5, 0.75, 1.0];
    let mean: f64 = law.iter().zip(points).map(|(p, x)| p * x).sum();
    let variance: f64 = law.iter().zip(points).map(|(p, x)| p * (x - mean) * (x - mean)).sum();
    800.0 / libm::log(10.0) * (mean - 0.5) / (2.0 * variance).sqrt()
}

fn draw(law: &Law, stream: &mut Stream) -> PairOutcome {
    let mut left = f64::from(stream.below(1 << 30)) / f64::from(1 << 30);
    for (outcome, p) in PairOutcome::ALL.into_iter().zip(law) {
        left -= p;
        if left < 0.0 {
            return outcome;
        }
    }
    PairOutcome::WW
}

/// Runs a whole test between players with this law.
fn run(config: SprtConfig, law: &Law, seed: u64) -> Verdict {
    let mut stream = Stream::from_seed(seed);
    let mut test = Sprt::new(config, None, Rounds::default()).expect("a valid test");
    let mut pair = 0;
    loop {
        if let Some(verdict) = test.verdict() {
            return verdict;
        }
        let proposal = test.propose(pair).expect("an unlimited test always wants more");
        test.absorb(pair, &proposal, draw(law, &mut stream));
        pair += 1;
    }
}

/// Returns how many of `tests` tests end with `verdict`.
fn count(config: SprtConfig, law: &Law, tests: u64, verdict: Verdict) -> f64 {
    (0..tests).filter(|&seed| run(config, law, seed) == verdict).count() as f64
}

#[test]
fn wrong_verdicts_are_as_rare_as_promised() {
    const TESTS: u64 = 400;
    let (even, better) = (law(0.0), law(0.35));
    let config = SprtConfig {
        elo0: 0.0,
        elo1: nelo(&better),
        alpha: 0.05,
        beta: 0.05,
        model: Model::Normalized,
        overshoot: true,
    };
    // 5% of the tests, plus three standard errors.
    let most = TESTS as f64 * 0.05 + 3.0 * (TESTS as f64 * 0.05 * 0.95).sqrt();
    let false_positives = count(config, &even, TESTS, Verdict::AcceptedH1);
    let false_negatives = count(config, &better, TESTS, Verdict::AcceptedH0);
    assert!(false_positives <= most, "{false_positives} of {TESTS}");
    assert!(false_negatives <= most, "{false_negatives} of {TESTS}");
    // The test must also err sometimes, about as often as allowed.
    assert!(false_positives > 0.0 && false_negatives > 0.0);
}

#[test]
fn the_pair_limit_leaves_a_test_undecided() {
    let config = SprtConfig { elo0: 0.0, elo1: 1.0, alpha: 0.05, beta: 0.05, model: Model::Logistic, overshoot: true };
    let mut test = Sprt::new(config, std::num::NonZeroU64::new(3), Rounds::default()).unwrap();
    for pair in 0..3 {
        assert_eq!(test.verdict(), None);
        let proposal = test.propose(pair).unwrap();
        test.absorb(pair, &proposal, PairOutcome::DD);
    }
    assert_eq!(test.verdict(), Some(Verdict::Undecided));
    assert_eq!(test.propose(3), None);
}
