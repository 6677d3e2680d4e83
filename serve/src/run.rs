//! A run as the server knows it: a summary that is kept up to date, and its report and games on request.

use crate::known::{Known, Looked, State, fingerprint_of, first_look, look_again, progress};
use crate::live::Live;
use crate::row;
use arena::run::{Check, GameName, Header, JournalReader, RunFolder, Series};
use play::games::GameKind;
use reports::Report;
use reports::replay::has_signs;
use serde_json::{Value, json};
use session::{PageOfRun, SessionError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The report of a running run is refreshed after this long, and this many times the time that it took, at the
/// earliest.
const REPORT_AFTER: Duration = Duration::from_secs(10);
const REPORT_RARITY: u32 = 30;
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
    /// The run's row, as JSON; empty before the first look.
    row: Mutex<Arc<str>>,
    /// The run's details, and the row that they belong to: made once for all watchers.
    details: Mutex<Option<[Arc<str>; 2]>>,
    reporting: Mutex<Option<Reporting>>,
    live: Live,
    /// Who started the run here, and whether a row has been made since that is known.
    started_by: Mutex<(Option<String>, bool)>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Run {
    pub(crate) fn new(name: Arc<str>, path: PathBuf, started_by: Option<String>) -> Self {
        Self {
            name,
            path,
            looked: Mutex::default(),
            row: Mutex::new("".into()),
            details: Mutex::default(),
            reporting: Mutex::default(),
            live: Live::default(),
            started_by: Mutex::new((started_by, false)),
        }
    }

    /// Sets who started the run.
    pub(crate) fn start_by(&self, person: Option<String>) {
        let mut known = locked(&self.started_by);
        if known.0 != person {
            *known = (person, false);
        }
    }

    /// Adds who started the run to its row or details.
    fn with_starter(&self, mut value: Value) -> Value {
        value["started_by"] = json!(locked(&self.started_by).0);
        value
    }

    /// Returns the run's folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a process works on the run now.
    pub(crate) fn is_worked_on(&self) -> bool {
        RunFolder::is_worked_on(&self.path)
    }

    /// Whether the run had its verdict or was stopped for faults at the last look.
    pub(crate) fn is_over(&self) -> bool {
        let over = [session::Progress::Finished, session::Progress::Faulty].map(State::Known);
        matches!(&*locked(&self.looked), Some(Looked::Known(known)) if over.contains(&known.state))
    }

    /// Whether the run was written to since this time.
    pub(crate) fn changed_since(&self, since: SystemTime) -> bool {
        fingerprint_of(&self.path).iter().flatten().any(|file| file.modified >= since)
    }

    /// Returns the run's row, as JSON; `None` before the first look.
    pub(crate) fn row(&self) -> Option<Arc<str>> {
        let row = Arc::clone(&locked(&self.row));
        (!row.is_empty()).then_some(row)
    }

    /// Whether a look may find something new, given whether the run is `paused`. Cheap: no journal is opened.
    pub(crate) fn may_be_new(&self, paused: bool) -> bool {
        if !locked(&self.started_by).1 {
            return true;
        }
        match &*locked(&self.looked) {
            None => true,
            Some(Looked::Unreadable { fingerprint, .. }) => *fingerprint != fingerprint_of(&self.path),
            Some(Looked::Known(known)) => {
                known.state == State::Reading
                    || known.fingerprint != fingerprint_of(&self.path)
                    || known.paused != paused
                    || known.standing_reader.verdict().is_none()
                        && known.state != State::Known(progress(&known.standing_reader, self.is_worked_on()))
            }
        }
    }

    /// Reads at most this many pairs of a run that is `paused` or not. Returns its row if that has changed, and whether
    /// there is more to read.
    pub(crate) fn look(&self, most: u64, paused: bool) -> (Option<Arc<str>>, bool) {
        locked(&self.started_by).1 = true;
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
        let text: Arc<str> = self.with_starter(row).to_string().into();
        let mut row = locked(&self.row);
        let is_new = *row != text;
        *row = Arc::clone(&text);
        (is_new.then_some(text), is_more)
    }

    /// Returns a part of the run's data. Opens the run if it was not opened yet, or could not be read and has changed
    /// since.
    ///
    /// # Errors
    /// The reason why it cannot be read.
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

    /// Returns all numbers of the run.
    pub(crate) fn detail(&self) -> Result<Value, String> {
        self.known(|known| row::detail(&self.name, known)).map(|detail| self.with_starter(detail))
    }

    /// Returns all numbers of the run, as text.
    pub(crate) fn to_json(&self) -> Result<Arc<str>, String> {
        let row = Arc::clone(&locked(&self.row));
        if let Some([_, details]) = locked(&self.details).as_ref().filter(|[of, _]| Arc::ptr_eq(of, &row)) {
            return Ok(Arc::clone(details));
        }
        let details: Arc<str> = self.detail()?.to_string().into();
        *locked(&self.details) = Some([row, Arc::clone(&details)]);
        Ok(details)
    }

    /// Returns the course of the run from its start to its present standing.
    pub(crate) fn series(&self) -> Result<Value, String> {
        let (pairs, series): (u64, Vec<Series>) =
            self.known(|known| (known.standing_reader.pairs(), known.standing_reader.series()))?;
        let points = |series: &Series| {
            let point = |p: &arena::run::Point| json!([p.x, p.y, p.low, p.high]);
            json!({ "name": series.name, "points": series.points.iter().map(point).collect::<Vec<_>>() })
        };
        Ok(json!({ "units": pairs, "series": series.iter().map(points).collect::<Vec<_>>() }))
    }

    /// Returns how many of its pairs count and have games to look at; while the run is first read, all that the journal
    /// has.
    pub(crate) fn counted(&self) -> Result<u64, String> {
        self.known(|known| {
            if known.state == State::Reading { known.standing_reader.end() } else { known.standing_reader.pairs() }
        })
    }

    /// Returns its journal and its header.
    pub(crate) fn journal(&self) -> Result<(JournalReader, Header), SessionError> {
        let journal = RunFolder::open_journal(&self.path)?;
        let header = journal.header().map_err(arena::run::FolderError::from)?;
        Ok((journal, header))
    }

    /// Returns a game, ready for replay; `None` if there is none of that name, or it cannot be shown.
    pub(crate) fn game(&self, name: GameName) -> Result<Option<reports::replay::Replay>, SessionError> {
        let (journal, header) = self.journal()?;
        let stored = journal.result(name.pair).map_err(arena::run::FolderError::from)?;
        Ok(stored.and_then(|stored| reports::replay::replay(&header, &stored, name.game)))
    }

    /// Returns the games in progress, as [`Live::to_json`]; or the reason why there are none, which is not an error.
    pub(crate) fn live(&self, table: usize, seen: Option<u64>) -> Value {
        let live = self.played_here().and_then(|game| self.live.to_json(&self.path, game, table, seen));
        live.unwrap_or_else(|why| json!({ "number": 0, "tables": [], "clocks": null, "game": null, "why": why }))
    }

    /// Returns the kind of game and whether signs tell its seats apart, if this machine plays the run now.
    fn played_here(&self) -> Result<(GameKind, bool), String> {
        if !self.is_worked_on() {
            return Err("it is not being played".to_owned());
        }
        let (game, is_elsewhere) = self.known(|known| {
            let last = known.standing_reader.sessions().last();
            let header = known.standing_reader.header();
            ((header.config.game, has_signs(header)), last.is_some_and(|last| last.session.concurrency == 0))
        })?;
        if is_elsewhere {
            return Err("other machines play it: its games are seen when they have ended".to_owned());
        }
        Ok(game)
    }

    /// Returns the report: a recent one if the run is not over, unless it must be `fresh`.
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

    /// Drops the report, which is large.
    pub(crate) fn forget_report(&self) {
        *locked(&self.reporting) = None;
    }
}
