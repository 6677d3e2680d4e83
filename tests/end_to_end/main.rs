//! End-to-end tests: the built binary, as a user runs it.

mod bisect;
mod book;
#[cfg(feature = "bundle")]
mod bundling;
mod calculator;
mod campaign;
mod check;
mod connections;
mod crazyhouse;
mod damage;
mod described;
mod engines;
mod export;
#[cfg(feature = "fastchess")]
mod fastchess;
#[cfg(feature = "fastchess")]
mod fastchess_clients;
#[cfg(feature = "fastchess")]
mod fastchess_lines;
#[cfg(feature = "fastchess")]
mod fastchess_rows;
mod faults;
mod fit;
mod interruption;
mod ladders;
mod leagues;
mod learn;
mod networks;
mod processes;
mod rate;
mod releases;
mod report;
mod runs;
mod scaled;
mod schedules;
mod selfplay;
mod setups;
mod single;
mod stages;
mod starts;
mod support;
mod terminal;
#[path = "../tools/mod.rs"]
mod tools;
mod train;
mod train_chess;
mod tune;
