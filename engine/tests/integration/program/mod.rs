//! Tests of the program `zeropoint` through its pipes.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

mod codecup;
mod process;
mod uci;

use process::Program;

#[test]
fn the_bench_prints_the_signature() {
    let mut program = Program::start(&["bench"]);
    let line = program.receive();
    let nodes = engine::signature(&engine::EngineConfig::default()).nodes;
    assert!(line.starts_with(&format!("{nodes} nodes ")) && line.ends_with(" nps"), "{line}");
    assert_eq!(program.end().code, Some(0));
    let mut named = Program::start(&["bench", "--search", "alpha-beta"]);
    assert!(named.receive().starts_with(&format!("{nodes} nodes ")));
    assert_eq!(named.end().code, Some(0));
}

#[test]
fn a_search_that_there_is_not_is_refused() {
    for arguments in [["bench", "--search", "minimax"].as_slice(), &["--search", "minimax"]] {
        let end = Program::start(arguments).end();
        assert_eq!((end.code, end.stdout.len()), (Some(2), 0));
        assert_eq!(
            end.stderr,
            format!("zeropoint: unknown search `minimax`: expected {}\n", engine::SearchKind::names())
        );
    }
}

#[test]
fn the_command_line_is_explained() {
    let mut program = Program::start(&["--help"]);
    assert!(program.receive_until("       zeropoint bench").len() > 2);
    assert_eq!(program.end().code, Some(0));
    let mut program = Program::start(&["--version"]);
    assert_eq!(program.receive(), concat!("zeropoint ", env!("CARGO_PKG_VERSION")));
    let end = Program::start(&["--verbose"]).end();
    assert_eq!((end.code, end.stdout.len()), (Some(2), 0));
    assert!(
        end.stderr.contains("expected no argument, --search, --book, --set, bench, --help or --version"),
        "{}",
        end.stderr
    );
}

#[test]
fn empty_input_ends_the_program() {
    for first in ["", "\n\n"] {
        let mut program = Program::start(&[]);
        program.send_bytes(first.as_bytes());
        program.close();
        let end = program.end();
        assert_eq!((end.code, end.stdout.len(), end.stderr.as_str()), (Some(0), 0, ""));
    }
}
