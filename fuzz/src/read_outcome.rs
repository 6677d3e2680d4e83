//! The outcome of a reader for an input, and the rules for all outcomes.

/// The longest message, in bytes. A message may quote a line of its input, which the printer cuts, but it must not list
/// everything.
const LONGEST_MESSAGE: usize = 64 << 10;

/// The outcome of reading an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOutcome {
    /// The input was read. The text describes the content, such as counts: an input that changes the text is worth
    /// keeping.
    Read(String),
    /// The input was refused with this message.
    Refused(String),
}

impl ReadOutcome {
    /// The outcome of a result; `found` describes its value.
    pub fn of<T, E: std::fmt::Display>(result: Result<T, E>, found: impl FnOnce(T) -> String) -> Self {
        match result {
            Ok(value) => Self::Read(found(value)),
            Err(error) => Self::Refused(error.to_string()),
        }
    }

    /// Returns the outcome if its message is readable, else the error.
    pub(crate) fn checked(self) -> Result<Self, String> {
        let Self::Refused(message) = &self else { return Ok(self) };
        if message.trim().is_empty() {
            return Err("it is refused without a word".to_owned());
        }
        if message.len() > LONGEST_MESSAGE {
            let begin: String = message.chars().take(80).collect();
            return Err(format!("a message has {} bytes: {begin}", message.len()));
        }
        Ok(self)
    }

    /// The kind of the outcome.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Read(found) => format!("read: {}", buckets(found)),
            Self::Refused(message) => kind(message),
        }
    }
}

/// A message without its numbers and quoted words, which is equal for failures of one kind.
pub(crate) fn kind(message: &str) -> String {
    let (mut kind, mut rest) = (String::new(), message);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if matches!(c, '"' | '`') {
            kind.push(c);
            rest = rest.find(c).map_or(rest, |end| &rest[end + 1..]);
        } else if !c.is_ascii_digit() {
            kind.push(c);
        } else if !kind.ends_with('0') {
            kind.push('0');
        }
    }
    kind.chars().take(200).collect()
}

/// The text with each number reduced to its length.
fn buckets(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_digit() && c != '0' { '1' } else { c }).take(200).collect()
}
