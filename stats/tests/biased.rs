//! Ratings from openings that favour one seat: what the truth is on average, how often the intervals hold it, and what cannot
//! be rated so.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use rand_xoshiro::rand_core::Rng;
use stats::plan::simulate::generator;
use stats::rating::{Openings, PairTable, RatingError, RatingSettings, Ratings, Results, Standing, rate};
use stats::{Score, Wdl, elo};

const TRUTH: [f64; 4] = [-120.0, -30.0, 30.0, 120.0];

fn uniform(generator: &mut impl Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A game with this expected score, drawn in `draws` of all cases between equals and in fewer between others.
fn game(generator: &mut impl Rng, score: f64, draws: f64) -> Score {
    let half = draws * score.min(1.0 - score);
    match uniform(generator) {
        x if x < score - half => Score::Win,
        x if x < score + half => Score::Draw,
        _ => Score::Loss,
    }
}

/// A round robin from openings that favour one seat by 1/4 to 1 of `bias`, and the first mover by 20 Elo more.
fn round_robin(seed: u64, pairs: usize, bias: f64, draws: f64) -> Results {
    let mut generator = generator(seed, 0);
    let mut results = Results::new(TRUTH.len());
    for one in 0..TRUTH.len() {
        for two in one + 1..TRUTH.len() {
            let mut table = PairTable::default();
            for _ in 0..pairs {
                let size = bias * (0.25 + 0.75 * uniform(&mut generator));
                let opening = 20.0 + if uniform(&mut generator) < 0.5 { size } else { -size };
                let [first, second] = [opening, -opening].map(|favour| {
                    let score = elo::expected_score(TRUTH[one] - TRUTH[two] + favour);
                    game(&mut generator, score, draws)
                });
                table[first as usize][second as usize] += 1;
            }
            results.add_pairs(one, two, &table).unwrap();
        }
    }
    results
}

fn rated(results: &Results, openings: Openings) -> Ratings {
    rate(results, &RatingSettings { openings, ..RatingSettings::default() }).unwrap()
}

/// Slope of the ratings over the truth, and the share of intervals that hold the truth, in so many pools.
fn quality(pools: u64, openings: Openings, pool: impl Fn(u64) -> Results) -> (f64, f64) {
    let square: f64 = TRUTH.iter().map(|truth| truth * truth).sum();
    let (mut slope, mut held) = (0.0, 0.0);
    for seed in 0..pools {
        for (rating, truth) in rated(&pool(seed), openings).entrants.iter().zip(TRUTH) {
            slope += rating.elo.value * truth / square;
            held += f64::from(u8::from((rating.elo.low..=rating.elo.high).contains(&truth)));
        }
    }
    (slope / pools as f64, held / (pools as usize * TRUTH.len()) as f64)
}

#[test]
fn the_truth_from_fair_openings_is_found_from_biased_ones() {
    for (bias, draws) in [(0.0, 0.3), (30.0, 0.6), (120.0, 0.1), (250.0, 0.0), (250.0, 0.6)] {
        let (slope, held) = quality(300, Openings::Biased, |seed| round_robin(seed, 200, bias, draws));
        assert!((0.97..=1.03).contains(&slope), "bias {bias}, draws {draws}: slope {slope}");
        assert!((0.93..=0.97).contains(&held), "bias {bias}, draws {draws}: coverage {held}");
    }
}

#[test]
fn points_alone_make_ratings_from_biased_openings_shrink() {
    let (slope, held) = quality(40, Openings::Fair, |seed| round_robin(seed, 1000, 250.0, 0.1));
    assert!(slope < 0.9 && held < 0.8, "{slope} {held}");
}

#[test]
fn the_typical_bias_is_told() {
    // Small ones are drowned in noise.
    for (bias, range) in [(0.0, 0.0..=60.0), (160.0, 95.0..=125.0), (320.0, 195.0..=230.0)] {
        let told = rated(&round_robin(5, 4000, bias, 0.3), Openings::Biased).opening_bias.unwrap();
        assert!(range.contains(&told), "{told} for {bias}");
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
    // 11 + 21/2 + 30/4 pairs' worth won, 3 + 13/2 + 30/4 lost: half the logarithm of the ratio, but for the prior.
    let expected = 200.0 * libm::log10((11.0 + 10.5 + 7.5) / (3.0 + 6.5 + 7.5));
    let difference = one.value * 2.0;
    assert!((0.97..1.0).contains(&(difference / expected)), "{difference} {expected}");
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
    // A win and a loss each time but for the pairs that 0 won: from biased openings nobody knows how much better it is.
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
