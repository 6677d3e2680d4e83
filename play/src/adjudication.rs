//! Adjudication: when a game is ended before the rules end it, by what the players themselves say of it or by its length.
//!
//! Off unless configured. What it ends is recorded as such, never as an ending by the rules.

use super::game::{Game, Side};
use super::player::Evaluation;
use super::referee::Ending;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// When games are ended early; by default never.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Both players see equality for long.
    pub draw: Option<DrawRuling>,
    /// A player sees itself lost for long.
    pub resign: Option<ResignRuling>,
    /// The game is a draw after so many plies, the opening's included.
    pub max_plies: Option<NonZeroU32>,
    /// Endgame tables know the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<TableRuling>,
}

/// When games are ended by what endgame tables say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRuling {
    /// The folders that they are in, separated as in `PATH`.
    pub path: String,
    /// With at most so many men on the board, kings included.
    pub pieces: u8,
    /// Whether what would be won without the fifty-move rule counts as won.
    pub ignore_50: bool,
}

/// What endgame tables say of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableVerdict {
    /// Who wins; nobody in a draw.
    pub winner: Option<Side>,
}

/// The tables of a [`TableRuling`], open.
pub trait Endgames<G: Game>: Send + Sync {
    /// How a game that is not over ends, if the tables tell.
    fn verdict(&self, position: &G::Position) -> Option<TableVerdict>;

    /// A table that turned out to be unreadable: no game in which that happened has a result.
    fn failure(&self) -> Option<String>;
}

/// When a game is called a draw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawRuling {
    /// Not before so many moves of each side, the opening's included.
    pub from_move: u32,
    /// Both sides say so for so many own moves on end, counted from the last capture or pawn move.
    pub moves: NonZeroU32,
    /// The score is at most so many centipawns for either side.
    pub score: u32,
}

/// When a game is given up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResignRuling {
    /// The loser says so for so many own moves on end.
    pub moves: NonZeroU32,
    /// The loser's score is at most minus so many centipawns.
    pub score: u32,
    /// The winner must say the same of its own score for as many moves.
    pub two_sided: bool,
}

/// The setting by which a game was ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdjudicatedBy {
    /// [`Adjudication::draw`].
    Draw,
    /// [`Adjudication::resign`].
    Resign,
    /// [`Adjudication::max_plies`].
    MaxPlies,
    /// [`Adjudication::tables`].
    Tables,
}

/// A score so far beyond all others that it stands for a mate.
const MATE: i64 = 1_000_000;

/// A logit of 1 is this many centipawns, for rulings in games whose engines count in logit.
const CENTIPAWNS_PER_LOGIT: i64 = 100;

/// In centipawns, for comparing.
fn centipawns(score: Evaluation) -> i64 {
    match score {
        Evaluation::Logit(units) => i64::from(units) * CENTIPAWNS_PER_LOGIT / 10_000,
        Evaluation::Centipawns(cp) => cp.into(),
        Evaluation::Mate(moves) if moves > 0 => MATE,
        Evaluation::Mate(_) => -MATE,
    }
}

/// Follows what both players say in one game.
pub(super) struct Arbiter<'a, G: Game> {
    rules: &'a Adjudication,
    endgames: Option<&'a dyn Endgames<G>>,
    /// Plies on end, of both sides together, that were called equal.
    equal: u32,
    /// Own moves on end that each side called itself lost (index by side), and won.
    lost: [u32; 2],
    won: [u32; 2],
}

impl<'a, G: Game> Arbiter<'a, G> {
    pub(super) fn new(rules: &'a Adjudication, endgames: Option<&'a dyn Endgames<G>>) -> Self {
        Self { rules, endgames, equal: 0, lost: [0; 2], won: [0; 2] }
    }

    /// Takes in what `side` said with its move; saying nothing ends all that was on end. A move that makes progress
    /// begins the count of equal plies anew, itself being the first: it leads where the players have not been.
    pub(super) fn note(&mut self, side: Side, score: Option<Evaluation>, progress: bool) {
        let score = score.map(centipawns);
        let counted = |so_far: u32, holds: bool| if holds { so_far + 1 } else { 0 };
        if let Some(draw) = &self.rules.draw {
            let so_far = if progress { 0 } else { self.equal };
            self.equal = counted(so_far, score.is_some_and(|cp| cp.unsigned_abs() <= draw.score.into()));
        }
        if let Some(resign) = &self.rules.resign {
            let (side, bound) = (side as usize, i64::from(resign.score));
            self.lost[side] = counted(self.lost[side], score.is_some_and(|cp| cp <= -bound));
            self.won[side] = counted(self.won[side], score.is_some_and(|cp| cp >= bound));
        }
    }

    /// How the game ends now, if it does. `plies` counts the opening's too.
    pub(super) fn ending(&self, position: &G::Position, plies: usize) -> Option<Ending> {
        let adjudicated = |winner, by| Some(Ending::Adjudicated { winner, by });
        if let Some(TableVerdict { winner }) = self.endgames.and_then(|endgames| endgames.verdict(position)) {
            return adjudicated(winner, AdjudicatedBy::Tables);
        }
        if let Some(winner) = self.resigned_to() {
            return adjudicated(Some(winner), AdjudicatedBy::Resign);
        }
        if self.is_called_draw(plies) {
            return adjudicated(None, AdjudicatedBy::Draw);
        }
        if self.rules.max_plies.is_some_and(|most| plies >= most.get() as usize) {
            return adjudicated(None, AdjudicatedBy::MaxPlies);
        }
        None
    }

    fn resigned_to(&self) -> Option<Side> {
        let resign = self.rules.resign?;
        let needed = resign.moves.get();
        [Side::First, Side::Second].into_iter().find(|&winner| {
            let loser = !winner;
            self.lost[loser as usize] >= needed && (!resign.two_sided || self.won[winner as usize] >= needed)
        })
    }

    fn is_called_draw(&self, plies: usize) -> bool {
        self.rules.draw.is_some_and(|draw| {
            plies >= 2 * draw.from_move as usize && self.equal >= draw.moves.get().saturating_mul(2)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::ZeroPointOne;

    const CP: fn(i32) -> Option<Evaluation> = |cp| Some(Evaluation::Centipawns(cp));

    fn rules() -> Adjudication {
        let moves = NonZeroU32::new(2).unwrap();
        Adjudication {
            draw: Some(DrawRuling { from_move: 3, moves, score: 10 }),
            resign: Some(ResignRuling { moves, score: 500, two_sided: false }),
            max_plies: NonZeroU32::new(20),
            tables: None,
        }
    }

    /// The first ending when both sides in turn say these scores, and after how many plies.
    fn first_ending(rules: &Adjudication, said: &[Option<Evaluation>]) -> Option<(usize, Ending)> {
        ending_with_progress(rules, said, &[])
    }

    /// The same where these plies, from 0, are captures or pawn moves.
    fn ending_with_progress(
        rules: &Adjudication,
        said: &[Option<Evaluation>],
        progress: &[usize],
    ) -> Option<(usize, Ending)> {
        let mut arbiter = Arbiter::<ZeroPointOne>::new(rules, None);
        let position = ZeroPointOne.start();
        said.iter().enumerate().find_map(|(ply, &score)| {
            arbiter.note(if ply % 2 == 0 { Side::First } else { Side::Second }, score, progress.contains(&ply));
            arbiter.ending(&position, ply + 1).map(|ending| (ply + 1, ending))
        })
    }

    fn adjudicated(winner: Option<Side>, by: AdjudicatedBy) -> Ending {
        Ending::Adjudicated { winner, by }
    }

    #[test]
    fn a_draw_needs_both_sides_on_end_and_not_too_early() {
        let draw = adjudicated(None, AdjudicatedBy::Draw);
        assert_eq!(first_ending(&rules(), &[CP(10); 9]), Some((6, draw.clone())), "not before move 3");
        let interrupted = [CP(0), CP(0), CP(0), CP(11), CP(0), CP(-10), CP(0), CP(0)];
        assert_eq!(first_ending(&rules(), &interrupted), Some((8, draw)));
        assert_eq!(first_ending(&rules(), &[CP(0), CP(0), None, CP(0), CP(0), CP(0)]), None, "silence is no score");
    }

    #[test]
    fn a_capture_or_pawn_move_begins_the_count_of_a_draw_anew_and_is_counted() {
        let draw = Some((8, adjudicated(None, AdjudicatedBy::Draw)));
        assert_eq!(ending_with_progress(&rules(), &[CP(0); 9], &[1, 4]), draw, "4 to 7 are four on end");
        assert_eq!(ending_with_progress(&rules(), &[CP(0); 9], &[2, 5, 8]), None);
        let lost = [CP(-500), CP(20), CP(-500)];
        let won = Some((3, adjudicated(Some(Side::Second), AdjudicatedBy::Resign)));
        assert_eq!(ending_with_progress(&rules(), &lost, &[0, 1, 2]), won, "a resignation counts on");
    }

    #[test]
    fn the_loser_alone_resigns_unless_two_sided() {
        let won = adjudicated(Some(Side::Second), AdjudicatedBy::Resign);
        let said = [CP(-500), CP(20), Some(Evaluation::Mate(-3)), CP(20)];
        assert_eq!(first_ending(&rules(), &said), Some((3, won.clone())));
        let mut both = rules();
        both.resign = both.resign.map(|resign| ResignRuling { two_sided: true, ..resign });
        assert_eq!(first_ending(&both, &said), None);
        let agreed = [CP(-900), CP(700), CP(-900), Some(Evaluation::Mate(7))];
        assert_eq!(first_ending(&both, &agreed), Some((4, won)));
    }

    #[test]
    fn long_games_are_drawn_and_nothing_ends_by_default() {
        let played = [CP(300); 25];
        assert_eq!(first_ending(&rules(), &played), Some((20, adjudicated(None, AdjudicatedBy::MaxPlies))));
        assert_eq!(first_ending(&Adjudication::default(), &[Some(Evaluation::Mate(-1)); 25]), None);
    }
}
