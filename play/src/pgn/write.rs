//! Writes PGN: tags and movetext as text, for any game whose moves are words.
//!
//! Follows the export format of the PGN standard: escaped tag values, lines of at most 80 columns. Unlike there, a
//! move's number is not repeated after a comment between its two plies: no reader needs it, and other match runners
//! leave it out. A ply and its comment stay on one line, however long that is: scripts read PGN by lines.

use crate::Side;
use std::fmt::Write as _;

/// The number of columns in a line of movetext.
const COLUMNS: usize = 80;

/// Appends a tag. Replaces line breaks and other control characters, which PGN does not have, by spaces.
pub fn tag(out: &mut String, name: &str, value: &str) {
    let value = printable(value).replace('\\', "\\\\").replace('"', "\\\"");
    let _a_string_takes_all = writeln!(out, "[{name} \"{value}\"]");
}

fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Movetext in the making.
pub struct Movetext<'a> {
    out: &'a mut String,
    column: usize,
    number: u32,
    side: Side,
    started: bool,
    /// The current ply, with its number and its comments, not written yet.
    unit: String,
}

impl<'a> Movetext<'a> {
    /// Starts before the first ply: `side` has to make move `number`.
    pub fn new(out: &'a mut String, number: u32, side: Side) -> Self {
        Self { out, column: 0, number, side, started: false, unit: String::new() }
    }

    /// Appends a ply.
    pub fn ply(&mut self, mv: &str) {
        self.write_unit();
        match self.side {
            Side::First => self.unit = format!("{}. {mv}", self.number),
            Side::Second if !self.started => self.unit = format!("{}... {mv}", self.number),
            Side::Second => mv.clone_into(&mut self.unit),
        }
        self.started = true;
        self.number += u32::from(self.side == Side::Second);
        self.side = !self.side;
    }

    /// Appends a comment; characters that would end it become a parenthesis.
    pub fn comment(&mut self, text: &str) {
        let text = printable(text).replace('{', "(").replace('}', ")");
        let apart = if self.unit.is_empty() { "" } else { " " };
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let _a_string_takes_all = write!(self.unit, "{apart}{{{words}}}");
    }

    /// Ends the game with its result.
    pub fn finish(mut self, result: &str) {
        self.write_unit();
        result.clone_into(&mut self.unit);
        self.write_unit();
        self.out.push('\n');
    }

    fn write_unit(&mut self) {
        let word = std::mem::take(&mut self.unit);
        if word.is_empty() {
            return;
        }
        let width = word.chars().count();
        if self.column > 0 {
            let fits = self.column + 1 + width <= COLUMNS;
            self.out.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.out.push_str(&word);
        self.column += width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_where_readers_need_them() {
        let mut out = String::new();
        let mut movetext = Movetext::new(&mut out, 5, Side::Second);
        for (mv, comment) in [("fxe6", "book"), ("d4", "+2.22/6 0.000s"), ("g5", "a } b\n{c")] {
            movetext.ply(mv);
            movetext.comment(comment);
        }
        movetext.finish("1-0");
        assert_eq!(out, "5... fxe6 {book} 6. d4 {+2.22/6 0.000s} g5 {a ) b (c} 1-0\n");
    }

    #[test]
    fn lines_are_at_most_80_columns_wide() {
        let mut out = String::new();
        let mut movetext = Movetext::new(&mut out, 1, Side::First);
        for _ in 0..100 {
            movetext.ply("Nf3");
            movetext.comment("+0.33/14 0.069s");
        }
        movetext.finish("*");
        assert!(out.lines().all(|line| line.len() <= COLUMNS && !line.ends_with(' ')), "{out}");
        assert!(out.lines().rev().skip(1).all(|line| line.len() > COLUMNS - 28), "{out}");
    }

    #[test]
    fn comments_are_not_broken() {
        let mut out = String::new();
        let mut movetext = Movetext::new(&mut out, 1, Side::First);
        let long = "+0.33/14 0.069s, ".repeat(9);
        movetext.comment("before the first ply");
        movetext.ply("Nf3");
        movetext.comment(&long);
        movetext.ply("Nf6");
        movetext.finish("*");
        assert_eq!(out, format!("{{before the first ply}}\n1. Nf3 {{{}}}\nNf6 *\n", long.trim_end()));
    }

    #[test]
    fn tag_values_are_escaped() {
        let mut out = String::new();
        tag(&mut out, "White", "a \"b\" \\ c\nd");
        assert_eq!(out, "[White \"a \\\"b\\\" \\\\ c d\"]\n");
    }
}
