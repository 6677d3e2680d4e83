//! `spar --help`: the commands under headings, on one screen. Also the examples below the help of the commands used
//! most.

use super::{Arguments, STYLES};
use clap::{Command, CommandFactory, FromArgMatches};
use std::fmt::Write as _;

/// What commands are for. Those of [`JOBS`] come first, each with a line of its own.
pub(crate) const GROUPS: [(&str, &[&str]); 6] = [
    ("Start", &["init", "check", "doctor"]),
    ("Test", &["patch", "regress", "bisect", "campaign", "sprt", "match", "ladder", "league", "scaling", "fastchess"]),
    ("Tune and train", &["tune", "params", "selfplay", "data", "fit", "train", "learn"]),
    ("Runs", &["runs", "show", "resume", "report", "plot", "export", "serve", "watch", "start"]),
    ("Statistics", &["explain", "elo", "llr", "plan", "rate"]),
    ("Tools", &["worker", "fleet", "book", "bench", "perft", "eval", "bundle", "completions", "package-files"]),
];

/// The jobs that most people come for.
const JOBS: [&str; 4] = ["patch", "tune", "ladder", "regress"];

/// Examples at the end of the help of commands: each behind a line with a `#` and the command.
const EXAMPLES: &str = include_str!("examples.txt");

const EXIT_CODES: &str = "Exit codes: 0 done or H1, 1 H0, 2 input, 3 system, 4 undecided, 130 interrupted";

/// What was typed.
///
/// # Errors
/// clap's message, which is also the help or the version that was asked for.
pub(crate) fn parse() -> Result<Arguments, clap::Error> {
    Arguments::from_arg_matches(&command().try_get_matches()?)
}

/// All commands, with the help of `spar` itself and their examples.
pub(crate) fn command() -> Command {
    let mut command = Arguments::command();
    for (name, examples) in examples() {
        command = with_examples(command, &name.split(' ').collect::<Vec<_>>(), examples);
    }
    let groups = groups(&command);
    let header = STYLES.get_header();
    let options = format!("{header}Options:{header:#}");
    command.help_template(format!(
        "{{about-with-newline}}{{usage-heading}} {{usage}}\n\n{groups}\n{options}\n{{options}}\n{EXIT_CODES}"
    ))
}

/// Commands and their examples.
fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    let example = |section: &'static str| section.split_once('\n').map(|(name, text)| (name, text.trim_end()));
    EXAMPLES.trim_start_matches("# ").split("\n# ").filter_map(example)
}

/// The command with examples at the end of the help of the one that these words name.
fn with_examples(command: Command, words: &[&str], examples: &'static str) -> Command {
    match words {
        [] => command.after_help(examples),
        [first, rest @ ..] => command.mut_subcommand(*first, |inner| with_examples(inner, rest, examples)),
    }
}

/// A line for each job, and one for each group of the other commands that are not hidden.
fn groups(command: &Command) -> String {
    let (header, literal) = (STYLES.get_header(), STYLES.get_literal());
    let mut text = format!("{header}The four jobs:{header:#}");
    for job in JOBS.iter().filter_map(|name| command.find_subcommand(name)) {
        let about = job.get_about().map(ToString::to_string).unwrap_or_default();
        let _infallible = write!(text, "\n  {literal}{:<8}{literal:#}  {about}", job.get_name());
    }
    let _infallible = write!(text, "\n\n{header}Other commands{header:#} (`spar help COMMAND` explains one):");
    let is_shown = |name: &&&str| command.find_subcommand(name).is_some_and(|command| !command.is_hide_set());
    for (heading, names) in GROUPS {
        let others = names.iter().filter(|name| !JOBS.contains(name)).filter(is_shown);
        let others: Vec<String> = others.map(|name| format!("{literal}{name}{literal:#}")).collect();
        let _infallible = write!(text, "\n  {heading:<16}{}", others.join(", "));
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_command_has_its_heading() {
        let command = Arguments::command();
        let all: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), all);
        assert_eq!(grouped.len(), all.len(), "no command is there twice");
    }

    #[test]
    fn help_fits_a_screen() {
        let help = help_of(&["spar", "--help"]);
        let lines: Vec<&str> = help.lines().collect();
        assert!(lines.len() <= 23, "{} lines, and a terminal of 24 has a prompt:\n{help}", lines.len());
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= 80, "{longest} columns:\n{help}");
        assert_eq!(help.contains("fleet"), cfg!(feature = "fleet"), "{help}");
        assert!(help.contains("  patch     ") && !help.contains("package-files"), "{help}");
    }

    /// The words of an example's command, up to the remark beside it or what the shell does with its output.
    fn words_of(line: &str) -> Option<Vec<String>> {
        let line = line.trim().strip_prefix("spar ")?.split("   ").next()?;
        let line = [" > ", " && ", " | "].iter().fold(line, |line, end| line.split(end).next().unwrap_or(line));
        Some(std::iter::once("spar".to_owned()).chain(shlex::split(line)?).collect())
    }

    #[test]
    fn help_of_each_command_ends_with_examples_that_can_be_typed() {
        let all = command();
        for (words, command) in commands(&all, &["spar"]).into_iter().skip(1) {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            // Commands that have commands of their own leave examples to these.
            if command.has_subcommands() && after.is_empty() {
                continue;
            }
            let lines = after.split("\\\n").map(str::trim_start).collect::<String>();
            let examples: Vec<Vec<String>> = lines.lines().filter_map(words_of).collect();
            assert!(!examples.is_empty() && after.starts_with("Examples:\n"), "{words:?} has no examples");
            for example in examples {
                let parsed = self::command().try_get_matches_from(&example);
                assert!(parsed.is_ok(), "{example:?}: {}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn units_of_packages_start_what_spar_has() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/systemd");
        let units: Vec<_> = folder.read_dir().expect("the units").flatten().map(|entry| entry.path()).collect();
        assert!(units.len() >= 2, "{units:?}");
        for unit in units {
            let text = std::fs::read_to_string(&unit).expect("a unit");
            let line =
                text.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/")).expect("a program of /usr/bin");
            let parsed = command().try_get_matches_from(shlex::split(line).expect("words"));
            assert!(parsed.is_ok(), "{}: {line}: {}", unit.display(), parsed.unwrap_err());
        }
    }

    /// What is printed at these words.
    fn help_of(words: &[&str]) -> String {
        command().term_width(80).try_get_matches_from(words).unwrap_err().render().to_string()
    }

    /// Every command with the words that name it. fastchess's own words are not clap's.
    fn commands<'a>(command: &'a Command, words: &[&'a str]) -> Vec<(Vec<&'a str>, &'a Command)> {
        let inner = command.get_subcommands().filter(|inner| inner.get_name() != "fastchess");
        let below = inner.flat_map(|inner| commands(inner, &[words, &[inner.get_name()]].concat()));
        std::iter::once((words.to_vec(), command)).chain(below).collect()
    }

    #[test]
    fn pages_keep_to_eighty_columns_and_to_what_is_built() {
        let all = command();
        for (words, command) in commands(&all, &["spar"]) {
            let page = help_of(&[&words[..], &["--help"]].concat());
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            // An example that is broken in two cannot be copied, other paragraphs are wrapped.
            let examples = after.lines().filter(|line| line.starts_with("  "));
            for line in page.lines().filter(|line| !line.starts_with("Usage: ")).chain(examples) {
                assert!(line.chars().count() <= 80, "{words:?} --help: {line}");
            }
            let is_of_fleets = ["fleet", "worker"].contains(words.get(1).unwrap_or(&""));
            if !cfg!(feature = "fleet") && !is_of_fleets {
                for option in ["--fleet", "--creds", "--weight", "--send-programs", "--checked"] {
                    assert!(!page.contains(option), "{words:?} --help: {option} needs another build:\n{page}");
                }
            }
        }
    }
}
