//! The tree search in a game other than the engine's, through its public interface: tic-tac-toe, which a few lines
//! solve.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use engine::mcts::{Candidate, Evaluation, Found, Game, Limits, MctsParams, Proof, Task, Tree};
use engine::{NeverStop, NoClock, Params};

/// The fields of the side to move and of its opponent, one bit per field.
type Board = [u16; 2];

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
const FULL: u16 = 0o777;

fn is_won(fields: u16) -> bool {
    LINES.iter().any(|line| fields & line == *line)
}

fn free(board: Board) -> impl Iterator<Item = u16> {
    (0..9).filter(move |field| (board[0] | board[1]) & 1 << field == 0)
}

fn after(board: Board, field: u16) -> Board {
    [board[1], board[0] | 1 << field]
}

/// 1 for a win of the side to move, 0 for a draw, -1 for a loss: searches all lines.
fn solve(board: Board) -> i32 {
    if is_won(board[1]) {
        return -1;
    }
    free(board).map(|field| -solve(after(board, field))).max().unwrap_or(0)
}

/// The game for the search: it provides nothing but the rules.
struct TicTacToe {
    line: Vec<Board>,
}

impl Game for TicTacToe {
    fn play(&mut self, ply: usize, mv: u16) {
        self.line.truncate(ply + 1);
        self.line.push(after(self.line[ply], mv));
    }

    fn evaluate(&mut self, ply: usize) -> Evaluation {
        let board = self.line[ply];
        match (is_won(board[1]), board[0] | board[1]) {
            (true, _) => Evaluation::Proven(Proof::Loss(0)),
            (false, FULL) => Evaluation::Proven(Proof::Draw),
            (false, _) => Evaluation::Estimate(0.5),
        }
    }

    fn moves(&mut self, ply: usize, moves: &mut Vec<Candidate>) {
        moves.extend(free(self.line[ply]).map(|mv| Candidate { mv, logit: 0.0, gives_check: false }));
    }

    fn without_moves(&self, _: usize) -> Proof {
        Proof::Draw
    }
}

fn start(board: Board) -> TicTacToe {
    TicTacToe { line: vec![board] }
}

fn task(params: &Params, limits: Limits) -> Task<'_> {
    Task { params: &params.mcts, time: &params.time, limits, last_value: None, stop: &NeverStop, timer: &NoClock }
}

fn search(tree: &mut Tree, board: Board, task: &Task<'_>) -> Option<Found> {
    task.search(tree, &mut start(board), &mut |_, _, _| ())
}

/// All positions of games in progress, in order of the number of moves made.
fn positions() -> Vec<Board> {
    let (mut all, mut next) = (Vec::new(), 0);
    all.push([0, 0]);
    while let Some(&board) = all.get(next) {
        for field in free(board) {
            let board = after(board, field);
            if !is_won(board[1]) && board[0] | board[1] != FULL && !all.contains(&board) {
                all.push(board);
            }
        }
        next += 1;
    }
    all
}

fn sign(proof: Proof) -> Option<i32> {
    match proof {
        Proof::Win(_) => Some(1),
        Proof::Draw => Some(0),
        Proof::Loss(_) => Some(-1),
        Proof::Open | Proof::Repeated => None,
    }
}

#[test]
fn every_position_is_proven_to_be_what_it_is() {
    let params = Params::default();
    let positions = positions();
    // 5,478 positions are known to be reachable, of which 958 end a game.
    assert_eq!(positions.len(), 4_520);
    let mut tree = Tree::new(1 << 22);
    // A draw is proven only once all other moves are, which takes long if there are many.
    for board in positions.into_iter().filter(|&board| free(board).count() <= 5) {
        tree.clear();
        let found = search(&mut tree, board, &task(&params, Limits::NONE)).unwrap();
        let result = solve(board);
        assert_eq!(sign(tree.proof()), Some(result), "{board:?}");
        assert_eq!(-solve(after(board, found.choice.mv)), result, "{board:?}: the move keeps the result");
        // Quick wins and late losses: a win takes an odd number of plies, and at most as many as there are fields.
        if let Proof::Win(plies) = tree.proof() {
            assert!(plies % 2 == 1 && usize::from(plies) <= free(board).count(), "{board:?}");
        }
    }
}

#[test]
fn threads_prove_the_same() {
    let params = Params::default();
    for board in positions().into_iter().filter(|&board| free(board).count() <= 5).step_by(200) {
        let (mut tree, mut helpers) = (Tree::new(1 << 20), [(); 3].map(|()| start(board)));
        let task = task(&params, Limits::NONE);
        assert!(task.search_together(&mut tree, &mut start(board), &mut helpers, &mut |_, _, _| ()).is_some());
        assert_eq!(sign(tree.proof()), Some(solve(board)), "{board:?}");
    }
}

#[test]
fn a_kept_tree_has_what_a_fresh_one_has() {
    let mut params = Params::default();
    params.mcts = MctsParams { mcts_solver: false, ..params.mcts };
    let limits = Limits { nodes: 2_000, ..Limits::NONE };
    let (mut tree, mut board) = (Tree::new(1 << 22), [0, 0]);
    // Without the solver the result stays open, so that all simulations run.
    while free(board).count() > 1 && !is_won(board[1]) {
        let before = tree.visits();
        let found = search(&mut tree, board, &task(&params, limits)).unwrap();
        assert_eq!((found.simulations, tree.visits()), (2_000, before.max(1) + 2_000));
        let moves: Vec<_> = tree.moves().collect();
        let mut fields: Vec<u16> = moves.iter().map(|known| known.mv).collect();
        fields.sort_unstable();
        assert_eq!(fields, free(board).collect::<Vec<_>>(), "all moves, each once");
        assert!(moves.iter().map(|known| known.visits).sum::<u32>() < tree.visits());
        let share: f64 = moves.iter().map(|known| known.prior).sum();
        assert!((share - 1.0).abs() < 1e-3, "{share}");
        assert_eq!(tree.variation(&params.mcts).first(), Some(&found.choice.mv));
        let played = moves.iter().find(|known| known.mv == found.choice.mv).unwrap();
        let (visits, value) = (played.visits, played.value.unwrap());
        tree.advance(&[found.choice.mv]);
        assert_eq!(tree.visits(), visits);
        assert!((1.0 - tree.value() - value).abs() < 1e-12);
        board = after(board, found.choice.mv);
    }
    assert_eq!(solve(board), 0, "good play by both is a draw");
}

#[test]
fn the_smallest_tree_plays_on() {
    let params = Params::default();
    let mut tree = Tree::new(0);
    for _ in 0..3 {
        let limits = Limits { nodes: 5_000, ..Limits::NONE };
        let found = search(&mut tree, [0, 0], &task(&params, limits)).unwrap();
        assert!(free([0, 0]).any(|field| field == found.choice.mv));
        assert!(tree.len() <= 64);
    }
}
