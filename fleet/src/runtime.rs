//! Tokio runtimes for conversations with the server.

use crate::error::FleetError;
use arena::run::threads_granted;
use tokio::runtime::{Builder, Runtime};

/// Returns a runtime for a thread that waits for the answers itself.
///
/// # Errors
/// The system grants no thread to look up the server's name.
pub(crate) fn on_this_thread() -> Result<Runtime, FleetError> {
    built(&mut Builder::new_current_thread())
}

/// Returns a runtime with a thread of its own.
///
/// # Errors
/// The system grants no such thread.
pub(crate) fn on_its_own_thread() -> Result<Runtime, FleetError> {
    built(Builder::new_multi_thread().worker_threads(1).thread_name("fleet"))
}

/// Builds a runtime. tokio panics if it is refused a thread, so the threads are requested beforehand.
fn built(builder: &mut Builder) -> Result<Runtime, FleetError> {
    let built = threads_granted(2).and_then(|()| builder.enable_all().build());
    built.map_err(|cause| FleetError::io("cannot start a thread", cause))
}
