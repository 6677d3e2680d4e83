//! What can be typed after `spar data`.

use super::candidates;
use arena::config::{PositionFilter, PositionFormat, Sampling};
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use plan::positions::Wanted;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use trainer::chess::formats::of_path;

/// Files of positions, each with the score of a search and the result of its game. `info` reads those of chess, too:
/// text as .txt, bullet's records as .bullet, Stockfish's plain text as .plain, with or without .gz or .zst behind.
#[derive(Debug, Subcommand)]
pub(crate) enum Data {
    /// Write the positions of a run of 0.1; for chess use `spar export --positions`
    Export(Export),
    /// Show what files of positions contain: counts, scores, results and origin
    Info(Info),
    /// Check every block and position, and report what is damaged
    Check(Check),
    /// Merge files, without duplicate positions
    Merge(Merge),
    /// Write a random part of the positions of some files
    Sample(Sample),
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    /// Files of positions
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Also write a page with plots
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    /// Do not count duplicates, which takes 11 to 22 bytes of memory for each position
    #[arg(long)]
    pub(crate) no_duplicates: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Files of positions
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// Files of positions, in the order to write them
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Keep positions that occurred before
    #[arg(long)]
    pub(crate) keep_duplicates: bool,
    /// Print the counts of written positions as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("share").required(true))]
pub(crate) struct Sample {
    /// Files of positions
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Take each position with this probability
    #[arg(long, value_name = "SHARE", group = "share", value_parser = share)]
    pub(crate) positions: Option<f64>,
    /// Take each game, with all of its positions, with this probability
    #[arg(long, value_name = "SHARE", group = "share", value_parser = share)]
    pub(crate) games: Option<f64>,
    /// Seed of the random selection
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print the counts of written positions as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A probability.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a share from 0 to 1".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// A run of 0.1 with `track = true`: its name in the runs folder, or its path
    #[arg(add = candidates::runs())]
    pub(crate) run: PathBuf,
    /// The file to write [default: in the run's folder, named like the run]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) filter: Filter,
    /// Print the counts of kept and skipped positions as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What the positions of a run must be to be kept, where it is not to be as the run has it.
#[derive(Debug, Args)]
pub(crate) struct Filter {
    /// Keep positions that are usually left out, separated by commas
    #[arg(long, value_name = "WHICH", value_delimiter = ',')]
    pub(crate) keep: Vec<Keep>,
    /// Keep positions with a score below this, in logits, or in pawns of chess [default: 8]
    #[arg(long, value_name = "LOGITS", value_parser = logits)]
    pub(crate) score: Option<u32>,
    /// Keep games whose first score is below this, in logits, or in pawns of chess [default: 2]
    #[arg(long, value_name = "LOGITS", value_parser = logits)]
    pub(crate) first_score: Option<u32>,
}

/// What is usually left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Keep {
    /// Positions in check
    Checks,
    /// Positions in which a capture was played
    Captures,
    /// Positions in which the search proved a win or a loss
    Proven,
    /// Positions that came up before
    Duplicates,
    /// All of these, whatever the scores are
    All,
}

impl Filter {
    /// Whether nothing of it was typed.
    pub(crate) fn is_empty(&self) -> bool {
        self.keep.is_empty() && self.score.is_none() && self.first_score.is_none()
    }

    /// The run's filter with what was typed in its place.
    pub(crate) fn over(&self, mut filter: PositionFilter) -> PositionFilter {
        for keep in &self.keep {
            match keep {
                Keep::Checks => filter.in_check = true,
                Keep::Captures => filter.captures = true,
                Keep::Proven => filter.proven = true,
                Keep::Duplicates => filter.duplicates = true,
                Keep::All => filter = PositionFilter::ALL,
            }
        }
        filter.score = self.score.unwrap_or(filter.score);
        filter.first_score = self.first_score.unwrap_or(filter.first_score);
        filter
    }
}

/// Logits as logit x 10,000.
fn logits(text: &str) -> Result<u32, String> {
    let logits = text.parse().ok().filter(|logits: &f64| (0.0..=100.0).contains(logits));
    logits.map(|logits| (logits * 10_000.0).round() as u32).ok_or_else(|| "expected 0 to 100 logits".to_owned())
}

/// What positions of chess can be beside that.
#[derive(Debug, Args)]
pub(crate) struct Labelled {
    /// The format of positions: text, bullet or plain
    #[arg(long, value_name = "FORMAT", value_parser = position_format)]
    pub(crate) format: Option<PositionFormat>,
    /// Leave out this many plies after the opening
    #[arg(long, value_name = "PLIES")]
    pub(crate) skip_plies: Option<u32>,
    /// Keep this share of the positions, chosen at random
    #[arg(long, value_name = "SHARE", value_parser = sampling)]
    pub(crate) sample: Option<Sampling>,
    /// Keep this many positions of each game, chosen at random
    #[arg(long, value_name = "N", conflicts_with = "sample")]
    pub(crate) per_game: Option<NonZeroU32>,
    /// Replace each position by the quiet end of a variation of two plies
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Also write a page with plots of the positions
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
}

impl Labelled {
    /// Whether nothing of it was typed.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { format, skip_plies, sample, per_game, quiet, page } = self;
        let plainly = format.is_none() && !quiet && page.is_none();
        plainly && skip_plies.is_none() && sample.is_none() && per_game.is_none()
    }

    /// The run's settings, overridden by the typed ones. Without a format, the extension of `out` may give one.
    pub(crate) fn over(&self, of_run: Wanted, filter: &Filter, out: &Path) -> Wanted {
        let format = self.format.or_else(|| of_path(out)).unwrap_or(of_run.format);
        let mut wanted = Wanted { format, filter: of_run.filter };
        if self.quiet {
            wanted.filter = PositionFilter { quiet: true, in_check: true, captures: true, ..wanted.filter };
        }
        let kept = &mut wanted.filter;
        kept.skip_plies = self.skip_plies.unwrap_or(kept.skip_plies);
        kept.sampling = self.sample.or(self.per_game.map(Sampling::PerGame)).unwrap_or(kept.sampling);
        let PositionFilter { skip_plies, sampling, quiet, .. } = *kept;
        // Options of chess alone are not switched off by `--keep all`.
        wanted.filter = PositionFilter { skip_plies, sampling, quiet, ..filter.over(wanted.filter) };
        wanted
    }
}

fn position_format(text: &str) -> Result<PositionFormat, String> {
    let named = PositionFormat::ALL.into_iter().find(|format| format.name() == text);
    named.ok_or_else(|| format!("expected one of {}", PositionFormat::ALL.map(PositionFormat::name).join(", ")))
}

/// A share of the positions.
fn sampling(text: &str) -> Result<Sampling, String> {
    let share = text.parse().ok().and_then(Sampling::of_share);
    share.ok_or_else(|| "expected a share of more than 0, and at most 1".to_owned())
}
