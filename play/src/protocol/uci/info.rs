//! `info` lines. There are many a move, so each is read in one pass and nothing is copied.

use super::super::evaluation::Bound;
use super::super::words::Words;
use crate::{Evaluation, MoveInfo};
use std::time::Duration;

/// The content of an `info` line. Fields that are missing, or whose number does not parse, are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Info<'a> {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Depth of the deepest line searched, in plies.
    pub seldepth: Option<u32>,
    /// The number of the variation among several, from 1.
    pub multipv: Option<u32>,
    /// The evaluation, for the side to move.
    pub evaluation: Option<Evaluation>,
    /// Whether `evaluation` is exact.
    pub bound: Bound,
    /// Nodes searched in this move.
    pub nodes: Option<u64>,
    /// Time spent on this move, to the millisecond.
    pub time: Option<Duration>,
    /// Positions found in endgame tables.
    pub tbhits: Option<u64>,
    /// Fill level of the hash table, in thousandths.
    pub hashfull: Option<u32>,
    /// The principal variation: moves separated by white space.
    pub pv: Option<&'a str>,
}

/// A word that begins a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Depth,
    SelDepth,
    MultiPv,
    Centipawns,
    Mate,
    Bound(Bound),
    Nodes,
    Time,
    TbHits,
    HashFull,
    Pv,
    /// Free text up to the end of the line.
    String,
    /// A field that is not used, but ends a variation.
    Other,
}

impl Field {
    fn named(word: &str) -> Option<Self> {
        Some(match word {
            "depth" => Self::Depth,
            "seldepth" => Self::SelDepth,
            "multipv" => Self::MultiPv,
            "cp" => Self::Centipawns,
            "mate" => Self::Mate,
            "lowerbound" => Self::Bound(Bound::Lower),
            "upperbound" => Self::Bound(Bound::Upper),
            "nodes" => Self::Nodes,
            "time" => Self::Time,
            "tbhits" => Self::TbHits,
            "hashfull" => Self::HashFull,
            "pv" => Self::Pv,
            "string" => Self::String,
            "score" | "nps" | "wdl" | "currmove" | "currmovenumber" | "cpuload" | "sbhits" | "refutation"
            | "currline" => Self::Other,
            _ => return None,
        })
    }
}

impl<'a> Info<'a> {
    /// Reads the fields, in any order, after the word `info`. Skips words that belong to no field, and therefore also
    /// the text after an unknown or unused field name.
    pub(super) fn read(mut words: Words<'a>) -> Self {
        let mut info = Self::default();
        while let Some(word) = words.next() {
            if let Some(field) = Field::named(word) {
                info.read_field(field, &mut words);
            }
        }
        info
    }

    /// The search data in this line alone.
    pub fn to_move_info(&self) -> MoveInfo {
        MoveInfo {
            score: self.evaluation,
            depth: self.depth.unwrap_or_default(),
            seldepth: self.seldepth.unwrap_or_default(),
            nodes: self.nodes.unwrap_or_default(),
            tbhits: self.tbhits.unwrap_or_default(),
            hashfull: self.hashfull.unwrap_or_default(),
            time: self.time,
        }
    }

    fn read_field(&mut self, field: Field, words: &mut Words<'a>) {
        match field {
            Field::Depth => self.depth = words.parsed(),
            Field::SelDepth => self.seldepth = words.parsed(),
            Field::MultiPv => self.multipv = words.parsed(),
            Field::Centipawns => self.evaluation = words.parsed().map(Evaluation::Centipawns),
            Field::Mate => self.evaluation = words.parsed().map(Evaluation::Mate),
            Field::Bound(bound) => self.bound = bound,
            Field::Nodes => self.nodes = words.parsed(),
            Field::Time => self.time = words.parsed().map(Duration::from_millis),
            Field::TbHits => self.tbhits = words.parsed(),
            Field::HashFull => self.hashfull = words.parsed(),
            Field::Pv => self.pv = Some(words.until(|word, _| Field::named(word).is_some())),
            Field::String => drop(words.until(|_, _| false)),
            Field::Other => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(fields: &str) -> Info<'_> {
        Info::read(Words::new(fields))
    }

    #[test]
    fn a_full_line() {
        let line = "depth 12 seldepth 20 multipv 2 score cp -31 upperbound wdl 10 900 90 nodes 123456 nps 1000000 \
                    hashfull 17 tbhits 3 time 123 currmove e2e4 currmovenumber 1 pv e2e4 e7e5";
        let expected = Info {
            depth: Some(12),
            seldepth: Some(20),
            multipv: Some(2),
            evaluation: Some(Evaluation::Centipawns(-31)),
            bound: Bound::Upper,
            nodes: Some(123_456),
            time: Some(Duration::from_millis(123)),
            tbhits: Some(3),
            hashfull: Some(17),
            pv: Some("e2e4 e7e5"),
        };
        assert_eq!(info(line), expected);
    }

    #[test]
    fn a_variation_ends_at_the_next_field() {
        let read = info("pv e2e4  e7e5 wdl 1 2 3 depth 4 string depth 9 pv a2a3");
        assert_eq!((read.pv, read.depth), (Some("e2e4  e7e5"), Some(4)));
        assert_eq!(info("depth 1 pv").pv, Some(""));
    }

    #[test]
    fn bad_numbers_are_as_if_not_sent() {
        let read = info("depth x seldepth nodes 7 nps 1e6 time -5 score cp 99999999999 mate score cp 12 hashfull");
        let expected = Info { nodes: Some(7), evaluation: Some(Evaluation::Centipawns(12)), ..Info::default() };
        assert_eq!(read, expected);
        assert_eq!(info("score mate -3").evaluation, Some(Evaluation::Mate(-3)));
        assert_eq!(info("score lowerbound cp +5").bound, Bound::Lower);
    }
}
