//! `spar explain`: why one engine scored as it did against another.

use super::{one_run_path, print, print_json};
use crate::args::Explain as Arguments;
use crate::failure::{Exit, Failure};
use crate::host;
use crate::progress::ProgressLine;
use crate::shown::shown;
use anyhow::{Context, anyhow};
use arena::config::{RunConfig, read_limit};
use arena::run::{Header, Local, NotSearched, Processes, Reached, RunFolder, Searched, SecondLook, run_header};
use play::Limit;
use reports::explain::{Explanation, explain as explain_games};
use session::{Busy, ReadRun, SessionError, executables};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

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
    let limit = read_limit(text);
    let is_one = |limit: &Limit| matches!(limit, Limit::Nodes(_) | Limit::Depth(_) | Limit::Movetime(_));
    limit.filter(is_one).ok_or_else(|| {
        Failure::usage(format!(
            "`--deeper {text}`: expected one limit of a move, such as `200000 nodes`, `1s a move` or `depth 20`"
        ))
    })
}

/// Searches the positions where the entrants disagreed again, with both entrants.
fn search_again(
    explanation: &mut Explanation,
    run: &Header,
    entrants: [usize; 2],
    limit: Limit,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let entrants_of_run = entrants.map(|entrant| run.config.entrants[entrant].clone());
    for entrant in &entrants_of_run {
        let expected = entrant.player.process().and_then(|process| process.protocol.supported_limits(limit));
        if let Some(expected) = expected {
            let message = format!("`--deeper {limit}`: {} cannot be limited so: expected {expected}", entrant.name);
            return Err(Failure::usage(message));
        }
    }
    let parted = explanation.parted.iter().take(arguments.positions.into());
    let positions: Vec<_> = parted.map(|parting| parting.position.clone()).collect();
    let searched = if positions.is_empty() {
        Searched::default()
    } else {
        let config = RunConfig { entrants: entrants_of_run.to_vec(), ..run.config.clone() };
        let programs = Arc::new(executables(&config)?);
        let header = run_header(&config, &programs);
        for (entrant, now) in entrants.into_iter().zip(&header.builds) {
            if run.builds[entrant] != *now {
                say!("note: {} has been built again since the run", run.config.entrants[entrant].name);
            }
        }
        let processes = Processes::new(host::spawner()?, programs);
        let look = SecondLook { header: &header, entrants: [0, 1], limit };
        search_in_view(&look, &positions, &processes, arguments.concurrency)?
    };
    if let Some(fault) = &searched.fault {
        say!("note: not all positions could be searched by both: {fault}");
        if searched.said.iter().all(|said| said.iter().all(Option::is_none)) {
            return Err(Failure::Environment(anyhow!("no position could be searched again")));
        }
    }
    explanation.judge(limit.to_string(), &searched.said);
    Ok(())
}

/// Searches positions and shows progress, until the end or until Ctrl-C.
fn search_in_view(
    look: &SecondLook<'_>,
    positions: &[Reached],
    processes: &Processes,
    concurrency: Option<NonZeroUsize>,
) -> Result<Searched, Failure> {
    let threads = Busy::of(&look.header.config.entrants).threads;
    let usual = NonZeroUsize::new(host::processors().get() / threads).unwrap_or(NonZeroUsize::MIN);
    let local = Local::start(concurrency.unwrap_or(usual), Some(processes));
    let mut local = local.context("cannot start workers").map_err(Failure::Environment)?;
    let mut line = ProgressLine::new();
    let searched = look.search(positions, &mut local, host::stop_flag()?, &mut |done| {
        line.show(|_| format!("{done} of {} positions searched again", positions.len()));
    });
    line.finish();
    searched.map_err(|why| match why {
        NotSearched::Stopped => Failure::Interrupted,
        NotSearched::Failed(why) => Failure::Environment(anyhow!("a position cannot be searched again: {why}")),
    })
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
