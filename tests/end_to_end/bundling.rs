//! The engine as one source file, with custom networks and books: `--features bundle`.

use crate::support::Sandbox;

#[test]
#[ignore = "slow"]
fn a_network_of_ones_own_becomes_part_of_the_source_file() {
    let sandbox = crate::networks::sandbox();
    let made = sandbox.spar(&["bundle", "--out", "entry.rs", "--network", "nets/new.bin", "--json"]).exits(0).json();
    let text = std::fs::read_to_string(sandbox.path("entry.rs")).expect("a file");
    assert_eq!(made["bytes"], text.len());
    let unpacked = |name: &str| {
        let packed = text.split(&format!("pub const {name}: &str = \"")).nth(1).and_then(|rest| rest.split('"').next());
        bundle::decompress(&bundle::unpack(packed.expect("a text")))
    };
    assert_eq!(unpacked("NETWORK"), std::fs::read(sandbox.path("nets/new.bin")).expect("a file"));
    let whole = sandbox.spar(&["bundle", "--out", "whole.rs"]).exits(0);
    assert!(whole.stdout.lines().last().is_some_and(|line| line.ends_with("%)")), "{}", whole.stdout);
    let refused = sandbox.spar(&["bundle", "--out", "none.rs", "--network", "linear.bin"]).exits(2);
    assert!(refused.stderr.contains("the network cannot be used: not a file of weights of this kind"), "{refused:?}");
    assert!(!sandbox.path("none.rs").exists());
}

#[test]
#[ignore = "slow"]
fn a_book_of_ones_own_becomes_part_of_the_source_file() {
    let sandbox = Sandbox::with("book.toml", "out = \"books/small\"\nbudget = \"1s\"\nentries = 20\n");
    let _made = sandbox.spar(&["book", "setups", "book.toml"]).exits(0);
    let bundle = |more: &[&str]| {
        let made = sandbox.spar(&[&["bundle", "--out", "entry.rs", "--json"], more].concat()).exits(0).json();
        made["parts"]["book"].as_u64().expect("a size")
    };
    let (own, none, shipped) = (bundle(&["--book", "books/small/book.bin"]), bundle(&["--without-book"]), bundle(&[]));
    assert!(none < own && own < shipped, "{none} {own} {shipped}");
    let refused = sandbox.spar(&["bundle", "--out", "entry.rs", "--book", "book.toml"]).exits(2);
    assert!(refused.stderr.contains("not a book of setups"), "{refused:?}");
    let refused = sandbox.spar(&["bundle", "--out", "entry.rs", "--set", "codecup_reserve=-1"]).exits(2);
    assert!(refused.stderr.contains("codecup_reserve"), "{refused:?}");
}
