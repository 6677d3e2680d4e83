//! Games judged by python-chess, another implementation of the rules. The test is ignored if python-chess is missing.

#[path = "../../tests/tools/trials.rs"]
mod trials;

use crazyhouse::features::{INPUTS, ROWS};
use crazyhouse::network::{Network, Weights};
use std::process::{Command, ExitCode, Stdio};
use trials::{Test, When, run, tests, trials};

const PROGRAM: &str = env!("CARGO_BIN_EXE_crazyhouse");
const JUDGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/judge.py");
const TESTS: &[Test] = tests![games_are_legal_by_the_rules_of_python_chess];

fn main() -> ExitCode {
    let mut python = Command::new("python3");
    python.args(["-c", "import chess.variant, chess.engine"]).stdout(Stdio::null()).stderr(Stdio::null());
    let is_there = python.status().is_ok_and(|status| status.success());
    run(trials(TESTS, if is_there { When::SecondTier } else { When::Never }))
}

fn games_are_legal_by_the_rules_of_python_chess() {
    const HIDDEN: usize = 16;
    let weights = Weights {
        hidden: HIDDEN,
        input_biases: vec![80; HIDDEN],
        input_weights: (0..HIDDEN * INPUTS).map(|at| (at * 7919 % 61) as i16 - 30).collect(),
        value_weights: (0..HIDDEN).map(|at| (at * 37 % 81) as i16 - 40).collect(),
        value_bias: 0,
        row_weights: (0..HIDDEN * ROWS).map(|at| (at * 6271 % 101) as i16 - 50).collect(),
        row_biases: vec![0; ROWS],
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let network = folder.path().join("network.bin");
    std::fs::write(&network, Network::new(weights).expect("a network").to_bytes()).expect("a writable folder");
    let judged = Command::new("python3").arg(JUDGE).arg(PROGRAM).arg(&network).args(["200", "60"]).output();
    let judged = judged.expect("python starts");
    let said = String::from_utf8_lossy(&judged.stdout);
    assert!(judged.status.success(), "{said}{}", String::from_utf8_lossy(&judged.stderr));
    assert!(said.contains(" won"), "{said}");
}
