//! Fits of piece-square tables: read, fitted, interrupted and resumed, written in all their forms, refused.

use crate::support::{FITTED_MATCH, SELFPLAY, Sandbox, pst_engine, signal, wait, wait_until};
use shakmaty::{Chess, Color, EnPassantMode, Position, Role, fen::Fen};
use std::fmt::Write;

const FIT: &str = "data = [\"labelled.txt\"]\nout = \"fits/tables\"\nmodel = \"chess-tables\"\nquiet = \"as-is\"\n";

/// Positions of random games, labelled by material and by the advance of white's pawns and knights.
fn labelled(games: u32) -> String {
    let (mut text, mut state) = (String::new(), 7_u64);
    for _ in 0..games {
        let mut position = Chess::default();
        for _ in 0..60 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position.play_unchecked(moves[(state >> 33) as usize % moves.len()]);
            let score = worth(&position);
            let result = if score > 0 { "1.0" } else { "0.0" };
            let fen = Fen::from_position(&position, EnPassantMode::Legal);
            let _ = writeln!(text, "{fen} | {score} | {result}");
        }
    }
    text
}

fn worth(position: &Chess) -> i32 {
    let worth = |color: Color| -> i32 {
        let board = position.board();
        let of = |role: Role, value: i32, forward: i32| -> i32 {
            let squares = board.by_color(color) & board.by_role(role);
            squares
                .into_iter()
                .map(|at| value + forward * color.fold_wb(at.rank(), at.rank().flip_vertical()) as i32)
                .sum()
        };
        of(Role::Pawn, 90, 6)
            + of(Role::Knight, 310, 9)
            + of(Role::Bishop, 330, 0)
            + of(Role::Rook, 500, 0)
            + of(Role::Queen, 950, 0)
    };
    worth(Color::White) - worth(Color::Black)
}

fn sandbox(games: u32) -> Sandbox {
    let sandbox = Sandbox::with("fit.toml", FIT);
    std::fs::write(sandbox.path("labelled.txt"), labelled(games)).expect("a file");
    sandbox
}

fn table(sandbox: &Sandbox, file: &str, phase: &str, role: &str) -> Vec<i64> {
    let text = std::fs::read_to_string(sandbox.path(file)).expect("weights");
    let weights: toml::Table = toml::from_str(&text).expect("TOML");
    let table = weights[phase][role].as_array().expect("a table");
    table.iter().map(|number| number.as_integer().expect("a whole number")).collect()
}

#[test]
#[ignore = "slow"]
fn tables_are_fitted_and_written_in_all_their_forms() {
    let sandbox = sandbox(60);
    let all = ["fit", "fit.toml", "--set", "methods=[\"lbfgs\", \"adam\", \"genetic\"]", "--set", "lambda=0.0"];
    let quick = ["--set", "genetic.generations=5", "--set", "genetic.children=20", "--set", "genetic.parents=5"];
    let stdout = sandbox.spar(&[&all[..], &quick[..]].concat()).exits(0).stdout;
    for row in ["the start", "L-BFGS", "Adam", "genetic"] {
        assert!(stdout.contains(row), "{stdout}");
    }
    let knights = table(&sandbox, "fits/tables/weights.toml", "middlegame", "knight");
    let mean = |row: usize| knights[8 * row..8 * row + 8].iter().sum::<i64>() as f64 / 8.0;
    // The third rank is row 5, the fifth row 3: the labels have nine centipawns per rank.
    assert!(mean(3) > mean(5) + 8.0 && mean(3) < mean(5) + 30.0, "{knights:?}");
    for file in [
        "weights.c",
        "weights.rs",
        "setoption.txt",
        "report.html",
        "fit.json",
        "config.toml",
        "lbfgs/weights.toml",
        "genetic/weights.c",
    ] {
        assert!(sandbox.path(format!("fits/tables/{file}")).exists(), "{file}");
    }
    let options = std::fs::read_to_string(sandbox.path("fits/tables/setoption.txt")).expect("options");
    assert!(options.contains("setoption name endgame_king_h1 value "), "{options}");
    let page = std::fs::read_to_string(sandbox.path("fits/tables/report.html")).expect("a page");
    assert!(
        page.contains("L-BFGS: endgame") && page.contains("The course of genetic") && page.contains("Standard errors")
    );
    // Another fit can begin with the fitted values.
    let first: serde_json::Value = serde_json::from_str(&sandbox.read("fits/tables/fit.json")).expect("JSON");
    let start = "start=\"fits/tables/weights.toml\"";
    let again = ["fit", "fit.toml", "--set", start, "--set", "lambda=0.0", "--set", "out=\"fits/more\"", "--json"];
    let second = sandbox.spar(&again).exits(0).json();
    let of = |fit: &serde_json::Value, at: &str| fit.pointer(at).and_then(serde_json::Value::as_f64).expect("a loss");
    let (found, begun) = (of(&first, "/found/0/judged/training"), of(&second, "/start_judged/training"));
    let (material, after) = (of(&first, "/start_judged/training"), of(&second, "/found/0/judged/training"));
    assert!((begun - found).abs() < 0.1 * (material - found) && after <= begun, "{material} {found} {begun} {after}");
}

#[test]
#[ignore = "slow"]
fn an_interrupted_fit_resumes_to_the_same_end() {
    let sandbox = sandbox(20);
    let long = [
        "fit",
        "fit.toml",
        "--set",
        "methods=[\"genetic\"]",
        "--set",
        "genetic.generations=40",
        "--set",
        "genetic.children=60",
    ];
    let child = sandbox.start(&long);
    wait_until("the positions are read", || sandbox.path("fits/tables/positions.json").exists());
    signal(&child, "INT");
    let stopped = wait(child);
    // If it was too quick to be interrupted, nothing changes.
    assert!(matches!(stopped.code, Some(0 | 130)), "{stopped:?}");
    let _ = sandbox.spar(&long).exits(0);
    let first = std::fs::read(sandbox.path("fits/tables/weights.toml")).expect("weights");
    std::fs::remove_dir_all(sandbox.path("fits")).expect("our own folder");
    let _ = sandbox.spar(&long).exits(0);
    assert_eq!(std::fs::read(sandbox.path("fits/tables/weights.toml")).expect("weights"), first);

    // One that is not done in time is interrupted, and keeps its state.
    let endless = long.map(|word| if word == "genetic.generations=40" { "genetic.generations=1000000" } else { word });
    let endless = [&endless[..], &["--set", "out=fits/endless"]].concat();
    let stopped = sandbox.interrupt(&endless, "fits/endless/positions.json");
    assert!(stopped.stderr.contains("To resume: the same command again"), "{stopped:?}");
    assert!(sandbox.path("fits/endless/checkpoint.json").is_file());
}

#[test]
fn what_cannot_be_fitted_is_reported() {
    let sandbox = sandbox(1);
    let refused = sandbox.spar(&["fit", "fit.toml", "--set", "quite=\"only\""]).exits(2);
    assert!(refused.stderr.contains("did you mean `quiet`?"), "{refused:?}");
    let refused = sandbox.spar(&["fit", "fit.toml", "--set", "data=[\"nothing/*.pgn\"]"]).exits(2);
    assert!(refused.stderr.contains("finds no file"), "{refused:?}");
    std::fs::write(sandbox.path("labelled.txt"), "8/8/8/8 w - - | 1 | 0.5\n").expect("a file");
    let refused = sandbox.spar(&["fit", "fit.toml"]).exits(3);
    assert!(
        refused.stderr.contains("no position to fit to") && refused.stderr.contains("labelled.txt:1: "),
        "{refused:?}"
    );
    std::fs::write(sandbox.path("own.features"), "1 a:1 b:2\n0 a:2 b:4\n1 a:3 b:6\n0.5 a:1 b:2\n").expect("a file");
    sandbox.write("own.toml", "data = [\"own.features\"]\nout = \"fits/own\"\nmodel = \"features\"\nheld_out = 0.5\n");
    let refused = sandbox.spar(&["fit", "own.toml", "--set", "spread=inf"]).exits(3);
    assert!(refused.stderr.contains("cannot tell `b` apart"), "{refused:?}");
}

#[test]
fn a_run_of_the_home_game_is_read_as_its_file_is() {
    let sandbox = Sandbox::with("s.toml", SELFPLAY);
    let _done = sandbox.spar(&["selfplay", "s.toml", "--set", "selfplay.games=60"]).exits(0);
    sandbox.write("fit.toml", "out = \"fits/a\"\nmodel = \"piece-square\"\nheld_out = 0.2\n");
    let run = "runs/selfplay-s-1";
    let fitted = [run, "runs/selfplay-s-*", "runs/*/journal.sqlite", "runs/*/*.positions"].map(|data| {
        let set = format!("data=[\"{data}\"]");
        let done = sandbox.spar(&["fit", "fit.toml", "--set", &set]).exits(0);
        std::fs::remove_file(sandbox.path("fits/a/checkpoint.json")).expect("what it knows");
        (done.stderr, sandbox.read("fits/a/weights.toml"))
    });
    assert!(fitted[0].0.contains("81 weights: 1 run\n") && fitted[3].0.contains(": 1 file\n"), "{fitted:?}");
    assert!(fitted.iter().all(|(_, weights)| *weights == fitted[3].1), "{fitted:?}");
    let refused = |set: &[&str]| sandbox.spar(&[&["fit", "fit.toml", "--set"], set].concat()).exits(2).stderr;
    let set = format!("data=[\"{run}\"]");
    let wrong = refused(&[&set, "--set", "model=\"chess-tables\""]);
    assert!(wrong.contains("are of 0.1") && wrong.contains("fitted to runs of chess"), "{wrong}");
    assert!(refused(&[&set, "--set", "model=\"features\""]).contains("read from files"));
    assert!(refused(&["data=[\"runs\"]"]).contains("`runs` is a folder that is not read"));
}

#[test]
#[ignore = "slow"]
fn a_run_of_chess_is_read_as_its_file_is() {
    let engine = pst_engine().display().to_string();
    let sandbox = Sandbox::with("m.toml", &FITTED_MATCH.replace("ENGINE", &engine).replace("options", "# options"));
    let _done = sandbox.spar(&["match", "m.toml", "--set", "match.pairs=12"]).exits(0);
    let run = "runs/match-m-1";
    let _done = sandbox.spar(&["export", "match-m-1", "--positions", "m.plain"]).exits(0);
    sandbox.write("fit.toml", &format!("{FIT}scale = 300.0\nscore_scale = 300.0\nheld_out = 0.3\n"));
    let fitted = |data: &str| {
        let set = format!("data=[\"{data}\"]");
        sandbox.spar(&["fit", "fit.toml", "--json", "--set", &set]).exits(0).json()
    };
    // The held-out games differ, but the loss of all positions is the same.
    let judged = |fit: &serde_json::Value| {
        let of = |name: &str| fit.pointer(name).and_then(serde_json::Value::as_f64).expect("a number");
        let loss = of("/start_judged/training") * of("/training") + of("/start_judged/held_out") * of("/held_out");
        (of("/gathered/kept"), loss)
    };
    let (of_run, of_file) = (fitted(run), fitted("m.plain"));
    let ((kept, loss), (expected, loss_expected)) = (judged(&of_run), judged(&of_file));
    assert!(kept > 100.0 && (kept - expected).abs() < 0.5, "{of_run} {of_file}");
    assert!((loss - loss_expected).abs() < 1e-9 * loss_expected, "{loss} {loss_expected}");
    sandbox.write("wps.toml", "data = [\"runs/match-m-1\"]\nout = \"fits/wps\"\nmodel = \"wps\"\n");
    let refused = sandbox.spar(&["fit", "wps.toml"]).exits(2).stderr;
    assert!(refused.contains("are of chess") && refused.contains("fitted to runs of 0.1"), "{refused}");
}

#[test]
fn runs_without_scores_are_refused() {
    let random =
        "[openings]\nplies = 4\n[each]\nplayer = \"random\"\n[[entrant]]\nname = \"a\"\n[[entrant]]\nname = \"b\"\n";
    let sandbox = Sandbox::with("m.toml", &format!("game = \"chess\"\n[match]\npairs = 1\n{random}"));
    sandbox.write("fit.toml", &FIT.replace("labelled.txt", "runs/match-m-1"));
    let _done = sandbox.spar(&["match", "m.toml"]).exits(0);
    let untracked = sandbox.spar(&["fit", "fit.toml"]).exits(2).stderr;
    assert!(untracked.contains("not made with `track = true`"), "{untracked}");
    let _done = sandbox.spar(&["match", "m.toml", "--set", "track=true"]).exits(0);
    let unscored = sandbox.spar(&["fit", "fit.toml", "--set", "data=[\"runs/match-m-2\"]"]).exits(3).stderr;
    assert!(unscored.contains("no player reported a score"), "{unscored}");
}
