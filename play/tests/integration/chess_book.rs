//! Books of chess and its variants: EPD, SAN and Polyglot.

use play::book::polyglot::{BookMaker, MakeSettings, Polyglot, bytes, key};
use play::book::{BookFile, BookFormat, Content};
use play::games::Chess;
use play::games::GameKind;
use play::openings::{BookOrder, BookSource, OpeningSource, Openings};
use play::pgn::Scanner;
use play::{OpeningLine, PairOpening};
use proptest::prelude::*;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess as Board, Position as _};
use std::num::NonZeroU64;
use tempfile::TempDir;

struct Shelf(TempDir);

impl Shelf {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>, plies: Option<u32>) -> BookFile {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).expect("a writable folder");
        let format = BookFormat::of_name(name).expect("a known ending");
        BookFile { path: path.to_string_lossy().into_owned(), format, plies }
    }
}

/// The openings of a run with seed 1, in sequence if the source has an order.
fn openings(file: BookFile, game: GameKind, count: u64) -> Vec<OpeningLine> {
    let hash = file.read(game).expect("a book").hash().to_owned();
    let source = BookSource { file, order: BookOrder::Sequential, start: NonZeroU64::MIN, hash };
    let openings = Openings::load(&OpeningSource::Book(source), game).expect("a book");
    let rules = Chess::of(game).expect("a kind of chess");
    let line = |number| match openings.opening(1, number) {
        PairOpening::Line(line) => line,
        PairOpening::Random { .. } | PairOpening::Setups { .. } => panic!("a random opening"),
    };
    let lines: Vec<OpeningLine> = (0..count).map(line).collect();
    assert!(lines.iter().all(|line| line.play(&rules).is_ok()), "{lines:?}");
    lines
}

fn refusal(file: &BookFile, game: GameKind) -> String {
    file.read(game).expect_err("refused").to_string()
}

const GAMES: &str = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O {castled} Nxe4 1-0\n\n\
                     [Event \"b\"]\n[FEN \"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"]\n\n2. d4 \
                     exd4 *\n";

#[test]
fn positions_are_completed() {
    let text = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 id \"e4\";\n\
                rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n";
    let lines = openings(Shelf::new().file("b.epd", text, None), GameKind::Chess, 2);
    let starts: Vec<&str> = lines.iter().filter_map(|line| line.start.as_deref()).collect();
    let expected = [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1",
    ];
    assert_eq!(starts, expected);
}

#[test]
fn san_is_read_and_written_as_the_game_asks() {
    let shelf = Shelf::new();
    let lines = openings(shelf.file("b.pgn", GAMES, Some(7)), GameKind::Chess, 2);
    assert_eq!(lines[0].moves.join(" "), "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1");
    assert_eq!(lines[1].moves.join(" "), "d2d4 e5d4");
    assert!(lines[1].start.as_deref().is_some_and(|start| start.ends_with(" w KQkq - 0 2")), "{lines:?}");
    let lines = openings(shelf.file("b.pgn", GAMES.replace("O-O", "0-0"), Some(7)), GameKind::Chess960, 1);
    assert_eq!(lines[0].moves.last().map(String::as_str), Some("e1h1"));
}

#[test]
fn variants_have_their_own_rules() {
    let shelf = Shelf::new();
    let text = "[Event \"z\"]\n\n1. e4 d5 2. exd5 Qxd5 3. P@d6 *\n";
    let lines = openings(shelf.file("b.pgn", text, None), GameKind::Crazyhouse, 1);
    assert_eq!(lines[0].moves.join(" "), "e2e4 d7d5 e4d5 d8d5 P@d6");
    let refused = refusal(&shelf.file("b.pgn", text, None), GameKind::Chess);
    assert!(refused.contains("`P@d6` is not a legal move in "), "{refused}");
    let pocket = shelf.file("b.epd", "rnbqkbnr/ppp1pppp/8/8/8/8/PPP1PPPP/RNBQKBNR[Pp] w KQkq - 0 1\n", None);
    assert_eq!(openings(pocket.clone(), GameKind::Crazyhouse, 1).len(), 1);
    assert!(refusal(&pocket, GameKind::Chess).contains("crazyhouse"));
}

#[test]
fn games_are_read_in_others_spellings_or_skipped() {
    let pgn = "[Event: \"a\"]\n[Result \"1-0\"]\n\n1. a4 b5 2. axb5 a6 3. bxa6 Bb7 4. axb7 h6 5. bxa8Q h5 1-0\n\n\
               [Event \"b\"]\n\n1. e4 -- 2. d4 *\n\n\
               [Event \"c\"]\n\n1. e2-e4 e7e5 2. Ng1-f3 nc6 3. bc4 Nf6 4. 0-0 \u{bd}-\u{bd}\n\n\
               [Event \"d\"]\n\n1. e4 {oops *\n\n\
               [White \"x\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - -;\"]\n\n1. a8(Q)+ Kd7 *\n\n\
               [Event \"f\"]\n\n1. Nd2 *\n";
    let shelf = Shelf::new();
    let file = shelf.file("b.pgn", pgn, None);
    let book = file.read(GameKind::Chess).expect("a book");
    let skipped = book.skipped().expect("games");
    let found: Vec<_> = skipped.first.iter().map(|one| (one.line, one.why.as_str())).collect();
    let [(6, null), (14, open), (23, illegal)] = found[..] else { panic!("{found:?}") };
    assert!(null.starts_with("`--` is a null move, which is not a legal move in "), "{null}");
    assert!(open.starts_with("a comment does not end"), "{open}");
    assert!(illegal.starts_with("`Nd2` is not a legal move in "), "{illegal}");
    let lines = openings(file, GameKind::Chess, 3);
    assert!(lines[0].moves.join(" ").ends_with("b7a8q h6h5"), "{lines:?}");
    assert_eq!(lines[1].moves.join(" "), "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1");
    assert_eq!(lines[2].moves.join(" "), "a7a8q e8d7");
}

#[test]
fn positions_are_read_in_others_spellings() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let shelf = Shelf::new();
    for end in
        ["-;", "- ;", "-; 0 1", "- 0 1;", "- id \"a; b\"", "-;1-0", "- 0 1 [0.5] 34", "- | 34 | 0.5", "-; bm e4;"]
    {
        let lines = openings(shelf.file("b.epd", format!("{start} w KQkq {end}\n"), None), GameKind::Chess, 1);
        assert_eq!(lines[0].start.as_deref(), Some(&*format!("{start} w KQkq - 0 1")), "{end}");
    }
    for pocket in ["[]", "[-]", ""] {
        let text = format!("{start}{pocket} w KQkq - 0 1\n");
        let lines = openings(shelf.file("b.epd", text, None), GameKind::Crazyhouse, 1);
        assert_eq!(lines[0].start.as_deref(), Some(&*format!("{start}[] w KQkq - 0 1")), "{pocket}");
    }
}

#[test]
fn castling_by_the_kings_square_is_read() {
    let position = |moves: &[&str]| {
        moves.iter().fold(Board::default(), |mut position, text| {
            let uci: UciMove = text.parse().expect("a move");
            let mv = uci.to_move(&position).expect("a legal move");
            position.play_unchecked(mv);
            position
        })
    };
    let before = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"];
    let mut entries: Vec<[u8; 16]> = (0..=before.len())
        .map(|plies| {
            let text = before.get(plies).unwrap_or(&"e1g1");
            let square = |at: usize| {
                let bytes = &text.as_bytes()[at..];
                u16::from(bytes[1] - b'1') << 3 | u16::from(bytes[0] - b'a')
            };
            let mut entry = [0; 16];
            entry[..8].copy_from_slice(&key(&position(&before[..plies])).to_be_bytes());
            entry[8..10].copy_from_slice(&(square(0) << 6 | square(2)).to_be_bytes());
            entry[11] = 1;
            entry
        })
        .collect();
    entries.sort_unstable();
    let lines = openings(Shelf::new().file("b.bin", entries.concat(), Some(7)), GameKind::Chess, 1);
    assert_eq!(lines[0].moves.join(" "), format!("{} e1g1", before.join(" ")));
}

#[test]
fn no_position_is_repaired() {
    let cases = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1", "is not a position"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1", "is not a position"),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "the game is over"),
        ("8/8/8/8/8/8/8/K1k5 w - - 0 1", "the game is over"),
    ];
    for (line, why) in cases {
        let refused = refusal(&Shelf::new().file("b.fen", line, None), GameKind::Chess);
        assert!(refused.contains(":1: ") && refused.contains(why), "{refused}");
    }
}

#[test]
fn a_book_of_another_game_is_refused() {
    let shelf = Shelf::new();
    let book = |variant: &str| shelf.file("b.pgn", format!("\n\n\n\n{variant}\n1. e4 *\n"), None);
    let cases = [
        ("[Variant \"Standard\"]", GameKind::Chess, None),
        ("[Variant \"From Position\"]", GameKind::Chess, None),
        ("[Event \"b\"]", GameKind::Atomic, None),
        ("[Variant \"?\"]", GameKind::Chess, None),
        ("[Variant \"3check\"]", GameKind::ThreeCheck, None),
        ("[Variant \"Chess960\"]", GameKind::Chess, Some("the run plays chess,")),
        ("[Variant \"Standard\"]", GameKind::Chess960, Some("the run plays chess960,")),
        ("[Variant \"Atomic\"]", GameKind::Crazyhouse, Some("the run plays crazyhouse,")),
        ("[Variant \"Xiangqi\"]", GameKind::Chess, Some("the run plays chess,")),
    ];
    for (variant, game, refused) in cases {
        match (book(variant).read(game), refused) {
            (Ok(_), None) => {}
            (Err(error), Some(why)) => {
                let error = error.to_string();
                assert!(error.contains("b.pgn:5: this game is of another kind: ") && error.contains(why), "{error}");
                assert!(error.ends_with(variant), "{error}");
            }
            (read, _) => panic!("{variant} for {game}: {read:?}"),
        }
    }
}

#[test]
#[ignore = "slow"]
fn nothing_but_parentheses_is_refused_in_a_line_or_two() {
    let (shelf, many) = (Shelf::new(), 300_000);
    let nested = ["(".repeat(many), format!("1. e4 {}", "( ".repeat(many)), "(e4".repeat(many), "(\n".repeat(many)];
    for text in nested {
        for (name, why) in
            [("b.pgn", "variations are nested more than 100 deep"), ("b.txt", "is not a legal move in"), ("b.epd", "")]
        {
            let error = refusal(&shelf.file(name, &text, None), GameKind::Chess);
            assert!(error.contains(&format!("{name}:1: ")) && error.contains(why), "{error:.300}");
            assert!(error.len() < 1_000, "{} bytes", error.len());
        }
    }
    let fields = format!("{} w - -", "(".repeat(many));
    for game in [GameKind::Chess, GameKind::ZeroPointOne] {
        let error = refusal(&shelf.file("b.epd", &fields, None), game);
        assert!(error.len() < 1_000, "{} bytes", error.len());
    }
    let open = refusal(&shelf.file("b.pgn", "1. e4 (1. d4 (1. c4) d5 2. c4 *\n", None), GameKind::Chess);
    assert!(open.contains("a variation does not end: expected )"), "{open}");
    let closed = shelf.file("b.pgn", "1. e4 (1. d4 (1. c4) d5) e5 *\n", None);
    assert_eq!(openings(closed, GameKind::Chess, 1)[0].moves, ["e2e4", "e7e5"]);
}

#[test]
fn transpositions_are_duplicates() {
    let text = "e2e4 e7e5 g1f3\ng1f3 e7e5 e2e4\nd2d4\n";
    let book = Shelf::new().file("b.txt", text, None).read(GameKind::Chess).expect("a book");
    let Content::Lines(lines) = book.content() else { panic!("lines") };
    assert_eq!((lines.duplicates().count, &lines.duplicates().first[..]), (1, &[(2, 1)][..]));
    assert_eq!(lines.plies(), [1, 3]);
}

#[test]
fn polyglot_keys_are_the_published_ones() {
    let lines = include_str!("../data/polyglot-keys.txt").lines().filter(|line| !line.starts_with('#'));
    let mut tested = 0;
    for line in lines {
        let mut words = line.split(' ');
        let published = u64::from_str_radix(words.next().expect("a key"), 16).expect("hexadecimal");
        let mut board = Board::default();
        for word in words {
            let mv: UciMove = word.parse().expect("a move");
            board.play_unchecked(mv.to_move(&board).expect("legal"));
        }
        assert_eq!(key(&board), published, "{line}");
        tested += 1;
    }
    assert_eq!(tested, 9);
}

/// A Polyglot book made of `games`.
fn made(games: &str) -> Vec<u8> {
    let mut maker = BookMaker::new(MakeSettings { plies: 40, min_games: 1, min_elo: None });
    let mut scanner = Scanner::keeping(games.as_bytes(), 40);
    while let Some(record) = scanner.next_record().expect("memory") {
        let _unfinished = maker.add(&record.expect("PGN"));
    }
    bytes(&maker.finish())
}

const WEIGHTED: &str = "[Result \"1/2-1/2\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 1/2-1/2\n\n\
                        [Result \"1/2-1/2\"]\n\n1. e4 c5 1/2-1/2\n\n[Result \"1/2-1/2\"]\n\n1. d4 d5 1/2-1/2\n";

#[test]
fn polyglot_books_are_walked_by_weight() {
    let shelf = Shelf::new();
    let file = shelf.file("b.bin", made(WEIGHTED), Some(7));
    let lines = openings(file.clone(), GameKind::Chess, 600);
    let starting = |moves: &str| lines.iter().filter(|line| line.moves.join(" ").starts_with(moves)).count();
    // 2 to 1: 400 and 200 expected, standard deviation 12; then 1 to 1.
    assert!((350..450).contains(&starting("e2e4")), "{}", starting("e2e4"));
    assert!((150..250).contains(&starting("e2e4 c7c5")), "{}", starting("e2e4 c7c5"));
    assert_eq!(starting("e2e4") + starting("d2d4 d7d5"), 600);
    assert_eq!(starting("e2e4 e7e5 g1f3"), starting("e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1"));
    assert!(lines.iter().all(|line| line.moves.len() <= 7));
    assert_eq!(openings(file.clone(), GameKind::Chess, 600), lines, "a pure function of seed and number");
    let last = openings(file, GameKind::Chess960, 600);
    assert!(last.iter().any(|line| line.moves.last().is_some_and(|mv| mv == "e1h1")), "castling as Chess960 has it");
}

#[test]
fn what_is_no_polyglot_book_is_refused() {
    let shelf = Shelf::new();
    let good = made(WEIGHTED);
    let mut backwards: Vec<u8> = good.chunks(16).rev().flatten().copied().collect();
    let cases = [
        (good[..good.len() - 1].to_vec(), "expected entries of 16 bytes"),
        (Vec::new(), "it has 0 bytes"),
        (vec![7; 32], "it has no move for the start position"),
        (std::mem::take(&mut backwards), "expected rising keys"),
    ];
    for (content, why) in cases {
        let refused = refusal(&shelf.file("b.bin", content, Some(4)), GameKind::Chess);
        assert!(refused.contains("b.bin is not a Polyglot book: ") && refused.contains(why), "{refused}");
    }
    let refused = refusal(&shelf.file("b.bin", good, Some(4)), GameKind::Crazyhouse);
    assert!(
        refused.contains("those are for chess and chess960: expected EPD, PGN or moves for crazyhouse"),
        "{refused}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn nothing_in_a_file_makes_it_panic(
        words in proptest::collection::vec("[a-h1-8NBRQKO0x+#=@/ \\[\\]{}();.$wbkq-]{0,12}|\\[FEN \"[a-z1-8/ ]*\"\\]|[ \
            -~]{0,9}", 0..40),
        breaks in 1usize..9,
    ) {
        let text: String = words.chunks(breaks).map(|line| line.join(" ") + "\n").collect();
        let shelf = Shelf::new();
        for name in ["b.epd", "b.pgn", "b.txt", "b.bin"] {
            for game in [GameKind::Chess, GameKind::Crazyhouse, GameKind::ZeroPointOne] {
                if let Err(error) = shelf.file(name, &text, Some(6)).read(game) {
                    prop_assert!(error.to_string().contains(name), "{error}");
                }
            }
        }
    }

    #[test]
    fn any_moves_in_a_book_are_survived(moves: Vec<(u16, u16)>, number: u64) {
        let start = key(&Board::default()).to_be_bytes();
        let entry = |(mv, weight): &(u16, u16)| {
            [&start[..], &mv.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
        };
        let table: Vec<u8> = moves.iter().flat_map(entry).collect();
        if let Ok(book) = Polyglot::new("b.bin", table) {
            let walk = book.walk(1, number, 9, CastlingMode::Standard);
            prop_assert_eq!(walk.len(), 1, "the start position alone is known");
        }
    }
}
