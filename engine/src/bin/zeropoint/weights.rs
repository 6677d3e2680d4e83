//! The file of weights that a user names.
//!
//! Owns when it is read: once, when its weights are needed first. What its bytes mean is for `engine::eval`.

use engine::protocol::uci::EMPTY;
use engine::{Evaluator, WeightsError};
use std::fmt;
use std::io;

/// A file of weights, or none.
#[derive(Default)]
pub(crate) struct WeightsFile {
    /// Empty for none.
    path: String,
    weights: Option<Evaluator>,
}

impl WeightsFile {
    /// Names another file, which is read anew even if it is the same.
    pub(crate) fn set(&mut self, path: &str) {
        let path = if path == EMPTY { "" } else { path };
        *self = Self { path: path.to_owned(), weights: None };
    }

    /// The evaluation with the weights of the file, if there is one.
    ///
    /// # Errors
    /// The file cannot be read, or holds no weights.
    pub(crate) fn read(&mut self) -> Result<Option<Evaluator>, UnusableWeights> {
        if self.weights.is_none() && !self.path.is_empty() {
            let unusable = |why| UnusableWeights { path: self.path.clone(), why };
            let bytes = bytes_of(&self.path).map_err(|error| unusable(Why::Unreadable(error)))?;
            self.weights = Some(Evaluator::from_bytes(&bytes).map_err(|error| unusable(Why::Weights(error)))?);
        }
        Ok(self.weights.clone())
    }
}

/// The bytes of a file. A pipe would have the program wait, and a device might never end.
fn bytes_of(path: &str) -> io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::read(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"))
    }
}

/// The file of weights cannot be used.
#[derive(Debug)]
pub(crate) struct UnusableWeights {
    path: String,
    why: Why,
}

#[derive(Debug)]
enum Why {
    Unreadable(io::Error),
    Weights(WeightsError),
}

impl fmt::Display for UnusableWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option EvalFile: {}: ", self.path.escape_debug())?;
        match &self.why {
            Why::Unreadable(error) => write!(f, "{error}"),
            Why::Weights(error) => write!(f, "{error}"),
        }
    }
}
