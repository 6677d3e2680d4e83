//! L-BFGS (Nocedal 1980) with the line search of Moré and Thuente (1994), from the crate `argmin`.
//!
//! The loss is convex, so the method reaches the only minimum from any seed.

use super::FitError;
use super::design::Part;
use super::objective::Objective;
use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;

/// The number of steps that the method remembers.
const MEMORY: usize = 10;

/// The settings of L-BFGS.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LbfgsSettings {
    /// The maximum number of steps.
    pub iterations: u32,
    /// The method ends when a step reduces the loss by less than this.
    pub tolerance: f64,
}

impl Default for LbfgsSettings {
    fn default() -> Self {
        Self { iterations: 400, tolerance: 1e-9 }
    }
}

/// Receives the weights and the loss at every point tried, and returns whether to continue.
pub(super) type Look<'a> = dyn FnMut(&[f64], f64) -> bool + Send + 'a;

/// Returns the best weights, or `None` if `look` stopped the method.
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

/// Caches the last loss and gradient: the solver asks for one after the other at the same point.
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
