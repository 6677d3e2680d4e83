//! Self-play and its files of positions.

use crate::support::{SELFPLAY, Sandbox, signal, wait};
use std::collections::BTreeSet;

const POSITIONS: &str = "runs/selfplay-s-1/selfplay-s-1.positions";

fn sandbox() -> Sandbox {
    Sandbox::with("s.toml", SELFPLAY)
}

fn bytes(sandbox: &Sandbox, path: &str) -> Vec<u8> {
    fs_err::read(sandbox.path(path)).expect("the file")
}

#[test]
fn stopped_and_resumed_it_leaves_the_same_positions() {
    let (straight, broken) = (sandbox(), sandbox());
    let done = straight.spar(&["selfplay", "s.toml", "--concurrency", "2"]).exits(0);
    assert!(done.stdout.starts_with("24 games played"), "{done:?}");
    assert!(done.stdout.contains("positions of 24 games\n"), "{done:?}");
    let whole = bytes(&straight, POSITIONS);
    assert!(whole.len() > 1_000);

    let many = ["selfplay", "s.toml", "--concurrency", "1", "--set", "selfplay.games=100000"];
    let child = broken.start(&many);
    broken.wait_for_pairs("selfplay-s-1", 5);
    signal(&child, "INT");
    let stopped = wait(child).exits(130);
    assert!(stopped.stderr.contains("spar resume runs/selfplay-s-1"), "{stopped:?}");
    let part = broken.spar(&["data", "info", POSITIONS, "--json"]).exits(0).json();
    assert!(part["games"].as_u64().unwrap() >= 4, "as far as it was played: {part}");
    let games = broken.spar(&["show", "selfplay-s-1", "--json"]).exits(0).json()["rounds"].as_u64().unwrap();
    let limit = format!("selfplay.games={}", games + 3);
    let _done = broken.spar(&["resume", "selfplay-s-1", "--set", &limit]).exits(0);
    let _done = broken.spar(&["data", "export", "selfplay-s-1", "--out", "again.positions"]).exits(0);
    assert!(bytes(&broken, "again.positions") == bytes(&broken, POSITIONS), "made again");

    // The same games, in a larger number: the first ones of both are equal, and so are their positions.
    let same = sandbox();
    let _done = same.spar(&["selfplay", "s.toml", "--set", &limit, "--concurrency", "2"]).exits(0);
    assert!(positions(&same, POSITIONS) == positions(&broken, POSITIONS), "straight or resumed");
    // Of two equal positions the later one is the duplicate, so that the first games' positions do not depend on later
    // games.
    let few = positions(&straight, POSITIONS);
    let more = positions(&broken, POSITIONS);
    let common = few.len().min(more.len());
    assert!(few[..common] == more[..common]);
}

/// The positions of a short file, without its provenance.
fn positions(sandbox: &Sandbox, path: &str) -> Vec<u8> {
    let bytes = bytes(sandbox, path);
    let text = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes")) as usize;
    bytes[16 + text + 16..].to_vec()
}

#[test]
fn files_of_positions_are_looked_at_joined_and_sampled() {
    let sandbox = sandbox();
    let _done = sandbox.spar(&["selfplay", "s.toml", "--json"]).exits(0).json();
    let info = sandbox.spar(&["data", "info", POSITIONS, "--page", "page.html", "--json"]).exits(0).json();
    let count = info["positions"].as_u64().unwrap();
    assert!(count > 100 && info["duplicates"] == 0 && info["provenance"][0]["run"] == "s", "{info}");
    let output = sandbox.spar(&["data", "info", POSITIONS]).exits(0).stdout;
    assert!(output.contains("s, a (network) at 60 nodes, seed 1") && output.contains("phases"), "{output}");
    let page = String::from_utf8(bytes(&sandbox, "page.html")).unwrap();
    for part in ["id=\"scores\"", "id=\"agreement\"", "id=\"phases\"", "id=\"results\""] {
        assert!(page.contains(part), "{part}");
    }

    let merge = |settings: &[&str]| {
        let both = ["data", "merge", POSITIONS, POSITIONS, "--out", "two.positions", "--json"];
        sandbox.spar(&[&both[..], settings].concat()).exits(0).json()["counts"]["written"].as_u64().unwrap()
    };
    assert_eq!((merge(&["--keep-duplicates"]), merge(&[])), (2 * count, count));
    let sample = ["data", "sample", POSITIONS, "--out", "part.positions", "--games", "0.5", "--json"];
    let part = sandbox.spar(&sample).exits(0).json()["counts"]["written"].as_u64().unwrap();
    assert!((1..count).contains(&part), "{part} of {count}");

    let _done = sandbox.spar(&["data", "check", POSITIONS, "part.positions"]).exits(0);
    let mut damaged = bytes(&sandbox, POSITIONS);
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs_err::write(sandbox.path("bad.positions"), damaged).unwrap();
    let found = sandbox.spar(&["data", "check", "bad.positions", "part.positions"]).exits(3);
    assert!(found.stdout.contains("bad.positions, byte ") && found.stdout.contains("checksum"), "{found:?}");
    assert!(found.stderr.starts_with("error: 1 of 2 files"), "{found:?}");
    for refused in [&["data", "info", "bad.positions"][..], &["data", "info", "s.toml"]] {
        let output = sandbox.spar(refused).exits(3).stderr;
        assert!(output.contains(&format!("{}, byte ", refused[2])), "{output}");
    }
}

#[test]
fn any_run_of_0_1_that_kept_its_scores_has_positions() {
    let sandbox = sandbox();
    let engines =
        "[each]\nlimit = \"60 nodes\"\ntable = \"64 KiB\"\n[[entrant]]\nname = \"a\"\n[[entrant]]\nname = \"b\"\n";
    sandbox.write("m.toml", &format!("name = \"m\"\ntrack = true\n[match]\npairs = 4\n{engines}"));
    sandbox.write("n.toml", &format!("name = \"n\"\n[match]\npairs = 1\n{engines}"));
    let _done = sandbox.spar(&["match", "m.toml"]).exits(0);
    let _done = sandbox.spar(&["match", "n.toml"]).exits(0);
    let export = |settings: &[&str]| {
        let words = ["data", "export", "match-m-1", "--out", "m.positions", "--json"];
        sandbox.spar(&[&words[..], settings].concat()).exits(0).json()["counts"].clone()
    };
    let (usual, all) = (export(&[]), export(&["--keep", "all"]));
    assert_eq!((usual["games"].as_u64(), all["games"].as_u64()), (Some(8), Some(8)));
    assert!(usual["kept"].as_u64() < all["kept"].as_u64() && all["kept"] == all["plies"], "{usual} {all}");
    let none = sandbox.spar(&["data", "export", "match-n-1"]).exits(2).stderr;
    assert!(none.contains("track = true"), "{none}");
}

#[test]
fn what_self_play_cannot_do_is_said_where_it_is_written() {
    let sandbox = sandbox();
    let cases = [
        ("selfplay.games=0", "at least one game"),
        ("game=atomic", "games of 0.1"),
        ("track=false", "scores of each ply"),
        ("selfplay.filter.score=-1", "no score is compared"),
        ("openings.plies=6..2", "a range of them"),
        ("openings.plies=0..60", "leave no game"),
        ("match.pairs=3", "`[selfplay]`, and not `[match]`"),
    ];
    let errors: BTreeSet<String> = cases
        .iter()
        .map(|(setting, expected)| {
            let output = sandbox.spar(&["selfplay", "s.toml", "--set", setting]).exits(2).stderr;
            assert!(output.contains(expected), "{setting}: {output}");
            output
        })
        .collect();
    assert_eq!(errors.len(), cases.len());
    sandbox.write("r.toml", "[selfplay]\ngames = 1\n[[entrant]]\nname = \"r\"\nplayer = \"random\"\n");
    let output = sandbox.spar(&["selfplay", "r.toml"]).exits(2).stderr;
    assert!(output.contains("no engine whose scores"), "{output}");
    assert!(!sandbox.path("runs").exists(), "nothing was made");
}
