//! `spar completions`: completion scripts for shells.

use crate::args::Arguments;
use crate::failure::{Exit, Failure};
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

pub(crate) fn completions(shell: Shell) -> Result<Exit, Failure> {
    // Into memory first: the generator panics when its output is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "spar", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Exit::Done)
}
