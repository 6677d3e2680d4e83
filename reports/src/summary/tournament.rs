//! The table or the bracket of a tournament on the terminal.

use crate::Tournament;
use crate::text::aligned;

/// Title, heads and rows; columns of numbers are right-aligned.
pub(super) fn text(tournament: &Tournament) -> String {
    let heads = tournament.heads();
    let rows: Vec<Vec<String>> =
        std::iter::once(heads.iter().map(|head| (*head).to_owned()).collect()).chain(tournament.rows()).collect();
    let rows = aligned(&rows, |column| tournament.columns()[column].is_text).map(|row| format!("  {row}"));
    std::iter::once(format!("{}:", tournament.title())).chain(rows).collect::<Vec<_>>().join("\n")
}
