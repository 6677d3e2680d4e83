//! The page of a job of several runs, such as the stages of a test: what came of the job, and of each run its test in short, the
//! course of its test, and a link to its own page.

use crate::figures::{Figure, interval};
use crate::html::{plain, table};
use crate::page::{document, drawn};
use crate::report::{PAGE, Report, ReportError, write};
use crate::summary::told_elo;
use crate::text::counted;
use arena::run::Standing;
use maud::{Markup, html};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A run in short.
#[derive(Clone, Debug)]
pub struct Digest {
    /// Its folder's name.
    pub run: String,
    headline: String,
    says: String,
    played: String,
    elo: Option<String>,
    /// The log-likelihood ratio and its bounds, of a test.
    llr: Option<[f64; 3]>,
    figure: Option<Figure>,
}

impl Report {
    /// The run in short; `standing` is where its experiment stands.
    pub fn digest(&self, standing: &Standing) -> Digest {
        let Self { numbers, figures, .. } = self;
        let elo = told_elo(standing).filter(|_| numbers.measures_strength());
        Digest {
            run: numbers.run.clone(),
            headline: numbers.headline.clone(),
            says: numbers.says.clone(),
            played: counted(numbers.units, numbers.unit),
            elo: elo.map(|told| format!("{}{}", interval(told.elo.into(), 1), told.what())),
            llr: numbers.sprt.map(|sprt| [sprt.llr, sprt.lower, sprt.upper]),
            figure: figures.iter().find(|figure| figure.id == "llr").cloned(),
        }
    }
}

/// One of the runs of a job.
#[derive(Clone, Debug)]
pub struct JobPart {
    /// What it is called in the job.
    pub name: String,
    /// What came of it, in a word or two.
    pub state: String,
    /// The run, if there is one.
    pub digest: Option<Arc<Digest>>,
}

/// What the page of a job shows.
#[derive(Clone, Debug)]
pub struct JobPage<'a> {
    /// What the job is.
    pub title: &'a str,
    /// What came of it, in a sentence.
    pub says: &'a str,
    /// What its runs are called in it, such as `stage`.
    pub head: &'a str,
    /// Its runs, in turn.
    pub parts: &'a [JobPart],
}

impl JobPage<'_> {
    /// The page as HTML. Pages of runs are in folders beside its own.
    pub fn html(&self) -> String {
        let Self { title, says, head, parts } = self;
        let heads = [*head, "", "played", "Elo (95%)", "LLR"];
        let rows: Vec<_> = parts.iter().map(row).collect();
        let body = html! {
            header {
                h1 { (plain(title)) }
                p.says { (plain(says)) }
            }
            "\n"
            section #numbers { (table(&heads, &rows)) }
            @for (part, number) in parts.iter().zip(1_usize..) { "\n" (section(part, number)) }
        };
        document(title, &body)
    }

    /// Writes it into the job's folder in one step, and returns its path.
    ///
    /// # Errors
    /// [`ReportError::Write`]
    pub fn write(&self, folder: &Path) -> Result<PathBuf, ReportError> {
        write(folder, PAGE, self.html())
    }
}

fn row(part: &JobPart) -> Vec<String> {
    let JobPart { name, state, digest } = part;
    let mut row = vec![name.clone(), state.clone()];
    row.extend(digest.as_ref().map_or_else(Default::default, |digest| {
        let Digest { played, elo, llr, .. } = &**digest;
        let llr = llr.map_or_else(String::new, |[llr, lower, upper]| format!("{llr:.2} ({lower:.2} to {upper:.2})"));
        [played.clone(), elo.clone().unwrap_or_default(), llr]
    }));
    row
}

fn section(part: &JobPart, number: usize) -> Markup {
    html! {
        @if let Some(digest) = &part.digest {
            section id={ "part-" (number) } {
                h2 { (plain(&part.name)) }
                p { (plain(&digest.says)) }
                p.faint { (plain(&digest.headline)) }
                @if let Some(figure) = &digest.figure {
                    (drawn(&Figure { id: format!("llr-{number}"), ..figure.clone() }))
                }
                p { a href={ "../" (plain(&digest.run)) "/" (PAGE) } { "All of " (plain(&digest.run)) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest() -> Digest {
        Digest {
            run: "sprt-t-short-1".to_owned(),
            headline: "new vs old · chess · 10s+0.1s".to_owned(),
            says: "H1 accepted after 1 pair: new is <stronger>.".to_owned(),
            played: counted(1, "pair"),
            elo: Some("+4.0 (+1.0 to +7.0), unbiased".to_owned()),
            llr: Some([2.95, -2.94, 2.94]),
            figure: Some(Figure {
                id: "llr".to_owned(),
                title: "the ratio".to_owned(),
                svg: "<svg wide></svg>".to_owned(),
                narrow: "<svg slim></svg>".to_owned(),
            }),
        }
    }

    #[test]
    fn a_job_shows_each_test_and_the_verdict() {
        let parts = [
            JobPart { name: "short".to_owned(), state: "passed".to_owned(), digest: Some(Arc::new(digest())) },
            JobPart { name: "long".to_owned(), state: "to come".to_owned(), digest: None },
        ];
        let page = JobPage { title: "a & b", says: "unfinished.", head: "stage", parts: &parts };
        let html = page.html();
        for piece in [
            "<title>a &amp; b</title>",
            "<p class=\"says\">unfinished.</p>",
            "<td data-head=\"stage\">short</td>",
            "<td data-head=\"\">passed</td>",
            "<td data-head=\"played\">1 pair</td>",
            "<td data-head=\"Elo (95%)\">+4.0 (+1.0 to +7.0), unbiased</td>",
            "<td data-head=\"LLR\">2.95 (-2.94 to 2.94)</td>",
            "<td data-head=\"\">to come</td>",
            "H1 accepted after 1 pair: new is &lt;stronger&gt;.",
            "<figure id=\"llr-1\" aria-label=\"the ratio\">",
            "<a href=\"../sprt-t-short-1/report.html\">All of sprt-t-short-1</a>",
        ] {
            assert!(html.contains(piece), "{piece} in\n{html}");
        }
        assert_eq!(html.matches("<figure").count(), 1, "a part to come has no drawing");
    }
}
