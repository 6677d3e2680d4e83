//! How a process ended, in words.

use rustix::process::Signal;
use std::fmt;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this status (0 to 255).
    Status(i32),
    /// By the signal of this number.
    Signal(i32),
}

/// The signals that end programs, by name.
const NAMES: [(Signal, &str); 13] = [
    (Signal::SEGV, "SIGSEGV"),
    (Signal::ABORT, "SIGABRT"),
    (Signal::BUS, "SIGBUS"),
    (Signal::FPE, "SIGFPE"),
    (Signal::ILL, "SIGILL"),
    (Signal::KILL, "SIGKILL"),
    (Signal::TERM, "SIGTERM"),
    (Signal::INT, "SIGINT"),
    (Signal::HUP, "SIGHUP"),
    (Signal::PIPE, "SIGPIPE"),
    (Signal::TRAP, "SIGTRAP"),
    (Signal::SYS, "SIGSYS"),
    (Signal::XCPU, "SIGXCPU"),
];

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Status(status) => write!(f, "exited with status {status}"),
            Self::Signal(number) => match NAMES.iter().find(|(signal, _)| signal.as_raw() == number) {
                Some((_, name)) => write!(f, "killed by {name}"),
                None => write!(f, "killed by signal {number}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn words() {
        assert_eq!(Exit::Status(3).to_string(), "exited with status 3");
        assert_eq!(Exit::Signal(11).to_string(), "killed by SIGSEGV");
        assert_eq!(Exit::Signal(40).to_string(), "killed by signal 40");
    }
}
