//! `spar book make`: makes a Polyglot book from games.

use crate::args::books::Make;
use crate::commands::print;
use crate::failure::{Exit, Failure};
use anyhow::anyhow;
use play::book::polyglot::{BookMaker, MakeSettings, Unused, bytes};
use play::pgn::{Flaw, Record, Scanner, Source};
use reports::text::{counted, grouped};

/// The most unusable games that are listed one by one.
const MOST_NAMED: usize = 10;

pub(crate) fn make(make: &Make) -> Result<Exit, Failure> {
    let settings = MakeSettings { plies: make.plies, min_games: make.min_games, min_elo: make.min_elo };
    let mut games = Games { maker: BookMaker::new(settings), used: 0, rated_low: 0, unfinished: 0, flawed: Vec::new() };
    for file in &make.games {
        let source = Source::open(file).map_err(|error| Failure::Usage(error.into()))?;
        games.read(source, make.plies)?;
    }
    games.complain();
    if let (true, Some(first)) = (make.strict, games.flawed.first()) {
        return Err(Failure::usage(format!("{first}: --strict refuses games that cannot be read")));
    }
    let (used, entries) = (games.used, games.maker.finish());
    if entries.is_empty() {
        let why = "no move is left for the book: expected finished games of chess that meet --min-games and --min-elo";
        return Err(Failure::usage(why));
    }
    let out = make.out.display();
    fs_err::write(&make.out, bytes(&entries))?;
    let positions = entries.chunk_by(|one, other| one.key == other.key).count() as u64;
    let moves = counted(entries.len() as u64, "move");
    let (positions, used) = (counted(positions, "position"), counted(used, "game"));
    print(format_args!("{out}: {moves} in {positions}, from {used}"))?;
    Ok(Exit::Done)
}

/// The games of the files, with counts of the unusable ones.
struct Games {
    maker: BookMaker,
    used: u64,
    rated_low: u64,
    unfinished: u64,
    /// The place of each flawed game, and its error.
    flawed: Vec<String>,
}

impl Games {
    fn read(&mut self, source: Source, plies: u32) -> Result<(), Failure> {
        let name = source.name;
        let mut scanner = Scanner::keeping(source.reader, plies);
        loop {
            let next = scanner.next_record();
            let line = scanner.line();
            match next.map_err(|error| Failure::Usage(anyhow!("cannot read {name} after line {line}: {error}")))? {
                Some(record) => self.add(&name, record),
                None => return Ok(()),
            }
        }
    }

    fn add(&mut self, file: &str, record: Result<Record, (u64, Flaw)>) {
        let added = match record {
            Ok(game) => self.maker.add(&game).map_err(|unused| (game.line, unused)),
            Err((line, flaw)) => Err((line, Unused::Flawed(flaw.to_string()))),
        };
        match added {
            Ok(()) => self.used += 1,
            Err((_, Unused::Elo)) => self.rated_low += 1,
            Err((_, Unused::Unfinished)) => self.unfinished += 1,
            Err((line, Unused::Flawed(why))) => self.flawed.push(format!("{file}:{line}: {why}")),
        }
    }

    /// Reports the unused games on standard error.
    fn complain(&self) {
        let counts = [
            (self.rated_low, "with a player rated below --min-elo or unrated"),
            (self.unfinished, "without a result"),
            (self.flawed.len() as u64, "that are not chess, or have an illegal move"),
        ];
        for (count, which) in counts.into_iter().filter(|(count, _)| *count > 0) {
            say!("games left out: {} {which}", grouped(count));
        }
        for named in self.flawed.iter().take(MOST_NAMED) {
            say!("  {named}");
        }
        if self.flawed.len() > MOST_NAMED {
            say!("  and {} more", grouped((self.flawed.len() - MOST_NAMED) as u64));
        }
    }
}
