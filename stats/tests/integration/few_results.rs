//! Ratings of few results, and of results that are all alike: they are as uncertain as a match with the same counts.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::float_cmp, reason = "infinities are compared")]

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use stats::plan::simulate::generator;
use stats::rating::{ErrorModel, Openings, PairTable, RatingSettings, Ratings, Results, Standing, rate};
use stats::{Estimate, PairCounts, Summary, Wdl, elo};

/// Most bins are empty; often all but one.
fn few_pairs() -> impl Strategy<Value = PairCounts> {
    let any = prop::array::uniform6(prop_oneof![3 => Just(0), 3 => 0..4_u64, 1 => 0..30_u64, 1 => 0..3000_u64]);
    let alike = (0..6_usize, 1..200_u64).prop_map(|(bin, count)| {
        let mut counts = [0; 6];
        counts[bin] = count;
        counts
    });
    prop_oneof![2 => any, 1 => alike].prop_map(PairCounts).prop_filter("no pair", |counts| counts.total() > 0)
}

fn rated(results: &Results) -> Ratings {
    rate(results, &RatingSettings::default()).unwrap()
}

/// Pairs in which the first of two always scored `first` with the first move and `second` with the second (0 loss, 1
/// draw, 2 win).
fn alike(entrants: usize, pairs: u64, first: usize, second: usize) -> Results {
    let mut table = PairTable::default();
    table[first][second] = pairs;
    let mut results = Results::new(entrants);
    results.add_pairs(0, 1, &table).unwrap();
    results
}

fn width(estimate: Estimate) -> f64 {
    estimate.high - estimate.low
}

fn same(ours: f64, theirs: f64) -> bool {
    ours == theirs || (ours - theirs).abs() < 1e-9 * (1.0 + theirs.abs())
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::with_cases(600)
    })]

    #[test]
    fn two_entrants_differ_by_the_estimate_of_their_match(counts in few_pairs(), swapped in any::<bool>()) {
        let mut results = Results::new(2);
        if swapped {
            results.add_counts(1, 0, &counts.mirror()).unwrap();
        } else {
            results.add_counts(0, 1, &counts).unwrap();
        }
        let summary = Summary::of_pairs(&counts);
        let estimate = summary.elo.unwrap();
        let anchors = vec![(1, 0.0)];
        let anchored = rate(&results, &RatingSettings { anchors, ..RatingSettings::default() }).unwrap();
        let free = rated(&results);
        let differences = [anchored.entrants[0].elo, free.difference(0, 1).unwrap(),
            free.difference(1, 0).unwrap().negate(), free.entrants[0].elo.map(|x| 2.0 * x),
            free.entrants[1].elo.negate().map(|x| 2.0 * x)];
        for ours in differences {
            prop_assert!(same(ours.low, estimate.low) && same(ours.high, estimate.high), "{:?} {:?}", ours, estimate);
            prop_assert!(ours.value.is_finite() && ours.low <= ours.value && ours.value <= ours.high, "{:?}", ours);
            if estimate.value.is_finite() {
                // The regularisation of a match counts an empty bin as 0.001 pairs.
                prop_assert!(same(ours.value, estimate.value), "{:?} {:?}", ours, estimate);
            }
        }
        let los = free.los();
        prop_assert!(same(los[0][1], summary.los) && same(los[1][0], 1.0 - summary.los));
        let decisive = |los: f64| los.max(1.0 - los);
        prop_assert_eq!(free.ranking(&[])[0].los_next.map(decisive), Some(decisive(summary.los)));
        prop_assert_eq!(free.errors, ErrorModel::Clustered);
    }

    #[test]
    fn no_interval_is_a_point(
        counts in few_pairs(), other in few_pairs(),
        openings in prop_oneof![Just(Openings::Fair), Just(Openings::Biased)],
    ) {
        let mut results = Results::new(3);
        results.add_counts(0, 1, &counts).unwrap();
        results.add_counts(1, 2, &other).unwrap();
        let ratings = rate(&results, &RatingSettings { openings, ..RatingSettings::default() }).unwrap();
        // Two or three of N equal pairs may have been others.
        let least = 50.0 / counts.total().max(other.total()) as f64;
        for entrant in &ratings.entrants {
            prop_assert!(width(entrant.elo) > least, "{:?}", entrant);
        }
        for (one, two) in [(0, 1), (1, 2), (0, 2)] {
            let difference = ratings.difference(one, two).unwrap();
            prop_assert!(width(difference) > least, "{:?}", difference);
            let los = ratings.superiority(one, two).unwrap();
            prop_assert!((0.0..=1.0).contains(&los));
            prop_assert!((los + ratings.superiority(two, one).unwrap() - 1.0).abs() < 1e-12);
            if ratings.errors == ErrorModel::Clustered {
                // One test: 0 is outside the interval if the probability is outside 2.5% to 97.5%, up to rounding and
                // the pull of the prior.
                let outside = difference.low > 0.0 || difference.high < 0.0;
                let is_near = (los.min(1.0 - los) - 0.025).abs() < 0.01;
                prop_assert!(outside != (0.025..=0.975).contains(&los) || is_near, "{:?} {}", difference, los);
            }
        }
        for estimate in [ratings.first_mover, ratings.opening_bias, ratings.draw_rate].into_iter().flatten() {
            let Estimate { value, low, high } = estimate;
            prop_assert!(low <= value && value <= high && !value.is_nan(), "{:?}", estimate);
        }
    }
}

#[test]
fn two_pairs_alike_say_little() {
    // A win and a draw twice.
    let ratings = rated(&alike(2, 2, 2, 1));
    let (one, los) = (ratings.entrants[0].elo, ratings.superiority(0, 1).unwrap());
    assert!((2.0 * one.low + 269.7).abs() < 0.1 && (2.0 * one.high - 483.5).abs() < 0.1, "{one:?}");
    assert!((los - 0.849).abs() < 0.001, "{los}");
    let seat = ratings.first_mover.unwrap();
    assert!(seat.low < 0.0 && seat.high > 250.0, "{seat:?}");
    let draws = ratings.draw_rate.unwrap();
    assert!(draws.low < 0.5 && draws.high >= 0.99, "{draws:?}");
    let ten = rated(&alike(2, 10, 2, 1));
    assert!(width(ten.entrants[0].elo) > 80.0, "{:?}", ten.entrants[0]);
    assert!(width(ten.first_mover.unwrap()) > 100.0, "{:?}", ten.first_mover);
}

#[test]
fn one_pair_tells_no_opening_bias() {
    // The first mover won both.
    let ratings = rated(&alike(2, 1, 2, 0));
    let bias = ratings.opening_bias.unwrap();
    assert!(bias.value.is_infinite() && bias.high.is_infinite() && bias.low < 100.0, "{bias:?}");
    let hundred = rated(&alike(2, 100, 2, 0)).opening_bias.unwrap();
    assert!(hundred.high.is_infinite() && (400.0..1500.0).contains(&hundred.low), "{hundred:?}");
    let drawn = rated(&alike(2, 3, 1, 1)).opening_bias.unwrap();
    assert!(drawn.low <= 0.0 && drawn.high > 100.0, "{drawn:?}");
}

#[test]
fn single_games_alike_say_as_little_as_their_counts() {
    for (wins, draws) in [(1, 1), (2, 0), (0, 2), (0, 1), (5, 5), (0, 10)] {
        let mut results = Results::new(2);
        results.add_games(0, 1, &Wdl { wins, draws, losses: 0 }).unwrap();
        results.add_games(1, 0, &Wdl { wins: 0, draws, losses: wins }).unwrap();
        let ratings = rated(&results);
        let summary = Summary::of_games(&Wdl { wins: 2 * wins, draws: 2 * draws, losses: 0 });
        let (ours, theirs) = (ratings.difference(0, 1).unwrap(), summary.elo.unwrap());
        for (ours, theirs) in [(ours.low, theirs.low), (ours.high, theirs.high)] {
            assert!(
                ours == theirs || (ours - theirs).abs() < 1e-6 * (1.0 + theirs.abs()),
                "{wins} {draws}: {ours} {theirs}"
            );
        }
        assert!((ratings.superiority(0, 1).unwrap() - summary.los).abs() < 1e-6, "{wins} {draws}");
        let seat = ratings.first_mover.unwrap();
        assert!(seat.value.abs() < 1e-6 && seat.low < -40.0 && seat.high > 40.0, "{seat:?}");
    }
}

#[test]
fn a_winner_of_every_game_has_a_lower_bound_only() {
    let won = rated(&alike(2, 10, 2, 2));
    let (one, two) = (won.entrants[0], won.entrants[1]);
    assert_eq!((one.standing, two.standing), (Standing::AllWon, Standing::AllLost));
    assert!(one.elo.value.is_finite() && one.elo.high.is_infinite() && one.elo.low > 50.0, "{one:?}");
    assert!(two.elo.value.is_finite() && two.elo.low.is_infinite() && two.elo.high < -50.0, "{two:?}");
    let games = Wdl { wins: 10, ..Wdl::default() };
    let mut singles = Results::new(2);
    singles.add_games(0, 1, &games).unwrap();
    singles.add_games(1, 0, &Wdl { losses: 10, ..Wdl::default() }).unwrap();
    let one = rated(&singles).entrants[0];
    assert!(one.elo.high.is_infinite() && one.elo.low > 50.0, "{one:?}");
}

#[test]
fn matches_in_one_list_are_estimated_like_each_alone() {
    // Two matches that nothing connects, and one that has not begun.
    let counts = [PairCounts([0, 0, 0, 0, 2, 0]), PairCounts([3, 9, 20, 300, 14, 4])];
    let mut results = Results::new(5);
    results.add_counts(0, 3, &counts[0]).unwrap();
    results.add_counts(1, 2, &counts[1]).unwrap();
    let ratings = rated(&results);
    assert_eq!((ratings.groups, ratings.errors), (3, ErrorModel::Prior));
    for ((one, two), counts) in [(0, 3), (1, 2)].into_iter().zip(counts) {
        let summary = Summary::of_pairs(&counts);
        let (ours, theirs) = (ratings.difference(one, two).unwrap(), summary.elo.unwrap());
        assert!(same(ours.low, theirs.low) && same(ours.high, theirs.high), "{ours:?} {theirs:?}");
        assert!(same(ratings.superiority(one, two).unwrap(), summary.los));
        assert!(width(ratings.entrants[one].elo) > 100.0, "relative to entrants that cannot be compared");
    }
    assert!(width(ratings.difference(0, 1).unwrap()) > 300.0);
}

#[test]
fn a_few_pairs_among_many_entrants_are_no_certainty() {
    // All entrants draw both games with all others, once or ten times.
    for (pairs, least) in [(1, 200.0), (10, 40.0)] {
        let mut results = Results::new(4);
        for (one, two) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            results.add_counts(one, two, &PairCounts([0, 0, 0, pairs, 0, 0])).unwrap();
        }
        let ratings = rated(&results);
        let difference = ratings.difference(0, 3).unwrap();
        assert!(difference.value.abs() < 1e-9 && width(difference) > least, "{pairs}: {difference:?}");
        assert!((difference.high + difference.low).abs() < 1e-6);
        assert!((ratings.superiority(0, 3).unwrap() - 0.5).abs() < 1e-9);
        // The scatter alone, by which ladders are planned, has not changed.
        assert!(width(ratings.by_scatter(0, 3).unwrap()) < width(difference));
    }
}

/// How often the intervals of differences hold the truth, for `pairs` pairs in each pairing of four entrants.
fn coverage(pairs: usize, draws: f64, openings: Openings) -> f64 {
    let truth = [-90.0, -20.0, 30.0, 80.0];
    let (mut held, mut all) = (0, 0);
    for seed in 0..250 {
        let mut random = generator(seed, 3);
        let mut results = Results::new(4);
        for one in 0..4 {
            for two in one + 1..4 {
                let expected = elo::expected_score(truth[one] - truth[two]);
                let half_draw = draws * expected.min(1.0 - expected);
                let mut score = || {
                    let x = random.uniform();
                    if x < expected - half_draw { 2 } else { usize::from(x < expected + half_draw) }
                };
                let mut table = PairTable::default();
                for _ in 0..pairs {
                    table[score()][score()] += 1;
                }
                results.add_pairs(one, two, &table).unwrap();
            }
        }
        let ratings = rate(&results, &RatingSettings { openings, ..RatingSettings::default() }).unwrap();
        for (one, two) in [(0, 1), (0, 3), (1, 2), (2, 3)] {
            let estimate = ratings.difference(one, two).unwrap();
            all += 1;
            held += i32::from(estimate.low <= truth[one] - truth[two] && truth[one] - truth[two] <= estimate.high);
        }
    }
    f64::from(held) / f64::from(all)
}

#[test]
#[ignore = "slow"]
fn intervals_of_few_pairs_hold_the_truth() {
    for (pairs, draws) in [(2, 0.3), (2, 0.9), (5, 0.9), (10, 0.3)] {
        let held = coverage(pairs, draws, Openings::Fair);
        assert!((0.925..=1.0).contains(&held), "{pairs} pairs, draws {draws}: {held}");
    }
    let held = coverage(5, 0.5, Openings::Biased);
    assert!((0.92..=1.0).contains(&held), "biased: {held}");
}
