//! Lines from an engine, classified.

use super::super::words::Words;
use super::notation::{RESULTS, comment};
use super::thinking::Thinking;
use stats::Score;

/// A line from an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// `feature`: the text after the word, for [`Feature::read_all`](super::Feature::read_all).
    Features(&'a str),
    /// The engine's move, as `move M` or in one of the forms of version 1, `1. ... M` and `My move is: M`. Some engines
    /// send the same move in several forms.
    Move(&'a str),
    /// `Illegal move: M` or `Illegal move (reason): M`: the engine rejects a move sent to it.
    Illegal {
        /// The move.
        mv: &'a str,
        /// The reason, if the engine gives one.
        reason: Option<&'a str>,
    },
    /// `Error (reason): command`: the engine rejects a command.
    Error {
        /// The command.
        command: &'a str,
        /// The reason, if the engine gives one.
        reason: Option<&'a str>,
    },
    /// `resign`, to any recipient: also by `tellics`, to a server.
    Resign,
    /// `offer draw`.
    OfferDraw,
    /// The engine says that the game is over.
    Result {
        /// White's score; `None` for `*`.
        white: Option<Score>,
        /// The reason.
        comment: &'a str,
    },
    /// `tellusererror`: for instance the answer to a `setboard` that the engine cannot accept.
    UserError(&'a str),
    /// Messages to the user, the opponent or a server: `telluser`, `tellics` and the like, and `askuser`, which spar
    /// does not answer.
    Tell(&'a str),
    /// `pong`: the answer to `ping`.
    Pong(u32),
    /// Thinking output.
    Thinking(Thinking<'a>),
    /// `Hint: M`.
    Hint(&'a str),
    /// `#` and any text: for people who read the log.
    Comment(&'a str),
    /// Anything else.
    Unknown(&'a str),
}

impl<'a> Message<'a> {
    /// Reads one line, with or without its line break.
    pub fn parse(line: &'a str) -> Self {
        let whole = line.trim_ascii();
        let known = match whole.bytes().next() {
            Some(b'#') => whole.strip_prefix('#').map(|text| Self::Comment(text.trim_ascii())),
            Some(b'0'..=b'9' | b'*') => numeric(whole),
            Some(_) => wordy(whole),
            None => None,
        };
        known.unwrap_or(Self::Unknown(whole))
    }
}

/// Reads results, old-style moves and thinking output.
fn numeric(line: &str) -> Option<Message<'_>> {
    let thinking = || Thinking::read(Words::new(line)).map(Message::Thinking);
    result(line).or_else(|| old_move(line).map(Message::Move)).or_else(thinking)
}

/// Reads a result, and its comment.
fn result(line: &str) -> Option<Message<'_>> {
    let first = line.split(|c: char| c.is_ascii_whitespace() || c == '{').next()?;
    let (text, white) = *RESULTS.iter().find(|(text, _)| *text == first)?;
    let rest = line[text.len()..].trim_ascii();
    // Any kind of line may begin with a star.
    (white.is_some() || rest.is_empty() || rest.starts_with('{'))
        .then(|| Message::Result { white, comment: comment(rest) })
}

/// Reads `12. ... M`. Without the three dots the line echoes the move sent to the engine.
fn old_move(line: &str) -> Option<&str> {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let mv = after_number.trim_start_matches(['.', ' ']);
    let dots = after_number.bytes().take(after_number.len() - mv.len()).filter(|byte| *byte == b'.').count();
    Words::new(mv).next().filter(|_| dots >= 3)
}

fn wordy(line: &str) -> Option<Message<'_>> {
    let mut words = Words::new(line);
    Some(match words.next()? {
        "feature" => Message::Features(words.rest()),
        "move" => Message::Move(words.next()?),
        "pong" => Message::Pong(words.parsed()?),
        "resign" => Message::Resign,
        "offer" if words.peek() == Some("draw") => Message::OfferDraw,
        "tellusererror" => Message::UserError(words.rest()),
        "tellics" | "tellicsnoalias" => {
            let rest = words.rest();
            if rest.trim_ascii() == "resign" { Message::Resign } else { Message::Tell(rest) }
        }
        word if TELLS.contains(&word) => Message::Tell(words.rest()),
        word if word.eq_ignore_ascii_case("result") => result(words.rest())?,
        // In capitals it may begin a sentence.
        _ if RESIGNS.iter().any(|text| line.trim_end_matches(['.', '!']).eq_ignore_ascii_case(text)) => Message::Resign,
        _ if line.eq_ignore_ascii_case("offer draw") => Message::OfferDraw,
        _ => return phrase(line),
    })
}

const TELLS: [&str; 5] = ["telluser", "tellopponent", "tellothers", "tellall", "askuser"];

/// Words for resigning, in any case of letters.
const RESIGNS: [&str; 3] = ["resign", "resigns", "i resign"];

/// Reads lines that begin with more than one word, or with a word and a colon.
fn phrase(line: &str) -> Option<Message<'_>> {
    if let Some(rest) = after_prefix(line, "illegal move").or_else(|| after_prefix(line, "invalid move")) {
        let (before, rest) = complaint(rest).unwrap_or((None, rest));
        let mut words = Words::new(rest);
        let mv = words.next()?;
        // Some engines put the reason after the move.
        let behind = words.rest().strip_prefix('(').and_then(|reason| reason.strip_suffix(')'));
        return Some(Message::Illegal { mv, reason: before.or(behind) });
    }
    if let Some((reason, command)) = after_prefix(line, "error").and_then(complaint) {
        return Some(Message::Error { command, reason });
    }
    if let Some(rest) = after_prefix(line, "hint:") {
        return Some(Message::Hint(rest.trim_ascii()));
    }
    let mv = after_prefix(line, "my move is")?.trim_ascii_start().strip_prefix(':')?;
    Words::new(mv).next().map(Message::Move)
}

fn after_prefix<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = line.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Splits `: text` or `(reason): text`. A reason may contain brackets.
fn complaint(rest: &str) -> Option<(Option<&str>, &str)> {
    let rest = rest.trim_ascii_start();
    let Some(inside) = rest.strip_prefix('(') else { return Some((None, rest.strip_prefix(':')?.trim_ascii())) };
    inside.match_indices(')').find_map(|(at, _)| {
        let text = inside[at + 1..].trim_ascii_start().strip_prefix(':')?;
        Some((Some(inside[..at].trim_ascii()), text.trim_ascii()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line() {
        let result = |white, comment| Message::Result { white, comment };
        for (line, message) in [
            ("feature ping=1 done=1\r\n", Message::Features("ping=1 done=1")),
            ("move e7e5", Message::Move("e7e5")),
            ("1. ... e7e5", Message::Move("e7e5")),
            ("12...  O-O", Message::Move("O-O")),
            ("My move is: e7e5", Message::Move("e7e5")),
            ("My move is : e7e5", Message::Move("e7e5")),
            ("1. e2e4", Message::Unknown("1. e2e4")),
            ("Illegal move: e1e8", Message::Illegal { mv: "e1e8", reason: None }),
            ("Illegal move (in check):e1e8", Message::Illegal { mv: "e1e8", reason: Some("in check") }),
            ("Invalid move: foo", Message::Illegal { mv: "foo", reason: None }),
            ("Illegal move e1e8", Message::Illegal { mv: "e1e8", reason: None }),
            ("illegal move (no (such) piece) : e1e8", Message::Illegal { mv: "e1e8", reason: Some("no (such) piece") }),
            ("Illegal move: e1e8 (in check)", Message::Illegal { mv: "e1e8", reason: Some("in check") }),
            ("Illegal move", Message::Unknown("Illegal move")),
            ("Error: level 1", Message::Error { command: "level 1", reason: None }),
            ("ERROR (unknown command): nps 0", Message::Error { command: "nps 0", reason: Some("unknown command") }),
            ("Error (no (such) book): book x", Message::Error { command: "book x", reason: Some("no (such) book") }),
            ("Error (too many): level 1", Message::Error { command: "level 1", reason: Some("too many") }),
            ("Error in book", Message::Unknown("Error in book")),
            ("resign", Message::Resign),
            ("Resign", Message::Resign),
            ("RESIGN\r\n", Message::Resign),
            ("resign  ", Message::Resign),
            ("resign {White resigns}", Message::Resign),
            ("resigns", Message::Resign),
            ("I resign.", Message::Resign),
            ("tellics resign", Message::Resign),
            ("tellicsnoalias resign", Message::Resign),
            ("Resign threshold is 500", Message::Unknown("Resign threshold is 500")),
            ("resignation is off", Message::Unknown("resignation is off")),
            ("offer draw", Message::OfferDraw),
            ("offer  draw\r\n", Message::OfferDraw),
            ("Offer draw", Message::OfferDraw),
            ("offer", Message::Unknown("offer")),
            ("offer drawing", Message::Unknown("offer drawing")),
            ("1-0 {White mates}", result(Some(Score::Win), "White mates")),
            ("0-1", result(Some(Score::Loss), "")),
            ("1/2-1/2 {a {b}}", result(Some(Score::Draw), "a {b}")),
            ("* {aborted}", result(None, "aborted")),
            ("*", result(None, "")),
            ("* reading the book", Message::Unknown("* reading the book")),
            ("1-0 {White mates} in 31 moves", result(Some(Score::Win), "White mates")),
            ("1-0{White mates}", result(Some(Score::Win), "White mates")),
            ("0-1 Black mates", result(Some(Score::Loss), "Black mates")),
            ("1/2-1/2 {open", result(Some(Score::Draw), "open")),
            ("RESULT 1-0 {White mates}", result(Some(Score::Win), "White mates")),
            ("result 1/2-1/2", result(Some(Score::Draw), "")),
            ("RESULT unknown", Message::Unknown("RESULT unknown")),
            ("1-00", Message::Unknown("1-00")),
            ("tellall good game", Message::Tell("good game")),
            ("tellothers hi", Message::Tell("hi")),
            ("tellicsnoalias set 1 x", Message::Tell("set 1 x")),
            ("tellusererrors", Message::Unknown("tellusererrors")),
            ("askuser next Another game?", Message::Tell("next Another game?")),
            ("tellusererror Illegal position", Message::UserError("Illegal position")),
            ("tellics say hi", Message::Tell("say hi")),
            ("tellme", Message::Unknown("tellme")),
            ("pong 17", Message::Pong(17)),
            ("pong x", Message::Unknown("pong x")),
            ("Hint: e2e4", Message::Hint("e2e4")),
            ("# move e2e4", Message::Comment("move e2e4")),
            ("move", Message::Unknown("move")),
            ("", Message::Unknown("")),
            ("8 | *R |", Message::Unknown("8 | *R |")),
        ] {
            assert_eq!(Message::parse(line), message, "{line:?}");
        }
        assert!(matches!(Message::parse(" 2 -15 1 55 e5"), Message::Thinking(Thinking { depth: 2, pv: "e5", .. })));
    }
}
