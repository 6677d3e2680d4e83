//! Files of openings: positions, lines of moves and games, in every game. Everything that is not read is reported with
//! its line.

use super::{InputFile, target};
use crate::book::{Book, BookFile, BookFormat};
use crate::epd::{FIELDS, Operations, after_fields};
use crate::games::{GameKind, Rules};
use crate::openings::{BookOrder, BookSource, Openings};
use crate::{Game, PairOpening};
use fuzz::ReadOutcome;
use std::num::NonZeroU64;

#[test]
fn positions_and_moves() {
    let [epd, moves, pgn] = ["a.epd", "a.txt", "a.pgn"].map(InputFile::named);
    target("book").words(&["hmvc 0;", "fmvn 1;", "KQkq", "startpos moves", "+0+0", "[]", "P@e4"]).run(|input| {
        // The first byte chooses the game and the format, so that an input needs no further settings.
        let Some((&choice, text)) = input.split_first() else { return ReadOutcome::Read(String::new()) };
        let game = GameKind::ALL[usize::from(choice) % GameKind::ALL.len()];
        let (file, format) = match usize::from(choice) / GameKind::ALL.len() % 3 {
            0 => (&epd, BookFormat::Epd),
            1 => (&moves, BookFormat::Moves),
            _ => (&pgn, BookFormat::Pgn),
        };
        let path = file.with(text).to_string_lossy().into_owned();
        let book_file = BookFile { path: path.clone(), format, plies: (choice > 200).then_some(3) };
        operations(&String::from_utf8_lossy(text));
        match book_file.read(game) {
            Ok(book) => ReadOutcome::Read(format!("{game} {format}: {}", openings(&book_file, &book, game))),
            Err(error) => {
                let message = error.to_string();
                assert!(message.contains(&path), "{message} does not name the file");
                ReadOutcome::Refused(format!("{game} {format} {}", file.named_shortly(&message)))
            }
        }
    });
}

/// Parses the lines of a text.
fn operations(text: &str) {
    for line in text.lines() {
        if let Some((fields, rest)) = after_fields(line, FIELDS) {
            assert!(line.contains(fields) && line.ends_with(rest), "{line:?}");
            let operations = Operations::read(rest);
            assert!(operations.all.iter().all(|operation| !operation.words.is_empty()), "an operation without words");
        }
    }
}

/// Draws openings from a book: each must obey the rules.
fn openings(file: &BookFile, book: &Book, game: GameKind) -> String {
    let (count, skipped) = (book.openings().expect("a book of lines"), book.skipped().expect("a book of lines"));
    assert!(count > 0, "an empty book");
    if let Some(error) = skipped.first_error(&file.path) {
        assert!(error.to_string().contains(&file.path), "{error}");
    }
    let source = BookSource {
        file: file.clone(),
        hash: book.hash().to_owned(),
        order: BookOrder::Random,
        start: NonZeroU64::MIN,
    };
    let openings = Openings::of_book(&source, book.clone(), game).expect("the same book");
    for number in [0, 1, count, u64::MAX] {
        let PairOpening::Line(line) = openings.opening(1, number) else { panic!("an opening of another kind") };
        match game.rules() {
            Rules::Chess(rules) => played(&rules, line.start.as_deref(), &line.moves),
            Rules::ZeroPointOne(rules) => played(&rules, line.start.as_deref(), &line.moves),
            Rules::Custom => {}
        }
    }
    format!("{count} openings, {} skipped", skipped.count)
}

/// Plays an opening through, and checks that the text of its position leads to the same position.
fn played<G: Game>(rules: &G, start: Option<&str>, moves: &[String]) {
    let mut position = start.map_or_else(|| rules.start(), |fen| rules.setup(fen).expect("a position of the book"));
    for word in moves {
        let mv = G::read_move(&position, word).unwrap_or_else(|| panic!("`{word}` of the book cannot be played"));
        G::play(&mut position, mv);
    }
    let text = position.to_string();
    let again = rules.setup(&text).unwrap_or_else(|error| panic!("{text} is not read again: {error}"));
    assert_eq!(again.to_string(), text);
}
