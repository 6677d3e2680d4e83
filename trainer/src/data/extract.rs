//! Makes positions from the games of a run: a pure function of the journal and a filter.
//!
//! Every ply that a player searched and reported a score for gives a position: the one in which it searched. The
//! [filter](PositionFilter) decides which positions are kept. Games that ended by a fault are never used, since their
//! result is no evidence about the positions. Sessions play the games.
//!
//! The visits of a proven win are left out: the search ended when it found the move that wins, with most visits on
//! other moves.

use super::record::{Labels, Record, RecordError};
use super::sieve::{NoGame, OfPair};
use super::visits::VisitRecord;
use arena::config::PositionFilter;
use arena::run::{GameRecord, PairResult};
use engine::protocol::uci::parse_visits;
use engine::{Move, MoveKind, Position};
use play::{Evaluation, Game, TrackPly};
use stats::Score;

/// A record made from a ply.
pub(crate) trait FromPly: Sized + Send {
    /// Whether the record needs the lines kept with the ply.
    const NEEDS_LINES: bool;

    /// Makes a record from a labelled position and the lines that the player printed about its move.
    fn of(record: Record, position: &Position, lines: &[String]) -> Self;
}

impl FromPly for Record {
    const NEEDS_LINES: bool = false;

    fn of(record: Record, _: &Position, _: &[String]) -> Self {
        record
    }
}

/// Takes the visits from the last line that has some.
impl FromPly for VisitRecord {
    const NEEDS_LINES: bool = true;

    fn of(record: Record, position: &Position, lines: &[String]) -> Self {
        let visits = lines.iter().rev().find_map(|line| parse_visits(position, line));
        Self::new(&record, &visits.unwrap_or_default())
    }
}

/// Returns the positions of a pair's games. `pair` gives the number of its first game in the run.
///
/// # Errors
/// [`NoGame`].
pub(super) fn positions<T: FromPly>(result: &PairResult, filter: &PositionFilter) -> Result<OfPair<T>, NoGame> {
    let mut start = match &result.start {
        Some(text) => text.parse().map_err(|_| NoGame)?,
        None => Position::new(),
    };
    for &code in &result.opening {
        start.play(legal(&start, code)?);
    }
    let mut found = OfPair::default();
    let first = result.pair.saturating_mul(result.games.len() as u64);
    for (number, game) in (first..).zip(&result.games) {
        found.add_game(start, game, u32::try_from(number).unwrap_or(u32::MAX), filter)?;
    }
    Ok(found)
}

fn legal(position: &Position, code: u32) -> Result<Move, NoGame> {
    Move::from_code(code).filter(|&mv| position.is_legal(mv)).ok_or(NoGame)
}

/// A score of a search.
#[derive(Clone, Copy)]
struct SearchScore {
    /// Logit x 10,000.
    units: i32,
    proven: bool,
}

impl SearchScore {
    fn by(ply: &TrackPly) -> Option<Self> {
        ply.info.score.map(|score| match score {
            Evaluation::Logit(units) => {
                let proven = units.unsigned_abs() > engine::Score::BEST_ESTIMATE.units().unsigned_abs();
                Self { units, proven }
            }
            // In the engine's UCI dialect, 100 centipawns are one logit.
            Evaluation::Centipawns(cp) => Self { units: cp.saturating_mul(100), proven: false },
            Evaluation::Mate(moves) => Self { units: if moves > 0 { i32::MAX } else { -i32::MAX }, proven: true },
        })
    }

    /// Logit x 1,000, rounded half away from zero.
    fn millilogits(self) -> i16 {
        let half = if self.units < 0 { -5 } else { 5 };
        let limit = i32::from(Record::SCORE_LIMIT);
        (self.units.saturating_add(half) / 10).clamp(-limit, limit) as i16
    }
}

impl<T: FromPly> OfPair<T> {
    fn add_game(
        &mut self,
        mut position: Position,
        game: &GameRecord,
        number: u32,
        filter: &PositionFilter,
    ) -> Result<(), NoGame> {
        self.counts.games += 1;
        if game.ending.fault().is_some() {
            self.counts.faulty_games += 1;
            return Ok(());
        }
        let first = game.track.iter().find_map(SearchScore::by);
        if first.is_some_and(|first| first.units.unsigned_abs() > filter.first_score) {
            self.counts.unequal_games += 1;
            return Ok(());
        }
        for (at, &code) in game.moves.iter().enumerate() {
            let best = legal(&position, code)?;
            let nodes = game.track.get(at).map_or(0, |ply| ply.info.nodes);
            self.counts.plies += 1;
            match game.track.get(at).and_then(SearchScore::by) {
                Some(score) if position.plies() >= 2 => {
                    let result = result_for(game, &position);
                    let nodes = u32::try_from(nodes).unwrap_or(u32::MAX);
                    let labels = Labels { result, score: score.millilogits(), best, nodes, game: number };
                    let lines = game.circumstances.lines.get(at).map_or(&[][..], Vec::as_slice);
                    self.add(&position, score, (&labels, lines), filter)?;
                }
                _ => self.counts.unscored += 1,
            }
            position.play(best);
        }
        Ok(())
    }

    fn add(
        &mut self,
        position: &Position,
        score: SearchScore,
        (labels, lines): (&Labels, &[String]),
        filter: &PositionFilter,
    ) -> Result<(), NoGame> {
        let counts = &mut self.counts;
        let dropped = if score.proven && !filter.proven {
            &mut counts.proven
        } else if !score.proven && score.units.unsigned_abs() >= filter.score {
            &mut counts.decided
        } else if !filter.captures && captures(position, labels.best) {
            &mut counts.captures
        } else if !filter.in_check && position.in_check() {
            &mut counts.in_check
        } else {
            let record = Record::new(position, labels).map_err(|_: RecordError| NoGame)?;
            let lines = if score.proven && score.units > 0 { &[][..] } else { lines };
            self.positions.push((position.key(), T::of(record, position, lines)));
            return Ok(());
        };
        *dropped += 1;
        Ok(())
    }
}

fn captures(position: &Position, mv: Move) -> bool {
    match mv.kind() {
        MoveKind::Jump { to, .. } => position.occupied().contains(to),
        MoveKind::Drop { .. } | MoveKind::Setup(_) => false,
    }
}

fn result_for(game: &GameRecord, position: &Position) -> Score {
    game.ending.score(play::games::ZeroPointOne::side_to_move(position))
}

#[cfg(test)]
mod tests {
    use super::super::sieve::{Extracted, Sieve};
    use super::super::tests::walk;
    use super::*;
    use arena::run::Circumstances;
    use arena::run::Sides;
    use play::{BySide, Ending, Fault, MoveInfo, Side, WinRule};
    use std::time::Duration;

    /// A single game: two setups, then the moves that `choices` pick. Its scores cycle through `scores`; the first
    /// mover wins.
    fn game(choices: &[u32], scores: &[Evaluation]) -> (PairResult, Vec<(Position, Move)>) {
        let walked = walk([77, 99], choices);
        let info = |at: usize| MoveInfo {
            score: Some(scores[at % scores.len()]),
            nodes: 2_000 + at as u64,
            ..MoveInfo::default()
        };
        let ply = |at| TrackPly { info: info(at), wall: Duration::ZERO, left: Duration::ZERO };
        let record = GameRecord {
            moves: walked.iter().map(|(_, mv)| mv.code()).collect(),
            ending: Ending::Win { winner: Side::First, by: WinRule::WazirCaptured },
            nodes: BySide::default(),
            track: (0..walked.len()).map(ply).collect(),
            circumstances: Circumstances::default(),
        };
        let result = PairResult {
            pair: 41,
            start: None,
            opening: [77, 99].map(|rank| Move::setup_of_rank(rank).unwrap().code()).to_vec(),
            sides: Sides::Single(Side::First),
            games: vec![record],
            took: Duration::default(),
        };
        (result, walked)
    }

    fn choices() -> Vec<u32> {
        (0..60).map(|ply| ply * 7_919 + 13).collect()
    }

    #[test]
    fn all_plies_are_positions_if_all_are_kept() {
        let (result, walked) = game(&choices(), &[Evaluation::Logit(12_346), Evaluation::Logit(-6)]);
        let found: OfPair<Record> = positions(&result, &PositionFilter::ALL).unwrap();
        assert_eq!(found.positions.len(), walked.len());
        for (at, ((key, record), (position, best))) in found.positions.iter().zip(&walked).enumerate() {
            assert_eq!((*key, record.position()), (position.key(), Ok(*position)));
            let first = at % 2 == 0;
            let expected = Labels {
                result: if first { Score::Win } else { Score::Loss },
                score: if first { 1_235 } else { -1 },
                best: *best,
                nodes: 2_000 + at as u32,
                game: 41,
            };
            assert_eq!(*record, Record::new(position, &expected).unwrap());
        }
    }

    #[test]
    fn what_is_left_out_is_counted_once_and_for_a_reason() {
        let scores = [30_000, 79_999, -80_000, 999_990, -999_990].map(Evaluation::Logit);
        let (mut result, walked) = game(&choices(), &scores);
        let filter = PositionFilter { first_score: 30_000, ..PositionFilter::default() };
        let found: OfPair<Record> = positions(&result, &filter).unwrap();
        let Extracted { plies, unscored, proven, decided, in_check, captures, .. } = found.counts;
        let kept = found.positions.len() as u64;
        assert_eq!(plies, walked.len() as u64);
        assert_eq!(plies, kept + unscored + proven + decided + in_check + captures);
        assert_eq!((unscored, proven, decided), (0, 24, 12), "{:?}", found.counts);
        for (_, record) in &found.positions {
            let position = record.position().unwrap();
            assert!(!position.in_check() && !super::captures(&position, record.best().unwrap()));
            assert!(matches!(record.score(), 3_000 | 8_000));
        }
        let unequal = PositionFilter { first_score: 29_999, ..filter };
        assert_eq!(positions::<Record>(&result, &unequal).unwrap().counts.unequal_games, 1);
        result.games[0].ending = Ending::Forfeit { loser: Side::First, fault: Fault::Crash(String::new()) };
        let faulty: OfPair<Record> = positions(&result, &filter).unwrap();
        assert_eq!((faulty.counts.faulty_games, faulty.positions.len()), (1, 0));
        result.games[0].moves[3] = 0;
        result.games[0].ending = Ending::Win { winner: Side::First, by: WinRule::WazirCaptured };
        assert_eq!(positions::<Record>(&result, &filter).err(), Some(NoGame));
    }

    #[test]
    fn other_units_and_missing_scores_are_understood() {
        let (mut result, walked) = game(&choices(), &[Evaluation::Centipawns(-120), Evaluation::Mate(-2)]);
        let all: OfPair<Record> = positions(&result, &PositionFilter::ALL).unwrap();
        let scores: Vec<i16> = all.positions.iter().map(|(_, record)| record.score()).take(2).collect();
        assert_eq!(scores, [-1_200, -Record::SCORE_LIMIT]);
        result.games[0].track.truncate(5);
        let cut: OfPair<Record> = positions(&result, &PositionFilter::ALL).unwrap();
        assert_eq!((cut.positions.len(), cut.counts.unscored), (5, walked.len() as u64 - 5));
    }

    #[test]
    fn positions_that_came_before_pass_once() {
        let (result, _) = game(&choices(), &[Evaluation::Logit(5)]);
        let found: OfPair<Record> = positions(&result, &PositionFilter::ALL).unwrap();
        let mut sieve = Sieve::default();
        let filter = PositionFilter::default();
        let first = sieve.pass(&found, &filter).count();
        assert_eq!(sieve.pass(&found, &filter).count(), 0);
        assert_eq!(sieve.pass(&found, &PositionFilter::ALL).count(), found.positions.len());
        let total = 3 * found.positions.len() as u64;
        assert_eq!(sieve.counts.kept, (first + found.positions.len()) as u64);
        assert_eq!(sieve.counts.kept + sieve.counts.duplicates, total);
    }

    #[test]
    fn visits_are_those_that_the_player_printed_with_its_move() {
        let (mut result, walked) = game(&choices(), &[Evaluation::Logit(5)]);
        let mut other = None;
        let lines = walked.iter().enumerate().map(|(at, (position, best))| {
            let mut legal = engine::MoveList::new();
            position.legal_moves(&mut legal);
            let second = legal.iter().copied().find(|mv| mv != best && at == 3);
            other = other.or(second);
            let named = |mv: &Move| engine::format_move(position, *mv);
            second.map_or_else(Vec::new, |second| {
                let text = format!("info string visits {} 3 {} 1", named(&second), named(best));
                vec!["info string visits nonsense".to_owned(), text, "info depth 3".to_owned()]
            })
        });
        result.games[0].circumstances.lines = lines.collect();
        let found: OfPair<VisitRecord> = positions(&result, &PositionFilter::ALL).unwrap();
        for (at, ((_, record), (_, best))) in found.positions.iter().zip(&walked).enumerate() {
            let shares: Vec<_> = record.shares().collect();
            let with_visits = vec![(other.unwrap(), 49_151), (*best, 16_383)];
            assert_eq!(shares, if at == 3 { with_visits } else { vec![(*best, VisitRecord::ALL)] }, "{at}");
        }
        // The move that is proven to win was found late. A proven loss says nothing against the visits.
        let won = engine::Score::win_in(3).units();
        for (units, shared) in [(won, 1), (-won, 2)] {
            result.games[0].track[3].info.score = Some(Evaluation::Logit(units));
            let found: OfPair<VisitRecord> = positions(&result, &PositionFilter::ALL).unwrap();
            let shares: Vec<_> = found.positions[3].1.shares().collect();
            assert_eq!(shares.len(), shared, "{units}");
            assert!(shared == 2 || shares == [(walked[3].1, VisitRecord::ALL)], "{shares:?}");
        }
    }
}
