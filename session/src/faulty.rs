//! A run that was stopped because an entrant lost too many of its games by faults: who, the last of its faults, and how
//! to go on.

use crate::error::SessionError;
use crate::work::resumable;
use arena::config::RunConfig;
use arena::run::{GameName, JournalError, JournalReader, TooFaulty, lost_games};
use play::Fault;
use std::fmt;
use std::path::{Path, PathBuf};

/// So many of the last lines that were heard of the engine are shown.
const MOST_LINES: usize = 6;

/// Characters that are shown of a line.
const LONGEST_LINE: usize = 160;

/// A run that was stopped by the faults of an entrant.
#[derive(Clone, Debug)]
pub struct FaultyRun {
    /// Its folder.
    path: PathBuf,
    /// What is resumed to go on with it.
    job: PathBuf,
    /// The entrant's name.
    entrant: String,
    /// Its games and faults.
    counts: TooFaulty,
    /// The share that was allowed.
    most: f64,
    /// The last game that it lost by a fault of its own.
    last: Option<LastFault>,
}

/// A game lost by a fault.
#[derive(Clone, Debug)]
struct LastFault {
    game: GameName,
    fault: Fault,
    /// What was heard last of the engine.
    lines: Vec<String>,
}

impl FaultyRun {
    /// Reads what the journal has of the entrant's last fault among the first `pairs` pairs.
    ///
    /// # Errors
    /// [`SessionError`] if the journal cannot be read.
    pub(crate) fn read(
        path: &Path,
        run: &RunConfig,
        counts: TooFaulty,
        journal: &JournalReader,
        pairs: u64,
    ) -> Result<Self, SessionError> {
        let entrant =
            run.entrants.get(counts.entrant as usize).map_or_else(String::new, |entrant| entrant.name.clone());
        let last = last_fault(journal, &entrant, pairs)?;
        let most = run.max_fault_share;
        Ok(Self { path: path.to_owned(), job: resumable(path), entrant, counts, most, last })
    }
}

/// The last game that an entrant lost by a fault of its own.
fn last_fault(journal: &JournalReader, entrant: &str, pairs: u64) -> Result<Option<LastFault>, JournalError> {
    let header = journal.header()?;
    for pair in journal.faulty_pairs(pairs)?.into_iter().rev() {
        let Some(stored) = journal.result(pair)? else { continue };
        let lost = lost_games(&header, &stored);
        if let Some(game) = lost.iter().rev().find(|game| game.entrant == entrant && !game.host_caused) {
            let lines = game.evidence.lines().filter(|line| !line.trim().is_empty());
            let mut lines: Vec<String> = lines.map(|line| line.chars().take(LONGEST_LINE).collect()).collect();
            lines.drain(..lines.len().saturating_sub(MOST_LINES));
            return Ok(Some(LastFault { game: game.name, fault: game.fault.clone(), lines }));
        }
    }
    Ok(None)
}

impl fmt::Display for FaultyRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, job, entrant, counts: TooFaulty { faults, games, .. }, most, last } = self;
        let share = 100.0 * self.counts.share();
        let most = 100.0 * most;
        writeln!(
            f,
            "the run was stopped: \"{entrant}\" lost {faults} of its {games} games by faults ({share:.1}%). \
             `max_fault_share` allows {most:.1}%."
        )?;
        if let Some(LastFault { game, fault, lines }) = last {
            writeln!(f, "Its last fault, in game {game}: {fault}")?;
            lines.iter().try_for_each(|line| writeln!(f, "    {line}"))?;
        }
        let (path, job) = (path.display(), job.display());
        write!(
            f,
            "Every committed pair is kept. A mended engine is another build: start a new run with it.\n\
             To see all of these games:      spar show {path} --faults\n\
             To allow all faults and go on:  spar resume {job} --max-fault-share 1"
        )
    }
}
