//! The table or the bracket of a tournament on the terminal.

use crate::Tournament;

/// Title, heads and rows; columns of numbers stand at the right.
pub(super) fn text(tournament: &Tournament) -> String {
    let heads = tournament.heads();
    let rows: Vec<Vec<String>> =
        std::iter::once(heads.iter().map(|head| (*head).to_owned()).collect()).chain(tournament.rows()).collect();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..heads.len()).map(|column| width(column).unwrap_or(0)).collect();
    let is_text = |column: usize| tournament.columns()[column].is_text;
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let space = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            if is_text(column) { format!("{cell}{space}") } else { format!("{space}{cell}") }
        });
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
    };
    let lines = std::iter::once(format!("{}:", tournament.title())).chain(rows.iter().map(line));
    lines.collect::<Vec<_>>().join("\n")
}
