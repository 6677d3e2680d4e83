//! Tests of all plots, on their text: titles, axes with units, labels, and a mark for every item.

use super::*;
use crate::gather::{Fairness, Games};
use arena::run::{Point, Series};
use stats::plan::Prospect;
use stats::{Estimate, Pentanomial};
use std::time::Duration;

const BLUE: &str = "#0072B2";
const VERMILION: &str = "#D55E00";

fn has_texts(svg: &str, texts: &[&str]) {
    for text in texts {
        assert!(svg.lines().any(|line| line == *text), "no text {text:?} in {svg}");
    }
    assert!(svg.starts_with("<svg width=\"1200\"") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

fn marks(svg: &str, element: &str, colour: &str) -> usize {
    svg.lines().filter(|line| line.starts_with(element) && line.contains(colour)).count()
}

fn estimate(value: f64, half: f64) -> Estimate {
    Estimate { value, low: value - half, high: value + half }
}

fn path(points: &[(f64, f64)]) -> Series {
    let point = |&(x, y)| Point { x, y, low: Some(y - 5.0), high: Some(y + 5.0) };
    Series { name: "llr".to_owned(), points: points.iter().map(point).collect() }
}

#[test]
fn llr_has_its_bounds_its_zones_and_the_expected_paths() {
    let series = path(&[(1.0, 0.1), (50.0, 1.5), (100.0, 2.95)]);
    let drift = Some(0.02);
    let plot = LlrPath { title: "T", subtitle: "S", llr: &series, along: "pairs", lower: -2.94, upper: 2.94, drift };
    let svg = llr(&plot).unwrap().wide;
    has_texts(&svg, &["T", "S", "pairs", "log-likelihood ratio (nats)", "H1 accepted: 2.94", "H0 accepted: -2.94"]);
    assert_eq!(marks(&svg, "<polyline", BLUE), 1);
    assert!(marks(&svg, "<polyline", "#5A5A5A") > 10, "two dashed lines");
    let without = llr(&LlrPath { drift: None, ..plot }).unwrap().wide;
    assert_eq!(marks(&without, "<polyline", "#5A5A5A"), 0);
    let zones = svg.lines().filter(|line| line.contains("opacity=\"0.12\"")).count();
    assert_eq!(zones, 2);
}

#[test]
fn names_of_rows_are_as_long_as_the_chart_allows() {
    let name = "Fairy-Stockfish, 8,000 nodes";
    let plot = ratings("T", "S", &[RatingRow { name: name.to_owned(), elo: estimate(10.0, 5.0) }]).unwrap();
    has_texts(&plot.wide, &[name, "+10.0 ± 5.0"]);
    assert!(plot.narrow.lines().any(|line| line == "Fairy-Stockfish, 8,00…"), "{}", plot.narrow);
    let long = ratings("T", "S", &[RatingRow { name: "n".repeat(200), elo: estimate(10.0, 5.0) }]).unwrap();
    has_texts(&long.wide, &[&format!("{}…", "n".repeat(43))]);
}

#[test]
fn elo_has_its_band_and_no_wild_start() {
    let mut series = path(&[(1.0, 0.0), (2.0, 10.0), (3.0, 12.0), (4.0, 12.0), (5.0, 11.0)]);
    series.points[0] = Point { x: 1.0, y: f64::INFINITY, low: Some(-4000.0), high: Some(f64::INFINITY) };
    series.points[1].y = 900.0;
    let svg = elo_course("T", "S", &series, "pairs").unwrap().wide;
    has_texts(&svg, &["T", "S", "pairs", "Elo", "10"]);
    assert_eq!(marks(&svg, "<polygon", BLUE), 1);
    assert_eq!(marks(&svg, "<polyline", BLUE), 1);
    assert!(!svg.lines().any(|line| line == "500"), "the axis fits the end: {svg}");
}

#[test]
fn pairs_are_bars_beside_what_is_expected() {
    let observed = Pentanomial([5, 10, 1020, 20, 15]);
    let expected = Some([0.01, 0.02, 0.94, 0.02, 0.01]);
    let pairs = PairBars { title: "T", subtitle: "S", observed, expected };
    let svg = pentanomial(&pairs).unwrap().wide;
    has_texts(&svg, &["T", "S", "pairs", "points of the first entrant in a pair", "½", "1,020 (95.3%)", "played"]);
    assert_eq!(marks(&svg, "<rect", BLUE), 5 + 1, "five bars and the key");
    assert_eq!(marks(&svg, "<circle", VERMILION), 5);
    let bare = pentanomial(&PairBars { expected: None, ..pairs }).unwrap().wide;
    assert_eq!(marks(&bare, "<circle", VERMILION), 0);
    let nothing = PairBars { title: "T", subtitle: "S", observed: Pentanomial([0; 5]), expected: None };
    assert!(matches!(pentanomial(&nothing), Err(PlotError::Empty(_))));
}

#[test]
fn scores_are_rows_with_their_intervals() {
    let row = |index: u64| ScoreRow {
        name: format!("row {index}"),
        score: estimate(0.4 + index as f64 / 200.0, 0.02),
        games: 1000,
    };
    let rows: Vec<ScoreRow> = (0..40).map(row).collect();
    let svg = scores("T", "S", "score (%)", &rows).unwrap().wide;
    has_texts(&svg, &["T", "S", "score (%)", "row 0", "row 39", "40.0% of 1,000 games"]);
    assert_eq!(marks(&svg, "<circle", BLUE), 24, "the first and the last twelve");
    assert!(!svg.lines().any(|line| line == "row 20"));
}

#[test]
fn lengths_endings_and_fairness_are_bars() {
    let mut games = Games { lengths: vec![[0; 3]; 10], games: 10, plies: 333, ..Games::default() };
    games.lengths[8] = [3, 2, 5];
    games.endings.insert("checkmate", 8);
    games.endings.insert("stalemate", 2);
    let svg = lengths("T", &games).unwrap().wide;
    has_texts(&svg, &["Length", "Ending", "plies", "games", "checkmate", "8 (80.0%)", "first mover won"]);
    assert_eq!(marks(&svg, "<rect", BLUE), 2, "a bar and the key");
    assert!(matches!(lengths("T", &Games::default()), Err(PlotError::Empty(_))));
    let expected = [10.0, 20.0, 40.0, 20.0, 10.0].map(|value| estimate(value, 3.0));
    let fair =
        Fairness { observed: [1, 2, 3, 4, 90], expected, one_side_won: 91, one_side_expected: estimate(20.0, 5.0) };
    let svg = fairness("T", "S", &fair).unwrap().wide;
    has_texts(&svg, &["S", "90 (90.0%)", "pairs", "points of the first mover in both games together"]);
    assert_eq!(marks(&svg, "<circle", VERMILION), 5);
}

#[test]
fn ratings_and_the_crosstable_name_everybody() {
    let rows = ["strong", "weak"]
        .map(|name| RatingRow { name: name.to_owned(), elo: estimate(if name == "weak" { -30.0 } else { 30.0 }, 8.0) });
    let svg = ratings("T", "S", &rows).unwrap().wide;
    has_texts(&svg, &["strong", "weak", "Elo", "+30.0 ± 8.0"]);
    assert_eq!(marks(&svg, "<circle", BLUE), 2);
    let names = ["x", "y", "z"].map(str::to_owned);
    let share = |row: usize, column: usize| (row + column != 3).then_some(if row < column { 0.75 } else { 0.25 });
    let svg = crosstable("T", "S", &names, share).unwrap().wide;
    has_texts(&svg, &["x", "y", "z", "against", "75.0", "25.0"]);
    assert_eq!(svg.lines().filter(|line| *line == "75.0").count(), 2, "y and z did not play");
}

#[test]
fn planning_shows_both_curves_and_what_was_measured() {
    let points: Vec<(f64, Prospect)> =
        (0..20).map(|i| (f64::from(i), Prospect { pass: f64::from(i) / 20.0, games: 1000.0 + f64::from(i) })).collect();
    let plan = Planning { title: "T", subtitle: "S", points: &points, measured: Some(estimate(10.0, 2.0)) };
    let svg = planning(&plan).unwrap().wide;
    has_texts(&svg, &["T", "S", "true Elo", "probability (%)", "pairs, mean", "measured, 95%"]);
    assert_eq!(marks(&svg, "<polyline", BLUE), 2);
    assert!(marks(&svg, "<polyline", VERMILION) > 4);
}

#[test]
fn releases_have_their_names_and_anchors_apart() {
    let point = |index: u32| EloCurvePoint {
        name: format!("v{index}"),
        x: f64::from(index),
        elo: 20.0 * f64::from(index),
        low: 20.0 * f64::from(index) - 6.0,
        high: 20.0 * f64::from(index) + 6.0,
        anchor: index == 0,
    };
    let mut curve = EloCurve { title: "T".into(), subtitle: "S".into(), points: (0..6).map(point).collect() };
    let svg = elo_curve(&curve).unwrap().wide;
    has_texts(&svg, &["T", "S", "v0", "v5", "release", "Elo", "anchor"]);
    assert_eq!(marks(&svg, "<circle", BLUE), 5);
    assert_eq!(marks(&svg, "<circle", "#009E73"), 1);
    assert_eq!(marks(&svg, "<polygon", BLUE), 1);
    curve.points = (0..100).map(point).collect();
    assert!(elo_curve(&curve).unwrap().wide.lines().any(|line| line == "v99"), "the newest is always named");
    curve.points.clear();
    assert!(matches!(elo_curve(&curve), Err(PlotError::Empty(_))));
}

#[test]
fn scaling_is_in_doublings() {
    let point = |x: f64, elo: f64| ScalingPoint { x, elo, low: elo - 10.0, high: elo + 10.0 };
    let points = vec![point(1000.0, 0.0), point(2000.0, 80.0), point(4000.0, 150.0), point(0.0, 1.0)];
    let mut curve = Scaling {
        title: "T".into(),
        subtitle: "S".into(),
        x_label: "nodes a move".into(),
        doublings: true,
        points,
        curve: None,
    };
    let svg = scaling(&curve).unwrap().wide;
    has_texts(&svg, &["T", "S", "nodes a move (logarithmic)", "Elo", "1k", "2k", "4k", "+80"]);
    let circle = |line: &str| line.strip_prefix("<circle cx=\"")?.split('"').next()?.parse::<i32>().ok();
    let x: Vec<i32> = svg.lines().filter_map(circle).collect();
    let [a, b, c] = x[..] else { panic!("{x:?}") };
    assert!(((b - a) - (c - b)).abs() <= 1, "doublings are as far apart: {x:?}");
    curve.points.clear();
    assert!(matches!(scaling(&curve), Err(PlotError::Empty(_))));
}

#[test]
fn every_plot_has_a_version_for_narrow_screens() {
    let mut games = Games { lengths: vec![[1; 3]; 3], games: 9, plies: 99, ..Games::default() };
    games.endings.insert("checkmate", 9);
    let narrow = lengths("A title that is far too long for a single line on a phone", &games).unwrap().narrow;
    assert!(narrow.starts_with("<svg width=\"420\""), "{narrow}");
    let top = |text: &str| {
        let before = narrow.lines().zip(narrow.lines().skip(1)).find(|(_, line)| *line == text);
        let element = before.map(|(element, _)| element).unwrap();
        element.split(" y=\"").nth(1).unwrap().split('"').next().unwrap().parse::<i32>().unwrap()
    };
    assert!(top("Ending") > top("Length") + 300, "one panel below the other");
    assert!(
        top("Length") > top("for a single line on a phone") && top("for a single line on a phone") > 20,
        "the title has two lines"
    );
    let pairs = PairBars { title: "T", subtitle: "S", observed: Pentanomial([5, 10, 1020, 20, 15]), expected: None };
    let narrow = pentanomial(&pairs).unwrap().narrow;
    assert!(narrow.lines().any(|line| line == "1,020") && narrow.lines().any(|line| line == "95.3%"), "{narrow}");
}

#[test]
fn delays_are_drawn_where_units_allow() {
    let pace = |reported: u64| {
        let mut pace = crate::gather::Pace::default();
        (0..100).for_each(|_| pace.delays.add(Duration::from_micros(5_400), Duration::from_micros(reported)));
        pace
    };
    let close = pace(5_000);
    assert!(matches!(delays("T", &[("a", &close)]), Err(PlotError::Empty(_))), "all within the millisecond");
    let (fine, late) = (pace(5_001), pace(1_000));
    let svg = delays("T", &[("a", &fine), ("b", &late)]).unwrap().wide;
    has_texts(&svg, &["T", "a", "b", "1 ms", "moves (%)"]);
}

#[test]
fn evaluations_are_drawn_of_enough_games() {
    let nothing = crate::gather::Calibration::default();
    assert!(matches!(calibration("T", "a", &nothing), Err(PlotError::Empty(_))));
}

#[test]
fn a_fitted_curve_is_drawn_through_the_points_and_described() {
    let point = |x: f64, elo: f64| ScalingPoint { x, elo, low: elo - 10.0, high: elo + 10.0 };
    let fitted = |x: f64| (x, 40.0 * x * (1.0 - x));
    let curve = ScalingCurve { name: "parabola".into(), points: [0.0, 0.25, 0.5, 0.75, 1.0].map(fitted).to_vec() };
    let plain = Scaling {
        title: "T".into(),
        subtitle: "S".into(),
        x_label: "margin".into(),
        doublings: false,
        points: vec![point(0.0, 0.0), point(0.5, 11.0), point(1.0, 2.0)],
        curve: None,
    };
    let svg = scaling(&Scaling { curve: Some(curve), ..plain.clone() }).unwrap().wide;
    has_texts(&svg, &["parabola", "Elo, 95%", "margin", "0.5", "+11"]);
    assert_eq!(marks(&svg, "<polyline", VERMILION), 1, "the parabola");
    assert_eq!(marks(&svg, "<circle", BLUE), 3);
    assert_eq!(marks(&scaling(&plain).unwrap().wide, "<polyline", VERMILION), 0);
}
