//! Searches the games of a run: reads the parameters of a request, and walks through a bounded part of the journal. An
//! answer that has reached its bound says where the next one starts.

use arena::run::{
    GameName, Header, JournalError, JournalReader, PairEndings, PairIndex, PairOrder, PairOutline, Proposal,
};
use play::{Ending, reason};
use reports::gather::{ending_in_words, ending_kinds, is_by_fault};
use reports::replay::{has_signs, players, score};
use serde_json::{Value, json};
use stats::Score;
use std::ops::{Range, RangeInclusive};

/// The maximum number of pairs in an answer.
const MOST_PAIRS: u64 = 200;
/// The default number of pairs in an answer.
const USUAL_PAIRS: u64 = 25;
/// The known parameters.
const NAMES: [&str; 9] =
    ["from", "before", "count", "result", "entrant", "ending", "opening", "plies_min", "plies_max"];
/// The ending that stands for all endings by a fault.
const ANY_FAULT: &str = "fault";
/// The suffixes for the two seats of a tuning session's entrant.
const SEATS: [&str; 2] = [" (plus)", " (minus)"];

/// The bounds on the part of a journal that one answer reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The number of pairs of which only the outline is read.
    pub(crate) outlines: u64,
    /// The number of pairs whose endings are read, too, which takes some ten times as long.
    pub(crate) endings: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { outlines: 200_000, endings: 10_000 }
    }
}

/// The start of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// At this pair, towards higher numbers.
    From(PairIndex),
    /// Before this pair, towards lower numbers.
    Before(PairIndex),
    /// At the last pair, towards lower numbers.
    Last,
}

/// The ending of the wanted games.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ended {
    ByFault,
    As(String),
}

/// The parameters of a search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    edge: Edge,
    /// The maximum number of pairs with a wanted game.
    count: u64,
    /// For the named entrant, or otherwise for the run's first one.
    result: Option<Score>,
    entrant: Option<String>,
    ending: Option<Ended>,
    /// From 1, as people count openings.
    opening: Option<u64>,
    /// The range of plies, including those of the opening.
    plies: RangeInclusive<u64>,
}

impl Asked {
    /// Reads the parameters of a request.
    ///
    /// # Errors
    /// A sentence with the value, and what is expected instead.
    pub(crate) fn of(query: &[(String, String)]) -> Result<Self, String> {
        let known = |name: &str| NAMES.contains(&name);
        if let Some((name, _)) = query.iter().find(|(name, _)| !known(name)) {
            return Err(format!("there is no parameter `{name}`: expected {}", NAMES.join(", ")));
        }
        let text = |wanted: &str| query.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        let number = |name: &str| text(name).map(|value| whole(name, value)).transpose();
        let edge = match (number("from")?, number("before")?) {
            (Some(_), Some(_)) => return Err("give either `from` or `before`".to_owned()),
            (Some(from), None) => Edge::From(from.saturating_sub(1)),
            (None, Some(before)) => Edge::Before(before.saturating_sub(1)),
            (None, None) => Edge::Last,
        };
        let (least, most) = (number("plies_min")?.unwrap_or(0), number("plies_max")?.unwrap_or(u64::MAX));
        if least > most {
            return Err(format!("plies_min={least} is above plies_max={most}: no game has such a length"));
        }
        let opening = number("opening")?;
        if opening == Some(0) {
            return Err("opening=`0`: openings are counted from 1".to_owned());
        }
        Ok(Self {
            edge,
            count: number("count")?.unwrap_or(USUAL_PAIRS).clamp(1, MOST_PAIRS),
            result: text("result").map(result).transpose()?,
            entrant: text("entrant").map(str::to_owned),
            ending: text("ending").map(|ending| match ending {
                ANY_FAULT => Ended::ByFault,
                kind => Ended::As(kind.to_owned()),
            }),
            opening,
            plies: least..=most,
        })
    }
}

fn whole(name: &str, value: &str) -> Result<u64, String> {
    value.parse().map_err(|_| format!("{name}=`{value}`: expected a whole number below 2^64"))
}

fn result(value: &str) -> Result<Score, String> {
    match value {
        "win" => Ok(Score::Win),
        "draw" => Ok(Score::Draw),
        "loss" => Ok(Score::Loss),
        _ => Err(format!("result=`{value}`: expected win, draw or loss")),
    }
}

/// The entrant of the wanted games: its number, and its seat if it plays itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wanted {
    entrant: u32,
    seat: Option<usize>,
}

impl Wanted {
    /// Returns its seat in a pair; `None` if it does not play there.
    fn seat_in(self, proposal: &Proposal) -> Option<usize> {
        match (proposal.seats.each_ref().map(|seat| seat.entrant == self.entrant), self.seat) {
            ([true, true], seat) => Some(seat.unwrap_or(0)),
            ([true, false], None) => Some(0),
            ([false, true], None) => Some(1),
            _ => None,
        }
    }
}

/// Returns the names of entrants for requests: in a tuning session, of both seats of its entrant.
pub(crate) fn entrants(header: &Header) -> Vec<String> {
    match header.config.entrants.as_slice() {
        [only] if has_signs(header) => SEATS.map(|seat| format!("{}{seat}", only.name)).to_vec(),
        all => all.iter().map(|entrant| entrant.name.clone()).collect(),
    }
}

/// A search in a run.
pub(crate) struct Search<'a> {
    header: &'a Header,
    asked: &'a Asked,
    wanted: Option<Wanted>,
}

/// The result of a search.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    /// The pairs that were read.
    pub(crate) looked: Range<PairIndex>,
    /// Whether the search is over: it has found as many games as requested, or read all pairs in its direction.
    pub(crate) is_done: bool,
    /// The maximum number of pairs.
    pub(crate) count: u64,
    /// The games by rising number.
    pub(crate) games: Vec<Value>,
}

impl<'a> Search<'a> {
    /// # Errors
    /// A sentence with the value: the run has no such entrant, or no game can end like that.
    pub(crate) fn new(header: &'a Header, asked: &'a Asked) -> Result<Self, String> {
        if let Some(Ended::As(kind)) = &asked.ending {
            let mut kinds = ending_kinds(header.config.game);
            if !kinds.any(|one| one == kind) {
                let kinds = ending_kinds(header.config.game).collect::<Vec<_>>().join(", ");
                return Err(format!("ending=`{kind}`: expected {ANY_FAULT}, {kinds}"));
            }
        }
        let named = asked.entrant.as_ref().map(|name| wanted(header, name)).transpose()?;
        // A result belongs to an entrant.
        let first = || asked.result.map(|_| Wanted { entrant: 0, seat: None });
        Ok(Self { header, asked, wanted: named.or_else(first) })
    }

    /// Searches the first `end` pairs.
    ///
    /// # Errors
    /// [`JournalError`] if a pair cannot be read.
    pub(crate) fn run(&self, journal: &JournalReader, end: u64, bounds: Bounds) -> Result<Found, JournalError> {
        let (range, order) = match self.asked.edge {
            Edge::From(from) => (from.min(end)..end, PairOrder::Rising),
            Edge::Before(before) => (0..before.min(end), PairOrder::Falling),
            Edge::Last => (0..end, PairOrder::Falling),
        };
        let window = match order {
            PairOrder::Rising => range.start..range.end.min(range.start.saturating_add(bounds.outlines)),
            PairOrder::Falling => range.end.saturating_sub(bounds.outlines).max(range.start)..range.end,
        };
        let (mut pairs, mut read, mut stopped) = (Vec::new(), 0, None);
        journal.outlines(window.clone(), order, |outline| {
            if pairs.len() as u64 == self.asked.count || read == bounds.endings {
                stopped = Some(outline.pair);
                return Ok(false);
            }
            if self.may_have(&outline) {
                read += 1;
                let games = journal.endings(&outline)?.map(|endings| self.games(&outline, &endings));
                pairs.extend(games.filter(|games| !games.is_empty()));
            }
            Ok::<_, JournalError>(true)
        })?;
        let looked = match (order, stopped) {
            (_, None) => window,
            (PairOrder::Rising, Some(next)) => window.start..next,
            (PairOrder::Falling, Some(next)) => next + 1..window.end,
        };
        let is_done = pairs.len() as u64 == self.asked.count || looked == range;
        if order == PairOrder::Falling {
            pairs.reverse();
        }
        Ok(Found { looked, is_done, count: self.asked.count, games: pairs.into_iter().flatten().collect() })
    }

    /// Whether a pair may have a wanted game, by its outline.
    fn may_have(&self, outline: &PairOutline) -> bool {
        let Asked { ending, opening, .. } = self.asked;
        let by_fault = match ending {
            None => false,
            Some(Ended::ByFault) => true,
            Some(Ended::As(kind)) => is_by_fault(kind),
        };
        let is_other = opening.is_some_and(|opening| outline.proposal.opening.saturating_add(1) != opening)
            || by_fault && outline.faults == 0;
        !is_other && (0..outline.scores.len()).any(|game| self.may_be(outline, game))
    }

    /// Whether a game may be wanted, by the outline of its pair.
    fn may_be(&self, outline: &PairOutline, game: usize) -> bool {
        let Asked { result, plies, .. } = self.asked;
        let Some(wanted) = self.wanted else { return outline.moves[game] <= *plies.end() };
        let Some(seat) = wanted.seat_in(&outline.proposal) else { return false };
        let own = if seat == 0 { outline.scores[game] } else { outline.scores[game].mirror() };
        outline.moves[game] <= *plies.end() && result.is_none_or(|result| result == own)
    }

    /// Returns the wanted games of a pair.
    fn games(&self, outline: &PairOutline, endings: &PairEndings) -> Vec<Value> {
        let opening = endings.opening as u64;
        let games =
            endings.endings.iter().enumerate().map(|(game, ending)| (game, ending, opening + outline.moves[game]));
        let is_one = |(game, ending, plies): &(usize, &Ending, u64)| {
            let ended = match &self.asked.ending {
                None => true,
                Some(Ended::ByFault) => ending.fault().is_some(),
                Some(Ended::As(kind)) => ending_in_words(ending) == kind,
            };
            ended && self.asked.plies.contains(plies) && self.may_be(outline, *game)
        };
        games.filter(is_one).map(|(game, ending, plies)| self.row(outline, game, ending, plies)).collect()
    }

    fn row(&self, outline: &PairOutline, game: usize, ending: &Ending, plies: u64) -> Value {
        let [first, second] = players(self.header, &outline.proposal, game);
        json!({
            "game": GameName { pair: outline.pair, game }.to_string(),
            "first": first,
            "second": second,
            "result": score(ending),
            "ending": reason(ending, self.header.config.game.side_names()),
            "kind": ending_in_words(ending),
            "opening": outline.proposal.opening.saturating_add(1),
            "plies": plies,
            "fault": ending.fault().is_some(),
        })
    }
}

/// Returns the entrant with this name.
fn wanted(header: &Header, name: &str) -> Result<Wanted, String> {
    let numbered = |name: &str| {
        let place = header.config.entrants.iter().position(|entrant| entrant.name == name)?;
        u32::try_from(place).ok()
    };
    let on_a_seat =
        |seat: usize| Some(Wanted { entrant: numbered(name.strip_suffix(SEATS[seat])?)?, seat: Some(seat) });
    let plain = numbered(name).map(|entrant| Wanted { entrant, seat: None });
    let signed = || on_a_seat(0).or_else(|| on_a_seat(1)).filter(|_| has_signs(header));
    plain.or_else(signed).ok_or_else(|| {
        let names = entrants(header).join(", ");
        format!("entrant=`{name}`: the run has no such entrant, but {names}")
    })
}

#[cfg(test)]
mod tests;
