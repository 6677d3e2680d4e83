//! The page of a job of several runs, such as the stages of a test: its verdict, the results in lines to copy, the
//! course of the deciding test, and for each run a digest of its test and a link to its own page.

use crate::figures::Figure;
use crate::html::{plain, table};
use crate::numbers::Diff;
use crate::page::{Head, change, document, drawn, folded};
use crate::report::{PAGE, Report, ReportError, write};
use crate::summary::reported_elo;
use crate::text::counted;
use crate::text::interval;
use arena::run::{Standing, Verdict};
use maud::{Markup, html};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A digest of a run.
#[derive(Clone, Debug)]
pub struct Digest {
    /// The name of the run's folder.
    pub run: String,
    headline: String,
    says: String,
    played: String,
    games: u64,
    /// The result as fishtest prints it.
    block: Vec<String>,
    diff: Option<Diff>,
    elo: Option<String>,
    /// The log-likelihood ratio and its bounds, if the run is a test.
    llr: Option<[f64; 3]>,
    figure: Option<Figure>,
}

impl Report {
    /// The digest of the run; `standing` is the state of its experiment.
    pub fn digest(&self, standing: &Standing) -> Digest {
        let Self { numbers, figures, .. } = self;
        let elo = reported_elo(standing).filter(|_| numbers.measures_strength());
        Digest {
            run: numbers.run.clone(),
            headline: numbers.headline.clone(),
            says: numbers.says.clone(),
            played: counted(numbers.units, numbers.unit),
            games: numbers.first_mover.total(),
            block: numbers.block.clone(),
            diff: numbers.diff.clone(),
            elo: elo.map(|tested| format!("{}{}", interval(tested.elo, 1), tested.what())),
            llr: numbers.sprt.map(|sprt| [sprt.llr, sprt.lower, sprt.upper]),
            figure: figures.iter().find(|figure| figure.id == "llr").cloned(),
        }
    }
}

/// One of the runs of a job.
#[derive(Clone, Debug)]
pub struct JobPart {
    /// The run's name in the job.
    pub name: String,
    /// The run's verdict, in a word or two.
    pub state: String,
    /// The run's digest, if there is a run.
    pub digest: Option<Arc<Digest>>,
}

/// The content of a job's page.
#[derive(Clone, Debug)]
pub struct JobPage<'a> {
    /// The title of the job.
    pub title: &'a str,
    /// The job's verdict, if there is one.
    pub verdict: Option<Verdict>,
    /// The verdict, or the job's state without one, in a word or two.
    pub badge: &'a str,
    /// The job's outcome, in a sentence.
    pub says: &'a str,
    /// The name of the job's runs, such as `stage`.
    pub head: &'a str,
    /// The job's runs, in turn.
    pub parts: &'a [JobPart],
    /// The index of the run that decided, or was played last, counted from 0.
    pub main: usize,
}

impl JobPage<'_> {
    /// The page as HTML. The runs' pages must be in folders beside its own.
    pub fn html(&self) -> String {
        let Self { title, head, parts, main, .. } = self;
        let heads = [*head, "", "played", "Elo (95%)", "LLR"];
        let rows: Vec<_> = parts.iter().map(row).collect();
        let figure = |number: usize| parts.get(number)?.digest.as_ref()?.figure.as_ref();
        let body = html! {
            (self.head())
            @if let Some(figure) = figure(*main) { "\n" (drawn(&numbered(figure, main + 1))) }
            "\n"
            section #numbers { (table(&heads, &rows)) }
            @for (number, part) in parts.iter().enumerate() {
                @if let Some(digest) = &part.digest {
                    @let figure = digest.figure.as_ref().filter(|_| number != *main);
                    @let section = self.section(digest, figure, number + 1);
                    "\n" (folded(&format!("part-{}", number + 1), &title_of(part), &section))
                }
            }
        };
        document(title, &body)
    }

    /// The verdict, and the results in lines to copy.
    fn head(&self) -> Markup {
        let Self { title, verdict, badge, says, parts, .. } = *self;
        let begun = || parts.iter().filter_map(|part| part.digest.as_deref());
        let games = counted(begun().map(|digest| digest.games).sum(), "game");
        let headline = format!("{} of {} played · {games}", begun().count(), counted(parts.len() as u64, "run"));
        Head { title, verdict, badge, says, headline: &headline, diff: self.diff(), block: &self.block() }.markup()
    }

    /// The tested change, if it is the same in all runs.
    fn diff(&self) -> Option<&Diff> {
        let mut all = self.parts.iter().filter_map(|part| part.digest.as_deref()).map(|digest| digest.diff.as_ref());
        let first = all.next()??;
        all.all(|diff| diff == Some(first)).then_some(first)
    }

    /// The result of each run, under its name.
    fn block(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for part in self.parts {
            let Some(digest) = part.digest.as_deref().filter(|digest| !digest.block.is_empty()) else { continue };
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.push(title_of(part));
            lines.extend(digest.block.iter().cloned());
        }
        lines
    }

    /// The section of a run.
    fn section(&self, digest: &Digest, figure: Option<&Figure>, number: usize) -> Markup {
        let diff = digest.diff.as_ref().filter(|_| self.diff().is_none());
        html! {
            p { (plain(&digest.says)) }
            p.faint { (plain(&digest.headline)) }
            @if let Some(diff) = diff { (change(diff)) }
            @if let Some(figure) = figure { (drawn(&numbered(figure, number))) }
            p { a href={ "../" (plain(&digest.run)) "/" (PAGE) } { "All of " (plain(&digest.run)) } }
        }
    }

    /// Writes the page into the job's folder in one step, and returns its path.
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

fn title_of(JobPart { name, state, .. }: &JobPart) -> String {
    format!("{name}: {state}")
}

/// A plot under the number of its run, so that all ids of a page are different.
fn numbered(figure: &Figure, number: usize) -> Figure {
    Figure { id: format!("llr-{number}"), ..figure.clone() }
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
            games: 2,
            block: ["LLR: 2.95", "Total: 2"].map(str::to_owned).to_vec(),
            diff: Some(Diff {
                from: "a1".to_owned(),
                to: "b2".to_owned(),
                command: "git diff a1 b2".to_owned(),
                link: Some("https://example.org/compare".to_owned()),
            }),
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

    fn part(name: &str, state: &str, digest: Option<Digest>) -> JobPart {
        JobPart { name: name.to_owned(), state: state.to_owned(), digest: digest.map(Arc::new) }
    }

    fn page(parts: &[JobPart], main: usize) -> JobPage<'_> {
        let (verdict, badge) = (Some(Verdict::AcceptedH0), "not passed");
        JobPage { title: "a & b", verdict, badge, says: "not <passed>.", head: "stage", parts, main }
    }

    #[test]
    fn a_job_begins_like_a_run() {
        let later = Digest { run: "sprt-t-long-1".to_owned(), block: vec!["LLR: -2.95".to_owned()], ..digest() };
        let parts = [part("short", "passed", Some(digest())), part("long", "not passed", Some(later))];
        let html = page(&parts, 1).html();
        let order = [
            "<h1>a &amp; b</h1>",
            "<p class=\"says\"><span class=\"verdict bad\">not passed</span> not &lt;passed&gt;.</p>",
            "<p class=\"faint\">2 of 2 runs played · 4 games</p>",
            "Change: <a href=\"https://example.org/compare\">a1...b2</a>",
            "<pre id=\"block\">short: passed\nLLR: 2.95\nTotal: 2\n\nlong: not passed\nLLR: -2.95</pre>",
            "<figure id=\"llr-2\"",
            "<td data-head=\"stage\">short</td>",
            "<details class=\"fold\" id=\"part-1\"><summary>short: passed</summary>",
            "<figure id=\"llr-1\"",
            "<details class=\"fold\" id=\"part-2\"><summary>long: not passed</summary>",
            "All of sprt-t-long-1",
        ];
        let mut rest = html.as_str();
        for piece in order {
            rest = rest.split_once(piece).unwrap_or_else(|| panic!("{piece} in its turn in\n{html}")).1;
        }
        assert_eq!(html.matches("Change: ").count(), 1, "the change is the same in all stages");
    }

    #[test]
    fn each_run_tells_its_own_change_where_they_differ() {
        let other = Diff { from: "c3".to_owned(), link: None, ..digest().diff.expect("a change") };
        let parts = [
            part("v1", "no regression", Some(digest())),
            part("v2", "regression", Some(Digest { diff: Some(other), ..digest() })),
        ];
        let html = page(&parts, 1).html();
        let (head, rest) = html.split_once("</header>").expect("a head");
        assert!(!head.contains("Change: ") && rest.matches("Change: ").count() == 2, "{html}");
    }

    #[test]
    fn a_job_shows_each_test_and_the_verdict() {
        let parts = [part("short", "passed", Some(digest())), part("long", "to come", None)];
        let html = JobPage { verdict: None, badge: "unfinished", says: "unfinished.", ..page(&parts, 0) }.html();
        for piece in [
            "<title>a &amp; b</title>",
            "<p class=\"says\"><span class=\"verdict even\">unfinished</span> unfinished.</p>",
            "1 of 2 runs played",
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
