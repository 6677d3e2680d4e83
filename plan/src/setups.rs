//! The plan of a book of setups. It has its own configuration, since the book needs no run.

use super::error::{PlanError, Source};
use super::files::Files;
use super::given::{Given, Origin};
use super::keys::SetupsKeys;
use arena::config::read_duration;
use engine::book::MAX_ENTRIES;
use engine::{EvaluationKind, Evaluator};
use std::path::PathBuf;
use trainer::setups::{NODES_PER_SECOND, Settings};

/// Default number of entries of a book.
const ENTRIES: usize = 4_000;

/// A requested book of setups.
#[derive(Clone, Debug)]
pub struct SetupsPlan {
    /// The folder for all its files.
    pub out: PathBuf,
    /// The settings that determine the book.
    pub settings: Settings,
    /// The configuration as it was read.
    pub text: String,
}

impl SetupsPlan {
    /// Reads a configuration. `name` identifies the text in errors, `changes` are `key=value` texts that override it,
    /// and `files` holds the files that it may name.
    ///
    /// # Errors
    /// [`PlanError`] for the first mistake, at its place.
    pub fn read(text: &str, name: &str, changes: &[String], files: impl Files + 'static) -> Result<Self, PlanError> {
        let (source, keys) = Source::read(text, name, changes, files)?;
        resolve(&keys, source)
    }
}

fn resolve(keys: &SetupsKeys, source: Source) -> Result<SetupsPlan, PlanError> {
    let missing = |what: &str, example: &str| source.error(format!("there is no `{what}`"), format!("add `{example}`"));
    let out = keys.out.as_ref().ok_or_else(|| missing("out", "out = \"books/first\""))?;
    if out.value.is_empty() {
        return Err(source.error_at(&out.origin, "`out` is empty", "expected a folder"));
    }
    let budget = keys.budget.as_ref().ok_or_else(|| missing("budget", "budget = \"20min\""))?;
    let settings = Settings {
        nodes: nodes(budget, &source)?,
        seed: keys.seed.as_ref().map_or(1, |seed| seed.value),
        entries: entries(keys.entries.as_ref(), &source)?,
        network: network(keys.network.as_ref(), &source)?,
    };
    Ok(SetupsPlan { out: PathBuf::from(&out.value), settings, text: source.text })
}

/// Converts processor time to nodes.
fn nodes(budget: &Given<String>, source: &Source) -> Result<u64, PlanError> {
    let time = read_duration(&budget.value).filter(|time| time.as_secs() >= 1);
    let nodes = time.and_then(|time| u64::try_from(time.as_millis()).ok()?.checked_mul(NODES_PER_SECOND / 1000));
    nodes.ok_or_else(|| {
        let message = format!("`{}` is not a time for a book", budget.value);
        source.error_at(&budget.origin, message, "expected processor time from a second on, such as `20min` or `8h`")
    })
}

fn entries(key: Option<&Given<usize>>, source: &Source) -> Result<usize, PlanError> {
    match key {
        None => Ok(ENTRIES),
        Some(given) if (1..=MAX_ENTRIES).contains(&given.value) => Ok(given.value),
        Some(given) => {
            let message = format!("a book cannot have {} entries", given.value);
            Err(source.error_at(&given.origin, message, format!("expected 1 to {MAX_ENTRIES}")))
        }
    }
}

fn network(key: Option<&Given<String>>, source: &Source) -> Result<std::sync::Arc<engine::Network>, PlanError> {
    let refuse = |origin: &Origin, why: String| source.error_at(origin, why, "expected a network's file");
    let (evaluator, origin) = match key {
        None => (EvaluationKind::Network.into(), &Origin::Usual),
        Some(file) => {
            let read = source.files.network(&file.value);
            (read.map_err(|error| refuse(&file.origin, error.to_string()))?.evaluator().clone(), &file.origin)
        }
    };
    match evaluator {
        Evaluator::Network(network) => Ok(network),
        other => Err(refuse(origin, format!("setups are valued by a network, not by `{}`", other.kind()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory::Memory;

    fn refused(text: &str) -> String {
        format!("{:?}", miette::Report::new(SetupsPlan::read(text, "book.toml", &[], Memory::empty()).unwrap_err()))
    }

    #[test]
    fn a_budget_is_nodes() {
        let plan =
            SetupsPlan::read("out = \"b\"\nbudget = \"2min\"\n", "book.toml", &["seed=7".to_owned()], Memory::empty())
                .unwrap();
        assert_eq!((plan.settings.nodes, plan.settings.seed, plan.settings.entries), (120_000_000, 7, ENTRIES));
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        for (text, expected) in [
            ("budget = \"2min\"", "there is no `out`"),
            ("out = \"b\"", "there is no `budget`"),
            ("out = \"b\"\nbudget = \"2m\"", "`2m` is not a time for a book"),
            ("out = \"b\"\nbudget = \"1ms\"", "expected processor time from a second on"),
            ("out = \"b\"\nbudget = \"1h\"\nentries = 0", "expected 1 to 65535"),
            ("out = \"b\"\nbudget = \"1h\"\nnetwork = \"nowhere\"", "cannot read nowhere"),
            ("out = \"b\"\nbudget = \"1h\"\nplies = 3", "plies"),
        ] {
            let error = refused(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
