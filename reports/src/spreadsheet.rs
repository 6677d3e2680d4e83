//! Tables for spreadsheets, in CSV: results by pairing, and every drawn series.

use crate::numbers::{Numbers, Strength};
use arena::run::Series;
use csv::Writer;
use stats::Estimate;
use std::borrow::Cow;
use std::io;

const RESULTS: [&str; 21] = [
    "first",
    "second",
    "pairs",
    "p0",
    "p1",
    "p2",
    "p3",
    "p4",
    "wins",
    "draws",
    "losses",
    "score",
    "score_low",
    "score_high",
    "elo",
    "elo_low",
    "elo_high",
    "nelo",
    "nelo_low",
    "nelo_high",
    "los",
];

/// Results of all pairings, the total first.
pub(crate) fn results(numbers: &Numbers) -> io::Result<Vec<u8>> {
    table(|out| {
        out.write_record(RESULTS)?;
        std::iter::once(&numbers.total).chain(&numbers.pairings).try_for_each(|row| out.write_record(result(row)))
    })
}

fn result(row: &Strength) -> Vec<String> {
    let mut cells: Vec<String> = row.names.iter().map(|name| harmless(name).into_owned()).collect();
    // Where games are counted, there are no pairs.
    let count = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
    cells.push(count(row.pairs));
    cells.extend([0, 1, 2, 3, 4].map(|points| count(row.penta.map(|penta| penta[points]))));
    cells.extend([row.games.wins, row.games.draws, row.games.losses].map(|games| games.to_string()));
    cells.extend([row.score, row.elo, row.nelo].into_iter().flat_map(interval));
    cells.push(row.los.to_string());
    cells
}

/// Every point of every series.
pub(crate) fn series<'a>(all: impl Iterator<Item = (&'a str, &'a Series)>) -> io::Result<Vec<u8>> {
    table(|out| {
        out.write_record(["plot", "series", "x", "y", "low", "high"])?;
        for (plot, series) in all {
            let name = harmless(&series.name);
            for point in &series.points {
                let [x, y] = [point.x, point.y].map(number);
                let [low, high] = [point.low, point.high].map(|end| end.map_or_else(String::new, number));
                out.write_record([plot, &name, &x, &y, &low, &high])?;
            }
        }
        Ok(())
    })
}

fn table(fill: impl FnOnce(&mut Writer<Vec<u8>>) -> csv::Result<()>) -> io::Result<Vec<u8>> {
    let mut out = Writer::from_writer(Vec::new());
    fill(&mut out)?;
    out.into_inner().map_err(csv::IntoInnerError::into_error)
}

fn interval(interval: Option<Estimate>) -> [String; 3] {
    interval.map_or_else(Default::default, |i| [i.value, i.low, i.high].map(number))
}

/// A number; an empty text if there is none.
fn number(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

/// Foreign text, with the leading sign of a formula disarmed: spreadsheets would execute it.
fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::run::Point;

    #[test]
    fn fields_are_quoted_where_they_must_be_and_harmless() {
        let point = Point { x: 1.0, y: -0.5, low: None, high: Some(f64::INFINITY) };
        let all = ["a, \"b\"", "=1+1"].map(|name| Series { name: name.to_owned(), points: vec![point] });
        let text = String::from_utf8(series(all.iter().map(|series| ("course", series))).unwrap()).unwrap();
        let expected = "plot,series,x,y,low,high\ncourse,\"a, \"\"b\"\"\",1,-0.5,,inf\ncourse,'=1+1,1,-0.5,,inf\n";
        assert_eq!(text, expected);
    }
}
