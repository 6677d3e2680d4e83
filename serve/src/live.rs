//! The games of a run in progress: read at a limited rate, and prepared once for all watchers.

use arena::run::{GameName, LiveGame, LiveNow, look};
use play::Side;
use play::games::GameKind;
use reports::replay::live;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a read state counts as current.
const READ_EVERY: Duration = Duration::from_millis(200);

/// The state of a run's games in progress.
#[derive(Default)]
pub(crate) struct Live {
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    read: Option<Instant>,
    /// Counts changes: a watcher that has seen this number needs no update.
    number: u64,
    now: LiveNow,
    /// Prepared games, by table; `None` for those not requested yet.
    shown: Vec<Option<Value>>,
}

impl Live {
    /// Returns the state of the tables of the run in `folder`, which plays `kind`, and the game at one of them, unless
    /// the watcher has `seen` its number already. `has_signs` tells whether the seats of the run have signs, as
    /// [`reports::replay::has_signs`] reads it from the header.
    ///
    /// # Errors
    /// The reason why nothing can be seen, in words.
    pub(crate) fn to_json(
        &self,
        folder: &Path,
        (kind, has_signs): (GameKind, bool),
        table: usize,
        seen: Option<u64>,
    ) -> Result<Value, String> {
        let mut known = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        known.read(folder)?;
        let Seen { number, now, shown, .. } = &mut *known;
        let on_table = now.tables.get(table).and_then(Option::as_ref);
        let game = match (on_table, shown.get_mut(table)) {
            (Some(game), Some(shown)) if seen != Some(*number) => {
                shown.get_or_insert_with(|| json!(live(kind, has_signs, game))).clone()
            }
            _ => Value::Null,
        };
        let tables: Vec<Value> = now.tables.iter().map(|game| game.as_ref().map_or(Value::Null, row)).collect();
        Ok(json!({ "number": number, "tables": tables, "clocks": on_table.map(clocks), "game": game }))
    }
}

impl Seen {
    fn read(&mut self, folder: &Path) -> Result<(), String> {
        if self.read.is_some_and(|at| at.elapsed() < READ_EVERY) {
            return Ok(());
        }
        let now = look(folder).map_err(|why| why.to_string())?.unwrap_or_default();
        self.read = Some(Instant::now());
        if now != self.now || self.number == 0 {
            self.number += 1;
            self.shown = vec![None; now.tables.len()];
            self.now = now;
        }
        Ok(())
    }
}

/// Returns the description of a table.
fn row(game: &LiveGame) -> Value {
    let [a, b] = &game.entrants;
    let [first, second] = if game.side_of_first_seat == Side::First { [a, b] } else { [b, a] };
    json!({
        "game": GameName { pair: game.pair, game: game.game }.to_string(),
        "first": first,
        "second": second,
        "plies": game.opening.len() + game.moves.len(),
        "over": game.ending.is_some(),
    })
}

/// Returns the clocks of a game: the times left before the current ply, the side to move, and how long it has been
/// thinking.
fn clocks(game: &LiveGame) -> Value {
    let now = u64::try_from(session::unix_ms()).unwrap_or(0);
    let left = |side: Side| game.left[side].map(|left| left.as_millis() as u64);
    let thinks = game.ending.is_none().then_some(u8::from(game.side_to_move == Side::Second));
    let for_ms = now.saturating_sub(game.since_unix_ms);
    json!({ "left_ms": [left(Side::First), left(Side::Second)], "thinks": thinks, "for_ms": for_ms })
}
