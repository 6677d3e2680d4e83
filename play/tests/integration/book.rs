//! Books of openings: every format returns the openings it was written from, in the requested order; unusable ones are
//! reported with file and line.

use play::book::{BookError, BookFile, BookFormat, Content};
use play::games::GameKind;
use play::games::ZeroPointOne;
use play::openings::{BookOrder, BookSource, OpeningSource, Openings};
use play::{Game, Opening, OpeningLine, PairOpening, RandomOpenings};
use std::fmt::Write as _;
use std::io::Write as _;
use std::num::NonZeroU64;
use std::path::PathBuf;
use tempfile::TempDir;

/// Some openings of 0.1, all different.
fn openings(count: u64) -> Vec<Opening<ZeroPointOne>> {
    let source = RandomOpenings { plies: 4.into(), balance: None };
    (0..count).map(|number| source.draw(&ZeroPointOne, 1, number, &mut |_| 0).expect("an opening")).collect()
}

/// An opening's moves as text.
fn moves(opening: &Opening<ZeroPointOne>) -> String {
    let mut position = ZeroPointOne.start();
    let words = opening.moves.iter().map(|&mv| {
        let word = ZeroPointOne::format_move(&position, mv);
        ZeroPointOne::play(&mut position, mv);
        word
    });
    words.collect::<Vec<_>>().join(" ")
}

struct Shelf(TempDir);

impl Shelf {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> BookFile {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a writable folder");
        let format = BookFormat::of_name(name).expect("a known ending");
        BookFile { path: path.to_string_lossy().into_owned(), format, plies: None }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

const GAME: GameKind = GameKind::ZeroPointOne;

fn source(file: BookFile, order: BookOrder, start: u64) -> OpeningSource {
    let hash = file.read(GAME).expect("a book").hash().to_owned();
    OpeningSource::Book(BookSource { file, order, start: NonZeroU64::new(start).expect("not 0"), hash })
}

/// The first openings of a run with seed 1.
fn first(source: &OpeningSource, count: u64) -> Vec<OpeningLine> {
    let openings = Openings::load(source, GAME).expect("a book");
    let line = |number| match openings.opening(1, number) {
        PairOpening::Line(line) => line,
        PairOpening::Random { .. } | PairOpening::Setups { .. } => panic!("a random opening"),
    };
    (0..count).map(line).collect()
}

fn in_order(file: BookFile, count: u64) -> Vec<OpeningLine> {
    first(&source(file, BookOrder::Sequential, 1), count)
}

fn positions(lines: &[OpeningLine]) -> Vec<String> {
    lines.iter().map(|line| line.play(&ZeroPointOne).expect("playable").position.to_string()).collect()
}

fn refusal(file: &BookFile) -> String {
    file.read(GAME).expect_err("refused").to_string()
}

#[test]
fn every_format_gives_the_openings_it_was_written_from() {
    let (shelf, openings) = (Shelf::new(), openings(30));
    let expected: Vec<String> = openings.iter().map(|opening| opening.position.to_string()).collect();
    let (mut epd, mut lines, mut pgn) = (String::from("# positions\n"), String::new(), String::new());
    for (number, opening) in openings.iter().enumerate() {
        writeln!(epd, "{} id \"{number}\";", opening.position).expect("a string");
        writeln!(lines, "{}\n", moves(opening)).expect("a string");
        writeln!(pgn, "[Event \"{number}\"]\n\n{{setups}} {} *\n", moves(opening)).expect("a string");
    }
    let epd = in_order(shelf.file("b.epd", &epd), 30);
    assert!(epd.iter().all(|line| line.moves.is_empty() && line.start.is_some()));
    assert_eq!(positions(&epd), expected);
    let lines = in_order(shelf.file("b.txt", &lines), 30);
    assert!(lines.iter().all(|line| line.moves.len() == 6 && line.start.is_none()));
    assert_eq!(positions(&lines), expected);
    assert_eq!(positions(&in_order(shelf.file("b.pgn", &pgn), 30)), expected);

    let mut shorter = shelf.file("s.pgn", &pgn);
    shorter.plies = Some(4);
    assert!(in_order(shorter, 30).iter().zip(&lines).all(|(short, long)| short.moves[..] == long.moves[..4]));
}

#[test]
fn compressed_books_are_the_same_books() {
    let (shelf, openings) = (Shelf::new(), openings(5));
    let text: String = openings.iter().map(|opening| moves(opening) + "\n").collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).expect("memory");
    let files = [
        shelf.file("b.txt", &text),
        shelf.file("b.txt.gz", gzip.finish().expect("memory")),
        shelf.file("b.txt.zst", zstd::encode_all(text.as_bytes(), 1).expect("memory")),
    ];
    let [plain, gzip, zstd] = files.map(|file| file.read(GAME).expect("a book"));
    assert_eq!((plain.hash(), plain.hash()), (gzip.hash(), zstd.hash()));
    assert_eq!(plain.hash().len(), 64);
}

#[test]
fn a_book_is_played_in_order_and_then_again() {
    let (shelf, openings) = (Shelf::new(), openings(7));
    let text: String = openings.iter().map(|opening| moves(opening) + "\n").collect();
    let file = shelf.file("b.txt", text);
    let all = in_order(file.clone(), 7);
    let from_third = first(&source(file.clone(), BookOrder::Sequential, 3), 14);
    assert_eq!(from_third[..5], all[2..]);
    assert_eq!(from_third[5..12], all[..]);
    let shuffled = first(&source(file.clone(), BookOrder::Random, 1), 14);
    for cycle in shuffled.chunks(7) {
        assert!(all.iter().all(|line| cycle.contains(line)), "each line once");
    }
    assert_ne!(shuffled[..7], shuffled[7..]);
    assert_eq!(first(&source(file.clone(), BookOrder::Random, 4), 10), shuffled[3..13]);
    let beyond = Openings::load(&source(file, BookOrder::Random, 8), GAME).expect_err("there are 7");
    assert!(matches!(beyond, BookError::Start { start: 8, openings: 7, .. }), "{beyond}");
}

#[test]
fn duplicates_are_reported_and_kept() {
    let (shelf, openings) = (Shelf::new(), openings(4));
    let [a, b, c, d] = [0, 1, 2, 3].map(|number| openings[number].position.to_string());
    let book = shelf.file("b.epd", format!("{a}\n{b} id \"b\";\n# {c}\n{a}\n{d}\n{b}\n{a}\n"));
    let book = book.read(GAME).expect("a book");
    let Content::Lines(lines) = book.content() else { panic!("lines") };
    assert_eq!(lines.count(), 6);
    assert_eq!(lines.duplicates().count, 3);
    assert_eq!(lines.duplicates().first, [(4, 1), (6, 2), (7, 1)]);
}

#[test]
fn unusable_openings_are_reported_with_their_line() {
    let (shelf, openings) = (Shelf::new(), openings(2));
    let (good, line) = (openings[0].position.to_string(), moves(&openings[0]));
    let cases = [
        ("b.epd", "\nABC - r\n".to_owned(), ":2: ", "expected at least four fields"),
        ("b.epd", format!("#\n\n{}\n", good.replace(" r ", " x ")), ":3: ", ""),
        ("b.epd", "# nothing but\n; comments\n".to_owned(), "contains no opening", "expected a position"),
        ("b.txt", format!("\n{line} a1a9\n"), ":2: `a1a9` is not a legal move in ", "\n  "),
        ("b.pgn", format!("[Event \"x\"]\n\n{line} zz *\n"), ":1: `zz` is not a legal move in ", "\n  "),
        ("b.pgn", format!("[Event \"x\"]\n[Bad]\n\n{line} *\n"), ":1: line 2 is not a tag", "expected [Name"),
        ("b.bin", "1234567890123456".to_owned(), "is a Polyglot book", "expected EPD, PGN or moves for 0.1"),
    ];
    for (name, text, first, second) in cases {
        let error = refusal(&shelf.file(name, &text));
        assert!(error.contains(name) && error.contains(first) && error.contains(second), "{text}:\n{error}");
    }
    let none = BookFile { path: "none.epd".to_owned(), format: BookFormat::Epd, plies: None };
    assert!(refusal(&none).starts_with("cannot read none.epd: No such file"), "{}", refusal(&none));
    let damaged = shelf.file("b.epd", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]);
    assert!(refusal(&damaged).starts_with("cannot read "), "{}", refusal(&damaged));
}

#[test]
fn one_bad_line_costs_one_opening() {
    let (shelf, openings) = (Shelf::new(), openings(2));
    let [good, other] = [0, 1].map(|number| openings[number].position.to_string());
    let file = shelf.file("b.epd", format!("{good}\nABC - r\n{}\n{other}\n", good.replace(" r ", " x ")));
    let book = file.read(GAME).expect("a book");
    assert_eq!(book.openings(), Some(2));
    let skipped = book.skipped().expect("lines");
    assert_eq!((skipped.count, skipped.first.iter().map(|one| one.line).collect::<Vec<_>>()), (2, vec![2, 3]));
    assert_eq!(skipped.first[0].text, "ABC - r");
    let refused = file.read_strictly(GAME).expect_err("two lines are bad").to_string();
    assert!(refused.contains("b.epd:2: this is not a position"), "{refused}");
    assert!(shelf.file("b.epd", format!("{good}\n{other}")).read_strictly(GAME).is_ok());
    assert_eq!(positions(&in_order(file, 2)), [good, other]);
}

#[test]
fn lines_may_end_with_anything() {
    let (shelf, openings) = (Shelf::new(), openings(3));
    let texts: Vec<String> = openings.iter().map(|opening| opening.position.to_string()).collect();
    let games: Vec<String> = openings.iter().map(|one| format!("[Event \"e\"]\n\n{} *", moves(one))).collect();
    let lines: Vec<String> = openings.iter().map(moves).collect();
    for end in ["\r", "\n", "\r\n", "\r\r", "\n\r\n"] {
        for (name, text) in
            [("b.epd", texts.join(end)), ("b.txt", lines.join(end)), ("b.pgn", games.join("\n\n").replace('\n', end))]
        {
            let file = shelf.file(name, format!("\u{feff}{text}{end}"));
            assert_eq!(positions(&in_order(file, 3)), texts, "{name} with {end:?}");
        }
    }
    let wide: Vec<u8> = texts.join("\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(refusal(&shelf.file("b.epd", wide)).contains("is UTF-16 text: expected text in UTF-8"));
}

#[test]
fn the_first_bad_line_is_reported_whichever_thread_finds_it() {
    let (shelf, openings) = (Shelf::new(), openings(1));
    let good = openings[0].position.to_string();
    let lines: Vec<&str> = (0..10_000).map(|n| if n == 3000 || n > 4000 { "A B r 4" } else { good.as_str() }).collect();
    for _ in 0..5 {
        let book = shelf.file("b.epd", lines.join("\n")).read(GAME).expect("a book");
        let skipped = book.skipped().expect("lines");
        assert_eq!((skipped.count, skipped.first[0].line, skipped.first[1].line), (6000, 3001, 4002));
    }
}

#[test]
fn a_game_that_is_over_is_no_opening() {
    let shelf = Shelf::new();
    let mut position = ZeroPointOne.start();
    let mut stream = play::random::Stream::from_seed(5);
    let mut game = Vec::new();
    while ZeroPointOne::ending(&position).is_none() {
        let mv = ZeroPointOne::random_move(&position, &mut stream).expect("a move");
        game.push(ZeroPointOne::format_move(&position, mv));
        ZeroPointOne::play(&mut position, mv);
    }
    let mut file = shelf.file("b.pgn", format!("[Event \"x\"]\n\n{} 1-0\n", game.join(" ")));
    assert!(refusal(&file).contains("the game is over after it"), "{}", refusal(&file));
    file.plies = Some(6);
    assert_eq!(in_order(file, 1)[0].moves, game[..6]);
}

#[test]
fn a_changed_book_is_noticed() {
    let (shelf, openings) = (Shelf::new(), openings(2));
    let source = source(shelf.file("b.txt", moves(&openings[0])), BookOrder::Random, 1);
    let _other = shelf.file("b.txt", moves(&openings[1]));
    let error = Openings::load(&source, GAME).expect_err("changed");
    assert!(matches!(error, BookError::Changed { .. }), "{error}");
}
