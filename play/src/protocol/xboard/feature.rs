//! Features: the engine's requests at the start, and spar's answers.

use super::super::option::{OptionDeclaration, OptionKind, text_default};
use super::command::XboardCommand;
use std::collections::BTreeSet;

/// A feature as requested by an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature<'a> {
    /// The name.
    pub name: &'a str,
    /// The value, without quotes.
    pub value: &'a str,
}

impl<'a> Feature<'a> {
    /// The features of a line, after the word `feature`. Values may be quoted; words without `=` are skipped.
    pub fn read_all(line: &'a str) -> impl Iterator<Item = Self> {
        let mut rest = line;
        std::iter::from_fn(move || {
            let (before, after) = rest.split_once('=')?;
            let name = before.split_ascii_whitespace().next_back().unwrap_or_default();
            let (value, tail) = match after.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                None => after.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((after, "")),
            };
            rest = tail;
            Some(Self { name, value })
        })
    }
}

/// A feature that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    /// The engine answers `ping`.
    Ping,
    /// The engine accepts `setboard`; without it, positions can only be reached by moves.
    SetBoard,
    /// Moves must be written with `usermove`.
    UserMove,
    /// Moves must be written in standard algebraic notation.
    San,
    /// The engine wants `time` and `otim` before each of its moves.
    Time,
    /// The engine accepts `draw` offers.
    Draw,
    /// The engine survives an interrupt signal.
    SigInt,
    /// The engine survives a termination signal.
    SigTerm,
    /// The engine can play a second game in the same process.
    Reuse,
    /// The engine can analyse.
    Analyze,
    /// The engine accepts `nps`.
    Nps,
    /// The engine writes `#` comments.
    Debug,
    /// The engine accepts `memory`.
    Memory,
    /// The engine accepts `cores`.
    Smp,
}

/// Names and defaults, from the protocol's list of features.
const FLAGS: [(&str, Flag, bool); 14] = [
    ("ping", Flag::Ping, false),
    ("setboard", Flag::SetBoard, false),
    ("usermove", Flag::UserMove, false),
    ("san", Flag::San, false),
    ("time", Flag::Time, true),
    ("draw", Flag::Draw, true),
    ("sigint", Flag::SigInt, true),
    ("sigterm", Flag::SigTerm, true),
    ("reuse", Flag::Reuse, true),
    ("analyze", Flag::Analyze, true),
    ("nps", Flag::Nps, false),
    ("debug", Flag::Debug, false),
    ("memory", Flag::Memory, false),
    ("smp", Flag::Smp, false),
];

/// Features that spar does not support: an engine may turn them off, but not insist on them.
const NEVER_USED: [&str; 9] =
    ["colors", "ics", "name", "pause", "playother", "exclude", "setscore", "highlight", "xedit"];

/// How far an engine has come in declaring its features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// No `done` yet: an engine of version 1 never sends it, so wait for 2 seconds at most.
    Unsaid,
    /// `done=0`: the engine needs longer.
    Pending,
    /// `done=1`: all features are declared.
    Done,
}

/// The engine's capabilities and requests, as reported so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    flags: BTreeSet<Flag>,
    /// `myname`: the engine's name and version.
    pub name: Option<String>,
    /// `variants`: the games that the engine plays, by the protocol's names.
    pub variants: Vec<String>,
    /// The engine's own options.
    pub options: Vec<OptionDeclaration>,
    /// The state of `done`.
    pub handshake: Handshake,
}

impl Default for Features {
    /// The protocol's defaults, for an engine that declares nothing.
    fn default() -> Self {
        Self {
            flags: FLAGS.iter().filter(|(_, _, default)| *default).map(|(_, flag, _)| *flag).collect(),
            name: None,
            variants: vec!["normal".to_owned()],
            options: Vec::new(),
            handshake: Handshake::Unsaid,
        }
    }
}

impl Features {
    /// Whether a feature is on.
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// Applies a feature; returns the answer to send, `accepted` or `rejected`. A rejected feature changes nothing.
    pub fn apply<'a>(&mut self, feature: Feature<'a>) -> XboardCommand<'a> {
        match self.accept(feature) {
            Some(()) => XboardCommand::Accepted(feature.name),
            None => XboardCommand::Rejected(feature.name),
        }
    }

    /// The command that sends this move to the engine: the form depends on `usermove`.
    pub fn move_command<'a>(&self, mv: &'a str) -> XboardCommand<'a> {
        if self.has(Flag::UserMove) { XboardCommand::UserMove(mv) } else { XboardCommand::Move(mv) }
    }

    fn accept(&mut self, Feature { name, value }: Feature<'_>) -> Option<()> {
        match name {
            "myname" => self.name = Some(value.to_owned()),
            "variants" => self.variants = variants(value),
            "option" => self.declare(read_option(value)?),
            "done" => self.handshake = if switch(value)? { Handshake::Done } else { Handshake::Pending },
            _ if NEVER_USED.contains(&name) => return (!switch(value)?).then_some(()),
            _ => {
                let (_, flag, _) = FLAGS.iter().find(|(known, _, _)| *known == name)?;
                let on = switch(value)?;
                if on {
                    self.flags.insert(*flag)
                } else {
                    self.flags.remove(flag)
                };
            }
        }
        Some(())
    }

    /// Adds an option. A later declaration replaces an earlier one of the same name.
    fn declare(&mut self, option: OptionDeclaration) {
        self.options.retain(|known| known.name != option.name);
        self.options.push(option);
    }
}

fn switch(value: &str) -> Option<bool> {
    match value {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

fn variants(value: &str) -> Vec<String> {
    value.split(',').map(str::trim_ascii).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Reads `NAME -kind values`: the first `-` before a kind that the protocol knows ends the name.
fn read_option(text: &str) -> Option<OptionDeclaration> {
    text.match_indices(" -").find_map(|(at, mark)| {
        let (name, rest) = (text.get(..at)?.trim_ascii(), text.get(at + mark.len()..)?);
        let (kind, values) = rest.split_once(' ').unwrap_or((rest, ""));
        let kind = read_kind(kind, values.trim_ascii())?;
        (!name.is_empty()).then(|| OptionDeclaration { name: name.to_owned(), kind })
    })
}

fn read_kind(kind: &str, values: &str) -> Option<OptionKind> {
    let mut numbers = values.split_ascii_whitespace().map(|number| number.parse().ok());
    let mut number = || numbers.next().flatten();
    Some(match kind {
        "check" => OptionKind::Check { default: switch(values) },
        "spin" | "slider" => OptionKind::Spin { default: number(), min: number(), max: number() },
        "combo" => {
            let choices = || values.split("///").map(str::trim_ascii);
            OptionKind::Combo {
                default: choices().find_map(|choice| choice.strip_prefix('*')).map(str::to_owned),
                choices: choices().map(|choice| choice.strip_prefix('*').unwrap_or(choice).to_owned()).collect(),
            }
        }
        "button" | "save" | "reset" => OptionKind::Button,
        "string" | "file" | "path" => OptionKind::Text { default: Some(text_default(values)) },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The features after a line, and the answers to the line.
    fn applied(line: &str) -> (Features, Vec<String>) {
        let mut features = Features::default();
        let answers = Feature::read_all(line).map(|feature| features.apply(feature).to_string()).collect();
        (features, answers)
    }

    #[test]
    fn a_line_of_many() {
        let (features, answers) = applied(
            "ping=1 setboard=1 time=0 myname=\"A = b 1.0\" variants=\"normal, crazyhouse\" usermove=1 san=1 done=1",
        );
        assert_eq!(answers.len(), 8);
        assert!(answers.iter().all(|answer| answer.starts_with("accepted ")));
        assert!(features.has(Flag::Ping) && features.has(Flag::SetBoard) && !features.has(Flag::Time));
        assert!(features.has(Flag::San), "moves are written as it wants them");
        assert!(features.has(Flag::Reuse), "a default");
        assert_eq!(features.name.as_deref(), Some("A = b 1.0"));
        assert_eq!(features.variants, ["normal", "crazyhouse"]);
        assert_eq!(features.handshake, Handshake::Done);
        assert_eq!(features.move_command("e2e4"), XboardCommand::UserMove("e2e4"));
    }

    #[test]
    fn what_is_not_known_or_not_used_is_rejected() {
        let (features, answers) = applied("san=yes colors=0 colors=1 egt=\"syzygy\" ping=yes sigkill=0 stray done=0");
        let expected = [
            "rejected san",
            "accepted colors",
            "rejected colors",
            "rejected egt",
            "rejected ping",
            "rejected sigkill",
            "accepted done",
        ];
        assert_eq!(answers, expected);
        assert_eq!(features, Features { handshake: Handshake::Pending, ..Features::default() });
        assert_eq!(features.move_command("e2e4"), XboardCommand::Move("e2e4"));
    }

    #[test]
    fn unquoted_and_unfinished_values() {
        let (features, _) = applied("myname=Fish variants=\"a,b");
        assert_eq!((features.name.as_deref(), features.variants), (Some("Fish"), vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(Feature::read_all("nothing to see").count(), 0);
        assert_eq!(Feature::read_all("=").collect::<Vec<_>>(), [Feature { name: "", value: "" }]);
    }

    #[test]
    fn options_of_every_kind() {
        let text = |text: &str| OptionKind::Text { default: Some(text.into()) };
        let combo = OptionKind::Combo { default: Some("b c".into()), choices: vec!["a".into(), "b c".into()] };
        for (declared, name, kind) in [
            (
                "Multi-PV -x -spin 800 -200 1200",
                "Multi-PV -x",
                OptionKind::Spin { default: Some(800), min: Some(-200), max: Some(1200) },
            ),
            ("Resign -check 0", "Resign", OptionKind::Check { default: Some(false) }),
            ("Style -combo a /// *b c", "Style", combo),
            ("Clear Hash -button", "Clear Hash", OptionKind::Button),
            ("Dir -path .", "Dir", text(".")),
            ("Log -string ", "Log", text("")),
        ] {
            let expected = OptionDeclaration { name: name.to_owned(), kind };
            assert_eq!(applied(&format!("option=\"{declared}\"")).0.options, [expected], "{declared}");
        }
        let (features, answers) =
            applied("option=\"A -check 0\" option=\"A -check 1\" option=\"A\" option=\"A -odd 1\"");
        assert_eq!(
            features.options,
            [OptionDeclaration { name: "A".into(), kind: OptionKind::Check { default: Some(true) } }]
        );
        assert_eq!(answers[2..], ["rejected option", "rejected option"]);
    }
}
