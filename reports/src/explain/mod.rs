//! Explains an entrant's score against another: where in the games points were won and lost, where the entrants' views
//! parted and who was right, which better positions were drawn, and how fast each searched.
//!
//! Games are read twice: first to learn what evaluations are worth, then to add them up. Memory is bounded.

mod deeper;
mod draws;
mod falls;
mod flow;
mod openings;
mod partings;
mod phases;
mod text;
mod views;

pub use deeper::{Deeper, DeeperRow};
pub use draws::{BETTER, DrawRow};
pub use falls::Fall;
pub use flow::FlowRow;
pub use openings::{MOST_TESTED, OpeningRow};
pub use partings::{MOST_POSITIONS, PARTED, Parting, PartingRow};
pub(crate) use text::Table;

use crate::gather::{Calibration, GameSeen, Pace, ending_in_words, fault_in_words, games_of};
use crate::replay::has_clock;
use arena::run::{Header, JournalError, JournalReader, Said, StoredResult};
use draws::Draws;
use falls::Falls;
use flow::Flow;
use openings::Openings;
use partings::Partings;
use phases::{Phase, phases};
use play::Side;
use stats::{Counts, Estimate, Score};
use std::collections::BTreeMap;
use views::{Scale, View, views};

/// The number of plies in a row of the table by move number.
const PLIES_A_ROW: usize = 20;
/// The lower ends of the rows by the clock, as shares of a side's time at the start of the game.
const CLOCK: [f64; 4] = [0.5, 0.2, 0.05, 0.0];

/// Why an entrant scored as it did.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Explanation {
    /// The two entrants. All shares and points are the first one's.
    pub entrants: [String; 2],
    /// The number of games between them.
    pub games: u64,
    /// The number of these games whose evaluations were recorded.
    pub recorded: u64,
    /// Elo of the first entrant; `None` without games.
    pub elo: Option<Estimate>,
    /// How fast each entrant searched.
    pub search: [SearchRow; 2],
    /// Points by the number of the move.
    pub by_move: Vec<FlowRow>,
    /// Points by the number of pieces left; empty if the game has no such phases.
    pub by_phase: Vec<FlowRow>,
    /// Points by the clock of the side to move; empty if nothing was timed.
    pub by_clock: Vec<FlowRow>,
    /// Where the views parted.
    pub partings: Vec<PartingRow>,
    /// The positions where the views parted, from the first games.
    #[serde(skip)]
    pub parted: Vec<Parting>,
    /// The results of deeper searches of these positions, if there were any.
    pub deeper: Option<Deeper>,
    /// Draws.
    pub draws: Vec<DrawRow>,
    /// Games lost by each entrant's faults, by kind.
    pub faults: BTreeMap<&'static str, [u64; 2]>,
    /// The largest falls of the first entrant's expected score.
    pub falls: Vec<Fall>,
    /// The number of openings that occurred often enough to be tested.
    pub openings_tested: u64,
    /// The tested openings in which the first entrant scored differently than elsewhere, by more than chance explains.
    pub openings: Vec<OpeningRow>,
    /// The scale of each entrant's evaluations.
    #[serde(skip)]
    scales: [Scale; 2],
}

impl Explanation {
    /// Adds both entrants' answers after a deeper search, with this limit, of the first of the [`parted`](Self::parted)
    /// positions.
    pub fn judge(&mut self, limit: String, said: &[Said]) {
        self.deeper = Some(Deeper::of(limit, &self.parted, said, self.scales));
    }
}

/// How fast an entrant searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct SearchRow {
    /// Nodes a second.
    pub nodes_per_second: Option<f64>,
    /// Nodes a move.
    pub nodes_a_move: Option<f64>,
    /// Seconds a move.
    pub seconds_a_move: Option<f64>,
    /// The median depth of the moves after the opening, in plies.
    pub depth: Option<f64>,
}

impl SearchRow {
    fn of(pace: &Pace) -> Self {
        let seconds = pace.thinking.as_secs_f64();
        let has_nodes = pace.nodes > 0;
        Self {
            nodes_per_second: (seconds > 0.0 && has_nodes).then(|| pace.nodes as f64 / seconds),
            nodes_a_move: pace.nodes_a_move().filter(|_| has_nodes),
            seconds_a_move: pace.time_a_move().map(|time| time.as_secs_f64()),
            depth: pace.depths().median().map(|median| median.value),
        }
    }
}

/// Explains the score of one entrant against another over the first `pairs` pairs of a run. Entrants are given by their
/// numbers.
///
/// # Errors
/// [`JournalError`] if the journal cannot be read.
pub fn explain(
    header: &Header,
    journal: &JournalReader,
    pairs: u64,
    entrants: [usize; 2],
) -> Result<Explanation, JournalError> {
    let mut first = FirstLook::new(header);
    journal.results(0..pairs, |stored| {
        first.add(&stored, entrants);
        Ok::<_, JournalError>(())
    })?;
    let mut second = SecondLook::new(&first);
    journal.results(0..pairs, |stored| {
        second.add(header, &stored, entrants);
        Ok::<_, JournalError>(())
    })?;
    let names = entrants.map(|entrant| header.config.entrants[entrant].name.clone());
    Ok(second.explanation(&first, names))
}

/// The seat of the first entrant, if these two play each other in a pair.
fn seat_of_first(stored: &StoredResult, entrants: [usize; 2]) -> Option<usize> {
    let seats = [0, 1].map(|seat| stored.proposal.seats[seat].entrant as usize);
    if seats == entrants { Some(0) } else { (seats == [entrants[1], entrants[0]]).then_some(1) }
}

/// The games of a pair, each with the side of the first entrant, which has this seat.
fn seated(stored: &StoredResult, seat: usize) -> impl Iterator<Item = (GameSeen<'_>, Side)> {
    games_of(stored).map(move |(game, side)| (game, if seat == 0 { side } else { !side }))
}

/// The data needed before evaluations can be added up: what they are worth.
struct FirstLook {
    counts: Counts,
    calibration: [Calibration; 2],
    pace: [Pace; 2],
}

impl FirstLook {
    fn new(header: &Header) -> Self {
        let counts = header.config.experiment.rounds().no_counts();
        Self { counts, calibration: Default::default(), pace: Default::default() }
    }

    fn add(&mut self, stored: &StoredResult, entrants: [usize; 2]) {
        let Some(seat) = seat_of_first(stored, entrants) else { return };
        let outcome = stored.result.outcome();
        self.counts.add(if seat == 0 { outcome } else { outcome.mirror() });
        for (game, first) in seated(stored, seat) {
            let times = &game.record.circumstances.times;
            for (entrant, side) in [first, !first].into_iter().enumerate() {
                self.calibration[entrant].add(&game, side);
                self.pace[entrant].add(&game, side, times.thinking[side], times.delayed[side]);
            }
        }
    }
}

/// The sums of evaluations, clocks and endings.
struct SecondLook {
    scales: [Scale; 2],
    games: u64,
    recorded: u64,
    by_move: Flow<Option<usize>>,
    by_phase: Flow<Phase>,
    by_clock: Flow<Option<(usize, usize)>>,
    partings: Partings,
    draws: Draws,
    faults: BTreeMap<&'static str, [u64; 2]>,
    falls: Falls,
    openings: Openings,
}

impl SecondLook {
    fn new(first: &FirstLook) -> Self {
        Self {
            scales: [0, 1].map(|entrant| Scale::of(&first.calibration[entrant])),
            games: 0,
            recorded: 0,
            by_move: Flow::default(),
            by_phase: Flow::default(),
            by_clock: Flow::default(),
            partings: Partings::default(),
            draws: Draws::default(),
            faults: BTreeMap::new(),
            falls: Falls::default(),
            openings: Openings::default(),
        }
    }

    fn add(&mut self, header: &Header, stored: &StoredResult, entrants: [usize; 2]) {
        let Some(seat) = seat_of_first(stored, entrants) else { return };
        let mut scores = Vec::new();
        for (game, first) in seated(stored, seat) {
            let score = game.score(first);
            scores.push(score.points());
            self.add_game(header, stored, &game, first, score);
        }
        self.openings.add(stored, &scores);
        self.by_move.end_pair();
        self.by_phase.end_pair();
        self.by_clock.end_pair();
    }

    fn add_game(&mut self, header: &Header, stored: &StoredResult, game: &GameSeen<'_>, first: Side, score: Score) {
        self.games += 1;
        if let Some((side, fault)) = game.record.ending.fault() {
            self.faults.entry(fault_in_words(fault)).or_default()[usize::from(side != first)] += 1;
        }
        let clocks = [first, !first].map(|side| has_clock(header, stored, game.game, side));
        let views = views(game, first, self.scales, clocks);
        if score == Score::Draw {
            self.draws.add(ending_in_words(&game.record.ending), &views);
        }
        if views.iter().all(|view| view.mean().is_none()) {
            return;
        }
        self.recorded += 1;
        let (opening, points) = (game.opening_plies, score.points());
        self.by_move.add(&views, points, |ply| ply.map(|ply| (opening + ply) / PLIES_A_ROW));
        if views.iter().any(|view| view.clock.is_some()) {
            self.by_clock.add(&views, points, |ply| clock_of(&views[ply?]));
        }
        let moves = [&stored.result.opening[..], &game.record.moves].concat();
        if let Some(phases) = phases(header.config.game, stored.result.start.as_deref(), &moves) {
            let phase = |ply: usize| phases.get(opening + ply).copied().unwrap_or(Phase::Start);
            self.by_phase.add(&views, points, |ply| ply.map_or(Phase::Start, phase));
        }
        self.partings.add(&views, game, stored.result.start.as_deref(), &moves, points);
        self.falls.add(&views, game);
    }

    fn explanation(self, first: &FirstLook, entrants: [String; 2]) -> Explanation {
        let clock = |key: Option<(usize, usize)>| match key {
            None => BEFORE.to_owned(),
            Some((mover, row)) => format!("{}: {}", entrants[mover], clock_label(row)),
        };
        let (openings_tested, openings) = self.openings.rows();
        Explanation {
            games: self.games,
            recorded: self.recorded,
            elo: first.counts.summary().elo,
            search: [0, 1].map(|entrant| SearchRow::of(&first.pace[entrant])),
            by_move: self.by_move.rows(|row| row.map_or_else(|| BEFORE.to_owned(), moves_label)),
            by_phase: self.by_phase.rows(Phase::label),
            by_clock: self.by_clock.rows(clock),
            partings: self.partings.rows(),
            parted: self.partings.first,
            deeper: None,
            draws: self.draws.rows(),
            faults: self.faults,
            falls: self.falls.rows(),
            openings_tested,
            openings,
            scales: self.scales,
            entrants,
        }
    }
}

/// The label before the first ply with an evaluation.
const BEFORE: &str = "before the first evaluation";

/// The numbers of the moves in a row.
fn moves_label(row: usize) -> String {
    let moves = PLIES_A_ROW / 2;
    format!("moves {} to {}", row * moves + 1, (row + 1) * moves)
}

/// The mover, and the row of its clock.
fn clock_of(view: &View) -> Option<(usize, usize)> {
    let left = view.clock?;
    Some((view.mover, CLOCK.iter().position(|least| left >= *least).unwrap_or(CLOCK.len() - 1)))
}

fn clock_label(row: usize) -> String {
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    match row {
        0 => format!("{} of the clock and more", percent(CLOCK[0])),
        _ => format!("{} to {}", percent(CLOCK[row]), percent(CLOCK[row - 1])),
    }
}

#[cfg(test)]
mod tests;
