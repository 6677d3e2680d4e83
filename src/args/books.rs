//! What can be typed after `spar book`.

use clap::{ArgGroup, Args, Subcommand};
use play::book::{Book as PlayBook, BookError, BookFile, BookFormat};
use play::games::GameKind;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use trainer::setups::{LEAST_DEPTH, LEAST_GAMES_IN_ALL};

/// Books of openings.
#[derive(Debug, Subcommand)]
pub(crate) enum Book {
    /// Show what a file of openings contains
    Info(Info),
    /// Make a Polyglot book from the games in PGN files
    Make(Make),
    /// Pick openings that an engine scores within a window
    Pick(Pick),
    /// Make a book of setups for 0.1
    Setups(Setups),
    /// Prepare a book of setups against an opponent
    Prepare(Prepare),
}

/// A file of openings, as typed.
#[derive(Debug, Args)]
pub(crate) struct Openings {
    /// The openings: EPD, FEN, PGN, lines of moves or a Polyglot book, plain or compressed with gzip or zstd
    pub(crate) file: PathBuf,
    #[arg(long, help = format!("{} [default: by the file's extension]", BookFormat::names_in_words()))]
    pub(crate) format: Option<BookFormat>,
    /// The game of the openings
    #[arg(long, default_value_t = GameKind::Chess)]
    pub(crate) game: GameKind,
    /// Use the first N plies of each line or game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) plies: Option<u32>,
    /// Stop with an error at a line or a game that cannot be used, instead of skipping it
    #[arg(long)]
    pub(crate) strict: bool,
}

impl Openings {
    /// Reads the file.
    pub(crate) fn read(&self, file: &BookFile) -> Result<PlayBook, BookError> {
        if self.strict { file.read_strictly(self.game) } else { file.read(self.game) }
    }

    /// The file and what it is written in.
    pub(crate) fn file(&self) -> Result<BookFile, BookError> {
        let path = self.file.to_string_lossy().into_owned();
        let format = self.format.map_or_else(|| BookFormat::of_name(&path), Ok)?;
        Ok(BookFile { path, format, plies: self.plies })
    }
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) openings: Openings,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Make {
    /// PGN files of chess or Chess960, plain or compressed with gzip or zstd; `-` is standard input
    #[arg(value_name = "PGN", required = true)]
    pub(crate) games: Vec<PathBuf>,
    /// The book to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Use the first N plies of each game
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) plies: u32,
    /// Leave out moves played in fewer than N games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_games: u32,
    /// Leave out games in which a player is rated lower or unrated
    #[arg(long, value_name = "ELO")]
    pub(crate) min_elo: Option<u32>,
    /// Stop with an error at a game that cannot be read, instead of skipping it
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("limit").required(true))]
pub(crate) struct Pick {
    #[command(flatten)]
    pub(crate) openings: Openings,
    /// The EPD file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// How many openings to pick
    #[arg(long, value_name = "N")]
    pub(crate) count: NonZeroU64,
    /// The engine, which must speak UCI: a path, or a name in PATH
    #[arg(long, value_name = "CMD")]
    pub(crate) engine: String,
    /// An argument of the engine. Repeat it for more
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// An option of the engine. Repeat it for more
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<EngineOption>,
    /// The scores to accept, in centipawns from White's view
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
    pub(crate) window: Window,
    /// Search each opening for N nodes
    #[arg(long, value_name = "N", group = "limit")]
    pub(crate) nodes: Option<NonZeroU64>,
    /// Search each opening to depth N
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) depth: Option<u8>,
    /// How many engines to run at the same time [default: number of cores]
    #[arg(long, value_name = "N", value_parser = super::workers)]
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// Seed of the order in which openings are searched
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Setups {
    /// The configuration, a TOML file
    pub(crate) config: PathBuf,
    /// Replace a value of the configuration, e.g. budget=1h
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// How many setups to search at the same time [default: number of cores]
    #[arg(long, value_name = "N", value_parser = super::workers)]
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Prepare {
    /// The opponent, which must speak CodeCup: a path, or a name in PATH
    #[arg(long, value_name = "CMD")]
    pub(crate) against: String,
    /// An argument of the opponent. Repeat it for more
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// The time of each side for a whole game
    #[arg(long, default_value = "30s")]
    pub(crate) limit: String,
    /// The book to prepare [default: the engine's own]
    #[arg(long, value_name = "FILE")]
    pub(crate) book: Option<PathBuf>,
    /// The book to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Ask for the replies to the best N setups of red
    #[arg(long, value_name = "N", default_value = "1000")]
    pub(crate) setups: NonZeroUsize,
    /// Search the last setups to depth N, blue's setup being a ply
    #[arg(long, value_name = "N", default_value_t = 23)]
    #[arg(value_parser = clap::value_parser!(u8).range(i64::from(LEAST_DEPTH)..=40))]
    pub(crate) depth: u8,
    /// Play up to N games to choose among the last setups, and among replies to the opponent's own setups
    #[arg(long, value_name = "N", value_parser = games)]
    pub(crate) games: Option<NonZeroUsize>,
    /// How many games or searches to run at the same time [default: number of cores]
    #[arg(long, value_name = "N", value_parser = super::workers)]
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Reads a number of games: half of them must suffice for a choice.
fn games(text: &str) -> Result<NonZeroUsize, String> {
    let least = 2 * LEAST_GAMES_IN_ALL;
    let games = text.parse().ok().filter(|games: &NonZeroUsize| games.get() >= least);
    games.ok_or_else(|| format!("expected {least} or more"))
}

/// Scores from the lowest to the highest that will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window(pub(crate) RangeInclusive<i32>);

impl FromStr for Window {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (low, high) = text.split_once("..").ok_or("expected LOW..HIGH, e.g. -30..30")?;
        let number = |text: &str| text.trim().parse::<i32>().map_err(|_| "expected whole centipawns, e.g. -30..30");
        let (low, high) = (number(low)?, number(high)?);
        if low > high { Err("expected the lower end first, e.g. -30..30") } else { Ok(Self(low..=high)) }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.0.start(), self.0.end())
    }
}

/// An option of an engine, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EngineOption {
    pub(crate) name: String,
    pub(crate) value: String,
}

impl FromStr for EngineOption {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, e.g. Hash=64")?;
        Ok(Self { name: name.trim().to_owned(), value: value.trim().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows() {
        assert_eq!("-30..30".parse(), Ok(Window(-30..=30)));
        assert_eq!("20 .. 80".parse(), Ok(Window(20..=80)));
        for text in ["30", "30..-30", "a..b", "..5", "1.5..2"] {
            assert!(text.parse::<Window>().is_err(), "{text}");
        }
        assert_eq!("0..0".parse::<Window>().map(|window| window.to_string()), Ok("0..0".to_owned()));
    }
}
