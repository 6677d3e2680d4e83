//! Stockfish's plain text format for training data, which its tools convert to their packed formats: a block of lines
//! for each position.
//!
//! ```text
//! fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
//! move e7e5
//! score -20
//! ply 1
//! result 0
//! e
//! ```
//!
//! Score and result (1, 0 or -1) are in the view of the side to move; the move is the one played, in UCI. `ply` counts
//! the plies before the position, from 0. The packed formats need the move, so ends of variations cannot be written.

use super::super::labelled::{Labelled, Variant};
use super::{FormatInfo, Input, ReadError, fen, read_fen, read_score, result_of};
use shakmaty::Color;
use shakmaty::uci::UciMove;
use stats::Score;
use std::io::{self, Write};

pub(super) const FORMAT: FormatInfo = FormatInfo { is_text: true, has_plies: true, write, next };

pub(super) fn next<P: Variant>(input: &mut Input<'_>) -> Result<Option<Labelled<P>>, ReadError> {
    let mut block = Block::default();
    while let Some(line) = input.line()? {
        match block.add(&line) {
            Ok(None) => {}
            Ok(of) => return Ok(of),
            Err(why) => {
                let wrong = input.wrong(why);
                leave_block(input, line)?;
                return Err(wrong);
            }
        }
    }
    if block.fen.is_none() { Ok(None) } else { Err(input.wrong("the file ends before the block's `e`".to_owned())) }
}

/// Skips from the last line read to the end of the block, so that an error in a block is reported once.
fn leave_block(input: &mut Input<'_>, mut line: String) -> Result<(), ReadError> {
    while line != END {
        let Some(next) = input.line()? else { break };
        line = next;
    }
    Ok(())
}

/// Writes one position.
///
/// # Errors
/// I/O errors, and an error if the position has no move.
pub(crate) fn write<P: Variant>(of: &Labelled<P>, out: &mut dyn Write) -> io::Result<()> {
    let Some(played) = of.played else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no move was played in the end of a variation"));
    };
    let (score, result) = of.for_mover();
    let played = UciMove::from_move(played, of.position.castles().mode());
    let fen = fen(&of.position);
    writeln!(out, "fen {fen}\nmove {played}\nscore {score}\nply {}\nresult {}\ne", of.ply(), written(result))
}

/// The last line of a block.
const END: &str = "e";

/// The lines of a block read so far.
#[derive(Default)]
struct Block {
    fen: Option<String>,
    played: Option<String>,
    score: Option<i16>,
    result: Option<Score>,
}

impl Block {
    /// Adds a line, and returns the position if the line ends the block.
    ///
    /// # Errors
    /// A description of the error.
    fn add<P: Variant>(&mut self, line: &str) -> Result<Option<Labelled<P>>, String> {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "fen" => self.fen = Some(value.to_owned()),
            "move" => self.played = Some(value.to_owned()),
            "score" => self.score = Some(read_score(value)?),
            // The FEN has the ply.
            "ply" => {}
            "result" => self.result = Some(result_of(value, written)?),
            END => return std::mem::take(self).labelled().map(Some),
            _ => return Err(format!("`{line}`: expected `fen`, `move`, `score`, `ply`, `result` or `e`")),
        }
        Ok(None)
    }

    fn labelled<P: Variant>(self) -> Result<Labelled<P>, String> {
        let Self { fen: Some(fen), played: Some(played), score: Some(score), result: Some(result) } = self else {
            return Err("the block ends without a `fen`, a `move`, a `score` or a `result`".to_owned());
        };
        let position: P = read_fen(&fen)?;
        let mv = played.parse::<UciMove>().ok().and_then(|uci| uci.to_move(&position).ok());
        let mv = mv.ok_or_else(|| format!("`{played}` is not a legal move in {fen}"))?;
        let (score, result) = match position.turn() {
            Color::White => (score, result),
            Color::Black => (score.saturating_neg(), result.mirror()),
        };
        Ok(Labelled { position, score, result, played: Some(mv) })
    }
}

fn written(result: Score) -> &'static str {
    match result {
        Score::Loss => "-1",
        Score::Draw => "0",
        Score::Win => "1",
    }
}
