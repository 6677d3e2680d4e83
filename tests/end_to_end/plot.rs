//! `spar plot`: a run drawn from its journal.

use crate::support::Sandbox;

const MATCH: &str = r#"
name = "m"
[match]
pairs = 6
[each]
limit = "100 nodes"
table = "64 KiB"
[[entrant]]
name = "dev"
[[entrant]]
name = "base"
evaluation = "material"
"#;

#[test]
fn a_run_is_drawn_beside_its_journal_or_where_asked() {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", MATCH);
    let _played = sandbox.spar(&["match", "m.toml"]).exits(0);

    let plotted = sandbox.spar(&["plot", "match-m-1"]).exits(0);
    assert_eq!(plotted.stdout, "runs/match-m-1/series.svg\n");
    let drawing = std::fs::read_to_string(sandbox.path("runs/match-m-1/series.svg")).unwrap();
    assert!(drawing.starts_with("<svg"), "{drawing}");
    assert!(drawing.contains("match-m-1 · score a game, band 95%"), "{drawing}");
    assert!(drawing.lines().any(|line| line == "score") && drawing.lines().any(|line| line == "pairs"), "{drawing}");

    let _again = sandbox.spar(&["plot", "runs/match-m-1", "--out", "mine.svg"]).exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("mine.svg")).unwrap(), drawing);
}

#[test]
fn what_cannot_be_drawn_or_written_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", MATCH);
    let _played = sandbox.spar(&["match", "m.toml"]).exits(0);
    let refused = sandbox.spar(&["plot", "match-m-1", "--out", "nowhere/mine.svg"]).exits(3);
    assert!(refused.stderr.contains("cannot write nowhere/mine.svg"), "{refused:?}");
    let missing = sandbox.spar(&["plot", "nothing"]).exits(2);
    assert!(missing.stderr.contains("there is no run at runs/nothing"), "{missing:?}");
}
