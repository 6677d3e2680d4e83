//! Tuning sessions as experiments: their proposals, and their reports on parameters, groups, frozen parameters and
//! limits.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use arena::run::{Experiment, Series, Standing, Tune, TuneBudget};
use engine::ParamKind;
use regret::oracle::Noise;
use stats::PairOutcome;
use std::num::NonZeroU64;
use tuner::limits::{Limits, Shares};
use tuner::quadratic::{Config, Quadratic};
use tuner::random::Stream;
use tuner::{Group, Kind, Layout, Parameter, Space};

fn parameter(name: &str, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Parameter {
    Parameter::new(name.to_owned(), kind, start, range, step).unwrap()
}

fn budget(pairs: u64) -> TuneBudget {
    TuneBudget { pairs: NonZeroU64::new(pairs).unwrap(), stop_regret: None }
}

fn mixed() -> Space {
    Space::new(vec![
        parameter("margin", Kind::Real, 0.05, (0.0, 2.0), 0.5),
        parameter("depth", Kind::Integer, 9.0, (1.0, 10.0), 2.0),
        parameter("scale", Kind::Log, 0.2, (0.1, 10.0), 0.1),
        parameter("panic", Kind::Boolean, 1.0, (0.0, 1.0), 1.0),
    ])
    .unwrap()
}

/// Returns a session in which the plus side always does a little better, so that values run to their bounds.
fn rising(pairs: u64) -> Tune {
    let method = Quadratic::new(mixed(), Config::default(), 3, 4000).unwrap();
    let mut tune = Tune::new(Box::new(method), Layout::plain(mixed()), budget(4000), 16);
    for pair in 0..pairs {
        let proposal = tune.propose(pair).unwrap();
        let less = proposal.seats[0].values[0] < proposal.seats[1].values[0];
        let outcome = match (pair % 3, less) {
            (0, _) => PairOutcome::DD,
            (_, true) => PairOutcome::WD,
            (_, false) => PairOutcome::LD,
        };
        tune.absorb(pair, &proposal, outcome);
    }
    tune
}

#[test]
fn bands_stay_in_the_legal_range() {
    for pairs in [1, 70, 333, 1500] {
        let series: Vec<Series> = rising(pairs).series();
        assert_eq!(series.len(), 4);
        for (series, parameter) in series.iter().zip(mixed().parameters()) {
            assert_eq!(series.points.last().unwrap().x.to_bits(), (pairs as f64).to_bits());
            let legal = parameter.min()..=parameter.max();
            for point in &series.points {
                let inside = [Some(point.y), point.low, point.high].into_iter().flatten().all(|y| legal.contains(&y));
                assert!(inside, "{} after {pairs} pairs: {point:?}", series.name);
            }
        }
    }
}

#[test]
fn a_switch_has_a_probability_and_the_others_a_standard_error() {
    let standing = rising(500).standing().tune().cloned().unwrap();
    for tuned in &standing.parameters {
        match tuned.kind {
            ParamKind::Switch => assert!(tuned.sd.is_none() && (0.0..=1.0).contains(&tuned.on.unwrap()), "{tuned:?}"),
            ParamKind::Real | ParamKind::Integer => assert!(tuned.on.is_none() && tuned.sd.unwrap() > 0.0, "{tuned:?}"),
        }
    }
    assert_eq!(standing.openbench.len(), 4);
    let lines = tuner::fishtest::parse_lines(&standing.openbench.join("\n")).unwrap();
    let (first, now) = (lines[1].parameter.start(), standing.parameters[1].now);
    assert_eq!(first.to_bits(), now.to_bits(), "they continue from the tuned values");
}

/// Returns a session with a switch, at two limits.
fn at_two_limits() -> Tune {
    let space = Space::new(vec![
        parameter("scale", Kind::Log, 0.2, (0.1, 10.0), 0.1),
        parameter("panic", Kind::Boolean, 1.0, (0.0, 1.0), 1.0),
    ])
    .unwrap();
    let limits = Limits::new(vec![0.2, 1.0], 600, 4, Shares::default()).unwrap();
    let method = Quadratic::new(space.clone(), Config::default(), 3, 600).unwrap().at_limits(limits.clone()).unwrap();
    Tune::new(Box::new(method), Layout::plain(space), budget(600), 16)
        .at_limits(limits, vec!["20ms".to_owned(), "100ms".to_owned()])
}

#[test]
fn proposals_carry_their_limit_and_the_standing_counts_them() {
    let (mut one, mut other) = (at_two_limits(), at_two_limits());
    let mut cheap = 0;
    for pair in 0..600 {
        let proposal = one.propose(pair).unwrap();
        assert_eq!(proposal, other.propose(pair).unwrap());
        assert!(proposal.limit.is_none_or(|limit| limit == 0));
        cheap += u64::from(proposal.limit.is_some());
        let outcome = [PairOutcome::WD, PairOutcome::DD, PairOutcome::LD][(pair % 3) as usize];
        one.absorb(pair, &proposal, outcome);
        other.absorb(pair, &proposal, outcome);
    }
    let standing = one.standing().tune().cloned().unwrap();
    assert_eq!(Some(&standing), other.standing().tune());
    let pairs_at: Vec<_> = standing.limits.iter().map(|at| (at.limit.as_str(), at.pairs)).collect();
    assert_eq!(pairs_at, [("20ms", cheap), ("100ms", 600 - cheap)]);
    assert!(standing.parameters[0].drift.is_some() && standing.parameters[1].drift.is_none());
}

fn of(group: &str, parameter: Parameter) -> Parameter {
    parameter.in_group(group)
}

fn group(name: &str) -> Group {
    Group { name: name.to_owned(), min: None, max: None, step: None }
}

fn scaled() -> Layout {
    let members = vec![
        of("eval", parameter("pawn", Kind::Integer, 100.0, (1.0, 300.0), 1.0)),
        parameter("margin", Kind::Real, 0.5, (0.0, 1.0), 0.1),
        of("eval", parameter("penalty", Kind::Integer, -40.0, (-60.0, 0.0), 1.0)),
        of("eval", parameter("tempo", Kind::Real, 2.0, (0.0, 4.0), 1.0)),
    ];
    Layout::new(members, &[group("eval")], &[]).unwrap()
}

/// Returns a session over the group, with games in which 1.3 times the start is best.
fn of_a_group(pairs: u64) -> (Tune, Standing) {
    let layout = scaled();
    let method = Quadratic::new(layout.space().clone(), Config::default(), 3, pairs).unwrap();
    let mut tune = Tune::new(Box::new(method), layout, budget(pairs), 16);
    let mut stream = Stream::from_seed(4);
    let elo = |v: &[f64]| -0.02 * (v[0] - 130.0) * (v[0] - 130.0);
    for pair in 0..pairs {
        let proposal = tune.propose(pair).unwrap();
        let [plus, minus] = &proposal.seats;
        let apart = |i: usize| (plus.values[i] - minus.values[i]).abs() > 0.0;
        assert!(apart(0) && apart(3), "{proposal:?}");
        let outcome = Noise::Chess.play(elo(&plus.values) - elo(&minus.values), &mut stream);
        tune.absorb(pair, &proposal, outcome);
    }
    let standing = tune.standing();
    (tune, standing)
}

#[test]
fn a_session_tells_every_member_of_a_group() {
    let (tune, standing) = of_a_group(8_000);
    let standing = standing.tune().unwrap();
    let names: Vec<&str> = standing.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["pawn", "margin", "penalty", "tempo"]);
    let [pawn, _, penalty, tempo] = &standing.parameters[..] else { panic!() };
    assert!((pawn.now - 130.0).abs() < pawn.sd.unwrap(), "{pawn:?}");
    assert!((penalty.now - (pawn.now * -0.4).round()).abs() <= 1.0, "{penalty:?}");
    assert!((tempo.now - pawn.now / 50.0).abs() < 0.02, "{tempo:?}");
    // Errors, steps and courses are those of the factor, converted to the members' units.
    let (a, b) = (pawn.sd.unwrap(), penalty.sd.unwrap());
    assert!(a > 0.0 && (b - 0.4 * a).abs() < 1e-9, "{a} {b}");
    assert!((pawn.step - 10.0).abs() < 1e-9 && (penalty.step - 4.0).abs() < 1e-9);
    assert!(penalty.course.iter().all(|value| (-60.0..=0.0).contains(value)), "{:?}", penalty.course);
    let series = tune.series();
    assert_eq!(series.len(), 4);
    for point in &series[2].points {
        assert!(point.low.unwrap() <= point.y + 1e-9 && point.y <= point.high.unwrap() + 1e-9, "{point:?}");
    }
    assert_eq!(standing.openbench.len(), 4);
}

fn frozen(name: &str, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Parameter {
    Parameter::frozen(name.to_owned(), kind, start, range, step).unwrap()
}

#[test]
fn a_frozen_parameter_is_the_same_on_both_sides_and_keeps_its_line() {
    let (whole, real) = (Kind::Integer, Kind::Real);
    let members = vec![
        frozen("still", whole, 7.0, (0.0, 10.0), 0.0),
        parameter("a", whole, 10.0, (0.0, 40.0), 3.0),
        frozen("exact", real, 0.123_456_789, (0.0, 1.0), 0.5),
        parameter("b", real, 2.0, (-10.0, 50.0), 4.0),
    ];
    let layout = Layout::new(members, &[], &[]).unwrap();
    let method = Quadratic::new(layout.space().clone(), Config::default(), 1, 40).unwrap();
    let mut tune = Tune::new(Box::new(method), layout, budget(40), 4).with_gains(vec![0.0, 0.002, 0.003, 0.002]);
    for pair in 0..40 {
        let proposal = tune.propose(pair).unwrap();
        for seat in &proposal.seats {
            assert!((seat.values[0], seat.values[2]) == (7.0, 0.123_456_789), "{seat:?}");
        }
        tune.absorb(pair, &proposal, PairOutcome::WW);
    }
    let standing = tune.standing();
    let tuned = standing.tune().unwrap();
    assert_eq!(tuned.openbench[0], "still, int, 7, 0, 10, 0, 0");
    assert_eq!(tuned.openbench[2], "exact, float, 0.123456789, 0, 1, 0.5, 0.003", "to the last digit");
    assert!(tuned.parameters[0].frozen && !tuned.parameters[1].frozen);
    assert_eq!(tune.series().len(), 4, "each has its course");
}
