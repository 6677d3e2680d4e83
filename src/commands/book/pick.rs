//! `spar book pick`: picks the openings of a book that an engine considers balanced enough.

use super::complain;
use super::engines::{process, starter};
use crate::args::books::{EngineOption, Pick};
use crate::commands::print;
use crate::failure::{Exit, Failure};
use crate::host;
use anyhow::anyhow;
use play::Limit;
use play::book::Content;
use play::book::pick::{PickError, PickSettings, Picked, Picks, pick as pick_openings};
use play::entrant::{ProcessSpec, Protocol};
use play::games::Chess;
use play::openings::{BookOrder, BookSource, Openings};
use reports::text::{counted, grouped};
use std::fmt::Write as _;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// Polyglot books allow unlimited walks: the search ends after this many walks for each opening wanted.
const WALKS: u64 = 1000;

/// How often progress is printed.
const SAY_EVERY: Duration = Duration::from_secs(5);

pub(crate) fn pick(pick: &Pick) -> Result<Exit, Failure> {
    let game = Chess::of(pick.openings.game).ok_or_else(|| {
        Failure::usage(format!("UCI engines cannot play {}: expected chess or a variant", pick.openings.game))
    })?;
    let starter = starter(&pick.engine)?;
    let (openings, candidates) = openings(pick)?;
    let settings = PickSettings {
        game,
        engine: engine(pick),
        window: pick.window.0.clone(),
        count: pick.count.get(),
        candidates,
        seed: pick.seed,
        concurrency: pick.concurrency.unwrap_or_else(host::processors),
    };
    let mut reported = Instant::now();
    let mut observe = |picks: &Picks| {
        if reported.elapsed() >= SAY_EVERY {
            reported = Instant::now();
            say!(
                "{} of {} picked, {} searched",
                picks.picked.len(),
                counted(settings.count, "opening"),
                grouped(picks.looked_at)
            );
        }
    };
    match pick_openings(&openings, &settings, &starter, host::stop_flag()?, &mut observe) {
        Ok(picks) => report(pick, &picks),
        Err(PickError::Stopped) => {
            say!("Interrupted; nothing was written.");
            Ok(Exit::Interrupted)
        }
        Err(error) => Err(Failure::Environment(anyhow!("{error}"))),
    }
}

/// Returns the openings in the order in which they are judged, and the number of candidates.
fn openings(pick: &Pick) -> Result<(Openings, u64), Failure> {
    let (file, game) = (pick.openings.file()?, pick.openings.game);
    let book = pick.openings.read(&file)?;
    if let Some(skipped) = book.skipped() {
        complain(skipped, &file.path);
    }
    let candidates = match book.content() {
        Content::Lines(lines) => lines.count(),
        Content::Polyglot(_) if file.plies.is_none() => {
            return Err(Failure::usage("a Polyglot book has no length of openings: add --plies"));
        }
        Content::Polyglot(_) => pick.count.get().saturating_mul(WALKS),
    };
    let hash = book.hash().to_owned();
    let source = BookSource { file, order: BookOrder::Random, start: NonZeroU64::MIN, hash };
    Ok((Openings::of_book(&source, book, game)?, candidates))
}

fn engine(pick: &Pick) -> ProcessSpec {
    let limit = match (pick.nodes, pick.depth) {
        (Some(nodes), _) => Limit::Nodes(nodes),
        (None, depth) => Limit::Depth(depth.unwrap_or(1)),
    };
    let options = pick.options.iter().map(|EngineOption { name, value }| (name.clone(), value.clone()));
    process(&pick.engine, &pick.args, options.collect(), Protocol::Uci, limit)
}

/// Writes the book, complete or partial, and prints what it holds.
fn report(pick: &Pick, picks: &Picks) -> Result<Exit, Failure> {
    let out = pick.out.display();
    let (found, wanted) = (picks.picked.len() as u64, pick.count.get());
    let looked_at = counted(picks.looked_at, "opening");
    if found == 0 {
        let window = &pick.window;
        return Err(Failure::usage(format!("none of {looked_at} has a score of {window} centipawns: widen --window")));
    }
    let mut text = String::new();
    for picked in &picks.picked {
        let _always_fits = writeln!(text, "{}", epd(picked));
    }
    fs_err::write(&pick.out, text)?;
    print(format_args!("{out}: {} of {looked_at} searched", grouped(found)))?;
    if found < wanted {
        say!("note: --count asks for {}, but the book has no more within the window", counted(wanted, "opening"));
    }
    Ok(Exit::Done)
}

/// An EPD line: the counters and the score (for the side to move, in centipawns) as operations.
fn epd(picked: &Picked) -> String {
    let ce = picked.centipawns;
    let mut fields: Vec<&str> = picked.fen.split(' ').collect();
    match (fields.pop(), fields.pop()) {
        (Some(moves), Some(halfmoves)) => format!("{} hmvc {halfmoves}; fmvn {moves}; ce {ce};", fields.join(" ")),
        _ => picked.fen.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_become_operations() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".to_owned();
        let text = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1; ce -34;";
        assert_eq!(epd(&Picked { fen, centipawns: -34 }), text);
    }
}
