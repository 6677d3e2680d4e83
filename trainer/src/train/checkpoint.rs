//! Checkpoints: everything a training needs to resume as if it had never stopped.
//!
//! ```text
//!  0  8B   "spar-fit"
//!  8  u32  bytes of the text
//! 12  text  JSON: what is trained on what, and how far it is
//!     f32  all weights with the optimiser's numbers, in the model's order, little endian
//!     u32  CRC-32 of everything before
//! ```
//!
//! A checkpoint replaces its predecessor atomically: a kill at any moment leaves one of the two.

use super::error::{CheckpointFault, TrainError};
use super::task::Task;
use arena::run::replace_file;
use serde::{Deserialize, Serialize};
use std::path::Path;

const MAGIC: &[u8; 8] = b"spar-fit";

/// Writes a checkpoint of this state and model, in place of the last one.
///
/// # Errors
/// [`TrainError::NotFinite`] if a weight is not a finite number, and I/O errors; the last checkpoint then stays.
pub(super) fn write<M: Task>(path: &Path, state: &impl Serialize, step: u64, model: &M) -> Result<(), TrainError> {
    let text = serde_json::to_vec(state).map_err(std::io::Error::from)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&text);
    for weights in model.weights() {
        for numbers in weights.state() {
            if !numbers.iter().all(|number| number.is_finite()) {
                return Err(TrainError::NotFinite { what: "value of a weight", step });
            }
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    Ok(replace_file(path, &bytes)?)
}

/// Reads the state of a checkpoint and its weights; `None` if there is no checkpoint.
///
/// # Errors
/// [`TrainError::Checkpoint`] for a file that is not a checkpoint, and I/O errors.
pub(super) fn read<S: for<'a> Deserialize<'a>>(path: &Path) -> Result<Option<(S, Vec<f32>)>, TrainError> {
    let bytes = match fs_err::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    parse(&bytes).map(Some).map_err(|fault| TrainError::Checkpoint { path: path.to_owned(), fault })
}

fn parse<S: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Result<(S, Vec<f32>), CheckpointFault> {
    let damaged = CheckpointFault::Damaged;
    let Some((content, checksum)) = bytes.split_last_chunk::<4>() else { return Err(CheckpointFault::Foreign) };
    let rest = content.strip_prefix(MAGIC).ok_or(CheckpointFault::Foreign)?;
    if crc32fast::hash(content).to_le_bytes() != *checksum {
        return Err(damaged);
    }
    let (length, rest) = rest.split_first_chunk::<4>().ok_or(CheckpointFault::Damaged)?;
    let (text, numbers) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(damaged)?;
    let state = serde_json::from_slice(text).map_err(|_| CheckpointFault::Damaged)?;
    Ok((state, numbers.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect()))
}

/// Puts the numbers of a checkpoint into the model; `false` if their number does not match.
pub(super) fn put<M: Task>(model: &mut M, mut numbers: &[f32]) -> bool {
    for weights in model.weights_mut() {
        for place in weights.state_mut() {
            let Some((these, rest)) = numbers.split_at_checked(place.len()) else { return false };
            place.copy_from_slice(these);
            numbers = rest;
        }
    }
    model.replaced();
    numbers.is_empty()
}
