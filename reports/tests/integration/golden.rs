//! Reports on complete runs of random players, whose games are the same on every machine: golden numbers, the plots
//! that must exist, games to step through, and names that look like markup.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use arena::config::{Job, RunConfig};
use arena::run::{
    Check, Control, Driven, Executables, Experiment, Finish, GameName, Header, Journal, Local, Match, RunFolder, Sprt,
    drive, run_header,
};
use plan::{Disk, load};
use play::Game;
use play::games::Rules;
use reports::{Captions, Extent, Follow, Report, ReportError};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const LADDER: &str = r#"
name = "ladder"
[match]
pairs = 40
[openings]
plies = 2
[[entrant]]
name = "<script>alert(1)</script>|`x`"
player = "random"
[[entrant]]
name = "b"
player = "random"
[[entrant]]
name = "c"
player = "random"
"#;

const TEST: &str = r#"
name = "test"
[sprt]
elo0 = 0
elo1 = 60
[[entrant]]
name = "dev"
player = "random"
[[entrant]]
name = "base"
player = "random"
"#;

struct Run {
    _folder: TempDir,
    path: PathBuf,
    header: Header,
    journal: Journal,
}

fn experiment(config: &RunConfig) -> Box<dyn Experiment> {
    match &config.experiment {
        arena::config::ExperimentConfig::Sprt { test, max_pairs, rounds } => {
            Box::new(Sprt::new(*test, *max_pairs, *rounds).unwrap())
        }
        arena::config::ExperimentConfig::Match { pairs, schedule, entrants, rounds } => {
            Box::new(Match::new(*pairs, *schedule, *entrants).of_rounds(*rounds))
        }
        other => panic!("{other:?}"),
    }
}

fn play(text: &str, job: Job) -> Run {
    let loaded = load(text, "test", "test", &[], job, Disk).unwrap();
    let header = run_header(&loaded.run, &Executables::default());
    let folder = TempDir::new().unwrap();
    let (run, mut journal) = RunFolder::create(folder.path(), "run", &loaded.text, &header).unwrap();
    let mut experiment = experiment(&loaded.run);
    let mut executor = Local::start(NonZeroUsize::new(2).unwrap(), None).unwrap();
    let control = Control::new();
    let finish =
        drive(&loaded.run, &loaded.openings, experiment.as_mut(), &mut journal, &mut executor, &control, &mut |_| {})
            .unwrap();
    assert!(matches!(finish, Driven::Finished(Finish::Verdict(_))));
    Run { path: run.path().to_owned(), _folder: folder, header, journal }
}

fn report(run: &Run) -> Report {
    let make = |config: &RunConfig| Ok::<_, ReportError>(experiment(config));
    let mut followed = Follow::open(&run.path, Check::Audit, make).unwrap();
    let _pairs = followed.refresh().unwrap();
    followed.report(&Captions { headline: "who & what", says: "It is so.", test: None }, Vec::new()).unwrap()
}

/// The JSON without wall times, which differ from machine to machine.
fn reproducible(report: &Report) -> Value {
    let mut value = report.json();
    for entrant in value["entrants"].as_array_mut().unwrap() {
        let entrant = entrant.as_object_mut().unwrap();
        assert!(entrant.remove("ms_a_move").unwrap().is_number());
        assert!(entrant.remove("delayed_ms").unwrap().is_number());
    }
    value
}

/// Compares a text with a file; writes the file instead if `SPAR_BLESS` is in the environment.
fn check_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    if std::env::var_os("SPAR_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{name}");
}

/// Keeps a page for inspection, in a folder below that of `SPAR_PAGES`, if that is in the environment.
fn keep_page(name: &str, report: &Report) {
    if let Some(folder) = std::env::var_os("SPAR_PAGES") {
        let _page = report.write(&Path::new(&folder).join(name), Extent::Page).unwrap();
    }
}

#[test]
fn numbers_of_a_match_of_three() {
    let report = report(&play(LADDER, Job::Match));
    keep_page("match", &report);
    check_golden("ladder.json", &format!("{:#}\n", reproducible(&report)));
    check_golden("ladder.md", &report.markdown());
    let ids: Vec<&str> = report.figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids, ["elo", "pairs", "ratings", "crosstable", "seats", "fairness", "games"]);
}

#[test]
fn numbers_of_a_test() {
    let report = report(&play(TEST, Job::Sprt));
    keep_page("sprt", &report);
    check_golden("sprt.json", &format!("{:#}\n", reproducible(&report)));
    check_golden("sprt.md", &report.markdown());
    let ids: Vec<&str> = report.figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids, ["llr", "elo", "pairs", "seats", "fairness", "games", "planning"]);
}

#[test]
fn the_page_holds_everything_and_no_markup_of_others() {
    let run = play(LADDER, Job::Match);
    let report = report(&run);
    let page = report.page();
    assert!(!page.contains("<script>alert"), "hostile names are text");
    assert_eq!(page.matches("<script").count(), 2, "the data and the one script");
    assert_eq!(page.matches("<svg class=\"broad\"").count(), report.figures.len());
    assert_eq!(page.matches("<svg class=\"slim\"").count(), report.figures.len());
    for figure in &report.figures {
        assert!(page.contains(&format!("<figure id=\"{}\"", figure.id)));
    }
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let games: Vec<Value> = serde_json::from_str(data).unwrap();
    assert_eq!(games.len(), report.games.len());
    assert!(page.contains("<dl id=\"legend\">") && page.contains("<b>dabbaba</b>"), "0.1's letters are explained");
    assert!(page.contains("<section id=\"conditions\">") && page.contains("random plies"));
    assert!(page.len() < 3_000_000);
    let outside = ["http://", "https://", "src=", "@import", "url("];
    let alone = page.replace("http://www.w3.org/2000/svg", "");
    assert!(outside.iter().all(|text| !alone.contains(text)), "the page loads nothing");
}

#[test]
fn replays_lead_to_the_position_that_the_game_ended_in() {
    let run = play(LADDER, Job::Match);
    let report = report(&run);
    assert!(report.games.len() >= 6, "{}", report.games.len());
    for game in &report.games {
        let name: GameName = game.place.parse().unwrap();
        let result = run.journal.result(name.pair).unwrap().unwrap().result;
        let record = &result.games[name.game];
        let mut position = engine::Position::new();
        for code in result.opening.iter().chain(&record.moves) {
            position.play(engine::Move::from_code(*code).unwrap());
        }
        let (mut squares, mut hands) = (game.start.clone(), game.hands.clone());
        for step in &game.plies {
            step.changes.iter().for_each(|(square, piece)| squares[*square] = *piece);
            hands = step.hands.clone().unwrap_or(hands);
        }
        let last = reports::board::Board::of_text(&position.to_string()).unwrap();
        assert_eq!((squares, hands), (last.squares, last.hands), "{}", game.place);
        let numbers = (2..).map(|ply| format!("{}{}", ply / 2, if ply % 2 == 0 { "." } else { "..." }));
        assert!(game.plies.iter().map(|step| step.number.clone()).eq(numbers.take(game.plies.len())), "{}", game.place);
        assert_eq!(game.plies.len(), result.opening.len() + record.moves.len());
    }
}

/// The text of the position that a game ended in.
fn end<G: Game>(game: &G, start: Option<&str>, codes: impl Iterator<Item = u32>) -> String {
    let mut position = start.map_or_else(|| game.start(), |text| game.setup(text).unwrap());
    for code in codes {
        let mv = G::from_code(&position, code).unwrap();
        G::play(&mut position, mv);
    }
    position.to_string()
}

#[test]
fn chess_and_its_kin_are_replayed_by_their_own_rules() {
    for game in ["chess", "chess960", "crazyhouse", "atomic"] {
        let text = LADDER.replacen("[match]\npairs = 40", &format!("game = \"{game}\"\n[match]\npairs = 2"), 1);
        let run = play(&text, Job::Match);
        let report = report(&run);
        assert!(report.games.len() >= 3, "{game}");
        assert!(!report.page().contains("<dl id=\"legend\">"), "chess needs no legend");
        let ids: Vec<&str> = report.figures.iter().map(|figure| figure.id.as_str()).collect();
        assert_eq!(ids, ["ratings", "crosstable"], "{game}: four pairs are too few for a plot");
        assert!(report.page().contains("Pairs are drawn once there are 10."));
        for shown in &report.games {
            let name: GameName = shown.place.parse().unwrap();
            let result = run.journal.result(name.pair).unwrap().unwrap().result;
            let record = &result.games[name.game];
            let numbers = shown.plies.iter().map(|step| step.number.as_str());
            assert!(numbers.take(4).eq(["1.", "1...", "2.", "2..."]), "{game}, {}", shown.place);
            let codes = result.opening.iter().chain(&record.moves).copied().take(shown.plies.len());
            let rules = match run.header.config.game.rules() {
                Rules::Chess(rules) => rules,
                Rules::ZeroPointOne(_) | Rules::Custom => panic!("{game}"),
            };
            let last = reports::board::Board::of_text(&end(&rules, result.start.as_deref(), codes)).unwrap();
            let (mut squares, mut hands) = (shown.start.clone(), shown.hands.clone());
            for step in &shown.plies {
                step.changes.iter().for_each(|(square, piece)| squares[*square] = *piece);
                hands = step.hands.clone().unwrap_or(hands);
            }
            assert_eq!((squares, hands), (last.squares, last.hands), "{game}, {}", shown.place);
        }
    }
}

#[test]
fn everything_is_written_and_what_cannot_be_is_named() {
    let run = play(TEST, Job::Sprt);
    let report = report(&run);
    let out = TempDir::new().unwrap();
    let page = report.write(&out.path().join("deep/er"), Extent::Everything { png: None }).unwrap();
    let folder = page.parent().unwrap();
    for name in ["report.html", "report.md", "report.json", "results.csv", "series.csv", "plots/llr.svg"] {
        assert!(folder.join(name).metadata().unwrap().len() > 100, "{name}");
    }
    assert!(!folder.join("plots/llr.png").exists(), "there is nothing that draws it");
    let png = Some((|svg| Ok(svg.as_bytes()[..4].to_vec())) as reports::plots::PngRenderer);
    let _page = report.write(folder, Extent::Everything { png }).unwrap();
    assert_eq!(std::fs::read(folder.join("plots/llr.png")).unwrap(), b"<svg");
    let leftovers = std::fs::read_dir(folder)
        .unwrap()
        .filter(|e| e.as_ref().unwrap().path().extension().is_some_and(|x| x == "new"));
    assert_eq!(leftovers.count(), 0);
    let series = std::fs::read_to_string(folder.join("series.csv")).unwrap();
    assert!(series.starts_with("plot,series,x,y,low,high\ncourse,llr,1,"), "{series}");
    let file = out.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = report.write(&file, Extent::Page).unwrap_err().to_string();
    assert!(error.contains(&format!("`{}`", file.display())) && error.contains("--out"), "{error}");
}

#[test]
fn a_run_without_pairs_has_a_page() {
    let loaded = load(TEST, "test", "test", &[], Job::Sprt, Disk).unwrap();
    let header = run_header(&loaded.run, &Executables::default());
    let folder = TempDir::new().unwrap();
    let (run, journal) = RunFolder::create(folder.path(), "run", &loaded.text, &header).unwrap();
    let run = Run { path: run.path().to_owned(), _folder: folder, header, journal };
    let report = report(&run);
    assert_eq!(report.figures.iter().map(|figure| figure.id.as_str()).collect::<Vec<_>>(), ["planning"]);
    assert!(report.page().contains("It is so.") && report.games.is_empty());
}
