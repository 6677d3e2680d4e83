//! Polyglot books: for any table, walks are legal and end.

use super::{InputFile, target};
use crate::book::{BookFile, BookFormat};
use crate::games::{Chess, GameKind};
use crate::openings::{BookOrder, BookSource, Openings};
use crate::{Game, PairOpening};
use fuzz::ReadOutcome;
use std::num::NonZeroU64;

#[test]
fn tables() {
    let file = InputFile::named("a.bin");
    target("polyglot").run(|input| {
        let path = file.with(input);
        let book_file =
            BookFile { path: path.to_string_lossy().into_owned(), format: BookFormat::Polyglot, plies: None };
        let book = match book_file.read(GameKind::Chess) {
            Ok(book) => book,
            Err(error) => {
                assert!(super::names(&error.to_string(), &path), "{error}");
                return ReadOutcome::Refused(file.named_shortly(&error.to_string()));
            }
        };
        let hash = book.hash().to_owned();
        let source = BookSource { file: book_file, hash, order: BookOrder::Sequential, start: NonZeroU64::MIN };
        let openings = Openings::of_book(&source, book, GameKind::Chess).expect("the same book");
        let rules = Chess::of(GameKind::Chess).expect("chess");
        let mut plies = 0;
        for number in 0..4 {
            let PairOpening::Line(line) = openings.opening(1, number) else { panic!("an opening of another kind") };
            let mut position = rules.start();
            for word in &line.moves {
                let mv = Chess::parse_move(&position, word).unwrap_or_else(|| panic!("`{word}` cannot be played"));
                Chess::play(&mut position, mv);
            }
            assert!(Chess::ending(&position).is_none(), "the opening leaves no game");
            plies += line.moves.len();
        }
        ReadOutcome::Read(format!("{} bytes, {plies} plies", input.len()))
    });
}
