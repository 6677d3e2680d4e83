//! One tag: a line `[Name "value"]`.

/// A tag's name, and its value as written between the quotes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    quoted: &'a [u8],
}

impl Tag<'_> {
    /// The decoded value: most tags are ignored, so decoding happens only on demand.
    pub(super) fn value(&self) -> String {
        text(&unescaped(self.quoted))
    }
}

/// The tag at the beginning of a line, and the rest of the line. Some programs write a `:` after the name.
pub(super) fn split(line: &[u8]) -> Option<(Tag<'_>, &[u8])> {
    let inner = line.trim_ascii().strip_prefix(b"[")?.trim_ascii_start();
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let name_end = inner.iter().position(|b| !is_name(b))?;
    let (name, rest) = inner.split_at(name_end);
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b":").unwrap_or(rest).trim_ascii_start().strip_prefix(b"\"")?;
    let end = value_end(rest)?;
    let after = rest[end + 1..].trim_ascii_start().strip_prefix(b"]")?;
    (!name.is_empty()).then_some((Tag { name, quoted: &rest[..end] }, after.trim_ascii()))
}

/// Whether a line outside comments begins like a tag.
pub(super) fn begins(line: &[u8]) -> bool {
    let inner = line.trim_ascii_start().strip_prefix(b"[").unwrap_or_default();
    inner.trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic)
}

/// The quote that ends a value: the first with a `]` behind it and no backslash before it. If all have a backslash, as
/// after the folder in `"C:\\"`, the last.
fn value_end(text: &[u8]) -> Option<usize> {
    let closes = |at: &usize| text[*at] == b'"' && text[at + 1..].trim_ascii_start().starts_with(b"]");
    let is_escaped = |at: usize| text[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    let mut ends = (0..text.len()).filter(closes);
    ends.clone().find(|at| !is_escaped(*at)).or_else(|| ends.next_back())
}

/// Replaces `\"` and `\\` by a quote and a backslash.
fn unescaped(quoted: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = if byte == b'\\' { bytes.next_if(|next| matches!(next, b'"' | b'\\')) } else { None };
        value.push(escaped.unwrap_or(byte));
    }
    value
}

/// Decodes a text. Old files are in Latin-1, which hardly ever is valid UTF-8 by chance.
pub(super) fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The one tag of a line.
    fn parse(line: &[u8]) -> Option<Tag<'_>> {
        let (tag, rest) = split(line)?;
        rest.is_empty().then_some(tag)
    }

    fn value(line: &[u8]) -> Option<String> {
        parse(line).map(|tag| tag.value())
    }

    #[test]
    fn reads_tags() {
        assert_eq!(parse(b"[White \"Dev 1.0\"]").unwrap().name, b"White");
        assert_eq!(value(b"[White \"Dev 1.0\"]").as_deref(), Some("Dev 1.0"));
        assert_eq!(value(b"  [White   \"\" ]  ").as_deref(), Some(""));
        assert_eq!(value(b"[White \"a \\\"b\\\" \\\\ c]\"]").as_deref(), Some("a \"b\" \\ c]"));
        assert_eq!(value("[White \"Jürgen\"]".as_bytes()).as_deref(), Some("Jürgen"));
        assert_eq!(value(b"[White \"J\xfcrgen\"]").as_deref(), Some("Jürgen"));
    }

    #[test]
    fn reads_tags_as_others_write_them() {
        assert_eq!(value(b"[White: \"Dev\"]").as_deref(), Some("Dev"));
        assert_eq!(value(b"[White \"The \"Big\" one\"]").as_deref(), Some("The \"Big\" one"));
        assert_eq!(value(b"[Site \"C:\\\"]").as_deref(), Some("C:\\"));
        assert_eq!(value(b"[White\"Dev\"]").as_deref(), Some("Dev"));
        let (tag, rest) = split(b"[White \"A\"] [Black \"B\"] 1. e4").unwrap();
        assert_eq!((tag.name, tag.quoted, rest), (&b"White"[..], &b"A"[..], &b"[Black \"B\"] 1. e4"[..]));
        assert_eq!(parse(b"[White \"A\"] [Black \"B\"]"), None, "two of them");
        assert!(
            begins(b"[White \"A") && begins(b" [White") && !begins(b"[%eval 1]") && !begins(b"[") && !begins(b"e4")
        );
    }

    #[test]
    fn refuses_what_is_no_tag() {
        for line in [&b"[White Dev]"[..], b"[White \"Dev]", b"[\"Dev\"]", b"White \"Dev\"", b"[%eval 0.3]", b"[]", b""]
        {
            assert_eq!(parse(line), None, "{line:?}");
        }
        assert_eq!(parse(b"[%clk \"1\"]"), None);
        assert_eq!(parse(b"[White \"]"), None);
    }
}
