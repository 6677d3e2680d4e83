//! Tables for spreadsheets: results by pairing, and every series drawn. Fields are quoted as RFC 4180 has it.

use crate::numbers::{Interval, Numbers, Strength};
use arena::run::Series;
use std::fmt::Write;

/// Results of all pairings, the total first.
pub(crate) fn results(numbers: &Numbers) -> String {
    let mut text = String::from(
        "first,second,pairs,p0,p1,p2,p3,p4,wins,draws,losses,score,score_low,score_high,elo,elo_low,elo_high,nelo,nelo_low,nelo_high,los\n",
    );
    for row in std::iter::once(&numbers.total).chain(&numbers.pairings) {
        text.push_str(&result(row));
    }
    text
}

fn result(row: &Strength) -> String {
    let [first, second] = row.names.each_ref().map(|name| field(name));
    let counts = row.penta.map(|count| count.to_string()).join(",");
    let games = &row.games;
    let numbers = [row.score, row.elo, row.nelo].map(interval).join(",");
    let (wins, draws, losses) = (games.wins, games.draws, games.losses);
    format!("{first},{second},{},{counts},{wins},{draws},{losses},{numbers},{}\n", row.pairs, row.los)
}

/// Every point of every series.
pub(crate) fn series<'a>(all: impl Iterator<Item = (&'a str, &'a Series)>) -> String {
    let mut text = String::from("plot,series,x,y,low,high\n");
    for (plot, series) in all {
        let name = field(&series.name);
        for point in &series.points {
            let [low, high] = [point.low, point.high].map(|end| end.map_or_else(String::new, number));
            let _never_fails = writeln!(text, "{plot},{name},{},{},{low},{high}", number(point.x), number(point.y));
        }
    }
    text
}

fn interval(interval: Option<Interval>) -> String {
    interval.map_or_else(|| ",,".to_owned(), |i| [i.value, i.low, i.high].map(number).join(","))
}

/// A number; nothing where there is none.
fn number(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

/// A quoted field. A leading sign of a formula is disarmed, since spreadsheets would execute it.
fn field(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    format!("\"{}{}\"", if formula { "'" } else { "" }, text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_and_harmless() {
        assert_eq!(field("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(field("=1+1"), "\"'=1+1\"");
    }
}
