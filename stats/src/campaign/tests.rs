use super::*;
use crate::Model;
use crate::plan::{Conditions, PairLaw};
use crate::random::Stream;

fn law(elo: f64) -> PairLaw {
    Conditions::new(0.5, 100.0).and_then(|conditions| conditions.law_at(Model::Logistic, elo)).expect("a small gain")
}

/// Plays batches of 16 pairs, at most this many pairs, between the base and patches with these gains.
fn play(campaign: &mut Campaign, gains: &[f64], pairs: u64, seed: u64) -> u64 {
    let laws: Vec<PairLaw> = gains.iter().map(|&gain| law(gain)).collect();
    let mut random = Stream::from_seed(seed);
    let mut played = 0;
    while let Some(patch) = campaign.next().filter(|_| played < pairs) {
        for _ in 0..16 {
            campaign.record(patch, laws[patch].sample(&mut random));
        }
        played += 16;
    }
    played
}

fn with_ideas(ideas: u32) -> Campaign {
    let mut campaign = Campaign::new(Rules::default(), ideas);
    (0..ideas).for_each(|_| _ = campaign.add_idea());
    campaign
}

#[test]
fn shares_never_exceed_the_budget() {
    for planned in [1, 3, 20] {
        let mut campaign = with_ideas(planned);
        for _ in 0..300 {
            let _late = campaign.add_idea();
        }
        for take in 0..2_000 {
            let _number = campaign.add_take(take % 30);
        }
        let sum: f64 = campaign.patches().iter().map(|patch| patch.share).sum();
        assert!(sum < 1.0 && sum > 0.9, "{planned}: {sum}");
        assert!(campaign.patches().iter().all(|patch| patch.share > 0.0));
    }
}

#[test]
fn a_take_spends_from_its_ideas_share_alone() {
    let mut campaign = with_ideas(2);
    let before: Vec<f64> = campaign.patches().iter().map(|patch| patch.share).collect();
    let second = campaign.add_take(0).expect("there is such a patch");
    let third = campaign.add_take(second).expect("there is such a patch");
    let takes: Vec<(u32, u32)> = campaign.patches().iter().map(|patch| (patch.idea, patch.take)).collect();
    assert_eq!(takes, [(0, 1), (1, 1), (0, 2), (0, 3)]);
    assert_eq!(campaign.patches()[..2].iter().map(|patch| patch.share).collect::<Vec<_>>(), before);
    let [second, third] = [second, third].map(|number| campaign.patches()[number].share);
    assert!(before[0] > 4.0 * second && second > third, "{before:?} {second} {third}");
    assert_eq!(campaign.add_take(9), None);
}

#[test]
fn each_patch_plays_the_least_number_of_pairs_first() {
    let mut campaign = with_ideas(4);
    let played = play(&mut campaign, &[0.0, 60.0, -60.0, 5.0], 4 * Rules::default().least_pairs, 1);
    let pairs: Vec<u64> = campaign.patches().iter().map(|patch| patch.pairs.total()).collect();
    assert_eq!(played, 4 * Rules::default().least_pairs);
    // A patch that is decided earlier needs no more pairs.
    let is_enough = |patch: &Patch| patch.state != State::Playing || patch.pairs.total() >= 128;
    assert!(campaign.patches().iter().all(is_enough), "{pairs:?}");
}

#[test]
fn what_gains_is_accepted_and_what_loses_is_dropped() {
    let mut campaign = with_ideas(4);
    let played = play(&mut campaign, &[-40.0, 25.0, 0.0, 40.0], 20_000, 2);
    let states: Vec<State> = campaign.patches().iter().map(|patch| patch.state).collect();
    assert_eq!((states[0], states[1], states[3]), (State::Dropped, State::Accepted, State::Accepted), "{played}");
    assert_ne!(states[2], State::Accepted);
    let pairs: Vec<u64> = campaign.patches().iter().map(|patch| patch.pairs.total()).collect();
    assert!(pairs[0] < 1_000 && pairs[3] < 2_000, "{pairs:?}");
}

#[test]
fn what_is_settled_stays_as_it_is() {
    let mut campaign = with_ideas(2);
    play(&mut campaign, &[60.0, -60.0], 20_000, 3);
    assert_eq!(campaign.next(), None);
    let before = campaign.clone();
    for patch in [0, 1, 7] {
        campaign.record(patch, PairOutcome::WW);
    }
    assert_eq!(campaign, before);
}

#[test]
fn patches_of_a_higher_priority_play_until_they_are_decided() {
    let mut campaign = with_ideas(4);
    let shares = |campaign: &Campaign| campaign.patches().iter().map(|patch| patch.share).collect::<Vec<_>>();
    let before = shares(&campaign);
    for (patch, priority) in [(0, -1), (1, 5), (3, 5), (9, 7)] {
        campaign.prefer(patch, priority);
    }
    assert_eq!(shares(&campaign), before);
    let laws = [60.0, -60.0, -60.0, 60.0].map(law);
    let (mut random, mut order) = (Stream::from_seed(5), Vec::new());
    while let Some(patch) = campaign.next().filter(|_| order.len() < 1_000) {
        order.push(patch);
        (0..16).for_each(|_| campaign.record(patch, laws[patch].sample(&mut random)));
    }
    // 1 and 3 come first, both from the start; then 2 alone, and 0 last.
    order.dedup();
    assert_eq!(order[..3], [1, 3, 1]);
    let turn = |patch: usize| order.iter().position(|&played| played == patch);
    let last = |patch: usize| order.iter().rposition(|&played| played == patch);
    assert!(last(1).max(last(3)) < turn(2) && last(2) < turn(0), "{order:?}");
    assert_eq!(campaign.patches()[0].state, State::Accepted);
}

/// The order of play does not affect an e-value: the error rate is the same with a dead patch that plays before the
/// others.
#[test]
fn a_dead_patch_of_high_priority_is_seldom_accepted() {
    let is_false = |seed: &u64| {
        let mut campaign = with_ideas(5);
        campaign.prefer(2, 1);
        play(&mut campaign, &[0.0; 5], 4_000, 900 + seed);
        campaign.patches().iter().any(|patch| patch.state == State::Accepted)
    };
    let falsely = (0..200).filter(is_false).count();
    assert!(falsely <= 10, "{falsely} of 200");
}

/// Only the counts matter, so a campaign that is restored from its pairs is the same.
#[test]
fn the_order_of_pairs_within_a_patch_does_not_matter_to_its_evidence() {
    let outcomes = [PairOutcome::LL, PairOutcome::WW, PairOutcome::WD, PairOutcome::DD, PairOutcome::WL];
    let ln_e_value = |outcomes: &mut dyn Iterator<Item = PairOutcome>| {
        let mut campaign = with_ideas(1);
        outcomes.for_each(|outcome| campaign.record(0, outcome));
        campaign.patches()[0].ln_e_value
    };
    let [one, other] = [ln_e_value(&mut outcomes.into_iter()), ln_e_value(&mut outcomes.into_iter().rev())];
    assert_eq!(one.to_bits(), other.to_bits());
}

/// If no patch gains, a discovery is false: at most one campaign in twenty has one, although each pair is inspected.
#[test]
fn dead_patches_are_seldom_accepted() {
    let is_false = |seed: &u64| {
        let mut campaign = with_ideas(5);
        play(&mut campaign, &[0.0; 5], 4_000, 100 + seed);
        campaign.patches().iter().any(|patch| patch.state == State::Accepted)
    };
    let falsely = (0..200).filter(is_false).count();
    assert!(falsely <= 10, "{falsely} of 200");
}

#[test]
fn a_batch_counts_as_its_pairs_do_and_what_is_left_out_plays_no_more() {
    let outcomes = [PairOutcome::WW, PairOutcome::WD, PairOutcome::DD, PairOutcome::LD];
    let (mut one_by_one, mut at_once) = (with_ideas(2), with_ideas(2));
    let mut counts = PairCounts::default();
    for outcome in outcomes {
        one_by_one.record(1, outcome);
        counts.add(outcome);
    }
    at_once.count(1, counts);
    assert_eq!(one_by_one, at_once);
    at_once.leave_out(1);
    assert_eq!((at_once.patches()[1].state, at_once.next()), (State::Dropped, Some(0)));
    let before = at_once.clone();
    at_once.count(1, PairCounts::default());
    at_once.count(9, counts);
    at_once.leave_out(9);
    assert_eq!(at_once, before);
    let needed = at_once.ln_e_value_needed(&at_once.patches()[0]);
    assert!((needed - libm::log(2.0 / (0.05 * 0.9 * 0.9))).abs() < 1e-12, "{needed}");
}
