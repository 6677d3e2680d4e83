//! Games: every finished one, to be listed, to be stepped through and to be thought about, and those that are being
//! played.

use super::json_body::JsonBody;
use super::streamed::streamed;
use super::{App, Refused, aside, json};
use crate::analysis::{Analysis, Asked};
use crate::asker::Asker;
use crate::tokens::Right;
use arena::run::{GameName, Header, JournalError, StoredResult};
use axum::extract::{Path, Query, State};
use axum::http::header::HeaderMap;
use axum::response::Response;
use play::reason;
use reports::replay::{players, score};
use serde::Deserialize;
use serde_json::{Value, json};

/// Pairs of one answer at most.
const MOST_PAIRS: u64 = 200;
/// The default number of pairs in an answer.
const USUAL_PAIRS: u64 = 25;

/// Which games.
#[derive(Deserialize)]
pub(super) struct Page {
    /// The number of the first pair, from 1; the last ones if not given.
    from: Option<u64>,
    /// How many pairs.
    count: Option<u64>,
}

/// Finished games, by rising number.
pub(super) async fn list(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(page): Query<Page>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let run = app.run(&name)?;
    let listed = aside(move || {
        let (journal, header) = run.journal().map_err(Refused::unreadable)?;
        let end = run.counted().map_err(Refused::unreadable)?;
        let count = page.count.unwrap_or(USUAL_PAIRS).clamp(1, MOST_PAIRS);
        let from = page.from.map_or(end.saturating_sub(count), |from| from.saturating_sub(1).min(end));
        let mut games = Vec::new();
        let read = journal.results(from..end.min(from + count), |stored| {
            games.extend((0..stored.result.games.len()).map(|game| game_row(&header, &stored, game)));
            Ok::<_, JournalError>(())
        });
        read.map_err(Refused::unreadable)?;
        Ok(json!({ "from": from + 1, "count": count, "pairs": end, "games": games }))
    });
    Ok(json(&listed.await?, &headers))
}

fn game_row(header: &Header, stored: &StoredResult, game: usize) -> Value {
    let [first, second] = players(header, stored, game);
    let (result, record) = (&stored.result, &stored.result.games[game]);
    json!({
        "game": GameName { pair: result.pair, game }.to_string(),
        "first": first,
        "second": second,
        "result": score(&record.ending),
        "ending": reason(&record.ending, header.config.game.side_names()),
        "plies": result.opening.len() + record.moves.len(),
        "fault": record.ending.fault().is_some(),
    })
}

/// A game, ply by ply, with the board before its first ply and what each changes.
pub(super) async fn one(
    State(app): State<App>,
    Path((name, game)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let run = app.run(&name)?;
    let name = named(&game)?;
    let game = aside(move || {
        let game = run.game(name).map_err(Refused::unreadable)?;
        game.ok_or_else(|| Refused::missing("there is no such game, or it cannot be drawn"))
    });
    let game = serde_json::to_value(game.await?).map_err(Refused::unreadable)?;
    Ok(json(&game, &headers))
}

fn named(game: &str) -> Result<GameName, Refused> {
    game.parse().map_err(|_| Refused::bad("games are called by their pair and 1 or 2: 12.2"))
}

/// Analysis of a position of a game by an engine of the run: a line of JSON for each report, the last with the move. It
/// starts a program, so it needs permission to start runs.
pub(super) async fn thoughts(
    State(app): State<App>,
    by: Asker,
    Path((name, game)): Path<(String, String)>,
    JsonBody(asked): JsonBody<Asked>,
) -> Result<Response, Refused> {
    let (control, run, game) = (app.control(&by, Right::Start)?, app.run(&name)?, named(&game)?);
    let place = app.thinker()?;
    let analysis = aside(move || {
        let spawner = control.spawner().map_err(Refused::unreadable)?;
        let (journal, header) = run.journal().map_err(|why| Refused::bad(why.to_string()))?;
        let analysis = Analysis::of((&journal, &header), game, &asked, spawner).map_err(Refused::bad)?;
        control.asked(&by, &name, &analysis.started, &game.to_string())?;
        Ok(analysis)
    });
    let analysis = analysis.await?;
    Ok(streamed(place, move |stop, found| analysis.think(stop, &found)))
}

/// The request of a watcher.
#[derive(Deserialize)]
pub(super) struct Look {
    /// The table, from 0.
    table: Option<usize>,
    /// The number of the last answer.
    seen: Option<u64>,
}

/// The tables at which games are played just now, and the game of one of them.
pub(super) async fn live(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(look): Query<Look>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let run = app.run(&name)?;
    let value = aside(move || Ok(run.live(look.table.unwrap_or(0), look.seen)));
    Ok(json(&value.await?, &headers))
}
