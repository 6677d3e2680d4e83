//! Properties of every method: legal and different sides, reproducible asks, replay, refusals, and convergence to an
//! optimum.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use proptest::prelude::*;
use regret::instance::{Instance, Surface};
use regret::oracle::Noise;
use regret::runner::Session;
use stats::PairOutcome;
use tuner::quadratic::{self, Quadratic};
use tuner::random::{Purpose, Stream};
use tuner::spsa::{self, Spsa};
use tuner::spsa_auto::{self, SpsaAuto};
use tuner::spsa_classic::{self, SpsaClassic};
use tuner::{Answer, Kind, Method, Parameter, Space, SpaceError, Trial};

/// The outcomes of a pair by points, worst first.
const FIVE: [PairOutcome; 5] = [PairOutcome::LL, PairOutcome::LD, PairOutcome::DD, PairOutcome::WD, PairOutcome::WW];

/// Every method on this space; `spsa-classic` has batches of 40 pairs, so that short tests see several batches.
fn methods(space: &Space, seed: u64, pairs: u64) -> Vec<Box<dyn Method>> {
    let classic = spsa_classic::Config { batch: 40, ..spsa_classic::Config::default() };
    vec![
        Box::new(Spsa::new(space.clone(), spsa::Config::default(), seed, pairs).unwrap()),
        Box::new(SpsaClassic::new(space.clone(), classic, seed, pairs).unwrap()),
        Box::new(SpsaAuto::new(space.clone(), spsa_auto::Config::default(), seed, pairs).unwrap()),
        Box::new(Quadratic::new(space.clone(), quadratic::Config::default(), seed, pairs).unwrap()),
    ]
}

fn outcome(seed: u64, pair: u64) -> PairOutcome {
    FIVE[(Stream::new(seed, Purpose::Games, pair).bits() % 5) as usize]
}

/// Asks `ahead` pairs ahead of the tells, and returns the proposals.
fn play(method: &mut dyn Method, seed: u64, pairs: u64, ahead: u64) -> Vec<Trial> {
    let mut proposals = Vec::new();
    for pair in 0..pairs {
        while (proposals.len() as u64) < (pair + ahead).min(pairs) {
            proposals.push(method.ask(proposals.len() as u64));
        }
        method.tell(pair, &proposals[pair as usize], outcome(seed, pair));
    }
    proposals
}

fn mixed() -> Space {
    let parameter =
        |name: &str, kind, start, range, step| Parameter::new(name.to_owned(), kind, start, range, step).unwrap();
    Space::new(vec![
        parameter("margin", Kind::Integer, 100.0, (0.0, 300.0), 12.0),
        parameter("ratio", Kind::Log, 0.5, (0.01, 10.0), 0.1),
        parameter("weight", Kind::Real, -1.0, (-3.0, 1.0), 0.2),
        parameter("depth", Kind::Integer, 3.0, (1.0, 5.0), 0.5),
    ])
    .unwrap()
}

#[test]
fn the_same_seed_proposes_the_same_and_another_seed_does_not() {
    for index in 0..4 {
        let run = |seed| play(methods(&mixed(), seed, 600)[index].as_mut(), 9, 600, 16);
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}

/// The proposals of pair 500 are pinned bit for bit: they must be the same on every machine. After a deliberate change
/// of a method, replace the data by the output of this test.
#[test]
fn proposals_are_the_same_on_every_machine() {
    let pinned: Vec<Trial> = serde_json::from_str(include_str!("../data/proposals.json")).unwrap();
    let propose = |mut method: Box<dyn Method>| {
        play(method.as_mut(), 1, 500, 16);
        method.ask(500)
    };
    let found: Vec<Trial> = methods(&mixed(), 1, 1000).into_iter().map(propose).collect();
    assert_eq!(found, pinned, "{}", serde_json::to_string(&found).unwrap());
}

#[test]
fn asking_again_or_in_another_order_proposes_the_same() {
    for mut method in methods(&mixed(), 3, 400) {
        play(method.as_mut(), 3, 200, 1);
        let forward: Vec<_> = (200..230).map(|pair| method.ask(pair)).collect();
        let mut backward: Vec<_> = (200..230).rev().map(|pair| method.ask(pair)).collect();
        backward.reverse();
        assert_eq!(forward, backward, "{}", method.name());
    }
}

#[test]
fn replaying_stored_pairs_gives_the_same_state() {
    for index in 0..4 {
        let mut method = methods(&mixed(), 5, 1000).swap_remove(index);
        let stored = play(method.as_mut(), 5, 700, 64);
        let mut replayed = methods(&mixed(), 5, 1000).swap_remove(index);
        for (pair, proposal) in stored.iter().enumerate() {
            let text = serde_json::to_string(proposal).unwrap();
            let read: Trial = serde_json::from_str(&text).unwrap();
            replayed.tell(pair as u64, &read, outcome(5, pair as u64));
        }
        assert_eq!(method.answer(), replayed.answer());
        assert_eq!(method.traces(), replayed.traces());
        assert_eq!(method.ask(700), replayed.ask(700));
    }
}

#[test]
#[ignore = "slow"]
fn every_method_converges_on_an_easy_quadratic() {
    let instance = Instance::new(4, 1001, Surface::Quad);
    let start = instance.loss(&[0.0; 4]);
    let space = instance.space(1.0).unwrap();
    for mut method in methods(&space, 1, 60_000) {
        let session = Session { pairs: 60_000, lag: 1, noise: Noise::Chess, seed: 1 };
        let lost = session.play(method.as_mut(), &instance);
        assert!(lost < 0.15 * start, "{} still loses {lost} of {start} Elo", method.name());
    }
}

#[test]
#[ignore = "slow"]
fn quadratic_loses_less_than_fishtest_s_schedule() {
    let lost = |quadratic: bool| -> f64 {
        let one = |seed| {
            let instance = Instance::new(9, seed, Surface::Real);
            let mut all = methods(&instance.space(1.0).unwrap(), seed, 5000);
            let mut method = all.swap_remove(if quadratic { 3 } else { 0 });
            Session { pairs: 5000, lag: 1, noise: Noise::Chess, seed }.play(method.as_mut(), &instance)
        };
        (2000..2006).map(one).sum()
    };
    let (new, old) = (lost(true), lost(false));
    assert!(2.0 * new < old, "quadratic {new} Elo, spsa {old} Elo over 6 seeds");
}

#[test]
fn quadratic_says_how_sure_it_is() {
    let instance = Instance::new(4, 1003, Surface::Real);
    let answer_after = |pairs| {
        let mut method = methods(&instance.space(1.0).unwrap(), 7, pairs).swap_remove(3);
        Session { pairs, lag: 1, noise: Noise::Chess, seed: 7 }.play(method.as_mut(), &instance);
        method.answer()
    };
    let (early, late): (Answer, Answer) = (answer_after(1000), answer_after(40_000));
    assert!(late.regret.unwrap() < 0.5 * early.regret.unwrap());
    let truth = instance.loss(&[0.0; 4]) - instance.loss(&instance.coordinates(&late.values));
    let gain = late.gain.unwrap();
    assert!(gain.mean > 0.0 && (gain.mean - truth).abs() < 3.0 * gain.sd, "{gain:?} of {truth}");
    assert!(late.is_resolved(early.regret.unwrap()) && !early.is_resolved(late.regret.unwrap()));
}

#[test]
fn a_switch_is_thrown_when_it_helps_and_only_quadratic_takes_it() {
    let switch = Parameter::new("null_move".to_owned(), Kind::Boolean, 0.0, (0.0, 1.0), 1.0).unwrap();
    let space = Space::new(vec![switch.clone()]).unwrap();
    let refused = Spsa::new(space.clone(), spsa::Config::default(), 1, 100).unwrap_err();
    assert!(matches!(refused, SpaceError::Unsupported { .. }), "{refused}");
    for (elo, wanted) in [(20.0, 1.0), (-20.0, 0.0)] {
        let mut method = Quadratic::new(space.clone(), quadratic::Config::default(), 1, 3000).unwrap();
        for pair in 0..3000 {
            let proposal = method.ask(pair);
            assert_ne!(proposal.plus, proposal.minus);
            let delta = elo * (proposal.plus[0] - proposal.minus[0]);
            let result = Noise::Chess.play(delta, &mut Stream::new(1, Purpose::Games, pair));
            method.tell(pair, &proposal, result);
        }
        let answer = method.answer();
        assert_eq!(answer.values, [wanted]);
        assert!(answer.regret.unwrap() < 0.5);
    }
}

#[test]
#[ignore = "slow"]
fn traces_stay_bounded() {
    for mut method in methods(&mixed(), 3, 200_000) {
        play(method.as_mut(), 3, 40_000, 1);
        let traces = method.traces();
        assert_eq!(traces.len(), 4);
        for trace in traces {
            assert!((10..=256).contains(&trace.points.len()), "{} points", trace.points.len());
            assert!(trace.points.iter().all(|p| p.low <= p.value && p.value <= p.high));
        }
    }
}

#[test]
fn fewer_pairs_than_parameters_are_refused() {
    let refused = Quadratic::new(mixed(), quadratic::Config::default(), 1, 3).unwrap_err();
    assert_eq!(refused, SpaceError::TooFewPairs { pairs: 3, parameters: 4 });
}

/// A random valid parameter of any kind that every method supports.
fn any_parameter() -> impl Strategy<Value = (Kind, f64, f64, f64, f64)> {
    let kind = prop_oneof![Just(Kind::Real), Just(Kind::Integer), Just(Kind::Log)];
    (kind, -50i32..50, 1i32..200, 0.0..=1.0f64, 0.001..2.0f64).prop_map(|(kind, min, width, place, step)| {
        let (min, max) = (f64::from(min), f64::from(min + width));
        match kind {
            Kind::Integer => (kind, (min + place * f64::from(width)).round(), min, max, 0.5 + step * f64::from(width)),
            Kind::Log => (kind, 0.01 + place * f64::from(width), 0.01, 0.01 + f64::from(width), step),
            Kind::Real | Kind::Boolean | Kind::Category => {
                (Kind::Real, min + place * f64::from(width), min, max, step * f64::from(width))
            }
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn sides_are_legal_and_differ(parameters in prop::collection::vec(any_parameter(), 1..6), seed in any::<u64>()) {
        let parameters = parameters.into_iter().enumerate().map(|(i, (kind, start, min, max, step))| {
            Parameter::new(format!("p{i}"), kind, start, (min, max), step).unwrap()
        });
        let space = Space::new(parameters.collect()).unwrap();
        let start: Vec<f64> = space.parameters().iter().map(Parameter::start).collect();
        for mut method in methods(&space, seed, 300) {
            for proposal in play(method.as_mut(), seed, 300, 24) {
                prop_assert!(proposal.plus != proposal.minus, "{} proposes one engine twice", method.name());
                // The answer of control games may have left some parameters at their start.
                let control = method.name() == "quadratic" && proposal.minus == start;
                for ((p, plus), minus) in space.parameters().iter().zip(&proposal.plus).zip(&proposal.minus) {
                    prop_assert!(
                        control || (plus - minus).abs() > 0.0,
                        "{} proposes {plus} on both sides",
                        method.name()
                    );
                    for value in [plus, minus] {
                        prop_assert!(*value >= p.min() && *value <= p.max());
                        prop_assert!(!p.is_whole() || value.fract() == 0.0);
                    }
                }
            }
            for (p, value) in space.parameters().iter().zip(method.answer().values) {
                prop_assert!(value >= p.min() && value <= p.max());
                prop_assert!(!p.is_whole() || value.fract() == 0.0);
            }
        }
    }

    #[test]
    fn coordinates_and_values_are_inverse((kind, start, min, max, step) in any_parameter(), place in 0.0..1.0f64) {
        let p = Parameter::new("p".to_owned(), kind, start, (min, max), step).unwrap();
        let value = min + place * (max - min);
        prop_assert!((p.value(p.coordinate(value)) - value).abs() < 1e-9 * (1.0 + value.abs()));
        prop_assert!(p.coordinate(start).abs() < 1e-12);
    }
}

#[test]
fn slices_peak_at_the_answer_where_there_is_a_model() {
    for (index, mut method) in methods(&mixed(), 4, 4000).into_iter().enumerate() {
        play(method.as_mut(), 4, 4000, 16);
        let slices = method.slices();
        if index < 3 {
            assert!(slices.is_empty(), "{} has no model", method.name());
            continue;
        }
        let answer = method.answer();
        assert_eq!(slices.len(), 4);
        for (slice, (parameter, at)) in slices.iter().zip(mixed().parameters().iter().zip(&answer.exact)) {
            assert_eq!(slice.name, parameter.name());
            assert!(slice.points.is_sorted_by(|a, b| a.value <= b.value), "{slice:?}");
            let range = parameter.min()..=parameter.max();
            assert!(slice.points.iter().all(|p| range.contains(&p.value) && p.low <= p.elo && p.elo <= p.high));
            let best = slice.points.iter().max_by(|a, b| a.elo.total_cmp(&b.elo)).unwrap();
            let gap = (slice.points[40].value - slice.points[0].value) / 20.0;
            assert!((best.value - at).abs() <= gap && best.elo < 0.01, "{at} against {best:?}");
        }
    }
}
