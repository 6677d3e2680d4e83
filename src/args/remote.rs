//! Options of commands that ask a server of runs.

use clap::Args;
use std::path::PathBuf;

/// Which server, in place of the folder of runs.
#[derive(Debug, Args)]
pub(crate) struct Remote {
    /// Ask the server at this address instead of reading the runs folder, e.g. `http://localhost:8099`
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// The file with your token for the server
    #[arg(long, value_name = "FILE", requires = "server")]
    pub(crate) token_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The server, e.g. `http://localhost:8099`, or the page of a run or a job: URL/runs/NAME
    #[arg(value_name = "URL")]
    pub(crate) address: String,
    /// The file with your token for the server
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StartThere {
    /// The configuration. The server reads the files that it names
    #[arg(value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// The server, started with --control, e.g. `http://localhost:8099`
    #[arg(long, value_name = "URL")]
    pub(crate) server: String,
    /// The file with your token for the server
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Higher priorities are played first [default: 0]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, allow_negative_numbers = true)]
    pub(crate) priority: i32,
}
