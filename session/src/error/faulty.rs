//! A run that was stopped because an entrant lost too many of its games by faults: the entrant, its last fault, and how
//! to resume.

use arena::run::{GameName, TooFaulty};
use play::Fault;
use std::fmt;
use std::path::PathBuf;

/// A run that was stopped by the faults of an entrant.
#[derive(Clone, Debug)]
pub struct FaultyRun {
    /// Its folder.
    pub(crate) path: PathBuf,
    /// The folder to resume.
    pub(crate) job: PathBuf,
    /// The entrant's name.
    pub(crate) entrant: String,
    /// Its games and faults.
    pub(crate) counts: TooFaulty,
    /// The allowed share.
    pub(crate) most: f64,
    /// The last game that it lost by a fault of its own.
    pub(crate) last: Option<LastFault>,
}

/// A game lost by a fault.
#[derive(Clone, Debug)]
pub(crate) struct LastFault {
    pub(crate) game: GameName,
    pub(crate) fault: Fault,
    /// The engine's last lines.
    pub(crate) lines: Vec<String>,
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
            "Every finished pair is kept. A fixed engine is another build: start a new run with it.\n\
             To see all of these games:      spar show {path} --faults\n\
             To allow all faults and resume:  spar resume {job} --max-fault-share 1"
        )
    }
}
