//! Tests on invented pairs with known sums.

use super::*;
use arena::config::Job;
use arena::run::{Circumstances, Executables, PairResult, Proposal, run_header};
use arena::run::{GameRecord, Sides};
use plan::{Disk, load};
use play::{BySide, DrawRule, Ending, Evaluation, Fault, MoveInfo, TrackPly, WinRule};
use stats::PairCounts;
use stats::elo::logistic;
use std::time::Duration;

pub(crate) fn header() -> Header {
    header_at("1 nodes")
}

pub(crate) fn header_at(limit: &str) -> Header {
    let entrants = ["a", "b", "c"].map(|name| format!("[[entrant]]\nname = '{name}'\n")).concat();
    let text = format!("[match]\npairs = 9\n[each]\nlimit = '{limit}'\n{entrants}");
    run_header(&load(&text, "test", "test", &[], Job::Match, Disk).expect("valid").run, &Executables::default())
}

pub(crate) fn won(winner: Side) -> Ending {
    Ending::Win { winner, by: WinRule::WazirCaptured }
}

pub(crate) fn game(plies: usize, ending: Ending, scores: &[(i32, u32)]) -> GameRecord {
    let ply = |&(logit, depth): &(i32, u32)| TrackPly {
        info: MoveInfo {
            score: Some(Evaluation::Logit(logit)),
            depth,
            time: Some(Duration::from_millis(2)),
            ..MoveInfo::default()
        },
        wall: Duration::from_millis(3),
        left: Duration::ZERO,
    };
    let times = GameTimes {
        thinking: BySide { first: Duration::from_millis(4), second: Duration::from_millis(6) },
        ..GameTimes::default()
    };
    GameRecord {
        moves: vec![0; plies],
        ending,
        nodes: BySide { first: 10, second: 20 },
        track: scores.iter().map(ply).collect(),
        circumstances: Circumstances { times, ..Circumstances::default() },
    }
}

pub(crate) fn stored(pair: u64, opponent: u32, opening: u64, games: [GameRecord; 2]) -> StoredResult {
    let result = PairResult {
        pair,
        start: None,
        opening: vec![opening as u32, 1],
        sides: Sides::Swapped,
        games: games.into(),
        took: Duration::ZERO,
    };
    let own_faults = result.faults_by_seat();
    StoredResult { proposal: Proposal::of(0, opponent, opening), result, own_faults }
}

fn gathered() -> Gathered {
    let mut gathered = Gathered::new(&header());
    let draw = Ending::Draw { by: DrawRule::PlyLimit };
    // a wins both games against b; the second after it reported that it was losing, and b that it was winning.
    let swung = game(4, won(Side::Second), &[(20_000, 5), (-20_000, 6), (25_000, 7), (-5_000, 8)]);
    gathered.add(&stored(0, 1, 7, [game(30, won(Side::First), &[]), swung]));
    // c beats a when it moves first, and draws when it moves second.
    gathered.add(&stored(1, 2, 7, [game(100, draw, &[]), game(8, won(Side::First), &[])]));
    // b loses by a fault, then wins.
    let forfeit = Ending::Forfeit { loser: Side::Second, fault: Fault::Crash("boom".into()) };
    gathered.add(&stored(2, 1, 8, [game(2, forfeit, &[]), game(50, won(Side::First), &[])]));
    gathered
}

#[test]
fn pairings_seats_and_openings_add_up() {
    let gathered = gathered();
    assert_eq!(gathered.pairs, 3);
    assert_eq!(gathered.pairings[&(0, 1)].counts, PairCounts([0, 0, 1, 0, 0, 1]).into());
    assert_eq!(gathered.pairings[&(0, 2)].counts, PairCounts([0, 1, 0, 0, 0, 0]).into());
    assert_eq!(gathered.pairings[&(0, 2)].table[1][0], 1);
    assert_eq!(gathered.seats[0].first, Wdl { wins: 2, draws: 1, losses: 0 });
    assert_eq!(gathered.seats[0].second, Wdl { wins: 1, draws: 0, losses: 2 });
    assert_eq!(gathered.seats[2].first, Wdl { wins: 1, draws: 0, losses: 0 });
    assert_eq!(gathered.first_mover, Wdl { wins: 4, draws: 1, losses: 1 });
    assert_eq!(gathered.fairness().expect("pairs").observed, [0, 0, 1, 1, 1]);
    let repeated = gathered.openings.repeated(2);
    assert_eq!(repeated.len(), 1);
    assert_eq!((repeated[0].number, repeated[0].pairs, repeated[0].half_points), (7, 2, 5));
    assert_eq!(gathered.score_against(2, 0), Some(0.75));
    assert_eq!(gathered.score_against(1, 2), None);
}

#[test]
fn lengths_endings_and_faults_are_counted() {
    let games = gathered().games;
    assert_eq!((games.games, games.plies), (6, 30 + 4 + 100 + 8 + 2 + 50 + 6 * 2));
    assert_eq!(games.endings[&"wazir captured"], 4);
    assert_eq!((games.endings[&"ply limit"], games.endings[&"crash"]), (1, 1));
    assert_eq!(games.faults[&(1, "crash")], 1);
    assert_eq!(games.lengths[32 / PLIES_A_BIN], [0, 0, 1]);
    assert_eq!(games.lengths[102 / PLIES_A_BIN], [0, 1, 0]);
}

#[test]
fn pace_and_evaluations_go_to_the_mover() {
    let gathered = gathered();
    // The tracked game: b moves first and takes a second; two plies of opening, so that b makes plies 3 and 5.
    let [a, b] = [0, 1].map(|entrant| &gathered.pace[entrant]);
    let depths = |pace: &Pace| {
        let median = |ply: &PlyPace| ply.depths.median().map_or(0.0, |median| median.value);
        pace.by_ply.iter().map(median).collect::<Vec<_>>()
    };
    assert_eq!(depths(b), [0.0, 0.0, 5.0, 0.0, 7.0]);
    assert_eq!(depths(a), [0.0, 0.0, 0.0, 6.0, 0.0, 8.0]);
    let latency = b.delays.latency().unwrap();
    assert_eq!((latency.moves, latency.within_unit), (2, 2));
    assert_eq!(a.moves, 15 + 2 + 50 + 4 + 1 + 25);
    assert_eq!(a.nodes, 10 + 20 + 10 + 20 + 10 + 20);
    assert_eq!(a.thinking, Duration::from_millis(30));
    let bins = gathered.calibration[1].bins();
    assert_eq!(bins.iter().map(|bin| (bin.positions, bin.scores)).collect::<Vec<_>>(), [(1, 0.0), (1, 0.0)]);
    assert!((bins[0].evaluation() - 2.0).abs() < 1e-12);
    let scores: Vec<f64> = gathered.calibration[0].bins().iter().map(|bin| bin.scores).collect();
    assert_eq!(scores, [1.0, 1.0]);
    assert_eq!(gathered.calibration[2].unit(), None);
}

#[test]
fn notable_games_are_found_once_each() {
    let notable = gathered().notable();
    let places: Vec<_> = notable.iter().map(|n| (n.pair, n.game)).collect();
    let mut different = places.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), places.len(), "{notable:?}");
    assert_eq!(notable[0], Notable { why: Why::Fault, pair: 2, game: 0 });
    let Why::Collapse { confidence, ply } = notable[1].why else { panic!("{notable:?}") };
    assert_eq!((notable[1].pair, notable[1].game, ply), (0, 1, 5));
    assert!((confidence - logistic(2.5)).abs() < 1e-12);
    let upset = notable.iter().find(|n| matches!(n.why, Why::Upset { .. })).unwrap();
    assert_eq!((upset.pair, upset.game), (2, 1), "b was to expect a quarter");
    assert!(notable.iter().any(|n| n.why == Why::Longest && n.pair == 1));
}

#[test]
fn positions_of_one_game_are_worth_one_game() {
    let mut calibration = Calibration::default();
    let record = game(19, won(Side::First), &[(10_000, 1); 19]);
    let entrants = BySide { first: 0, second: 1 };
    let seen = GameSeen {
        pair: 0,
        game: 0,
        entrants,
        opening_plies: 0,
        begins: Side::First,
        record: &record,
        score_of_first: Score::Win,
    };
    calibration.add(&seen, Side::First);
    let bins = calibration.bins();
    assert_eq!((bins.len(), bins[0].positions), (1, 10));
    assert!((bins[0].games() - 1.0).abs() < 1e-12);
    let score = bins[0].score().unwrap();
    assert!(score.low < 0.25 && score.high >= 1.0, "{score:?}");
}

#[test]
fn unknown_entrants_are_passed_over() {
    let mut gathered = gathered();
    gathered.add(&stored(3, 9, 0, [game(2, won(Side::First), &[]), game(2, won(Side::First), &[])]));
    assert_eq!((gathered.pairs, gathered.counts.total()), (4, 3));
}

#[test]
fn the_course_of_a_match_is_that_of_its_first_entrant() {
    let mut gathered = Gathered::new(&header());
    // The first seat loses both games.
    let lost = || [game(4, won(Side::Second), &[]), game(4, won(Side::First), &[])];
    for (pair, seats) in [(0, [1, 2]), (1, [1, 0])] {
        let mut stored = stored(pair, 1, pair, lost());
        stored.proposal = Proposal::of(seats[0], seats[1], pair);
        gathered.add(&stored);
    }
    let course = gathered.elo_course();
    assert!(course.last().is_some_and(|end| end.y > 0.0), "{course:?}");
}
