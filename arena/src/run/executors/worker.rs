//! One worker: takes a pair, draws its opening, seats players, has the referee play two games, returns the result.
//!
//! It keeps its players from pair to pair, so that fast games do not pay for tables.

use crate::entrant::{Entrant, PlayerSpec};
use crate::play::games::ZeroPointOne;
use crate::play::players::{NativePlayer, RandomPlayer};
use crate::play::{
    BySide, Fault, Game, NoOpening, Opening, OpeningSource, PlayedGame, Player, Seat, Side, Stopped, panic_text,
    play_game,
};
use crate::random::{Purpose, Stream};
use crate::run::pair::{GameKind, GameRecord, PAIR_VERSION, PairResult, PairSpec, PairTimes, SIDES_OF_FIRST_SEAT};
use engine::Engine;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Why a pair was not played.
#[derive(Debug)]
pub(super) enum NotPlayed {
    /// It is no longer wanted.
    Revoked,
    /// The openings' settings leave none.
    NoOpening(NoOpening),
    /// The harness itself panicked.
    Panic(String),
}

impl fmt::Display for NotPlayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Revoked => f.write_str("revoked"),
            Self::NoOpening(why) => why.fmt(f),
            Self::Panic(text) => write!(f, "the harness panicked: {text}"),
        }
    }
}

/// What a thread that plays pairs keeps between them.
#[derive(Default)]
pub(super) struct Worker {
    zero_point_one: Bench,
}

impl Worker {
    /// Plays a pair.
    pub(super) fn play(&mut self, spec: &PairSpec, stop: &AtomicBool) -> Result<PairResult, NotPlayed> {
        let play = AssertUnwindSafe(|| match spec.game {
            GameKind::ZeroPointOne => self.zero_point_one.play(spec, stop),
        });
        catch_unwind(play).unwrap_or_else(|panic| {
            *self = Self::default();
            Err(NotPlayed::Panic(panic_text(panic.as_ref())))
        })
    }
}

/// The players kept for 0.1.
#[derive(Default)]
struct Bench {
    seats: [Option<Seated>; 2],
    judge: Option<Engine>,
}

struct Seated {
    entrant: Arc<Entrant>,
    player: SeatedPlayer,
}

enum SeatedPlayer {
    Native(Box<NativePlayer>),
    Random(RandomPlayer),
}

impl SeatedPlayer {
    fn new(spec: &PlayerSpec) -> Self {
        match spec {
            PlayerSpec::Native(native) => Self::Native(Box::new(NativePlayer::new(&native.engine_config()))),
            PlayerSpec::Random => Self::Random(RandomPlayer::default()),
        }
    }

    /// Makes the same player another entrant's, keeping what it has allocated.
    fn reseat(&mut self, spec: &PlayerSpec) {
        match (&mut *self, spec) {
            (Self::Native(player), PlayerSpec::Native(native)) => player.configure(&native.engine_config()),
            (Self::Random(_), PlayerSpec::Random) => {}
            _ => *self = Self::new(spec),
        }
    }

    fn as_player(&mut self) -> &mut dyn Player<ZeroPointOne> {
        match self {
            Self::Native(player) => player.as_mut(),
            Self::Random(player) => player,
        }
    }
}

impl Bench {
    fn play(&mut self, spec: &PairSpec, stop: &AtomicBool) -> Result<PairResult, NotPlayed> {
        let started = Instant::now();
        let opening = self.opening(&spec.openings, spec).map_err(NotPlayed::NoOpening)?;
        let mut play = |game| self.play_game(spec, &opening, game, stop).map_err(|Stopped| NotPlayed::Revoked);
        let games = [play(0)?, play(1)?];
        let thinking = [games[0].wall, games[1].wall];
        Ok(PairResult {
            version: PAIR_VERSION,
            pair: spec.pair,
            opening: codes(&opening.moves),
            games: games.map(record),
            times: PairTimes { thinking, total: started.elapsed() },
        })
    }

    fn opening(&mut self, source: &OpeningSource, spec: &PairSpec) -> Result<Opening<ZeroPointOne>, NoOpening> {
        let judge = &mut self.judge;
        let mut judge = |position: &engine::Position| {
            let engine = judge.get_or_insert_with(crate::play::opening_judge);
            crate::play::judge_opening(engine, position)
        };
        source.draw(spec.run_seed, spec.opening, &mut judge)
    }

    fn play_game(
        &mut self,
        spec: &PairSpec,
        opening: &Opening<ZeroPointOne>,
        game: usize,
        stop: &AtomicBool,
    ) -> Result<PlayedGame<ZeroPointOne>, Stopped> {
        let side_of_first_seat = SIDES_OF_FIRST_SEAT[game];
        let [a, b] = &mut self.seats;
        let a = seat(a, spec, 0, game, side_of_first_seat);
        let b = seat(b, spec, 1, game, !side_of_first_seat);
        let seats = match side_of_first_seat {
            Side::First => BySide { first: a, second: b },
            Side::Second => BySide { first: b, second: a },
        };
        let played = play_game(opening, seats, spec.track, stop)?;
        if let Some((side, Fault::Crash(_))) = played.ending.fault() {
            // Whatever it left behind is not to be trusted: seat a new player next time.
            self.seats[usize::from(side != side_of_first_seat)] = None;
        }
        Ok(played)
    }
}

/// Seats the spec's entrant `index` at the bench.
fn seat<'a>(
    seated: &'a mut Option<Seated>,
    spec: &PairSpec,
    index: usize,
    game: usize,
    side: Side,
) -> Seat<'a, ZeroPointOne> {
    let entrant = &spec.seats[index];
    let fresh = || Seated { entrant: Arc::clone(entrant), player: SeatedPlayer::new(&entrant.player) };
    let seated = seated.get_or_insert_with(fresh);
    if !Arc::ptr_eq(&seated.entrant, entrant) {
        if seated.entrant.player != entrant.player {
            seated.player.reseat(&entrant.player);
        }
        seated.entrant = Arc::clone(entrant);
    }
    let (limit, source) = entrant.player.limit();
    let number = spec.pair * 4 + game as u64 * 2 + u64::from(side == Side::Second);
    let seed = Stream::new(spec.run_seed, Purpose::Player, number).bits();
    Seat { player: seated.player.as_player(), limit, source, seed }
}

fn record(game: PlayedGame<ZeroPointOne>) -> GameRecord {
    GameRecord { moves: codes(&game.moves), ending: game.ending, nodes: game.nodes, track: game.track }
}

fn codes(moves: &[<ZeroPointOne as Game>::Move]) -> Vec<u32> {
    moves.iter().map(|&mv| ZeroPointOne::code(mv)).collect()
}
