//! Works on runs: makes or opens them, plays them, and closes them, one after another, in the session's own thread.

use crate::builds::BuildEvent;
use crate::error::{FaultyRun, Left, SessionError};
use crate::event::{Event, FaultEvent, Phase, Planned};
use crate::executors::{Call, Executors, cores};
use crate::hub::Hub;
use crate::messages::Messages;
use crate::outcome::Outcome;
use crate::run_folder::{executables, folder_name, name_of, stored_text};
use crate::unsuited;
use crate::warning::Warning;
use crate::work::JobTable;
use crate::work::learn::record::Generation;
use crate::{faulty, host, limit, openings, speed};
use arena::config::{ExperimentConfig, HostScale, RunConfig, ScaleBy};
use arena::run::{
    Broadcast, Control, Driven, Executables, Experiment, Finish, Header, Journal, JournalError, JournalReader, News,
    RunError, RunFolder, Session, Snapshot, Standing, differences, drive, replay, replay_as, run_header,
};
use plan::{Disk, jobs};
use plan::{Loaded, load_stored};
use reports::text::grouped;
use reports::{Cut, ScaledOn};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tuner::Parameter;

/// The shortest time between two standings; one more follows at the end.
pub(crate) const TELL_EVERY: Duration = Duration::from_millis(50);

/// Works on the runs of a session.
pub struct SessionRunner {
    hub: Arc<Hub>,
    control: Arc<Control>,
    executors: Box<dyn Executors>,
    runs: PathBuf,
    concurrency: Option<NonZeroUsize>,
    /// The books that the job's earlier runs have warned about.
    small_books: BTreeSet<String>,
}

impl SessionRunner {
    pub(crate) fn new(
        hub: Arc<Hub>,
        control: Arc<Control>,
        executors: Box<dyn Executors>,
        runs: &Path,
        concurrency: Option<NonZeroUsize>,
    ) -> Self {
        Self { hub, control, executors, runs: runs.to_owned(), concurrency, small_books: BTreeSet::new() }
    }

    /// The folder for new runs.
    pub fn runs(&self) -> &Path {
        &self.runs
    }

    /// Whether the session was told to stop.
    pub fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// The flag that is set when the session is told to stop.
    pub fn stop_flag(&self) -> &AtomicBool {
        self.control.stop_flag()
    }

    /// Publishes an event of a build.
    pub fn tell(&self, news: BuildEvent) {
        self.hub.publish(Event::Build(Arc::new(news)));
    }

    /// Returns the channel for events and commands while something is computed.
    pub fn messages(&self) -> Messages<'_> {
        Messages { hub: &self.hub, control: &self.control }
    }

    /// Publishes the result of a generation.
    pub fn generation(&self, generation: Generation) {
        self.hub.publish(Event::Generation(Arc::new(generation)));
    }

    /// Publishes the folder of a job of several runs.
    pub fn begins_job(&self, folder: &Path) {
        self.hub.publish(Event::Job(folder.to_owned()));
    }

    /// Publishes a lasting fact about a job.
    pub fn note(&self, says: String) {
        self.hub.publish(Event::Note(says.into()));
    }

    /// Publishes the standing of a job; a later table replaces this one.
    pub fn table(&self, table: JobTable) {
        self.hub.publish(Event::Table(Arc::new(table)));
    }

    /// Publishes the beginning of a part of a job.
    pub fn phase(&self, name: &str, number: usize, of: usize) {
        self.hub.publish(Event::Phase(Phase { name: name.to_owned(), number, of }));
    }

    /// Publishes a warning.
    pub fn warn(&self, warning: Warning) {
        self.hub.publish(Event::Warning(warning));
    }

    /// The number of pairs of a run that are played at a time.
    fn workers(&self, loaded: &Loaded) -> NonZeroUsize {
        self.control.workers().or(self.concurrency).or(loaded.concurrency).unwrap_or_else(cores)
    }

    /// The same number as shown and stored: 0 if other machines play.
    fn workers_here(&self, loaded: &Loaded) -> usize {
        if self.executors.is_elsewhere(loaded) { 0 } else { self.workers(loaded).get() }
    }

    /// Makes a new run and plays it. Calls `made` with its folder before anything is played.
    ///
    /// # Errors
    /// [`SessionError`]; a run without any finished pair is removed again.
    pub fn begin(
        &mut self,
        loaded: &Loaded,
        made: &mut dyn FnMut(&Path) -> Result<(), SessionError>,
    ) -> Result<Arc<Outcome>, SessionError> {
        let runs = self.runs.clone();
        self.begin_in(&runs, loaded, made)
    }

    /// Makes a new run in another folder than usual, and plays it as [`begin`](Self::begin) does.
    ///
    /// # Errors
    /// [`SessionError`]; a run without any finished pair is removed again.
    pub fn begin_in(
        &mut self,
        runs: &Path,
        loaded: &Loaded,
        made: &mut dyn FnMut(&Path) -> Result<(), SessionError>,
    ) -> Result<Arc<Outcome>, SessionError> {
        let programs = Arc::new(executables(&loaded.run)?);
        let header = run_header(&loaded.run, &programs);
        self.plan(loaded);
        for note in &loaded.notes {
            self.warn(Warning::Tuned(note.clone()));
        }
        let here = self.here(loaded, &header, &programs)?;
        self.prepare(loaded, &here, &programs, Some(trials(loaded)))?;
        let (folder, journal) = RunFolder::create(runs, &folder_name(&loaded.run), &loaded.text, &header)?;
        made(folder.path()).inspect_err(|_| {
            folder.discard();
        })?;
        self.work(loaded, &here, &programs, Open { folder, journal })
    }

    /// Resumes the run in a folder. `settings` are `key=value` texts that override its stored configuration.
    ///
    /// # Errors
    /// [`SessionError`]; what was committed stays.
    pub fn resume(&mut self, path: &Path, settings: &[String]) -> Result<(Arc<Outcome>, Loaded), SessionError> {
        let (folder, reader) = RunFolder::enter(path)?;
        let header = reader.header()?;
        let loaded = stored(&folder, &reader, &header, settings)?;
        let programs = Arc::new(executables(&loaded.run)?);
        let now = run_header(&loaded.run, &programs);
        refuse_other_identity(path, &header, &now)?;
        refuse_fewer(path, &reader, &header, &now)?;
        if let Some(outcome) = self.finished(&loaded, &header, &reader, path)? {
            return Ok((outcome, loaded));
        }
        drop(reader);
        let mut journal = folder.journal()?;
        if now != header {
            folder.rewrite_config(&loaded.text)?;
            journal.keep_text(&loaded.text)?;
            journal.set_pair_limit(&now)?;
        }
        self.plan(&loaded);
        let here = self.here(&loaded, &now, &programs)?;
        self.prepare(&loaded, &here, &programs, None)?;
        let outcome = self.work(&loaded, &here, &programs, Open { folder, journal })?;
        Ok((outcome, loaded))
    }

    /// Returns the outcome of a run that has ended and whose end does not change under its new limits; `None` for all
    /// other runs. Writes nothing.
    fn finished(
        &self,
        loaded: &Loaded,
        header: &Header,
        journal: &JournalReader,
        path: &Path,
    ) -> Result<Option<Arc<Outcome>>, SessionError> {
        // Other machines may still have pairs to check.
        if self.executors.is_elsewhere(loaded) || !may_be_over(&loaded.run, journal.end()?) {
            return Ok(None);
        }
        let mut experiment = loaded.experiment.clone();
        let replayed = replay_as(experiment.as_mut(), &loaded.run, journal)?;
        let is_changed = loaded.run != header.config;
        let before = || replay(jobs::experiment(&header.config)?.as_mut(), journal).map_err(SessionError::from);
        if replayed.finish == Finish::Stopped || is_changed && before()?.finish != replayed.finish {
            return Ok(None);
        }
        self.plan(loaded);
        let outcome = Arc::new(outcome(&loaded.run, path, replayed.finish, experiment.standing(), journal)?);
        let faulty = faulty_run(&outcome, journal)?;
        self.hub.publish(Event::Ended(Arc::clone(&outcome)));
        faulty.map_or(Ok(Some(outcome)), |faulty| Err(SessionError::Faulty(Box::new(faulty))))
    }

    fn plan(&self, loaded: &Loaded) {
        let workers = self.workers_here(loaded);
        self.hub.publish(Event::Planned(Arc::new(Planned { config: loaded.run.clone(), workers })));
    }

    /// Returns the run as played on this host. This may measure the speed of the host; other machines measure their
    /// own.
    fn here(&self, loaded: &Loaded, header: &Header, programs: &Executables) -> Result<LocalRun, SessionError> {
        let is_measured_elsewhere =
            self.executors.is_elsewhere(loaded) && matches!(loaded.scale_by, Some(ScaleBy::Bench { .. }));
        let scale = if is_measured_elsewhere {
            None
        } else {
            speed::host_scale(loaded, programs, self.workers(loaded), self.stop_flag())?
        };
        let config = scale.map_or_else(|| loaded.run.clone(), |scale| loaded.run.scaled(scale.factor));
        if let Some(scale) = scale {
            self.warn(speed::warning(&loaded.run, scale));
        }
        Ok(LocalRun { header: Header { config, builds: header.builds.clone() }, scale })
    }

    fn prepare(
        &mut self,
        loaded: &Loaded,
        here: &LocalRun,
        programs: &Arc<Executables>,
        trials: Option<(Vec<String>, Vec<Vec<f64>>)>,
    ) -> Result<(), SessionError> {
        let workers = self.workers(loaded);
        let messages = Messages { hub: &self.hub, control: &self.control };
        let header = &here.header;
        let prepared = self.executors.prepare(&Call { run: loaded, header, programs, workers, trials, messages });
        prepared.map_err(|error| explained(error, loaded))?;
        tell_passed_over(&self.hub, programs);
        Ok(())
    }

    /// Plays until the run has its verdict or is stopped, and returns its outcome.
    fn work(
        &mut self,
        loaded: &Loaded,
        here: &LocalRun,
        programs: &Executables,
        mut open: Open,
    ) -> Result<Arc<Outcome>, SessionError> {
        // Withdrawn pairs were played, too.
        let ever = |journal: &Journal| Ok::<_, JournalError>(journal.stored_pairs()? + journal.withdrawals()?);
        let before = ever(&open.journal)?;
        let mut experiment = loaded.experiment.clone();
        let finish = self.play(loaded, here, programs, &mut open, &mut experiment);
        self.executors.end();
        let (finish, standing) = (finish?, experiment.standing());
        let Open { folder, journal } = open;
        let played = ever(&journal)? > before;
        let outcome = Outcome { played, ..outcome(&loaded.run, folder.path(), finish, standing, &journal)? };
        let (faulty, outcome) = (faulty_run(&outcome, &journal)?, Arc::new(outcome));
        journal.fold();
        self.hub.publish(Event::Ended(Arc::clone(&outcome)));
        faulty.map_or(Ok(outcome), |faulty| Err(SessionError::Faulty(Box::new(faulty))))
    }

    fn play(
        &mut self,
        loaded: &Loaded,
        here: &LocalRun,
        programs: &Executables,
        open: &mut Open,
        experiment: &mut Box<dyn Experiment>,
    ) -> Result<Finish, SessionError> {
        let workers = self.workers_here(loaded);
        let executor = match self.executors.start(&mut open.journal) {
            Ok(executor) => executor,
            Err(error) => {
                open.removed();
                return Err(error);
            }
        };
        open.journal.listen(Arc::clone(programs.introductions()));
        let begun = open.journal.begin_session(&Session {
            started_unix_ms: host::unix_ms(),
            host: host::name(),
            concurrency: workers,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        });
        let begun = begun.and_then(|()| here.scale.map_or(Ok(()), |scale| open.journal.keep_scale(scale)));
        self.hub.publish(Event::Started(open.folder.path().to_owned()));
        for warning in openings::warnings(loaded) {
            let is_news = match &warning {
                Warning::FewOpenings { book, .. } => self.small_books.insert(book.clone()),
                _ => true,
            };
            if is_news {
                self.hub.publish(Event::Warning(warning));
            }
        }
        // Without this thread, games become visible only after they have ended.
        let _broadcast = executor.live().and_then(|tables| Broadcast::start(open.folder.path(), tables).ok());
        let mut publisher = EventPublisher { hub: &self.hub, programs, last_sent: None, pace: None };
        let (run, openings) = (&here.header.config, &loaded.openings);
        let finish = match begun {
            Err(error) => Err(RunError::from(error)),
            Ok(()) => loop {
                let observe = &mut |news: News<'_>| publisher.tell(&news);
                match drive(run, openings, experiment.as_mut(), &mut open.journal, executor, &self.control, observe) {
                    // The run continues from the remaining journal.
                    Ok(Driven::Withdrawn(_)) => *experiment = loaded.experiment.clone(),
                    Ok(Driven::Finished(finish)) => break Ok(finish),
                    Err(error) => break Err(error),
                }
            },
        };
        publisher.end();
        // Checks this in any case: if the journal's files have gone since the last commit, the pairs would be lost.
        open.journal.in_place().map_err(|error| open.rescued(error))?;
        finish.map_err(|why| open.failed(why))
    }
}

/// A run as played on this host.
struct LocalRun {
    /// Its configuration, with the time controls of this host.
    header: Header,
    /// The factor of its time controls, if they are scaled.
    scale: Option<HostScale>,
}

/// Publishes the driver's news as events.
struct EventPublisher<'a> {
    hub: &'a Hub,
    programs: &'a Executables,
    /// The time of the last standing that was sent, and the latest standing if it was not sent.
    last_sent: Option<(Instant, Option<Snapshot>)>,
    /// The number of workers, and the number of them that play.
    pace: Option<(usize, usize)>,
}

impl EventPublisher<'_> {
    fn tell(&mut self, news: &News<'_>) {
        tell_passed_over(self.hub, self.programs);
        match *news {
            News::Committed(pairs) => self.hub.publish(Event::Committed(pairs.into())),
            News::Fault { pair, game, entrant, fault } => {
                let (entrant, fault) = (entrant.to_owned(), fault.clone());
                self.hub.publish(Event::Fault(Arc::new(FaultEvent { pair, game, entrant, fault })));
            }
            News::Notice(notice) => self.hub.publish(Event::Warning(Warning::Elsewhere(notice.clone()))),
            // The next standing includes them.
            News::Voided(_) => {}
            News::Standing(snapshot) => self.stand(snapshot),
        }
    }

    fn stand(&mut self, snapshot: &Snapshot) {
        let Snapshot { workers, at_a_time: now, .. } = *snapshot;
        let (of, before) = self.pace.replace((workers, now)).unwrap_or((workers, workers));
        // A changed number of workers was requested, so it needs no event.
        if now != before && of == workers {
            self.hub.publish(Event::Warning(Warning::Pace { before, now, workers }));
        }
        if self.last_sent.as_ref().is_none_or(|(at, _)| at.elapsed() >= TELL_EVERY) {
            self.hub.publish(Event::Standing(Arc::new(snapshot.clone())));
            self.last_sent = Some((Instant::now(), None));
        } else if let Some((_, latest)) = &mut self.last_sent {
            *latest = Some(snapshot.clone());
        }
    }

    /// Sends the last standing, which must not be missed.
    fn end(&mut self) {
        if let Some((_, Some(latest))) = self.last_sent.take() {
            self.hub.publish(Event::Standing(Arc::new(latest)));
        }
    }
}

/// Warns of missing options of engines that were found since the last call.
fn tell_passed_over(hub: &Hub, programs: &Executables) {
    for passed_over in programs.introductions().newly_passed_over() {
        hub.publish(Event::Warning(Warning::OptionPassedOver(passed_over)));
    }
}

/// An open run: its locked folder and its journal.
struct Open {
    folder: RunFolder,
    journal: Journal,
}

impl Open {
    /// Saves the pairs of a journal whose files were removed, and reports where they are.
    fn rescued(&self, why: JournalError) -> SessionError {
        let elsewhere = [std::env::current_dir().unwrap_or_default(), std::env::temp_dir()];
        let pairs = self.journal.stored_pairs().map_or_else(|_| "the".to_owned(), grouped);
        let kept = match self.folder.rescue(&self.journal, &elsewhere) {
            Ok(path) => {
                let path = path.display();
                format!("Its {pairs} finished pairs were saved again in {path}. To resume: spar resume {path}")
            }
            Err(error) => format!("Its {pairs} finished pairs could not be saved again: {error}"),
        };
        SessionError::Gone { why: Box::new(why), kept }
    }

    /// Returns the error of a run that broke off.
    fn failed(&self, why: RunError) -> SessionError {
        let left = match &why {
            _ if self.removed() => Left::Nothing,
            RunError::Journal(JournalError::Storage { .. })
            | RunError::NotReady { .. }
            | RunError::Broken { .. }
            | RunError::Lost { .. } => Left::Resumable(self.folder.path().to_owned()),
            _ => Left::AsItWas,
        };
        SessionError::Broken { why: Box::new(why), left }
    }

    /// Removes the run if it is new and empty. Returns whether it did.
    fn removed(&self) -> bool {
        self.journal.stored_pairs().is_ok_and(|pairs| pairs == 0) && self.folder.discard()
    }
}

/// Returns the outcome of a run, without any pair played in this session.
fn outcome(
    run: &RunConfig,
    path: &Path,
    finish: Finish,
    standing: Standing,
    journal: &JournalReader,
) -> Result<Outcome, JournalError> {
    Ok(Outcome {
        config: run.clone(),
        path: path.to_owned(),
        finish,
        faults: journal.faults(standing.pairs, run.entrants.len())?,
        starved: journal.starved(standing.pairs)?,
        elapsed: journal.played_time()?,
        scaled: ScaledOn::new(&journal.sessions()?),
        cut: Cut::of(&run.experiment, finish.verdict(), standing.pairs, journal.end()?),
        played: false,
        standing,
    })
}

/// Returns the error of a run that was stopped by faults, if it was.
fn faulty_run(outcome: &Outcome, journal: &JournalReader) -> Result<Option<FaultyRun>, SessionError> {
    let Outcome { config, path, finish, standing, .. } = outcome;
    let faulty = finish.too_faulty().map(|counts| faulty::read(path, config, counts, journal, standing.pairs));
    faulty.transpose()
}

/// Whether a run with pairs below `end` may have ended: a run that only its budget ends must have played all of it.
fn may_be_over(run: &RunConfig, end: u64) -> bool {
    match &run.experiment {
        // Reading a long session again takes a while.
        ExperimentConfig::Tune(tune) => tune.stop_regret.is_some() || end >= tune.pairs.get(),
        ExperimentConfig::Sprt { .. }
        | ExperimentConfig::Match { .. }
        | ExperimentConfig::Ladder(_)
        | ExperimentConfig::Selfplay { .. } => end > 0,
    }
}

/// Returns the parameters that a run varies, and the lowest and the highest values that it may propose.
fn trials(loaded: &Loaded) -> (Vec<String>, Vec<Vec<f64>>) {
    let Some(layout) = loaded.layout() else { return Default::default() };
    let parameters = layout.engine_parameters();
    let names = parameters.iter().map(|parameter| parameter.name().to_owned()).collect();
    let edge = |edge: fn(&Parameter) -> f64| -> Vec<f64> {
        let value = |parameter: &Parameter| if parameter.is_frozen() { parameter.start() } else { edge(parameter) };
        parameters.iter().map(value).collect()
    };
    let edges = [edge(Parameter::min), edge(Parameter::max)];
    (names, edges.into_iter().chain(unsuited::fractions(layout, &loaded.run)).collect())
}

/// Adds advice to an error of the start, if a tuned parameter is the cause.
fn explained(error: SessionError, loaded: &Loaded) -> SessionError {
    match (error, loaded.layout()) {
        (SessionError::Unready { why }, Some(layout)) => {
            SessionError::Unready { why: Box::new(unsuited::explained(*why, layout)) }
        }
        (error, _) => error,
    }
}

/// Returns the configuration of a stored run, with settings applied.
fn stored(
    folder: &RunFolder,
    journal: &JournalReader,
    header: &Header,
    settings: &[String],
) -> Result<Loaded, SessionError> {
    let (config, text) = (RunFolder::config_of(folder.path()), stored_text(folder.path(), journal)?);
    Ok(load_stored(&text, &config.display().to_string(), &header.config.name, settings, &header.config, Disk)?)
}

/// Refuses a pair limit that would remove some of the pairs that count.
fn refuse_fewer(path: &Path, journal: &JournalReader, then: &Header, now: &Header) -> Result<(), SessionError> {
    let end = journal.end()?;
    // Reading a long session again takes a while, and most limits exceed the number of played pairs.
    if now.config.experiment.most_rounds().is_none_or(|most| most >= end) {
        return Ok(());
    }
    let played = replay(jobs::experiment(&then.config)?.as_mut(), journal)?.pairs;
    Ok(limit::refuse_fewer(&name_of(path), &then.config, &now.config, played)?)
}

/// Refuses to resume a run with another identity: only the pair limit and the allowed share of faults may change.
fn refuse_other_identity(path: &Path, then: &Header, now: &Header) -> Result<(), SessionError> {
    let mut now = now.clone();
    now.config.experiment = now.config.experiment.with_pair_limit_of(&then.config.experiment);
    now.config.max_fault_share = then.config.max_fault_share;
    let differences = differences(then, &now);
    if differences.is_empty() {
        return Ok(());
    }
    Err(SessionError::OtherIdentity { path: path.to_owned(), differences })
}
