//! What can be typed after `spar book`.

use arena::book::{BookError, BookFile, BookFormat};
use arena::run::GameKind;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const MAKE_EXAMPLES: &str = "Examples:
  spar book make games.pgn --out book.bin
  spar book make *.pgn.gz --out book.bin --plies 24 --min-games 3 --min-elo 3000

A move weighs 4 for a win of the side that made it, 1 for a draw and -2 for a loss; what does not weigh more than 0 is left out.";

/// Books of openings.
#[derive(Debug, Subcommand)]
pub(crate) enum Book {
    /// Tell what a file of openings holds
    Info(Info),
    /// Make a Polyglot book of the games in PGN files
    Make(Make),
}

/// A file of openings, as it is typed.
#[derive(Debug, Args)]
pub(crate) struct Openings {
    /// The openings: EPD, FEN, PGN, lines of moves or a Polyglot book, also compressed by gzip or zstd
    pub(crate) file: PathBuf,
    /// epd, fen, pgn, polyglot or moves, if the file's name does not tell
    #[arg(long)]
    pub(crate) format: Option<BookFormat>,
    /// The game they belong to
    #[arg(long, default_value_t = GameKind::Chess)]
    pub(crate) game: GameKind,
    /// Take so many plies of each line or game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) plies: Option<u32>,
}

impl Openings {
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
#[command(after_help = MAKE_EXAMPLES)]
pub(crate) struct Make {
    /// Games of chess or Chess960: PGN, also compressed by gzip or zstd; `-` is standard input
    #[arg(value_name = "PGN", required = true)]
    pub(crate) games: Vec<PathBuf>,
    /// The book to be written
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Look at so many plies of each game
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) plies: u32,
    /// Leave out moves played in fewer games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_games: u32,
    /// Leave out games in which a player is rated lower, or not at all
    #[arg(long, value_name = "ELO")]
    pub(crate) min_elo: Option<u32>,
}
