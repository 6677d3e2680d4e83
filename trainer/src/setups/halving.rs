//! Sequential halving: finds the best of some choices by games, and gives the best ones most of the games.
//!
//! The caller plays the games. Source: Z. Karnin, T. Koren and O. Somekh, "Almost Optimal Exploration in Multi-Armed
//! Bandits" (2013).

/// The number of choices that are kept.
pub const KEPT: usize = 3;
const MOST_ROUNDS: u32 = 4;
/// The number of games of each choice in the first round, at least.
const LEAST_GAMES: usize = 2;
/// The number of games with which a choice can be made.
pub const LEAST_GAMES_IN_ALL: usize = LEAST_GAMES * 2 * KEPT;

/// A choice, and its games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried<T> {
    /// The choice.
    pub choice: T,
    /// The number of its games.
    pub games: usize,
    /// The points of its games.
    pub points: f64,
}

impl<T> Tried<T> {
    /// Points per game; one half without games.
    pub fn rate(&self) -> f64 {
        if self.games == 0 { 0.5 } else { self.points / self.games as f64 }
    }
}

/// The number of choices that `games` games suffice for: [`KEPT`], doubled once for each round.
pub fn most_choices(games: usize) -> usize {
    KEPT << rounds(games)
}

fn rounds(games: usize) -> u32 {
    let suffice = |&rounds: &u32| games / rounds as usize >= LEAST_GAMES * (KEPT << rounds);
    (1..=MOST_ROUNDS).rev().find(suffice).unwrap_or(0)
}

/// Plays rounds of about the same number of games each. A round drops the worse half of the choices by the games so
/// far. The choices come with the most promising first, and only as many take part as the games suffice for. Returns
/// these, the best first; the first [`KEPT`] have the most games. `play` returns the points of a game for each choice
/// that it is given. Its error ends the rounds; the result is then that of the rounds before.
pub fn halve<T: Clone, E>(
    choices: &[T],
    games: usize,
    mut play: impl FnMut(&[T]) -> Result<Vec<f64>, E>,
) -> (Vec<Tried<T>>, Option<E>) {
    let untried = |choice: &T| Tried { choice: choice.clone(), games: 0, points: 0.0 };
    let mut tried: Vec<Tried<T>> = choices.iter().take(most_choices(games)).map(untried).collect();
    let (mut left, rounds) = (tried.len(), rounds(games));
    for round in 1..=rounds {
        let each = games / rounds as usize / left.max(1);
        let choices: Vec<T> = (0..each).flat_map(|_| tried[..left].iter().map(|one| one.choice.clone())).collect();
        let points = match play(&choices) {
            Ok(points) => points,
            Err(error) => return (tried, Some(error)),
        };
        for (at, points) in points.into_iter().enumerate() {
            tried[at % left].points += points;
            tried[at % left].games += 1;
        }
        tried[..left].sort_by(|one, other| other.rate().total_cmp(&one.rate()));
        left = left.min(KEPT << (rounds - round));
    }
    (tried, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::convert::Infallible;

    #[test]
    fn numbers_of_choices() {
        for (games, choices) in
            [(0, 3), (11, 3), (12, 6), (47, 6), (48, 12), (143, 12), (144, 24), (384, 48), (9999, 48)]
        {
            assert_eq!(most_choices(games), choices, "{games} games");
        }
        assert_eq!(most_choices(LEAST_GAMES_IN_ALL), 2 * KEPT);
    }

    #[test]
    fn the_best_choices_get_most_games_and_are_found() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut found, mut played) = (0, 0);
        for _ in 0..200 {
            // One choice in 48 wins 8 games of 10, the others win 5.
            let choices: Vec<usize> = (0..48).collect();
            let (tried, error) = halve(&choices, 600, |choices: &[usize]| {
                played += choices.len();
                let points = choices.iter().map(|&choice| {
                    let rate = if choice == 30 { 0.8 } else { 0.5 };
                    f64::from(random.random_bool(rate))
                });
                Ok::<_, Infallible>(points.collect())
            });
            assert!(error.is_none() && tried.len() == 48);
            assert_eq!(tried[..6].iter().map(|one| one.games).collect::<Vec<_>>(), [46; 6]);
            assert!(tried[..KEPT].is_sorted_by(|one, other| one.rate() >= other.rate()), "{tried:?}");
            assert_eq!((tried[6].games, tried[47].games), (21, 3));
            found += usize::from(tried[..KEPT].iter().any(|one| one.choice == 30));
        }
        assert_eq!(played, 200 * (144 + 144 + 144 + 150));
        assert!(found > 120, "found {found} times of 200");
    }

    #[test]
    fn an_error_leaves_the_rounds_before() {
        let mut rounds = 0;
        let (tried, error) = halve(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], 48, |choices: &[i32]| {
            rounds += 1;
            if rounds == 2 { Err("stopped") } else { Ok(choices.iter().map(|&choice| f64::from(choice % 2)).collect()) }
        });
        assert_eq!(error, Some("stopped"));
        assert_eq!(tried.iter().map(|one| one.choice).collect::<Vec<_>>(), [1, 3, 5, 7, 9, 11, 2, 4, 6, 8, 10, 12]);
        assert!(tried.iter().all(|one| one.games == 2));
        // Too few games: the order of the choices decides.
        let (tried, _) = halve(&[5, 6, 7, 8], 11, |_: &[i32]| Err("no games are played"));
        assert_eq!(tried.iter().map(|one| (one.choice, one.games)).collect::<Vec<_>>(), [(5, 0), (6, 0), (7, 0)]);
    }
}
