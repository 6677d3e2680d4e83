//! What engine processes report about themselves when they start: facts about the programs, stored beside the run's
//! identity but not part of it.

use play::entrant::{Entrant, Options, ProcessSpec};
use play::players::process::Introduction;
use play::protocol::OptionError;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The introductions of a run's entrants so far. Workers report them, the journal stores them.
#[derive(Debug, Default)]
pub struct Introductions {
    names: Vec<String>,
    entrants: Vec<Option<Started>>,
    /// The options of each entrant, without those that are tuned.
    options: Vec<Options>,
    received: Mutex<Vec<Received>>,
    passed_over: Mutex<Vec<(UnsetOption, bool)>>,
}

/// What identifies the entrant that a process was started for. Two entrants that start the same
/// program in the same way share their introductions.
#[derive(Debug, PartialEq, Eq)]
struct Started {
    command: String,
    arguments: Vec<String>,
    directory: Option<PathBuf>,
}

impl From<&ProcessSpec> for Started {
    fn from(process: &ProcessSpec) -> Self {
        let ProcessSpec { command, arguments, directory, .. } = process;
        Self { command: command.clone(), arguments: arguments.clone(), directory: directory.clone() }
    }
}

/// An introduction and the number of its entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Received {
    entrant: usize,
    introduction: Introduction,
    is_kept: bool,
}

/// An option that could not be set in an entrant's engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsetOption {
    /// The entrant's name.
    pub entrant: String,
    /// The option and the reason.
    pub why: OptionError,
}

impl Introductions {
    /// Creates the record for a run's entrants, given as in the specs of pairs, without introductions.
    pub(super) fn of(entrants: &[Entrant]) -> Self {
        let started = |entrant: &Entrant| entrant.player.process().map(Started::from);
        let names = entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let options = |entrant: &Entrant| entrant.player.process().map_or_else(Options::default, |p| p.options.clone());
        let options = entrants.iter().map(options).collect();
        Self { names, entrants: entrants.iter().map(started).collect(), options, ..Self::default() }
    }

    /// Records a process's introduction.
    pub(crate) fn hear(&self, process: &ProcessSpec, introduction: &Introduction) {
        let started = Started::from(process);
        let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        for (entrant, other) in self.entrants.iter().enumerate() {
            let is_known = |received: &Received| received.entrant == entrant && received.introduction == *introduction;
            if other.as_ref() == Some(&started) && !received.iter().any(is_known) {
                received.push(Received { entrant, introduction: introduction.clone(), is_kept: false });
            }
        }
    }

    /// Records an option that was skipped, once for each entrant that starts such a process and sets the option; or for
    /// all that start one, if none sets it.
    pub(crate) fn pass_over(&self, process: &ProcessSpec, why: &OptionError) {
        let started = Started::from(process);
        let sets_it = |&entrant: &usize| self.options[entrant].iter().any(|(name, _)| name == why.name());
        let starts_it = |&entrant: &usize| self.entrants[entrant].as_ref() == Some(&started);
        let all: Vec<usize> = (0..self.entrants.len()).filter(starts_it).collect();
        let setters: Vec<usize> = all.iter().copied().filter(sets_it).collect();
        let mut known = self.passed_over.lock().unwrap_or_else(PoisonError::into_inner);
        for entrant in if setters.is_empty() { all } else { setters } {
            let passed_over = UnsetOption { entrant: self.names[entrant].clone(), why: why.clone() };
            if !known.iter().any(|(known, _)| *known == passed_over) {
                known.push((passed_over, false));
            }
        }
    }

    /// Returns the options skipped since the last call.
    pub fn newly_passed_over(&self) -> Vec<UnsetOption> {
        let mut known = self.passed_over.lock().unwrap_or_else(PoisonError::into_inner);
        let news = known.iter_mut().filter(|(_, is_told)| !is_told);
        news.map(|(passed_over, is_told)| {
            *is_told = true;
            passed_over.clone()
        })
        .collect()
    }

    /// Returns the introductions received since the last call, each with the number of its entrant.
    pub(crate) fn news(&self) -> Vec<(usize, Introduction)> {
        let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let news = received.iter_mut().filter(|received| !received.is_kept);
        news.map(|received| {
            received.is_kept = true;
            (received.entrant, received.introduction.clone())
        })
        .collect()
    }
}
