//! Constraints between parameters, and groups that are scaled together: proposals, answers and refusals.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use regret::oracle::Noise;
use stats::PairOutcome;
use tuner::quadratic::{Config, Quadratic};
use tuner::random::Stream;
use tuner::spsa::Spsa;
use tuner::spsa_auto::SpsaAuto;
use tuner::spsa_classic::SpsaClassic;
use tuner::{Below, Group, Kind, Layout, Method, Parameter, Space};

fn parameter(name: &str, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Parameter {
    Parameter::new(name.to_owned(), kind, start, range, step).unwrap()
}

fn below(low: &str, high: &str, by: f64) -> Below {
    Below { low: low.to_owned(), high: high.to_owned(), by, or_equal: false }
}

fn of(group: &str, parameter: Parameter) -> Parameter {
    parameter.in_group(group)
}

fn group(name: &str) -> Group {
    Group { name: name.to_owned(), min: None, max: None, step: None }
}

/// Whole numbers, one on a logarithmic scale and a real one, in two chains that meet.
fn ordered() -> Space {
    Space::new(vec![
        parameter("a", Kind::Integer, 10.0, (0.0, 40.0), 3.0),
        parameter("b", Kind::Integer, 11.0, (0.0, 30.0), 3.0),
        parameter("c", Kind::Log, 14.0, (1.0, 60.0), 2.0),
        parameter("d", Kind::Real, 2.0, (-10.0, 50.0), 4.0),
    ])
    .unwrap()
    .constrained(&[below("b", "c", 2.5), below("a", "b", 0.0), below("d", "c", 0.0)])
    .unwrap()
}

fn obeys(values: &[f64]) -> bool {
    values[0] < values[1] && values[1] + 2.5 < values[2] && values[3] < values[2]
}

#[test]
fn ranges_lose_what_no_constraint_leaves() {
    let space = ordered();
    let ranges: Vec<(f64, f64)> = space.parameters().iter().map(|p| (p.min(), p.max())).collect();
    assert_eq!(ranges[0], (0.0, 29.0));
    assert_eq!(ranges[1], (1.0, 30.0));
    assert!(ranges[2].0 > 3.5 && ranges[2].0 < 3.6, "{ranges:?}");
    assert_eq!(ranges[3], (-10.0, 50.0));
}

#[test]
fn what_was_found_under_a_constraint_may_be_the_start_under_it() {
    let real = |name, start, step| parameter(name, Kind::Real, start, (0.0, 1.0), step);
    // Closer than a hundredth of the steps, and at the ends of the ranges.
    for (low, high) in [(0.5, 0.5004), (0.0, 0.0004), (0.9996, 1.0)] {
        let space = Space::new(vec![real("a", low, 0.05), real("b", high, 0.05)]).unwrap();
        let space = space.constrained(&[below("a", "b", 0.0)]).unwrap();
        for mut method in methods(&space, 300) {
            for pair in 0..300 {
                let proposal = method.ask(pair);
                for side in [&proposal.plus, &proposal.minus] {
                    assert!(side[0] < side[1] && side.iter().all(|x| (0.0..=1.0).contains(x)), "{side:?}");
                }
                method.tell(pair, &proposal, if pair % 2 == 0 { PairOutcome::WD } else { PairOutcome::LL });
            }
            let values = method.answer().values;
            assert!(values[0] < values[1], "{}: {values:?}", method.name());
        }
    }
    let same = Space::new(vec![real("a", 0.5, 0.05), real("b", 0.5, 0.05)]).unwrap();
    assert!(same.clone().constrained(&[below("a", "b", 0.0)]).is_err());
    assert!(same.constrained(&[Below { or_equal: true, ..below("a", "b", 0.0) }]).is_ok());
}

/// Every method on a space, for this many pairs.
fn methods(space: &Space, pairs: u64) -> Vec<Box<dyn Method>> {
    vec![
        Box::new(Quadratic::new(space.clone(), Config::default(), 5, pairs).unwrap()),
        Box::new(
            Spsa::new(space.clone(), tuner::spsa::Config { r_end: 0.05, ..Default::default() }, 5, pairs).unwrap(),
        ),
        Box::new(SpsaAuto::new(space.clone(), tuner::spsa_auto::Config::default(), 5, pairs).unwrap()),
        Box::new(SpsaClassic::new(space.clone(), tuner::spsa_classic::Config::default(), 5, pairs).unwrap()),
    ]
}

#[test]
fn no_method_proposes_or_answers_values_out_of_order() {
    let space = ordered();
    let legal = |values: &[f64]| {
        space.parameters().iter().zip(values).all(|(p, v)| (p.min()..=p.max()).contains(v))
            && [0, 1].iter().all(|&i: &usize| values[i].fract().abs() < 1e-12)
    };
    for mut method in methods(&space, 3_000) {
        // Games that pull against the constraints: low values of `c` and high ones of the others win.
        let mut stream = Stream::from_seed(9);
        for pair in 0..3_000 {
            let proposal = method.ask(pair);
            for side in [&proposal.plus, &proposal.minus] {
                assert!(obeys(side) && legal(side), "{}: {side:?}", method.name());
            }
            let pull = |v: &[f64]| 6.0 * (v[0] + v[1] + v[3] - 3.0 * v[2]);
            let delta = pull(&proposal.plus) - pull(&proposal.minus);
            method.tell(pair, &proposal, Noise::Chess.play(delta, &mut stream));
        }
        let answer = method.answer();
        assert!(obeys(&answer.values) && legal(&answer.values), "{}: {:?}", method.name(), answer.values);
    }
}

#[test]
#[ignore = "slow"]
fn the_answer_is_the_best_of_what_the_constraint_allows() {
    let plain = |name| parameter(name, Kind::Real, 0.0, (-10.0, 10.0), 1.0);
    let or_equal = Below { or_equal: true, ..below("a", "b", 0.0) };
    let b = parameter("b", Kind::Real, 0.1, (-10.0, 10.0), 1.0);
    let space = Space::new(vec![plain("a"), b]).unwrap().constrained(&[or_equal]).unwrap();
    // The best values, a = 3 and b = -1, are out of order; in order, both are best at about 2.2.
    let elo = |v: &[f64]| -4.0 * (v[0] - 3.0) * (v[0] - 3.0) - (v[1] + 1.0) * (v[1] + 1.0);
    let (mut sum, mut regret) = (0.0, 0.0);
    for seed in 0..6 {
        let mut method = Quadratic::new(space.clone(), Config::default(), seed, 20_000).unwrap();
        let mut stream = Stream::from_seed(seed);
        for pair in 0..20_000 {
            let proposal = method.ask(pair);
            let delta = elo(&proposal.plus) - elo(&proposal.minus);
            method.tell(pair, &proposal, Noise::Chess.play(delta, &mut stream));
        }
        let answer = method.answer();
        assert!(answer.values[0] < answer.values[1], "{answer:?}");
        sum += answer.values[0] / 6.0;
        regret += answer.regret.unwrap() / 6.0;
    }
    assert!((sum - 2.2).abs() < 0.35, "{sum}");
    // The cost of the constraint, 12.8 Elo, is not regret.
    assert!(regret < 4.0, "{regret}");
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

#[test]
fn a_group_s_members_are_their_starts_times_one_factor() {
    let layout = scaled();
    let names: Vec<&str> = layout.space().parameters().iter().map(Parameter::name).collect();
    assert_eq!(names, ["margin", "eval"]);
    let factor = &layout.space().parameters()[1];
    // The widest range that keeps every member in its own range: -60 / -40.
    assert_eq!((factor.kind(), factor.start(), factor.min(), factor.max()), (Kind::Log, 1.0, 0.25, 1.5));
    let values = layout.values(&[0.4, 1.25]);
    assert_eq!(values, [125.0, 0.4, -50.0, 2.5]);
    let back = layout.tuned(&values);
    assert!((back[0] - 0.4).abs() < 1e-12 && (back[1] - 1.25).abs() < 1e-9, "{back:?}");
}

#[test]
fn a_factor_is_read_back_from_whole_values_as_they_were_played() {
    let whole = |name: &str, start| of("eval", parameter(name, Kind::Integer, start, (0.0, 1000.0), 1.0));
    let layout = Layout::new(vec![whole("a", 100.0), whole("b", 7.0)], &[group("eval")], &[]).unwrap();
    for factor in [0.5, 0.93, 1.0, 1.1, 1.777] {
        let values = layout.values(&[factor]);
        assert!(values.iter().all(|v| v.fract().abs() < 1e-12));
        let back = layout.tuned(&values)[0];
        assert!((back - factor).abs() < 0.006, "{factor} became {values:?} and {back}");
        assert_eq!(layout.values(&[back]), values);
    }
}

#[test]
fn a_group_s_factor_is_known_where_its_members_are_multiples_of_what_they_were() {
    let members = |first: f64, second: f64| {
        let members = vec![
            of("all", parameter("depth", Kind::Integer, first, (1.0, 20.0), 1.0)),
            of("all", parameter("margin", Kind::Real, second, (-9.0, -0.1), 0.1)),
        ];
        Layout::new(members, &[group("all")], &[]).unwrap()
    };
    let before = [("depth".to_owned(), 3.0), ("margin".to_owned(), -0.5)];
    let swapped = [before[1].clone(), before[0].clone()];
    // In whole numbers, a factor of 1.2 rounds 3 to 4; the real member shows the factor.
    let factor = members(4.0, -0.6).factor_before(0, &swapped).unwrap();
    assert!((factor - 1.2).abs() < 1e-6, "{factor}");
    for (first, second) in [(6.0, -0.6), (3.0, -1.0)] {
        assert_eq!(members(first, second).factor_before(0, &before), None, "{first} {second}");
    }
    assert_eq!(members(4.0, -0.6).factor_before(0, &before[..1]), None);
    let other = [before.as_slice(), &[("third".to_owned(), 1.0)]].concat();
    assert_eq!(members(4.0, -0.6).factor_before(0, &other), None);
}

#[test]
fn what_cannot_be_scaled_or_ordered_is_refused() {
    let real = |name: &str, start| parameter(name, Kind::Real, start, (-1.0, 1.0), 0.1);
    let space = || Space::new(vec![real("a", 0.0), real("b", 0.5), real("c", 0.7)]).unwrap();
    let refused = |below: &[Below]| space().constrained(below).unwrap_err().to_string();
    assert!(refused(&[below("a", "x", 0.0)]).contains("`x`, which is not a parameter"));
    let order = "the start violates a constraint: 0.5 of `b` and 0 of `a`, which must be higher by more than 0";
    assert_eq!(refused(&[below("b", "a", 0.0)]), order);
    assert!(refused(&[below("a", "b", -9.0), below("b", "a", -9.0)]).contains("circle"));
    assert!(refused(&[below("a", "a", -1.0)]).contains("circle"));
    let switch = Space::new(vec![real("a", 0.0), parameter("on", Kind::Boolean, 1.0, (0.0, 1.0), 1.0)]).unwrap();
    assert!(switch.constrained(&[below("a", "on", 0.0)]).unwrap_err().to_string().contains("no order"));

    let group_of = |member: Parameter| Layout::new(vec![of("g", member)], &[group("g")], &[]).unwrap_err().to_string();
    assert!(group_of(real("a", 0.0)).contains("starts at 0"));
    assert!(group_of(parameter("few", Kind::Integer, 3.0, (0.0, 9.0), 1.0)).contains("both sides would be the same"));
    let lost = Layout::new(vec![of("h", real("a", 0.5))], &[group("g")], &[]).unwrap_err().to_string();
    assert_eq!(lost, "parameter `a`: there is no group `h`");
    let same = Layout::new(vec![real("g", 0.5), of("g", real("a", 0.5))], &[group("g")], &[]);
    assert_eq!(same.unwrap_err().to_string(), "parameter `g` is given twice");
}

fn frozen(name: &str, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Parameter {
    Parameter::frozen(name.to_owned(), kind, start, range, step).unwrap()
}

#[test]
fn an_engine_gets_a_frozen_parameter_which_is_never_tuned() {
    let (whole, real) = (Kind::Integer, Kind::Real);
    let members = vec![
        frozen("still", whole, 7.0, (0.0, 10.0), 0.0),
        parameter("a", whole, 10.0, (0.0, 40.0), 3.0),
        frozen("exact", real, 0.123_456_789, (0.0, 1.0), 0.5),
        parameter("b", real, 2.0, (-10.0, 50.0), 4.0),
    ];
    let layout = Layout::new(members, &[], &[]).unwrap();
    assert_eq!((layout.space().dimension(), layout.source(0), layout.source(3)), (2, None, Some((1, false))));
    assert_eq!(layout.tuned(&layout.values(&[12.0, 3.5])), [12.0, 3.5]);
}

#[test]
fn a_group_scales_its_members_that_are_not_frozen() {
    let still = |group: &str, name: &str| of(group, frozen(name, Kind::Real, 2.0, (2.0, 2.0), 0.0));
    let members = vec![
        still("idle", "weight"),
        of("eval", parameter("pawn", Kind::Integer, 100.0, (1.0, 300.0), 1.0)),
        still("eval", "tempo"),
    ];
    let layout = Layout::new(members, &[group("idle"), group("eval")], &[]).unwrap();
    let [factor] = layout.space().parameters() else { panic!("{layout:?}") };
    assert_eq!((factor.name(), factor.min(), factor.max()), ("eval", 0.25, 3.0));
    let values = layout.values(&[1.25]);
    assert_eq!(values, [2.0, 125.0, 2.0]);
    assert_eq!(layout.tuned(&values), [1.25]);
    let all = Layout::new(vec![still("idle", "weight")], &[group("idle")], &[]).unwrap_err();
    assert!(all.to_string().contains("every one is frozen"), "{all}");
}

#[test]
fn constraints_with_frozen_parameters_narrow_the_others() {
    let tuned = |name: &str| parameter(name, Kind::Integer, 10.0, (0.0, 40.0), 3.0);
    let still = || frozen("still", Kind::Integer, 20.0, (0.0, 40.0), 0.0);
    let range = |below: &[Below]| {
        let layout = Layout::new(vec![tuned("a"), still(), tuned("b")], &[], below)?;
        Ok::<_, tuner::SpaceError>((layout.engine_parameters()[0].min(), layout.engine_parameters()[0].max()))
    };
    assert_eq!(range(&[below("a", "still", 0.0)]), Ok((0.0, 19.0)));
    assert_eq!(range(&[below("still", "a", -15.0)]), Ok((6.0, 40.0)));
    assert!(range(&[below("still", "a", 0.0)]).unwrap_err().to_string().contains("the start violates a constraint"));
    let all = Layout::new(vec![still()], &[], &[]).unwrap_err();
    assert!(all.to_string().contains("every one is frozen"), "{all}");
    let twice = Layout::new(vec![still(), still(), tuned("a")], &[], &[]).unwrap_err();
    assert!(twice.to_string().contains("`still` is given twice"), "{twice}");
}
