//! `spar eval`: the evaluation of a position, for the side to move.

use super::{position, print, print_json};
use crate::args::Eval;
use crate::failure::{Exit, Failure};
use engine::{EvaluationKind, Evaluator, ParseEvaluationError};
use play::NetworkFile;
use serde_json::json;

pub(crate) fn eval(eval: &Eval) -> Result<Exit, Failure> {
    let evaluator = evaluator(eval)?;
    let position = position(&eval.position)?;
    let millis = evaluator.evaluate(&position).millilogits();
    if eval.json {
        let (kind, unit) = (evaluator.kind().to_string(), "logit x 1000, for the side to move");
        print_json(&json!({ "eval": millis, "evaluation": kind, "unit": unit }))?;
    } else {
        let win = stats::elo::logistic(f64::from(millis) / 1000.0);
        print(format_args!("{:+.3} logit for the side to move: wins {:.1}%", f64::from(millis) / 1000.0, 100.0 * win))?;
    }
    Ok(Exit::Done)
}

/// The evaluation given by a name, a file of weights, or both.
fn evaluator(eval: &Eval) -> Result<Evaluator, Failure> {
    let named = eval.evaluation.as_ref().map(|name| name.parse::<EvaluationKind>());
    let named = named.map(|named| named.map_err(|unknown: ParseEvaluationError| Failure::usage(unknown.to_string())));
    let named = named.transpose()?;
    let Some(path) = &eval.network else { return Ok(named.unwrap_or_default().into()) };
    let file = NetworkFile::read(path).map_err(|error| Failure::Usage(error.into()))?;
    let holds = file.evaluator().kind();
    match named.filter(|&named| named != holds) {
        Some(named) => Err(Failure::usage(format!(
            "{} holds the weights of the evaluation {holds}: leave out --evaluation {named}",
            path.display()
        ))),
        None => Ok(file.evaluator().clone()),
    }
}
