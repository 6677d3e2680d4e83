//! The pages `docs/reference/commands.md` and `docs/reference/configuration.md`, made from the declarations of the
//! command line and from the configuration's keys. The tests fail if a page is stale, and rewrite it if [`UPDATE`] is
//! set.

use crate::args::Working;
use crate::args::help::{self, GROUPS};
use clap::{Arg, Args, Command};
use plan::{KeySchema, Takes};
use std::fmt::Write as _;
use std::path::Path;

/// The environment variable that makes the tests write the pages.
const UPDATE: &str = "SPAR_UPDATE_REFERENCE";

const HOW: &str = "SPAR_UPDATE_REFERENCE=1 cargo test --bin spar reference";

/// Compares a page with the expected text, or writes it.
fn check_page(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference").join(name);
    let text = format!("<!-- Generated. Renew it with `{HOW}`. -->\n\n{}\n", text.trim_end());
    if std::env::var_os(UPDATE).is_some() {
        std::fs::create_dir_all(path.with_file_name("")).expect("the folder of the page");
        std::fs::write(&path, text).expect("the page can be written");
        return;
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    let lines = page.lines().zip(text.lines()).enumerate().find(|(_, (old, new))| old != new);
    let difference = lines.map(|(at, (old, new))| format!("\nline {}\n- {old}\n+ {new}", at + 1)).unwrap_or_default();
    assert!(page == text, "docs/reference/{name} is stale: run `{HOW}`{difference}");
}

/// A text as a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// Adds a table, if it has rows.
fn table(page: &mut String, head: &[&str], rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let mut line = |cells: Vec<String>| {
        let _infallible = writeln!(page, "| {} |", cells.join(" | "));
    };
    line(head.iter().map(|&name| name.to_owned()).collect());
    line(vec!["---".to_owned(); head.len()]);
    for row in rows {
        line(row.iter().map(|text| cell(text)).collect());
    }
    page.push('\n');
}

/// The kind of values of a key, in a word or two.
fn kind(takes: &Takes) -> String {
    match takes {
        Takes::Switch => "`true` or `false`".to_owned(),
        Takes::Whole => "integer".to_owned(),
        Takes::Number => "number".to_owned(),
        Takes::Text => "string".to_owned(),
        Takes::Word(words) => words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", "),
        Takes::List => "list".to_owned(),
        Takes::Any => "several types".to_owned(),
        Takes::Section(_) => "section".to_owned(),
        Takes::Sections(_) => "sections".to_owned(),
        Takes::Names => "names and values".to_owned(),
    }
}

/// The keys below a key, if it is a section of the file.
fn inside(key: &KeySchema) -> Option<(&[KeySchema], bool)> {
    match &key.takes {
        _ if key.says.starts_with("Written by spar") => None,
        Takes::Section(keys) => Some((keys, false)),
        Takes::Sections(keys) => Some((keys, true)),
        _ => None,
    }
}

/// Writes the sections below some keys as a page; sections with equal keys share a heading.
struct Sections<'a> {
    page: &'a mut String,
    /// The level of headings.
    level: usize,
    /// Sections whose keys are not repeated in others.
    known: Vec<&'a KeySchema>,
}

impl Sections<'_> {
    fn keys(&mut self, keys: &[KeySchema], path: &str) {
        let rows: Vec<Vec<String>> = keys.iter().filter(|key| inside(key).is_none()).map(row).collect();
        table(self.page, &["key", "type", "default", "meaning"], &rows);
        let sections: Vec<&KeySchema> = keys.iter().filter(|key| inside(key).is_some()).collect();
        for same in
            sections.chunk_by(|one, other| inside(one).map(|(keys, _)| keys) == inside(other).map(|(keys, _)| keys))
        {
            self.section(same, path);
        }
    }

    fn section(&mut self, same: &[&KeySchema], path: &str) {
        let Some((keys, _)) = same.first().and_then(|key| inside(key)) else { return };
        let heading = same.iter().map(|key| name(key, path)).collect::<Vec<_>>().join(", ");
        let _infallible = writeln!(self.page, "{} {heading}\n", "#".repeat(self.level));
        for key in same {
            let of = if same.len() > 1 { format!("- {}: ", name(key, path)) } else { String::new() };
            let _infallible = writeln!(self.page, "{of}{}", key.says);
        }
        self.page.push('\n');
        let known = self.known.iter().find(|known| inside(known).is_some_and(|(known, _)| known == keys));
        if let Some(known) = known.filter(|_| !path.is_empty()) {
            let _infallible = writeln!(self.page, "It has the keys of {}.\n", name(known, ""));
            return;
        }
        self.keys(keys, &format!("{path}{}.", same[0].key));
    }
}

/// The header of a section.
fn name(key: &KeySchema, path: &str) -> String {
    let path = format!("{path}{}", key.key);
    if inside(key).is_some_and(|(_, is_many)| is_many) { format!("`[[{path}]]`") } else { format!("`[{path}]`") }
}

fn row(key: &KeySchema) -> Vec<String> {
    let default = key.default.clone().unwrap_or_else(|| "none".to_owned());
    vec![format!("`{}`", key.key), kind(&key.takes), default, key.says.clone()]
}

/// `docs/reference/configuration.md`.
fn configuration() -> String {
    let mut page = CONFIGURATION.to_owned();
    let all = plan::schema();
    Sections { page: &mut page, level: 2, known: all.iter().collect() }.keys(&all, "");
    let files = [
        ("Fit files", "`spar fit` reads a file with these keys.", plan::fit_schema()),
        ("Files for books of setups", "`spar book setups` reads a file with these keys.", plan::setups_schema()),
    ];
    for (heading, says, keys) in files {
        let _infallible = writeln!(page, "## {heading}\n\n{says}\n");
        Sections { page: &mut page, level: 3, known: Vec::new() }.keys(&keys, "");
    }
    page
}

const CONFIGURATION: &str = "# Configuration keys

A run is described by one TOML file. Unknown keys are errors. `--set KEY=VALUE` replaces a value on the command line,
for instance `--set sprt.elo1=5` or `--set entrant.dev.limit=\"2000 nodes\"`. [The command line](commands.md) lists the
options that set the most common keys.

Durations have a unit: `\"50ms\"`, `\"10s\"`, `\"2min\"`, `\"1h\"`.

## Top level

";

/// A command, with the words that name it.
fn command(page: &mut String, words: &str, command: &Command) {
    let _infallible = writeln!(page, "### `{words}`\n\n{}.\n", about(command));
    let usage = command.clone().bin_name(words).render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let _infallible = writeln!(page, "```\n{usage}\n```\n");
    let given = |arg: &&Arg| !["help", "version"].contains(&arg.get_id().as_str()) && !arg.is_global_set();
    let arguments: Vec<&Arg> = command.get_arguments().filter(given).collect();
    let common = working();
    let plays = common.get_arguments().all(|known| arguments.iter().any(|arg| arg.get_id() == known.get_id()));
    let is_own = |arg: &&&Arg| !plays || common.get_arguments().all(|known| arg.get_id() != known.get_id());
    let rows: Vec<Vec<String>> = arguments.iter().filter(is_own).map(|arg| option(arg)).collect();
    table(page, &["argument", "meaning"], &rows);
    if plays {
        page.push_str("It also takes the [options of all commands that play](#options-of-all-commands-that-play).\n\n");
    }
    if let Some(examples) = command.get_after_help() {
        let _infallible = writeln!(page, "```\n{}\n```\n", examples.to_string().trim_end());
    }
    let is_own = |inner: &&Command| inner.get_name() != "help";
    for inner in command.get_subcommands().filter(is_own) {
        self::command(page, &format!("{words} {}", inner.get_name()), inner);
    }
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default().trim_end_matches('.').to_owned()
}

/// The row of an argument or option: its name, its purpose, its default.
fn option(arg: &Arg) -> Vec<String> {
    let names = arg.get_value_names().unwrap_or_default();
    let values: Vec<String> = names.iter().map(|name| format!("<{name}>")).collect();
    let values = if values.is_empty() { String::new() } else { format!(" {}", values.join(" ")) };
    let takes = if arg.get_action().takes_values() { values } else { String::new() };
    let name = match arg.get_long() {
        Some(long) => format!("`--{long}{takes}`"),
        None => format!("`{}`", takes.trim()),
    };
    let mut says = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let possible: Vec<String> =
        arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if arg.get_action().takes_values() && !possible.is_empty() && !arg.is_hide_possible_values_set() {
        let _infallible = write!(says, " [values: {}]", possible.join(", "));
    }
    let usual: Vec<String> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if arg.get_action().takes_values() && !usual.is_empty() && !arg.is_hide_default_value_set() {
        let _infallible = write!(says, " [default: {}]", usual.join(" "));
    }
    if let Some(variable) = arg.get_env().filter(|_| !arg.is_hide_env_set()) {
        let _infallible = write!(says, " [variable: `{}`]", variable.to_string_lossy());
    }
    vec![name, says]
}

/// A command with the options shared by all commands that play.
fn working() -> Command {
    Working::augment_args(Command::new("play"))
}

/// `docs/reference/commands.md`.
fn commands() -> String {
    let all = help::command();
    let mut page = COMMANDS.to_owned();
    table(
        &mut page,
        &["argument", "meaning"],
        &all.get_arguments().filter(|arg| arg.is_global_set()).map(option).collect::<Vec<_>>(),
    );
    page.push_str("## Options of all commands that play\n\n");
    table(&mut page, &["argument", "meaning"], &working().get_arguments().map(option).collect::<Vec<_>>());
    for (heading, names) in GROUPS {
        let _infallible = writeln!(page, "## {heading}\n");
        for name in names {
            let found = all.find_subcommand(name).expect("a command of the group");
            command(&mut page, &format!("spar {name}"), found);
        }
    }
    page
}

const COMMANDS: &str = "# Commands

`spar COMMAND --help` prints the same. Some commands need a build with a feature: `serve` for `serve`, `watch`, \
`start` and `--server`; `fleet` for `fleet`, `worker` and the options of fleets; `bundle` for `bundle`; `man` for \
`package-files`.

These options work with every command:

";

#[test]
fn reference_of_commands_is_fresh() {
    check_page("commands.md", &commands());
}

#[test]
fn reference_of_configuration_is_fresh() {
    check_page("configuration.md", &configuration());
}

#[test]
fn a_cell_keeps_to_its_row() {
    assert_eq!(cell("a|b\nc"), "a\\|b c");
}
