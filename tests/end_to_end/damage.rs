//! Damaged journals, and journals that are removed while a run writes them: the former cannot be resumed, and the
//! latter's pairs are kept.

use crate::support::{Sandbox, at_once, wait};
use std::path::Path;

const MATCH: &str = r#"
name = "m"
[match]
pairs = 12
[openings]
plies = 4
[each]
limit = "100 nodes"
table = "64 KiB"
[[entrant]]
name = "dev"
[[entrant]]
name = "base"
evaluation = "material"
"#;

const RUN: &str = "match-m-1";

fn sandbox() -> Sandbox {
    Sandbox::with("m.toml", MATCH)
}

fn change(journal: &Path, sql: &str) {
    let file = rusqlite::Connection::open(journal).expect("a journal");
    let changed = file.execute(sql, []).expect("SQL");
    assert_eq!(changed, 1, "{sql}");
}

fn stored(journal: &Path) -> u64 {
    let file = rusqlite::Connection::open(journal).expect("a journal");
    file.query_row("SELECT count(*) FROM pair", [], |row| row.get::<_, i64>(0)).expect("a number").unsigned_abs()
}

#[test]
#[ignore = "slow"]
fn a_damaged_pair_is_neither_shown_nor_played_over() {
    let sandbox = sandbox();
    let _done = sandbox.spar(&["match", "m.toml"]).exits(0);
    let journal = sandbox.path("runs/match-m-1/journal.sqlite");
    let whole = std::fs::read(&journal).expect("a journal");
    // Number 7 of the journal, which counts from 0, is the eighth pair.
    for sql in [
        "DELETE FROM games WHERE pair = 7",
        "DELETE FROM times WHERE pair = 7",
        "UPDATE games SET game0 = x'0100' WHERE pair = 7",
        "UPDATE games SET game1 = substr(game1, 1, length(game1) / 2) WHERE pair = 7",
        "UPDATE games SET game0 = x'0105' || substr(game0, 3) WHERE pair = 7",
        "UPDATE games SET opening = x'01' || zeroblob(length(opening) - 1) WHERE pair = 7",
        "UPDATE games SET game0 = 'what is this' WHERE pair = 7",
        "UPDATE games SET start = 'nowhere' WHERE pair = 7",
        "UPDATE times SET times = x'0180' WHERE pair = 7",
        "UPDATE pair SET proposal = x'01ff' WHERE pair = 7",
        "UPDATE pair SET score0 = (score0 + 1) % 3 WHERE pair = 7",
        "UPDATE pair SET faults1 = 1 WHERE pair = 7",
    ] {
        std::fs::write(&journal, &whole).expect("a writable folder");
        change(&journal, sql);
        let resume = ["resume", RUN, "--set", "match.pairs=14"];
        let asked: [&[&str]; 5] =
            [&["show", RUN], &["show", RUN, "--faults"], &["export", RUN, "--jsonl"], &["report", RUN], &resume];
        for words in asked {
            let refused = sandbox.spar(words).exits(3);
            assert!(refused.stderr.contains("is damaged at pair 8: "), "{sql}: {words:?}: {refused:?}");
        }
        assert_eq!(stored(&journal), 12, "{sql}: nothing was played");
        let listed = sandbox.spar(&["runs"]).exits(3);
        assert!(listed.stdout.contains("is damaged at pair 8: "), "{sql}: {listed:?}");
        assert!(listed.stderr.contains("1 of 1 runs cannot be read"), "{sql}: {listed:?}");
    }
    std::fs::write(&journal, &whole).expect("a writable folder");
    let _whole_again = sandbox.spar(&["resume", RUN, "--set", "match.pairs=14"]).exits(0);
}

/// Starts a long match, changes its files, and checks that all pairs are where the run reports them. The function moves
/// files of the run in the given folder.
type Displace = fn(&Sandbox, &Path);

fn is_rescued(what: &str, displace: Displace) {
    let sandbox = sandbox();
    let child = sandbox.start(&["match", "m.toml", "--set", "match.pairs=100000"]);
    sandbox.wait_for_pairs(RUN, 3);
    let before = sandbox.spar(&["show", RUN, "--json"]).exits(0).json()["pairs"].as_u64().expect("a number");
    let folder = sandbox.path("runs/match-m-1");
    displace(&sandbox, &folder);
    let broken = wait(child).exits(3);
    assert!(broken.stderr.contains("journal.sqlite was ") && broken.stderr.contains(what), "{broken:?}");
    let (_, rescued) = broken.stderr.trim_end().rsplit_once("spar resume ").unwrap_or_else(|| panic!("{broken:?}"));
    assert_eq!(rescued, "runs/match-m-1-rescued-1", "{broken:?}");
    let kept = sandbox.spar(&["show", rescued, "--json"]).exits(0).json()["pairs"].as_u64().expect("a number");
    assert!(kept >= before, "{what}: {kept} of {before}");
    let limit = format!("match.pairs={}", kept + 2);
    let _done = sandbox.spar(&["resume", rescued, "--set", &limit]).exits(0);
    let export = sandbox.spar(&["export", rescued, "--jsonl"]).exits(0).stdout;
    let fresh = Sandbox::new();
    fresh.write("m.toml", MATCH);
    let _done = fresh.spar(&["match", "m.toml", "--set", "match.pairs=12"]).exits(0);
    let expected = fresh.spar(&["export", RUN, "--jsonl"]).exits(0).stdout;
    let short = export.lines().count().min(12);
    assert!(export.lines().take(short).eq(expected.lines().take(short)), "{what}");
}

#[test]
#[ignore = "slow"]
fn a_run_whose_files_are_taken_away_keeps_its_pairs() {
    let ways: [(&str, Displace); 4] = [
        ("removed", |_, folder| std::fs::remove_file(folder.join("journal.sqlite")).expect("a journal")),
        ("removed", |_, folder| std::fs::remove_file(folder.join("journal.sqlite-wal")).expect("a log")),
        ("removed", |_, folder| std::fs::rename(folder, folder.with_file_name("elsewhere")).expect("a folder")),
        ("replaced by another file", |sandbox, folder| {
            std::fs::write(sandbox.path("other"), "another file").expect("a writable folder");
            std::fs::rename(sandbox.path("other"), folder.join("journal.sqlite")).expect("one folder");
        }),
    ];
    at_once(ways, |(what, displace)| is_rescued(what, displace));
}

#[test]
fn a_run_whose_journal_is_cut_short_keeps_its_pairs() {
    is_rescued("cut short", |_, folder| {
        let file = std::fs::File::options().write(true).open(folder.join("journal.sqlite"));
        file.expect("a journal").set_len(0).expect("a writable file");
    });
}

#[test]
#[ignore = "slow"]
fn a_run_whose_runs_folder_is_deleted_keeps_its_pairs() {
    is_rescued("removed", |sandbox, _| std::fs::remove_dir_all(sandbox.path("runs")).expect("the runs"));
}

#[test]
fn where_the_runs_cannot_be_written_the_pairs_go_elsewhere() {
    let sandbox = sandbox();
    let child = sandbox.start(&["match", "m.toml", "--set", "match.pairs=100000"]);
    sandbox.wait_for_pairs(RUN, 3);
    std::fs::rename(sandbox.path("runs"), sandbox.path("gone")).expect("the runs");
    sandbox.write("runs", "no folder");
    let broken = wait(child).exits(3);
    let (_, rescued) = broken.stderr.trim_end().rsplit_once("spar resume ").expect("where they are");
    assert!(rescued.ends_with("/match-m-1-rescued-1"), "{broken:?}");
    let shown = sandbox.spar(&["show", rescued, "--runs", ".", "--json"]).exits(0);
    assert!(shown.json()["pairs"].as_u64() >= Some(3));
}
