//! Books of setups: made, and continued after a stop.

use crate::support::{Sandbox, example, signal, wait, wait_until};

const BOOK: &str = "out = \"books/small\"\nbudget = \"1s\"\nentries = 200\n";

fn sandbox() -> Sandbox {
    Sandbox::with("book.toml", BOOK)
}

fn book(sandbox: &Sandbox) -> engine::SetupBook {
    let bytes = std::fs::read(sandbox.path("books/small/book.bin")).expect("a book");
    engine::SetupBook::from_bytes(&bytes).expect("a book")
}

#[test]
#[ignore = "slow"]
fn a_book_is_made_with_its_page_and_continued_after_a_stop() {
    let sandbox = sandbox();
    let made = sandbox.spar(&["book", "setups", "book.toml", "--json"]).exits(0).json();
    let first = book(&sandbox);
    assert_eq!(
        (made["entries"].as_u64(), made["replies"].as_u64()),
        (Some(first.entries().len() as u64), Some(first.replies().len() as u64))
    );
    assert!(!first.entries().is_empty() && first.entries().len() <= 200);
    let page = std::fs::read_to_string(sandbox.path("books/small/report.html")).expect("a page");
    assert!(page.contains("Where depths disagreed the most") && page.contains("</circle>"), "boards are drawn");

    // The same on one thread, stopped and resumed.
    std::fs::remove_dir_all(sandbox.path("books")).expect("our own folder");
    let alone = ["book", "setups", "book.toml", "--concurrency", "1"];
    let child = sandbox.start(&alone);
    wait_until("a folder", || sandbox.path("books/small").exists());
    signal(&child, "INT");
    let stopped = wait(child);
    // If it was too quick to be interrupted, nothing changes.
    assert!(matches!(stopped.code, Some(0 | 130)), "{stopped:?}");
    let stdout = sandbox.spar(&alone).exits(0).stdout;
    assert!(stdout.contains("best for red") && stdout.contains("books/small/book.bin"), "{stdout}");
    assert!(book(&sandbox) == first, "the same book");

    // One that is not done in time is interrupted, and keeps its state.
    let endless = ["book", "setups", "book.toml", "--set", "budget=1000h", "--set", "out=books/endless"];
    let stopped = sandbox.interrupt(&endless, "books/endless");
    assert!(stopped.stderr.contains("To resume: the same command again"), "{stopped:?}");
    assert!(sandbox.path("books/endless/checkpoint.json").is_file());
}

#[test]
fn what_is_not_a_book_is_reported() {
    let sandbox = sandbox();
    let wrong = sandbox.spar(&["book", "setups", "book.toml", "--set", "budget=20m"]).exits(2);
    assert!(wrong.stderr.contains("is not a time for a book") && wrong.stderr.contains("20min"), "{wrong:?}");
    std::fs::create_dir_all(sandbox.path("books/small")).expect("a folder");
    std::fs::write(sandbox.path("books/small/checkpoint.json"), "{}").expect("a file");
    let wrong = sandbox.spar(&["book", "setups", "book.toml"]).exits(3);
    assert!(wrong.stderr.contains("is not a checkpoint of a book of setups"), "{wrong:?}");
}

/// A book with the depth that an opponent is prepared at, and some setups of red.
fn small_book() -> engine::SetupBook {
    let setup = |n: u32| engine::Setup::from_rank(n * 100_000).expect("a setup");
    let entries = (1..=8).map(|n| engine::BookEntry {
        red: setup(n),
        reply: setup(3 * n),
        value: engine::Score::estimate(n as i32),
        depth: 5,
    });
    engine::SetupBook::new(&entries.collect::<Vec<_>>()).expect("a book")
}

#[test]
fn a_book_is_prepared_against_an_opponent() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("small.bin"), small_book().to_bytes()).expect("a file");
    // Replies the same to everything.
    let reply = "dddaaffanaaaaawd";
    let answer = format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in Time*) ;; Quit) exit;; *) echo {reply};; esac; done\n"
    );
    sandbox.write_program("opponent", &answer);
    sandbox.write_program("dies", "#!/bin/sh\nread -r line\necho no book found >&2\nexit 3\n");
    let base = ["book", "prepare", "--book", "small.bin", "--out", "prepared.bin", "--depth", "12", "--setups", "5"];
    let run = |more: &[&str]| sandbox.spar(&[&base[..], more].concat());

    let made = run(&["--against", "./opponent", "--json"]).exits(0).json();
    let best = made["best"].as_array().expect("setups");
    assert_eq!((made["entries"].as_u64(), best.len(), &best[0]["reply"]), (Some(8), 5, &reply.into()), "{made}");
    let bytes = std::fs::read(sandbox.path("prepared.bin")).expect("a book");
    let prepared = engine::SetupBook::from_bytes(&bytes).expect("a book");
    let first = prepared.choices(engine::Score::DRAW).next().expect("a first choice");
    let names = [first.red, first.red.mirrored()].map(|red| red.text(engine::Side::Red));
    assert!(names.iter().any(|name| best[0]["red"] == name.as_str()), "{names:?}: {made}");
    for (new, old) in prepared.entries().iter().zip(small_book().entries()) {
        assert_eq!((new.red, new.reply), (old.red, old.reply), "blue's replies stay");
    }
    // The prepared book is not prepared again to the same depth.
    let again = ["book", "prepare", "--book", "prepared.bin", "--out", "again.bin", "--against", "./opponent"];
    let refused = sandbox.spar(&[&again[..], &["--depth", "12"]].concat()).exits(2);
    assert!(refused.stderr.contains("the book has searches of depth 12: expected 13 or more"), "{refused:?}");
    let text = run(&["--against", "./opponent"]).exits(0).stdout;
    assert!(text.contains(reply) && text.ends_with("book    prepared.bin\n"), "{text}");

    let cases: [(&[&str], i32, &str); 4] = [
        (&["--against", "./opponent", "--games", "23"], 2, "expected 24 or more"),
        (&["--against", "./dies"], 3, "no book found"),
        (&["--against", "./missing"], 2, "there is no program `./missing`"),
        (&["--against", "./opponent", "--limit", "5 nodes"], 2, "expected a time for the whole game, such as `30s`"),
    ];
    for (more, code, says) in cases {
        let refused = run(more).exits(code);
        assert!(refused.stderr.contains(says), "{refused:?}");
    }
}

#[test]
fn games_against_the_opponent_choose_setups() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("small.bin"), small_book().to_bytes()).expect("a file");
    std::os::unix::fs::symlink(example("random_mover"), sandbox.path("mover")).expect("a link");
    // Makes its setups, and no other move.
    let setups = "#!/bin/sh\nwhile read -r line; do case \"$line\" in Time*) ;; Quit) exit;; \
        Start) echo AAAAANWADADADFFD;; *) echo dddaaffanaaaaawd; read -r line; echo a1a1;; esac; done\n";
    sandbox.write_program("stubborn", setups);
    let base = ["book", "prepare", "--book", "small.bin", "--depth", "12", "--setups", "8", "--limit", "200ms"];
    let run = |more: &[&str]| sandbox.spar(&[&base[..], &["--games", "24", "--json"], more].concat());

    // Keeps what it is sent.
    sandbox.write_program("opponent", "#!/bin/sh\ntee -a lines | ./mover --codecup\n");

    let made = run(&["--against", "./opponent", "--out", "prepared.bin"]).exits(0).json();
    let best = made["best"].as_array().expect("setups");
    let replies = made["replies"].as_array().expect("replies");
    assert_eq!(replies.len(), 1, "it always begins with the same setup: {made}");
    // Six setups have two games each, which the random mover loses; the first three of them are chosen.
    for rows in [best, replies[0].as_array().expect("setups")] {
        let games: Vec<_> = rows.iter().map(|row| (row["games"].as_u64(), row["points"].as_f64())).collect();
        assert_eq!(games, [(Some(2), Some(2.0)); 6], "{made}");
    }
    let lines = sandbox.read("lines");
    let sent = |is_one: &dyn Fn(&str) -> bool| lines.lines().filter(|line| is_one(line)).count();
    assert_eq!(sent(&|line| line == "Start"), 8 + 12, "to make a setup, and as red after our reply:\n{lines}");
    assert_eq!(sent(&|line| line.starts_with("Opening ")), 12, "{lines}");
    let is_setup = |line: &str| line.len() == 16 && line.chars().all(char::is_uppercase);
    assert_eq!(sent(&is_setup), 8 + 12, "to ask for a reply, and as blue in a game:\n{lines}");

    let bytes = std::fs::read(sandbox.path("prepared.bin")).expect("a book");
    let prepared = engine::SetupBook::from_bytes(&bytes).expect("a book");
    let chosen: Vec<_> = prepared.choices(engine::Score::DRAW).collect();
    assert_eq!(chosen.len(), 3);
    for row in &best[..3] {
        let red = engine::Setup::parse(row["red"].as_str().expect("a setup"), engine::Side::Red).expect("a setup");
        assert!(chosen.iter().any(|entry| [entry.red, entry.red.mirrored()].contains(&red)), "{row}: {chosen:?}");
    }
    // Blue replies as the games chose to each setup that the opponent begins with.
    for replies in replies {
        let setup = |name: &str, side| engine::Setup::parse(replies[0][name].as_str().expect("a setup"), side);
        let red = setup("red", engine::Side::Red).expect("a setup");
        assert_eq!(prepared.find(&red).map(|entry| Ok(entry.reply)), Some(setup("reply", engine::Side::Blue)));
    }

    // The searches decide when the opponent fails in a game.
    let failed = run(&["--against", "./stubborn", "--out", "searched.bin"]).exits(3);
    assert!(failed.stderr.contains("the opponent failed in a game after"), "{failed:?}");
    assert!(failed.stderr.contains("The book has the results of the finished rounds."), "{failed:?}");
    let bytes = std::fs::read(sandbox.path("searched.bin")).expect("a book");
    let searched = engine::SetupBook::from_bytes(&bytes).expect("a book");
    assert!(searched.entries().iter().any(|entry| entry.depth == 12), "{searched:?}");
}
