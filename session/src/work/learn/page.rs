//! The page of learning: strength and losses over the generations, their tests, and the time.

use super::record::{FittedPolicy, Generation, LearnJob};
use super::wording::{percent, strengths};
use crate::error::SessionError;
use arena::run::{Point, Series, replace_file};
use reports::plots::{GenerationMark, PlotError, generations_elo, generations_losses};
use reports::text::{grouped, spoken};
use reports::{FactSheet, PAGE};
use std::path::PathBuf;
use std::time::Duration;

impl LearnJob {
    /// Returns the path of its page.
    pub fn page(&self) -> PathBuf {
        self.folder().join(PAGE)
    }

    /// Writes its page, and returns the path.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot be drawn or written.
    pub fn write_page(&self) -> Result<PathBuf, SessionError> {
        let path = self.page();
        let io = |cause| SessionError::io("cannot make the page", cause);
        let sheet = self.sheet().map_err(|error| io(std::io::Error::other(error)))?;
        replace_file(&path, sheet.html().as_bytes()).map_err(io)?;
        Ok(path)
    }

    fn sheet(&self) -> Result<FactSheet, PlotError> {
        let mut sheet = FactSheet::new(self.title(), self.says());
        for (name, value) in self.facts() {
            sheet.fact(name, value);
        }
        let (heads, rows) = self.table();
        sheet.table("Generations", &heads, rows);
        if self.learning.evaluation.is_some() {
            sheet.table("Training", &TRAINING, self.generations().iter().filter_map(training_row).collect());
        }
        if self.learning.policy.is_some() {
            let rows = self.generations().iter().filter_map(policy_row);
            sheet.table("Training of the policy", &POLICY_TRAINING, rows.collect());
        }
        let links = |generation: &Generation| (generation.name(), links(generation));
        sheet.links("Pages", self.generations().iter().map(links).collect());
        let title = "Elo over the generations";
        let says = format!(
            "differences of all tests that were passed, added up from {}; 95%, squares of their errors added",
            self.start()
        );
        sheet.plot("elo", title, generations_elo(title, &says, self.start(), &self.marks()))?;
        let title = "Losses over the generations";
        let says = match self.learning.evaluation {
            Some(_) => {
                "held-out positions, which differ from generation to generation, and with them the least possible loss"
            }
            None => "held-out positions, which differ from generation to generation; cross-entropy of the moves",
        };
        sheet.plot("losses", title, generations_losses(title, says, &self.losses()))?;
        Ok(sheet)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let sum = |of: fn(&Generation) -> u64| grouped(self.generations().iter().map(of).sum());
        let [games, training, tests] = self.seconds();
        let time = |seconds: f64| spoken(Duration::from_secs_f64(seconds));
        vec![
            ("best", self.best().name),
            ("games of self-play", sum(|of| of.selfplay.as_ref().map_or(0, |played| played.games))),
            ("positions kept", sum(|of| of.selfplay.as_ref().map_or(0, |played| played.positions))),
            ("pairs of tests", sum(|of| of.gate.as_ref().map_or(0, |gate| gate.pairs))),
            ("time of all", time(games + training + tests)),
            ("time of games", time(games)),
            ("time of training", time(training)),
            ("time of tests", time(tests)),
        ]
    }

    fn marks(&self) -> Vec<GenerationMark> {
        let mark =
            |it: super::wording::Strength| GenerationMark { number: it.number, elo: it.elo, accepted: it.is_accepted };
        strengths(self.generations()).into_iter().map(mark).collect()
    }

    fn losses(&self) -> Vec<Series> {
        let series = |name: &str, loss: fn(&Generation) -> Option<f64>| {
            let point = |generation: &Generation| {
                let (x, y) = (f64::from(generation.number), loss(generation)?);
                Some(Point { x, y, low: None, high: None })
            };
            Series { name: name.to_owned(), points: self.generations().iter().filter_map(point).collect() }
        };
        if self.learning.evaluation.is_none() {
            return vec![
                series("of what was learnt", |of| Some(of.policy.as_ref()?.figures.cross_entropy)),
                series("all moves equal", |of| Some(of.policy.as_ref()?.uniform)),
            ];
        }
        vec![
            series("of what was learnt", |of| Some(of.training.as_ref()?.loss)),
            series("piece-square", |of| Some(of.training.as_ref()?.piece_square)),
            series("the targets themselves", |of| Some(of.training.as_ref()?.targets)),
        ]
    }
}

const TRAINING: [&str; 8] = ["", "trained on", "held out", "loss", "in training", "targets", "piece-square", "time"];

fn training_row(generation: &Generation) -> Option<Vec<String>> {
    let fitted = generation.training.as_ref()?;
    let loss = |loss: f64| format!("{loss:.5}");
    Some(vec![
        generation.name(),
        grouped(fitted.positions),
        grouped(fitted.held_out),
        loss(fitted.loss),
        loss(fitted.training_loss),
        loss(fitted.targets),
        loss(fitted.piece_square),
        spoken(Duration::from_secs_f64(fitted.seconds)),
    ])
}

const POLICY_TRAINING: [&str; 9] =
    ["", "trained on", "held out", "cross-entropy", "all moves equal", "first", "first 3", "first 5", "time"];

fn policy_row(generation: &Generation) -> Option<Vec<String>> {
    let FittedPolicy { positions, held_out, figures, uniform, seconds, .. } = generation.policy.as_ref()?;
    Some(vec![
        generation.name(),
        grouped(*positions),
        grouped(*held_out),
        format!("{:.5}", figures.cross_entropy),
        format!("{uniform:.5}"),
        percent(figures.top_1),
        percent(figures.top_3),
        percent(figures.top_5),
        spoken(Duration::from_secs_f64(*seconds)),
    ])
}

/// Returns links to the pages of a generation's runs and trainings.
fn links(generation: &Generation) -> Vec<(String, String)> {
    let link = |name: &str, folder: Option<&String>| Some((name.to_owned(), format!("{}/{PAGE}", folder?)));
    let games = link("games", generation.selfplay.as_ref().map(|played| &played.run));
    let training = link("training", generation.training.as_ref().map(|fitted| &fitted.folder));
    let policy = link("training of the policy", generation.policy.as_ref().map(|fitted| &fitted.folder));
    let test = link("test", generation.gate.as_ref().map(|gate| &gate.run));
    [games, training, policy, test].into_iter().flatten().collect()
}
