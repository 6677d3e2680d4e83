//! Blocks: the units of a file of positions. Each has a header and a checksum, and stands alone.
//!
//! ```text
//!  0  4B   "SPRP"
//!  4  u8   version: 1
//!  5  u8   kind: 1 positions, 2 provenance, 3 positions with visit shares
//!  6  u16  bytes of one record: 38 for positions, 1 for provenance, 86 for positions with visit shares
//!  8  u32  records: 1 to 4,096 positions, or the bytes of the provenance's text, at most 1 MiB
//! 12  u32  CRC-32 (ISO-HDLC, as in gzip and PNG) of the 12 bytes above and the payload
//! 16       the payload: records, or a JSON object as UTF-8
//! ```
//!
//! Numbers are little endian. Provenance stands before the positions that it describes. [`record`](super::record) and
//! `visits` define the contents of a record; [`positions`](super::Positions) opens a whole file.

use super::error::{DataError, Fault};
use super::record::Record;
use super::visits::VisitRecord;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The maximum number of records in a block.
pub const BLOCK_RECORDS: usize = 4_096;
/// The format's version.
pub const VERSION: u8 = 1;

/// The magic bytes at the start of a block.
pub(super) const MAGIC: [u8; 4] = *b"SPRP";
/// Bytes of a header.
pub(super) const HEADER_BYTES: usize = 16;
/// The maximum length of a provenance text, in bytes.
pub(super) const PROVENANCE_BYTES: usize = 1 << 20;

/// The contents of a block's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Positions = 1,
    Provenance = 2,
    Visits = 3,
}

/// A header that has been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) count: usize,
    pub(super) checksum: u32,
}

impl Header {
    pub(super) fn read(bytes: &[u8; HEADER_BYTES]) -> Result<Self, Fault> {
        let [m0, m1, m2, m3, version, kind, width0, width1, c0, c1, c2, c3, s0, s1, s2, s3] = *bytes;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(Fault::Foreign);
        }
        if version != VERSION {
            return Err(Fault::Version { found: version, reads: VERSION });
        }
        let count = u32::from_le_bytes([c0, c1, c2, c3]) as usize;
        let (kind, most) = match kind {
            1 => (Kind::Positions, BLOCK_RECORDS),
            2 => (Kind::Provenance, PROVENANCE_BYTES),
            3 => (Kind::Visits, BLOCK_RECORDS),
            _ => return Err(Fault::Header),
        };
        let width = u16::from_le_bytes([width0, width1]) as usize;
        if width != kind.width() || !(1..=most).contains(&count) {
            return Err(Fault::Header);
        }
        Ok(Self { kind, count, checksum: u32::from_le_bytes([s0, s1, s2, s3]) })
    }

    /// Returns the header for a payload.
    pub(super) fn of(kind: Kind, payload: &[u8]) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&[VERSION, kind as u8]);
        bytes[6..8].copy_from_slice(&(kind.width() as u16).to_le_bytes());
        bytes[8..12].copy_from_slice(&((payload.len() / kind.width()) as u32).to_le_bytes());
        let checksum = checksum(&bytes, payload);
        bytes[12..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    pub(super) fn payload_bytes(&self) -> usize {
        self.count * self.kind.width()
    }

    /// Checks the payload against the checksum in the header.
    pub(super) fn verify(&self, header: &[u8; HEADER_BYTES], payload: &[u8]) -> Result<(), Fault> {
        let found = checksum(header, payload);
        if found == self.checksum { Ok(()) } else { Err(Fault::Checksum { found, expected: self.checksum }) }
    }
}

impl Kind {
    /// Bytes of one record.
    pub(super) const fn width(self) -> usize {
        match self {
            Self::Positions => Record::BYTES,
            Self::Visits => VisitRecord::BYTES,
            Self::Provenance => 1,
        }
    }
}

fn checksum(header: &[u8; HEADER_BYTES], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header[..12]);
    hasher.update(payload);
    hasher.finalize()
}

/// A block whose checksum holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The start of the block, in bytes from the start of the file.
    pub offset: u64,
    /// The contents.
    pub payload: Payload,
}

/// The contents of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Positions, 1 to [`BLOCK_RECORDS`].
    Positions(Vec<Record>),
    /// Positions with visit shares, 1 to [`BLOCK_RECORDS`].
    Visits(Vec<VisitRecord>),
    /// The source of the positions that follow: a JSON object.
    Provenance(String),
}

impl Payload {
    pub(super) fn read(kind: Kind, payload: &[u8]) -> Result<Self, Fault> {
        match kind {
            Kind::Positions => Ok(Self::Positions(records(payload, kind).collect())),
            Kind::Visits => Ok(Self::Visits(visits(payload).collect())),
            Kind::Provenance => provenance(payload).map(|text| Self::Provenance(text.to_owned())),
        }
    }
}

/// The records of a payload of positions; visit shares are dropped.
pub(super) fn records(payload: &[u8], kind: Kind) -> impl ExactSizeIterator<Item = Record> + '_ {
    payload.chunks_exact(kind.width()).map(|bytes| {
        let mut record = [0; Record::BYTES];
        record.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        Record::from_bytes(record)
    })
}

/// The records of a payload of positions with visit shares.
pub(super) fn visits(payload: &[u8]) -> impl ExactSizeIterator<Item = VisitRecord> + '_ {
    payload.as_chunks().0.iter().map(|bytes| VisitRecord::from_bytes(*bytes))
}

/// Returns a payload as the text of provenance.
pub(super) fn provenance(payload: &[u8]) -> Result<&str, Fault> {
    let text = std::str::from_utf8(payload).map_err(|error| Fault::Provenance(error.to_string()))?;
    let object: Result<serde_json::Map<_, _>, _> = serde_json::from_str(text);
    object.map(|_| text).map_err(|error| Fault::Provenance(error.to_string()))
}

/// The blocks of a stream, each checked. Iteration ends after an error.
///
/// ```
/// use trainer::data::{Blocks, Payload, PositionsWriter};
///
/// let mut file = Vec::new();
/// PositionsWriter::new(&mut file, Some(r#"{"run":"first"}"#))?.finish()?;
/// let blocks: Vec<_> = Blocks::new(&file[..], "a.positions").collect::<Result<_, _>>()?;
/// assert_eq!(blocks[0].payload, Payload::Provenance(r#"{"run":"first"}"#.to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Blocks<R> {
    from: R,
    path: PathBuf,
    offset: u64,
    ended: bool,
}

impl<R: Read> Blocks<R> {
    /// Reads blocks from `from`, which should be buffered; errors name `path`.
    pub fn new(from: R, path: impl AsRef<Path>) -> Self {
        Self { from, path: path.as_ref().to_owned(), offset: 0, ended: false }
    }

    fn read(&mut self) -> Result<Option<Payload>, DataError> {
        let mut head = [0; HEADER_BYTES];
        match self.fill(&mut head)? {
            0 => return Ok(None),
            HEADER_BYTES => {}
            short => return Err(self.fault(Fault::Truncated { missing: (HEADER_BYTES - short) as u64 })),
        }
        let header = Header::read(&head).map_err(|fault| self.fault(fault))?;
        let mut payload = vec![0; header.payload_bytes()];
        let found = self.fill(&mut payload)?;
        if found < payload.len() {
            return Err(self.fault(Fault::Truncated { missing: (payload.len() - found) as u64 }));
        }
        let read = header.verify(&head, &payload).and_then(|()| Payload::read(header.kind, &payload));
        read.map(Some).map_err(|fault| self.fault(fault))
    }

    /// Fills `buffer` as far as the input reaches and returns the number of bytes read.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, DataError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.from.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(filled)
    }

    fn fault(&self, fault: Fault) -> DataError {
        DataError::Block { path: self.path.clone(), offset: self.offset, fault }
    }
}

impl<R: Read> Iterator for Blocks<R> {
    type Item = Result<Block, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.read();
        let offset = self.offset;
        match read {
            Ok(Some(payload)) => {
                let bytes = match &payload {
                    Payload::Positions(records) => records.len() * Record::BYTES,
                    Payload::Visits(records) => records.len() * VisitRecord::BYTES,
                    Payload::Provenance(text) => text.len(),
                };
                self.offset += (HEADER_BYTES + bytes) as u64;
                Some(Ok(Block { offset, payload }))
            }
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(error) => {
                self.ended = true;
                Some(Err(error))
            }
        }
    }
}
