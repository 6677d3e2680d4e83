//! Reading a journal back, in pair order and one row at a time.

use super::{Journal, JournalError, key};
use crate::play::{BySide, Ending, TrackPly};
use crate::run::pair::{GameRecord, PAIR_VERSION, PairIndex, PairResult, PairTimes, Proposal};
use rusqlite::{OptionalExtension, Row};
use serde::de::DeserializeOwned;
use stats::{PairOutcome, Score};

/// What replay needs of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPair {
    /// Its number.
    pub pair: PairIndex,
    /// The proposal as played.
    pub proposal: Proposal,
    /// What it counted as.
    pub outcome: PairOutcome,
}

/// All that is stored of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredResult {
    /// The proposal as played.
    pub proposal: Proposal,
    /// What came of it.
    pub result: PairResult,
}

/// Games that an entrant lost by a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct FaultCount {
    /// All of them.
    pub games: u64,
    /// Those lost on time because the host starved it: the host's fault rather than the engine's.
    pub excused: u64,
}

impl Journal {
    /// Calls `visit` for each stored pair by rising number until it says `false`.
    ///
    /// # Errors
    /// [`JournalError`] if a row cannot be read, or the first error of `visit`.
    pub fn replay<E: From<JournalError>>(&self, mut visit: impl FnMut(StoredPair) -> Result<bool, E>) -> Result<(), E> {
        let storage = |error| self.storage(error);
        let sql = "SELECT pair, proposal, score0, score1 FROM pair ORDER BY pair";
        let mut statement = self.connection.prepare(sql).map_err(storage)?;
        let mut rows = statement.query([]).map_err(storage)?;
        while let Some(row) = rows.next().map_err(storage)? {
            if !visit(self.stored_pair(row)?)? {
                break;
            }
        }
        Ok(())
    }

    /// How many pairs are stored, beyond gaps and beyond the verdict included.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn stored_pairs(&self) -> Result<u64, JournalError> {
        let count = self.connection.query_row("SELECT count(*) FROM pair", [], |row| row.get::<_, i64>(0));
        count.map(i64::unsigned_abs).map_err(|error| self.storage(error))
    }

    /// Games lost by a fault among the first `pairs` pairs, by entrant.
    ///
    /// # Errors
    /// [`JournalError`] if a row cannot be read.
    pub fn faults(&self, pairs: u64, entrants: usize) -> Result<Vec<FaultCount>, JournalError> {
        let storage = |error| self.storage(error);
        let sql = "SELECT pair, proposal, faults0, faults1, excused0, excused1 FROM pair
             WHERE faults0 + faults1 > 0 AND pair < ?1";
        let mut statement = self.connection.prepare(sql).map_err(storage)?;
        let mut rows = statement.query([key(pairs)]).map_err(storage)?;
        let mut faults = vec![FaultCount::default(); entrants];
        while let Some(row) = rows.next().map_err(storage)? {
            let number = |column: usize| row.get::<_, i64>(column).map(i64::unsigned_abs).map_err(storage);
            let pair = number(0)?;
            let proposal: Vec<u8> = row.get(1).map_err(storage)?;
            let proposal: Proposal = self.unpack(pair, &proposal)?;
            for (seat, column) in proposal.seats.iter().zip(2..) {
                if let Some(sum) = faults.get_mut(seat.entrant as usize) {
                    sum.games += number(column)?;
                    sum.excused += number(column + 2)?;
                }
            }
        }
        Ok(faults)
    }

    /// The pairs among the first `pairs` in which a game was lost by a fault.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn faulty_pairs(&self, pairs: u64) -> Result<Vec<PairIndex>, JournalError> {
        let sql = "SELECT pair FROM pair WHERE faults0 + faults1 > 0 AND pair < ?1 ORDER BY pair";
        let read = || {
            let mut statement = self.connection.prepare(sql)?;
            let numbers = statement.query_map([key(pairs)], |row| row.get::<_, i64>(0))?;
            numbers.map(|number| Ok(number?.unsigned_abs())).collect::<Result<Vec<_>, rusqlite::Error>>()
        };
        read().map_err(|error| self.storage(error))
    }

    /// How many games of the first `pairs` pairs the host starved.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn starved_games(&self, pairs: u64) -> Result<u64, JournalError> {
        let sql = "SELECT coalesce(sum(starved), 0) FROM pair WHERE pair < ?1";
        let sum = self.connection.query_row(sql, [key(pairs)], |row| row.get::<_, i64>(0));
        sum.map(i64::unsigned_abs).map_err(|error| self.storage(error))
    }

    /// Everything stored of one pair; `None` if it is not there.
    ///
    /// # Errors
    /// [`JournalError`] if it cannot be read.
    pub fn result(&self, pair: PairIndex) -> Result<Option<StoredResult>, JournalError> {
        let sql = "SELECT g.start, p.proposal, g.opening, g.game0, g.game1, t.times, k.track0, k.track1 FROM pair p
             JOIN games g USING (pair) JOIN times t USING (pair) LEFT JOIN track k USING (pair) WHERE pair = ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.storage(error))?;
        let columns = |row: &Row<'_>| {
            let blob = |index| row.get::<_, Option<Vec<u8>>>(index).map(Option::unwrap_or_default);
            let start: Option<String> = row.get(0)?;
            Ok((start, [blob(1)?, blob(2)?, blob(3)?, blob(4)?, blob(5)?, blob(6)?, blob(7)?]))
        };
        let found = statement.query_row([key(pair)], columns).optional().map_err(|error| self.storage(error))?;
        found.map(|(start, columns)| self.stored_result(pair, start, &columns)).transpose()
    }

    /// What was heard last of a player that lost a game of a pair by a fault, if anything was.
    fn evidence(&self, pair: PairIndex, game: i64) -> Result<Option<String>, JournalError> {
        let sql = "SELECT text FROM evidence WHERE pair = ?1 AND game = ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.storage(error))?;
        statement.query_row((key(pair), game), |row| row.get(0)).optional().map_err(|error| self.storage(error))
    }

    fn stored_pair(&self, row: &Row<'_>) -> Result<StoredPair, JournalError> {
        let storage = |error| self.storage(error);
        let pair = row.get::<_, i64>(0).map_err(storage)?.unsigned_abs();
        let proposal = row.get_ref(1).and_then(|value| Ok(value.as_blob()?)).map_err(storage)?;
        let score = |index| {
            let number = row.get::<_, u8>(index).map_err(storage)?;
            Score::from_half_points(number)
                .ok_or_else(|| self.damaged(format!("pair {pair}"), &format_args!("score {number}")))
        };
        let outcome = PairOutcome::new(score(2)?, score(3)?);
        Ok(StoredPair { pair, proposal: self.unpack(pair, proposal)?, outcome })
    }

    fn stored_result(
        &self,
        pair: PairIndex,
        start: Option<String>,
        columns: &[Vec<u8>; 7],
    ) -> Result<StoredResult, JournalError> {
        let [proposal, opening, game0, game1, times, track0, track1] = columns;
        let game = |game: &[u8], track: &[u8]| {
            let (moves, ending, nodes): (Vec<u32>, Ending, BySide<u64>) = self.unpack(pair, game)?;
            let track: Vec<TrackPly> = if track.is_empty() { Vec::new() } else { self.unpack(pair, track)? };
            Ok::<_, JournalError>(GameRecord { moves, ending, nodes, track })
        };
        let times: PairTimes = self.unpack(pair, times)?;
        let result = PairResult {
            version: PAIR_VERSION,
            pair,
            start,
            opening: self.unpack(pair, opening)?,
            games: [game(game0, track0)?, game(game1, track1)?],
            evidence: [self.evidence(pair, 0)?, self.evidence(pair, 1)?],
            times,
        };
        Ok(StoredResult { proposal: self.unpack(pair, proposal)?, result })
    }

    fn unpack<T: DeserializeOwned>(&self, pair: PairIndex, blob: &[u8]) -> Result<T, JournalError> {
        postcard::from_bytes(blob).map_err(|error| self.damaged(format!("pair {pair}"), &error))
    }
}
