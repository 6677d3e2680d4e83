//! Games: finished games, to list, replay and analyse, and games in progress.

use super::downloads::attachment;
use super::json_body::JsonBody;
use super::streamed::streamed;
use super::{App, Refused, aside, json};
use crate::analysis::{Analysis, Asked};
use crate::asker::Asker;
use crate::sought::{self, Bounds, Search, entrants};
use crate::tokens::Right;
use arena::run::{GameName, game_pgn};
use axum::extract::{Path, Query, State};
use axum::http::header::HeaderMap;
use axum::response::Response;
use reports::gather::ending_kinds;
use serde::Deserialize;
use serde_json::json;

/// Returns finished games that match the query, by rising number.
pub(super) async fn list(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(query): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let run = app.run(&name)?;
    let asked = sought::Asked::of(&query).map_err(Refused::bad)?;
    let listed = aside(move || {
        let (journal, header) = run.journal().map_err(Refused::unreadable)?;
        let search = Search::new(&header, &asked).map_err(Refused::bad)?;
        let end = run.counted().map_err(Refused::unreadable)?;
        let found = search.run(&journal, end, Bounds::default()).map_err(Refused::unreadable)?;
        Ok(json!({
            "from": found.looked.start + 1, "to": found.looked.end, "done": found.is_done, "count": found.count,
            "pairs": end, "games": found.games, "entrants": entrants(&header),
            "endings": ending_kinds(header.config.game).collect::<Vec<_>>(),
        }))
    });
    Ok(json(&listed.await?, &headers))
}

/// Returns a game, ply by ply, with the board before its first ply and the changes by each; as PGN if the name ends in
/// `.pgn`.
pub(super) async fn one(
    State(app): State<App>,
    Path((name, game)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    if let Some(game) = game.strip_suffix(".pgn") {
        return pgn(&app, &name, game).await;
    }
    let run = app.run(&name)?;
    let name = named(&game)?;
    let game = aside(move || {
        let game = run.game(name).map_err(Refused::unreadable)?;
        game.ok_or_else(|| Refused::missing("there is no such game, or it cannot be drawn"))
    });
    let game = serde_json::to_value(game.await?).map_err(Refused::unreadable)?;
    Ok(json(&game, &headers))
}

/// Returns a game as PGN, as in the export of all games.
async fn pgn(app: &App, run: &str, game: &str) -> Result<Response, Refused> {
    let run = app.run(run)?;
    let game = named(game)?;
    let file = format!("{}-{game}.pgn", run.name);
    let text = aside(move || {
        let (journal, header) = run.journal().map_err(Refused::unreadable)?;
        let stored = journal.result(game.pair).map_err(Refused::unreadable)?;
        let text = stored.and_then(|stored| game_pgn(&header.config, &stored, game.game));
        text.ok_or_else(|| Refused::missing("there is no such game, or the rules of its game are not known here"))
    });
    Ok(attachment(&file, "application/x-chess-pgn", text.await?.into()))
}

fn named(game: &str) -> Result<GameName, Refused> {
    game.parse().map_err(|_| Refused::bad("games are called by their pair and 1 or 2: 12.2"))
}

/// Returns the analysis of a position of a game by an engine of the run: a line of JSON for each report, the last with
/// the move. It starts a program, so it needs permission to start runs.
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

/// The parameters of a watcher's request.
#[derive(Deserialize)]
pub(super) struct Look {
    /// The table, from 0.
    table: Option<usize>,
    /// The number of the last answer.
    seen: Option<u64>,
}

/// Returns the tables with games in progress, and the game at one of them.
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
