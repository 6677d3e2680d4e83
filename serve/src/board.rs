//! A board of 0.1: the state of a game, by the engine's own rules, and the engine's search. The server is stateless:
//! each request has the whole game.

use engine::{
    Budget, DrawReason, Engine, EngineConfig, EvaluationKind, Move, MoveKind, MoveList, Outcome, PLY_LIMIT,
    ParseEvaluationError, ParseSearchError, Piece, Position, Progress, RootMove, SearchKind, SearchRequest,
    SearchResult, Side, Square, TimeLeft, Timer, format_long, format_move, parse_long, parse_move,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The maximum time of a search.
const LONGEST: Duration = Duration::from_mins(1);
/// The maximum time on a clock.
const LONGEST_CLOCK: Duration = Duration::from_hours(24);
/// The maximum number of nodes of a search.
const MOST_NODES: u64 = 200_000_000;
/// The size of the engine's table in bytes.
const TABLE: usize = 16 << 20;
/// The number of moves that are shown with their share of the search.
const SHOWN_MOVES: usize = 5;
/// The part of a longer clock that the engine reserves for the round trip to the page.
const RESERVE: Duration = Duration::from_millis(100);

/// A game in a request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// The starting position as text; empty boards by default.
    #[serde(default)]
    position: Option<String>,
    /// The plies since then, including setups, in short or long notation.
    #[serde(default)]
    moves: Vec<String>,
}

/// A game that was played through by the rules.
#[derive(Clone, Debug)]
pub(crate) struct Followed {
    position: Position,
    /// Keys of the earlier positions.
    history: Vec<u64>,
    /// Each ply in short and in long notation.
    played: Vec<[String; 2]>,
    last: Option<Move>,
}

impl Line {
    /// Plays the game through.
    ///
    /// # Errors
    /// A sentence: the text is not a position, or a ply is unreadable, illegal, or after the end of the game.
    pub(crate) fn follow(&self) -> Result<Followed, String> {
        if self.moves.len() > usize::from(PLY_LIMIT) {
            return Err(format!("a game has {PLY_LIMIT} plies at most"));
        }
        let position = match self.position.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            None => Position::new(),
            Some(text) => text.parse().map_err(|why| format!("this is not a position: {why}"))?,
        };
        let mut game = Followed { position, history: Vec::new(), played: Vec::new(), last: None };
        for (index, text) in self.moves.iter().enumerate() {
            game.play(text).map_err(|why| format!("ply {}, `{text}`: {why}", index + 1))?;
        }
        Ok(game)
    }
}

impl Followed {
    fn play(&mut self, text: &str) -> Result<(), String> {
        if self.position.outcome().is_some() {
            return Err("the game is over before".to_owned());
        }
        let parsed =
            parse_move(&self.position, text).or_else(|short| parse_long(&self.position, text).map_err(|_| short));
        let mv = parsed.map_err(|why| why.to_string())?;
        if !self.position.is_legal(mv) {
            return Err("this is not legal here".to_owned());
        }
        self.played.push([format_move(&self.position, mv), format_long(&self.position, mv)]);
        self.history.push(self.position.key());
        self.position.play(mv);
        self.last = Some(mv);
        Ok(())
    }

    /// Returns everything that a page shows of the game, as JSON.
    pub(crate) fn to_json(&self) -> Value {
        let position = &self.position;
        let side = position.side_to_move();
        let outcome = position.outcome();
        let phase = match outcome {
            Some(_) => "over",
            None if position.plies() < 2 => "setup",
            None => "play",
        };
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let legal: Vec<Value> = moves.as_slice().iter().map(|&mv| move_json(position, mv)).collect();
        let (result, reason) = outcome.map_or((None, None), |outcome| {
            let (result, reason) = ended(outcome);
            (Some(result), Some(reason))
        });
        let squares: Vec<Option<String>> = Square::all()
            .map(|square| position.piece_at(square).map(|(side, piece)| piece.letter(side).to_string()))
            .collect();
        let of_move = |[short, long]: &[String; 2]| json!({ "short": short, "long": long });
        json!({
            "position": position.to_string(), "side": name(side), "phase": phase, "plies": position.plies(),
            "result": result, "reason": reason, "in_check": phase == "play" && position.in_check(),
            "squares": squares, "hands": { "red": hand(position, Side::Red), "blue": hand(position, Side::Blue) },
            "moves": legal, "last": self.last.map(squares_of),
            "played": self.played.iter().map(of_move).collect::<Vec<_>>(),
        })
    }
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Red => "red",
        Side::Blue => "blue",
    }
}

fn ended(outcome: Outcome) -> (&'static str, &'static str) {
    match outcome {
        Outcome::Win(Side::Red) => ("1-0", "red has captured the wazir"),
        Outcome::Win(Side::Blue) => ("0-1", "blue has captured the wazir"),
        Outcome::Draw(DrawReason::PlyLimit) => ("1/2-1/2", "102 plies without a capture of a wazir"),
        Outcome::Draw(DrawReason::NoMove) => ("1/2-1/2", "there is no legal move"),
    }
}

/// Returns the letters of the pieces in hand with their numbers.
fn hand(position: &Position, side: Side) -> Value {
    let held = |piece: Piece| (piece.letter(side).to_string(), json!(position.hand(side, piece)));
    Value::Object(Piece::DROPPABLE.into_iter().map(held).collect())
}

/// Returns a jump or a drop: its origin square or piece, and its destination.
fn move_json(position: &Position, mv: Move) -> Value {
    let mut value = squares_of(mv);
    value["text"] = json!(format_move(position, mv));
    if let MoveKind::Drop { piece, .. } = mv.kind() {
        value["drop"] = json!(piece.letter(position.side_to_move()).to_string());
    }
    value
}

/// Returns the squares of a move by their numbers, a1 to h8.
fn squares_of(mv: Move) -> Value {
    match mv.kind() {
        MoveKind::Jump { from, to } => json!({ "from": from.index(), "to": to.index() }),
        MoveKind::Drop { to, .. } => json!({ "from": null, "to": to.index() }),
        MoveKind::Setup(_) => json!({ "from": null, "to": null }),
    }
}

/// The limits of the engine's search.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Effort {
    /// The name of a search; alpha-beta by default.
    #[serde(default)]
    search: Option<String>,
    /// The name of an evaluation; the strongest by default.
    #[serde(default)]
    evaluation: Option<String>,
    /// The maximum number of nodes.
    #[serde(default)]
    nodes: Option<u64>,
    /// Milliseconds for the move.
    #[serde(default)]
    time_ms: Option<u64>,
    /// Milliseconds for the rest of the game.
    #[serde(default)]
    clock_ms: Option<u64>,
}

impl Effort {
    /// Returns the engine and the limits of its search.
    ///
    /// # Errors
    /// A sentence: there is no search or evaluation with this name.
    pub(crate) fn engine(&self) -> Result<(Engine, Vec<Budget>), String> {
        let kind: EvaluationKind = match &self.evaluation {
            None => EvaluationKind::default(),
            Some(name) => name.parse().map_err(|why: ParseEvaluationError| why.to_string())?,
        };
        let search = self.search.as_ref().map_or(Ok(SearchKind::default()), |name| name.parse());
        let search = search.map_err(|why: ParseSearchError| why.to_string())?;
        let millis = |ms: Option<u64>| ms.map(|ms| Duration::from_millis(ms).min(LONGEST));
        let mut budgets = vec![Budget::Nodes(self.nodes.unwrap_or(MOST_NODES).clamp(1, MOST_NODES))];
        budgets.push(Budget::MoveTime(millis(self.time_ms).unwrap_or(LONGEST)));
        if let Some(clock) = self.clock_ms {
            let remaining = Duration::from_millis(clock).min(LONGEST_CLOCK);
            let reserve = RESERVE.min(remaining / 4);
            budgets.push(Budget::Clock(TimeLeft { remaining, reserve, increment: Duration::ZERO }));
        }
        let config = EngineConfig { search, evaluation: kind.into(), table_bytes: TABLE, ..EngineConfig::default() };
        Ok((Engine::new(&config), budgets))
    }
}

/// The wall clock of a search.
struct Wall(Instant);

impl Timer for Wall {
    fn elapsed(&self, _nodes: u64) -> Duration {
        self.0.elapsed()
    }
}

/// Lets the engine think about the position, and passes its findings on: a line of JSON after each depth, and finally
/// the move. There is no move when the game is over.
pub(crate) fn think(
    game: &Followed,
    mut engine: Engine,
    budgets: &[Budget],
    stop: &AtomicBool,
    found: &mut dyn FnMut(Value),
) {
    let timer = Wall(Instant::now());
    let (position, history) = (&game.position, game.history.as_slice());
    let request = SearchRequest { position, history, budgets, stop, timer: &timer };
    let shown = |result: &SearchResult| thought(position, result, timer.elapsed(0));
    let mut shares = json!([]);
    let last = engine.search_with_progress(&request, &mut |progress: &Progress<'_>| {
        shares = most_searched(position, progress.moves);
        let mut so_far = shown(progress.result);
        so_far["shares"] = shares.clone();
        found(so_far);
    });
    let mut answer = last.as_ref().map_or_else(|| json!({}), shown);
    answer["best"] = json!(last.map(|result| format_move(position, result.best)));
    answer["shares"] = shares;
    found(answer);
}

/// Returns the root moves that took most of the search, each with its share of the nodes.
fn most_searched(position: &Position, moves: &[RootMove]) -> Value {
    let all = moves.iter().map(|root| root.nodes).sum::<u64>().max(1);
    let mut moves = moves.to_vec();
    moves.sort_by_key(|root| std::cmp::Reverse(root.nodes));
    let share =
        |root: &RootMove| json!({ "move": format_move(position, root.mv), "share": root.nodes as f64 / all as f64 });
    Value::Array(moves.iter().take(SHOWN_MOVES).map(share).collect())
}

/// Returns a finding, from the side to move: logits, the expected share of the points, and the best line.
fn thought(position: &Position, result: &SearchResult, elapsed: Duration) -> Value {
    let (mut at, mut line, mut arrows) = (*position, Vec::new(), Vec::new());
    for mv in result.pv.moves() {
        if at.outcome().is_some() || !at.is_legal(mv) {
            break;
        }
        line.push(format_move(&at, mv));
        arrows.push(squares_of(mv));
        at.play(mv);
    }
    let logit = result.score.logit();
    let share = if result.score.is_win() {
        1.0
    } else if result.score.is_loss() {
        0.0
    } else {
        1.0 / (1.0 + libm::exp(-logit))
    };
    json!({
        "depth": result.depth, "logit": logit, "share": share, "ends_in": result.score.plies_to_end(),
        "nodes": result.nodes, "ms": u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX), "line": line,
        "arrows": arrows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(moves: &[&str]) -> Line {
        Line { position: None, moves: moves.iter().map(|&text| text.to_owned()).collect() }
    }

    const SETUPS: [&str; 2] = ["AWNAADADAFFAADDA", "awnaadadaffaadda"];

    #[test]
    fn a_game_is_followed_by_the_rules() {
        let value = line(&[]).follow().expect("nothing was played").to_json();
        assert_eq!(
            (&value["phase"], &value["side"], value["moves"].as_array().map(Vec::len)),
            (&json!("setup"), &json!("red"), Some(0))
        );
        let game = line(&SETUPS).follow().expect("setups");
        let value = game.to_json();
        assert_eq!((&value["phase"], &value["plies"], &value["squares"][1]), (&json!("play"), &json!(2), &json!("W")));
        let mut legal = MoveList::new();
        game.position.legal_moves(&mut legal);
        assert_eq!(value["moves"].as_array().map(Vec::len), Some(legal.as_slice().len()));
        for one in value["moves"].as_array().expect("moves") {
            let text = one["text"].as_str().expect("a text");
            line(&[SETUPS[0], SETUPS[1], text]).follow().expect("it is legal");
        }
        // A position's text continues the game from there.
        let there = Line { position: value["position"].as_str().map(str::to_owned), moves: Vec::new() };
        assert_eq!(there.follow().expect("a position").to_json()["moves"], value["moves"]);
    }

    #[test]
    fn what_is_no_game_is_refused_at_its_ply() {
        for (moves, says) in [
            (vec!["AWNAADADAFFAADDW"], "ply 1, `AWNAADADAFFAADDW`: "),
            (vec!["a1a2"], "ply 1, `a1a2`: "),
            (vec![SETUPS[0], SETUPS[0]], "ply 2, "),
            (vec![SETUPS[0], SETUPS[1], "a1h8"], "ply 3, `a1h8`: this is not legal here"),
            (vec![SETUPS[0], SETUPS[1], "\u{1f642}\u{1f642}"], "ply 3, "),
        ] {
            let why = line(&moves).follow().expect_err("it is refused");
            assert!(why.starts_with(says), "{why}");
        }
        let nowhere = Line { position: Some("8/8 w".to_owned()), moves: Vec::new() };
        assert!(nowhere.follow().expect_err("no position").starts_with("this is not a position: "));
    }

    /// Checks that a finding has the moves that took most of the search, the most searched first.
    fn check_shares(finding: &Value) {
        let shares = finding["shares"].as_array().expect("a list").iter();
        let shares: Vec<f64> = shares.map(|of| of["share"].as_f64().expect("a number")).collect();
        let sum: f64 = shares.iter().sum();
        assert!((1..=SHOWN_MOVES).contains(&shares.len()) && shares.is_sorted_by(|a, b| a >= b), "{finding}");
        let least = if shares.len() < SHOWN_MOVES { 1.0 - 1e-6 } else { f64::MIN_POSITIVE };
        assert!((least..1.0 + 1e-6).contains(&sum), "{finding}");
    }

    #[test]
    fn the_engine_plays_a_whole_game_against_itself() {
        let (mut moves, mut depths) = (Vec::<String>::new(), 0);
        loop {
            let game = Line { position: None, moves: moves.clone() }.follow().expect("all of it is legal");
            if game.position.outcome().is_some() {
                assert!(game.to_json()["result"].is_string());
                break;
            }
            let effort = Effort { nodes: Some(50), evaluation: Some("material".to_owned()), ..Effort::default() };
            let (engine, budgets) = effort.engine().expect("known");
            let mut found = Vec::new();
            think(&game, engine, &budgets, &AtomicBool::new(false), &mut |one| found.push(one));
            let (last, before) = found.split_last().expect("a move");
            let best = last["best"].as_str().expect("a move").to_owned();
            before.iter().for_each(check_shares);
            // There are none before the first depth is done.
            assert_eq!(last["shares"], before.last().map_or_else(|| json!([]), |depth| depth["shares"].clone()));
            depths += before.len();
            assert!(found.iter().all(|one| one["share"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share))));
            moves.push(best);
        }
        assert!(moves.len() > 2 && depths > 5, "{depths}");
    }
}
