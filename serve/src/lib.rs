//! `spar serve`: every run of a folder, live in the browser and as JSON over HTTP.
//!
//! It owns the server, its pages and its interface, and knows nothing that others do not: where runs stand comes from
//! [`reports::StandingReader`], what is said of them and drawn of them from `reports`, and what is worked on from the
//! locks of their folders. So a run shows up here whoever plays it. Nothing below it knows of HTTP. Those who have
//! leave can start and steer runs: sessions play them, from a queue that is all it writes, but for the mark of those
//! who watch games.
//!
//! ```text
//! journals ──look (a thread)──> Listing of Runs ──> Hub: a ring of events with ids ──> watchers, each at its own speed
//!                                     └──> api, on request: series, games, reports, exports
//! ```

mod access;
mod analysis;
mod api;
mod assets;
mod board;
mod control;
mod deadline_stream;
mod hub;
mod listing;
mod live;
mod notify;
mod places;
mod row;
mod run;
mod run_watcher;
mod server;
mod settings;
mod workers;

pub use control::{Leave, Players};
pub use server::{ServeError, Server, Stopper};
pub use settings::{Limits, Settings, SettingsError, Token};
pub use workers::{Worker, Workers};
