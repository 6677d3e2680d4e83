//! Who can be compared with whom: without a prior a rating exists only relative to entrants one has, through others at least,
//! both scored against and conceded to (Ford, "Solution of a ranking problem from binary comparisons" (1957)).

use super::fit::Model;
use super::results::Results;

/// Who can be compared with whom.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Groups {
    /// For each entrant the number of its group, counted from 0 in the order of the entrants.
    pub(super) of: Vec<usize>,
    /// How many there are.
    pub(super) count: usize,
    /// For each group whether it has scored against others, and others against it: on these sides results bound it, below and above.
    bounded: Vec<[bool; 2]>,
}

impl Groups {
    /// The sides, below and above, on which nothing but the prior bounds the rating of an entrant: of one alone in its group, who never
    /// scored against others, or against whom no other scored.
    pub(super) fn unbounded(&self, entrant: usize) -> [bool; 2] {
        let group = self.of[entrant];
        let is_alone = self.of.iter().filter(|of| **of == group).count() == 1;
        let [below, above] = self.bounded[group];
        [is_alone && above && !below, is_alone && below && !above]
    }
}

/// The groups of results.
pub(super) fn groups(results: &Results, model: Model) -> Groups {
    let n = results.entrants();
    let (mut beats, mut beaten) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    let mut scored = |a: usize, b: usize| {
        beats[a].push(b);
        beaten[b].push(a);
    };
    for seating in model.seatings(results) {
        let [first_scored, second_scored] = seating.scored();
        if first_scored {
            scored(seating.first, seating.second);
        }
        if second_scored {
            scored(seating.second, seating.first);
        }
    }
    let mut of = vec![usize::MAX; n];
    let mut count = 0;
    for entrant in 0..n {
        if of[entrant] == usize::MAX {
            let (forth, back) = (reach(&beats, entrant), reach(&beaten, entrant));
            for other in 0..n {
                if forth[other] && back[other] {
                    of[other] = count;
                }
            }
            count += 1;
        }
    }
    let mut joined = vec![[false; 2]; count];
    for (one, others) in beats.iter().enumerate() {
        for &other in others.iter().filter(|other| of[**other] != of[one]) {
            joined[of[one]][0] = true;
            joined[of[other]][1] = true;
        }
    }
    Groups { of, count, bounded: joined }
}

fn reach(edges: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut open = vec![from];
    seen[from] = true;
    while let Some(here) = open.pop() {
        for &next in &edges[here] {
            if !seen[next] {
                seen[next] = true;
                open.push(next);
            }
        }
    }
    seen
}
