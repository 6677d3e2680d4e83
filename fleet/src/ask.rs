//! Requests of a person to the coordinator of a run.

use crate::access::Access;
use crate::error::FleetError;
use crate::link::Link;
use crate::message::Request;
use crate::names::{self, WorkerName};
use crate::runtime;
use crate::status::listen;

/// Asks the coordinator of a run, given by its name or token, to stop trusting a worker: the coordinator withdraws the
/// worker's pairs, has other workers play them again, and gives the worker no more.
///
/// # Errors
/// [`FleetError`] if the server is unavailable, there is no such run, or its coordinator refuses.
pub fn set_aside(access: &Access, run: &str, worker: &WorkerName, why: &str) -> Result<(), FleetError> {
    runtime::on_this_thread()?.block_on(ask(
        access,
        run,
        &Request::SetAside { worker: worker.to_string(), why: why.to_owned() },
    ))
}

async fn ask(access: &Access, run: &str, request: &Request) -> Result<(), FleetError> {
    let mut link = Link::connect(access, &access.name("ask")).await?;
    let runs = listen(&mut link).await?.runs;
    let mut found = runs.iter().filter(|(token, news)| *token == run || news.name == run);
    let refused = |why: String| FleetError::Request { run: run.to_owned(), why };
    let (token, None) = (found.next().map(|(token, _)| token.clone()), found.next()) else {
        let tokens: Vec<&str> =
            runs.iter().filter(|(_, news)| news.name == run).map(|(token, _)| token.as_str()).collect();
        return Err(refused(format!("several runs are called so; say which: {}", tokens.join(", "))));
    };
    let Some(token) = token else {
        let names: Vec<&str> = runs.values().map(|news| news.name.as_str()).collect();
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(refused(format!("no such run has a coordinator just now; there are: {there}")));
    };
    let text = serde_json::to_vec(request).unwrap_or_default();
    let client = link.client.clone();
    let answer = link.allowed("pass a request on", client.request(names::requests(&token), text.into())).await?;
    let answer: Result<(), String> = serde_json::from_slice(&answer.payload)
        .unwrap_or_else(|error| Err(format!("its answer cannot be read: {error}")));
    answer.map_err(refused)
}
