//! The engines of a command line. Options apply in the given order: later ones override earlier ones, whether they are
//! for one engine or for all engines before them.

use crate::error::FastchessError;
use plan::words::Engine;
use plan::{Given, names};
use play::entrant::UnknownOptions;
use std::collections::BTreeSet;
use std::path::Path;

/// The default of `timemargin`, by which a move may be late: fastchess rounds each move's time down, which ignores up
/// to this much.
const MARGIN: &str = "1ms";

/// A word of an option on engines.
#[derive(Clone, Debug)]
struct OptionWord {
    /// The option's name.
    option: &'static str,
    /// The index of the option among the command line's options on engines.
    place: usize,
    word: String,
}

/// The options on engines that were read so far.
#[derive(Debug, Default)]
pub(super) struct Engines {
    /// The words of each engine.
    own: Vec<Vec<OptionWord>>,
    /// The words for all engines; engines that are added later start with them.
    each: Vec<OptionWord>,
    /// The number of options.
    places: usize,
}

impl Engines {
    /// `-engine`.
    pub(super) fn add(&mut self, words: &[String]) {
        let own = self.words_of("-engine", words);
        self.own.push(self.each.iter().cloned().chain(own).collect());
    }

    fn words_of(&mut self, option: &'static str, words: &[String]) -> Vec<OptionWord> {
        self.places += 1;
        words.iter().map(|word| OptionWord { option, place: self.places, word: word.clone() }).collect()
    }

    /// `-each`.
    pub(super) fn apply_to_all(&mut self, words: &[String]) {
        let words = self.words_of("-each", words);
        self.own.iter_mut().chain([&mut self.each]).for_each(|engine| engine.extend_from_slice(&words));
    }

    /// Gives a limit to the engines without one.
    pub(super) fn limit_others(&mut self, option: &'static str, word: &str) {
        let limit = self.words_of(option, &[word.to_owned()]);
        let is_limit = |word: &OptionWord| matches!(word.key().as_str(), "tc" | "st" | "nodes" | "depth" | "limit");
        for engine in self.own.iter_mut().filter(|engine| !engine.iter().any(is_limit)) {
            engine.extend_from_slice(&limit);
        }
    }

    /// Returns the engines, with programs as fastchess finds them and a name for each.
    ///
    /// # Errors
    /// The first word that is invalid.
    pub(super) fn read(&self) -> Result<Vec<Engine>, FastchessError> {
        if let Some(OptionWord { option, word, .. }) = self.each.iter().find(|word| word.key() == "name") {
            return Err(FastchessError::usage(format!("`{option} {word}`: a name belongs to one engine")));
        }
        let mut engines = Vec::new();
        for own in &self.own {
            let words = last_of_each_key(own);
            let engine = Engine::of(words.into_iter().map(|word| (word.option, word.word.as_str())))?;
            let mut engine = in_its_folder(engine);
            engine.set_unknown_options(Given::derived(UnknownOptions::Warn, "as in fastchess"));
            engine.set_margin(Given::derived(MARGIN, "fastchess counts whole milliseconds"));
            engines.push(engine);
        }
        name_all(&mut engines);
        Ok(engines)
    }
}

impl OptionWord {
    /// The key that the word sets; of two words with one key, only one can apply.
    fn key(&self) -> String {
        match self.word.split_once('=').map_or(self.word.as_str(), |(key, _)| key) {
            "plies" => "depth".to_owned(),
            // Names of UCI options are case-insensitive.
            option if option.starts_with("option.") => option.to_ascii_lowercase(),
            key => key.to_owned(),
        }
    }

    /// Whether the word overrides an earlier one. A clock and a time per move in one option are an error, which the
    /// resolver reports.
    fn replaces(&self, before: &Self) -> bool {
        let is_time = |word: &Self| matches!(word.key().as_str(), "tc" | "st");
        // Lines to send accumulate.
        let is_added = matches!(self.key().as_str(), "init" | "initstr");
        !is_added && self.key() == before.key() || is_time(self) && is_time(before) && self.place != before.place
    }
}

/// The effective words in order. Threads come first, because engines need them before they allocate tables.
fn last_of_each_key(all: &[OptionWord]) -> Vec<&OptionWord> {
    let holds = |(at, earlier): &(usize, &OptionWord)| !all[at + 1..].iter().any(|later| later.replaces(earlier));
    let mut words: Vec<&OptionWord> = all.iter().enumerate().filter(holds).map(|(_, word)| word).collect();
    words.sort_by_key(|word| word.key() != "option.threads");
    words
}

/// Resolves an engine's program as fastchess does: in the engine's folder if that is given; a name without a slash may
/// be a file of the current folder.
fn in_its_folder(mut engine: Engine) -> Engine {
    let found = engine.command().filter(|command| !command.starts_with('/')).and_then(|command| {
        let below = Path::new(engine.folder().unwrap_or(".")).join(command.trim_start_matches("./"));
        let path = below.to_str().filter(|_| below.is_file())?;
        Some(if path.contains('/') { path.to_owned() } else { format!("./{path}") })
    });
    if let Some(command) = found {
        engine.set_command(&command);
    }
    engine
}

/// Gives every engine a unique name: by default that of its program, with a number if two are equal.
fn name_all(engines: &mut [Engine]) {
    let name = |engine: &Engine| match engine.name() {
        Some(name) => name.clone(),
        None => Given::derived(engine.command().map_or("engine", names::file_stem), "its program's name"),
    };
    let names: Vec<Given<String>> = engines.iter().map(name).collect();
    let mut taken: BTreeSet<String> = names.iter().map(|name| name.value.clone()).collect();
    for (place, (engine, name)) in engines.iter_mut().zip(&names).enumerate() {
        let same = names[..place].iter().filter(|other| other.value == name.value).count();
        let numbered = |number: usize| format!("{}_{number}", name.value);
        let unique = if same == 0 {
            name.value.clone()
        } else {
            (same + 1..=same + 1 + taken.len()).map(numbered).find(|text| !taken.contains(text)).unwrap_or_default()
        };
        taken.insert(unique.clone());
        engine.set_name(name.with(unique));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{Disk, RunPlan};

    /// `e` before the words of `-engine`, `a` before those of `-each`.
    fn read(options: &[(char, &str)]) -> Vec<String> {
        let mut engines = Engines::default();
        for (option, words) in options {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            if *option == 'e' { engines.add(&words) } else { engines.apply_to_all(&words) }
        }
        let mut plan = RunPlan::new("test", "test", Disk);
        let read = engines.read().unwrap_or_else(|failure| panic!("{failure}"));
        plan.keys.entrant = read.iter().map(|engine| Given::usual(engine.plan().clone())).collect();
        let bare = |line: &str| line.split("  # ").next().unwrap_or(line).to_owned();
        let is_its_own = |line: &&str| {
            let is_usual = ["unknown_options", "margin"].iter().any(|key| line.starts_with(key));
            !line.is_empty() && !line.starts_with('[') && !is_usual
        };
        plan.text().lines().filter(is_its_own).map(bare).collect()
    }

    #[test]
    fn what_is_said_last_holds() {
        let later_each = [('e', "cmd=a tc=1+0.01 option.Hash=8"), ('a', "tc=0.3+0.01 option.Hash=64")];
        assert_eq!(read(&later_each), [r#"name = "a""#, r#"cmd = "a""#, r#"limit = "300ms+10ms""#, r#"Hash = "64""#]);
        let later_engine = [('a', "tc=0.3+0.01 option.Hash=64"), ('e', "cmd=a tc=1+0.01 option.hash=8")];
        assert_eq!(read(&later_engine), [r#"name = "a""#, r#"cmd = "a""#, r#"limit = "1s+10ms""#, r#"hash = "8""#]);
        let twice = [('e', "cmd=a depth=3 plies=4 option.Hash=1 option.Threads=2 option.Hash=3")];
        let expected = [r#"name = "a""#, r#"cmd = "a""#, r#"limit = "depth 4""#, r#"Threads = "2""#, r#"Hash = "3""#];
        assert_eq!(read(&twice), expected);
    }

    #[test]
    fn a_time_a_move_takes_the_place_of_a_clock_unless_both_are_said_at_once() {
        let later = [('a', "tc=10+0.1"), ('e', "cmd=a st=0.1")];
        assert_eq!(read(&later)[2], r#"limit = "100ms a move""#);
        let mut engines = Engines::default();
        engines.add(&["cmd=a", "tc=1", "st=2"].map(str::to_owned));
        let error = engines.read().unwrap_err().to_string();
        assert_eq!(error, "`-engine st=2` comes after `-engine tc=1`: only one of them can hold");
    }

    #[test]
    fn names_are_those_of_programs_with_numbers_where_two_are_alike() {
        let engines = [('e', "cmd=./dev/sf.exe"), ('e', "cmd=x name=sf"), ('e', "cmd=sf"), ('a', "nodes=5")];
        let names: Vec<String> = read(&engines).into_iter().filter(|line| line.starts_with("name")).collect();
        assert_eq!(names, [r#"name = "sf""#, r#"name = "sf_2""#, r#"name = "sf_3""#]);
        let engines = [('e', "cmd=x name=a"), ('e', "cmd=x name=a"), ('e', "cmd=x name=a_2"), ('e', "cmd=x name=a_2")];
        let names: Vec<String> = read(&engines).into_iter().filter(|line| line.starts_with("name")).collect();
        assert_eq!(names, [r#"name = "a""#, r#"name = "a_3""#, r#"name = "a_2""#, r#"name = "a_2_2""#]);
    }
}
