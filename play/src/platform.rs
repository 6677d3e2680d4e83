//! What the system reports about the machine and about processes: Linux's files in `/proc` and `/sys`.
//!
//! A port to another system replaces this module and [`child`](crate::child), which starts and ends processes. Every
//! answer may be missing; the run then does without it. Files are read below a root, so that tests can describe another
//! machine.

use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name under which a process finds its own program, even if the program was replaced or removed since.
pub(crate) const THIS_PROGRAM: &str = "/proc/self/exe";

/// A machine, described by its files.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    root: &'a Path,
}

/// A limit of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenFiles {
    /// At most this many.
    Limited(u64),
    /// Any number.
    Unlimited,
}

impl Machine<'static> {
    /// The machine that this process runs on.
    pub fn this() -> Self {
        Self { root: Path::new("/") }
    }
}

impl<'a> Machine<'a> {
    /// The machine whose files are below a folder.
    pub fn at(root: &'a Path) -> Self {
        Self { root }
    }

    /// Reads a file, without blanks around its text.
    fn text(&self, path: &str) -> Option<String> {
        read_to_string(self.root.join(path)).ok().map(|text| text.trim().to_owned())
    }

    /// The machine's name.
    pub fn host_name(&self) -> Option<String> {
        self.text("proc/sys/kernel/hostname").filter(|name| !name.is_empty())
    }

    /// A row of the memory table, in bytes.
    fn memory(&self, row: &str) -> Option<u64> {
        let table = self.text("proc/meminfo")?;
        let row = table.lines().find_map(|line| line.strip_prefix(row)?.strip_prefix(':'))?;
        row.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    }

    /// The total memory, in bytes.
    pub fn total_memory(&self) -> Option<u64> {
        self.memory("MemTotal")
    }

    /// The memory that is available to programs, in bytes.
    pub fn available_memory(&self) -> Option<u64> {
        self.memory("MemAvailable")
    }

    /// The number of threads that ran or wanted to, averaged over the last minute.
    pub fn load(&self) -> Option<f64> {
        self.text("proc/loadavg")?.split_whitespace().next()?.parse().ok()
    }

    /// The source of the kernel's clock, such as `tsc`.
    pub fn clock_source(&self) -> Option<String> {
        self.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
    }

    /// The folder that describes the processors.
    pub(crate) fn processors_folder(&self) -> PathBuf {
        self.root.join("sys/devices/system/cpu")
    }

    /// The folders of the processors, in the order of their numbers.
    fn processor_folders(&self) -> Vec<PathBuf> {
        let number = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix("cpu")?.parse::<u32>().ok();
        let entries = self.processors_folder().read_dir().into_iter().flatten().flatten();
        let mut found: Vec<(u32, PathBuf)> =
            entries.filter_map(|entry| Some((number(&entry.path())?, entry.path()))).collect();
        found.sort();
        found.into_iter().map(|(_, path)| path).collect()
    }

    /// The distinct texts in a file of each processor's folder.
    fn of_processors(&self, file: &str) -> BTreeSet<String> {
        let text = |folder: &PathBuf| read_to_string(folder.join(file)).ok().map(|text| text.trim().to_owned());
        self.processor_folders().iter().filter_map(text).collect()
    }

    /// The number of processors.
    pub fn processors(&self) -> usize {
        self.processor_folders().len()
    }

    /// The number of physical cores; 0 if it is not known, as in some virtual machines.
    pub fn cores(&self) -> usize {
        self.of_processors("topology/thread_siblings_list").len()
    }

    /// The policies by which the processors change their speed, such as `performance`.
    pub fn governors(&self) -> BTreeSet<String> {
        self.of_processors("cpufreq/scaling_governor")
    }

    /// How many processors' time the container may use, if that is limited.
    pub fn quota(&self) -> Option<f64> {
        let quota = self.text("sys/fs/cgroup/cpu.max")?;
        let (most, period) = quota.split_once(' ')?;
        let quota = most.parse::<f64>().ok()? / period.parse::<f64>().ok()?;
        quota.is_finite().then_some(quota)
    }

    /// How many files this process may have open.
    pub fn open_files(&self) -> Option<OpenFiles> {
        let limits = self.text("proc/self/limits")?;
        let row = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
        let soft = row.split_whitespace().next()?;
        Some(soft.parse().map_or(OpenFiles::Unlimited, OpenFiles::Limited))
    }

    /// The processor's model, in the kernel's words; empty if it is not known.
    pub fn processor(&self) -> String {
        let said = self.text("proc/cpuinfo").unwrap_or_default();
        let first = said.split("\n\n").next().unwrap_or_default();
        let tells = ["vendor_id", "cpu family", "model", "stepping", "flags", "CPU ", "Features"];
        first.lines().filter(|line| tells.iter().any(|name| line.starts_with(name))).collect()
    }
}

/// Free space for this user on the folder's file system, in bytes.
pub fn free_space(folder: &Path) -> Option<u64> {
    let system = rustix::fs::statvfs(folder).ok()?;
    Some(system.f_bavail.saturating_mul(system.f_frsize))
}

/// How long the threads of a process have waited for a processor while they were ready to run. `None` where the kernel
/// does not count it.
pub(crate) fn run_delay(process: u32) -> Option<Duration> {
    let tasks = Path::new("/proc").join(process.to_string()).join("task");
    let mut sum = Duration::ZERO;
    for task in tasks.read_dir().ok()? {
        // A thread may end in the meantime.
        sum += waited(&task.ok()?.path().join("schedstat")).unwrap_or_default();
    }
    Some(sum)
}

/// Like [`run_delay`], for a process and those that it has started: an engine may be a script that runs the real one.
pub(crate) fn run_delay_of_family(process: u32) -> Option<Duration> {
    let own = run_delay(process)?;
    Some(children(process).into_iter().filter_map(run_delay_of_family).fold(own, Duration::saturating_add))
}

/// The processes that a process has started; none where the kernel does not list them.
fn children(process: u32) -> Vec<u32> {
    let Ok(tasks) = Path::new("/proc").join(process.to_string()).join("task").read_dir() else { return Vec::new() };
    let listed = tasks.filter_map(|task| read_to_string(task.ok()?.path().join("children")).ok());
    listed
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// How long the calling thread has waited for a processor while it was ready to run. `None` where the kernel does not
/// count it.
pub fn own_run_delay() -> Option<Duration> {
    waited(Path::new("/proc/thread-self/schedstat"))
}

/// The second number of a `schedstat`, in nanoseconds.
fn waited(schedstat: &Path) -> Option<Duration> {
    let text = read_to_string(schedstat).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::{run_delay, run_delay_of_family};
    use crate::child::allowed_cpus;
    use rustix::process::{Pid, Signal, kill_process_group};
    use rustix::thread::{CpuSet, sched_setaffinity};
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    /// A shell that waits for a shell that waits for eight loops that are always ready to run.
    const LOOPS: &str = "sh -c 'for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; wait'; exit";

    /// A shell with all that it has started. They end when it is dropped.
    struct Family(Child);

    impl Family {
        /// Starts a script whose processes share one processor.
        fn on_one_processor(script: &str) -> Self {
            let start = || {
                let mut one = CpuSet::new();
                one.set(allowed_cpus().expect("the kernel tells")[0]);
                sched_setaffinity(None, &one).expect("a processor that is allowed");
                let mut shell = Command::new("sh");
                shell.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
                shell.spawn().expect("a shell")
            };
            // A process inherits the processors of the thread that starts it. This thread ends here.
            Self(std::thread::scope(|scope| scope.spawn(start).join().expect("a shell")))
        }
    }

    impl Drop for Family {
        fn drop(&mut self) {
            let _gone = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _status = self.0.wait();
        }
    }

    /// Eight processes on one processor wait for longer than they run, together for longer than time passes. The shells
    /// that started them only wait for their end.
    #[test]
    fn a_family_has_waited_for_a_processor_for_as_long_as_its_members() {
        if !Path::new("/proc/thread-self/schedstat").exists() || !Path::new("/proc/thread-self/children").exists() {
            return;
        }
        let started = Instant::now();
        let family = Family::on_one_processor(LOOPS);
        let shell = family.0.id();
        let waited = |of: fn(u32) -> Option<Duration>| of(shell).expect("it lives");
        while waited(run_delay_of_family) <= waited(run_delay) + started.elapsed() {
            assert!(started.elapsed() < Duration::from_mins(2), "nobody waits for the processor");
            std::thread::yield_now();
        }
    }
}
