//! From an engine's games to tables that play better than those from which the fit started.

use crate::support::{FITTED_MATCH, Sandbox, pst_engine};

/// From an engine's games to tables that play better than those from which the fit started.
pub(crate) fn tables_fitted_to_stockfish_play_better_than_material() {
    let sandbox = Sandbox::with("d.toml", LABELLED);
    let _done = sandbox.spar(&["datagen", "d.toml"]).exits(0);
    sandbox.write("fit.toml", FITTED);
    let _done = sandbox.spar(&["fit", "fit.toml"]).exits(0);
    let fit: serde_json::Value = serde_json::from_str(&sandbox.read("fits/proof/fit.json")).expect("JSON");
    let start = fit["start_judged"]["held_out"].as_f64().expect("a loss");
    let lost = |name: &str| {
        let of = fit["found"].as_array().expect("methods").iter().find(|of| of["method"] == name);
        of.and_then(|of| of["judged"]["held_out"].as_f64()).unwrap_or_else(|| panic!("{}", fit["start_judged"]))
    };
    assert!(lost("lbfgs") < start && lost("lbfgs") < lost("genetic"), "{start}");
    let engine = pst_engine().display().to_string();
    sandbox.write("m.toml", &FITTED_MATCH.replace("ENGINE", &engine));
    let done = sandbox.spar(&["match", "m.toml", "--json"]).exits(0).json();
    assert!(done["elo_low"].as_f64().expect("a number") > 0.0, "{done:#}");
}

const LABELLED: &str = r#"
name = "d"
game = "chess"
seed = 3
[selfplay]
games = 200
filter = { first_score = 3, score = 10 }
[openings]
plies = "8..9"
[adjudication]
max_moves = 80
resign = { moves = 3, score = 1000 }
[each]
cmd = "/usr/games/stockfish"
options = { Hash = 1, Threads = 1 }
limit = "300 nodes"
[[entrant]]
name = "stockfish"
"#;

const FITTED: &str = r#"
data = ["runs/selfplay-d-1/selfplay-d-1.txt"]
out = "fits/proof"
model = "chess-tables"
lambda = 0.0
spread = 15.0
methods = ["lbfgs", "genetic"]
[genetic]
generations = 30
children = 50
"#;
