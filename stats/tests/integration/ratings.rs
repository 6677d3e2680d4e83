//! Ratings of synthetic pools: they find the truth, report what they cannot know, and stay fast.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use stats::plan::simulate::generator;
use stats::random::Stream;
use stats::rating::{ErrorModel, Openings, PairTable, RatingError, RatingSettings, Results, Standing, rate};
use stats::{PairCounts, PairOutcome, Score, Wdl, elo};

const SCORES: [Score; 3] = [Score::Loss, Score::Draw, Score::Win];

/// A pair of two games by sides of this difference. The first mover has an advantage, and both games share the
/// opening's bias, which gives one side of the board up to 0.3 points.
fn pair(generator: &mut Stream, difference: f64, seat: f64) -> (Score, Score) {
    let mut uniform = || generator.uniform();
    let whim = 0.6 * (uniform() - 0.5);
    let mut game = |score: f64| {
        let x = uniform();
        // A quarter of the room on the thinner side is drawn.
        let half_draw = score.min(1.0 - score) / 4.0;
        if x < score - half_draw {
            Score::Win
        } else if x < score + half_draw {
            Score::Draw
        } else {
            Score::Loss
        }
    };
    (game(elo::expected_score(difference + seat) + whim), game(elo::expected_score(difference - seat) - whim))
}

fn pairs(generator: &mut Stream, count: usize, difference: f64, seat: f64) -> PairTable {
    let mut table = PairTable::default();
    for _ in 0..count {
        let (first, second) = pair(generator, difference, seat);
        table[first as usize][second as usize] += 1;
    }
    table
}

fn round_robin(truth: &[f64], count: usize, seed: u64) -> Results {
    repeated(truth, count, seed, 1)
}

/// Every pair counted this many times.
fn repeated(truth: &[f64], count: usize, seed: u64, times: usize) -> Results {
    let mut generator = generator(seed, 0);
    let mut results = Results::new(truth.len());
    for one in 0..truth.len() {
        for two in one + 1..truth.len() {
            let table = pairs(&mut generator, count, truth[one] - truth[two], 25.0);
            (0..times).for_each(|_| results.add_pairs(one, two, &table).unwrap());
        }
    }
    results
}

#[test]
#[ignore = "slow"]
fn intervals_from_whole_pairs_hold_the_truth_as_often_as_they_say() {
    let truth = [-90.0, -20.0, 10.0, 30.0, 70.0];
    let (mut hits, mut naive_hits, mut all) = (0, 0, 0);
    for seed in 0..300 {
        let ratings = rate(&round_robin(&truth, 150, seed), &RatingSettings::default()).unwrap();
        assert_eq!((ratings.groups, ratings.errors), (1, ErrorModel::Clustered));
        for (rating, truth) in ratings.entrants.iter().zip(truth) {
            all += 1;
            hits += i32::from(rating.elo.low <= truth && truth <= rating.elo.high);
            // The hits if the width were 30% smaller.
            naive_hits += i32::from((rating.elo.value - truth).abs() < 0.7 * (rating.elo.high - rating.elo.value));
        }
    }
    // 1500 intervals, but the five of each pool share their noise: three standard errors are below 2.5%.
    let share = f64::from(hits) / f64::from(all);
    assert!((0.925..0.975).contains(&share), "{share}");
    assert!(f64::from(naive_hits) / f64::from(all) < 0.9);
}

#[test]
fn the_first_movers_advantage_is_found() {
    let ratings = rate(&round_robin(&[0.0, 50.0, -50.0], 4000, 5), &RatingSettings::default()).unwrap();
    let advantage = ratings.first_mover.unwrap();
    assert!(advantage.low < 25.0 && advantage.high > 25.0, "{advantage:?}");
    assert!(advantage.high - advantage.low < 10.0);
    let even = RatingSettings { first_mover: false, ..RatingSettings::default() };
    assert_eq!(rate(&round_robin(&[0.0, 50.0], 100, 5), &even).unwrap().first_mover, None);
}

#[test]
fn pairs_and_their_games_give_the_same_ratings() {
    let pairs = round_robin(&[0.0, 40.0, -40.0], 200, 3);
    let mut generator = generator(3, 0);
    let mut games = Results::new(3);
    let truth = [0.0, 40.0, -40.0];
    for (one, two) in [(0, 1), (0, 2), (1, 2)] {
        for _ in 0..200 {
            let (first, second) = pair(&mut generator, truth[one] - truth[two], 25.0);
            for (a, b, score) in [(one, two, first), (two, one, second.mirror())] {
                let mut game = Wdl::default();
                game.add(score);
                games.add_games(a, b, &game).unwrap();
            }
        }
    }
    // The first mover's advantage cancels in pairs, and in these games counted singly only if it is assumed 0.
    let settings = RatingSettings { first_mover: false, ..RatingSettings::default() };
    let (pairs, games) = (rate(&pairs, &settings).unwrap(), rate(&games, &settings).unwrap());
    for (p, g) in pairs.entrants.iter().zip(&games.entrants) {
        assert!((p.elo.value - g.elo.value).abs() < 1e-9);
        // Shared biases make pairs quieter than independent games.
        assert!(p.elo.high - p.elo.low < 0.97 * (g.elo.high - g.elo.low));
        assert!((p.points - g.points).abs() < 1e-12);
    }
    assert!((pairs.draw_rate.unwrap().value - games.draw_rate.unwrap().value).abs() < 1e-12);
}

#[test]
fn pairs_are_rated_alike_whether_or_not_their_seats_are_known() {
    let mut generator = generator(17, 0);
    let (mut by_seat, mut outcomes) = (Results::new(3), Results::new(3));
    for (one, two, difference) in [(0, 1, 150.0), (1, 2, 90.0), (0, 2, 240.0)] {
        let table = pairs(&mut generator, 400, difference, 120.0);
        by_seat.add_pairs(one, two, &table).unwrap();
        let mut counts = PairCounts::default();
        for (a, row) in SCORES.into_iter().zip(table) {
            for (b, n) in SCORES.into_iter().zip(row) {
                counts.0[PairOutcome::new(a, b) as usize] += n;
            }
        }
        outcomes.add_counts(one, two, &counts).unwrap();
    }
    for openings in [Openings::Fair, Openings::Biased] {
        let settings = RatingSettings { openings, anchors: vec![(2, 0.0)], ..RatingSettings::default() };
        let (known, unknown) = (rate(&by_seat, &settings).unwrap(), rate(&outcomes, &settings).unwrap());
        for (k, u) in known.entrants.iter().zip(&unknown.entrants) {
            assert!((k.elo.value - u.elo.value).abs() < 1e-9 && (k.elo.low - u.elo.low).abs() < 1e-9, "{k:?} {u:?}");
        }
    }
    let advantage = rate(&by_seat, &RatingSettings::default()).unwrap().first_mover.unwrap();
    assert!(advantage.low < 120.0 && 100.0 < advantage.high && advantage.low > 70.0, "{advantage:?}");
}

#[test]
fn anchors_are_kept_and_carry_no_error() {
    let results = round_robin(&[0.0, 40.0, -40.0], 200, 9);
    let settings = RatingSettings { anchors: vec![(1, 2500.0)], ..RatingSettings::default() };
    let anchored = rate(&results, &settings).unwrap();
    let anchor = anchored.entrants[1].elo;
    assert!((anchor.value - 2500.0).abs() < 1e-9 && (anchor.high - anchor.low).abs() < 1e-9);
    let free = rate(&results, &RatingSettings::default()).unwrap();
    for k in [0, 2] {
        let (a, f) = (anchored.difference(k, 1).unwrap(), free.difference(k, 1).unwrap());
        // The prior pulls towards a centre that is fixed in one fit and fitted in the other.
        assert!((a.value - f.value).abs() < 0.2 && (a.low - f.low).abs() < 0.3, "{a:?} {f:?}");
    }
}

#[test]
fn a_pool_alike_is_rated_alike() {
    let even = Wdl { wins: 10, draws: 20, losses: 10 };
    let mut results = Results::new(3);
    for (a, b) in [(0, 1), (1, 2), (2, 0)] {
        results.add_games(a, b, &even).unwrap();
    }
    let ratings = rate(&results, &RatingSettings::default()).unwrap();
    assert!(ratings.entrants.iter().all(|r| r.elo.value.abs() < 1e-9));
    assert!((ratings.draw_rate.unwrap().value - 0.5).abs() < 1e-9);
    assert!(ratings.los().iter().flatten().all(|p| (p - 0.5).abs() < 1e-9));
}

#[test]
fn los_is_complementary() {
    let ratings = rate(&round_robin(&[0.0, 15.0, -15.0], 100, 2), &RatingSettings::default()).unwrap();
    let los = ratings.los();
    for (one, row) in los.iter().enumerate() {
        for (two, p) in row.iter().enumerate() {
            assert!((p + los[two][one] - 1.0).abs() < 1e-12);
        }
    }
    assert!(los[1][2] > 0.9);
}

#[test]
fn islands_and_idlers_are_finite_and_flagged() {
    let mut results = Results::new(6);
    let games = Wdl { wins: 12, draws: 5, losses: 3 };
    results.add_games(0, 1, &games).unwrap();
    results.add_games(2, 3, &games).unwrap();
    results.add_games(3, 4, &Wdl { wins: 50, ..Wdl::default() }).unwrap();
    let ratings = rate(&results, &RatingSettings::default()).unwrap();
    assert_eq!(ratings.groups, 4);
    assert_eq!(ratings.errors, ErrorModel::Prior);
    let group: Vec<usize> = ratings.entrants.iter().map(|r| r.group).collect();
    assert_eq!(group, [0, 0, 1, 1, 2, 3]);
    let standing: Vec<Standing> = ratings.entrants.iter().map(|r| r.standing).collect();
    let bounded = Standing::Bounded;
    assert_eq!(standing, [bounded, bounded, bounded, bounded, Standing::AllLost, Standing::NoGames]);
    for rating in &ratings.entrants {
        let width = rating.elo.high - rating.elo.low;
        assert!(rating.elo.value.abs() < 3000.0 && width > 20.0 && width < 5000.0, "{rating:?}");
    }
    assert!(rate(&Results::new(0), &RatingSettings::default()).unwrap().entrants.is_empty());
}

#[test]
#[ignore = "slow"]
fn large_pools_are_rated() {
    let truth: Vec<f64> = (0..500).map(|k| f64::from(k * 7919 % 500) - 250.0).collect();
    let mut generator = generator(11, 0);
    let mut results = Results::new(truth.len());
    for one in 0..truth.len() {
        for step in [1, 7, 31, 100] {
            let two = (one + step) % truth.len();
            let table = pairs(&mut generator, 50, truth[one] - truth[two], 0.0);
            results.add_pairs(one, two, &table).unwrap();
        }
    }
    let ratings = rate(&results, &RatingSettings::default()).unwrap();
    let miss = |(k, t): (usize, &f64)| (ratings.entrants[k].elo.value - t).abs();
    let mean = truth.iter().enumerate().map(miss).sum::<f64>() / 500.0;
    assert!(mean < 30.0, "{mean}");
}

#[test]
fn a_million_pairs_cost_what_ten_do() {
    let truth: Vec<f64> = (0..10).map(|k| f64::from(k) * 20.0 - 90.0).collect();
    let rated = |times| rate(&repeated(&truth, 100, 4, times), &RatingSettings::default()).unwrap();
    let (small, large) = (rated(1), rated(256));
    let ratio = |k: usize| {
        let width = |r: &stats::rating::Ratings| r.entrants[k].elo.high - r.entrants[k].elo.low;
        width(&small) / width(&large)
    };
    // 256 times the pairs give a sixteenth of the error, up to the prior.
    assert!((0..10).all(|k| (ratio(k) - 16.0).abs() < 0.3), "{}", ratio(0));
}

#[test]
fn nonsense_is_refused() {
    let mut results = Results::new(2);
    assert_eq!(results.add_games(0, 2, &Wdl::default()), Err(RatingError::UnknownEntrant { entrant: 2, entrants: 2 }));
    assert_eq!(results.add_pairs(1, 1, &PairTable::default()), Err(RatingError::PlaysItself(1)));
    for prior_draws in [0.0, -1.0, f64::NAN, 101.0] {
        let settings = RatingSettings { prior_draws, ..RatingSettings::default() };
        assert!(matches!(rate(&results, &settings), Err(RatingError::Prior(_))));
    }
    for anchor in [(0, f64::NAN), (0, f64::INFINITY)] {
        let settings = RatingSettings { anchors: vec![anchor], ..RatingSettings::default() };
        assert!(matches!(rate(&results, &settings), Err(RatingError::Anchor { .. })));
    }
}
