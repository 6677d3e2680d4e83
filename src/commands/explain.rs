//! `spar explain`: why one engine scored as it did against another.

use super::{one_run_path, print, print_json};
use crate::args::Explain as Arguments;
use crate::failure::{Exit, Failure};
use crate::host;
use crate::progress::ProgressLine;
use crate::shown::shown;
use anyhow::{Context, anyhow};
use arena::config::{LIMIT_FORMS, RunConfig, read_limit};
use arena::run::{Header, Local, NotSearched, Processes, RunFolder, SecondLook, run_header};
use play::Limit;
use play::players::process::StandbyPlayers;
use reports::explain::{Explanation, explain as explain_games};
use session::{ReadRun, SessionError, executables};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn explain(arguments: &Arguments, runs: &Path) -> Result<Exit, Failure> {
    let path = one_run_path(&arguments.run, runs)?;
    let run = ReadRun::open(&path)?;
    let entrants = entrants(&run.header.config, arguments, &path)?;
    let journal = RunFolder::open_journal(&path)?;
    let deeper = arguments.deeper.as_deref().map(limit_of_a_move).transpose()?;
    let mut explanation =
        explain_games(&run.header, &journal, run.replayed.pairs, entrants).map_err(SessionError::from)?;
    if let Some(limit) = deeper {
        search_again(&mut explanation, &run.header, entrants, limit, arguments)?;
    }
    if arguments.json {
        print_json(&explanation)?;
    } else {
        print(shown(&explanation.text(&arguments.run.display().to_string(), &path)))?;
    }
    Ok(Exit::Done)
}

/// The limit of a deeper search.
fn limit_of_a_move(text: &str) -> Result<Limit, Failure> {
    let limit = read_limit(text).ok_or_else(|| Failure::usage(format!("`--deeper {text}`: expected {LIMIT_FORMS}")))?;
    match limit {
        Limit::Nodes(_) | Limit::Depth(_) | Limit::Movetime(_) => Ok(limit),
        Limit::Clock { .. } | Limit::Hourglass(_) | Limit::Several(_) => Err(Failure::usage(format!(
            "`--deeper {text}` is not one limit of a move: expected e.g. `200000 nodes`, `1s a move` or `depth 20`"
        ))),
    }
}

/// Has both entrants search again where their views parted.
fn search_again(
    explanation: &mut Explanation,
    run: &Header,
    entrants: [usize; 2],
    limit: Limit,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let config = RunConfig {
        entrants: entrants.map(|entrant| run.config.entrants[entrant].clone()).to_vec(),
        ..run.config.clone()
    };
    let programs = Arc::new(executables(&config)?);
    let header = run_header(&config, &programs);
    for (entrant, now) in entrants.into_iter().zip(&header.builds) {
        if run.builds[entrant] != *now {
            say!("note: {} has been built again since the run", run.config.entrants[entrant].name);
        }
    }
    let processes = Processes {
        spawner: host::spawner()?,
        programs: programs as _,
        cpus: Vec::new(),
        trace: None,
        standby: StandbyPlayers::default(),
        pause: Duration::ZERO,
    };
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let local = Local::start(arguments.concurrency.unwrap_or(cores), Some(&processes));
    let mut local = local.context("cannot start workers").map_err(Failure::Environment)?;
    let parted = explanation.parted.iter().take(arguments.positions.into());
    let positions: Vec<_> = parted.map(|parting| parting.position.clone()).collect();
    let (stop, mut line) = (host::stop_flag()?, ProgressLine::new());
    let look = SecondLook { header: &header, entrants: [0, 1], limit };
    let said = look.search(&positions, &mut local, stop, &mut |done| {
        line.show(|_| format!("{done} of {} positions searched again", positions.len()));
    });
    line.finish();
    let said = said.map_err(|why| match why {
        NotSearched::Stopped => Failure::Interrupted,
        NotSearched::Failed(why) => Failure::Environment(anyhow!("a position cannot be searched again: {why}")),
    })?;
    explanation.judge(limit.to_string(), &said);
    Ok(())
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
