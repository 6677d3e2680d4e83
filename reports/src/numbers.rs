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

/// What some pairs say of the one whose score is counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Strength {
    /// The entrant whose score is counted, and its opponent.
    pub names: [String; 2],
    /// Pairs, where pairs are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    /// Pairs by points, from 0 to 2, where pairs are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penta: Option<[u64; 5]>,
    /// The model of the statistics below: `pentanomial` where pairs are counted, else `trinomial`.
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
    /// Its name.
    pub name: String,
    /// Its games where it moved first.
    pub first: Wdl,
    /// Its games where it moved second.
    pub second: Wdl,
    /// Its rating: of a ladder the ladder's own, else about the mean of all, where there are more than two.
    pub rating: Option<Estimate>,
    /// Games lost by a fault, by kind.
    pub faults: BTreeMap<&'static str, u64>,
    /// Moves made after the openings.
    pub moves: u64,
    /// Wall time a move on average, in milliseconds.
    pub ms_a_move: Option<f64>,
    /// Half of its moves took at most this long, in milliseconds; none where that was not kept.
    pub median_ms: Option<f64>,
    /// The same of ninety-nine of a hundred moves.
    pub p99_ms: Option<f64>,
    /// Work a move on average, in its own unit.
    pub nodes_a_move: Option<f64>,
    /// The longest that the host kept it waiting for a processor within one move, in milliseconds.
    pub delayed_ms: f64,
    /// The logistic curve that fits its evaluations.
    pub calibration: Option<EvalFit>,
    /// By how much its moves took longer than it reports; if it reports times and its process's time is measured.
    pub latency: Option<Latency>,
}

/// What lies between the two engines of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// The base's commit, in short.
    pub from: String,
    /// The candidate's, or that of a snapshot of the working tree.
    pub to: String,
    /// What shows the difference, in the engines' repository.
    pub command: String,
    /// The page of a web forge that shows it.
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
    /// Those of an experiment, if it is such a test.
    pub(crate) fn of(experiment: &ExperimentConfig) -> Option<Self> {
        experiment.sprt().map(|test| Self { elo0: test.elo0, elo1: test.elo1 })
    }
}

/// All numbers of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Numbers {
    /// The run's folder.
    pub run: String,
    /// What it is: `sprt`, `match`, `tune`, `ladder`, `selfplay`.
    pub kind: &'static str,
    /// Who, what and how, in words.
    pub headline: String,
    /// The verdict in words.
    pub says: String,
    /// The verdict; `null` while there is none.
    pub verdict: Option<Verdict>,
    /// The first entrant against all others. Of a tuning session: one perturbed side against the other, which says
    /// nothing of strength; nor do those of a ladder, chosen by what was most to be known.
    pub total: Strength,
    /// The same by pairing, where there are several.
    pub pairings: Vec<Strength>,
    /// The state of a sequential test.
    pub sprt: Option<SprtStanding>,
    /// Its hypotheses.
    #[serde(skip)]
    pub bounds: Option<SprtBounds>,
    /// The result as fishtest prints it, line by line; none of a run that measures no strength.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub block: Vec<String>,
    /// The state of a tuning session.
    pub tune: Option<TuneStanding>,
    /// The ratings of a ladder, which takes the place of `total`: that would pool whatever was paired.
    pub ladder: Option<RatedLadder>,
    /// The table or the bracket of a match whose pairings depend on results, which takes the place of `total` likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tournament: Option<Tournament>,
    /// Its values, ready to paste.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pasted: Option<Pasted>,
    /// The test of them against the start, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<FollowUp>,
    /// What lies between its two engines, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Diff>,
    /// By entrant.
    pub entrants: Vec<EntrantRow>,
    /// What a unit of play is called: `pair`, or in other runs `round` or `game`.
    pub unit: &'static str,
    /// Units of play that are absorbed.
    pub units: u64,
    /// All games from the first mover's view.
    pub first_mover: Wdl,
    /// Games by ending.
    pub endings: BTreeMap<&'static str, u64>,
    /// Plies of a game on average, the opening's included.
    pub mean_plies: Option<f64>,
    /// Different openings, up to 65,536.
    pub openings: usize,
    /// Whether they decide games; unknown without pairs with the seats swapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fairness: Option<FairnessRow>,
}

/// Texts about a run from outside: its experiment, and the command line in words.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts<'a> {
    /// The run's folder.
    pub name: &'a str,
    /// Who, what and how, in words.
    pub headline: &'a str,
    /// The verdict in words.
    pub says: &'a str,
    /// The run's identity.
    pub header: &'a Header,
    /// Where the experiment stands.
    pub standing: &'a Standing,
    /// Its verdict.
    pub verdict: Option<Verdict>,
    /// How long moves took, by entrant.
    pub move_times: &'a [MoveTimes],
    /// The test that followed it, if it is a tuning session that has been tested.
    pub test: Option<&'a FollowUp>,
}

/// The test of a tuning session's values against its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FollowUp {
    /// Its run.
    pub run: String,
    /// Its page, as a link from the session's.
    pub link: String,
    /// Its outcome, in words.
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

    /// Whether all pairs together measure one strength: those of a tuning session, a ladder, a Swiss or a knockout do
    /// not, nor does self-play.
    pub fn measures_strength(&self) -> bool {
        self.kind != Job::Selfplay.section()
            && self.tune.is_none()
            && self.ladder.is_none()
            && self.tournament.is_none()
    }
}

/// An entrant's rating: of a ladder the ladder's own.
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

/// Ratings of all entrants about their mean.
fn ratings(gathered: &Gathered, entrants: usize) -> Result<Ratings, RatingError> {
    let mut results = Results::new(entrants);
    for (&(one, two), pairing) in &gathered.pairings {
        results.add_pairs(one, two, &pairing.table)?;
        let [first, second] = pairing.unpaired;
        results.add_games(one, two, &first)?;
        results.add_games(two, one, &second.mirror())?;
    }
    stats::rating::rate(&results, &RatingSettings::default())
}

/// The hypotheses of a sequential test, if the run is one.
pub(crate) fn sprt_config(header: &Header) -> Option<&stats::SprtConfig> {
    header.config.experiment.sprt()
}
