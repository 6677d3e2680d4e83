//! Books of setups: made, and continued after a stop.

use crate::support::{Sandbox, signal, wait, wait_until};

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
