//! `spar eval`: what an evaluation says of a position, for the side to move.

use super::{position, print, print_json};
use crate::args::Eval;
use crate::failure::{Exit, Failure};
use engine::EvaluationKind;
use serde_json::json;

pub(crate) fn eval(eval: &Eval) -> Result<Exit, Failure> {
    let kind: EvaluationKind = eval.evaluation.parse().map_err(|_| {
        Failure::usage(format!(
            "unknown evaluation \"{}\": expected material, piece-square, wps or network",
            eval.evaluation
        ))
    })?;
    let position = position(&eval.position)?;
    let millis = engine::evaluate(kind, &position).millilogits();
    if eval.json {
        print_json(
            &json!({ "eval": millis, "evaluation": kind.to_string(), "unit": "logit x 1000, for the side to move" }),
        )?;
    } else {
        let win = stats::elo::logistic(f64::from(millis) / 1000.0);
        print(format_args!("{:+.3} logit for the side to move: wins {:.1}%", f64::from(millis) / 1000.0, 100.0 * win))?;
    }
    Ok(Exit::Done)
}
