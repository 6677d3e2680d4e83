//! The errors that the method `quadratic` reports: standard errors, the regret, the bands of its course.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use regret::instance::{Instance, Surface};
use regret::oracle::Noise;
use regret::runner::{Honesty, Session};
use tuner::quadratic::{self, Quadratic};
use tuner::{Kind, Method, Parameter, Space, Uncertainty};

/// The share of the optima within one standard error, and the ratio of the reported regret to the true loss.
fn honesty(dimension: usize, pairs: u64, seeds: u64, (surface, noise): (Surface, Noise)) -> (f64, f64) {
    let (mut within, mut parameters, mut reported, mut lost) = (0, 0, 0.0, 0.0);
    for seed in 3000..3000 + seeds {
        let instance = Instance::new(dimension, seed, surface);
        let config = quadratic::Config::default();
        let mut method = Quadratic::new(instance.space(1.0).unwrap(), config, seed, pairs).unwrap();
        lost += Session { pairs, lag: 1, noise, seed }.play(&mut method, &instance);
        let honesty = Honesty::of(&method.answer(), &instance, noise);
        within += honesty.within;
        parameters += honesty.parameters;
        reported += honesty.regret.unwrap();
    }
    (within as f64 / parameters as f64, reported / lost)
}

#[test]
#[ignore = "slow"]
fn standard_errors_hold_about_68_percent_of_the_optima() {
    let chess = (Surface::Real, Noise::Chess);
    let cells = [
        (4, 2000, 24, chess),
        (9, 5000, 12, chess),
        (20, 3000, 6, chess),
        (9, 3000, 12, (Surface::Quad, Noise::Chess)),
        (9, 3000, 12, (Surface::Real, Noise::Decisive)),
    ];
    let mut all = 0.0;
    let measured = std::thread::scope(|scope| {
        let measure = |(dimension, pairs, seeds, of)| scope.spawn(move || honesty(dimension, pairs, seeds, of));
        cells.map(measure).map(|cell| cell.join().unwrap())
    });
    for ((dimension, pairs, _, of), (share, ratio)) in cells.into_iter().zip(measured) {
        assert!((0.60..=0.76).contains(&share), "{dimension} parameters, {pairs} pairs, {of:?}: {share}");
        assert!(
            (0.6..=1.7).contains(&ratio),
            "{dimension} parameters, {pairs} pairs, {of:?}: regret {ratio} of the truth"
        );
        all += share / cells.len() as f64;
    }
    assert!((0.65..=0.71).contains(&all), "{all} in all");
}

/// The reports of sessions of `pairs` pairs on this surface about themselves.
fn sessions(dimension: usize, pairs: u64, seeds: u64, surface: Surface) -> Vec<Honesty> {
    let one = |seed| {
        let instance = Instance::new(dimension, seed, surface);
        let config = quadratic::Config::default();
        let mut method = Quadratic::new(instance.space(1.0).unwrap(), config, seed, pairs).unwrap();
        Session { pairs, lag: 1, noise: Noise::Chess, seed }.play(&mut method, &instance);
        Honesty::of(&method.answer(), &instance, Noise::Chess)
    };
    (3000..3000 + seeds).map(one).collect()
}

#[test]
#[ignore = "slow"]
fn where_nothing_has_any_effect_hardly_a_gain_is_said() {
    let all = sessions(4, 10_000, 8, Surface::Idle);
    let mean = all.iter().map(|honesty| honesty.gain.unwrap().mean).sum::<f64>() / 8.0;
    assert!((0.0..3.0).contains(&mean), "{mean} Elo");
    let held = all.iter().filter(|honesty| honesty.gain_within(1.96).unwrap()).count();
    assert!(held >= 7, "{held} of 8");
}

/// A regression that forgets mistakes most of the gain of a moving optimum for noise.
#[test]
#[ignore = "slow"]
fn a_gain_is_reported_for_moving_best_values() {
    let all = sessions(4, 20_000, 8, Surface::Drift);
    let sum = |of: fn(&Honesty) -> f64| all.iter().map(of).sum::<f64>();
    let (reported, gained) = (sum(|honesty| honesty.gain.unwrap().mean), sum(|honesty| honesty.gained));
    assert!((0.65..1.1).contains(&(reported / gained)), "{reported} reported, {gained} gained");
    let (within, of) = (sum(|honesty| honesty.within as f64), sum(|honesty| honesty.parameters as f64));
    assert!((0.5..0.8).contains(&(within / of)), "{within} of {of} within one error");
}

#[test]
#[ignore = "slow"]
fn ranges_hold_about_95_percent_of_the_optima() {
    let all: Vec<Honesty> =
        [(4, 20), (9, 12)].iter().flat_map(|&(k, seeds)| sessions(k, 2000, seeds, Surface::Real)).collect();
    let (ranged, of): (usize, usize) =
        all.iter().fold((0, 0), |(ranged, of), honesty| (ranged + honesty.ranged, of + honesty.parameters));
    let share = ranged as f64 / of as f64;
    assert!((0.90..=0.99).contains(&share), "{share}");
}

/// Cubics have their own peak beside that of a curve that is steeper than a cubic can be: no estimate may be more
/// certain than that.
#[test]
#[ignore = "slow"]
fn errors_count_that_curves_are_no_cubics_where_all_are_strongly_skewed() {
    let all = sessions(9, 15_000, 4, Surface::Skewed);
    let sum = |count: fn(&Honesty) -> f64| all.iter().map(count).sum::<f64>();
    let of = sum(|honesty| honesty.parameters as f64);
    let (within, ranged) = (sum(|honesty| honesty.within as f64) / of, sum(|honesty| honesty.ranged as f64) / of);
    assert!((0.5..0.85).contains(&within) && (0.87..0.99).contains(&ranged), "{within} and {ranged}");
    let (reported, gained) = (sum(|honesty| honesty.gain.unwrap().mean), sum(|honesty| honesty.gained));
    assert!(reported < 1.5 * gained, "{reported} reported, {gained} gained");
}

#[test]
fn a_switch_that_helps_is_probably_on() {
    let switch = Parameter::new("panic".to_owned(), Kind::Boolean, 0.0, (0.0, 1.0), 1.0).unwrap();
    for (elo, on) in [(30.0, true), (-30.0, false)] {
        let space = Space::new(vec![switch.clone()]).unwrap();
        let mut method = Quadratic::new(space, quadratic::Config::default(), 1, 3000).unwrap();
        for pair in 0..3000 {
            let proposal = method.ask(pair);
            let delta = elo * (proposal.plus[0] - proposal.minus[0]);
            let mut games = tuner::random::Stream::new(1, tuner::random::Purpose::Games, pair);
            method.tell(pair, &proposal, Noise::Chess.play(delta, &mut games));
        }
        let Some(Uncertainty::On(probability)) = method.answer().uncertainty(0) else {
            panic!("a switch has a probability")
        };
        assert_eq!(probability > 0.99, on, "{probability}");
        assert_eq!(probability < 0.01, !on, "{probability}");
    }
}

/// The reported and the true gain of sessions of this many pairs on an engine that is flat around its best values, 12
/// steps from the start, and falls off on the way there.
fn from_far_off(pairs: u64) -> impl Iterator<Item = (tuner::method::Estimate, f64)> {
    let lost = |_: u64, values: &[f64]| {
        let [far, near] = [values[0], values[1]];
        120.0 / (1.0 + libm::exp(far - 4.0)) + 0.02 * (far - 12.0) * (far - 12.0) + 2.0 * (near - 1.0) * (near - 1.0)
    };
    (0..8).map(move |seed| {
        let parameter = |name: &str| Parameter::new(name.to_owned(), Kind::Real, 0.0, (-20.0, 20.0), 1.0).unwrap();
        let space = Space::new(vec![parameter("far"), parameter("near")]).unwrap();
        let mut method = Quadratic::new(space, quadratic::Config::default(), seed, pairs).unwrap();
        Session { pairs, lag: 1, noise: Noise::Chess, seed }.play_by(&mut method, &lost);
        let answer = method.answer();
        (answer.gain.unwrap(), lost(0, &[0.0, 0.0]) - lost(0, &answer.exact))
    })
}

/// Noise that has moved the answer is not a gain: with twenty parameters, every short session has some.
#[test]
#[ignore = "slow"]
fn short_sessions_of_many_parameters_do_not_promise_much_too_much() {
    let sum = |all: &[Honesty], of: fn(&Honesty) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
    let idle = sessions(20, 300, 8, Surface::Idle);
    assert!(sum(&idle, |honesty| honesty.gain.unwrap().mean) < 4.0, "{idle:?}");
    let real = sessions(20, 1000, 8, Surface::Real);
    let (reported, gained) = (sum(&real, |honesty| honesty.gain.unwrap().mean), sum(&real, |honesty| honesty.gained));
    let within = real.iter().filter(|honesty| honesty.gain_within(1.0) == Some(true)).count();
    assert!(reported < 1.8 * gained && within >= 5, "{reported} reported, {gained} gained, {within} within one error");
}

#[test]
#[ignore = "slow"]
fn a_start_that_the_fit_no_longer_sees_is_not_forgotten() {
    for pairs in [5000, 20_000] {
        let all: Vec<_> = from_far_off(pairs).collect();
        let within =
            all.iter().filter(|(reported, gained)| (reported.mean - gained).abs() <= 2.0 * reported.sd).count();
        let (reported, gained) =
            all.iter().fold((0.0, 0.0), |(reported, gained), (gain, truth)| (reported + gain.mean, gained + truth));
        assert!(within >= 6 && reported > 0.6 * gained && reported < 1.3 * gained, "{pairs} pairs: {all:?}");
    }
}
