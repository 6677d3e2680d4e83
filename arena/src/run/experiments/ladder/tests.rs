//! Ladders among entrants of known strength, without games.

use super::*;
use play::random::{Purpose, Stream};
use std::num::NonZeroU64;

fn config(entrants: u32, pairs: u64) -> LadderConfig {
    LadderConfig {
        pairs: NonZeroU64::new(pairs).unwrap(),
        precision: None,
        lookahead: NonZeroU64::new(16).unwrap(),
        compare: Compare::Neighbours,
        anchor: 0,
        anchor_elo: 0.0,
        entrants,
        first_opening: 0,
        gone: Vec::new(),
        known: Vec::new(),
    }
}

/// Returns the outcome of a pair, drawn from a stream of its own, when neighbouring entrants are 60 Elo apart.
fn outcome(pair: PairIndex, proposal: &Proposal) -> PairOutcome {
    let [one, two] = [0, 1].map(|seat| f64::from(proposal.seats[seat].entrant));
    let p = 1.0 / (1.0 + libm::pow(10.0, (two - one) * 60.0 / 400.0));
    let mut stream = Stream::new(7, Purpose::Opening, pair);
    let mut game = || {
        let wins = f64::from(stream.below(1_000_000)) < p * 1e6;
        if wins { stats::Score::Win } else { stats::Score::Loss }
    };
    PairOutcome::new(game(), game())
}

/// Plays to the verdict, absorbing as late as `required_absorbed` allows, and returns the proposals.
fn play(ladder: &mut Ladder) -> Vec<Proposal> {
    let (mut proposals, mut absorbed) = (Vec::new(), 0);
    while ladder.verdict().is_none() {
        let next = proposals.len() as u64;
        if !ladder.ended && ladder.required_absorbed(next) <= absorbed {
            proposals.extend(ladder.propose(next));
        } else {
            let proposal = proposals[absorbed as usize].clone();
            ladder.absorb(absorbed, &proposal, outcome(absorbed, &proposal));
            absorbed += 1;
        }
    }
    proposals
}

#[test]
fn strengths_are_found_and_every_neighbour_is_known_alike() {
    let mut ladder = Ladder::new(config(6, 3000)).unwrap();
    let proposals = play(&mut ladder);
    assert_eq!((proposals.len(), ladder.verdict()), (3000, Some(Verdict::Complete)));
    let ratings = ladder.ratings().unwrap();
    for (k, rating) in ratings.entrants.iter().enumerate() {
        let truth = 60.0 * k as f64;
        assert!((rating.elo.value - truth).abs() < 45.0, "{k}: {rating:?}");
    }
    let widths: Vec<f64> = (1..6).map(|k| ratings.difference(k - 1, k).map_or(0.0, |d| d.high - d.low)).collect();
    let (least, most) = widths.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &w| (a.min(w), b.max(w)));
    assert!(most < 1.4 * least, "{widths:?}");
    let far = proposals.iter().filter(|p| p.seats[0].entrant.abs_diff(p.seats[1].entrant) > 2).count();
    assert!(far < proposals.len() / 4, "{far} pairs between entrants far apart");
}

#[test]
fn the_same_pairs_are_proposed_however_early_results_come() {
    let late = play(&mut Ladder::new(config(5, 200)).unwrap());
    let mut ladder = Ladder::new(config(5, 200)).unwrap();
    let mut early = Vec::new();
    // Proposes each batch as soon as allowed, as the driver does after each absorbed pair.
    for absorbed in 0..=200 {
        while !ladder.ended && ladder.required_absorbed(early.len() as u64) <= absorbed {
            early.extend(ladder.propose(early.len() as u64));
        }
        if absorbed < 200 {
            ladder.absorb(absorbed, &early[absorbed as usize], outcome(absorbed, &early[absorbed as usize]));
        }
    }
    assert_eq!(early, late);
    let required = |pair| ladder.required_absorbed(pair);
    assert!((0..199).all(|pair| required(pair) <= required(pair + 1) && required(pair) <= pair));
}

#[test]
fn a_newcomer_is_played_most_and_what_is_known_is_not_played_again() {
    let counts = PairCounts([100, 0, 300, 0, 0, 100]);
    let known = |entrant, opponent| KnownResult { entrant, opponent, counts };
    let known = vec![known(0, 1), known(2, 1)];
    let mut ladder = Ladder::new(LadderConfig { known, first_opening: 500, ..config(4, 320) }).unwrap();
    let proposals = play(&mut ladder);
    let newcomers = proposals.iter().filter(|proposal| proposal.seats[1].entrant == 3).count();
    assert!(newcomers > 300, "{newcomers} of {}", proposals.len());
    assert_eq!((proposals[0].opening, proposals[319].opening), (500, 819));
    let standing = ladder.standing();
    let own: u64 = standing.pairings().iter().map(|pairing| pairing.counts.total()).sum();
    assert_eq!((own, standing.pairs, standing.pairs_left), (320, 320, Some(0)), "earlier pairs are not of this run");
}

#[test]
fn games_against_one_that_is_gone_tell_of_those_that_are_left() {
    let counts = PairCounts([500, 0, 1000, 0, 0, 500]);
    let met = |entrant| KnownResult { entrant, opponent: 3, counts };
    let fresh = LadderConfig { compare: Compare::All, ..config(3, 96) };
    let known = LadderConfig { known: vec![met(0), met(1)], gone: vec!["gone".to_owned()], ..fresh.clone() };
    let [fresh, known] = [fresh, known].map(|config| {
        let mut ladder = Ladder::new(config.clone()).unwrap();
        let proposals = play(&mut ladder);
        assert!(proposals.iter().all(|proposal| proposal.seats.iter().all(|seat| seat.entrant < 3)));
        assert_eq!(ladder_ratings(&config, ladder.standing().pairings()).unwrap(), ladder.ratings().unwrap());
        proposals.iter().filter(|proposal| proposal.seats[0].entrant == 0 && proposal.seats[1].entrant == 1).count()
    });
    assert!(
        fresh > 20 && known < 5,
        "{fresh} pairs of the two without, {known} with what is known by way of the third"
    );
}

#[test]
fn a_ladder_ends_when_it_is_precise_enough() {
    let mut ladder = Ladder::new(LadderConfig { precision: Some(40.0), ..config(3, 100_000) }).unwrap();
    let pairs = play(&mut ladder).len();
    assert!((100..2000).contains(&pairs), "{pairs}");
    assert!(ladder.widest(&ladder.ratings().unwrap()) < 41.0);
    assert_eq!(ladder.standing().pairs_left, Some(0));
}

#[test]
fn against_the_anchor_the_anchor_plays_most() {
    let mut ladder = Ladder::new(LadderConfig { compare: Compare::Anchor, anchor: 2, ..config(5, 320) }).unwrap();
    let proposals = play(&mut ladder);
    let played = |entrant| proposals.iter().filter(|p| p.seats.iter().any(|seat| seat.entrant == entrant)).count();
    let others: Vec<usize> = [0, 1, 3, 4].map(played).to_vec();
    assert!(others.iter().all(|&other| 2 * played(2) > 3 * other && other > 50), "{} {others:?}", played(2));
    let ratings = ladder.ratings().unwrap();
    assert!(ratings.entrants[2].elo.value.abs() < 1e-9);
}

#[test]
fn what_a_run_played_and_what_was_known_make_the_ratings_that_it_plays_by() {
    let counts = PairCounts([10, 0, 30, 0, 0, 20]);
    let known = vec![KnownResult { entrant: 2, opponent: 0, counts }];
    let config = LadderConfig { known, anchor: 1, anchor_elo: 500.0, ..config(3, 64) };
    let mut ladder = Ladder::new(config.clone()).unwrap();
    let _proposals = play(&mut ladder);
    let (own, fitted) = (ladder.ratings().unwrap(), ladder_ratings(&config, ladder.standing().pairings()).unwrap());
    assert_eq!(own, fitted);
    assert!((fitted.entrants[1].elo.value - 500.0).abs() < 1e-9);
    let games: f64 = fitted.entrants.iter().map(|rating| rating.games).sum();
    assert!((games - 4.0 * 124.0).abs() < 1e-9, "two entrants in each of two games: {games}");
}

#[test]
fn where_all_differences_count_all_are_known_alike() {
    let mut ladder = Ladder::new(LadderConfig { compare: Compare::All, ..config(5, 640) }).unwrap();
    let proposals = play(&mut ladder);
    let played = |entrant| proposals.iter().filter(|p| p.seats.iter().any(|seat| seat.entrant == entrant)).count();
    let pairs: Vec<usize> = (0..5).map(played).collect();
    assert!(pairs.iter().all(|&pairs| (150..400).contains(&pairs)), "{pairs:?}");
    let ratings = ladder.ratings().unwrap();
    let pairings = (0..5).flat_map(|one| (one + 1..5).map(move |two| (one, two)));
    let widths: Vec<f64> =
        pairings.map(|(one, two)| ratings.difference(one, two).map_or(0.0, |d| d.high - d.low)).collect();
    let (least, most) = widths.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &w| (a.min(w), b.max(w)));
    assert!(most < 2.0 * least, "{widths:?}");
}
