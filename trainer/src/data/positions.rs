//! Files of positions mapped into memory: random access, and only requested records are copied.
//!
//! Opening reads the headers of the blocks; [`Positions::verify`] checks their checksums.

use super::block::{HEADER_BYTES, Header, Kind, provenance, records, visits};
use super::error::{DataError, Fault};
use super::record::Record;
use super::visits::VisitRecord;
use fs_err::File;
use memmap2::Mmap;
use std::path::{Path, PathBuf};

/// The positions of one or more files, in order, as one sequence.
pub struct Positions {
    files: Vec<Mapped>,
    blocks: Vec<Place>,
    provenance: Vec<String>,
    len: usize,
}

struct Mapped {
    path: PathBuf,
    /// The mapped bytes; `None` for an empty file, which cannot be mapped.
    bytes: Option<Mmap>,
}

/// The location of a block of positions.
#[derive(Clone, Copy)]
struct Place {
    file: usize,
    /// The offset of the header.
    offset: usize,
    /// The kind: positions with or without visit shares.
    kind: Kind,
    /// The number of the first record in the whole sequence.
    first: usize,
    count: usize,
}

impl Positions {
    /// Opens files, whose headers must be whole. Nothing may truncate them while they are open: reading a truncated
    /// part of a mapped file kills the process.
    ///
    /// # Errors
    /// For a file that cannot be opened, and for the first invalid block, with its offset.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Self, DataError> {
        let mut positions = Self { files: Vec::new(), blocks: Vec::new(), provenance: Vec::new(), len: 0 };
        for path in paths {
            positions.add(Mapped::open(path.as_ref())?)?;
        }
        Ok(positions)
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of blocks of positions.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The provenance of the positions, in order: JSON objects.
    pub fn provenance(&self) -> &[String] {
        &self.provenance
    }

    /// The record with this number.
    pub fn get(&self, index: usize) -> Option<Record> {
        if index >= self.len {
            return None;
        }
        let block = self.blocks.get(self.blocks.partition_point(|block| block.first <= index).checked_sub(1)?)?;
        let at = HEADER_BYTES + (index - block.first) * block.kind.width();
        self.bytes(block).get(at..)?.first_chunk().map(|bytes| Record::from_bytes(*bytes))
    }

    /// The records of a block, by the block's number; visit shares are dropped.
    pub fn block(&self, number: usize) -> impl ExactSizeIterator<Item = Record> + '_ {
        let (kind, payload) = self.payload(number);
        records(payload, kind)
    }

    /// The records of a block with their visit shares, by the block's number; `None` if it has no visit shares.
    pub fn visits(&self, number: usize) -> Option<impl ExactSizeIterator<Item = VisitRecord> + '_> {
        let (kind, payload) = self.payload(number);
        (kind == Kind::Visits).then(|| visits(payload))
    }

    /// The file of a block, by its number.
    pub fn file(&self, number: usize) -> &Path {
        let block = self.blocks.get(number).and_then(|block| self.files.get(block.file));
        block.map_or(Path::new(""), |file| &file.path)
    }

    /// The payload of a block, by its number; empty if there is no such block.
    fn payload(&self, number: usize) -> (Kind, &[u8]) {
        let found = self.blocks.get(number).map(|block| (block.kind, &self.bytes(block)[HEADER_BYTES..]));
        found.unwrap_or((Kind::Positions, &[]))
    }

    /// All records, in order.
    pub fn iter(&self) -> impl Iterator<Item = Record> + '_ {
        (0..self.blocks.len()).flat_map(|number| self.block(number))
    }

    /// Checks the checksums of all blocks of positions.
    ///
    /// # Errors
    /// For the first wrong checksum.
    pub fn verify(&self) -> Result<(), DataError> {
        self.blocks.iter().try_for_each(|block| self.files[block.file].verify(block.offset))
    }

    fn add(&mut self, file: Mapped) -> Result<(), DataError> {
        let number = self.files.len();
        let (mut offset, mut previous) = (0, None);
        while offset < file.bytes().len() {
            // A wrong length in the previous header leads to a wrong offset.
            let (header, end) =
                file.header(offset).or_else(|error| previous.map_or(Ok(()), |at| file.verify(at)).and(Err(error)))?;
            match header.kind {
                kind @ (Kind::Positions | Kind::Visits) => {
                    self.blocks.push(Place { file: number, offset, kind, first: self.len, count: header.count });
                    self.len += header.count;
                }
                Kind::Provenance => {
                    file.verify(offset)?;
                    let text = provenance(&file.bytes()[offset + HEADER_BYTES..end]);
                    self.provenance.push(text.map_err(|fault| file.fault(offset, fault))?.to_owned());
                }
            }
            (offset, previous) = (end, Some(offset));
        }
        self.files.push(file);
        Ok(())
    }

    /// The bytes of a block, header first. Opening the file checked that they exist.
    fn bytes(&self, block: &Place) -> &[u8] {
        let end = block.offset + HEADER_BYTES + block.count * block.kind.width();
        &self.files[block.file].bytes()[block.offset..end]
    }
}

impl Mapped {
    fn open(path: &Path) -> Result<Self, DataError> {
        Ok(Self { path: path.to_owned(), bytes: map(path)? })
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_default()
    }

    /// The header of the block at `offset`, and where the block ends.
    fn header(&self, offset: usize) -> Result<(Header, usize), DataError> {
        let rest = &self.bytes()[offset..];
        let truncated = |length: usize| {
            let missing = (length - rest.len()) as u64;
            self.fault(offset, Fault::Truncated { missing })
        };
        let head = rest.first_chunk().ok_or_else(|| truncated(HEADER_BYTES))?;
        let header = Header::read(head).map_err(|fault| self.fault(offset, fault))?;
        let length = HEADER_BYTES + header.payload_bytes();
        if length > rest.len() {
            return Err(truncated(length));
        }
        Ok((header, offset + length))
    }

    /// Checks the checksum of the block at `offset`.
    fn verify(&self, offset: usize) -> Result<(), DataError> {
        let (header, end) = self.header(offset)?;
        let Some((head, payload)) = self.bytes()[offset..end].split_first_chunk() else { return Ok(()) };
        header.verify(head, payload).map_err(|fault| self.fault(offset, fault))
    }

    fn fault(&self, offset: usize, fault: Fault) -> DataError {
        DataError::Block { path: self.path.clone(), offset: offset as u64, fault }
    }
}

/// Maps a file; `None` for an empty one, which cannot be mapped.
#[expect(unsafe_code, reason = "mapping a file is unsafe: others can change it")]
pub(super) fn map(path: &Path) -> std::io::Result<Option<Mmap>> {
    let file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(None);
    }
    // SAFETY: the map is read only. If another process changes the file while it is mapped, other bytes appear, and any
    // bytes are a valid `[u8]`; every use of them is checked. spar writes a file of positions to a temporary file and
    // moves it into place, so spar itself never changes an open one. If another process truncates the file, a signal
    // ends this process, which `open` documents.
    unsafe { Mmap::map(file.file()) }.map(Some)
}
