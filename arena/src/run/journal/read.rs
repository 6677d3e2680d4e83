//! Reads a journal in pair order, one row at a time.

use super::{JournalError, JournalReader, both, key, number};
use crate::run::name::pair_number;
use record::{
    BySide, Circumstances, Ending, GameRecord, GameTimes, PairIndex, PairResult, Proposal, StarvedCount, TrackPly,
};
use rusqlite::Row;
use serde::de::DeserializeOwned;
use stats::{Outcome, Score};
use std::ops::Range;
use std::time::Duration;

/// Selects all stored data of a range of pairs.
const ALL_COLUMNS: &str = "
    SELECT p.pair, p.proposal, g.start, g.opening, g.game0, g.game1, t.times, k.track0, k.track1, e.text, f.text,
        p.score0, p.score1, p.faults0, p.faults1, p.excused0, p.excused1
    FROM pair p LEFT JOIN games g USING (pair) LEFT JOIN times t USING (pair) LEFT JOIN track k USING (pair)
    LEFT JOIN evidence e ON e.pair = p.pair AND e.game = 0 LEFT JOIN evidence f ON f.pair = p.pair AND f.game = 1
    WHERE p.pair >= ?1 AND p.pair < ?2 ORDER BY p.pair";

/// The part of a pair that replay needs.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPair {
    /// The pair's number.
    pub pair: PairIndex,
    /// The proposal as played.
    pub proposal: Proposal,
    /// The outcome that counted.
    pub outcome: Outcome,
    /// The games that each seat lost by its own faults, without those that the host caused.
    pub own_faults: [u64; 2],
}

/// All stored data of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredResult {
    /// The proposal as played.
    pub proposal: Proposal,
    /// The pair's result.
    pub result: PairResult,
    /// The games that each seat lost by its own faults, without those that the host caused.
    pub own_faults: [u64; 2],
}

/// The games that an entrant lost by a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct FaultCount {
    /// The number of such games.
    pub games: u64,
    /// The number of these games lost on time because the host starved the entrant: the host's fault rather than the
    /// engine's.
    #[serde(rename = "excused")]
    pub host_caused: u64,
}

impl JournalReader {
    /// Calls `visit` for each stored pair in rising order until it returns `false`.
    ///
    /// # Errors
    /// [`JournalError`] if a row cannot be read, or the first error of `visit`.
    pub fn replay<E: From<JournalError>>(&self, visit: impl FnMut(StoredPair) -> Result<bool, E>) -> Result<(), E> {
        self.replay_from(0, visit)
    }

    /// Like [`replay`](Self::replay), but starts at a pair. No earlier row is read.
    ///
    /// # Errors
    /// [`JournalError`] if a row cannot be read, or the first error of `visit`.
    pub fn replay_from<E: From<JournalError>>(
        &self,
        from: PairIndex,
        mut visit: impl FnMut(StoredPair) -> Result<bool, E>,
    ) -> Result<(), E> {
        let storage = |error| self.storage(error);
        let sql = "SELECT pair, proposal, score0, score1, faults0, faults1, excused0, excused1
             FROM pair WHERE pair >= ?1 ORDER BY pair";
        let mut statement = self.connection.prepare(sql).map_err(storage)?;
        let mut rows = statement.query([key(from)]).map_err(storage)?;
        while let Some(row) = rows.next().map_err(storage)? {
            if !visit(self.stored_pair(row)?)? {
                break;
            }
        }
        Ok(())
    }

    /// Returns the number of stored pairs, including those after gaps and after the verdict.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn stored_pairs(&self) -> Result<u64, JournalError> {
        self.number("SELECT count(*) FROM pair", [])
    }

    /// Returns one more than the highest stored pair, which is the number of pairs if none is missing. Unlike
    /// [`stored_pairs`](Self::stored_pairs), its cost does not depend on the number of pairs.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn end(&self) -> Result<u64, JournalError> {
        self.number("SELECT coalesce(max(pair) + 1, 0) FROM pair", [])
    }

    /// Returns the games lost by a fault among the first `pairs` pairs, by entrant.
    ///
    /// # Errors
    /// [`JournalError`] if a row cannot be read.
    pub fn faults(&self, pairs: u64, entrants: usize) -> Result<Vec<FaultCount>, JournalError> {
        self.faults_in(0..pairs, entrants)
    }

    /// Returns the games lost by a fault in a range of pairs, by entrant. No other rows are read.
    ///
    /// # Errors
    /// [`JournalError`] if a row cannot be read.
    pub fn faults_in(&self, pairs: Range<PairIndex>, entrants: usize) -> Result<Vec<FaultCount>, JournalError> {
        let storage = |error| self.storage(error);
        let sql = "SELECT pair, proposal, faults0, faults1, excused0, excused1 FROM pair
             WHERE faults0 + faults1 > 0 AND pair >= ?1 AND pair < ?2";
        let mut statement = self.connection.prepare(sql).map_err(storage)?;
        let mut rows = statement.query([key(pairs.start), key(pairs.end)]).map_err(storage)?;
        let mut faults = vec![FaultCount::default(); entrants];
        while let Some(row) = rows.next().map_err(storage)? {
            let number = |column: usize| row.get::<_, i64>(column).map(i64::unsigned_abs).map_err(storage);
            let pair = number(0)?;
            let proposal: Vec<u8> = row.get(1).map_err(storage)?;
            let proposal = self.proposal(pair, &proposal)?;
            for (seat, column) in proposal.seats.iter().zip(2..) {
                if let Some(sum) = faults.get_mut(seat.entrant as usize) {
                    sum.games += number(column)?;
                    sum.host_caused += number(column + 2)?;
                }
            }
        }
        Ok(faults)
    }

    /// Returns the pairs among the first `pairs` in which a game was lost by a fault.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn faulty_pairs(&self, pairs: u64) -> Result<Vec<PairIndex>, JournalError> {
        self.faulty_pairs_in(0..pairs)
    }

    /// Returns the pairs of a range in which a game was lost by a fault. No other rows are read.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn faulty_pairs_in(&self, pairs: Range<PairIndex>) -> Result<Vec<PairIndex>, JournalError> {
        let sql = "SELECT pair FROM pair WHERE faults0 + faults1 > 0 AND pair >= ?1 AND pair < ?2 ORDER BY pair";
        self.rows(sql, [key(pairs.start), key(pairs.end)], number)
    }

    /// Returns how many of the first `pairs` pairs, and of their games, the host starved.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn starved(&self, pairs: u64) -> Result<StarvedCount, JournalError> {
        self.starved_in(0..pairs)
    }

    /// Returns how many of a range of pairs, and of their games, the host starved. No other rows are read.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn starved_in(&self, pairs: Range<PairIndex>) -> Result<StarvedCount, JournalError> {
        let sql = "SELECT coalesce(sum(starved), 0), count(*) FROM pair WHERE starved > 0 AND pair >= ?1 AND pair < ?2";
        let count = self.row(sql, [key(pairs.start), key(pairs.end)], |row| {
            Ok(StarvedCount { games: number(row)?, pairs: row.get::<_, i64>(1)?.unsigned_abs() })
        });
        count.map(Option::unwrap_or_default)
    }

    /// Returns all stored data of a pair; `None` if the pair is missing.
    ///
    /// # Errors
    /// [`JournalError`] if the pair cannot be read.
    pub fn result(&self, pair: PairIndex) -> Result<Option<StoredResult>, JournalError> {
        let mut found = None;
        let only = pair..pair.saturating_add(1);
        self.results(only, |stored| {
            found = Some(stored);
            Ok::<_, JournalError>(())
        })?;
        Ok(found)
    }

    /// Calls `visit` with all stored data of each pair in `pairs`, in rising order, one row in memory at a time.
    ///
    /// # Errors
    /// [`JournalError`] if a row cannot be read, or the first error of `visit`.
    pub fn results<E: From<JournalError>>(
        &self,
        pairs: Range<PairIndex>,
        mut visit: impl FnMut(StoredResult) -> Result<(), E>,
    ) -> Result<(), E> {
        let storage = |error| self.storage(error);
        let mut statement = self.connection.prepare_cached(ALL_COLUMNS).map_err(storage)?;
        let mut rows = statement.query([key(pairs.start), key(pairs.end)]).map_err(storage)?;
        while let Some(row) = rows.next().map_err(storage)? {
            visit(self.stored_result(row)?)?;
        }
        Ok(())
    }

    fn stored_pair(&self, row: &Row<'_>) -> Result<StoredPair, JournalError> {
        let pair = row.get::<_, i64>(0).map_err(|error| self.storage(error))?.unsigned_abs();
        let unreadable = |error: rusqlite::Error| self.damaged_pair(pair, &error);
        let proposal = row.get_ref(1).and_then(|value| Ok(value.as_blob()?)).map_err(unreadable)?;
        let score = |index| {
            let number = row.get::<_, u8>(index).map_err(unreadable)?;
            Score::from_half_points(number).ok_or_else(|| self.damaged_pair(pair, &format_args!("score {number}")))
        };
        let proposal = self.proposal(pair, proposal)?;
        let outcome = match proposal.sides.games() {
            1 => Outcome::Game(score(2)?),
            _ => Outcome::of_two(score(2)?, score(3)?),
        };
        Ok(StoredPair { pair, proposal, outcome, own_faults: own_faults(row, 4).map_err(unreadable)? })
    }

    fn stored_result(&self, row: &Row<'_>) -> Result<StoredResult, JournalError> {
        let pair = row.get::<_, i64>(0).map_err(|error| self.storage(error))?.unsigned_abs();
        let unreadable = |error: rusqlite::Error| self.damaged_pair(pair, &error);
        let blob = |column| row.get_ref(column).and_then(|value| Ok(value.as_blob_or_null()?)).map_err(unreadable);
        let needed = |column| blob(column)?.ok_or_else(|| self.damaged_pair(pair, &"its games are missing"));
        let proposal = self.proposal(pair, needed(1)?)?;
        let (took, times): (Duration, Vec<GameTimes>) = self.unpack(pair, needed(6)?)?;
        if times.len() != proposal.sides.games() {
            return Err(self.damaged_pair(pair, &"its times are of other games"));
        }
        let game = |(times, (game, track, evidence))| {
            let (moves, ending, nodes): (Vec<u32>, Ending, BySide<u64>) = self.unpack(pair, needed(game)?)?;
            let track: Option<Vec<TrackPly>> = blob(track)?.map(|track| self.unpack(pair, track)).transpose()?;
            let evidence = row.get(evidence).map_err(unreadable)?;
            let circumstances = Circumstances { times, evidence, ..Circumstances::default() };
            Ok::<_, JournalError>(GameRecord { moves, ending, nodes, track: track.unwrap_or_default(), circumstances })
        };
        let games = times.into_iter().zip([(4, 7, 9), (5, 8, 10)]).map(game).collect::<Result<Vec<_>, _>>()?;
        let result = PairResult {
            pair,
            start: row.get(2).map_err(unreadable)?,
            opening: self.unpack(pair, needed(3)?)?,
            sides: proposal.sides,
            games,
            took,
        };
        let number = |column: usize| row.get::<_, i64>(column).map_err(unreadable);
        let counted = [number(11)?, number(12)?, number(13)?, number(14)?];
        let [a, b] = both(result.scores().into_iter().map(|score| u64::from(score.half_points())));
        let [c, d] = result.faults_by_seat();
        if counted.map(i64::unsigned_abs) != [a, b, c, d] {
            return Err(self.damaged_pair(pair, &"its result is not that of its games"));
        }
        Ok(StoredResult { proposal, result, own_faults: own_faults(row, 13).map_err(unreadable)? })
    }

    pub(super) fn proposal(&self, pair: u64, blob: &[u8]) -> Result<Proposal, JournalError> {
        self.unpack(pair, blob)
    }

    pub(super) fn unpack<T: DeserializeOwned>(&self, pair: PairIndex, blob: &[u8]) -> Result<T, JournalError> {
        record::from_bytes(blob).map_err(|error| self.damaged_pair(pair, &error))
    }

    pub(super) fn damaged_pair(&self, pair: PairIndex, why: &dyn std::fmt::Display) -> JournalError {
        self.damaged(format!("pair {}", pair_number(pair)), why)
    }
}

/// Returns a pair's faults by seat, without those that the host caused. From column `first` on, the two columns of
/// faults are followed by the two of host-caused faults.
fn own_faults(row: &Row<'_>, first: usize) -> rusqlite::Result<[u64; 2]> {
    let number = |column: usize| row.get::<_, i64>(column).map(i64::unsigned_abs);
    let own = |seat: usize| Ok::<_, rusqlite::Error>(number(first + seat)?.saturating_sub(number(first + 2 + seat)?));
    Ok([own(0)?, own(1)?])
}
