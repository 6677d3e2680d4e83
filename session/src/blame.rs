//! Who can mend what went wrong.

/// Who can mend an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// Whoever wrote the configuration or the command.
    User,
    /// Whoever looks after the machine.
    Machine,
    /// Nobody: it was asked to stop.
    Nobody,
}
