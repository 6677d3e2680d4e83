//! Measures move generation in leaves per second: every leaf made, leaves counted in bulk, and safe moves in stages;
//! and the time that a random player needs for a move.

#![allow(clippy::incompatible_msrv)] // Expanded from divan's macros; benches are not part of the bundle.

#[path = "../tests/integration/walks.rs"]
mod walks;

use engine::{perft, MoveList, PerftCounts, Position};
use walks::{perft_played, perft_safe};

/// Few moves early in a game, more with pieces in hand, most of them late.
const POSITIONS: [(&str, &str, u32); 3] = [
    ("opening", "DNDWFAAA/ADDAAAAF/......../......../......../......../addaaana/aaffadwd - r 2", 5),
    ("middle", "A.DDW..d/AAAa.A.F/....a.Dd/A...Ad../a.AA..../N.f...../..fa..f./w...N.Aa ADd r 54", 4),
    ("late", "AAD.ADW./..A.A..F/A.D.NA../......D./.w....../....AA../.A..D..A/D......F AAAAADDFFN r 90", 4),
];

fn main() {
    divan::main();
}

fn position(name: &str) -> (Position, u32) {
    let (_, text, depth) = POSITIONS.into_iter().find(|&(other, ..)| other == name).expect("a name of the table");
    (text.parse().expect("a position"), depth)
}

fn bench_perft(bencher: divan::Bencher<'_, '_>, name: &str, count: fn(&Position, u32) -> PerftCounts) {
    let (position, depth) = position(name);
    let leaves = count(&position, depth).nodes;
    bencher.counter(divan::counter::ItemsCount::new(leaves)).bench(|| count(divan::black_box(&position), depth));
}

#[divan::bench(args = POSITIONS.map(|(name, ..)| name), sample_count = 10)]
fn leaves_made(bencher: divan::Bencher<'_, '_>, name: &str) {
    bench_perft(bencher, name, perft_played);
}

#[divan::bench(args = POSITIONS.map(|(name, ..)| name), sample_count = 10)]
fn leaves_counted(bencher: divan::Bencher<'_, '_>, name: &str) {
    bench_perft(bencher, name, perft);
}

#[divan::bench(args = POSITIONS.map(|(name, ..)| name), sample_count = 10)]
fn safe_leaves_by_stages(bencher: divan::Bencher<'_, '_>, name: &str) {
    bench_perft(bencher, name, perft_safe);
}

#[divan::bench(args = POSITIONS.map(|(name, ..)| name))]
fn legal_move_list(bencher: divan::Bencher<'_, '_>, name: &str) {
    let (position, _) = position(name);
    let mut moves = MoveList::new();
    bencher.bench_local(|| {
        divan::black_box(&position).legal_moves(&mut moves);
        moves.len()
    });
}

#[divan::bench(args = POSITIONS.map(|(name, ..)| name))]
fn count_and_nth_move(bencher: divan::Bencher<'_, '_>, name: &str) {
    let (position, _) = position(name);
    bencher.bench_local(|| {
        let position = divan::black_box(&position);
        position.nth_legal(position.legal_count() / 2)
    });
}
