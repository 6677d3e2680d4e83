//! The subcommands that only spar itself calls: the launcher of an engine, the supervisor of engines, and the process
//! that passes lines on to an engine over TCP.
//!
//! They are handled before the command line is parsed: a launcher runs at every start of an engine, and must be quick.

use play::child::{CONNECT, LAUNCH, SUPERVISE, connect, launch, supervise};
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs a hidden subcommand to its end; `None` if these words are none.
pub(crate) fn obey(mut words: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let name = words.next()?;
    if name == LAUNCH {
        Some(launch(words))
    } else if name == CONNECT {
        Some(connect(words))
    } else if name == SUPERVISE {
        Some(outlive_the_runner())
    } else {
        None
    }
}

/// Runs until spar has ended, ignoring signals.
fn outlive_the_runner() -> ExitCode {
    let ignoring = ctrlc::set_handler(|| {});
    let supervised = supervise(std::io::stdin().lock());
    if ignoring.is_ok() && supervised.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
