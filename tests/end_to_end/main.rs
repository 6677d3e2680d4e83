//! End-to-end tests: the built binary, as a user runs it.

mod book;
mod calculator;
mod check;
mod connections;
mod damage;
mod described;
mod engines;
mod export;
mod fastchess;
mod fastchess_clients;
mod fastchess_rows;
mod faults;
mod interruption;
mod ladders;
mod leagues;
mod processes;
mod rate;
mod releases;
mod report;
mod runs;
mod schedules;
mod single;
mod stages;
mod starts;
mod support;
mod tune;
