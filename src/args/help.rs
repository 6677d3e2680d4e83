//! `spar --help`: the commands under headings, on one screen. Also the examples below the help of the commands used
//! most.

use super::{Arguments, STYLES};
use clap::{Command, CommandFactory, FromArgMatches};
use std::fmt::Write as _;

pub(super) const SPRT_EXAMPLES: &str = "Examples:
  spar sprt configs/sprt.toml
  spar sprt configs/sprt.toml --elo1 10 --nodes 5000 --set sprt.max_pairs=20000
  spar sprt --engine cmd=./new --engine cmd=./old --tc 8+0.08 --preset gain

Exit codes: 0 H1 accepted, 1 H0 accepted, 4 undecided, 130 interrupted.";

pub(super) const MATCH_EXAMPLES: &str = "Examples:
  spar match configs/match.toml --pairs 200
  spar match --engine cmd=./new --engine cmd=./old --tc 10+0.1 --pairs 500
  spar match --engine cmd=./a --engine cmd=./b --each nodes=500 option.Hash=1";

pub(super) const TUNE_EXAMPLES: &str = "Examples:
  spar tune configs/tune.toml --dry-run           what the budget can resolve
  spar tune configs/tune.toml --set tune.pairs=5000
  spar tune tune.toml --patch src/search.cpp      also edits the source
  spar params import --engine ./dev > tune.toml   writes such a file";

/// What commands are for, and those that have no heading of their own in clap.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Test a change", &["sprt", "match", "patch", "regress", "ladder", "league", "scaling", "fastchess"]),
    ("Tune", &["tune", "params"]),
    ("Data and learning", &["selfplay", "data", "fit", "train", "learn"]),
    ("Look at runs", &["runs", "show", "resume", "report", "plot", "export", "serve", "worker", "fleet"]),
    ("Statistics", &["elo", "llr", "plan", "rate"]),
    ("Tools", &["check", "book", "bench", "perft", "eval", "bundle", "completions"]),
];

const EXIT_CODES: &str = "Exit codes: 0 done or H1, 1 H0, 2 input, 3 system, 4 undecided, 130 interrupted";

/// What was typed.
///
/// # Errors
/// clap's message, which is also the help or the version that was asked for.
pub(crate) fn parse() -> Result<Arguments, clap::Error> {
    Arguments::from_arg_matches(&command().try_get_matches()?)
}

/// All commands, with the help of `spar` itself.
pub(crate) fn command() -> Command {
    let command = Arguments::command();
    let groups = groups(&command);
    let header = STYLES.get_header();
    let options = format!("{header}Options:{header:#}");
    command.help_template(format!(
        "{{about-with-newline}}{{usage-heading}} {{usage}}\n{groups}\n{options}\n{{options}}\n{EXIT_CODES}"
    ))
}

/// A line for each command that is not hidden, under the heading of what it is for.
fn groups(command: &Command) -> String {
    let (header, literal) = (STYLES.get_header(), STYLES.get_literal());
    let shown = |name: &&str| command.find_subcommand(name).filter(|command| !command.is_hide_set());
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let _infallible = write!(text, "\n{header}{heading}:{header:#}");
        for command in names.iter().filter_map(shown) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _infallible = write!(text, "\n  {literal}{:<width$}{literal:#}  {about}", command.get_name());
        }
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
        let most = if cfg!(feature = "fleet") { 51 } else { 49 };
        assert!(lines.len() <= most, "{} lines:\n{help}", lines.len());
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= 80, "{longest} columns:\n{help}");
        assert_eq!(help.contains("fleet"), cfg!(feature = "fleet"), "{help}");
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
