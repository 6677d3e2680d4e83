//! Several runs in sequence, as one job that can be stopped and resumed as a whole. Its folder stores the
//! configurations and the names of the runs; the runs themselves are next to it, like any others.

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
    /// Plays all remaining runs: reads finished runs again, resumes a stopped one, and makes the others. Changes apply
    /// to all runs, but a limit never applies to a decided one. Ends early if the session is stopped.
    ///
    /// # Errors
    /// [`SessionError`]; the job can be resumed. A job without pairs is removed.
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

    /// Returns the `key=value` setting that limits a part's run to `pairs` pairs; `None` for a decided run, which no
    /// limit changes. Each part has its own key for the limit.
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
            // Stored before anything is played, so that no pair is lost if the job is killed at any time.
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
