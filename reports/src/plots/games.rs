//! The lengths and endings of games, and the fairness of their openings: bars.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{Area, Drawn, HEIGHT, Panel, Place, Sheet, bar, note, shortened, tally, upright};
use crate::gather::{Fairness, Games, PLIES_A_BIN};
use crate::text::{counted, grouped};

const LONGEST_NAME: usize = 20;
/// The maximum number of endings shown; the rarest others appear only in the tables.
const MOST_ENDINGS: usize = 10;

/// Draws the lengths of games, split by result, beside their endings.
///
/// # Errors
/// [`PlotError`].
pub fn lengths(title: &str, games: &Games) -> Result<Plot, PlotError> {
    if games.games == 0 {
        return Err(PlotError::Empty("games".to_owned()));
    }
    let mean = games.mean_plies().unwrap_or(0.0);
    let subtitle = format!("{}, {mean:.1} plies on average, the opening's included", counted(games.games, "game"));
    let key = ["first mover won", "drawn", "second mover won"].map(str::to_owned);
    let key = [palette::BLUE, palette::AXIS, palette::VERMILION].into_iter().zip(key).collect();
    Sheet { title, subtitle: &subtitle, key, height: HEIGHT }.draw_two(720, |left, right| {
        length_bars(left, games)?;
        ending_bars(right, games)
    })
}

fn length_bars(area: &Area<'_>, games: &Games) -> Drawn {
    let first = games.lengths.iter().position(|bin| bin.iter().sum::<u64>() > 0).unwrap_or(0);
    let bins = &games.lengths[first..];
    let (_, high) = range(bins.iter().map(|bin| bin.iter().sum::<u64>() as f64));
    let width = PLIES_A_BIN as f64;
    let x = Axis::new(first as f64 * width, games.lengths.len() as f64 * width, 8);
    let y = Axis::new(0.0, high * 1.05, 6);
    let panel = Panel { title: "Length", x, y, x_label: "plies", y_label: "games", left: 80 };
    let mut chart = panel.chart(area)?;
    for (index, [lost, drawn, won]) in bins.iter().enumerate() {
        let (from, mut floor) = ((first + index) as f64 * width, 0.0);
        let parts = [(won, palette::BLUE), (drawn, palette::AXIS), (lost, palette::VERMILION)];
        for (count, colour) in parts.into_iter().filter(|(count, _)| **count > 0) {
            let top = floor + *count as f64;
            bar(&mut chart, (from + width * 0.06, floor), (from + width * 0.94, top), colour)?;
            floor = top;
        }
    }
    Ok(())
}

fn ending_bars(area: &Area<'_>, games: &Games) -> Drawn {
    let mut endings: Vec<(&str, u64)> = games.endings.iter().map(|(name, count)| (*name, *count)).collect();
    endings.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    endings.truncate(MOST_ENDINGS);
    endings.reverse();
    let names = endings.iter().map(|(name, _)| shortened(name, LONGEST_NAME)).collect();
    let most = endings.iter().map(|(_, count)| *count).max().unwrap_or(1) as f64;
    let (x, y) = (Axis::new(0.0, most * 1.7, 3), Axis::of_names(names));
    let mut chart = Panel { title: "Ending", x, y, x_label: "games", y_label: "", left: 130 }.chart(area)?;
    for (index, (_, count)) in endings.into_iter().enumerate() {
        let at = index as f64;
        bar(&mut chart, (0.0, at - 0.3), (count as f64, at + 0.3), palette::GREEN)?;
        let text = format!("{} ({:.1}%)", grouped(count), 100.0 * count as f64 / games.games as f64);
        note(&mut chart, text, (count as f64, at), Place::Right, palette::TEXT)?;
    }
    Ok(())
}

/// Draws how many of two points the first movers of a pair's games scored together: openings that decide the game show
/// at both ends. Dots show the expectation for two independent games of the same players; their bars hold 95% of
/// samples.
///
/// # Errors
/// [`PlotError`].
pub fn fairness(title: &str, subtitle: &str, fairness: &Fairness) -> Result<Plot, PlotError> {
    let total: u64 = fairness.observed.iter().sum();
    if total == 0 {
        return Err(PlotError::Empty("openings".to_owned()));
    }
    let tops = fairness.observed.map(|count| count as f64).into_iter();
    let (_, high) = range(tops.chain(fairness.expected.map(|expected| expected.high)));
    let key =
        vec![(palette::GREEN, "played".to_owned()), (palette::VERMILION, "if openings did not matter, 95%".to_owned())];
    Sheet { title, subtitle, key, height: HEIGHT }.draw(|body| {
        let x = Axis::of_names(["0", "½", "1", "1½", "2"].map(str::to_owned).to_vec());
        let y = Axis::new(0.0, high * 1.14, 6);
        let x_label = "points of the first mover in both games together";
        let mut chart = Panel { title: "", x, y, x_label, y_label: "pairs", left: 90 }.chart(body)?;
        for (index, (count, expected)) in fairness.observed.into_iter().zip(fairness.expected).enumerate() {
            let (at, top) = (index as f64, count as f64);
            bar(&mut chart, (at - 0.35, 0.0), (at + 0.15, top), palette::GREEN)?;
            upright(&mut chart, (at + 0.3, expected.value), (expected.low, expected.high), palette::VERMILION)?;
            tally(&mut chart, count, total, (at - 0.1, top))?;
        }
        Ok(())
    })
}
