//! A process player's view of the game: the position, and which of the moves the player has seen.

use crate::entrant::MovesSent;
use crate::game::Game;
use crate::player::{Failure, GameStart, LinesKept};
use crate::protocol::uci::message::Message;
use crate::variation::{illegal_move, is_best, is_last_word, other_move};
use record::Fault;

/// A game in progress.
pub(crate) struct OngoingGame<G: Game> {
    /// The text of the position that the sent moves start from, unless it is the game's standard start.
    pub(crate) start: Option<String>,
    position: G::Position,
    seen: usize,
}

impl<G: Game> OngoingGame<G> {
    pub(crate) fn new(start: &GameStart<'_, G>) -> Result<Self, Failure> {
        let position = match start.start {
            Some(text) => start.game.setup(text).map_err(Fault::Startup)?,
            None => start.game.start(),
        };
        Ok(Self { start: start.start.map(str::to_owned), position, seen: 0 })
    }

    /// Calls `tell` for each unseen move, with the position it is made in.
    pub(crate) fn follow(&mut self, moves: &[G::Move], mut tell: impl FnMut(&G::Position, G::Move)) {
        for &mv in moves.get(self.seen..).unwrap_or_default() {
            tell(&self.position, mv);
            G::play(&mut self.position, mv);
        }
        self.seen = moves.len();
    }

    /// The lines reported in this position whose variation cannot be played. Keeps the last line of the search, too, if
    /// there are any, or if it begins with a move other than `played`, or if `kept` asks for it.
    pub(crate) fn odd_lines(&self, lines: Vec<String>, kept: LinesKept, played: Option<G::Move>) -> Vec<String> {
        let is_illegal = |line: &String| match Message::parse(line) {
            Message::Info(info) => info.pv.is_some_and(|pv| illegal_move::<G>(&self.position, pv).is_some()),
            _ => false,
        };
        let illegal: Vec<bool> = lines.iter().map(is_illegal).collect();
        let is_last_word = |line: &String| matches!(Message::parse(line), Message::Info(info) if is_last_word(&info));
        let last = lines.iter().rposition(is_last_word).filter(|&last| {
            let is_another = played.is_some_and(|played| other_move::<G>(&self.position, &lines[last], played));
            is_another || illegal.contains(&true)
        });
        let is_best = |line: &String| matches!(Message::parse(line), Message::Info(info) if is_best(&info));
        let wanted = lines.iter().rposition(is_best).filter(|_| kept == LinesKept::LastAndIllegal);
        let is_kept = |number: &usize| illegal[*number] || [last, wanted].contains(&Some(*number));
        lines.into_iter().enumerate().filter(|(number, _)| is_kept(number)).map(|(_, line)| line).collect()
    }

    /// Like [`follow`](Self::follow), and writes the moves in UCI notation, separated by spaces. With
    /// `MovesSent::SinceIrreversible` the start becomes the position after the last irreversible move, and the text
    /// holds the moves since.
    pub(crate) fn follow_in_text(&mut self, moves: &[G::Move], which: MovesSent, text: &mut String) {
        let unseen = moves.get(self.seen..).unwrap_or_default();
        for &mv in unseen {
            let restarts = which == MovesSent::SinceIrreversible && G::is_irreversible(&self.position, mv);
            if !text.is_empty() {
                text.push(' ');
            }
            G::write_move(&self.position, mv, text);
            G::play(&mut self.position, mv);
            if restarts {
                self.start = Some(self.position.to_string());
                text.clear();
            }
        }
        self.seen = moves.len();
    }
}
