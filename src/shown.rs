//! Makes text safe for the terminal: files and engines from strangers must not control it.

use std::borrow::Cow;
use std::fmt::Write;

/// The longest line of a message, in characters: a line quoted from a file may have megabytes.
const LONGEST_LINE: usize = 2_000;

/// Escapes all control characters but line ends, tabs and those of colours, in Rust's notation: `\u{7}`.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(c) = rest.chars().next() {
        let coloured = colour(rest);
        let length = coloured.unwrap_or(c.len_utf8());
        if is_plain(c) || coloured.is_some() {
            shown.push_str(&rest[..length]);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", c.escape_default());
        }
        rest = &rest[length..];
    }
    Cow::Owned(shown)
}

/// The length of the colour sequence that the text begins with, if any.
fn colour(text: &str) -> Option<usize> {
    let codes = text.strip_prefix("\x1b[")?;
    let end = codes.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    codes[end..].starts_with('m').then_some(end + 3)
}

/// The message with long lines cut.
pub(crate) fn cut(message: &str) -> Cow<'_, str> {
    if message.len() <= LONGEST_LINE {
        return Cow::Borrowed(message);
    }
    let line = |line: &str| match line.char_indices().nth(LONGEST_LINE) {
        Some((at, _)) => format!("{} ... ({} bytes more)", &line[..at], line.len() - at),
        None => line.to_owned(),
    };
    Cow::Owned(message.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal_but_colours() {
        assert_eq!(shown("a\tb\nc é"), "a\tb\nc é");
        assert_eq!(shown("\x1b[31;1mred\x1b[0m"), "\x1b[31;1mred\x1b[0m");
        assert_eq!(shown("\x1b[2Jgone\r\0\x07"), "\\u{1b}[2Jgone\\r\\u{0}\\u{7}");
        assert_eq!(shown("\x1b[31"), "\\u{1b}[31");
        assert_eq!(shown("\u{9b}2J\u{7f}"), "\\u{9b}2J\\u{7f}");
    }

    #[test]
    fn long_lines_are_cut() {
        assert_eq!(cut("short\nlines"), "short\nlines");
        let long = format!("é{}\nnext", "x".repeat(5_000));
        assert_eq!(cut(&long), format!("é{} ... (3001 bytes more)\nnext", "x".repeat(1_999)));
    }
}
