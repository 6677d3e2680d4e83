//! Tests of sessions, and of what they read and write of other programs.

mod formats;
mod sessions;
