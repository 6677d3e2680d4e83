//! Reports: what runs found, for people to look at.
//!
//! A run's journal is read once ([`gather`]); with what its experiment publishes that becomes [`numbers`], [`plots`] and games to
//! step through ([`replay`]), and these a [`Report`]: one page, a Markdown summary, JSON, CSV and pictures. Nothing here knows a
//! method, plays a game or decides anything.

pub mod board;
mod chosen;
mod csv;
mod figures;
pub mod gather;
mod markdown;
pub mod numbers;
mod page;
pub mod plots;
pub mod replay;
mod report;
pub mod text;
pub mod tuned;

pub use figures::Figure;
pub use numbers::{FollowUp, RunFacts};
pub use report::{Extent, PAGE, PLOTS, Report, ReportError};
