//! Games as rows of a table, in CSV as RFC 4180 has it (lines end with a line feed alone).

use super::{Row, Timings, pair_number, result_text};
use play::{Side, reason, termination};

const COLUMNS: &str = "pair,game,white,black,result,opening_plies,plies,termination,reason,white_nodes,black_nodes";
const TIMED_COLUMNS: &str = ",white_seconds,black_seconds";

/// The first line. A game is called by its name, e.g. `12.2`, as everywhere; the pair alone is for grouping.
pub(super) fn header(timings: Timings) -> String {
    let timed = if timings == Timings::Include { TIMED_COLUMNS } else { "" };
    format!("{COLUMNS}{timed}\n")
}

/// The two games of a pair, a line each.
pub(super) fn games(row: &Row<'_>, timings: Timings) -> String {
    [0, 1].map(|game| line(row, game, timings)).concat()
}

fn line(row: &Row<'_>, index: usize, timings: Timings) -> String {
    let game = &row.result.games[index];
    let mut cells = vec![
        pair_number(row.result.pair).to_string(),
        row.game_name(index).to_string(),
        cell(&row.name(index, Side::First)),
        cell(&row.name(index, Side::Second)),
        result_text(&game.ending).to_owned(),
        row.result.opening.len().to_string(),
        game.moves.len().to_string(),
        termination(&game.ending).to_owned(),
        cell(&reason(&game.ending, row.config.game.side_names())),
        game.nodes.first.to_string(),
        game.nodes.second.to_string(),
    ];
    if timings == Timings::Include {
        let thinking = row.result.times.thinking[index];
        cells.extend([thinking.first, thinking.second].map(|time| format!("{:.6}", time.as_secs_f64())));
    }
    cells.join(",") + "\n"
}

/// Quoted where it must be.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    #[test]
    fn cells_are_quoted_where_they_must_be() {
        assert_eq!(super::cell("plain text"), "plain text");
        assert_eq!(super::cell("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
