//! The state of a job of several runs, laid out for a terminal of any size: a line, followed by a table. Omits what
//! does not fit: the least important columns, the last rows.

use super::paint::Paint;
use super::view::{LEAST_NAME, Size, WIDEST_NAME};
use session::work::{JobTable, Row, Tone};

/// The space between two columns.
const GAP: usize = 2;
/// The indent of the first column.
const INDENT: usize = 2;

/// The lines that fit this room; wider if not even the names fit.
pub(super) fn lines(table: &JobTable, room: Size, paint: Paint) -> Vec<String> {
    let line = table.line();
    let is_short = room.rows < 2 || console::measure_text_width(&line) < room.columns;
    let mut lines = if is_short { vec![line] } else { vec![table.says.clone()] };
    lines.extend(table.next.as_ref().filter(|_| !is_short).map(|next| format!("Next: {next}")));
    let left = room.rows.saturating_sub(lines.len());
    if left >= 2 && !table.rows.is_empty() {
        let layout = Layout::of(table, room.columns);
        lines.push(paint.dim(&layout.line(&table.heads())));
        let fits = left - 1;
        // One line stands for all hidden rows, so at least two are hidden.
        let shown = if table.rows.len() > fits { fits - 1 } else { table.rows.len() };
        lines.extend(table.rows.iter().take(shown).map(|row| layout.row(row, paint)));
        if shown < table.rows.len() {
            lines.push(paint.dim(&format!("{}and {} more", " ".repeat(INDENT), table.rows.len() - shown)));
        }
    }
    let below = room.rows.saturating_sub(lines.len());
    lines.extend(table.below.iter().take(below).map(|line| format!("{}{line}", " ".repeat(INDENT))));
    lines
}

/// The columns that fit, by index, and their widths.
struct Layout<'a> {
    table: &'a JobTable,
    columns: Vec<(usize, usize)>,
}

impl<'a> Layout<'a> {
    fn of(table: &'a JobTable, columns: usize) -> Self {
        let widest = |place: usize| {
            let cells = table.rows.iter().filter_map(|row| row.cells.get(place)).map(String::as_str);
            let cells = cells.chain([table.columns[place].head]);
            cells.map(console::measure_text_width).max().unwrap_or(0)
        };
        let all = (0..table.columns.len()).map(|place| (place, widest(place)));
        let mut layout = Self { table, columns: all.collect() };
        if let Some((_, name)) = layout.columns.first_mut() {
            *name = (*name).min(WIDEST_NAME);
        }
        while layout.width() >= columns
            && let Some(least) = layout.least_important()
        {
            layout.columns.retain(|(place, _)| *place != least);
        }
        // If no more columns can be omitted, names are cut.
        let over = (layout.width() + 1).saturating_sub(columns);
        if let Some((_, name)) = layout.columns.first_mut() {
            *name = name.saturating_sub(over).max(LEAST_NAME.min(*name));
        }
        layout
    }

    /// The column to omit next, if any.
    fn least_important(&self) -> Option<usize> {
        let rank = |place: usize| self.table.columns[place].rank;
        let least = self.columns.iter().map(|&(place, _)| place).max_by_key(|&place| rank(place))?;
        (rank(least) > 0).then_some(least)
    }

    fn width(&self) -> usize {
        INDENT + self.columns.iter().map(|(_, width)| width + GAP).sum::<usize>() - GAP.min(self.columns.len() * GAP)
    }

    fn line<T: AsRef<str>>(&self, cells: &[T]) -> String {
        let cell = |&(place, width): &(usize, usize)| {
            let text = console::truncate_str(cells.get(place).map_or("", T::as_ref), width, "…");
            let is_text = self.table.columns[place].is_text;
            let side = if is_text { console::Alignment::Left } else { console::Alignment::Right };
            console::pad_str(&text, width, side, None).into_owned()
        };
        let cells: Vec<String> = self.columns.iter().map(cell).collect();
        format!("{}{}", " ".repeat(INDENT), cells.join(&" ".repeat(GAP))).trim_end().to_owned()
    }

    fn row(&self, row: &Row, paint: Paint) -> String {
        let line = self.line(&row.cells);
        match row.tone {
            Tone::Good => paint.good(&line),
            Tone::Open => line,
            Tone::Over => paint.dim(&line),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use session::work::Column;

    pub(in super::super) fn table() -> JobTable {
        let column = |head, is_text, rank| Column { head, is_text, rank };
        let row = |cells: [&str; 5], tone| Row { cells: cells.map(str::to_owned).to_vec(), tone, run: None, why: None };
        JobTable {
            says: "96 of 10,000 pairs; 1 accepted, 1 dropped, 1 undecided".to_owned(),
            next: Some("tidy, 32 pairs".to_owned()),
            columns: vec![
                column("patch", true, 0),
                column("state", true, 0),
                column("Elo", true, 0),
                column("e-value", false, 1),
                column("needed", false, 2),
            ],
            rows: vec![
                row(["look before moving", "accepted", "+106.3 (+60.7 to +155.9)", "92.51", "123"], Tone::Good),
                row(["tidy", "playing", "+0.0 (-6.9 to +6.9)", "1.00", "123"], Tone::Open),
                row(["back", "dropped", "-49.9 (-70.7 to -29.4)", "0.11", "123"], Tone::Over),
            ],
            below: vec!["all together  Elo +1".to_owned()],
        }
    }

    #[test]
    fn columns_and_rows_that_do_not_fit_are_left_out() {
        let shown = |columns, rows| lines(&table(), Size { columns, rows }, Paint::of(false));
        assert_eq!(
            shown(80, 20)[1..],
            [
                "  patch               state     Elo                       e-value  needed",
                "  look before moving  accepted  +106.3 (+60.7 to +155.9)    92.51     123",
                "  tidy                playing   +0.0 (-6.9 to +6.9)          1.00     123",
                "  back                dropped   -49.9 (-70.7 to -29.4)       0.11     123",
                "  all together  Elo +1",
            ]
        );
        assert_eq!(shown(80, 20)[0], "96 of 10,000 pairs; 1 accepted, 1 dropped, 1 undecided. Next: tidy, 32 pairs");
        assert_eq!(
            shown(60, 20)[..2],
            ["96 of 10,000 pairs; 1 accepted, 1 dropped, 1 undecided", "Next: tidy, 32 pairs"]
        );
        assert_eq!(shown(72, 20)[3], "  look before moving  accepted  +106.3 (+60.7 to +155.9)    92.51");
        assert_eq!(shown(50, 20)[3], "  look befor…  accepted  +106.3 (+60.7 to +155.9)");
        assert_eq!(shown(80, 4)[2..], [&shown(80, 20)[2], "  and 2 more"]);
        assert_eq!(shown(80, 2).len(), 2);
        assert_eq!(shown(80, 0).len(), 1);
        let painted = lines(&table(), Size { columns: 80, rows: 20 }, Paint::of(true));
        assert!(painted[2].starts_with("\u{1b}[32m") && painted[4].starts_with("\u{1b}[2m"), "{painted:?}");
        for (rows, columns) in (0..9).flat_map(|rows| (0..99).map(move |columns| (rows, columns))) {
            assert!(shown(columns, rows).len() <= rows.max(1), "{columns} {rows}");
        }
    }
}
