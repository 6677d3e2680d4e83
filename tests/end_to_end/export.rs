//! Exports: the same games in every format, for every game.

use crate::support::Sandbox;
use play::pgn::{Game, Opening, Scanner};
use serde_json::Value;
use stats::Score;

const GAMES: [&str; 4] = ["0.1", "chess", "chess960", "crazyhouse"];

/// Plays a few pairs between two players that move at random.
fn played(game: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let config = format!(
        "game = \"{game}\"\ntrack = true\n[match]\npairs = 6\n[openings]\nplies = 4\n\
         [[entrant]]\nname = \"a, \\\"b\\\"\"\nplayer = \"random\"\n[[entrant]]\nname = \"c\"\nplayer = \"random\"\n"
    );
    sandbox.write("m.toml", &config);
    let _summary = sandbox.spar(&["match", "m.toml", "--concurrency", "1"]).exits(0);
    sandbox
}

impl Sandbox {
    fn export(&self, format: &[&str]) -> String {
        self.spar(&[&["export", "match-m-1"], format].concat()).exits(0).stdout
    }

    fn pairs(&self) -> Vec<Value> {
        let lines = self.export(&["--jsonl"]);
        lines.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
    }
}

fn read(pgn: &str) -> Vec<Game> {
    let mut scanner = Scanner::new(pgn.as_bytes());
    let games = std::iter::from_fn(|| scanner.next_game().expect("readable"));
    games.map(|entry| entry.game.unwrap_or_else(|flaw| panic!("line {}: {flaw}", entry.line))).collect()
}

/// The plies of each game, without numbers, comments and result.
fn plies(pgn: &str) -> Vec<Vec<String>> {
    let movetexts = pgn.split("\n\n").filter(|block| !block.trim_start().starts_with('[') && !block.trim().is_empty());
    movetexts.map(words_outside_comments).collect()
}

fn words_outside_comments(block: &str) -> Vec<String> {
    let outside: String = block.split('{').map(|part| part.rsplit('}').next().unwrap_or_default()).collect();
    let mut words: Vec<String> = outside.split_whitespace().map(str::to_owned).collect();
    let _result = words.pop();
    words.retain(|word| !word.ends_with('.'));
    words
}

#[test]
#[ignore = "slow"]
fn games_are_read_back_from_pgn() {
    for game in GAMES {
        let sandbox = played(game);
        let pgn = sandbox.export(&["--pgn"]);
        let read = read(&pgn);
        let plies = plies(&pgn);
        let pairs = sandbox.pairs();
        assert_eq!((read.len(), plies.len(), pairs.len()), (12, 12, 6), "{game}");
        for (index, game_read) in read.iter().enumerate() {
            let pair = &pairs[index / 2];
            let seats = if index % 2 == 0 { ["a, \"b\"", "c"] } else { ["c", "a, \"b\""] };
            assert_eq!([game_read.white.as_str(), &game_read.black], seats);
            let score = pair["scores"][index % 2].as_f64().expect("a score");
            let white = if index % 2 == 0 { score } else { 1.0 - score };
            let known = [(0.0, Score::Loss), (0.5, Score::Draw), (1.0, Score::Win)];
            assert!(known.contains(&(white, game_read.score)), "{game}: {white} and {:?}", game_read.score);
            assert_eq!(game_read.round, Some(format!("{}.{}", index / 2 + 1, index % 2 + 1)));
            assert!(matches!(game_read.opening, Opening::Marked(_)));
            assert_eq!(game_read.opening, read[index / 2 * 2].opening, "a pair has one opening");
            assert_eq!(plies[index].len() as u64, 4 + setups(game) + count(pair, index % 2), "{game}");
        }
    }
}

/// The number of opening plies that are not random.
fn setups(game: &str) -> u64 {
    if game == "0.1" { 2 } else { 0 }
}

fn count(pair: &Value, game: usize) -> u64 {
    pair["games"][game]["plies"].as_u64().expect("a count")
}

#[test]
fn moves_of_0_1_are_the_same_in_pgn_and_json() {
    let sandbox = played("0.1");
    let pairs = sandbox.pairs();
    for (index, plies) in plies(&sandbox.export(&["--pgn"])).iter().enumerate() {
        let pair = &pairs[index / 2];
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let expected = format!("{} {}", text(&pair["opening"]), text(&pair["games"][index % 2]["moves"]));
        assert_eq!(plies.join(" "), expected);
    }
}

#[test]
#[ignore = "slow"]
fn pgn_tells_what_was_recorded_and_how_it_ended() {
    let sandbox = played("chess");
    let plain = sandbox.export(&["--pgn"]);
    assert!(plain.starts_with("[Event \"m\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"1.1\"]\n"), "{plain}");
    assert!(plain.contains("[White \"a, \\\"b\\\"\"]") && plain.contains("[TimeControl \"-\"]"), "{plain}");
    assert!(plain.contains(" {book} ") && !plain.contains("n=") && !plain.contains("[Variant"), "{plain}");
    assert!(!plain.contains("[GameDuration"), "{plain}");
    let endings = ["mates}", "Draw by 3-fold", "Draw by fifty", "Draw by stalemate", "Draw by insufficient"];
    let unwrapped = plain.replace('\n', " ");
    let count: usize = endings.iter().map(|words| unwrapped.matches(words).count()).sum();
    assert_eq!(count, 12, "{plain}");
    let fields = sandbox.export(&["--pgn", "--track-fields", "n,tl", "--timings"]);
    assert!(fields.replace('\n', " ").contains("s, n=0, tl=0.000s"), "{fields}");
    assert!(fields.contains("[GameDuration \"00:00:00\"]"), "{fields}");
    let chess960 = played("chess960").export(&["--pgn"]);
    assert_eq!(chess960.matches("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"").count(), 12, "{chess960}");
}

#[test]
fn tables_positions_and_one_document() {
    let sandbox = played("chess960");
    let pairs = sandbox.pairs();
    let csv = sandbox.export(&["--csv"]);
    assert!(csv.starts_with("pair,game,white,black,result,opening_plies,plies,termination,reason,"), "{csv}");
    let first = csv.lines().nth(1).expect("a game");
    let plies = count(&pairs[0], 0);
    assert!(
        first.starts_with("1,1.1,\"a, \"\"b\"\"\",c,") && first.contains(&format!(",4,{plies},normal,")),
        "{first}"
    );
    assert_eq!(csv.lines().count(), 13);
    assert!(sandbox.export(&["--csv", "--timings"]).starts_with(&csv[..csv.find('\n').expect("a line")]));
    let document: Value = serde_json::from_str(&sandbox.export(&["--json"])).expect("one document");
    assert_eq!(document["pairs"].as_array().expect("pairs"), &pairs);
    assert_eq!(document["config"]["game"], "chess960");
    for (which, count) in [("opening", 6), ("final", 12)] {
        let epd = sandbox.export(&["--epd", which]);
        assert_eq!(epd.lines().count(), count);
        assert!(epd.lines().all(|line| line.contains(" hmvc ") && line.ends_with("\";")), "{epd}");
    }
}

#[test]
#[ignore = "slow"]
fn a_game_has_one_name_everywhere() {
    for (game, sides) in [("0.1", ["Red", "Blue"]), ("chess", ["White", "Black"])] {
        let sandbox = played(game);
        let rounds: Vec<String> = read(&sandbox.export(&["--pgn"])).into_iter().filter_map(|game| game.round).collect();
        let names: Vec<String> = (1..=6).flat_map(|pair| [1, 2].map(|game| format!("{pair}.{game}"))).collect();
        assert_eq!(rounds, names);
        let csv = sandbox.export(&["--csv"]);
        let cells = csv.lines().skip(1).map(|line| line.split(',').take(2).collect::<Vec<_>>());
        let expected = names.iter().map(|name| vec![name.split('.').next().expect("a pair"), name]);
        assert_eq!(cells.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        let pairs = sandbox.pairs();
        let exported =
            pairs.iter().flat_map(|pair| [0, 1].map(|game| pair["games"][game]["game"].as_str().expect("a name")));
        assert_eq!(exported.collect::<Vec<_>>(), names);
        assert_eq!(pairs[5]["pair"], 6);

        let shown = sandbox.spar(&["show", "match-m-1", "--game", "3.2", "--json"]).exits(0).json();
        assert_eq!((&shown["game"], &shown["players"]["first"]), (&"3.2".into(), &"c".into()));
        let plies = &plies(&sandbox.export(&["--pgn"]))[5];
        let moves: Vec<&str> =
            shown["plies"].as_array().expect("plies").iter().filter_map(|ply| ply["move"].as_str()).collect();
        assert_eq!(&moves, plies, "{game}");
        let last = sandbox.export(&["--epd", "final"]);
        let placement = shown["last"].as_str().expect("a position").split(' ').next().expect("a board").to_owned();
        assert!(last.lines().nth(5).expect("a game").starts_with(&placement), "{game}: {last}");

        let text = sandbox.spar(&["show", "match-m-1", "--game", "3.2"]).exits(0).stdout;
        assert!(text.starts_with("Game 3.2: "), "{text}");
        assert!(
            text.contains(&format!("{:<8}c\n", sides[0])) && text.contains(&format!("    1. {}", moves[0])),
            "{text}"
        );
        for (name, why) in
            [("7.1", "has no game 7.1: 6 pairs have been played"), ("0.1", "12.2"), ("3.3", "12.2"), ("3", "12.2")]
        {
            let refused = sandbox.spar(&["show", "match-m-1", "--game", name]).exits(2);
            assert!(refused.stdout.is_empty() && refused.stderr.contains(why), "{refused:?}");
        }
    }
}

#[test]
fn exactly_one_format_is_asked_for() {
    let sandbox = Sandbox::new();
    let wrong: [&[&str]; 5] = [
        &[],
        &["--pgn", "--csv"],
        &["--epd", "first"],
        &["--csv", "--track-fields", "n"],
        &["--pgn", "--track-fields", "x"],
    ];
    for format in wrong {
        let refused = sandbox.spar(&[&["export", "r"], format].concat()).exits(2);
        assert!(refused.stdout.is_empty() && !refused.stderr.is_empty(), "{refused:?}");
    }
}
