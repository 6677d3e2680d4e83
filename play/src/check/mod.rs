//! The compliance check of one engine: reports what the engine does wrong, in words, before a match reveals it.
//!
//! Each protocol has its own list of steps ([`crate::protocol`]). Nothing is played for a result here.

pub(crate) mod examine;
pub(crate) mod finding;
mod game;
mod waits;

pub use finding::{Check, Finding, Grade};

impl Check<'_> {
    /// Runs all steps of the engine's protocol, and reports each finding at once. Starts a fresh process after a step
    /// that the engine does not survive. Gives up if the engine does not start, or is silent in two steps: the check of
    /// an engine that hangs or prints without end takes less than half a minute. Reports nothing of the step in which
    /// the check is abandoned, which says nothing about the engine.
    pub fn run(&self, tell: &mut dyn FnMut(Finding)) {
        let mut tell = |finding| {
            if !self.is_stopped() {
                tell(finding);
            }
        };
        if (self.process.protocol.info().check)(self, &mut tell) {
            game::run(self, &mut tell);
        }
    }
}
