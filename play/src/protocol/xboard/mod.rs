//! The chess engine communication protocol of `XBoard`, version 2: commands to an engine and its answers.
//!
//! Engines mix these with greetings, board pictures and statistics, so what is not understood is [`Message::Unknown`].
//! Answers borrow from the line.

mod command;
mod feature;
mod message;
mod thinking;

pub use command::XboardCommand;
pub use feature::{Feature, Features, Flag, Handshake};
pub use message::Message;
pub use thinking::Thinking;

use stats::Score;

/// How the protocol writes White's score; `*` for a game without one.
const RESULTS: [(&str, Option<Score>); 4] =
    [("1-0", Some(Score::Win)), ("0-1", Some(Score::Loss)), ("1/2-1/2", Some(Score::Draw)), ("*", None)];

/// The text in braces, whatever follows them, or as it stands without them.
fn comment(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('{') else { return text.strip_suffix('}').unwrap_or(text).trim_ascii() };
    inside.rfind('}').map_or(inside, |end| &inside[..end]).trim_ascii()
}
