//! A fleet gives the same results as one process.

use crate::support::{Sandbox, Server, comes_out_as, export, workers};

/// The engine against random moves.
const MATCH: &str = r#"
name = "m"
[match]
pairs = 1_000
[openings]
plies = "2..6"
[[entrant]]
name = "engine"
limit = "10 nodes"
table = "64 KiB"
evaluation = "material"
[[entrant]]
name = "random"
player = "random"
"#;

/// A test that ends by its bounds, long before its limit.
const SPRT: &str = r#"
name = "s"
[sprt]
elo0 = 0
elo1 = 60
[openings]
plies = "2..6"
[each]
table = "64 KiB"
evaluation = "material"
[[entrant]]
name = "more"
limit = "120 nodes"
[[entrant]]
name = "less"
limit = "60 nodes"
"#;

/// A short session.
const TUNE: &str = r#"
name = "t"
[tune]
pairs = 160
lookahead = 12
method = "METHOD"
[tune.verify]
enabled = false
[[tune.parameter]]
name = "futility_margin"
[[tune.parameter]]
name = "time_decay"
[openings]
plies = "2..6"
[each]
limit = "40 nodes"
table = "64 KiB"
[[entrant]]
name = "engine"
"#;

/// Plays a configuration here and on a fleet of four workers, and compares the results.
fn comes_out_the_same(command: &str, text: &str, run: &str) {
    let sandbox = Sandbox::with("run.toml", text);
    let server = Server::open(&sandbox);
    let _workers = workers(&sandbox, &server.url(), 4);
    let here = sandbox.spar(&["--runs", "here", command, "run.toml", "--json"]);
    let there = sandbox.spar(&["--runs", "there", command, "run.toml", "--json", "--fleet", &server.url()]);
    assert_eq!(here.code, there.code, "{there:?}");
    let here = export(&sandbox, &format!("here/{run}"));
    assert!(here.lines().count() > 20, "{here}");
    comes_out_as(&sandbox, &format!("there/{run}"), &here);
}

pub(crate) fn a_match() {
    comes_out_the_same("match", MATCH, "match-m-1");
}

pub(crate) fn a_test() {
    comes_out_the_same("sprt", SPRT, "sprt-s-1");
}

pub(crate) fn tuning_sessions() {
    for method in ["quadratic", "spsa", "spsa-classic", "spsa-auto"] {
        comes_out_the_same("tune", &TUNE.replace("METHOD", method), "tune-t-1");
    }
}
