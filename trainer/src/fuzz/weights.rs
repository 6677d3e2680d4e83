//! Weights of evaluations of chess: tables in TOML, and networks.

use super::target;
use crate::fit::{Model, Weights};
use crate::train::{PstNet, PstNetError};
use fuzz::ReadOutcome;
use shakmaty::Chess;

/// The maximum size of a network to try, in bytes.
const MOST_BYTES: usize = 200_000;

#[test]
fn files() {
    target("weights").words(&["[middlegame]", "[endgame]", "pawn", "= 1e400", "inf", "nan"]).run(|input| {
        if let Some(messages) = network(input) {
            return messages;
        }
        let text = String::from_utf8_lossy(input);
        let weights = match Weights::parse(&text) {
            Ok(weights) => weights,
            Err(error) => return ReadOutcome::Refused(error.to_string()),
        };
        let names = ["a".to_owned(), "b".to_owned()];
        let named = weights.in_order(Model::Features, &names);
        let mut messages = Vec::new();
        for tapered in [false, true] {
            let model = Model::ChessTables { tapered };
            let tables = weights.in_order(model, &model.names());
            if let Ok(tables) = &tables {
                assert!(tables.iter().all(|weight| weight.is_finite()), "a weight that is not a number");
            }
            messages.push(tables.err().map_or_else(String::new, |error| error.to_string()));
        }
        match named {
            Ok(weights) => ReadOutcome::Read(format!("{} {messages:?}", weights.len())),
            Err(error) => ReadOutcome::Refused(format!("{error}; {}", messages.concat())),
        }
    });
}

/// A network that begins with `input`, its missing weights filled with 0; `None` for anything else.
fn network(input: &[u8]) -> Option<ReadOutcome> {
    let mut bytes = input.to_vec();
    let read = PstNet::from_bytes(&bytes).or_else(|error| match error {
        PstNetError::Length { found, expected } if found < expected && expected < MOST_BYTES => {
            bytes.resize(bytes.len() + expected - found, 0);
            PstNet::from_bytes(&bytes)
        }
        _ => Err(error),
    });
    match read {
        Ok(network) => {
            let value = network.centipawns(&Chess::default());
            assert_eq!(network.to_bytes(), bytes, "not written as it was read");
            Some(ReadOutcome::Read(format!("{value:?}")))
        }
        Err(PstNetError::Foreign) => None,
        Err(error) => Some(ReadOutcome::Refused(error.to_string())),
    }
}
