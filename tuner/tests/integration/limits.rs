//! Sessions at several limits: the values found at the target, the reported movement of values, and reproducibility.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use regret::instance::{Instance, Surface};
use regret::limits::Drifting;
use regret::oracle::Noise;
use regret::runner::Session;
use stats::PairOutcome;
use tuner::Method;
use tuner::limits::{Limits, Shares};
use tuner::quadratic::{Config, Quadratic};

/// The outcomes of a pair by points, worst first.
const FIVE: [PairOutcome; 5] = [PairOutcome::LL, PairOutcome::LD, PairOutcome::DD, PairOutcome::WD, PairOutcome::WW];

const COSTS: [f64; 3] = [0.1, 0.3, 1.0];

/// The schedule of a session that costs as much as this many pairs at the target.
fn limits(cost: u64) -> (Limits, u64) {
    let of = |pairs| Limits::new(COSTS.to_vec(), pairs, Config::default().design, Shares::default()).unwrap();
    let pairs = of(cost).pairs_for(cost);
    (of(pairs), pairs)
}

fn session(seed: u64, pairs: u64) -> Session {
    Session { pairs, lag: 1, noise: Noise::Chess, seed }
}

/// A played session at several limits, and the loss of its answer at the target.
fn played(engine: &Drifting, seed: u64, cost: u64) -> (Quadratic, f64) {
    let (limits, pairs) = limits(cost);
    let space = engine.target.space(1.0).unwrap();
    let mut method = Quadratic::new(space, Config::default(), seed, pairs).unwrap().at_limits(limits.clone()).unwrap();
    let lost = engine.play(&session(seed, pairs), &mut method, &limits);
    (method, lost)
}

#[test]
#[ignore = "slow"]
fn for_the_same_cost_less_is_lost_than_at_either_end() {
    let (mut several, mut cheapest, mut target) = (0.0, 0.0, 0.0);
    for seed in 2000..2012 {
        let engine = Drifting::new(9, seed, Surface::Real, 1.5);
        several += played(&engine, seed, 800).1;
        let at = |cost: f64| {
            let pairs = (800.0 / cost) as u64;
            let mut method = Quadratic::new(engine.target.space(1.0).unwrap(), Config::default(), seed, pairs).unwrap();
            engine.play_at(&session(seed, pairs), &mut method, cost)
        };
        cheapest += at(0.1);
        target += at(1.0);
    }
    assert!(several < 0.8 * cheapest && several < 0.8 * target, "{several}, {cheapest} cheap, {target} at the target");
}

#[test]
#[ignore = "slow"]
fn moving_values_are_reported_with_their_error() {
    let (mut within, mut all, mut right, mut notable) = (0, 0, 0, 0);
    for seed in 2100..2110 {
        let engine = Drifting::new(4, seed, Surface::Quad, 8.0);
        let answer = played(&engine, seed, 8000).0.answer();
        for (i, (drift, parameter)) in
            answer.drifts.iter().zip(engine.target.space(1.0).unwrap().parameters()).enumerate()
        {
            let drift = drift.unwrap();
            let truth = engine.drift[i] * std::f64::consts::LN_2 * parameter.step();
            all += 1;
            within += usize::from((drift.mean - truth).abs() <= drift.sd);
            if drift.mean.abs() > 2.0 * drift.sd {
                notable += 1;
                right += usize::from(drift.mean * truth > 0.0);
            }
        }
    }
    assert!((0.5..0.95).contains(&(within as f64 / all as f64)), "{within} of {all}");
    assert!(notable >= 3 && notable - right <= 1, "{right} of {notable}");
}

#[test]
fn a_single_limit_says_nothing_of_moving() {
    let space = Instance::new(4, 1, Surface::Real).space(1.0).unwrap();
    let answer = Quadratic::new(space, Config::default(), 1, 100).unwrap().answer();
    assert!(answer.drifts.is_empty());
}

#[test]
fn what_is_asked_is_the_same_in_any_order() {
    let engine = Drifting::new(4, 7, Surface::Real, 1.0);
    let (limits, pairs) = limits(500);
    let space = engine.target.space(1.0).unwrap();
    let mut method = Quadratic::new(space, Config::default(), 7, pairs).unwrap().at_limits(limits).unwrap();
    for pair in 0..200 {
        let proposal = method.ask(pair);
        method.tell(pair, &proposal, FIVE[(pair % 5) as usize]);
    }
    let forward: Vec<_> = (200..260).map(|pair| method.ask(pair)).collect();
    let mut backward: Vec<_> = (200..260).rev().map(|pair| method.ask(pair)).collect();
    backward.reverse();
    assert_eq!(forward, backward);
}
