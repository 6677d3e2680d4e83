//! The groups of comparable entrants: without a prior a rating exists only relative to entrants that one has, directly
//! or through others, both scored against and conceded to (Ford, "Solution of a ranking problem from binary
//! comparisons" (1957)).

use super::fit::Model;
use super::results::Results;

/// The group of each entrant, counted from 0 in the order of the entrants.
pub(super) fn groups(results: &Results, model: Model) -> Vec<usize> {
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
    let mut group = vec![usize::MAX; n];
    let mut count = 0;
    for entrant in 0..n {
        if group[entrant] == usize::MAX {
            let (forth, back) = (reach(&beats, entrant), reach(&beaten, entrant));
            for other in 0..n {
                if forth[other] && back[other] {
                    group[other] = count;
                }
            }
            count += 1;
        }
    }
    group
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
