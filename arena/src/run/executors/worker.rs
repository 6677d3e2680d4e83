//! A worker: takes a pair, makes its opening, plays its games with the pair's seats, and returns the result.
//!
//! It keeps its players between pairs, so that fast games do not pay for allocating tables.

use crate::run::builds::check_build;
use crate::run::live::{LiveTable, Place, unix_ms};
use crate::run::name::GameName;
use crate::run::pair::PairSpec;
use crate::run::unready::Unready;
use play::child::{allowed_cpus, stay_on};
use play::games::{Chess, Rules, ZeroPointOne};
use play::players::process::{StandbyPlayers, Starter};
use play::random::{Purpose, Stream};
use play::{
    Failure, Game, GameSetup, MoveFailure, NotPlayed, Observer, Opening, PlayedGame, SeatedGame, Seats, check_programs,
};
use record::{BySide, Circumstances, Ending, Fault, GameRecord, PairResult, Side, Sides};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Makes a pair's opening and has the player of its first seat get ready for a game, if it is a process. With
/// `StandbyPlayers` beside the starter, the player then waits there for its first game. Plays nothing.
///
/// # Errors
/// [`Unready`]
pub(in crate::run) fn rehearse_pair(
    spec: &PairSpec,
    starter: Option<(&Starter, Option<&StandbyPlayers>)>,
    stop: &AtomicBool,
) -> Result<(), Unready> {
    match spec.game.rules() {
        Rules::ZeroPointOne(game) => rehearse(&game, spec, starter, stop),
        Rules::Chess(game) => rehearse(&game, spec, starter, stop),
        Rules::Custom => Err(Unready::Opening { why: not_known(spec) }),
    }
}

fn rehearse<G: SeatedGame>(
    game: &G,
    spec: &PairSpec,
    starter: Option<(&Starter, Option<&StandbyPlayers>)>,
    stop: &AtomicBool,
) -> Result<(), Unready> {
    let mut seats = Seats::default();
    seats.endgames(game, &spec.rules).map_err(|why| Unready::Endgames { why })?;
    let opening = seats.opening(game, &spec.opening, spec.run_seed);
    let opening = opening.map_err(|why| Unready::Opening { why: why.to_string() })?;
    let entrant = &spec.seats[0];
    let unready = |why: String, evidence| Unready::Entrant { entrant: entrant.name.clone(), why, evidence };
    let (starter, standby) = starter.map_or((None, None), |(starter, standby)| (Some(starter), standby));
    let ready = seats.rehearse(game, entrant, opening.start.as_deref(), starter, stop);
    ready.map_err(|Failure { why, evidence, .. }| match why {
        MoveFailure::Fault(Fault::Startup(why)) => unready(why, evidence),
        MoveFailure::Fault(fault) => unready(fault.to_string(), evidence),
        MoveFailure::Resigned | MoveFailure::AgreedToDraw => unready("it gave up".to_owned(), evidence),
    })?;
    if let Some(standby) = standby {
        seats.park(standby);
    }
    Ok(())
}

/// Plays pairs one after another, and keeps its players and their engine processes between pairs.
///
/// A worker belongs to one thread. For all pairs in which nothing depends on time, the thread runs on the processors of
/// its engines, if they have their own. Executors other than [`Local`](super::Local), for instance on another machine,
/// need one worker for each concurrent game.
#[derive(Default)]
pub struct Worker {
    station: WorkerCore,
    zero_point_one: Seats<ZeroPointOne>,
    chess: Seats<Chess>,
}

impl Worker {
    /// Returns a worker without players. Without a starter it plays neither engine processes nor engines with their own
    /// weights.
    pub fn new(starter: Option<Starter>) -> Self {
        Self { station: WorkerCore::new(starter), ..Self::default() }
    }

    /// Plays a pair. Whatever its players do is part of the result.
    ///
    /// # Errors
    /// [`NotPlayed::Stopped`] soon after `stop` is raised; [`NotPlayed::Failed`] for pairs that cannot be played;
    /// [`NotPlayed::Panic`] for a bug in spar, after which the worker continues with new players.
    pub fn play(&mut self, spec: &PairSpec, stop: &AtomicBool) -> Result<PairResult, NotPlayed> {
        self.station.get_ready(spec)?;
        match spec.game.rules() {
            Rules::ZeroPointOne(game) => self.station.play(&game, &mut self.zero_point_one, spec, stop),
            Rules::Chess(game) => self.station.play(&game, &mut self.chess, spec, stop),
            Rules::Custom => Err(NotPlayed::Failed(not_known(spec))),
        }
    }
}

/// Refuses a pair that this program would play differently from the program that sent it.
fn check(spec: &PairSpec, starter: Option<&Starter>) -> Result<(), NotPlayed> {
    let mut seats = spec.seats.iter().zip(&spec.builds);
    let programs = starter.map(|starter| starter.programs.as_ref());
    seats.try_for_each(|(entrant, build)| check_build(entrant, build, programs)).map_err(NotPlayed::Failed)
}

fn not_known(spec: &PairSpec) -> String {
    format!("the rules of {} are not known to this program", spec.game)
}

/// Plays the pairs of one game of any kind, including a game that only the embedding program knows.
pub struct WorkerOf<G: SeatedGame> {
    game: G,
    station: WorkerCore,
    seats: Seats<G>,
}

impl<G: SeatedGame> WorkerOf<G> {
    /// Returns a worker without players. Without a starter it plays neither engine processes nor engines with their own
    /// weights.
    pub fn new(game: G, starter: Option<Starter>) -> Self {
        Self { game, station: WorkerCore::new(starter), seats: Seats::default() }
    }
}

/// Plays pairs one after another, on its own thread.
pub trait PlayPairs: Send {
    /// Plays a pair. Whatever its players do is part of the result.
    ///
    /// # Errors
    /// [`NotPlayed`], as [`Worker::play`].
    fn play(&mut self, spec: &PairSpec, stop: &AtomicBool) -> Result<PairResult, NotPlayed>;

    /// Shows the games to viewers at this table from now on.
    fn show_on(&mut self, _table: Arc<LiveTable>) {}
}

impl PlayPairs for Worker {
    fn play(&mut self, spec: &PairSpec, stop: &AtomicBool) -> Result<PairResult, NotPlayed> {
        Self::play(self, spec, stop)
    }

    fn show_on(&mut self, table: Arc<LiveTable>) {
        self.station.table = Some(table);
    }
}

impl<G: SeatedGame> PlayPairs for WorkerOf<G>
where
    G::Judge: Send,
{
    fn play(&mut self, spec: &PairSpec, stop: &AtomicBool) -> Result<PairResult, NotPlayed> {
        self.station.get_ready(spec)?;
        self.station.play(&self.game, &mut self.seats, spec, stop)
    }

    fn show_on(&mut self, table: Arc<LiveTable>) {
        self.station.table = Some(table);
    }
}

/// The pause between the games of a worker whose engines rest.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    /// When the worker's last game ended.
    since: Option<Instant>,
}

impl Rest {
    /// How long a pause may continue after `stop` is raised.
    const GLANCE: Duration = Duration::from_millis(20);

    /// Waits until the engines have rested for `pause` since the last game, or `stop` is raised.
    fn wait(self, pause: Duration, stop: &AtomicBool) {
        let Some(since) = self.since.filter(|_| !pause.is_zero()) else { return };
        while let Some(left) = pause.checked_sub(since.elapsed()).filter(|left| !left.is_zero()) {
            if stop.load(Ordering::SeqCst) {
                return;
            }
            std::thread::park_timeout(left.min(Self::GLANCE));
        }
    }
}

/// The processors of a worker's thread.
#[derive(Clone, Debug, Default)]
struct Processors {
    /// The processors that the thread had before it moved to its engines' processors; `None` while it is not moved.
    left: Option<Vec<usize>>,
}

impl Processors {
    /// Moves the thread to the processors of the engines for this pair, if they have their own. Only one of the three
    /// works at a time, and waking a waiter is cheapest on the waker's processor. If time counts, the thread does not
    /// move, or moves back: it would wait for the engine's processor at each line that the engine prints while
    /// thinking, and this would look like the host's fault.
    fn take(&mut self, spec: &PairSpec, starter: Option<&Starter>) {
        let Some(starter) = starter.filter(|starter| !starter.cpus.is_empty()) else { return };
        let is_timed = spec.seats.iter().any(|entrant| entrant.player.is_timed_by_the_wall());
        // Failing to move only makes play slower.
        if is_timed {
            let _stays_where_it_is = self.left.take().map(|before| stay_on(&before));
        } else if self.left.is_none() {
            // Move only if the original processors are known, so that the thread can move back.
            self.left = allowed_cpus().ok();
            let _stays_where_it_is = self.left.as_ref().map(|_| stay_on(&starter.cpus));
        }
    }
}

/// The part of a worker that does not depend on the game.
#[derive(Default)]
struct WorkerCore {
    starter: Option<Starter>,
    rest: Rest,
    processors: Processors,
    /// The table at which viewers see the games.
    table: Option<Arc<LiveTable>>,
}

impl WorkerCore {
    fn new(starter: Option<Starter>) -> Self {
        Self { starter, ..Self::default() }
    }

    /// Checks that a pair can be played, and moves the thread to the pair's processors.
    fn get_ready(&mut self, spec: &PairSpec) -> Result<(), NotPlayed> {
        check(spec, self.starter.as_ref())?;
        self.processors.take(spec, self.starter.as_ref());
        Ok(())
    }

    /// Plays the games of a pair.
    fn play<G: SeatedGame>(
        &mut self,
        game: &G,
        seats: &mut Seats<G>,
        spec: &PairSpec,
        stop: &AtomicBool,
    ) -> Result<PairResult, NotPlayed> {
        let started = Instant::now();
        let opening = seats.opening(game, &spec.opening, spec.run_seed)?;
        let mut games: Vec<PlayedGame<G>> = Vec::with_capacity(spec.sides.games());
        for (number, &side) in spec.sides.of_first_seat().iter().enumerate() {
            let forfeited = games.first().and_then(|first| forfeited_too(first, spec.sides));
            self.rest.wait(self.starter.as_ref().map_or(Duration::ZERO, |starter| starter.pause), stop);
            let (began, since) = (unix_ms(), Instant::now());
            let place = self.table.as_deref().map(|table| place(table, spec, number, side));
            let observer = place.as_ref().map(|place| place as &dyn Observer<G>);
            let setup = setup(spec, &opening, number, side, observer);
            let mut played = forfeited.map_or_else(|| seats.play(game, &setup, self.starter.as_ref(), stop), Ok)?;
            self.rest.since = Some(Instant::now());
            let times = &mut played.circumstances.times;
            (times.began_unix_ms, times.lasted) = (began, since.elapsed());
            games.push(played);
        }
        check_programs(&spec.seats, self.starter.as_ref()).map_err(NotPlayed::Failed)?;
        Ok(PairResult {
            pair: spec.pair,
            opening: codes::<G>(&opening.moves),
            start: opening.start,
            sides: spec.sides,
            games: games.into_iter().map(record).collect(),
            took: started.elapsed(),
        })
    }
}

/// Returns the place at which viewers see game `number` of a pair.
fn place<'a>(table: &'a LiveTable, spec: &'a PairSpec, number: usize, side_of_first_seat: Side) -> Place<'a> {
    let name = GameName { pair: spec.pair, game: number };
    Place { table, name, entrants: spec.seats.each_ref().map(|entrant| entrant.name.as_str()), side_of_first_seat }
}

/// Returns the setup of game `number` of a pair, 0 or 1, in which the first seat has this side.
fn setup<'a, G: Game>(
    spec: &'a PairSpec,
    opening: &'a Opening<G>,
    number: usize,
    side_of_first_seat: Side,
    observer: Option<&'a dyn Observer<G>>,
) -> GameSetup<'a, G> {
    let seed = |side: u64| Stream::new(spec.run_seed, Purpose::Player, spec.pair * 4 + number as u64 * 2 + side).bits();
    GameSetup {
        entrants: &spec.seats,
        side_of_first_seat,
        opening,
        seeds: BySide { first: seed(0), second: seed(1) },
        rules: &spec.rules,
        observer,
    }
}

/// Returns the forfeit of a pair's second game, if the first one ended because a player could not be started: it has
/// been waited for long enough.
fn forfeited_too<G: Game>(first: &PlayedGame<G>, sides: Sides) -> Option<PlayedGame<G>> {
    let (side, fault @ Fault::Startup(_)) = first.ending.fault()? else { return None };
    let loser = if matches!(sides, Sides::Same(_)) { side } else { !side };
    let ending = Ending::Forfeit { loser, fault: fault.clone() };
    let circumstances = Circumstances { evidence: first.circumstances.evidence.clone(), ..Circumstances::default() };
    Some(PlayedGame { moves: Vec::new(), ending, nodes: BySide::default(), track: Vec::new(), circumstances })
}

fn record<G: Game>(game: PlayedGame<G>) -> GameRecord {
    let PlayedGame { moves, ending, nodes, track, circumstances } = game;
    GameRecord { moves: codes::<G>(&moves), ending, nodes, track, circumstances }
}

fn codes<G: Game>(moves: &[G::Move]) -> Vec<u32> {
    moves.iter().map(|&mv| G::code(mv)).collect()
}
