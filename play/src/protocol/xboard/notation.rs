//! Common parts of the protocol's lines: results and comments.

use stats::Score;

/// The protocol's notation for White's score; `*` for a game without one.
pub(super) const RESULTS: [(&str, Option<Score>); 4] =
    [("1-0", Some(Score::Win)), ("0-1", Some(Score::Loss)), ("1/2-1/2", Some(Score::Draw)), ("*", None)];

/// The text in braces, without anything after them; a text without braces stays unchanged.
pub(super) fn comment(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('{') else { return text.strip_suffix('}').unwrap_or(text).trim_ascii() };
    inside.rfind('}').map_or(inside, |end| &inside[..end]).trim_ascii()
}
