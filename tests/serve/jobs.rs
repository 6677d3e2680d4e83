//! Jobs of several runs on the first page: a campaign that another process plays.

use crate::browser::Browser;
use crate::{Process, fits, serve, spar};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const CAMPAIGN: &str = r#"
game = "chess"
[build]
command = "while [ ! -e 'GATE' ]; do sleep 0.02; done; cp engine.sh engine"
binary = "engine"
[adjudication]
max_moves = 30
[each]
limit = "depth 1"
[campaign]
base = "one"
least_pairs = 200
batch = 20
max_pairs = 100
[[campaign.patch]]
name = "comment"
revision = "two"
[[campaign.patch]]
name = "other program"
command = "MOVER"
[[campaign.patch]]
name = "nothing"
revision = "one"
"#;

/// A repository with two revisions of a program that moves at random.
fn repository(folder: &Path, mover: &str) {
    let git = |words: &[&str]| {
        let who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"];
        let done = Command::new("git").arg("-C").arg(folder).args(who).args(words).output().expect("git starts");
        assert!(done.status.success(), "{words:?} {done:?}");
    };
    std::fs::create_dir(folder).expect("a folder");
    git(&["init", "--quiet"]);
    for (tag, remark) in [("one", ""), ("two", "# a remark\n")] {
        std::fs::write(folder.join("engine.sh"), format!("#!/bin/sh\n{remark}exec '{mover}'\n")).expect("a file");
        let runnable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.join("engine.sh"), runnable).expect("its owner");
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--message", tag]);
        git(&["tag", tag]);
    }
}

/// The text of a cell of the table of patches.
fn cell(row: usize, column: usize) -> String {
    format!("document.querySelectorAll('#jobs tbody tr')[{row}]?.children[{column}].textContent")
}

/// The command that plays a campaign in a folder, with its runs in `runs`. It builds nothing before a file `gate`
/// exists.
fn campaign(folder: &Path) -> Command {
    let [runs, file, gate, repo, cache] =
        ["runs", "campaign.toml", "gate", "repo", "cache"].map(|name| folder.join(name));
    std::fs::create_dir(&runs).expect("a folder");
    let mover = crate::tools::example("random_mover").display().to_string();
    repository(&repo, &mover);
    let text = CAMPAIGN.replace("MOVER", &mover).replace("GATE", &gate.display().to_string());
    std::fs::write(&file, text).expect("a file");
    let mut command = spar(&runs);
    command.arg("campaign").arg(&file).arg("--repo").arg(repo).arg("--cache").arg(cache);
    command
}

/// Plays a campaign to its end, and returns the folder of its runs.
pub(crate) fn ended_campaign(folder: &Path) -> PathBuf {
    let mut command = campaign(folder);
    std::fs::write(folder.join("gate"), "").expect("a file");
    assert_eq!(command.status().expect("spar campaign").code(), Some(4), "undecided");
    folder.join("runs")
}

pub(crate) fn a_campaign_has_its_table_while_it_runs() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (runs, gate) = (folder.path().join("runs"), folder.path().join("gate"));
    let mut command = campaign(folder.path());
    let (_server, port) = serve(&runs, 0);
    browser.resize(1440);
    browser.open(&format!("http://127.0.0.1:{port}/"));
    browser.wait_until("document.getElementById('count').textContent.startsWith('There are no runs')");
    assert_eq!(browser.value("document.getElementById('jobs').hidden"), json!(true));

    let mut campaign = Process(command.spawn().expect("spar campaign"));
    // Updated live: the page is not reloaded.
    browser.wait_until("document.querySelector('#jobs details[open] .badge.live')");
    assert_eq!([1, 5].map(|column| browser.value(&cell(0, column))), [json!("playing"), json!("0")]);
    std::fs::write(&gate, "").expect("a file");
    assert_eq!(campaign.0.wait().expect("it ends").code(), Some(4), "undecided");
    browser.wait_until("document.querySelector('#jobs .badge')?.textContent === 'undecided'");
    for (row, column, expected) in [(2, 0, "nothing"), (2, 1, "left out"), (0, 1, "playing"), (1, 1, "playing")] {
        assert_eq!(browser.value(&cell(row, column)), json!(expected), "{row} {column}");
    }
    assert_eq!(browser.value(&cell(2, 7)), json!("it is the same engine as the base, byte for byte"));
    let says = browser.value("document.querySelector('#jobs details p').textContent");
    let says = says.as_str().expect("a text");
    assert!(says.starts_with("100 of 100 pairs; 0 accepted, 1 dropped, 2 undecided; best of these "), "{says}");
    browser.picture_from("serve-campaign", "#jobs");
    fits(&mut browser, "the table of a campaign");
    // A patch links to its match.
    let path = browser.value("document.querySelector('#jobs tbody a').pathname");
    let path = path.as_str().expect("a path");
    assert!(path.starts_with("/runs/match-campaign-"), "{path}");
    browser.value("document.querySelector('#jobs tbody a').click()");
    browser.arrive(path);
    browser.wait_until("document.querySelector('#tiles div')");
    assert_eq!(browser.problems, Vec::<String>::new());
}
