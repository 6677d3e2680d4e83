//! Reads an engine in `key=value` words, such as `cmd=./dev name=dev tc=10+0.1 option.Hash=16`, as settings of a
//! configuration.

use super::super::{EnginePlan, Given, Key, Named, Origin, from_word};
use super::WordsError;
use super::time_control::{self, TimeControl, time_control};
use arena::config::{read_count, read_duration, read_limit, read_seconds};
use play::Limit;
use play::entrant::{MovesSent, Protocol, Restart, UnknownOptions};
use play::spelling::nearest;

use std::time::Duration;

/// The known keys.
const KEYS: [&str; 29] = [
    "cmd",
    "name",
    "args",
    "dir",
    "proto",
    "tc",
    "st",
    "nodes",
    "depth",
    "plies",
    "timemargin",
    "restart",
    "init",
    "initstr",
    "nice",
    "unknown_options",
    "moves",
    "ponder",
    "limit",
    "start_within",
    "answer_within",
    "search",
    "evaluation",
    "network",
    "policy",
    "mcts_preset",
    "overrun_within",
    "option.NAME",
    "env.NAME",
];

/// An engine, or the settings of all engines.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    plan: EnginePlan,
    /// The words that asked for play without a limit.
    unlimited: Option<String>,
}

impl Engine {
    /// Reads an engine's words; `option` is the option before them, for messages.
    ///
    /// # Errors
    /// [`WordsError`] for the first word that makes no sense.
    pub fn read(words: &[String], option: &str) -> Result<Self, WordsError> {
        Self::of(words.iter().map(|word| (option, word.as_str())))
    }

    /// Reads an engine's words, each with the option before it.
    ///
    /// # Errors
    /// [`WordsError`] for the first word that makes no sense.
    pub fn of<'a>(words: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, WordsError> {
        let mut engine = Self::default();
        let words: Vec<(&str, &str)> = words.into_iter().collect();
        for (at, (option, word)) in words.iter().enumerate() {
            if !word.contains('=') {
                return Err(without_value(&words, at));
            }
            engine.take(word, option)?;
        }
        Ok(engine)
    }

    /// Returns the settings.
    pub fn plan(&self) -> &EnginePlan {
        &self.plan
    }

    /// Returns the words of each setting, and whether it is a limit.
    pub fn words(&self) -> Vec<(bool, String)> {
        let limit = self.plan.limit.as_ref().map(|limit| &limit.origin);
        let origins = self.plan.origins().into_iter();
        origins.filter_map(|origin| Some((limit == Some(&origin), origin.comment()?.to_owned()))).collect()
    }

    /// Returns its name, if given.
    pub fn name(&self) -> Option<&Given<String>> {
        self.plan.name.as_ref()
    }

    /// Returns its program, if given.
    pub fn command(&self) -> Option<&str> {
        self.plan.cmd.as_ref().map(|command| command.value.as_str())
    }

    /// Returns the file of its weights, if given.
    pub fn network(&self) -> Option<&str> {
        self.plan.network.as_ref().map(|network| network.value.as_str())
    }

    /// Returns the folder it runs in, if given.
    pub fn folder(&self) -> Option<&str> {
        self.plan.dir.as_ref().map(|folder| folder.value.as_str())
    }

    /// Sets its name.
    pub fn set_name(&mut self, name: Given<String>) {
        self.plan.name = Some(name);
    }

    /// Sets the default timeout of its start, e.g. `10s`.
    pub fn set_start_within(&mut self, time: Given<String>) {
        let _its_own_goes_before = self.plan.start_within.get_or_insert(time);
    }

    /// Sets the default timeout of its late moves, e.g. `10s`.
    pub fn set_overrun_within(&mut self, time: Given<String>) {
        let _its_own_goes_before = self.plan.overrun_within.get_or_insert(time);
    }

    /// Sets the default margin for late moves, e.g. `1ms`.
    pub fn set_margin(&mut self, time: Given<String>) {
        let _its_own_goes_before = self.plan.margin.get_or_insert(time);
    }

    /// Sets the default for options that it does not have.
    pub fn set_unknown_options(&mut self, what: Given<UnknownOptions>) {
        let _its_own_goes_before = self.plan.unknown_options.get_or_insert(what);
    }

    /// Replaces its program and keeps the words as its origin.
    pub fn set_command(&mut self, command: &str) {
        if let Some(given) = &mut self.plan.cmd {
            command.clone_into(&mut given.value);
        }
    }

    /// Sets its limit from an option, e.g. `tc` and `10+0.1`; `from` are the words.
    ///
    /// # Errors
    /// [`WordsError`] if the text is not such a limit, or if a limit of this kind is set already.
    pub fn set_limit(&mut self, key: &str, text: &str, from: &str) -> Result<(), WordsError> {
        let expected = |forms: &str| WordsError::new(format!("`{from}`: expected {forms}"));
        let limit = match key {
            "tc" => match time_control(text).ok_or_else(|| expected(time_control::FORMS))? {
                TimeControl::Clock(limit) => limit,
                TimeControl::Infinite => {
                    self.unlimited = Some(from.to_owned());
                    return Ok(());
                }
            },
            "st" => {
                let time = read_seconds(text);
                Limit::Movetime(time.ok_or_else(|| expected("seconds for each move, such as `0.1`, or `100ms`"))?)
            }
            "nodes" => Limit::Nodes(read_count(text).ok_or_else(|| expected("a number of nodes above 0"))?),
            "depth" | "plies" => {
                let depth = read_limit(&format!("depth {text}"));
                depth.ok_or_else(|| expected("a depth from 1 to 255"))?
            }
            // Spelled as in a configuration, whose reader checks it.
            _ => return put(&mut self.plan.limit, text, from),
        };
        self.add_limit(limit, from)
    }

    /// Adds a limit to the present ones, if it is of another kind.
    fn add_limit(&mut self, limit: Limit, from: &str) -> Result<(), WordsError> {
        let Some(first) = &self.plan.limit else { return put(&mut self.plan.limit, limit.to_string(), from) };
        let both = read_limit(&first.value).and_then(|first| first.with(limit));
        let both = both.ok_or_else(|| twice(from, &first.origin))?;
        let words = format!("{} {from}", first.origin.comment().unwrap_or_default());
        self.plan.limit = Some(Given::words(both.to_string(), words));
        Ok(())
    }

    /// Returns the words that ask for play without a limit, if nothing else limits the engine.
    pub fn unlimited(&self) -> Option<&str> {
        self.unlimited.as_deref().filter(|_| !self.is_limited())
    }

    /// Whether the engine has a limit.
    pub fn is_limited(&self) -> bool {
        self.plan.limit.is_some()
    }

    fn take(&mut self, word: &str, option: &str) -> Result<(), WordsError> {
        let from = format!("{option} {word}");
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let plan = &mut self.plan;
        if let Some(name) = key.strip_prefix("option.") {
            return put_named(&mut plan.options, name, value, &from);
        }
        if let Some(name) = key.strip_prefix("env.") {
            return put_named(&mut plan.env, name, value, &from);
        }
        match key {
            "name" => plan.name = Some(Given::words(value, from)),
            "cmd" => put(&mut plan.cmd, value, &from)?,
            "dir" => put(&mut plan.dir, value, &from)?,
            "search" => put(&mut plan.search, value, &from)?,
            "evaluation" => put(&mut plan.evaluation, value, &from)?,
            "network" => put(&mut plan.network, value, &from)?,
            "policy" => put(&mut plan.policy, value, &from)?,
            "mcts_preset" => put(&mut plan.mcts_preset, value, &from)?,
            "start_within" => put(&mut plan.start_within, value, &from)?,
            "answer_within" => put(&mut plan.answer_within, value, &from)?,
            "overrun_within" => put(&mut plan.overrun_within, value, &from)?,
            "proto" => put(&mut plan.protocol, from_word::<Protocol>(value, &from)?.value, &from)?,
            "args" => put(&mut plan.args, words_of(value, &from)?, &from)?,
            "init" | "initstr" => self.init(value, &from),
            "unknown_options" => {
                put(&mut plan.unknown_options, from_word::<UnknownOptions>(value, &from)?.value, &from)?;
            }
            "moves" => put(&mut plan.moves, from_word::<MovesSent>(value, &from)?.value, &from)?,
            "ponder" => put(&mut plan.ponder, switch(value, &from)?, &from)?,
            "nice" => put(&mut plan.nice, whole_number(value, &from)?, &from)?,
            "timemargin" => put(&mut plan.margin, format!("{:?}", milliseconds(value, &from)?), &from)?,
            "restart" => put(&mut plan.restart, restart(value, &from)?, &from)?,
            "tc" | "st" | "nodes" | "depth" | "plies" | "limit" => self.set_limit(key, value, &from)?,
            _ => return Err(unknown(key, &from)),
        }
        Ok(())
    }

    /// Adds lines to those sent at the start; `\n` within the text separates lines.
    fn init(&mut self, text: &str, from: &str) {
        let lines = text.split("\\n").filter(|line| !line.is_empty()).map(str::to_owned);
        self.plan.init.get_or_insert_with(|| Given::words(Vec::new(), from)).value.extend(lines);
    }
}

/// The error about a word without `=`: usually a name or a value of several words without quotes.
fn without_value(words: &[(&str, &str)], at: usize) -> WordsError {
    let (option, word) = words[at];
    let rest = || words[at..].iter().map(|(_, word)| *word);
    if word.starts_with("option.") || word.starts_with("env.") {
        let end = rest().position(|word| word.contains('=')).map_or(usize::MAX, |end| end + 1);
        let whole = rest().take(end).collect::<Vec<_>>().join(" ");
        let value = if whole.contains('=') { "" } else { "=VALUE" };
        let advice = format!("expected a value, and quotation marks around several words: `'{whole}{value}'`");
        return WordsError::new(format!("`{option} {word}`: {advice}"));
    }
    let expected = format!("`{option} {word}`: expected key=value, such as `cmd=./engine`");
    match at.checked_sub(1).map(|before| words[before].1) {
        Some(before) if before.contains('=') => {
            WordsError::new(format!("{expected}; a value of several words is quoted: `'{before} {word}'`"))
        }
        _ => WordsError::new(expected),
    }
}

fn put<T>(key: &mut Key<T>, value: impl Into<T>, from: &str) -> Result<(), WordsError> {
    match key.replace(Given::words(value, from)) {
        Some(first) => Err(twice(from, &first.origin)),
        None => Ok(()),
    }
}

fn put_named(named: &mut Named, name: &str, value: &str, from: &str) -> Result<(), WordsError> {
    if name.is_empty() {
        return Err(WordsError::new(format!("`{from}`: expected a name after the dot")));
    }
    if let Some(first) = named.get(name) {
        return Err(twice(from, &first.origin));
    }
    named.set(name, Given::words(value, from));
    Ok(())
}

fn twice(from: &str, first: &Origin) -> WordsError {
    let first = first.comment().unwrap_or_default();
    WordsError::new(format!("`{from}` comes after `{first}`: only one of them can hold"))
}

fn unknown(key: &str, from: &str) -> WordsError {
    let advice = nearest(key, KEYS.into_iter())
        .map_or_else(|| format!("expected one of {}", KEYS.join(", ")), |best| format!("did you mean `{best}`?"));
    WordsError::new(format!("`{from}`: unknown key `{key}`: {advice}"))
}

/// Splits a text into words as a shell does.
fn words_of(text: &str, from: &str) -> Result<Vec<String>, WordsError> {
    shlex::split(text).ok_or_else(|| WordsError::new(format!("`{from}`: a quotation mark is not closed")))
}

fn whole_number(text: &str, from: &str) -> Result<i32, WordsError> {
    text.parse().map_err(|_| WordsError::new(format!("`{from}`: expected a whole number")))
}

fn milliseconds(text: &str, from: &str) -> Result<Duration, WordsError> {
    let time = text.parse().ok().map(Duration::from_millis).or_else(|| read_duration(text));
    time.ok_or_else(|| WordsError::new(format!("`{from}`: expected a number of milliseconds")))
}

fn switch(text: &str, from: &str) -> Result<bool, WordsError> {
    match text {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => Err(WordsError::new(format!("`{from}`: expected `on` or `off`"))),
    }
}

fn restart(text: &str, from: &str) -> Result<Restart, WordsError> {
    match text {
        "on" => Ok(Restart::EachGame),
        "off" | "auto" => Ok(Restart::WhenNeeded),
        _ => Err(WordsError::new(format!("`{from}`: expected `on` (for each game) or `off` (only after a fault)"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunPlan;
    use crate::tests::memory::Memory;

    fn read(words: &[&str]) -> Result<Engine, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Engine::read(&words, "-engine").map_err(|error| error.to_string())
    }

    fn shown(words: &[&str]) -> Vec<String> {
        let mut plan = RunPlan::new("test", "test", Memory::empty());
        plan.keys.entrant = vec![Given::usual(read(words).unwrap().plan().clone())];
        let text = plan.text();
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('['));
        lines.map(|line| line.split("  # ").next().unwrap_or(line).to_owned()).collect()
    }

    #[test]
    fn words_become_settings() {
        let words = [
            "cmd=./sf",
            "args=--uci 'a b'",
            "proto=uci",
            "timemargin=250",
            "restart=on",
            "nice=5",
            "init=one\\ntwo",
            "init=three",
            "st=0.1",
            "option.Clear Hash=true",
            "env.OMP=1=2",
        ];
        let expected = [
            r#"cmd = "./sf""#,
            r#"args = ["--uci", "a b"]"#,
            r#"protocol = "uci""#,
            r#"limit = "100ms a move""#,
            r#"init = ["one", "two", "three"]"#,
            r#"margin = "250ms""#,
            r#"restart = "each-game""#,
            "nice = 5",
            r#""Clear Hash" = "true""#,
            r#"OMP = "1=2""#,
        ];
        assert_eq!(shown(&words), expected);
    }

    #[test]
    fn no_clock_is_no_limit() {
        let both = read(&["tc=inf", "nodes=100"]).unwrap();
        assert_eq!((both.unlimited(), both.is_limited()), (None, true));
        assert_eq!(read(&["tc=inf"]).unwrap().unlimited(), Some("-engine tc=inf"));
    }

    #[test]
    fn a_clock_beside_nodes_and_depth_is_one_limit() {
        let words = ["depth=9", "nodes=5", "tc=1+1"];
        assert_eq!(shown(&words), [r#"limit = "1s+1s, 5 nodes, depth 9""#]);
        assert_eq!(shown(&["limit=10s hourglass", "nodes=1000"]), [r#"limit = "10s hourglass, 1000 nodes""#]);
    }

    #[test]
    fn refusals_name_the_words() {
        let cases = [
            (&["./sf"][..], "`-engine ./sf`: expected key=value, such as `cmd=./engine`"),
            (
                &["option.Move", "Overhead=50"],
                "`-engine option.Move`: expected a value, and quotation marks around several words: `'option.Move \
                    Overhead=50'`",
            ),
            (&["option.Clear", "Hash"], "several words: `'option.Clear Hash=VALUE'`"),
            (
                &["cmd=./sf", "args=--uci", "x"],
                "`-engine x`: expected key=value, such as `cmd=./engine`; a value of several words is quoted: \
                    `'args=--uci x'`",
            ),
            (&["dpth=3"], "`-engine dpth=3`: unknown key `dpth`: did you mean `depth`?"),
            (&["tc=10x"], "`-engine tc=10x`: expected seconds such as"),
            (&["tc=1+1", "st=5"], "`-engine st=5` comes after `-engine tc=1+1`: only one of them can hold"),
            (&["tc=1", "depth=5", "plies=6"], "`-engine plies=6` comes after `-engine tc=1 -engine depth=5`: only one"),
            (&["limit=x", "nodes=5"], "`-engine nodes=5` comes after `-engine limit=x`: only one of them can hold"),
            (&["nodes=0"], "expected a number of nodes above 0"),
            (&["args='a"], "a quotation mark is not closed"),
            (&["restart=maybe"], "expected `on` (for each game) or `off`"),
            (&["option.=1"], "expected a name after the dot"),
        ];
        for (words, message) in cases {
            let error = read(words).unwrap_err();
            assert!(error.contains(message), "{words:?}: {error}");
        }
    }
}
