//! Command lines in the style of other programs: their errors, and what to type instead.

use crate::commands::fastchess;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::borrow::Cow;

/// What to type instead of these words, the program's name left out, which were refused with this error.
pub(crate) fn advice(words: &[String], error: &clap::Error) -> Option<String> {
    as_fastchess(words).or_else(|| second_file(words, error))
}

/// Users of fastchess and cutechess begin options with one dash.
fn as_fastchess(words: &[String]) -> Option<String> {
    let is_option = |word: &&String| {
        let name = word.strip_prefix('-').filter(|name| name.len() > 1 && !name.starts_with('-'));
        name.is_some_and(fastchess::is_option)
    };
    let option = words.iter().find(is_option)?;
    // The intended subcommand, and its arguments before them.
    let given: Vec<&str> = words.iter().map(String::as_str).skip_while(|word| word != option).collect();
    let line = given.into_iter().map(quoted).collect::<Option<Vec<_>>>()?.join(" ");
    Some(format!("`{option}` is an option of fastchess. Its command lines are run by\n  spar fastchess {line}"))
}

/// A word as typed.
fn quoted(word: &str) -> Option<Cow<'_, str>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    if word.chars().all(is_plain) { Some(word.into()) } else { shlex::try_quote(word).ok() }
}

/// Two programs in place of one configuration.
fn second_file(words: &[String], error: &clap::Error) -> Option<String> {
    let command = words.iter().find(|word| matches!(word.as_str(), "match" | "sprt"))?;
    let ContextValue::String(second) = error.get(ContextKind::InvalidArg)? else { return None };
    let at = words.iter().rposition(|word| word == second)?;
    let first = words.get(at.checked_sub(1)?).filter(|first| *first != command && !first.starts_with('-'))?;
    if error.kind() != ErrorKind::UnknownArgument || second.starts_with('-') {
        return None;
    }
    Some(format!(
        "`spar {command}` takes one configuration. Engines are named by\n  \
         spar {command} --engine cmd={first} --engine cmd={second} --tc 10+0.1"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use clap::Parser;

    #[cfg(feature = "fastchess")]
    #[test]
    fn words_for_another_program_get_advice() {
        let advised = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let error = Arguments::try_parse_from(["spar".to_owned()].iter().chain(&words)).expect_err("refused");
            advice(&words, &error)
        };
        for (line, expected) in [
            ("match -engine cmd=a -each tc=1", Some("spar fastchess -engine cmd=a -each tc=1")),
            ("sprt -concurrency 2 -engine cmd=a", Some("spar fastchess -concurrency 2 -engine cmd=a")),
            ("-engine cmd=a -sprt elo0=0", Some("spar fastchess -engine cmd=a -sprt elo0=0")),
            ("sprt ./a ./b", Some("spar sprt --engine cmd=./a --engine cmd=./b --tc 10+0.1")),
            ("sprt a.toml --nonsense", None),
            ("match a.toml -x", None),
            ("show a b", None),
        ] {
            let found = advised(line);
            assert_eq!(found.as_deref().and_then(|text| text.split("\n  ").nth(1)), expected, "{line}: {found:?}");
        }
    }
}
