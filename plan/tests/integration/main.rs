//! Tests of plans: what is refused and how, what is made of other plans, what is written.

mod derived;
mod plan;
mod written;
