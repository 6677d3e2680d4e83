//! Reads the standing of a run and its history, only from the outcomes of its pairs. Does not read games, so it is
//! cheap for runs of many pairs and can be repeated while they are played. [`Follow`](crate::Follow) reads games.
//!
//! The journal is opened for each look and closed after it, so that the process that works on the run can checkpoint
//! its WAL.

use crate::ScaledOn;
use crate::conditions::Conditions;
use crate::cut::Cut;
use crate::gather::{elo_point, of_first_entrant};
use crate::report::ReportError;
use crate::sections;
use crate::summary::{RunSummary, title};
use crate::tournament;
use arena::config::{ExperimentConfig, RunConfig};
use arena::run::{
    Experiment, FaultCount, Header, JournalMark, JournalReader, PairIndex, Point, Replay, RunFolder, Series, Standing,
    StarvedCount, StoredSession, TooFaulty, Trace, Verdict, ladder_ratings,
};
use stats::rating::{Rating, Standing as Bounds};
use stats::{Counts, Estimate};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The maximum number of remembered pairs with games lost by a fault.
const MOST_FAULTY: usize = 40;

/// The maximum number of entrants that are rated as the run grows: the cost rises with the third power of their number.
const MOST_RATED: usize = 64;

/// The course of the ratings of a run with more than two entrants. The ratings are fitted again after a number of new
/// pairs that grows with the run, so that a long run costs little more than a short one.
struct RatingCourse {
    /// The points of each entrant.
    points: Vec<Vec<Point>>,
    /// The number of pairs at which to fit the ratings again.
    next: u64,
}

impl RatingCourse {
    /// The course for a run of this configuration, if it has such ratings.
    fn of(config: &RunConfig) -> Option<Self> {
        let entrants = config.entrants.len();
        let is_rated = matches!(config.experiment, ExperimentConfig::Match { .. } | ExperimentConfig::Ladder(_));
        (is_rated && (3..=MOST_RATED).contains(&entrants))
            .then(|| Self { points: vec![Vec::new(); entrants], next: entrants as u64 })
    }

    /// Adds the current standing of the run.
    fn add(&mut self, config: &RunConfig, standing: &Standing) {
        let entrants = self.points.len() as u64;
        for (points, elo) in self.points.iter_mut().zip(rated(config, standing)) {
            points.extend(elo.map(|elo| {
                let [low, high] = [elo.low, elo.high].map(|end| Some(end).filter(|end| end.is_finite()));
                Point { x: standing.pairs as f64, y: elo.value, low, high }
            }));
        }
        // A hundredth more, or up to a fifth if there are many to rate.
        let share = standing.pairs * entrants.div_ceil(8).pow(2) / 100;
        self.next = standing.pairs + share.min(standing.pairs / 5).max(entrants);
    }
}

/// The rating of each entrant from all results so far; `None` for an entrant that has not played.
fn rated(config: &RunConfig, standing: &Standing) -> Vec<Option<Estimate>> {
    let ratings = match &config.experiment {
        ExperimentConfig::Ladder(ladder) => ladder_ratings(ladder, standing.pairings()).ok(),
        _ => tournament::rated(config, standing),
    };
    let elo = |rating: &Rating| (rating.standing != Bounds::NoGames).then_some(rating.elo);
    let rated = ratings.map(|ratings| ratings.entrants.iter().map(elo).collect());
    rated.unwrap_or_else(|| vec![None; config.entrants.len()])
}

/// A run that is read repeatedly: the outcome of each pair is read only once.
pub struct StandingReader {
    path: PathBuf,
    title: String,
    /// The state of the journal when it was last read.
    mark: JournalMark,
    replay: Replay,
    /// The results and the Elo of all pairs, if they measure one strength.
    elo: Option<(Counts, Trace)>,
    /// The ratings, in a run with more than two entrants.
    ratings: Option<RatingCourse>,
    faults: Vec<FaultCount>,
    /// Pairs with games lost by a fault: the first ones, and their total number.
    faulty: (Vec<PairIndex>, u64),
    starved: StarvedCount,
    elapsed: Duration,
    sessions: Vec<StoredSession>,
    /// One more than the highest pair in the journal.
    end: u64,
}

impl StandingReader {
    /// Opens the run in a folder, without reading its pairs yet. `make` makes the experiment that its configuration
    /// asks for.
    ///
    /// # Errors
    /// [`ReportError`] if there is no run or its header cannot be read, or the error of `make`.
    pub fn open<E: From<ReportError>>(
        path: &Path,
        make: impl FnOnce(&RunConfig) -> Result<Box<dyn Experiment>, E>,
    ) -> Result<Self, E> {
        let read = || -> Result<_, ReportError> {
            let journal = RunFolder::open_journal(path)?;
            Ok((journal.mark(0)?, journal.sessions()?, journal.end()?))
        };
        let (mark, sessions, end) = read()?;
        let config = &mark.header().config;
        let ratings = RatingCourse::of(config);
        let replay = Replay::new(make(config)?, config).map_err(ReportError::from)?;
        let elo = is_one_strength(config).then(|| (config.experiment.rounds().no_counts(), Trace::default()));
        Ok(Self {
            path: path.to_owned(),
            title: title(config),
            replay,
            elo,
            ratings,
            faults: vec![FaultCount::default(); config.entrants.len()],
            faulty: (Vec::new(), 0),
            starved: StarvedCount::default(),
            elapsed: Duration::ZERO,
            sessions,
            end,
            mark,
        })
    }

    /// Reads the outcomes that have been added to the journal's gapless prefix since the last time, at most `most`, and
    /// returns their number. The cost grows with that number, not with the number of all pairs.
    ///
    /// # Errors
    /// [`ReportError::Changed`] if the folder now holds another run, even one of the same name, or this one with
    /// another pair limit, or if pairs were withdrawn: open it again. Others if a row cannot be read or is damaged; the
    /// outcomes read before it are kept.
    pub fn refresh(&mut self, most: u64) -> Result<u64, ReportError> {
        let before = self.pairs();
        let journal = RunFolder::open_journal(&self.path)?;
        if !journal.continues(&self.mark)? {
            return Err(ReportError::Changed { path: self.path.clone() });
        }
        self.catch_up(&journal, most)?;
        self.sum(&journal, before)?;
        self.elapsed = journal.played_time()?;
        self.sessions = journal.sessions()?;
        self.end = journal.end()?;
        let pairs = self.pairs();
        journal.remark(&mut self.mark, pairs)?;
        Ok(self.pairs() - before)
    }

    /// Absorbs at most `most` pairs, and rates the entrants on the way.
    fn catch_up(&mut self, journal: &JournalReader, most: u64) -> Result<(), ReportError> {
        let end = self.pairs().saturating_add(most);
        loop {
            let (from, elo) = (self.pairs(), &mut self.elo);
            let until = self.ratings.as_ref().map_or(end, |ratings| end.min(ratings.next));
            let absorbed = self.replay.catch_up_outcomes(journal, until.saturating_sub(from), |stored| {
                if let Some((counts, course)) = elo {
                    if let Some(outcome) = of_first_entrant(&stored.proposal, stored.outcome) {
                        counts.add(outcome);
                    }
                    course.push(|| elo_point(stored.pair + 1, counts));
                }
            })?;
            if let Some(ratings) = &mut self.ratings
                && absorbed >= ratings.next
            {
                ratings.add(&self.mark.header().config, &self.replay.experiment().standing());
            }
            if absorbed < until || absorbed >= end {
                return Ok(());
            }
        }
    }

    /// Updates the sums that the journal keeps itself.
    fn sum(&mut self, journal: &JournalReader, before: u64) -> Result<(), ReportError> {
        let new = before..self.pairs();
        if new.is_empty() {
            return Ok(());
        }
        let faults = journal.faults_in(new.clone(), self.faults.len())?;
        if faults.iter().any(|faults| faults.games > 0) {
            let pairs = journal.faulty_pairs_in(new.clone())?;
            self.faulty.1 += pairs.len() as u64;
            let room = MOST_FAULTY.saturating_sub(self.faulty.0.len());
            self.faulty.0.extend(pairs.into_iter().take(room));
        }
        let starved = journal.starved_in(new)?;
        for (sum, more) in self.faults.iter_mut().zip(faults) {
            sum.games += more.games;
            sum.host_caused += more.host_caused;
        }
        self.starved.games += starved.games;
        self.starved.pairs += starved.pairs;
        Ok(())
    }

    /// The run's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run's identity.
    pub fn header(&self) -> &Header {
        self.mark.header()
    }

    /// The title: who plays, what, and how.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The number of pairs read.
    pub fn pairs(&self) -> u64 {
        self.replay.absorbed()
    }

    /// One more than the highest pair of the journal, as of the last look: during the first reading, the number of
    /// pairs to read.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The verdict after the pairs read so far; none if faults have stopped the run.
    pub fn verdict(&self) -> Option<Verdict> {
        self.replay.finish().verdict()
    }

    /// The entrant whose faults have stopped the run, if there is one.
    pub fn too_faulty(&self) -> Option<TooFaulty> {
        self.replay.finish().too_faulty()
    }

    /// What the result leaves out, if the pair limit was lowered below the number of pairs played.
    fn cut(&self) -> Option<Cut> {
        Cut::of(&self.header().config.experiment, self.verdict(), self.pairs(), self.end)
    }

    /// The run's standing.
    pub fn standing(&self) -> Standing {
        self.replay.experiment().standing()
    }

    /// The history of the standing: the series of the experiment, and the Elo if the pairs measure one strength. Each
    /// has some thousands of points at most.
    pub fn series(&self) -> Vec<Series> {
        let elo =
            self.elo.as_ref().map(|(_, course)| Series { name: "elo".to_owned(), points: course.points().to_vec() });
        self.replay.experiment().series().into_iter().chain(elo).chain(self.rating_series()).collect()
    }

    /// The ratings of more than two entrants, up to the current standing.
    fn rating_series(&self) -> Vec<Series> {
        let Some(ratings) = &self.ratings else { return Vec::new() };
        let (config, standing) = (&self.header().config, self.standing());
        // Adds a point for the current standing, unless the last point is already there.
        let mut now = RatingCourse { points: ratings.points.clone(), next: 0 };
        if ratings.points.iter().all(|points| points.last().is_none_or(|last| last.x < standing.pairs as f64)) {
            now.add(config, &standing);
        }
        let named = config.entrants.iter().zip(now.points);
        named.map(|(entrant, points)| Series { name: format!("rating {}", entrant.name), points }).collect()
    }

    /// In a run with more than two entrants, the current rating of each entrant that has played, by name; `None` for
    /// other runs.
    pub fn rated(&self) -> Option<Vec<(&str, Estimate)>> {
        let _is_rated = self.ratings.as_ref()?;
        let config = &self.header().config;
        let rated = config.entrants.iter().zip(rated(config, &self.standing()));
        Some(rated.filter_map(|(entrant, elo)| Some((entrant.name.as_str(), elo?))).collect())
    }

    /// The total duration of all sessions, as of the last look.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The run's sessions, the first one first, as of the last look.
    pub fn sessions(&self) -> &[StoredSession] {
        &self.sessions
    }

    /// The pairs with games lost by a fault: the first ones, and their total number.
    pub fn faulty_pairs(&self) -> (&[PairIndex], u64) {
        (&self.faulty.0, self.faulty.1)
    }

    /// The conditions of the run as a part of a page. Unlike the report, they need no games.
    pub fn conditions(&self) -> String {
        let conditions = Conditions::new(self.header(), &self.sessions, self.starved, self.pairs());
        sections::conditions(&conditions).into_string()
    }

    /// The run's summary; `standing` is its [`standing`](Self::standing).
    pub fn summary<'a>(&'a self, standing: &'a Standing) -> RunSummary<'a> {
        RunSummary {
            config: &self.header().config,
            standing,
            verdict: self.verdict(),
            too_faulty: self.too_faulty(),
            faults: self.faults.clone(),
            starved: self.starved,
            path: &self.path,
            elapsed: Some(self.elapsed),
            scaled: ScaledOn::new(&self.sessions),
            cut: self.cut(),
        }
    }
}

/// Whether all pairs of a run measure the strength of its first entrant.
fn is_one_strength(config: &RunConfig) -> bool {
    match &config.experiment {
        ExperimentConfig::Sprt { .. } => true,
        ExperimentConfig::Match { schedule, entrants, .. } => *entrants == 2 && !schedule.is_adaptive(),
        ExperimentConfig::Tune(_) | ExperimentConfig::Ladder(_) | ExperimentConfig::Selfplay { .. } => false,
    }
}
