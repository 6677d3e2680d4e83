//! What lists of games need from a pair, without its moves and their records.

use super::{JournalError, JournalReader, key};
use record::{BySide, Ending, PairIndex, Proposal};
use rusqlite::{OptionalExtension, Row};
use stats::Score;
use std::ops::Range;

/// A row of the table of pairs. The cost of reading it does not depend on the length of the games.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOutline {
    /// The pair's number.
    pub pair: PairIndex,
    /// The proposal as played.
    pub proposal: Proposal,
    /// The score of each game for the proposal's first seat.
    pub scores: Vec<Score>,
    /// The plies of each game, without the opening.
    pub moves: [u64; 2],
    /// The number of games lost by a fault.
    pub faults: u64,
}

/// How the games of a pair began and ended.
#[derive(Clone, Debug, PartialEq)]
pub struct PairEndings {
    /// The plies of the opening.
    pub opening: usize,
    /// How each game ended.
    pub endings: Vec<Ending>,
}

/// The direction in which pairs are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairOrder {
    /// The lowest number first.
    Rising,
    /// The highest number first.
    Falling,
}

impl JournalReader {
    /// Calls `visit` for each pair in `pairs` until it returns `false`.
    ///
    /// # Errors
    /// [`JournalError`] if a row cannot be read, or the first error of `visit`.
    pub fn outlines<E: From<JournalError>>(
        &self,
        pairs: Range<PairIndex>,
        order: PairOrder,
        mut visit: impl FnMut(PairOutline) -> Result<bool, E>,
    ) -> Result<(), E> {
        let storage = |error| self.storage(error);
        let sql = match order {
            PairOrder::Rising => concat!(
                "SELECT pair, proposal, score0, score1, plies0, plies1, faults0 + faults1 FROM pair ",
                "WHERE pair >= ?1 AND pair < ?2 ORDER BY pair"
            ),
            PairOrder::Falling => concat!(
                "SELECT pair, proposal, score0, score1, plies0, plies1, faults0 + faults1 FROM pair ",
                "WHERE pair >= ?1 AND pair < ?2 ORDER BY pair DESC"
            ),
        };
        let mut statement = self.connection.prepare_cached(sql).map_err(storage)?;
        let mut rows = statement.query([key(pairs.start), key(pairs.end)]).map_err(storage)?;
        while let Some(row) = rows.next().map_err(storage)? {
            if !visit(self.outline(row)?)? {
                break;
            }
        }
        Ok(())
    }

    fn outline(&self, row: &Row<'_>) -> Result<PairOutline, JournalError> {
        let pair = row.get::<_, i64>(0).map_err(|error| self.storage(error))?.unsigned_abs();
        let unreadable = |error: rusqlite::Error| self.damaged_pair(pair, &error);
        let proposal = row.get_ref(1).and_then(|value| Ok(value.as_blob()?)).map_err(unreadable)?;
        let proposal = self.proposal(pair, proposal)?;
        let score = |column| {
            let number = row.get::<_, u8>(column).map_err(unreadable)?;
            Score::from_half_points(number).ok_or_else(|| self.damaged_pair(pair, &format_args!("score {number}")))
        };
        let scores = (2..4).take(proposal.sides.games()).map(score).collect::<Result<_, _>>()?;
        let number = |column| row.get::<_, i64>(column).map(i64::unsigned_abs).map_err(unreadable);
        Ok(PairOutline { pair, proposal, scores, moves: [number(4)?, number(5)?], faults: number(6)? })
    }

    /// Returns how the games of a pair began and ended; `None` if the pair is missing.
    ///
    /// # Errors
    /// [`JournalError`] if the pair cannot be read.
    pub fn endings(&self, outline: &PairOutline) -> Result<Option<PairEndings>, JournalError> {
        let pair = outline.pair;
        let sql = "SELECT opening, game0, game1 FROM games WHERE pair = ?1";
        let blobs = |row: &Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?]);
        let row = || self.connection.prepare_cached(sql)?.query_row([key(pair)], blobs).optional();
        let row: Option<[Vec<u8>; 3]> = row().map_err(|error| self.damaged_pair(pair, &error))?;
        let Some([opening, games @ ..]) = row else { return Ok(None) };
        let opening: Vec<u32> = self.unpack(pair, &opening)?;
        let ending = |blob: &Vec<u8>| {
            let (_moves, ending, _nodes): (Vec<u32>, Ending, BySide<u64>) = self.unpack(pair, blob)?;
            Ok(ending)
        };
        let endings = games.iter().take(outline.scores.len()).map(ending).collect::<Result<_, JournalError>>()?;
        Ok(Some(PairEndings { opening: opening.len(), endings }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::run::{ByHost, Executables, Journal, Played, run_header};
    use play::games::GameKind;
    use play::{DrawRule, Fault, Side, WinRule};
    use record::{Circumstances, GameRecord, PairResult, Sides};
    use std::path::Path;
    use std::time::Duration;

    /// Returns a pair whose first seat wins with the first move and then loses by a fault; or a drawn single game.
    fn played(pair: u64, sides: Sides) -> Played {
        let fault = Fault::IllegalMove("x".to_owned());
        let endings = match sides {
            Sides::Single(_) => vec![Ending::Draw { by: DrawRule::Repetition }],
            _ => vec![
                Ending::Win { winner: Side::First, by: WinRule::Checkmate },
                Ending::Forfeit { loser: Side::Second, fault },
            ],
        };
        let game = |(index, ending)| GameRecord {
            moves: vec![1; 3 + index],
            ending,
            nodes: BySide::default(),
            track: Vec::new(),
            circumstances: Circumstances::default(),
        };
        let games = endings.into_iter().enumerate().map(game).collect();
        let (start, opening, took) = (None, vec![5, 6], Duration::ZERO);
        let result = PairResult { pair, start, opening, sides, games, took };
        let proposal = Proposal { sides, ..Proposal::of(1, 0, pair) };
        Played { proposal, result, by_host: ByHost::default(), by: None }
    }

    #[test]
    fn outlines_and_endings_are_those_of_the_pairs() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = RunConfig::random_match(GameKind::Chess);
        let header = run_header(&run, &Executables::of(&run, Path::new("/")).expect("no programs"));
        let mut journal = Journal::create(&folder.path().join("journal.sqlite"), &header).expect("a journal");
        let single = Sides::Single(Side::First);
        let all = [played(0, Sides::Swapped), played(1, single), played(2, Sides::Swapped)];
        journal.commit(&all).expect("a commit");
        let found = |pairs, order, most: usize| {
            let mut found = Vec::new();
            let read = journal.outlines(pairs, order, |outline| {
                found.push(outline);
                Ok::<_, JournalError>(found.len() < most)
            });
            read.expect("outlines");
            found
        };
        let rising = found(0..9, PairOrder::Rising, 9);
        assert_eq!(rising.iter().map(|outline| outline.pair).collect::<Vec<_>>(), [0, 1, 2]);
        let falling = found(0..2, PairOrder::Falling, 9);
        assert_eq!(falling.iter().map(|outline| outline.pair).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(found(0..9, PairOrder::Falling, 1)[0].pair, 2);
        for (outline, Played { proposal, result, .. }) in rising.iter().zip(&all) {
            let faults: u64 = result.faults_by_seat().iter().sum();
            assert_eq!((&outline.proposal, outline.faults), (proposal, faults));
            assert_eq!(outline.scores, result.scores());
            let endings = result.games.iter().map(|game| game.ending.clone()).collect();
            assert_eq!(journal.endings(outline).expect("read"), Some(PairEndings { opening: 2, endings }));
        }
        assert_eq!((rising[0].moves, rising[1].moves), ([3, 4], [3, 0]));
        let missing = PairOutline { pair: 9, ..rising[0].clone() };
        assert_eq!(journal.endings(&missing).expect("read"), None);
    }
}
