//! Lines from an engine, classified.

use super::super::option::OptionDeclaration;
use super::super::words::Words;
use super::declaration;
use super::info::Info;

/// A line from an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// `id name`: the engine's name and version.
    Name(&'a str),
    /// `id author`.
    Author(&'a str),
    /// `option`: the declaration of an option.
    Option(OptionDeclaration),
    /// `uciok`: all options are declared.
    UciOk,
    /// `readyok`: the answer to `isready`.
    ReadyOk,
    /// `bestmove`: the end of a search.
    BestMove {
        /// The move as written, including a null move such as `(none)` or `0000`, which is not legal in any game. Empty
        /// if the engine wrote none.
        mv: &'a str,
        /// The move that the engine would ponder on.
        ponder: Option<&'a str>,
    },
    /// `info`: the progress of the search.
    Info(Info<'a>),
    /// Anything else: greetings, debugging output, garbage.
    Unknown(&'a str),
}

impl<'a> Message<'a> {
    /// Reads one line, with or without its line break.
    pub fn parse(line: &'a str) -> Self {
        let mut words = Words::new(line);
        let whole = words.rest();
        match words.next() {
            Some("info") => Self::Info(Info::read(words)),
            Some("bestmove") => best_move(words),
            Some("readyok") => Self::ReadyOk,
            Some("uciok") => Self::UciOk,
            Some("id") => match words.next() {
                Some("name") => Self::Name(words.rest()),
                Some("author") => Self::Author(words.rest()),
                _ => Self::Unknown(whole),
            },
            Some("option") => declaration::read(words).map_or(Self::Unknown(whole), Self::Option),
            _ => Self::Unknown(whole),
        }
    }
}

fn best_move(mut words: Words<'_>) -> Message<'_> {
    let mv = words.next().unwrap_or_default();
    let ponder = words.by_ref().find(|word| *word == "ponder").and_then(|_| words.next());
    Message::BestMove { mv, ponder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_moves() {
        for (line, mv, ponder) in [
            ("bestmove e2e4", "e2e4", None),
            (" bestmove\te7e8q  ponder a7a8q \r\n", "e7e8q", Some("a7a8q")),
            ("bestmove (none)", "(none)", None),
            ("bestmove 0000 ponder", "0000", None),
            ("bestmove", "", None),
            ("bestmove P@e4 extra words ponder e5", "P@e4", Some("e5")),
        ] {
            assert_eq!(Message::parse(line), Message::BestMove { mv, ponder }, "{line:?}");
        }
    }

    #[test]
    fn other_lines() {
        for (line, message) in [
            ("id name A  B 1.0 \r", Message::Name("A  B 1.0")),
            ("id author Ä", Message::Author("Ä")),
            ("id", Message::Unknown("id")),
            ("uciok", Message::UciOk),
            ("readyok\n", Message::ReadyOk),
            ("", Message::Unknown("")),
            ("bestmoves e2e4", Message::Unknown("bestmoves e2e4")),
            ("option type spin", Message::Unknown("option type spin")),
        ] {
            assert_eq!(Message::parse(line), message, "{line:?}");
        }
    }
}
