//! `spar show`: where a run stands, whether it is being worked on or not.

use super::faults::list_faults;
use super::game::tell_game;
use super::{learn, print, print_json, run_path};
use crate::args::Show;
use crate::failure::{Exit, Failure};
use arena::run::Finish;
use serde_json::{Value, json};
use session::ReadRun;
use session::work::Series;
use std::path::Path;

/// The runs of a job of several, as far as there are any.
fn show_series(series: &Series, as_json: bool) -> Result<Exit, Failure> {
    let (mut rows, mut ended) = (Vec::new(), Vec::new());
    for part in series.parts() {
        let path = series.run_of(part);
        let state = match &path {
            Some(path) => {
                let run = ReadRun::open(path)?;
                ended.push(run.verdict().map_or(Finish::Stopped, Finish::Verdict));
                run.progress(path).name()
            }
            None => series.state_unplayed(&ended),
        };
        rows.push((part.name.as_str(), state, path));
    }
    let says = series.says(&ended);
    if as_json {
        let rows = rows.iter().map(|(name, state, path)| json!({ "name": name, "state": state, "run": path }));
        print_json(&json!({ "title": series.title(), "says": says, "parts": rows.collect::<Vec<_>>() }))?;
        return Ok(Exit::Done);
    }
    print(format_args!("{says}\n"))?;
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    for (name, state, path) in rows {
        let path = path.map_or_else(String::new, |path| path.display().to_string());
        print(format_args!("  {name:<width$}  {state:<12}  {path}").to_string().trim_end())?;
    }
    Ok(Exit::Done)
}

pub(crate) fn show(show: &Show, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&show.run, runs);
    if let Some(series) = Series::read(&path)? {
        return show_series(&series, show.json);
    }
    if let Some(job) = learn::read(&path)? {
        learn::show(&job, show.json)?;
        return Ok(Exit::Done);
    }
    if let Some(game) = show.game {
        return tell_game(&path, game, show.json);
    }
    if show.faults {
        return list_faults(&path, show.json);
    }
    let run = ReadRun::open(&path)?;
    let standing = run.experiment.standing();
    let summary = run.summary(&path, &standing);
    if show.json {
        let mut json = summary.json();
        json["state"] = json!(run.progress(&path).name());
        if let Value::Object(map) = &mut json {
            map.extend(run.players(&path).json());
        }
        print_json(&json)?;
    } else {
        let players = run.players(&path).text();
        print(format_args!("{}\n{players}", summary.text()).to_string().trim_end())?;
    }
    Ok(Exit::Done)
}
