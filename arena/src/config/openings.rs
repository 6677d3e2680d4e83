//! `[openings]`: random plies, the game's start, or a book. A book is read here, so that what is wrong with it is said before
//! a run begins.

use super::error::{ConfigError, Source, nearest};
use super::raw::RawOpenings;
use play::RandomOpenings;
use play::book::{BookError, BookFile, BookFormat, BookOrder, BookSource, OpeningSource, Openings};
use play::games::GameKind;
use serde_spanned::Spanned;
use std::num::{NonZeroU32, NonZeroU64};
use std::ops::Range;

/// Where the openings come from, and the openings.
pub(super) fn resolve(
    source: &Source,
    raw: &RawOpenings,
    game: GameKind,
) -> Result<(OpeningSource, Openings), ConfigError> {
    if let Some(file) = &raw.file {
        return book(source, raw, file, game);
    }
    let openings = without_book(source, raw, game)?;
    // Only a book can fail to load.
    let loaded = Openings::load(&openings, game).map_err(|error| source.error(error.to_string(), ""))?;
    Ok((openings, loaded))
}

fn without_book(source: &Source, raw: &RawOpenings, game: GameKind) -> Result<OpeningSource, ConfigError> {
    let spans = [
        ("format", raw.format.as_ref().map(Spanned::span)),
        ("order", raw.order.as_ref().map(Spanned::span)),
        ("start", raw.start.as_ref().map(Spanned::span)),
    ];
    refuse(source, spans, "is for a book", "expected `file`, too")?;
    match raw.source.as_ref().map(|kind| (kind.get_ref().as_str(), kind.span())) {
        Some(("start", _)) => {
            let spans = [
                ("plies", raw.plies.as_ref().map(Spanned::span)),
                ("balance", raw.balance.as_ref().map(Spanned::span)),
            ];
            refuse(source, spans, "is for other openings than the start", "leave it out")?;
            Ok(OpeningSource::Start)
        }
        None | Some(("random", _)) => random(source, raw, game),
        Some((unknown, span)) => {
            let message = format!("`{unknown}` is no source of openings");
            Err(source.error_at(span, message, "expected `start` or `random`; a book is given by `file`"))
        }
    }
}

/// Refuses the first of some keys that is there.
fn refuse<const N: usize>(
    source: &Source,
    keys: [(&str, Option<Range<usize>>); N],
    why: &str,
    label: &str,
) -> Result<(), ConfigError> {
    match keys.into_iter().find_map(|(key, span)| Some((key, span?))) {
        Some((key, span)) => Err(source.error_at(span, format!("`{key}` {why}"), label)),
        None => Ok(()),
    }
}

fn random(source: &Source, raw: &RawOpenings, game: GameKind) -> Result<OpeningSource, ConfigError> {
    let most = game.most_random_plies();
    let plies = match &raw.plies {
        Some(plies) if *plies.get_ref() > most => {
            let message = format!("{} random plies leave no game", plies.get_ref());
            return Err(source.error_at(plies.span(), message, format!("expected 0 to {most}")));
        }
        Some(plies) => *plies.get_ref(),
        None => game.usual_random_plies(),
    };
    if let Some(balance) = raw.balance.as_ref().filter(|_| game != GameKind::ZeroPointOne) {
        let message = format!("openings of {game} cannot be balanced");
        return Err(source.error_at(balance.span(), message, "remove this: the engine that judges openings plays 0.1"));
    }
    let balance = raw.balance.as_ref().map(|balance| balance_units(source, balance)).transpose()?;
    Ok(OpeningSource::Random(RandomOpenings { plies, balance }))
}

/// A bound in logit, to the engine's unit.
fn balance_units(source: &Source, balance: &Spanned<f64>) -> Result<NonZeroU32, ConfigError> {
    let logit = *balance.get_ref();
    let units = if (0.0..=10.0).contains(&logit) { (logit * 10_000.0).round() as u32 } else { 0 };
    let bad =
        || source.error_at(balance.span(), format!("`balance` cannot be {logit}"), "expected logit, from 0.0001 to 10");
    NonZeroU32::new(units).ok_or_else(bad)
}

fn book(
    source: &Source,
    raw: &RawOpenings,
    path: &Spanned<String>,
    game: GameKind,
) -> Result<(OpeningSource, Openings), ConfigError> {
    let spans =
        [("balance", raw.balance.as_ref().map(Spanned::span)), ("source", raw.source.as_ref().map(Spanned::span))];
    refuse(source, spans, "is for openings without a book", "leave it out, or leave out `file`")?;
    let file = BookFile {
        path: path.get_ref().clone(),
        format: format(source, raw, path)?,
        plies: raw.plies.as_ref().map(|plies| *plies.get_ref()),
    };
    check_keys(source, raw, path, &file)?;
    let unusable = |error: BookError| {
        let at = match (&error, &raw.start) {
            (BookError::Start { .. }, Some(start)) => start.span(),
            _ => path.span(),
        };
        source.error_at(at, error.to_string(), "these openings cannot be played")
    };
    let book = file.read(game).map_err(unusable)?;
    let settings =
        BookSource { file, order: order(source, raw)?, start: start(source, raw)?, hash: book.hash().to_owned() };
    let openings = Openings::of_book(&settings, book, game).map_err(unusable)?;
    Ok((OpeningSource::Book(settings), openings))
}

/// Keys that mean nothing to a format, and one that Polyglot books need.
fn check_keys(source: &Source, raw: &RawOpenings, path: &Spanned<String>, file: &BookFile) -> Result<(), ConfigError> {
    let span = |plies: &Spanned<u32>| plies.span();
    match (file.format, &raw.plies) {
        (BookFormat::Epd, plies) => {
            let why = "is for books of moves: a position has none";
            refuse(source, [("plies", plies.as_ref().map(span))], why, "leave it out")?;
        }
        (BookFormat::Polyglot, None) => {
            let message = "a Polyglot book does not say how long an opening is";
            return Err(source.error_at(path.span(), message, "expected `plies`, too, e.g. `plies = 12`"));
        }
        (_, Some(plies)) if *plies.get_ref() == 0 => {
            return Err(source.error_at(plies.span(), "`plies` cannot be 0", "expected 1 or more"));
        }
        _ => {}
    }
    if file.format != BookFormat::Polyglot {
        return Ok(());
    }
    let spans = [("order", raw.order.as_ref().map(Spanned::span)), ("start", raw.start.as_ref().map(Spanned::span))];
    refuse(source, spans, "is for lists of openings: those of a Polyglot book are drawn", "leave it out")
}

fn format(source: &Source, raw: &RawOpenings, path: &Spanned<String>) -> Result<BookFormat, ConfigError> {
    let Some(format) = &raw.format else {
        return BookFormat::of_name(path.get_ref())
            .map_err(|error| source.error_at(path.span(), error.to_string(), "expected `format`, too"));
    };
    let name = format.get_ref();
    name.parse().map_err(|_| {
        let known: Vec<&str> = BookFormat::names().collect();
        let advice = match nearest(name, known.iter().copied()) {
            Some(best) => format!("did you mean `{best}`?"),
            None => format!("expected one of {}", known.join(", ")),
        };
        source.error_at(format.span(), format!("`{name}` is no format of books"), advice)
    })
}

fn order(source: &Source, raw: &RawOpenings) -> Result<BookOrder, ConfigError> {
    let Some(order) = &raw.order else { return Ok(BookOrder::Random) };
    match order.get_ref().as_str() {
        "random" => Ok(BookOrder::Random),
        "sequential" => Ok(BookOrder::Sequential),
        unknown => {
            let message = format!("`{unknown}` is no order of openings");
            Err(source.error_at(order.span(), message, "expected `random` or `sequential`"))
        }
    }
}

fn start(source: &Source, raw: &RawOpenings) -> Result<NonZeroU64, ConfigError> {
    let Some(start) = &raw.start else { return Ok(NonZeroU64::MIN) };
    let none = || source.error_at(start.span(), "there is no opening 0", "expected 1 or more");
    NonZeroU64::new(*start.get_ref()).ok_or_else(none)
}
