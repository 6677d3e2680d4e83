//! The standing of a run and its history, from the outcomes of its pairs alone. Games are not read, so that it is cheap
//! for runs of many pairs and can be repeated while they are played. [`Follow`](crate::Follow) reads games.
//!
//! The journal is opened for each look and closed after it, so that the process that works on the run can checkpoint
//! its WAL.

use crate::ScaledOn;
use crate::cut::Cut;
use crate::gather::elo_point;
use crate::report::ReportError;
use crate::summary::{RunSummary, title};
use arena::config::{ExperimentConfig, RunConfig};
use arena::run::{
    Experiment, FaultCount, Header, JournalMark, JournalReader, Replay, RunFolder, Series, Standing, StarvedCount,
    StoredSession, TooFaulty, Trace, Verdict,
};
use stats::Counts;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A run that is looked at again and again: the outcome of each pair is read once.
pub struct StandingReader {
    path: PathBuf,
    title: String,
    /// What it holds as far as it was read.
    mark: JournalMark,
    replay: Replay,
    /// Of all pairs, if they measure one strength.
    elo: Option<(Counts, Trace)>,
    faults: Vec<FaultCount>,
    starved: StarvedCount,
    elapsed: Duration,
    sessions: Vec<StoredSession>,
    /// One more than the highest pair in the journal.
    end: u64,
}

impl StandingReader {
    /// The run in a folder, of whose pairs nothing is read yet. `make` makes the experiment that its configuration asks
    /// for.
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
        let replay = Replay::new(make(config)?, config).map_err(ReportError::from)?;
        let elo = is_one_strength(config).then(|| (config.experiment.rounds().no_counts(), Trace::default()));
        Ok(Self {
            path: path.to_owned(),
            title: title(config),
            replay,
            elo,
            faults: vec![FaultCount::default(); config.entrants.len()],
            starved: StarvedCount::default(),
            elapsed: Duration::ZERO,
            sessions,
            end,
            mark,
        })
    }

    /// Takes in the outcomes that have been added to the journal's gapless prefix since the last time, at most so many,
    /// and returns how many these are. Its cost grows with their number, not with that of all pairs.
    ///
    /// # Errors
    /// [`ReportError::Changed`] if the folder holds another run by now, also one of the same name, or this one with
    /// another pair limit, or if pairs were withdrawn: open it again. Others if a row cannot be read or is damaged;
    /// what was taken in before it stays.
    pub fn refresh(&mut self, most: u64) -> Result<u64, ReportError> {
        let before = self.pairs();
        let journal = RunFolder::open_journal(&self.path)?;
        if !journal.continues(&self.mark)? {
            return Err(ReportError::Changed { path: self.path.clone() });
        }
        let elo = &mut self.elo;
        let _absorbed = self.replay.catch_up_outcomes(&journal, most, |stored| {
            if let Some((counts, course)) = elo {
                counts.add(stored.outcome);
                course.push(|| elo_point(stored.pair + 1, counts));
            }
        })?;
        self.sum(&journal, before)?;
        self.elapsed = journal.played_time()?;
        self.sessions = journal.sessions()?;
        self.end = journal.end()?;
        let pairs = self.pairs();
        journal.remark(&mut self.mark, pairs)?;
        Ok(self.pairs() - before)
    }

    /// Adds up what the journal has counted itself.
    fn sum(&mut self, journal: &JournalReader, before: u64) -> Result<(), ReportError> {
        let new = before..self.pairs();
        if new.is_empty() {
            return Ok(());
        }
        let faults = journal.faults_in(new.clone(), self.faults.len())?;
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

    /// Who, what and how.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How many pairs are taken in.
    pub fn pairs(&self) -> u64 {
        self.replay.absorbed()
    }

    /// One more than the highest pair of the journal, as of the last look: while it is first read, how many pairs there
    /// are to read.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Its verdict, as far as pairs are taken in: none where faults have stopped it.
    pub fn verdict(&self) -> Option<Verdict> {
        self.replay.finish().verdict()
    }

    /// The entrant whose faults have stopped it, if one's have.
    pub fn too_faulty(&self) -> Option<TooFaulty> {
        self.replay.finish().too_faulty()
    }

    /// What its result leaves out, if its pair limit was lowered below what was played.
    fn cut(&self) -> Option<Cut> {
        Cut::of(&self.header().config.experiment, self.verdict(), self.pairs(), self.end)
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing {
        self.replay.experiment().standing()
    }

    /// How it came there: the series of its experiment, and its Elo if its pairs measure one strength. Each has some
    /// thousands of points at most.
    pub fn series(&self) -> Vec<Series> {
        let elo =
            self.elo.as_ref().map(|(_, course)| Series { name: "elo".to_owned(), points: course.points().to_vec() });
        self.replay.experiment().series().into_iter().chain(elo).collect()
    }

    /// How long all its sessions have lasted, as of the last look.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Its sessions, the first one first, as of the last look.
    pub fn sessions(&self) -> &[StoredSession] {
        &self.sessions
    }

    /// Its summary; `standing` is its [`standing`](Self::standing).
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
