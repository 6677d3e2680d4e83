//! Reads engines given in words, such as `cmd=./dev name=dev tc=10+0.1 option.Hash=16`, into a plan, for every front
//! end that accepts such words.
//!
//! The front ends define the options; the plan's [`resolve`](RunPlan::resolve) checks whether all settings fit
//! together.

mod check;
mod engine;
mod time_control;

pub use check::{Spelling, Typed, check_common, check_limits};
pub use engine::Engine;

use super::{EnginePlan, Given, PlanError, RunPlan, names};

/// An error in the words for an engine.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WordsError {
    /// Words that make no sense by themselves or beside others; the message quotes them.
    #[error("{0}")]
    Words(String),
    /// A value that a configuration would not accept, either.
    #[error(transparent)]
    Value(#[from] Box<PlanError>),
}

impl WordsError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self::Words(message.into())
    }
}

impl From<PlanError> for WordsError {
    fn from(error: PlanError) -> Self {
        Self::Value(Box::new(error))
    }
}

/// Adds the engines under their [`names`](names_of) to the plan, with their common settings.
pub fn seat(plan: &mut RunPlan, each: &Engine, engines: &[Engine], names: &[String]) {
    plan.give_all(each.plan());
    let entrant = |(engine, name): (&Engine, &String)| {
        let whose = if engine.command().is_none() && engine.network().is_some() { "network" } else { "program" };
        let derived = || Given::derived(name.as_str(), format!("its {whose}'s name"));
        let name = engine.name().cloned().unwrap_or_else(derived);
        Given::usual(EnginePlan { name: Some(name), ..engine.plan().clone() })
    };
    plan.keys.entrant = engines.iter().zip(names).map(entrant).collect();
}

/// Returns the engines' names: their own, or those of their programs or networks, with a number where two are equal.
pub fn names_of(each: &Engine, engines: &[Engine]) -> Vec<String> {
    let name = |engine: &Engine| engine.name().map(|name| name.value.clone());
    let named: Vec<Option<String>> = engines.iter().map(name).collect();
    let programs = engines.iter().map(|engine| engine.command().or(engine.network()).or_else(|| each.command()));
    names::of_engines(&named.iter().map(Option::as_deref).zip(programs).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory::Memory;

    fn engine(words: &[&str]) -> Engine {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Engine::read(&words, "--engine").unwrap()
    }

    #[test]
    fn engines_are_called_after_their_programs_or_that_of_all() {
        let engines = [engine(&["cmd=./dev/sf"]), engine(&["cmd=x", "name=sf"]), engine(&[])];
        assert_eq!(names_of(&engine(&["cmd=each"]), &engines), ["sf-2", "sf", "each"]);
    }

    #[test]
    fn each_line_tells_what_it_comes_from() {
        let mut plan = RunPlan::new("command line", "run", Memory::empty());
        plan.keys.name = Some(Given::words("x", "--name x\ny"));
        let (each, engines) = (engine(&["tc=1"]), [engine(&["cmd=./dev", "option.Move Overhead=9"])]);
        seat(&mut plan, &each, &engines, &names_of(&each, &engines));
        let expected = r#"[each]
limit = "1s"  # --engine tc=1

[[entrant]]
name = "dev"  # its program's name
cmd = "./dev"  # --engine cmd=./dev

[entrant.options]
"Move Overhead" = "9"  # --engine option.Move Overhead=9
"#;
        let (name, rest) = plan.text().split_once("\n\n").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert!(name.ends_with("# --name x y"), "{name}");
        assert_eq!(rest, expected);
    }

    #[test]
    fn words_take_the_place_of_what_a_file_says() {
        let file = "openings = { plies = 4 }\nsprt.elo0 = 1 # why\n[each]\nlimit = \"1s\"\noptions = { Hash = 1 }\n\
                    [[entrant]]\nname = \"a\"\nlimit = \"9 nodes\"\nplayer = \"random\"\n\
                    [entrant.options]\nHash = 2\nThreads = 3\n";
        let read = || RunPlan::read(file, "f.toml", "f", &[], None, Memory::empty()).unwrap();
        assert_eq!(read().text(), file);
        let mut plan = read();
        plan.give_all(engine(&["nodes=5", "option.Hash=8", "cmd=x"]).plan());
        let now: toml::Table = plan.text().parse().unwrap();
        let expected: toml::Table = "openings.plies = 4\nsprt.elo0 = 1.0\n\
            each = { cmd = \"x\", limit = \"5 nodes\", options = { Hash = \"8\" } }\n\
            entrant = [{ name = \"a\", options = { Threads = 3 } }]\n"
            .parse()
            .unwrap();
        assert_eq!(now, expected, "{}", plan.text());
        for words in ["\"5 nodes\"  # --engine nodes=5", "\"8\"  # --engine option.Hash=8"] {
            assert!(plan.text().contains(words), "{words}: {}", plan.text());
        }
    }
}
