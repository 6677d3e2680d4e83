//! Who can mend an error.

/// Who can mend an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The author of the configuration or the command.
    User,
    /// The administrator of the machine.
    Machine,
    /// Nobody: the session was told to stop.
    Nobody,
}
