//! `spar data export`: exports the positions of a run of 0.1 to a file.

use crate::args::data::Export;
use crate::commands::{one_run_path, print, print_json};
use crate::failure::{Exit, Failure};
use arena::run::RunFolder;
use plan::positions::{Wanted, is_chess};
use reports::text::grouped;
use serde_json::json;
use session::positions;
use std::path::Path;
use trainer::data::Extracted;

pub(crate) fn export(export: &Export, runs: &Path) -> Result<Exit, Failure> {
    let run = one_run_path(&export.run, runs)?;
    let config = RunFolder::open_journal(&run)?.header()?.config;
    if is_chess(config.game) {
        let run = export.run.display();
        return Err(Failure::usage(format!(
            "the games of {run} are of {}: `spar export {run} --positions FILE` writes their positions",
            config.game
        )));
    }
    let of_run = Wanted::of(&config);
    let wanted = Wanted { filter: export.filter.over(of_run.filter), ..of_run };
    let out = export.out.clone().unwrap_or_else(|| positions::usual_place(&run, &config, wanted.format));
    let counts = positions::write(&run, &config, &wanted, &out)?.counts;
    if export.json {
        print_json(&json!({ "file": out, "counts": counts }))?;
    } else {
        print(text(&counts, &out))?;
    }
    Ok(Exit::Done)
}

/// The reasons for leaving positions out, with counts; reasons with a count of 0 are missing.
pub(super) fn left_out(counts: &Extracted) -> impl Iterator<Item = (&'static str, u64)> {
    let all = [
        ("games ended by a fault", counts.faulty_games),
        ("games that began too unequal", counts.unequal_games),
        ("plies without a score", counts.unscored),
        ("too soon after the opening", counts.early),
        ("proven wins and losses", counts.proven),
        ("scores too large", counts.decided),
        ("captures", counts.captures),
        ("in check", counts.in_check),
        ("by chance", counts.unsampled),
        ("variations that end the game", counts.finished),
        ("duplicates", counts.duplicates),
    ];
    all.into_iter().filter(|(_, count)| *count > 0)
}

/// The counts of kept and omitted positions, and the path of the file.
pub(crate) fn text(counts: &Extracted, out: &Path) -> String {
    let mut lines = vec![format!("{} positions of {} games", grouped(counts.kept), grouped(counts.games))];
    for (what, count) in left_out(counts) {
        lines.push(format!("  left out   {:>12} {what}", grouped(count)));
    }
    lines.push(format!("  written to {}", out.display()));
    lines.join("\n")
}
