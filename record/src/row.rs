//! The bytes of what a journal keeps: the version of the types, then their `postcard` encoding.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of the types of this crate as bytes. A change to one of them raises it, and keeps a reader for the
/// version before.
pub const VERSION: u8 = 1;

/// Bytes that are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// They are of another version.
    #[error("its bytes have version {found}, and this spar reads version {VERSION}")]
    Version {
        /// Their version.
        found: u8,
    },
    /// They were cut short, or are something else.
    #[error("{0}")]
    Malformed(postcard::Error),
}

/// As bytes.
///
/// # Errors
/// What has no bytes: nothing of this crate.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_extend(value, vec![VERSION])
}

/// From bytes.
///
/// # Errors
/// [`RowError`], also if anything stands behind the value.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, RowError> {
    let malformed = RowError::Malformed;
    match bytes.split_first() {
        Some((&VERSION, rest)) => match postcard::take_from_bytes(rest).map_err(malformed)? {
            (value, []) => Ok(value),
            _ => Err(malformed(postcard::Error::DeserializeBadEncoding)),
        },
        Some((&found, _)) => Err(RowError::Version { found }),
        None => Err(malformed(postcard::Error::DeserializeUnexpectedEnd)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AdjudicatedBy, BySide, Circumstances, DrawRule, Ending, Evaluation, Fault, GameRecord, GameTimes, MoveInfo,
        PairResult, Proposal, Side, Sides, TrackPly, WinRule,
    };
    use std::time::Duration;

    fn proposal() -> Proposal {
        let mut proposal = Proposal { sides: Sides::Single(Side::Second), limit: Some(3), ..Proposal::of(1, 300, 7) };
        proposal.seats[1].values = vec![0.5];
        proposal
    }

    fn endings() -> Vec<Ending> {
        use DrawRule::{
            Agreement, FiftyMoves, InsufficientMaterial, NoMove, PlyLimit, Repetition, Stalemate, Timeout, Variant,
        };
        let wins = [WinRule::WazirCaptured, WinRule::Checkmate, WinRule::Resignation, WinRule::Variant];
        let draws =
            [PlyLimit, NoMove, Stalemate, Repetition, FiftyMoves, InsufficientMaterial, Variant, Agreement, Timeout];
        let over = Duration::from_millis(2_001);
        let text = || "x".to_owned();
        let faults = [
            Fault::Crash(text()),
            Fault::IllegalMove(text()),
            Fault::Time { over },
            Fault::Silence { after: over },
            Fault::Startup(text()),
            Fault::FalseClaim(text()),
        ];
        let early = [AdjudicatedBy::Draw, AdjudicatedBy::Resign, AdjudicatedBy::MaxPlies, AdjudicatedBy::Tables];
        let wins = wins.map(|by| Ending::Win { winner: Side::Second, by });
        let draws = draws.map(|by| Ending::Draw { by });
        let faults = faults.map(|fault| Ending::Forfeit { loser: Side::First, fault });
        let early = early.map(|by| Ending::Adjudicated { winner: Some(Side::First), by });
        wins.into_iter().chain(draws).chain(faults).chain(early).collect()
    }

    fn track() -> Vec<TrackPly> {
        let scores = [None, Some(Evaluation::Logit(-3)), Some(Evaluation::Centipawns(40)), Some(Evaluation::Mate(-2))];
        let info = |score| MoveInfo {
            score,
            depth: 9,
            seldepth: 12,
            nodes: 1_000,
            tbhits: 5,
            hashfull: 77,
            time: Some(Duration::from_millis(6)),
        };
        let ply = |score| TrackPly { info: info(score), wall: Duration::from_millis(7), left: Duration::from_secs(8) };
        scores.map(ply).to_vec()
    }

    fn times() -> GameTimes {
        let by_side =
            |first, second| BySide { first: Duration::from_millis(first), second: Duration::from_millis(second) };
        GameTimes {
            began_unix_ms: 1_700_000_000_000,
            lasted: Duration::from_millis(1_701),
            thinking: by_side(900, 800),
            delayed: by_side(30, 40),
            decisive: by_side(0, 7),
        }
    }

    fn result() -> PairResult {
        let mut circumstances =
            Circumstances { times: times(), evidence: Some("?".to_owned()), ..Circumstances::default() };
        circumstances.lines = vec![vec!["info depth 1".to_owned()], Vec::new()];
        circumstances.move_times.first.add(Duration::from_millis(3), Some(Duration::from_millis(2)));
        let game = |ending| GameRecord {
            moves: vec![5, 300, 70_000],
            ending,
            nodes: BySide { first: 1, second: 200 },
            track: track(),
            circumstances: circumstances.clone(),
        };
        PairResult {
            pair: 41,
            start: Some("a start".to_owned()),
            opening: vec![77, 99],
            sides: Sides::Reversed,
            games: endings().into_iter().take(2).map(game).collect(),
            took: Duration::from_secs(3),
        }
    }

    fn digits(bytes: &[u8]) -> String {
        let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).expect("a nibble");
        bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect()
    }

    /// A change to one of these texts changes the content of journals: raise [`VERSION`], and keep a reader for the
    /// earlier types.
    #[test]
    fn bytes_stay_what_they_are() {
        let bytes = |value: Result<Vec<u8>, postcard::Error>| digits(&value.expect("bytes"));
        assert_eq!(bytes(to_bytes(&proposal())), "010100ac0201000000000000e03f0703010103");
        assert_eq!(
            bytes(to_bytes(&endings())),
            concat!(
                "01170001000001010001020001030100010101020103010401050106010701080200000178020001017802000202c0843d02",
                "000302c0843d0200040178020005017803010000030100010301000203010003",
            )
        );
        assert_eq!(
            bytes(to_bytes(&track())),
            concat!(
                "010400090ce807054d0100809bee0200c09fab030800010005090ce807054d0100809bee0200c09fab030800010150090ce8",
                "07054d0100809bee0200c09fab030800010203090ce807054d0100809bee0200c09fab030800",
            )
        );
        assert_eq!(
            bytes(to_bytes(&(Duration::from_secs(3), [times()]))),
            "01030080d095ffbc3101c0d2a1ce020080d293ad03008090bcfd02008087a70e0080b48913000000c09fab03"
        );
        assert_eq!(
            bytes(to_bytes(&result())),
            concat!(
                "0129010761207374617274024d6301020305ac02f0a20400010001c8010400090ce807054d0100809bee0200c09fab030800",
                "010005090ce807054d0100809bee0200c09fab030800010150090ce807054d0100809bee0200c09fab030800010203090ce8",
                "07054d0100809bee0200c09fab03080080d095ffbc3101c0d2a1ce020080d293ad03008090bcfd02008087a70e0080b48913",
                "000000c09fab0301013f47000000000000000000000000000000000000000000000000000000000000000000000000000000",
                "000000000000000000000000000000000000000000000000000000000000000100c08db7013d000000000000000000000000",
                "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100",
                "c0843d00000080897a0000000000000000000002010c696e666f2064657074682031000305ac02f0a20400010101c8010400",
                "090ce807054d0100809bee0200c09fab030800010005090ce807054d0100809bee0200c09fab030800010150090ce807054d",
                "0100809bee0200c09fab030800010203090ce807054d0100809bee0200c09fab03080080d095ffbc3101c0d2a1ce020080d2",
                "93ad03008090bcfd02008087a70e0080b48913000000c09fab0301013f470000000000000000000000000000000000000000",
                "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
                "0100c08db7013d00000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
                "00000000000000000000000000000000000100c0843d00000080897a0000000000000000000002010c696e666f2064657074",
                "682031000300",
            )
        );
    }

    #[test]
    fn what_was_written_is_read_and_nothing_else_is() {
        let bytes = to_bytes(&result()).expect("bytes");
        assert_eq!(from_bytes::<PairResult>(&bytes), Ok(result()));
        for cut in 0..bytes.len() {
            assert!(from_bytes::<PairResult>(&bytes[..cut]).is_err(), "cut after {cut} bytes");
        }
        assert!(from_bytes::<PairResult>(&[&bytes[..], &[0]].concat()).is_err());
        let later = [&[VERSION + 1], &bytes[1..]].concat();
        assert_eq!(from_bytes::<PairResult>(&later), Err(RowError::Version { found: VERSION + 1 }));
    }
}
