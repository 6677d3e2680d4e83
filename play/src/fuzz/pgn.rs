//! PGN: each reader either reads or reports every game, in chunks of any size.

use super::{InputFile, target};
use crate::book::polyglot::{self, BookMaker, MakeSettings, Polyglot};
use crate::pgn::{Crosstable, Entry, Record, Scanner, Source};
use fuzz::ReadOutcome;
use std::io::{BufRead, BufReader};

#[test]
fn games() {
    let file = InputFile::named("a.pgn");
    target("pgn").words(&["[White \"A\"]", "[Black \"B\"]", "[FEN \"", "{", "}", "(", ")", "$", ";", "1-0"]).run(
        |input| {
            let path = file.with(input);
            let source = match Source::open(&path) {
                Ok(source) => source,
                Err(error) => {
                    assert!(super::names(&error.to_string(), &path), "{error}");
                    return ReadOutcome::Refused(file.named_shortly(&error.to_string()));
                }
            };
            let entries = match entries(source.reader) {
                Ok(entries) => entries,
                Err(error) => return ReadOutcome::Refused(error),
            };
            let lines = entries.iter().map(|entry| entry.line);
            assert!(lines.clone().all(|line| line > 0) && lines.is_sorted(), "games in no order");
            let records = records(input);
            if !is_packed(input) {
                assert_eq!(entries.len(), records.len(), "as many games as records");
            }
            let read = rated(&entries);
            made_into_a_book(records.into_iter().flatten().collect());
            ReadOutcome::Read(format!("{} games, {read} pairs, {}", entries.len(), flaws(&entries)))
        },
    );
}

/// Whether the input is in a packed format, which is not read unchanged.
fn is_packed(input: &[u8]) -> bool {
    input.starts_with(&[0x1f, 0x8b]) || input.starts_with(&[0x28, 0xb5]) || input.get(1..4) == Some(&[0x2a, 0x4d, 0x18])
}

/// All games, or the error that ended reading.
fn entries(reader: impl BufRead) -> Result<Vec<Entry>, String> {
    let mut scanner = Scanner::new(reader);
    let mut entries = Vec::new();
    while let Some(entry) = scanner.next_game().map_err(|error| error.to_string())? {
        assert!(entry.line <= scanner.line(), "a game of line {} at line {}", entry.line, scanner.line());
        entries.push(entry);
    }
    Ok(entries)
}

/// All games as records, read in small pieces.
fn records(input: &[u8]) -> Vec<Option<Record>> {
    let mut scanner = Scanner::keeping_all(BufReader::with_capacity(7, crate::pgn::TextReader::new(input)));
    let mut records = Vec::new();
    while let Some(record) = scanner.next_record().expect("memory can be read") {
        if let Err((_, flaw)) = &record {
            assert!(flaw.to_string().len() < 1_000, "a long message: {flaw}");
        }
        records.push(record.ok());
    }
    records
}

/// Joins the games into pairs, and counts them.
fn rated(entries: &[Entry]) -> u64 {
    let mut table = Crosstable::new();
    let games: Vec<_> = entries.iter().filter_map(|entry| entry.game.as_ref().ok()).collect();
    for game in &games {
        assert_ne!(game.white, game.black, "a game of one player");
        table.add(game).expect("few players");
    }
    assert_eq!(table.games(), games.len() as u64);
    let (names, _, pairs) = table.finish().expect("few games");
    assert!(
        2 * pairs <= games.len() as u64 && names.len() <= 2 * games.len(),
        "{pairs} pairs of {} games",
        games.len()
    );
    pairs
}

/// Makes a book of the games, and checks that it can be read.
fn made_into_a_book(records: Vec<Record>) {
    let mut maker = BookMaker::new(MakeSettings { plies: 20, min_games: 1, min_elo: None });
    for record in records {
        if let Err(unused) = maker.add(&record) {
            assert!(!unused.to_string().is_empty(), "no word of why a game is not used");
        }
    }
    let entries = maker.finish();
    if let Ok(book) = Polyglot::new("a.bin", polyglot::bytes(&entries)) {
        assert_eq!(book.entries(), entries.len());
    }
}

/// A letter for each game: whether it was read, or its flaw.
fn flaws(entries: &[Entry]) -> String {
    let letter = |entry: &Entry| entry.game.as_ref().map_or_else(|flaw| format!("{flaw:?}"), |_| "ok".to_owned());
    let mut kinds: Vec<_> = entries.iter().map(|entry| letter(entry)[..2].to_owned()).collect();
    kinds.dedup();
    kinds.concat()
}
