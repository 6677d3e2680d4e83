//! Categories: which values meet, which value is answered, and how certain the answer is.

#![expect(clippy::unwrap_used, clippy::float_cmp, reason = "a test's helpers may panic; a category's values are exact")]

use regret::oracle::Noise;
use tuner::quadratic::{Config, Quadratic};
use tuner::random::Stream;
use tuner::spsa::Spsa;
use tuner::{Kind, Method, Parameter, Space, Uncertainty};

fn parameter(name: &str, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Parameter {
    Parameter::new(name.to_owned(), kind, start, range, step).unwrap()
}

/// A category of four values between a number and a switch.
fn space(start: f64) -> Space {
    Space::new(vec![
        parameter("margin", Kind::Real, 0.0, (-10.0, 10.0), 1.0),
        parameter("mode", Kind::Category, start, (0.0, 3.0), 1.0),
        parameter("switch", Kind::Boolean, 0.0, (0.0, 1.0), 1.0),
    ])
    .unwrap()
}

/// A session in which the values of the category have these worths in Elo.
fn played(start: f64, worths: [f64; 4], seed: u64, pairs: u64) -> Quadratic {
    let mut method = Quadratic::new(space(start), Config::default(), seed, pairs).unwrap();
    let mut stream = Stream::from_seed(seed + 1000);
    let elo = |v: &[f64]| worths[v[1] as usize] - (v[0] - 2.0) * (v[0] - 2.0) + 4.0 * v[2];
    for pair in 0..pairs {
        let proposal = method.ask(pair);
        assert_eq!(proposal, method.ask(pair));
        let (plus, minus) = (&proposal.plus, &proposal.minus);
        assert!([plus, minus].iter().all(|side| (0..4).any(|value| side[1] == f64::from(value))), "{proposal:?}");
        // Control games are against the start, with which the answer may share values.
        let control = minus[..] == [0.0, start, 0.0];
        assert!(control || plus[1] != minus[1] && plus[2] != minus[2], "{proposal:?}");
        let delta = elo(plus) - elo(minus);
        method.tell(pair, &proposal, Noise::Chess.play(delta, &mut stream));
    }
    method
}

#[test]
fn the_best_value_is_found_whichever_is_the_start() {
    for (seed, start) in [(1, 0.0), (2, 2.0), (3, 3.0)] {
        let answer = played(start, [0.0, -6.0, 12.0, 3.0], seed, 12_000).answer();
        assert!((answer.values[1] - 2.0).abs() < 1e-9, "{answer:?}");
        assert!((answer.values[0] - 2.0).abs() < 1.0, "{answer:?}");
        let Some(Uncertainty::Best(best)) = answer.uncertainty(1) else { panic!("{answer:?}") };
        let (index, chances) = &answer.chances[0];
        assert_eq!((*index, chances.len()), (1, 4));
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(best > 0.8 && (best - chances[2]).abs() < 1e-12, "{answer:?}");
        assert!(answer.range(1).is_none() && answer.exact[1] == answer.values[1]);
    }
}

#[test]
fn what_is_worth_the_same_stays_open() {
    let mut sure = 0;
    for seed in 0..8 {
        let answer = played(0.0, [0.0; 4], seed, 2_000).answer();
        sure += u32::from(answer.uncertainty(1).and_then(Uncertainty::best).unwrap() > 0.9);
    }
    assert!(sure <= 2, "{sure} of 8 are sure of nothing");
}

#[test]
fn bad_values_are_tried_ever_less() {
    let mut method = Quadratic::new(space(0.0), Config::default(), 5, 12_000).unwrap();
    let mut stream = Stream::from_seed(6);
    let mut of_worst = [0; 2];
    for pair in 0..12_000_u64 {
        let proposal = method.ask(pair);
        of_worst[usize::from(pair >= 6_000)] += u32::from(proposal.plus[1] == 1.0 || proposal.minus[1] == 1.0);
        let worth = |v: &[f64]| [0.0, -30.0, 0.0, 10.0][v[1] as usize];
        let delta = worth(&proposal.plus) - worth(&proposal.minus);
        method.tell(pair, &proposal, Noise::Chess.play(delta, &mut stream));
    }
    assert!(of_worst[1] * 2 < of_worst[0], "{of_worst:?}");
}

#[test]
fn slices_and_courses_are_of_parameters() {
    let method = played(1.0, [0.0, -6.0, 12.0, 3.0], 4, 4_000);
    let slices = method.slices();
    let names: Vec<&str> = slices.iter().map(|slice| slice.name.as_str()).collect();
    assert_eq!(names, ["margin", "mode", "switch"]);
    let values: Vec<f64> = slices[1].points.iter().map(|point| point.value).collect();
    assert_eq!(values, [0.0, 1.0, 2.0, 3.0]);
    let answer = method.answer();
    let top = slices[1].points.iter().max_by(|a, b| a.elo.total_cmp(&b.elo)).unwrap();
    assert!(top.value == answer.values[1] && top.elo.abs() < 1e-9, "{slices:?}");
    assert_eq!(method.traces().len(), 3);
    let last = method.traces()[1].points.last().copied().unwrap();
    assert!(last.value == last.low && (0.0..=3.0).contains(&last.value), "{last:?}");
}

#[test]
fn only_a_model_takes_categories() {
    let refused = Spsa::new(space(0.0), tuner::spsa::Config::default(), 1, 1_000).unwrap_err().to_string();
    assert!(refused.contains("`mode`: spsa cannot tune a parameter with kind = \"category\""), "{refused}");
    let lonely = Parameter::new("mode".to_owned(), Kind::Category, 0.0, (0.0, 0.0), 1.0).unwrap_err();
    assert!(lonely.to_string().contains("min 0 must be less than max 0"), "{lonely}");
    let from_one = Parameter::new("mode".to_owned(), Kind::Category, 1.0, (1.0, 3.0), 1.0).unwrap_err();
    assert!(from_one.to_string().contains("two values or more, counted from 0"), "{from_one}");
}
