//! `spar explain`: why one engine scored as it did against another.

use super::{one_run_path, print, print_json};
use crate::args::Explain as Arguments;
use crate::failure::{Exit, Failure};
use crate::shown::shown;
use arena::config::RunConfig;
use arena::run::RunFolder;
use reports::explain::explain as explain_games;
use session::{ReadRun, SessionError};
use std::path::Path;

pub(crate) fn explain(arguments: &Arguments, runs: &Path) -> Result<Exit, Failure> {
    let path = one_run_path(&arguments.run, runs)?;
    let run = ReadRun::open(&path)?;
    let entrants = entrants(&run.header.config, arguments, &path)?;
    let journal = RunFolder::open_journal(&path)?;
    let explanation = explain_games(&run.header, &journal, run.replayed.pairs, entrants).map_err(SessionError::from)?;
    if arguments.json {
        print_json(&explanation)?;
    } else {
        print(shown(&explanation.text(&arguments.run.display().to_string(), &path)))?;
    }
    Ok(Exit::Done)
}

/// The numbers of the two entrants.
fn entrants(config: &RunConfig, arguments: &Arguments, path: &Path) -> Result<[usize; 2], Failure> {
    let names: Vec<&str> = config.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let path = path.display();
    let [of, against] = [("--of", &arguments.of), ("--against", &arguments.against)].map(|(option, name)| {
        let found = name.as_ref().map(|name| names.iter().position(|other| other == name).ok_or((option, name)));
        found.transpose()
    });
    let unknown = |(option, name): (&str, &String)| {
        let known = names.join(", ");
        Failure::usage(format!("`{option} {name}`: run {path} has no such entrant: expected one of {known}"))
    };
    let two = match (of.map_err(unknown)?, against.map_err(unknown)?, names.len()) {
        (Some(of), Some(against), _) => [of, against],
        (of, against, 2) => {
            let of = of.or(against.map(|against| 1 - against)).unwrap_or(0);
            [of, 1 - of]
        }
        (_, _, 1) => {
            return Err(Failure::usage(format!(
                "run {path} has one entrant, which plays itself: there is no opponent"
            )));
        }
        _ => {
            let known = names.join(", ");
            let message =
                format!("run {path} has {} entrants: choose two with --of and --against from {known}", names.len());
            return Err(Failure::usage(message));
        }
    };
    if two[0] == two[1] {
        return Err(Failure::usage(format!("`{}` is both --of and --against: choose two entrants", names[two[0]])));
    }
    Ok(two)
}
