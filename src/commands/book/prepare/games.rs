//! The games of a preparation: our engine plays the opponent after the best setups of the searches.

use super::{Found, Work, finalists, with_line};
use engine::{EngineConfig, EvaluationKind, Params, Score, SearchKind, Side};
use play::TimeSource;
use play::book::opponent::{OpponentError, Trial};
use play::entrant::{NativeSpec, PlayerSpec};
use reports::text::grouped;
use std::sync::atomic::{AtomicUsize, Ordering};
use trainer::setups::{Searched, Stage, Tried, halve, most_choices};

impl Work<'_> {
    /// Plays the games: half of them as red, and half as blue, shared among the opponent's setups. An error ends them.
    pub(super) fn play(&self, red: Vec<Stage>, blue: &[Vec<Stage>], games: usize) -> Found {
        with_line(|show| {
            let done = AtomicUsize::new(0);
            let observe = |_| {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                show(format!("{} of up to {} games", grouped(done as u64), grouped(games as u64)));
            };
            let own = self.own_player();
            let mut error = None;
            let mut tried = |stages: &[Stage], side: Side, games: usize| {
                let choices = finalists(stages, side, most_choices(games));
                // After an error, no more games are played.
                let games = if error.is_some() { 0 } else { games };
                let (tried, failed) = halve(&choices, games, |choices| self.points(&own, side, choices, &observe));
                error = error.take().or(failed);
                tried
            };
            let red_tried = tried(&red, Side::Red, games / 2);
            let each = games / 2 / blue.len().max(1);
            let blue = blue.iter().map(|stages| tried(stages, Side::Blue, each)).collect();
            Found { stages: red, red: red_tried, blue, error }
        })
    }

    /// Our points in a game after each of these setups, in which we play `side`.
    fn points(
        &self,
        own: &PlayerSpec,
        side: Side,
        choices: &[Searched],
        observe: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<f64>, OpponentError> {
        let trials: Vec<Trial> = choices
            .iter()
            .filter_map(|searched| {
                let answered = searched.answered()?;
                let (blue, opponent) = match side {
                    // Its reply may vary.
                    Side::Red => (None, play::Side::Second),
                    Side::Blue => (Some(answered.reply), play::Side::First),
                };
                Some(Trial { red: answered.red, blue, opponent })
            })
            .collect();
        let scores = self.opponent(observe).scores(own, &trials)?;
        Ok(scores.into_iter().map(stats::Score::points).collect())
    }

    /// The 0.1 engine with the opponent's limit.
    fn own_player(&self) -> PlayerSpec {
        PlayerSpec::Native(Box::new(NativeSpec {
            search: SearchKind::default(),
            evaluation: EvaluationKind::Network,
            network: None,
            policy: None,
            table_bytes: EngineConfig::default().table_bytes as u64,
            limit: self.limit,
            source: TimeSource::Wall,
            params: Params::default(),
        }))
    }
}

/// The value of setups by their games in common: the logit of the points per game, with half a point for each side
/// added; `None` without games.
pub(super) fn value(tried: &[Tried<Searched>]) -> Option<Score> {
    let games: usize = tried.iter().map(|one| one.games).sum();
    let points: f64 = tried.iter().map(|one| one.points).sum();
    let rate = (points + 0.5) / (games as f64 + 1.0);
    (games > 0).then(|| Score::from_logit(libm::log(rate / (1.0 - rate))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setups_have_the_value_of_their_games() {
        let choice = Searched { red: 1, reply: 2, value: 3, nodes: 4 };
        let tried = |games, points| Tried { choice, games, points };
        // 9 points of 11 with the half points added.
        let value_of = |tried: &[Tried<Searched>]| value(tried).map(Score::logit);
        let found = value_of(&[tried(4, 3.5), tried(6, 5.0)]).unwrap();
        assert!((found - libm::log(9.0 / 2.0)).abs() < 1e-3, "{found}");
        assert_eq!(value_of(&[tried(8, 4.0)]), Some(0.0));
        assert_eq!(value_of(&[tried(0, 0.0)]), None);
        assert_eq!(value_of(&[]), None);
    }
}
