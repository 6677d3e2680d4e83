//! Tests of the search in a game solved by arithmetic, and of the invariants of its tree.

use super::math::{exp, ln};
use super::select::{Growth, Selected};
use super::simulate::Line;
use super::tree::{Edge, Node, MOST_VISITS};
use super::{Candidate, Evaluation, Found, Game, Limits, MctsParams, Proof, Task, Tree};
use crate::params::ParamInfo;
use crate::time::{Allocation, TimeLeft};
use crate::{NeverStop, NoClock, NodeClock, Params};
use std::num::NonZeroU64;
use std::time::Duration;

/// A pile from which each side takes one to three. The side that takes the last one wins, so piles of a multiple of
/// four are lost. A pile of `drawn` ends the game without a winner, and one of `repeated` repeats a position.
struct Pile {
    line: Vec<u16>,
    drawn: Option<u16>,
    repeated: Option<u16>,
    /// Whether the game gives only the winning move, if there is one.
    sees_wins: bool,
    /// The number of evaluations, to check what the search asks for.
    evaluated: usize,
}

impl Pile {
    fn of(pile: u16) -> Self {
        Self { line: vec![pile], drawn: None, repeated: None, sees_wins: false, evaluated: 0 }
    }
}

impl Game for Pile {
    fn play(&mut self, ply: usize, mv: u16) {
        self.line.truncate(ply + 1);
        self.line.push(self.line[ply] - mv);
    }

    fn evaluate(&mut self, ply: usize) -> Evaluation {
        self.evaluated += 1;
        match self.line[ply] {
            0 => Evaluation::Proven(Proof::Loss(0)),
            pile if self.drawn == Some(pile) => Evaluation::Proven(Proof::Draw),
            pile if ply > 0 && self.repeated == Some(pile) => Evaluation::Repeated,
            // A useless value that differs between piles.
            pile => Evaluation::Estimate(f64::from(pile * 37 % 11) / 20.0 + 0.2),
        }
    }

    fn moves(&mut self, ply: usize, moves: &mut Vec<Candidate>) {
        let pile = self.line[ply];
        let least = if self.sees_wins && pile <= 3 { pile.max(1) } else { 1 };
        moves.extend((least..=pile.min(3)).map(|mv| Candidate {
            mv,
            logit: f32::from(mv) / 4.0,
            gives_check: mv == 2,
        }));
    }

    fn without_moves(&self, _: usize) -> Proof {
        Proof::Loss(0)
    }
}

fn searched(pile: u16, simulations: usize, params: &MctsParams) -> Tree {
    let (mut tree, mut game) = (Tree::new(1 << 20), Pile::of(pile));
    search(&mut tree, &mut game, simulations, params);
    tree
}

fn search(tree: &mut Tree, game: &mut Pile, simulations: usize, params: &MctsParams) {
    assert!(tree.begin(game, params));
    let mut line = Line::default();
    for _ in 0..simulations {
        if tree.proof() == Proof::Open {
            line.simulate(tree, game, params);
        }
    }
}

/// A search without limits, which ends when the result is proven.
fn task(params: &Params) -> Task<'_> {
    let Params { mcts, time, .. } = params;
    Task { params: mcts, time, limits: Limits::NONE, last_value: None, stop: &NeverStop, timer: &NoClock }
}

/// The result of a new search of a pile.
fn found(pile: u16, task: &Task<'_>) -> Found {
    task.search(&mut Tree::new(1 << 20), &mut Pile::of(pile), &mut |_, _, _| ()).unwrap()
}

/// All settings that search differently: each switch flipped, one at a time, and the paper's settings.
fn settings() -> Vec<MctsParams> {
    use crate::params::{Group, ParamKind};
    let switches = MctsParams::PARAMS.iter().filter(|info| info.kind == ParamKind::Switch);
    let turned = switches.map(|info| {
        let mut params = MctsParams::default();
        assert!(params.set(info.name, 1.0 - info.default));
        params
    });
    turned.chain([MctsParams::default(), MctsParams::preset("crazyara").unwrap()]).collect()
}

/// Checks every node: visits add up, sums match values, priors are sorted and add up, children are the first edges.
fn check(tree: &Tree) {
    let mut reached = 0;
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        reached += 1;
        let node = tree.node(at);
        let children: Vec<(u32, Node)> = tree.children(at).map(|(number, node, _)| (number, *node)).collect();
        assert_eq!(children.len(), usize::from(node.children));
        let below: u32 = children.iter().map(|(_, child)| child.visits).sum();
        assert!(node.visits > 0 && (0.0..=1.0).contains(&node.mean()));
        if node.proof == Proof::Open && node.moves > 0 {
            // The node's first visits are its own, until it has moves.
            assert!((1..16).contains(&(node.visits - below)), "{} visits, {below} below", node.visits);
            let values: f64 = children.iter().map(|(_, child)| f64::from(child.visits) - child.sum).sum();
            let own = node.sum - values;
            assert!((0.0..=f64::from(node.visits - below) + 1e-9).contains(&(own + 1e-9)), "{own}");
        }
        let priors: Vec<f64> = (0..usize::from(node.moves)).map(|i| tree.edge(at, i).unwrap().prior()).collect();
        assert!(priors.windows(2).all(|pair| pair[0] >= pair[1]), "{priors:?}");
        assert!(priors.is_empty() || (priors.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{priors:?}");
        open.extend(children.iter().map(|(number, _)| number));
    }
    assert_eq!(reached, tree.len(), "no node is lost");
}

#[test]
fn visits_add_up_and_values_are_means_whatever_the_settings() {
    for params in settings() {
        let params = MctsParams { mcts_solver: false, ..params };
        let tree = searched(41, 3_000, &params);
        check(&tree);
        let below: u32 = tree.moves().map(|mv| mv.visits).sum();
        assert_eq!(tree.visits(), below + 1, "{params:?}");
        assert_eq!(tree.visits(), 3_001);
    }
}

#[test]
fn results_are_proven_where_arithmetic_knows_them() {
    let params = MctsParams::default();
    for pile in 1..=14 {
        let tree = searched(pile, 200_000, &params);
        match (tree.proof(), pile % 4) {
            // A loser plays on as long as it can: each pair of moves takes four.
            (Proof::Loss(plies), 0) => assert_eq!(plies, pile / 2, "{pile}"),
            (Proof::Win(plies), rest) => {
                assert!(rest > 0 && plies % 2 == 1, "{pile}");
                assert_eq!(tree.choose(&params).unwrap().mv, rest, "{pile}");
            }
            (proof, _) => panic!("{pile}: {proof:?}"),
        }
        check(&tree);
    }
}

#[test]
fn a_move_that_wins_at_once_proves_its_node_at_the_first_visit_after_its_own() {
    for solver in [true, false] {
        let params = MctsParams { mcts_solver: solver, ..MctsParams::default() };
        for pile in 1..=3 {
            let (mut tree, mut game) = (Tree::new(1 << 20), Pile { sees_wins: true, ..Pile::of(pile) });
            search(&mut tree, &mut game, 1, &params);
            assert_eq!(tree.proof(), if solver { Proof::Win(1) } else { Proof::Open });
            assert_eq!(
                (tree.len(), tree.choose(&params).unwrap().mv, tree.choose(&params).unwrap().value),
                (2, pile, 1.0)
            );
        }
    }
    let (mut tree, mut game) = (Tree::new(1 << 20), Pile { sees_wins: true, ..Pile::of(14) });
    let found = task(&Params::default()).search(&mut tree, &mut game, &mut |_, _, _| ()).unwrap();
    assert_eq!((tree.proof(), found.choice.mv), (Proof::Win(7), 2));
    check(&tree);
}

#[test]
fn a_draw_is_proven_where_nothing_better_can_be_had() {
    let mut game = Pile { drawn: Some(4), ..Pile::of(8) };
    let (mut tree, params) = (Tree::new(1 << 20), MctsParams::default());
    search(&mut tree, &mut game, 10_000, &params);
    // From 5, 6 and 7 the other side can take to 4, and does so, since it would lose otherwise.
    assert_eq!(tree.proof(), Proof::Draw);
    check(&tree);
}

#[test]
fn without_the_solver_only_the_end_of_the_game_is_known() {
    let params = MctsParams { mcts_solver: false, ..MctsParams::default() };
    let tree = searched(7, 5_000, &params);
    assert_eq!((tree.proof(), tree.choose(&params).unwrap().mv), (Proof::Open, 3));
}

#[test]
fn the_same_search_gives_the_same_tree_to_the_bit() {
    for params in settings() {
        let (one, other) = (searched(30, 2_000, &params), searched(30, 2_000, &params));
        assert!(one.moves().eq(other.moves()), "{params:?}");
        assert_eq!(one.value().to_bits(), other.value().to_bits());
    }
}

#[test]
fn what_is_kept_is_what_was_below_the_moves_played() {
    let params = MctsParams { mcts_solver: false, ..MctsParams::default() };
    let mut tree = searched(40, 5_000, &params);
    let expected = tree.moves().nth(1).unwrap();
    let second = |tree: &Tree| tree.moves().max_by_key(|mv| mv.visits).unwrap();
    tree.advance(&[expected.mv]);
    check(&tree);
    assert_eq!(tree.visits(), expected.visits);
    assert!((1.0 - tree.value() - expected.value.unwrap()).abs() < 1e-12);
    let below = second(&tree);
    tree.advance(&[below.mv]);
    check(&tree);
    assert_eq!(tree.visits(), below.visits);
    // The kept tree can be searched further like any other.
    let mut game = Pile::of(40 - expected.mv - below.mv);
    search(&mut tree, &mut game, 2_000, &params);
    check(&tree);
    assert_eq!(tree.visits(), below.visits + 2_000);
    tree.advance(&[9]);
    assert!(tree.is_empty(), "nothing is known of a move that there is not");
}

#[test]
fn a_kept_tree_loses_nothing_and_never_grows_by_being_kept() {
    let params = MctsParams { mcts_solver: false, ..MctsParams::default() };
    let (mut tree, mut pile) = (Tree::new(1 << 16), 400);
    let bytes = tree.bytes();
    while pile > 3 {
        let mut game = Pile::of(pile);
        search(&mut tree, &mut game, 1_500, &params);
        check_kept(&tree);
        let mv = tree.choose(&params).unwrap().mv;
        let reply = 1 + pile % 2;
        pile -= mv + reply;
        tree.advance(&[mv, reply]);
        if !tree.is_empty() {
            check_kept(&tree);
        }
        assert_eq!(tree.bytes(), bytes);
    }
}

/// Like [`check`], if the pool may be full, so that nodes without children are visited again.
fn check_kept(tree: &Tree) {
    let (mut reached, mut open) = (0, vec![0]);
    while let Some(at) = open.pop() {
        reached += 1;
        let below: u32 = tree.children(at).map(|(_, child, _)| child.visits).sum();
        assert!(tree.node(at).visits > below);
        open.extend(tree.children(at).map(|(number, ..)| number));
    }
    assert_eq!(reached, tree.len());
}

#[test]
fn memory_is_bounded_and_a_full_tree_goes_on() {
    for bytes in [0, 1, 10_000, 100_000] {
        for params in settings() {
            let (mut tree, mut game) = (Tree::new(bytes), Pile::of(500));
            search(&mut tree, &mut game, 5_000, &params);
            assert!(tree.bytes() <= bytes.max(64 * 150), "{} of {bytes}", tree.bytes());
            assert_eq!(tree.visits(), 5_001);
            assert!(tree.choose(&params).is_some() && !tree.variation(&params).is_empty());
            check_kept(&tree);
        }
    }
}

#[test]
fn a_node_gets_its_moves_at_the_visit_that_is_asked_for() {
    let nodes = |expansion| {
        let params = MctsParams { mcts_expansion: expansion, mcts_solver: false, ..MctsParams::default() };
        let tree = searched(60, 1_000, &params);
        check(&tree);
        tree.len()
    };
    assert_eq!(nodes(2), 1_001, "every simulation makes a node");
    assert!(nodes(5) < nodes(3) && nodes(3) < 1_000);
    // The first visit evaluates a node, so that no other value would be another search.
    assert!(ParamInfo::find("mcts_expansion").is_some_and(|info| info.check(1.0).is_err() && info.check(2.0).is_ok()));
}

#[test]
fn a_root_that_only_repeated_a_position_is_evaluated_like_a_new_one() {
    let params = MctsParams { mcts_solver: false, ..MctsParams::default() };
    let (mut tree, mut game) = (Tree::new(1 << 20), Pile { repeated: Some(7), ..Pile::of(9) });
    search(&mut tree, &mut game, 500, &params);
    let repeats = tree.moves().find(|mv| mv.mv == 2).unwrap();
    assert!(repeats.proof == Proof::Repeated && repeats.visits > 1, "{repeats:?}");
    tree.advance(&[2]);
    search(&mut tree, &mut Pile { repeated: Some(7), ..Pile::of(7) }, 50, &params);
    assert!(tree.moves().eq(searched(7, 50, &params).moves()));
}

#[test]
fn a_proven_result_corrects_the_values_above_it() {
    let sums = |corrections| {
        let params = MctsParams { mcts_corrections: corrections, ..MctsParams::default() };
        let mut tree = Tree::new(1 << 20);
        let two = || [Edge::new(1, 40_000), Edge::new(2, 25_000)].into_iter();
        tree.plant();
        tree.add_edges(0, two());
        let a = tree.add_child(0).unwrap();
        tree.add_edges(a, two());
        let b = tree.add_child(a).unwrap();
        for (line, value) in [(&[0][..], 0.6), (&[0, a], 0.3), (&[0, a, b], 0.4), (&[0, a, b], 0.4)] {
            tree.back_up(line, value, &params);
        }
        tree.add_edges(b, two());
        let won = tree.add_child(b).unwrap();
        tree.node_mut(won).proof = Proof::Loss(0);
        tree.back_up(&[0, a, b, won], 0.0, &params);
        let lost = [b, a, 0].map(|at| tree.node(at).sum);
        let drawn = tree.add_child(a).unwrap();
        tree.node_mut(drawn).proof = Proof::Draw;
        tree.back_up(&[0, a, drawn], 0.5, &params);
        assert_eq!([0, a, b].map(|at| tree.node(at).visits), [6, 5, 3]);
        assert_eq!([0, a, b].map(|at| tree.node(at).proof), [Proof::Open, Proof::Draw, Proof::Win(1)]);
        [lost, [b, a, 0].map(|at| tree.node(at).sum)].concat()
    };
    let close = |found: Vec<f64>, expected: [f64; 6]| {
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12), "{found:?}");
    };
    close(sums(false), [1.8, 1.5, 3.1, 1.8, 2.0, 3.6]);
    // No other move of a has been visited, so its visits of b count as losses; then a is a draw from the start.
    close(sums(true), [3.0, 0.3, 0.6 + 3.7, 3.0, 5.0 * 0.5, 0.6 + 5.0 * 0.5]);
}

#[test]
fn a_node_is_worth_what_its_moves_are_that_do_not_lose() {
    let mut corrected = 0;
    for pile in 9..30 {
        let params = MctsParams { mcts_corrections: true, ..MctsParams::default() };
        let tree = searched(pile, 200, &params);
        for at in 0..tree.len() as u32 {
            let node = tree.node(at);
            let children: Vec<Node> = tree.children(at).map(|(_, child, _)| *child).collect();
            let others = children.iter().filter(|child| !matches!(child.proof, Proof::Win(_)));
            let (visits, sum) = others.fold((0.0, 0.0), |(visits, sum), child| {
                (visits + f64::from(child.visits), sum + f64::from(child.visits) - child.sum)
            });
            if node.proof != Proof::Open || visits == 0.0 {
                continue;
            }
            if children.iter().any(|child| matches!(child.proof, Proof::Win(_))) {
                assert!((node.mean() - sum / visits).abs() < 1e-9, "{} {}", node.mean(), sum / visits);
                corrected += 1;
            }
        }
    }
    assert!(corrected > 20, "{corrected}");
}

#[test]
fn the_known_logarithms_are_those_that_are_computed() {
    let mut growth = Growth::default();
    for base in [19_652, 100, 200_000] {
        growth.prepare(base);
        for visits in [0, 1, 2, 1_023, 1_024, 1_025, 5_000_000] {
            let base = f64::from(base);
            let computed = super::math::ln((f64::from(visits) + base + 1.0) / base);
            assert_eq!(growth.of(visits).to_bits(), computed.to_bits(), "{visits} {base}");
        }
    }
}

#[test]
fn a_search_without_limits_ends_before_visits_can_no_longer_be_counted() {
    let params = Params::default();
    for (visits, simulations) in [(MOST_VISITS - 3, 3), (MOST_VISITS, 0), (u32::MAX, 0)] {
        let mut tree = searched(400, 100, &params.mcts);
        tree.node_mut(0).visits = visits;
        let found = task(&params).search(&mut tree, &mut Pile::of(400), &mut |_, _, _| ()).unwrap();
        assert_eq!((found.simulations, tree.visits()), (simulations, visits + simulations as u32));
    }
    let (mut tree, mut helpers) = (searched(400, 100, &params.mcts), [(); 2].map(|()| Pile::of(400)));
    tree.node_mut(0).visits = MOST_VISITS - 100;
    let found = task(&params).search_together(&mut tree, &mut Pile::of(400), &mut helpers, &mut |_, _, _| ());
    assert!(found.is_some() && (MOST_VISITS..MOST_VISITS + 1_000).contains(&tree.visits()));
}

#[test]
fn temperature_and_checks_change_priors_as_their_formulas_say() {
    let priors = |params: &MctsParams| {
        let tree = searched(60, 1, params);
        let mut all: Vec<_> = tree.moves().map(|mv| (mv.mv, mv.prior)).collect();
        all.sort_by_key(|&(mv, _)| mv);
        all.into_iter().map(|(_, prior)| prior).collect::<Vec<f64>>()
    };
    let close = |found: &[f64], weights: [f64; 3]| {
        let sum: f64 = weights.iter().sum();
        found.iter().zip(weights).all(|(found, weight)| (found - weight / sum).abs() < 1e-4)
    };
    let plain = MctsParams { mcts_temperature: 1.0, ..MctsParams::default() };
    let e = |logit: f64| super::math::exp(logit);
    assert!(close(&priors(&plain), [e(0.25), e(0.5), e(0.75)]));
    assert!(close(&priors(&MctsParams { mcts_temperature: 0.5, ..plain }), [e(0.5), e(1.0), e(1.5)]));
    assert!(close(&priors(&MctsParams { mcts_root_temperature: 0.5, ..plain }), [e(0.5), e(1.0), e(1.5)]));
    let checks = MctsParams { mcts_checks: true, mcts_check_threshold: 0.4, mcts_check_factor: 0.5, ..plain };
    assert!(close(&priors(&checks), [e(0.25), e(0.5) + 0.5 * e(0.75), e(0.75)]));
    let few = MctsParams { mcts_check_threshold: 0.1, ..checks };
    assert!(close(&priors(&few), [e(0.25), e(0.5), e(0.75)]), "its prior is above the threshold");
}

#[test]
fn the_temperature_of_the_root_is_changed_once() {
    let params = MctsParams { mcts_root_temperature: 2.0, mcts_solver: false, ..MctsParams::default() };
    let (mut tree, mut game) = (Tree::new(1 << 20), Pile::of(50));
    let priors = |tree: &Tree| tree.moves().map(|mv| mv.prior).collect::<Vec<_>>();
    search(&mut tree, &mut game, 500, &params);
    let first = priors(&tree);
    search(&mut tree, &mut game, 10, &params);
    assert_eq!(priors(&tree), first, "the same root, searched further");
    let best = tree.choose(&params).unwrap().mv;
    tree.advance(&[best]);
    let mut game = Pile::of(50 - best);
    let cold = priors(&tree);
    search(&mut tree, &mut game, 1, &params);
    assert_ne!(priors(&tree), cold, "a new root");
    assert_eq!(priors(&tree), first, "all piles have the same moves");
    check(&tree);
}

#[test]
fn the_choice_by_value_follows_the_equations() {
    let params = MctsParams {
        mcts_q_choice: true,
        mcts_q_weight: 1.0,
        mcts_q_threshold_init: 0.0,
        mcts_q_threshold_max: 0.0,
        mcts_solver: false,
        ..MctsParams::default()
    };
    let tree = searched(33, 400, &params);
    let by_value = tree.moves().max_by(|a, b| a.value.partial_cmp(&b.value).unwrap()).unwrap();
    assert_eq!(tree.choose(&params).unwrap().mv, by_value.mv, "the whole weight on the value: the best one");
    let by_visits = tree.moves().max_by_key(|mv| mv.visits).unwrap();
    let only_visits = MctsParams { mcts_q_weight: 0.0, ..params };
    assert_eq!(tree.choose(&only_visits).unwrap().mv, by_visits.mv);
    let threshold = MctsParams { mcts_q_threshold_init: 1.0, mcts_q_threshold_max: 1.0, ..params };
    assert_eq!(tree.choose(&threshold).unwrap().mv, by_visits.mv, "the value of no other move counts");
    for plies in 1..8 {
        let minimum = MctsParams { mcts_pv_min: plies, ..params };
        let line = tree.variation(&minimum);
        let values = values_along(&tree, &line);
        let last = values[values.len().min(plies as usize) - 1];
        let value = tree.choose(&minimum).unwrap().value;
        assert!((value - values[0].min(last)).abs() < 1e-12, "{value}: {plies} plies of {values:?}");
    }
}

/// The values of the positions after each move of a variation, for the side to move at the root.
fn values_along(tree: &Tree, line: &[u16]) -> Vec<f64> {
    let mut at = 0;
    let after = line.iter().zip(1..).map(|(&mv, ply)| {
        let (child, node, _) = tree.children(at).find(|(_, _, edge)| edge.mv() == mv).unwrap();
        at = child;
        if ply % 2 == 0 {
            node.value()
        } else {
            1.0 - node.value()
        }
    });
    after.collect()
}

/// Q + U of a move by the formulas.
fn q_and_u(tree: &Tree, at: u32, index: usize, params: &MctsParams) -> f64 {
    let node = tree.node(at);
    let (all, prior) = (f64::from(node.visits), tree.edge(at, index).unwrap().prior());
    let children: Vec<(Node, f64)> = tree.children(at).map(|(_, child, edge)| (*child, edge.prior())).collect();
    let mut cpuct = params.mcts_cpuct;
    if params.mcts_growth {
        let base = f64::from(params.mcts_growth_base);
        cpuct += params.mcts_growth_weight * ln((all + base + 1.0) / base);
    }
    if at == 0 {
        cpuct *= params.mcts_root_cpuct;
    }
    if params.mcts_spread && all > 1.0 {
        let deviation = (f64::from(node.squares) / all - node.mean() * node.mean()).max(0.0).sqrt();
        let factor = (deviation / params.mcts_spread_usual - 1.0).clamp(-1.0, 1.0);
        cpuct *= 1.0 + all / (all + 16.0) * params.mcts_spread_weight * factor;
    }
    let mut u = 1.0;
    if params.mcts_u_divisor {
        let left = exp(-all / f64::from(params.mcts_u_base));
        u = params.mcts_u_min - left * (params.mcts_u_min - params.mcts_u_init);
    }
    let visited: f64 = children.iter().map(|(_, prior)| prior).sum();
    let first = if params.mcts_fpu { node.mean() - params.mcts_fpu_reduction * visited.sqrt() } else { 0.0 };
    let (q, visits) = children.get(index).map_or((first, 0.0), |(child, _)| (1.0 - child.value(), child.visits.into()));
    q + cpuct * prior * all.sqrt() / (u + visits)
}

#[test]
fn the_move_with_the_largest_q_and_u_is_selected() {
    let mut selected = [0; 2];
    for params in settings() {
        let tree = searched(29, 300, &params);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            open.extend(tree.children(at).map(|(number, ..)| number));
            let node = tree.node(at);
            let index = match tree.select(at, &params) {
                Selected::Child(child, _) => tree.children(at).position(|(number, ..)| number == child).unwrap(),
                Selected::Next(index) => index,
                Selected::Nothing => continue,
            };
            assert!(index <= usize::from(node.children));
            selected[usize::from(index == usize::from(node.children))] += 1;
            let lost =
                tree.children(at).map(|(_, child, _)| params.mcts_solver && matches!(child.proof, Proof::Win(_)));
            let mut lost = lost.collect::<Vec<_>>();
            lost.resize(usize::from(node.moves), false);
            // Only the first of the moves without visits competes.
            let rivals = (0..usize::from(node.moves).min(usize::from(node.children) + 1)).filter(|&rival| !lost[rival]);
            let chosen = q_and_u(&tree, at, index, &params);
            for rival in rivals {
                assert!(q_and_u(&tree, at, rival, &params) <= chosen + 1e-9, "{rival} instead of {index}");
            }
        }
    }
    assert!(selected.iter().all(|&times| times > 500), "{selected:?}");
}

#[test]
fn centipawns_are_those_of_the_papers_formula() {
    let centipawns = |value| super::centipawns(value, 1.2);
    assert!(centipawns(0.5).abs() < 1e-12);
    // -100 ln(1 - 0.5) / ln 1.2 for v = 0.5.
    assert!((centipawns(0.75) - 380.178_4).abs() < 1e-3);
    assert!((centipawns(0.25) + centipawns(0.75)).abs() < 1e-12);
    assert!(centipawns(1.0) < 10_000.0);
}

#[test]
fn a_search_ends_at_its_limits_and_shows_what_it_finds_on_the_way() {
    let params = Params::default();
    let limited = |limits| found(400, &Task { limits, ..task(&params) });
    assert_eq!(limited(Limits { nodes: 1_234, ..Limits::NONE }).simulations, 1_234);
    assert_eq!(limited(Limits { nodes: 0, ..Limits::NONE }).simulations, 0);
    assert_eq!(limited(Limits { depth: 5, ..Limits::NONE }).depth, 5);
    // There are no lines of this length, and nothing is proven.
    let mut open = params;
    open.mcts.mcts_solver = false;
    let complete = found(3, &Task { limits: Limits { depth: 9, ..Limits::NONE }, ..self::task(&open) });
    assert!(complete.depth < 3 && complete.simulations < 20_000, "{complete:?}");
    let task = Task { limits: Limits { nodes: 1_000, ..Limits::NONE }, ..task(&params) };
    let (mut tree, mut shown) = (Tree::new(1 << 20), Vec::new());
    let mut see = |tree: &Tree, game: &Pile, found: &Found| {
        assert_eq!((u64::from(tree.visits()), game.line[0]), (found.simulations + 1, 400));
        shown.push(*found);
    };
    let last = task.search(&mut tree, &mut Pile::of(400), &mut see);
    let simulations: Vec<u64> = shown.iter().map(|found| found.simulations).collect();
    assert_eq!((shown.last(), &simulations[..]), (last.as_ref(), &[32, 64, 128, 256, 512, 1_000][..]));
    assert!(task.search(&mut Tree::new(1 << 20), &mut Pile::of(0), &mut |_, _, _| ()).is_none());
}

#[test]
fn easy_moves_get_less_time_and_critical_ones_more() {
    let timer = NodeClock { nodes_per_second: NonZeroU64::new(1_000).unwrap() };
    let spent = |change: &dyn Fn(&mut MctsParams), last_value| {
        let mut params = Params::default();
        change(&mut params.mcts);
        let remaining = Duration::from_secs(100);
        let left = TimeLeft { remaining, reserve: Duration::ZERO, increment: Duration::ZERO };
        let time = Some(Allocation::even(&params.time, 50, left));
        let limits = Limits { time, ..Limits::NONE };
        found(400, &Task { limits, timer: &timer, last_value, ..task(&params) }).simulations
    };
    let usual = spent(&|params| (params.mcts_easy, params.mcts_critical) = (false, false), Some(1.0));
    assert!((500..=2_000).contains(&usual), "{usual}");
    // No move has so large a share, and no value can fall that far.
    assert_eq!(spent(&|params| params.mcts_easy_share = 1.0, None), usual);
    assert_eq!(spent(&|params| params.mcts_critical_fall = 1.0, Some(1.0)), usual);
    let easy = |params: &mut MctsParams| (params.mcts_easy_share, params.mcts_easy_time) = (0.0, 0.1);
    assert!(spent(&easy, None) < usual / 3);
    assert_eq!(spent(&|params| (easy(params), params.mcts_easy = false).1, None), usual);
    assert!(spent(&|params| params.mcts_critical_fall = 0.1, Some(1.0)) > usual);
}

#[test]
fn several_threads_search_one_tree_and_leave_no_virtual_loss() {
    let mut params = Params::default();
    params.mcts.mcts_solver = false;
    for nodes in [1, 50, 3_000] {
        let task = Task { limits: Limits { nodes, ..Limits::NONE }, ..task(&params) };
        let (mut tree, mut helpers) = (Tree::new(1 << 20), [(); 3].map(|()| Pile::of(400)));
        let mut last = 0;
        let found = task.search_together(&mut tree, &mut Pile::of(400), &mut helpers, &mut |_, _, found| {
            last = found.simulations;
        });
        let simulations = found.unwrap().simulations;
        assert_eq!((simulations, last), (nodes, nodes));
        assert_eq!(u64::from(tree.visits()), simulations + 1);
        assert!(tree.pending.is_empty());
        check_kept(&tree);
    }
}

#[test]
fn several_threads_prove_what_one_proves() {
    let params = Params::default();
    for pile in 1..=14 {
        let (mut tree, mut helpers) = (Tree::new(1 << 20), [(); 2].map(|()| Pile::of(pile)));
        let found = task(&params).search_together(&mut tree, &mut Pile::of(pile), &mut helpers, &mut |_, _, _| ());
        match tree.proof() {
            Proof::Win(_) => assert_eq!(found.unwrap().choice.mv, pile % 4, "{pile}"),
            proof => assert!(matches!(proof, Proof::Loss(_)) && pile % 4 == 0, "{pile}: {proof:?}"),
        }
    }
    let (mut tree, mut helpers) = (Tree::new(1_000), [Pile::of(500)]);
    let small = Task { limits: Limits { nodes: 5_000, ..Limits::NONE }, ..task(&params) };
    assert!(small.search_together(&mut tree, &mut Pile::of(500), &mut helpers, &mut |_, _, _| ()).is_some());
    assert!(tree.visits() >= 5_001, "a full tree is searched further");
    check_kept(&tree);
}
