//! What engine processes say of themselves when they start: facts about the programs that were found, kept beside the run's
//! identity and no part of it.

use play::entrant::{Entrant, ProcessSpec};
use play::players::process::Introduction;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// What the entrants of a run have said of themselves so far. Workers tell it, the journal keeps it.
#[derive(Debug, Default)]
pub struct Introductions {
    entrants: Vec<Option<Started>>,
    heard: Mutex<Vec<Heard>>,
}

/// What tells which entrant a process was started for: two that start the same program alike say the same.
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

/// Something said by an entrant, by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Heard {
    entrant: usize,
    introduction: Introduction,
    is_kept: bool,
}

impl Introductions {
    /// Of a run's entrants as they are in the specs of pairs, who have said nothing yet.
    pub(super) fn of(entrants: &[Entrant]) -> Self {
        let started = |entrant: &Entrant| entrant.player.process().map(Started::from);
        Self { entrants: entrants.iter().map(started).collect(), heard: Mutex::default() }
    }

    /// Takes note of what a process said.
    pub(crate) fn hear(&self, process: &ProcessSpec, introduction: &Introduction) {
        let started = Started::from(process);
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        for (entrant, other) in self.entrants.iter().enumerate() {
            let is_known = |heard: &Heard| heard.entrant == entrant && heard.introduction == *introduction;
            if other.as_ref() == Some(&started) && !heard.iter().any(is_known) {
                heard.push(Heard { entrant, introduction: introduction.clone(), is_kept: false });
            }
        }
    }

    /// What was heard since this was called last, each with the number of its entrant.
    pub(crate) fn news(&self) -> Vec<(usize, Introduction)> {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let news = heard.iter_mut().filter(|heard| !heard.is_kept);
        news.map(|heard| {
            heard.is_kept = true;
            (heard.entrant, heard.introduction.clone())
        })
        .collect()
    }
}
