//! What can be typed after `spar patch`, `regress`, `bisect`, `campaign`, `ladder`, `league` and `scaling`.

use super::Working;
use clap::Args;
use session::builds::Sources;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// How engines are built from revisions.
#[derive(Debug, Args)]
pub(crate) struct Building {
    /// The git repository of the engine
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) repo: PathBuf,
    /// Where builds are cached [default: spar in the user's cache folder]
    #[arg(long, value_name = "DIR", env = "SPAR_CACHE", hide_env_values = true)]
    pub(crate) cache: Option<PathBuf>,
    /// Build again, even if the cache has the build
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Allow uncommitted changes; the build leaves them out
    #[arg(long)]
    pub(crate) allow_dirty: bool,
}

impl Building {
    /// The same for the session. The configuration and the trace may be in the repository, and are not part of the
    /// engine.
    pub(crate) fn sources(&self, config: &Path, working: &Working) -> Sources {
        let Self { repo, cache, rebuild, allow_dirty } = self;
        let apart = working.trace.iter().cloned().chain([config.to_owned()]).collect();
        Sources { repository: repo.clone(), cache: cache.clone(), rebuild: *rebuild, allow_dirty: *allow_dirty, apart }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Patch {
    /// The configuration, a TOML file without entrants
    pub(crate) config: PathBuf,
    /// The version before the change: any git revision
    #[arg(long, value_name = "REF", required_unless_present = "ci")]
    pub(crate) base: Option<String>,
    /// The change: a git revision, or `worktree` for uncommitted work
    #[arg(long, value_name = "REF", required_unless_present = "ci")]
    pub(crate) dev: Option<String>,
    /// Test the pull request that is checked out, and write a summary for its page
    #[arg(long)]
    pub(crate) ci: bool,
    /// With --ci: the summary's file, as Markdown [default: spar-summary.md, or on GitHub the job's summary]
    #[arg(long, value_name = "FILE", requires = "ci")]
    pub(crate) summary: Option<PathBuf>,
    /// Play the test even if both revisions make the same program, byte for byte
    #[arg(long)]
    pub(crate) allow_identical: bool,
    #[command(flatten)]
    pub(crate) building: Building,
    #[command(flatten)]
    pub(crate) working: Working,
}

#[derive(Debug, Args)]
pub(crate) struct Regress {
    /// The configuration, a TOML file without entrants
    pub(crate) config: PathBuf,
    /// The releases to test against
    #[arg(long, value_name = "TAG", num_args = 1.., required = true)]
    pub(crate) against: Vec<String>,
    /// The version to test: a git revision, or `worktree` for uncommitted work
    #[arg(long, value_name = "REF", default_value = "worktree")]
    pub(crate) dev: String,
    #[command(flatten)]
    pub(crate) building: Building,
    #[command(flatten)]
    pub(crate) working: Working,
}

#[derive(Debug, Args)]
pub(crate) struct Bisect {
    /// The configuration, a TOML file without entrants, such as that of `spar patch`
    pub(crate) config: PathBuf,
    /// A revision that was strong, older than --bad [default: `good` of the configuration]
    #[arg(long, value_name = "REV")]
    pub(crate) good: Option<String>,
    /// A revision that is weak [default: `bad` of the configuration]
    #[arg(long, value_name = "REV")]
    pub(crate) bad: Option<String>,
    /// Look only at commits that touch this path, from the top of the repository
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Option<String>,
    /// Name a commit at this probability [default: 0.95]
    #[arg(long, value_name = "SHARE", value_parser = super::share)]
    pub(crate) confidence: Option<f64>,
    /// The most pairs of all matches together [default: 20000]
    #[arg(long, value_name = "N", value_parser = super::pairs)]
    pub(crate) max_pairs: Option<NonZeroU64>,
    #[command(flatten)]
    pub(crate) building: Building,
    #[command(flatten)]
    pub(crate) working: Working,
}

#[derive(Debug, Args)]
pub(crate) struct Campaign {
    /// The configuration, a TOML file with a `[campaign]` section
    pub(crate) config: PathBuf,
    /// The most pairs of all patches together [default: 50000]
    #[arg(long, value_name = "N", value_parser = super::pairs)]
    pub(crate) max_pairs: Option<NonZeroU64>,
    #[command(flatten)]
    pub(crate) building: Building,
    #[command(flatten)]
    pub(crate) working: Working,
}

/// A ladder: of entrants, or for `spar scaling` of the levels of one.
#[derive(Debug, Args)]
pub(crate) struct Ladder {
    /// The configuration, a TOML file
    pub(crate) config: PathBuf,
    /// Show the ratings so far, without playing
    #[arg(long, conflicts_with = "more")]
    pub(crate) show: bool,
    /// Play one more run, even if all entrants have a rating
    #[arg(long)]
    pub(crate) more: bool,
    #[command(flatten)]
    pub(crate) building: Building,
    #[command(flatten)]
    pub(crate) working: Working,
}

/// A league: engines that come and go.
#[derive(Debug, Args)]
pub(crate) struct League {
    /// The configuration, a TOML file with a `[league]` section and an entrant for each engine
    pub(crate) config: PathBuf,
    /// Show the ratings so far, without playing
    #[arg(long)]
    pub(crate) show: bool,
    #[command(flatten)]
    pub(crate) building: Building,
    #[command(flatten)]
    pub(crate) working: Working,
}
