//! `[ladder]`: many entrants, rated together. It plays the pairings that tell most about the differences asked for.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, value};
use super::super::keys::{KnownPlan, LadderOrder, LadderPlan};
use super::read::needed;
use arena::config::{Compare, KnownResult, LadderConfig};
use play::entrant::Entrant;
use play::spelling::nearest;
use stats::PairCounts;
use std::num::NonZeroU64;

/// The default number of pairs that are proposed ahead.
const DEFAULT_LOOKAHEAD: NonZeroU64 = NonZeroU64::new(64).expect("not 0");
/// The most entrants: with more of them, choosing would take longer than playing.
const MOST_ENTRANTS: usize = 100;
/// The most entrants where every difference counts.
const MOST_OF_A_LEAGUE: usize = 40;

pub(super) fn resolve(
    source: &Source,
    given: &Given<LadderPlan>,
    entrants: &[Entrant],
) -> Result<LadderConfig, PlanError> {
    let raw = &given.value;
    let above_zero = |n: &Given<u64>| {
        let none = || source.error_at(&n.origin, "this cannot be 0", "expected 1 or more");
        NonZeroU64::new(n.value).ok_or_else(none)
    };
    let compare = value(raw.compare.as_ref()).unwrap_or_default();
    let (what, most) = if compare == Compare::All { ("league", MOST_OF_A_LEAGUE) } else { ("ladder", MOST_ENTRANTS) };
    if entrants.len() < 2 || entrants.len() > most {
        let message = format!("a {what} of {} entrants cannot be played", entrants.len());
        return Err(source.error(message, format!("write 2 to {most} `[[entrant]]` sections")));
    }
    if let Some(order) = raw.order.as_ref().filter(|order| order.value == LadderOrder::Date) {
        let message = "only revisions have dates";
        return Err(source.error_at(&order.origin, message, "`spar ladder` orders entrants that are revisions"));
    }
    let gone = raw.gone.as_ref().map_or_else(Vec::new, |gone| gone.value.clone());
    let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    if let Some(back) = gone.iter().find(|name| names.contains(&name.as_str())) {
        let place = raw.gone.as_ref().map_or(&given.origin, |gone| &gone.origin);
        return Err(source.error_at(place, format!("`{back}` is an entrant"), "leave it out: it is not gone"));
    }
    let all: Vec<&str> = names.iter().copied().chain(gone.iter().map(String::as_str)).collect();
    let known = raw.known.iter().map(|known| earlier(source, known, &all)).collect::<Result<_, _>>()?;
    Ok(LadderConfig {
        pairs: above_zero(needed(source, &given.origin, "`[ladder]`", raw.pairs.as_ref(), "pairs")?)?,
        precision: raw.precision.as_ref().map(|elo| precision(source, elo)).transpose()?,
        lookahead: raw.lookahead.as_ref().map_or(Ok(DEFAULT_LOOKAHEAD), above_zero)?,
        compare,
        anchor: raw.anchor.as_ref().map_or(Ok(0), |name| entrant(source, name, &names))?,
        anchor_elo: raw.anchor_elo.as_ref().map_or(Ok(0.0), |elo| anchor_elo(source, elo))?,
        entrants: entrants.len() as u32,
        first_opening: value(raw.first_opening.as_ref()).unwrap_or(0),
        known,
        gone,
    })
}

fn precision(source: &Source, elo: &Given<f64>) -> Result<f64, PlanError> {
    let value = elo.value;
    let refused = || source.error_at(&elo.origin, format!("`precision` cannot be {value}"), "expected Elo above 0");
    (value > 0.0 && value.is_finite()).then_some(value).ok_or_else(refused)
}

fn anchor_elo(source: &Source, elo: &Given<f64>) -> Result<f64, PlanError> {
    let value = elo.value;
    let refused = || source.error_at(&elo.origin, format!("no rating is {value}"), "expected -100000 to 100000");
    (-1e5..=1e5).contains(&value).then_some(value).ok_or_else(refused)
}

/// Returns the index of the entrant of this name.
fn entrant(source: &Source, name: &Given<String>, names: &[&str]) -> Result<u32, PlanError> {
    let found = names.iter().position(|known| *known == name.value);
    found.map(|number| number as u32).ok_or_else(|| {
        let advice = match nearest(&name.value, names.iter().copied()) {
            Some(best) => format!("did you mean `{best}`?"),
            None => "expected the name of an `[[entrant]]`".to_owned(),
        };
        source.error_at(&name.origin, format!("no entrant is called `{}`", name.value), advice)
    })
}

fn earlier(source: &Source, given: &Given<KnownPlan>, names: &[&str]) -> Result<KnownResult, PlanError> {
    let KnownPlan { entrant: one, opponent, counts } = &given.value;
    let name = |key, name| needed(source, &given.origin, "an earlier result", key, name);
    let (named, opponent) = (name(one.as_ref(), "entrant")?, name(opponent.as_ref(), "opponent")?);
    let given = needed(source, &given.origin, "an earlier result", counts.as_ref(), "counts")?;
    let [one, two] = [entrant(source, named, names)?, entrant(source, opponent, names)?];
    if one == two {
        return Err(source.error_at(&opponent.origin, "an entrant plays itself", "expected another one"));
    }
    let counts = PairCounts(given.value);
    // Merging nothing checks that the total number of games can be counted.
    let counts = counts.merge(&PairCounts::default()).map_err(|error| {
        source.error_at(&given.origin, error.to_string(), "expected six counts of pairs: LL LD WL DD WD WW")
    })?;
    Ok(KnownResult { entrant: one, opponent: two, counts })
}
