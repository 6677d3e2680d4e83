//! Follows a run: keeps all data for its reports up to date by reading only the new part of its journal.
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
    /// The headline: who plays, what, and how.
    pub headline: &'a str,
    /// The verdict.
    pub says: &'a str,
    /// The test that followed the run, if it is a tuning session that has been tested.
    pub test: Option<&'a FollowUp>,
}

/// A run that is read repeatedly: each pair is read, and its games are replayed, only once.
pub struct Follow {
    path: PathBuf,
    check: Check,
    /// The state of the journal when it was last read.
    mark: JournalMark,
    replay: Replay,
    gathered: Gathered,
    faults: Faults,
    /// The number of pairs in the sums below.
    summed: u64,
    fault_counts: Vec<FaultCount>,
    starved: StarvedCount,
}

impl Follow {
    /// Opens the run in a folder, even while another process works on it. Reads only its header so far. `make` makes
    /// the experiment that its configuration asks for.
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

    /// Reads the pairs that have been added to the journal's gapless prefix since the last time, and returns their
    /// number. The cost grows with that number, not with the number of all pairs.
    ///
    /// # Errors
    /// [`ReportError::Changed`] if the folder now holds another run, even one of the same name, or this one with
    /// another pair limit, or if pairs that were read have been withdrawn: open it again. Others if a row cannot be
    /// read or is damaged; the pairs read before it are kept.
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

    /// Whether the folder still holds the run whose pairs were read.
    ///
    /// # Errors
    /// [`ReportError`] if its journal cannot be read.
    pub fn is_the_same(&self) -> Result<bool, ReportError> {
        Ok(open_journal(&self.path)?.continues(&self.mark)?)
    }

    /// Updates the sums that the journal keeps itself.
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

    /// The report on the pairs read so far, with an experiment's `slices`, if its model has any. Reads from the journal
    /// only the games to show and the sessions of work.
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

    /// The run's experiment, after the pairs read so far.
    pub fn experiment(&self) -> &dyn Experiment {
        self.replay.experiment()
    }

    /// The verdict after the pairs read so far; none if faults have stopped the run.
    pub fn verdict(&self) -> Option<Verdict> {
        self.replay.finish().verdict()
    }

    /// The entrant whose faults have stopped the run, if there is one.
    pub fn too_faulty(&self) -> Option<TooFaulty> {
        self.replay.finish().too_faulty()
    }

    /// How the run ended, according to the pairs read so far.
    pub fn finish(&self) -> Finish {
        self.replay.finish()
    }

    /// The number of pairs read.
    pub fn pairs(&self) -> u64 {
        self.replay.absorbed()
    }

    /// The number of games lost by a fault, by entrant.
    pub fn fault_counts(&self) -> &[FaultCount] {
        &self.fault_counts
    }

    /// The number of pairs that the host starved, and of games in them.
    pub fn starved(&self) -> StarvedCount {
        self.starved
    }
}

fn open_journal(path: &Path) -> Result<JournalReader, ReportError> {
    Ok(RunFolder::open_journal(path)?)
}
