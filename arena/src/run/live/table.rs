//! A worker's table: the current game, recorded while a viewer looks.

use super::game::LiveGame;
use crate::run::name::GameName;
use play::{BySide, Game, GameNow, Observer, Opening, Side};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The tables of all workers of a process.
#[derive(Debug, Default)]
pub struct LiveTables {
    wanted: Arc<AtomicBool>,
    tables: Mutex<Vec<Arc<LiveTable>>>,
}

impl LiveTables {
    /// Adds and returns the table of one more worker.
    pub(in crate::run) fn add(&self) -> Arc<LiveTable> {
        let table = Arc::new(LiveTable { wanted: Arc::clone(&self.wanted), game: Mutex::default() });
        locked(&self.tables).push(Arc::clone(&table));
        table
    }

    /// Sets whether a viewer looks.
    pub fn want(&self, wanted: bool) {
        self.wanted.store(wanted, Ordering::Relaxed);
    }

    /// Returns the game at each table, by worker; `None` where no game was played while a viewer looked.
    pub fn now(&self) -> Vec<Option<LiveGame>> {
        locked(&self.tables).iter().map(|table| locked(&table.game).clone()).collect()
    }
}

/// The table of one worker, at which it plays one game after another.
#[derive(Debug)]
pub struct LiveTable {
    wanted: Arc<AtomicBool>,
    game: Mutex<Option<LiveGame>>,
}

/// A game's place at a table: what the referee does not know about the game.
pub(in crate::run) struct Place<'a> {
    /// The table.
    pub(in crate::run) table: &'a LiveTable,
    /// The game's name.
    pub(in crate::run) name: GameName,
    /// The entrants, by seat.
    pub(in crate::run) entrants: [&'a str; 2],
    /// The side of the first seat.
    pub(in crate::run) side_of_first_seat: Side,
}

impl Place<'_> {
    /// Whether the game on the table is an earlier state of this one.
    fn is_before<G: Game>(&self, there: &LiveGame, now: &GameNow<'_, G>) -> bool {
        let GameName { pair, game } = self.name;
        there.pair == pair && there.game == game && !now.moves.is_empty() && there.moves.len() <= now.moves.len()
    }

    fn begun<G: Game>(&self, opening: &Opening<G>) -> LiveGame {
        LiveGame {
            pair: self.name.pair,
            game: self.name.game,
            entrants: self.entrants.map(str::to_owned),
            side_of_first_seat: self.side_of_first_seat,
            start: opening.start.clone(),
            opening: opening.moves.iter().map(|&mv| G::code(mv)).collect(),
            moves: Vec::new(),
            side_to_move: Side::First,
            track: Vec::new(),
            left: BySide::default(),
            since_unix_ms: 0,
            ending: None,
        }
    }
}

impl<G: Game> Observer<G> for Place<'_> {
    fn looks(&self) -> bool {
        self.table.wanted.load(Ordering::Relaxed)
    }

    fn see(&self, now: &GameNow<'_, G>) {
        let mut table = locked(&self.table.game);
        let before = table.take().filter(|there| self.is_before(there, now));
        let mut game = before.unwrap_or_else(|| self.begun(now.opening));
        game.moves.extend(now.moves[game.moves.len()..].iter().map(|&mv| G::code(mv)));
        let had = game.track.len();
        game.track.resize(now.moves.len(), None);
        // Search data of plies that nobody watched is lost.
        if game.track.len() > had
            && let Some(last) = game.track.last_mut()
        {
            *last = now.last.copied();
        }
        game.side_to_move = now.side_to_move;
        let left = |side: Side| now.clocks[side].map(|face| face.remaining);
        game.left = BySide { first: left(Side::First), second: left(Side::Second) };
        game.since_unix_ms = unix_ms();
        game.ending = now.ending.cloned();
        *table = Some(game);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the current time in milliseconds since 1970; 0 if the clock is set before that.
pub(in crate::run) fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
