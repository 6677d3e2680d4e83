//! Streams an engine's analysis of a position to users who look at a game. Nothing is played or counted.
//!
//! The engine searches once, for a given time; its reports are read from the lines that it sends meanwhile.

use crate::child::{Direction, Trace};
use crate::entrant::{Entrant, PlayerSpec, ProcessSpec, Protocol, Restart};
use crate::games::{GameKind, Rules};
use crate::player::{GameStart, MoveFailure, Turn};
use crate::players::process::Starter;
use crate::protocol::info::Thoughts;
use crate::{Allowance, Game, SeatedGame, TimeAllowed, TimeSource};
use record::MoveInfo;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// By how much an engine may overrun its time: it gives an opinion, and plays no game.
const MARGIN: Duration = Duration::from_secs(5);
/// How many plies of a variation are read.
const MOST_PLIES: usize = 60;

/// A position for an engine to analyse.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The game.
    pub game: GameKind,
    /// The text of the position that the moves start from, unless it is the game's start.
    pub start: Option<&'a str>,
    /// The moves since, by their numbers in journals ([`Game::code`]).
    pub moves: &'a [u32],
    /// How long the engine may think.
    pub time: Duration,
    /// The engine, with its options; its own limit is ignored.
    pub process: &'a ProcessSpec,
    /// Starts the engine, in a process of its own.
    pub starter: &'a Starter,
    /// Set to abandon the analysis.
    pub stop: &'a AtomicBool,
}

/// One report of an engine's search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// The engine's evaluation for the side to move, and its depth.
    pub info: MoveInfo,
    /// The legal part of the best variation, as the numbers that journals use for moves.
    pub line: Vec<u32>,
}

/// What an engine sends while it searches.
#[derive(Clone, Copy, Debug)]
pub enum Report<'a> {
    /// A search report that has a variation.
    Thought(&'a Thought),
    /// Words for the user: an `info string` of UCI.
    Remark(&'a str),
}

/// Receives each report, on the caller's thread.
pub type Listener = Arc<dyn Fn(Report<'_>) + Send + Sync>;

/// Lets an engine analyse a position. Returns the last thought, with the move that the engine would play as its line.
///
/// # Errors
/// In a sentence: the moves are not legal, the game is over there, or the engine does not answer.
pub fn analyse(question: &Question<'_>, listener: Listener) -> Result<Thought, String> {
    match question.game.rules() {
        Rules::ZeroPointOne(game) => ask(&game, question, listener),
        Rules::Chess(game) => ask(&game, question, listener),
        Rules::Custom => Err(format!("the rules of {} are not known here", question.game)),
    }
}

/// Checks that an entrant can analyse: it must be a process that reports its search.
///
/// # Errors
/// Why not, in a sentence.
pub fn can_analyse(entrant: &Entrant) -> Result<&ProcessSpec, String> {
    match &entrant.player {
        PlayerSpec::Process(process) => match thoughts(process.protocol) {
            Ok(_thoughts) => Ok(process),
            Err(why) => Err(format!("{} cannot be asked: {why}", entrant.name)),
        },
        PlayerSpec::Native(_) | PlayerSpec::Random | PlayerSpec::Custom(_) => {
            Err(format!("{} is not an engine process", entrant.name))
        }
    }
}

fn ask<G: SeatedGame>(game: &G, question: &Question<'_>, listener: Listener) -> Result<Thought, String> {
    let Question { process, starter, stop, .. } = *question;
    let (position, moves) = follow(game, question)?;
    if G::ending(&position).is_some() {
        return Err("the game is over there".to_owned());
    }
    let thoughts = thoughts(process.protocol)?;
    let (limit, clocks) = (thoughts.limit)(question.time);
    let mut process = ProcessSpec { limit, restart: Restart::WhenNeeded, ..process.clone() };
    process.handling.ponder = false;
    let starter = Starter { trace: Some(overheard::<G>(thoughts, &position, listener)), ..starter.clone() };
    let mut player = game.process(&process, &starter)?;
    let side = G::side_to_move(&position);
    let failed = |why: &MoveFailure| format!("there is no answer: {why}");
    let begun = player.begin(&GameStart { game, start: question.start, side, limit, seed: 0, stop });
    begun.map_err(|failure| failed(&failure.why))?;
    let turn = Turn {
        position: &position,
        moves: &moves,
        allowance: Allowance { time: Some(TimeAllowed::Move(question.time)), nodes: None, depth: None },
        margin: MARGIN,
        clocks,
        source: TimeSource::Wall,
        is_draw_offered: false,
        stop,
    };
    let reply = player.choose(&turn).map_err(|failure| failed(&failure.why))?;
    Ok(Thought { info: reply.info.bounded(), line: vec![G::code(reply.mv)] })
}

/// The position of a question, and the moves that lead to it.
fn follow<G: Game>(game: &G, question: &Question<'_>) -> Result<(G::Position, Vec<G::Move>), String> {
    let mut position = match question.start {
        Some(text) => game.setup(text)?,
        None => game.start(),
    };
    let mut moves = Vec::with_capacity(question.moves.len());
    for (ply, &code) in question.moves.iter().enumerate() {
        let mv = G::legal_from_code(&position, code);
        let mv = mv.ok_or_else(|| format!("ply {} is not legal", ply + 1))?;
        G::play(&mut position, mv);
        moves.push(mv);
    }
    Ok((position, moves))
}

/// Reads thoughts about a position from the lines that the engine sends.
fn overheard<G: Game>(thoughts: &'static Thoughts, position: &G::Position, listener: Listener) -> Trace {
    let position = position.clone();
    Arc::new(move |direction, line| {
        if direction != Direction::Received {
            return;
        }
        if let Some(words) = (thoughts.remark)(line) {
            listener(Report::Remark(words));
        } else if let Some((info, pv)) = (thoughts.read)(line) {
            let line = variation::<G>(&position, pv);
            if !line.is_empty() {
                listener(Report::Thought(&Thought { info: info.bounded(), line }));
            }
        }
    })
}

/// How engines that speak a protocol report their search.
fn thoughts(protocol: Protocol) -> Result<&'static Thoughts, String> {
    let name = protocol.name();
    protocol.info().thoughts.as_ref().ok_or_else(|| format!("engines do not say what they think over {name}"))
}

/// The legal moves that a variation begins with. XBoard leaves the notation to the engine, and some engines number
/// their moves.
fn variation<G: Game>(position: &G::Position, pv: &str) -> Vec<u32> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for word in pv.split_whitespace().take(2 * MOST_PLIES) {
        let number = word.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(word.len());
        let (number, text) = word.split_at(if word[..number].contains('.') { number } else { 0 });
        if text.is_empty() && !number.is_empty() {
            continue;
        }
        let Some(mv) = G::read_move(&position, text) else { break };
        line.push(G::code(mv));
        G::play(&mut position, mv);
        if line.len() == MOST_PLIES || G::ending(&position).is_some() {
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evaluation;
    use crate::games::Chess;

    fn read(protocol: Protocol, line: &str) -> Option<(Option<Evaluation>, u32, String)> {
        let (info, pv) = (thoughts(protocol).ok()?.read)(line)?;
        let mut position = Chess::of(GameKind::Chess).expect("chess").start();
        let moves = variation::<Chess>(&position, pv);
        let texts = moves.into_iter().map(|code| {
            let mv = Chess::from_code(&position, code).expect("a move");
            let text = Chess::record_move(&position, mv);
            Chess::play(&mut position, mv);
            text
        });
        Some((info.score, info.depth, texts.collect::<Vec<_>>().join(" ")))
    }

    #[test]
    fn what_engines_say_is_understood_up_to_what_is_no_legal_move() {
        let pawns = |x| Some(Evaluation::Centipawns(x));
        let uci = |line| read(Protocol::Uci, line);
        let line = "info depth 12 seldepth 15 score cp 31 nodes 5 nps 6 time 7 pv e2e4 e7e5 g1f3";
        assert_eq!(uci(line), Some((pawns(31), 12, "e4 e5 Nf3".to_owned())));
        assert_eq!(
            uci("info depth 3 score mate -2 pv d2d4 d2d4"),
            Some((Some(Evaluation::Mate(-2)), 3, "d4".to_owned()))
        );
        assert_eq!(uci("info depth 12 multipv 2 score cp 31 pv e2e4"), None);
        assert_eq!(uci("info depth 12 score cp 31 lowerbound pv e2e4"), None);
        assert_eq!(uci("info depth 12 currmove e2e4"), None);
        assert_eq!(uci("bestmove e2e4"), None);
        let xboard = |line| read(Protocol::Xboard, line);
        assert_eq!(xboard("9 156 1084 48000 Nf3 d5 d4"), Some((pawns(156), 9, "Nf3 d5 d4".to_owned())));
        assert_eq!(xboard("9 156 1084 48000 g1f3 d7d5"), Some((pawns(156), 9, "Nf3 d5".to_owned())));
        assert_eq!(
            xboard("9 -5 1084 48000 1. e4 1... e5 2.Nf3 Nc6 {book}").map(|read| read.2),
            Some("e4 e5 Nf3 Nc6".to_owned())
        );
        assert_eq!(xboard("9 156 1084 48000 Nf3 ?"), None, "it failed low");
    }
}
