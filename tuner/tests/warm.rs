//! Sessions that begin with what an earlier one knew: where they begin, how sure they are, and what it is worth.

use tuner::Method;
use tuner::regret::instance::Surface;
use tuner::regret::oracle::Noise;
use tuner::regret::runner::Session;
use tuner::regret::warm::Changed;

fn session(seed: u64, pairs: u64) -> Session {
    Session { pairs, lag: 1, noise: Noise::Chess, seed }
}

#[test]
fn it_begins_where_the_earlier_one_ended_and_knows_what_that_is_worth() {
    for seed in 2000..2004 {
        let engine = Changed::new(4, Surface::Real, &session(seed, 5000), 0.0).unwrap();
        let (warm, cold) = (engine.method(seed, 1000, 0.5).unwrap(), engine.method(seed, 1000, 0.0).unwrap());
        let (warm, cold) = (warm.answer(), cold.answer());
        for i in 0..4 {
            let sd = warm.doubt(i).unwrap().standard_error().unwrap();
            assert!((warm.exact[i] - cold.exact[i]).abs() < 0.5 * sd, "{seed}: {warm:?} {cold:?}");
        }
        assert!(warm.regret.unwrap() < 0.2 * cold.regret.unwrap(), "{seed}: {warm:?} {cold:?}");
    }
}

#[test]
fn less_is_lost_than_from_the_same_values_alone() {
    for (moved, most) in [(0.0, 0.8), (1.0, 1.0)] {
        let (mut warm, mut cold) = (0.0, 0.0);
        for seed in 2000..2010 {
            let engine = Changed::new(9, Surface::Real, &session(seed, 5000), moved).unwrap();
            let again = session(seed + 100_000, 1500);
            let lost = |trust| again.play(&mut engine.method(again.seed, again.pairs, trust).unwrap(), &engine.now);
            warm += lost(0.5);
            cold += lost(0.0);
        }
        assert!(warm < most * cold, "moved by {moved}: {warm}, {cold} cold");
    }
}
