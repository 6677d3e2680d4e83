//! Plans made from other plans: their entrants, their origins, and errors that point into the user's own file.

use arena::config::{ExperimentConfig, Job, RunConfig, TimeScale};
use miette::{GraphicalReportHandler, GraphicalTheme};
use plan::{Built, Contest, Disk, Known, PlanError, RunPlan, Scaling};
use play::entrant::PlayerSpec;
use stats::PairCounts;

/// Renders the error as a terminal shows it, without line breaks.
fn shown(error: &PlanError) -> String {
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(200);
    handler.render_report(&mut text, error).expect("a string takes everything");
    text
}

fn read(text: &str, settings: &[&str], job: Job) -> Result<RunPlan, PlanError> {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    RunPlan::read(text, "own.toml", "own", &settings, Some(job), Disk)
}

/// Resolves a plan, and checks that its text resolves to the same run.
fn run(plan: &RunPlan, job: Job) -> RunConfig {
    let loaded = plan.resolve(job).unwrap_or_else(|error| panic!("{}", shown(&error)));
    let again =
        RunPlan::read(&loaded.text, "stored", plan.stem(), &[], Some(job), Disk).expect("what was written is read");
    assert_eq!(again.resolve(job).expect("and valid").run, loaded.run, "{}", loaded.text);
    loaded.run
}

fn names(run: &RunConfig) -> Vec<&str> {
    run.entrants.iter().map(|entrant| entrant.name.as_str()).collect()
}

fn built(id: &str, subject: &str) -> Built {
    let time = i64::from(id.as_bytes()[0]);
    Built {
        program: format!("/c/{id}").into(),
        directory: Some("/".into()),
        id: id.into(),
        subject: subject.into(),
        time,
    }
}

const PATCH: &str = "seed = 3\n[build]\ncommand = \"make\"\nbinary = \"x\"\n[sprt]\nelo0 = 0\nelo1 = 5\n\
                     [dev.options]\nHash = 32\n[each]\nlimit = \"100 nodes\"\n";

fn tested(text: &str, settings: &[&str], bounds: Option<[f64; 2]>) -> Result<RunPlan, PlanError> {
    let (dev, base) = (built("aaaaaaaa", "Prune \"late\" moves\t"), built("bbbbbbbb", "Release"));
    read(text, settings, Job::Sprt)?.test_of_builds(&Contest { dev: ("dev", &dev), base: ("v1.0", &base), bounds })
}

#[test]
fn one_file_describes_patches_and_a_session() {
    let entrant = |name: &str| format!("[[entrant]]\nname = \"{name}\"\ncmd = \"{name}\"\n");
    let parameter = "[tune]\npairs = 500\n[[tune.parameter]]\nname = \"X\"\nstart = 1\nmin = 0\nmax = 9\n";
    let both = format!("{PATCH}{parameter}{}", entrant("e"));
    let plan = tested(&both, &[], None).unwrap();
    assert!(plan.keys.tune.is_none(), "the run is a test alone: {}", plan.text());
    let test = run(&plan, Job::Sprt);
    assert_eq!(names(&test), ["dev aaaaaaaa", "v1.0 bbbbbbbb"]);
    let alone = read(&both, &[], Job::Tune).unwrap().of_one_job(Job::Tune);
    assert!(alone.keys.sprt.is_none() && alone.keys.build.is_none() && alone.keys.dev.is_none(), "{}", alone.text());
    assert_eq!(run(&alone, Job::Tune), run(&read(&both, &[], Job::Tune).unwrap(), Job::Tune));
    let session = run(&read(&both, &[], Job::Tune).unwrap(), Job::Tune);
    assert_eq!((names(&session), session.seed), (vec!["e"], 3));
    for entrants in [format!("{both}{}", entrant("f")), format!("{PATCH}{}", entrant("e"))] {
        let error = tested(&entrants, &[], None).expect_err("entrants that nothing tunes");
        assert!(shown(&error).contains("the entrants are the two builds"), "{}", shown(&error));
    }
    let other = read(&both.replace("[dev.options]\nHash = 32\n", ""), &[], Job::Sprt).unwrap();
    let error = other.resolve(Job::Sprt).expect_err("nothing is built for a plain test");
    assert!(shown(&error).contains("`[build]` is for engines that are built"), "{}", shown(&error));
}

#[test]
fn two_builds_make_a_test() {
    let plan = tested(PATCH, &[], None).unwrap();
    let test = run(&plan, Job::Sprt);
    assert_eq!((test.name.as_str(), test.seed), ("own-aaaaaaaa-bbbbbbbb", 3));
    assert_eq!(test.title.as_deref(), Some("Prune \"late\" moves"));
    assert_eq!(names(&test), ["dev aaaaaaaa", "v1.0 bbbbbbbb"]);
    let options = test.entrants.iter().map(|entrant| entrant.player.process().unwrap().options.iter().len());
    assert_eq!(options.collect::<Vec<_>>(), [1, 0]);
    let text = plan.text();
    for line in ["seed = 3\n", "cmd = \"/c/aaaaaaaa\"  # built from aaaaaaaa\n", "Hash = 32\n"] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn a_title_of_the_users_own_stays() {
    let plan = tested(&format!("title = \"Mine\"\n{PATCH}"), &[], None).unwrap();
    assert_eq!(run(&plan, Job::Sprt).title.as_deref(), Some("Mine"));
}

#[test]
fn the_bench_of_either_build_scales_time_controls() {
    let timed = PATCH.replace("100 nodes", "10s");
    let measured = |engine: &str| {
        let text = format!("tc_scale = \"auto\"\nbench = {{ {engine}nps = 5 }}\n{timed}");
        match run(&tested(&text, &[], None).unwrap(), Job::Sprt).scale {
            Some(TimeScale::Bench(reference)) => reference.entrant,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(measured("engine = \"dev\", "), "dev aaaaaaaa");
    assert_eq!(measured("engine = \"base\", "), "v1.0 bbbbbbbb");
    assert_eq!(measured(""), "v1.0 bbbbbbbb");
}

#[test]
fn a_commands_bounds_yield_to_the_command_line_alone() {
    let bounds = |settings: &[&str]| {
        let test = run(&tested(PATCH, settings, Some([-5.0, 0.0])).unwrap(), Job::Sprt);
        let ExperimentConfig::Sprt { test, .. } = test.experiment else { panic!("{test:?}") };
        (test.elo0, test.elo1)
    };
    assert_eq!(bounds(&[]), (-5.0, 0.0));
    assert_eq!(bounds(&["sprt.elo0=-20"]), (-20.0, 0.0));
    assert_eq!(bounds(&["sprt.preset=simplification"]), (-4.0, 1.0), "the file has bounds by number");
}

#[test]
fn bounds_by_name_of_the_command_line_replace_those_of_a_file() {
    let bounds = |settings: &[&str]| {
        let test = run(&tested(PATCH, settings, None).unwrap(), Job::Sprt);
        let ExperimentConfig::Sprt { test, .. } = test.experiment else { panic!("{test:?}") };
        (test.elo0, test.elo1)
    };
    assert_eq!(bounds(&[]), (0.0, 5.0));
    assert_eq!(bounds(&["sprt.preset=simplification"]), (-4.0, 1.0));
    assert_eq!(bounds(&["sprt.preset=simplification", "sprt.elo1=2"]), (-4.0, 2.0));
}

#[test]
fn a_stage_with_bounds_refuses_those_by_name_of_the_command_line() {
    let entrants = "[[entrant]]\nname = \"a\"\n[[entrant]]\nname = \"b\"\n";
    let text = format!("[sprt]\nelo0 = 0\nelo1 = 5\n[[stage]]\nsprt = {{ elo1 = 20 }}\n{entrants}");
    let stages = |settings: &[&str]| read(&text, settings, Job::Sprt).and_then(|plan| plan.stages());
    let error = shown(&stages(&["sprt.preset=simplification"]).expect_err("refused"));
    assert!(error.contains("stage \"stage-1\" says this itself"), "{error}");
    let stages = stages(&["stage.0.sprt.preset=simplification"]).unwrap();
    let sprt = &stages[0].plan.keys.sprt.as_ref().unwrap().value;
    assert_eq!((&sprt.elo0, &sprt.elo1, sprt.preset.is_some()), (&None, &None, true));
}

#[test]
fn errors_of_derived_runs_point_into_the_users_file() {
    let lines = |text: &str, error: PlanError, line: usize| {
        assert!(shown(&error).contains(&format!("own.toml:{line}:")), "{text}: {}", shown(&error));
    };
    // The first is an error when the file is read, the others when the derived run is resolved.
    for (old, new, line) in [
        ("binary = \"x\"", "binry = \"x\"", 4),
        ("elo1 = 5", "elo1 = -5", 7),
        ("[dev.options]\nHash = 32", "[dev]\nnice = 99", 9),
        ("limit = \"100 nodes\"", "limit = \"100\"", 11),
    ] {
        let text = PATCH.replacen(old, new, 1);
        let error = tested(&text, &[], None).and_then(|plan| plan.resolve(Job::Sprt)).unwrap_err();
        lines(&text, error, line);
    }
    for scaling in
        ["[scaling]\npairs = 5\nlimt = \"5 nodes\"\n", "[scaling]\npairs = 0\nlimit = \"5 nodes\"\ndoublings = 1\n"]
    {
        let (head, each) = ("name = \"s\"\nseed = 1\n\n\n\n\n\n", "[each]\n[[entrant]]\nname = \"e\"\n");
        let text = format!("{head}{scaling}{each}");
        let error = read(&text, &[], Job::Ladder).and_then(|plan| plan.scaling());
        let error = error.and_then(|scaling| scaling.plan.resolve(Job::Ladder)).unwrap_err();
        lines(&text, error, if scaling.contains("limt") { 10 } else { 9 });
    }
    let error = tested(&format!("{PATCH}[[entrant]]\nname = \"x\""), &[], None).unwrap_err();
    assert!(shown(&error).contains("[dev] or [base]") && shown(&error).contains("own.toml:12"), "{}", shown(&error));
    let error = tested(PATCH, &["sprt.elo1=-3"], None).and_then(|plan| plan.resolve(Job::Sprt)).unwrap_err();
    assert!(shown(&error).contains("│ --set sprt.elo1=-3"), "{}", shown(&error));
    let error = tested(&PATCH.replace("[dev.options]\n", "[dev.options]\n\n\n"), &["dev.nice=99"], None);
    let error = error.and_then(|plan| plan.resolve(Job::Sprt)).unwrap_err();
    assert!(shown(&error).contains("│ --set dev.nice=99"), "{}", shown(&error));
    let error = tested(&PATCH.replace("elo1 = 5", "elo1 = -5"), &["sprt.alpha=0.1"], None);
    lines("a file with --set", error.and_then(|plan| plan.resolve(Job::Sprt)).unwrap_err(), 7);
    assert!(shown(&tested(PATCH, &["sprt.elo3=1"], None).unwrap_err()).contains("│ --set sprt.elo3=1"));
    // Settings for engines to be built have no meaning elsewhere.
    let error = read(PATCH, &[], Job::Sprt).and_then(|plan| plan.resolve(Job::Sprt)).unwrap_err();
    assert!(shown(&error).contains("own.toml:2") && shown(&error).contains("`spar patch`"), "{}", shown(&error));
}

const LADDER: &str = "[build]\ncommand = \"x\"\nbinary = \"x\"\n[ladder]\npairs = 5\norder = \"date\"\n[each]\nlimit = \
    \"9 nodes\"\n\
                      [[entrant]]\nrev = \"v2\"\nname = \"second\"\n[entrant.options]\nHash = 1\n[[entrant]]\nrev = \
                      \"v1\"\n";

/// Makes builds of `v1` and `v2`, the second one newer.
fn with_builds(text: &str) -> Result<RunPlan, String> {
    let failed = |error: PlanError| shown(&error);
    let plan = read(text, &[], Job::Ladder).map_err(failed)?;
    let mut build = |rev: &str| match rev {
        "v1" | "v2" => Ok(Built { time: if rev == "v1" { 100 } else { 200 }, ..built(rev, "x") }),
        _ => Err(BuildError::None),
    };
    plan.with_builds(&mut build).map_err(|error| match error {
        BuildError::Plan(error) => shown(&error),
        BuildError::None => "no such revision".to_owned(),
    })
}

#[derive(Debug)]
enum BuildError {
    Plan(PlanError),
    None,
}

impl From<PlanError> for BuildError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

#[test]
fn revisions_become_programs_in_the_order_of_their_dates() {
    let entrants = |text: &str| {
        let run = run(&with_builds(text).unwrap(), Job::Ladder);
        let shown = run.entrants.into_iter().map(|entrant| {
            let process = entrant.player.process().unwrap();
            assert_eq!(process.directory.as_deref(), Some(std::path::Path::new("/")));
            format!("{} {} {}", entrant.name, process.command, process.options.iter().len())
        });
        shown.collect::<Vec<_>>()
    };
    assert_eq!(entrants(LADDER), ["v1 /c/v1 0", "second /c/v2 1"]);
    assert_eq!(entrants(&LADDER.replace("date", "file")), ["second /c/v2 1", "v1 /c/v1 0"]);
}

#[test]
fn what_cannot_be_ordered_or_built_is_refused() {
    let error = |old: &str, new: &str| with_builds(&LADDER.replacen(old, new, 1)).unwrap_err();
    let order = error("\"date\"", "\"age\"");
    assert!(order.contains("`file` or `date`") && order.contains("own.toml:6:"), "{order}");
    assert!(error("rev = \"v1\"", "cmd = \"x\"").contains("only revisions have dates"));
    assert!(error("name = \"second\"", "cmd = \"x\"").contains("which of them plays"));
    assert!(error("\"v1\"", "\"v3\"").contains("no such revision"));
    assert!(error("\"v1\"", "3").contains("own.toml:15:"));
}

#[test]
fn a_further_run_of_a_ladder_knows_the_earlier_ones() {
    let text =
        "[ladder]\npairs = 5\n[each]\nlimit = \"9 nodes\"\n[[entrant]]\nname = \"a b\"\n[[entrant]]\nname = \"c\"\n";
    let known = Known { entrant: "c".into(), opponent: "a b".into(), counts: PairCounts([1, 2, 3, 4, 5, 6]) };
    let plan = read(text, &[], Job::Ladder).unwrap().continued(&[known], &[], 3_145_728);
    let ExperimentConfig::Ladder(ladder) = run(&plan, Job::Ladder).experiment else { panic!("{}", plan.text()) };
    assert_eq!(ladder.first_opening, 3_145_728);
    let [known] = ladder.known[..] else { panic!("{ladder:?}") };
    assert_eq!((known.entrant, known.opponent, known.counts.0), (1, 0, [1, 2, 3, 4, 5, 6]));
    assert!(plan.text().contains("first_opening = 3145728  # earlier runs of the ladder"), "{}", plan.text());
}

fn scaling_file(scaling: &str) -> String {
    format!(
        "name = \"s\"\n[scaling]\npairs = 100\n{scaling}\n[each]\ntable = \"64 KiB\"\nlimit = \"1s\"\n\
         [[entrant]]\nname = \"engine\"\n[entrant.params]\nfutility = false\n"
    )
}

fn scaling(text: &str, settings: &[&str]) -> Result<(Scaling, RunConfig), String> {
    let scaling = read(text, settings, Job::Ladder).and_then(|plan| plan.scaling()).map_err(|error| shown(&error))?;
    scaling.plan.resolve(Job::Ladder).map_err(|error| shown(&error))?;
    let run = run(&scaling.plan, Job::Ladder);
    Ok((scaling, run))
}

#[test]
fn limits_double() {
    let (levels, run) = scaling(&scaling_file("limit = \"500 nodes\"\ndoublings = 3"), &[]).unwrap();
    assert_eq!((levels.values.as_slice(), levels.label.as_str()), (&[500.0, 1e3, 2e3, 4e3][..], "nodes a move"));
    assert_eq!(run.name, "scaling-s");
    assert_eq!(names(&run), ["500 nodes", "1000 nodes", "2000 nodes", "4000 nodes"]);
    let values = |scaling_words| scaling(&scaling_file(scaling_words), &[]).unwrap().0.values;
    assert_eq!(values("limit = \"1s+10ms\"\ndoublings = 2"), [1.0, 2.0, 4.0]);
    assert_eq!(values("limits = [\"depth 2\", \"depth 4\"]"), [2.0, 4.0]);
}

#[test]
fn a_parameter_takes_its_values() {
    let text = scaling_file("parameter = \"null_move_margin\"\nvalues = [0, 0.1, 0.25]");
    let (levels, run) = scaling(&text, &[]).unwrap();
    let of = |entrant: &play::entrant::Entrant| match &entrant.player {
        PlayerSpec::Native(native) => {
            (native.params.get("null_move_margin").unwrap(), native.params.get("futility").unwrap())
        }
        other => panic!("{other:?}"),
    };
    let values: Vec<_> = run.entrants.iter().map(of).collect();
    assert_eq!(values, [(0.0, 0.0), (0.1, 0.0), (0.25, 0.0)], "what the entrant sets beside stays");
    assert_eq!((levels.label.as_str(), levels.values), ("null_move_margin", vec![0.0, 0.1, 0.25]));
}

#[test]
fn a_switch_has_two_levels() {
    let (levels, run) = scaling(&scaling_file("parameter = \"null_move\"\nvalues = [false, true]"), &[]).unwrap();
    assert_eq!((levels.values, levels.doublings), (vec![0.0, 1.0], false));
    assert_eq!(names(&run), ["null_move false", "null_move true"]);
    let of = |entrant: &play::entrant::Entrant| match &entrant.player {
        PlayerSpec::Native(native) => native.params.get("null_move").unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(run.entrants.iter().map(of).collect::<Vec<_>>(), [0.0, 1.0]);
}

#[test]
fn an_option_of_an_engine_that_each_gives_has_levels() {
    let text = "game = \"chess\"\n[scaling]\npairs = 9\nparameter = \"Hash\"\nvalues = [1, 2, 4.5]\n\
                [each]\ncmd = \"x\"\nlimit = \"1s\"\noptions = { Hash = 9, Threads = 1 }\n[[entrant]]\nname = \"e\"\n";
    let of = |text: &str| {
        let (_, run) = scaling(text, &[]).unwrap();
        let options = run.entrants.iter().map(|entrant| {
            let options = &entrant.player.process().expect("a process").options;
            options.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        });
        options.collect::<Vec<_>>()
    };
    assert_eq!(of(text), ["Hash=1 Threads=1", "Hash=2 Threads=1", "Hash=4.5 Threads=1"]);
    let switch = text.replace("\"Hash\"\nvalues = [1, 2, 4.5]", "\"Ponder\"\nvalues = [false, true]");
    assert_eq!(of(&switch), ["Hash=9 Threads=1 Ponder=false", "Hash=9 Threads=1 Ponder=true"]);
}

#[test]
fn what_is_no_scaling_is_refused() {
    let error = |words: &str| scaling(&scaling_file(words), &[]).unwrap_err();
    for (words, message, line) in [
        ("", "expected one of `limit`", 2),
        ("limit = \"5 nodes\"\nparameter = \"x\"", "expected one of", 2),
        ("limit = \"soon\"\ndoublings = 1", "`soon` is not a limit", 4),
        ("limit = \"5 nodes\"", "`doublings` is 1 or more", 2),
        ("limit = \"depth 100\"\ndoublings = 3", "expected at most 1", 5),
        ("limits = [\"depth 2\", \"9 nodes\"]", "of one kind", 4),
        ("parameter = \"x\"\nvalues = [2, 1]", "each more than the one before", 5),
        ("parameter = \"x\"\nvalues = [true, false]", "or [false, true]", 5),
        ("parameter = \"optimsm\"\nvalues = [0, 1]", "did you mean `optimism`", 4),
        ("parameter = \"null_move\"\nvalues = [0.5, 1.5]\ndoublings = 2", "each more than the one before", 5),
    ] {
        let text = error(words);
        assert!(text.contains(message) && text.contains(&format!("own.toml:{line}:")), "{words}: {text}");
    }
    let none = scaling("[scaling]\npairs = 1\nlimit = \"5 nodes\"\ndoublings = 1", &[]).unwrap_err();
    assert!(none.contains("one `[[entrant]]`"), "{none}");
    let set = scaling(&scaling_file("limit = \"5 nodes\"\ndoublings = 1"), &["ladder.pairs=3"]).unwrap_err();
    assert!(set.contains("this run reads `[scaling]`") && set.contains("--set ladder.pairs=3"), "{set}");
}
