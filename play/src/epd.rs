//! Parses a line of EPD into the fields of a position and the operations that follow them.
//!
//! An operation is an opcode and its operands, ended by `;`. Operands are words or quoted texts, which may contain `;`.
//! The last `;` may be missing. Callers decide which opcodes they use.
//!
//! Source: "Portable Game Notation Specification and Implementation Guide" (Edwards, 1994), section 16.2.

/// The number of position fields in every line: in EPD the board, the side to move, castling rights and the en passant
/// square; in a 0.1 position rows, hands, side to move and plies.
pub const FIELDS: usize = 4;

/// Characters other than a blank that end the last field of a position: other programs write `KQkq -;` and `- 0 1;1-0`.
const ENDS: [char; 5] = [';', '|', ',', '[', '"'];

/// The first `count` fields of a line without blanks around them, and the rest; `None` if there are fewer.
pub fn after_fields(line: &str, count: usize) -> Option<(&str, &str)> {
    let mut rest = line;
    for field in 1..=count {
        rest = rest.trim_start();
        let ends = |c: char| c.is_whitespace() || field >= FIELDS && ENDS.contains(&c);
        let end = rest.find(ends).unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        rest = &rest[end..];
    }
    Some((line[..line.len() - rest.len()].trim(), rest))
}

/// A word of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The text, without quotes.
    pub text: &'a str,
    /// Whether the word stood in quotes.
    pub is_quoted: bool,
}

/// The words up to a `;`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation<'a> {
    /// All words, the opcode first if there is one.
    pub words: Vec<Word<'a>>,
}

impl<'a> Operation<'a> {
    /// The opcode: the first word, if it begins with a letter and is not in quotes.
    pub fn opcode(&self) -> Option<&'a str> {
        let first = self.words.first().filter(|word| !word.is_quoted)?.text;
        first.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(first)
    }

    /// The words after the opcode.
    pub fn operands(&self) -> &[Word<'a>] {
        self.words.get(1..).unwrap_or_default()
    }
}

/// The operations of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations<'a> {
    /// The operations in their order, without those that have no word.
    pub all: Vec<Operation<'a>>,
    /// Whether the line ends within quotes.
    pub has_open_quote: bool,
}

impl<'a> Operations<'a> {
    /// Reads the text that follows a position.
    pub fn read(text: &'a str) -> Self {
        let (mut operations, mut words, mut rest) = (Self::default(), Vec::new(), text);
        loop {
            rest = rest.trim_start();
            let Some(first) = rest.chars().next() else { break };
            if first == ';' {
                operations.add(&mut words);
                rest = &rest[1..];
                continue;
            }
            let is_quoted = first == '"';
            let word = if is_quoted { &rest[1..] } else { rest };
            let end = if is_quoted { word.find('"') } else { word.find(|c: char| c.is_whitespace() || c == ';') };
            operations.has_open_quote |= is_quoted && end.is_none();
            let end = end.unwrap_or(word.len());
            words.push(Word { text: &word[..end], is_quoted });
            rest = word.get(end + usize::from(is_quoted)..).unwrap_or_default();
        }
        operations.add(&mut words);
        operations
    }

    fn add(&mut self, words: &mut Vec<Word<'a>>) {
        if !words.is_empty() {
            self.all.push(Operation { words: std::mem::take(words) });
        }
    }

    /// The first operand of the first operation with this opcode.
    pub fn operand(&self, opcode: &str) -> Option<&'a str> {
        let operation = self.all.iter().find(|operation| operation.opcode() == Some(opcode))?;
        operation.operands().first().map(|word| word.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Each operation as its words, quoted ones with their quotes.
    fn read(text: &str) -> Vec<Vec<String>> {
        let shown = |word: &Word<'_>| if word.is_quoted { format!("\"{}\"", word.text) } else { word.text.to_owned() };
        Operations::read(text).all.iter().map(|operation| operation.words.iter().map(shown).collect()).collect()
    }

    #[test]
    fn quotes_hide_semicolons() {
        assert_eq!(read(" id \"ERET; 1-0\"; c9 \"1-0\";"), [["id", "\"ERET; 1-0\""], ["c9", "\"1-0\""]]);
        assert_eq!(
            read("bm Nf3 e4;pv e4 e5 ; ; id \"\""),
            [vec!["bm", "Nf3", "e4"], vec!["pv", "e4", "e5"], vec!["id", "\"\""]]
        );
        assert_eq!(read("c0 \"a\"\"b\"; x\"y 1"), [vec!["c0", "\"a\"", "\"b\""], vec!["x\"y", "1"]]);
        assert_eq!(read(" ; "), Vec::<Vec<String>>::new());
        assert!(!Operations::read("id \"a\"").has_open_quote);
        let open = Operations::read("c9 \"1-0; ce 5;");
        assert!(open.has_open_quote);
        assert_eq!((open.all.len(), open.operand("c9"), open.operand("ce")), (1, Some("1-0; ce 5;"), None));
    }

    #[test]
    fn opcodes_are_words_without_quotes() {
        let operations = Operations::read("\"1-0\"; 0.5; [1.0]; c9 \"0-1\"; hmvc 5");
        let opcodes: Vec<_> = operations.all.iter().map(Operation::opcode).collect();
        assert_eq!(opcodes, [None, None, None, Some("c9"), Some("hmvc")]);
        assert_eq!((operations.operand("hmvc"), operations.operand("c9")), (Some("5"), Some("0-1")));
    }

    #[test]
    fn the_last_field_ends_at_what_others_put_behind_it() {
        for (line, fields, rest) in [
            ("8/K1k5 w KQkq -", "8/K1k5 w KQkq -", ""),
            (" 8/K1k5  w - - ; 1-0", "8/K1k5  w - -", " ; 1-0"),
            ("8/K1k5 w KQkq -; id", "8/K1k5 w KQkq -", "; id"),
            ("8/K1k5[] w - e3[0.5]", "8/K1k5[] w - e3", "[0.5]"),
            ("8/K1k5 w - -|34|0.5", "8/K1k5 w - -", "|34|0.5"),
        ] {
            assert_eq!(after_fields(line, FIELDS), Some((fields, rest)), "{line}");
        }
        assert_eq!(after_fields("8/K1k5 w - - 0 1;1-0", 6), Some(("8/K1k5 w - - 0 1", ";1-0")));
        assert_eq!(after_fields("8/K1k5 w -", FIELDS), None);
        assert_eq!(after_fields("8/K1k5 w - ;", FIELDS), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[ac\"; é]{0,12}") {
            let operations = Operations::read(&text);
            let count: usize = operations.all.iter().map(|operation| operation.words.len()).sum();
            prop_assert!(count <= text.len());
        }
    }
}
