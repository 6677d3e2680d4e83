//! The identities of runs must not change: users may still resume runs made by older versions.

use crate::args::{Arguments, Command};
use crate::draft::Task;
use arena::config::{ExperimentConfig, Job, RunConfig};
use clap::Parser;
use plan::{AfterTuning, Built, Contest, Disk, PlanError, RunPlan, TunedValue};
use std::collections::BTreeMap;
use tuner::TunedParameter;

/// The identities of runs requested in many ways, as JSON.
const PINNED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/identities.json");
const CONFIGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs");

fn shipped(file: &str) -> String {
    std::fs::read_to_string(format!("{CONFIGS}/{file}")).unwrap()
}

fn run_of(text: &str, stem: &str, settings: &[&str], job: Job) -> RunConfig {
    let settings: Vec<String> = settings.iter().map(|text| (*text).to_owned()).collect();
    resolved(&RunPlan::read(text, "pinned", stem, &settings, Some(job), Disk).unwrap(), job)
}

/// Resolves a plan, and the same plan after a round trip through text.
fn resolved(plan: &RunPlan, job: Job) -> RunConfig {
    let run = plan.resolve(job).unwrap_or_else(|error| panic!("{error}")).run;
    let again = RunPlan::read(&plan.text(), "again", plan.stem(), &[], Some(job), Disk).unwrap();
    assert_eq!(again.resolve(job).unwrap().run, run, "{}", plan.text());
    assert_eq!(again.text(), plan.text());
    // This may change on resuming, and is not part of a run's identity.
    RunConfig { max_fault_share: 1.0, ..run }
}

fn build(rev: &str) -> Built {
    let id = rev.repeat(4);
    let subject = format!("Subject of {rev}");
    let directory = (rev == "b1").then(|| "/".into());
    Built { program: format!("/cache/{rev}/engine").into(), directory, id, subject, time: i64::from(rev.as_bytes()[0]) }
}

type Made = BTreeMap<String, RunConfig>;

fn of_files(made: &mut Made) {
    let files = [
        ("ablation", Job::Match),
        ("ablation-ladder", Job::Ladder),
        ("chess960", Job::Match),
        ("codecup", Job::Match),
        ("crazyhouse", Job::Match),
        ("ladder", Job::Ladder),
        ("match", Job::Match),
        ("random", Job::Match),
        ("selfplay", Job::Selfplay),
        ("sprt", Job::Sprt),
        ("tune", Job::Tune),
        ("tune-bad-start", Job::Tune),
        ("tune-uci", Job::Tune),
        ("uci", Job::Sprt),
    ];
    for (file, job) in files {
        made.insert(format!("file {file}"), run_of(&shipped(&format!("{file}.toml")), file, &[], job));
    }
    let settings = ["seed=9", "sprt.max_pairs=100", "each.limit=depth 3", "entrant.0.params.futility=false"];
    made.insert("file sprt with settings".into(), run_of(&shipped("sprt.toml"), "sprt", &settings, Job::Sprt));
}

fn of_scalings(made: &mut Made) {
    for file in ["scaling", "sweep"] {
        let plan = RunPlan::read(&shipped(&format!("{file}.toml")), file, file, &[], None, Disk).unwrap();
        made.insert(format!("scaling {file}"), resolved(&plan.scaling().unwrap().plan, Job::Ladder));
    }
    let process = "game = \"chess\"\n[scaling]\nparameter = \"Hash\"\nvalues = [1, 2, 4.5]\npairs = 5\n\
                   [each]\nlimit = \"1s\"\n[[entrant]]\nname = \"x\"\ncmd = \"x\"\n\
                   options = { Z = 1, Hash = 3, A = 2 }\n";
    let plan = RunPlan::read(process, "process", "my scaling", &[], None, Disk).unwrap();
    made.insert("scaling of an option".into(), resolved(&plan.scaling().unwrap().plan, Job::Ladder));
}

fn of_builds(made: &mut Made) {
    let (dev, base) = (build("a1"), build("b1"));
    let text = format!("{}\n[dev.options]\nHash = 32\n[base]\nlimit = \"5 nodes\"\n", shipped("patch.toml"));
    for (name, bounds) in [("patch", None), ("regress", Some([-5.0, 0.0]))] {
        let contest = Contest { dev: ("dev", &dev), base: ("base", &base), bounds };
        let settings = ["sprt.max_pairs=70".to_owned()];
        let plan = RunPlan::read(&text, "patch.toml", "patch", &settings, Some(Job::Sprt), Disk).unwrap();
        made.insert(name.into(), resolved(&plan.test_of_builds(&contest).unwrap(), Job::Sprt));
    }
    let ladder = "game = \"0.1\"\n[build]\ncommand = \"x\"\nbinary = \"x\"\n[ladder]\npairs = 5\norder = \
        \"date\"\n[each]\nlimit = \"9 nodes\"\n\
                  [[entrant]]\nrev = \"b1\"\nname = \"second\"\n[entrant.options]\nHash = 1\n[[entrant]]\nrev = \
                  \"a1\"\n";
    let plan = RunPlan::read(ladder, "l.toml", "revisions", &[], None, Disk).unwrap();
    let plan = plan.with_builds(&mut |rev| Ok::<_, PlanError>(build(rev))).unwrap();
    made.insert("ladder of revisions".into(), resolved(&plan, Job::Ladder));
}

fn of_sessions(made: &mut Made) {
    for file in ["tune", "tune-bad-start", "tune-uci"] {
        let text = shipped(&format!("{file}.toml"));
        let run = run_of(&text, file, &[], Job::Tune);
        let ExperimentConfig::Tune(tune) = &run.experiment else { panic!("{run:?}") };
        let arena::config::Tuned::Parameters(parameters) = &tune.tuned else { panic!("lines") };
        let start: Vec<_> = parameters.iter().map(|p| (p.name.as_str(), TunedValue::Number(p.start))).collect();
        let middle = |p: &TunedParameter| TunedValue::Number(f64::midpoint(p.start, p.max));
        let tuned: Vec<_> = parameters.iter().map(|p| (p.name.as_str(), middle(p))).collect();
        let after = AfterTuning {
            session: &run.name,
            verify: &tune.verify.unwrap(),
            seed: 1_000_004,
            tuned: &tuned,
            start: &start,
        };
        let plan = RunPlan::read(&text, file, file, &[], None, Disk).unwrap().after_tuning(&after).unwrap();
        made.insert(format!("test after {file}"), resolved(&plan, Job::Sprt));
    }
}

const ENGINES: &str = "--engine cmd=./a name=dev option.Hash=16 nice=3 args='-x -y' --engine cmd=./b/a";

fn of_words(made: &mut Made) {
    let lines = [
        ("match --tc 10+0.1", &[][..]),
        ("sprt --st 0.25 --elo1 3 --alpha 0.1 --model logistic --pairs 7 --name n --seed 5 --plies 3", &[]),
        ("match --depth 4 --game crazyhouse --each timemargin=50 restart=on init=one\\ntwo", &[]),
        ("match --nodes 50 --game 0.1", &["entrant.a.protocol=codecup", "each.limit=5s", "openings.plies=2"]),
    ];
    for (line, settings) in lines {
        let mut words: Vec<String> = shlex::split(&format!("spar {line} {ENGINES}")).unwrap();
        words.extend(settings.iter().flat_map(|setting| ["--set".to_owned(), (*setting).to_owned()]));
        made.insert(format!("words {line}"), typed(&words, None));
    }
    let file = shipped("uci.toml");
    for line in ["sprt F --tc 10+0.1 --seed 4", "sprt F --nodes 70 --each option.Hash=4 --pairs 6 --elo0 -1"] {
        made.insert(format!("over {line}"), typed(&shlex::split(&format!("spar {line}")).unwrap(), Some(&file)));
    }
}

fn typed(words: &[String], file: Option<&str>) -> RunConfig {
    let arguments = Arguments::try_parse_from(words).unwrap();
    let (play, job, task) = match &arguments.command {
        Command::Match(fixed) => (&fixed.play, Job::Match, Task::Match(&fixed.pairings)),
        Command::Sprt(sprt) => (&sprt.play, Job::Sprt, Task::Sprt(&sprt.hypotheses)),
        other => panic!("{other:?}"),
    } as (&crate::args::Match, Job, Task<'_>);
    let settings = &play.working.settings();
    let plan = match file {
        None => play.described.draft(&task, !settings.is_empty()).unwrap(),
        Some(text) => {
            let mut plan = RunPlan::read(text, "pinned", "run", &[], Some(job), Disk).unwrap();
            play.described.over(&mut plan, &task, !settings.is_empty()).unwrap();
            plan
        }
    };
    resolved(&plan.amended(settings, Some(job)).unwrap(), job)
}

fn of_fastchess(made: &mut Made) {
    let both = "-engine cmd=./a name=dev option.Hash=16 -engine cmd=./b -each tc=10+0.1";
    let lines = [
        format!(
            "{both} -rounds 7 -draw movenumber=34 movecount=8 score=20 -resign movecount=3 score=400 twosided=true"
        ),
        format!("{both} -sprt elo0=0 elo1=2.5 alpha=0.05 beta=0.05 model=logistic -maxmoves 100 -seed 3"),
        format!(
            "{both} -engine cmd=c st=0.1 proto=xboard -tournament gauntlet -variant crazyhouse -use-affinity 0,1-2"
        ),
        format!("{both} -openings file=tests/data/castling-960.epd format=epd start=2 plies=3 -variant fischerandom"),
        "-quick cmd=./a cmd=./b book=tests/data/castling-960.epd -variant fischerandom -srand 4".to_owned(),
    ];
    for line in lines {
        let (plan, job) = fastchess::plan(&shlex::split(&line).unwrap()).unwrap();
        made.insert(format!("fastchess {line}"), resolved(&plan, job));
    }
}

#[test]
fn identities_stay_what_they_were() {
    let mut made = Made::new();
    of_files(&mut made);
    of_scalings(&mut made);
    of_builds(&mut made);
    of_sessions(&mut made);
    of_words(&mut made);
    of_fastchess(&mut made);
    let now = serde_json::to_value(&made).unwrap();
    let then: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(PINNED).unwrap()).unwrap();
    for (name, run) in then.as_object().unwrap() {
        assert_eq!(&now[name], run, "{name}");
    }
    assert_eq!(then.as_object().unwrap().len(), made.len());
}
