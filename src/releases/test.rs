//! A test between two builds, as the text of an ordinary configuration.

use super::{document, forget_place, run_name};
use crate::builds::Build;
use crate::failure::Failure;
use std::path::Path;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

/// Characters of a title; a longer subject is cut.
const LONGEST_TITLE: usize = 200;

/// The two hypotheses, where a command sets them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) elo0: f64,
    pub(crate) elo1: f64,
}

/// Who is tested against whom.
pub(crate) struct Contest<'a> {
    /// What the candidate is called, without its id.
    pub(crate) dev_name: &'a str,
    /// The candidate.
    pub(crate) dev: &'a Build,
    /// What its opponent is called.
    pub(crate) base_name: &'a str,
    /// The opponent.
    pub(crate) base: &'a Build,
    /// What is tested; as the file says if `None`.
    pub(crate) bounds: Option<Bounds>,
}

/// The configuration of a test, made from a file that says all but who plays: its text with `[build]` taken out and two
/// entrants put in. `[dev]` and `[base]` hold settings for one of them. `stem` names the run if the file does not.
pub(crate) fn test_text(text: &str, file: &str, stem: &str, contest: &Contest<'_>) -> Result<String, Failure> {
    let mut document = document(text, file)?;
    let _build = document.remove("build");
    if document.contains_key("entrant") {
        let message =
            "the entrants are the two builds: put settings for both into [each], for one of them into [dev] or [base]";
        return Err(Failure::usage(format!("{file}: {message}")));
    }
    let added = format!("-{}-{}", contest.dev.revision.short(), contest.base.revision.short());
    document["name"] = toml_edit::value(run_name(&document, stem, &added));
    if let Some(title) = title(contest.dev.revision.subject()) {
        document["title"] = toml_edit::value(title);
    }
    let mut entrants = ArrayOfTables::new();
    entrants.push(entrant(&mut document, file, "dev", contest.dev_name, contest.dev)?);
    entrants.push(entrant(&mut document, file, "base", contest.base_name, contest.base)?);
    let _none_before = document.insert("entrant", Item::ArrayOfTables(entrants));
    if let Some(Bounds { elo0, elo1 }) = contest.bounds {
        document["sprt"]["elo0"] = toml_edit::value(elo0);
        document["sprt"]["elo1"] = toml_edit::value(elo1);
    }
    Ok(document.to_string())
}

fn entrant(document: &mut DocumentMut, file: &str, key: &str, name: &str, build: &Build) -> Result<Table, Failure> {
    let mut table = match document.remove(key) {
        None => Table::new(),
        Some(item) => {
            item.into_table().map_err(|_| Failure::usage(format!("{file}: `{key}` is a section: write [{key}]")))?
        }
    };
    table.set_implicit(false);
    table["name"] = toml_edit::value(format!("{name} {}", build.revision.short()));
    put_program(&mut table, build)?;
    forget_place(&mut table);
    Ok(table)
}

/// Gives an entrant the program of a build, and the folder it must run in unless it says where.
pub(super) fn put_program(entrant: &mut Table, build: &Build) -> Result<(), Failure> {
    entrant["cmd"] = toml_edit::value(text_of(&build.program)?);
    if let Some(directory) = build.directory.as_deref().filter(|_| !entrant.contains_key("dir")) {
        entrant["dir"] = toml_edit::value(text_of(directory)?);
    }
    Ok(())
}

fn text_of(path: &Path) -> Result<&str, Failure> {
    let text = path.to_str();
    text.ok_or_else(|| Failure::usage(format!("{}: the path is no text: choose another --cache", path.display())))
}

/// A commit's subject as a title, if anything printable is in it.
fn title(subject: &str) -> Option<String> {
    let printable = subject.chars().map(|c| if c.is_control() { ' ' } else { c });
    let title = printable.take(LONGEST_TITLE).collect::<String>().trim().to_owned();
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builds::Revision;
    use arena::config::{ExperimentConfig, Job};
    use session::plan::load;

    fn build(id: &str, subject: &str) -> Build {
        let revision = Revision {
            asked: "x".into(),
            commit: id.repeat(40),
            id: id.repeat(40),
            message: format!("{subject}\n\nmore"),
            time: 0,
        };
        Build {
            revision,
            program: format!("/cache/{id}/engine").into(),
            directory: None,
            sha256: String::new(),
            nodes: None,
            cached: false,
        }
    }

    const FILE: &str = "seed = 3\n[build]\ncommand = \"make\"\nbinary = \"x\"\n[sprt]\nelo0 = 0\nelo1 = 5\n\
                        [dev.options]\nHash = 32\n[each]\nlimit = \"100 nodes\"\n";

    #[test]
    fn the_text_is_a_configuration_of_a_test() {
        let (dev, base) = (build("a", "Prune \"late\" moves\t"), build("b", "Release"));
        let contest = Contest { dev_name: "dev", dev: &dev, base_name: "v1.0", base: &base, bounds: None };
        let text = test_text(FILE, "patch.toml", "patch", &contest).unwrap();
        let run = load(&text, "made", "made", &[], Job::Sprt).unwrap().run;
        assert_eq!((run.name.as_str(), run.seed), ("patch-aaaaaaaa-bbbbbbbb", 3));
        assert_eq!(run.title.as_deref(), Some("Prune \"late\" moves"));
        let names: Vec<&str> = run.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        assert_eq!(names, ["dev aaaaaaaa", "v1.0 bbbbbbbb"]);
        let options = run.entrants.iter().map(|entrant| entrant.player.process().unwrap().options.iter().len());
        assert_eq!(options.collect::<Vec<_>>(), [1, 0]);
        let bounds = Some(Bounds { elo0: -5.0, elo1: 0.0 });
        let text = test_text(FILE, "patch.toml", "patch", &Contest { bounds, ..contest }).unwrap();
        let run = load(&text, "made", "made", &[], Job::Sprt).unwrap().run;
        let ExperimentConfig::Sprt { test, .. } = run.experiment else { panic!("{run:?}") };
        assert_eq!((test.elo0, test.elo1), (-5.0, 0.0));
    }

    #[test]
    fn entrants_of_the_file_are_refused() {
        let (dev, base) = (build("a", ""), build("b", ""));
        let contest = Contest { dev_name: "dev", dev: &dev, base_name: "base", base: &base, bounds: None };
        let error = |text: &str| test_text(text, "p.toml", "p", &contest).unwrap_err().to_string();
        assert!(error("[[entrant]]\nname = \"x\"").contains("[each]"));
        assert!(error("dev = 3").contains("write [dev]"));
        assert!(error("dev = ").contains("p.toml"));
    }
}
