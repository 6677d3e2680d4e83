//! Tests of playing on many machines, with a real NATS server: `cargo test --features fleet --test fleet`.

mod access;
mod builds;
mod places;
mod same;
mod scaled;
mod support;
mod survival;
#[path = "../tools/mod.rs"]
mod tools;
mod trust;
