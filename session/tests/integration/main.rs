//! Tests of sessions, and of other programs' formats that they read and write.

mod formats;
mod sessions;
