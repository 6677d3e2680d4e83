//! Tests that the tournament's compiler builds the bundle without a warning, and that it plays like the crate.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The program built from a bundle, and the compiler's output.
fn built(folder: &Path, text: &str) -> (PathBuf, String) {
    let (source, program) = (folder.join("entry.rs"), folder.join("entry"));
    std::fs::write(&source, text).expect("a file");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let words = ["-O", "--edition", "2021", "-o"];
    let compiled = Command::new(rustc).args(words).arg(&program).arg(&source).output().expect("a compiler");
    let stderr = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(compiled.status.success(), "{stderr}");
    (program, stderr)
}

#[test]
fn a_bundle_is_the_engine_and_plays_over_codecup() {
    let made = bundle::bundle(&bundle::Contents::default()).expect("a bundle");
    assert!(made.text.len() <= bundle::LIMIT);
    assert_eq!(made.parts.iter().map(|(_, size)| size).sum::<usize>() + "}\n".len(), made.text.len());
    let folder = tempfile::tempdir().expect("a folder");
    let (program, stderr) = built(folder.path(), &made.text);
    assert_eq!(stderr, "", "it has warnings");

    let bench = Command::new(&program).arg("bench").output().expect("it runs");
    let nodes = engine::signature(&engine::EngineConfig::default()).nodes;
    let stdout = String::from_utf8_lossy(&bench.stdout).into_owned();
    assert!(stdout.starts_with(&format!("{nodes} nodes ")), "{stdout} for {nodes}");

    let mut plays = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut input = plays.stdin.take().expect("a pipe");
    // 200 ms for a game: the engine answers at once.
    writeln!(input, "Time 200\nStart").expect("it listens");
    let asked = Instant::now();
    let mut setup = String::new();
    let mut output = std::io::BufReader::new(plays.stdout.take().expect("a pipe"));
    std::io::BufRead::read_line(&mut output, &mut setup).expect("an answer");
    assert!(asked.elapsed() < Duration::from_mins(10), "{:?}", asked.elapsed());
    engine::parse_move(&engine::Position::new(), setup.trim()).expect("a setup");
    writeln!(input, "Quit").expect("it listens");
    assert!(plays.wait().expect("it ends").success());
}

#[test]
fn the_network_is_small_and_damage_to_it_is_reported() {
    let mut params = engine::Params::default();
    params.codecup.codecup_reserve = 1.5;
    params.alpha_beta.null_move = false;
    let contents = bundle::Contents { book: bundle::Book::None, params, network: None };
    let made = bundle::bundle(&contents).expect("a bundle");
    assert!(made.text.contains("&[(\"null_move\", 0f64), (\"codecup_reserve\", 1.5f64)]"), "changed values are listed");
    let size = made.parts.iter().find(|(name, _)| *name == "network").expect("a part").1;
    assert!(size < 600_000, "{size}");
    let begins = made.text.find("pub const NETWORK").expect("a constant");
    let mut damaged = made.text;
    damaged.insert(begins + size / 2, '}');
    let folder = tempfile::tempdir().expect("a folder");
    let (program, _) = built(folder.path(), &damaged);
    let ended = Command::new(&program).stdin(Stdio::null()).output().expect("it runs");
    assert_eq!((ended.status.code(), ended.stdout.len()), (Some(1), 0));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "error: the network is damaged\n");
}

#[test]
fn what_is_no_network_is_refused_in_words() {
    let refused = |network: &[u8]| {
        let contents = bundle::Contents { network: Some(network), ..bundle::Contents::default() };
        let error = bundle::bundle(&contents).expect_err("it is refused");
        assert_eq!(error.to_string(), "the network cannot be used");
        std::error::Error::source(&error).expect("a cause").to_string()
    };
    assert!(refused(b"something").starts_with("not a file of weights"));
    let shipped = include_bytes!("../../engine/src/eval/network.bin");
    assert!(refused(&shipped[..shipped.len() - 1]).contains("damaged"));
}

#[test]
fn books_of_ones_own_are_carried_and_others_refused() {
    let setup = |rank| engine::Setup::from_rank(rank).expect("a setup");
    let entry = engine::BookEntry { red: setup(9), reply: setup(99), value: engine::Score::DRAW, depth: 1 };
    let book = engine::SetupBook::new(&[entry]).expect("a book").to_bytes();
    let with = |book| bundle::bundle(&bundle::Contents { book, ..bundle::Contents::default() });
    let made = with(bundle::Book::File(&book)).expect("a bundle").text;
    let carried = made.split("pub const BOOK: &str = \"").nth(1).and_then(|rest| rest.split('"').next());
    assert_eq!(bundle::decompress(&bundle::unpack(carried.expect("a text"))), book);
    let refused = with(bundle::Book::File(&book[..book.len() - 1])).expect_err("it is cut");
    assert_eq!(refused.to_string(), "the book cannot be used");
    let cause = std::error::Error::source(&refused).expect("a cause").to_string();
    assert!(cause.contains("cut short or damaged"), "{cause}");
}

#[test]
fn what_does_not_fit_is_refused_with_the_figures() {
    // Weights that cannot be compressed.
    let mut state = 1_u64;
    let mut weight = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 48) as i16
    };
    let hidden = 128;
    let parts = engine::eval::network::NetworkParts {
        hidden,
        buckets: engine::eval::network::Buckets { pieces: 1, plies: 1 },
        feature_weights: (0..6360 * hidden).map(|_| weight()).collect(),
        feature_biases: vec![0; hidden],
        output_scale: 127,
        output_weights: vec![1; 2 * hidden],
        output_biases: vec![0],
    };
    let network = engine::Network::new(&parts).expect("a network").to_bytes();
    let contents = bundle::Contents { network: Some(&network), ..bundle::Contents::default() };
    let refused = bundle::bundle(&contents).expect_err("it is too large").to_string();
    assert!(refused.contains("the tournament takes 1474560: program ") && refused.contains(", network 2"), "{refused}");
}
