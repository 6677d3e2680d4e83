//! Whole matches in rounds between entrants of known strength, without games.

use super::super::Match;
use crate::config::{GamesEach, Rounds, Schedule};
use crate::run::experiment::{Experiment, Verdict};
use crate::schedules::{Gauntlets, Knockout, KnockoutStanding, Swiss, SwissStanding, TournamentStanding};
use play::random::{Purpose, Stream};
use proptest::prelude::*;
use record::{PairIndex, Proposal};
use stats::{PairOutcome, Score};
use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU32, NonZeroU64};

/// Returns the outcome of a pair, drawn from a stream of its own, when entrants are 100 Elo apart and the first is the
/// best.
fn outcome(pair: PairIndex, proposal: &Proposal) -> PairOutcome {
    let [one, two] = [0, 1].map(|seat| f64::from(proposal.seats[seat].entrant));
    let p = 1.0 / (1.0 + libm::pow(10.0, (one - two) * 100.0 / 400.0));
    let mut stream = Stream::new(7, Purpose::Opening, pair);
    let mut game = || match f64::from(stream.below(1_000_000)) / 1e6 {
        x if x < p * 0.8 => Score::Win,
        x if x < p * 0.8 + 0.2 => Score::Draw,
        _ => Score::Loss,
    };
    PairOutcome::new(game(), game())
}

fn of(schedule: Schedule, entrants: u32, pairs: u64) -> Match {
    Match::new(NonZeroU64::new(pairs).unwrap(), schedule, entrants)
}

fn swiss(rounds: u32) -> Schedule {
    Schedule::Swiss(Swiss { rounds: NonZeroU32::new(rounds).unwrap() })
}

/// Plays to the verdict like the driver, either proposing as early as allowed or absorbing as long as possible, and
/// returns the proposals.
fn play(played: &mut Match, early: bool, outcome: impl Fn(PairIndex, &Proposal) -> PairOutcome) -> Vec<Proposal> {
    let (mut proposals, mut absorbed, mut exhausted) = (Vec::<Proposal>::new(), 0, false);
    while played.verdict().is_none() {
        let next = proposals.len() as u64;
        let required = played.required_absorbed(next);
        assert!(required <= next);
        let may_propose = !exhausted && required <= absorbed && (early || absorbed == next);
        if may_propose {
            match played.propose(next) {
                Some(proposal) => proposals.push(proposal),
                None => exhausted = true,
            }
        } else {
            assert!(absorbed < next, "nothing to absorb and nothing to propose");
            let proposal = &proposals[absorbed as usize];
            played.absorb(absorbed, proposal, outcome(absorbed, proposal));
            absorbed += 1;
        }
    }
    assert_eq!((played.verdict(), played.standing().pairs_left), (Some(Verdict::Complete), Some(0)));
    proposals
}

fn table(played: &Match) -> SwissStanding {
    match played.standing().tournament() {
        Some(TournamentStanding::Swiss(table)) => table.clone(),
        other => panic!("{other:?}"),
    }
}

fn tree(played: &Match) -> KnockoutStanding {
    match played.standing().tournament() {
        Some(TournamentStanding::Knockout(tree)) => tree.clone(),
        other => panic!("{other:?}"),
    }
}

fn meetings(proposals: &[Proposal]) -> BTreeMap<(u32, u32), u64> {
    let mut met = BTreeMap::new();
    for proposal in proposals {
        *met.entry((proposal.seats[0].entrant, proposal.seats[1].entrant)).or_default() += 1;
    }
    met
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_swiss_has_no_rematches_and_all_play_every_round(
        entrants in 2_u32..14, share in 0.0..1.0_f64, pairs in 1_u64..3,
    ) {
        let most = entrants - 1 + entrants % 2;
        let rounds = 1 + (share * f64::from(most - 1)).round() as u32;
        let mut played = of(swiss(rounds), entrants, pairs);
        let proposals = play(&mut played, true, outcome);
        let met = meetings(&proposals);
        prop_assert_eq!(met.len() as u32, rounds * (entrants / 2));
        prop_assert!(met.values().all(|&count| count == pairs));
        let either: BTreeSet<_> = met.keys().map(|&(one, two)| (one.min(two), one.max(two))).collect();
        prop_assert_eq!(either.len(), met.len());
        for place in table(&played).places {
            let meetings: u32 = place.meetings.iter().sum();
            prop_assert!(meetings + place.byes == rounds && place.byes <= entrants % 2, "{:?}", place);
        }
        // Each round has its own openings, and all meetings of a round share them.
        let openings: BTreeSet<u64> = proposals.iter().map(|proposal| proposal.opening).collect();
        prop_assert_eq!(openings.len() as u64, u64::from(rounds) * pairs);
    }

    #[test]
    fn a_knockout_ends_with_one_winner(entrants in 2_u32..20, pairs in 1_u64..3, tie_breaks in 0_u32..4) {
        let mut played = of(Schedule::Knockout(Knockout { tie_breaks }), entrants, pairs);
        let proposals = play(&mut played, true, outcome);
        let tree = tree(&played);
        let all: Vec<_> = tree.rounds.iter().flatten().filter(|game| game.opponent.is_some()).collect();
        prop_assert_eq!(all.len() as u32, entrants - 1, "everybody but the winner loses once");
        prop_assert!(tree.winner.is_some() && tree.rounds.len() as u32 == tree.of);
        prop_assert!(all.iter().all(|game| game.pairs >= pairs && game.pairs == pairs + game.tie_breaks));
        prop_assert!(all.iter().all(|game| game.tie_breaks <= u64::from(tie_breaks)));
        prop_assert_eq!(all.iter().map(|game| game.pairs).sum::<u64>(), proposals.len() as u64);
    }
}

#[test]
fn the_same_pairs_are_proposed_however_early_results_come() {
    for schedule in [swiss(4), swiss(9), Schedule::Knockout(Knockout { tie_breaks: 5 })] {
        let early = play(&mut of(schedule, 10, 3), true, outcome);
        assert_eq!(early, play(&mut of(schedule, 10, 3), false, outcome), "{schedule:?}");
    }
}

#[test]
fn a_swiss_finds_the_best_and_counts_byes_as_won() {
    let mut played = of(swiss(3), 7, 20);
    let _proposals = play(&mut played, true, outcome);
    let table = table(&played);
    assert_eq!((table.round, table.rounds), (3, 3));
    assert_eq!(table.places[0].entrant, 0, "{table:?}");
    let byes: Vec<_> = table.places.iter().filter(|place| place.byes > 0).collect();
    assert_eq!(byes.len(), 3);
    for place in byes {
        assert_eq!(place.half_points, 2 + 2 * place.meetings[0] + place.meetings[1], "{place:?}");
    }
    let all: u32 = table.places.iter().map(|place| place.half_points).sum();
    assert_eq!(all, 3 * 2 * 4, "four meetings a round, the bye included");
}

#[test]
fn a_meeting_counts_in_the_table_once_its_last_pair_is_played() {
    let mut played = of(swiss(2), 4, 2);
    let first = played.propose(0).unwrap();
    played.absorb(0, &first, PairOutcome::WW);
    assert!(table(&played).places.iter().all(|place| place.half_points == 0));
    for pair in 1..4 {
        assert_eq!(played.required_absorbed(4), 4);
        let proposal = played.propose(pair).unwrap();
        played.absorb(pair, &proposal, PairOutcome::WW);
    }
    let places: Vec<(u32, u32, u32)> =
        table(&played).places.iter().map(|place| (place.entrant, place.half_points, place.buchholz)).collect();
    assert_eq!(places, [(0, 2, 0), (1, 2, 0), (2, 0, 2), (3, 0, 2)]);
    let second = played.propose(4).unwrap();
    assert_eq!((second.seats[0].entrant, second.seats[1].entrant, second.opening), (0, 1, 2), "the winners meet");
}

#[test]
fn a_tied_match_is_extended_pair_by_pair_and_the_better_seed_wins_at_last() {
    // 1 and 2 stay level; 0 beats 3 at once, and then 1.
    let level = |_, proposal: &Proposal| {
        let seats = [0, 1].map(|seat| proposal.seats[seat].entrant);
        if seats == [1, 2] { PairOutcome::WL } else { PairOutcome::WW }
    };
    let mut played = of(Schedule::Knockout(Knockout { tie_breaks: 3 }), 4, 2);
    let proposals = play(&mut played, true, level);
    let tree = tree(&played);
    assert_eq!(tree.winner, Some(0));
    let second = tree.rounds[0][1];
    assert_eq!((second.entrant, second.opponent, second.winner), (1, Some(2), Some(1)));
    assert_eq!((second.pairs, second.tie_breaks, second.half_points), (5, 3, [10, 10]));
    let of_match: Vec<u64> =
        proposals.iter().filter(|p| p.seats[0].entrant == 1).map(|proposal| proposal.opening).collect();
    assert_eq!(of_match, [0, 1, 2, 3, 4]);
    let last: Vec<u64> = proposals.iter().rev().take(2).map(|proposal| proposal.opening).collect();
    assert_eq!(last, [6, 5], "the final has openings of its own");
}

#[test]
fn gauntlets_and_the_pyramid_have_their_pairings_once() {
    let seeds = NonZeroU32::new(2).unwrap();
    let of_gauntlets = meetings(&play(&mut of(Schedule::Gauntlets(Gauntlets { seeds }), 4, 2), true, outcome));
    assert_eq!(of_gauntlets.keys().copied().collect::<Vec<_>>(), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
    let mut pyramid = of(Schedule::Pyramid, 4, 2);
    let proposals = play(&mut pyramid, true, |_, _| PairOutcome::LL);
    let of_first: Vec<_> = proposals.iter().take(6).map(|p| (p.seats[0].entrant, p.seats[1].entrant)).collect();
    assert_eq!(of_first, [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]);
    assert_eq!(
        pyramid.standing().counts.pairs().map(|counts| counts.count(PairOutcome::WW)),
        Some(6),
        "of the first entrant, from its view"
    );
}

#[test]
fn meetings_of_single_games_and_of_games_counted_one_by_one_end_when_pairs_would() {
    for rounds in [Rounds { games: GamesEach::One, ..Rounds::default() }, Rounds { singly: true, ..Rounds::default() }]
    {
        for schedule in [swiss(3), Schedule::Knockout(Knockout { tie_breaks: 0 })] {
            let mut played = of(schedule, 8, 3).of_rounds(rounds);
            let mut pair = 0;
            while let Some(proposal) = played.propose(pair) {
                assert!(played.required_absorbed(pair) <= pair);
                let better =
                    if proposal.seats[0].entrant < proposal.seats[1].entrant { Score::Win } else { Score::Loss };
                match rounds.games {
                    GamesEach::One => played.absorb_game(pair, &proposal, better),
                    GamesEach::Two => played.absorb(pair, &proposal, PairOutcome::new(better, better)),
                }
                pair += 1;
            }
            assert_eq!((played.verdict(), pair), (Some(Verdict::Complete), if schedule == swiss(3) { 36 } else { 21 }));
            match played.standing().tournament() {
                Some(TournamentStanding::Swiss(table)) => {
                    assert_eq!((table.places[0].entrant, table.places[0].half_points), (0, 6), "{rounds:?}");
                    assert!(table.places.iter().all(|place| place.meetings.iter().sum::<u32>() == 3));
                }
                Some(TournamentStanding::Knockout(tree)) => {
                    assert_eq!(tree.winner, Some(0));
                    assert!(tree.rounds.iter().flatten().all(|game| (game.pairs, game.tie_breaks) == (3, 0)));
                }
                None => panic!("no tournament"),
            }
        }
    }
}
