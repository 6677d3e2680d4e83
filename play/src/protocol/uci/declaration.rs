//! Reads `option` lines of UCI leniently: `name ... type ... [default ...] [min ...] [max ...] [var ...]*`.

use super::super::option::{OptionDeclaration, OptionKind, text_default, truth};
use super::super::words::Words;

/// The parts of a declaration as written.
#[derive(Default)]
struct Parts<'a> {
    name: &'a str,
    kind: &'a str,
    default: Option<&'a str>,
    min: Option<&'a str>,
    max: Option<&'a str>,
    vars: Vec<&'a str>,
}

/// Reads the parts, in any order, after the word `option`; `None` without a name. Without a type, or with an unknown
/// type, the option accepts any text.
pub(super) fn read(mut words: Words<'_>) -> Option<OptionDeclaration> {
    let mut parts = Parts::default();
    while let Some(word) = words.next() {
        parts.read_part(word, &mut words);
    }
    let name = parts.name.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then(|| OptionDeclaration { name, kind: parts.kind() })
}

impl<'a> Parts<'a> {
    fn read_part(&mut self, part: &str, words: &mut Words<'a>) {
        match part {
            "name" => self.name = words.until(ends_name),
            "type" => self.kind = words.next().unwrap_or_default(),
            // A text may contain any words, and comes last.
            "default" if self.kind == "string" => self.default = Some(words.until(|_, _| false)),
            "default" => self.default = Some(words.until(ends_value)),
            "min" => self.min = Some(words.until(ends_value)),
            "max" => self.max = Some(words.until(ends_value)),
            "var" => self.vars.push(words.until(ends_value)),
            _ => {}
        }
    }

    fn kind(&self) -> OptionKind {
        let number = |text: Option<&str>| text.and_then(|text| text.parse().ok());
        match self.kind {
            "check" => OptionKind::Check { default: self.default.and_then(truth) },
            "spin" => OptionKind::Spin { default: number(self.default), min: number(self.min), max: number(self.max) },
            "combo" => OptionKind::Combo {
                default: self.default.map(str::to_owned),
                choices: self.vars.iter().map(|&choice| choice.to_owned()).collect(),
            },
            "button" => OptionKind::Button,
            _ => OptionKind::Text { default: self.default.map(text_default) },
        }
    }
}

/// Whether a word ends the name. A name may contain words that begin other parts; the text after them tells the two
/// apart.
fn ends_name(word: &str, after: &Words<'_>) -> bool {
    let value = after.peek().unwrap_or_default();
    match word {
        "type" => matches!(value, "check" | "spin" | "combo" | "button" | "string"),
        "default" | "min" | "max" => value.parse::<i64>().is_ok() || truth(value).is_some(),
        "var" => true,
        _ => false,
    }
}

fn ends_value(word: &str, _after: &Words<'_>) -> bool {
    matches!(word, "name" | "type" | "default" | "min" | "max" | "var")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(line: &str) -> (String, OptionKind) {
        let OptionDeclaration { name, kind } = read(Words::new(line)).expect("a declaration");
        (name, kind)
    }

    fn spin(default: i64, min: i64, max: i64) -> OptionKind {
        OptionKind::Spin { default: Some(default), min: Some(min), max: Some(max) }
    }

    #[test]
    fn every_kind() {
        let combo = OptionKind::Combo {
            default: Some("Very Risky".into()),
            choices: vec!["Solid".into(), "Very Risky".into()],
        };
        let text = |text: &str| OptionKind::Text { default: Some(text.into()) };
        for (line, name, kind) in [
            ("name Use Book type check default true", "Use Book", OptionKind::Check { default: Some(true) }),
            ("name Hash type spin default 16 min 1 max 1024", "Hash", spin(16, 1, 1024)),
            ("name Style type combo default Very Risky var Solid var Very Risky", "Style", combo),
            ("name Clear Hash type button", "Clear Hash", OptionKind::Button),
            ("name Path type string default <empty>", "Path", text("")),
            ("name Path type string default", "Path", text("")),
            ("name Path type string default /a b/max var", "Path", text("/a b/max var")),
        ] {
            assert_eq!(declared(line), (name.to_owned(), kind), "{line}");
        }
    }

    #[test]
    fn odd_orders_and_missing_parts() {
        for (line, name, kind) in [
            ("type spin max 9 min -9 default 0 name A  B", "A B", spin(0, -9, 9)),
            ("name A default 0 min -9 type spin max 9", "A", spin(0, -9, 9)),
            ("name min split depth type spin default 4 min 1 max 8", "min split depth", spin(4, 1, 8)),
            ("name type of max type spin default 4 min 1 max 8", "type of max", spin(4, 1, 8)),
            ("name A type spin min x", "A", OptionKind::Spin { default: None, min: None, max: None }),
            ("name A", "A", OptionKind::Text { default: None }),
            ("name A type check default yes", "A", OptionKind::Check { default: None }),
        ] {
            assert_eq!(declared(line), (name.to_owned(), kind), "{line}");
        }
        assert_eq!(read(Words::new("name type spin default 1")), None);
    }
}
