//! A plan of a run: reading it, amending it and writing it.

use super::error::{self, PlanError, Source};
use super::files::Files;
use super::given::{Given, Origin};
use super::keys::{Keys, schema};
use super::section::{Key, Section, Writer};
use super::set::{self, Edited};
use arena::config::Job;
use std::ops::Range;
use std::sync::Arc;

/// A plan of a run.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// All settings and their origins.
    pub keys: Keys,
    /// The default name of the run.
    pub(super) stem: String,
    pub(super) source: Source,
    /// A text equivalent to the plan when it was read, and the plan at that time.
    pub(super) read: Option<(String, String)>,
}

impl RunPlan {
    /// A plan without settings. `name` identifies it in errors, `files` holds the files that it may name.
    pub fn new(name: &str, stem: &str, files: impl Files + 'static) -> Self {
        let source = Source { name: name.to_owned(), text: String::new(), files: Arc::new(files) };
        Self { keys: Keys::default(), stem: stem.to_owned(), source, read: None }
    }

    /// Reads a configuration.
    ///
    /// `name` identifies the text in errors, `stem` is the run's name if the text gives none, and `settings` are
    /// `key=value` texts from the command line that replace or add to those of the text, e.g. `sprt.elo1=5` or
    /// `entrant.dev.limit=2000 nodes` (entrants by name or by position from 0). `job` is the job to run the text as, if
    /// there is only one: keys of other jobs' sections are then errors. `files` holds the files that the plan may name.
    ///
    /// # Errors
    /// [`PlanError`]: text that is not TOML, an unknown key, a value of a wrong type, a setting that fits nowhere.
    pub fn read(
        text: &str,
        name: &str,
        stem: &str,
        settings: &[String],
        job: Option<Job>,
        files: impl Files + 'static,
    ) -> Result<Self, PlanError> {
        let source = Source { name: name.to_owned(), text: text.to_owned(), files: Arc::new(files) };
        let keys: Keys = toml::from_str(text).map_err(|error| source.toml_error(&error, &schema()))?;
        let read = Some((text.to_owned(), canonical(&keys)));
        Self { keys, stem: stem.to_owned(), source, read }.amended(settings, job)
    }

    /// The plan with `key=value` settings applied to its text, as [`read`](Self::read) applies them.
    ///
    /// # Errors
    /// [`PlanError`] for the first setting that cannot be applied.
    pub fn amended(mut self, settings: &[String], job: Option<Job>) -> Result<Self, PlanError> {
        if settings.is_empty() {
            return Ok(self);
        }
        let Some(edited) = set::apply(&self.text(), settings, job)? else {
            return Err(self.source.error("settings cannot be applied to this", "write them into the file"));
        };
        let name = format!("{} with --set", self.source.name);
        let source = Source { name, text: edited.text.clone(), files: self.source.files.clone() };
        let mut keys = read_edited(&edited, &source)?;
        keys.inherit(&self.keys);
        self.read = Some((edited.text, canonical(&keys)));
        self.keys = keys;
        self.settle_bounds();
        Ok(self)
    }

    /// Removes the bounds of a test that the command line replaces: those by number for a name, or a name for numbers.
    fn settle_bounds(&mut self) {
        let Keys { sprt, stage, gate, .. } = &mut self.keys;
        let of_stages = stage.iter_mut().filter_map(|stage| stage.value.sprt.as_mut());
        for Given { value: sprt, .. } in sprt.iter_mut().chain(of_stages) {
            give_way(&mut sprt.preset, [&mut sprt.elo0, &mut sprt.elo1]);
        }
        if let Some(Given { value: gate, .. }) = gate {
            give_way(&mut gate.preset, [&mut gate.elo0, &mut gate.elo1]);
        }
    }

    /// Returns the plan as TOML: the text that it was read from, if that is still equivalent; otherwise newly written,
    /// with a comment on the origin of each line that is not from that text.
    pub fn text(&self) -> String {
        match &self.read {
            Some((text, then)) if *then == canonical(&self.keys) => text.clone(),
            _ => {
                let mut writer = Writer::commented();
                self.keys.write(&mut writer);
                writer.text()
            }
        }
    }

    /// The name of runs if the plan gives none.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// An error about a value that points to its origin; `label` says what is expected there.
    pub fn error_at(&self, origin: &Origin, message: impl Into<String>, label: impl Into<String>) -> PlanError {
        self.source.error_at(origin, message, label)
    }

    /// An error about the plan as a whole, such as something missing; `help` says how to mend it.
    pub fn error(&self, message: impl Into<String>, help: impl Into<String>) -> PlanError {
        self.source.error(message, help)
    }
}

/// Removes bounds that are not from the command line if the name of a pair of bounds is, and a name that is not if both
/// bounds are.
fn give_way(preset: &mut Key<String>, bounds: [&mut Key<f64>; 2]) {
    let is_words = |bound: &&mut Key<f64>| bound.as_ref().is_some_and(|bound| bound.origin.is_words());
    if preset.as_ref().is_some_and(|preset| preset.origin.is_words()) {
        for bound in bounds {
            *bound = bound.take().filter(|bound| bound.origin.is_words());
        }
    } else if bounds.iter().all(is_words) {
        *preset = None;
    }
}

/// Returns all given values as text, without their origins: equal for equivalent plans.
pub(super) fn canonical(keys: &Keys) -> String {
    let mut writer = Writer::plain();
    keys.write(&mut writer);
    writer.text()
}

/// Reads the keys of an edited text; keys that were set get the command line as their origin.
fn read_edited(edited: &Edited, source: &Source) -> Result<Keys, PlanError> {
    let mut keys: Keys = toml::from_str(&edited.text).map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        match edited.settings.iter().find(|setting| setting.covers(&place)) {
            Some(setting) => {
                let (message, label) = error::in_words(&error, &schema());
                PlanError::of_words(&setting.words, 6..setting.words.len(), message, label)
            }
            None => source.toml_error(&error, &schema()),
        }
    })?;
    keys.origins(&mut |origin| {
        if let Origin::Text(place) = origin {
            let covering = edited.settings.iter().find(|setting| {
                let within = setting.place.as_ref().is_some_and(|own| place.start <= own.start && own.end <= place.end);
                let is_head = |head: &Range<usize>| head.start < place.end && place.start < head.end;
                within || setting.covers(place) || setting.sections.iter().any(is_head)
            });
            if let Some(setting) = covering {
                *origin = Origin::words(setting.words.clone());
            }
        }
    });
    Ok(keys)
}
