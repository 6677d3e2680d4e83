//! What can be typed about playing on many machines: after `spar worker` and `spar fleet`, and after every command that
//! plays.

use super::workers;
use clap::{Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Whether this build cannot play on fleets: help does not show what is for them then. Their options are still read,
/// and the error says how to build with them.
pub(super) const IS_MISSING: bool = !cfg!(feature = "fleet");

const UP_EXAMPLES: &str = "Examples:
  spar fleet up -- sprt configs/sprt.toml   a test on a fleet, then ends it
  spar fleet up --workers 4                 a fleet until Ctrl-C";

const SET_ASIDE_EXAMPLES: &str = "Examples:
  spar fleet set-aside east my-test --why \"broken\" --creds operator.creds";

const KEYS_EXAMPLES: &str = "Examples:
  spar fleet keys keys --host fleet.example.org --workers east,west
  nats-server -c keys/nats.conf
  spar fleet keys keys --workers north    one more; then SIGHUP the server";

/// Where pairs are played, if not here.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Joining {
    /// Have pairs played by the workers of this NATS server, e.g. `tls://host:4222`
    #[arg(long, hide = IS_MISSING, value_name = "URL", env = "SPAR_FLEET")]
    pub(crate) fleet: Option<String>,
    /// The credentials that the server knows this coordinator by; the server's address may be in them
    #[arg(long, hide = IS_MISSING, value_name = "FILE", env = "SPAR_FLEET_CREDS")]
    pub(crate) creds: Option<PathBuf>,
    /// The run's share of the workers, in proportion to that of other runs
    #[arg(long, hide = IS_MISSING, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) weight: u32,
    /// Send the workers programs that were built from git, in place of having each build them for its own processor
    #[arg(long, hide = IS_MISSING)]
    pub(crate) send_programs: bool,
    /// The share of reproducible pairs that a second worker plays, too, to see whether they give the same result, from
    /// 0 to 1
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
    /// Show the workers of this NATS server, too, e.g. `tls://host:4222`
    #[arg(long, hide = IS_MISSING, value_name = "URL", env = "SPAR_FLEET")]
    pub(crate) fleet: Option<String>,
    /// The credentials that the server knows you by, e.g. the operator's; the server's address may be in them
    #[arg(long, hide = IS_MISSING, value_name = "FILE", env = "SPAR_FLEET_CREDS")]
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
    /// The NATS server, e.g. `tls://host:4222`; the credentials may say
    #[arg(long, value_name = "URL", env = "SPAR_FLEET")]
    pub(crate) nats: Option<String>,
    /// The credentials that the server knows this machine by, as `spar fleet keys` makes them
    #[arg(long, value_name = "FILE", env = "SPAR_FLEET_CREDS")]
    pub(crate) creds: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Worker {
    #[command(flatten)]
    pub(crate) door: Door,
    /// How many cores it has for games; all if not given
    #[arg(long, value_name = "N", value_parser = workers)]
    pub(crate) cores: Option<NonZeroUsize>,
    /// Its name, on a server without credentials; the machine's name and a number if not given
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Where programs and networks are kept; `spar` in the user's cache folder if not given
    #[arg(long, value_name = "DIR", env = "SPAR_CACHE")]
    pub(crate) cache: Option<PathBuf>,
    /// Seconds that running games may continue after it is asked to end
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub(crate) grace: u64,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Fleet {
    /// Start a server, its keys and workers on this machine, for trying it out
    Up(Up),
    /// Show the workers, and what each plays
    Status(Status),
    /// Believe a worker no more: the coordinator of a run withdraws its pairs, and has others play them
    SetAside(SetAside),
    /// Make credentials for operator, coordinator and workers, and the server's configuration
    Keys(Keys),
}

#[derive(Debug, Args)]
#[command(after_help = UP_EXAMPLES)]
pub(crate) struct Up {
    /// How many workers to start
    #[arg(long, value_name = "N", default_value = "2", value_parser = workers)]
    pub(crate) workers: NonZeroUsize,
    /// How many cores each has for games; all, shared evenly, if not given
    #[arg(long, value_name = "N", value_parser = workers)]
    pub(crate) cores: Option<NonZeroUsize>,
    /// What to run on it, after `--`: a command of spar's, such as `sprt configs/sprt.toml`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    pub(crate) door: Door,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = SET_ASIDE_EXAMPLES)]
pub(crate) struct SetAside {
    /// The worker
    pub(crate) worker: String,
    /// The run, by its name or by what `spar fleet status --json` calls it
    pub(crate) run: String,
    /// Why, for the journal
    #[arg(long, value_name = "TEXT", default_value = "somebody asked for it")]
    pub(crate) why: String,
    #[command(flatten)]
    pub(crate) door: Door,
}

#[derive(Debug, Args)]
#[command(after_help = KEYS_EXAMPLES)]
pub(crate) struct Keys {
    /// The folder to make them in
    pub(crate) folder: PathBuf,
    /// A name or an address by which machines know the server; the first is written into the credentials
    #[arg(long = "host", value_name = "HOST")]
    pub(crate) hosts: Vec<String>,
    /// The server's port
    #[arg(long, default_value_t = 4222)]
    pub(crate) port: u16,
    /// Do not encrypt connections
    #[arg(long)]
    pub(crate) no_tls: bool,
    /// The workers to make credentials for, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) workers: Vec<String>,
}
