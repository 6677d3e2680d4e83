//! Who can mend what went wrong.

/// Who can mend an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The author of the configuration or the command.
    User,
    /// The administrator of the machine.
    Machine,
    /// No one: it was asked to stop.
    Nobody,
}
