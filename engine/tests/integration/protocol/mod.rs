//! Both protocols: what is formatted can be parsed again, errors say what was expected, and nothing panics.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

mod codecup;
mod games;
mod uci;
