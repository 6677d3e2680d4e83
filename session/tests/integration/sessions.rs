//! Sessions from outside: watchers and commands never change what is played, and every job resumes where it was
//! stopped.

use arena::config::Job;
use arena::run::{
    Executor, Finish, JournalError, LiveGame, Local, PairIndex, PairResult, PairSpec, Proposal, RunFolder,
    StoredResult, Verdict, look,
};
use plan::{Disk, Loaded, RunPlan, load};
use play::Side;
use session::builds::{BuildError, BuildEvent, Sources, Step};
use session::work::{self, Base, Further, Ladder, LadderState, Part, Patch, Rule, Series};
use session::{Blame, Command, Event, Executors, Outcome, Place, Session, SessionError, State, Threads};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const TWO: &str = "[each]\nlimit = '40 nodes'\ntable = '64 KiB'\n[[entrant]]\nname = 'a'\n[[entrant]]\nname = \
    'b'\nparams = { futility = false }\n";

fn sprt() -> Loaded {
    let text = format!("[sprt]\nelo0 = 0\nelo1 = 10\nmax_pairs = 400\n{TWO}");
    load(&text, "test", "test", &[], Job::Sprt, Disk).expect("valid")
}

fn fixed(pairs: u32) -> Loaded {
    let text = format!("[match]\npairs = {pairs}\n{TWO}");
    load(&text, "test", "test", &[], Job::Match, Disk).expect("valid")
}

fn ladder_plan() -> RunPlan {
    let text = format!("[ladder]\npairs = 300\nlookahead = 8\n{TWO}[[entrant]]\nname = 'c'\nlimit = '80 nodes'\n");
    RunPlan::read(&text, "test", "test", &[], Some(Job::Ladder), Disk).expect("valid")
}

fn ladder() -> Loaded {
    ladder_plan().resolve(Job::Ladder).expect("valid")
}

fn tune() -> Loaded {
    let text = "[tune]\npairs = 300\nlookahead = 8\nverify = { max_pairs = 200 }\n[[tune.parameter]]\nname = \
        'null_move_margin'\n\
                [[tune.parameter]]\nname = 'futility_margin'\n[each]\nlimit = '40 nodes'\ntable = '64 \
                KiB'\n[[entrant]]\nname = 'a'\n";
    load(text, "test", "test", &[], Job::Tune, Disk).expect("valid")
}

fn place(folder: &TempDir, concurrency: usize) -> Place {
    Place { concurrency: NonZeroUsize::new(concurrency), ..Place::at(folder.path()) }
}

/// Returns the absorbed pairs and how they were played, without measured times.
fn rows(outcome: &Outcome) -> Vec<(Proposal, PairResult)> {
    let journal = RunFolder::open_journal(&outcome.path).expect("a journal");
    let mut rows = Vec::new();
    let visit = |stored: StoredResult| {
        rows.push((stored.proposal, stored.result.reproducible()));
        Ok::<_, JournalError>(())
    };
    journal.results(0..outcome.standing.pairs, visit).expect("whole");
    rows
}

/// A run's verdict and its pairs.
type Played = (Option<Verdict>, Vec<(Proposal, PairResult)>);

fn outcome(state: &State) -> Vec<Played> {
    state.ended.iter().map(|outcome| (outcome.verdict(), rows(outcome))).collect()
}

/// A command, and its time.
enum When {
    /// After this many pairs have been committed in this session.
    Committed(usize, Command),
    /// After the driver has paused.
    Paused(Command),
}

/// Sends commands to a session, depending on its events.
fn steer<T: Send + 'static>(session: &Session<T>, script: &[When]) {
    let (mut committed, mut paused, mut next) = (0, false, 0);
    for event in session.watch() {
        match event {
            Event::Committed(pairs) => committed += pairs.len(),
            Event::Standing(snapshot) => paused = snapshot.paused,
            _ => {}
        }
        while let Some(when) = script.get(next) {
            match when {
                When::Committed(at, command) if committed >= *at => session.send(*command),
                When::Paused(command) if paused => session.send(*command),
                _ => break,
            }
            next += 1;
        }
    }
    assert_eq!(next, script.len(), "all commands were sent");
}

fn workers(count: usize) -> Command {
    Command::Concurrency(NonZeroUsize::new(count).expect("not 0"))
}

/// Plays at most this many pairs until it is stopped, however late, so that commands always reach a working session.
struct Gated {
    local: Local,
    left: usize,
}

impl Gated {
    fn new() -> Self {
        let local = Local::start(NonZeroUsize::MIN, None).expect("a thread");
        Self { local, left: 30 }
    }
}

impl Executor for Gated {
    fn workers(&self) -> usize {
        self.local.workers()
    }

    fn capacity(&self) -> usize {
        self.local.capacity()
    }

    fn set_workers(&mut self, workers: usize) {
        self.local.set_workers(workers);
    }

    fn submit(&mut self, spec: PairSpec) {
        self.local.submit(spec);
    }

    fn next_event(&mut self, deadline: Instant) -> Option<arena::run::Event> {
        if self.left == 0 {
            // Waits as the driver expects, without a result.
            std::thread::park_timeout(deadline.saturating_duration_since(Instant::now()));
            return None;
        }
        let event = self.local.next_event(deadline)?;
        self.left -= 1;
        Some(event)
    }

    fn revoke_from(&mut self, pair: PairIndex) {
        self.local.revoke_from(pair);
    }
}

/// Pauses before the first pair, continues with four pairs at a time, returns to one, and stops.
fn disturbance() -> [When; 5] {
    [
        When::Committed(0, Command::Pause),
        When::Paused(workers(4)),
        When::Paused(Command::Continue),
        When::Committed(1, workers(1)),
        When::Committed(2, Command::Stop),
    ]
}

/// Returns the last outcomes of all runs of a job that was disturbed and stopped wherever possible.
fn disturbed(run: Loaded, folder: &TempDir) -> Vec<Played> {
    let session = Session::create(run, Gated::new(), &place(folder, 1));
    steer(&session, &disturbance());
    let state = session.wait().expect("stopped in time");
    let first = state.ended.last().expect("a run");
    assert_eq!(first.finish, Finish::Stopped);
    resumed(&first.path.clone(), folder)
}

/// Resumes a job, stopping it repeatedly, until all its runs are finished.
fn resumed(path: &Path, folder: &TempDir) -> Vec<Played> {
    let mut last: Vec<Arc<Outcome>> = Vec::new();
    for stop_after in [60, 40, 90, usize::MAX] {
        let session = Session::resume(path, Vec::new(), Threads::new(), &place(folder, 2));
        let stop = [When::Committed(stop_after, Command::Stop)];
        if stop_after < usize::MAX {
            steer_loosely(&session, &stop);
        }
        for outcome in &session.wait().expect("resumable").ended {
            match last.iter_mut().find(|known| known.path == outcome.path) {
                Some(known) => *known = Arc::clone(outcome),
                None => last.push(Arc::clone(outcome)),
            }
        }
    }
    last.iter().map(|outcome| (outcome.verdict(), rows(outcome))).collect()
}

/// Sends commands to a session that may end before all of them are sent.
fn steer_loosely(session: &Session, script: &[When]) {
    let mut committed = 0;
    for event in session.watch() {
        if let Event::Committed(pairs) = event {
            committed += pairs.len();
        }
        if let [When::Committed(at, command)] = script
            && committed >= *at
        {
            session.send(*command);
        }
    }
}

fn undisturbed(run: Loaded) -> Vec<Played> {
    let folder = TempDir::new().expect("a folder");
    let state = Session::create(run, Threads::new(), &place(&folder, 2)).wait().expect("played");
    outcome(&state)
}

#[test]
#[ignore = "slow"]
fn a_test_is_the_same_however_it_is_disturbed() {
    let folder = TempDir::new().expect("a folder");
    assert_eq!(disturbed(sprt(), &folder), undisturbed(sprt()));
}

#[test]
fn a_session_plays_the_experiment_that_was_resolved() {
    let folder = TempDir::new().expect("a folder");
    let run = Loaded { experiment: fixed(3).experiment, ..fixed(8) };
    let state = Session::create(run, Threads::new(), &place(&folder, 2)).wait().expect("played");
    assert_eq!(state.ended[0].standing.pairs, 3, "none is made of the configuration once more");
}

#[test]
fn a_match_is_the_same_however_it_is_disturbed() {
    let folder = TempDir::new().expect("a folder");
    let outcome = disturbed(fixed(600), &folder);
    assert_eq!((outcome[0].0, outcome[0].1.len()), (Some(Verdict::Complete), 600));
    assert_eq!(outcome, undisturbed(fixed(600)));
}

#[test]
#[ignore = "slow"]
fn a_ladder_is_the_same_however_it_is_disturbed() {
    let folder = TempDir::new().expect("a folder");
    assert_eq!(disturbed(ladder(), &folder), undisturbed(ladder()));
}

#[test]
#[ignore = "slow"]
fn a_tuning_session_and_its_test_are_the_same_however_they_are_disturbed() {
    let folder = TempDir::new().expect("a folder");
    let outcome = disturbed(tune(), &folder);
    assert_eq!(outcome.len(), 2, "the session and its test");
    assert_eq!(outcome, undisturbed(tune()));
}

/// Plays several tests in sequence, as one job. Returns its folder, and the results of its runs.
fn play_in_turn(
    folder: &TempDir,
    executors: impl Executors + 'static,
    script: &[When],
    parts: Vec<Part>,
) -> (PathBuf, Vec<Played>) {
    let series = Series::create(folder.path(), "regress-x", "x", Rule::All, parts).expect("made");
    let path = series.folder().to_owned();
    let session = Session::start(executors, &place(folder, 1), move |runner| {
        series.go_on(runner, &session::work::Changes::default())
    });
    steer(&session, script);
    (path, outcome(&session.wait().expect("played")))
}

#[test]
#[ignore = "slow"]
fn tests_in_turn_resume_as_one_job() {
    let parts = || vec![Part::new("one", &sprt()), Part::new("two", &fixed(200))];
    let (quiet, busy) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let (path, stopped) = play_in_turn(&busy, Gated::new(), &disturbance(), parts());
    assert_eq!((stopped.len(), stopped[0].0), (1, None));
    assert!(path.join("job.json").is_file());
    assert_eq!(resumed(&path, &busy), play_in_turn(&quiet, Threads::new(), &[], parts()).1);
    assert!(Series::read(&path).expect("readable").expect("a job").parts().iter().all(|part| part.run.is_some()));
}

#[test]
fn a_run_is_begun_again_without_the_sections_of_other_jobs() {
    let folder = TempDir::new().expect("a folder");
    let text = format!("[match]\npairs = 1\n[sprt]\nelo0 = 0\nelo1 = 5\n{TWO}");
    let run = load(&text, "test", "test", &[], Job::Match, Disk).expect("valid");
    let state = Session::create(run, Threads::new(), &place(&folder, 1)).wait().expect("played");
    let again = work::stored(&state.ended[0].path).expect("a configuration");
    assert!(again.contains("[match]") && !again.contains("[sprt]"), "{again}");
}

#[test]
fn the_state_of_a_job_names_the_part_that_each_run_played() {
    let folder = TempDir::new().expect("a folder");
    let parts = vec![Part::new("one", &fixed(1)), Part::new("two", &fixed(2))];
    let series = Series::create(folder.path(), "regress-x", "x", Rule::All, parts).expect("made");
    let session = Session::start(Threads::new(), &place(&folder, 1), move |runner| {
        series.go_on(runner, &session::work::Changes::default())
    });
    let state = session.wait().expect("played");
    let names = state.ended_in.iter().map(|part| part.as_ref().map(|part| part.name.as_str()));
    assert_eq!(names.collect::<Vec<_>>(), [Some("one"), Some("two")]);
    assert_eq!(state.ended.len(), 2);
}

#[test]
#[ignore = "slow"]
fn a_watcher_that_never_reads_and_one_that_comes_late_change_nothing() {
    let folder = TempDir::new().expect("a folder");
    let session = Session::create(fixed(600), Threads::new(), &place(&folder, 2));
    let (mut asleep, awake) = (session.watch(), session.watch());
    let mut state = State::default();
    let mut committed = Vec::new();
    for event in awake {
        if let Event::Committed(pairs) = &event {
            committed.extend(pairs.iter().map(|(pair, _)| *pair));
        }
        state.apply(&event);
    }
    committed.sort_unstable();
    assert_eq!(committed, (0..600).collect::<Vec<_>>(), "each pair is sent once");
    assert_eq!(
        state.standing.as_ref().expect("a standing").standing,
        state.ended[0].standing,
        "the last standing is sent"
    );
    let mut late = session.watch();
    let (mut of_late, mut of_asleep) = (State::default(), State::default());
    late.by_ref().for_each(|event| of_late.apply(&event));
    asleep.by_ref().for_each(|event| of_asleep.apply(&event));
    for other in [of_late, of_asleep] {
        assert_eq!(other.ended.len(), 1);
        assert_eq!((other.path, other.finished), (state.path.clone(), Some(None)));
    }
    assert_eq!(outcome(&session.wait().expect("played")), undisturbed(fixed(600)));
}

#[test]
fn what_cannot_start_leaves_nothing_and_says_who_can_mend_it() {
    let folder = TempDir::new().expect("a folder");
    let text = "game = 'chess'\n[match]\npairs = 3\n[each]\nlimit = '9 nodes'\ncmd = 'false'\n[[entrant]]\nname = \
        'a'\n[[entrant]]\nname = 'b'\n";
    let run = load(text, "test", "test", &[], Job::Match, Disk).expect("valid");
    let session = Session::create(run, Threads::new(), &place(&folder, 1));
    let last = session.watch().last();
    assert!(matches!(last, Some(Event::Finished { failure: Some(_) })), "{last:?}");
    let error = session.wait().expect_err("no engine");
    assert!(matches!(error, SessionError::Unready { .. }), "{error}");
    assert_eq!((error.blame(), std::fs::read_dir(folder.path()).expect("readable").count()), (Blame::User, 0));
}

#[test]
fn a_session_that_is_dropped_stops_and_can_be_resumed() {
    let folder = TempDir::new().expect("a folder");
    let session = Session::create(fixed(100_000), Threads::new(), &place(&folder, 2));
    let mut watcher = session.watch();
    let started = watcher.find_map(|event| if let Event::Started(path) = event { Some(path) } else { None });
    assert!(watcher.any(|event| matches!(event, Event::Committed(_))));
    drop(session);
    let journal = RunFolder::open_journal(&started.expect("a folder")).expect("a journal");
    assert!((1..100_000).contains(&journal.stored_pairs().expect("readable")));
}

/// Plays a ladder as far as set.
fn climb_by(ladder: Ladder, executors: impl Executors + 'static, folder: &TempDir, script: &[When]) -> LadderState {
    let session = Session::start(executors, &place(folder, 2), move |runner| work::ladder(runner, &ladder));
    steer(&session, script);
    session.answer().expect("rated")
}

#[test]
#[ignore = "slow"]
fn a_ladder_is_played_as_far_as_needed_and_rated_over_all_its_runs() {
    let folder = TempDir::new().expect("a folder");
    let ladder = |further: Further| Ladder { further, ..Ladder::new(ladder_plan(), Sources::at(".")) };
    let climb = |further: Further| climb_by(ladder(further), Threads::new(), &folder, &[]);
    let none = climb(Further::Nothing);
    assert_eq!((none.runs.len(), none.pairs, none.finish), (0, 0, None));
    let stop = [When::Committed(1, Command::Stop)];
    let stopped = climb_by(ladder(Further::Needed), Gated::new(), &folder, &stop);
    assert_eq!((stopped.runs.len(), stopped.finish), (1, Some(Finish::Stopped)));
    assert!((1..300).contains(&stopped.pairs), "{}", stopped.pairs);
    let whole = climb(Further::Needed);
    assert_eq!((whole.pairs, whole.finish), (300, Some(Finish::Verdict(Verdict::Complete))));
    assert_eq!(whole.runs, stopped.runs, "the same run went on");
    let enough = climb(Further::Needed);
    assert_eq!((enough.pairs, enough.finish), (300, None));
    assert_eq!(enough.rated, whole.rated);
    let more = climb(Further::Always);
    assert_eq!((more.runs.len(), more.pairs), (2, 600));
}

/// A scaling with settings for its only entrant, which its runs do not have, and for its limit of pairs.
fn scaling(pairs: u32) -> Ladder {
    let text = "[scaling]\nlimits = ['40 nodes', '80 nodes']\npairs = 9\n[each]\ntable = '64 KiB'\n[[entrant]]\nname = \
        'engine'\n";
    let settings = ["entrant.engine.params.futility=false".to_owned(), format!("scaling.pairs={pairs}")];
    let plan = RunPlan::read(text, "test", "test", &settings, Some(Job::Ladder), Disk).expect("valid");
    Ladder::of_levels(plan.scaling().expect("levels"), Sources::at("."))
}

#[test]
fn a_stopped_scaling_goes_on_with_its_settings_and_up_to_the_limit_that_it_has_now() {
    let folder = TempDir::new().expect("a folder");
    let stopped = climb_by(scaling(60), Gated::new(), &folder, &[When::Committed(1, Command::Stop)]);
    assert_eq!((stopped.runs.len(), stopped.finish), (1, Some(Finish::Stopped)));
    let whole = climb_by(scaling(70), Threads::new(), &folder, &[]);
    assert_eq!((whole.pairs, whole.finish), (70, Some(Finish::Verdict(Verdict::Complete))));
    assert_eq!(whole.runs, stopped.runs, "the same run went on");
}

/// Makes a repository with one commit.
fn repository(folder: &TempDir) -> Sources {
    let path = folder.path().join("repository");
    let commit = ["commit", "--quiet", "--allow-empty", "--message", "Nothing yet"];
    let name = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false"];
    for arguments in [["init", "--quiet"].to_vec(), [&name[..], &commit].concat()] {
        std::fs::create_dir_all(&path).expect("a folder");
        let done = std::process::Command::new("git").arg("-C").arg(&path).args(arguments).status();
        assert!(done.expect("git starts").success());
    }
    Sources { cache: Some(folder.path().join("cache")), ..Sources::at(path) }
}

#[test]
fn a_build_and_the_wait_for_another_end_when_they_are_stopped() {
    let folder = TempDir::new().expect("a folder");
    let sources = repository(&folder);
    let place = Place::at(folder.path().join("runs"));
    let start = || {
        let text = "[build]\ncommand = 'sleep 600'\nbinary = 'engine'\n[sprt]\nelo0 = 0\nelo1 = 10\n";
        let plan = RunPlan::read(text, "test", "test", &[], Some(Job::Sprt), Disk).expect("valid");
        let (base, dev) = (Base::Revision("HEAD".to_owned()), "HEAD".to_owned());
        let patch = Patch { plan, sources: sources.clone(), base, dev, allow_identical: true };
        Session::start(Threads::new(), &place, move |runner| work::patch(runner, &patch))
    };
    let is_told = |session: &Session<_>, of: fn(&BuildEvent) -> bool| {
        session.watch().any(|event| matches!(event, Event::Build(news) if of(&news)))
    };
    let builds = start();
    assert!(is_told(&builds, |news| matches!(news, BuildEvent::Building(_))));
    let waits = start();
    assert!(is_told(&waits, |news| matches!(news, BuildEvent::Waiting(_))));
    let outcome = waits.state().build.clone();
    let waiting =
        matches!(outcome.as_deref(), Some(BuildEvent::Waiting(_) | BuildEvent::Working { step: Step::Waiting, .. }));
    assert!(waiting, "for those who come late: {outcome:?}");
    for session in [waits, builds] {
        session.send(Command::Stop);
        let error = session.answer().expect_err("nothing was built");
        assert!(matches!(error, SessionError::Build(BuildError::Interrupted)), "{error:?}");
        assert_eq!(error.blame(), Blame::Nobody);
    }
    assert!(!place.runs.exists(), "nothing was begun");
}

#[test]
fn games_are_seen_as_they_are_played_and_nothing_is_left_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = Session::create(fixed(1_000_000), Threads::new(), &place(&folder, 2));
    let path = session.watch().find_map(|event| if let Event::Started(path) = event { Some(path) } else { None });
    let path = path.expect("it starts");
    let deadline = Instant::now() + Duration::from_mins(10);
    let mut seen = Vec::new();
    while seen.len() < 6 {
        assert!(Instant::now() < deadline, "{} games were seen", seen.len());
        let now = look(&path).expect("a folder that can be written to").unwrap_or_default();
        assert!(now.tables.len() <= 2, "one for each worker");
        for game in now.tables.into_iter().flatten().filter(|game| !game.moves.is_empty()) {
            if seen.iter().all(|other: &LiveGame| (other.pair, other.game) != (game.pair, game.game)) {
                seen.push(game);
            }
        }
        std::thread::yield_now();
    }
    session.send(Command::Stop);
    let state = session.wait().expect("stopped");
    assert_eq!(look_for_traces(&path), Vec::<String>::new());

    let rows = rows(state.ended.last().expect("a run"));
    let stored = |pair: u64| rows.iter().find(|(_, result)| result.pair == pair);
    let mut compared = 0;
    for game in &seen {
        let Some((_, result)) = stored(game.pair) else { continue };
        compared += 1;
        assert_eq!(game.opening, result.opening);
        assert!(result.games[game.game].moves.starts_with(&game.moves));
        assert_eq!(game.track.len(), game.moves.len());
        assert_eq!(game.side_of_first_seat == Side::First, result.sides.seat(game.game, Side::First) == 0);
        assert!(game.entrants.contains(&"a".to_owned()) && game.entrants.contains(&"b".to_owned()));
    }
    assert!(compared >= 3, "of {} games that were seen, {compared} are in the journal", seen.len());
}

/// Returns the files that watching has left in a run's folder.
fn look_for_traces(path: &Path) -> Vec<String> {
    let files = std::fs::read_dir(path).expect("a folder").map(|file| file.expect("a file").file_name());
    let names = files.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("live") || name.starts_with("watched")).collect()
}
