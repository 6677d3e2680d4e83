//! Files of labelled positions of chess, as other programs read and write them.
//!
//! Each module owns one format: how a position is written, how it is read back, and what it leaves out. [`write()`] and [`Positions`] are the
//! same for all of them. Where positions come from is for [`extract`](super::extract) and the runs to say.

pub mod bullet;
pub mod plain;
pub mod text;

use super::extract::Labelled;
use crate::data::GameResult;
use arena::config::PositionFormat;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup};
use std::io::{self, BufRead, Write};
use std::path::Path;

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system says so.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not what its format has.
    #[error("{place}: {why}")]
    Wrong {
        /// The line, or the number of the record.
        place: String,
        /// What is wrong there, and what is expected.
        why: String,
    },
}

/// The format of a file, as its extension has it.
pub fn of_path(path: &Path) -> Option<PositionFormat> {
    let extension = path.extension()?;
    PositionFormat::ALL.into_iter().find(|format| extension == format.extension())
}

/// Writes one position.
///
/// # Errors
/// What the system says; [`Plain`](PositionFormat::Plain) has no positions without a move.
pub fn write(format: PositionFormat, of: &Labelled, out: &mut dyn Write) -> io::Result<()> {
    match format {
        PositionFormat::Text => text::write(of, out),
        PositionFormat::Bullet => out.write_all(&bullet::record(of)),
        PositionFormat::Plain => plain::write(of, out),
    }
}

/// The positions of a file, one after the other.
#[derive(Debug)]
pub struct Positions<R> {
    format: PositionFormat,
    input: R,
    /// Lines read, or records.
    read: u64,
}

impl<R: BufRead> Positions<R> {
    /// Those of a file in this format.
    pub fn new(format: PositionFormat, input: R) -> Self {
        Self { format, input, read: 0 }
    }

    /// The next line without its end; `None` at the end of the file.
    fn line(&mut self) -> Result<Option<String>, ReadError> {
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        self.read += 1;
        Ok(Some(line.trim_end().to_owned()))
    }

    fn wrong(&self, why: String) -> ReadError {
        let what = if self.format == PositionFormat::Bullet { "position" } else { "line" };
        ReadError::Wrong { place: format!("{what} {}", self.read), why }
    }

    fn text(&mut self) -> Result<Option<Labelled>, ReadError> {
        let Some(line) = self.line()? else { return Ok(None) };
        text::read(&line).map(Some).map_err(|why| self.wrong(why))
    }

    fn bullet(&mut self) -> Result<Option<Labelled>, ReadError> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        self.read += 1;
        let mut record = [0; bullet::BYTES];
        self.input.read_exact(&mut record).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.wrong(format!("the file ends within its {} bytes", bullet::BYTES)),
            _ => error.into(),
        })?;
        bullet::read(&record).map(Some).map_err(|why| self.wrong(why))
    }

    fn plain(&mut self) -> Result<Option<Labelled>, ReadError> {
        let mut block = plain::Block::default();
        while let Some(line) = self.line()? {
            if let Some(of) = block.add(&line).map_err(|why| self.wrong(why))? {
                return Ok(Some(of));
            }
        }
        if block.is_empty() { Ok(None) } else { Err(self.wrong("the file ends before the block's `e`".to_owned())) }
    }
}

impl<R: BufRead> Iterator for Positions<R> {
    type Item = Result<Labelled, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = match self.format {
            PositionFormat::Text => self.text(),
            PositionFormat::Bullet => self.bullet(),
            PositionFormat::Plain => self.plain(),
        };
        read.transpose()
    }
}

fn fen(position: &Chess) -> Fen {
    Fen::from_position(position, EnPassantMode::Legal)
}

/// A position of chess or of Chess960, whichever its castling rights are of.
fn read_fen(text: &str) -> Result<Chess, String> {
    let setup = text.parse::<Fen>().map_err(|error| format!("`{text}` is no FEN: {error}"))?.into_setup();
    let mode = CastlingMode::detect(&setup);
    Chess::from_setup(setup, mode).map_err(|error| format!("`{text}` is no position of chess: {error}"))
}

fn read_score(text: &str) -> Result<i16, String> {
    text.parse().map_err(|_| format!("`{text}` is no score: expected a whole number from -32768 to 32767"))
}

/// The result that is written so.
fn result_of(text: &str, written: impl Fn(GameResult) -> &'static str) -> Result<GameResult, String> {
    let names = || GameResult::ALL.map(&written).join(", ");
    let found = GameResult::ALL.into_iter().find(|&result| written(result) == text);
    found.ok_or_else(|| format!("`{text}` is no result: expected one of {}", names()))
}

#[cfg(test)]
mod tests;
