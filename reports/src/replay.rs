//! Games to step through: each is stored as the board before its first ply and the changes of every ply, so that
//! viewers need no rules.

use crate::board::{Board, Look};
use arena::config::ExperimentConfig;
use arena::run::{GameName, Header, LiveGame, Proposal, StoredResult};
use play::analysis::Thought;
use play::games::{Chess, GameKind, Rules};
use play::{Ending, Evaluation, Game, Side, Timing, TrackPly, reason};
use serde::Serialize;
use std::time::Duration;

/// The maximum number of plies shown of a game; no game between people was ever longer.
const MOST_PLIES: usize = 1000;

/// A game to step through.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replay {
    /// What is notable about the game: set by the code that chose it.
    pub why: String,
    /// The game's name, such as `12.2`.
    pub place: String,
    /// The first and the second mover.
    pub players: [String; 2],
    /// `1-0`, `0-1` or `1/2-1/2`, from the first mover's view.
    pub result: String,
    /// The ending, in words.
    pub ending: String,
    /// The look of the pieces.
    pub look: Look,
    /// Labels of the rows, from the top, and of the columns, from the left.
    pub labels: [Vec<String>; 2],
    /// The pieces before the first ply, row by row from the top left.
    pub start: Vec<Option<char>>,
    /// The pieces in hand before the first ply.
    pub hands: [String; 2],
    /// Milliseconds on the clocks before the first ply, of the first mover and of the second; empty if no clock runs
    /// from move to move, and `None` if only the host knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<Option<u64>>,
    /// The number of plies in the opening.
    pub opening: usize,
    /// Every ply.
    pub plies: Vec<Step>,
}

/// The changes of a ply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The number of the move in the usual notation: `12.` or `12...`.
    #[serde(rename = "n")]
    pub number: String,
    /// The move in the notation of game records.
    #[serde(rename = "m")]
    pub text: String,
    /// The squares that changed, and their new content.
    #[serde(rename = "c")]
    pub changes: Vec<(usize, Option<char>)>,
    /// The hands, if they changed.
    #[serde(rename = "h", skip_serializing_if = "Option::is_none")]
    pub hands: Option<[String; 2]>,
    /// The mover's report: evaluation, depth and time; empty if nothing is known.
    #[serde(rename = "s", skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The mover's expectation: the first mover's score, from 0 to 1 and in thousandths; `None` if it is unknown.
    #[serde(rename = "e", skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// Milliseconds left on the mover's clock; `None` if it is unknown, or no clock runs from move to move.
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
}

/// A game played through: its boards and its moves.
struct Played {
    boards: Vec<Board>,
    moves: Vec<Moved>,
}

/// A move in the notation of game records.
struct Moved {
    number: String,
    text: String,
    side: Side,
}

/// Prepares a game of a stored pair for display; `None` if there is no game of this number, 0 or 1, if its moves cannot
/// be read or if its boards cannot be drawn.
pub fn replay(header: &Header, stored: &StoredResult, game: usize) -> Option<Replay> {
    let (kind, result) = (header.config.game, &stored.result);
    let record = result.games.get(game)?;
    let moves = Moves { start: result.start.as_deref(), opening: &result.opening, since: &record.moves };
    let shell = Shell {
        name: GameName { pair: result.pair, game },
        players: players(header, &stored.proposal, game),
        ending: Some(&record.ending),
        clocks: clocks(header, stored, game),
    };
    shown(kind, &moves, shell, |ply| record.track.get(ply))
}

/// Prepares a game in progress for display; `None` if its moves cannot be read or its boards cannot be drawn.
/// `has_signs` tells whether the seats of its run have signs, as [`has_signs`] reads it from the header.
pub fn live(kind: GameKind, has_signs: bool, game: &LiveGame) -> Option<Replay> {
    let moves = Moves { start: game.start.as_deref(), opening: &game.opening, since: &game.moves };
    let [a, b] = named(game.entrants.clone(), has_signs);
    let shell = Shell {
        name: GameName { pair: game.pair, game: game.game },
        players: if game.side_of_first_seat == Side::First { [a, b] } else { [b, a] },
        ending: game.ending.as_ref(),
        clocks: [ClockAtStart::Unknown; 2],
    };
    shown(kind, &moves, shell, |ply| game.track.get(ply)?.as_ref())
}

/// A position of a game from which variations begin.
#[derive(Clone, Debug)]
pub struct Branch {
    kind: GameKind,
    text: String,
    side: Side,
}

impl Branch {
    /// The position after moves of a game; `None` if the moves cannot be read or the boards cannot be drawn.
    pub fn after(kind: GameKind, start: Option<&str>, moves: &[u32]) -> Option<Self> {
        let (text, side) = match kind.rules() {
            Rules::ZeroPointOne(game) => reached(&game, start, moves),
            Rules::Chess(game) => reached(&game, start, moves),
            Rules::Custom => None,
        }?;
        Some(Self { kind, text, side })
    }

    /// Prepares an engine's thought about the position for display: evaluation and depth in words, the first mover's
    /// expected score, and the plies of the variation. `None` if the variation is not legal.
    pub fn shown(&self, thought: &Thought) -> Option<PositionAnalysis> {
        let start = Some(self.text.as_str());
        let Played { boards, moves } = played(self.kind, start, &thought.line)?;
        let steps =
            moves.into_iter().zip(boards.windows(2)).map(|(moved, boards)| step(moved, None, &boards[0], &boards[1]));
        let info = thought.info;
        Some(PositionAnalysis {
            score: info.score.map(score_in_words),
            expected: info.score.map(|score| expected(score, self.side)),
            depth: info.depth,
            nodes: info.nodes,
            line: steps.collect(),
        })
    }
}

/// An engine's analysis of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionAnalysis {
    /// The evaluation for the side to move, in words.
    pub score: Option<String>,
    /// The first mover's expected score, from 0 to 1.
    pub expected: Option<f64>,
    /// Depth in plies; 0 if the engine reports none.
    pub depth: u32,
    /// Nodes; 0 if the engine reports none.
    pub nodes: u64,
    /// The best variation.
    pub line: Vec<Step>,
}

/// The moves of a game.
struct Moves<'a> {
    start: Option<&'a str>,
    opening: &'a [u32],
    since: &'a [u32],
}

/// The data of a game apart from its moves.
struct Shell<'a> {
    name: GameName,
    players: [String; 2],
    /// `None` for a running game.
    ending: Option<&'a Ending>,
    /// By side.
    clocks: [ClockAtStart; 2],
}

/// The clock of a side before its first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClockAtStart {
    /// No clock runs from move to move.
    Missing,
    /// There may be a clock, but its time is not known.
    Unknown,
    /// The clock shows this many milliseconds.
    Shows(u64),
}

/// The clocks of a stored game. If the host scales time controls, the configuration does not tell their times.
fn clocks(header: &Header, stored: &StoredResult, game: usize) -> [ClockAtStart; 2] {
    [Side::First, Side::Second].map(|side| match timing(header, stored, game, side) {
        Some(Timing::Clock { .. } | Timing::Hourglass(_)) if header.config.scale.is_some() => ClockAtStart::Unknown,
        Some(Timing::Clock { base, .. } | Timing::Hourglass(base)) => ClockAtStart::Shows(in_ms(base)),
        Some(Timing::Movetime(_)) | None => ClockAtStart::Missing,
    })
}

/// The limit of time of a side in a stored game, as configured; `None` if it has none.
fn timing(header: &Header, stored: &StoredResult, game: usize, side: Side) -> Option<Timing> {
    let config = &header.config;
    let given = stored.proposal.limit.and_then(|limit| config.experiment.limits().get(limit as usize)).copied();
    let entrant = config.entrants.get(stored.proposal.seats[stored.result.sides.seat(game, side)].entrant as usize);
    given.or_else(|| entrant.map(|entrant| entrant.player.limit().0))?.timing()
}

/// Whether a side has a clock that runs from move to move in a stored game.
pub(crate) fn has_clock(header: &Header, stored: &StoredResult, game: usize, side: Side) -> bool {
    matches!(timing(header, stored, game, side), Some(Timing::Clock { .. } | Timing::Hourglass(_)))
}

fn in_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A game prepared for display; `track` has the search data of a ply after the opening.
fn shown<'a>(
    kind: GameKind,
    moves: &Moves<'_>,
    shell: Shell<'_>,
    track: impl Fn(usize) -> Option<&'a TrackPly>,
) -> Option<Replay> {
    let codes: Vec<u32> = moves.opening.iter().chain(moves.since).take(MOST_PLIES).copied().collect();
    let Played { boards, moves: moved } = played(kind, moves.start, &codes)?;
    let step = |(ply, (moved, boards)): (usize, (Moved, &[Board]))| {
        let track = ply.checked_sub(moves.opening.len()).and_then(&track);
        let is_timed = shell.clocks[usize::from(moved.side == Side::Second)] != ClockAtStart::Missing;
        let left = track.filter(|track| is_timed && (track.left, track.wall) != (Duration::ZERO, Duration::ZERO));
        Step { left: left.map(|track| in_ms(track.left)), ..step(moved, track, &boards[0], &boards[1]) }
    };
    let plies: Vec<Step> = moved.into_iter().zip(boards.windows(2)).enumerate().map(step).collect();
    let is_timed = plies.iter().any(|step| step.left.is_some());
    let clock = |clock| if let ClockAtStart::Shows(ms) = clock { Some(ms) } else { None };
    let start = boards.into_iter().next()?;
    let ended = |ending| (score(ending).to_owned(), reason(ending, kind.side_names()));
    // `*` marks an unfinished game in a PGN file.
    let (result, ending) = shell.ending.map_or_else(|| ("*".to_owned(), "being played".to_owned()), ended);
    Some(Replay {
        why: String::new(),
        place: shell.name.to_string(),
        players: shell.players,
        result,
        ending,
        look: start.look,
        labels: [start.rows, start.columns],
        start: start.squares,
        hands: start.hands,
        clocks: if is_timed { shell.clocks.map(clock).to_vec() } else { Vec::new() },
        opening: moves.opening.len(),
        plies,
    })
}

/// The first and the second mover in a game of a pair.
pub fn players(header: &Header, proposal: &Proposal, game: usize) -> [String; 2] {
    let [a, b] = proposal.seats.each_ref().map(|seat| {
        let entrant = header.config.entrants.get(seat.entrant as usize);
        entrant.map_or_else(String::new, |entrant| entrant.name.clone())
    });
    let [a, b] = named([a, b], has_signs(header));
    if proposal.sides.seat(game, Side::First) == 0 { [a, b] } else { [b, a] }
}

/// Whether signs tell the seats of a run's games apart: in a tuning session, one entrant has both, with other values in
/// each. In self-play both are the same.
pub fn has_signs(header: &Header) -> bool {
    matches!(header.config.experiment, ExperimentConfig::Tune(_))
}

/// The names by seat, with signs if the seats have some.
fn named([a, b]: [String; 2], has_signs: bool) -> [String; 2] {
    if has_signs { [format!("{a} (plus)"), format!("{b} (minus)")] } else { [a, b] }
}

/// Plays moves; `None` if they cannot be read, or the game's boards cannot be drawn.
fn played(kind: GameKind, start: Option<&str>, codes: &[u32]) -> Option<Played> {
    match kind.rules() {
        Rules::ZeroPointOne(game) => play_out(&game, start, codes),
        Rules::Chess(game) => play_out(&game, start, codes),
        Rules::Custom => None,
    }
}

fn play_out<G: Game>(game: &G, start: Option<&str>, codes: &[u32]) -> Option<Played> {
    let mut position = starting(game, start)?;
    let mut played = Played { boards: vec![Board::of_text(&position.to_string())?], moves: Vec::new() };
    for &code in codes {
        let mv = G::legal_from_code(&position, code)?;
        let (number, text) = (number::<G>(&position), G::record_move(&position, mv));
        played.moves.push(Moved { number, text, side: G::side_to_move(&position) });
        G::play(&mut position, mv);
        played.boards.push(Board::of_text(&position.to_string())?);
    }
    Some(played)
}

/// The number of pieces on the board before each ply of a chess game; `None` if the moves cannot be read.
pub(crate) fn pieces_by_ply(game: Chess, start: Option<&str>, codes: &[u32]) -> Option<Vec<usize>> {
    let mut position = starting(&game, start)?;
    let before = |&code: &u32| {
        let pieces = position.pieces();
        let mv = Chess::legal_from_code(&position, code)?;
        Chess::play(&mut position, mv);
        Some(pieces)
    };
    codes.iter().map(before).collect()
}

/// The text of the position after moves, and the side to move.
fn reached<G: Game>(game: &G, start: Option<&str>, codes: &[u32]) -> Option<(String, Side)> {
    let mut position = starting(game, start)?;
    for &code in codes {
        let mv = G::legal_from_code(&position, code)?;
        G::play(&mut position, mv);
    }
    Some((position.to_string(), G::side_to_move(&position)))
}

fn starting<G: Game>(game: &G, start: Option<&str>) -> Option<G::Position> {
    start.map_or_else(|| Some(game.start()), |text| game.setup(text).ok())
}

/// The number of the next move in the usual notation.
fn number<G: Game>(position: &G::Position) -> String {
    let dots = if G::side_to_move(position) == Side::First { "." } else { "..." };
    format!("{}{dots}", G::move_number(position))
}

fn step(moved: Moved, track: Option<&TrackPly>, before: &Board, after: &Board) -> Step {
    let squares = before.squares.iter().zip(&after.squares).enumerate();
    let changes = squares.filter(|(_, (before, after))| before != after).map(|(index, (_, after))| (index, *after));
    let hands = (before.hands != after.hands).then(|| after.hands.clone());
    let Moved { number, text, side } = moved;
    let expected = track.and_then(|track| Some(expected(track.info.score?, side)));
    let summary = track.map(summary).unwrap_or_default();
    Step { number, text, changes: changes.collect(), hands, summary, expected, left: None }
}

/// The first mover's expected score according to the report of `side`, in thousandths. A hundredth of a pawn counts as
/// a point of Elo, so that a graph of it has a scale: four pawns are ten to one.
fn expected(score: Evaluation, side: Side) -> f64 {
    let own = match score {
        Evaluation::Logit(x) => stats::elo::logistic(f64::from(x) / 10_000.0),
        Evaluation::Centipawns(x) => stats::elo::expected_score(f64::from(x)),
        Evaluation::Mate(moves) => f64::from(u8::from(moves > 0)),
    };
    let first = if side == Side::First { own } else { 1.0 - own };
    (first * 1000.0).round() / 1000.0
}

/// The result of a game in the usual notation, from the first mover's view.
pub fn score(ending: &Ending) -> &'static str {
    match ending.score(Side::First) {
        stats::Score::Win => "1-0",
        stats::Score::Draw => "1/2-1/2",
        stats::Score::Loss => "0-1",
    }
}

/// The search data of a ply: evaluation for the mover, depth, time.
fn summary(ply: &TrackPly) -> String {
    let mut parts = Vec::new();
    parts.extend(ply.info.score.map(score_in_words));
    if ply.info.depth > 0 {
        parts.push(format!("depth {}", ply.info.depth));
    }
    if !ply.wall.is_zero() {
        parts.push(format!("{:.1} ms", ply.wall.as_secs_f64() * 1e3));
    }
    parts.join(" · ")
}

fn score_in_words(score: Evaluation) -> String {
    match score {
        Evaluation::Logit(x) => format!("{:+.2} logit", f64::from(x) / 10_000.0),
        Evaluation::Centipawns(x) => format!("{:+.2}", f64::from(x) / 100.0),
        Evaluation::Mate(moves) => format!("mate in {moves}"),
    }
}
