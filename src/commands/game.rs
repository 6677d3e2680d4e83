//! `spar show RUN --game PAIR.GAME`: one game, move by move, with the engines' search data.

use super::faults;
use super::{print, print_json};
use crate::failure::{Exit, Failure};
use crate::shown::shown;
use anyhow::anyhow;
use arena::run::{
    GameName, Header, JournalReader, RunFolder, Transcript, TranscriptPly, lost_games, ply_comment, transcript,
};
use play::Side;
use reports::text::counted;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

/// The width of a move and its search data, so that the columns of both sides line up.
const PLY_WIDTH: usize = 30;

/// Prints a game of a run.
pub(super) fn tell_game(run: &Path, name: GameName, as_json: bool) -> Result<Exit, Failure> {
    let journal = RunFolder::open_journal(run)?;
    let header = journal.header()?;
    let stored = journal.result(name.pair)?.filter(|stored| name.game < stored.result.games.len());
    let stored = stored.ok_or_else(|| missing(run, name, &header, &journal))?;
    let unreadable =
        || Failure::Environment(anyhow!("{}: game {name} holds moves that cannot be played", run.display()));
    let transcript = transcript(&header.config, &stored, name.game).ok_or_else(unreadable)?;
    let fault = lost_games(&header, &stored).into_iter().find(|lost| lost.name == name);
    if as_json {
        let mut value = serde_json::to_value(&transcript).map_err(Failure::environment)?;
        value["fault"] = json!(fault.as_ref().map(faults::json));
        print_json(&value)?;
    } else {
        let fault = fault.map_or_else(String::new, |lost| format!("\n\n{}", faults::text(&lost)));
        print(shown(&format!("{}{fault}", text(&transcript))))?;
    }
    Ok(Exit::Done)
}

fn missing(run: &Path, name: GameName, header: &Header, journal: &JournalReader) -> Failure {
    let rounds = header.config.experiment.rounds();
    let last = journal.stored_pairs().unwrap_or_default();
    let there = match last {
        0 => "none has been played".to_owned(),
        last => {
            let (played, have) = (counted(last, rounds.unit()), if last == 1 { "has" } else { "have" });
            let first = if rounds.games_each() == 1 { "1.1" } else { "1.1 and 1.2" };
            format!("{played} {have} been played, the first is {first}")
        }
    };
    Failure::usage(format!("run {} has no game {name}: {there}", run.display()))
}

/// The game as text: players and result, then a line for each move.
fn text(transcript: &Transcript) -> String {
    let Transcript { game, players, sides, result, ending, start, plies, last } = transcript;
    let mut text = format!("Game {game}: {result}, {ending}\n");
    for side in [Side::First, Side::Second] {
        let _never_fails = writeln!(text, "  {:<8}{}", sides[side], players[side]);
    }
    let _never_fails = write!(text, "  {:<8}{start}\n  {:<8}{last}\n", "from", "to");
    for line in plies.chunk_by(|one, next| one.number == next.number) {
        text.push('\n');
        text.push_str(line_of(line).trim_end());
    }
    text
}

/// The plies of one move.
fn line_of(plies: &[TranscriptPly]) -> String {
    let mut line = String::new();
    for ply in plies {
        if line.is_empty() {
            let dots = if ply.side == Side::First { "." } else { "..." };
            line = format!("{:>5}{dots} ", ply.number);
        }
        let comment = match &ply.track {
            Some(track) => ply_comment(track, &[]),
            None if ply.opening => "book".to_owned(),
            None => String::new(),
        };
        let _never_fails = write!(line, "{:<PLY_WIDTH$}", format!("{:<8} {comment}", ply.text));
    }
    line
}
