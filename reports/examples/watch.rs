//! Measures the cost of rewriting a run's page after 1,000 more pairs, on a journal of the given length.
//!
//! `cargo run --release -p reports --example watch -- 1000000` makes a journal of a million pairs of random games in a
//! temporary folder (about 1 GB), and prints seconds.

#![expect(clippy::print_stdout, reason = "it prints its measurements")]
#![expect(clippy::unwrap_used, reason = "a measurement that fails may panic")]

use arena::config::{Job, RunConfig};
use arena::run::{
    ByHost, Check, Control, Executables, Experiment, Journal, Local, Match, PairIndex, Played, RunFolder, StoredResult,
    drive, run_header,
};
use plan::{Disk, Loaded, load};
use play::openings::Openings;
use reports::{Captions, Extent, Follow, ReportError};
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

/// The number of pairs that are actually played; all others are copies.
const PLAYED: u64 = 1000;
/// The number of pairs between two pages.
const NEW: u64 = 1000;
/// The number of pages written after the first.
const REFRESHES: u64 = 5;

fn loaded(pairs: u64) -> Loaded {
    let text = format!(
        "name = \"watched\"\n[match]\npairs = {pairs}\n[openings]\nplies = 4\n[[entrant]]\nname = \"a\"\nplayer = \
            \"random\"\n\
         [[entrant]]\nname = \"b\"\nplayer = \"random\"\n"
    );
    load(&text, "watch", "watch", &[], Job::Match, Disk).unwrap()
}

fn experiment(pairs: u64) -> Box<dyn Experiment> {
    Box::new(Match::new(NonZeroU64::new(pairs).unwrap(), arena::config::Schedule::Gauntlet, 2))
}

/// Plays some pairs.
fn bank(folder: &Path) -> Vec<StoredResult> {
    let loaded = loaded(PLAYED);
    let header = run_header(&loaded.run, &Executables::default());
    let (_run, mut journal) = RunFolder::create(folder, "bank", &loaded.text, &header).unwrap();
    let mut executor = Local::start(NonZeroUsize::new(2).unwrap(), None).unwrap();
    let openings = Openings::load(&loaded.run.openings, loaded.run.game).unwrap();
    let (mut experiment, control) = (experiment(PLAYED), Control::new());
    let _verdict =
        drive(&loaded.run, &openings, experiment.as_mut(), &mut journal, &mut executor, &control, &mut |_| {}).unwrap();
    (0..PLAYED).map(|pair| journal.result(pair).unwrap().unwrap()).collect()
}

/// Commits pairs as if they had been played.
fn commit(journal: &mut Journal, bank: &[StoredResult], experiment: &mut dyn Experiment, pairs: Range<PairIndex>) {
    let played: Vec<Played> = pairs
        .map(|pair| {
            let mut result = bank[(pair % PLAYED) as usize].result.clone();
            result.pair = pair;
            Played { proposal: experiment.propose(pair).unwrap(), result, by_host: ByHost::default(), by: None }
        })
        .collect();
    journal.commit(&played).unwrap();
}

fn main() {
    let pairs: u64 = std::env::args().nth(1).map_or(100_000, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let bank = bank(folder.path());
    let all = pairs + REFRESHES * NEW;
    let loaded = loaded(2 * all);
    let header = run_header(&loaded.run, &Executables::default());
    let (run, mut journal) = RunFolder::create(folder.path(), "run", &loaded.text, &header).unwrap();
    let mut proposer = experiment(2 * all);
    let started = Instant::now();
    for start in (0..pairs).step_by(10_000) {
        commit(&mut journal, &bank, proposer.as_mut(), start..pairs.min(start + 10_000));
    }
    println!("{pairs} pairs committed   {:8.3} s", started.elapsed().as_secs_f64());
    measure(run.path(), 2 * all, &mut |refresh| {
        let start = pairs + refresh * NEW;
        commit(&mut journal, &bank, proposer.as_mut(), start..start + NEW);
    });
}

/// Seconds for the first page, which reads everything, and for each later one.
fn measure(path: &Path, limit: u64, more: &mut dyn FnMut(u64)) {
    let make = |_: &RunConfig| Ok::<_, ReportError>(experiment(limit));
    let mut run = Follow::open(path, Check::Audit, make).unwrap();
    let captions = Captions { headline: "a against b", says: "It is running.", test: None };
    let mut page = |name: &str| {
        let started = Instant::now();
        let new = run.refresh().unwrap();
        let read = started.elapsed().as_secs_f64();
        let _page = run.report(&captions, Vec::new()).unwrap().write(path, Extent::Page).unwrap();
        let all = started.elapsed().as_secs_f64();
        println!("{name:<11}{new:>9} new pairs   {all:8.4} s, reading alone {read:.4} s");
    };
    page("first page");
    for refresh in 0..REFRESHES {
        more(refresh);
        page("next page");
    }
}
