//! Makes labelled positions of chess from the games of a run: a pure function of the journal, the seed and a filter.
//!
//! Every ply that a player searched and reported a score for gives a position. The [filter](PositionFilter) leaves out,
//! in this order: games that a fault ended or that begin too unequal, plies without a score, plies too soon after the
//! opening, proven and decided positions, captures and promotions, checks, and a random share. The quiet end of a
//! variation ([`quiet`](super::quiet)) may replace a remaining position. Duplicates concern the whole run, so
//! [`data`](crate::data) drops them; [`formats`](super::formats) writes positions.

use super::labelled::{Labelled, Variant};
use super::record::Record;
use crate::data::Extracted;
use crate::data::sieve::{NoGame, OfPair};
use arena::config::{PositionFilter, Sampling};
use arena::run::{GameRecord, PairResult};
use play::games::Chess as Rules;
use play::{Evaluation, Game, Side, TrackPly};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Move};
use stats::Score;
use stats::random::{Purpose, Stream, mix};

/// The number of plies of the variation before only captures are searched.
const VARIATION: usize = 2;

/// Random numbers for drawing positions from games; the index is the game's number in the run.
struct Drawing;

impl Purpose for Drawing {
    fn seed(self, run: u64, index: u64) -> u64 {
        // Must never change: it determines a run's positions.
        mix(mix(mix(run) ^ 0x706f_7369_7469_6f6e) ^ index)
    }
}

/// How the positions of a run are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extraction {
    pub(super) rules: Rules,
    /// The run's seed.
    pub(super) seed: u64,
    pub(super) filter: PositionFilter,
}

impl Extraction {
    /// Returns the positions of a pair's games that the filter keeps, duplicates included.
    ///
    /// # Errors
    /// [`NoGame`].
    pub(super) fn positions<P: Variant>(&self, result: &PairResult) -> Result<OfPair<Labelled<P>>, NoGame> {
        let mut start = match &result.start {
            Some(text) => self.rules.setup(text).map_err(|_| NoGame)?,
            None => self.rules.start(),
        };
        for &code in &result.opening {
            let mv = Rules::legal_from_code(&start, code).ok_or(NoGame)?;
            Rules::play(&mut start, mv);
        }
        let mut found = OfPair::default();
        let first = result.pair.saturating_mul(result.games.len() as u64);
        for (number, game) in (first..).zip(&result.games) {
            let plies = played_over(start.clone(), game)?;
            self.add_game(&mut found, &plies, game, number);
        }
        Ok(found)
    }

    fn add_game<P: Variant>(
        &self,
        found: &mut OfPair<Labelled<P>>,
        plies: &[(P, Move)],
        game: &GameRecord,
        number: u64,
    ) {
        let counts = &mut found.counts;
        counts.games += 1;
        if game.ending.fault().is_some() {
            counts.faulty_games += 1;
            return;
        }
        let first = game.track.iter().find_map(SearchScore::by);
        if first.is_some_and(|first| first.units() > self.filter.first_score) {
            counts.unequal_games += 1;
            return;
        }
        let mut passed = Vec::new();
        for (at, (position, mv)) in plies.iter().enumerate() {
            counts.plies += 1;
            match game.track.get(at).and_then(SearchScore::by) {
                Some(score) if self.passes(counts, at, score, position, *mv) => passed.push((at, score)),
                Some(_) => {}
                None => counts.unscored += 1,
            }
        }
        let all = passed.len();
        let drawn = self.drawn(passed, number);
        counts.unsampled += (all - drawn.len()) as u64;
        for (at, score) in drawn {
            self.add(found, &plies[at..], score, white_result(game));
        }
    }

    /// Whether the filter keeps a position; if not, counts the position as dropped.
    fn passes(&self, counts: &mut Extracted, at: usize, score: SearchScore, position: &impl Variant, mv: Move) -> bool {
        let filter = &self.filter;
        let dropped = if at < filter.skip_plies as usize {
            &mut counts.early
        } else if score.mate && !filter.proven {
            &mut counts.proven
        } else if !score.mate && score.units() >= filter.score {
            &mut counts.decided
        } else if !filter.captures && (mv.is_capture() || mv.is_promotion()) {
            &mut counts.captures
        } else if !filter.in_check && position.is_check() {
            &mut counts.in_check
        } else {
            return true;
        };
        *dropped += 1;
        false
    }

    /// Returns a random sample of the plies, in order.
    fn drawn(&self, mut passed: Vec<(usize, SearchScore)>, number: u64) -> Vec<(usize, SearchScore)> {
        let all = passed.len();
        let mut stream = Stream::new(self.seed, Drawing, number);
        match self.filter.sampling {
            Sampling::All => {}
            Sampling::Share(parts) => passed.retain(|_| stream.below(Sampling::WHOLE) < parts),
            Sampling::PerGame(most) => {
                // A partial Fisher-Yates shuffle, then a sort back into order.
                let most = all.min(most.get() as usize);
                for at in 0..most {
                    let other = at + stream.below((all - at) as u32) as usize;
                    passed.swap(at, other);
                }
                passed.truncate(most);
                passed.sort_unstable_by_key(|(at, _)| *at);
            }
        }
        passed
    }

    /// Adds the first of some plies of a game.
    fn add<P: Variant>(&self, found: &mut OfPair<Labelled<P>>, plies: &[(P, Move)], score: SearchScore, result: Score) {
        let Some((position, mv)) = plies.first() else { return };
        let score = position.turn().fold_wb(score.centipawns, -score.centipawns);
        let (position, played) = if self.filter.quiet {
            let moves: Vec<Move> = plies.iter().take(VARIATION).map(|(_, mv)| *mv).collect();
            let Some(end) = position.quiet_end(&moves, VARIATION) else { return };
            (end, None)
        } else {
            (position.clone(), Some(*mv))
        };
        if position.is_game_over() {
            found.counts.finished += 1;
            return;
        }
        let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
        found.positions.push((key, Labelled { position, score, result, played }));
    }
}

/// Replays a game: every position in which a move was made, with the move.
fn played_over<P: Variant>(
    mut position: play::games::ChessPosition,
    game: &GameRecord,
) -> Result<Vec<(P, Move)>, NoGame> {
    let mut plies = Vec::with_capacity(game.moves.len());
    for &code in &game.moves {
        let mv = Rules::legal_from_code(&position, code).ok_or(NoGame)?;
        plies.push((P::of(&position).ok_or(NoGame)?.clone(), mv));
        Rules::play(&mut position, mv);
    }
    Ok(plies)
}

fn white_result(game: &GameRecord) -> Score {
    game.ending.score(Side::First)
}

/// A score of a search, in the mover's view.
#[derive(Clone, Copy, Debug)]
struct SearchScore {
    centipawns: i16,
    mate: bool,
}

impl SearchScore {
    fn by(ply: &TrackPly) -> Option<Self> {
        let limit = i32::from(Record::SCORE_LIMIT);
        ply.info.score.map(|score| match score {
            Evaluation::Centipawns(cp) => Self { centipawns: cp.clamp(-limit, limit) as i16, mate: false },
            Evaluation::Mate(moves) => {
                let distance = moves.unsigned_abs().min(1_000) as i16;
                let won = Record::SCORE_LIMIT - distance;
                Self { centipawns: if moves > 0 { won } else { -won }, mate: true }
            }
            // 100 centipawns are one logit, as in the UCI dialect of spar's own engine.
            Evaluation::Logit(units) => Self { centipawns: (units / 100).clamp(-limit, limit) as i16, mate: false },
        })
    }

    /// The absolute score in the unit of a filter: 1/10,000 pawn.
    fn units(self) -> u32 {
        if self.mate { u32::MAX } else { u32::from(self.centipawns.unsigned_abs()) * 100 }
    }
}

#[cfg(test)]
mod tests;
