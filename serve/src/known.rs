//! A run's summary, which is kept up to date with its journal.

use arena::run::RunFolder;
use plan::jobs;
use reports::{ReportError, StandingReader, Timekeeper};
use session::SessionError;
use std::collections::VecDeque;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// The shortest interval between estimates of the time left.
const LEFT_EVERY: Duration = Duration::from_secs(5);
/// The period over which the speed is measured.
const SPEED_OVER: Duration = Duration::from_secs(30);

/// Whether a run will change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its pairs are being read for the first time; whether it will change is not known yet.
    Reading,
    /// The progress, as in [`session::Progress`].
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

/// Shows whether a journal may have changed: its files with their sizes, times and inodes.
pub(crate) type Fingerprint = [Option<FileMark>; 2];

/// A file's state. A file that replaced it has another inode, whatever its size and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileMark {
    length: u64,
    pub(crate) modified: SystemTime,
    /// The device, the inode, and the time of its last change in seconds and nanoseconds.
    place: [u64; 4],
}

/// The speed of a watched run.
#[derive(Default)]
pub(crate) struct Pace {
    pub(crate) keeper: Timekeeper,
    /// The time at which each number of pairs was read.
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

    /// Returns the recent speed in pairs per second; `None` if the run was not watched for long enough.
    pub(crate) fn speed(&self) -> Option<f64> {
        let ((first, few), (last, many)) = (self.marks.front()?, self.marks.back()?);
        let seconds = last.duration_since(*first).as_secs_f64();
        (seconds >= 1.0 && many > few).then(|| (many - few) as f64 / seconds)
    }
}

/// The time left of a running run, which takes longer to compute than all the rest.
#[derive(Default)]
struct Left {
    text: Option<(Instant, Option<String>)>,
}

impl Left {
    /// Keeps a recent value, or takes a new one from `estimate`.
    fn refresh(&mut self, estimate: impl FnOnce() -> Option<String>) {
        if self.text.as_ref().is_none_or(|(at, text)| text.is_none() || at.elapsed() >= LEFT_EVERY) {
            self.text = Some((Instant::now(), estimate()));
        }
    }
}

/// The known data of a run.
pub(crate) struct Known {
    pub(crate) standing_reader: StandingReader,
    pub(crate) pace: Pace,
    pub(crate) state: State,
    left: Left,
    /// Whether this server plays the run and has paused it.
    pub(crate) paused: bool,
    /// Since when the run is watched.
    since: Instant,
    /// Changes each time that the folder turns out to hold another run, or this one with another pair limit.
    pub(crate) edition: u64,
    pub(crate) fingerprint: Fingerprint,
}

impl Known {
    /// Returns the pairs per second: recent ones while the run is watched and plays, otherwise of all time; `None`
    /// while it is paused.
    pub(crate) fn speed(&self) -> Option<f64> {
        if self.paused {
            return None;
        }
        let elapsed = self.standing_reader.elapsed();
        let average = (!elapsed.is_zero()).then(|| self.standing_reader.pairs() as f64 / elapsed.as_secs_f64());
        self.pace.speed().or(average)
    }

    /// Returns the time left in words, if the run plays and the time is known.
    pub(crate) fn left(&self) -> Option<&str> {
        self.left.text.as_ref()?.1.as_deref()
    }
}

/// A run that was opened, or why it could not be.
pub(crate) enum Looked {
    Known(Box<Known>),
    Unreadable { why: String, fingerprint: Fingerprint },
}

/// Returns a number that no run had before, in this server or, going by the clock, in an earlier one.
fn next_edition() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let now = session::unix_ms().unsigned_abs();
    let next = |last: u64| Some(now.max(last + 1));
    LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).map_or(now, |last| now.max(last + 1))
}

/// Opens a run without reading its pairs.
pub(crate) fn first_look(path: &Path) -> Looked {
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

pub(crate) fn look_again(mut known: Box<Known>, path: &Path, most: u64, paused: bool) -> (Looked, bool) {
    // Checked before the journal is read: a later look finds what is written meanwhile, and a process that has released
    // the run has written its verdict.
    let (fingerprint, is_worked_on) = (fingerprint_of(path), RunFolder::is_worked_on(path));
    match known.standing_reader.refresh(most) {
        Ok(new) => {
            known.fingerprint = fingerprint;
            let is_more = new == most
                && known.standing_reader.verdict().is_none()
                && known.standing_reader.pairs() < known.standing_reader.end();
            if is_more && known.state == State::Reading {
                return (Looked::Known(known), true);
            }
            (known.state, known.paused) = (State::Known(progress(&known.standing_reader, is_worked_on)), paused);
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

/// Returns the progress of a run, given whether a process worked on it when its journal was read.
pub(crate) fn progress(standing_reader: &StandingReader, is_worked_on: bool) -> session::Progress {
    match standing_reader.verdict() {
        Some(_) => session::Progress::Finished,
        None if standing_reader.too_faulty().is_some() => session::Progress::Faulty,
        None if is_worked_on => session::Progress::Running,
        None => session::Progress::Interrupted,
    }
}

pub(crate) fn fingerprint_of(path: &Path) -> Fingerprint {
    let of = |name: &str| FileMark::of(&path.join(name));
    [of(arena::run::JOURNAL), of(&format!("{}-wal", arena::run::JOURNAL))]
}

impl FileMark {
    /// Returns the state of a file or folder; `None` if it cannot be read.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Self { length: metadata.len(), modified: metadata.modified().ok()?, place: place_of(&metadata) })
    }
}

fn place_of(metadata: &std::fs::Metadata) -> [u64; 4] {
    [metadata.dev(), metadata.ino(), metadata.ctime().cast_unsigned(), metadata.ctime_nsec().cast_unsigned()]
}
