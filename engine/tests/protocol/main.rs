//! Both protocols as codecs: what is written is read back, what is refused says what was expected, and nothing panics.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

mod codecup;
mod games;
mod uci;
