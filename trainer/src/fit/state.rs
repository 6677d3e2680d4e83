//! The state of a fit, and its checkpoint file.

use super::adam::Adam;
use super::design::Design;
use super::genetic::Population;
use super::judge::Judged;
use super::{Clock, FitError, Method, Settings, cpu_seconds};
use arena::run::replace_file;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

const FILE: &str = "checkpoint.json";

/// A point in the progress of a method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The step, epoch or generation, from 1.
    pub step: u32,
    /// The loss, or the fitness, on the positions fitted to.
    pub training: f64,
    /// The same on held-out positions.
    pub held_out: f64,
}

/// The result of a method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The method.
    pub method: Method,
    /// The weights, in the order of features; if tapered, those of the middlegame first.
    pub weights: Vec<f64>,
    /// The standard error of each weight, if known.
    pub errors: Option<Vec<Option<f64>>>,
    /// The quality of the weights.
    pub judged: Judged,
    /// The wall time in seconds.
    pub seconds: f64,
    /// The processor time in seconds.
    pub cpu_seconds: f64,
    /// The progress of the method.
    pub points: Vec<Point>,
}

/// A running method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Running {
    method: Method,
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
    pub(super) points: Vec<Point>,
    pub(super) adam: Adam,
    pub(super) genetic: Population,
}

impl Running {
    /// Adds the time since `since`.
    pub(super) fn spend(&mut self, since: &Clock) {
        self.seconds += since.wall.elapsed().as_secs_f64();
        self.cpu_seconds += cpu_seconds() - since.cpu;
    }
}

/// The state of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    identity: String,
    pub(super) found: Vec<Found>,
    pub(super) running: Option<Running>,
}

impl State {
    /// Reads the state in a folder; an empty state if the folder has another fit, with other positions or settings.
    pub(super) fn read(folder: &Path, settings: &Settings, design: &Design) -> Result<Self, FitError> {
        let identity = identity(settings, design);
        let path = path(folder);
        let known: Option<Self> = match fs_err::read(&path) {
            Ok(text) => Some(
                serde_json::from_slice(&text).map_err(|error| FitError::Damaged { path, why: error.to_string() })?,
            ),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        let known = known.filter(|known| known.identity == identity);
        Ok(known.unwrap_or(Self { identity, found: Vec::new(), running: None }))
    }

    /// Takes the interrupted run of a method, or starts a new one.
    pub(super) fn take(&mut self, method: Method, start: &[f64]) -> Running {
        let begin = || Running {
            method,
            seconds: 0.0,
            cpu_seconds: 0.0,
            points: Vec::new(),
            adam: Adam::begin(start),
            genetic: Population::new(),
        };
        self.running.take().filter(|running| running.method == method).unwrap_or_else(begin)
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), FitError> {
        let text = serde_json::to_vec(self).map_err(io::Error::from)?;
        Ok(replace_file(&path(folder), &text)?)
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Everything that determines the result.
fn identity(settings: &Settings, design: &Design) -> String {
    format!("{:?} {:08x}", Settings { methods: Vec::new(), ..settings.clone() }, design.checksum())
}
