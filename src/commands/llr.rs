//! `spar llr`: where a sequential test with these counts stands.

use super::{print, print_json};
use crate::args::calculators::Llr;
use crate::counts::Match;
use crate::failure::{Exit, Failure};
use reports::summary::{finite, hypotheses};
use serde_json::json;
use stats::SprtState;

pub(crate) fn llr(llr: &Llr) -> Result<Exit, Failure> {
    let counts = Match::try_from(&llr.counts)?;
    let config = llr.test.config();
    let ratio = counts.llr(&config)?;
    let bounds = config.wald_bounds();
    let state = bounds.judge(ratio);
    if llr.json {
        print_json(&json!({
            "llr": finite(ratio), "lower": finite(bounds.lower), "upper": finite(bounds.upper), "state": word(state),
            "elo0": config.elo0, "elo1": config.elo1, "model": config.model.to_string(),
            "alpha": config.alpha, "beta": config.beta,
        }))?;
    } else {
        print(format_args!("LLR    {ratio:+.3}   between {:.3} and {:.3}", bounds.lower, bounds.upper))?;
        print(format_args!("test   {}", hypotheses(&config)))?;
        print(format_args!("state  {}", sentence(state)))?;
    }
    Ok(Exit::Done)
}

fn word(state: SprtState) -> &'static str {
    match state {
        SprtState::H0 => "H0",
        SprtState::H1 => "H1",
        SprtState::Continue => "continue",
    }
}

fn sentence(state: SprtState) -> &'static str {
    match state {
        SprtState::H0 => "H0 is accepted",
        SprtState::H1 => "H1 is accepted",
        SprtState::Continue => "continue: neither H0 nor H1 is accepted yet",
    }
}
