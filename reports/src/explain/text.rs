//! An explanation as text for a terminal of 80 columns.

use super::deeper::nearer;
use super::{BETTER, DeeperRow, DrawRow, Explanation, Fall, FlowRow, PARTED, PartingRow, SearchRow};
use crate::text::{aligned, counted, grouped, plus_minus, signed};
use stats::Estimate;
use std::fmt::Write;
use std::path::Path;

/// The minimum number of disagreements for saying who was right.
const LEAST_GAMES: u64 = 20;
/// The minimum ratio of speeds that is mentioned.
const LEAST_RATIO: f64 = 1.1;

/// A table: a row of heads, then the other rows.
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Explanation {
    /// The notable results, in sentences: only those beyond chance, and what readers need to understand them.
    pub fn says(&self) -> Vec<String> {
        let [first, second] = &self.entrants;
        let mut says = Vec::new();
        says.extend(self.speed_in_words());
        says.extend(self.flow_in_words());
        says.extend(self.partings_in_words());
        says.extend(self.deeper_in_words());
        for (kind, [own, others]) in &self.faults {
            says.push(format!("{first} lost {} by {kind}, {second} {}.", counted(*own, "game"), grouped(*others)));
        }
        let drawn = |entrant: usize| self.draws.iter().map(|row| row.stood_better[entrant]).sum::<u64>();
        let [own, others] = [drawn(0), drawn(1)];
        if own + others > 0 {
            says.push(format!(
                "{first} drew {} in which it had stood at {} or more, {second} {}.",
                counted(own, "game"),
                percent(BETTER),
                grouped(others)
            ));
        }
        for row in &self.openings {
            says.push(format!(
                "{first} scored {} in opening {}, over {} (first in game {}.1).",
                percent(row.scored),
                row.opening,
                counted(row.pairs, "pair"),
                row.pair
            ));
        }
        says
    }

    /// How much faster one entrant searched.
    fn speed_in_words(&self) -> Option<String> {
        let [one, two] = [self.search[0].nodes_per_second?, self.search[1].nodes_per_second?];
        let ([fast, slow], ratio) = if one >= two { ([0, 1], one / two) } else { ([1, 0], two / one) };
        let [fast, slow] = [fast, slow].map(|entrant| &self.entrants[entrant]);
        (ratio >= LEAST_RATIO).then(|| {
            format!(
                "{fast} searched {ratio:.2} times as many nodes a second as {slow}. A match at equal nodes tells speed \
                 from knowledge."
            )
        })
    }

    /// The moves in which most points were won or lost beyond chance.
    fn flow_in_words(&self) -> Option<String> {
        let is_sure = |row: &&FlowRow| row.points.low > 0.0 || row.points.high < 0.0;
        let size = |row: &&FlowRow| row.points.value.abs();
        let row = self.by_move.iter().filter(is_sure).max_by(|one, two| size(one).total_cmp(&size(two)))?;
        let what = if row.points.value > 0.0 { "won" } else { "lost" };
        let of = format!("{} {what} most in {}", self.entrants[0], row.label);
        Some(format!("{of}: {} points in 100 games.", plus_minus(row.points, 1)))
    }

    /// Who was right where views parted.
    fn partings_in_words(&self) -> Option<String> {
        let counts = [0, 1].map(|entrant| self.partings.iter().map(|row| row.nearer[entrant]).sum::<u64>());
        let (name, [share, low, high]) = self.right(counts)?;
        Some(format!("Where the two disagreed, {name} was nearer to the result in {share} of games ({low} to {high})."))
    }

    /// Who was right there according to deeper searches.
    fn deeper_in_words(&self) -> Option<String> {
        let deeper = self.deeper.as_ref()?;
        let positions = deeper.rows.iter().map(|row| row.positions).sum::<u64>();
        let all = match deeper.left_out {
            0 => counted(positions, "position"),
            some => format!("{} of {}", grouped(positions), counted(positions + some, "position")),
        };
        let searched = format!("A deeper search by both ({}) of {all} where they had disagreed", deeper.limit);
        Some(match self.right(deeper.nearer()) {
            Some((name, [share, low, high])) => {
                format!("{searched}: {name} had been nearer to it in {share} ({low} to {high}).")
            }
            None => format!("{searched} does not show who had been nearer."),
        })
    }

    /// The entrant that was nearer more often than chance explains, with its share and the number of cases.
    fn right(&self, counts: [u64; 2]) -> Option<(&str, [String; 3])> {
        let share = nearer(counts).filter(|_| counts[0] + counts[1] >= LEAST_GAMES)?;
        let (right, share) = if share.low > 0.5 {
            (0, share)
        } else if share.high < 0.5 {
            (1, Estimate { value: 1.0 - share.value, low: 1.0 - share.high, high: 1.0 - share.low })
        } else {
            return None;
        };
        Some((&self.entrants[right], [share.value, share.low, share.high].map(percent)))
    }

    /// The title, with the entrants.
    pub(crate) fn title(&self) -> String {
        let [first, second] = &self.entrants;
        format!("Where {first} won and lost its points against {second}")
    }

    /// The explanation as text for a terminal, with suggestions for what to do next. `run` is the run's name on the
    /// command line.
    pub fn text(&self, run: &str, folder: &Path) -> String {
        let [first, second] = &self.entrants;
        let elo = self.elo.map_or_else(String::new, |elo| format!(", Elo {}", plus_minus(elo, 1)));
        let mut text = format!("{first} against {second}: {}{elo}\n", counted(self.games, "game"));
        if self.recorded == 0 && self.games > 0 {
            text += &bullet("The run has no evaluations: `track = true` in its configuration records them.");
        }
        for says in self.says() {
            text += &bullet(&says);
        }
        for Table { title, rows } in self.tables() {
            let _infallible = writeln!(text, "\n{title}");
            for line in aligned(&rows, |column| column == 0) {
                let _infallible = writeln!(text, "  {line}");
            }
        }
        text.push('\n');
        if let Some(fall) = self.falls.first() {
            let _infallible = writeln!(text, "To see a game: spar show {run} --game {}", fall.game);
        }
        if let Some(nodes) = self.equal_nodes() {
            let config = folder.join("config.toml");
            let pairs = self.games.div_ceil(2);
            let again = format!("spar match {} --nodes {nodes} --pairs {pairs}", config.display());
            let _infallible = writeln!(text, "To compare at equal nodes: {again}");
        }
        text.trim_end().to_owned()
    }

    /// The nodes a move for a match that separates speed from knowledge; `None` if the two are about as fast.
    fn equal_nodes(&self) -> Option<u64> {
        let _fast_and_slow = self.speed_in_words()?;
        let [one, two] = [self.search[0].nodes_a_move?, self.search[1].nodes_a_move?];
        Some(f64::midpoint(one, two).round() as u64)
    }

    /// All numbers, in tables, none of which is empty.
    pub(crate) fn tables(&self) -> Vec<Table> {
        let first = &self.entrants[0];
        let won = format!("Points that {first} won and lost in 100 games");
        let parted = format!("Where the two first disagreed by {} of the points: what each expected", percent(PARTED));
        let tables = [
            ("Search".to_owned(), self.search_table()),
            (format!("{won}, by move"), flow_table(&self.by_move)),
            (format!("{won}, by phase"), flow_table(&self.by_phase)),
            (format!("{won}, by clock of the side to move"), flow_table(&self.by_clock)),
            (parted, self.partings_table()),
            ("What both expect there after a deeper search".to_owned(), self.deeper_table()),
            ("Draws".to_owned(), self.draws_table()),
            (format!("The largest falls of what both expected for {first}"), self.falls_table()),
        ];
        let tables = tables.into_iter().map(|(title, rows)| Table { title, rows });
        tables.filter(|table| table.rows.len() > 1).collect()
    }

    fn search_table(&self) -> Vec<Vec<String>> {
        let heads = ["", "nodes/s", "nodes a move", "seconds a move", "depth"].map(str::to_owned).to_vec();
        let number = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), |n| grouped(n.round() as u64));
        let fine = |number: Option<f64>, decimals| number.map_or_else(|| "-".to_owned(), |n| format!("{n:.decimals$}"));
        let row = |(name, search): (&String, &SearchRow)| {
            let SearchRow { nodes_per_second, nodes_a_move, seconds_a_move, depth } = *search;
            let numbers = [number(nodes_per_second), number(nodes_a_move), fine(seconds_a_move, 3), fine(depth, 1)];
            std::iter::once(name.clone()).chain(numbers).collect()
        };
        std::iter::once(heads).chain(self.entrants.iter().zip(&self.search).map(row)).collect()
    }

    fn partings_table(&self) -> Vec<Vec<String>> {
        let [first, second] = &self.entrants;
        let view = |name: &str| format!("by {name}");
        let heads = ["", "games", "mean ply", &view(first), &view(second), "scored"].map(str::to_owned).to_vec();
        let row = |row: &PartingRow| {
            let more = if row.more_hopeful { "more" } else { "less" };
            let [own, others] = row.expected.map(percent);
            let label = format!("{first} {more} hopeful");
            vec![label, grouped(row.games), format!("{:.0}", row.ply), own, others, interval(row.scored)]
        };
        std::iter::once(heads).chain(self.partings.iter().map(row)).collect()
    }

    fn deeper_table(&self) -> Vec<Vec<String>> {
        let [first, second] = &self.entrants;
        let heads = [
            String::new(),
            "positions".to_owned(),
            format!("by {first}"),
            format!("by {second}"),
            format!("{first} nearer"),
        ];
        let row = |row: &DeeperRow| {
            let more = if row.more_hopeful { "more" } else { "less" };
            let [own, others] = row.deeper.map(percent);
            let nearer = row.first_nearer().map_or_else(|| "-".to_owned(), interval);
            vec![format!("{first} {more} hopeful"), grouped(row.positions), own, others, nearer]
        };
        std::iter::once(heads.to_vec()).chain(self.deeper.iter().flat_map(|deeper| &deeper.rows).map(row)).collect()
    }

    fn draws_table(&self) -> Vec<Vec<String>> {
        let better = |name: &str| format!("{name} at {}", percent(BETTER));
        let [first, second] = &self.entrants;
        let heads = vec![String::new(), "draws".to_owned(), better(first), better(second)];
        let row = |row: &DrawRow| {
            let [own, others] = row.stood_better.map(grouped);
            vec![row.ending.clone(), grouped(row.draws), own, others]
        };
        std::iter::once(heads).chain(self.draws.iter().map(row)).collect()
    }

    fn falls_table(&self) -> Vec<Vec<String>> {
        let heads = ["game", "move", "from", "to"].map(str::to_owned).to_vec();
        let row = |fall: &Fall| {
            let [before, after] = fall.expected.map(percent);
            vec![fall.game.clone(), fall.number.to_string(), before, after]
        };
        std::iter::once(heads).chain(self.falls.iter().map(row)).collect()
    }
}

/// Points by the kind of ply, and their sum; only the heads if there are no rows.
fn flow_table(rows: &[FlowRow]) -> Vec<Vec<String>> {
    let heads = ["", "points", "games"].map(str::to_owned).to_vec();
    let row = |row: &FlowRow| vec![row.label.clone(), plus_minus(row.points, 1), grouped(row.games)];
    let sum: f64 = rows.iter().map(|row| row.points.value).sum();
    let sum = (!rows.is_empty()).then(|| vec!["in all".to_owned(), signed(sum, 1), String::new()]);
    std::iter::once(heads).chain(rows.iter().map(row)).chain(sum).collect()
}

/// A sentence after a dash, in lines of at most 80 columns.
fn bullet(text: &str) -> String {
    let options = textwrap::Options::new(80).initial_indent("- ").subsequent_indent("  ");
    textwrap::fill(text, options) + "\n"
}

/// A share with its interval.
fn interval(share: Estimate) -> String {
    let [value, low, high] = [share.value, share.low, share.high].map(percent);
    format!("{value} ({low} to {high})")
}

/// A share of the points.
fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}
