//! `spar doctor`: finds what would spoil a run on this machine, each with a remedy.
//!
//! The machine is a parameter, so that tests can describe another one.

use super::{print, print_json};
use crate::args::Doctor;
use crate::failure::{Exit, Failure};
use crate::host;
use anyhow::anyhow;
use play::platform::{Machine, OpenFiles, free_space};
use serde::Serialize;
use std::io::Read;
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The timeout for a server's greeting.
const GREETING: Duration = Duration::from_secs(5);
/// The most bytes of a server's greeting that are read.
const MOST_GREETING: usize = 4096;
/// The open files of a worker: pipes of two engines, a book, the journal.
const FILES_OF_A_WORKER: u64 = 32;
const MIB: u64 = 1 << 20;
/// Below the first limit of free memory, engines compete with the system for it; below the second, they are killed.
const MEMORY: Limits = Limits { scarce: 1024 * MIB, too_little: 256 * MIB };
/// Free space for journals.
const DISK: Limits = Limits { scarce: 2048 * MIB, too_little: 128 * MIB };

/// Engines that distributions package.
const KNOWN_ENGINES: [&str; 12] = [
    "stockfish",
    "fairy-stockfish",
    "lc0",
    "berserk",
    "ethereal",
    "obsidian",
    "gnuchess",
    "crafty",
    "fairymax",
    "fruit",
    "sjeng",
    "toga2",
];

/// The limits below which an amount is scarce, or too little to play.
struct Limits {
    scarce: u64,
    too_little: u64,
}

impl Limits {
    fn grade(&self, amount: u64) -> Grade {
        match amount {
            amount if amount < self.too_little => Grade::Problem,
            amount if amount < self.scarce => Grade::Warning,
            _ => Grade::Ok,
        }
    }
}

/// How good one finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Grade {
    /// As it should be.
    Ok,
    /// It costs precision or speed.
    Warning,
    /// It would spoil a run.
    Problem,
}

/// An inspected property, and its grade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Finding {
    what: &'static str,
    grade: Grade,
    says: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Finding {
    fn new(what: &'static str, grade: Grade, says: impl Into<String>, remedy: &str) -> Self {
        let remedy = (grade != Grade::Ok).then(|| remedy.to_owned());
        Self { what, grade, says: says.into(), remedy }
    }
}

pub(crate) fn doctor(doctor: &Doctor, runs: &Path) -> Result<Exit, Failure> {
    let cores = host::processors().get();
    let machine = Machine::this();
    let mut findings: Vec<Finding> = [
        Some(processors(machine, cores)),
        clock(machine),
        governor(machine),
        load(machine, cores),
        files(machine, cores),
        memory(machine),
    ]
    .into_iter()
    .flatten()
    .collect();
    findings.extend(disk(runs));
    findings.push(engines(&std::env::var_os("PATH").unwrap_or_default()));
    findings.extend(doctor.server.as_deref().map(server));
    if doctor.json {
        print_json(&findings)?;
    } else {
        for finding in &findings {
            print(line(finding))?;
        }
    }
    match findings.iter().filter(|finding| finding.grade == Grade::Problem).count() {
        0 => Ok(Exit::Done),
        1 => Err(Failure::Environment(anyhow!("a problem would spoil a run here"))),
        count => Err(Failure::Environment(anyhow!("{count} problems would spoil a run here"))),
    }
}

fn line(finding: &Finding) -> String {
    let Finding { what, grade, says, remedy } = finding;
    let sign = match grade {
        Grade::Ok => "ok     ",
        Grade::Warning => "warning",
        Grade::Problem => "problem",
    };
    let remedy = remedy.as_ref().map(|remedy| format!("\n{:21}{remedy}", "")).unwrap_or_default();
    format!("{sign}  {what:<10}  {says}{remedy}")
}

/// The processors, the physical cores, and the share of them that a container may use.
fn processors(machine: Machine<'_>, usable: usize) -> Finding {
    let (all, cores) = (machine.processors(), machine.cores());
    if let Some(quota) = machine.quota().filter(|quota| *quota < all as f64) {
        let says = format!("a container that may use {quota:.1} of {all} processors");
        let remedy = "with less than a whole processor for each engine, moves come late: lower --concurrency";
        return Finding::new("processors", Grade::Warning, says, remedy);
    }
    if cores > 0 && cores < usable {
        let says = format!("{usable} processors on {cores} physical cores");
        let remedy =
            format!("games share cores and slow each other down: use --concurrency {cores}, or `affinity = \"auto\"`");
        return Finding::new("processors", Grade::Warning, says, &remedy);
    }
    let says = if usable == 1 { "1 processor".to_owned() } else { format!("{usable} processors, a core each") };
    Finding::new("processors", Grade::Ok, says, "")
}

/// Clock sources that access a slow device at each reading.
const SLOW_CLOCKS: [&str; 4] = ["hpet", "acpi_pm", "pit", "jiffies"];

fn clock(machine: Machine<'_>) -> Option<Finding> {
    let source = machine.clock_source()?;
    let grade = if SLOW_CLOCKS.contains(&source.as_str()) { Grade::Warning } else { Grade::Ok };
    let remedy = "reading this clock is slow, and engines read it often: boot with clocksource=tsc, if the machine has \
                  a stable one";
    Some(Finding::new("clock", grade, source, remedy))
}

/// Governors that make the speed of a core depend on its earlier load.
const VARYING: [&str; 4] = ["powersave", "ondemand", "conservative", "schedutil"];

fn governor(machine: Machine<'_>) -> Option<Finding> {
    let all = machine.governors();
    if all.is_empty() {
        return None;
    }
    let varies = all.iter().any(|governor| VARYING.contains(&governor.as_str()));
    let grade = if varies { Grade::Warning } else { Grade::Ok };
    let remedy = "the speed varies with the load: sudo cpupower frequency-set -g performance";
    Some(Finding::new("governor", grade, all.into_iter().collect::<Vec<_>>().join(", "), remedy))
}

/// Other work takes processor time from engines: a quarter of the processors is a warning, three quarters are a
/// problem.
fn load(machine: Machine<'_>, cores: usize) -> Option<Finding> {
    let load = machine.load()?;
    let share = load / cores.max(1) as f64;
    let grade = match share {
        share if share > 0.75 => Grade::Problem,
        share if share > 0.25 => Grade::Warning,
        _ => Grade::Ok,
    };
    let remedy = "other programs are running: end them (see `top`), or lower --concurrency";
    Some(Finding::new("load", grade, format!("{load:.2} in the last minute, on {cores} processors"), remedy))
}

/// The soft limit of open files.
fn files(machine: Machine<'_>, cores: usize) -> Option<Finding> {
    let OpenFiles::Limited(most) = machine.open_files()? else {
        return Some(Finding::new("files", Grade::Ok, "unlimited", ""));
    };
    let needed = FILES_OF_A_WORKER * cores as u64;
    let grade = Limits { scarce: 2 * needed, too_little: needed }.grade(most);
    let says = format!("{most} open files, and {cores} games at the same time need {needed}");
    Some(Finding::new("files", grade, says, "raise the limit: ulimit -n 4096"))
}

fn memory(machine: Machine<'_>) -> Option<Finding> {
    let available = machine.available_memory()?;
    let remedy = "end other programs, or lower the engines' Hash or --concurrency";
    Some(Finding::new("memory", MEMORY.grade(available), format!("{} MiB available", available / MIB), remedy))
}

/// Free space in the folder of the runs, or where it will be made.
fn disk(runs: &Path) -> Option<Finding> {
    let here = std::path::absolute(runs).ok()?;
    let folder = here.ancestors().find(|folder| folder.exists())?;
    Some(space(folder, free_space(folder)?))
}

fn space(folder: &Path, free: u64) -> Finding {
    let says = format!("{} MiB free in {}", free / MIB, folder.display());
    Finding::new("disk", DISK.grade(free), says, "remove old runs, or choose another folder by --runs")
}

/// Engines that are installed. None is no fault, since users bring their own.
fn engines(path: &std::ffi::OsStr) -> Finding {
    let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    let is_there = |name: &&&str| folders.iter().any(|folder| folder.join(name).is_file());
    let found: Vec<&str> = KNOWN_ENGINES.iter().filter(is_there).copied().collect();
    let says = if found.is_empty() { "none that is known, in PATH".to_owned() } else { found.join(", ") };
    Finding::new("engines", Grade::Ok, says, "")
}

/// Whether a NATS server answers: it greets each client with a line that begins with `INFO`.
fn server(url: &str) -> Finding {
    let remedy = "check that the server runs, its address, and the firewall";
    match greeting(url) {
        Ok(()) => Finding::new("server", Grade::Ok, format!("{url} answers"), ""),
        Err(why) => Finding::new("server", Grade::Problem, format!("{url}: {why}"), remedy),
    }
}

fn greeting(url: &str) -> Result<(), String> {
    let until = Instant::now() + GREETING;
    let rest = ["nats://", "tls://"].iter().find_map(|scheme| url.strip_prefix(scheme)).unwrap_or(url);
    let rest = rest.rsplit_once('@').map_or(rest, |(_user, rest)| rest).trim_end_matches('/');
    let has_port = rest.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let place = if has_port { rest.to_owned() } else { format!("{rest}:4222") };
    let addresses = place.to_socket_addrs().map_err(|error| error.to_string())?;
    let mut last = "no address is known".to_owned();
    for address in addresses {
        let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return greets(stream, until),
            Err(error) => last = error.to_string(),
        }
    }
    Err(last)
}

fn greets(mut stream: TcpStream, until: Instant) -> Result<(), String> {
    let mut greeting = Vec::new();
    while greeting.len() < MOST_GREETING && !greeting.starts_with(b"INFO ") {
        if !b"INFO ".starts_with(&greeting) {
            return Err("it does not greet as a NATS server does".to_owned());
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err("it accepts connections but does not answer".to_owned());
        }
        stream.set_read_timeout(Some(left)).map_err(|error| error.to_string())?;
        let mut part = [0; 64];
        match stream.read(&mut part) {
            Ok(0) => return Err("it closes the connection without a greeting".to_owned()),
            Ok(count) => greeting.extend_from_slice(&part[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return Err("it accepts connections but does not answer".to_owned()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    /// A root with these files.
    fn files_of(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        root
    }

    fn grade(finding: Option<Finding>) -> Option<Grade> {
        let finding = finding?;
        assert_eq!(finding.remedy.is_some(), finding.grade != Grade::Ok, "{finding:?}");
        Some(finding.grade)
    }

    #[test]
    fn a_quiet_machine_is_ready() {
        let root = files_of(&[
            ("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0\n"),
            ("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
            ("sys/fs/cgroup/cpu.max", "max 100000\n"),
            ("proc/loadavg", "0.10 0.20 0.30 1/234 5678\n"),
            ("proc/self/limits", "Max open files            1024                 524288               files\n"),
            ("proc/meminfo", "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\n"),
        ]);
        let machine = Machine::at(root.path());
        for finding in [
            Some(processors(machine, 2)),
            clock(machine),
            governor(machine),
            load(machine, 2),
            files(machine, 2),
            memory(machine),
        ] {
            assert_eq!(grade(finding.clone()), Some(Grade::Ok), "{finding:?}");
        }
    }

    #[test]
    fn what_would_spoil_a_run_is_found() {
        let root = files_of(&[
            ("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n"),
            ("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n"),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
            ("proc/loadavg", "7.90 7.20 6.30 9/234 5678\n"),
            ("proc/self/limits", "Max open files            40                 524288               files\n"),
            ("proc/meminfo", "MemAvailable:    80000 kB\n"),
        ]);
        let machine = Machine::at(root.path());
        let found = [
            Some(processors(machine, 2)),
            clock(machine),
            governor(machine),
            load(machine, 2),
            files(machine, 2),
            memory(machine),
        ];
        let grades: Vec<Option<Grade>> = found.into_iter().map(grade).collect();
        let [warning, problem] = [Some(Grade::Warning), Some(Grade::Problem)];
        assert_eq!(grades, [warning, warning, warning, problem, problem, problem]);
        assert_eq!(grade(load(machine, 16)), warning);
        assert_eq!(grade(Some(space(root.path(), 5 * MIB))), problem);
    }

    #[test]
    fn a_container_with_less_than_its_processors_is_named() {
        let root = files_of(&[
            ("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0\n"),
            ("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1\n"),
            ("sys/fs/cgroup/cpu.max", "150000 100000\n"),
        ]);
        let finding = processors(Machine::at(root.path()), 2);
        assert_eq!(
            (finding.grade, finding.says.as_str()),
            (Grade::Warning, "a container that may use 1.5 of 2 processors")
        );
    }

    #[test]
    fn a_machine_that_tells_nothing_is_no_problem() {
        let root =
            files_of(&[("proc/loadavg", "nonsense"), ("proc/meminfo", "MemAvailable: much"), ("proc/self/limits", "")]);
        let machine = Machine::at(root.path());
        let found = [clock(machine), governor(machine), load(machine, 2), files(machine, 2), memory(machine)];
        assert!(found.iter().all(Option::is_none), "{found:?}");
        assert_eq!(grade(Some(processors(machine, 2))), Some(Grade::Ok));
    }

    /// A server that sends this text to its first client and closes.
    fn serving(text: &'static [u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("nats://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            let (mut client, _) = listener.accept().expect("a client");
            let _closed = client.write_all(text);
        });
        url
    }

    #[test]
    fn a_server_is_known_by_its_greeting() {
        assert_eq!(server(&serving(b"INFO {}\r\n")).grade, Grade::Ok);
        for (text, expected) in [(&b"HTTP/1.1 400 Bad Request\r\n"[..], "does not greet"), (b"", "without a greeting")]
        {
            let finding = server(&serving(text));
            assert!(finding.grade == Grade::Problem && finding.says.contains(expected), "{finding:?}");
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let closed = listener.local_addr().expect("an address").to_string();
        drop(listener);
        assert_eq!(server(&closed).grade, Grade::Problem);
    }
}
