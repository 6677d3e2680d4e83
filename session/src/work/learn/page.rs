//! The page of learning: strength and losses over the generations, their tests, what it all took.

use super::record::{Generation, LearnJob};
use super::wording::{HEADS, strengths};
use crate::error::SessionError;
use arena::run::{Point, Series, replace_file};
use reports::plots::{GenerationMark, PlotError, generations_elo, generations_losses};
use reports::text::{grouped, spoken};
use reports::{FactSheet, PAGE};
use std::path::PathBuf;
use std::time::Duration;

impl LearnJob {
    /// Where its page is.
    pub fn page(&self) -> PathBuf {
        self.folder().join(PAGE)
    }

    /// Writes its page, and returns where it is.
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
        let rows = self.generations().iter().map(|generation| generation.row().to_vec());
        sheet.table("Generations", &HEADS, rows.collect());
        sheet.table("Training", &TRAINING, self.generations().iter().filter_map(training_row).collect());
        let links = |generation: &Generation| (generation.name(), links(generation));
        sheet.links("Pages", self.generations().iter().map(links).collect());
        let title = "Elo over the generations";
        let says = format!(
            "differences of all tests that were passed, added up from {}; 95%, squares of their errors added",
            self.start()
        );
        sheet.plot("elo", title, generations_elo(title, &says, self.start(), &self.marks()))?;
        let title = "Losses over the generations";
        let says =
            "held-out positions, which differ from generation to generation, and with them the least possible loss";
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
        let series = |name: &str, loss: fn(&super::Fitted) -> f64| {
            let point = |generation: &Generation| {
                let (x, y) = (f64::from(generation.number), loss(generation.training.as_ref()?));
                Some(Point { x, y, low: None, high: None })
            };
            Series { name: name.to_owned(), points: self.generations().iter().filter_map(point).collect() }
        };
        vec![
            series("of what was learnt", |fitted| fitted.loss),
            series("piece-square", |fitted| fitted.piece_square),
            series("the targets themselves", |fitted| fitted.targets),
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

/// The pages of a generation's runs and training.
fn links(generation: &Generation) -> Vec<(String, String)> {
    let link = |name: &str, folder: Option<&String>| Some((name.to_owned(), format!("{}/{PAGE}", folder?)));
    let games = link("games", generation.selfplay.as_ref().map(|played| &played.run));
    let training = link("training", generation.training.as_ref().map(|fitted| &fitted.folder));
    let test = link("test", generation.gate.as_ref().map(|gate| &gate.run));
    [games, training, test].into_iter().flatten().collect()
}
