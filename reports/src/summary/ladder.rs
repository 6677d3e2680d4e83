//! The ratings of a ladder, in its order: the Elo curve as a table and as JSON.

use super::format::finite;
use crate::text::{grouped, half_width, signed};
use crate::{Gain, Place, RatedLadder};
use serde_json::{Value, json};
use stats::Estimate;

/// The maximum number of characters of a name.
const WIDEST_NAME: usize = 32;

/// The table as text for people.
pub fn text(ladder: &RatedLadder) -> String {
    let width = ladder.places.iter().map(|place| place.name.chars().count()).max().unwrap_or(0).clamp(4, WIDEST_NAME);
    let mut lines = vec![format!(
        "  {:<width$}  {:>8}   {:<9}{:>9}   {:>8}   {:<9}{:>6}",
        "name", "Elo", "95%", "pairs", "gain", "95%", "LOS"
    )];
    lines.extend(ladder.places.iter().map(|place| line(place, width, ladder.groups > 1)));
    if ladder.groups > 1 {
        let message = "Not connected: the numbers at the right are groups that no two-sided results join yet.";
        lines.extend([String::new(), message.to_owned()]);
    }
    lines.join("\n")
}

fn line(place: &Place, width: usize, groups: bool) -> String {
    let plus_minus = |e: Estimate| (signed(e.value, 1), half_width(e, 1));
    let name: String = place.name.chars().take(width).collect();
    let (elo, half) = if place.anchor {
        (signed(place.elo.value, 1), "anchor".to_owned())
    } else if place.played() {
        plus_minus(place.elo)
    } else {
        ("-".to_owned(), "no games".to_owned())
    };
    let (gain, gain_half) = place.gain.map_or_else(Default::default, |gain| plus_minus(gain.elo));
    let los = place.gain.map_or_else(String::new, |gain| format!("{:.1}%", 100.0 * gain.los));
    let group = if groups { format!("  {}", place.group) } else { String::new() };
    let note = if place.current { "" } else { "  (removed from the file)" };
    let pairs = grouped(place.pairs.round() as u64);
    let line =
        format!("  {name:<width$}  {elo:>8}   {half:<9}{pairs:>9}   {gain:>8}   {gain_half:<9}{los:>6}{group}{note}");
    line.trim_end().to_owned()
}

/// The table as JSON for machines.
pub fn json(ladder: &RatedLadder) -> Value {
    let row = |place: &Place| {
        let gain = place.gain.map(|Gain { elo, los }| {
            let [value, low, high] = [elo.value, elo.low, elo.high].map(finite);
            json!({ "elo": value, "elo_low": low, "elo_high": high, "los": finite(los) })
        });
        json!({
            "name": place.name, "anchor": place.anchor, "current": place.current,
            "elo": finite(place.elo.value), "elo_low": finite(place.elo.low), "elo_high": finite(place.elo.high),
            "pairs": finite(place.pairs), "group": place.group, "gain": gain,
        })
    };
    Value::Array(ladder.places.iter().map(row).collect())
}
