//! `spar init`: writes a commented configuration for one engine. `spar patch`, `spar regress` and `spar tune` accept it
//! unchanged.

use super::params::{asked, program};
use super::print;
use crate::args::Init;
use crate::failure::{Exit, Failure};
use anyhow::{Context, anyhow};
use arena::config::Job;
use plan::names::{file_stem, names_an_entrant};
use plan::{Built, Contest, Disk, RunPlan};
use play::protocol::{OptionDeclaration, OptionKind, uci};
use session::declared::{Declared, Program};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, IsTerminal, Write as _};
use std::path::{Path, PathBuf};

/// The default time control.
const CLOCK: &str = "8+0.08";
/// The word for random plies in place of a book.
const NO_BOOK: &str = "none";
/// The pairs of a tuning session, and the fewest for each parameter.
const PAIRS: (usize, usize) = (20_000, 1_000);
/// Options that are set to the same value for all engines of a test, if the engine has them.
const SET: [(&str, i64); 2] = [("Hash", 16), ("Threads", 1)];

/// The settings that go into the file.
struct Answers {
    engine: String,
    program: Program,
    build: Build,
    clock: String,
    book: Option<String>,
}

/// How the engine is built.
struct Build {
    command: String,
    binary: String,
    /// Whether the command or the program is a guess.
    is_guess: bool,
}

pub(crate) fn init(init: &Init) -> Result<Exit, Failure> {
    let out = &init.out;
    if out.exists() && !init.force {
        let message = format!("{} exists: --force replaces it, and --out names another file", out.display());
        return Err(Failure::usage(message));
    }
    let answers = answers(init)?;
    let output = asked(&answers.program)?;
    let options = options(&output);
    let declared = Declared::read(&output).ok();
    let text = text(init, &answers, &options, declared.as_ref());
    check(&text, declared.is_some())?;
    write(out, &text, init.force)?;
    let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
    say!("{} has {} UCI options: {}", answers.engine, names.len(), names.join(", "));
    if answers.build.is_guess {
        say!("`[build]` is a guess: look at its `command` and `binary` before you run `spar patch`.");
    }
    if declared.is_none() {
        say!("None of these options can be tuned, so the file has no `[tune]` section.");
    }
    print(format_args!("wrote {}\n\n{}", out.display(), commands(init, &answers, declared.is_some())))?;
    Ok(Exit::Done)
}

/// The settings: given, answered at the terminal, or the defaults if there is no terminal.
fn answers(init: &Init) -> Result<Answers, Failure> {
    let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let or_ask = |given: &Option<String>, question: &str, usual: Option<&str>| match (given, usual) {
        (Some(given), _) => Ok(given.clone()),
        (None, _) if asks => ask(question, usual),
        (None, Some(usual)) => Ok(usual.to_owned()),
        (None, None) => Err(Failure::usage("which engine? Give --engine COMMAND, e.g. --engine ./src/engine")),
    };
    let engine = or_ask(&init.engine, "The engine, as a command line", None)?;
    let program = program(&engine)?;
    let guess = guess(&init.repo, &program.command);
    let command = or_ask(&init.build, "The command that builds it", Some(&guess.command))?;
    let binary =
        or_ask(&init.binary, "The program that this makes, from the top of the repository", Some(&guess.binary))?;
    let clock = or_ask(&init.tc, "The time control", Some(CLOCK))?;
    let book = or_ask(&init.openings, "A book of openings, or none", Some(NO_BOOK))?;
    let is_guess = !asks && (init.build.is_none() || init.binary.is_none() && !guess.is_found);
    let build = Build { command, binary, is_guess };
    Ok(Answers { engine, program, build, clock, book: (book != NO_BOOK).then_some(book) })
}

/// Asks at the terminal. An empty line selects the default; without a default, the question is repeated.
fn ask(question: &str, usual: Option<&str>) -> Result<String, Failure> {
    loop {
        let usual_words = usual.map(|usual| format!(" [{usual}]")).unwrap_or_default();
        eprint!("{question}{usual_words}: ");
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line).context("cannot read your answer").map_err(Failure::Usage)?;
        match (line.trim(), usual) {
            ("", Some(usual)) => return Ok(usual.to_owned()),
            ("", None) if read == 0 => return Err(Failure::Interrupted),
            ("", None) => {}
            (answer, _) => return Ok(answer.to_owned()),
        }
    }
}

/// A guess at how an engine is built.
struct Guess {
    command: String,
    binary: String,
    /// Whether the program exists in the repository.
    is_found: bool,
}

/// Guesses the build from the files at the top of the repository.
fn guess(repository: &Path, program: &str) -> Guess {
    let here = fs_err::canonicalize(repository).unwrap_or_else(|_| repository.to_owned());
    let top = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here);
    let has = |name: &str| top.join(name).is_file();
    let command = if has("Cargo.toml") {
        "cargo build --release --target-dir target"
    } else if has("src/Makefile") {
        "make -C src -j"
    } else {
        "make -j"
    };
    let path = fs_err::canonicalize(program).ok();
    let within = path.as_deref().and_then(|path| path.strip_prefix(top).ok()).map(|path| path.display().to_string());
    let binary = within.clone().unwrap_or_else(|| file_stem(program).to_owned());
    Guess { command: command.to_owned(), binary, is_found: within.is_some() }
}

/// The options that an engine declares.
fn options(output: &str) -> Vec<OptionDeclaration> {
    let option = |line: &str| match uci::Message::parse(line.trim()) {
        uci::Message::Option(option) => Some(option),
        _ => None,
    };
    output.lines().filter_map(option).collect()
}

/// A text as a TOML string.
fn quoted(text: &str) -> toml::Value {
    toml::Value::from(text)
}

/// The commands that accept the file, with the purpose of each.
fn commands(init: &Init, answers: &Answers, can_tune: bool) -> String {
    let file = shell_word(&init.out.display().to_string());
    let repo = if init.repo == Path::new(".") {
        String::new()
    } else {
        format!(" --repo {}", shell_word(&init.repo.display().to_string()))
    };
    let mut words = vec![shell_word(&answers.program.command)];
    if !answers.program.arguments.is_empty() {
        words.push("--".to_owned());
        words.extend(answers.program.arguments.iter().map(|word| shell_word(word)));
    }
    let mut rows = vec![
        (format!("spar check {}", words.join(" ")), "does the engine follow UCI?"),
        (format!("spar patch {file} --base main --dev worktree{repo}"), "is a change an improvement?"),
        (format!("spar regress {file} --against v1.0{repo}"), "is it weaker than a release?"),
    ];
    if can_tune {
        rows.push((format!("spar tune {file}"), "which values of its options are better?"));
    }
    let width = rows.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    rows.iter().map(|(command, says)| format!("  {command:<width$}   {says}")).collect::<Vec<_>>().join("\n")
}

/// A word as typed in a shell.
fn shell_word(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

/// The text of the file.
fn text(init: &Init, answers: &Answers, options: &[OptionDeclaration], declared: Option<&Declared>) -> String {
    let mut text = "# Written by `spar init`. Commands that take this file:\n#\n".to_owned();
    text.extend(commands(init, answers, declared.is_some()).lines().map(|line| format!("# {line}\n")));
    text.push_str("#\n# `--set KEY=VALUE` replaces a value, e.g. --set sprt.elo1=3. Unknown keys are errors.\n\n");
    text.push_str("game = \"chess\"\n");
    text.push_str(&build(&answers.build));
    text.push_str(SPRT);
    text.push_str(&openings(answers.book.as_deref()));
    text.push_str(&each(answers, options));
    if let Some(declared) = declared {
        text.push_str(&tune(answers, declared));
    }
    text
}

fn build(build: &Build) -> String {
    let remark = if build.is_guess { "# These two lines are a guess.\n" } else { "" };
    format!(
        "\n# How to build the engine from a commit. The paths start at the top of the git repository.\n\
         [build]\n{remark}command = {}\nbinary = {}\n\
         # keep = [\"nets/net.bin\"]           # files that the engine needs when it runs\n\
         # bench = \"bench\"                   # its arguments for a bench that prints its signature, in a line with\n\
         # signature = \"Nodes searched : {{}}\"   # {{}} instead of the number\n",
        quoted(&build.command),
        quoted(&build.binary)
    )
}

const SPRT: &str = "
# The test of `spar patch`: H1 says that the change gains elo1, H0 that it gains elo0, in nElo.
# `spar plan --presets` lists other bounds, and how many games each takes. For one of them, write
# `preset` instead of both bounds. `spar regress` uses -5 and 0.
[sprt]
elo0 = 0
elo1 = 5
# max_pairs = 40000               # end undecided after this many pairs
";

fn openings(book: Option<&str>) -> String {
    match book {
        Some(book) => format!("\n[openings]\nfile = {}\n", quoted(book)),
        None => "\n# Random plies. A book is better: file = \"book.epd\" instead of these two lines.\n[openings]\n\
                 source = \"random\"\nplies = 8\n"
            .to_owned(),
    }
}

/// The section `[each]`, with those of the engine's options that should be equal for all engines of a test.
fn each(answers: &Answers, options: &[OptionDeclaration]) -> String {
    let mut text = format!(
        "\n# Settings of all engines. [dev] and [base] can override them for one side of `spar patch`.\n[each]\n\
         limit = {}\n",
        quoted(&answers.clock)
    );
    if !answers.program.arguments.is_empty() {
        let arguments: Vec<toml::Value> = answers.program.arguments.iter().map(|word| quoted(word)).collect();
        let _infallible = writeln!(text, "args = {}", toml::Value::from(arguments));
    }
    let takes = |name: &str, value: i64| {
        let is_one = |option: &&OptionDeclaration| option.name.eq_ignore_ascii_case(name);
        options.iter().find(is_one).filter(|option| match option.kind {
            OptionKind::Spin { min, max, .. } => {
                min.is_none_or(|min| min <= value) && max.is_none_or(|max| value <= max)
            }
            _ => false,
        })
    };
    let set: Vec<String> =
        SET.iter().filter_map(|(name, value)| Some(format!("{} = {value}", takes(name, *value)?.name))).collect();
    if !set.is_empty() {
        let _infallible = writeln!(text, "options = {{ {} }}", set.join(", "));
    }
    let _infallible = writeln!(text, "# The engine declares these options:");
    for option in options {
        let _infallible = writeln!(text, "#   {}", in_words(option));
    }
    text
}

/// An option on one line: its name and its values.
fn in_words(option: &OptionDeclaration) -> String {
    let number = |number: &Option<i64>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
    let says = match &option.kind {
        OptionKind::Check { default } => format!("true or false, default {}", default.unwrap_or(false)),
        OptionKind::Spin { default, min, max } => {
            format!("{} to {}, default {}", number(min), number(max), number(default))
        }
        OptionKind::Combo { choices, .. } => format!("one of {}", choices.join(", ")),
        OptionKind::Button => "a button".to_owned(),
        OptionKind::Text { .. } => "text".to_owned(),
    };
    let line = format!("{}: {says}", option.name);
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The section `[tune]` and the tuned engine.
fn tune(answers: &Answers, declared: &Declared) -> String {
    let stem = file_stem(&answers.program.command);
    let name = if names_an_entrant(stem) { stem } else { "engine" };
    format!(
        "\n# What `spar tune` tunes, and in how many pairs. Delete the parameters that you do not want to tune; ranges \
        and\n\
         # steps that the engine does not declare are guesses.\n[tune]\npairs = {}\n{}\n\
         # The engine that is tuned. `spar patch` and `spar regress` build theirs.\n[[entrant]]\nname = {}\ncmd = {}\n",
        PAIRS.0.max(PAIRS.1 * declared.parameters.len()),
        declared.tuned(),
        quoted(name),
        quoted(&answers.program.command),
    )
}

/// Resolves the text for the commands that will read it, since the given settings may be unusable.
fn check(text: &str, can_tune: bool) -> Result<(), Failure> {
    let plan = RunPlan::read(text, "the new file", "spar", &[], None, Disk)?;
    let built = |id: &str| Built {
        program: PathBuf::from("engine"),
        directory: None,
        id: id.to_owned(),
        subject: String::new(),
        time: 0,
    };
    let (dev, base) = (built("1"), built("2"));
    let contest = Contest { dev: ("dev", &dev), base: ("base", &base), bounds: None };
    plan.test_of_builds(&contest)?.resolve(Job::Sprt)?;
    if can_tune {
        plan.resolve(Job::Tune)?;
    }
    Ok(())
}

/// Writes the file. Keeps a file that has appeared in the meantime, unless `force` is set.
fn write(out: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let opened = if force {
        OpenOptions::new().write(true).create(true).truncate(true).open(out)
    } else {
        OpenOptions::new().write(true).create_new(true).open(out)
    };
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::AlreadyExists | ErrorKind::IsADirectory => {
            Failure::Usage(anyhow!("cannot write {}: {error}", out.display()))
        }
        _ => Failure::Environment(anyhow!("cannot write {}: {error}", out.display())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_is_guessed_by_what_the_repository_has() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        std::fs::create_dir_all(top.join(".git")).unwrap();
        std::fs::create_dir_all(top.join("src")).unwrap();
        let program = top.join("src/engine");
        std::fs::write(&program, "").unwrap();
        let program = program.to_str().unwrap();
        let of = |folder: &Path| {
            let Guess { command, binary, is_found } = guess(folder, program);
            (command, binary, is_found)
        };
        let expected = |command: &str| (command.to_owned(), "src/engine".to_owned(), true);
        assert_eq!(of(top), expected("make -j"));
        std::fs::write(top.join("src/Makefile"), "").unwrap();
        assert_eq!(of(&top.join("src")), expected("make -C src -j"));
        std::fs::write(top.join("Cargo.toml"), "").unwrap();
        assert_eq!(of(top), expected("cargo build --release --target-dir target"));
        assert!(!guess(top, "stockfish").is_found);
    }

    #[test]
    fn options_are_described_on_one_line() {
        let output =
            "option name Hash type spin default 16 min 1 max 64\nid name x\noption name Clear Hash type button\n";
        let options = options(output);
        let words: Vec<String> = options.iter().map(in_words).collect();
        assert_eq!(words, ["Hash: 1 to 64, default 16", "Clear Hash: a button"]);
    }
}
