//! Tests of plans: refused plans and their errors, derived plans, and written plans.

mod derived;
mod plan;
mod written;
