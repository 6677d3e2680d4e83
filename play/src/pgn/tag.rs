//! One tag: a line `[Name "value"]`.

/// A tag's name, and its value as it stands between the quotes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    quoted: &'a [u8],
}

impl Tag<'_> {
    /// The value: most tags are of no interest, so it is decoded only on demand.
    pub(super) fn value(&self) -> String {
        text(&unescaped(self.quoted))
    }
}

/// Reads a line as a tag; `None` if it is none.
pub(super) fn parse(line: &[u8]) -> Option<Tag<'_>> {
    let inner = line.trim_ascii().strip_prefix(b"[")?.strip_suffix(b"]")?;
    let name_end = inner.iter().position(u8::is_ascii_whitespace)?;
    let (name, rest) = inner.split_at(name_end);
    let quoted = rest.trim_ascii().strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    (!name.is_empty() && name.iter().all(is_name)).then_some(Tag { name, quoted })
}

/// `\"` and `\\` stand for a quote and a backslash.
fn unescaped(quoted: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = if byte == b'\\' { bytes.next_if(|next| matches!(next, b'"' | b'\\')) } else { None };
        value.push(escaped.unwrap_or(byte));
    }
    value
}

/// Old files are in Latin-1, which hardly ever is valid UTF-8 by chance.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn refuses_what_is_no_tag() {
        for line in [&b"[White Dev]"[..], b"[White \"Dev]", b"[\"Dev\"]", b"White \"Dev\"", b"[%eval 0.3]", b"[]", b""]
        {
            assert_eq!(parse(line), None, "{line:?}");
        }
        assert_eq!(parse(b"[%clk \"1\"]"), None);
        assert_eq!(parse(b"[White \"]"), None);
    }
}
