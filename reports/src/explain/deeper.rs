//! First disagreements, judged by deeper searches of both entrants.

use super::partings::Parting;
use super::views::Scale;
use arena::run::Said;
use stats::Estimate;

/// Disagreements in one direction that both entrants searched again.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct DeeperRow {
    /// Whether the first entrant expected more for itself than the second did for it.
    pub more_hopeful: bool,
    /// The number of positions.
    pub positions: u64,
    /// The share of the points that each entrant had expected for the first one.
    pub expected: [f64; 2],
    /// The share that each entrant expects after the deeper search.
    pub deeper: [f64; 2],
    /// For each entrant, the number of positions in which its expectation was nearer to the mean of both deeper
    /// searches.
    pub nearer: [u64; 2],
}

impl DeeperRow {
    /// The share of positions in which the first entrant was nearer; `None` if neither ever was.
    pub fn first_nearer(&self) -> Option<Estimate> {
        nearer(self.nearer)
    }
}

/// The share of the first of two counts.
pub(super) fn nearer([one, two]: [u64; 2]) -> Option<Estimate> {
    let all = (one + two) as f64;
    Estimate::wilson(one as f64 / all, all).filter(|_| one + two > 0)
}

/// The deeper searches of both entrants.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Deeper {
    /// The limit of a move.
    pub limit: String,
    /// The positions where the first entrant had expected more, and those where it had expected less; no row is empty.
    pub rows: Vec<DeeperRow>,
    /// The number of positions without a score from one of the entrants.
    pub left_out: u64,
}

/// A position where views parted, and each entrant's expected share of the points after a deeper search.
type Judged<'a> = (&'a Parting, [f64; 2]);

impl Deeper {
    /// `said` belongs to the first of `partings`. Leaves out positions without a score from one of the entrants.
    pub(super) fn of(limit: String, partings: &[Parting], said: &[Said], scales: [Scale; 2]) -> Self {
        let searched: Vec<Judged<'_>> = partings
            .iter()
            .zip(said)
            .filter_map(|(parting, said)| {
                let share = |entrant: usize| {
                    let share = scales[entrant].share(said[entrant]?);
                    Some(if parting.mover == 0 { share } else { 1.0 - share })
                };
                Some((parting, [share(0)?, share(1)?]))
            })
            .collect();
        let rows = [true, false].into_iter().filter_map(|more_hopeful| row(more_hopeful, &searched)).collect();
        Self { limit, rows, left_out: (said.len() - searched.len()) as u64 }
    }

    /// For each entrant, the number of positions in which its expectation was nearer to the deeper searches.
    pub(super) fn nearer(&self) -> [u64; 2] {
        [0, 1].map(|entrant| self.rows.iter().map(|row| row.nearer[entrant]).sum())
    }
}

fn row(more_hopeful: bool, searched: &[Judged<'_>]) -> Option<DeeperRow> {
    let is_of_row = |(parting, _): &&Judged<'_>| (parting.expected[0] > parting.expected[1]) == more_hopeful;
    let of_row: Vec<_> = searched.iter().filter(is_of_row).collect();
    let positions = of_row.len() as f64;
    let mean = |of: &dyn Fn(&Judged<'_>) -> f64| of_row.iter().map(|one| of(one)).sum::<f64>() / positions;
    let is_nearer = |entrant: usize, (parting, deeper): &Judged<'_>| {
        let both = f64::midpoint(deeper[0], deeper[1]);
        (parting.expected[entrant] - both).abs() < (parting.expected[1 - entrant] - both).abs()
    };
    (!of_row.is_empty()).then(|| DeeperRow {
        more_hopeful,
        positions: of_row.len() as u64,
        expected: [0, 1].map(|entrant| mean(&|(parting, _)| parting.expected[entrant])),
        deeper: [0, 1].map(|entrant| mean(&|(_, deeper)| deeper[entrant])),
        nearer: [0, 1].map(|entrant| of_row.iter().filter(|one| is_nearer(entrant, one)).count() as u64),
    })
}
