//! Reads a line word by word without copying it. Each protocol interprets its words.

use std::str::FromStr;

/// The remaining words of a line, separated by ASCII white space.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    /// Begins and ends with a word, or is empty.
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.trim_ascii() }
    }

    /// The remaining text.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next word, without taking it.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Takes the next word if it reads as a `T`.
    pub(super) fn parsed<T: FromStr>(&mut self) -> Option<T> {
        let mut ahead = self.clone();
        let value = ahead.next()?.parse().ok()?;
        *self = ahead;
        Some(value)
    }

    /// Takes the text up to the first word for which `stops` returns true, given the word and the rest after it.
    pub(super) fn until(&mut self, stops: impl Fn(&str, &Self) -> bool) -> &'a str {
        let start = self.rest;
        let mut ahead = self.clone();
        while let Some(word) = ahead.next()
            && !stops(word, &ahead)
        {
            self.rest = ahead.rest;
        }
        let taken = start.len() - self.rest.len();
        start.get(..taken).unwrap_or_default().trim_ascii_end()
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(self.rest.len());
        let (word, tail) = self.rest.split_at(end);
        self.rest = tail.trim_ascii_start();
        Some(word)
    }
}
