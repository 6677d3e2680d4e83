//! Written plans are equivalent to the plan: read back, they resolve to the same run, or are refused for the same
//! reason.

use arena::config::Job;
use arena::run::OnStarvation;
use plan::{
    CountPlan, Disk, DrawPlan, EnginePlan, GamesPlan, Given, Keys, KnownPlan, LadderPlan, MatchPlan, Named,
    OpeningsPlan, Origin, OwnPlayer, PliesPlan, RunPlan, SprtPlan, StartPlan, StarvationPlan, TunePlan, TunedPlan,
    within,
};
use play::entrant::Protocol;
use play::games::GameKind;
use proptest::prelude::*;

/// Words that may break out of a comment or a string.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z]{1,6}", 1 => "[a-z\"'#\\\\\n\t\u{e9}= \\[\\]]{0,12}"]
}

fn origin() -> impl Strategy<Value = Origin> {
    prop_oneof![Just(Origin::Usual), words().prop_map(Origin::Words), words().prop_map(Origin::Derived)]
}

/// An optional key with such a value.
fn key<T: Clone + std::fmt::Debug + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<Given<T>>> {
    proptest::option::of((value, origin()).prop_map(|(value, origin)| Given { value, origin })).boxed()
}

fn given<T: Clone + std::fmt::Debug + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<Given<T>>> {
    (value, origin()).prop_map(|(value, origin)| Some(Given { value, origin })).boxed()
}

/// A value that usually makes sense, and sometimes does not.
fn mostly<T: Clone + std::fmt::Debug + 'static>(
    good: impl Strategy<Value = T> + 'static,
    wild: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<T> {
    prop_oneof![12 => good, 1 => wild].boxed()
}

fn wild_number() -> impl Strategy<Value = f64> {
    prop_oneof![Just(f64::NAN), Just(f64::NEG_INFINITY), any::<f64>()]
}

fn elo(range: std::ops::Range<f64>) -> BoxedStrategy<f64> {
    mostly(range, wild_number())
}

fn limit() -> BoxedStrategy<String> {
    mostly(prop_oneof![Just("9 nodes".to_owned()), Just("1s+10ms".to_owned())], words())
}

fn text() -> impl Strategy<Value = toml::Value> {
    words().prop_map(toml::Value::String)
}

fn any_value() -> impl Strategy<Value = toml::Value> {
    prop_oneof![
        text(),
        any::<i64>().prop_map(toml::Value::Integer),
        wild_number().prop_map(toml::Value::Float),
        any::<bool>().prop_map(toml::Value::Boolean),
    ]
}

fn named(
    name: impl Strategy<Value = String> + 'static,
    value: impl Strategy<Value = toml::Value> + 'static,
) -> impl Strategy<Value = Named> {
    proptest::collection::vec((name, value, origin()), 0..3).prop_map(|list| {
        let mut named = Named::default();
        for (name, value, origin) in list {
            named.set(&name, Given { value, origin });
        }
        named
    })
}

/// An engine process.
fn process() -> impl Strategy<Value = EnginePlan> {
    let lists = (key(proptest::collection::vec(words(), 0..3)), key(mostly(-20..20, any::<i32>())));
    let protocol = key(mostly(Just(Protocol::Uci), Just(Protocol::Codecup)));
    (given(words()), lists, protocol, named(words(), any_value()), named(words(), mostly(text(), any_value())))
        .prop_map(|(cmd, (init, nice), protocol, options, env)| EnginePlan {
            cmd,
            init,
            nice,
            protocol,
            options,
            env,
            ..EnginePlan::default()
        })
}

/// A player of spar's own.
fn own() -> impl Strategy<Value = EnginePlan> {
    let player = key(prop_oneof![3 => Just(OwnPlayer::Native), 1 => Just(OwnPlayer::Random)]);
    let name = mostly(Just("optimism".to_owned()), words());
    let value = mostly((0.0..0.4).prop_map(toml::Value::Float), any_value());
    (player, named(name, value)).prop_map(|(player, params)| EnginePlan { player, params, ..EnginePlan::default() })
}

fn engine(name: &'static str) -> impl Strategy<Value = EnginePlan> {
    let kind = prop_oneof![process().boxed(), own().boxed()];
    (given(Just(name.to_owned())), key(limit()), kind).prop_map(|(name, limit, kind)| EnginePlan {
        name,
        limit,
        ..kind
    })
}

/// The settings of all engines.
fn each() -> impl Strategy<Value = EnginePlan> {
    let rest = mostly(Just(EnginePlan::default()), prop_oneof![process().boxed(), own().boxed()]);
    (given(limit()), rest).prop_map(|(limit, rest)| EnginePlan { limit, ..rest })
}

fn game() -> impl Strategy<Value = GameKind> {
    prop_oneof![4 => Just(GameKind::ZeroPointOne), 1 => Just(GameKind::Chess), 1 => Just(GameKind::Crazyhouse)]
}

fn test() -> impl Strategy<Value = SprtPlan> {
    let model = mostly(Just("logistic".to_owned()), words());
    let games = prop_oneof![Just(GamesPlan::Pairs), Just(GamesPlan::Single)];
    let count = mostly(Just(CountPlan::Games), Just(CountPlan::Pairs));
    let limits = (key(mostly(1..5u64, Just(0))), key(1..5u64));
    let rounds = (limits, key(games), key(any::<bool>()), key(any::<bool>()), key(count));
    (given(elo(-20.0..0.0)), given(elo(0.1..20.0)), key(0.01..0.6), key(model), rounds).prop_map(
        |(elo0, elo1, alpha, model, ((max_pairs, max_rounds), games, swap, reverse, count))| {
            let test = SprtPlan { elo0, elo1, alpha, model, max_pairs, ..SprtPlan::default() };
            SprtPlan { max_rounds, games, swap, reverse, count, ..test }
        },
    )
}

fn ladder() -> impl Strategy<Value = LadderPlan> {
    let known = ((given(Just("a".to_owned())), given(mostly(Just("b".to_owned()), words()))), any::<[u16; 6]>());
    let known = known.prop_map(|((entrant, opponent), counts)| {
        let counts = Some(Given::usual(counts.map(u64::from)));
        Given::usual(KnownPlan { entrant, opponent, counts })
    });
    let anchor = mostly(Just("b".to_owned()), words());
    (given(mostly(1..9u64, Just(0))), key(elo(0.1..9.0)), key(anchor), proptest::collection::vec(known, 0..3)).prop_map(
        |(pairs, precision, anchor, known)| LadderPlan { pairs, precision, anchor, known, ..LadderPlan::default() },
    )
}

fn tune() -> impl Strategy<Value = TunePlan> {
    let name = mostly(Just("optimism".to_owned()), words());
    let start = elo(0.2..0.4).prop_map(StartPlan::from);
    let tuned = (given(name), key(start), key(elo(0.0..0.2)), key(elo(0.4..0.6)))
        .prop_map(|(name, start, min, max)| Given::usual(TunedPlan { name, start, min, max, ..TunedPlan::default() }));
    let method = mostly(Just("spsa".to_owned()), words());
    let lines = mostly(Just(None), given(words()));
    (given(mostly(9..900u64, Just(0))), key(method), lines, proptest::collection::vec(tuned, 1..3)).prop_map(
        |(pairs, method, lines, parameter)| TunePlan { pairs, method, lines, parameter, ..TunePlan::default() },
    )
}

fn keys() -> impl Strategy<Value = Keys> {
    let jobs = (key(test()), key(mostly(1..9u64, Just(0)).prop_map(fixed)), key(ladder()), key(tune()));
    let openings =
        (key(mostly(0..9u32, 0..90u32).prop_map(PliesPlan::Number)), mostly(Just(None), given(wild_number())))
            .prop_map(|(plies, balance)| OpeningsPlan { plies, balance, ..OpeningsPlan::default() });
    let draw = (given(mostly(1..4u32, Just(0))), mostly(given(0..90u32), Just(None)))
        .prop_map(|(moves, score)| DrawPlan { moves, score, ..DrawPlan::default() });
    let action = key(prop_oneof![Just(OnStarvation::Mark), Just(OnStarvation::Replay)]);
    let entrants = (engine("a").boxed(), engine("b").boxed(), engine("c").boxed(), 1..4usize);
    let head = (key("[a-z]{1,3}"), key(words()), key(game()), key(0..u64::MAX / 2));
    (head, jobs, key(openings), key(draw), action, key(each()), entrants).prop_map(
        |((name, title, game, seed), (sprt, fixed, ladder, tune), openings, draw, action, each, (a, b, c, count))| {
            let entrant = [a, b, c].into_iter().take(count).map(Given::usual).collect();
            let starvation =
                action.map(|action| Given::usual(StarvationPlan { action: Some(action), threshold: None }));
            let mut keys = Keys {
                name,
                title,
                game,
                seed,
                sprt,
                r#match: fixed,
                ladder,
                tune,
                openings,
                starvation,
                each,
                entrant,
                ..Keys::default()
            };
            if draw.is_some() {
                within(&mut keys.adjudication).draw = draw;
            }
            keys
        },
    )
}

fn fixed(pairs: u64) -> MatchPlan {
    MatchPlan { pairs: Some(Given::usual(pairs)), ..MatchPlan::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn what_is_written_asks_for_the_same_run(keys in keys()) {
        let mut plan = RunPlan::new("made", "made", Disk);
        plan.keys = keys;
        let text = plan.text();
        let read = RunPlan::read(&text, "read", plan.stem(), &[], None, Disk)
            .map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(read.text(), text.clone());
        for job in Job::ALL {
            match (plan.resolve(job), read.resolve(job)) {
                // Compared as text, since NaN does not equal itself.
                (Ok(made), Ok(again)) => {
                    prop_assert_eq!(format!("{:?}", made.run), format!("{:?}", again.run), "{}", text);
                }
                (Err(made), Err(again)) => prop_assert_eq!(made.to_string(), again.to_string(), "{}", text),
                (made, again) => prop_assert!(false, "{:?} {:?}\n{}", made.is_ok(), again.is_ok(), text),
            }
        }
    }
}

/// The generator above reaches runs of every kind, so the property is not vacuous.
#[test]
#[ignore = "slow"]
fn plans_of_every_job_are_among_those_tried() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let (mut runner, strategy) = (TestRunner::deterministic(), keys());
    let mut found = [0; 4];
    for _ in 0..1500 {
        let mut plan = RunPlan::new("made", "made", Disk);
        plan.keys = strategy.new_tree(&mut runner).expect("a plan").current();
        for (count, job) in found.iter_mut().zip(Job::ALL) {
            *count += u32::from(plan.resolve(job).is_ok());
        }
    }
    assert!(found.iter().all(|&count| count > 0), "{found:?}");
}
