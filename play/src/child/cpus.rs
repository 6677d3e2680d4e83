//! The CPUs of this process, and which of them share a core. Reads `/sys`; decides nothing.

use super::AffinityError;
use crate::platform::Machine;
use rustix::thread::{CpuSet, sched_getaffinity};
use std::path::Path;

/// The CPUs that this process may use, by core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpus {
    /// For each core the numbers of its usable CPUs, ascending; cores by their first CPU.
    cores: Vec<Vec<usize>>,
    /// The number of CPUs whose time the process gets: a container may allow less time than it shows CPUs.
    share: usize,
}

impl Cpus {
    /// The CPUs of this process. Call it before any thread is pinned, since a pinned thread may use no others.
    ///
    /// # Errors
    ///
    /// [`AffinityError::Unknown`] if the system does not report them.
    pub fn of_this_process() -> Result<Self, AffinityError> {
        let allowed = allowed_cpus().map_err(AffinityError::Unknown)?;
        let share = std::thread::available_parallelism().map_err(AffinityError::Unknown)?.get();
        Ok(Self::read(&Machine::this().processors_folder(), &allowed, share))
    }

    /// The CPUs `allowed`, with the time of `share` CPUs, as the folder `root` (`/sys/devices/system/cpu`) describes
    /// them. A CPU whose siblings are not listed there, as in some virtual machines, counts as a core of its own.
    pub fn read(root: &Path, allowed: &[usize], share: usize) -> Self {
        let mut left: Vec<usize> = allowed.to_vec();
        left.sort_unstable();
        left.dedup();
        let mut cores = Vec::new();
        while let Some(&cpu) = left.first() {
            let siblings = siblings(root, cpu);
            let (core, others) = left.into_iter().partition(|other| *other == cpu || siblings.contains(other));
            cores.push(core);
            left = others;
        }
        Self { cores, share }
    }

    /// For each core the numbers of its CPUs, ascending.
    pub fn cores(&self) -> &[Vec<usize>] {
        &self.cores
    }

    /// The number of CPUs whose time the process gets: at most the number of CPUs.
    pub fn share(&self) -> usize {
        self.share.min(self.count())
    }

    /// The number of CPUs.
    pub fn count(&self) -> usize {
        self.cores.iter().map(Vec::len).sum()
    }

    /// Whether the process may use this CPU.
    pub fn contains(&self, cpu: usize) -> bool {
        self.cores.iter().any(|core| core.contains(&cpu))
    }
}

/// The CPUs to which the calling thread is bound, ascending: if it is not bound, all that this process may use.
///
/// # Errors
/// The system's error if it does not report them.
pub fn allowed_cpus() -> std::io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
}

/// The CPUs that share a core with this one; empty if unknown.
fn siblings(root: &Path, cpu: usize) -> Vec<usize> {
    let file = root.join(format!("cpu{cpu}/topology/thread_siblings_list"));
    std::fs::read_to_string(file).ok().and_then(|text| parse_list(text.trim())).unwrap_or_default()
}

/// Parses a list in the kernel's notation: `0-3,8`.
fn parse_list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last >= CpuSet::MAX_CPU {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A tree like `/sys/devices/system/cpu` with these sibling lists.
    fn tree(lists: &[(usize, &str)]) -> TempDir {
        let root = TempDir::new().expect("a temporary folder");
        for (cpu, list) in lists {
            let folder = root.path().join(format!("cpu{cpu}/topology"));
            std::fs::create_dir_all(&folder).expect("a writable folder");
            std::fs::write(folder.join("thread_siblings_list"), format!("{list}\n")).expect("a writable folder");
        }
        root
    }

    #[test]
    fn siblings_far_apart_and_neighbours() {
        let far = tree(&[(0, "0,2"), (1, "1,3"), (2, "0,2"), (3, "1,3")]);
        assert_eq!(Cpus::read(far.path(), &[0, 1, 2, 3], 4).cores(), [[0, 2], [1, 3]]);
        let near = tree(&[(0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3")]);
        assert_eq!(Cpus::read(near.path(), &[3, 2, 1, 0], 4).cores(), [[0, 1], [2, 3]]);
    }

    #[test]
    fn only_cpus_allowed_to_us_count() {
        let root = tree(&[(0, "0,2"), (1, "1,3"), (2, "0,2"), (3, "1,3")]);
        let cpus = Cpus::read(root.path(), &[2, 3], 1);
        assert_eq!(cpus.cores(), [[2], [3]]);
        assert_eq!((cpus.count(), cpus.share()), (2, 1));
        assert!(cpus.contains(3) && !cpus.contains(0));
    }

    #[test]
    fn a_machine_that_tells_nothing_has_a_core_for_each_cpu() {
        let root = tree(&[(1, "garbage"), (2, "9-99999999999")]);
        assert_eq!(Cpus::read(root.path(), &[0, 1, 2], 8).cores(), [[0], [1], [2]]);
        assert_eq!(Cpus::read(Path::new("/no/such/folder"), &[5], 8).share(), 1);
    }

    #[test]
    fn this_machine_has_cpus() {
        let cpus = Cpus::of_this_process().unwrap();
        assert!(cpus.share() >= 1 && cpus.share() <= cpus.count());
    }
}
