//! A scripted player: does what a test tells it to, good or bad.

use play::random::Stream;
use play::{Failure, Fault, Game, GameStart, MoveFailure, MoveInfo, Player, Reply, Turn};
use std::collections::VecDeque;
use std::time::Duration;

/// What a scripted player does at one of its turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Plays the move of this text, which may be illegal but must be readable.
    Play(String),
    /// Plays any legal move, and reports this many nodes.
    Any {
        /// Work to report.
        nodes: u64,
    },
    /// Plays any legal move, and offers a draw with it.
    Offer,
    /// Accepts a draw offer, whether or not there is one.
    Agree,
    /// Panics with this text.
    Panic(String),
    /// Reports a fault of its own.
    Fault(Fault),
}

/// Follows a script; when it is over, plays any legal move.
#[derive(Clone, Debug, Default)]
pub(super) struct ScriptedPlayer {
    script: Vec<Line>,
    left: VecDeque<Line>,
}

impl ScriptedPlayer {
    /// A player that follows `script` from the start in each game.
    pub(super) fn new(script: impl IntoIterator<Item = Line>) -> Self {
        Self { script: script.into_iter().collect(), left: VecDeque::new() }
    }
}

impl<G: Game> Player<G> for ScriptedPlayer {
    fn begin(&mut self, _start: &GameStart<'_, G>) -> Result<(), Failure> {
        self.left = self.script.iter().cloned().collect();
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_, G>) -> Result<Reply<G::Move>, Failure> {
        let any = || G::random_move(turn.position, &mut Stream::from_seed(turn.moves.len() as u64));
        let reply = |mv: Option<G::Move>, nodes| {
            let mv = mv.ok_or_else(|| Fault::Crash("the script has no readable move".to_owned()))?;
            Ok(Reply::new(mv, MoveInfo { nodes, ..MoveInfo::default() }))
        };
        match self.left.pop_front() {
            Some(Line::Play(text)) => reply(G::parse_move(turn.position, &text), 0),
            Some(Line::Any { nodes }) => reply(any(), nodes),
            Some(Line::Offer) => reply(any(), 0).map(|reply| Reply { offers_draw: true, ..reply }),
            Some(Line::Agree) => {
                Err(Failure { why: MoveFailure::AgreedToDraw, delayed: Duration::ZERO, evidence: None })
            }
            Some(Line::Panic(text)) => panic!("{text}"),
            Some(Line::Fault(fault)) => Err(fault.into()),
            None => reply(any(), 0),
        }
    }
}
