//! Workers of all manners, with a real server: whatever they send, the journal equals that of a run in one process.

use arena::config::Job;
use arena::run::{JournalError, PairResult, Proposal, RunFolder, StoredResult};
use fleet::crowd::{Counts, Manner, Settings, work};
use fleet::{Access, Fleet, FleetSettings, Server};
use plan::{Disk, load};
use play::child::{ReservedPort, Spawner};
use play::{Ending, Side, WinRule};
use session::{Command, Event, Outcome, Place, Session, Threads};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;

const PAIRS: u32 = 600;

fn run() -> plan::Loaded {
    let text = format!(
        "name = 'm'\n[match]\npairs = {PAIRS}\n[[entrant]]\nname = 'a'\nplayer = 'random'\n[[entrant]]\nname = \
            'b'\nplayer = 'random'\n"
    );
    load(&text, "test", "test", &[], Job::Match, Disk).expect("valid")
}

fn place(folder: &TempDir) -> Place {
    Place { concurrency: NonZeroUsize::new(1), ..Place::at(folder.path()) }
}

/// Returns all absorbed results, without measurements, and the workers that played them.
fn rows(outcome: &Outcome) -> (Vec<(Proposal, PairResult)>, Vec<String>) {
    let journal = RunFolder::open_journal(&outcome.path).expect("a journal");
    let mut rows = Vec::new();
    let visit = |stored: StoredResult| {
        rows.push((stored.proposal, stored.result.reproducible()));
        Ok::<_, JournalError>(())
    };
    journal.results(0..outcome.standing.pairs, visit).expect("whole");
    let workers = (0..outcome.standing.pairs).filter_map(|pair| journal.worker(pair).expect("readable"));
    (rows, workers.collect::<BTreeSet<_>>().into_iter().collect())
}

fn here() -> Vec<(Proposal, PairResult)> {
    let folder = TempDir::new().expect("a folder");
    let state = Session::create(run(), Threads::new(), &place(&folder)).wait().expect("played");
    rows(state.ended.last().expect("a run")).0
}

/// A server without access control.
struct Open {
    _server: Server,
    folder: TempDir,
    access: Access,
}

impl Open {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let reserved = ReservedPort::new().expect("a port");
        let port = reserved.number();
        let path = |name: &str| folder.path().join(name);
        let store = path("jetstream").display().to_string();
        std::fs::write(path("nats.conf"), format!("port: {port}\njetstream {{ store_dir: {store:?} }}\n"))
            .expect("written");
        let spawner = Spawner::start(None).expect("a thread");
        let server = Server::start(&spawner, &path("nats.conf"), reserved, &path("nats.log")).expect("nats-server");
        let access = Access::new(Some(format!("nats://127.0.0.1:{port}")), None).expect("an address");
        Self { _server: server, folder, access }
    }
}

/// Workers at work until this is dropped.
struct Crowd {
    counts: Arc<Counts>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Crowd {
    fn new(open: &Open, called: &'static str, workers: usize, manner: Manner) -> Self {
        let (counts, stop) = (Arc::new(Counts::default()), Arc::new(AtomicBool::new(false)));
        let (access, pair) = (open.access.clone(), Duration::from_millis(30));
        let settings = Settings { access, workers, at_a_time: 4, pair, seed: 1, called, manner };
        let (counted, flag) = (Arc::clone(&counts), Arc::clone(&stop));
        let thread = std::thread::spawn(move || work(&settings, &counted, &flag).expect("a server"));
        Self { counts, stop, thread: Some(thread) }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _a_panic_is_reported = self.thread.take().map(JoinHandle::join);
    }
}

/// Returns an executor that plays runs on this server, with this share of pairs checked.
fn fleet(open: &Open, checked: f64) -> Fleet {
    Fleet::new(FleetSettings { access: open.access.clone(), weight: 1, checked, send_programs: false, launcher: None })
}

/// Returns the rows of a run that these workers play, the workers that played them, and the messages.
fn there(open: &Open) -> (Vec<(Proposal, PairResult)>, Vec<String>, Vec<String>) {
    let folder = TempDir::new().expect("a folder");
    let session = Session::create(run(), fleet(open, 0.02), &place(&folder));
    let messages = session
        .watch()
        .filter_map(|event| if let Event::Warning(warning) = event { Some(format!("{warning}")) } else { None });
    let messages: Vec<String> = messages.collect();
    let state = session.wait().unwrap_or_else(|error| {
        let log = std::fs::read_to_string(open.folder.path().join("nats.log"));
        panic!("{error}\n{messages:?}\n{}", log.unwrap_or_default())
    });
    let (rows, by) = rows(state.ended.last().expect("a run"));
    (rows, by, messages)
}

pub(crate) fn results_that_come_twice_late_and_in_any_order_count_once() {
    let open = Open::new();
    let crowd = Crowd::new(&open, "odd", 3, Manner::Repeats);
    let (rows, _, warnings) = there(&open);
    assert_eq!(rows, here(), "{warnings:?}");
    let [messages, pairs] = [&crowd.counts.reports[0], &crowd.counts.pairs].map(|count| count.load(Ordering::SeqCst));
    assert!(messages > 40 && pairs >= u64::from(PAIRS), "{messages} messages of {pairs} pairs");
    assert!(!warnings.iter().any(|text| text.contains("set aside")), "{warnings:?}");
}

/// Checks that a worker that forges results is found out at its first pair, and that the run is as if it had never been
/// there.
fn is_found_out(forge: fn(&mut PairResult), why: &str) {
    let open = Open::new();
    let _liar = Crowd::new(&open, "liar", 1, Manner::Forges(forge));
    let _honest = Crowd::new(&open, "good", 2, Manner::Honest);
    let (rows, by, messages) = there(&open);
    assert_eq!(rows, here(), "{messages:?}");
    assert_eq!(by, ["good-00000", "good-00001"]);
    let message = "worker liar-00000 is set aside: what it says of pair";
    assert!(messages.iter().any(|text| text.contains(message) && text.contains(why)), "{messages:?}");
}

pub(crate) fn a_worker_that_sends_an_illegal_move_is_set_aside_and_its_pairs_are_played_by_others() {
    is_found_out(|result| result.games[1].moves[3] ^= 5, "against the rules");
}

pub(crate) fn a_worker_that_sends_an_ending_that_its_moves_have_not_is_set_aside() {
    let forge = |result: &mut PairResult| {
        result.games[0].ending = Ending::Win { winner: Side::Second, by: WinRule::Resignation };
    };
    is_found_out(forge, "contradicts its moves");
}

pub(crate) fn a_worker_that_sends_one_game_in_place_of_two_is_set_aside() {
    is_found_out(|result| result.games.truncate(1), "other games");
}

pub(crate) fn a_worker_that_loses_every_second_pair_ends_no_run() {
    let open = Open::new();
    let _both = Crowd::new(&open, "crowd", 2, Manner::Loses);
    let (rows, by, messages) = there(&open);
    assert_eq!(rows, here(), "{messages:?}");
    assert_eq!(by, ["crowd-00000", "crowd-00001"]);
    assert!(messages.iter().any(|text| text.contains("worker crowd-00001 has lost pair")), "{messages:?}");
}

pub(crate) fn checks_are_brought_to_their_end_by_the_next_coordinator() {
    let (open, folder) = (Open::new(), TempDir::new().expect("a folder"));
    // A single worker is checked by the coordinator, which waits for others first.
    let _alone = Crowd::new(&open, "alone", 1, Manner::Honest);
    let session = Session::create(run(), fleet(&open, 1.0), &place(&folder));
    let committed = session.watch().filter(|event| matches!(event, Event::Committed(_)));
    assert_eq!(committed.take(2).count(), 2);
    session.send(Command::Stop);
    let state = session.wait().expect("stopped");
    let path = state.ended.last().expect("a run").path.clone();
    let unchecked = |path: &Path| {
        let journal = RunFolder::open_journal(path).expect("a journal");
        (journal.stored_pairs().expect("readable"), journal.unchecked(|_| true).expect("readable").len())
    };
    let (stored, left) = unchecked(&path);
    assert!((1..u64::from(PAIRS)).contains(&stored) && left > 0, "{left} of {stored}");
    let _west = Crowd::new(&open, "west", 1, Manner::Honest);
    let _ended = Session::resume(&path, Vec::new(), fleet(&open, 1.0), &place(&folder)).wait().expect("played");
    assert_eq!(unchecked(&path), (u64::from(PAIRS), 0));
}

pub(crate) fn a_pause_gives_out_no_further_pairs_and_says_what_is_still_played() {
    let (open, folder) = (Open::new(), TempDir::new().expect("a folder"));
    let crowd = Crowd::new(&open, "crowd", 2, Manner::Honest);
    let session = Session::create(run(), fleet(&open, 0.0), &place(&folder));
    let played = || crowd.counts.pairs.load(Ordering::SeqCst);
    let (mut messages, mut has_paused, mut at_rest, mut standings) = (Vec::new(), false, None, 0);
    for event in session.watch() {
        match event {
            Event::Committed(_) if !has_paused => {
                has_paused = true;
                session.send(Command::Pause);
            }
            Event::Warning(warning) => {
                let text = warning.to_string();
                if text.contains("all pairs that workers had are played") {
                    at_rest = Some(played());
                }
                messages.push(text);
            }
            // After a few more updates nothing has been played.
            Event::Standing(_) if at_rest.is_some() => {
                standings += 1;
                if standings == 5 {
                    assert_eq!(Some(played()), at_rest);
                    session.send(Command::Continue);
                }
            }
            _ => {}
        }
    }
    assert!(at_rest.is_some_and(|at_rest| at_rest < u64::from(PAIRS)), "{at_rest:?} {messages:?}");
    assert!(messages.iter().any(|text| text.contains("no further pairs are given out")), "{messages:?}");
    let state = session.wait().expect("played");
    assert_eq!(rows(state.ended.last().expect("a run")).0, here());
}
