//! Commands of the protocol, as written to an engine.

use super::super::option::{OptionDeclaration, OptionKind};
use super::notation::RESULTS;
use stats::Score;
use std::fmt::{self, Display, Write};
use std::time::Duration;

/// A command to an engine. Texts are single lines; their white space at the ends is not kept.
///
/// The units on the wire are coarse. Times are rounded down to them, but only zero becomes 0: hundredths of a second
/// for `time` and `otim`, whole seconds for the base of `level`, and thousandths for its increment and for `st`
/// (written with a fraction only where there is one, as many engines read whole seconds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XboardCommand<'a> {
    /// `xboard`: the protocol begins.
    XBoard,
    /// `protover`: the protocol's version; asks for `feature` lines.
    Protover(u32),
    /// `accepted`: spar has noted the feature.
    Accepted(&'a str),
    /// `rejected`: the engine must do without the feature.
    Rejected(&'a str),
    /// `new`: a new game from the start, with the engine playing Black.
    New,
    /// `variant`: the rules to play by.
    Variant(&'a str),
    /// `setboard`: the position of this FEN.
    SetBoard(&'a str),
    /// `force`: play neither side, only accept moves.
    Force,
    /// `go`: play the side to move.
    Go,
    /// `usermove`: the opponent's move.
    UserMove(&'a str),
    /// The opponent's move without a command word.
    Move(&'a str),
    /// `ping`: asks for `pong` with the same number.
    Ping(u32),
    /// `time`: the time left on the engine's clock.
    Time(Duration),
    /// `otim`: the time left on the opponent's clock.
    OpponentTime(Duration),
    /// `level`: the time control.
    Level {
        /// Number of moves in `base`, 0 for the whole game.
        moves: u32,
        /// Time for those moves.
        base: Duration,
        /// The time added after each own move.
        increment: Duration,
    },
    /// `st`: time a move.
    MoveTime(Duration),
    /// `sd`: maximum depth in plies.
    Depth(u32),
    /// `memory`: megabytes for all tables.
    Memory(u32),
    /// `cores`: threads to use.
    Cores(u32),
    /// `option`: sets one of the engine's own options.
    Option {
        /// The option's name; must not contain `=`.
        name: &'a str,
        /// The value; none for a button.
        value: Option<&'a str>,
    },
    /// `post`: show thinking.
    Post,
    /// `easy`: do not ponder.
    Easy,
    /// `hard`: ponder.
    Hard,
    /// `draw`: the opponent offers a draw.
    Draw,
    /// `result`: the game is over.
    Result {
        /// White's score; `None` for `*`.
        white: Option<Score>,
        /// The reason; must not contain braces.
        comment: &'a str,
    },
    /// `quit`: end the process.
    Quit,
}

/// Commands that consist of one word.
const PLAIN: [(&str, XboardCommand<'static>); 9] = [
    ("xboard", XboardCommand::XBoard),
    ("new", XboardCommand::New),
    ("force", XboardCommand::Force),
    ("go", XboardCommand::Go),
    ("post", XboardCommand::Post),
    ("easy", XboardCommand::Easy),
    ("hard", XboardCommand::Hard),
    ("draw", XboardCommand::Draw),
    ("quit", XboardCommand::Quit),
];

impl<'a> XboardCommand<'a> {
    /// Sets an option to a value that [`OptionDeclaration::check`] accepts: on the wire a check is 0 or 1, and a button
    /// has no value.
    pub fn option(declared: &'a OptionDeclaration, value: &'a str) -> Self {
        let value = match (&declared.kind, value) {
            (OptionKind::Button, _) => None,
            (OptionKind::Check { .. }, "true") => Some("1"),
            (OptionKind::Check { .. }, "false") => Some("0"),
            _ => Some(value),
        };
        Self::Option { name: &declared.name, value }
    }

    /// Appends the command and a line break. Allocates only if `line` has too little room.
    pub fn write_line(&self, line: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(line, "{self}");
    }
}

impl Display for XboardCommand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protover(version) => write!(f, "protover {version}"),
            Self::Accepted(feature) => write!(f, "accepted {feature}"),
            Self::Rejected(feature) => write!(f, "rejected {feature}"),
            Self::Variant(name) => write!(f, "variant {name}"),
            Self::SetBoard(fen) => write!(f, "setboard {fen}"),
            Self::UserMove(mv) => write!(f, "usermove {mv}"),
            Self::Move(mv) => f.write_str(mv),
            Self::Ping(number) => write!(f, "ping {number}"),
            Self::Time(left) => write!(f, "time {}", units(*left, 10)),
            Self::OpponentTime(left) => write!(f, "otim {}", units(*left, 10)),
            Self::Level { moves, base, increment } => write_level(f, *moves, *base, *increment),
            Self::MoveTime(time) => {
                f.write_str("st ")?;
                write_seconds(f, *time)
            }
            Self::Depth(plies) => write!(f, "sd {plies}"),
            Self::Memory(megabytes) => write!(f, "memory {megabytes}"),
            Self::Cores(threads) => write!(f, "cores {threads}"),
            Self::Option { name, value: None } => write!(f, "option {name}"),
            Self::Option { name, value: Some(value) } => write!(f, "option {name}={value}"),
            Self::Result { white, comment } => write_result(f, *white, comment),
            plain => f.write_str(plain.word()),
        }
    }
}

impl XboardCommand<'_> {
    /// The word of a command that consists of one word; empty for other commands.
    fn word(&self) -> &'static str {
        PLAIN.iter().find(|(_, command)| command == self).map_or("", |(name, _)| name)
    }
}

fn write_level(f: &mut fmt::Formatter<'_>, moves: u32, base: Duration, increment: Duration) -> fmt::Result {
    let seconds = units(base, 1000);
    write!(f, "level {moves} {}", seconds / 60)?;
    if !seconds.is_multiple_of(60) {
        write!(f, ":{:02}", seconds % 60)?;
    }
    f.write_char(' ')?;
    write_seconds(f, increment)
}

/// Seconds, with a fraction only if there is one.
fn write_seconds(f: &mut fmt::Formatter<'_>, time: Duration) -> fmt::Result {
    let millis = units(time, 1);
    match (millis / 1000, millis % 1000) {
        (whole, 0) => write!(f, "{whole}"),
        (whole, tenths) if tenths.is_multiple_of(100) => write!(f, "{whole}.{}", tenths / 100),
        (whole, hundredths) if hundredths.is_multiple_of(10) => write!(f, "{whole}.{:02}", hundredths / 10),
        (whole, thousandths) => write!(f, "{whole}.{thousandths:03}"),
    }
}

fn write_result(f: &mut fmt::Formatter<'_>, white: Option<Score>, comment: &str) -> fmt::Result {
    let result = RESULTS.iter().find(|(_, score)| *score == white).map_or("*", |(text, _)| text);
    write!(f, "result {result} {{{comment}}}")
}

/// A time in units of this many milliseconds, rounded down, but to 0 only if it is zero.
fn units(time: Duration, milliseconds: u128) -> u128 {
    if time.is_zero() { 0 } else { (time.as_millis() / milliseconds).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn level(moves: u32, base: Duration, increment: Duration) -> XboardCommand<'static> {
        XboardCommand::Level { moves, base, increment }
    }

    #[test]
    fn lines_as_engines_know_them() {
        let mates = XboardCommand::Result { white: Some(Score::Win), comment: "White mates" };
        for (command, line) in [
            (XboardCommand::XBoard, "xboard"),
            (XboardCommand::Protover(2), "protover 2"),
            (XboardCommand::Move("e2e4"), "e2e4"),
            (XboardCommand::UserMove("P@e4"), "usermove P@e4"),
            (level(40, ms(300_000), ms(0)), "level 40 5 0"),
            (level(0, ms(30_000), ms(12_000)), "level 0 0:30 12"),
            (level(0, ms(65_000), ms(50)), "level 0 1:05 0.05"),
            (XboardCommand::MoveTime(ms(1_500)), "st 1.5"),
            (XboardCommand::MoveTime(ms(2_001)), "st 2.001"),
            (XboardCommand::Time(ms(12_340)), "time 1234"),
            (XboardCommand::OpponentTime(ms(10)), "otim 1"),
            (XboardCommand::Option { name: "A b", value: Some("c=d") }, "option A b=c=d"),
            (XboardCommand::Option { name: "Clear Hash", value: None }, "option Clear Hash"),
            (mates, "result 1-0 {White mates}"),
            (XboardCommand::Result { white: None, comment: "" }, "result * {}"),
            (XboardCommand::Quit, "quit"),
        ] {
            assert_eq!(command.to_string(), line);
        }
    }

    #[test]
    fn times_are_rounded_down_but_not_to_nothing() {
        let tiny = Duration::from_micros(1);
        assert_eq!(XboardCommand::Time(tiny).to_string(), "time 1");
        assert_eq!(XboardCommand::Time(ms(19)).to_string(), "time 1");
        assert_eq!(XboardCommand::Time(ms(0)).to_string(), "time 0");
        assert_eq!(level(0, ms(100), tiny).to_string(), "level 0 0:01 0.001");
        assert_eq!(level(0, ms(60_999), ms(0)).to_string(), "level 0 1 0");
    }

    #[test]
    fn options_are_written_as_their_kind_wants() {
        let written =
            |kind, value| XboardCommand::option(&OptionDeclaration { name: "A".into(), kind }, value).to_string();
        assert_eq!(written(OptionKind::Check { default: None }, "true"), "option A=1");
        assert_eq!(written(OptionKind::Check { default: None }, "false"), "option A=0");
        assert_eq!(written(OptionKind::Button, ""), "option A");
        assert_eq!(written(OptionKind::Text { default: None }, "true"), "option A=true");
    }
}
