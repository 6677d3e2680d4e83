//! A custom game with custom players, without changing spar's crates: a match of tic-tac-toe between a player that
//! looks for wins and one that moves at random. `cargo run --release --example own_game`.

use plan::{Disk, load};
use play::entrant::{CustomSpec, Entrant};
use play::random::Stream;
use play::{
    DrawRule, Failure, Fault, Game, GameStart, MoveInfo, Player, Reply, ReusablePlayer, RuleEnding, SeatedGame, Side,
    Turn, WinRule,
};
use session::{Event, Place, Session, Threads};
use std::error::Error;
use std::fmt;

/// The rules.
#[derive(Clone, Copy, Debug)]
struct TicTacToe;

/// Nine squares, row by row.
#[derive(Clone, Debug, Default)]
struct Board([Option<Side>; 9]);

const LINES: [[usize; 3]; 8] = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

impl Board {
    fn plies(&self) -> usize {
        self.0.iter().flatten().count()
    }

    fn is_won_by(&self, side: Side) -> bool {
        LINES.iter().any(|line| line.iter().all(|&square| self.0[square] == Some(side)))
    }

    fn empty(&self) -> impl Iterator<Item = u8> + '_ {
        (0..9).filter(|&square| self.0[usize::from(square)].is_none())
    }

    /// A square that completes a line of `side`.
    fn win_of(&self, side: Side) -> Option<u8> {
        self.empty().find(|&square| {
            let mut next = self.clone();
            next.0[usize::from(square)] = Some(side);
            next.is_won_by(side)
        })
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |square: &Option<Side>| match square {
            Some(Side::First) => 'x',
            Some(Side::Second) => 'o',
            None => '.',
        };
        f.write_str(&self.0.iter().map(sign).collect::<String>())
    }
}

impl Game for TicTacToe {
    type Position = Board;
    type Move = u8;

    fn start(&self) -> Board {
        Board::default()
    }

    fn setup(&self, text: &str) -> Result<Board, String> {
        Err(format!("every game starts from the empty board, not from {text}"))
    }

    fn random_start(&self, _stream: &mut Stream) -> Option<String> {
        None
    }

    fn side_to_move(board: &Board) -> Side {
        if board.plies().is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn move_number(board: &Board) -> u32 {
        board.plies() as u32 / 2 + 1
    }

    fn ending(board: &Board) -> Option<RuleEnding> {
        let won = [Side::First, Side::Second].into_iter().find(|&side| board.is_won_by(side));
        let win = won.map(|winner| RuleEnding::Win { winner, by: WinRule::Variant });
        win.or_else(|| (board.plies() == 9).then_some(RuleEnding::Draw(DrawRule::NoMove)))
    }

    fn is_legal(board: &Board, square: u8) -> bool {
        board.0.get(usize::from(square)) == Some(&None) && Self::ending(board).is_none()
    }

    fn play(board: &mut Board, square: u8) {
        board.0[usize::from(square)] = Some(Self::side_to_move(board));
    }

    fn is_progress(_board: &Board, _square: u8) -> bool {
        true
    }

    fn random_move(board: &Board, stream: &mut Stream) -> Option<u8> {
        let count = board.empty().count() as u32;
        (count > 0).then(|| board.empty().nth(stream.below(count) as usize))?
    }

    fn wins_at_once(board: &Board) -> bool {
        board.win_of(Self::side_to_move(board)).is_some()
    }

    fn code(square: u8) -> u32 {
        square.into()
    }

    fn from_code(_board: &Board, code: u32) -> Option<u8> {
        u8::try_from(code).ok().filter(|&square| square < 9)
    }

    fn write_move(_board: &Board, square: u8, out: &mut String) {
        out.push(char::from(b'1' + square));
    }

    fn parse_move(_board: &Board, text: &str) -> Option<u8> {
        text.parse::<u8>().ok().filter(|square| (1..=9).contains(square)).map(|square| square - 1)
    }

    fn most_random_plies() -> u32 {
        2
    }

    fn least_opening() -> u32 {
        0
    }
}

impl SeatedGame for TicTacToe {
    type Judge = ();

    fn custom(&self, entrant: &Entrant, _spec: &CustomSpec) -> Option<Box<dyn ReusablePlayer<Self>>> {
        (entrant.name == "attentive").then(|| Box::new(Attentive(Stream::from_seed(0))) as _)
    }
}

/// Wins if it can, else prevents the other's win if it must, else moves at random.
struct Attentive(Stream);

impl Player<TicTacToe> for Attentive {
    fn begin(&mut self, start: &GameStart<'_, TicTacToe>) -> Result<(), Failure> {
        self.0 = Stream::from_seed(start.seed);
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_, TicTacToe>) -> Result<Reply<u8>, Failure> {
        let (board, side) = (turn.position, TicTacToe::side_to_move(turn.position));
        let square = board.win_of(side).or_else(|| board.win_of(!side));
        let square = square.or_else(|| TicTacToe::random_move(board, &mut self.0));
        Ok(Reply::new(square.ok_or_else(|| Fault::Crash("the board is full".to_owned()))?, MoveInfo::default()))
    }
}

impl ReusablePlayer<TicTacToe> for Attentive {
    fn rehearse(&mut self, start: &GameStart<'_, TicTacToe>) -> Result<(), Failure> {
        self.begin(start)
    }
}

const PLAN: &str = r#"
    game = "custom:tic-tac-toe"
    openings = { source = "random", plies = 1 }
    [match]
    pairs = 500
    [[entrant]]
    name = "attentive"
    player = "custom"
    [[entrant]]
    name = "random"
    player = "random"
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let run = load(PLAN, "the plan", "own-game", &[], arena::config::Job::Match, Disk)?;
    let session = Session::create(run, Threads::of_game(TicTacToe), &Place::at("runs"));
    for event in session.watch() {
        if let Event::Ended(run) = event {
            let score = run.standing.counts.wdl();
            println!("+{} ={} -{} for {}", score.wins, score.draws, score.losses, run.config.entrants[0].name);
        }
    }
    session.wait()?;
    Ok(())
}
