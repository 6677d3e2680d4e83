//! The numbers of a report, as plain data: the source of the page, the Markdown and the JSON.

use crate::fairness::FairnessRow;
use crate::gather::{EvalFit, Gathered, Pairing, Seats};
use crate::ladder::RatedLadder;
use crate::text::counted;
use crate::tournament::Tournament;
use crate::tuned::Pasted;
use arena::config::{ExperimentConfig, Job};
use arena::run::{Header, SprtStanding, Standing, TuneStanding, Verdict};
use play::MoveTimes;
use serde::Serialize;
use stats::rating::{RatingError, RatingSettings, Ratings, Results};
use stats::{Counts, Estimate, Latency, PairCounts, Wdl};
use std::collections::BTreeMap;

/// The results of some pairs from the view of the entrant whose score is counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Strength {
    /// The entrant whose score is counted, and its opponent.
    pub names: [String; 2],
    /// The number of pairs, if pairs are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    /// The number of pairs by points, from 0 to 2, if pairs are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penta: Option<[u64; 5]>,
    /// The model of the statistics below: `pentanomial` if pairs are counted, otherwise `trinomial`.
    pub statistics: &'static str,
    /// Games.
    pub games: Wdl,
    /// Share of the points, 0 to 1.
    pub score: Option<Estimate>,
    /// Logistic Elo.
    pub elo: Option<Estimate>,
    /// Normalized Elo.
    pub nelo: Option<Estimate>,
    /// Likelihood of superiority, 0 to 1.
    pub los: f64,
    /// Draws per game.
    pub draw_ratio: Option<Estimate>,
    /// Drawn pairs per pair.
    pub pair_draw_ratio: Option<Estimate>,
}

impl Strength {
    pub(crate) fn new(names: [String; 2], counts: &Counts) -> Self {
        let summary = counts.summary();
        Self {
            names,
            pairs: counts.pairs().map(PairCounts::total),
            penta: counts.pairs().map(|pairs| pairs.pentanomial().0),
            statistics: counts.model(),
            games: counts.wdl(),
            score: summary.score,
            elo: summary.elo,
            nelo: summary.nelo,
            los: summary.los,
            draw_ratio: summary.draw_ratio,
            pair_draw_ratio: summary.pair_draw_ratio,
        }
    }
}

/// One entrant's part in the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EntrantRow {
    /// The entrant's name.
    pub name: String,
    /// The games in which the entrant moved first.
    pub first: Wdl,
    /// The games in which the entrant moved second.
    pub second: Wdl,
    /// The rating: in a ladder the ladder's own, otherwise relative to the mean of all if there are more than two
    /// entrants.
    pub rating: Option<Estimate>,
    /// Games lost by a fault, by kind.
    pub faults: BTreeMap<&'static str, u64>,
    /// The number of moves made after the openings.
    pub moves: u64,
    /// The mean wall time of a move, in milliseconds.
    pub ms_a_move: Option<f64>,
    /// The median wall time of a move, in milliseconds; none if the times were not kept.
    pub median_ms: Option<f64>,
    /// The 99th percentile of the wall times of moves, in milliseconds.
    pub p99_ms: Option<f64>,
    /// The mean work of a move, in the entrant's own unit.
    pub nodes_a_move: Option<f64>,
    /// The longest that the host kept the entrant waiting for a processor within one move, in milliseconds.
    pub delayed_ms: f64,
    /// The logistic curve fitted to the entrant's evaluations.
    pub calibration: Option<EvalFit>,
    /// By how much the moves took longer than the entrant reports, if it reports times and the time of its process is
    /// measured.
    pub latency: Option<Latency>,
}

/// The difference between the two engines of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// The base's commit, abbreviated.
    pub from: String,
    /// The candidate's commit, abbreviated, or that of a snapshot of the working tree.
    pub to: String,
    /// The command that shows the difference, in the engines' repository.
    pub command: String,
    /// The page of a web forge that shows the difference.
    pub link: Option<String>,
}

/// The differences that a sequential test decides between, in the unit of its model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtBounds {
    /// H0.
    pub elo0: f64,
    /// H1.
    pub elo1: f64,
}

impl SprtBounds {
    /// The bounds of an experiment, if it is such a test.
    pub(crate) fn of(experiment: &ExperimentConfig) -> Option<Self> {
        experiment.sprt().map(|test| Self { elo0: test.elo0, elo1: test.elo1 })
    }
}

/// All numbers of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Numbers {
    /// The run's folder.
    pub run: String,
    /// The kind of run: `sprt`, `match`, `tune`, `ladder`, `selfplay`.
    pub kind: &'static str,
    /// The headline, in words: who plays, what, and how.
    pub headline: String,
    /// The verdict in words.
    pub says: String,
    /// The verdict; `null` while there is none.
    pub verdict: Option<Verdict>,
    /// The first entrant against all others. In a tuning session: one perturbed side against the other, which says
    /// nothing about strength; nor do the pairs of a ladder, which were chosen for their information.
    pub total: Strength,
    /// The results by pairing, if there are several.
    pub pairings: Vec<Strength>,
    /// The state of a sequential test.
    pub sprt: Option<SprtStanding>,
    /// The hypotheses of the test.
    #[serde(skip)]
    pub bounds: Option<SprtBounds>,
    /// The result as fishtest prints it, line by line; empty for a run that measures no strength.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub block: Vec<String>,
    /// The state of a tuning session.
    pub tune: Option<TuneStanding>,
    /// The ratings of a ladder, which replace `total`: that would mix all pairings.
    pub ladder: Option<RatedLadder>,
    /// The table or the bracket of a match whose pairings depend on results, which also replaces `total`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tournament: Option<Tournament>,
    /// The values of the tuning session, ready to paste.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pasted: Option<Pasted>,
    /// The test of these values against the start, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<FollowUp>,
    /// The difference between the two engines, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Diff>,
    /// The entrants' parts.
    pub entrants: Vec<EntrantRow>,
    /// The name of a unit of play: `pair`, or in other runs `round` or `game`.
    pub unit: &'static str,
    /// The number of units of play absorbed.
    pub units: u64,
    /// All games from the first mover's view.
    pub first_mover: Wdl,
    /// The number of games by ending.
    pub endings: BTreeMap<&'static str, u64>,
    /// The mean number of plies of a game, including the opening's.
    pub mean_plies: Option<f64>,
    /// The number of different openings, up to 65,536.
    pub openings: usize,
    /// Whether openings decide games; unknown without pairs with the seats swapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fairness: Option<FairnessRow>,
}

/// Texts and data about a run from outside: from its experiment and the command line.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts<'a> {
    /// The run's folder.
    pub name: &'a str,
    /// The headline, in words: who plays, what, and how.
    pub headline: &'a str,
    /// The verdict in words.
    pub says: &'a str,
    /// The run's identity.
    pub header: &'a Header,
    /// The state of the experiment.
    pub standing: &'a Standing,
    /// The run's verdict.
    pub verdict: Option<Verdict>,
    /// The times of moves, by entrant.
    pub move_times: &'a [MoveTimes],
    /// The test that followed the run, if it is a tuning session that has been tested.
    pub test: Option<&'a FollowUp>,
}

/// The test of a tuning session's values against its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FollowUp {
    /// The name of the test's run.
    pub run: String,
    /// The test's page, as a link from the session's.
    pub link: String,
    /// The test's outcome, in words.
    pub says: String,
}

impl Numbers {
    /// The numbers of a run.
    pub fn new(facts: &RunFacts<'_>, gathered: &Gathered) -> Self {
        let entrants = &facts.header.config.entrants;
        let name = |number: usize| entrants.get(number).map_or_else(String::new, |entrant| entrant.name.clone());
        let others = match entrants.len() {
            0 | 1 => name(0),
            2 => name(1),
            n => counted(n as u64 - 1, "other"),
        };
        let ladder = RatedLadder::of_run(&facts.header.config, facts.standing);
        let ratings = (entrants.len() > 2).then(|| ratings(gathered, entrants.len()).ok()).flatten();
        let pairing = |(&(one, two), pairing): (&(usize, usize), &Pairing)| {
            Strength::new([name(one), name(two)], &pairing.counts)
        };
        let several = gathered.pairings.len() > 1;
        Self {
            run: facts.name.to_owned(),
            kind: facts.header.config.experiment.kind(),
            headline: facts.headline.to_owned(),
            says: facts.says.to_owned(),
            verdict: facts.verdict,
            total: Strength::new([name(0), others], &facts.standing.counts),
            pairings: gathered.pairings.iter().filter(|_| several).map(pairing).collect(),
            sprt: facts.standing.sprt().copied(),
            bounds: SprtBounds::of(&facts.header.config.experiment),
            block: Vec::new(),
            tune: facts.standing.tune().cloned(),
            pasted: facts.standing.tune().zip(entrants.first()).map(|(tune, one)| Pasted::new(tune, &one.player)),
            test: facts.test.cloned(),
            diff: None,
            entrants: (0..entrants.len())
                .map(|number| {
                    let rating = rating(number, ladder.as_ref(), ratings.as_ref());
                    entrant(number, name(number), gathered, rating, facts.move_times.get(number))
                })
                .collect(),
            ladder,
            tournament: Tournament::of_run(&facts.header.config, facts.standing),
            unit: facts.header.config.experiment.rounds().unit(),
            units: facts.standing.pairs,
            first_mover: gathered.first_mover,
            endings: gathered.games.endings.clone(),
            mean_plies: gathered.games.mean_plies(),
            openings: gathered.openings.different(),
            fairness: gathered.fairness().map(FairnessRow::from),
        }
    }

    /// Whether all pairs together measure one strength; not in a tuning session, a ladder, a Swiss, a knockout or
    /// self-play.
    pub fn measures_strength(&self) -> bool {
        self.kind != Job::Selfplay.section()
            && self.tune.is_none()
            && self.ladder.is_none()
            && self.tournament.is_none()
    }
}

/// An entrant's rating: in a ladder the ladder's own.
fn rating(number: usize, ladder: Option<&RatedLadder>, ratings: Option<&Ratings>) -> Option<Estimate> {
    match ladder {
        Some(ladder) => ladder.places.get(number).filter(|place| place.played()).map(|place| place.elo),
        None => Some(ratings?.entrants.get(number)?.elo),
    }
}

fn entrant(
    number: usize,
    name: String,
    gathered: &Gathered,
    rating: Option<Estimate>,
    times: Option<&MoveTimes>,
) -> EntrantRow {
    let quantile = |share| times.and_then(|times| times.wall.quantile(share)).map(|time| time.as_secs_f64() * 1e3);
    let Seats { first, second } = gathered.seats[number];
    let pace = &gathered.pace[number];
    let faults = gathered.games.faults.iter().filter(|((entrant, _), _)| *entrant == number);
    EntrantRow {
        name,
        first,
        second,
        rating,
        faults: faults.map(|((_, kind), count)| (*kind, *count)).collect(),
        moves: pace.moves,
        ms_a_move: pace.time_a_move().map(|time| time.as_secs_f64() * 1e3),
        nodes_a_move: pace.nodes_a_move(),
        delayed_ms: pace.delayed.as_secs_f64() * 1e3,
        calibration: gathered.calibration[number].fit(),
        median_ms: quantile(0.5),
        p99_ms: quantile(0.99),
        latency: times.and_then(|times| times.delays.latency()),
    }
}

/// Ratings of all entrants relative to their mean.
fn ratings(gathered: &Gathered, entrants: usize) -> Result<Ratings, RatingError> {
    let mut results = Results::new(entrants);
    for (&(one, two), pairing) in &gathered.pairings {
        results.add_pairs(one, two, &pairing.table)?;
        let [first, second] = pairing.unpaired;
        results.add_games(one, two, &first)?;
        results.add_games(two, one, &second.mirror())?;
    }
    // Without a swap, the first mover's advantage cannot be told from the strength of the entrants that move first.
    let settings = RatingSettings { first_mover: gathered.swaps_seats(), ..RatingSettings::default() };
    stats::rating::rate(&results, &settings)
}

/// The hypotheses of a sequential test, if the run is one.
pub(crate) fn sprt_config(header: &Header) -> Option<&stats::SprtConfig> {
    header.config.experiment.sprt()
}
