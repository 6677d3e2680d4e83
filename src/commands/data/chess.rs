//! The contents of files of chess positions, on the terminal and as a page.

use super::export::left_out;
use super::{by_score, mean, panel, results};
use crate::args::data::Info;
use crate::commands::{print, print_json};
use crate::failure::{Exit, Failure};
use arena::config::PositionFormat;
use arena::run::replace_file;
use reports::FactSheet;
use reports::plots::{Bars, PlotError, bars};
use reports::text::grouped;
use serde_json::{Value, json};
use std::path::Path;
use trainer::chess::formats::{self, of_packed};
use trainer::chess::statistics::{Group, Statistics};
use trainer::data::Extracted;

/// Prints the contents of files of one format.
pub(super) fn info(info: &Info, format: PositionFormat) -> Result<Exit, Failure> {
    let mut statistics = Statistics::new(format, !info.no_duplicates);
    let mut bytes = 0;
    for path in &info.files {
        if of_packed(path) != Some(format) {
            let (path, name) = (path.display(), format.name());
            return Err(Failure::usage(format!(
                "{path} is not a file of the format `{name}`: look at files of one format together"
            )));
        }
        bytes += fs_err::metadata(path)?.len();
        add(&mut statistics, format, path)?;
    }
    if let Some(page) = &info.page {
        write_page(page, &statistics, None)?;
    }
    if info.json {
        print_json(&as_json(&statistics, bytes))?;
        return Ok(Exit::Done);
    }
    for (name, value) in facts(&statistics) {
        print(format_args!("  {name:<12} {value}"))?;
    }
    print(format_args!("  {:<12} {:.1} MB of {}", "size", bytes as f64 / 1e6, format.name()))?;
    print(histogram(&statistics))?;
    info.page.as_ref().map_or(Ok(()), |page| print(format_args!("  {:<12} {}", "page", page.display())))?;
    Ok(Exit::Done)
}

fn add(statistics: &mut Statistics, format: PositionFormat, path: &Path) -> Result<(), Failure> {
    for position in formats::open(format, path).map_err(Failure::environment)? {
        match position {
            Ok(position) => statistics.add(&position),
            Err(wrong) => return Err(Failure::Environment(anyhow::anyhow!("{}, {wrong}", path.display()))),
        }
    }
    Ok(())
}

/// Writes the page of some positions, with the positions that were left out if they are known.
pub(in crate::commands) fn write_page(
    path: &Path,
    statistics: &Statistics,
    counts: Option<&Extracted>,
) -> Result<(), Failure> {
    let html = page(statistics, counts).map_err(Failure::environment)?;
    replace_file(path, html.as_bytes())?;
    Ok(())
}

fn share(part: u64, whole: u64) -> String {
    format!("{:.1}%", 100.0 * part as f64 / whole.max(1) as f64)
}

fn facts(of: &Statistics) -> Vec<(&'static str, String)> {
    let mut facts = vec![("positions", grouped(of.positions))];
    if of.positions == 0 {
        return facts;
    }
    let [lost, drawn, won] = of.results.map(|count| share(count, of.positions));
    facts.push(("results", format!("won {won}, drawn {drawn}, lost {lost}, for the side to move")));
    if let Some(results) = of.white_results {
        let [black, _, white] = results.map(|count| share(count, of.positions));
        facts.push(("", format!("White won {white}, Black {black}")));
    }
    let men = mean(&of.men);
    facts.push((
        "phases",
        match &of.plies {
            Some(plies) => format!("after {:.0} plies on average, {men:.1} men on the board", mean(plies)),
            None => format!("{men:.1} men on the board on average"),
        },
    ));
    if let Some(duplicates) = of.duplicates {
        facts.push(("duplicates", format!("{} ({})", grouped(duplicates), share(duplicates, of.positions))));
    }
    facts
}

/// Scores as bars of text, two pawns each.
fn histogram(of: &Statistics) -> String {
    const WIDTH: u64 = 40;
    const BINS: usize = 4;
    let scores = of.scores();
    let sum = |bins: &[Group]| bins.iter().map(|bin| bin.positions).sum::<u64>();
    let most = scores.chunks(BINS).map(sum).max().unwrap_or(0).max(1);
    let row = |bins: &[Group]| {
        let positions = sum(bins);
        let result = bins.iter().map(|bin| bin.result * bin.positions as f64).sum::<f64>() / positions as f64;
        let bar = "█".repeat((positions * WIDTH).div_ceil(most) as usize);
        let (low, wide) = (bins[0].low / 100, BINS as i32 * Statistics::bin_width() / 100);
        format!("  {low:>+5} to {:>+3}  {:>5.1}%  {:>12}  {bar}", low + wide, 100.0 * result, grouped(positions))
    };
    let heads = format!("  {:>12}  {:>6}  {:>12}", "pawns", "result", "positions");
    let rows = scores.chunks(BINS).filter(|bins| sum(bins) > 0).map(row);
    std::iter::once(heads).chain(rows).collect::<Vec<_>>().join("\n")
}

fn as_json(of: &Statistics, bytes: u64) -> Value {
    let white = |[losses, draws, wins]: [u64; 3]| json!({ "losses": losses, "draws": draws, "wins": wins });
    json!({
        "positions": of.positions,
        "bytes": bytes,
        "results": { "losses": of.results[0], "draws": of.results[1], "wins": of.results[2] },
        "white": of.white_results.map(white),
        "scores": of.scores(),
        "material": of.buckets(),
        "men": of.men.to_vec(),
        "plies": of.plies,
        "duplicates": of.duplicates,
    })
}

fn page(of: &Statistics, counts: Option<&Extracted>) -> Result<String, PlotError> {
    let says = format!("{} positions of chess", grouped(of.positions));
    let mut sheet = FactSheet::new("Positions", says.as_str());
    for (name, value) in facts(of) {
        sheet.fact(name, value);
    }
    if let Some(counts) = counts {
        sheet.table("Left out", &["why", "number"], left_out_rows(counts));
    }
    sheet.table("By material", &["men", "positions", "share", "mean score", "mean result"], material_rows(of));
    let title = "Scores of searches";
    let scores = of.scores();
    let low = scores.first().map_or(0.0, |bin| f64::from(bin.low) / 100.0);
    let bins = scores.iter().map(|bin| (bin.positions, bin.result));
    let by_score =
        by_score("score for the side to move (pawns)", low, f64::from(Statistics::bin_width()) / 100.0, bins);
    sheet.plot("scores", title, bars(title, &says, &["points won", "points lost"], &[by_score]))?;
    let title = "Phases of the game";
    sheet.plot("phases", title, bars(title, &says, &[], &phases(of)))?;
    let title = "Results";
    let white = of.white_results.map(|of_white| results("For White", &of_white));
    let panels: Vec<_> = [results("For the side to move", &of.results)].into_iter().chain(white).collect();
    sheet.plot("results", title, bars(title, &says, &[], &panels))?;
    Ok(sheet.html())
}

fn left_out_rows(counts: &Extracted) -> Vec<Vec<String>> {
    let row = |what: &str, count| vec![what.to_owned(), grouped(count)];
    let heads = [row("games played", counts.games), row("plies searched in the others", counts.plies)];
    let all = heads.into_iter().chain(left_out(counts).map(|(what, count)| row(what, count)));
    all.chain([row("positions kept", counts.kept)]).collect()
}

fn material_rows(of: &Statistics) -> Vec<Vec<String>> {
    let row = |bucket: &Group| {
        vec![
            format!("{} to {}", bucket.low, (bucket.low + 3).min(32)),
            grouped(bucket.positions),
            share(bucket.positions, of.positions),
            format!("{:+.2}", bucket.score / 100.0),
            format!("{:.1}%", 100.0 * bucket.result),
        ]
    };
    of.buckets().iter().filter(|bucket| bucket.positions > 0).map(row).collect()
}

fn phases(of: &Statistics) -> Vec<Bars<'static>> {
    let plies = of.plies.as_ref().map(|plies| {
        let last = plies.iter().rposition(|&count| count > 0).unwrap_or(0);
        panel("By plies", "plies made", &plies[..=last])
    });
    plies.into_iter().chain([panel("By material", "men on the board", &of.men)]).collect()
}
