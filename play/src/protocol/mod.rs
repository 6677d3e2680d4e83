//! The text protocols of external engines: lines into messages, commands into lines, and nothing else.
//!
//! Pure codecs: no process, no pipe, no clock, and no rules of a game. Moves and positions are text here; whoever plays
//! the game knows what they mean. Both directions of the commands are here, so that each can be tested against the
//! other.

mod evaluation;
mod option;
pub mod uci;
mod words;
pub mod xboard;

pub use evaluation::Bound;
pub use option::{OptionDeclaration, OptionError, OptionKind, truth};
