//! Sessions that begin with an earlier session's knowledge: their start, their certainty, and the value of the
//! knowledge.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use regret::instance::Surface;
use regret::oracle::Noise;
use regret::runner::Session;
use regret::warm::Changed;
use tuner::quadratic::{Config, Earlier, Quadratic};
use tuner::random::Stream;
use tuner::{Kind, Method, Parameter, Space};

fn session(seed: u64, pairs: u64) -> Session {
    Session { pairs, lag: 1, noise: Noise::Chess, seed }
}

#[test]
#[ignore = "slow"]
fn it_begins_where_the_earlier_one_ended_and_knows_what_that_is_worth() {
    for seed in 2000..2002 {
        let engine = Changed::new(4, Surface::Real, &session(seed, 5000), 0.0).unwrap();
        let (warm, cold) = (engine.method(seed, 1000, 0.5).unwrap(), engine.method(seed, 1000, 0.0).unwrap());
        let (warm, cold) = (warm.answer(), cold.answer());
        for i in 0..4 {
            let sd = warm.uncertainty(i).unwrap().standard_error().unwrap();
            assert!((warm.exact[i] - cold.exact[i]).abs() < 0.5 * sd, "{seed}: {warm:?} {cold:?}");
        }
        assert!(warm.regret.unwrap() < 0.2 * cold.regret.unwrap(), "{seed}: {warm:?} {cold:?}");
    }
}

#[test]
#[ignore = "slow"]
fn less_is_lost_than_from_the_same_values_alone() {
    for (moved, most) in [(0.0, 0.9), (1.0, 1.0)] {
        let (mut warm, mut cold) = (0.0, 0.0);
        for seed in 2000..2008 {
            let engine = Changed::new(9, Surface::Real, &session(seed, 5000), moved).unwrap();
            let again = session(seed + 100_000, 1500);
            let lost = |trust| again.play(&mut engine.method(again.seed, again.pairs, trust).unwrap(), &engine.now);
            warm += lost(0.5);
            cold += lost(0.0);
        }
        assert!(warm < most * cold, "moved by {moved}: {warm}, {cold} cold");
    }
}

/// Pinned bit for bit like the proposals of all methods: stored sessions must propose the same again.
#[test]
fn a_warm_session_proposes_the_same_on_every_machine() {
    let engine = Changed::new(3, Surface::Real, &session(1, 3000), 0.5).unwrap();
    let mut method = engine.method(2, 1000, 0.5).unwrap();
    let _lost = session(2, 1000).play(&mut method, &engine.now);
    let found = method.ask(1000);
    assert_eq!(
        format!("{:?} {:?}", found.plus, found.minus),
        "[-13.0, 5.580161845031312, -1.0] [-40.0, -2.1588978716354363, 11.0]"
    );
}

/// A session of a category whose values have these worths in Elo, and the number of its pairs with the second value.
fn of_category(mut method: Quadratic, worths: [f64; 4], seed: u64, pairs: u64) -> (Quadratic, u64) {
    let (mut stream, mut met) = (Stream::from_seed(seed + 1000), 0);
    for pair in 0..pairs {
        let proposal = method.ask(pair);
        let [plus, minus] = [&proposal.plus, &proposal.minus].map(|values| values[0] as usize);
        met += u64::from(plus == 1 || minus == 1);
        method.tell(pair, &proposal, Noise::Chess.play(worths[plus] - worths[minus], &mut stream));
    }
    (method, met)
}

fn category(start: f64) -> Quadratic {
    let category = Parameter::new("mode".to_owned(), Kind::Category, start, (0.0, 3.0), 1.0).unwrap();
    Quadratic::new(Space::new(vec![category]).unwrap(), Config::default(), 1, 1000).unwrap()
}

/// A session that begins with half of an earlier session's knowledge about its category.
fn after(earlier: &Quadratic, pairs: f64) -> Quadratic {
    let known = earlier.knows().into_iter().map(|learnt| Some(learnt.trusted(0.5))).collect();
    category(earlier.answer().values[0]).with_earlier(&Earlier { known, pairs: 0.5 * pairs }).unwrap()
}

#[test]
fn bad_values_of_a_category_meet_less_where_they_are_known() {
    let worths = [0.0, -20.0, 4.0, 12.0];
    let (mut all_warm, mut all_cold) = (0, 0);
    for seed in 0..3 {
        let (earlier, _) = of_category(category(0.0), worths, seed, 16_000);
        let warm = after(&earlier, 16_000.0);
        let (first, second) = (earlier.answer(), warm.answer());
        assert_eq!((first.values[0], second.values[0]), (3.0, 3.0), "{first:?} {second:?}");
        let best = second.uncertainty(0).unwrap().best().unwrap();
        assert!((0.5..=first.uncertainty(0).unwrap().best().unwrap()).contains(&best), "{first:?} {second:?}");
        let cold = of_category(category(3.0), worths, seed + 10, 2000).1;
        let warm = of_category(warm, worths, seed + 10, 2000).1;
        assert!(warm < cold, "{seed}: {warm} pairs, {cold} cold");
        all_warm += warm;
        all_cold += cold;
    }
    assert!(all_warm * 4 < all_cold * 3, "{all_warm} pairs, {all_cold} cold");
}

#[test]
fn what_was_known_of_a_category_gives_way_where_its_values_have_changed() {
    for seed in 0..3 {
        let (earlier, _) = of_category(category(0.0), [0.0, -20.0, 4.0, 12.0], seed, 4000);
        let (now, _) = of_category(after(&earlier, 4000.0), [0.0, 14.0, 4.0, 2.0], seed + 10, 8000);
        assert_eq!(now.answer().values, [1.0], "{:?}", now.answer());
    }
}

#[test]
fn what_makes_no_knowledge_of_a_category_is_refused() {
    let known = of_category(category(0.0), [0.0; 4], 1, 100).0.knows();
    let other = Parameter::new("mode".to_owned(), Kind::Category, 0.0, (0.0, 2.0), 1.0).unwrap();
    let fewer = Quadratic::new(Space::new(vec![other]).unwrap(), Config::default(), 1, 1000).unwrap();
    let earlier = Earlier { known: known.into_iter().map(Some).collect(), pairs: 100.0 };
    assert!(fewer.with_earlier(&earlier).is_err());
}
