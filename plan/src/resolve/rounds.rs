//! How the games of a test or a match come and are counted, and how many rounds of them there are.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, value};
use super::super::keys::{CountPlan, GamesPlan, MatchPlan, SprtPlan};
use arena::config::{GamesEach, Rounds};

/// The keys that say it, which a test and a match have alike.
pub(super) struct Written<'a> {
    games: Option<&'a Given<GamesPlan>>,
    swap: Option<&'a Given<bool>>,
    reverse: Option<&'a Given<bool>>,
    count: Option<&'a Given<CountPlan>>,
}

impl<'a> From<&'a SprtPlan> for Written<'a> {
    fn from(SprtPlan { games, swap, reverse, count, .. }: &'a SprtPlan) -> Self {
        Self { games: games.as_ref(), swap: swap.as_ref(), reverse: reverse.as_ref(), count: count.as_ref() }
    }
}

impl<'a> From<&'a MatchPlan> for Written<'a> {
    fn from(MatchPlan { games, swap, reverse, count, .. }: &'a MatchPlan) -> Self {
        Self { games: games.as_ref(), swap: swap.as_ref(), reverse: reverse.as_ref(), count: count.as_ref() }
    }
}

impl Written<'_> {
    /// # Errors
    /// If pairs are to be counted where there are none.
    pub(super) fn rounds(&self, source: &Source) -> Result<Rounds, PlanError> {
        let games = match value(self.games).unwrap_or_default() {
            GamesPlan::Pairs => GamesEach::Two,
            GamesPlan::Single => GamesEach::One,
        };
        let (swap, reverse) = (value(self.swap).unwrap_or(true), value(self.reverse).unwrap_or(false));
        let rounds = Rounds { games, swap, reverse, singly: false };
        match self.count {
            Some(Given { value: CountPlan::Pairs, origin }) if !rounds.counts_pairs() => {
                let what = "these games come in no pairs that could be counted";
                let refused = source.error_at(origin, what, "expected `games`, or nothing");
                Err(refused.with_help("a pair is two games from one opening with the seats swapped"))
            }
            // All others are counted singly anyway.
            Some(Given { value: CountPlan::Games, .. }) => Ok(Rounds { singly: rounds.counts_pairs(), ..rounds }),
            _ => Ok(rounds),
        }
    }
}

/// How many rounds: as `rounds`, or where they are pairs as `pairs`. `keys` are the names of the two.
///
/// # Errors
/// If both are given, or pairs of single games.
pub(super) fn length<'a>(
    source: &Source,
    [pairs, in_rounds]: [Option<&'a Given<u64>>; 2],
    keys: [&str; 2],
    rounds: Rounds,
) -> Result<Option<&'a Given<u64>>, PlanError> {
    match (pairs, in_rounds) {
        (Some(_), Some(twice)) => {
            let label = format!("`{}` says it already", keys[0]);
            Err(source.error_at(
                &twice.origin,
                format!("`{}` and `{}` are two words for one thing", keys[0], keys[1]),
                label,
            ))
        }
        (Some(pairs), None) if rounds.games == GamesEach::One => {
            let label = format!("write `{} = {}`", keys[1], pairs.value);
            Err(source.error_at(&pairs.origin, "single games come in no pairs", label))
        }
        (pairs, in_rounds) => Ok(pairs.or(in_rounds)),
    }
}
