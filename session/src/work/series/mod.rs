//! Several runs in turn, as one job that can be stopped and resumed as a whole. Its folder keeps what is to be played
//! and which runs there are; the runs themselves lie beside it, like any others.

pub(crate) mod record;

pub use record::{Part, Rule, Series};

use super::changes::Changes;
use super::verdict::verdict_of;
use crate::error::SessionError;
use crate::limit;
use crate::outcome::Outcome;
use crate::run_folder::name_of;
use crate::runner::SessionRunner;
use crate::warning::Warning;
use arena::run::{Finish, Verdict};
use plan::Loaded;
use std::num::NonZeroU64;
use std::sync::Arc;

impl Series {
    /// Plays what there is to play: finished runs are read again, a stopped one is resumed, the others are made.
    /// Changes are made to all of them, but a limit to none that is decided. Ends early if the session is stopped.
    ///
    /// # Errors
    /// [`SessionError`]; the job can be resumed. One without pairs is removed.
    pub fn go_on(mut self, runner: &mut SessionRunner, changes: &Changes) -> Result<(), SessionError> {
        let done = self.play(runner, changes);
        if done.is_err() && self.record.parts.iter().all(|part| part.run.is_none()) {
            self.discard();
        }
        done
    }

    fn play(&mut self, runner: &mut SessionRunner, changes: &Changes) -> Result<(), SessionError> {
        let (count, mut played) = (self.record.parts.len(), false);
        for number in 0..count {
            let part = self.record.parts[number].clone();
            runner.phase(&part.name, number + 1, count);
            let limit = changes.pairs.map(|pairs| self.limit(&part, pairs)).transpose()?.flatten();
            let settings: Vec<String> = changes.settings.iter().cloned().chain(limit).collect();
            let outcome = if let Some(path) = self.run_of(&part) {
                runner.resume(&path, &settings)?.0
            } else {
                let resolved = self.first.take().filter(|_| number == 0 && settings.is_empty());
                self.begin(runner, number, &resolved.map_or_else(|| part.load(&settings), Ok)?)?
            };
            played |= outcome.played || outcome.verdict().is_none();
            let is_passed = outcome.verdict() == Some(Verdict::AcceptedH1);
            if outcome.finish == Finish::Stopped || self.record.rule == Rule::WhilePassed && !is_passed {
                break;
            }
        }
        if !played {
            runner.warn(Warning::Finished { run: name_of(&self.folder), takes_more: false });
        }
        Ok(())
    }

    /// The `key=value` setting by which a part's run may have `pairs` pairs; none for one that is decided, which no
    /// limit changes. Each part says its limit in its own way.
    fn limit(&self, part: &Part, pairs: NonZeroU64) -> Result<Option<String>, SessionError> {
        let Some(path) = self.run_of(part) else {
            let run = part.load(&[])?.run;
            return Ok(Some(limit::setting(&part.name, &run, &part.config, pairs)?));
        };
        let is_decided = matches!(verdict_of(&path)?, Some(Verdict::AcceptedH1 | Verdict::AcceptedH0));
        if is_decided { Ok(None) } else { limit::setting_of(&path, pairs).map(Some) }
    }

    fn begin(&mut self, runner: &mut SessionRunner, number: usize, run: &Loaded) -> Result<Arc<Outcome>, SessionError> {
        let runs = self.beside();
        let begun = runner.begin_in(&runs, run, &mut |path| {
            // Known before anything is played, so that no pair is lost whenever the job is killed.
            self.record.parts[number].run = path.file_name().map(|name| name.to_string_lossy().into_owned());
            self.save()
        });
        begun.inspect_err(|_| {
            if self.run_of(&self.record.parts[number]).is_none() {
                self.record.parts[number].run = None;
            }
        })
    }
}
