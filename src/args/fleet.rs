//! What can be typed about playing on many machines: after `spar worker` and `spar fleet`, and after every command that
//! plays.

use super::workers;
use clap::{Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Whether this build cannot play on fleets: help does not show what is for them then. Their options are still read,
/// and the error says how to build with them.
pub(super) const IS_MISSING: bool = !cfg!(feature = "fleet");

/// Where pairs are played, if not here.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Joining {
    /// Play on the workers of this NATS server, e.g. `tls://host:4222`
    #[arg(long, hide = IS_MISSING, value_name = "URL", env = "SPAR_FLEET", hide_env_values = true)]
    pub(crate) fleet: Option<String>,
    /// The coordinator's credentials file; it may contain the server's address
    #[arg(long, hide = IS_MISSING, value_name = "FILE", env = "SPAR_FLEET_CREDS", hide_env_values = true)]
    pub(crate) creds: Option<PathBuf>,
    /// The run's share of the workers, relative to other runs
    #[arg(long, hide = IS_MISSING, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) weight: u32,
    /// Send the programs built here to the workers, instead of letting each worker build them for its own processor
    #[arg(long, hide = IS_MISSING)]
    pub(crate) send_programs: bool,
    /// Replay this share of reproducible pairs on a second worker and compare the results, from 0 to 1
    #[arg(long, hide = IS_MISSING, value_name = "SHARE", default_value_t = 0.02, value_parser = share)]
    pub(crate) checked: f64,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1, such as 0.02".to_owned())
}

/// A fleet that is shown beside runs.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Watching {
    /// Also show the workers of this NATS server, e.g. `tls://host:4222`
    #[arg(long, hide = IS_MISSING, value_name = "URL", env = "SPAR_FLEET", hide_env_values = true)]
    pub(crate) fleet: Option<String>,
    /// Your credentials file, e.g. the operator's; it may contain the server's address
    #[arg(long, hide = IS_MISSING, value_name = "FILE", env = "SPAR_FLEET_CREDS", hide_env_values = true)]
    pub(crate) creds: Option<PathBuf>,
}

impl Watching {
    /// Whether there is a fleet to be shown.
    #[cfg(feature = "serve")]
    pub(crate) fn is_asked_for(&self) -> bool {
        self.fleet.is_some() || self.creds.is_some()
    }
}

/// A server, and how to get in.
#[derive(Clone, Debug, Args)]
pub(crate) struct Door {
    /// The NATS server, e.g. `tls://host:4222` [default: the address in the credentials]
    #[arg(long, value_name = "URL", env = "SPAR_FLEET", hide_env_values = true)]
    pub(crate) nats: Option<String>,
    /// The worker's credentials file, from `spar fleet keys`
    #[arg(long, value_name = "FILE", env = "SPAR_FLEET_CREDS", hide_env_values = true)]
    pub(crate) creds: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Worker {
    #[command(flatten)]
    pub(crate) door: Door,
    /// Cores for games [default: all]
    #[arg(long, value_name = "N", value_parser = workers)]
    pub(crate) cores: Option<NonZeroUsize>,
    /// The worker's name, on a server without credentials [default: the machine's name and a number]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Where programs and networks are cached [default: spar in the user's cache folder]
    #[arg(long, value_name = "DIR", env = "SPAR_CACHE", hide_env_values = true)]
    pub(crate) cache: Option<PathBuf>,
    /// Seconds to finish games after a request to end
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub(crate) grace: u64,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Fleet {
    /// Start a server and workers on this machine, to try a fleet out
    Up(Up),
    /// Show the workers and what each one plays
    Status(Status),
    /// Give a worker no further pairs, in any run, until it is continued
    Pause(Steered),
    /// Give a worker pairs again after a pause
    Continue(Steered),
    /// Discard a worker's pairs, in a run or in all, and have other workers replay them
    SetAside(SetAside),
    /// Give a worker pairs again after it was set aside
    TakeBack(Steered),
    /// Make credentials for operator, coordinator and workers, and the server's configuration
    Keys(Keys),
}

#[derive(Debug, Args)]
pub(crate) struct Up {
    /// How many workers to start
    #[arg(long, value_name = "N", default_value = "2", value_parser = workers)]
    pub(crate) workers: NonZeroUsize,
    /// Cores of each worker [default: all cores, shared evenly]
    #[arg(long, value_name = "N", value_parser = workers)]
    pub(crate) cores: Option<NonZeroUsize>,
    /// The spar command to run on the fleet, after `--`, such as `sprt configs/sprt.toml`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    pub(crate) door: Door,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Steered {
    /// The name of the worker
    pub(crate) worker: String,
    #[command(flatten)]
    pub(crate) door: Door,
}

#[derive(Debug, Args)]
pub(crate) struct SetAside {
    /// The name of the worker
    pub(crate) worker: String,
    /// The run, by its name or its id in `spar fleet status --json` [default: all runs, later ones too]
    pub(crate) run: Option<String>,
    /// Why, for the journal
    #[arg(long, value_name = "TEXT", default_value = "set aside by hand")]
    pub(crate) why: String,
    #[command(flatten)]
    pub(crate) door: Door,
}

#[derive(Debug, Args)]
pub(crate) struct Keys {
    /// The folder to write to
    pub(crate) folder: PathBuf,
    /// A name or an address of the server. The first one goes into the credentials
    #[arg(long = "host", value_name = "HOST")]
    pub(crate) hosts: Vec<String>,
    /// The server's port [default: 4222]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Do not encrypt connections
    #[arg(long)]
    pub(crate) no_tls: bool,
    /// The workers to make credentials for, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) workers: Vec<String>,
}
