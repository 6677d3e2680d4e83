//! Splits a command line in fastchess's syntax: `-name word word -name word`.

use crate::error::FastchessError;
use std::path::PathBuf;
use std::str::FromStr;

/// An option and the words that follow it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    /// Its name, without dashes.
    pub(super) name: &'a str,
    /// Its words.
    pub(super) words: &'a [String],
}

/// A `key=value` word.
#[derive(Clone, Debug)]
pub(super) struct Pair<'a> {
    /// The key.
    pub(super) key: &'a str,
    /// The value.
    pub(super) value: &'a str,
    /// The option and the word, for messages.
    pub(super) from: String,
}

/// Splits a command line into options.
///
/// # Errors
/// The command line does not begin with an option.
pub(super) fn split(words: &[String]) -> Result<Vec<Words<'_>>, FastchessError> {
    if let Some(first) = words.first().filter(|word| !is_option(word)) {
        return Err(FastchessError::usage(format!("`{first}`: expected an option such as `-engine cmd=./engine`")));
    }
    let groups = words.chunk_by(|_, next| !is_option(next));
    Ok(groups.map(|group| Words { name: group[0].trim_start_matches('-'), words: &group[1..] }).collect())
}

/// Whether a word is an option: a dash followed by a letter, since numbers may be negative.
fn is_option(word: &str) -> bool {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

impl<'a> Words<'a> {
    /// The option and its words as typed, but without quotes.
    pub(super) fn text(&self) -> String {
        let words = self.words.iter().map(String::as_str);
        std::iter::once(format!("-{}", self.name).as_str()).chain(words).collect::<Vec<_>>().join(" ")
    }

    /// The option's only word.
    pub(super) fn word(&self) -> Result<&'a str, FastchessError> {
        match self.words {
            [word] => Ok(word),
            _ => Err(self.expected("one word")),
        }
    }

    /// Checks that no word follows.
    pub(super) fn alone(&self) -> Result<(), FastchessError> {
        if self.words.is_empty() { Ok(()) } else { Err(self.expected("no word after it")) }
    }

    /// Like [`alone`](Self::alone), but returns the value of the flag.
    pub(super) fn is_alone(&self) -> Result<bool, FastchessError> {
        self.alone().map(|()| true)
    }

    /// The option's only word as a number; `what` describes the possible numbers.
    pub(super) fn number<T: FromStr>(&self, what: &str) -> Result<T, FastchessError> {
        self.word()?.trim().parse().map_err(|_| self.expected(what))
    }

    /// The option's words as `key=value`; refuses other keys than these.
    pub(super) fn pairs(&self, keys: &[&str]) -> Result<Vec<Pair<'a>>, FastchessError> {
        let pair = |word: &'a String| {
            let from = format!("-{} {word}", self.name);
            let expected = || FastchessError::usage(format!("`{from}`: expected {}", forms(keys)));
            let (key, value) = word.split_once('=').ok_or_else(expected)?;
            if !keys.contains(&key) {
                return Err(expected());
            }
            Ok(Pair { key, value, from })
        };
        self.words.iter().map(pair).collect()
    }

    /// Splits off a file's name at the beginning, as cutechess writes it, and returns it with the other words.
    pub(super) fn named_file(&self) -> (Option<&'a str>, Self) {
        match self.words {
            [path, rest @ ..] if !path.contains('=') => (Some(path), Self { words: rest, ..*self }),
            _ => (None, *self),
        }
    }

    /// The error for an unsuitable use of the option.
    pub(super) fn expected(&self, what: &str) -> FastchessError {
        FastchessError::usage(format!("`{}`: expected {what}", self.text()))
    }
}

/// `file=..., order=...`.
fn forms(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}=...`")).collect::<Vec<_>>().join(", ")
}

impl Pair<'_> {
    /// The value as a number; `what` describes the possible numbers.
    pub(super) fn number<T: FromStr>(&self, what: &str) -> Result<T, FastchessError> {
        self.value.parse().map_err(|_| self.expected(what))
    }

    /// The value as a switch.
    pub(super) fn switch(&self) -> Result<bool, FastchessError> {
        match self.value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.expected("`true` or `false`")),
        }
    }

    /// The value as a file's name, which must not be empty.
    pub(super) fn file_name(&self) -> Result<PathBuf, FastchessError> {
        if self.value.is_empty() { Err(self.expected("a file's name")) } else { Ok(self.value.into()) }
    }

    /// The error for an unsuitable word.
    pub(super) fn expected(&self, what: &str) -> FastchessError {
        FastchessError::usage(format!("`{}`: expected {what}", self.from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn negative_numbers_are_words() {
        let line = words("-engine cmd=a option.X=-5 -concurrency -2 --version");
        let given = split(&line).unwrap();
        let names: Vec<_> = given.iter().map(|given| (given.name, given.words.len())).collect();
        assert_eq!(names, [("engine", 2), ("concurrency", 1), ("version", 0)]);
        assert_eq!(given[1].number::<i64>("a number").unwrap(), -2);
    }

    #[test]
    fn refusals_show_what_was_typed() {
        let message = |line: &str| {
            let line = words(line);
            let given = match split(&line) {
                Ok(given) => given[0],
                Err(failure) => return failure.to_string(),
            };
            given.pairs(&["file", "order"]).unwrap_err().to_string()
        };
        assert_eq!(message("x -engine"), "`x`: expected an option such as `-engine cmd=./engine`");
        assert_eq!(message("-openings fil=x"), "`-openings fil=x`: expected `file=...`, `order=...`");
        assert_eq!(message("-openings x"), "`-openings x`: expected `file=...`, `order=...`");
    }
}
