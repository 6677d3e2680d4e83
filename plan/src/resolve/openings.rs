//! `[openings]`: random plies, the game's start, numbered starts, or a book. A book is read here, so that its errors
//! are reported before a run begins.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, Origin};
use super::super::keys::{OpeningsPlan, PliesPlan};
use super::read::parse;
use play::Conventions;
use play::book::{
    BookError, BookFile, BookFormat, BookOrder, BookSource, NUMBERS_FORM, NumberedStarts, Numbers, OpeningSource,
    Openings,
};
use play::games::GameKind;
use play::spelling::nearest;
use play::{PlyRange, RandomOpenings};
use std::num::{NonZeroU32, NonZeroU64};

/// Where the openings come from, and the openings.
pub(super) fn resolve(
    source: &Source,
    raw: Option<&OpeningsPlan>,
    game: GameKind,
    conventions: Conventions,
) -> Result<(OpeningSource, Openings), PlanError> {
    let usual = OpeningsPlan::default();
    let raw = raw.unwrap_or(&usual);
    if let Some(file) = &raw.file {
        return book(source, raw, file, game, conventions);
    }
    let openings = without_book(source, raw, game)?;
    let loaded = Openings::load(&openings, game).map_err(|error| {
        // Only starts by their numbers can fail to load: those of a game that has none, or from a place that there is
        // not.
        let at = match &error {
            BookError::Start { .. } => raw.start.as_ref().map(|given| &given.origin),
            _ => raw.source.as_ref().map(|given| &given.origin),
        };
        source.error_at(at.unwrap_or(&Origin::Usual), error.to_string(), "these openings cannot be played")
    })?;
    Ok((openings, loaded))
}

fn without_book(source: &Source, raw: &OpeningsPlan, game: GameKind) -> Result<OpeningSource, PlanError> {
    refuse(
        source,
        [
            ("format", raw.format.as_ref().map(|given| &given.origin)),
            ("strict", raw.strict.as_ref().map(|given| &given.origin)),
        ],
        "is for a book",
        "expected `file`, too",
    )?;
    if let Some((kind, double)) = raw.source.as_ref().and_then(|kind| Some((kind, is_double(&kind.value)?))) {
        return numbered(source, raw, kind, double).map(OpeningSource::Numbered);
    }
    let spans = [
        ("numbers", raw.numbers.as_ref().map(|given| &given.origin)),
        ("order", raw.order.as_ref().map(|given| &given.origin)),
        ("start", raw.start.as_ref().map(|given| &given.origin)),
    ];
    let [(numbers, at), others @ ..] = spans;
    refuse(source, [(numbers, at)], "is for numbered starts", "expected `source = \"chess960\"`, too")?;
    refuse(source, others, "is for a book", "expected `file`, too")?;
    match raw.source.as_ref().map(|kind| (kind.value.as_str(), &kind.origin)) {
        Some(("start", _)) => {
            let spans = [
                ("plies", raw.plies.as_ref().map(|given| &given.origin)),
                ("balance", raw.balance.as_ref().map(|given| &given.origin)),
            ];
            refuse(source, spans, "is for other openings than the start", "leave it out")?;
            Ok(OpeningSource::Start)
        }
        None | Some(("random", _)) => random(source, raw, game),
        Some((unknown, origin)) => {
            let message = format!("`{unknown}` is not a source of openings");
            Err(source.error_at(
                origin,
                message,
                "expected `random`, `start`, `chess960` or `double-chess960`; a book is given by `file`",
            ))
        }
    }
}

/// Whether each side has a start of its own, if it is a source of numbered starts.
fn is_double(name: &str) -> Option<bool> {
    match name {
        "chess960" => Some(false),
        "double-chess960" => Some(true),
        _ => None,
    }
}

fn numbered(
    source: &Source,
    raw: &OpeningsPlan,
    kind: &Given<String>,
    double: bool,
) -> Result<NumberedStarts, PlanError> {
    let spans = [
        ("plies", raw.plies.as_ref().map(|given| &given.origin)),
        ("balance", raw.balance.as_ref().map(|given| &given.origin)),
    ];
    refuse(source, spans, &format!("is for other openings than `{}`", kind.value), "leave it out")?;
    let all = NumberedStarts::all(double);
    let numbers = match &raw.numbers {
        Some(text) => {
            let forms = format!("{NUMBERS_FORM}, none above {}", all - 1);
            parse(source, text, |text| Numbers::read(text, all), "list of starts", &forms)?
        }
        None => Numbers::below(all),
    };
    Ok(NumberedStarts { double, numbers, order: order(source, raw)?, start: start(source, raw)? })
}

/// Refuses the first of some keys that is there.
fn refuse<const N: usize>(
    source: &Source,
    keys: [(&str, Option<&Origin>); N],
    why: &str,
    label: &str,
) -> Result<(), PlanError> {
    match keys.into_iter().find_map(|(key, origin)| Some((key, origin?))) {
        Some((key, origin)) => Err(source.error_at(origin, format!("`{key}` {why}"), label)),
        None => Ok(()),
    }
}

fn random(source: &Source, raw: &OpeningsPlan, game: GameKind) -> Result<OpeningSource, PlanError> {
    let most = game.most_random_plies();
    let plies = match &raw.plies {
        Some(plies) => {
            let range = ply_range(source, plies)?;
            if range.most() > most {
                let message = format!("{range} random plies leave no game");
                return Err(source.error_at(&plies.origin, message, format!("expected 0 to {most}")));
            }
            range
        }
        None => game.usual_random_plies().into(),
    };
    if let Some(balance) = raw.balance.as_ref().filter(|_| game != GameKind::ZeroPointOne) {
        let message = format!("openings of {game} cannot be balanced");
        return Err(source.error_at(
            &balance.origin,
            message,
            "remove this: the engine that judges openings plays 0.1",
        ));
    }
    let balance = raw.balance.as_ref().map(|balance| balance_units(source, balance)).transpose()?;
    Ok(OpeningSource::Random(RandomOpenings { plies, balance }))
}

/// A number of plies, or a range of them.
fn ply_range(source: &Source, plies: &Given<PliesPlan>) -> Result<PlyRange, PlanError> {
    let text = match &plies.value {
        PliesPlan::Number(plies) => return Ok((*plies).into()),
        PliesPlan::Range(text) => text,
    };
    let range = || {
        let (least, most) = text.split_once("..")?;
        PlyRange::new(least.trim().parse().ok()?, most.trim().parse().ok()?)
    };
    range().ok_or_else(|| {
        let label = "expected a number, or a range of them such as `\"6..10\"`";
        source.error_at(&plies.origin, format!("`plies` cannot be \"{text}\""), label)
    })
}

/// The plies of a book's openings, which are not drawn from a range.
fn book_plies(source: &Source, plies: &Given<PliesPlan>) -> Result<u32, PlanError> {
    match plies.value {
        PliesPlan::Number(plies) => Ok(plies),
        PliesPlan::Range(_) => {
            Err(source.error_at(&plies.origin, "only random openings have a range of plies", "expected a number"))
        }
    }
}

/// A bound in logit, to the engine's unit.
fn balance_units(source: &Source, balance: &Given<f64>) -> Result<NonZeroU32, PlanError> {
    let logit = balance.value;
    let units = if (0.0..=10.0).contains(&logit) { (logit * 10_000.0).round() as u32 } else { 0 };
    let bad = || {
        source.error_at(&balance.origin, format!("`balance` cannot be {logit}"), "expected logit, from 0.0001 to 10")
    };
    NonZeroU32::new(units).ok_or_else(bad)
}

fn book(
    source: &Source,
    raw: &OpeningsPlan,
    path: &Given<String>,
    game: GameKind,
    conventions: Conventions,
) -> Result<(OpeningSource, Openings), PlanError> {
    let spans = [
        ("balance", raw.balance.as_ref().map(|given| &given.origin)),
        ("numbers", raw.numbers.as_ref().map(|given| &given.origin)),
        ("source", raw.source.as_ref().map(|given| &given.origin)),
    ];
    refuse(source, spans, "is for openings without a book", "leave it out, or leave out `file`")?;
    let file = BookFile {
        path: path.value.clone(),
        format: format(source, raw, path)?,
        plies: raw.plies.as_ref().map(|plies| book_plies(source, plies)).transpose()?,
    };
    check_keys(source, raw, path, &file)?;
    let unusable = |error: BookError| {
        let at = match (&error, &raw.start) {
            (BookError::Start { .. }, Some(start)) => &start.origin,
            _ => &path.origin,
        };
        source.error_at(at, error.to_string(), "these openings cannot be played")
    };
    let is_strict = raw.strict.as_ref().is_some_and(|given| given.value);
    let book = if is_strict { file.read_strictly(game) } else { file.read(game) }.map_err(unusable)?;
    let start = match (start(source, raw)?, book.openings().and_then(NonZeroU64::new)) {
        // Past the end it begins again: who counts on through many runs need not know how long the book is.
        (start, Some(openings)) if conventions == Conventions::Fastchess => {
            NonZeroU64::MIN.saturating_add((start.get() - 1) % openings)
        }
        (start, _) => start,
    };
    let settings = BookSource { file, order: order(source, raw)?, start, hash: book.hash().to_owned() };
    let openings = Openings::of_book(&settings, book, game).map_err(unusable)?;
    Ok((OpeningSource::Book(settings), openings))
}

/// Keys that mean nothing to a format, and one that Polyglot books need.
fn check_keys(source: &Source, raw: &OpeningsPlan, path: &Given<String>, file: &BookFile) -> Result<(), PlanError> {
    match (file.format, &raw.plies) {
        (BookFormat::Epd, plies) => {
            let why = "is for books of moves: a position has none";
            refuse(source, [("plies", plies.as_ref().map(|plies| &plies.origin))], why, "leave it out")?;
        }
        (BookFormat::Polyglot, None) => {
            let message = "a Polyglot book does not say how long an opening is";
            return Err(source.error_at(&path.origin, message, "expected `plies`, too, e.g. `plies = 12`"));
        }
        (BookFormat::Polyglot | BookFormat::Pgn | BookFormat::Moves, Some(plies))
            if plies.value == PliesPlan::Number(0) =>
        {
            return Err(source.error_at(&plies.origin, "`plies` cannot be 0", "expected 1 or more"));
        }
        (BookFormat::Polyglot, Some(_)) | (BookFormat::Pgn | BookFormat::Moves, _) => {}
    }
    if file.format != BookFormat::Polyglot {
        return Ok(());
    }
    let spans = [
        ("order", raw.order.as_ref().map(|given| &given.origin)),
        ("start", raw.start.as_ref().map(|given| &given.origin)),
    ];
    refuse(source, spans, "is for lists of openings: those of a Polyglot book are drawn", "leave it out")
}

fn format(source: &Source, raw: &OpeningsPlan, path: &Given<String>) -> Result<BookFormat, PlanError> {
    let Some(format) = &raw.format else {
        return BookFormat::of_name(&path.value)
            .map_err(|error| source.error_at(&path.origin, error.to_string(), "expected `format`, too"));
    };
    let name = &format.value;
    name.parse().map_err(|_| {
        let known: Vec<&str> = BookFormat::names().collect();
        let advice = match nearest(name, known.iter().copied()) {
            Some(best) => format!("did you mean `{best}`?"),
            None => format!("expected one of {}", known.join(", ")),
        };
        source.error_at(&format.origin, format!("`{name}` is not a book format"), advice)
    })
}

fn order(source: &Source, raw: &OpeningsPlan) -> Result<BookOrder, PlanError> {
    let Some(order) = &raw.order else { return Ok(BookOrder::Random) };
    match order.value.as_str() {
        "random" => Ok(BookOrder::Random),
        "sequential" => Ok(BookOrder::Sequential),
        unknown => {
            let message = format!("`{unknown}` is not an order of openings");
            Err(source.error_at(&order.origin, message, "expected `random` or `sequential`"))
        }
    }
}

fn start(source: &Source, raw: &OpeningsPlan) -> Result<NonZeroU64, PlanError> {
    let Some(start) = &raw.start else { return Ok(NonZeroU64::MIN) };
    let none = || source.error_at(&start.origin, "there is no opening 0", "expected 1 or more");
    NonZeroU64::new(start.value).ok_or_else(none)
}
