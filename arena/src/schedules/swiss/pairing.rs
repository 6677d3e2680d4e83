//! The pairings of a Swiss round: the best first, each with an equal in points, without rematches.
//!
//! Entrants stand in order of their points. The first of them meets, of those with the same points, the one half of
//! them further down (so the upper half meets the lower), or the next that there is, so long as all who are left can be
//! paired without a rematch; then the first of those who are left, and so on. The entrant without an opponent has a
//! bye: the last in order that has had none. A bye is like meeting one further entrant, so a second bye would be a
//! rematch.
//!
//! Of n entrants (that one included) n / 2 rounds can always be drawn so: everybody has n / 2 or more left to meet in
//! each of them, and then there is a perfect matching (Dirac 1952). For more rounds each is one of the n - 1 rounds of
//! a round robin by the circle method, that of those not yet played in which the points of opponents differ least.

use petgraph::algo::maximum_matching;
use petgraph::graph::UnGraph;
use std::collections::BTreeSet;

/// Two who meet, the one with the lower number first.
pub(super) type Meeting = (u32, u32);

/// What a round is drawn from. Entrants are 0, 1, ..., and the one that stands for a bye is the last of all.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// All, the best first.
    pub(super) order: Vec<u32>,
    /// Half points by entrant.
    pub(super) points: Vec<u32>,
    /// The pairs of entrants that have met.
    pub(super) met: BTreeSet<Meeting>,
    /// Who stands for a bye, if their number is odd.
    pub(super) bye: Option<u32>,
}

/// Two who meet, in the order of their numbers.
pub(super) fn meeting(one: u32, two: u32) -> Meeting {
    (one.min(two), one.max(two))
}

impl Field {
    fn may_meet(&self, one: u32, two: u32) -> bool {
        !self.met.contains(&meeting(one, two))
    }

    /// The meetings of the next round, the best first, that with the bye last; empty if there is none without a
    /// rematch.
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

    /// Where in the order the opponent of the first one stands.
    fn opponent(&self, left: &[u32]) -> Option<usize> {
        let points = |at: usize| self.points[left[at] as usize];
        let equals = (1..left.len()).take_while(|&at| points(at) == points(0)).count() + 1;
        let half = (equals / 2).max(1);
        let wished = (half..equals).chain((1..half.min(equals)).rev()).chain(equals..left.len());
        wished.into_iter().find(|&at| self.may_meet(left[0], left[at]) && self.leaves_pairs(left, &[0, at]))
    }

    /// Whether all can be paired without those at these places.
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
        // How many can be matched is one number, whichever way they are.
        maximum_matching(&graph).len() * 2 == rest.len()
    }

    /// The meetings of the round of a round robin that fits best, that with the bye last; empty if all have been
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

    /// How far apart the points of opponents are; a bye is best for those with few.
    fn apart(&self, round: &[Meeting]) -> u64 {
        let points = |entrant: u32| u64::from(self.points.get(entrant as usize).copied().unwrap_or(0));
        round.iter().map(|&(one, two)| points(one).abs_diff(points(two)).pow(2)).sum()
    }
}

/// A round of the round robin of this many entrants, an even number, by the circle method: the last one stays, the
/// others turn about it.
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
        // 0 would meet 1, but then 2 and 3 would have to meet again.
        assert_eq!(field(4, &[2, 2, 0, 0], &[(0, 2), (2, 3)]).draw(), [(0, 3), (1, 2)]);
        // Three who have met each other leave no round.
        assert_eq!(field(4, &[0; 4], &[(0, 1), (0, 2), (0, 3)]).draw(), []);
    }

    #[test]
    fn who_had_a_bye_has_no_second_one() {
        let drawn = field(3, &[0, 2, 2], &[(2, 3), (0, 1)]).draw();
        assert_eq!(drawn, [(1, 2), (0, 3)]);
    }
}
