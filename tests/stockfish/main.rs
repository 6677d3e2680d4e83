//! Tests that play with Debian's Stockfish. They are ignored without it.

mod datagen;
mod fit;
#[path = "../end_to_end/support.rs"]
#[expect(dead_code, reason = "the other end-to-end tests need more of it")]
mod support;
#[path = "../tools/mod.rs"]
mod tools;
#[path = "../tools/trials.rs"]
mod trials;

use std::path::Path;
use std::process::ExitCode;
use support::Sandbox;
use trials::{Test, When, run, tests, trials};

/// Tests that need the engine.
const TESTS: &[Test] = tests![
    the_front_for_fastchess_plays,
    fit::tables_fitted_to_stockfish_play_better_than_material,
    datagen::stopped_and_resumed_it_leaves_the_same_file,
    datagen::every_format_has_the_same_positions_and_is_read_back,
    datagen::any_match_of_chess_has_positions,
];

/// Tests that do not need the engine.
const ALWAYS: &[Test] = tests![datagen::what_cannot_be_written_is_said_where_it_is_asked_for];

const BOOK: &str = "\
r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
7k/7P/8/7Q/8/8/P7/K7 w - - 0 1
";

fn main() -> ExitCode {
    let is_there = Path::new("/usr/games/stockfish").exists();
    let when = if is_there { When::SecondTier } else { When::Never };
    run(trials(TESTS, when).chain(trials(ALWAYS, When::Always)))
}

fn the_front_for_fastchess_plays() {
    const STOCKFISH: &str = "/usr/games/stockfish";
    let sandbox = Sandbox::with("three.epd", BOOK);
    let line = format!(
        "-engine cmd={STOCKFISH} name=strong nodes=2000 -engine cmd={STOCKFISH} name=weak nodes=1 -each option.Hash=1 \
            option.Threads=1 \
         -variant fischerandom -rounds 2 -draw movenumber=30 movecount=8 score=10 -resign movecount=3 score=600 \
         twosided=true"
    );
    let played = sandbox.fastchess(&line).exits(0);
    assert!(played.stdout.contains("Results of strong vs weak (2000 nodes - 1 nodes, 1t, 1MB):"), "{}", played.stdout);
    assert!(played.stdout.contains("Games: 4, "), "{}", played.stdout);
    let quick = format!("-quick cmd={STOCKFISH} cmd={STOCKFISH} book=three.epd -each nodes=5 -rounds 1");
    let played = sandbox.fastchess(&quick).exits(0);
    assert!(played.stdout.contains("Started game 2 of 2 (stockfish_2 vs stockfish)"), "{}", played.stdout);
}
