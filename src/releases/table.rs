//! The ratings of a ladder, in its order: the Elo curve as a table and as JSON.

use crate::failure::Failure;
use crate::summary::finite;
use crate::text::{grouped, signed};
use reports::plots::{EloCurve, EloCurvePoint, elo_curve};
use serde_json::{Value, json};
use stats::Estimate;
use stats::rating::{Ratings, Standing};

/// Characters of a name that are shown.
const WIDEST_NAME: usize = 32;

/// One entrant's place on the curve.
#[derive(Clone, Debug)]
struct Row {
    name: String,
    elo: Estimate,
    pairs: f64,
    standing: Standing,
    group: usize,
    /// Against the entrant before it, and the probability of being stronger.
    gain: Option<(Estimate, f64)>,
    /// Whether the configuration has it still.
    current: bool,
}

/// The ratings of all entrants, in the order of the configuration.
#[derive(Clone, Debug)]
pub(crate) struct RatingTable {
    rows: Vec<Row>,
    anchor: usize,
    groups: usize,
}

impl RatingTable {
    /// Of entrants so called, the first `current` of which the configuration has.
    pub(crate) fn new(names: &[&str], current: usize, anchor: usize, ratings: &Ratings) -> Self {
        let los = ratings.los();
        let rows = names.iter().zip(&ratings.entrants).enumerate().map(|(number, (name, rating))| Row {
            name: (*name).to_owned(),
            elo: rating.elo,
            pairs: rating.games / 2.0,
            standing: rating.standing,
            group: rating.group,
            gain: (number > 0 && number < current)
                .then(|| Some((ratings.difference(number, number - 1)?, los[number][number - 1])))
                .flatten(),
            current: number < current,
        });
        Self { rows: rows.collect(), anchor, groups: ratings.groups }
    }

    /// The table for people.
    pub(crate) fn text(&self) -> String {
        let width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).clamp(4, WIDEST_NAME);
        let mut lines = vec![format!(
            "  {:<width$}  {:>8}   {:<9}{:>9}   {:>8}   {:<9}{:>6}",
            "name", "Elo", "95%", "pairs", "gain", "95%", "LOS"
        )];
        lines.extend(self.rows.iter().enumerate().map(|(number, row)| self.line(number, row, width)));
        if self.groups > 1 {
            let message = "Not connected: the numbers at the right are groups that no two-sided results join yet.";
            lines.extend([String::new(), message.to_owned()]);
        }
        lines.join("\n")
    }

    fn line(&self, number: usize, row: &Row, width: usize) -> String {
        let plus_minus = |e: Estimate| (signed(e.value, 1), format!("± {:.1}", (e.high - e.low) / 2.0));
        let name: String = row.name.chars().take(width).collect();
        let (elo, half) = if number == self.anchor {
            (signed(row.elo.value, 1), "anchor".to_owned())
        } else if row.standing == Standing::NoGames {
            ("-".to_owned(), "no games".to_owned())
        } else {
            plus_minus(row.elo)
        };
        let (gain, gain_half) = row.gain.map_or_else(Default::default, |(gain, _)| plus_minus(gain));
        let los = row.gain.map_or_else(String::new, |(_, los)| format!("{:.1}%", 100.0 * los));
        let group = if self.groups > 1 { format!("  {}", row.group + 1) } else { String::new() };
        let note = if row.current { "" } else { "  (not in the file any more)" };
        let pairs = grouped(row.pairs.round() as u64);
        let line = format!(
            "  {name:<width$}  {elo:>8}   {half:<9}{pairs:>9}   {gain:>8}   {gain_half:<9}{los:>6}{group}{note}"
        );
        line.trim_end().to_owned()
    }

    /// The Elo curve as an SVG drawing; `x` are the entrants' places, one after the other if there are none. `None` if nobody
    /// has played yet.
    pub(crate) fn drawing(&self, title: &str, subtitle: &str, x: Option<&[f64]>) -> Result<Option<String>, Failure> {
        let points = self.rows.iter().enumerate().filter(|(_, row)| row.current && row.standing != Standing::NoGames);
        let point = |(number, row): (usize, &Row)| EloCurvePoint {
            name: row.name.clone(),
            x: x.and_then(|x| x.get(number).copied()).unwrap_or(number as f64),
            elo: row.elo.value,
            low: row.elo.low,
            high: row.elo.high,
            anchor: number == self.anchor,
        };
        let points: Vec<EloCurvePoint> = points.map(point).collect();
        if points.is_empty() {
            return Ok(None);
        }
        let curve = EloCurve { title: title.to_owned(), subtitle: subtitle.to_owned(), points };
        elo_curve(&curve).map(|plot| Some(plot.wide)).map_err(|error| Failure::Environment(error.into()))
    }

    /// Elo with its 95% interval, of those that the configuration has.
    pub(crate) fn estimates(&self) -> impl Iterator<Item = Estimate> {
        self.rows.iter().filter(|row| row.current).map(|row| row.elo)
    }

    /// The table for machines.
    pub(crate) fn json(&self) -> Value {
        let row = |(number, row): (usize, &Row)| {
            let gain = row.gain.map(|(gain, los)| {
                json!({ "elo": finite(gain.value), "elo_low": finite(gain.low), "elo_high": finite(gain.high), "los": finite(los) })
            });
            json!({
                "name": row.name, "anchor": number == self.anchor, "current": row.current,
                "elo": finite(row.elo.value), "elo_low": finite(row.elo.low), "elo_high": finite(row.elo.high),
                "pairs": finite(row.pairs), "group": row.group + 1, "gain": gain,
            })
        };
        Value::Array(self.rows.iter().enumerate().map(row).collect())
    }
}
