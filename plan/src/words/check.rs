//! Checks that engines given in words can make a run. The errors use the words as typed.
//!
//! The configuration's reader makes the same checks, but its errors name sections that a command line user has not
//! seen.

use super::{Engine, WordsError};
use crate::names::{ENTRANT_NAME_FORM, names_an_entrant};
use std::collections::BTreeSet;

/// The spelling of the options for engines, for messages.
pub struct Spelling {
    /// The option that adds an engine.
    pub engine: &'static str,
    /// The option for the settings of all engines.
    pub each: &'static str,
    /// Examples of limits.
    pub limits: &'static str,
}

/// Engines as typed, and their names.
pub struct Typed<'a> {
    /// The settings of all engines.
    pub each: &'a Engine,
    /// The engines.
    pub engines: &'a [Engine],
    /// Their names.
    pub names: &'a [String],
}

impl Typed<'_> {
    /// Refuses too few engines or, in a test, too many.
    ///
    /// # Errors
    /// [`WordsError`] with the number of engines.
    pub fn check_count(&self, is_test: bool, spelling: &Spelling) -> Result<(), WordsError> {
        let Spelling { engine, .. } = spelling;
        match self.engines.len() {
            count @ (0 | 1) => {
                let message = format!("there are too few engines: {count}; add an `{engine}` for each opponent");
                Err(WordsError::new(message))
            }
            count if is_test && count > 2 => Err(WordsError::new(format!(
                "there are {count} engines, and a test is between two: keep the candidate and its opponent; \
                 a match plays the first against each of the others"
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses an engine without a program or a limit, and invalid names. Set `needs_program` unless spar itself plays
    /// the game.
    ///
    /// # Errors
    /// [`WordsError`] for the first such engine.
    pub fn check_each(&self, needs_program: bool, spelling: &Spelling) -> Result<(), WordsError> {
        let Spelling { engine: option, each, limits } = spelling;
        let refused = |message: String| Err(WordsError::new(message));
        let mut seen = BTreeSet::new();
        for (engine, name) in self.engines.iter().zip(self.names) {
            if !names_an_entrant(name) {
                return refused(format!("`{option} name={name}`: expected a name of {ENTRANT_NAME_FORM}"));
            }
            if !seen.insert(name) {
                return refused(format!("two engines are called `{name}`: give each `{option}` another `name=`"));
            }
            if needs_program && engine.command().or(self.each.command()).is_none() {
                return refused(format!("`{name}` has no program: add `cmd=...` to its `{option}` or to `{each}`"));
            }
            if !engine.is_limited() && !self.each.is_limited() {
                return refused(format!("`{name}` has no limit: add {limits} for it or for all"));
            }
        }
        Ok(())
    }
}

/// Refuses a name in the settings of all engines.
///
/// # Errors
/// [`WordsError`] with the words that give it.
pub fn check_common(each: &Engine) -> Result<(), WordsError> {
    match each.name() {
        Some(name) => {
            let words = name.origin.comment().unwrap_or_default();
            Err(WordsError::new(format!("`{words}`: a name belongs to one engine")))
        }
        None => Ok(()),
    }
}

/// Refuses play without any limit, which would never end.
///
/// # Errors
/// [`WordsError`] with the words that ask for it.
pub fn check_limits(each: &Engine, engines: &[Engine]) -> Result<(), WordsError> {
    for engine in engines {
        let endless = engine.unlimited().or_else(|| if engine.is_limited() { None } else { each.unlimited() });
        if let Some(words) = endless.filter(|_| !each.is_limited()) {
            let message = format!("`{words}` sets no limit on thinking: add `nodes`, `depth` or `st` to it");
            return Err(WordsError::new(message));
        }
    }
    Ok(())
}
