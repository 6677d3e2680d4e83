//! What those who play a run may say to its watchers.

use crate::event::{Event, TrainingProgress};
use crate::hub::Hub;
use crate::warning::Warning;
use arena::run::Control;
use std::sync::atomic::AtomicBool;

/// What those who play may say, and whether to give up.
#[derive(Clone, Copy, Debug)]
pub struct Messages<'a> {
    pub(crate) hub: &'a Hub,
    pub(crate) control: &'a Control,
}

impl Messages<'_> {
    /// Tells all watchers.
    pub fn warn(&self, warning: Warning) {
        self.hub.publish(Event::Warning(warning));
    }

    /// Tells all watchers how far a training is.
    pub fn training(&self, progress: TrainingProgress) {
        self.hub.publish(Event::Training(progress));
    }

    /// Whether the session was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// The flag that is raised then.
    pub fn stop_flag(&self) -> &AtomicBool {
        self.control.stop_flag()
    }
}
