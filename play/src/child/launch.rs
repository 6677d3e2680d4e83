//! The launcher: runs spar's own program briefly between spar and an engine, so that the engine dies with spar.
//!
//! `spar __launch --parent PID [--cpus 0,2] [--nice 5] -- PROGRAM ARGUMENTS...` asks the kernel to kill the engine when
//! its parent dies, sets affinity and priority, waits until the engine is registered with the supervisor, and becomes
//! the engine by `exec`. Setting these between fork and exec instead would need unsafe code and rule out `posix_spawn`,
//! without which a start costs more the more memory spar uses.
//!
//! Both ends of this command line are here: [`arguments`] writes it, [`launch`] executes it.

use super::{ChildSpec, start_once_written};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal, setpriority_process};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::convert::Infallible;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// The hidden subcommand's name.
pub const LAUNCH: &str = "__launch";
/// The byte that the launcher reads from its standard input before it continues.
pub(super) const GO: u8 = b'\n';

/// Exit status if the engine could not be prepared, the same as that of `env` and `nohup`.
const NOT_PREPARED: u8 = 125;
/// Exit status if the engine could not be started, the same as that of shells.
const NOT_STARTED: u8 = 127;

/// The command line that launches an engine as a child of the process `parent`.
pub(super) fn arguments(spec: &ChildSpec, parent: u32) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![LAUNCH.into(), "--parent".into(), parent.to_string().into()];
    if !spec.cpus.is_empty() {
        let cpus: Vec<String> = spec.cpus.iter().map(usize::to_string).collect();
        words.extend(["--cpus".into(), cpus.join(",").into()]);
    }
    if let Some(nice) = spec.nice {
        words.extend(["--nice".into(), nice.to_string().into()]);
    }
    words.extend(["--".into(), spec.program.clone().into()]);
    words.extend(spec.arguments.iter().map(OsString::from));
    words
}

/// Becomes the engine that the arguments after `__launch` describe. Returns only if that fails, after printing why on
/// standard error.
pub fn launch(words: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(order) = Order::read(words) else {
        return failed(NOT_PREPARED, "spar __launch: not meant to be called by hand");
    };
    if let Err(error) = order.prepare() {
        return failed(NOT_PREPARED, format_args!("cannot prepare {}: {error}", order.program.display()));
    }
    let Err(error) =
        start_once_written(|| Err::<Infallible, _>(Command::new(&order.program).args(&order.arguments).exec()));
    failed(NOT_STARTED, format_args!("cannot start {}: {error}", order.program.display()))
}

/// Binds the calling thread to CPUs.
///
/// # Errors
/// The system's error if a CPU does not exist or is not allowed to this process.
pub fn stay_on(cpus: &[usize]) -> std::io::Result<()> {
    Ok(sched_setaffinity(None, &cpu_set(cpus)?)?)
}

fn failed(status: u8, message: impl Display) -> ExitCode {
    let _nobody_listens = writeln!(std::io::stderr(), "{message}");
    ExitCode::from(status)
}

/// The parsed command line.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    parent: u32,
    cpus: Vec<usize>,
    nice: Option<i32>,
    program: OsString,
    arguments: Vec<OsString>,
}

impl Order {
    fn read(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let (mut parent, mut cpus, mut nice) = (None, Vec::new(), None);
        loop {
            let word = words.next()?.into_string().ok()?;
            if word == "--" {
                break;
            }
            let value = words.next()?.into_string().ok()?;
            match word.as_str() {
                "--parent" => parent = Some(value.parse().ok()?),
                "--cpus" => cpus = value.split(',').map(str::parse).collect::<Result<_, _>>().ok()?,
                "--nice" => nice = Some(value.parse().ok()?),
                _ => return None,
            }
        }
        Some(Self { parent: parent?, cpus, nice, program: words.next()?, arguments: words.collect() })
    }

    fn prepare(&self) -> std::io::Result<()> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have died before the request, and then no signal comes.
        if getppid().map(Pid::as_raw_pid) != Some(self.parent.cast_signed()) {
            return Err(std::io::Error::other("the parent is gone"));
        }
        if !self.cpus.is_empty() {
            sched_setaffinity(None, &cpu_set(&self.cpus)?)?;
        }
        if let Some(nice) = self.nice {
            setpriority_process(None, nice)?;
        }
        wait_for_go()
    }
}

fn cpu_set(cpus: &[usize]) -> std::io::Result<CpuSet> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            return Err(std::io::Error::other(format!("there is no CPU {cpu}")));
        }
        set.set(cpu);
    }
    Ok(set)
}

/// Reads exactly one byte: the following bytes are for the engine.
fn wait_for_go() -> std::io::Result<()> {
    let mut byte = [0_u8];
    let count = loop {
        match rustix::io::read(std::io::stdin(), &mut byte) {
            Err(rustix::io::Errno::INTR) => {}
            other => break other?,
        }
    };
    if count == 1 && byte[0] == GO { Ok(()) } else { Err(std::io::Error::other("the parent is gone")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_read_as_it_was_written() {
        let spec = ChildSpec {
            arguments: vec!["--".into(), "--nice".into(), String::new()],
            cpus: vec![0, 2],
            nice: Some(5),
            ..ChildSpec::new("/bin/engine")
        };
        let words = arguments(&spec, 77);
        assert_eq!(words[0], LAUNCH);
        let order = Order::read(words.into_iter().skip(1)).expect("a readable command line");
        assert_eq!(order.parent, 77);
        assert_eq!((order.cpus, order.nice), (spec.cpus, spec.nice));
        assert_eq!(order.program, "/bin/engine");
        assert_eq!(order.arguments, ["--", "--nice", ""]);
    }

    #[test]
    fn other_command_lines_are_refused() {
        for words in [&["--parent", "1"][..], &["--", "x"], &["--parent", "x", "--", "x"], &["--parent", "1", "--"]] {
            assert_eq!(Order::read(words.iter().map(OsString::from)), None, "{words:?}");
        }
        assert!(cpu_set(&[CpuSet::MAX_CPU]).is_err());
    }
}
