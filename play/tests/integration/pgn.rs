//! Reading PGN: files from match runners, files written by people, and broken files.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use play::pgn::{Crosstable, Entry, Flaw, Game, Opening, Scanner, Source, SourceError};
use proptest::prelude::*;
use stats::Score;
use std::io::Write;

fn entries(text: &[u8]) -> Vec<Entry> {
    let mut scanner = Scanner::new(text);
    std::iter::from_fn(|| scanner.next_game().unwrap()).collect()
}

fn games(text: &str) -> Vec<Game> {
    entries(text.as_bytes()).into_iter().map(|entry| entry.game.unwrap()).collect()
}

fn flaws(text: &str) -> Vec<(u64, Flaw)> {
    entries(text.as_bytes()).into_iter().filter_map(|entry| entry.game.err().map(|flaw| (entry.line, flaw))).collect()
}

/// One game with these tags, and these moves.
fn game(tags: &[(&str, &str)], moves: &str) -> String {
    let tags = tags.iter().map(|(name, value)| format!("[{name} \"{value}\"]\n")).collect::<Vec<_>>().concat();
    format!("{tags}\n{moves}\n\n")
}

fn simple(white: &str, black: &str, result: &str, round: &str, moves: &str) -> String {
    game(&[("Event", "e"), ("Round", round), ("White", white), ("Black", black), ("Result", result)], moves)
}

/// Pairs and single games of a text.
fn joined(text: &str) -> (u64, u64) {
    let mut table = Crosstable::new();
    for game in &games(text) {
        table.add(game).unwrap();
    }
    let all = table.games();
    let (_, _, pairs) = table.finish().unwrap();
    (pairs, all - 2 * pairs)
}

#[test]
fn a_game_is_its_tags() {
    let text = simple("A \\\"x\\\"", "B", "0-1", "3.1", "1. e4 e5 0-1");
    let [one] = games(&text).try_into().unwrap();
    assert_eq!((one.white.as_str(), one.black.as_str()), ("A \"x\"", "B"));
    assert_eq!(one.score, Score::Loss);
    assert_eq!(one.round.as_deref(), Some("3.1"));
    assert!(matches!(one.opening, Opening::FirstPlies(_)));
}

#[test]
fn line_ends_blank_lines_and_order_do_not_matter() {
    let text =
        simple("A", "B", "1-0", "?", "1. e4 {a\n[White \"no tag\"]\n} e5 1-0") + &simple("B", "A", "1-0", "-", "1-0");
    let expected = games(&text);
    assert_eq!(expected.len(), 2);
    assert_eq!(expected[0].round, None);
    assert_eq!(games(&text.replace('\n', "\r\n")), expected);
    assert_eq!(games(&text.replace("\n\n", "\n\n\n")), expected);
    assert_eq!(games(&text.replace("\n\n", "\n")), expected);
    assert_eq!(games(&format!("\u{feff}{text}")), expected);
    assert_eq!(games(text.trim_end()), expected);
    assert_eq!(games(&format!("% a line for other programs\n{text}")), expected);
}

#[test]
fn games_without_moves_are_separated_by_their_tags() {
    let tags = [("White", "A"), ("Black", "B"), ("Result", "1-0")];
    let text = game(&tags, "") + &game(&tags, "") + &game(&tags, "");
    assert_eq!(games(&text).len(), 3);
    assert!(games(&text).iter().all(|game| game.opening == Opening::Unknown));
}

#[test]
fn the_result_may_stand_at_the_end_alone() {
    let tags = [("White", "A"), ("Black", "B")];
    let text = game(&tags, "1. e4 e5 1/2-1/2");
    assert_eq!(games(&text)[0].score, Score::Draw);
    assert_eq!(flaws(&game(&tags, "1. e4 e5")), [(1, Flaw::NoResult)]);
    assert_eq!(flaws(&game(&tags, "1. e4 e5 *")), [(1, Flaw::Unfinished)]);
}

#[test]
fn errors_are_reported_with_their_line() {
    let good = simple("A", "B", "1-0", "1", "1. e4 1-0");
    let lines = good.lines().count() as u64 + 1;
    let bad = [
        (simple("A", "B", "*", "1", "1. e4 *"), Flaw::Unfinished),
        (simple("", "B", "1-0", "1", "1. e4 1-0"), Flaw::NoPlayer("White")),
        (simple("A", "?", "1-0", "1", "1. e4 1-0"), Flaw::NoPlayer("Black")),
        (simple("A", "A", "1-0", "1", "1. e4 1-0"), Flaw::PlaysItself("A".to_owned())),
        (simple("A", "B", "2-0", "1", "1. e4"), Flaw::UnknownResult("2-0".to_owned())),
        (simple("A", "B", "1-0", "1", "1. e4 0-1"), Flaw::Contradiction { tag: "1-0".to_owned() }),
        (simple("A", "B", "1-0", "1", "1. e4 {never closed 1-0"), Flaw::OpenComment),
        (good.replacen("[Round \"1\"]", "[Round \"1]", 1), Flaw::BadTag { line: lines + 1 }),
        ("1. e4 e5 1-0\n\n".to_owned(), Flaw::NoPlayer("White")),
    ];
    for (text, flaw) in bad {
        let all = entries(format!("{good}{text}{good}").as_bytes());
        let outcome: Vec<_> = all.iter().map(|entry| entry.game.clone().err()).collect();
        assert_eq!(outcome, [None, Some(flaw), None], "{text}");
        assert_eq!(all[1].line, lines);
    }
}

#[test]
fn a_broken_game_never_takes_its_neighbour() {
    let broken = [
        "1. e4 e5 {oops 1-0",
        "1. e4 {a {b 1-0",
        "1. e4 {a\n\nb 1-0",
        "1. e4 e5 1-0 {",
        "{1. e4 e5 1-0",
        "1. e4 {a}b} {c",
    ];
    let good = simple("C", "D", "0-1", "2", "1. e4 {+0.1/2 0.1s} e5 {x} 0-1");
    let without_event = good.replace("[Event \"e\"]\n", "");
    let colons = without_event.replace(" \"", ": \"");
    let indented = without_event.replace('[', "  [");
    for moves in broken {
        for end in ["\n\n", "\n", "\r\n", "\n \n"] {
            for next in [&good, &without_event, &colons, &indented] {
                let first = simple("A", "B", "1-0", "1", moves);
                let text = format!("{}{end}{next}{good}", first.trim_end());
                let all = entries(text.as_bytes());
                let flaws: Vec<_> = all.iter().map(|entry| entry.game.clone().err()).collect();
                assert_eq!(flaws, [Some(Flaw::OpenComment), None, None], "{text}");
                let line =
                    text.lines().position(|line| line.contains("\"C\"") || line.contains("Event") && line.len() < 5);
                assert!(all[1].line as usize <= line.unwrap() + 1 && all[1].line > all[0].line, "{text}");
                assert_eq!(
                    (all[1].game.as_ref().unwrap().white.as_str(), all[1].game.as_ref().unwrap().score),
                    ("C", Score::Loss)
                );
            }
        }
    }
}

#[test]
fn a_game_without_tags_is_not_swallowed_by_an_open_comment() {
    let open = simple("A", "B", "1-0", "1", "1. e4 e5 {oops 1-0");
    let good = simple("C", "D", "0-1", "2", "1. e4 {x} e5 0-1");
    let unknown = Some(Flaw::NoPlayer("White"));
    for (hidden, count) in [
        ("1. d4 d5 0-1\n\n", 1),
        ("1.d4 {book} d5 {+0.1/2} 0-1\n\n", 1),
        ("1. d4 d5\n2. c4 c6\n0-1\n\n1. c4 1/2-1/2\n\n1... e5 1-0\n\n", 3),
        ("1. d4 d5 0-1\n1. c4 {a} 1-0\n", 2),
        ("d4 d5 0-1\n\n", 1),
    ] {
        for end in ["\n\n", "\n", "\r\n\r\n", "\n \n"] {
            if end == "\n" && !hidden.starts_with("1.") {
                continue;
            }
            for next in [&good, ""] {
                let text = format!("{good}{}{end}{hidden}{next}", open.trim_end());
                let all = entries(text.as_bytes());
                let flaws: Vec<_> = all.iter().map(|entry| entry.game.clone().err()).collect();
                let mut expected = vec![None, Some(Flaw::OpenComment)];
                expected.extend(vec![unknown.clone(); count]);
                expected.extend((!next.is_empty()).then_some(None));
                assert_eq!(flaws, expected, "{text}");
                let line = text[..text.find(hidden.split('\n').next().unwrap()).unwrap()].lines().count() as u64 + 1;
                assert_eq!(all[2].line, line, "{text}");
            }
        }
    }
}

#[test]
fn what_a_comment_quotes_is_no_game() {
    let quoting = [
        "1. e4 {the line\n\n1. d4 d5 1-0\n\n1. c4 was better} e5 1-0",
        "{two ideas:\n\n1. attack\n\n2. defend} 1. e4 e5 1-0",
        "1. e4 {he won 1-0\n1. d4 next time} e5 1-0",
        "1. e4 {as 1-0 1. d4 d5 0-1 showed} e5 1-0",
        "1. e4 e5 ; not 0-1 1. d4\n2. d4 1-0",
    ];
    for moves in quoting {
        let text = simple("A", "B", "1-0", "1", moves) + &simple("C", "D", "0-1", "2", "1. e4 e5 0-1");
        assert_eq!(games(&text).len(), 2, "{text}");
        let event = text.replace("[Event \"e\"]", "[Event \"after 1-0 1. e4\"]");
        assert_eq!(games(&event).len(), 2, "{event}");
    }
}

#[test]
fn games_on_one_line_are_separated() {
    let text = simple("A", "B", "1-0", "1", "1. e4 {a} e5 1-0") + &simple("C", "D", "0-1", "2", "1. c4 {b} c5 0-1");
    assert_eq!(games(&text.replace('\n', " ")), games(&text));
    let line = "1. e4 {a} e5 1-0 1. d4 d5 1/2-1/2 1. c4 {open 0-1 1. f4 f5 {b} 1-0 1. b4 *";
    assert_eq!(
        flaws(line),
        [
            (1, Flaw::NoPlayer("White")),
            (1, Flaw::NoPlayer("White")),
            (1, Flaw::OpenComment),
            (1, Flaw::NoPlayer("White")),
            (1, Flaw::Unfinished)
        ]
    );
}

#[test]
fn a_comment_without_an_end_is_read_again_within_bounds() {
    let mut text = simple("A", "B", "1-0", "1", "1. e4 {oops 1-0");
    for _ in 0..20_000 {
        text.push_str("1. d4 d5 2. c4 e6 0-1\n\n");
    }
    let all = entries(text.as_bytes());
    assert_eq!(all.len(), 20_001);
    assert_eq!(all[0].game, Err(Flaw::OpenComment));
    assert!((1..).zip(&all[1..]).all(|(number, entry)| entry.line == 7 + 2 * number), "each by its line");
}

#[test]
fn a_broken_tag_belongs_to_its_own_game() {
    let (first, last) = (simple("A", "B", "1-0", "1", "1. e4 e5 1-0"), simple("E", "F", "1-0", "1", "1. c4 1-0"));
    let broken = [
        ("[Event \"e\"]", "[Event \"e]"),
        ("[Event \"e\"]", "[Event \"e\""),
        ("[Event \"e\"]", "[Event e"),
        ("[Event \"e\"]", "[Event \"e\nf\"]"),
        ("[White \"C\"]", "[White \"C]"),
        ("[Result \"0-1\"]", "[Result \"0-1]"),
    ];
    for (tag, instead) in broken {
        for end in ["", "\n"] {
            let second = simple("C", "D", "0-1", "2", "1. d4 d5 0-1").replace(tag, instead);
            let text = format!("{}\n{end}{second}{last}", first.trim_end());
            let flaws: Vec<_> = entries(text.as_bytes()).into_iter().map(|entry| entry.game.err()).collect();
            assert!(matches!(flaws[..], [None, Some(Flaw::BadTag { .. }), None]), "{flaws:?} in {text}");
        }
    }
}

#[test]
fn tags_may_share_a_line_with_others_and_with_moves() {
    let text = "[White \"A\"] [Black \"B\"][Result \"1-0\"]\n\n1. e4 e5 1-0\n\n\
                [White: \"B\"] [Black: \"A\"] [Result \"½-½\"] 1. d4 d5 1/2-1/2\n\n[White \"A\"][Black \"B\"] 1. c4 \
                0.5-0.5\n";
    let seen: Vec<_> = games(text).into_iter().map(|game| (game.white, game.score)).collect();
    let expected = [("A", Score::Win), ("B", Score::Draw), ("A", Score::Draw)];
    assert_eq!(seen, expected.map(|(white, score)| (white.to_owned(), score)));
}

#[test]
fn moves_that_may_be_lost_are_no_record() {
    let records = |moves: &str| {
        let text = game(&[("Result", "1-0")], moves) + &game(&[("Result", "0-1")], "1. d4 d5 0-1");
        let mut scanner = Scanner::keeping(text.as_bytes(), 10);
        let mut all = Vec::new();
        while let Some(record) = scanner.next_record().unwrap() {
            all.push(record.map(|record| record.moves).map_err(|(_, flaw)| flaw));
        }
        all
    };
    for (moves, flaw) in [
        ("1. e4 {oops e5 2. d4 {fine} d5 1-0", Flaw::NestedComment),
        ("1. e4 {oops 1-0", Flaw::OpenComment),
        ("1. e4 (1. d4 d5 1-0", Flaw::OpenVariation),
    ] {
        assert_eq!(records(moves), [Err(flaw), Ok("d4 d5".to_owned())], "{moves}");
    }
    assert_eq!(records("1. e4 e5 e.p. += $1 2. Nf3 ! Z0 1-0")[0], Ok("e4 e5 Nf3 Z0".to_owned()));
}

#[test]
fn nothing_is_no_game() {
    for text in ["", "\n\n", "\u{feff}", "% nothing\n"] {
        assert_eq!(entries(text.as_bytes()), []);
    }
}

#[test]
fn seats_opening_and_round_make_a_pair() {
    let pair = |round, moves| simple("A", "B", "1-0", "1", "1. e4 e5 1-0") + &simple("B", "A", "1-0", round, moves);
    assert_eq!(joined(&pair("1", "1. e4 e5 1-0")), (1, 0));
    assert_eq!(joined(&pair("1.2", "1. e4 e5 1-0")), (1, 0));
    assert_eq!(joined(&pair("2", "1. e4 e5 1-0")), (0, 2));
    assert_eq!(joined(&pair("1", "1. e4 c5 1-0")), (0, 2));
    let same_seats = simple("A", "B", "1-0", "1", "1. e4 1-0").repeat(2);
    assert_eq!(joined(&same_seats), (0, 2));
    let other_entrant = simple("A", "B", "1-0", "1", "1. e4 1-0") + &simple("C", "A", "1-0", "1", "1. e4 1-0");
    assert_eq!(joined(&other_entrant), (0, 2));
}

fn from_position(white: &str, black: &str, fen: &str, round: &str) -> String {
    game(&[("White", white), ("Black", black), ("Result", "1-0"), ("FEN", fen), ("Round", round)], "1. a b 1-0")
}

#[test]
fn marked_openings_join_across_rounds() {
    let text = [("A", "B", "1"), ("B", "A", "2"), ("A", "B", "3"), ("A", "B", "5"), ("B", "A", "5")];
    let text: String = text.iter().map(|(white, black, round)| from_position(white, black, "x", round)).collect();
    assert_eq!(joined(&text), (2, 1));
    let other = from_position("A", "B", "x", "1") + &from_position("B", "A", "y", "1");
    assert_eq!(joined(&other), (0, 2));
}

#[test]
fn without_moves_the_round_decides() {
    let text = simple("A", "B", "1-0", "7.1", "1-0") + &simple("B", "A", "0-1", "7.2", "0-1");
    assert_eq!(joined(&text), (1, 0));
    assert_eq!(joined(&text.replace("7.1", "?").replace("7.2", "?")), (0, 2));
}

#[test]
fn results_keep_their_side() {
    // A wins both games, from either seat; B draws C once from each seat.
    let text = simple("A", "B", "1-0", "1", "1. e4 1-0")
        + &simple("B", "A", "0-1", "1", "1. e4 0-1")
        + &simple("C", "B", "1/2-1/2", "1", "1. e4 1/2-1/2")
        + &simple("B", "C", "1/2-1/2", "2", "1. e4 1/2-1/2");
    let mut table = Crosstable::new();
    for game in &games(&text) {
        table.add(game).unwrap();
    }
    assert_eq!(table.names(), ["A", "B", "C"]);
    let (_, results, pairs) = table.finish().unwrap();
    let mut expected = stats::rating::Results::new(3);
    let mut table = [[0; 3]; 3];
    table[2][2] = 1;
    expected.add_pairs(0, 1, &table).unwrap();
    let draw = stats::Wdl { wins: 0, draws: 1, losses: 0 };
    expected.add_games(2, 1, &draw).unwrap();
    expected.add_games(1, 2, &draw).unwrap();
    assert_eq!((results, pairs), (expected, 1));
}

#[test]
fn too_many_entrants_are_refused() {
    let mut table = Crosstable::new();
    let text: String = (0..1200).map(|n| simple("A", &format!("B{n}"), "1-0", "1", "1-0")).collect();
    assert!(games(&text).iter().any(|game| table.add(game).is_err()));
}

#[test]
fn very_long_lines_are_read_in_pieces() {
    let moves = format!("1. e4 {{{}}} e5 1-0", "x ".repeat(200_000));
    let text = simple("A", "B", "1-0", "1", &moves) + &simple("B", "A", "1-0", "1", "1. e4 e5 1-0");
    assert_eq!(joined(&text), (1, 0));
}

#[test]
fn foreign_formats_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    for (head, format) in [(&b"BZh91AY"[..], "bzip2"), (b"PK\x03\x04", "zip"), (b"\xff\xfe[\0", "UTF-16")] {
        std::fs::File::create(&path).unwrap().write_all(head).unwrap();
        let Err(SourceError::Format { format: named, .. }) = Source::open(&path) else { panic!("{format}") };
        assert!(named.contains(format));
    }
    assert!(matches!(Source::open(&folder.path().join("none")), Err(SourceError::Io { .. })));
}

/// Text that more or less looks like PGN.
fn scraps() -> impl Strategy<Value = Vec<u8>> {
    let scrap = prop::sample::select(vec![
        "[Event \"e\"]\n",
        "[White \"A\"]\n",
        "[White \"B\"]\n",
        "[Black \"B\"]\n",
        "[Result \"1-0\"]\n",
        "[Result \"*\"]",
        "\n",
        "\r\n",
        "1. e4 ",
        "{book}",
        "{",
        "}",
        "(",
        ")",
        ";",
        "1-0\n",
        "*",
        "[",
        "\"",
        "\\",
        "%",
        "1/2-1/2",
        "[FEN \"x\"]\n",
        "\u{feff}",
        "é",
        "$1",
        " ",
        "12...",
        "[Round \"1.1\"]\n",
    ]);
    let bytes = prop::collection::vec(any::<u8>(), 0..6);
    let piece = prop_oneof![9 => scrap.prop_map(|s: &str| s.as_bytes().to_vec()), 1 => bytes];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in scraps()) {
        let lines = text.split(|b| *b == b'\n').count() as u64;
        let all = entries(&text);
        prop_assert!(all.windows(2).all(|two| two[0].line <= two[1].line));
        prop_assert!(all.iter().all(|entry| (1..=lines).contains(&entry.line)));
        let mut table = Crosstable::new();
        let good: Vec<&Game> = all.iter().filter_map(|entry| entry.game.as_ref().ok()).collect();
        for game in &good {
            table.add(game).unwrap();
        }
        let (names, results, pairs) = table.finish().unwrap();
        prop_assert_eq!(names.len(), results.entrants());
        prop_assert!(2 * pairs <= good.len() as u64);
    }

    #[test]
    fn games_after_strange_text_are_found(text in scraps()) {
        let good = simple("X", "Y", "1-0", "1", "1. e4 1-0");
        let with = entries(&[&text, b"\n\n".as_slice(), good.as_bytes()].concat());
        let last = with.last().map(|entry| entry.game.is_ok());
        prop_assert_eq!(last, Some(true));
    }
}
