//! Options of a UCI engine: its numbers are parameters, except those that match runners set. Its switches and choices
//! can be tuned, too, but most users only want the numbers.

use super::{Declared, LeftOut, Spelling, guessed};

use play::protocol::{OptionDeclaration, OptionKind, uci};
use tuner::{Kind, TunedParameter};

/// The most values of a category.
const MOST_VALUES: usize = 64;

/// Up to this value, an `f64` represents every integer exactly.
const LARGEST: i64 = 1 << 53;

/// Options that match runners set, by subject. Names are compared in lowercase, letters and digits only.
const OF_RUNNERS: [(&str, &[&str]); 9] = [
    (
        "memory",
        &[
            "hash",
            "hashsize",
            "hashmb",
            "mainhash",
            "ttsize",
            "ttmb",
            "evalhash",
            "pawnhash",
            "evalcache",
            "pawncache",
            "nncachesize",
            "clearhash",
            "neverclearhash",
            "largepages",
            "uselargepages",
        ],
    ),
    ("threads", &["threads", "threadcount", "cores", "cpus", "maxthreads", "numapolicy", "usenuma", "numa"]),
    ("pondering", &["ponder", "pondering"]),
    ("lines that are shown", &["multipv", "showwdl", "showrefutations", "showcurrline"]),
    ("clocks", &["nodestime"]),
    ("what is spoken and played", &["protocol", "variant", "chess960"]),
    ("endgame tables", &["tablebases", "usetablebases", "tbprobedepth", "tbprobelimit", "egtb", "usesyzygy"]),
    ("the engine's book", &["ownbook", "usebook", "usebooks", "book", "bestbookmove", "bookdepth", "bookvariety"]),
    (
        "logs and debugging",
        &[
            "log",
            "uselog",
            "writelog",
            "logfile",
            "loglevel",
            "debug",
            "debuglog",
            "debuglogfile",
            "writedebuglog",
            "verbose",
        ],
    ),
];

/// The same for prefixes of names.
const FAMILIES: [(&str, &[&str]); 2] =
    [("what is to be played, and how strongly", &["uci_"]), ("endgame tables", &["syzygy", "gaviota", "nalimov"])];

/// Reads all options of an engine.
pub(super) fn read(text: &str) -> Declared {
    let mut declared = Declared::none(Spelling::UciOptions);
    let mut names: Vec<String> = Vec::new();
    for line in text.lines() {
        let uci::Message::Option(option) = uci::Message::parse(line.trim()) else { continue };
        if names.iter().any(|name| name.eq_ignore_ascii_case(&option.name)) {
            declared.leave_out(&option.name, "it is declared twice");
            continue;
        }
        names.push(option.name.clone());
        match (parameter(&option), of_runner(&option.name)) {
            (Ok(parameter), Some(about)) => {
                let why = format!("match runners set it ({about})");
                declared.left_out.push(LeftOut { name: option.name, why, parameter: Some(parameter) });
            }
            (Ok(parameter), None) if is_number(&parameter) => declared.parameters.push(parameter),
            (Ok(parameter), None) => declared.aside.push(parameter),
            (Err(_), Some(about)) => declared.leave_out(&option.name, &format!("match runners set it ({about})")),
            (Err(why), None) => declared.leave_out(&option.name, &why),
        }
    }
    declared
}

fn is_number(parameter: &TunedParameter) -> bool {
    !matches!(parameter.kind, Kind::Boolean | Kind::Category)
}

/// Returns the subject of an option that match runners set.
fn of_runner(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let bare: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
    let is_known = |(_, names): &&(&str, &[&str])| names.contains(&bare.as_str());
    let begins = |(_, starts): &&(&str, &[&str])| starts.iter().any(|start| lower.starts_with(start));
    OF_RUNNERS.iter().find(is_known).or_else(|| FAMILIES.iter().find(begins)).map(|(about, _)| *about)
}

/// Converts an option to a parameter. The error says why it cannot be one.
fn parameter(option: &OptionDeclaration) -> Result<TunedParameter, String> {
    let name = &option.name;
    match &option.kind {
        OptionKind::Spin { min: Some(min), max: Some(max), .. } if *min < -LARGEST || *max > LARGEST => {
            Err("its range is larger than numbers are exact in".to_owned())
        }
        OptionKind::Spin { default: Some(default), min: Some(min), max: Some(max) } => {
            guessed(name, *default as f64, (*min as f64, *max as f64), None)
        }
        OptionKind::Spin { default: None, .. } => Err("its default is not a whole number".to_owned()),
        OptionKind::Spin { .. } => Err("it has no range".to_owned()),
        OptionKind::Check { default } => Ok(switch(name, default.unwrap_or(false))),
        OptionKind::Combo { default, choices } => category(name, default.as_deref(), choices),
        OptionKind::Button => Err("it is a button".to_owned()),
        OptionKind::Text { .. } => Err("it is a text".to_owned()),
    }
}

fn switch(name: &str, is_on: bool) -> TunedParameter {
    let (kind, start) = (Kind::Boolean, f64::from(u8::from(is_on)));
    TunedParameter { kind, start, min: 0.0, max: 1.0, step: 1.0, ..nothing(name) }
}

fn category(name: &str, default: Option<&str>, choices: &[String]) -> Result<TunedParameter, String> {
    let mut values: Vec<String> = Vec::new();
    let is_first = |choice: &&String| default.is_some_and(|default| choice.eq_ignore_ascii_case(default));
    for choice in choices.iter().find(is_first).into_iter().chain(choices) {
        if !choice.is_empty() && !values.iter().any(|known| known.eq_ignore_ascii_case(choice)) {
            values.push(choice.clone());
        }
    }
    match values.len() {
        0 | 1 => Err("it has fewer than two choices".to_owned()),
        2..=MOST_VALUES => {
            let max = (values.len() - 1) as f64;
            Ok(TunedParameter { kind: Kind::Category, max, step: 1.0, values, ..nothing(name) })
        }
        _ => Err(format!("it has more than {MOST_VALUES} choices")),
    }
}

fn nothing(name: &str) -> TunedParameter {
    super::number(name, Kind::Real, 0.0, (0.0, 0.0), 0.0)
}

#[cfg(test)]
mod tests {
    use super::super::DeclaredError;
    use super::super::tests::{names, rows};
    use super::*;

    const STOCKFISH: &str = "id name Stockfish 15.1\noption name Debug Log File type string default \n\
        option name Threads type spin default 1 min 1 max 1024\noption name Hash type spin default 16 min 1 max \
        33554432\n\
        option name Clear Hash type button\noption name Ponder type check default false\n\
        option name MultiPV type spin default 1 min 1 max 500\noption name Skill Level type spin default 20 min 0 max \
        20\n\
        option name Move Overhead type spin default 10 min 0 max 5000\noption name Slow Mover type spin default 100 \
        min 10 max 1000\n\
        option name nodestime type spin default 0 min 0 max 10000\noption name UCI_Elo type spin default 1350 min 1350 \
        max 2850\n\
        option name SyzygyProbeDepth type spin default 1 min 1 max 100\noption name Use NNUE type check default true\n\
        option name Contempt For type combo default Both var White var Both var Black\n\
        option name EvalFile type string default nn.nnue\nuciok\n";

    #[test]
    fn numbers_are_taken_but_for_what_runners_set() {
        let declared = Declared::read(STOCKFISH).expect("parameters");
        let numbers = [
            "Skill Level Integer 20 0 20 1",
            "Move Overhead Integer 10 0 5000 250",
            "Slow Mover Integer 100 10 1000 50",
        ];
        assert_eq!(rows(&declared), numbers);
        assert_eq!(names(&declared.aside), ["Use NNUE", "Contempt For"]);
        assert!(declared.aside[0].start > 0.0);
        assert_eq!(declared.aside[1].values, ["Both", "White", "Black"], "the default first");
        let why =
            |name: &str| declared.left_out.iter().find(|left_out| left_out.name == name).map(|one| one.why.as_str());
        for (name, reason) in [
            ("Debug Log File", "match runners set it (logs and debugging)"),
            ("Threads", "match runners set it (threads)"),
            ("Hash", "match runners set it (memory)"),
            ("Clear Hash", "match runners set it (memory)"),
            ("Ponder", "match runners set it (pondering)"),
            ("MultiPV", "match runners set it (lines that are shown)"),
            ("nodestime", "match runners set it (clocks)"),
            ("UCI_Elo", "match runners set it (what is to be played, and how strongly)"),
            ("SyzygyProbeDepth", "match runners set it (endgame tables)"),
            ("EvalFile", "it is a text"),
        ] {
            assert_eq!(why(name), Some(reason), "{name}");
        }
        assert_eq!(declared.left_out.len(), 10, "each is listed");
    }

    #[test]
    fn names_that_only_begin_alike_are_parameters() {
        let text = "option name HashMoveBonus type spin default 5 min 0 max 9\noption name log_scale type spin default \
            5 min 0 max 9\n\
                    option name ThreadsWeight type spin default 5 min 0 max 9\n";
        assert_eq!(
            names(&Declared::read(text).expect("parameters").parameters),
            ["HashMoveBonus", "log_scale", "ThreadsWeight"]
        );
    }

    #[test]
    fn what_is_asked_for_by_name_is_taken() {
        let only = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            Declared::read(STOCKFISH).expect("parameters").only(&names)
        };
        let declared = only(&["use nnue", "Hash", "Slow Mover"]).expect("all can be tuned");
        assert_eq!(names(&declared.parameters), ["Use NNUE", "Hash", "Slow Mover"]);
        assert!(declared.aside.is_empty() && declared.left_out.is_empty());
        assert_eq!(only(&["EvalFile"]).expect_err("a text").to_string(), "`EvalFile` cannot be tuned: it is a text");
        let unknown = only(&["SlowMover"]).expect_err("unknown").to_string();
        assert_eq!(unknown, "`SlowMover` is not declared: did you mean `Slow Mover`?");
    }

    #[test]
    fn odd_declarations_are_left_out_with_the_reason() {
        let text = "option name A type spin default 5 min 0 max 9\noption name a type spin default 5 min 0 max 9\n\
            option name B type spin default 5 min 6 max 9\noption name C type spin default 5 min 5 max 5\n\
            option name D type spin default x min 0 max 9\noption name E type spin default 5\noption name F type combo \
            default x var x\n\
            option name G type spin default 5 min 0 max 9223372036854775807\n";
        let declared = Declared::read(text).expect("A");
        assert_eq!(names(&declared.parameters), ["A"]);
        let why: Vec<_> = declared.left_out.iter().map(|one| format!("{}: {}", one.name, one.why)).collect();
        assert_eq!(
            why,
            [
                "a: it is declared twice",
                "B: parameter `B`: start 5 is outside 6..9",
                "C: parameter `C`: min 5 must be less than max 5",
                "D: its default is not a whole number",
                "E: it has no range",
                "F: it has fewer than two choices",
                "G: its range is larger than numbers are exact in",
            ]
        );
    }

    #[test]
    fn switches_alone_are_what_is_meant() {
        let declared = Declared::read("option name Use X type check default on\n").expect("a switch");
        assert_eq!((names(&declared.parameters), declared.parameters[0].start), (vec!["Use X"], 1.0));
        let nothing = Declared::read("option name Hash type spin default 16 min 1 max 64\noption name P type button\n");
        let Err(error @ DeclaredError::Nothing { .. }) = nothing else { panic!("{nothing:?}") };
        assert_eq!(
            error.to_string(),
            "none of the 2 that are declared as UCI options can be tuned:\n  Hash: match runners set it (memory)\n  P: \
                it is a button"
        );
    }
}
