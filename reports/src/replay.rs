//! Games to look at, move by move: each as the board before its first ply and what every ply changes on it, so that whoever shows
//! it needs no rules.

use crate::board::{Board, Look};
use arena::run::{GameName, Header, StoredResult};
use play::games::Rules;
use play::{Ending, Evaluation, Game, Side, TrackPly, reason};
use serde::Serialize;

/// Plies that are shown of a game; no game of people was ever longer.
const MOST_PLIES: usize = 1000;

/// A game to be stepped through.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replay {
    /// What is notable about it: for whoever chose it to say.
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
    /// What the mover said: evaluation, depth and time; empty if nothing is known.
    #[serde(rename = "s", skip_serializing_if = "String::is_empty")]
    pub said: String,
}

/// A game played out: its boards and what was moved.
struct Played {
    boards: Vec<Board>,
    /// The number and the text of each move.
    moves: Vec<[String; 2]>,
}

/// Makes a game of a stored pair ready to be shown; `None` if there is none of this number, 0 or 1, its moves cannot be read or its
/// boards not be drawn.
pub fn replay(header: &Header, stored: &StoredResult, game: usize) -> Option<Replay> {
    let (kind, result) = (header.config.game, &stored.result);
    let record = result.games.get(game)?;
    let codes: Vec<u32> = result.opening.iter().chain(&record.moves).take(MOST_PLIES).copied().collect();
    let Played { boards, moves } = match kind.rules() {
        Rules::ZeroPointOne(game) => play_out(&game, result.start.as_deref(), &codes),
        Rules::Chess(game) => play_out(&game, result.start.as_deref(), &codes),
        Rules::Custom => None,
    }?;
    let said = |ply: usize| record.track.get(ply.checked_sub(result.opening.len())?).map(said);
    let step = |(ply, (text, boards)): (usize, ([String; 2], &[Board]))| {
        let said = said(ply).unwrap_or_default();
        step(text, said, &boards[0], &boards[1])
    };
    let plies = moves.into_iter().zip(boards.windows(2)).enumerate().map(step).collect();
    let start = boards.into_iter().next()?;
    Some(Replay {
        why: String::new(),
        place: GameName { pair: result.pair, game }.to_string(),
        players: players(header, stored, game),
        result: score(&record.ending).to_owned(),
        ending: reason(&record.ending, kind.side_names()),
        look: start.look,
        labels: [start.rows, start.columns],
        start: start.squares,
        hands: start.hands,
        opening: result.opening.len(),
        plies,
    })
}

/// Who moved first and who second in a game of a stored pair. In a tuning session one entrant sits on both seats.
pub fn players(header: &Header, stored: &StoredResult, game: usize) -> [String; 2] {
    let [a, b] = stored.proposal.seats.each_ref().map(|seat| {
        let entrant = header.config.entrants.get(seat.entrant as usize);
        entrant.map_or_else(String::new, |entrant| entrant.name.clone())
    });
    let [a, b] = if a == b { [format!("{a} (plus)"), format!("{b} (minus)")] } else { [a, b] };
    if stored.result.sides.seat(game, Side::First) == 0 { [a, b] } else { [b, a] }
}

fn play_out<G: Game>(game: &G, start: Option<&str>, codes: &[u32]) -> Option<Played> {
    let mut position = match start {
        Some(text) => game.setup(text).ok()?,
        None => game.start(),
    };
    let mut played = Played { boards: vec![Board::of_text(&position.to_string())?], moves: Vec::new() };
    for &code in codes {
        let mv = G::from_code(&position, code).filter(|&mv| G::is_legal(&position, mv))?;
        played.moves.push([number::<G>(&position), G::record_move(&position, mv)]);
        G::play(&mut position, mv);
        played.boards.push(Board::of_text(&position.to_string())?);
    }
    Some(played)
}

/// The number of the move that is due, as people write it.
fn number<G: Game>(position: &G::Position) -> String {
    let dots = if G::side_to_move(position) == Side::First { "." } else { "..." };
    format!("{}{dots}", G::move_number(position))
}

fn step([number, text]: [String; 2], said: String, before: &Board, after: &Board) -> Step {
    let squares = before.squares.iter().zip(&after.squares).enumerate();
    let changes = squares.filter(|(_, (before, after))| before != after).map(|(index, (_, after))| (index, *after));
    let hands = (before.hands != after.hands).then(|| after.hands.clone());
    Step { number, text, changes: changes.collect(), hands, said }
}

/// The result of a game as people write it, from the first mover's view.
pub fn score(ending: &Ending) -> &'static str {
    match ending.score(Side::First) {
        stats::Score::Win => "1-0",
        stats::Score::Draw => "1/2-1/2",
        stats::Score::Loss => "0-1",
    }
}

/// What was said of a ply: evaluation for the mover, depth, time.
fn said(ply: &TrackPly) -> String {
    let mut parts = Vec::new();
    parts.extend(ply.said.score.map(|score| match score {
        Evaluation::Logit(x) => format!("{:+.2} logit", f64::from(x) / 10_000.0),
        Evaluation::Centipawns(x) => format!("{:+.2}", f64::from(x) / 100.0),
        Evaluation::Mate(moves) => format!("mate in {moves}"),
    }));
    if ply.said.depth > 0 {
        parts.push(format!("depth {}", ply.said.depth));
    }
    if !ply.wall.is_zero() {
        parts.push(format!("{:.1} ms", ply.wall.as_secs_f64() * 1e3));
    }
    parts.join(" · ")
}
