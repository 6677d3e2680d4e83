//! Matches in rounds, with the engine in process and few nodes, so that they take seconds.

use crate::support::{Sandbox, example, wait};

/// Five settings of one engine.
const ENTRANTS: &str = r#"
[openings]
plies = 4
[each]
limit = "100 nodes"
table = "64 KiB"
[[entrant]]
name = "400"
limit = "400 nodes"
[[entrant]]
name = "200"
limit = "200 nodes"
[[entrant]]
name = "100"
[[entrant]]
name = "50"
limit = "50 nodes"
[[entrant]]
name = "random"
player = "random"
"#;

fn sandbox(schedule: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.toml", &format!("[match]\n{schedule}\n{ENTRANTS}"));
    sandbox
}

fn export(sandbox: &Sandbox, runs: &str) -> String {
    sandbox.spar(&["export", "match-t-1", "--jsonl", "--runs", runs]).exits(0).stdout
}

#[test]
#[ignore = "slow"]
fn a_swiss_is_the_same_at_any_concurrency_and_after_a_kill() {
    let sandbox = sandbox("pairs = 8\nschedule = \"swiss\"\nswiss_rounds = 3");
    let one = sandbox.spar(&["match", "t.toml", "--concurrency", "1", "--runs", "one", "--json"]).exits(0).json();
    let _four = sandbox.spar(&["match", "t.toml", "--concurrency", "4", "--runs", "four"]).exits(0);
    assert!(export(&sandbox, "one") == export(&sandbox, "four"), "the journals differ");
    let mut child = sandbox.start(&["match", "t.toml", "--concurrency", "2"]);
    sandbox.wait_for_pairs("match-t-1", 18);
    child.kill().unwrap();
    let _killed = wait(child);
    let resumed = sandbox.spar(&["resume", "match-t-1", "--json"]).exits(0).json();
    assert!(export(&sandbox, "one") == export(&sandbox, "runs"), "the journals differ");
    assert_eq!((&resumed["tournament"], &resumed["pairs"]), (&one["tournament"], &48.into()));
    let places = one["tournament"]["swiss"]["places"].as_array().unwrap();
    assert_eq!((places.len(), one["pairings"].as_array().unwrap().len()), (5, 6));
    assert!(one["elo"].is_null(), "no strength against all sorts of opponents");
    let refused = sandbox.spar(&["resume", "match-t-1", "--set", "match.pairs=9"]).exits(2);
    assert!(refused.stderr.contains("experiment.match.pairs: 8 then, 9 now"), "{refused:?}");
}

#[test]
fn the_table_of_a_swiss_is_shown_everywhere() {
    let sandbox = sandbox("pairs = 2\nschedule = \"swiss\"");
    let done = sandbox.spar(&["match", "t.toml"]).exits(0);
    assert!(done.stderr.contains("5 entrants") && done.stderr.contains("Swiss, 3 rounds of 2 pairs"), "{done:?}");
    assert!(done.stdout.contains("12 pairs played") && done.stdout.contains("Swiss, round 3 of 3:"), "{done:?}");
    assert!(done.stdout.contains("points  Buchholz"), "{done:?}");
    let listed = sandbox.spar(&["runs"]).exits(0).stdout;
    assert!(listed.contains("Swiss, round 3 of 3, ") && listed.contains(" leads with "), "{listed}");
    let _report = sandbox.spar(&["report", "match-t-1"]).exits(0);
    for file in ["report.html", "report.md"] {
        let text = std::fs::read_to_string(sandbox.path("runs/match-t-1").join(file)).unwrap();
        assert!(text.contains("Buchholz"), "{file}");
    }
}

#[test]
fn a_knockout_resumes_where_it_was_killed_and_shows_its_bracket() {
    let sandbox = sandbox("pairs = 6\nschedule = \"knockout\"\ntie_breaks = 4");
    let one = sandbox.spar(&["match", "t.toml", "--concurrency", "1", "--runs", "one", "--json"]).exits(0).json();
    let mut child = sandbox.start(&["match", "t.toml", "--concurrency", "3"]);
    sandbox.wait_for_pairs("match-t-1", 7);
    child.kill().unwrap();
    let _killed = wait(child);
    let resumed = sandbox.spar(&["resume", "match-t-1"]).exits(0).stdout;
    assert!(export(&sandbox, "one") == export(&sandbox, "runs"), "the journals differ");
    let winner = one["tournament"]["knockout"]["winner"].as_str().unwrap();
    assert!(resumed.contains(&format!("Knockout, won by {winner}:")), "{resumed}");
    for part in ["quarter-final", "400 (bye)", "50 vs random", "semi-final", "final"] {
        assert!(resumed.contains(part), "{part}: {resumed}");
    }
}

#[test]
fn schedules_in_words() {
    let sandbox = sandbox("pairs = 1");
    let pyramid = sandbox.spar(&["match", "t.toml", "--schedule", "pyramid", "--json"]).exits(0).json();
    assert_eq!((&pyramid["pairs"], &pyramid["pairings"][0]["entrant"]), (&10.into(), &"200".into()));
    let refused = sandbox.spar(&["match", "t.toml", "--schedule", "swiss", "--swiss-rounds", "6"]).exits(2);
    assert!(refused.stderr.contains("a Swiss of 5 entrants cannot have 6 rounds"), "{refused:?}");
    assert!(refused.stderr.contains("--swiss-rounds 6") && refused.stderr.contains("expected 1 to 5"), "{refused:?}");
    let refused = sandbox.spar(&["match", "t.toml", "--schedule", "league"]).exits(2);
    assert!(refused.stderr.contains("--schedule league") && refused.stderr.contains("`knockout`"), "{refused:?}");
}

#[test]
fn fastchess_has_the_schedules_too() {
    let sandbox = Sandbox::new();
    std::fs::copy(example("random_mover"), sandbox.path("engine")).expect("a copy");
    let play = |schedule: &str| {
        let line = format!(
            "fastchess -engine cmd=engine name=a -engine cmd=engine name=b args=--seed=2 -engine cmd=engine name=c \
             args=--seed=3 -each nodes=1 -rounds 1 -maxmoves 20 {schedule}"
        );
        sandbox.spar(&line.split_whitespace().collect::<Vec<_>>())
    };
    let games = |schedule: &str| play(schedule).exits(0).stdout.matches("Finished game").count();
    assert_eq!(games("-tournament gauntlet"), 4);
    assert_eq!(games("-tournament gauntlet -seeds 2"), 6);
    assert_eq!(games("-tournament gauntlet -seeds 9"), 6, "as many seeds as there can be");
    assert_eq!(games("-tournament swiss"), 4);
    let knockout = play("-tournament knockout").exits(0).stdout;
    assert!(knockout.contains("(b vs c)") && knockout.contains("(a vs "), "{knockout}");
    let refused = play("-tournament ladder").exits(2);
    assert!(refused.stderr.contains("`swiss` or `knockout`"), "{refused:?}");
}
