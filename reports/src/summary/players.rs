//! Who played, how fast, when and where: the engines' own names, the times of their moves, the sessions of work. Facts
//! about hosts and engines, not part of what is reproducible.

use super::format::row;
use crate::text::{brief, counted, grouped, iso, utc, who_plays};
use arena::config::RunConfig;
use arena::run::StoredSession;
use play::MoveTimes;
use play::players::process::Introduction;
use serde_json::{Value, json};
use stats::durations::{bin_of, end_of};
use stats::{Delays, Durations};
use std::time::Duration;

/// The maximum number of characters of a name.
const WIDEST_NAME: usize = 24;
/// The maximum number of columns in a histogram.
const WIDEST_HISTOGRAM: usize = 28;
/// The possible numbers of bins in a column of a histogram, such that powers of ten end columns.
const BINS_A_COLUMN: [usize; 6] = [1, 2, 4, 5, 10, 20];
/// The heights of a column.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The quantiles shown, and their names.
const QUANTILES: [(f64, &str); 3] = [(0.5, "p50"), (0.9, "p90"), (0.99, "p99")];
/// The maximum number of sessions listed; of more, the first and the last ones.
const MOST_SESSIONS: usize = 6;

/// The players of a run, and its sessions.
#[derive(Clone, Copy, Debug)]
pub struct Players<'a> {
    /// The configuration of the run.
    pub config: &'a RunConfig,
    /// The sessions of work.
    pub sessions: &'a [StoredSession],
    /// The times of moves, by entrant.
    pub move_times: &'a [MoveTimes],
    /// Whether a process works on the run: its last session has then not ended.
    pub is_worked_on: bool,
}

/// A histogram of durations.
struct Histogram<'a> {
    name: &'a str,
    count: u64,
    quantiles: [Option<Duration>; 3],
    longest: Duration,
    /// The resolution: durations up to this are not known more precisely.
    least: Duration,
    /// Counts by number of the bin, rising.
    bins: Vec<(usize, u64)>,
}

impl<'a> Histogram<'a> {
    fn of_moves(name: &'a str, wall: &Durations) -> Self {
        let quantiles = QUANTILES.map(|(share, _)| wall.quantile(share));
        let (longest, bins) = (wall.longest(), wall.bins().collect());
        Self { name, count: wall.count(), quantiles, longest, least: Duration::ZERO, bins }
    }

    /// Delays up to the unit of the player's reported times are all in the unit's bin.
    fn of_delays(name: &'a str, delays: &Delays) -> Self {
        let unit = bin_of(delays.unit());
        let within = delays.moves() - (delays.later().count() - delays.later().up_to(unit));
        let later = delays.later().bins().filter(|(bin, _)| *bin > unit);
        let bins = std::iter::once((unit, within)).chain(later).filter(|(_, count)| *count > 0).collect();
        let quantiles = QUANTILES.map(|(share, _)| delays.quantile(share));
        let (least, longest) = (delays.unit(), delays.later().longest().max(delays.unit()));
        Self { name, count: delays.moves(), quantiles, longest, least, bins }
    }
}

impl Players<'_> {
    /// The lines that follow the summary of the run.
    pub fn text(&self) -> String {
        let mut lines = self.sessions_in_words();
        lines.extend(self.introductions_in_words());
        let named = || self.config.entrants.iter().map(|entrant| entrant.name.as_str()).zip(self.move_times);
        let moves = named().filter(|(_, times)| !times.is_empty());
        lines.extend(table(
            "moves",
            &moves.map(|(name, times)| Histogram::of_moves(name, &times.wall)).collect::<Vec<_>>(),
        ));
        let delayed = named().filter(|(_, times)| times.delays.moves() > 0);
        let delays = delayed.map(|(name, times)| Histogram::of_delays(name, &times.delays)).collect::<Vec<_>>();
        if !delays.is_empty() {
            lines.push(String::new());
            lines.extend(table("latency", &delays));
            lines.push(more("measured time minus the time that the engine reports. Where this is below the unit of"));
            lines.push(more("the reports (1 ms over UCI, 10 ms over XBoard), it shows only that"));
        }
        lines.join("\n")
    }

    fn sessions_in_words(&self) -> Vec<String> {
        let count = self.sessions.len();
        let line = |(number, stored): (usize, &StoredSession)| {
            let session = &stored.session;
            let end = if self.is_worked_on && number + 1 == count {
                "now (UTC)".to_owned()
            } else {
                until(session.started_unix_ms, stored.ended_unix_ms)
            };
            let (began, workers) = (utc(session.started_unix_ms), who_plays(session.concurrency));
            let began = began.trim_end_matches(" UTC");
            format!("{began} to {end} on {}, {workers}, spar {}", session.host, session.version)
        };
        let mut rows: Vec<String> = self.sessions.iter().enumerate().map(line).collect();
        if count > MOST_SESSIONS {
            let left_out = rows.splice(1..=count - MOST_SESSIONS, [String::new()]).count() as u64;
            rows[1] = format!("({} more)", counted(left_out, "session"));
        }
        block("sessions", rows)
    }

    fn introductions_in_words(&self) -> Vec<String> {
        let width = self.name_width();
        let lines = (0..self.config.entrants.len()).flat_map(|number| {
            let name = shortened(&self.config.entrants[number].name);
            introductions(self.sessions, number).into_iter().map(move |Introduction { name: own, author }| {
                let by = if author.is_empty() { String::new() } else { format!(" by {author}") };
                let line: String = format!("{name:<width$}  {own}{by}").chars().filter(|c| !c.is_control()).collect();
                line
            })
        });
        block("engines", lines.collect())
    }

    fn name_width(&self) -> usize {
        width(self.config.entrants.iter().map(|entrant| entrant.name.as_str()))
    }

    /// The data for machines: the keys `sessions` and `players`.
    pub fn json(&self) -> serde_json::Map<String, Value> {
        let session = |(number, stored): (usize, &StoredSession)| {
            let session = &stored.session;
            let goes_on = self.is_worked_on && number + 1 == self.sessions.len();
            json!({
                "began": iso(session.started_unix_ms), "ended": (!goes_on).then(|| iso(stored.ended_unix_ms)),
                "host": session.host, "workers": session.concurrency, "version": session.version,
            })
        };
        let player = |(number, times): (usize, &MoveTimes)| {
            let introduced = introductions(self.sessions, number);
            let introduced: Vec<Value> = introduced
                .iter()
                .map(|introduced| json!({ "name": introduced.name, "author": introduced.author }))
                .collect();
            let name = self.config.entrants.get(number).map(|entrant| &entrant.name);
            let mut latency = Histogram::of_delays("", &times.delays).json();
            latency["unit_ms"] = json!(ms(times.delays.unit()));
            json!({
                "name": name, "introduced": introduced, "time": Histogram::of_moves("", &times.wall).json(),
                "latency": (times.delays.moves() > 0).then_some(latency),
            })
        };
        let sessions: Vec<Value> = self.sessions.iter().enumerate().map(session).collect();
        let players: Vec<Value> = self.move_times.iter().enumerate().map(player).collect();
        [("sessions".to_owned(), json!(sessions)), ("players".to_owned(), json!(players))].into_iter().collect()
    }
}

impl Histogram<'_> {
    fn json(&self) -> Value {
        let bins: Vec<Value> = self.bins.iter().map(|(bin, count)| json!([end_of(*bin) / 1e3, count])).collect();
        let mut value = json!({ "moves": self.count, "max_ms": ms(self.longest), "bins_up_to_ms": bins });
        for ((_, name), quantile) in QUANTILES.iter().zip(self.quantiles) {
            value[format!("{name}_ms")] = json!(quantile.map(ms));
        }
        value
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// An entrant's introductions, each name once.
pub(crate) fn introductions(sessions: &[StoredSession], entrant: usize) -> Vec<&Introduction> {
    let mut introduced: Vec<&Introduction> = Vec::new();
    for (_, introduction) in sessions.iter().flat_map(|s| &s.introductions).filter(|(number, _)| *number == entrant) {
        if !introduced.contains(&introduction) {
            introduced.push(introduction);
        }
    }
    introduced
}

/// The end of a span that began at a moment: without the day if it is the same.
fn until(began: i64, ended: i64) -> String {
    let (began, ended) = (utc(began), utc(ended));
    match (began.split_once(' '), ended.split_once(' ')) {
        (Some((day, _)), Some((same, time))) if day == same => time.to_owned(),
        _ => ended,
    }
}

/// Lines under a name, with the first one beside it.
fn block(name: &str, lines: Vec<String>) -> Vec<String> {
    lines
        .into_iter()
        .enumerate()
        .map(|(number, line)| if number == 0 { row(name, &line) } else { more(&line) })
        .collect()
}

fn more(line: &str) -> String {
    row("", line)
}

fn shortened(name: &str) -> String {
    name.chars().take(WIDEST_NAME).collect()
}

fn width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0).min(WIDEST_NAME)
}

/// A line for each histogram under a heading, all with one scale, which is shown below them.
fn table(title: &str, histograms: &[Histogram<'_>]) -> Vec<String> {
    let Some(scale) = Scale::of(histograms) else { return Vec::new() };
    let width = width(histograms.iter().map(|histogram| histogram.name));
    let line = |name: &str, count: &str, cells: [&str; 4], drawn: &str| {
        let [p50, p90, p99, max] = cells;
        format!("{name:<width$}  {count:>9}  {p50:>8}  {p90:>8}  {p99:>8}  {max:>8}  {drawn}").trim_end().to_owned()
    };
    let [p50, p90, p99] = QUANTILES.map(|(_, name)| name);
    let mut lines = vec![line("", "moves", [p50, p90, p99, "max"], "")];
    for Histogram { name, count, quantiles, longest, least, bins } in histograms {
        let shown = |time: Duration| if time <= *least { format!("≤ {}", brief(*least)) } else { brief(time) };
        let [p50, p90, p99] = quantiles.map(|quantile| quantile.map_or_else(String::new, shown));
        lines.push(line(&shortened(name), &grouped(*count), [&p50, &p90, &p99, &shown(*longest)], &scale.draw(bins)));
    }
    lines.push(line("", "", [""; 4], &scale.ticks()));
    block(title, lines)
}

/// The longest duration in a bin.
fn end(bin: usize) -> Duration {
    Duration::from_micros(end_of(bin).round() as u64)
}

/// The meaning of the columns of histograms.
struct Scale {
    /// The number of the first column.
    first: usize,
    columns: usize,
    /// The number of bins in a column.
    each: usize,
}

impl Scale {
    /// The scale for all histograms; `None` if they are empty.
    fn of(histograms: &[Histogram<'_>]) -> Option<Self> {
        let bins = || histograms.iter().flat_map(|histogram| &histogram.bins).map(|(bin, _)| *bin);
        let (low, high) = (bins().min()?, bins().max()?);
        let columns = |each: &usize| high.div_ceil(*each) - low.div_ceil(*each) + 1;
        let each = BINS_A_COLUMN.into_iter().find(|each| columns(each) <= WIDEST_HISTOGRAM).unwrap_or(20);
        Some(Self { first: low.div_ceil(each), columns: columns(&each), each })
    }

    fn draw(&self, bins: &[(usize, u64)]) -> String {
        let mut counts = vec![0; self.columns];
        for (bin, count) in bins {
            if let Some(column) = bin.div_ceil(self.each).checked_sub(self.first).and_then(|at| counts.get_mut(at)) {
                *column += count;
            }
        }
        let most = counts.iter().copied().max().unwrap_or(0).max(1);
        let level = |count: &u64| match count {
            0 => ' ',
            // Even the smallest count is visible.
            count => LEVELS[((count * 8).div_ceil(most).clamp(1, 8) - 1) as usize],
        };
        counts.iter().map(level).collect()
    }

    /// Powers of ten under the columns that they end; if there are none, the end of the first column.
    fn ticks(&self) -> String {
        let mut text = String::new();
        for column in self.first..self.first + self.columns {
            let (at, bin) = (column - self.first, column * self.each);
            let length = text.chars().count();
            if bin % 20 == 0 && (at > length || at == 0) {
                text.push_str(&" ".repeat(at - length));
                text.push_str(&brief(end(bin)).replace(".0 ", " "));
            }
        }
        if text.is_empty() { brief(end(self.first * self.each)) } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::Job;
    use arena::run::Session;
    use plan::{Disk, load};

    fn config() -> RunConfig {
        let text =
            "[match]\npairs = 9\n[each]\nplayer = \"random\"\n[[entrant]]\nname = \"a\"\n[[entrant]]\nname = \"bcd\"\n";
        load(text, "test", "test", &[], Job::Match, Disk).expect("a match").run
    }

    fn times(walls_ms: &[(u64, u64)], reported: bool) -> MoveTimes {
        let mut times = MoveTimes::default();
        for &(ms, count) in walls_ms {
            let reported = reported.then(|| Duration::from_millis(ms - ms / 5));
            (0..count).for_each(|_| times.add(Duration::from_millis(ms), reported));
        }
        times
    }

    fn session(began: i64, ended: i64) -> StoredSession {
        let session =
            Session { started_unix_ms: began, host: "here".to_owned(), concurrency: 2, version: "0.1.0".to_owned() };
        let introduction = Introduction { name: "Fairy-Max 5.0b".to_owned(), author: "H.G. Muller".to_owned() };
        StoredSession {
            session,
            ended_unix_ms: ended,
            introductions: vec![(1, introduction)],
            scale: None,
            worker_scales: Vec::new(),
        }
    }

    #[test]
    fn sessions_hosts_and_speeds_fit_in_100_columns() {
        let config = config();
        // By `date -u -d @1709210096`: 2024-02-29 12:34:56.
        let began = 1_709_210_096_000;
        let sessions = [session(began, began + 3_600_000), session(began + 7_200_000, began + 90_000_000)];
        let move_times = [times(&[(1, 40), (2, 90), (10, 10)], false), times(&[(5, 100), (100, 99), (900, 1)], true)];
        let players = Players { config: &config, sessions: &sessions, move_times: &move_times, is_worked_on: false };
        let text = players.text();
        let expected = [
            "  sessions  2024-02-29 12:34 to 13:34 UTC on here, 2 workers, spar 0.1.0",
            "            2024-02-29 14:34 to 2024-03-01 13:34 UTC on here, 2 workers, spar 0.1.0",
            "  engines   bcd  Fairy-Max 5.0b by H.G. Muller",
        ];
        assert!(text.starts_with(&expected.join("\n")), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[3].trim_end(), "  moves              moves       p50       p90       p99       max");
        assert!(lines[4].contains(" 140    2.2 ms    2.2 ms     10 ms     10 ms  ▄ █"), "{}", lines[4]);
        assert!(lines[5].contains(" 200    5.0 ms    100 ms    100 ms    900 ms  "), "{}", lines[5]);
        assert!(lines[6].trim().starts_with("1 ms 10 ms"), "{}", lines[6]);
        assert!(lines[7].is_empty() && lines[8].starts_with("  latency"), "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{text}");
        // A tick stands under the column that ends with it.
        let column = |line: &str, what: &str| line.split(what).next().map(|before| before.chars().count());
        assert_eq!(column(lines[4], "▄"), column(lines[6], "1 ms"), "{text}");
        let json = Value::Object(players.json());
        assert_eq!(json["sessions"][0]["began"], "2024-02-29T12:34:56Z");
        assert_eq!(json["sessions"][1]["ended"], "2024-03-01T13:34:56Z");
        assert_eq!(json["players"][1]["introduced"][0]["author"], "H.G. Muller");
        assert_eq!((&json["players"][0]["time"]["moves"], &json["players"][0]["latency"]), (&json!(140), &Value::Null));
        assert_eq!(json["players"][1]["latency"]["unit_ms"], 1.0);
        assert_eq!(json["players"][1]["time"]["max_ms"], 900.0);
    }

    #[test]
    fn a_running_session_has_no_end_and_many_sessions_are_few_lines() {
        let config = config();
        let sessions: Vec<_> = (0..40).map(|day| session(day * 86_400_000, day * 86_400_000 + 60_000)).collect();
        let none = [MoveTimes::default(), MoveTimes::default()];
        let players = Players { config: &config, sessions: &sessions, move_times: &none, is_worked_on: true };
        let text = players.text();
        assert!(text.contains("1970-02-09 00:00 to now (UTC) on here"), "{text}");
        assert!(text.contains("            (34 sessions more)\n"), "{text}");
        assert_eq!(text.lines().count(), 8, "{text}");
        assert_eq!(players.json()["sessions"][39]["ended"], Value::Null);
    }

    #[test]
    fn every_scale_fits_and_has_its_powers_of_ten() {
        for (low, high) in [(1_u64, 900_000_000), (5, 7), (1_000, 90_000), (1, 1)] {
            let mut wall = Durations::default();
            for micros in [low, high] {
                wall.add(Duration::from_micros(micros));
            }
            let histogram = Histogram::of_moves("a", &wall);
            let scale = Scale::of(std::slice::from_ref(&histogram)).expect("a scale");
            let drawn = scale.draw(&histogram.bins);
            assert!(drawn.chars().count() <= WIDEST_HISTOGRAM, "{drawn}");
            assert!(drawn.starts_with('█') && drawn.ends_with('█'), "both ends are counted: {drawn:?}");
        }
    }
}
