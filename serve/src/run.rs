//! One run as the server knows it: a summary that is kept up to date, and on request its report and its games.

use crate::live::Live;
use crate::row;
use arena::run::{Check, GameName, Header, JournalReader, RunFolder, Series};
use plan::jobs;
use play::games::GameKind;
use reports::{Report, ReportError, StandingReader, Timekeeper};
use serde_json::{Value, json};
use session::{PageOfRun, SessionError};
use std::collections::VecDeque;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The report of a running run is refreshed at the earliest after so long, and after so many times the time that it
/// took.
const REPORT_AFTER: Duration = Duration::from_secs(10);
const REPORT_RARITY: u32 = 30;
/// The time left is refreshed at the earliest after so long.
const LEFT_EVERY: Duration = Duration::from_secs(5);
/// The speed is that of this many last seconds.
const SPEED_OVER: Duration = Duration::from_secs(30);

/// Whether a run will change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its pairs are read for the first time; whether it will change is not known yet.
    Reading,
    /// As [`session::Progress`] has it.
    Known(session::Progress),
}

impl State {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Known(progress) => progress.name(),
        }
    }
}

/// What tells that a journal may hold something new: its files by their lengths, times and numbers.
type Fingerprint = [Option<FileMark>; 2];

/// A file as it was. One that was put in its place has another number, whatever its length and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileMark {
    length: u64,
    modified: SystemTime,
    /// The device, the number on it and when that was changed last.
    place: [u64; 4],
}

/// How fast a watched run progresses.
#[derive(Default)]
pub(crate) struct Pace {
    pub(crate) keeper: Timekeeper,
    /// When this many pairs were taken in.
    marks: VecDeque<(Instant, u64)>,
}

impl Pace {
    fn note(&mut self, now: Instant, since: Instant, pairs: u64) {
        self.keeper.note(now.duration_since(since), pairs);
        self.marks.push_back((now, pairs));
        while self.marks.len() > 2 && self.marks.get(1).is_some_and(|(at, _)| now.duration_since(*at) >= SPEED_OVER) {
            self.marks.pop_front();
        }
    }

    /// Pairs a second of late; `None` if it was not watched for long enough.
    pub(crate) fn speed(&self) -> Option<f64> {
        let ((first, few), (last, many)) = (self.marks.front()?, self.marks.back()?);
        let seconds = last.duration_since(*first).as_secs_f64();
        (seconds >= 1.0 && many > few).then(|| (many - few) as f64 / seconds)
    }
}

/// The time left of a running run, which takes longer to compute than all else together.
#[derive(Default)]
struct Left {
    text: Option<(Instant, Option<String>)>,
}

impl Left {
    /// Keeps a recent value, or else takes a new one from `estimate`.
    fn refresh(&mut self, estimate: impl FnOnce() -> Option<String>) {
        if self.text.as_ref().is_none_or(|(at, text)| text.is_none() || at.elapsed() >= LEFT_EVERY) {
            self.text = Some((Instant::now(), estimate()));
        }
    }
}

/// What is known of a run.
pub(crate) struct Known {
    pub(crate) standing_reader: StandingReader,
    pub(crate) pace: Pace,
    pub(crate) state: State,
    left: Left,
    /// Whether this server plays it and begins no further pair.
    pub(crate) paused: bool,
    /// Since when it is watched.
    since: Instant,
    /// Another number each time that the folder turns out to hold another run, or this one with another pair limit.
    pub(crate) edition: u64,
    fingerprint: Fingerprint,
}

impl Known {
    /// Its pairs a second: recent ones while it runs and is watched, else of all time; `None` while it is paused.
    pub(crate) fn speed(&self) -> Option<f64> {
        if self.paused {
            return None;
        }
        let elapsed = self.standing_reader.elapsed();
        let average = (!elapsed.is_zero()).then(|| self.standing_reader.pairs() as f64 / elapsed.as_secs_f64());
        self.pace.speed().or(average)
    }

    /// The time left in words, if it runs and that is known.
    pub(crate) fn left(&self) -> Option<&str> {
        self.left.text.as_ref()?.1.as_deref()
    }
}

/// A run that was opened, or why it could not be.
enum Looked {
    Known(Box<Known>),
    Unreadable { why: String, fingerprint: Fingerprint },
}

struct Reporting {
    page: PageOfRun,
    made: Option<Made>,
}

struct Made {
    report: Arc<Report>,
    pairs: u64,
    at: Instant,
    took: Duration,
}

/// One run.
pub(crate) struct Run {
    pub(crate) name: Arc<str>,
    path: PathBuf,
    looked: Mutex<Option<Looked>>,
    /// Where it stands, as JSON; empty before the first look.
    row: Mutex<Arc<str>>,
    /// Its details, and the row that they belong to: made once for all watchers.
    details: Mutex<Option<[Arc<str>; 2]>>,
    reporting: Mutex<Option<Reporting>>,
    live: Live,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Run {
    pub(crate) fn new(name: Arc<str>, path: PathBuf) -> Self {
        Self {
            name,
            path,
            looked: Mutex::default(),
            row: Mutex::new("".into()),
            details: Mutex::default(),
            reporting: Mutex::default(),
            live: Live::default(),
        }
    }

    /// Its folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a process works on it just now.
    pub(crate) fn is_worked_on(&self) -> bool {
        RunFolder::is_worked_on(&self.path)
    }

    /// Whether it has its verdict or was stopped for faults, at the last look.
    pub(crate) fn is_over(&self) -> bool {
        let over = [session::Progress::Finished, session::Progress::Faulty].map(State::Known);
        matches!(&*locked(&self.looked), Some(Looked::Known(known)) if over.contains(&known.state))
    }

    /// Whether anything was written to it since.
    pub(crate) fn changed_since(&self, since: SystemTime) -> bool {
        fingerprint_of(&self.path).iter().flatten().any(|file| file.modified >= since)
    }

    /// Where it stands, as JSON; `None` before the first look.
    pub(crate) fn row(&self) -> Option<Arc<str>> {
        let row = Arc::clone(&locked(&self.row));
        (!row.is_empty()).then_some(row)
    }

    /// Whether there is something to look for, now that it is `paused` or not. Cheap: no journal is opened.
    pub(crate) fn may_be_new(&self, paused: bool) -> bool {
        match &*locked(&self.looked) {
            None => true,
            Some(Looked::Unreadable { fingerprint, .. }) => *fingerprint != fingerprint_of(&self.path),
            Some(Looked::Known(known)) => {
                known.state == State::Reading
                    || known.fingerprint != fingerprint_of(&self.path)
                    || known.paused != paused
                    || known.standing_reader.verdict().is_none()
                        && known.state != State::Known(progress(&known.standing_reader))
            }
        }
    }

    /// Takes in at most so many pairs of a run that is `paused` or not. Returns its row if that has changed, and
    /// whether there is more to read.
    pub(crate) fn look(&self, most: u64, paused: bool) -> (Option<Arc<str>>, bool) {
        let mut looked = locked(&self.looked);
        let (next, is_more) = match looked.take() {
            Some(Looked::Known(known)) => look_again(known, &self.path, most, paused),
            _ => (first_look(&self.path), true),
        };
        let row = match &next {
            Looked::Known(known) => row::row(&self.name, known),
            Looked::Unreadable { why, .. } => row::unreadable(&self.name, why),
        };
        let is_more = is_more && matches!(next, Looked::Known(_));
        *looked = Some(next);
        drop(looked);
        let text: Arc<str> = row.to_string().into();
        let mut row = locked(&self.row);
        let is_new = *row != text;
        *row = Arc::clone(&text);
        (is_new.then_some(text), is_more)
    }

    /// A part of the data of the run. A run that was not opened yet is opened, and so is one that could not be read and
    /// has changed since.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn known<T>(&self, of: impl FnOnce(&Known) -> T) -> Result<T, String> {
        let mut looked = locked(&self.looked);
        if let Some(Looked::Unreadable { fingerprint, .. }) = &*looked
            && *fingerprint != fingerprint_of(&self.path)
        {
            *looked = None;
        }
        match looked.get_or_insert_with(|| first_look(&self.path)) {
            Looked::Known(known) => Ok(of(known)),
            Looked::Unreadable { why, .. } => Err(why.clone()),
        }
    }

    /// All its numbers.
    pub(crate) fn detail(&self) -> Result<Value, String> {
        self.known(|known| row::detail(&self.name, known))
    }

    /// The same as text.
    pub(crate) fn to_json(&self) -> Result<Arc<str>, String> {
        let row = Arc::clone(&locked(&self.row));
        if let Some([_, details]) = locked(&self.details).as_ref().filter(|[of, _]| Arc::ptr_eq(of, &row)) {
            return Ok(Arc::clone(details));
        }
        let details: Arc<str> = self.detail()?.to_string().into();
        *locked(&self.details) = Some([row, Arc::clone(&details)]);
        Ok(details)
    }

    /// Where the run began and how it came to stand where it does.
    pub(crate) fn series(&self) -> Result<Value, String> {
        let (pairs, series): (u64, Vec<Series>) =
            self.known(|known| (known.standing_reader.pairs(), known.standing_reader.series()))?;
        let points = |series: &Series| {
            let point = |p: &arena::run::Point| json!([p.x, p.y, p.low, p.high]);
            json!({ "name": series.name, "points": series.points.iter().map(point).collect::<Vec<_>>() })
        };
        Ok(json!({ "units": pairs, "series": series.iter().map(points).collect::<Vec<_>>() }))
    }

    /// How many of its pairs count, and their games can be looked at; while it is first read, all that there are.
    pub(crate) fn counted(&self) -> Result<u64, String> {
        self.known(|known| {
            if known.state == State::Reading { known.standing_reader.end() } else { known.standing_reader.pairs() }
        })
    }

    /// Its journal and its identity.
    pub(crate) fn journal(&self) -> Result<(JournalReader, Header), SessionError> {
        let journal = RunFolder::open_journal(&self.path)?;
        let header = journal.header().map_err(arena::run::FolderError::from)?;
        Ok((journal, header))
    }

    /// A game of it, ready to be stepped through; `None` if there is none of that name that can be shown.
    pub(crate) fn game(&self, name: GameName) -> Result<Option<reports::replay::Replay>, SessionError> {
        let (journal, header) = self.journal()?;
        let stored = journal.result(name.pair).map_err(arena::run::FolderError::from)?;
        Ok(stored.and_then(|stored| reports::replay::replay(&header, &stored, name.game)))
    }

    /// Its games as they are played, as [`Live::to_json`]; or the reason why there are none, which is not an error.
    pub(crate) fn live(&self, table: usize, seen: Option<u64>) -> Value {
        let live = self.played_here().and_then(|kind| self.live.to_json(&self.path, kind, table, seen));
        live.unwrap_or_else(|why| json!({ "number": 0, "tables": [], "clocks": null, "game": null, "why": why }))
    }

    /// What is played, if this machine plays it just now.
    fn played_here(&self) -> Result<GameKind, String> {
        if !self.is_worked_on() {
            return Err("it is not being played".to_owned());
        }
        let (kind, is_elsewhere) = self.known(|known| {
            let last = known.standing_reader.sessions().last();
            (known.standing_reader.header().config.game, last.is_some_and(|last| last.session.concurrency == 0))
        })?;
        if is_elsewhere {
            return Err("other machines play it: its games are seen when they have ended".to_owned());
        }
        Ok(kind)
    }

    /// Its report: a recent one if the run is not over, unless it must be `fresh`.
    pub(crate) fn report(&self, fresh: bool) -> Result<Arc<Report>, SessionError> {
        let pairs = self.known(|known| (known.standing_reader.pairs(), known.state)).ok();
        let mut reporting = locked(&self.reporting);
        let same = reporting.as_ref().filter(|reporting| reporting.page.is_the_same().unwrap_or(false));
        if let Some(made) = same.and_then(|reporting| reporting.made.as_ref()) {
            let is_recent = made.at.elapsed() < REPORT_AFTER.max(made.took * REPORT_RARITY);
            let is_same = pairs.is_some_and(|(pairs, _)| pairs == made.pairs);
            let goes_on = pairs.is_some_and(|(_, state)| state == State::Known(session::Progress::Running));
            if is_same || is_recent && goes_on && !fresh {
                return Ok(Arc::clone(&made.report));
            }
        }
        let started = Instant::now();
        let mut page = match reporting.take() {
            Some(reporting) => reporting.page,
            None => PageOfRun::open(&self.path, Check::Trust)?,
        };
        let report = Arc::new(page.report()?);
        let (pairs, at) = (report.numbers.units, Instant::now());
        let made = Made { report: Arc::clone(&report), pairs, at, took: started.elapsed() };
        *reporting = Some(Reporting { page, made: Some(made) });
        Ok(report)
    }

    /// Forgets its report, which is large.
    pub(crate) fn forget_report(&self) {
        *locked(&self.reporting) = None;
    }
}

/// A number that no run had before, in this server or, going by the clock, in an earlier one.
fn next_edition() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let now = session::unix_ms().unsigned_abs();
    let next = |last: u64| Some(now.max(last + 1));
    LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).map_or(now, |last| now.max(last + 1))
}

/// Opens a run; none of its pairs are read.
fn first_look(path: &Path) -> Looked {
    let fingerprint = fingerprint_of(path);
    let standing_reader = StandingReader::open(path, |run| jobs::experiment(run).map_err(SessionError::from));
    match standing_reader {
        Ok(standing_reader) => {
            let (pace, since, edition) = (Pace::default(), Instant::now(), next_edition());
            Looked::Known(Box::new(Known {
                standing_reader,
                pace,
                state: State::Reading,
                left: Left::default(),
                paused: false,
                since,
                edition,
                fingerprint,
            }))
        }
        Err(error) => Looked::Unreadable { why: error.to_string(), fingerprint },
    }
}

fn look_again(mut known: Box<Known>, path: &Path, most: u64, paused: bool) -> (Looked, bool) {
    // Before the journal is read: what is written meanwhile is looked for again.
    let fingerprint = fingerprint_of(path);
    match known.standing_reader.refresh(most) {
        Ok(new) => {
            known.fingerprint = fingerprint;
            let is_more = new == most
                && known.standing_reader.verdict().is_none()
                && known.standing_reader.pairs() < known.standing_reader.end();
            if is_more && known.state == State::Reading {
                return (Looked::Known(known), true);
            }
            (known.state, known.paused) = (State::Known(progress(&known.standing_reader)), paused);
            if known.state == State::Known(session::Progress::Running) && !paused {
                let (since, pairs) = (known.since, known.standing_reader.pairs());
                known.pace.note(Instant::now(), since, pairs);
                let speed = known.speed();
                let Known { standing_reader, pace, left, .. } = &mut *known;
                left.refresh(|| pace.keeper.left(&standing_reader.header().config, &standing_reader.standing(), speed));
            } else {
                (known.pace, known.left) = (Pace::default(), Left::default());
            }
            (Looked::Known(known), is_more)
        }
        Err(ReportError::Changed { .. }) => (first_look(path), true),
        Err(error) => (Looked::Unreadable { why: error.to_string(), fingerprint }, false),
    }
}

fn progress(standing_reader: &StandingReader) -> session::Progress {
    match standing_reader.verdict() {
        Some(_) => session::Progress::Finished,
        None if standing_reader.too_faulty().is_some() => session::Progress::Faulty,
        None if RunFolder::is_worked_on(standing_reader.path()) => session::Progress::Running,
        None => session::Progress::Interrupted,
    }
}

fn fingerprint_of(path: &Path) -> Fingerprint {
    let of = |name: &str| {
        let metadata = std::fs::metadata(path.join(name)).ok()?;
        Some(FileMark { length: metadata.len(), modified: metadata.modified().ok()?, place: place_of(&metadata) })
    };
    [of(arena::run::JOURNAL), of(&format!("{}-wal", arena::run::JOURNAL))]
}

fn place_of(metadata: &std::fs::Metadata) -> [u64; 4] {
    [metadata.dev(), metadata.ino(), metadata.ctime().cast_unsigned(), metadata.ctime_nsec().cast_unsigned()]
}
