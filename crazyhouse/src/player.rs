//! The engine: the values of its parameters, and a tree that is kept from move to move.

use crate::Position;
use crate::board::{Board, Line};
use crate::moves::{code, key, read_fen, read_move};
use crate::network::Network;
use engine::mcts::{Choice, Limits, MctsParams, Proof, Task, Tree};
use engine::protocol::uci::Go;
use engine::time::Allocation;
use engine::{PARAMS, ParamInfo, Params, Side, Stop, Timer};
use shakmaty::{Color, Position as _};

/// The number of own moves that a clock is planned to last, as in the paper that `engine::mcts` names.
const MOVES_LEFT: u32 = 50;

/// A game so far.
#[derive(Clone, Debug)]
pub struct Record {
    /// The key of its first position.
    start: u64,
    /// The codes of the moves.
    moves: Vec<u16>,
    /// The keys of all positions before the current one.
    keys: Vec<u64>,
    position: Position,
}

impl Default for Record {
    fn default() -> Self {
        Self::new(Position::default())
    }
}

impl Record {
    /// A game that begins in this position.
    pub fn new(position: Position) -> Self {
        Self { start: key(&position), moves: Vec::new(), keys: Vec::new(), position }
    }

    /// Reads the text after the word `position`: `startpos` or `fen FEN`, then optionally `moves` and moves.
    ///
    /// # Errors
    /// What cannot be read, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut words = text.split_ascii_whitespace();
        let mut record = match words.next() {
            Some("startpos") => match words.next() {
                None | Some("moves") => Self::default(),
                Some(other) => return Err(format!("found `{other}` behind `startpos`: expected `moves`")),
            },
            Some("fen") => {
                let fen: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
                Self::new(read_fen(&fen.join(" "))?)
            }
            other => {
                let found = other.unwrap_or_default();
                return Err(format!("found `{found}`: expected `startpos` or `fen FEN`"));
            }
        };
        for word in words {
            let mv = read_move(word, &record.position).ok_or_else(|| format!("`{word}` is not a legal move"))?;
            record.play(mv);
        }
        Ok(record)
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: shakmaty::Move) {
        self.keys.push(key(&self.position));
        self.moves.push(code(mv));
        self.position.play_unchecked(mv);
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }
}

/// An engine.
#[derive(Debug)]
pub struct Player {
    /// The values of the parameters: those of the tree search, and of time management.
    pub params: Params,
    /// Whether to look for a mate in one in each position.
    pub mate_in_one: bool,
    tree: Tree,
    /// A line of play for each thread.
    lines: Vec<Line>,
    /// The root of the tree, if the tree is not empty: the start of its game, and the moves to it.
    root: Option<(u64, Vec<u16>)>,
    /// The value of the last move to the side that played it, in this game.
    last_value: Option<f64>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The moves of the variation, as codes: the first is the move to play.
    pub variation: Vec<u16>,
    /// The value of that move and its share of the visits.
    pub choice: Choice,
    /// The proven result of the position, if known.
    pub proof: Proof,
    /// The number of simulations.
    pub simulations: u64,
    /// The mean length of the simulations' lines, in plies.
    pub depth: u8,
}

/// The default values of parameters. Matches at 400 simulations chose those that differ from the defaults of 0.1.
fn usual() -> Params {
    let mut params = Params::default();
    params.mcts = MctsParams {
        mcts_cpuct: 1.0,
        mcts_root_cpuct: 1.0,
        mcts_temperature: 1.0,
        mcts_fpu_reduction: 0.2,
        mcts_pv_min: 5,
        ..params.mcts
    };
    params
}

/// The parameters of 0.1 that crazyhouse shares: those of the tree search and of time management, but not those of
/// captures and evasions at leaves, of mates and of priors without a policy.
pub fn params() -> impl Iterator<Item = &'static ParamInfo> {
    PARAMS.iter().filter(|info| {
        info.name.starts_with("mcts_") && !OF_0_1_ALONE.contains(&info.name) || OF_TIME.contains(&info.name)
    })
}

const OF_0_1_ALONE: [&str; 5] =
    ["mcts_quiescence", "mcts_evasions", "mcts_mates", "mcts_exchange_prior", "mcts_check_prior"];
const OF_TIME: [&str; 6] =
    ["next_depth_fraction", "panic", "panic_multiplier", "panic_max_share", "time_effort", "time_stability"];

impl Player {
    /// An engine with a tree of at most approximately this many bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            params: usual(),
            mate_in_one: true,
            tree: Tree::new(bytes),
            lines: vec![Line::default()],
            root: None,
            last_value: None,
        }
    }

    /// Changes the size of the tree.
    pub fn set_bytes(&mut self, bytes: usize) {
        if !self.tree.has_size(bytes) {
            self.tree = Tree::new(bytes);
        }
        self.new_game();
    }

    /// Sets the number of search threads, at least one. The results of several threads differ from search to search.
    pub fn set_threads(&mut self, threads: usize) {
        self.lines.resize_with(threads.max(1), Line::default);
        self.new_game();
    }

    /// Forgets the last game.
    pub fn new_game(&mut self) {
        self.tree.clear();
        (self.root, self.last_value) = (None, None);
    }

    /// Searches the position of a game within limits. The network must be the same in all searches since
    /// [`Player::new_game`]. Returns `None` if the game is over. Passes intermediate results to `on_progress` from time
    /// to time, and the final one at the end.
    pub fn search(
        &mut self,
        network: &Network,
        game: &Record,
        limits: Limits,
        stop: &dyn Stop,
        timer: &dyn Timer,
        on_progress: &mut dyn FnMut(&Answer),
    ) -> Option<Answer> {
        self.go_to(game);
        let params = &self.params.mcts;
        let mate_in_one = self.mate_in_one;
        let boards = self.lines.iter_mut().map(|line| {
            line.start(&game.position, &game.keys);
            Board { network, line, params, mate_in_one }
        });
        let mut boards: Vec<Board<'_>> = boards.collect();
        let (board, helpers) = boards.split_first_mut()?;
        let task = Task { params, time: &self.params.time, limits, last_value: self.last_value, stop, timer };
        let mut last = None;
        let found = task.search_together(&mut self.tree, board, helpers, &mut |tree, _, found| {
            let answer = Answer {
                variation: tree.variation(params),
                choice: found.choice,
                proof: tree.proof(),
                simulations: found.simulations,
                depth: found.depth,
            };
            on_progress(&answer);
            last = Some(answer);
        })?;
        self.last_value = Some(found.choice.value);
        last
    }

    /// Moves the tree's root to the game's position, keeping the part of the tree below it.
    fn go_to(&mut self, game: &Record) {
        let root = self.root.take().filter(|root| root.0 == game.start);
        let moves = root.as_ref().and_then(|root| game.moves.strip_prefix(&root.1[..]));
        if moves.is_none_or(|moves| moves.len() % 2 == 1) {
            // Another game, or the other side's turn.
            self.last_value = None;
        }
        match moves.filter(|_| self.params.mcts.mcts_reuse) {
            Some(moves) => self.tree.advance(moves),
            None => self.tree.clear(),
        }
        self.root = Some((game.start, game.moves.clone()));
    }

    /// The limits of a `go`. A clock is planned to last for 50 moves, or for `moves_left` moves until more time is
    /// added, if these are fewer.
    pub fn limits(&self, go: &Go, turn: Color, moves_left: Option<u32>) -> Limits {
        let side = turn.fold_wb(Side::Red, Side::Blue);
        let moves = moves_left.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
        Limits::of(&go.budgets(side), |left| Allocation::even(&self.params.time, moves, left))
    }
}
