//! An engine in `key=value` words, such as `cmd=./dev name=dev tc=10+0.1 option.Hash=16`, to settings of a configuration.

use super::time_control::{self, TimeControl, time_control, written};
use crate::failure::Failure;
use arena::config::{read_count, read_duration, read_seconds};
use play::spelling::nearest;
use std::time::Duration;
use toml_edit::{Array, Value};

/// The keys there are.
const KEYS: [&str; 20] = [
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
    "limit",
    "start_within",
    "answer_within",
    "option.NAME",
    "env.NAME",
];

/// One setting of an engine, and the words it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// The section within the engine's own, if it stands in one.
    section: Option<&'static str>,
    key: String,
    /// Its value.
    pub(crate) value: Value,
    /// The words.
    pub(crate) from: String,
}

impl Setting {
    /// Where it stands, below the engine's section.
    pub(super) fn path(&self) -> impl Iterator<Item = &str> {
        self.section.into_iter().chain(std::iter::once(self.key.as_str()))
    }
}

/// An engine, or what all engines have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Engine {
    /// Its name, if it was given one.
    pub(crate) name: Option<Setting>,
    settings: Vec<Setting>,
    /// The words that asked for play without a limit.
    unlimited: Option<String>,
}

impl Engine {
    /// Reads an engine's words; `option` is what they follow, for messages.
    ///
    /// # Errors
    /// The first word that makes no sense.
    pub(crate) fn read(words: &[String], option: &str) -> Result<Self, Failure> {
        let mut engine = Self::default();
        for word in words {
            engine.take(word, option)?;
        }
        Ok(engine)
    }

    /// Its settings, without the name.
    pub(super) fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// The words of each setting, and whether it is a limit.
    pub(crate) fn words(&self) -> impl Iterator<Item = (bool, &str)> {
        self.settings.iter().map(|setting| (setting.section.is_none() && setting.key == "limit", setting.from.as_str()))
    }

    /// Its program, if given.
    pub(crate) fn command(&self) -> Option<&str> {
        self.text("cmd")
    }

    /// The folder it runs in, if given.
    pub(crate) fn folder(&self) -> Option<&str> {
        self.text("dir")
    }

    /// Replaces its program; the words it comes from stay.
    pub(crate) fn set_command(&mut self, command: &str) {
        if let Some(setting) =
            self.settings.iter_mut().find(|setting| setting.section.is_none() && setting.key == "cmd")
        {
            setting.value = command.into();
        }
    }

    /// Sets its limit to what an option by itself says, e.g. `tc` and `10+0.1`; `from` are the words.
    ///
    /// # Errors
    /// If the text is no such limit, or there is one already.
    pub(crate) fn set_limit(&mut self, key: &str, text: &str, from: &str) -> Result<(), Failure> {
        self.limit(key, text, from)
    }

    /// The words that ask for play without a limit, where nothing else limits the engine.
    pub(crate) fn unlimited(&self) -> Option<&str> {
        self.unlimited.as_deref().filter(|_| !self.has("limit"))
    }

    /// Whether anything limits it.
    pub(crate) fn is_limited(&self) -> bool {
        self.has("limit")
    }

    fn has(&self, key: &str) -> bool {
        self.settings.iter().any(|setting| setting.section.is_none() && setting.key == key)
    }

    fn text(&self, key: &str) -> Option<&str> {
        let setting = self.settings.iter().find(|setting| setting.section.is_none() && setting.key == key);
        setting.and_then(|setting| setting.value.as_str())
    }

    fn take(&mut self, word: &str, option: &str) -> Result<(), Failure> {
        let from = format!("{option} {word}");
        let Some((key, value)) = word.split_once('=') else {
            return Err(Failure::usage(format!("`{from}`: expected key=value, such as `cmd=./engine`")));
        };
        if let Some(name) = key.strip_prefix("option.") {
            return self.put(Some("options"), name, value, &from);
        }
        if let Some(name) = key.strip_prefix("env.") {
            return self.put(Some("env"), name, value, &from);
        }
        match key {
            "name" => {
                let name = Setting { section: None, key: key.to_owned(), value: value.into(), from };
                self.name = Some(name);
                Ok(())
            }
            "cmd" | "dir" | "start_within" | "answer_within" => self.put(None, key, value, &from),
            "proto" => self.put(None, "protocol", value, &from),
            "args" => self.put(None, "args", words_of(value, &from)?, &from),
            "init" | "initstr" => self.init(value, &from),
            "nice" => self.put(None, "nice", whole_number(value, &from)?, &from),
            "timemargin" => self.put(None, "margin", written(milliseconds(value, &from)?), &from),
            "restart" => self.put(None, "restart", restart(value, &from)?, &from),
            "tc" | "st" | "nodes" | "depth" | "plies" | "limit" => self.limit(key, value, &from),
            _ => Err(unknown(key, &from)),
        }
    }

    fn put(
        &mut self,
        section: Option<&'static str>,
        key: &str,
        value: impl Into<Value>,
        from: &str,
    ) -> Result<(), Failure> {
        if key.is_empty() {
            return Err(Failure::usage(format!("`{from}`: expected a name after the dot")));
        }
        let twice = self.settings.iter().find(|setting| setting.section == section && setting.key == key);
        if let Some(first) = twice {
            return Err(Failure::usage(format!("`{from}` comes after `{}`: only one of them can hold", first.from)));
        }
        self.settings.push(Setting { section, key: key.to_owned(), value: value.into(), from: from.to_owned() });
        Ok(())
    }

    /// Adds a line to those sent at the start; `\n` within a text parts two lines.
    fn init(&mut self, text: &str, from: &str) -> Result<(), Failure> {
        let lines = text.split("\\n").filter(|line| !line.is_empty());
        match self.settings.iter_mut().find(|setting| setting.key == "init") {
            Some(Setting { value: Value::Array(array), .. }) => {
                lines.for_each(|line| array.push(line));
                Ok(())
            }
            _ => self.put(None, "init", lines.collect::<Array>(), from),
        }
    }

    fn limit(&mut self, key: &str, text: &str, from: &str) -> Result<(), Failure> {
        let expected = |forms: &str| Failure::usage(format!("`{from}`: expected {forms}"));
        let limit = match key {
            "tc" => match time_control(text).ok_or_else(|| expected(time_control::FORMS))? {
                TimeControl::Clock(limit) => limit,
                TimeControl::Infinite => {
                    self.unlimited = Some(from.to_owned());
                    return Ok(());
                }
            },
            "st" => {
                let time =
                    read_seconds(text).ok_or_else(|| expected("seconds for each move, such as `0.1`, or `100ms`"));
                format!("{} a move", written(time?))
            }
            "nodes" => format!("{} nodes", read_count(text).ok_or_else(|| expected("a number of nodes above 0"))?),
            "depth" | "plies" => format!("depth {}", read_count(text).ok_or_else(|| expected("a depth above 0"))?),
            _ => text.to_owned(),
        };
        self.put(None, "limit", limit, from)
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}

fn unknown(key: &str, from: &str) -> Failure {
    let advice = nearest(key, KEYS.into_iter())
        .map_or_else(|| format!("expected one of {}", KEYS.join(", ")), |best| format!("did you mean `{best}`?"));
    Failure::usage(format!("`{from}`: unknown key `{key}`: {advice}"))
}

/// Splits a text into words as a shell does.
fn words_of(text: &str, from: &str) -> Result<Array, Failure> {
    let words =
        shlex::split(text).ok_or_else(|| Failure::usage(format!("`{from}`: a quotation mark is not closed")))?;
    Ok(words.into_iter().collect())
}

fn whole_number(text: &str, from: &str) -> Result<i64, Failure> {
    text.parse().map_err(|_| Failure::usage(format!("`{from}`: expected a whole number")))
}

fn milliseconds(text: &str, from: &str) -> Result<Duration, Failure> {
    let time = text.parse().ok().map(Duration::from_millis).or_else(|| read_duration(text));
    time.ok_or_else(|| Failure::usage(format!("`{from}`: expected a number of milliseconds")))
}

fn restart(text: &str, from: &str) -> Result<&'static str, Failure> {
    match text {
        "on" => Ok("each-game"),
        "off" | "auto" => Ok("when-needed"),
        _ => Err(Failure::usage(format!("`{from}`: expected `on` (for each game) or `off` (only after a fault)"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Engine, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Engine::read(&words, "-engine").map_err(|failure| failure.to_string())
    }

    fn shown(words: &[&str]) -> Vec<String> {
        let engine = read(words).unwrap();
        let line = |setting: &Setting| format!("{} = {}", setting.path().collect::<Vec<_>>().join("."), setting.value);
        engine.settings().iter().map(line).collect()
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
            r#"margin = "0.25s""#,
            r#"restart = "each-game""#,
            "nice = 5",
            r#"init = ["one", "two", "three"]"#,
            r#"limit = "0.1s a move""#,
            r#"options.Clear Hash = "true""#,
            r#"env.OMP = "1=2""#,
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
    fn refusals_name_the_words() {
        let cases = [
            (&["./sf"][..], "`-engine ./sf`: expected key=value, such as `cmd=./engine`"),
            (&["dpth=3"], "`-engine dpth=3`: unknown key `dpth`: did you mean `depth`?"),
            (&["tc=10x"], "`-engine tc=10x`: expected seconds such as"),
            (&["tc=1+1", "nodes=5"], "`-engine nodes=5` comes after `-engine tc=1+1`: only one of them can hold"),
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
