//! Plans which CPUs each of several simultaneous games gets. Two games share a core only if the configuration allows
//! it.

use super::Cpus;
use std::io;
use std::num::NonZeroUsize;
use thiserror::Error;

/// How engines are bound to CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Affinity {
    /// Engines are not bound.
    #[default]
    Off,
    /// Each game gets cores of its own.
    Auto,
    /// Each game gets the next of these CPUs, whether or not they are siblings on one core.
    List(Vec<usize>),
}

/// Why the games cannot be bound to CPUs as requested.
#[derive(Debug, Error)]
pub enum AffinityError {
    /// There are not enough cores.
    #[error(
        "{games} games at once do not fit on {cores} cores ({cpus} CPUs) without sharing one, at {each} to a game: \
         play {fitting} at once, or list the CPUs to use"
    )]
    TooFewCores {
        /// The number of simultaneous games.
        games: NonZeroUsize,
        /// The number of CPUs for each game.
        each: NonZeroUsize,
        /// The number of cores this process may use.
        cores: usize,
        /// The number of CPUs this process may use.
        cpus: usize,
        /// The number of simultaneous games that fit.
        fitting: usize,
    },
    /// There are enough cores, but the process may not use all their time.
    #[error("{needed} CPUs are needed, and this container gives the time of {share}: play fewer games at once")]
    TooLittleTime {
        /// The number of CPUs for all games.
        needed: usize,
        /// The number of CPUs whose time the process gets.
        share: usize,
    },
    /// The list is too short.
    #[error("{needed} CPUs are needed, and {listed} are listed")]
    ShortList {
        /// The number of CPUs for all games.
        needed: usize,
        /// The number of CPUs in the list.
        listed: usize,
    },
    /// A CPU in the list does not exist, or is not allowed to this process.
    #[error("CPU {0} is listed, and this process may not use it")]
    NotAllowed(usize),
    /// A CPU is in the list twice.
    #[error("CPU {0} is listed twice")]
    Twice(usize),
    /// The system does not report the CPUs.
    #[error("cannot tell which CPUs there are: {0}")]
    Unknown(#[source] io::Error),
}

impl Affinity {
    /// The CPUs for each of `games` simultaneous games; all lists are empty if games are not bound. Each game gets
    /// `each` CPUs, which both engines share: as many as one engine has threads if only one thinks at a time, otherwise
    /// as many as both have together.
    ///
    /// # Errors
    ///
    /// [`AffinityError`]
    pub fn plan(&self, cpus: &Cpus, games: NonZeroUsize, each: NonZeroUsize) -> Result<Vec<Vec<usize>>, AffinityError> {
        match self {
            Self::Off => Ok(vec![Vec::new(); games.get()]),
            Self::Auto => automatic(cpus, games, each),
            Self::List(list) => listed(cpus, list, games, each),
        }
    }
}

fn automatic(cpus: &Cpus, games: NonZeroUsize, each: NonZeroUsize) -> Result<Vec<Vec<usize>>, AffinityError> {
    // Give every thread a core of its own if there are enough; otherwise give every game cores of its own.
    let mut bundles = one_cpu_a_core(cpus, each);
    if bundles.len() < games.get() {
        bundles = whole_cores(cpus, each);
    }
    let fitting = bundles.len().min(cpus.share() / each);
    if bundles.len() < games.get() {
        let (cores, count) = (cpus.cores().len(), cpus.count());
        return Err(AffinityError::TooFewCores { games, each, cores, cpus: count, fitting });
    }
    let needed = games.get().saturating_mul(each.get());
    if fitting < games.get() {
        return Err(AffinityError::TooLittleTime { needed, share: cpus.share() });
    }
    bundles.truncate(games.get());
    Ok(bundles)
}

fn one_cpu_a_core(cpus: &Cpus, each: NonZeroUsize) -> Vec<Vec<usize>> {
    let firsts: Vec<usize> = cpus.cores().iter().filter_map(|core| core.first().copied()).collect();
    firsts.chunks_exact(each.get()).map(<[usize]>::to_vec).collect()
}

/// Takes whole cores until a game has enough CPUs; CPUs of the last core that it does not need stay idle.
fn whole_cores(cpus: &Cpus, each: NonZeroUsize) -> Vec<Vec<usize>> {
    let mut bundles = Vec::new();
    let mut bundle = Vec::new();
    for core in cpus.cores() {
        bundle.extend_from_slice(core);
        if bundle.len() >= each.get() {
            bundle.truncate(each.get());
            bundles.push(std::mem::take(&mut bundle));
        }
    }
    bundles
}

fn listed(
    cpus: &Cpus,
    list: &[usize],
    games: NonZeroUsize,
    each: NonZeroUsize,
) -> Result<Vec<Vec<usize>>, AffinityError> {
    for (index, &cpu) in list.iter().enumerate() {
        if !cpus.contains(cpu) {
            return Err(AffinityError::NotAllowed(cpu));
        }
        if list[..index].contains(&cpu) {
            return Err(AffinityError::Twice(cpu));
        }
    }
    let needed = games.get().saturating_mul(each.get());
    if list.len() < needed {
        return Err(AffinityError::ShortList { needed, listed: list.len() });
    }
    Ok(list.chunks_exact(each.get()).take(games.get()).map(<[usize]>::to_vec).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use tempfile::TempDir;

    /// Cores of two CPUs each, `n` and `n + cores`, in the numbering of most kernels.
    fn smt(cores: usize, share: usize) -> Cpus {
        let root = TempDir::new().expect("a temporary folder");
        for cpu in 0..2 * cores {
            let folder = root.path().join(format!("cpu{cpu}/topology"));
            std::fs::create_dir_all(&folder).expect("a writable folder");
            let list = format!("{},{}", cpu % cores, cpu % cores + cores);
            std::fs::write(folder.join("thread_siblings_list"), list).expect("a writable folder");
        }
        Cpus::read(root.path(), &(0..2 * cores).collect::<Vec<_>>(), share)
    }

    fn plain(count: usize) -> Cpus {
        Cpus::read(Path::new("/no/such/folder"), &(0..count).collect::<Vec<_>>(), count)
    }

    fn plan(affinity: &Affinity, cpus: &Cpus, games: usize, each: usize) -> Result<Vec<Vec<usize>>, String> {
        let count = |count| NonZeroUsize::new(count).expect("not zero");
        affinity.plan(cpus, count(games), count(each)).map_err(|error| error.to_string())
    }

    #[test]
    fn off_binds_nothing() {
        assert_eq!(plan(&Affinity::Off, &plain(1), 3, 2).unwrap(), vec![Vec::<usize>::new(); 3]);
    }

    #[test]
    fn physical_cores_come_first() {
        assert_eq!(plan(&Affinity::Auto, &smt(4, 8), 3, 1).unwrap(), [[0], [1], [2]]);
        assert_eq!(plan(&Affinity::Auto, &smt(4, 8), 2, 2).unwrap(), [[0, 1], [2, 3]]);
    }

    #[test]
    fn a_game_may_use_both_siblings_of_its_own_cores() {
        assert_eq!(plan(&Affinity::Auto, &smt(4, 8), 4, 2).unwrap(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(plan(&Affinity::Auto, &smt(4, 8), 2, 3).unwrap(), [[0, 4, 1], [2, 6, 3]]);
    }

    #[test]
    fn two_games_never_share_a_core_unasked() {
        let error = plan(&Affinity::Auto, &smt(4, 8), 5, 1).unwrap_err();
        assert_eq!(
            error,
            "5 games at once do not fit on 4 cores (8 CPUs) without sharing one, at 1 to a game: play 4 at once, or \
             list the CPUs to use"
        );
        assert_eq!(plan(&Affinity::List(vec![0, 4, 1, 5]), &smt(4, 8), 4, 1).unwrap(), [[0], [4], [1], [5]]);
        assert!(plan(&Affinity::Auto, &plain(2), usize::MAX, usize::MAX).is_err());
    }

    #[test]
    fn a_container_may_give_less_time_than_cores() {
        let error = plan(&Affinity::Auto, &smt(4, 2), 3, 1).unwrap_err();
        assert!(error.starts_with("3 CPUs are needed, and this container gives the time of 2"), "{error}");
        assert_eq!(plan(&Affinity::Auto, &smt(4, 2), 2, 1).unwrap(), [[0], [1]]);
    }

    #[test]
    fn lists_are_checked() {
        let list = |cpus: &[usize]| plan(&Affinity::List(cpus.to_vec()), &plain(4), 2, 2);
        assert_eq!(list(&[3, 2, 1, 0]).unwrap(), [[3, 2], [1, 0]]);
        assert_eq!(list(&[0, 1, 2]).unwrap_err(), "4 CPUs are needed, and 3 are listed");
        assert_eq!(list(&[0, 1, 2, 9]).unwrap_err(), "CPU 9 is listed, and this process may not use it");
        assert_eq!(list(&[0, 1, 1, 2]).unwrap_err(), "CPU 1 is listed twice");
    }
}
