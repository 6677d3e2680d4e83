//! Games to look at, move by move: each as the board before its first ply and the changes of every ply, so that viewers
//! need no rules.

use crate::board::{Board, Look};
use arena::run::{GameName, Header, LiveGame, Proposal, StoredResult};
use play::analysis::Thought;
use play::games::{Chess, GameKind, Rules};
use play::{Ending, Evaluation, Game, Limit, Side, Timing, TrackPly, reason};
use serde::Serialize;
use std::time::Duration;

/// Plies that are shown of a game; no game of people was ever longer.
const MOST_PLIES: usize = 1000;

/// A game to be stepped through.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replay {
    /// What is notable about it: set by the code that chose it.
    pub why: String,
    /// Its name, e.g. `12.2`.
    pub place: String,
    /// Who moved first and who second.
    pub players: [String; 2],
    /// `1-0`, `0-1` or `1/2-1/2`, from the first mover's view.
    pub result: String,
    /// How it ended, in words.
    pub ending: String,
    /// How its pieces look.
    pub look: Look,
    /// Labels of the rows, from the top, and of the columns, from the left.
    pub labels: [Vec<String>; 2],
    /// The pieces before the first ply, row by row from the top left.
    pub start: Vec<Option<char>>,
    /// The pieces in hand then.
    pub hands: [String; 2],
    /// Milliseconds on the clocks before the first ply, of the first mover and of the second; empty if no clock runs
    /// from move to move, and `None` where only the host knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<Option<u64>>,
    /// How many plies the opening gave.
    pub opening: usize,
    /// Every ply.
    pub plies: Vec<Step>,
}

/// What a ply changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The number of the move, as people write it: `12.` or `12...`.
    #[serde(rename = "n")]
    pub number: String,
    /// The move as people write it.
    #[serde(rename = "m")]
    pub text: String,
    /// Squares that changed, and what stands there now.
    #[serde(rename = "c")]
    pub changes: Vec<(usize, Option<char>)>,
    /// The hands, if they changed.
    #[serde(rename = "h", skip_serializing_if = "Option::is_none")]
    pub hands: Option<[String; 2]>,
    /// What the mover reported: evaluation, depth and time; empty if nothing is known.
    #[serde(rename = "s", skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What the mover expected: the first mover's score, from 0 to 1 and in thousandths; `None` if nothing is known.
    #[serde(rename = "e", skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// Milliseconds left on the mover's clock; `None` if nothing is known, or none runs from move to move.
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
}

/// A game played out: its boards and what was moved.
struct Played {
    boards: Vec<Board>,
    moves: Vec<Moved>,
}

/// A move as people write it.
struct Moved {
    number: String,
    text: String,
    side: Side,
}

/// Makes a game of a stored pair ready to be shown; `None` if there is none of this number, 0 or 1, its moves cannot be
/// read or its boards not be drawn.
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

/// Makes a game that is being played ready to be shown; `None` if its moves cannot be read or its boards not be drawn.
pub fn live(kind: GameKind, game: &LiveGame) -> Option<Replay> {
    let moves = Moves { start: game.start.as_deref(), opening: &game.opening, since: &game.moves };
    let [a, b] = distinct(game.entrants.clone());
    let shell = Shell {
        name: GameName { pair: game.pair, game: game.game },
        players: if game.side_of_first_seat == Side::First { [a, b] } else { [b, a] },
        ending: game.ending.as_ref(),
        clocks: [ClockAtStart::Unknown; 2],
    };
    shown(kind, &moves, shell, |ply| game.track.get(ply)?.as_ref())
}

/// A position of a game that variations begin at.
#[derive(Clone, Debug)]
pub struct Branch {
    kind: GameKind,
    text: String,
    side: Side,
}

impl Branch {
    /// The position after moves of a game; `None` if they cannot be read or boards of it not be drawn.
    pub fn after(kind: GameKind, start: Option<&str>, moves: &[u32]) -> Option<Self> {
        let (text, side) = match kind.rules() {
            Rules::ZeroPointOne(game) => reached(&game, start, moves),
            Rules::Chess(game) => reached(&game, start, moves),
            Rules::Custom => None,
        }?;
        Some(Self { kind, text, side })
    }

    /// What is thought there, ready to be shown: evaluation and depth in words, the score that the first mover is to
    /// expect, and the plies of the variation. `None` if that is not legal.
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

/// What an engine thinks of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionAnalysis {
    /// Its evaluation for the side to move, in words.
    pub score: Option<String>,
    /// The score that the first mover is to expect, from 0 to 1.
    pub expected: Option<f64>,
    /// Depth in plies; 0 if it says none.
    pub depth: u32,
    /// Nodes; 0 if it says none.
    pub nodes: u64,
    /// The variation that it thinks best.
    pub line: Vec<Step>,
}

/// The moves of a game.
struct Moves<'a> {
    start: Option<&'a str>,
    opening: &'a [u32],
    since: &'a [u32],
}

/// What a game has in addition to its moves.
struct Shell<'a> {
    name: GameName,
    players: [String; 2],
    /// `None` for a running one.
    ending: Option<&'a Ending>,
    /// By side.
    clocks: [ClockAtStart; 2],
}

/// The clock of a side before its first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClockAtStart {
    /// None runs from move to move.
    Missing,
    /// There may be one, and nothing says what it shows.
    Unknown,
    /// It shows this many milliseconds.
    Shows(u64),
}

/// The clocks of a stored game. Where the host scales time controls, the configuration does not say what they show.
fn clocks(header: &Header, stored: &StoredResult, game: usize) -> [ClockAtStart; 2] {
    let config = &header.config;
    let given = stored.proposal.limit.and_then(|limit| config.experiment.limits().get(limit as usize)).copied();
    [Side::First, Side::Second].map(|side| {
        let entrant = config.entrants.get(stored.proposal.seats[stored.result.sides.seat(game, side)].entrant as usize);
        let limit = given.or_else(|| entrant.map(|entrant| entrant.player.limit().0));
        match limit.and_then(Limit::timing) {
            Some(Timing::Clock { .. } | Timing::Hourglass(_)) if config.scale.is_some() => ClockAtStart::Unknown,
            Some(Timing::Clock { base, .. } | Timing::Hourglass(base)) => ClockAtStart::Shows(in_ms(base)),
            Some(Timing::Movetime(_)) | None => ClockAtStart::Missing,
        }
    })
}

fn in_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A game as shown; `track` has the search data of a ply after the opening.
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
    // The mark of an unfinished game in a PGN file.
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

/// Who moved first and who second in a game of a pair. In a tuning session one entrant sits on both seats.
pub fn players(header: &Header, proposal: &Proposal, game: usize) -> [String; 2] {
    let [a, b] = proposal.seats.each_ref().map(|seat| {
        let entrant = header.config.entrants.get(seat.entrant as usize);
        entrant.map_or_else(String::new, |entrant| entrant.name.clone())
    });
    let [a, b] = distinct([a, b]);
    if proposal.sides.seat(game, Side::First) == 0 { [a, b] } else { [b, a] }
}

/// The two sides of an engine that plays itself with other values are distinguished by their signs.
fn distinct([a, b]: [String; 2]) -> [String; 2] {
    if a == b { [format!("{a} (plus)"), format!("{b} (minus)")] } else { [a, b] }
}

/// Plays moves out; `None` if they cannot be read, or boards of the game not be drawn.
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

/// How many pieces stand on the board before each ply of a game of chess; `None` if the moves cannot be read.
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

/// The position after moves as its text, and whose turn it is.
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

/// The number of the move that is due, as people write it.
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

/// The score that the first mover is to expect by what `side` says, in thousandths. A hundredth of a pawn counts as a
/// point of Elo, so that a graph of it has a scale: four pawns are ten to one.
fn expected(score: Evaluation, side: Side) -> f64 {
    let own = match score {
        Evaluation::Logit(x) => stats::elo::logistic(f64::from(x) / 10_000.0),
        Evaluation::Centipawns(x) => stats::elo::expected_score(f64::from(x)),
        Evaluation::Mate(moves) => f64::from(u8::from(moves > 0)),
    };
    let first = if side == Side::First { own } else { 1.0 - own };
    (first * 1000.0).round() / 1000.0
}

/// The result of a game as people write it, from the first mover's view.
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
