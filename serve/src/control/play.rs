//! The thread that processes the queue: one run at a time, each as an ordinary session.

use super::asked::{Checked, read};
use super::audit::{About, BEGUN};
use super::order::{Limit, most_workers};
use super::programs::Program;
use super::programs::programs;
use super::queue::{Entry, Kind};
use super::{Control, Ended, MOST_ENDED, Next, Playing};
use crate::asker::Asker;
use crate::jobs;
use arena::config::ExperimentConfig;
use arena::run::{Executor, Journal, JournalReader};
use plan::positions::Wanted;
use plan::{Disk, RunPlan};
use session::{Call, Command, Event, Executors, Outcome, Place, Session, SessionError, positions, work};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// The delay before another attempt to write the queue.
const AGAIN: Duration = Duration::from_secs(5);

/// An executor of any kind.
pub(super) struct Boxed(Box<dyn Executors>);

impl Executors for Boxed {
    fn prepare(&mut self, call: &Call<'_>) -> Result<(), SessionError> {
        self.0.prepare(call)
    }

    fn start(&mut self, journal: &mut Journal) -> Result<&mut dyn Executor, SessionError> {
        self.0.start(journal)
    }

    fn is_elsewhere(&self, run: &plan::Loaded) -> bool {
        self.0.is_elsewhere(run)
    }

    fn end(&mut self) {
        self.0.end();
    }
}

impl Control {
    /// Plays the entries of the queue until the server ends.
    pub(crate) fn work(&self) {
        while let Some(entry) = self.next() {
            self.play(entry);
        }
    }

    /// Waits for the next entry; `None` when the server ends.
    fn next(&self) -> Option<Entry> {
        let mut state = self.state();
        while !state.over {
            match state.queue.begin() {
                Ok(Some(entry)) => return Some(entry),
                Ok(None) => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Err(_unwritable) => {
                    state = self.changed.wait_timeout(state, AGAIN).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        None
    }

    /// Plays an entry to its end, or until it is stopped.
    fn play(&self, entry: Entry) {
        let session = match self.session(&entry) {
            Ok(session) => session,
            Err(why) => return self.close(entry, Err(why)),
        };
        let mut state = self.state();
        let (commander, concurrency) = (session.commander(), entry.concurrency);
        let playing = Playing { entry, part: None, says: None, commander, concurrency, next: Next::Waits };
        if state.over {
            playing.commander.send(Command::Stop);
        }
        state.playing = Some(playing);
        drop(state);
        self.publish();
        for event in session.watch() {
            self.on_event(&event);
        }
        let ended = session.wait().map_err(|why| why.to_string()).map(|state| state.ended.last().cloned());
        let Some(playing) = self.state().playing.take() else { return };
        let job =
            playing.entry.run().filter(|_| playing.entry.is_job).and_then(|job| self.jobs.get(job).ok().flatten());
        let came_of = |outcome: Option<Arc<Outcome>>| match job {
            Some(job) => job.says(),
            None => outcome.map_or_else(String::new, |outcome| came(&outcome)),
        };
        let mut came = ended.map(came_of);
        self.state().ended_part.clone_from(&playing.part);
        if playing.next == Next::Over && playing.entry.run().is_none() {
            came = Ok("stopped before it began".to_owned());
        }
        match playing.next {
            Next::GoesOn(limit) if came.is_ok() => self.go_on(&playing.entry, limit),
            // In the file the entry still plays, so that the next server resumes it.
            Next::Waits if self.state().over => {}
            Next::Over | Next::Waits | Next::GoesOn(_) => self.close(playing.entry, came),
        }
    }

    /// Makes an executor.
    pub(super) fn players(&self) -> Boxed {
        Boxed((self.leave.players)())
    }

    fn session(&self, entry: &Entry) -> Result<Session, String> {
        let players = self.players();
        let place = |configured: Option<NonZeroUsize>| {
            let concurrency = entry.concurrency.or(configured).or(self.leave.concurrency);
            Place { concurrency, paused: entry.paused, ..Place::at(&self.runs) }
        };
        match &entry.kind {
            Kind::Start { toml, .. } => match read(toml, &self.leave).map_err(|wrong| wrong.to_string())? {
                Checked::Run { loaded, files } => {
                    self.begins(entry, &programs(&loaded.run, &files))?;
                    let place = place(loaded.concurrency);
                    Ok(Session::create(*loaded, players, &place))
                }
                Checked::Bisect(asked, _) => {
                    self.begins(entry, &jobs::programs(&asked.plan))?;
                    let place = place(concurrency_of(&asked.plan));
                    Ok(Session::start(players, &place, move |runner| work::bisect(runner, &asked).map(drop)))
                }
                Checked::Campaign(asked, _) => {
                    self.begins(entry, &jobs::programs(&asked.plan))?;
                    let place = place(concurrency_of(&asked.plan));
                    Ok(Session::start(players, &place, move |runner| work::campaign(runner, &asked).map(drop)))
                }
            },
            Kind::Resume { run, setting } if entry.is_job => {
                let folder = self.jobs.folder(run).ok_or("the job is there no more")?;
                let plan = jobs::plan_of(&folder)?;
                self.begins(entry, &jobs::programs(&plan))?;
                let place = place(concurrency_of(&plan));
                Ok(Session::resume(&folder, setting.iter().cloned().collect::<Vec<_>>(), players, &place))
            }
            Kind::Resume { run, setting } => {
                let known = self.listing.get(run).ok_or("the run is there no more")?;
                let (journal, header) = known.journal().map_err(|why| why.to_string())?;
                let files = session::executables(&header.config).map_err(|why| why.to_string())?;
                self.begins(entry, &programs(&header.config, &files))?;
                let place = place(last_concurrency(&journal));
                Ok(Session::resume(known.path(), setting.iter().cloned().collect::<Vec<_>>(), players, &place))
            }
        }
    }

    /// Logs what is about to start, and who asked for it.
    fn begins(&self, entry: &Entry, programs: &[Program]) -> Result<(), String> {
        let did = format!("began {}: {}", entry.id, entry.kind.says());
        let toml = if let Kind::Start { toml, .. } = &entry.kind { Some(toml.as_str()) } else { None };
        let asked_by = Some(entry.who.as_str()).filter(|who| !who.is_empty());
        let about = About { run: entry.run(), toml, programs, asked_by };
        self.audit.write(&Asker::server(), &did, &about).map_err(|why| format!("the log cannot be written: {why}"))
    }

    /// Records who started a run or a job, now that it has a folder.
    fn started(&self, entry: &Entry, name: &str) {
        if matches!(entry.kind, Kind::Start { .. }) && !entry.who.is_empty() {
            // The name is shown beside the run, and nothing depends on it: the log has it, too.
            let _not_shown = self.listing.starters.set(name, &entry.who);
        }
    }

    fn on_event(&self, event: &Event) {
        let mut state = self.state();
        let state = &mut *state;
        let Some(playing) = &mut state.playing else { return };
        match event {
            Event::Started(path) => {
                let Some(name) = name_of(path) else { return };
                self.started(&playing.entry, name);
                self.listing.add(path);
                self.listing.pause(playing.entry.paused.then_some(name));
                if playing.entry.is_job {
                    playing.part = Some(name.to_owned());
                } else {
                    playing.entry.began = Some(name.to_owned());
                    // Without this entry, the run's own log does not show who asked for it; nothing else is lost.
                    let did = format!("{name}: {BEGUN} {}", playing.entry.id);
                    let about = About { run: Some(name), ..About::default() };
                    let _written = self.audit.write(&Asker::server(), &did, &about);
                    // If the queue cannot be written, it keeps the run that it has.
                    let _kept = state.queue.began(name);
                }
            }
            Event::Job(path) => {
                let Some(name) = name_of(path) else { return };
                self.started(&playing.entry, name);
                playing.entry.began = Some(name.to_owned());
                let _kept = state.queue.began(name);
            }
            Event::Note(says) => playing.says = Some(Arc::clone(says)),
            // The duration of a step is reported every second.
            Event::Build(news) if playing.entry.is_job => playing.says = Some(news.to_string().into()),
            Event::Planned(planned) => playing.concurrency = NonZeroUsize::new(planned.workers),
            _ => return,
        }
        self.publish_state(state);
    }

    /// Resumes the run at once. If more was played meanwhile than its new limit allows, it ends with the pairs that it
    /// has.
    fn go_on(&self, entry: &Entry, limit: Limit) {
        self.listing.pause(None);
        let resumed = entry.run().map(|run| Kind::resume(run, limit.setting_of_stopped(self, run).ok()));
        let written = self.state().queue.end(resumed);
        if let Err(why) = written {
            self.close(entry.clone(), Err(format!("it stopped and is not resumed automatically: {why}")));
        }
        self.publish();
    }

    /// Closes an entry that is over.
    fn close(&self, entry: Entry, came: Result<String, String>) {
        self.listing.pause(None);
        let failed = came.is_err();
        let says = came.unwrap_or_else(|why| why);
        // If the write fails, the next server resumes the run, and finds that nothing is left to play.
        let did = format!("ended {}: {}: {says}", entry.id, entry.kind.says());
        let _written = self.audit.write(&Asker::server(), &did, &About { run: entry.run(), ..About::default() });
        let mut state = self.state();
        let _written = state.queue.end(None);
        state.ended.push(Ended { entry, says, failed, unix_ms: session::unix_ms() });
        let many = state.ended.len().saturating_sub(MOST_ENDED);
        state.ended.drain(..many);
        drop(state);
        self.publish();
    }
}

/// Returns the concurrency in the configuration of a run, limited by this machine.
fn last_concurrency(journal: &JournalReader) -> Option<NonZeroUsize> {
    let plan = RunPlan::read(&journal.text().ok()?, "the configuration", "run", &[], None, Disk).ok()?;
    concurrency_of(&plan)
}

/// Returns the concurrency that a plan sets, limited by this machine.
fn concurrency_of(plan: &RunPlan) -> Option<NonZeroUsize> {
    NonZeroUsize::new(plan.keys.concurrency.as_ref()?.value).map(|workers| workers.min(most_workers()))
}

/// Returns the outcome of a run in a sentence. Writes the positions of self-play beside the journal.
fn came(outcome: &Outcome) -> String {
    let says = outcome.summary().verdict_in_words();
    let config = &outcome.config;
    if !matches!(config.experiment, ExperimentConfig::Selfplay { .. }) {
        return says;
    }
    let wanted = Wanted::of(config);
    let file = positions::usual_place(&outcome.path, config, wanted.format);
    match positions::write(&outcome.path, config, &wanted, &file) {
        Ok(_written) => says,
        Err(why) => format!("{says}; its positions could not be written: {why}"),
    }
}

fn name_of(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}
