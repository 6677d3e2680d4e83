//! Shows a session on the terminal: its events become a progress line, notes and pages, and Ctrl-C becomes its command
//! to stop.

use crate::failure::Failure;
use crate::host;
use crate::page::{self, Refresher};
use crate::progress::{Lines, Progress, ProgressLine, training_line};
use arena::run::Finish;
use reports::summary::{RunSummary, headline};
use serde_json::{Value, json};
use session::builds::BuildEvent;
use session::work::JobTable;
use session::{Event, Outcome, Phase, Planned, Session, State, Warning, Written};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A run that has ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    /// The part of the job that the run played, if the job has several parts.
    pub(crate) phase: Option<Phase>,
    /// The result.
    pub(crate) outcome: Arc<Outcome>,
    /// The run's page, if it could be written.
    pub(crate) page: Option<Written>,
}

impl Ended {
    fn summary(&self) -> RunSummary<'_> {
        self.outcome.summary()
    }

    fn page_path(&self) -> Option<&Path> {
        self.page.as_ref().map(|page| page.page.as_path())
    }

    /// The outcome in a sentence.
    pub(crate) fn verdict(&self) -> String {
        self.summary().verdict_in_words()
    }

    /// The summary as text.
    pub(crate) fn text(&self) -> String {
        self.summary().text_with(self.page_path())
    }

    /// The summary as JSON.
    pub(crate) fn json(&self) -> Value {
        let mut json = self.summary().json();
        json["state"] = json!(session::Progress::from(self.outcome.finish).name());
        json["report"] = json!(self.page_path());
        json
    }
}

/// Prints something for each run as it ends.
pub(crate) type OnEnd<'a> = &'a mut dyn FnMut(&Ended) -> Result<(), Failure>;

/// Shows a session until it ends, and returns its runs.
pub(crate) fn watch(session: Session, on_end: OnEnd<'_>) -> Result<Vec<Ended>, Failure> {
    watch_for(session, on_end).map(|(runs, ())| runs)
}

/// Shows a session until it ends, and returns its runs and the result of its work.
pub(crate) fn watch_for<T: Send + 'static>(session: Session<T>, on_end: OnEnd<'_>) -> Result<(Vec<Ended>, T), Failure> {
    watch_by(session, Lines::Rewritten, on_end)
}

/// Like [`watch_for`], with this form of progress.
pub(crate) fn watch_by<T: Send + 'static>(
    session: Session<T>,
    lines: Lines,
    on_end: OnEnd<'_>,
) -> Result<(Vec<Ended>, T), Failure> {
    watch_terminal(session, Terminal::new(lines, on_end))
}

fn watch_terminal<T: Send + 'static>(
    session: Session<T>,
    mut terminal: Terminal<'_>,
) -> Result<(Vec<Ended>, T), Failure> {
    let _until_over = host::stop_on_ctrl_c(&session.commander())?;
    for event in session.watch() {
        terminal.take(event);
    }
    let Terminal { runs, outcome, .. } = terminal;
    let answer = session.answer()?;
    // A closed pipe must not end the run.
    match outcome {
        Ok(()) | Err(Failure::OutputClosed) => Ok((runs, answer)),
        Err(failure) => Err(failure),
    }
}

/// Like [`watch_for`], with or without a line about each run that begins.
pub(crate) fn watch_with<T: Send + 'static>(
    session: Session<T>,
    headlines: Headlines,
    on_end: OnEnd<'_>,
) -> Result<(Vec<Ended>, T), Failure> {
    watch_terminal(session, Terminal { headlines, ..Terminal::new(Lines::Rewritten, on_end) })
}

/// Whether the last of these runs was stopped.
pub(crate) fn is_stopped(runs: &[Ended]) -> bool {
    runs.last().is_some_and(|run| run.outcome.finish == Finish::Stopped)
}

/// Whether a line is printed about each run that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Headlines {
    /// Lines are printed.
    Shown,
    /// No lines are printed: the job has many short runs, and reports its own progress.
    Hidden,
}

/// The state of the terminal.
struct Terminal<'a> {
    lines: Lines,
    headlines: Headlines,
    on_end: OnEnd<'a>,
    phase: Option<Phase>,
    planned: Option<Arc<Planned>>,
    path: Option<PathBuf>,
    progress: Option<Progress>,
    /// The table of the job, if there is one and it can be rewritten.
    table: Option<Arc<JobTable>>,
    page: Option<Refresher>,
    /// The line about a build or a training.
    work: Option<ProgressLine>,
    runs: Vec<Ended>,
    /// The first failure to print. Any other failure replaces a closed pipe.
    outcome: Result<(), Failure>,
}

impl<'a> Terminal<'a> {
    fn new(lines: Lines, on_end: OnEnd<'a>) -> Self {
        let (phase, planned, path, progress, table, page, work) = (None, None, None, None, None, None, None);
        let (headlines, runs, outcome) = (Headlines::Shown, Vec::new(), Ok(()));
        Self { lines, headlines, on_end, phase, planned, path, progress, table, page, work, runs, outcome }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Resync(state) => self.catch_up(&state),
            Event::Phase(phase) => {
                self.clear();
                say!("\nPart {} of {}: {}", phase.number, phase.of, phase.name);
                self.phase = Some(phase);
            }
            Event::Build(news) => self.build(&news),
            Event::Planned(planned) => self.planned = Some(planned),
            Event::Warning(warning) => self.warn(&warning),
            Event::Started(path) => self.start(path),
            Event::Standing(snapshot) => {
                if let Some(progress) = &mut self.progress {
                    progress.show(&snapshot);
                }
            }
            Event::Training(progress) => {
                let line = self.work.get_or_insert_with(|| ProgressLine::shown(self.lines));
                line.show(|_| training_line(&progress));
            }
            Event::Generation(generation) => {
                self.clear();
                say!("{}", generation.says());
            }
            Event::Note(says) => {
                self.clear();
                say!("{says}");
            }
            Event::Table(table) => self.stand(table),
            Event::Ended(outcome) => self.end(outcome),
            // Errors are printed as a line of their own.
            Event::Finished { .. } => self.clear(),
            _ => {}
        }
    }

    /// Shows the table of the job: below the progress of its runs, or as a line if lines cannot be rewritten.
    fn stand(&mut self, table: Arc<JobTable>) {
        if self.lines.are_rewritten() {
            self.table = Some(table);
        } else {
            self.clear();
            say!("{}", table.line());
        }
    }

    /// Shows an event of a build, rewriting the time that it has taken.
    fn build(&mut self, news: &BuildEvent) {
        if let BuildEvent::Working { .. } = news {
            self.work.get_or_insert_with(|| ProgressLine::shown(self.lines)).show(|_| news.to_string());
            return;
        }
        if let Some(work) = self.work.take() {
            work.finish();
        }
        say!("{news}");
    }

    /// Shows the events that were missed while the terminal was blocked.
    fn catch_up(&mut self, state: &State) {
        for (outcome, phase) in state.ended.iter().zip(&state.ended_in).skip(self.runs.len()) {
            self.phase.clone_from(phase);
            self.end(Arc::clone(outcome));
        }
        (self.phase, self.planned) = (state.phase.clone(), state.planned.clone());
        self.table = state.table.clone().filter(|_| self.lines.are_rewritten());
        let is_over = state.finished.is_some();
        if let Some(path) = state.path.clone().filter(|path| self.path.as_ref() != Some(path) && !is_over) {
            self.start(path);
        }
    }

    fn start(&mut self, path: PathBuf) {
        let Some(planned) = &self.planned else { return };
        if self.headlines == Headlines::Shown {
            say!("{}", headline(&planned.config, planned.workers));
        }
        host::set_working_on(Some(&path));
        let progress = Progress::new(Arc::clone(planned), self.lines);
        self.progress = Some(match &self.table {
            Some(table) => progress.below(Arc::clone(table)),
            None => progress,
        });
        self.page = Some(Refresher::start(&path));
        self.path = Some(path);
    }

    /// Ends all displays: removes the progress line and stops updating the page.
    fn clear(&mut self) {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
        if let Some(work) = self.work.take() {
            work.finish();
        }
        self.page = None;
    }

    fn end(&mut self, outcome: Arc<Outcome>) {
        let page = self.page.take();
        self.clear();
        let page = page.map_or_else(|| page::write(&outcome.path), Refresher::finish);
        let ended = Ended { phase: self.phase.clone(), outcome, page };
        // Each run is kept, also after a failure to print an earlier one.
        let printed = (self.on_end)(&ended);
        if matches!(self.outcome, Ok(()) | Err(Failure::OutputClosed)) && printed.is_err() {
            self.outcome = printed;
        }
        self.runs.push(ended);
    }

    fn warn(&self, warning: &Warning) {
        let text = in_words(warning);
        if let Some(progress) = &self.progress {
            progress.note(&text);
        } else {
            say!("{text}");
        }
    }
}

/// A warning as a line, and its remedy as another line in grey.
pub(crate) fn in_words(warning: &Warning) -> String {
    let says = match warning {
        Warning::Pace { .. }
        | Warning::NothingToTest
        | Warning::Carried { .. }
        | Warning::Tested { .. }
        | Warning::Finished { .. } => warning.to_string(),
        serious if serious.is_serious() => format!("warning: {warning}"),
        _ => format!("note: {warning}"),
    };
    let grey = |remedy| console::style(format!("  help: {remedy}")).for_stderr().dim();
    warning.remedy().map_or(says.clone(), |remedy| format!("{says}\n{}", grey(remedy)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::Job;
    use arena::run::{PairingStanding, Standing, StandingOf, StarvedCount};
    use plan::{Disk, load};
    use reports::ScaledOn;
    use stats::Counts;
    use std::time::Duration;

    /// A run that was stopped before its first pair.
    fn stopped() -> Arc<Outcome> {
        let text = "[match]\npairs = 1\n[each]\nlimit = '9 nodes'\n[[entrant]]\nname = 'a'\n[[entrant]]\nname = 'b'\n";
        let counts = Counts::default();
        let of = StandingOf::Match { pairings: vec![PairingStanding { entrant: 0, opponent: 1, counts }] };
        Arc::new(Outcome {
            config: load(text, "test", "test", &[], Job::Match, Disk).expect("valid").run,
            path: "/no/such/run".into(),
            finish: Finish::Stopped,
            standing: Standing { pairs: 0, counts, pairs_left: Some(1), of },
            faults: Vec::new(),
            starved: StarvedCount::default(),
            elapsed: Duration::ZERO,
            scaled: ScaledOn::default(),
            cut: None,
            played: false,
        })
    }

    #[test]
    fn a_result_as_json_has_the_state_of_its_run() {
        let ended = Ended { phase: None, outcome: stopped(), page: None };
        assert_eq!(ended.json()["state"], "interrupted");
    }

    fn part(name: &str) -> Event {
        Event::Phase(Phase { name: name.to_owned(), number: 1, of: 3 })
    }

    #[test]
    fn runs_that_ended_unseen_keep_the_names_of_their_parts() {
        let mut state = State::default();
        for event in [part("v1.0"), Event::Ended(stopped()), part("v1.1"), Event::Ended(stopped()), part("v1.2")] {
            state.apply(&event);
        }
        let mut seen = Vec::new();
        let mut on_end = |ended: &Ended| {
            seen.extend(ended.phase.as_ref().map(|phase| phase.name.clone()));
            Ok(())
        };
        let mut terminal = Terminal::new(Lines::Printed, &mut on_end);
        terminal.take(part("v1.0"));
        terminal.take(Event::Resync(Arc::new(state)));
        assert_eq!(terminal.phase.map(|phase| phase.name).as_deref(), Some("v1.2"));
        assert_eq!(seen, ["v1.0", "v1.1"]);
    }

    #[test]
    fn each_run_is_kept_and_a_closed_pipe_hides_no_failure() {
        let mut failures = vec![Failure::usage("later"), Failure::usage("first"), Failure::OutputClosed];
        let mut on_end = |_: &Ended| failures.pop().map_or(Ok(()), Err);
        let mut terminal = Terminal::new(Lines::Printed, &mut on_end);
        for _ in 0..4 {
            terminal.take(Event::Ended(stopped()));
        }
        assert_eq!(terminal.runs.len(), 4);
        assert_eq!(terminal.outcome.map_err(|failure| failure.to_string()), Err("first".to_owned()));
        assert!(failures.is_empty(), "each run was shown");
    }

    #[test]
    fn what_can_be_done_is_said_under_a_warning() {
        let few = Warning::FewOpenings { book: "b.epd".to_owned(), openings: 3, rounds: 4, unit: "pair" };
        let text = in_words(&few);
        assert_eq!(
            console::strip_ansi_codes(&text).lines().last(),
            Some("  help: use a larger book, or play fewer games")
        );
        assert_eq!(in_words(&Warning::NothingToTest).lines().count(), 1, "nothing can be done about it");
    }
}
