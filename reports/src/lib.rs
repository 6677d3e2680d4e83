//! Reports: what runs found, drawn for people to look at.
//!
//! It takes the series that an experiment publishes and knows no method; it plays nothing, decides nothing and touches no
//! file: whoever calls it reads the run and stores the drawing.

pub mod plots;
