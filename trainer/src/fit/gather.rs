//! Builds a design from files and runs: reads positions as a stream, filters and samples them, and stores them in a
//! compact file, so that another fit of the same positions need not read everything again.

use super::design::{Design, Part};
use super::features::{Features, Line};
use super::models::{self, Model};
use super::sample::{Sampler, key};
use super::views::Views;
use super::{FitError, Input, Progress, Settings, Watch};
use crate::chess::read::{self, By, Flaw, Found, Reading};
use crate::chess::{self, Labels, Record, quiet};
use crate::data::{self, Positions, Run};
use serde::{Deserialize, Serialize};
use shakmaty::Position;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// The number of positions between two progress reports.
const TOLD_EVERY: u64 = 8_192;
/// The maximum number of flaws that are listed.
const FLAWS_TOLD: usize = 5;
/// The maximum number of contradictory results whose places are listed.
const CONTRADICTIONS_TOLD: usize = 20;

/// How to treat positions that are not quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quiet {
    /// Use them unchanged.
    AsIs,
    /// Leave out positions in check, and positions in which captures win material.
    Only,
    /// Leave out positions in check, and replace the others by the end of the best captures.
    Resolve,
}

/// The counts of the positions of all files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gathered {
    /// The number of positions with a label.
    pub read: u64,
    /// The number of unusable lines, games or objects.
    pub flawed: u64,
    /// The first of them: file, line and reason.
    pub flaws: Vec<String>,
    /// Positions left out because they are not quiet.
    pub noisy: u64,
    /// Positions left out because their score exceeds the limit.
    pub decided: u64,
    /// Positions left out as known duplicates.
    pub duplicates: u64,
    /// Positions kept.
    pub kept: u64,
    /// Lines and games left out because they have two contradictory results.
    pub contradictory: u64,
    /// The first of them: file and line.
    pub contradictions: Vec<String>,
    /// For formats of one position per line, the number of results read from each opcode, or spelling without one.
    pub results_by: BTreeMap<String, u64>,
    /// The same for scores.
    pub scores_by: BTreeMap<String, u64>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl Gathered {
    /// All warnings for the user, including those about contradictions.
    pub(super) fn all_warnings(&self) -> impl Iterator<Item = String> {
        let named = self.contradictions.join(", ");
        let more = if self.contradictory > self.contradictions.len() as u64 { ", ..." } else { "" };
        let contradictions = (self.contradictory > 0).then(|| {
            let count = self.contradictory;
            format!(
                "left out {count} with two results that contradict each other: {named}{more}. Correct or remove them"
            )
        });
        contradictions.into_iter().chain(self.warnings.iter().cloned())
    }
}

/// The positions of a fit, and the counts of all positions.
pub(super) struct Collected {
    pub(super) design: Design,
    pub(super) gathered: Gathered,
}

/// Reads everything. Returns `None` if stopped.
pub(super) fn collect(
    settings: &Settings,
    inputs: &[Input],
    folder: &Path,
    watch: &mut Watch<'_>,
) -> Result<Option<Collected>, FitError> {
    let mut intake =
        Intake { settings, gathered: Gathered::default(), views: Views::default(), watch, is_stopped: false };
    let design = match settings.model {
        Model::ChessTables { .. } => intake.chess(inputs, folder)?,
        Model::PieceSquare | Model::Wps => intake.leapers(inputs)?,
        Model::Features => intake.features(inputs)?,
    };
    let Intake { mut gathered, is_stopped, .. } = intake;
    if is_stopped {
        return Ok(None);
    }
    let rows = design.part(Part::Training).len() + design.part(Part::HeldOut).len();
    gathered.kept = rows as u64;
    if gathered.kept == 0 {
        return Err(FitError::Empty { read: gathered.read, flaws: gathered.flaws });
    }
    Ok(Some(Collected { design, gathered }))
}

struct Intake<'a, 'w> {
    settings: &'a Settings,
    gathered: Gathered,
    views: Views,
    watch: &'a mut Watch<'w>,
    is_stopped: bool,
}

impl Intake<'_, '_> {
    fn chess_flaw(&mut self, path: &Path, flaw: &Flaw) {
        if flaw.contradicts {
            self.gathered.contradictory += 1;
            if self.gathered.contradictions.len() < CONTRADICTIONS_TOLD {
                self.gathered.contradictions.push(format!("{}:{}", path.display(), flaw.line));
            }
        }
        self.flaw(path, flaw.line, &flaw.why);
    }

    fn flaw(&mut self, path: &Path, line: u64, why: &str) {
        self.gathered.flawed += 1;
        if self.gathered.flaws.len() < FLAWS_TOLD {
            self.gathered.flaws.push(format!("{}:{line}: {why}", path.display()));
        }
    }

    /// Counts a position and reports the progress.
    fn count(&mut self) -> ControlFlow<()> {
        self.gathered.read += 1;
        if self.gathered.read.is_multiple_of(TOLD_EVERY)
            && !(self.watch)(&Progress::Reading { read: self.gathered.read })
        {
            self.is_stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn part(&self, game: u64) -> Part {
        // Takes a share of the range of hashes.
        let is_held_out =
            (stats::random::mix(game ^ 0x5eed) as f64) < self.settings.held_out * 18_446_744_073_709_551_616.0;
        if is_held_out { Part::HeldOut } else { Part::Training }
    }

    fn chess(&mut self, inputs: &[Input], folder: &Path) -> Result<Design, FitError> {
        let store = super::store::Store::of(folder, self.settings, inputs)?;
        let records = if let Some((records, gathered)) = store.read()? {
            self.gathered = gathered;
            records
        } else {
            let records = self.read_chess(inputs)?;
            if !self.is_stopped {
                self.gathered.warnings.extend(self.views.warning());
                store.write(&records, &self.gathered)?;
            }
            records
        };
        let mut design = Design::new(self.settings.model.names(), self.settings.model.is_tapered());
        for wanted in [Part::Training, Part::HeldOut] {
            for record in records.iter().filter(|record| self.part(u64::from(record.labels().game)) == wanted) {
                models::push_chess(&mut design, record, wanted);
            }
        }
        Ok(design)
    }

    fn read_chess(&mut self, inputs: &[Input]) -> Result<Vec<Record>, FitError> {
        let mut sampler = Sampler::new(self.settings.positions);
        for (number, input) in (0..).zip(inputs) {
            match input {
                Input::File { path, reading } => {
                    let reading = reading.ok_or_else(|| FitError::UnknownFormat { path: path.clone() })?;
                    self.read_file(path, reading, number, &mut sampler)?;
                }
                Input::Run(run) => self.read_games(run, number, &mut sampler)?,
            }
            if self.is_stopped {
                break;
            }
        }
        let (records, duplicates) = sampler.finish();
        self.gathered.duplicates = duplicates;
        Ok(records)
    }

    fn read_file(
        &mut self,
        path: &Path,
        reading: Reading,
        number: u64,
        sampler: &mut Sampler<Record>,
    ) -> Result<(), FitError> {
        let read = read::read(path, reading, &mut |found| match found {
            Ok(found) => {
                self.take(&found, number, sampler);
                self.count()
            }
            Err(flaw) => {
                self.chess_flaw(path, &flaw);
                ControlFlow::Continue(())
            }
        });
        Ok(read?)
    }

    /// Reads the games of a run. Both games of a pair share one opening and count as one.
    fn read_games(&mut self, run: &Run, number: u64, sampler: &mut Sampler<Record>) -> Result<(), FitError> {
        let read = run.read(|journal| {
            chess::export::read(journal, run.pairs, &run.filter, |pair, of| {
                let (score, result) = (Some(of.score), Some(of.result));
                let found = Found { position: of.position, score, result, by: By::default(), game: pair };
                self.take(&found, number, sampler);
                self.count()
            })
        });
        Ok(read?)
    }

    fn take(&mut self, found: &Found, number: u64, sampler: &mut Sampler<Record>) {
        if found.score.is_none() && found.result.is_none() {
            return;
        }
        self.views.add(found);
        let gathered = &mut self.gathered;
        for (by, counts) in [(found.by.result, &mut gathered.results_by), (found.by.score, &mut gathered.scores_by)] {
            if let Some(by) = by {
                *counts.entry(by.to_owned()).or_default() += 1;
            }
        }
        let limit = self.settings.max_score;
        if found.score.is_some_and(|score| f64::from(score.unsigned_abs()) > limit) {
            self.gathered.decided += 1;
            return;
        }
        let Some(position) = self.quieted(found) else {
            self.gathered.noisy += 1;
            return;
        };
        let game = (stats::random::mix(number) ^ stats::random::mix(found.game)) as u32;
        let labels = Labels { score: found.score, result: found.result, game };
        match Record::new(&position, &labels) {
            // Counters and labels do not distinguish positions.
            Ok(record) => sampler.add(key(&record.as_bytes()[..25], self.settings.seed), record),
            Err(_) => self.gathered.flawed += 1,
        }
    }

    fn quieted(&self, found: &Found) -> Option<shakmaty::Chess> {
        match self.settings.quiet {
            Quiet::AsIs => Some(found.position.clone()),
            Quiet::Only => quiet::is_quiet(&found.position).then(|| found.position.clone()),
            Quiet::Resolve => (!found.position.is_check()).then(|| quiet::resolve(&found.position)),
        }
    }

    fn leapers(&mut self, inputs: &[Input]) -> Result<Design, FitError> {
        let mut sampler = Sampler::new(self.settings.positions);
        for input in inputs {
            let mut take = |record| self.take_leaper(record, &mut sampler);
            match input {
                Input::File { path, .. } => {
                    let positions = Positions::open(&[path])?;
                    positions.verify()?;
                    // Whether the loop ended early does not matter.
                    let _all = positions.iter().try_for_each(take);
                }
                Input::Run(run) => {
                    run.read(|journal| data::export::read(journal, run.pairs, &run.filter, |_, record| take(record)))?;
                }
            }
            if self.is_stopped {
                break;
            }
        }
        let (records, duplicates) = sampler.finish();
        self.gathered.duplicates = duplicates;
        let mut design = Design::new(self.settings.model.names(), false);
        for wanted in [Part::Training, Part::HeldOut] {
            for record in records.iter().filter(|record| self.part(u64::from(record.game())) == wanted) {
                models::push_leapers(&mut design, self.settings.model, record, wanted)?;
            }
        }
        Ok(design)
    }

    fn take_leaper(&mut self, record: data::Record, sampler: &mut Sampler<data::Record>) -> ControlFlow<()> {
        if f64::from(record.score().unsigned_abs()) / 10.0 > self.settings.max_score {
            self.gathered.decided += 1;
        } else {
            sampler.add(key(&record.as_bytes()[..24], self.settings.seed), record);
        }
        self.count()
    }

    /// Equal lines count more than once: only the author of the features can tell whether two positions are the same.
    fn features(&mut self, inputs: &[Input]) -> Result<Design, FitError> {
        let (mut names, mut sampler) = (Features::default(), Sampler::new(self.settings.positions));
        for (file, input) in (0..).zip(inputs) {
            let path = match input {
                Input::File { path, .. } => path,
                Input::Run(run) => return Err(FitError::NoFeatures { journal: run.journal.clone() }),
            };
            let source = play::pgn::Source::open(path).map_err(read::ReadError::Open)?;
            names.read(source.reader, &mut |number, line| {
                match line {
                    Ok(line) => self.take_line([file, number], line, &mut sampler),
                    Err(why) => self.flaw(path, number, &why),
                }
                self.count().is_continue()
            })?;
            if self.is_stopped {
                break;
            }
        }
        let (mut lines, _duplicates) = sampler.finish();
        let mut design = Design::new(names.names(), false);
        for wanted in [Part::Training, Part::HeldOut] {
            for Line { label, features, .. } in lines.iter_mut().filter(|line| self.part(line.game) == wanted) {
                design.push(features, 1.0, *label, wanted);
            }
        }
        Ok(design)
    }

    /// `place` is the number of the file and that of the line.
    fn take_line(&mut self, place: [u64; 2], line: Line, sampler: &mut Sampler<Line>) {
        if line.label.score.is_some_and(|score| f64::from(score.abs()) > self.settings.max_score) {
            self.gathered.decided += 1;
        } else {
            sampler.add(key(place.map(u64::to_le_bytes).as_flattened(), self.settings.seed), line);
        }
    }
}
