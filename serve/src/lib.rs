//! `spar serve`: every run of a folder, live in the browser and as JSON over HTTP.
//!
//! This crate owns the server, its pages and its interface. It has no data of its own: the standing of runs comes from
//! [`reports::StandingReader`], texts and plots from `reports`, and which runs are being played from the locks of their
//! folders. So every run shows up here, whichever process plays it. No crate below knows about HTTP. Users with the
//! right can start and control runs: sessions play them from a queue. The server writes only that queue, its log, who
//! started which run, the speeds of workers, and the mark that a game is watched.
//!
//! ```text
//! journals ─look (a thread)─> Listing of Runs ─> Hub: a ring of events with ids ─> watchers
//!                                    └─> api, on request: series, games, reports, exports
//! ```

mod access;
mod analysis;
mod api;
mod asker;
mod assets;
mod board;
pub mod client;
mod control;
mod deadline_stream;
mod hub;
mod jobs;
mod known;
mod listing;
mod live;
mod log;
mod notify;
mod outgoing;
mod peer;
mod places;
mod plain;
mod refusal;
mod row;
mod run;
mod run_watcher;
mod server;
mod settings;
mod sought;
mod spool;
mod starters;
mod tokens;
mod webhook;
mod workers;

pub use control::{Leave, Players};
pub use server::{ServeError, Server, Stopper};
pub use settings::{Limits, Settings, SettingsError};
pub use tokens::{Person, Right, Tokens, own_token};
pub use webhook::Webhook;
pub use workers::{Residual, Standing, StandingKind, SteerError, Worker, WorkerOrder, WorkerRun, Workers};
