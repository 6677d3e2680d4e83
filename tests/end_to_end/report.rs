//! `spar report` and `spar plot`: a run's findings as files.

use crate::support::{SPRT, Sandbox, example};

const MATCH: &str = r#"
name = "m"
track = true
[match]
pairs = 10
[each]
limit = "100 nodes"
table = "64 KiB"
[[entrant]]
name = "dev <i>&"
[[entrant]]
name = "base"
evaluation = "material"
"#;

const TUNE: &str = r#"
name = "t"
[tune]
method = "quadratic"
pairs = 200
[tune.verify]
enabled = false
[[tune.parameter]]
name = "null_move_margin"
step = 0.1
[[tune.parameter]]
name = "panic"
[each]
limit = "100 nodes"
table = "64 KiB"
[[entrant]]
name = "engine"
"#;

fn figures(json: &serde_json::Value) -> Vec<&str> {
    json["plots"].as_array().expect("plots").iter().filter_map(|id| id.as_str()).collect()
}

#[test]
fn both_search_again_where_they_disagreed() {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", MATCH);
    let _played = sandbox.spar(&["match", "m.toml"]).exits(0);
    let words = ["explain", "match-m-1", "--deeper", "400 nodes", "--positions", "3", "--json"];
    let json = sandbox.spar(&words).exits(0).json();
    let rows = json["deeper"]["rows"].as_array().expect("rows");
    assert_eq!(rows.iter().map(|row| row["positions"].as_u64().expect("a number")).sum::<u64>(), 3, "{json}");
    assert_eq!(json["deeper"]["limit"], "400 nodes");
    let again = sandbox.spar(&words).exits(0).json();
    assert_eq!(json, again, "searches by nodes give the same anywhere");
    let refused = sandbox.spar(&["explain", "match-m-1", "--deeper", "10s"]).exits(2);
    assert!(refused.stderr.contains("`--deeper 10s`: expected one limit of a move"), "{}", refused.stderr);
    let plain = sandbox.spar(&["explain", "match-m-1", "--json"]).exits(0).json();
    assert!(plain["deeper"].is_null());
}

#[test]
fn a_match_with_tracks_has_all_its_plots_and_games() {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", MATCH);
    let _played = sandbox.spar(&["match", "m.toml"]).exits(0);
    let reported = sandbox.spar(&["report", "match-m-1"]).exits(0);
    assert_eq!(reported.stdout, "runs/match-m-1/report.html\n");
    let page = std::fs::read_to_string(sandbox.path("runs/match-m-1/report.html")).unwrap();
    assert!(page.contains("dev &lt;i&gt;&amp;") && !page.contains("<i>"));
    assert!(page.contains("logit · depth"), "search data are shown beside the moves");
    let json = sandbox.spar(&["report", "match-m-1", "--json"]).exits(0).json();
    let expected = ["elo", "pairs", "seats", "fairness", "games", "pace", "evaluations-1", "evaluations-2"];
    assert_eq!(figures(&json), expected);
    assert_eq!(json["total"]["pairs"], 10);
    for id in expected {
        assert!(sandbox.path(format!("runs/match-m-1/plots/{id}.svg")).is_file(), "{id}");
        assert_eq!(sandbox.path(format!("runs/match-m-1/plots/{id}.png")).is_file(), cfg!(feature = "png"), "{id}");
    }
    let shown = sandbox.spar(&["show", "match-m-1", "--json"]).exits(0).json();
    assert_eq!(json["total"]["penta"], shown["penta"], "one truth");
    assert_eq!(json["total"]["elo"]["value"], shown["elo"]);
}

#[test]
fn a_test_and_a_session_have_their_own_plots() {
    let sandbox = Sandbox::new();
    sandbox.write("s.toml", SPRT);
    sandbox.write("t.toml", TUNE);
    let _tested = sandbox.spar(&["sprt", "s.toml"]).exits(0);
    let test = sandbox.spar(&["report", "sprt-t-1", "--out", "out", "--json"]).exits(0).json();
    assert_eq!(figures(&test), ["llr", "pairs", "seats", "fairness", "games", "planning"]);
    let markdown = std::fs::read_to_string(sandbox.path("out/report.md")).unwrap();
    assert!(markdown.contains("**H1 accepted after"), "{markdown}");

    let _tuned = sandbox.spar(&["tune", "t.toml"]).exits(0);
    let tune = sandbox.spar(&["report", "tune-t-1", "--json"]).exits(0).json();
    assert_eq!(figures(&tune), ["values", "slices", "pairs", "seats", "fairness", "games"]);
    let page = std::fs::read_to_string(sandbox.path("runs/tune-t-1/report.html")).unwrap();
    let shown = sandbox.spar(&["show", "tune-t-1"]).exits(0).stdout;
    let panic = shown.lines().find(|line| line.trim_start().starts_with("panic ")).unwrap();
    let probability = panic.split_whitespace().find(|word| word.ends_with('%')).unwrap();
    let written = probability.replace('<', "&lt;").replace('>', "&gt;");
    assert!(panic.contains(&format!("on {probability}")), "a switch has no standard error: {panic}");
    assert!(page.contains(&format!(">on {written}</td>")), "the page says what the terminal says: {page}");
    let values = std::fs::read_to_string(sandbox.path("runs/tune-t-1/plots/values.svg")).unwrap();
    assert!(values.lines().any(|line| line == "start"), "{values}");
    let slices = std::fs::read_to_string(sandbox.path("runs/tune-t-1/plots/slices.svg")).unwrap();
    assert!(
        slices.contains("Elo over the answer") && slices.lines().any(|line| line == "null_move_margin"),
        "{slices}"
    );
}

const FAULTY: &str = r#"
name = "f"
game = "chess"
[match]
pairs = 2
[openings]
file = "book.epd"
order = "random"
[adjudication]
max_moves = 5
[each]
limit = "100 nodes"
answer_within = "60s"
start_within = "60s"
[[entrant]]
name = "bad"
cmd = "misbehaving"
args = ["illegal", "--after", "1"]
env = { MOOD = "<bad>" }
[[entrant]]
name = "good"
cmd = "random_mover"
"#;

/// The value of a condition.
fn condition<'a>(conditions: &'a serde_json::Value, name: &str) -> &'a str {
    let all = conditions.as_array().expect("conditions");
    all.iter().find(|one| one["name"] == name).and_then(|one| one["value"].as_str()).unwrap_or_default()
}

#[test]
fn a_page_tells_its_conditions_and_its_faults() {
    let sandbox = Sandbox::new();
    let engines = ["misbehaving", "random_mover"].into_iter();
    let config = engines.fold(FAULTY.to_owned(), |text, name| {
        text.replace(&format!("{name:?}"), &format!("'{}'", example(name).display()))
    });
    sandbox.write("f.toml", &config);
    sandbox.write("book.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n");
    let _played = sandbox.spar(&["match", "f.toml", "--concurrency", "2", "--set", "match.pairs=1"]).exits(0);
    let _more = sandbox.spar(&["resume", "match-f-1", "--concurrency", "1", "--set", "match.pairs=2"]).exits(0);
    let report = sandbox.spar(&["report", "match-f-1", "--json"]).exits(0).json();

    let conditions = &report["conditions"];
    assert_eq!(condition(&conditions["run"], "game"), "chess");
    assert_eq!(condition(&conditions["run"], "book"), "book.epd (epd), random order from opening 1");
    assert_eq!(condition(&conditions["run"], "book's SHA-256").len(), 64);
    assert_eq!(condition(&conditions["run"], "ended early"), "drawn after 10 plies");
    let bad = &conditions["entrants"][0]["conditions"];
    assert_eq!(condition(bad, "calls itself"), "random mover by the spar authors");
    assert!(condition(bad, "command").ends_with("misbehaving illegal --after 1"), "{bad}");
    assert_eq!((condition(bad, "environment"), condition(bad, "limit")), ("MOOD=<bad>", "100 nodes"));
    assert_eq!(condition(bad, "program's SHA-256").len(), 64);
    let named = bad.as_array().expect("conditions").iter().filter(|one| one["name"] == "calls itself");
    assert_eq!(named.count(), 1, "warned in both sessions, shown once: {bad}");
    let sessions = conditions["sessions"].as_array().expect("sessions");
    assert_eq!((sessions.len(), &sessions[1]["workers"]), (2, &1.into()));
    let session = &sessions[0];
    assert_eq!((&session["workers"], &session["version"]), (&2.into(), &env!("CARGO_PKG_VERSION").into()));
    assert!(session["started"].as_str().is_some_and(|text| text.ends_with(" UTC")), "{session}");
    assert!(session["host"].as_str().is_some_and(|host| !host.is_empty()), "{session}");

    let faults = report["faults"].as_array().expect("faults");
    assert_eq!(faults.len(), 4, "{faults:?}");
    assert_eq!((&faults[1]["game"], &faults[1]["entrant"]), (&"1.2".into(), &"bad".into()));
    let evidence = faults[1]["evidence"].as_str().expect("evidence");
    assert!(evidence.contains("> go ") && evidence.contains("< bestmove"), "{evidence}");
    let page = std::fs::read_to_string(sandbox.path("runs/match-f-1/report.html")).unwrap();
    for text in ["calls itself", "MOOD=&lt;bad&gt;", "1.2: bad, moving second, illegal move", "&lt; bestmove"] {
        assert!(page.contains(text), "{text}");
    }
    assert!(page.contains("Pairs are drawn once there are 10.") && !page.contains("<figure id=\"pairs\""));
}

#[test]
fn a_report_that_cannot_be_written_or_made_says_why() {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", MATCH);
    let _played = sandbox.spar(&["match", "m.toml"]).exits(0);
    let refused = sandbox.spar(&["report", "match-m-1", "--out", "m.toml/deeper"]).exits(3);
    assert!(refused.stderr.starts_with("error: failed to create directory `m.toml/deeper`: "), "{refused:?}");
    assert_eq!(refused.stderr.lines().count(), 1, "{refused:?}");
    let missing = sandbox.spar(&["report", "nothing"]).exits(2);
    assert!(missing.stderr.contains("there is no run at runs/nothing"), "{missing:?}");
}

#[test]
fn a_plot_is_written_beside_the_journal_or_where_asked() {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", MATCH);
    let _played = sandbox.spar(&["match", "m.toml"]).exits(0);
    let plotted = sandbox.spar(&["plot", "match-m-1"]).exits(0);
    assert_eq!(plotted.stdout, "runs/match-m-1/series.svg\n");
    let drawing = std::fs::read_to_string(sandbox.path("runs/match-m-1/series.svg")).unwrap();
    for text in ["Elo over the pairs", "Elo", "pairs"] {
        assert!(drawing.lines().any(|line| line == text), "{text}: {drawing}");
    }
    let _again = sandbox.spar(&["plot", "runs/match-m-1", "--out", "mine.svg"]).exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("mine.svg")).unwrap(), drawing);
    let picture = ["plot", "match-m-1", "--figure", "games", "--out", "games.png"];
    if cfg!(feature = "png") {
        let _drawn = sandbox.spar(&picture).exits(0);
        assert!(std::fs::read(sandbox.path("games.png")).unwrap().starts_with(b"\x89PNG"));
    } else {
        let refused = sandbox.spar(&picture).exits(2);
        assert!(refused.stderr.contains("built without PNG plots") && refused.stderr.contains("--features png"));
    }
}

#[test]
fn what_cannot_be_plotted_or_written_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", MATCH);
    let _played = sandbox.spar(&["match", "m.toml"]).exits(0);
    let refused = sandbox.spar(&["plot", "match-m-1", "--out", "nowhere/mine.svg"]).exits(3);
    assert!(refused.stderr.contains("cannot write nowhere/mine.svg"), "{refused:?}");
    // Reported before anything is read, so that the run need not exist.
    for name in ["mine.pdf", "mine.PDF", "mine.svgz", "a/b.jpg"] {
        let refused = sandbox.spar(&["plot", "no-such-run", "--out", name]).exits(2);
        assert!(
            refused.stderr.contains(&format!("`--out {name}`: drawings are written as .svg or .png")),
            "{refused:?}"
        );
        assert!(!sandbox.path(name).exists());
    }
    let unknown = sandbox.spar(&["plot", "match-m-1", "--figure", "llr"]).exits(2);
    assert!(unknown.stderr.contains("no plot `llr`: expected one of elo, pairs"), "{unknown:?}");
    let missing = sandbox.spar(&["plot", "nothing"]).exits(2);
    assert!(missing.stderr.contains("there is no run at runs/nothing"), "{missing:?}");
}
