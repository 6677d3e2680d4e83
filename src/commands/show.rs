//! `spar show`: prints where a run stands, whether or not a session works on it.

use super::faults::list_faults;
use super::game::tell_game;
use super::parts::Row;
use super::{bisect, campaign, learn, one_run_path, parts, print, print_json, run_path};
use crate::args::Show;
use crate::failure::{Exit, Failure};
use crate::shown::shown;
use arena::run::Finish;
use serde_json::{Value, json};
use session::ReadRun;
use session::work::Series;
use std::path::Path;

/// Prints the results of a job of several runs, and of each run.
fn show_series(series: &Series, as_json: bool) -> Result<Exit, Failure> {
    let wording = series.rule().wording();
    let rows = rows_of(series)?;
    let ended: Vec<Finish> = rows.iter().filter_map(Row::finish).collect();
    let says = series.says(&ended);
    if as_json {
        let parts = rows.iter().zip(series.parts()).map(|(row, part)| {
            let mut json = row.json(&wording);
            json["name"] = json!(part.name);
            json
        });
        print_json(&json!({ "title": series.title(), "says": says, "parts": parts.collect::<Vec<_>>() }))?;
    } else {
        print(format_args!("{says}\n\n{}", parts::table("Its runs", &rows, &wording)))?;
    }
    Ok(Exit::Done)
}

/// The runs of a job, in order.
pub(super) fn rows_of(series: &Series) -> Result<Vec<Row>, Failure> {
    let wording = series.rule().wording();
    let (mut rows, mut ended) = (Vec::new(), Vec::new());
    for part in series.parts() {
        let row = match series.run_of(part) {
            Some(path) => {
                let run = ReadRun::open(&path)?;
                ended.push(run.finish());
                Row::of_read(&part.name, &run, &path, &wording)
            }
            None => Row::unplayed(&part.name, series.state_unplayed(&ended)),
        };
        rows.push(row);
    }
    Ok(rows)
}

pub(crate) fn show(show: &Show, runs: &Path) -> Result<Exit, Failure> {
    if let Some(game) = show.game {
        return tell_game(&one_run_path(&show.run, runs)?, game, show.json);
    }
    if show.faults {
        return list_faults(&one_run_path(&show.run, runs)?, show.json);
    }
    let path = run_path(&show.run, runs)?;
    if let Some(series) = Series::read(&path)? {
        return show_series(&series, show.json);
    }
    if let Some(job) = bisect::read(&path)? {
        bisect::show(&job, show.json)?;
        return Ok(Exit::Done);
    }
    if let Some(job) = campaign::read(&path)? {
        campaign::show(&job, show.json)?;
        return Ok(Exit::Done);
    }
    if let Some(job) = learn::read(&path)? {
        learn::show(&job, show.json)?;
        return Ok(Exit::Done);
    }
    let run = ReadRun::open(&path)?;
    let standing = run.experiment.standing();
    let summary = run.summary(&path, &standing);
    if show.json {
        let mut json = summary.json();
        json["state"] = json!(run.progress().name());
        if let Value::Object(map) = &mut json {
            map.extend(run.players().json());
        }
        print_json(&json)?;
    } else {
        let players = run.players().text();
        print(shown(format!("{}\n{players}", summary.text()).trim_end()))?;
    }
    Ok(Exit::Done)
}
