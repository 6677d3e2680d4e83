//! L-BFGS (Nocedal 1980) with the line search of Moré and Thuente (1994), as the crate `argmin` has them.
//!
//! The loss is convex, so this ends at the one best point whatever the seed.

use super::FitError;
use super::design::Part;
use super::objective::Objective;
use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;

/// Steps that it remembers.
const MEMORY: usize = 10;

/// How L-BFGS is run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LbfgsSettings {
    /// The most steps.
    pub iterations: u32,
    /// It ends when the loss falls by less in a step.
    pub tolerance: f64,
}

impl Default for LbfgsSettings {
    fn default() -> Self {
        Self { iterations: 400, tolerance: 1e-9 }
    }
}

/// Gets the weights and the loss at every point that is tried, and returns whether to continue.
pub(super) type Look<'a> = dyn FnMut(&[f64], f64) -> bool + Send + 'a;

/// The best weights, or `None` if `look` had enough.
pub(super) fn minimise(
    objective: &Objective<'_>,
    settings: &LbfgsSettings,
    look: &mut Look<'_>,
) -> Result<Option<Vec<f64>>, FitError> {
    let failed = |error: Error| FitError::Solver(error.to_string());
    let memory = Mutex::new(Memory { look, last: None, is_stopped: false });
    let problem = Problem { objective, memory: &memory };
    let search = MoreThuenteLineSearch::new();
    let solver = LBFGS::new(search, MEMORY)
        .with_tolerance_cost(settings.tolerance)
        .and_then(|solver| solver.with_tolerance_grad(1e-12))
        .map_err(failed)?;
    let start = objective.start.to_vec();
    let iterations = u64::from(settings.iterations);
    let run =
        Executor::new(problem, solver).configure(|state| state.param(start).max_iters(iterations)).timer(false).run();
    let is_stopped = memory.lock().map_err(|_| FitError::Solver("it panicked".to_owned()))?.is_stopped;
    if is_stopped {
        return Ok(None);
    }
    let state = run.map_err(failed)?.state;
    Ok(state.get_best_param().cloned())
}

/// Where the loss and its slopes were computed last: the solver asks for them one after the other.
struct Memory<'a, 'l> {
    look: &'a mut Look<'l>,
    last: Option<(Vec<f64>, f64, Vec<f64>)>,
    is_stopped: bool,
}

struct Problem<'a, 'm, 'l> {
    objective: &'a Objective<'a>,
    memory: &'a Mutex<Memory<'m, 'l>>,
}

impl Problem<'_, '_, '_> {
    fn at(&self, weights: &[f64]) -> Result<(f64, Vec<f64>), Error> {
        let mut memory = self.memory.lock().map_err(|_| Error::msg("a panic"))?;
        if let Some((known, loss, gradient)) = &memory.last
            && known == weights
        {
            return Ok((*loss, gradient.clone()));
        }
        let rows = self.objective.design.part(Part::Training);
        let (loss, gradient) = self.objective.with_gradient(weights, rows);
        memory.last = Some((weights.to_vec(), loss, gradient.clone()));
        if !(memory.look)(weights, loss) {
            memory.is_stopped = true;
            return Err(Error::msg("it was stopped"));
        }
        Ok((loss, gradient))
    }
}

impl CostFunction for Problem<'_, '_, '_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, weights: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.at(weights)?.0)
    }
}

impl Gradient for Problem<'_, '_, '_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, weights: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.at(weights)?.1)
    }
}
