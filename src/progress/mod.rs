//! Progress on standard error: lines that are rewritten on a terminal, or single lines at intervals.

mod paint;
mod table;
mod training;
mod view;

use arena::run::Snapshot;
use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use paint::Paint;
use reports::Timekeeper;
use session::Planned;
use session::work::JobTable;
use std::sync::Arc;
use std::time::{Duration, Instant};
pub(crate) use training::training_line;
use view::{Size, View};

/// The interval at which lines on a terminal are rewritten.
const REDRAW: Duration = Duration::from_millis(200);
/// Lines are rewritten after at least this many times the time that rewriting takes.
const RARITY: u32 = 30;
/// The first interval between lines without a terminal; each later interval is half as long again.
const REPRINT: Duration = Duration::from_secs(10);
/// The longest interval, which keeps logs of several days short.
const RAREST: Duration = Duration::from_mins(10);

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Rewritten on a terminal, printed at intervals elsewhere.
    Rewritten,
    /// Printed at intervals, even on what looks like a terminal, such as the log of a job.
    Printed,
}

impl Lines {
    /// Whether standard error can be rewritten.
    pub(crate) fn are_rewritten(self) -> bool {
        ProgressLine::shown(self).bar.is_some()
    }
}

/// Lines about work in progress.
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
    next: Instant,
    pause: Duration,
}

impl ProgressLine {
    /// Makes rewritten lines on standard error.
    pub(crate) fn new() -> Self {
        Self::shown(Lines::Rewritten)
    }

    /// Makes lines of this kind on standard error.
    pub(crate) fn shown(lines: Lines) -> Self {
        let bar = (lines == Lines::Rewritten && Term::stderr().is_term()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            ProgressStyle::with_template("{msg}").map(|style| bar.set_style(style)).ok();
            bar
        });
        // The bar is hidden if the terminal cannot rewrite lines; then lines are printed at intervals.
        let bar = bar.filter(|bar| !bar.is_hidden());
        let pause = if bar.is_some() { REDRAW } else { REPRINT };
        Self { bar, next: Instant::now() + pause, pause }
    }

    /// Shows a text for a terminal of this size if the last text is old enough; the size is `None` without a terminal.
    pub(crate) fn show(&mut self, says: impl FnOnce(Option<(usize, usize)>) -> String) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + self.pause;
        if let Some(bar) = &self.bar {
            let (rows, columns) = Term::stderr().size();
            bar.set_message(says(Some((usize::from(rows), usize::from(columns)))));
            bar.tick();
            // Ratings of many engines take a while, which must not delay play.
            self.next = now + self.pause.max(now.elapsed() * RARITY);
        } else {
            self.pause = (self.pause * 3 / 2).min(RAREST);
            say!("{}", says(None));
        }
    }

    /// Prints a permanent text above the lines.
    fn note(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.suspend(|| say!("{text}"));
        } else {
            say!("{text}");
        }
    }

    /// Clears the lines, so that the next output starts on a new line.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Shows where a run stands while it is played.
pub(crate) struct Progress {
    run: Arc<Planned>,
    line: ProgressLine,
    time: Timekeeper,
    /// The table of the job that the run belongs to.
    job: Option<Arc<JobTable>>,
}

impl Progress {
    /// Makes a display of this run on standard error.
    pub(crate) fn new(run: Arc<Planned>, lines: Lines) -> Self {
        Self { run, line: ProgressLine::shown(lines), time: Timekeeper::default(), job: None }
    }

    /// Adds the table of the job that the run belongs to. The table is shown at once, because runs may be short.
    pub(crate) fn below(mut self, job: Arc<JobTable>) -> Self {
        self.line.next = Instant::now();
        self.job = Some(job);
        self
    }

    /// Prints a permanent text above the lines.
    pub(crate) fn note(&self, text: &str) {
        self.line.note(text);
    }

    /// Accepts a snapshot, and shows it if the last one is old enough.
    pub(crate) fn show(&mut self, snapshot: &Snapshot) {
        if snapshot.paused {
            self.time.paused();
        } else {
            self.time.note(snapshot.elapsed, snapshot.standing.pairs);
        }
        if snapshot.standing.pairs == 0 && self.job.is_none() {
            return;
        }
        let (run, time, job) = (&self.run.config, &self.time, self.job.as_deref());
        self.line.show(|size| {
            let left = time.left(run, &snapshot.standing, snapshot.pairs_per_second);
            let view = View { run, snapshot, left: left.as_deref(), job, paint: Paint::of_stderr() };
            match size {
                Some((rows, columns)) => view.lines(Size { columns, rows }).join("\n"),
                None => view.plain(),
            }
        });
    }

    /// Clears the lines, so that the next output starts on a new line.
    pub(crate) fn finish(&self) {
        self.line.finish();
    }
}

#[cfg(test)]
mod tests {
    use arena::config::{Job, RunConfig};
    use arena::run::{PairingStanding, Snapshot, SprtStanding, Standing, StandingOf};
    use plan::{Disk, load};
    use stats::{Counts, PairCounts};
    use std::time::Duration;

    /// A run of this many engines, with this section of the configuration.
    pub(super) fn engines(count: u32, section: &str) -> RunConfig {
        let entrant = |n| format!("[[entrant]]\nname = \"engine-{n}\"");
        let entrants = (0..count).map(entrant).collect::<Vec<_>>().join("\n");
        let text = format!("{section}[each]\nlimit = \"9 nodes\"\ntable = \"64 KiB\"\n{entrants}");
        let kind = section.trim_start_matches('[').split(']').next().unwrap_or_default();
        let job = Job::ALL.into_iter().find(|job| job.section() == kind).expect("a kind of run");
        load(&text, "test", "test", &[], job, Disk).expect("a configuration").run
    }

    pub(super) fn two_engines(section: &str) -> RunConfig {
        engines(2, section)
    }

    /// A snapshot of a match of two at the start.
    pub(super) fn snapshot(pairs: u64, left: u64) -> Snapshot {
        let counts = Counts::default();
        let of = StandingOf::Match { pairings: vec![PairingStanding { entrant: 0, opponent: 1, counts }] };
        Snapshot {
            standing: Standing { pairs, counts, pairs_left: Some(left), of },
            pairs_per_second: None,
            elapsed: Duration::ZERO,
            faults: 0,
            last_fault: None,
            voided: 0,
            workers: 2,
            at_a_time: 2,
            paused: false,
        }
    }

    /// A snapshot of a test.
    pub(super) fn testing(llr: f64, counts: [u64; 6]) -> Snapshot {
        let counts = Counts::from(PairCounts(counts));
        let test = SprtStanding { llr, lower: -2.944, upper: 2.944, decided: None };
        let of = StandingOf::Sprt { test, pairing: PairingStanding { entrant: 0, opponent: 1, counts } };
        let standing = Standing { pairs: 425, counts, pairs_left: None, of };
        Snapshot { standing, pairs_per_second: Some(71.0), ..snapshot(425, 0) }
    }
}
