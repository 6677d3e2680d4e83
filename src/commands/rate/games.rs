//! Reads the games of files and joins them into pairs, with one report about unusable games.

use crate::failure::Failure;
use anyhow::Context;
use play::pgn::{Crosstable, Flaw, Scanner, Source};
use reports::text::grouped;
use stats::rating::Results;
use std::path::PathBuf;

/// The most unusable games that are listed one by one.
const MOST_NAMED: usize = 10;

/// The games while they are read.
pub(super) struct Games {
    crosstable: Crosstable,
    skipped: Skipped,
}

/// Games that were not used.
#[derive(Clone, Debug, Default)]
pub(super) struct Skipped {
    /// Games with the result `*`.
    pub(super) unfinished: u64,
    /// Games with an error.
    pub(super) malformed: u64,
    /// The first malformed games: file, line and reason.
    named: Vec<String>,
}

/// The result of reading all files.
pub(super) struct Read {
    pub(super) names: Vec<String>,
    pub(super) results: Results,
    pub(super) games: u64,
    pub(super) pairs: u64,
    pub(super) skipped: Skipped,
}

impl Games {
    /// Reads the files one after the other.
    pub(super) fn read(files: &[PathBuf]) -> Result<Self, Failure> {
        let mut games = Self { crosstable: Crosstable::new(), skipped: Skipped::default() };
        for file in files {
            let source = Source::open(file).map_err(|error| Failure::Usage(error.into()))?;
            games.add(source)?;
        }
        Ok(games)
    }

    fn add(&mut self, source: Source) -> Result<(), Failure> {
        let name = source.name;
        let mut scanner = Scanner::new(source.reader);
        loop {
            let next = scanner.next_game();
            let read = next.with_context(|| format!("cannot read {name} after line {}", grouped(scanner.line())));
            let Some(entry) = read.map_err(Failure::Usage)? else { return Ok(()) };
            match entry.game {
                Ok(game) => self.crosstable.add(&game).map_err(|error| Failure::Usage(error.into()))?,
                Err(flaw) => self.skipped.add(&name, entry.line, &flaw),
            }
        }
    }

    /// Reports the unusable games on standard error.
    pub(super) fn complain(&self) {
        let skipped = &self.skipped;
        if skipped.total() == 0 {
            return;
        }
        let (unfinished, malformed) = (grouped(skipped.unfinished), grouped(skipped.malformed));
        say!("warning: skipped {unfinished} unfinished and {malformed} malformed games:");
        for named in &skipped.named {
            say!("  {named}");
        }
        let more = skipped.total() - skipped.named.len() as u64;
        if more > 0 {
            say!("  and {} more", grouped(more));
        }
    }

    /// Joins the last pairs.
    pub(super) fn finish(self) -> Result<Read, Failure> {
        let games = self.crosstable.games();
        if games == 0 {
            return Err(Failure::usage("no finished game found: expected PGN with the tags White, Black and Result"));
        }
        let (names, results, pairs) = self.crosstable.finish().map_err(|error| Failure::Usage(error.into()))?;
        Ok(Read { names, results, games, pairs, skipped: self.skipped })
    }
}

impl Skipped {
    fn total(&self) -> u64 {
        self.unfinished + self.malformed
    }

    fn add(&mut self, file: &str, line: u64, flaw: &Flaw) {
        match flaw {
            Flaw::Unfinished => self.unfinished += 1,
            _ => self.malformed += 1,
        }
        if self.named.len() < MOST_NAMED {
            self.named.push(format!("{file}:{line}: {flaw}"));
        }
    }
}
