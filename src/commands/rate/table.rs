//! The ratings as a table and as JSON.

use super::games::Read;
use reports::summary::finite;
use reports::text::{UNEVEN, counted, grouped, plus_minus, range, signed};
use serde_json::{Value, json};
use stats::Estimate;
use stats::rating::{Openings, Ranked, Standing};
use std::fmt::Write;

/// Openings whose bias certainly exceeds this many Elo are reported.
const TOLD_BIAS: f64 = 30.0;
/// The widest name that is shown.
const NAME_WIDTH: usize = 20;

/// The columns of the table, and their widths.
#[derive(Clone, Copy, Debug)]
struct Columns {
    /// Whether intervals are shown by their half width.
    plus_minus: bool,
    /// Whether groups are shown.
    groups: bool,
    /// The widest name.
    name: usize,
    interval: usize,
    games: usize,
}

/// The basis of the intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Errors {
    /// The scatter of whole pairs.
    Clustered,
    /// The prior, because some ratings are determined by nothing else.
    Prior,
    /// Games assumed independent, as in Ordo.
    Independent,
}

/// The row of one entrant.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) ranked: Ranked,
    pub(super) games: f64,
    pub(super) points: f64,
    pub(super) standing: Standing,
    pub(super) group: usize,
}

/// All entrants, the best first.
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    /// The number of groups that no results connect.
    pub(super) groups: usize,
    pub(super) errors: Errors,
    pub(super) first_mover: Option<Estimate>,
    pub(super) draw_rate: Option<Estimate>,
    /// The assumed value of openings.
    pub(super) openings: Openings,
    /// The estimated value of the openings to either seat; `None` without pairs, or if it is not requested.
    pub(super) opening_bias: Option<Estimate>,
}

impl Table {
    /// The table as JSON; `null` where a number is undefined.
    pub(super) fn json(&self, read: &Read) -> Value {
        let entrants: Vec<Value> = self.rows.iter().zip(1..).map(|(row, rank)| row.json(rank)).collect();
        let advantage = |end: fn(Estimate) -> f64| self.first_mover.map_or(Value::Null, |e| finite(end(e)));
        let bias = |end: fn(Estimate) -> f64| self.opening_bias.map_or(Value::Null, |e| finite(end(e)));
        let draws = |end: fn(Estimate) -> f64| self.draw_rate.map_or(Value::Null, |e| finite(end(e)));
        let openings = if self.openings == Openings::Biased { "biased" } else { "fair" };
        json!({
            "games": read.games, "pairs": read.pairs, "single_games": read.games - 2 * read.pairs,
            "unfinished": read.skipped.unfinished, "malformed": read.skipped.malformed,
            "entrants": entrants,
            "connected": self.groups == 1, "groups": self.groups,
            "errors": self.errors.word(),
            "first_mover": advantage(|e| e.value),
            "first_mover_low": advantage(|e| e.low), "first_mover_high": advantage(|e| e.high),
            "draw_rate": draws(|e| e.value), "draw_rate_low": draws(|e| e.low), "draw_rate_high": draws(|e| e.high),
            "openings": openings, "opening_bias": bias(|e| e.value),
            "opening_bias_low": bias(|e| e.low), "opening_bias_high": bias(|e| e.high),
        })
    }

    /// The table as text, with notes below it.
    pub(super) fn text(&self, read: &Read) -> String {
        let mut text = format!("{}\n\n", self.headline(read));
        let mut line = |row: String| {
            let _never_fails = writeln!(text, "{}", row.trim_end());
        };
        let longest = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
        let columns = self.columns();
        let width = longest.clamp("name".len(), columns.name);
        let Columns { interval, games, .. } = columns;
        line(format!(
            "{:>4} {:<width$} {:>8} {:<interval$} {:>games$} {:>7} {:>8}",
            "#",
            "name",
            "Elo",
            if columns.plus_minus { "  95%" } else { "95%" },
            "games",
            "score",
            "LOS next"
        ));
        for (row, rank) in self.rows.iter().zip(1..) {
            line(row.text(rank, width, &columns));
        }
        let notes = self.notes(read);
        if !notes.is_empty() {
            line(String::new());
            notes.into_iter().for_each(line);
        }
        text
    }

    /// Symmetric intervals take less room.
    fn columns(&self) -> Columns {
        let plus_minus = self.rows.iter().all(|row| is_even(row.ranked.elo));
        let groups = self.errors == Errors::Prior && self.groups > 1;
        let (name, interval, games) = if plus_minus { (NAME_WIDTH, 9, 11) } else { (NAME_WIDTH - 4, 20, 8) };
        Columns { plus_minus, groups, name: if groups { name.min(NAME_WIDTH - 4) } else { name }, interval, games }
    }

    fn headline(&self, read: &Read) -> String {
        let singles = read.games - 2 * read.pairs;
        let mut headline = format!(
            "{} of {}: {}, {}",
            counted(read.games, "game"),
            counted(self.rows.len() as u64, "entrant"),
            counted(read.pairs, "pair"),
            counted(singles, "single game")
        );
        if let Some(draws) = self.draw_rate {
            let [value, low, high] = [draws.value, draws.low, draws.high].map(|share| 100.0 * share);
            let ends = if low < high { format!(" ({low:.1} to {high:.1})") } else { String::new() };
            let _never_fails = write!(headline, "\ndraws between equals {value:.1}%{ends}");
        }
        if let Some(advantage) = self.first_mover {
            let _never_fails = write!(headline, ", first seat {} Elo", plus_minus(advantage, 1));
        }
        if let (Openings::Biased, Some(bias)) = (self.openings, self.opening_bias) {
            let _never_fails =
                write!(headline, "\nrated as if openings were fair; they favour one seat by {}", bias_of(bias));
        }
        headline
    }

    fn notes(&self, read: &Read) -> Vec<String> {
        let mut notes = Vec::new();
        for row in &self.rows {
            let name = shortened(&row.name, NAME_WIDTH);
            match row.standing {
                Standing::AllWon => notes.push(format!("+ {name} won every game: no rating is too high for it.")),
                Standing::AllLost => notes.push(format!("- {name} lost every game: no rating is too low for it.")),
                Standing::Bounded | Standing::NoGames => {}
            }
        }
        if self.rows.iter().any(|row| row.ranked.anchored) {
            notes.push("a anchored: this rating was given.".to_owned());
        }
        notes.extend(self.note_on_openings(read));
        if self.groups > 1 && self.errors == Errors::Prior {
            let join = match self.openings {
                Openings::Fair => "neither draws nor wins both\nways join",
                Openings::Biased => "no pairs that went\neither way join",
            };
            notes.push(format!(
                "Not connected: {} groups (numbers at the right) that {join}. \
                 Differences between groups come from the prior alone.",
                grouped(self.groups as u64)
            ));
        }
        notes
    }
}

impl Table {
    fn note_on_openings(&self, read: &Read) -> Option<String> {
        let singles = read.games - 2 * read.pairs;
        match (self.openings, self.opening_bias) {
            (Openings::Biased, _) if singles > 0 => Some(format!(
                "{} left out: the advantage of an opening shows only in a pair.",
                counted(singles, "single game")
            )),
            (Openings::Fair, Some(bias)) if self.errors == Errors::Clustered && bias.low > TOLD_BIAS => Some(format!(
                "The openings favour one seat by {}, which shrinks the\n\
                 differences; --openings biased rates as if they were fair.",
                bias_of(bias)
            )),
            _ => None,
        }
    }
}

impl Errors {
    fn word(self) -> &'static str {
        match self {
            Self::Clustered => "pairs",
            Self::Prior => "prior",
            Self::Independent => "independent",
        }
    }
}

impl Row {
    fn json(&self, rank: usize) -> Value {
        let Ranked { elo, anchored, los_next, .. } = self.ranked;
        json!({
            "rank": rank, "name": self.name,
            "elo": finite(elo.value), "elo_low": finite(elo.low), "elo_high": finite(elo.high),
            "games": finite(self.games), "points": finite(self.points), "score": finite(self.score()),
            "los_next": los_next.map_or(Value::Null, finite),
            "anchored": anchored, "group": self.group + 1,
            "perfect": match self.standing {
                Standing::AllWon => Value::from("won"),
                Standing::AllLost => Value::from("lost"),
                Standing::Bounded | Standing::NoGames => Value::Null,
            },
        })
    }

    fn score(&self) -> f64 {
        if self.games > 0.0 { self.points / self.games } else { 0.5 }
    }

    fn text(&self, rank: usize, width: usize, columns: &Columns) -> String {
        let Ranked { elo, anchored, los_next, .. } = self.ranked;
        let flag = match self.standing {
            Standing::AllWon => "+",
            Standing::AllLost => "-",
            Standing::Bounded | Standing::NoGames if anchored => "a",
            Standing::Bounded | Standing::NoGames => "",
        };
        let los = los_next.map_or(String::new(), |los| format!("{:.1}%", 100.0 * los));
        let group = if columns.groups { format!("{:>4}", self.group + 1) } else { String::new() };
        // An anchored rating has no interval.
        let spread = if anchored {
            String::new()
        } else if columns.plus_minus {
            format!("± {:.1}", elo.high - elo.value)
        } else {
            range(elo.low, elo.high, 1)
        };
        let Columns { interval, games, .. } = *columns;
        format!(
            "{rank:>4} {:<width$} {:>8} {spread:<interval$} {:>games$} {:>6.1}% {los:>8} {flag:<1}{group}",
            shortened(&self.name, width),
            signed(elo.value, 1),
            grouped(self.games as u64),
            100.0 * self.score(),
        )
    }
}

fn bias_of(Estimate { value, low, high }: Estimate) -> String {
    if value.is_finite() && high.is_finite() {
        format!("{value:.0} Elo ({low:.0} to {high:.0})")
    } else {
        format!("{low:.0} Elo or more")
    }
}

/// Whether an interval looks symmetric.
fn is_even(Estimate { value, low, high }: Estimate) -> bool {
    let (below, above) = (value - low, high - value);
    above.is_finite() && (above - below).abs() <= UNEVEN * above.max(below)
}

fn shortened(name: &str, width: usize) -> String {
    // A file may hold any bytes; the terminal must not interpret them.
    let name: String = name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    if name.chars().count() <= width {
        return name;
    }
    let mut short: String = name.chars().take(width - 1).collect();
    short.push('…');
    short
}
