//! `spar league`: rates engines that come and go, all together. A league consists of all its runs in the runs folder.

use super::ladder::{exit, folders, play, says};
use super::sessions::read_plan;
use super::{print, print_json};
use crate::args::releases::League;
use crate::failure::{Exit, Failure};
use arena::config::Job;
use arena::run::Finish;
use reports::summary::finite;
use reports::text::{counted, grouped, half_width, signed};
use serde_json::{Value, json};
use session::work::{self, Further, LadderState};
use stats::rating::{Ranked, Standing};
use std::path::Path;

/// The most characters of a name that are shown.
const WIDEST_NAME: usize = 32;

pub(crate) fn league(league: &League, runs: &Path) -> Result<Exit, Failure> {
    let plan = read_plan(&league.config, &league.working, Job::Ladder)?;
    let work = work::Ladder::league(plan.league()?, league.building.sources(&league.config, &league.working));
    let further = if league.show { Further::Nothing } else { Further::Always };
    let climbed = play(work::Ladder { further, ..work }, &league.working, runs)?;
    match climbed.finish {
        Some(Finish::Stopped) => say!("Interrupted; every finished pair is kept. To resume: the same command again"),
        None if !league.show => {
            say!("All ratings have the requested precision: add an engine, or request more.");
        }
        _ => {}
    }
    if league.working.json {
        print_json(&json(&climbed))?;
    } else {
        print(text(&climbed))?;
    }
    Ok(exit(&climbed))
}

/// The row of one engine.
struct Row<'a> {
    name: &'a str,
    ranked: Ranked,
    pairs: f64,
    score: f64,
    has_played: bool,
    is_current: bool,
    group: usize,
}

/// The rows of all engines: the best first, those without games last.
fn rows(climbed: &LadderState) -> Vec<Row<'_>> {
    let row = |ranked: Ranked| {
        let rating = climbed.ratings.entrants.get(ranked.entrant)?;
        Some(Row {
            name: climbed.names.get(ranked.entrant)?,
            pairs: rating.games / 2.0,
            score: rating.points / rating.games.max(1.0),
            has_played: rating.standing != Standing::NoGames,
            is_current: ranked.entrant < climbed.current,
            group: rating.group + 1,
            ranked,
        })
    };
    let mut rows: Vec<Row<'_>> = climbed.ratings.ranking(&climbed.anchors).into_iter().filter_map(row).collect();
    rows.sort_by_key(|row| !row.has_played);
    rows
}

fn text(climbed: &LadderState) -> String {
    let rows = rows(climbed);
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).clamp(4, WIDEST_NAME);
    let gone = rows.iter().filter(|row| !row.is_current).count() as u64;
    let left = if gone > 0 { format!(", {} of them gone", grouped(gone)) } else { String::new() };
    let engines = counted(rows.len() as u64, "engine");
    let mut lines = vec![
        format!("{}: {engines}{left}, {}", climbed.title, says(climbed)),
        String::new(),
        format!("  {:>3} {:<width$}  {:>8}   {:<9}{:>9}  {:>6}  LOS next", "#", "name", "Elo", "95%", "pairs", "score"),
    ];
    let groups = climbed.ratings.groups > 1;
    lines.extend(rows.iter().zip(1..).map(|(row, rank)| line(row, rank, width, groups)));
    if groups {
        let message = "Not connected: the numbers at the right are groups that no two-sided results join yet.";
        lines.extend([String::new(), message.to_owned()]);
    }
    let runs = climbed.runs.last().map_or_else(String::new, |path| format!("\n\n  latest run {}", path.display()));
    lines.join("\n") + &runs
}

fn line(row: &Row<'_>, rank: usize, width: usize, groups: bool) -> String {
    let Row { name, ranked, pairs, score, .. } = row;
    let name: String = name.chars().take(width).collect();
    let (elo, half) = match row {
        Row { has_played: false, .. } => ("-".to_owned(), "no games".to_owned()),
        _ if ranked.anchored => (signed(ranked.elo.value, 1), "anchor".to_owned()),
        _ => (signed(ranked.elo.value, 1), half_width(ranked.elo, 1)),
    };
    let los = ranked.los_next.filter(|_| row.has_played).map_or_else(String::new, |los| format!("{:.1}%", 100.0 * los));
    let group = if groups { format!("  {}", row.group) } else { String::new() };
    let note = if row.is_current { "" } else { "  (gone)" };
    let (pairs, score) = (grouped(pairs.round() as u64), format!("{:.1}%", 100.0 * score));
    let line = format!("  {rank:>3} {name:<width$}  {elo:>8}   {half:<9}{pairs:>9}  {score:>6}  {los:>8}{group}{note}");
    line.trim_end().to_owned()
}

fn json(climbed: &LadderState) -> Value {
    let row = |(row, rank): (&Row<'_>, usize)| {
        let Row { ranked, .. } = row;
        json!({
            "rank": rank, "name": row.name, "current": row.is_current, "anchor": ranked.anchored,
            "played": row.has_played, "elo": finite(ranked.elo.value), "elo_low": finite(ranked.elo.low),
            "elo_high": finite(ranked.elo.high), "pairs": finite(row.pairs), "score": finite(row.score),
            "group": row.group,
            "los_next": ranked.los_next.map_or(Value::Null, finite),
        })
    };
    let entrants: Vec<Value> = rows(climbed).iter().zip(1..).map(row).collect();
    json!({ "runs": folders(climbed), "pairs": climbed.pairs, "groups": climbed.ratings.groups, "entrants": entrants })
}
