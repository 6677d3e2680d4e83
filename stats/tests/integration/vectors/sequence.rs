//! Records of whole tests, outcome by outcome, with the dynamic overshoot correction.

use super::record::{Record, close, number};
use stats::{PairOutcome, Sprt, SprtConfig, SprtState};

/// fishtest's word for a state.
pub(crate) fn word(state: SprtState) -> &'static str {
    match state {
        SprtState::Continue => "continue",
        SprtState::H0 => "rejected",
        SprtState::H1 => "accepted",
    }
}

pub(crate) fn stops_at_the_same_pair(record: &Record) {
    let config = SprtConfig {
        elo0: number(&record["elo0"]),
        elo1: number(&record["elo1"]),
        alpha: number(&record["alpha"]),
        beta: number(&record["beta"]),
        model: record["model"].as_str().unwrap().parse().unwrap(),
        overshoot: true,
    };
    let five = [PairOutcome::LL, PairOutcome::LD, PairOutcome::DD, PairOutcome::WD, PairOutcome::WW];
    let outcomes: Vec<PairOutcome> =
        record["seq"].as_str().unwrap().bytes().map(|b| five[usize::from(b - b'0')]).collect();
    let batch = record["batch_pairs"].as_u64().unwrap() as usize;
    let mut sprt = Sprt::new(config).unwrap();
    let mut checkpoints = record["checkpoints"].as_array().unwrap().iter().peekable();
    for chunk in outcomes.chunks(batch) {
        if sprt.state() != SprtState::Continue {
            break;
        }
        sprt.update_batch(chunk);
        let pairs = sprt.tally().total();
        if let Some(point) = checkpoints.next_if(|p| p["pairs"].as_u64() == Some(pairs)) {
            close("llr", sprt.llr(), number(&point["llr"]), 1e-9, 1e-9);
            let overshoot = sprt.overshoot().unwrap();
            close("o0", overshoot.low(), number(&point["o0"]), 1e-9, 0.0);
            close("o1", overshoot.high(), number(&point["o1"]), 1e-9, 0.0);
            assert_eq!(word(sprt.state()), point["state"].as_str().unwrap());
        }
    }
    assert!(checkpoints.next().is_none());
    assert_eq!(Some(sprt.tally().total()), record["stopped_at_pair"].as_u64());
    assert_eq!(word(sprt.state()), record["final_state"].as_str().unwrap());
}
