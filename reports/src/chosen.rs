//! The games that a report shows, read again from the journal, each with the reason for showing it.

use crate::gather::{Gathered, Notable, Why};
use crate::replay::{Replay, replay};
use crate::text::counted;
use arena::run::{Header, JournalError, JournalReader, StoredResult};
use play::Side;

/// The maximum number of games in one page; more would only make it heavy.
const MOST_GAMES: usize = 24;

/// The notable games of a run, ready to be shown. Leaves out games that cannot be read.
pub(crate) fn chosen(
    journal: &JournalReader,
    header: &Header,
    gathered: &Gathered,
) -> Result<Vec<Replay>, JournalError> {
    let mut games = Vec::new();
    for notable in gathered.notable().into_iter().take(MOST_GAMES) {
        let Some(stored) = journal.result(notable.pair)? else { continue };
        if let Some(mut game) = replay(header, &stored, notable.game) {
            game.why = why(&notable, &stored, &game);
            games.push(game);
        }
    }
    Ok(games)
}

fn why(notable: &Notable, stored: &StoredResult, game: &Replay) -> String {
    let record = &stored.result.games[notable.game];
    let plies = stored.result.opening.len() + record.moves.len();
    let side = |side: Side| &game.players[usize::from(side == Side::Second)];
    let loser = match record.ending.score(Side::First) {
        stats::Score::Loss => Side::First,
        stats::Score::Draw | stats::Score::Win => Side::Second,
    };
    match notable.why {
        Why::Shortest => format!("short: {}", counted(plies as u64, "ply")),
        Why::Longest => format!("long: {}", counted(plies as u64, "ply")),
        Why::Fault => match record.ending.fault() {
            Some((loser, fault)) => format!("fault of {}: {fault}", side(loser)),
            None => "fault".to_owned(),
        },
        Why::Upset { expected } => {
            format!("upset: {} was to expect {:.0}% of the points", side(!loser), 100.0 * expected)
        }
        Why::Collapse { confidence, ply } => {
            let step = ply.checked_sub(1).and_then(|index| game.plies.get(index));
            let at = step.map_or_else(String::new, |step| format!(" at {} {}", step.number, step.text));
            format!("collapse: {} saw {:.0}% for itself{at}", side(loser), 100.0 * confidence)
        }
    }
}
