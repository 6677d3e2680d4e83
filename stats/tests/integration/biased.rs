//! Ratings from openings that favour one seat: the mean error, the coverage of the intervals, and the cases that cannot
//! be rated.

mod pools;

use pools::{Pool, quality, rated};
use stats::Wdl;
use stats::rating::{Openings, PairTable, RatingError, RatingSettings, Results, Standing, rate};

#[test]
#[ignore = "slow"]
fn the_truth_from_fair_openings_is_found_from_biased_ones() {
    for (bias, draws) in [(0.0, 0.3), (30.0, 0.6), (120.0, 0.1), (250.0, 0.0), (250.0, 0.6)] {
        let (slope, held) = quality(300, Openings::Biased, &Pool { pairs: 200, bias, draws });
        assert!((0.97..=1.03).contains(&slope), "bias {bias}, draws {draws}: slope {slope}");
        assert!((0.93..=0.97).contains(&held), "bias {bias}, draws {draws}: coverage {held}");
    }
}

#[test]
fn points_alone_make_ratings_from_biased_openings_shrink() {
    let (slope, held) = quality(40, Openings::Fair, &Pool { pairs: 1000, bias: 250.0, draws: 0.1 });
    assert!(slope < 0.9 && held < 0.8, "{slope} {held}");
}

#[test]
fn the_typical_bias_is_estimated() {
    // Openings of 0, and of sizes whose mean square is that of 106 Elo, with 20 for the first mover.
    for (bias, truth) in [(0.0, 20.0), (160.0, 108.0)] {
        let pool = Pool { pairs: 1000, bias, draws: 0.3 };
        let estimates = (0..30).map(|seed| rated(&pool.results(seed), Openings::Biased).opening_bias.unwrap());
        let held = estimates.filter(|one| one.low <= truth && truth <= one.high && one.high - one.low < 80.0).count();
        assert!(held >= 24, "{held} of 30 intervals hold {truth}");
    }
    assert_eq!(rated(&Results::new(2), Openings::Biased).opening_bias, None);
}

#[test]
fn seats_and_sides_do_not_matter() {
    let mut results = Results::new(2);
    let mut mirrored = Results::new(2);
    let table: PairTable = [[3, 5, 40], [8, 30, 9], [35, 12, 11]];
    results.add_pairs(0, 1, &table).unwrap();
    let swapped: PairTable = [0, 1, 2].map(|a| [0, 1, 2].map(|b: usize| table[2 - b][2 - a]));
    mirrored.add_pairs(1, 0, &swapped).unwrap();
    let [one, two] = [&results, &mirrored].map(|results| rated(results, Openings::Biased).entrants[0].elo);
    assert!((one.value - two.value).abs() < 1e-9 && (one.high - two.high).abs() < 1e-9, "{one:?} {two:?}");
    // 11 + 21/2 + 30/4 pairs' worth won, 3 + 13/2 + 30/4 lost: half the logarithm of the ratio.
    let expected = 200.0 * libm::log10((11.0 + 10.5 + 7.5) / (3.0 + 6.5 + 7.5));
    let difference = one.value * 2.0;
    assert!((difference - expected).abs() < 1e-9, "{difference} {expected}");
}

#[test]
fn what_is_no_pair_says_nothing_and_is_refused_where_there_is_nothing_else() {
    let mut results = Results::new(3);
    results.add_pairs(0, 1, &[[10, 5, 5], [5, 5, 5], [5, 5, 20]]).unwrap();
    let without = rated(&results, Openings::Biased).entrants[0].elo;
    results.add_games(0, 1, &Wdl { wins: 0, draws: 0, losses: 50 }).unwrap();
    let with = rated(&results, Openings::Biased).entrants[0].elo;
    assert!((with.value - without.value).abs() < 1e-9, "{with:?} {without:?}");
    results.add_games(1, 2, &Wdl { wins: 3, draws: 3, losses: 3 }).unwrap();
    let settings = RatingSettings { openings: Openings::Biased, ..RatingSettings::default() };
    assert_eq!(rate(&results, &settings), Err(RatingError::Unpaired(2)));
}

#[test]
fn pairs_that_never_go_one_way_leave_a_bound() {
    let mut results = Results::new(3);
    // Each pair is a win and a loss, except those that 0 won: from biased openings it is unknown how much better 0 is.
    results.add_pairs(0, 1, &[[0, 0, 40], [0, 0, 0], [40, 0, 10]]).unwrap();
    results.add_pairs(1, 2, &[[5, 0, 10], [0, 0, 0], [10, 0, 5]]).unwrap();
    let (fair, biased) = (rated(&results, Openings::Fair), rated(&results, Openings::Biased));
    assert_eq!((fair.groups, biased.groups), (1, 2));
    for rating in &biased.entrants {
        assert_eq!(rating.standing, Standing::Bounded);
        let width = rating.elo.high - rating.elo.low;
        assert!(rating.elo.value.abs() < 2000.0 && (50.0..4000.0).contains(&width), "{rating:?}");
    }
}
