//! Tests of the statistics against vectors, definitions and simulations.

mod after;
mod biased;
mod coverage;
mod error_rates;
mod estimates;
mod few_results;
mod likelihoods;
mod properties;
mod ratings;
mod refusals;
mod vectors;
