//! The players of a game's two seats: made from entrants and kept from game to game, so that fast games do not pay for
//! allocating tables, nor slow engines for starting.
//!
//! The referee plays the game; [`SeatedGame`] says which players a game has.

use crate::adjudication::{Endgames, TableRuling};
use crate::child::address;
use crate::entrant::{Entrant, PlayerSpec, Restart};
use crate::game::Game;
use crate::observer::Observer;
use crate::opening::{Opening, PairOpening};
use crate::player::{Failure, GameStart};
use crate::players::RandomPlayer;
use crate::players::process::{StandbyPlayers, Starter};
use crate::referee::{PlayedGame, Seat, Stopped, TableRules, panic_text, play_game_with};
use crate::seated_game::{ReusablePlayer, SeatedGame, weights};
use record::{BySide, Fault, Side};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Why a game was not played. It counts for neither side.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPlayed {
    /// The game was abandoned: its `stop` was set.
    #[error("stopped")]
    Stopped,
    /// The game cannot be played, and trying again would not help.
    #[error("{0}")]
    Failed(String),
    /// The harness itself panicked.
    #[error("the harness panicked: {0}")]
    Panic(String),
}

impl From<Stopped> for NotPlayed {
    fn from(Stopped: Stopped) -> Self {
        Self::Stopped
    }
}

/// One game to be played.
pub struct GameSetup<'a, G: Game> {
    /// The entrants, by seat.
    pub entrants: &'a [Arc<Entrant>; 2],
    /// The side of the first seat.
    pub side_of_first_seat: Side,
    /// The opening that the game starts from.
    pub opening: &'a Opening<G>,
    /// The players' seeds.
    pub seeds: BySide<u64>,
    /// The settings apart from the rules of the game.
    pub rules: &'a TableRules,
    /// The observer.
    pub observer: Option<&'a dyn Observer<G>>,
}

/// The players of two seats, and the judge of openings.
pub struct Seats<G: SeatedGame> {
    seated: [Option<Seated<G>>; 2],
    judge: G::Judge,
    endgames: Option<(TableRuling, Arc<dyn Endgames<G>>)>,
}

impl<G: SeatedGame> Default for Seats<G> {
    fn default() -> Self {
        Self { seated: [None, None], judge: G::Judge::default(), endgames: None }
    }
}

impl<G: SeatedGame> Seats<G> {
    /// Makes an opening; see [`PairOpening::make`].
    ///
    /// # Errors
    /// [`NotPlayed`] if there is no such opening.
    pub fn opening(&mut self, game: &G, opening: &PairOpening, run_seed: u64) -> Result<Opening<G>, NotPlayed> {
        self.guarded(|seats| {
            let made = opening.make(game, run_seed, &mut |position| G::judge(&mut seats.judge, position));
            made.map_err(|why| NotPlayed::Failed(why.to_string()))
        })
    }

    /// Plays a game. Keeps the players of the game before if they are the entrants' or can become theirs. Without a
    /// starter it plays no engine processes, and no engines with weights of their own.
    ///
    /// # Errors
    /// [`NotPlayed`]
    pub fn play(
        &mut self,
        game: &G,
        setup: &GameSetup<'_, G>,
        starter: Option<&Starter>,
        stop: &AtomicBool,
    ) -> Result<PlayedGame<G>, NotPlayed> {
        self.guarded(|seats| seats.play_unguarded(game, setup, starter, stop))
    }

    /// Runs `call`; keeps nothing after a panic, because the state that it left cannot be trusted.
    fn guarded<T>(&mut self, call: impl FnOnce(&mut Self) -> Result<T, NotPlayed>) -> Result<T, NotPlayed> {
        catch_unwind(AssertUnwindSafe(|| call(self))).unwrap_or_else(|panic| {
            *self = Self::default();
            Err(NotPlayed::Panic(panic_text(panic.as_ref())))
        })
    }

    fn play_unguarded(
        &mut self,
        game: &G,
        setup: &GameSetup<'_, G>,
        starter: Option<&Starter>,
        stop: &AtomicBool,
    ) -> Result<PlayedGame<G>, NotPlayed> {
        let GameSetup { entrants, side_of_first_seat, opening, seeds, rules, observer } = setup;
        check_programs(*entrants, starter).map_err(NotPlayed::Failed)?;
        let endgames = self.endgames(game, rules).map_err(NotPlayed::Failed)?;
        let [a, b] = &mut self.seated;
        let (a, b) = (seat(a, game, &entrants[0], starter)?, seat(b, game, &entrants[1], starter)?);
        let (a, b) = (a.with(seeds[*side_of_first_seat]), b.with(seeds[!*side_of_first_seat]));
        let seats = match side_of_first_seat {
            Side::First => BySide { first: a, second: b },
            Side::Second => BySide { first: b, second: a },
        };
        let played = play_game_with(game, opening, seats, rules, endgames.as_deref(), *observer, stop)?;
        if let Some(why) = endgames.and_then(|endgames| endgames.failure()) {
            return Err(NotPlayed::Failed(why));
        }
        if let Some((side, Fault::Crash(_))) = played.ending.fault() {
            // The next game gets a new player.
            self.seated[usize::from(side != *side_of_first_seat)] = None;
        }
        Ok(played)
    }

    /// The endgame tables that the rules ask for, if any; they are kept from game to game.
    ///
    /// # Errors
    /// Why the tables cannot be used.
    pub fn endgames(&mut self, game: &G, rules: &TableRules) -> Result<Option<Arc<dyn Endgames<G>>>, String> {
        let Some(ruling) = &rules.adjudication.tables else { return Ok(None) };
        match &self.endgames {
            Some((known, endgames)) if known == ruling => Ok(Some(Arc::clone(endgames))),
            _ => {
                let endgames = game.endgames(ruling)?;
                self.endgames = Some((ruling.clone(), Arc::clone(&endgames)));
                Ok(Some(endgames))
            }
        }
    }

    /// Gets an entrant ready for a game from the position with the text `start`, with its options set. Plays nothing,
    /// and does nothing for an entrant without a process. Afterwards its player can be put on [standby](Self::park).
    ///
    /// # Errors
    /// Why the entrant does not get ready.
    pub fn rehearse(
        &mut self,
        game: &G,
        entrant: &Arc<Entrant>,
        start: Option<&str>,
        starter: Option<&Starter>,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        if entrant.player.process().is_none() {
            return Ok(());
        }
        let failed = |why: NotPlayed| Failure::from(Fault::Startup(why.to_string()));
        let seated = seat(&mut self.seated[0], game, entrant, starter).map_err(failed)?;
        let limit = entrant.player.limit().0;
        seated.player.rehearse(&GameStart { game, start, side: Side::First, limit, seed: 0, stop })
    }

    /// Puts the rehearsed player on standby for the next seat with the same entrant on the same processors. A player
    /// that restarts for each game is dropped, since it would not be used.
    pub fn park(mut self, standby: &StandbyPlayers) {
        let [rehearsed, _] = &mut self.seated;
        let is_kept = |seated: &Seated<G>| {
            seated.entrant.player.process().is_some_and(|process| process.restart == Restart::WhenNeeded)
        };
        if let Some(seated) = rehearsed.take().filter(is_kept) {
            standby.park(seated);
        }
    }
}

/// Checks that the programs of all processes are unchanged: an engine that is rebuilt during a run would mix two
/// players under one name.
///
/// # Errors
/// Which program has changed, in words.
pub fn check_programs(entrants: &[Arc<Entrant>], starter: Option<&Starter>) -> Result<(), String> {
    let Some(starter) = starter else { return Ok(()) };
    let processes = entrants.iter().filter_map(|entrant| entrant.player.process());
    // The program at the other end of a connection is unknown.
    let mut programs = processes.filter(|process| address(&process.command).is_none());
    programs.try_for_each(|process| starter.programs.find(process).map(drop))
}

/// Seats an entrant; keeps the present player if it is the entrant's or can become so.
fn seat<'a, G: SeatedGame>(
    seat: &'a mut Option<Seated<G>>,
    game: &G,
    entrant: &Arc<Entrant>,
    starter: Option<&Starter>,
) -> Result<&'a mut Seated<G>, NotPlayed> {
    if !seat.as_mut().is_some_and(|seated| seated.becomes(entrant, starter)) {
        // The old player ends before its successor starts: two engines at a time might need more memory than the
        // machine has.
        *seat = None;
    }
    match seat {
        Some(seated) => Ok(seated),
        empty => Ok(empty.insert(Seated::new(game, entrant, starter).map_err(NotPlayed::Failed)?)),
    }
}

struct Seated<G: Game> {
    entrant: Arc<Entrant>,
    player: Box<dyn ReusablePlayer<G>>,
}

impl<G: SeatedGame> Seated<G> {
    fn new(game: &G, entrant: &Arc<Entrant>, starter: Option<&Starter>) -> Result<Self, String> {
        let misfit = || format!("entrant \"{}\" does not play this game", entrant.name);
        let player = match &entrant.player {
            PlayerSpec::Native(native) => {
                let weights = weights(native, starter.map(|starter| starter.programs.as_ref()))?;
                G::native(native, weights).ok_or_else(misfit)?
            }
            PlayerSpec::Random => Box::new(RandomPlayer::default()),
            PlayerSpec::Custom(custom) => game.custom(entrant, custom).ok_or_else(misfit)?,
            PlayerSpec::Process(process) => {
                let starter = starter.ok_or_else(|| "this worker starts no processes".to_owned())?;
                if let Some(standby) = starter.standby.take(|standby: &Self| standby.entrant.player == entrant.player) {
                    return Ok(Self { entrant: Arc::clone(entrant), ..standby });
                }
                game.process(process, starter)?
            }
        };
        Ok(Self { entrant: Arc::clone(entrant), player })
    }
}

impl<G: Game> Seated<G> {
    /// Makes the player the entrant's, if possible.
    fn becomes(&mut self, entrant: &Arc<Entrant>, starter: Option<&Starter>) -> bool {
        if Arc::ptr_eq(&self.entrant, entrant) {
            return true;
        }
        let fits = self.entrant.player == entrant.player || self.player.reuse(&entrant.player, starter);
        self.entrant = Arc::clone(entrant);
        fits
    }

    /// The seat of this player in a game with the seed `seed`.
    fn with(&mut self, seed: u64) -> Seat<'_, G> {
        let (limit, source) = self.entrant.player.limit();
        Seat { player: self.player.as_mut(), limit, source, margin: self.entrant.player.margin(), seed }
    }
}
