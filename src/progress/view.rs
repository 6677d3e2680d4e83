//! The progress of a run, laid out for a terminal of any size, or as one plain line.
//!
//! A run of two engines takes one line if it fits, else two or three. Below that, a run of more engines has a table of
//! them, a tuning session a table of its parameters, and a run of a campaign a table of the patches. What does not fit
//! is omitted, the least important first; no line is wider than the terminal.

use super::paint::Paint;
use super::table;
use crate::shown::shown;
use arena::config::{ExperimentConfig, RunConfig};
use arena::run::{Snapshot, SprtStanding, Standing};
use reports::summary::{RATINGS_IN_A_LINE, first_mover, model_or_penta, tuning};
use reports::text::{counted, grouped, signed};
use reports::tuned::{cautions, expectation, of_limits};
use reports::{RatedLadder, Scoreboard, ScoreboardRow, Tournament};
use session::work::JobTable;
use stats::{Estimate, Wdl};

/// The width of the bar between the bounds of the LLR, in characters.
const LLR_BAR: usize = 16;
/// The width of the bar of completed pairs, in characters.
const DONE_BAR: usize = 12;
/// The importance of that bar, which repeats the numbers.
const DRAWN: u8 = 6;
/// The widest name in a table, in characters.
pub(super) const WIDEST_NAME: usize = 24;
/// The narrowest column of names, on any terminal.
pub(super) const LEAST_NAME: usize = 8;
/// The most lines of a table, on a terminal of any height.
const MOST_ROWS: usize = 16;
/// The space between the halves of a table that are side by side.
const GUTTER: usize = 4;

/// The data of a view.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) run: &'a RunConfig,
    pub(super) snapshot: &'a Snapshot,
    /// The remaining time, in words.
    pub(super) left: Option<&'a str>,
    /// The state of the job that the run belongs to.
    pub(super) job: Option<&'a JobTable>,
    pub(super) paint: Paint,
}

/// The columns and rows of a terminal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// A part of a line: its importance (0 is the highest) and its text.
type Part = (u8, String);

impl View<'_> {
    /// The lines for a terminal.
    pub(super) fn lines(&self, size: Size) -> Vec<String> {
        let (head, results, notes) = (self.head(), self.results(), self.notes());
        let all: Vec<Part> = [head.clone(), results.clone(), notes.clone()].concat();
        let mut lines = if width(&all) < size.columns {
            vec![join(&all)]
        } else {
            [head, results, notes]
                .into_iter()
                .filter(|parts| !parts.is_empty())
                .map(|parts| fit(parts, size.columns))
                .collect()
        };
        let room = size.rows.saturating_sub(lines.len() + 1).min(MOST_ROWS);
        lines.extend(self.table(Size { rows: room, ..size }));
        if let Some(job) = self.job {
            let rows = size.rows.saturating_sub(lines.len() + 1).min(MOST_ROWS);
            lines.extend(table::lines(job, Size { rows, ..size }, self.paint));
        }
        // One column stays free: after a line that fills the last column, a terminal adds an empty line.
        let most = size.columns.saturating_sub(1);
        lines
            .into_iter()
            .map(|line| console::truncate_str(&line, most, if most > 0 { "…" } else { "" }).into_owned())
            .collect()
    }

    /// The view as one line of any length.
    pub(super) fn plain(&self) -> String {
        let snapshot = self.snapshot;
        let mut results = self.results();
        match (RatedLadder::of_run(self.run, &snapshot.standing), Scoreboard::of_run(self.run, &snapshot.standing)) {
            (Some(ladder), _) => results.push((1, ladder.in_short(RATINGS_IN_A_LINE))),
            (None, Some(board)) => results.push((1, in_short(&board))),
            (None, None) => {}
        }
        let head = self.head().into_iter().filter(|(importance, _)| *importance != DRAWN).collect();
        join(&[head, results, self.notes()].concat())
    }

    fn unit(&self) -> &'static str {
        self.run.experiment.rounds().unit()
    }

    /// The progress and the speed.
    fn head(&self) -> Vec<Part> {
        let (Snapshot { standing, pairs_per_second, .. }, unit) = (self.snapshot, self.unit());
        let mut parts = Vec::new();
        // The total of a test is unknown.
        let total =
            standing.pairs_left.filter(|_| standing.sprt().is_none()).map(|left| standing.pairs.saturating_add(left));
        match total.filter(|_| !self.is_open_ended()) {
            Some(total) => {
                let text = format!("{} of {}", grouped(standing.pairs), counted(total, unit));
                parts.push((0, self.paint.bold(&text)));
                let share = standing.pairs as f64 / total.max(1) as f64;
                parts.push((DRAWN, format!("{} {:.0}%", bar(share, DONE_BAR), (100.0 * share).floor())));
            }
            None => parts.push((0, self.paint.bold(&counted(standing.pairs, unit)))),
        }
        if let Some(rate) = pairs_per_second {
            let rate = if *rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") };
            parts.push((5, self.paint.dim(&format!("{rate} {unit}s/s"))));
        }
        parts.extend(self.left.map(|left| (1, left.to_owned())));
        parts
    }

    /// Whether the number of remaining pairs is only an upper bound.
    fn is_open_ended(&self) -> bool {
        matches!(&self.run.experiment, ExperimentConfig::Ladder(ladder) if ladder.precision.is_some())
    }

    /// The results so far.
    fn results(&self) -> Vec<Part> {
        let standing = &self.snapshot.standing;
        if let Some(tournament) = Tournament::of_run(self.run, standing) {
            return vec![(1, tournament.in_short())];
        }
        if self.run.entrants.len() > 2 {
            return Vec::new();
        }
        let Wdl { wins, draws, losses } = standing.counts.wdl();
        let games = (3, format!("+{} ={} -{}", grouped(wins), grouped(draws), grouped(losses)));
        if let Some(score) = first_mover(standing) {
            return vec![games, (2, score)];
        }
        let mut parts = vec![games, (4, self.paint.dim(&model_or_penta(&standing.counts)))];
        match standing.tune() {
            Some(_) => {}
            None => parts.push((1, self.elo(standing))),
        }
        if let Some(sprt) = standing.sprt() {
            // Beyond half the way to a bound, the LLR leans to that side.
            let leans = self.paint.signed(
                &format!("LLR {:.2}", sprt.llr),
                sprt.llr - sprt.upper / 2.0,
                sprt.llr - sprt.lower / 2.0,
            );
            parts.push((0, leans));
            parts.push((2, bounds_bar(sprt)));
        }
        parts
    }

    fn elo(&self, standing: &Standing) -> String {
        let Some(Estimate { value, low, high }) = standing.counts.summary().elo else {
            return "Elo unknown".into();
        };
        // In a test, the interval does not correct for the stopping rule.
        let plain = if standing.sprt().is_some() { "plain " } else { "" };
        let text = if value.is_finite() && (high - low).is_finite() {
            format!("{plain}Elo {value:+.0} ± {:.0}", (high - low) / 2.0)
        } else {
            format!("{plain}Elo {} to {}", signed(low, 0), signed(high, 0))
        };
        self.paint.signed(&text, low, high)
    }

    /// The notes that need attention.
    fn notes(&self) -> Vec<Part> {
        let (snapshot, mut notes) = (self.snapshot, Vec::new());
        if snapshot.paused {
            notes.push((0, "paused".to_owned()));
        }
        if snapshot.at_a_time < snapshot.workers {
            notes.push((0, format!("{} of {}", snapshot.at_a_time, counted(snapshot.workers as u64, "worker"))));
        }
        if let Some((entrant, fault)) = &snapshot.last_fault {
            notes.push((0, counted(snapshot.faults, "fault")));
            let last = format!("(last: {entrant} {fault})");
            notes.push((4, shown(&last).replace(['\n', '\t'], " ")));
        }
        if snapshot.voided > 0 {
            let starved = counted(snapshot.voided, self.unit());
            notes.push((1, format!("{starved} starved by the host, played again")));
        }
        notes.into_iter().map(|(importance, text)| (importance, self.paint.warn(&text))).collect()
    }

    /// The table of engines or of tuned parameters.
    fn table(&self, room: Size) -> Vec<String> {
        let standing = &self.snapshot.standing;
        if let Some(tune) = standing.tune() {
            let below = of_limits(tune)
                .into_iter()
                .chain([expectation(tune)])
                .chain(cautions(tune))
                .map(|line| format!("  {line}"));
            return tuning::table(tune).into_iter().chain(below).collect();
        }
        Scoreboard::of_run(self.run, standing).map_or_else(Vec::new, |board| self.engines(&board, room))
    }

    fn engines(&self, board: &Scoreboard, room: Size) -> Vec<String> {
        let columns = Columns::of(board, room.columns);
        let heading = self.paint.dim(&columns.heading(board));
        let rows: Vec<String> =
            board.rows.iter().zip(1..).map(|(row, rank)| columns.row(row, rank, board, self.paint)).collect();
        let fits = room.rows.saturating_sub(1).max(1);
        let widest = columns.width();
        if rows.len() > fits && 2 * widest + GUTTER < room.columns {
            return side_by_side(&heading, &rows, widest, fits);
        }
        let mut lines = vec![heading];
        // One line stands for all hidden rows, so at least two are hidden.
        let shown = if rows.len() > fits { fits.saturating_sub(1).max(1) } else { rows.len() };
        let hidden = (rows.len() - shown) as u64;
        lines.extend(rows.into_iter().take(shown));
        if hidden > 0 {
            lines.push(self.paint.dim(&format!("     and {} more", counted(hidden, "engine"))));
        }
        lines
    }
}

/// The two halves of a table, side by side.
fn side_by_side(heading: &str, rows: &[String], widest: usize, fits: usize) -> Vec<String> {
    let half = rows.len().div_ceil(2).min(fits);
    let padded = |text: &str| console::pad_str(text, widest + GUTTER, console::Alignment::Left, None).into_owned();
    let line = |number: usize| {
        let right = rows.get(half + number).map_or("", String::as_str);
        format!("{}{right}", padded(&rows[number]))
    };
    std::iter::once(format!("{}{heading}", padded(heading))).chain((0..half).map(line)).collect()
}

/// The columns that fit in a table of engines.
#[derive(Clone, Copy, Debug)]
struct Columns {
    name: usize,
    has_percent: bool,
    has_games: bool,
}

impl Columns {
    fn of(board: &Scoreboard, columns: usize) -> Self {
        let names = board.rows.iter().map(|row| console::measure_text_width(&row.name));
        let longest = names.chain([console::measure_text_width(&Self::title(board))]).max().unwrap_or(0);
        let wanted = longest.clamp(LEAST_NAME, WIDEST_NAME);
        let with = |has_percent, has_games| Self { name: wanted, has_percent, has_games };
        let all = [with(true, true), with(true, false), with(false, false)];
        let fitting = all.into_iter().find(|all| all.width() < columns);
        // If no more columns can be omitted, names are cut.
        fitting.unwrap_or_else(|| {
            let least = with(false, false);
            Self { name: wanted.saturating_sub((least.width() + 1).saturating_sub(columns)).max(LEAST_NAME), ..least }
        })
    }

    fn width(self) -> usize {
        4 + self.name + 2 + 14 + 2 + 15 + if self.has_percent { 8 } else { 0 } + if self.has_games { 23 } else { 0 }
    }

    fn line(self, rank: &str, name: &str, elo: &str, cells: [&str; 3]) -> String {
        let [points, percent, games] = cells;
        let name = console::truncate_str(name, self.name, "…");
        let name = console::pad_str(&name, self.name, console::Alignment::Left, None);
        let elo = console::pad_str(elo, 14, console::Alignment::Right, None);
        let percent = if self.has_percent { format!("  {percent:>6}") } else { String::new() };
        let games = if self.has_games { format!("  {games:<21}") } else { String::new() };
        format!("{rank:>3} {name}  {elo}  {points:>15}{percent}{games}")
    }

    fn title(board: &Scoreboard) -> String {
        board.against.as_ref().map_or_else(|| "engine".to_owned(), |name| format!("{name} against"))
    }

    fn heading(self, board: &Scoreboard) -> String {
        self.line("", &Self::title(board), "Elo", ["points", "", "+ = -"]).trim_end().to_owned()
    }

    fn row(self, row: &ScoreboardRow, rank: usize, board: &Scoreboard, paint: Paint) -> String {
        let Wdl { wins, draws, losses } = row.games;
        let count = wins + draws + losses;
        let elo = match row.elo {
            None => String::new(),
            Some(elo) if row.is_anchor => format!("{} anchor", signed(elo.value, 0)),
            Some(elo) if elo.value.is_finite() && (elo.high - elo.low).is_finite() => {
                let text = format!("{:+.0} ± {:>3.0}", elo.value, (elo.high - elo.low) / 2.0);
                paint.signed(&text, elo.low, elo.high)
            }
            Some(elo) => paint.signed(&format!("{} to {}", signed(elo.low, 0), signed(elo.high, 0)), elo.low, elo.high),
        };
        let points = if count == 0 { String::new() } else { format!("{} / {}", halves(row.points()), grouped(count)) };
        let percent = if count == 0 { String::new() } else { format!("{:.1}%", 100.0 * row.share()) };
        let games = if count == 0 { String::new() } else { format!("+{wins} ={draws} -{losses}") };
        let rank = if board.against.is_some() { String::new() } else { rank.to_string() };
        self.line(&rank, &row.name, &elo, [&points, &percent, &games]).trim_end().to_owned()
    }
}

/// Points in the usual notation, with halves.
fn halves(points: f64) -> String {
    let whole = grouped(points as u64);
    if points.fract() > 0.0 { format!("{whole}.5") } else { whole }
}

/// The best few entrants in a line.
fn in_short(board: &Scoreboard) -> String {
    let row = |row: &ScoreboardRow| {
        let elo = row.elo.filter(|elo| elo.value.is_finite() && (elo.high - elo.low).is_finite());
        let elo = elo.map(|elo| format!(" {:+.0} ± {:.0}", elo.value, (elo.high - elo.low) / 2.0));
        let points = || format!(" {} points", halves(row.points()));
        format!("{}{}", row.name, elo.unwrap_or_else(points))
    };
    let shown: Vec<String> = board.rows.iter().take(RATINGS_IN_A_LINE).map(row).collect();
    let others = board.rows.len().saturating_sub(RATINGS_IN_A_LINE);
    let more = match (others, &board.against) {
        (0, _) => String::new(),
        (others, Some(_)) => format!(", and {others} more"),
        (others, None) => format!(", {others} below"),
    };
    let against = board.against.as_ref().map_or_else(String::new, |name| format!("{name} against "));
    format!("Elo {against}{}{more}", shown.join(", "))
}

fn join(parts: &[Part]) -> String {
    parts.iter().map(|(_, part)| part.as_str()).collect::<Vec<_>>().join("  ")
}

fn width(parts: &[Part]) -> usize {
    console::measure_text_width(&join(parts))
}

/// Omits the least important parts (highest number) until the rest fits.
fn fit(mut parts: Vec<Part>, columns: usize) -> String {
    loop {
        let least = parts.iter().map(|(importance, _)| *importance).max().unwrap_or(0);
        if width(&parts) < columns || least == 0 {
            return join(&parts);
        }
        parts.retain(|(importance, _)| *importance != least);
    }
}

/// A bar filled to this share: `━━━━╸───`.
fn bar(share: f64, columns: usize) -> String {
    let full = (share.clamp(0.0, 1.0) * columns as f64).round() as usize;
    (0..columns)
        .map(|column| match column {
            column if column + 1 == full => '╸',
            column if column < full => '━',
            _ => '─',
        })
        .collect()
}

/// The position of the LLR between its bounds: `[-2.94 ━━━━━━╸──── 2.94]`.
fn bounds_bar(sprt: &SprtStanding) -> String {
    let share = (sprt.llr - sprt.lower) / (sprt.upper - sprt.lower);
    format!("[{:.2} {} {:.2}]", sprt.lower, bar(share, LLR_BAR), sprt.upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::tests::{engines, snapshot, testing, two_engines};
    use arena::run::{PairingStanding, StandingOf};
    use play::Fault;
    use stats::{Counts, PairCounts};

    fn view<'a>(run: &'a RunConfig, snapshot: &'a Snapshot) -> View<'a> {
        View { run, snapshot, left: Some("about 12 to 15 min left"), job: None, paint: Paint::of(false) }
    }

    fn lines(run: &RunConfig, snapshot: &Snapshot, columns: usize, rows: usize) -> Vec<String> {
        view(run, snapshot).lines(Size { columns, rows })
    }

    /// A round robin of this many engines in which each lower number is better.
    fn round_robin(count: u32) -> (RunConfig, Snapshot) {
        let run = engines(count, "[match]\npairs = 20\nschedule = \"round-robin\"\n");
        let mut now = snapshot(0, 1_000);
        let pairing = |entrant, opponent| PairingStanding {
            entrant,
            opponent,
            counts: PairCounts([1, 2, 5, 0, 4, 3 + u64::from(opponent - entrant)]).into(),
        };
        let pairings = (0..count).flat_map(|one| (one + 1..count).map(move |two| pairing(one, two))).collect();
        now.standing =
            Standing { pairs: 123, pairs_left: Some(327), of: StandingOf::Match { pairings }, ..now.standing };
        now.pairs_per_second = Some(3.12);
        (run, now)
    }

    #[test]
    fn narrow_terminals_lose_the_least_important_first() {
        let parts = || vec![(0, "412 pairs".to_owned()), (2, "details".to_owned()), (1, "Elo +87".to_owned())];
        assert_eq!(fit(parts(), 80), "412 pairs  details  Elo +87");
        assert_eq!(fit(parts(), 20), "412 pairs  Elo +87");
        assert_eq!(fit(parts(), 5), "412 pairs");
    }

    #[test]
    fn a_test_is_one_line_where_that_fits_and_two_where_not() {
        let run = two_engines("[sprt]\nelo0 = 0\nelo1 = 10\n");
        let now = testing(1.18, [30, 60, 110, 110, 75, 40]);
        assert_eq!(
            lines(&run, &now, 160, 40),
            ["425 pairs  71 pairs/s  about 12 to 15 min left  +265 =355 -230  [30 60 220 75 40]  plain Elo +14 ± \
                    16  LLR 1.18  \
              [-2.94 ━━━━━━━━━━╸───── 2.94]"]
        );
        assert_eq!(
            lines(&run, &now, 80, 40),
            [
                "425 pairs  71 pairs/s  about 12 to 15 min left",
                "+265 =355 -230  plain Elo +14 ± 16  LLR 1.18  \
                 [-2.94 ━━━━━━━━━━╸───── 2.94]"
            ]
        );
        assert_eq!(
            lines(&run, &now, 60, 40),
            [
                "425 pairs  71 pairs/s  about 12 to 15 min left",
                "plain Elo +14 ± 16  LLR 1.18  [-2.94 ━━━━━━━━━━╸───── 2.94]"
            ]
        );
        assert_eq!(lines(&run, &now, 30, 40), ["425 pairs", "plain Elo +14 ± 16  LLR 1.18"]);
    }

    #[test]
    fn many_engines_have_a_table_as_wide_as_there_is_room() {
        let (run, now) = round_robin(5);
        assert_eq!(
            lines(&run, &now, 60, 40),
            [
                "123 of 450 pairs  3.1 pairs/s  about 12 to 15 min left",
                "    engine               Elo           points",
                "  1 engine-0       +89 ±  45         92 / 140   65.7%",
                "  2 engine-1       +45 ±  42         78 / 134   58.2%",
                "  3 engine-2        +0 ±  42         66 / 132   50.0%",
                "  4 engine-3       -45 ±  42         56 / 134   41.8%",
                "  5 engine-4       -89 ±  45         48 / 140   34.3%",
            ]
        );
        let heading = |columns| lines(&run, &now, columns, 40)[1].clone();
        assert!(!heading(60).contains("+ = -") && heading(80).contains("+ = -"), "{}", heading(80));
        assert_eq!(lines(&run, &now, 120, 40).len(), 7, "the rows are five");
        assert!(lines(&run, &now, 120, 40)[2].contains("65.7%  +"), "{}", lines(&run, &now, 120, 40)[2]);
    }

    #[test]
    fn what_does_not_fit_in_height_is_counted() {
        let (run, now) = round_robin(12);
        let low = lines(&run, &now, 80, 8);
        assert_eq!(low.len(), 7, "{low:?}");
        assert_eq!(low[6], "     and 8 engines more");
        let wide = lines(&run, &now, 200, 10);
        assert_eq!(wide.len(), 8, "two halves beside each other: {wide:?}");
        assert!(wide[2].contains("engine-0 ") && wide[2].contains("engine-6 "), "{wide:?}");
    }

    #[test]
    #[ignore = "slow"]
    fn nothing_is_wider_than_the_terminal() {
        let (many, mut of_many) = round_robin(9);
        let two = two_engines("[sprt]\nelo0 = 0\nelo1 = 10\n");
        let mut of_two = testing(-2.5, [300, 600, 1_100_000, 110, 750_000, 4_000]);
        for now in [&mut of_many, &mut of_two] {
            now.last_fault = Some(("engine-1".to_owned(), Fault::IllegalMove("x".repeat(300))));
            (now.faults, now.voided, now.at_a_time, now.paused) = (12_345, 7, 1, true);
        }
        let job = table::tests::table();
        for columns in 1..220 {
            for (run, now) in [(&many, &of_many), (&two, &of_two)] {
                for (is_on, job) in [(false, None), (true, None), (true, Some(&job))] {
                    let view = View { paint: Paint::of(is_on), job, ..view(run, now) };
                    let lines = view.lines(Size { columns, rows: 24 });
                    let widest = lines.iter().map(|line| console::measure_text_width(line)).max();
                    assert!(widest < Some(columns), "{columns}: {lines:?}");
                    assert!(lines.len() < 24 && lines.iter().all(|line| !line.contains('\n')), "{columns}: {lines:?}");
                }
            }
        }
    }

    #[test]
    fn the_words_of_an_engine_neither_control_the_terminal_nor_add_lines() {
        let (run, mut now) = (two_engines("[match]\npairs = 9\n"), snapshot(1, 8));
        now.last_fault = Some(("engine-1".to_owned(), Fault::Crash("gone\n\tfor\u{1b}[2J ever\u{7}".to_owned())));
        now.faults = 1;
        let shown = lines(&run, &now, 300, 40);
        assert!(shown.iter().any(|line| line.contains("gone  for\\u{1b}[2J ever\\u{7})")), "{shown:?}");
        assert!(shown.iter().all(|line| !line.contains(char::is_control)), "{shown:?}");
    }

    #[test]
    fn colours_say_nothing_that_words_do_not() {
        let (run, now) = round_robin(5);
        let painted = View { paint: Paint::of(true), ..view(&run, &now) }.lines(Size { columns: 100, rows: 40 });
        assert!(painted[2].contains("\u{1b}[32m+") && painted[6].contains("\u{1b}[31m-"), "{painted:?}");
        let bare: Vec<_> = painted.iter().map(|line| console::strip_ansi_codes(line).into_owned()).collect();
        assert_eq!(bare, lines(&run, &now, 100, 40));
    }

    #[test]
    fn a_gauntlet_is_shown_by_its_opponents() {
        let run = engines(3, "[match]\npairs = 20\n");
        let mut now = snapshot(0, 60);
        let pairing =
            |opponent| PairingStanding { entrant: 0, opponent, counts: PairCounts([1, 2, 5, 0, 4, 8]).into() };
        let of = StandingOf::Match { pairings: vec![pairing(1), pairing(2)] };
        now.standing = Standing { pairs: 40, pairs_left: Some(20), of, ..now.standing };
        let shown = lines(&run, &now, 100, 40);
        assert!(shown[1].starts_with("    engine-0 against      "), "{shown:?}");
        assert!(shown[2].starts_with("    engine-1 ") && shown[2].contains("28 / 40   70.0%"), "{shown:?}");
        assert!(view(&run, &now).plain().starts_with("40 of 60 pairs  about 12 to 15 min left  Elo "));
        assert_eq!(view(&run, &now).plain().matches("engine-0 against engine-1 +").count(), 1);
    }

    #[test]
    fn a_ladder_shows_ratings_and_no_pool_of_its_pairings() {
        let run = engines(3, "[ladder]\npairs = 900\nanchor = \"engine-1\"\n");
        let pairing =
            |entrant, opponent, counts| PairingStanding { entrant, opponent, counts: PairCounts(counts).into() };
        let pairings = vec![pairing(0, 1, [40, 0, 40, 0, 0, 20]), pairing(1, 2, [60, 0, 30, 0, 0, 10])];
        let mut now = snapshot(0, 700);
        now.standing = Standing {
            pairs: 200,
            counts: pairings[0].counts,
            pairs_left: Some(700),
            of: StandingOf::Ladder { pairings },
        };
        let line = view(&run, &now).plain();
        assert!(line.starts_with("200 of 900 pairs "), "{line}");
        assert!(line.contains(", engine-1 0, engine-2 +") && !line.contains('['), "{line}");
        // +40 =0 -60 against the anchor is -70. The pool of the first entrant would show that; here the ratings show
        // it.
        assert!(line.contains("engine-0 -69 ±") || line.contains("engine-0 -70 ±"), "{line}");
        let shown = lines(&run, &now, 80, 40);
        assert!(shown[2].starts_with("  1 engine-2") && shown[3].contains("anchor"), "{shown:?}");
    }

    #[test]
    fn the_elo_of_a_running_test_says_that_it_is_plain() {
        let counts = Counts::from(PairCounts([5, 10, 20, 5, 20, 10]));
        let test = SprtStanding { llr: 1.0, lower: -2.944, upper: 2.944, decided: None };
        let pairing = PairingStanding { entrant: 0, opponent: 1, counts };
        let kinds = [StandingOf::Match { pairings: vec![pairing] }, StandingOf::Sprt { test, pairing }];
        let (run, mut now) = (two_engines("[match]\npairs = 9\n"), snapshot(0, 9));
        let shown = kinds.map(|of| {
            now.standing = Standing { pairs: 70, counts, pairs_left: None, of };
            view(&run, &now).elo(&now.standing)
        });
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
