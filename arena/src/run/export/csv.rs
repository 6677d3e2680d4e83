//! Games as CSV rows, following RFC 4180 except that lines end with a line feed only.

use super::format::{Download, Format, FormatInfo};
use super::{Row, Timings, pair_number, result_text};
use crate::config::RunConfig;
use csv::Writer;
use play::{Side, reason, termination};
use std::io;

const COLUMNS: [&str; 11] = [
    "pair",
    "game",
    "white",
    "black",
    "result",
    "opening_plies",
    "plies",
    "termination",
    "reason",
    "white_nodes",
    "black_nodes",
];
const TIMED_COLUMNS: [&str; 2] = ["white_seconds", "black_seconds"];

pub(super) const FORMAT: FormatInfo = FormatInfo::new(
    "csv",
    "One line per game, for spreadsheets",
    |_| Ok(Box::new(Csv)),
    &[Download { file: "games.csv", media_type: "text/csv; charset=utf-8", make: || Box::new(Csv) }],
);

/// One line per game, with a header.
#[derive(Clone, Copy, Debug)]
pub struct Csv;

impl Format for Csv {
    fn beginning(&self, _config: &RunConfig, timings: Timings) -> io::Result<String> {
        header(timings)
    }

    fn pair(&self, row: &Row<'_>, timings: Timings) -> Option<String> {
        games(row, timings).ok()
    }

    fn needs_rules(&self) -> bool {
        false
    }
}

/// Returns the header line. A game has its usual name, e.g. `12.2`; the column of the pair alone is for grouping.
fn header(timings: Timings) -> io::Result<String> {
    let timed = if timings == Timings::Include { &TIMED_COLUMNS[..] } else { &[] };
    lines(&[COLUMNS.iter().chain(timed).map(|name| (*name).to_owned()).collect()])
}

/// Returns the games of a pair, one line each.
fn games(row: &Row<'_>, timings: Timings) -> io::Result<String> {
    let rows: Vec<_> = (0..row.result.games.len()).map(|game| cells(row, game, timings)).collect();
    lines(&rows)
}

fn cells(row: &Row<'_>, index: usize, timings: Timings) -> Vec<String> {
    let game = &row.result.games[index];
    let mut cells = vec![
        pair_number(row.result.pair).to_string(),
        row.game_name(index).to_string(),
        row.name(index, Side::First),
        row.name(index, Side::Second),
        result_text(&game.ending).to_owned(),
        row.result.opening.len().to_string(),
        game.moves.len().to_string(),
        termination(&game.ending).to_owned(),
        reason(&game.ending, row.config.game.side_names()),
        game.nodes.first.to_string(),
        game.nodes.second.to_string(),
    ];
    if timings == Timings::Include {
        let thinking = game.circumstances.times.thinking;
        cells.extend([thinking.first, thinking.second].map(|time| format!("{:.6}", time.as_secs_f64())));
    }
    cells
}

fn lines(rows: &[Vec<String>]) -> io::Result<String> {
    let mut out = Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| out.write_record(row))?;
    let bytes = out.into_inner().map_err(csv::IntoInnerError::into_error)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let row = ["plain text", "a, \"b\"", "two\nlines", ""].map(str::to_owned).to_vec();
        assert_eq!(super::lines(&[row]).unwrap(), "plain text,\"a, \"\"b\"\"\",\"two\nlines\",\n");
    }
}
