//! One position with its labels and the visits of its moves in 86 bytes, little endian.
//!
//! This module owns the layout and its inverse. The visits come from a tree search; a record stores each move's share
//! of all visits. It keeps twelve moves, which have nearly all visits of a search.
//!
//! ```text
//!  0  38B  a record without visits (`record`)
//! 38  48B  12 moves, the most visited first: u16 code of the move, u16 share of all visits in 1/65,535, rounded down.
//!          Unused places are 0.
//! ```

use super::record::{Record, RecordError};
use engine::Move;

/// A position, its labels and the visit shares of its moves, as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitRecord([u8; Self::BYTES]);

impl VisitRecord {
    /// The size of a record in bytes.
    pub const BYTES: usize = Record::BYTES + 4 * Self::MOVES;
    /// The maximum number of moves in a record.
    pub const MOVES: usize = 12;
    /// The share of a move that has all the visits.
    pub const ALL: u16 = u16::MAX;

    /// Makes a record from a position and the visits of its moves, each move once. Without visits, for example because
    /// no search was needed or a win was proven, the move played has all of them.
    pub fn new(record: &Record, visits: &[(Move, u64)]) -> Self {
        let total: u128 = visits.iter().map(|(_, visits)| u128::from(*visits)).sum();
        let share = |visits: u64| (u128::from(visits) * u128::from(Self::ALL)).checked_div(total).unwrap_or(0) as u16;
        let code = |mv: Move| u16::try_from(mv.code()).ok();
        let mut shares: Vec<(u16, u16)> = visits
            .iter()
            .filter_map(|&(mv, visits)| Some((code(mv)?, share(visits))))
            .filter(|(_, share)| *share > 0)
            .collect();
        if shares.is_empty() {
            shares.extend(record.best().and_then(code).map(|code| (code, Self::ALL)));
        }
        // By descending share, then by code, so that a position has exactly one record.
        shares.sort_by_key(|&(code, share)| (std::cmp::Reverse(share), code));
        let mut bytes = [0; Self::BYTES];
        let (labelled, places) = bytes.split_at_mut(Record::BYTES);
        labelled.copy_from_slice(record.as_bytes());
        for (place, (code, share)) in places.as_chunks_mut::<4>().0.iter_mut().zip(shares) {
            let ([c0, c1], [s0, s1]) = (code.to_le_bytes(), share.to_le_bytes());
            *place = [c0, c1, s0, s1];
        }
        Self(bytes)
    }

    /// Makes a record from bytes without checking them: see [`VisitRecord::check`].
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes as stored.
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// The position with its labels.
    pub fn record(&self) -> Record {
        let mut bytes = [0; Record::BYTES];
        bytes.copy_from_slice(&self.0[..Record::BYTES]);
        Record::from_bytes(bytes)
    }

    /// The moves with their shares, the most visited first. Invalid codes of a damaged record are skipped.
    pub fn shares(&self) -> impl Iterator<Item = (Move, u16)> + '_ {
        self.places()
            .take_while(|(_, share)| *share > 0)
            .filter_map(|(code, share)| Some((Move::from_code(code)?, share)))
    }

    /// Checks every field of the record.
    ///
    /// # Errors
    /// The first error found.
    pub fn check(&self) -> Result<(), RecordError> {
        let record = self.record();
        record.check()?;
        let position = record.position()?;
        let (mut before, mut total) = ((u16::MAX, 0), 0_u32);
        for (code, share) in self.places() {
            let is_unused = (code, share) == (0, 0);
            let in_order = (std::cmp::Reverse(before.0), before.1) < (std::cmp::Reverse(share), code);
            let is_first = total == 0;
            if is_unused && !is_first {
                before = (0, 0);
                continue;
            }
            let mv = Move::from_code(code).filter(|&mv| position.is_legal(mv)).ok_or(RecordError::Visits)?;
            if mv.to().is_none() || share == 0 || !(is_first || in_order) {
                return Err(RecordError::Visits);
            }
            (before, total) = ((share, code), total + u32::from(share));
        }
        let codes: Vec<u32> = self.shares().map(|(mv, _)| mv.code()).collect();
        let is_twice = codes.iter().enumerate().any(|(at, code)| codes[..at].contains(code));
        if is_twice || total > u32::from(Self::ALL) { Err(RecordError::Visits) } else { Ok(()) }
    }

    /// The codes of moves with their shares, unused places included.
    fn places(&self) -> impl Iterator<Item = (u32, u16)> + '_ {
        let places = self.0[Record::BYTES..].as_chunks::<4>().0.iter();
        places.map(|&[c0, c1, s0, s1]| (u16::from_le_bytes([c0, c1]).into(), u16::from_le_bytes([s0, s1])))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::records;
    use super::*;
    use engine::MoveList;

    /// A change that damages the places of a record.
    type Change<'a> = &'a dyn Fn(&mut [u8]);

    fn legal(record: &Record) -> Vec<Move> {
        let mut legal = MoveList::new();
        record.position().unwrap().legal_moves(&mut legal);
        legal.iter().copied().collect()
    }

    #[test]
    fn shares_are_of_all_visits_and_the_most_visited_moves_are_kept() {
        let record = records(40).into_iter().find(|record| legal(record).len() > 20).unwrap();
        let moves = legal(&record);
        let visits: Vec<_> = moves.iter().zip(1_u64..).take(20).map(|(&mv, visits)| (mv, visits)).collect();
        let of_visits = VisitRecord::new(&record, &visits);
        assert_eq!((of_visits.record(), of_visits.check()), (record, Ok(())));
        let shares: Vec<_> = of_visits.shares().collect();
        let expected: Vec<_> =
            (0..12).map(|place| (moves[19 - place], ((20 - place as u64) * 65_535 / 210) as u16)).collect();
        assert_eq!(shares, expected);
        assert_eq!(VisitRecord::from_bytes(*of_visits.as_bytes()), of_visits);
        let reversed: Vec<_> = visits.iter().rev().copied().collect();
        assert_eq!(VisitRecord::new(&record, &reversed), of_visits, "the order of the search is not stored");
    }

    #[test]
    fn without_a_search_the_move_that_was_played_has_all() {
        let record = records(1)[0];
        let shares: Vec<_> = VisitRecord::new(&record, &[]).shares().collect();
        assert_eq!(shares, [(record.best().unwrap(), VisitRecord::ALL)]);
    }

    #[test]
    fn what_no_search_can_say_is_refused() {
        let record = records(40).into_iter().find(|record| legal(record).len() > 3).unwrap();
        let moves = legal(&record);
        let good = VisitRecord::new(&record, &[(moves[0], 5), (moves[1], 3), (moves[2], 1)]);
        assert_eq!(good.check(), Ok(()));
        let with = |change: &dyn Fn(&mut [u8])| {
            let mut bytes = *good.as_bytes();
            change(&mut bytes[Record::BYTES..]);
            VisitRecord::from_bytes(bytes).check()
        };
        let cases: [(&str, Change<'_>); 6] = [
            ("nothing is visited", &|places| places.fill(0)),
            ("an illegal move", &|places| places[..2].fill(0)),
            ("a move without a share", &|places| places[2..4].fill(0)),
            ("rising shares", &|places| places[..8].rotate_left(4)),
            ("a gap", &|places| places[4..8].fill(0)),
            ("more than all", &|places| places[2..4].fill(255)),
        ];
        for (what, change) in cases {
            assert_eq!(with(change), Err(RecordError::Visits), "{what}");
        }
        assert!(matches!(
            VisitRecord::from_bytes([0xff; VisitRecord::BYTES]).check(),
            Err(RecordError::Pieces | RecordError::NotInPlay { .. } | RecordError::Position(_))
        ));
    }
}
