//! Weights files and books of setups: unchanged, and with a correct checksum.

use super::target;
use engine::{
    bench_positions, Budget, Engine, EngineConfig, Evaluator, NeverStop, NoClock, Score, SetupBook, WeightsError,
};
use fuzz::ReadOutcome;

/// The number of features of a position that have weights.
const FEATURES: usize = 6_360;
/// The maximum number of weights to try: a network of 64 neurons tests as much as a larger one, and is faster.
const MOST_WEIGHTS: usize = 64 * (FEATURES + 64);

/// The bytes followed by their checksum.
fn sealed(content: &[u8]) -> Vec<u8> {
    let fnv = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = content.iter().fold(0xcbf2_9ce4_8422_2325, fnv);
    [content, &hash.to_le_bytes()].concat()
}

/// A weights file that starts with `begin`, its missing weights filled with 0, so that inputs can be short.
fn filled(begin: &[u8]) -> Vec<u8> {
    let size = |at: usize| begin.get(at..at + 2).map_or(0, |size| usize::from(u16::from_le_bytes([size[0], size[1]])));
    let (header, weights) = match begin.get(..8) {
        Some(b"spar-wps") => (12, 1 + FEATURES),
        Some(b"spar-net") => (16, (size(10) * (FEATURES + 1 + 2 * size(12)) + size(12)).min(MOST_WEIGHTS)),
        _ => return begin.to_vec(),
    };
    let given = begin.iter().skip(header).filter(|byte| **byte < 128).count();
    [begin, &vec![0; weights.saturating_sub(given)]].concat()
}

#[test]
fn weights() {
    target("weights").longest(500).run(|input| {
        let _as_it_is = Evaluator::from_bytes(input);
        let _sealed = Evaluator::from_bytes(&sealed(input));
        evaluated(Evaluator::from_bytes(&sealed(&filled(input))))
    });
}

/// Searches with arbitrary weights.
fn evaluated(evaluator: Result<Evaluator, WeightsError>) -> ReadOutcome {
    let evaluator = match evaluator {
        Ok(evaluator) => evaluator,
        Err(error) => return ReadOutcome::Refused(error.to_string()),
    };
    let kind = evaluator.kind();
    match &evaluator {
        Evaluator::WazirPieceSquare(model) => {
            assert_eq!(Evaluator::from_bytes(&model.to_bytes()), Ok(evaluator.clone()));
        }
        Evaluator::Network(network) => assert_eq!(Evaluator::from_bytes(&network.to_bytes()), Ok(evaluator.clone())),
        Evaluator::Material(_) | Evaluator::PieceSquare(_) => {}
    }
    let config = EngineConfig { evaluation: evaluator.clone(), table_bytes: 1 << 12, ..EngineConfig::default() };
    let mut engine = Engine::new(&config);
    for position in bench_positions() {
        let _score = evaluator.evaluate(&position);
        let found = engine.search(&position, &[], &Budget::Depth(2), &NeverStop, &NoClock);
        assert!(position.is_legal(found.expect("a move").best));
    }
    ReadOutcome::Read(kind.to_string())
}

#[test]
fn books_of_setups() {
    target("setups").run(|input| {
        let book = match SetupBook::from_bytes(&sealed(input)) {
            Ok(book) => book,
            Err(error) => return ReadOutcome::Refused(error.to_string()),
        };
        for margin in [Score::DRAW, Score::estimate(10_000), Score::BEST_ESTIMATE] {
            let count = book.choices(margin).count();
            assert_eq!(book.draw(margin, 7).is_some(), count > 0);
        }
        for entry in book.entries().iter().take(20) {
            assert!(book.find(&entry.red).is_some() && book.find(&entry.red.mirrored()).is_some());
        }
        ReadOutcome::Read(format!("{} entries, {} replies", book.entries().len(), book.replies().len()))
    });
}
