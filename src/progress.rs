//! Progress on standard error: one line that is rewritten in a terminal, a line now and then elsewhere.

use arena::config::RunConfig;
use arena::run::{Snapshot, SprtStanding, Standing};
use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reports::summary::tuning;
use reports::summary::{RATINGS_IN_A_LINE, first_mover, model_or_penta};
use reports::text::{counted, grouped, signed, spoken};
use reports::tuned::expectation;
use reports::{RatedLadder, Tournament};
use session::Planned;
use stats::Estimate;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the line in a terminal is rewritten.
const REDRAW: Duration = Duration::from_millis(200);
/// How often a line is printed where there is no terminal.
const REPRINT: Duration = Duration::from_secs(10);
/// Characters of the bar between the bounds of the LLR.
const BAR_WIDTH: usize = 16;

/// A line about work that goes on.
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
    next: Instant,
}

impl ProgressLine {
    /// A line on standard error.
    pub(crate) fn new() -> Self {
        let bar = Term::stderr().is_term().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            ProgressStyle::with_template("{msg}").map(|style| bar.set_style(style)).ok();
            bar
        });
        // It hides itself where the terminal cannot rewrite a line: then lines are printed now and then.
        let bar = bar.filter(|bar| !bar.is_hidden());
        let next = Instant::now() + if bar.is_some() { REDRAW } else { REPRINT };
        Self { bar, next }
    }

    /// Shows what is said of so many columns, if the last line is old enough; `None` is of any number of them.
    pub(crate) fn show(&mut self, says: impl FnOnce(Option<usize>) -> String) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + if self.bar.is_some() { REDRAW } else { REPRINT };
        if let Some(bar) = &self.bar {
            let (_rows, columns) = Term::stderr().size();
            bar.set_message(says(Some(usize::from(columns))));
            bar.tick();
        } else {
            say!("{}", says(None));
        }
    }

    /// Says something that stays, above the line.
    fn note(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.suspend(|| say!("{text}"));
        } else {
            say!("{text}");
        }
    }

    /// Clears the line, so that what follows starts on a fresh one.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Shows where a run stands while it is worked on.
pub(crate) struct Progress {
    run: Arc<Planned>,
    line: ProgressLine,
}

impl Progress {
    /// A display of this run on standard error.
    pub(crate) fn new(run: Arc<Planned>) -> Self {
        Self { run, line: ProgressLine::new() }
    }

    /// Says something that stays, above the line.
    pub(crate) fn note(&self, text: &str) {
        self.line.note(text);
    }

    /// Shows a snapshot, if the last one is old enough.
    pub(crate) fn show(&mut self, snapshot: &Snapshot) {
        if snapshot.standing.pairs == 0 {
            return;
        }
        self.line.show(|columns| match columns {
            Some(columns) => message(&self.run.config, snapshot, columns),
            None => line(&self.run.config, snapshot, usize::MAX),
        });
    }

    /// Clears the line, so that what follows starts on a fresh one.
    pub(crate) fn finish(&self) {
        self.line.finish();
    }
}

/// All that is shown: the line, and below it the parameters of a tuning session.
fn message(config: &RunConfig, snapshot: &Snapshot, columns: usize) -> String {
    let mut lines = vec![line(config, snapshot, columns)];
    if let Some(tune) = snapshot.standing.tune() {
        let rows = tuning::table(tune).into_iter().chain(std::iter::once(format!("  {}", expectation(tune))));
        lines.extend(rows.map(|row| console::truncate_str(&row, columns, "").into_owned()));
    }
    lines.join("\n")
}

/// The progress line, with as much in it as fits into so many columns.
fn line(config: &RunConfig, snapshot: &Snapshot, columns: usize) -> String {
    let (standing, unit) = (&snapshot.standing, config.experiment.rounds().unit());
    let mut parts: Vec<(u8, String)> = vec![(0, format!("{} {unit}s", grouped(standing.pairs)))];
    match (RatedLadder::of_run(config, standing), Tournament::of_run(config, standing)) {
        (Some(ladder), _) => parts.push((1, ladder.in_short(RATINGS_IN_A_LINE))),
        (None, Some(tournament)) => parts.push((1, tournament.in_short())),
        (None, None) => parts.extend(counts(standing)),
    }
    if let Some(sprt) = standing.sprt() {
        parts.push((0, format!("LLR {:.2}", sprt.llr)));
        parts.push((2, bounds_bar(sprt)));
    }
    if let Some(rate) = snapshot.pairs_per_second {
        parts.push((5, format!("{} {unit}s/s", if rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") })));
        if let Some(left) = standing.pairs_left {
            parts.push((1, format!("about {}", spoken(Duration::from_secs_f64((left as f64 / rate).min(1e9))))));
        }
    }
    if let Some((entrant, fault)) = &snapshot.last_fault {
        parts.push((0, counted(snapshot.faults, "fault")));
        parts.push((4, format!("(last: {entrant} {fault})")));
    }
    if snapshot.paused {
        parts.push((0, "paused".to_owned()));
    }
    if snapshot.at_a_time < snapshot.workers {
        parts.push((0, format!("{} of {} workers", snapshot.at_a_time, snapshot.workers)));
    }
    if snapshot.voided > 0 {
        parts.push((0, format!("{} starved by the host, played again", counted(snapshot.voided, unit))));
    }
    fit(parts, columns)
}

/// What was counted, and what it says.
fn counts(standing: &Standing) -> Vec<(u8, String)> {
    let wdl = standing.counts.wdl();
    if let Some(score) = first_mover(standing) {
        return vec![(3, format!("+{} ={} -{}", wdl.wins, wdl.draws, wdl.losses)), (2, score)];
    }
    let said = standing.tune().map_or_else(|| elo(standing), expectation);
    vec![(3, format!("+{} ={} -{}", wdl.wins, wdl.draws, wdl.losses)), (4, model_or_penta(&standing.counts)), (1, said)]
}

/// Leaves out the least important parts (highest number) until the rest fits.
fn fit(mut parts: Vec<(u8, String)>, columns: usize) -> String {
    loop {
        let text = parts.iter().map(|(_, part)| part.as_str()).collect::<Vec<_>>().join("  ");
        let least = parts.iter().map(|(importance, _)| *importance).max().unwrap_or(0);
        if console::measure_text_width(&text) < columns || least == 0 {
            return text;
        }
        parts.retain(|(importance, _)| *importance != least);
    }
}

fn elo(standing: &Standing) -> String {
    let Some(Estimate { value, low, high }) = standing.counts.summary().elo else {
        return "Elo unknown".into();
    };
    let half = (high - low) / 2.0;
    // Of a test it does not allow for the test's stopping.
    let plain = if standing.sprt().is_some() { "plain " } else { "" };
    if value.is_finite() && half.is_finite() {
        format!("{plain}Elo {value:+.0} ± {half:.0}")
    } else {
        format!("{plain}Elo {} to {}", signed(low, 0), signed(high, 0))
    }
}

/// The way of the LLR between its bounds: `[-2.94 ━━━━━━╸──── 2.94]`.
fn bounds_bar(sprt: &SprtStanding) -> String {
    let share = ((sprt.llr - sprt.lower) / (sprt.upper - sprt.lower)).clamp(0.0, 1.0);
    let full = (share * BAR_WIDTH as f64).round() as usize;
    let bar: String = (0..BAR_WIDTH)
        .map(|column| match column {
            column if column + 1 == full => '╸',
            column if column < full => '━',
            _ => '─',
        })
        .collect();
    format!("[{:.2} {bar} {:.2}]", sprt.lower, sprt.upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::Job;
    use arena::run::{PairingStanding, StandingOf};
    use session::plan::load;
    use stats::{Counts, PairCounts};

    #[test]
    fn narrow_terminals_lose_the_least_important_first() {
        let parts = || vec![(0, "412 pairs".to_owned()), (2, "details".to_owned()), (1, "Elo +87".to_owned())];
        assert_eq!(fit(parts(), 80), "412 pairs  details  Elo +87");
        assert_eq!(fit(parts(), 20), "412 pairs  Elo +87");
        assert_eq!(fit(parts(), 5), "412 pairs");
    }

    #[test]
    fn a_ladder_shows_ratings_and_no_pool_of_its_pairings() {
        let text = "[ladder]\npairs = 900\nanchor = \"b\"\n[each]\nlimit = \"9 nodes\"\ntable = \"64 KiB\"\n\
                    [[entrant]]\nname = \"a\"\n[[entrant]]\nname = \"b\"\n[[entrant]]\nname = \"c\"\n";
        let run = load(text, "test", "test", &[], Job::Ladder).unwrap().run;
        let pairing =
            |entrant, opponent, counts| PairingStanding { entrant, opponent, counts: PairCounts(counts).into() };
        let pairings = vec![pairing(0, 1, [40, 0, 40, 0, 0, 20]), pairing(1, 2, [60, 0, 30, 0, 0, 10])];
        let counts = pairings[0].counts;
        let standing = Standing { pairs: 200, counts, pairs_left: None, of: StandingOf::Ladder { pairings } };
        let snapshot = Snapshot {
            standing,
            pairs_per_second: None,
            elapsed: Duration::ZERO,
            faults: 0,
            last_fault: None,
            voided: 0,
            workers: 2,
            at_a_time: 2,
            paused: false,
        };
        let line = line(&run, &snapshot, usize::MAX);
        assert!(line.starts_with("200 pairs  Elo a -"), "{line}");
        assert!(line.contains(", b 0, c +") && !line.contains('['), "{line}");
        // +40 =0 -60 against b is -70, and so much the pool of the first entrant would say: here the ratings say it.
        assert!(line.contains("a -69 ±") || line.contains("a -70 ±"), "{line}");
    }

    #[test]
    fn the_elo_of_a_running_test_says_that_it_is_plain() {
        let counts = Counts::from(PairCounts([5, 10, 20, 5, 20, 10]));
        let test = SprtStanding { llr: 1.0, lower: -2.944, upper: 2.944, decided: None };
        let pairing = PairingStanding { entrant: 0, opponent: 1, counts };
        let kinds = [StandingOf::Match { pairings: vec![pairing] }, StandingOf::Sprt { test, pairing }];
        let shown = kinds.map(|of| elo(&Standing { pairs: 70, counts, pairs_left: None, of }));
        assert!(shown[0].starts_with("Elo +") && shown[1] == format!("plain {}", shown[0]), "{shown:?}");
    }

    #[test]
    fn the_bar_shows_where_the_llr_is() {
        let bar = |llr| bounds_bar(&SprtStanding { llr, lower: -2.944, upper: 2.944, decided: None });
        assert_eq!(bar(0.0), "[-2.94 ━━━━━━━╸──────── 2.94]");
        assert_eq!(bar(-9.0), "[-2.94 ──────────────── 2.94]");
        assert_eq!(bar(9.0), "[-2.94 ━━━━━━━━━━━━━━━╸ 2.94]");
    }
}
