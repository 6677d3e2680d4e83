//! A complete report: made from a run, written into a folder.

use crate::block::block;
use crate::conditions::Conditions;
use crate::explain::Explanation;
use crate::faults::Faults;
use crate::figures::{Figure, Sources, figures};
use crate::gather::Gathered;
use crate::numbers::{Numbers, RunFacts};
use crate::plots::{PlotError, PngRenderer};
use crate::replay::Replay;
use crate::{markdown, page, sections, spreadsheet};
use arena::run::{FolderError, JournalError, RunError, Series, replace_file};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};

/// The page's file.
pub const PAGE: &str = "report.html";
/// The folder of the plots' files.
pub const PLOTS: &str = "plots";

/// Why a report cannot be made or written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// There is no such run, or its folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The run's journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The run's journal does not belong to its configuration.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run in a followed folder has been replaced.
    #[error("the run in {path} has changed: it is another one, or has another pair limit")]
    Changed {
        /// The run.
        path: PathBuf,
    },
    /// A plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A file cannot be written.
    #[error("{0}. Choose another place with --out")]
    Write(#[from] io::Error),
}

/// The part of a report to write.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// Only the page: cheap enough for a running run.
    Page,
    /// The page, the summary, the tables, and every plot as SVG.
    Everything {
        /// Also draws each plot as PNG.
        png: Option<PngRenderer>,
    },
}

/// The files of a report beside its page and its plots.
const FILES: [&str; 4] = ["report.md", "report.json", "results.csv", "series.csv"];
/// The plots of a run's course, which may still be in progress.
const COURSES: [&str; 3] = ["llr", "elo", "values"];

/// Parts of a report's page, each as HTML, for pages that show the rest themselves. Their text is escaped; style comes
/// from [`STYLE`](crate::STYLE).
#[derive(Clone, Debug, Serialize)]
pub struct Sections {
    /// Numbers, tables and entrants.
    pub numbers: String,
    /// Games lost by a fault; empty if there are none.
    pub faults: String,
    /// All plots but those of the run's course.
    pub figures: String,
    /// How and where the run was played.
    pub conditions: String,
}

/// A report, ready to be written.
#[derive(Clone, Debug)]
pub struct Report {
    /// All numbers.
    pub numbers: Numbers,
    /// All plots.
    pub figures: Vec<Figure>,
    /// The games to look at.
    pub games: Vec<Replay>,
    /// How and where the run was played.
    pub conditions: Conditions,
    /// Why one of two entrants scored as it did against the other, if the page should explain that.
    pub explanation: Option<Explanation>,
    pub(crate) faults: Faults,
    pub(crate) series: Vec<(&'static str, Series)>,
}

impl Report {
    /// Makes the report from the data gathered from a run. `course` and `slices` are its experiment's.
    pub(crate) fn new(
        facts: &RunFacts<'_>,
        gathered: &Gathered,
        (course, slices): (Vec<Series>, Vec<Series>),
        games: Vec<Replay>,
        conditions: Conditions,
        faults: Faults,
    ) -> Result<Self, ReportError> {
        let mut numbers = Numbers::new(facts, gathered);
        numbers.block = block(&numbers);
        let sources = Sources { facts, numbers: &numbers, gathered, series: &course, slices: &slices };
        let figures = figures(&sources)?;
        let elo = Series { name: "elo".to_owned(), points: gathered.elo_course() };
        let elo = numbers.measures_strength().then_some(("elo", elo));
        let course = course.into_iter().map(|series| ("course", series));
        let slices = slices.into_iter().map(|slice| ("slices", slice));
        let series = course.chain(slices).chain(elo).collect();
        Ok(Self { numbers, figures, games, conditions, explanation: None, faults, series })
    }

    /// The page as HTML.
    pub fn page(&self) -> String {
        page::page(self)
    }

    /// The summary as Markdown.
    pub fn markdown(&self) -> String {
        markdown::markdown(&self.numbers)
    }

    /// All numbers as JSON.
    pub fn json(&self) -> serde_json::Value {
        let games: Vec<_> = self.games.iter().map(|game| json!({ "why": game.why, "game": game.place })).collect();
        let mut value = serde_json::to_value(&self.numbers).unwrap_or_default();
        value["notable"] = json!(games);
        value["conditions"] = json!(self.conditions);
        value["explanation"] = json!(self.explanation);
        value["faults"] = json!(self.faults.games);
        value["plots"] = json!(self.figures.iter().map(|figure| &figure.id).collect::<Vec<_>>());
        value
    }

    /// Writes the report into a folder, which is created if needed, and returns the page's path. A reader of the page
    /// sees either the old or the new one, never a part.
    ///
    /// # Errors
    /// [`ReportError::Write`], naming the file.
    pub fn write(&self, folder: &Path, extent: Extent) -> Result<PathBuf, ReportError> {
        fs_err::create_dir_all(folder)?;
        if let Extent::Everything { png } = extent {
            for name in FILES {
                write(folder, name, self.file(name, png)?.unwrap_or_default())?;
            }
            self.write_plots(&folder.join(PLOTS), png)?;
        }
        write(folder, PAGE, self.page())
    }

    /// The content of a file of the report, such as `report.html`, `results.csv` or `plots/llr.svg`; `None` if there is
    /// no such file. `plots/llr.png` exists if there is a renderer.
    ///
    /// # Errors
    /// [`ReportError`] if a table or a picture cannot be made.
    pub fn file(&self, name: &str, png: Option<PngRenderer>) -> Result<Option<Vec<u8>>, ReportError> {
        let plot = |ending: &str| {
            let id = name.strip_prefix(PLOTS)?.strip_prefix('/')?.strip_suffix(ending)?;
            self.figures.iter().find(|figure| figure.id == id)
        };
        Ok(Some(match name {
            PAGE => self.page().into_bytes(),
            "report.md" => self.markdown().into_bytes(),
            "report.json" => format!("{:#}\n", self.json()).into_bytes(),
            "results.csv" => spreadsheet::results(&self.numbers)?,
            "series.csv" => spreadsheet::series(self.series.iter().map(|(plot, series)| (*plot, series)))?,
            _ => match (plot(".svg"), plot(".png"), png) {
                (Some(figure), _, _) => figure.svg.clone().into_bytes(),
                (_, Some(figure), Some(png)) => png(&figure.svg)?,
                _ => return Ok(None),
            },
        }))
    }

    /// Parts of the page.
    pub fn sections(&self) -> Sections {
        let figures = self.figures.iter().filter(|figure| !COURSES.contains(&figure.id.as_str()));
        Sections {
            numbers: page::tables_of(&self.numbers),
            faults: sections::faults(&self.faults).into_string(),
            figures: figures.map(|figure| page::drawn(figure).into_string()).collect(),
            conditions: sections::conditions(&self.conditions).into_string(),
        }
    }

    fn write_plots(&self, folder: &Path, png: Option<PngRenderer>) -> Result<(), ReportError> {
        fs_err::create_dir_all(folder)?;
        self.figures.par_iter().try_for_each(|Figure { id, svg, .. }| {
            let _svg = write(folder, &format!("{id}.svg"), svg)?;
            if let Some(png) = png {
                let _png = write(folder, &format!("{id}.png"), png(svg)?)?;
            }
            Ok(())
        })
    }
}

/// Writes a file into a folder in one step, and returns its path.
pub(crate) fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, ReportError> {
    let path = folder.join(name);
    replace_file(&path, content.as_ref())?;
    Ok(path)
}
