//! `spar rate` from the outside: files of match runners, compressed or not, broken files, and a large file.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn spar() -> Command {
    Command::new(env!("CARGO_BIN_EXE_spar"))
}

fn rate(files: &[&Path], options: &[&str]) -> Output {
    spar().arg("rate").args(files).args(options).output().unwrap()
}

/// The JSON of a command that must succeed, and its warnings.
fn json(files: &[&Path], options: &[&str]) -> (Value, String) {
    let output = rate(files, &[options, &["--json"]].concat());
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{warnings}");
    (serde_json::from_slice(&output.stdout).unwrap(), warnings)
}

fn text(files: &[&Path], options: &[&str]) -> String {
    let output = rate(files, options);
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(files: &[&Path], options: &[&str]) -> String {
    let output = rate(files, options);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn written(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Name, points, games.
fn scores(ratings: &Value) -> Vec<(&str, f64, f64)> {
    let entrants = ratings["entrants"].as_array().unwrap().iter();
    entrants
        .map(|e| (e["name"].as_str().unwrap(), e["points"].as_f64().unwrap(), e["games"].as_f64().unwrap()))
        .collect()
}

#[test]
fn fastchess_games() {
    let (ratings, warnings) = json(&[&data("fastchess.pgn")], &[]);
    assert_eq!(scores(&ratings), [("dev", 3.0, 4.0), ("base", 1.0, 4.0)]);
    assert_eq!((&ratings["pairs"], &ratings["unfinished"]), (&2.into(), &1.into()));
    assert!(warnings.contains("fastchess.pgn:64: the game is not finished"), "{warnings}");
    assert_eq!(ratings["entrants"][0]["rank"], 1);
    assert!(ratings["entrants"][0]["los_next"].as_f64().unwrap() > 0.5);
    assert!(ratings["entrants"][1]["los_next"].is_null());
}

#[test]
fn cutechess_games() {
    let (ratings, warnings) = json(&[&data("cutechess.pgn")], &[]);
    assert_eq!(scores(&ratings), [("FS", 3.0, 4.0), ("Sjeng", 1.0, 4.0)]);
    assert_eq!((&ratings["pairs"], &ratings["single_games"]), (&2.into(), &0.into()));
    assert_eq!(warnings, "");
}

#[test]
fn plain_games() {
    let (ratings, _) = json(&[&data("plain.pgn")], &[]);
    assert_eq!((&ratings["games"], &ratings["pairs"]), (&3.into(), &1.into()));
    let names: Vec<&str> = scores(&ratings).iter().map(|(name, _, _)| *name).collect();
    assert!(names.contains(&"Müller, Anna") && names.contains(&"O'Neill, Pat"));
    assert_eq!((&ratings["connected"], &ratings["errors"]), (&false.into(), &"prior".into()));
    let kim = ratings["entrants"].as_array().unwrap().iter().find(|e| e["name"] == "Weiss, Kim").unwrap();
    assert_eq!(kim["perfect"], "won");
    let table = text(&[&data("plain.pgn")], &[]);
    assert!(table.contains("Weiss, Kim won every game") && table.contains("Not connected: 2 groups"), "{table}");
}

#[test]
fn compression_is_recognised_by_content() {
    let folder = tempfile::tempdir().unwrap();
    let plain = std::fs::read(data("cutechess.pgn")).unwrap();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&plain).unwrap();
    let gzip = encoder.finish().unwrap();
    let zstd = zstd::encode_all(plain.as_slice(), 3).unwrap();
    let (expected, _) = json(&[&data("cutechess.pgn")], &[]);
    for (name, bytes) in [("games.txt", &gzip), ("games.gz", &zstd), ("games.zst", &plain)] {
        let (ratings, _) = json(&[&written(&folder, name, bytes)], &[]);
        assert_eq!(ratings, expected);
    }
    // Consecutive members and frames are one file.
    for member in [&gzip, &zstd] {
        let (ratings, _) = json(&[&written(&folder, "twice", &[member.as_slice(), member].concat())], &[]);
        assert_eq!(ratings["pairs"], 4);
    }
    let truncated = written(&folder, "cut.gz", &gzip[..gzip.len() / 2]);
    assert!(refusal(&[&truncated], &[]).contains("cannot read"));
}

#[test]
fn standard_input_and_several_files() {
    let games = std::fs::File::open(data("cutechess.pgn")).unwrap();
    let output = spar().args(["rate", "-", "--json"]).stdin(Stdio::from(games)).output().unwrap();
    let piped: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(piped, json(&[&data("cutechess.pgn")], &[]).0);
    let (both, _) = json(&[&data("cutechess.pgn"), &data("fastchess.pgn")], &[]);
    assert_eq!((&both["games"], &both["groups"]), (&8.into(), &2.into()));
}

#[test]
fn broken_games_are_named_and_skipped() {
    let (ratings, warnings) = json(&[&data("broken.pgn")], &[]);
    assert_eq!((&ratings["games"], &ratings["unfinished"], &ratings["malformed"]), (&2.into(), &1.into(), &5.into()));
    for line in [8, 15, 22, 29, 36, 43] {
        assert!(warnings.contains(&format!("broken.pgn:{line}: ")), "{line}: {warnings}");
    }
}

#[test]
fn few_games_are_never_certain() {
    let folder = tempfile::tempdir().unwrap();
    let game = |white, black| {
        format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1/2-1/2\"]\n[FEN \"x\"]\n\n1/2-1/2\n\n")
    };
    let drawn = game("A", "B") + &game("B", "A");
    let (ratings, _) = json(&[&written(&folder, "drawn", drawn.as_bytes())], &[]);
    assert_eq!((&ratings["pairs"], &ratings["entrants"][0]["elo"]), (&1.into(), &0.0.into()));
    assert!(ratings["entrants"][0]["elo_high"].as_f64().unwrap() > 50.0, "{ratings}");
}

#[test]
fn many_broken_games_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let unfinished = "[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n*\n\n".repeat(5000);
    let good = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1-0\n";
    let (_, warnings) = json(&[&written(&folder, "games", format!("{unfinished}{good}").as_bytes())], &[]);
    assert!(warnings.contains("5,000 unfinished") && warnings.contains("and 4,990 more"), "{warnings}");
    assert!(warnings.lines().count() < 20);
}

#[test]
fn games_that_one_seat_always_won_are_rated() {
    let folder = tempfile::tempdir().unwrap();
    let game = |white, black| format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n1-0\n\n");
    let (one_sided, _) = json(&[&written(&folder, "one", game("A", "B").as_bytes())], &[]);
    assert_eq!((&one_sided["entrants"][0]["name"], &one_sided["entrants"][0]["perfect"]), (&"A".into(), &"won".into()));
    assert!(one_sided["first_mover"].is_null());
    let both = game("A", "B") + &game("B", "A");
    let (balanced, _) = json(&[&written(&folder, "both", both.as_bytes())], &[]);
    assert!(balanced["entrants"].as_array().unwrap().iter().all(|e| e["elo"].as_f64().unwrap().abs() < 1e-6));
}

#[test]
fn what_cannot_be_rated_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for nothing in ["", "\n\n", "[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n*\n", "not PGN at all"] {
        let path = written(&folder, "nothing", nothing.as_bytes());
        assert!(refusal(&[&path], &[]).contains("no finished game found"));
    }
    assert!(refusal(&[&folder.path().join("none.pgn")], &[]).contains("none.pgn"));
    assert!(refusal(&[folder.path()], &[]).contains("cannot read"));
    let games = data("cutechess.pgn");
    assert!(refusal(&[&games], &["--anchor", "Fritz=3000"]).contains("played no game"));
    assert!(refusal(&[&games], &["--anchor", "FS"]).contains("NAME=ELO"));
    assert!(refusal(&[&games], &["--anchor", "FS=nan"]).contains("expected a number"));
    assert!(refusal(&[&games], &["--anchor", "FS=1", "--anchor", "FS=2"]).contains("anchored twice"));
    assert!(refusal(&[&games], &["--anchor", "FS=1", "--anchor", "Sjeng=2", "--ordo"]).contains("one anchor"));
    assert!(refusal(&[&data("plain.pgn")], &["--ordo"]).contains("some entrants cannot be compared"));
}

/// A pair of games from a unique opening, with A's results with White and with Black.
fn pair_of(round: usize, with_white: &str, with_black: &str) -> String {
    let game = |white, black, number, result| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{round}.{number}\"]\n[Result \"{result}\"]\n\
             [FEN \"{round}\"]\n\n{result}\n\n"
        )
    };
    game("A", "B", 1, with_white) + &game("B", "A", 2, with_black)
}

#[test]
fn biased_openings_are_taken_out_of_their_pairs() {
    let folder = tempfile::tempdir().unwrap();
    // 80 pairs won by A, 20 by B, 900 in which White won both games.
    let outcomes = (0..1000).map(|round| match round {
        0..80 => pair_of(round, "1-0", "0-1"),
        80..100 => pair_of(round, "0-1", "1-0"),
        _ => pair_of(round, "1-0", "1-0"),
    });
    let file = written(&folder, "pairs.pgn", outcomes.collect::<String>().as_bytes());
    let gap = |ratings: &Value| {
        let of = |name: &str| {
            let row = ratings["entrants"].as_array().unwrap().iter().find(|row| row["name"] == name);
            row.unwrap()["elo"].as_f64().unwrap()
        };
        of("A") - of("B")
    };
    let (fair, _) = json(&[&file], &[]);
    let (biased, _) = json(&[&file], &["--openings", "biased"]);
    assert_eq!((&fair["openings"], &biased["openings"]), (&"fair".into(), &"biased".into()));
    assert!((gap(&fair) - 20.9).abs() < 0.1, "53% of the points: {fair}");
    // Half the logarithm of 80 to 20 on the scale of 400 for a factor of 10, but for the prior.
    assert!((gap(&biased) - 120.4).abs() < 1.5, "{biased}");
    assert!(fair["opening_bias_low"].as_f64().unwrap() > 300.0, "{fair}");
    let table = text(&[&file], &[]);
    assert!(table.contains("--openings biased"), "{table}");
    let table = text(&[&file], &["--openings", "biased"]);
    assert!(table.contains("rated as if openings were fair"), "{table}");
}

#[test]
fn biased_openings_need_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let single = "[White \"C\"]\n[Black \"A\"]\n[Result \"1-0\"]\n\n1-0\n\n";
    let two = pair_of(1, "1-0", "0-1") + &pair_of(2, "0-1", "1-0");
    let file = written(&folder, "pairs", format!("{two}{}", single.replace('C', "B")).as_bytes());
    assert!(text(&[&file], &["--openings", "biased"]).contains("1 single game left out"));
    let file = written(&folder, "singles", format!("{two}{single}").as_bytes());
    let refused = refusal(&[&file], &["--openings", "biased"]);
    assert!(refused.contains("\"C\" played no pair") && refused.contains("--openings fair"), "{refused}");
    assert!(refusal(&[&file], &["--openings", "biased", "--ordo"]).contains("cannot be used with"));
    assert!(refusal(&[&file], &["--openings", "odd"]).contains("fair, biased"));
}

#[test]
fn anchors_fix_the_scale() {
    let (ratings, _) = json(&[&data("cutechess.pgn")], &["--anchor", "Sjeng=-100"]);
    let sjeng = &ratings["entrants"][1];
    assert_eq!(
        (&sjeng["elo"], &sjeng["elo_low"], &sjeng["anchored"]),
        (&(-100.0).into(), &(-100.0).into(), &true.into())
    );
    let (free, _) = json(&[&data("cutechess.pgn")], &[]);
    let gap = |ratings: &Value| {
        ratings["entrants"][0]["elo"].as_f64().unwrap() - ratings["entrants"][1]["elo"].as_f64().unwrap()
    };
    assert!(gap(&ratings) > 0.0 && gap(&free) > 0.0);
}

/// The games of a table of results, without moves.
fn games_of(record: &Value) -> String {
    let names: Vec<&str> = record["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let mut pgn = String::new();
    for (white, row) in names.iter().zip(record["games_white_black_WDL"].as_array().unwrap()) {
        for (black, cell) in names.iter().zip(row.as_array().unwrap()) {
            for (k, result) in ["1-0", "1/2-1/2", "0-1"].into_iter().enumerate() {
                for _ in 0..cell[k].as_u64().unwrap() {
                    writeln!(pgn, "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{result}\n")
                        .unwrap();
                }
            }
        }
    }
    pgn
}

#[test]
fn ordo_agrees_with_the_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let file: Value = serde_json::from_str(include_str!("../../stats/tests/data/statistics.json")).unwrap();
    let records = file["vectors"].as_array().unwrap().iter().filter(|record| record["kind"] == "ratings");
    let mut compared = 0;
    for record in records {
        let path = written(&folder, "games.pgn", games_of(record).as_bytes());
        let anchor = format!("{}={}", record["anchor"].as_str().unwrap(), record["anchor_rating"]);
        if record["id"] == "ord4_perfect_score" {
            assert!(refusal(&[&path], &["--ordo"]).contains("some entrants cannot be compared"));
            continue;
        }
        for (key, option) in
            [("ordo_plain", "--ordo"), ("ordo_WD", "--ordo=seats-draws"), ("ordo_ML", "--ordo=likelihood")]
        {
            let (ratings, _) = json(&[&path], &[option, "--anchor", &anchor]);
            for player in record[key]["players"].as_array().unwrap() {
                let ours =
                    ratings["entrants"].as_array().unwrap().iter().find(|e| e["name"] == player["name"]).unwrap();
                let gap = ours["elo"].as_f64().unwrap() - player["rating"].as_f64().unwrap();
                assert!(gap.abs() <= 0.01, "{key}: {ours} {player}");
                assert_eq!(ours["points"], player["points"]);
                assert_eq!(ours["games"].as_f64(), player["played"].as_f64());
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 3 * (3 + 5));
}

#[test]
fn tables_fit_the_screen() {
    let long = "[White \"A very long name of an engine 64-bit AVX2\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1-0\n";
    let folder = tempfile::tempdir().unwrap();
    let long = written(&folder, "long.pgn", long.as_bytes());
    for (file, options) in [
        (data("cutechess.pgn"), vec![]),
        (data("plain.pgn"), vec![]),
        (long, vec![]),
        (data("cutechess.pgn"), vec!["--ordo"]),
    ] {
        let table = text(&[&file], &options);
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
        assert!(!table.contains("NaN") && !table.contains("inf"), "{table}");
    }
}

/// 100,000 games of 8 entrants, in pairs, the second game of each 100 games later.
fn large() -> String {
    let mut pgn = String::new();
    for block in 0..500_u64 {
        for half in 0..2 {
            for game in 0..100_u64 {
                let round = block * 100 + game;
                let mut players = [round % 8, (round % 8 + 1 + (round / 8) % 7) % 8];
                if half == 1 {
                    players.reverse();
                }
                let result = ["1-0", "1/2-1/2", "0-1", "1/2-1/2", "1-0"][((round * 7 + half * 3) % 5) as usize];
                let [white, black] = players;
                writeln!(
                    pgn,
                    "[Event \"large\"]\n[Round \"{round}\"]\n[White \"E{white}\"]\n[Black \"E{black}\"]\n\
                     [Result \"{result}\"]\n[FEN \"position {}\"]\n\n\
                     1. e4 {{+0.33/14 0.069s}} e5 {{-0.31/13 0.050s}} 2. Nf3 {{+0.30/15 0.1s}}\n\
                     Nc6 {{0.00/13 0.2s}} {result}\n",
                    round % 977
                )
                .unwrap();
            }
        }
    }
    pgn
}

#[test]
#[ignore = "slow"]
fn a_large_file_is_read_as_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    let text = large();
    let path = written(&folder, "large.pgn.zst", &zstd::encode_all(text.as_bytes(), 1).unwrap());
    let (ratings, warnings) = json(&[&path], &[]);
    assert_eq!(warnings, "");
    assert_eq!((&ratings["games"], &ratings["pairs"]), (&100_000.into(), &50_000.into()));
    assert_eq!(ratings["entrants"].as_array().unwrap().len(), 8);
    assert_eq!(ratings["errors"], "pairs");
}
