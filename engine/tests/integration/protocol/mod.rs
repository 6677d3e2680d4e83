//! Tests of both protocols: formatted lines can be parsed, errors say what was expected, and nothing panics.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

mod codecup;
mod games;
mod uci;
