//! The rehearsal: before a run has a folder, its first opening is made and every engine process gets ready for a game,
//! with its options for the run. Nothing is played; only the games show whether a game can be played to its end.

use super::drive::Maker;
use super::drive::error::RunError;
use super::executors::{Processes, rehearse_pair};
use super::journal::Header;
use super::pair::PairSpec;
use super::unready::Unready;
use play::openings::Openings;
use play::players::process::{StandbyPlayers, Starter};
use rayon::prelude::*;
use record::Proposal;
use std::sync::atomic::AtomicBool;

/// The most players kept for the first game: those of two seats. More could wait long for their first game.
const MOST_KEPT: usize = 2;

/// Makes every entrant get ready once. An experiment that varies parameters passes their names, and sets of values that
/// its first entrant must accept, too. Without `processes`, no processes can be started.
///
/// # Errors
/// [`Unready`] for an entrant that cannot be started, or if `stop` is raised meanwhile.
pub fn rehearse(
    run: &Header,
    openings: &Openings,
    varied: &[String],
    values: &[Vec<f64>],
    processes: Option<&Processes>,
    stop: &AtomicBool,
) -> Result<(), Unready> {
    let maker = Maker::new(&run.config, &run.builds, openings);
    let as_configured = (0..).zip(&run.config.entrants).map(|(entrant, _)| Proposal::of(entrant, entrant, 0));
    let with_values = values.iter().map(|values| {
        let mut proposal = Proposal::of(0, 0, 0);
        proposal.seats.iter_mut().for_each(|seat| seat.values.clone_from(values));
        proposal
    });
    let specs = as_configured.chain(with_values).map(|proposal| maker.spec(0, &proposal, varied));
    let specs = specs.collect::<Result<Vec<PairSpec>, RunError>>()?;
    // Each task mostly waits for its process; the first failure ends all of them.
    let tried = |processes: &Processes| Starter { standby: StandbyPlayers::default(), ..processes.starter(0) };
    let starter = processes.map(|processes| (tried(processes), &processes.standby));
    let kept = if varied.is_empty() { MOST_KEPT } else { 0 };
    let numbered = specs.par_iter().enumerate();
    numbered.try_for_each(|(number, spec)| {
        let starter = starter.as_ref().map(|(starter, standby)| (starter, Some(*standby).filter(|_| number < kept)));
        rehearse_pair(spec, starter, stop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::run::{Executables, run_header};
    use play::Limit;
    use play::child::{Affinity, Cpus, Spawner};
    use play::entrant::{EngineTimeouts, Handling, Options, PlayerSpec, ProcessSpec, Protocol, Restart};
    use play::games::GameKind;
    use std::num::{NonZeroU64, NonZeroUsize};
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    /// Creates a file named after its process id in the given folder, and waits for a game.
    const ENGINE: &str = "echo > \"$1/$$\"
        while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; quit) exit;; esac; done";

    fn process(folder: &Path) -> ProcessSpec {
        let arguments = ["-c", ENGINE, "engine", &folder.display().to_string()].map(str::to_owned).to_vec();
        ProcessSpec {
            command: "sh".to_owned(),
            arguments,
            directory: None,
            environment: std::collections::BTreeMap::new(),
            protocol: Protocol::Uci,
            options: Options::default(),
            init: Vec::new(),
            limit: Limit::Nodes(NonZeroU64::MIN),
            margin: Duration::ZERO,
            restart: Restart::WhenNeeded,
            timeouts: EngineTimeouts { start: Duration::from_mins(1), ..EngineTimeouts::default() },
            nice: None,
            handling: Handling::default(),
        }
    }

    #[test]
    fn a_wait_for_an_unplayed_game_ends_with_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = RunConfig::random_match(GameKind::Chess);
        for (margin, entrant) in (0..).zip(&mut run.entrants) {
            // Neither entrant can use the other's player.
            let margin = Duration::from_millis(margin);
            entrant.player = PlayerSpec::Process(Box::new(ProcessSpec { margin, ..process(folder.path()) }));
        }
        let programs = Arc::new(Executables::of(&run, Path::new("/")).unwrap());
        let header = run_header(&run, &programs);
        let one = NonZeroUsize::MIN;
        let cpus = Affinity::Off.plan(&Cpus::of_this_process().unwrap(), one, one).unwrap();
        let processes = Processes { cpus, ..Processes::new(Spawner::start(None).unwrap(), programs) };
        let openings = Openings::load(&run.openings, run.game).unwrap();
        rehearse(&header, &openings, &[], &[], Some(&processes), &AtomicBool::new(false)).unwrap();
        let numbers = || folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name());
        let living = || numbers().filter(|number| Path::new("/proc").join(number).exists()).count();
        assert_eq!(
            (format!("{:?}", processes.standby), numbers().count(), living()),
            ("StandbyPlayers(2)".to_owned(), 2, 2)
        );
        drop(processes);
        assert_eq!(living(), 0, "no thread is left to release them");
    }
}
