//! How the games of a test or a match are played and counted, and the number of rounds.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, value};
use super::super::keys::{CountPlan, GamesPlan, MatchPlan, SprtPlan};
use arena::config::{GamesEach, Rounds};

/// The keys for this, which a test and a match share.
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
    /// [`PlanError`] if games should be counted in pairs, but do not come in pairs.
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
            // All other games are counted one by one anyway.
            Some(Given { value: CountPlan::Games, .. }) => Ok(Rounds { singly: rounds.counts_pairs(), ..rounds }),
            _ => Ok(rounds),
        }
    }
}

/// Returns the number of rounds: `rounds`, or `pairs` where the rounds are pairs. `keys` are the names of the two.
///
/// # Errors
/// [`PlanError`] if both are given, or `pairs` for single games.
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
