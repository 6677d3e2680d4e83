//! The pairings of a Swiss round: the best entrants first, each against an opponent with equal points, without
//! rematches.
//!
//! Entrants stand in order of their points. The first one meets the entrant half-way down among those with the same
//! points (so the upper half meets the lower), or the next candidate, as long as all remaining entrants can still be
//! paired without a rematch. Then the first remaining entrant is paired, and so on. The entrant without an opponent has
//! a bye: the last in order that has had none. A bye counts as a meeting with an extra entrant, so a second bye would
//! be a rematch.
//!
//! With n entrants, including that extra one, n / 2 rounds can always be drawn this way: before each of them every
//! entrant has at least n / 2 others left to meet, so a perfect matching exists (Dirac 1952). If more rounds are asked
//! for, each round is one of the n - 1 rounds of a round robin by the circle method: the unplayed round in which the
//! points of opponents differ least.

use petgraph::algo::maximum_matching;
use petgraph::graph::UnGraph;
use std::collections::BTreeSet;

/// Two entrants that meet, the lower number first.
pub(super) type Meeting = (u32, u32);

/// The input for drawing a round. Entrants are 0, 1, ...; the last number stands for the bye.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// All entrants, the best first.
    pub(super) order: Vec<u32>,
    /// Half points by entrant.
    pub(super) points: Vec<u32>,
    /// The pairs of entrants that have met.
    pub(super) met: BTreeSet<Meeting>,
    /// The number that stands for the bye, if the number of entrants is odd.
    pub(super) bye: Option<u32>,
}

/// Returns the meeting of two entrants, in the order of their numbers.
pub(super) fn meeting(one: u32, two: u32) -> Meeting {
    (one.min(two), one.max(two))
}

impl Field {
    fn may_meet(&self, one: u32, two: u32) -> bool {
        !self.met.contains(&meeting(one, two))
    }

    /// Returns the meetings of the next round, the best first, the bye last; empty if every round has a rematch.
    pub(super) fn draw(&self) -> Vec<Meeting> {
        let mut left = self.order.clone();
        let mut meetings = Vec::new();
        let idle = self.bye.and_then(|bye| {
            let idle =
                (0..left.len()).rev().find(|&at| self.may_meet(left[at], bye) && self.leaves_pairs(&left, &[at]));
            Some(meeting(left.remove(idle?), bye))
        });
        while let Some(at) = self.opponent(&left) {
            let two = left.remove(at);
            meetings.push(meeting(left.remove(0), two));
        }
        meetings.extend(idle);
        if left.is_empty() { meetings } else { Vec::new() }
    }

    /// Returns the place in the order of the first entrant's opponent.
    fn opponent(&self, left: &[u32]) -> Option<usize> {
        let points = |at: usize| self.points[left[at] as usize];
        let equals = (1..left.len()).take_while(|&at| points(at) == points(0)).count() + 1;
        let half = (equals / 2).max(1);
        let wished = (half..equals).chain((1..half.min(equals)).rev()).chain(equals..left.len());
        wished.into_iter().find(|&at| self.may_meet(left[0], left[at]) && self.leaves_pairs(left, &[0, at]))
    }

    /// Whether all entrants can be paired except those at the places in `without`.
    fn leaves_pairs(&self, left: &[u32], without: &[usize]) -> bool {
        let rest: Vec<u32> = (0..left.len()).filter(|at| !without.contains(at)).map(|at| left[at]).collect();
        let mut graph = UnGraph::<(), (), u32>::default();
        let nodes: Vec<_> = rest.iter().map(|_| graph.add_node(())).collect();
        for one in 0..rest.len() {
            for two in one + 1..rest.len() {
                if self.may_meet(rest[one], rest[two]) {
                    graph.add_edge(nodes[one], nodes[two], ());
                }
            }
        }
        // The size of a maximum matching does not depend on which one is found.
        maximum_matching(&graph).len() * 2 == rest.len()
    }

    /// Returns the meetings of the best unplayed round of a round robin, the bye last; empty if all rounds have been
    /// played.
    pub(super) fn draw_of_round_robin(&self) -> Vec<Meeting> {
        let count = self.order.len() as u32 + u32::from(self.bye.is_some());
        let unplayed = (0..count.saturating_sub(1)).map(|round| circle(count, round));
        let unplayed = unplayed.filter(|round| round.iter().all(|&(one, two)| self.may_meet(one, two)));
        let mut best = unplayed.min_by_key(|round| self.apart(round)).unwrap_or_default();
        best.sort_by_key(|&(one, two)| (Some(two) == self.bye, self.place(one).min(self.place(two))));
        best
    }

    fn place(&self, entrant: u32) -> usize {
        self.order.iter().position(|&known| known == entrant).unwrap_or(self.order.len())
    }

    /// Returns how far apart the points of opponents are. A bye fits best for entrants with few points.
    fn apart(&self, round: &[Meeting]) -> u64 {
        let points = |entrant: u32| u64::from(self.points.get(entrant as usize).copied().unwrap_or(0));
        round.iter().map(|&(one, two)| points(one).abs_diff(points(two)).pow(2)).sum()
    }
}

/// Returns a round of the round robin of `count` entrants, an even number, by the circle method: the last entrant stays
/// in place, the others rotate around it.
fn circle(count: u32, round: u32) -> Vec<Meeting> {
    let turning = count - 1;
    let around = (1..count / 2).map(|k| meeting((round + k) % turning, (round + turning - k) % turning));
    std::iter::once(meeting(turning, round)).chain(around).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circle_has_every_meeting_once() {
        for count in [2, 4, 6, 20] {
            let all: Vec<Meeting> = (0..count - 1).flat_map(|round| circle(count, round)).collect();
            let different: BTreeSet<Meeting> = all.iter().copied().collect();
            assert_eq!((all.len(), different.len() as u32), (different.len(), count * (count - 1) / 2));
        }
    }

    fn field(count: u32, points: &[u32], met: &[Meeting]) -> Field {
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|&entrant| (std::cmp::Reverse(points[entrant as usize]), entrant));
        let bye = (count % 2 == 1).then_some(count);
        Field { order, points: points.to_vec(), met: met.iter().copied().collect(), bye }
    }

    #[test]
    fn the_upper_half_meets_the_lower() {
        assert_eq!(field(8, &[0; 8], &[]).draw(), [(0, 4), (1, 5), (2, 6), (3, 7)]);
        assert_eq!(field(5, &[0; 5], &[]).draw(), [(0, 2), (1, 3), (4, 5)], "the last one has a bye");
    }

    #[test]
    fn equals_meet_and_never_twice() {
        let met = [(0, 2), (1, 3)];
        assert_eq!(field(4, &[2, 2, 0, 0], &met).draw(), [(0, 1), (2, 3)]);
        // 0 should meet 1, but then 2 and 3 would have to meet again.
        assert_eq!(field(4, &[2, 2, 0, 0], &[(0, 2), (2, 3)]).draw(), [(0, 3), (1, 2)]);
        // 0 has met all others, so no round is left.
        assert_eq!(field(4, &[0; 4], &[(0, 1), (0, 2), (0, 3)]).draw(), []);
    }

    #[test]
    fn who_had_a_bye_has_no_second_one() {
        let drawn = field(3, &[0, 2, 2], &[(2, 3), (0, 1)]).draw();
        assert_eq!(drawn, [(1, 2), (0, 3)]);
    }
}
