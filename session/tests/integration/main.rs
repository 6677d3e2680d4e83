//! Tests of plans and of the sessions that work on them, through session's public interface.

mod derived;
mod formats;
mod plan;
mod sessions;
mod written;
