//! The compliance check of one engine: what it does wrong, in words, before a match finds out.
//!
//! Each protocol has its own list of steps ([`crate::protocol`]). Nothing is played for a result here.

pub(crate) mod examine;
pub(crate) mod finding;
mod game;
mod waits;

pub use finding::{Check, Finding, Grade};

impl Check<'_> {
    /// Runs all steps of the engine's protocol, and reports each finding at once. A step that the engine does not
    /// survive is followed by a fresh process. An engine that does not start, or is silent in two steps, is given up: a
    /// check of one that hangs or prints without end is over in half a minute.
    pub fn run(&self, tell: &mut dyn FnMut(Finding)) {
        if (self.process.protocol.info().check)(self, tell) {
            game::run(self, tell);
        }
    }
}
