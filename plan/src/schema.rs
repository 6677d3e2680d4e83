//! What a configuration can say: every key with what it is for and what it takes, made from the same declarations that
//! read it. Forms are made from it.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, forward_to_deserialize_any};
use std::fmt;

/// A key of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeySchema {
    /// As written.
    pub key: &'static str,
    /// What it is for.
    pub says: String,
    /// What it takes.
    #[serde(flatten)]
    pub takes: Takes,
}

/// What a key takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "takes", content = "of", rename_all = "kebab-case")]
pub enum Takes {
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Whole,
    /// Any number.
    Number,
    /// A text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list.
    List,
    /// Values of several kinds, such as a number or a word.
    Any,
    /// `[key]`, a section with keys of its own.
    Section(Vec<KeySchema>),
    /// `[[key]]`, any number of such sections.
    Sections(Vec<KeySchema>),
    /// `[key]` with names that others know, such as an engine's options.
    Names,
}

/// All keys of a configuration, in the order in which they are written.
pub fn schema() -> Vec<KeySchema> {
    <super::keys::Keys as super::section::Section>::schema()
}

/// The type of a plain value, as its deserializer declares it.
pub(super) fn takes<'de, T: Deserialize<'de>>() -> Takes {
    // No value is ever given, so that nothing can be read.
    T::deserialize(Probe).err().map_or(Takes::Any, |Asked(takes)| takes)
}

/// Reads nothing, and fails with what it was asked for.
struct Probe;

#[derive(Debug)]
struct Asked(Takes);

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Asked {}

impl de::Error for Asked {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self(Takes::Any)
    }
}

/// Answers a deserializer with the type that it asks for.
macro_rules! asked {
    ($($method:ident)* => $takes:expr) => {
        $(fn $method<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Asked> {
            Err(Asked($takes))
        })*
    };
}

impl<'de> Deserializer<'de> for Probe {
    type Error = Asked;

    asked!(deserialize_bool => Takes::Switch);
    asked!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 => Takes::Whole);
    asked!(deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 => Takes::Whole);
    asked!(deserialize_f32 deserialize_f64 => Takes::Number);
    asked!(deserialize_str deserialize_string => Takes::Text);
    asked!(deserialize_seq => Takes::List);
    asked!(deserialize_any => Takes::Any);

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, _visitor: V) -> Result<V::Value, Asked> {
        Err(Asked(Takes::List))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Asked> {
        Err(Asked(Takes::Word(variants)))
    }

    forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf option unit unit_struct newtype_struct tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'a>(keys: &'a [KeySchema], key: &str) -> &'a Takes {
        &keys.iter().find(|known| known.key == key).unwrap_or_else(|| panic!("no {key}")).takes
    }

    fn inside(takes: &Takes) -> &[KeySchema] {
        match takes {
            Takes::Section(keys) | Takes::Sections(keys) => keys,
            other => panic!("no section: {other:?}"),
        }
    }

    #[test]
    fn each_key_takes_what_it_is_read_from() {
        let all = schema();
        assert_eq!(*of(&all, "name"), Takes::Text);
        assert_eq!(*of(&all, "seed"), Takes::Whole);
        assert_eq!(*of(&all, "track"), Takes::Switch);
        assert_eq!(*of(&all, "executor"), Takes::Word(&["threads", "nats"]));
        let sprt = inside(of(&all, "sprt"));
        assert_eq!(*of(sprt, "elo1"), Takes::Number);
        assert_eq!(*of(sprt, "max_pairs"), Takes::Whole);
        assert_eq!(*of(sprt, "games"), Takes::Word(&["pairs", "single"]));
        assert_eq!(*of(inside(of(&all, "openings")), "plies"), Takes::Any);
        let fixed = inside(of(&all, "match"));
        assert_eq!(*of(fixed, "schedule"), Takes::Word(&["gauntlet", "round-robin", "pyramid", "swiss", "knockout"]));
        let entrant = inside(of(&all, "entrant"));
        assert!(matches!(of(&all, "entrant"), Takes::Sections(_)) && matches!(of(&all, "each"), Takes::Section(_)));
        assert_eq!((of(entrant, "params"), of(entrant, "args")), (&Takes::Names, &Takes::List));
    }

    #[test]
    fn every_key_says_what_it_is_for() {
        fn look(keys: &[KeySchema]) {
            for key in keys {
                assert!(key.says.ends_with('.') && !key.says.starts_with(' '), "{}: {:?}", key.key, key.says);
                if let Takes::Section(keys) | Takes::Sections(keys) = &key.takes {
                    look(keys);
                }
            }
        }
        look(&schema());
    }
}
