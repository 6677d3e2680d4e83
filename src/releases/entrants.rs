//! Entrants that are revisions of a repository: `rev` in place of `cmd`, and their order in time.

use super::test::put_program;
use super::{document, forget_place};
use crate::builds::Build;
use crate::failure::Failure;
use toml_edit::{ArrayOfTables, Item, Table};

/// A configuration's text with the programs of revisions in place of the revisions, which `build` makes, and without
/// `[build]`. `[ladder] order = "date"` puts entrants, all of them revisions then, in the order of their commits.
pub(crate) fn with_builds(
    text: &str,
    file: &str,
    build: &mut dyn FnMut(&str) -> Result<Build, Failure>,
) -> Result<String, Failure> {
    let mut document = document(text, file)?;
    let _build = document.remove("build");
    let by_date = take_order(document.get_mut("ladder"), file)?;
    // Whatever is wrong with the entrants beside, the configuration's reader says better.
    let Some(entrants) = document.get_mut("entrant").and_then(Item::as_array_of_tables_mut) else {
        return Ok(document.to_string());
    };
    let mut dated: Vec<(i64, Table)> = Vec::with_capacity(entrants.len());
    for entrant in entrants.iter() {
        let mut entrant = entrant.clone();
        let time = match entrant.remove("rev") {
            Some(rev) => put_build(&mut entrant, &rev, file, build)?,
            None if by_date => {
                return Err(Failure::usage(format!("{file}: only revisions have dates: give every entrant a `rev`")));
            }
            None => 0,
        };
        dated.push((time, entrant));
    }
    if by_date {
        dated.sort_by_key(|(time, _)| *time);
    }
    let mut ordered = ArrayOfTables::new();
    for (_, mut entrant) in dated {
        forget_place(&mut entrant);
        ordered.push(entrant);
    }
    *entrants = ordered;
    Ok(document.to_string())
}

/// Takes the key out that says how entrants are ordered; whether by date.
fn take_order(ladder: Option<&mut Item>, file: &str) -> Result<bool, Failure> {
    let order = ladder.and_then(Item::as_table_like_mut).and_then(|table| table.remove("order"));
    match order.as_ref().map(Item::as_str) {
        None | Some(Some("file")) => Ok(false),
        Some(Some("date")) => Ok(true),
        Some(_) => Err(Failure::usage(format!("{file}: `ladder.order` is \"file\" or \"date\""))),
    }
}

/// Gives an entrant the program of its revision, and its name if it has none; returns the time of the commit.
fn put_build(
    entrant: &mut Table,
    rev: &Item,
    file: &str,
    build: &mut dyn FnMut(&str) -> Result<Build, Failure>,
) -> Result<i64, Failure> {
    let rev =
        rev.as_str().ok_or_else(|| Failure::usage(format!("{file}: `rev` is a text: a tag, a branch, a commit")))?;
    if entrant.contains_key("cmd") {
        return Err(Failure::usage(format!(
            "{file}: the entrant of rev \"{rev}\" has a `cmd`, too: which of them plays?"
        )));
    }
    let build = build(rev)?;
    put_program(entrant, &build)?;
    if !entrant.contains_key("name") {
        entrant["name"] = toml_edit::value(rev);
    }
    Ok(build.revision.time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builds::Revision;
    use arena::config::Job;
    use session::plan::load;

    fn build(rev: &str) -> Result<Build, Failure> {
        let time = match rev {
            "v1" => 100,
            "v2" => 200,
            _ => return Err(Failure::usage("no such revision")),
        };
        let revision =
            Revision { asked: rev.into(), commit: String::new(), id: rev.into(), message: String::new(), time };
        Ok(Build {
            revision,
            program: format!("/c/{rev}").into(),
            directory: Some("/".into()),
            sha256: String::new(),
            nodes: None,
            cached: true,
        })
    }

    const FILE: &str = "[build]\ncommand = \"x\"\nbinary = \"x\"\n[ladder]\npairs = 5\norder = \"date\"\n[each]\nlimit = \"9 nodes\"\n\
                        [[entrant]]\nrev = \"v2\"\nname = \"second\"\n[entrant.options]\nHash = 1\n[[entrant]]\nrev = \"v1\"\n";

    #[test]
    fn revisions_become_programs_in_the_order_of_their_dates() {
        let names = |text: &str| {
            let run =
                load(&with_builds(text, "l.toml", &mut build).unwrap(), "made", "l", &[], Job::Ladder).unwrap().run;
            let shown = run.entrants.into_iter().map(|entrant| {
                let process = entrant.player.process().unwrap();
                assert_eq!(process.directory.as_deref(), Some(std::path::Path::new("/")));
                format!("{} {} {}", entrant.name, process.command, process.options.iter().len())
            });
            shown.collect::<Vec<_>>()
        };
        assert_eq!(names(FILE), ["v1 /c/v1 0", "second /c/v2 1"]);
        assert_eq!(names(&FILE.replace("date", "file")), ["second /c/v2 1", "v1 /c/v1 0"]);
    }

    #[test]
    fn what_cannot_be_ordered_or_built_is_refused() {
        let error = |old: &str, new: &str| {
            with_builds(&FILE.replacen(old, new, 1), "l.toml", &mut build).unwrap_err().to_string()
        };
        assert!(error("\"date\"", "\"age\"").contains("\"file\" or \"date\""));
        assert!(error("rev = \"v1\"", "cmd = \"x\"").contains("only revisions have dates"));
        assert!(error("name = \"second\"", "cmd = \"x\"").contains("which of them plays"));
        assert!(error("\"v1\"", "\"v3\"").contains("no such revision"));
        assert!(error("\"v1\"", "3").contains("`rev` is a text"));
    }
}
