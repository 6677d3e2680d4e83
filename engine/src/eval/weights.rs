//! Weights files: a header, the weights as numbers of variable length, and a checksum.
//!
//! Owns the coding of numbers and the errors of damaged files; `network`, `wazir_piece_square`, `policy` and the book
//! of setups, whose file has the same form, interpret the numbers. All is little endian:
//!
//! | bytes | |
//! |---|---|
//! | 8 | `spar-wps`, `spar-net`, `spar-pol` or `spar-set` |
//! | 2 | version of the format, 1 |
//! | 2 each | the sizes of the model |
//! | | the weights, in the order of the model |
//! | 8 | FNV-1a hash of everything before it |
//!
//! Weights are zigzag-coded (0, -1, 1, -2, ... are 0, 1, 2, 3, ...), seven bits a byte, lowest first. The eighth bit is
//! set in all bytes of a number but the last.

use super::list::{listed, MAGICS};
use std::fmt;

/// The version written, and the only one read.
const VERSION: u16 = 1;
/// The size of the checksum in bytes.
const CHECK: usize = 8;

/// Why bytes are not weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsError {
    /// The bytes do not start like a file of this model.
    Foreign {
        /// The eight bytes expected.
        expected: &'static str,
    },
    /// The bytes do not start like any weights file.
    Unknown,
    /// The format has another version.
    Version {
        /// The version found.
        found: u16,
    },
    /// The bytes are truncated or corrupt.
    Damaged,
    /// A size or a weight exceeds the model's limits.
    Architecture {
        /// The value that is wrong.
        what: &'static str,
        /// The value found.
        found: i64,
    },
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign { expected } => {
                write!(f, "not a file of weights of this kind: it does not begin with `{expected}`")
            }
            Self::Unknown => {
                let magics = listed(MAGICS.iter().copied().flatten(), "nor");
                write!(f, "not a file of weights: it begins with neither {magics}")
            }
            Self::Version { found } => {
                write!(f, "weights of format version {found}; this build reads version {VERSION}")
            }
            Self::Damaged => f.write_str("the weights are cut short or damaged: their check sum is wrong"),
            Self::Architecture { what, found } => write!(f, "weights of another architecture: {what}, not {found}"),
        }
    }
}

impl std::error::Error for WeightsError {}

/// FNV-1a, 64 bits: distinguishes networks, and detects damaged files.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Writes a file of weights.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn new(magic: &str, sizes: &[u16]) -> Self {
        let mut bytes = magic.as_bytes().to_vec();
        for size in [VERSION].iter().chain(sizes) {
            bytes.extend_from_slice(&size.to_le_bytes());
        }
        Self(bytes)
    }

    pub(crate) fn number(&mut self, number: i32) {
        let mut rest = (number << 1 ^ number >> 31) as u32;
        while rest > 127 {
            self.0.push(rest as u8 | 128);
            rest >>= 7;
        }
        self.0.push(rest as u8);
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        let check = hash(&self.0);
        self.0.extend_from_slice(&check.to_le_bytes());
        self.0
    }
}

/// Reads a weights file with a correct checksum.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Returns a reader positioned after the header, and the sizes.
    pub(crate) fn new<const SIZES: usize>(
        bytes: &'a [u8],
        magic: &'static str,
    ) -> Result<(Self, [u16; SIZES]), WeightsError> {
        let rest = bytes.strip_prefix(magic.as_bytes()).ok_or(WeightsError::Foreign { expected: magic })?;
        let (version, rest) = u16_of(rest)?;
        if version != VERSION {
            return Err(WeightsError::Version { found: version });
        }
        let content = bytes.len().checked_sub(CHECK).ok_or(WeightsError::Damaged)?;
        let (content, check) = bytes.split_at(content);
        if hash(content).to_le_bytes() != check {
            return Err(WeightsError::Damaged);
        }
        let mut rest = rest.get(..rest.len().saturating_sub(CHECK)).ok_or(WeightsError::Damaged)?;
        let mut sizes = [0; SIZES];
        for size in &mut sizes {
            (*size, rest) = u16_of(rest)?;
        }
        Ok((Self(rest), sizes))
    }

    pub(crate) fn number(&mut self) -> Result<i32, WeightsError> {
        let (mut value, mut shift) = (0_u32, 0);
        loop {
            let (&byte, rest) = self.0.split_first().ok_or(WeightsError::Damaged)?;
            self.0 = rest;
            value |= u32::from(byte & 127).checked_shl(shift).ok_or(WeightsError::Damaged)?;
            shift += 7;
            if byte < 128 {
                return Ok((value >> 1) as i32 ^ -((value & 1) as i32));
            }
        }
    }

    /// Checks that nothing follows the last weight.
    pub(crate) fn finish(self) -> Result<(), WeightsError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(WeightsError::Damaged)
        }
    }
}

fn u16_of(bytes: &[u8]) -> Result<(u16, &[u8]), WeightsError> {
    match *bytes {
        [low, high, ref rest @ ..] => Ok((u16::from_le_bytes([low, high]), rest)),
        _ => Err(WeightsError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::{Reader, WeightsError, Writer};

    #[test]
    fn numbers_are_read_back() {
        let numbers = [0, 1, -1, 63, -64, 64, -65, 8191, -8192, 8192, i32::MAX, i32::MIN];
        let mut writer = Writer::new("test-abc", &[7, 9]);
        for number in numbers {
            writer.number(number);
        }
        let bytes = writer.finish();
        let (mut reader, sizes) = Reader::new(&bytes, "test-abc").unwrap();
        assert_eq!(sizes, [7, 9]);
        assert_eq!(numbers.map(|_| reader.number().unwrap()), numbers);
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_an_error() {
        let mut writer = Writer::new("test-abc", &[7]);
        (-300..300).for_each(|number| writer.number(number));
        let bytes = writer.finish();
        let read = |bytes: &[u8]| Reader::new::<1>(bytes, "test-abc").map(|_| ());
        assert_eq!(read(&bytes), Ok(()));
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "{end} bytes");
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 4;
            assert!(read(&changed).is_err(), "byte {place}");
        }
        assert_eq!(read(b"something else"), Err(WeightsError::Foreign { expected: "test-abc" }));
    }
}
