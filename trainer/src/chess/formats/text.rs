//! `FEN | score | result`, one position per line: the format that bullet's tools convert from and many others read.
//!
//! The score is in centipawns and the result is 1.0, 0.5 or 0.0, both from White's view. The format lacks only the move
//! played.

use super::super::labelled::Labelled;
use super::{FormatInfo, Input, ReadError, fen, read_fen, read_score, result_of};
use stats::Score;
use std::io::{self, Write};

pub(super) const FORMAT: FormatInfo = FormatInfo { is_text: true, has_plies: true, write, next };

fn next(input: &mut Input<'_>) -> Result<Option<Labelled>, ReadError> {
    let Some(line) = input.line()? else { return Ok(None) };
    read(&line).map(Some).map_err(|why| input.wrong(why))
}

fn write(of: &Labelled, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} | {} | {}", fen(&of.position), of.score, written(of.result))
}

/// Parses a line.
///
/// # Errors
/// A description of the error.
fn read(line: &str) -> Result<Labelled, String> {
    let mut fields = line.split('|').map(str::trim);
    let (Some(fen), Some(score), Some(result), None) = (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err("expected `FEN | score | result`".to_owned());
    };
    let (position, score) = (read_fen(fen)?, read_score(score)?);
    Ok(Labelled { position, score, result: result_of(result, written)?, played: None })
}

fn written(result: Score) -> &'static str {
    match result {
        Score::Loss => "0.0",
        Score::Draw => "0.5",
        Score::Win => "1.0",
    }
}
