//! Tests of whole fits of small data sets.

use super::objective::tests::{RESULTS, drawn};
use super::*;
use crate::chess::read::Format;
use std::fmt::Write;

fn settings(model: Model) -> Settings {
    Settings {
        model,
        start: None,
        positions: 100_000,
        held_out: 0.2,
        quiet: Quiet::AsIs,
        max_score: 2_000.0,
        lambda: 0.0,
        score_scale: None,
        scale: None,
        spread: 1_000.0,
        seed: 3,
        methods: vec![Method::Lbfgs],
        adam: AdamSettings::default(),
        lbfgs: LbfgsSettings::default(),
        genetic: GeneticSettings { generations: 6, children: 20, parents: 4, ..GeneticSettings::default() },
    }
}

fn go(_: &Progress) -> bool {
    true
}

/// A file of features: drawn from a model with weights 120 and -60 at a scale of 100.
fn features(folder: &Path, rows: u32) -> Vec<Input> {
    let mut stream = stats::random::Stream::from_seed(5);
    let mut text = String::new();
    for row in 0..rows {
        let (a, b) = (stream.sign(), f64::from(stream.below(5)) - 2.0);
        let wins = stream.uniform() < objective::sigmoid((120.0 * a - 60.0 * b) / 100.0);
        let _ = writeln!(text, "{} a:{a} b:{b} game:{}", u8::from(wins), row / 4);
    }
    let path = folder.join("own.features");
    fs_err::write(&path, text).unwrap();
    vec![Input::File { path, reading: None }]
}

#[test]
fn the_methods_by_gradient_agree_and_their_errors_are_right() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = features(folder.path(), 20_000);
    let settings = Settings {
        methods: vec![Method::Adam, Method::Lbfgs],
        scale: Some(100.0),
        lambda: 1.0,
        ..settings(Model::Features)
    };
    let fitted = fit(&settings, &inputs, folder.path(), &mut go).unwrap().unwrap();
    let [adam, lbfgs] = fitted.found.as_slice() else { panic!("{:?}", fitted.found) };
    for (weight, truth) in [120.0, -60.0].into_iter().enumerate() {
        let (found, error) = (lbfgs.weights[weight], lbfgs.errors.as_ref().unwrap()[weight].unwrap());
        assert!((found - truth).abs() < 4.0 * error && error > 0.5 && error < 5.0, "{found} ± {error}");
        assert!((adam.weights[weight] - found).abs() < 0.5 * error, "{} {found}", adam.weights[weight]);
    }
    assert!(lbfgs.judged.held_out < fitted.start_judged.held_out - 0.05);
}

#[test]
fn a_stopped_fit_resumes_to_the_same_end() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let settings = Settings {
        methods: vec![Method::Adam, Method::Genetic, Method::Lbfgs],
        genetic: GeneticSettings { fitness: Fitness::Logistic, ..settings(Model::Features).genetic },
        lambda: 1.0,
        ..settings(Model::Features)
    };
    let whole = fit(&settings, &features(one.path(), 2_000), one.path(), &mut go).unwrap().unwrap();
    let inputs = features(two.path(), 2_000);
    let mut sittings = 0;
    let parts = loop {
        sittings += 1;
        let mut steps = 0;
        let mut few = |progress: &Progress| {
            steps += u32::from(matches!(progress, Progress::Fitting { .. }));
            steps < 25
        };
        if let Some(fitted) = fit(&settings, &inputs, two.path(), &mut few).unwrap() {
            break fitted;
        }
    };
    assert!(sittings > 2, "{sittings}");
    for (a, b) in whole.found.iter().zip(&parts.found) {
        assert_eq!((a.method, &a.weights, &a.points), (b.method, &b.weights, &b.points));
    }
    let again = fit(&settings, &inputs, two.path(), &mut |_| false).unwrap().unwrap();
    assert_eq!(again, parts);
}

/// A fit that is killed loses little.
#[test]
#[ignore = "slow"]
fn a_checkpoint_is_written_from_time_to_time() {
    for method in [Method::Adam, Method::Genetic] {
        let folder = tempfile::tempdir().unwrap();
        let genetic = GeneticSettings { fitness: Fitness::Logistic, ..settings(Model::Features).genetic };
        let settings = Settings { methods: vec![method], genetic, lambda: 1.0, ..settings(Model::Features) };
        let mut steps = 0;
        let mut watch = |progress: &Progress| {
            steps += u32::from(matches!(progress, Progress::Fitting { .. }));
            match steps {
                0 => true,
                1 => {
                    // The checkpoint is due in the next step.
                    std::thread::sleep(CHECKPOINT_EVERY);
                    true
                }
                _ => {
                    assert!(folder.path().join("checkpoint.json").is_file(), "{method:?}: nothing is kept yet");
                    false
                }
            }
        };
        assert!(fit(&settings, &features(folder.path(), 2_000), folder.path(), &mut watch).unwrap().is_none());
        assert_eq!(steps, 2);
    }
}

#[test]
fn what_cannot_be_distinguished_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.features");
    let mut text = String::new();
    for n in 0..200_u32 {
        let (a, b) = (n % 3, n / 3 % 4);
        let _ = writeln!(text, "{} a:{a} b:{b} sum:{}", u32::from(n % 7 < a + b), a + b);
    }
    fs_err::write(&path, text).unwrap();
    let inputs = [Input::File { path, reading: None }];
    let free = Settings { spread: f64::INFINITY, lambda: 1.0, ..settings(Model::Features) };
    let error = fit(&free, &inputs, folder.path(), &mut go).unwrap_err();
    assert!(matches!(&error, FitError::Singular { feature } if feature == "sum"), "{error}");
    let ridged = Settings { spread: 100.0, ..free };
    let fitted = fit(&ridged, &inputs, folder.path(), &mut go).unwrap().unwrap();
    assert!(fitted.found[0].errors.as_ref().unwrap().iter().all(|error| error.unwrap() > 20.0));
}

#[test]
fn lines_of_features_are_drawn_from_the_whole_file_and_large_scores_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.features");
    let mut text = String::new();
    for row in 0..2_000_u32 {
        let result = if row.is_multiple_of(3) { "1" } else { "0" };
        let label = if row.is_multiple_of(10) { "-2001cp" } else { result };
        let _ = writeln!(text, "{label} {}:1", if row < 1_000 { "early" } else { "late" });
    }
    fs_err::write(&path, text).unwrap();
    let inputs = [Input::File { path, reading: None }];
    let settings = Settings { positions: 200, lambda: 1.0, ..settings(Model::Features) };
    let fitted = fit(&settings, &inputs, folder.path(), &mut go).unwrap().unwrap();
    let gathered = &fitted.gathered;
    assert_eq!((gathered.read, gathered.decided, gathered.kept), (2_000, 200, 200));
    assert_eq!((fitted.names.as_slice(), fitted.unseen), (&["early".to_owned(), "late".to_owned()][..], 0));
}

fn lines(folder: &Path, text: &str) -> Vec<Input> {
    let path = folder.join("a.epd");
    fs_err::write(&path, text).unwrap();
    let reading = Reading { format: Format::Lines, view: None, unit: None };
    vec![Input::File { path, reading: Some(reading) }]
}

#[test]
fn tables_learn_where_a_knight_stands_well() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for square in 0..64_u32 {
        for king in [7, 56] {
            let square = shakmaty::Square::new(square);
            let mut board = shakmaty::Board::empty();
            board.set_piece_at(shakmaty::Square::new(king), shakmaty::Color::White.king());
            board.set_piece_at(shakmaty::Square::new(63 - king), shakmaty::Color::Black.king());
            board.set_piece_at(square, shakmaty::Color::White.knight());
            let central = 4 - i32::from(square.file()).abs_diff(3).max(i32::from(square.rank()).abs_diff(3));
            let _ = writeln!(text, "{} w - - 0 1 | {} | 1.0", board.board_fen(), 300 + 20 * central as i32 - 40);
        }
    }
    let inputs = lines(folder.path(), &text);
    let settings =
        Settings { methods: vec![Method::Lbfgs, Method::Genetic], ..settings(Model::ChessTables { tapered: false }) };
    let fitted = fit(&settings, &inputs, folder.path(), &mut go).unwrap().unwrap();
    let knight = |at: &str| fitted.found[0].weights[fitted.names.iter().position(|name| name == at).unwrap()];
    assert!(knight("knight d4") > knight("knight h8") + 20.0, "{} {}", knight("knight d4"), knight("knight h8"));
    assert!(fitted.unseen > 200 && fitted.gathered.flawed > 0, "{:?}", fitted.gathered);
    let again = fit(&settings, &inputs, folder.path(), &mut |_| false).unwrap().unwrap();
    assert_eq!(again.found, fitted.found);
}

#[test]
fn nothing_to_learn_from_is_refused_and_flaws_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let of = |text: &str| {
        let inputs = lines(folder.path(), text);
        fit(&settings(Model::ChessTables { tapered: true }), &inputs, folder.path(), &mut go).unwrap_err().to_string()
    };
    let error = of("nonsense\n8/8 w - - ; 1\n");
    assert!(error.contains("no position to fit to, of 0") && error.contains("a.epd:1: "), "{error}");
    let same: Vec<String> = (0..60).map(|n| placed(n, 0)).collect();
    assert!(of(&same.join("\n")).contains("the same label"));
    assert!(of("").contains("no position to fit to"));
}

/// Kings and a rook, with a win for white or a draw.
fn placed(n: u32, score: i32) -> String {
    let mut board = shakmaty::Board::empty();
    board.set_piece_at(shakmaty::Square::E1, shakmaty::Color::White.king());
    board.set_piece_at(shakmaty::Square::D8, shakmaty::Color::Black.king());
    board.set_piece_at(shakmaty::Square::new(8 + n % 40), shakmaty::Color::White.pawn());
    let turn = if n.is_multiple_of(2) { "w" } else { "b" };
    format!("{} {turn} - - {} 1 | {score} | 0.5", board.board_fen(), n / 40)
}

#[test]
fn scores_of_the_other_view_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for n in 0..600_u32 {
        let white_wins = n % 3 == 0;
        let score = if white_wins { 150 } else { -150 };
        let movers = if n.is_multiple_of(2) { score } else { -score };
        let position = placed(n, movers).replace("| 0.5", if white_wins { "| 1.0" } else { "| 0.0" });
        let _ = writeln!(text, "{position}");
    }
    let mut inputs = lines(folder.path(), &text);
    let settings = settings(Model::ChessTables { tapered: false });
    let fitted = fit(&settings, &inputs, folder.path(), &mut go).unwrap().unwrap();
    assert!(fitted.gathered.warnings[0].contains("the other side"), "{:?}", fitted.gathered);
    let Input::File { reading: Some(reading), .. } = &mut inputs[0] else { panic!("a file") };
    reading.view = Some(crate::chess::View::Mover);
    let fitted = fit(&settings, &inputs, folder.path(), &mut go).unwrap().unwrap();
    assert!(fitted.gathered.warnings.is_empty(), "{:?}", fitted.gathered);
    assert!(fitted.gathered.duplicates > 0 && fitted.gathered.read == 600);
}

#[test]
#[ignore = "slow"]
fn the_genetic_algorithm_comes_nearer_with_every_fitness() {
    let truth: Vec<f64> = (0..40).map(|n| f64::from(n * 37 % 11) * 20.0 - 100.0).collect();
    let (design, start) = (drawn(&truth, 2_000, 100.0, 9), vec![0.0; 40]);
    let objective = Objective { design: &design, target: RESULTS, scale: 100.0, start: &start, spread: 1e9 };
    for fitness in [Fitness::Absolute, Fitness::Rank, Fitness::Logistic] {
        let settings = GeneticSettings { children: 60, crossover: 0.5, fitness, ..GeneticSettings::default() };
        let mut population = genetic::Population::new();
        population.breed(&objective, &settings, 1);
        let first = population.best().unwrap().fitness;
        (0..60).for_each(|_| population.breed(&objective, &settings, 1));
        let best = population.best().unwrap();
        assert!(best.fitness < 0.85 * first, "{fitness:?}: {first} {}", best.fitness);
        assert!(best.weights.iter().all(|weight| weight.abs() <= settings.bounds));
    }
}
