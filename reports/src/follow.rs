//! Following a run: all that its reports are made of, kept up to date by reading only what is new in its journal.
//!
//! The journal is opened for each look and closed after it, so that the process that works on the run can checkpoint
//! its WAL. The texts about the run come from outside, as [`Captions`].

use crate::chosen::chosen;
use crate::conditions::Conditions;
use crate::faults::Faults;
use crate::gather::Gathered;
use crate::numbers::{FollowUp, RunFacts};
use crate::report::{Report, ReportError};
use arena::config::RunConfig;
use arena::run::{
    Check, Experiment, FaultCount, Finish, Header, JournalMark, JournalReader, Replay, RunFolder, Series, StarvedCount,
    TooFaulty, Verdict,
};
use std::path::{Path, PathBuf};

/// The texts about a run.
#[derive(Clone, Copy, Debug)]
pub struct Captions<'a> {
    /// Who, what and how.
    pub headline: &'a str,
    /// The verdict.
    pub says: &'a str,
    /// The test that followed it, if it is a tuning session that has been tested.
    pub test: Option<&'a FollowUp>,
}

/// A run that is looked at again and again: each pair is read, and its games are played over, once.
pub struct Follow {
    path: PathBuf,
    check: Check,
    /// What it holds as far as it was read.
    mark: JournalMark,
    replay: Replay,
    gathered: Gathered,
    faults: Faults,
    /// How many pairs the sums below are of.
    summed: u64,
    fault_counts: Vec<FaultCount>,
    starved: StarvedCount,
}

impl Follow {
    /// The run in a folder, also while another process works on it. Only its header is read yet. `make` makes the
    /// experiment that its configuration asks for.
    ///
    /// # Errors
    /// [`ReportError`] if there is no run or its header cannot be read, or the error of `make`.
    pub fn open<E: From<ReportError>>(
        path: &Path,
        check: Check,
        make: impl FnOnce(&RunConfig) -> Result<Box<dyn Experiment>, E>,
    ) -> Result<Self, E> {
        let mark = open_journal(path).and_then(|journal| Ok(journal.mark(0)?))?;
        let header = mark.header();
        let replay = Replay::new(make(&header.config)?, &header.config).map_err(ReportError::from)?;
        Ok(Self {
            path: path.to_owned(),
            check,
            replay,
            gathered: Gathered::new(header),
            faults: Faults::default(),
            summed: 0,
            fault_counts: vec![FaultCount::default(); header.config.entrants.len()],
            starved: StarvedCount::default(),
            mark,
        })
    }

    /// Takes in the pairs that have been added to the journal's gapless prefix since the last time, and returns how
    /// many these are. Its cost grows with their number, not with that of all pairs.
    ///
    /// # Errors
    /// [`ReportError::Changed`] if the folder holds another run by now, also one of the same name, or this one with
    /// another pair limit, or if pairs that were taken in were withdrawn: open it again. Others if a row cannot be read
    /// or is damaged; what was taken in before it stays.
    pub fn refresh(&mut self) -> Result<u64, ReportError> {
        let before = self.pairs();
        let journal = open_journal(&self.path)?;
        if !journal.continues(&self.mark)? {
            return Err(ReportError::Changed { path: self.path.clone() });
        }
        let Self { mark, gathered, faults, .. } = self;
        let header = mark.header();
        let _absorbed = self.replay.catch_up(&journal, &header.config, self.check, |stored| {
            gathered.add(stored);
            faults.add(header, stored);
        })?;
        self.sum(&journal)?;
        journal.remark(&mut self.mark, self.replay.absorbed())?;
        Ok(self.pairs() - before)
    }

    /// Whether the folder still holds the run whose pairs were taken in.
    ///
    /// # Errors
    /// [`ReportError`] if its journal cannot be read.
    pub fn is_the_same(&self) -> Result<bool, ReportError> {
        Ok(open_journal(&self.path)?.continues(&self.mark)?)
    }

    /// Adds up what the journal has counted itself.
    fn sum(&mut self, journal: &JournalReader) -> Result<(), ReportError> {
        let new = self.summed..self.pairs();
        let faults = journal.faults_in(new.clone(), self.fault_counts.len())?;
        let starved = journal.starved_in(new)?;
        for (sum, more) in self.fault_counts.iter_mut().zip(faults) {
            sum.games += more.games;
            sum.host_caused += more.host_caused;
        }
        self.starved.games += starved.games;
        self.starved.pairs += starved.pairs;
        self.summed = self.pairs();
        Ok(())
    }

    /// The report of the pairs taken in so far, with an experiment's `slices`, if its model has any. Of the journal,
    /// only the games that are shown and the sessions of work are read.
    ///
    /// # Errors
    /// [`ReportError`] if these cannot be read or a plot cannot be drawn.
    pub fn report(&self, captions: &Captions<'_>, slices: Vec<Series>) -> Result<Report, ReportError> {
        let journal = open_journal(&self.path)?;
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        let (header, experiment) = (self.header(), self.experiment());
        let standing = experiment.standing();
        let facts = RunFacts {
            name: &name,
            headline: captions.headline,
            says: captions.says,
            header,
            standing: &standing,
            verdict: self.verdict(),
            move_times: &journal.move_times(header.config.entrants.len())?,
            test: captions.test,
        };
        let games = chosen(&journal, header, &self.gathered)?;
        let conditions = Conditions::new(header, &journal.sessions()?, self.starved, self.pairs());
        Report::new(&facts, &self.gathered, (experiment.series(), slices), games, conditions, self.faults.clone())
    }

    /// The run's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run's identity.
    pub fn header(&self) -> &Header {
        self.mark.header()
    }

    /// The run's experiment, as far as pairs are taken in.
    pub fn experiment(&self) -> &dyn Experiment {
        self.replay.experiment()
    }

    /// Its verdict, as far as pairs are taken in: none where faults have stopped it.
    pub fn verdict(&self) -> Option<Verdict> {
        self.replay.finish().verdict()
    }

    /// The entrant whose faults have stopped it, if one's have.
    pub fn too_faulty(&self) -> Option<TooFaulty> {
        self.replay.finish().too_faulty()
    }

    /// How it ended, as far as pairs are taken in.
    pub fn finish(&self) -> Finish {
        self.replay.finish()
    }

    /// How many pairs are taken in.
    pub fn pairs(&self) -> u64 {
        self.replay.absorbed()
    }

    /// Games lost by a fault, by entrant.
    pub fn fault_counts(&self) -> &[FaultCount] {
        &self.fault_counts
    }

    /// How many pairs, and of their games, the host starved.
    pub fn starved(&self) -> StarvedCount {
        self.starved
    }
}

fn open_journal(path: &Path) -> Result<JournalReader, ReportError> {
    Ok(RunFolder::open_journal(path)?)
}
