//! Whole bisections with simulated results, without engines.

use super::model::Next;
use super::record::{BisectJob, Engine, Match, Range, Record};
use super::{Ending, Found};
use crate::builds::{RangeCommit, Revision};
use crate::error::{FaultyRun, SessionError};
use crate::{Place, Session, Threads};
use arena::run::TooFaulty;
use plan::{Disk, RunPlan};
use stats::plan::Conditions;
use stats::random::Stream;
use stats::{Model, PairCounts};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A range, defined by the Elo step of each commit.
struct World {
    path: Vec<f64>,
    /// The bench of each version; 0 for one that does not build.
    benches: Vec<u64>,
    random: Stream,
}

impl World {
    fn new(steps: &[f64], seed: u64) -> Self {
        let mut path = vec![0.0];
        for step in steps {
            path.push(path[path.len() - 1] + step);
        }
        let mut benches = vec![1000];
        for (number, step) in (1..).zip(steps) {
            let before = benches[number - 1];
            benches.push(if *step == 0.0 { before } else { 1000 + number as u64 });
        }
        Self { path, benches, random: Stream::from_seed(seed) }
    }

    fn engine(&self, version: u32) -> Engine {
        match self.benches[version as usize] {
            0 => Engine::Skipped("it does not build".to_owned()),
            nodes => Engine::Built { program: None, nodes: Some(nodes) },
        }
    }

    /// Makes a bisection of the range whose ends are built.
    fn job(&self, keys: &str) -> BisectJob {
        let text = format!("[bisect]\n{keys}\n[each]\nlimit = \"1s\"\n");
        let bisecting = RunPlan::read(&text, "f.toml", "f", &[], None, Disk).and_then(|plan| plan.bisecting()).unwrap();
        let commit = |number: usize| {
            let id = format!("{number:040}");
            let revision = Revision { asked: id.clone(), commit: id.clone(), id, message: "x".to_owned(), time: 0 };
            RangeCommit { revision, author: "Ann".to_owned(), authored: 0 }
        };
        let commits: Vec<RangeCommit> = (0..self.path.len()).map(commit).collect();
        let (good, bad, repository) = ("good".to_owned(), "bad".to_owned(), PathBuf::from("/"));
        let last = commits.len() as u32 - 1;
        let range = Range { good, bad, path: None, repository, cache: None, commits };
        let engines = BTreeMap::from([(0, self.engine(0)), (last, self.engine(last))]);
        BisectJob { folder: PathBuf::from("runs/bisect-f-1"), bisecting, record: Record::new(range, engines) }
    }

    /// Does a step as the job would. Returns whether there was one.
    fn step(&mut self, job: &mut BisectJob) -> bool {
        match job.next() {
            Next::Build(version) => {
                assert!(job.record.engines.insert(version, self.engine(version)).is_none(), "built twice: {version}");
            }
            Next::Play { earlier, later, pairs } => self.play(job, earlier, later, pairs),
            Next::Name(commits) => {
                let (probability, pairs) = (job.bisecting.confidence, job.pairs());
                job.record.found.push(Found { commits, probability, pairs });
            }
            Next::Over(_) => return false,
        }
        true
    }

    fn play(&mut self, job: &mut BisectJob, earlier: u32, later: u32, pairs: u64) {
        assert!(earlier < later && pairs > 0);
        assert_ne!(self.benches[earlier as usize], self.benches[later as usize], "no games between those alike");
        let difference = self.path[later as usize] - self.path[earlier as usize];
        let law = Conditions::new(0.2, 30.0).unwrap().law_at(Model::Logistic, difference).unwrap();
        let mut counts = PairCounts::default();
        (0..pairs).for_each(|_| counts.add(law.sample(&mut self.random)));
        match job.record.matches.iter_mut().find(|of| (of.earlier, of.later) == (earlier, later)) {
            Some(of) => of.counts = of.counts.merge(&counts).unwrap(),
            None => job.record.matches.push(Match { earlier, later, run: None, counts }),
        }
    }

    fn bisected(&mut self, keys: &str) -> BisectJob {
        let mut job = self.job(keys);
        for _ in 0..2000 {
            if !self.step(&mut job) {
                return job;
            }
        }
        panic!("it does not end: {:?}", job.next());
    }
}

#[test]
fn commits_that_keep_the_bench_are_never_guilty_and_play_no_games() {
    // Two of three commits change nothing; commit 17 loses.
    let steps: Vec<f64> =
        (1..=30).map(|number| if number == 17 { -60.0 } else { f64::from(u8::from(number % 3 == 0)) }).collect();
    let mut world = World::new(&steps, 5);
    let mut job = world.bisected("");
    assert_eq!(job.record.found[0].commits, [17]);
    let loss = job.loss_of(&[17], &job.knowledge()).expect("both ends of it played");
    assert!(loss.low < -60.0 && loss.high > -60.0 && loss.high < 0.0, "{loss:?}");
    assert!(job.is_built(16) && job.is_built(17) && job.record.engines.len() < 20, "{:?}", job.record.engines);
    assert_eq!(job.ending(), Some(Ending::Found));
    // Once all of them are built.
    job.record.engines.extend((0..=30).map(|version| (version, world.engine(version))));
    let guilt = job.knowledge().guilt;
    for (at, step) in steps.iter().enumerate() {
        assert!(*step != 0.0 || guilt[at] == 0.0, "commit {}: {}", at + 1, guilt[at]);
    }
    assert!(guilt[16] > 0.5, "{guilt:?}");
}

/// Even the only commit must be shown to have lost.
#[test]
fn the_only_commit_is_named_when_it_lost_for_sure() {
    let mut world = World::new(&[-30.0], 6);
    let job = world.bisected("batch = 4");
    assert_eq!(job.record.found[0].commits, [1]);
    assert!(job.pairs() > 100 && job.knowledge().guilt[0] >= 0.95, "{} pairs", job.pairs());
    let nothing = World::new(&[0.5], 6).bisected("batch = 64\nmax_pairs = 100");
    assert_eq!(nothing.ending(), Some(Ending::Budget));
}

#[test]
fn versions_that_do_not_build_leave_a_set() {
    let mut world = World::new(&[1.0, 1.0, 1.0, -80.0, 1.0, 1.0, 1.0, 1.0], 3);
    (world.benches[3], world.benches[4]) = (0, 0);
    let job = world.bisected("");
    assert_eq!(job.record.found[0].commits, [3, 4, 5]);
    assert!(job.loss_of(&[3, 4, 5], &job.knowledge()).is_some_and(|loss| loss.high < 0.0));
    assert!(job.found_in_words(0).starts_with("Found, one of 3 that cannot be told apart: "));
}

#[test]
fn the_budget_ends_a_search_and_more_of_it_continues() {
    let steps = [1.0, -1.0, -30.0, 1.0, -1.0, 1.0, -1.0, 1.0];
    let mut world = World::new(&steps, 11);
    let mut job = world.bisected("max_pairs = 100");
    assert_eq!((job.ending(), job.pairs()), (Some(Ending::Budget), 100));
    let set = job.knowledge().suspects(0.95);
    assert!(set.len() > 1 && set.contains(&3), "{set:?}");
    assert!(job.text().contains("The loss is in ") && job.json()["state"] == "undecided");
    job.bisecting = world.job("max_pairs = 50000").bisecting;
    while world.step(&mut job) {}
    assert_eq!(job.record.found[0].commits, [3]);
}

#[test]
fn two_guilty_commits_are_found_one_after_another() {
    let mut steps = [1.0; 16];
    (steps[3], steps[11]) = (-60.0, -90.0);
    let job = World::new(&steps, 2).bisected("find = 2");
    let found: Vec<&[u32]> = job.record.found.iter().map(|found| found.commits.as_slice()).collect();
    assert_eq!(found, [[12].as_slice(), &[4]]);
    assert!(job.says().contains("2 losses were found"), "{}", job.says());
}

#[test]
fn where_nothing_was_lost_nothing_is_named() {
    let job = World::new(&[1.0, 40.0, 1.0, -1.0], 4).bisected("least_loss = 10");
    assert_eq!((job.ending(), job.record.found.len()), (Some(Ending::Nothing), 0));
    assert!(job.says().contains("no commit lost 10 Elo or more"), "{}", job.says());
}

/// The next step is a function of the stored state.
#[test]
fn a_job_that_was_read_back_does_the_same() {
    let mut world = World::new(&[1.0, -1.0, -25.0, 1.0, 2.0, -1.0], 8);
    let mut job = world.job("");
    for _ in 0..60 {
        let text = serde_json::to_string(&job.record).unwrap();
        let again = BisectJob { record: serde_json::from_str(&text).unwrap(), ..job.clone() };
        assert_eq!(again.next(), job.next());
        if !world.step(&mut job) {
            break;
        }
    }
}

/// Returns the error of a match that was stopped because an entrant lost half of its games by faults.
fn faulty(entrant: &str) -> SessionError {
    let (path, job, entrant) = (PathBuf::from("runs/match-f-1"), PathBuf::from("runs/bisect-f-1"), entrant.to_owned());
    let counts = TooFaulty { entrant: 0, faults: 16, games: 32 };
    SessionError::Faulty(Box::new(FaultyRun { path, job, entrant, counts, most: 0.1, last: None }))
}

/// Lets a job handle the error of its match at a place.
fn after_error(mut job: BisectJob, place: usize, why: SessionError) -> Result<BisectJob, SessionError> {
    let runs = tempfile::tempdir().unwrap();
    let session = Session::start(Threads::new(), &Place::at(runs.path()), move |runner| {
        job.skipped_for(runner, place, why).map(|is_stopped| (job, is_stopped))
    });
    let (job, is_stopped) = session.answer()?;
    assert!(!is_stopped, "the bisection continues");
    Ok(job)
}

#[test]
fn a_version_that_loses_by_faults_is_skipped_and_its_pairs_do_not_count() {
    let world = World::new(&[1.0, -30.0, 1.0], 7);
    let mut job = world.job("");
    job.record.engines.extend([(1, world.engine(1)), (2, world.engine(2))]);
    let counts = PairCounts([5, 3, 2, 4, 1, 0]);
    let played = [(0, 3), (1, 3), (0, 1), (0, 2)];
    job.record.matches = played.map(|(earlier, later)| Match { earlier, later, run: None, counts }).to_vec();
    // Once it is the earlier one of its match, once the later one.
    for (place, entrant) in [(1, "earlier 00000001"), (2, "later 00000001")] {
        let job = after_error(job.clone(), place, faulty(entrant)).unwrap();
        let pairs: Vec<u64> = job.record.matches.iter().map(|of| of.counts.total()).collect();
        assert_eq!(pairs, [15, 0, 0, 15]);
        assert_eq!(job.skipped().collect::<Vec<_>>(), [(1, "it lost 50% of its games by faults")]);
    }
    // An end cannot be skipped, and another error ends the bisection.
    for (place, entrant) in [(0, "earlier 00000000"), (2, "earlier 00000000"), (0, "later 00000003")] {
        assert!(matches!(after_error(job.clone(), place, faulty(entrant)), Err(SessionError::Faulty(_))), "{entrant}");
    }
    assert!(matches!(after_error(job, 1, SessionError::Interrupted), Err(SessionError::Interrupted)));
}

#[test]
fn the_title_has_the_first_digits_of_a_whole_commit_id() {
    let mut job = World::new(&[-30.0], 6).job("");
    assert!(job.title().ends_with(": good to bad"), "{}", job.title());
    job.record.range.bad = format!("{:040}", 1);
    assert!(job.title().ends_with(": good to 00000000"), "{}", job.title());
}
