//! `spar data merge` and `spar data sample`: joins files, or samples a part of them.

use crate::args::data::{Merge, Sample};
use crate::commands::{print, print_json};
use crate::failure::{Exit, Failure};
use reports::text::grouped;
use serde_json::json;
use std::path::Path;
use trainer::data::{self, Copied, Share};

pub(crate) fn merge(merge: &Merge) -> Result<Exit, Failure> {
    let copied = data::merge(&merge.files, &merge.out, merge.keep_duplicates)?;
    say(copied, "duplicates", &merge.out, merge.json)
}

pub(crate) fn sample(sample: &Sample) -> Result<Exit, Failure> {
    // The command line has exactly one of the two.
    let share = match (sample.games, sample.positions) {
        (Some(share), _) => Share::OfGames(share),
        (None, share) => Share::OfPositions(share.unwrap_or(1.0)),
    };
    let copied = data::sample(&sample.files, &sample.out, share, sample.seed)?;
    say(copied, "left out", &sample.out, sample.json)
}

fn say(copied: Copied, left_out: &str, out: &Path, json: bool) -> Result<Exit, Failure> {
    if json {
        print_json(&json!({ "file": out, "counts": copied }))?;
    } else {
        print(format_args!(
            "{} of {} positions ({} {left_out}) written to {}",
            grouped(copied.written),
            grouped(copied.read),
            grouped(copied.left_out),
            out.display()
        ))?;
    }
    Ok(Exit::Done)
}
