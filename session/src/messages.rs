//! Messages of executors to the watchers of a session.

use crate::event::{Event, TrainingProgress};
use crate::hub::Hub;
use crate::warning::Warning;
use arena::run::Control;
use std::sync::atomic::AtomicBool;

/// A channel for messages to watchers, and the request to stop.
#[derive(Clone, Copy, Debug)]
pub struct Messages<'a> {
    pub(crate) hub: &'a Hub,
    pub(crate) control: &'a Control,
}

impl Messages<'_> {
    /// Sends a warning to all watchers.
    pub fn warn(&self, warning: Warning) {
        self.hub.publish(Event::Warning(warning));
    }

    /// Sends the progress of a training to all watchers.
    pub fn training(&self, progress: TrainingProgress) {
        self.hub.publish(Event::Training(progress));
    }

    /// Whether the session was told to stop.
    pub fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// The flag that is set when the session is told to stop.
    pub fn stop_flag(&self) -> &AtomicBool {
        self.control.stop_flag()
    }
}
