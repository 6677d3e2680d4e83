//! Errors of plans. An error shows the line of the user's file with a caret, or the words of the command line, what was
//! expected, and how to mend it.

use super::Given;
use super::files::Files;
use super::given::Origin;
use super::schema::{KeySchema, place_of};
use crate::jobs::JobError;
use arena::run::{JournalError, RunError};
use miette::{Diagnostic, NamedSource, SourceSpan};
use play::spelling::nearest;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use std::ops::Range;
use std::sync::Arc;

/// A plan that cannot be used. Rendered by `miette`, it shows the line and a caret.
#[derive(Clone, Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
pub struct PlanError {
    message: String,
    #[source_code]
    source_code: Arc<NamedSource<String>>,
    #[label("{label}")]
    span: Option<SourceSpan>,
    label: String,
    #[help]
    help: Option<String>,
}

/// Why the runs and files that a plan names cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The plan cannot be used, and the error shows where.
    #[error(transparent)]
    Plan(Box<PlanError>),
    /// A run's configuration asks for no experiment.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A run's journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A run cannot be replayed.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<PlanError> for ReadError {
    fn from(error: PlanError) -> Self {
        Self::Plan(Box::new(error))
    }
}

/// The text that a plan was read from and its name, used to make errors, and the files that the plan may name.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) files: Arc<dyn Files>,
}

impl Source {
    fn named(&self) -> Arc<NamedSource<String>> {
        Arc::new(NamedSource::new(&self.name, self.text.clone()).with_language("TOML"))
    }

    /// An error about a value that points to its origin.
    pub(super) fn error_at(&self, origin: &Origin, message: impl Into<String>, label: impl Into<String>) -> PlanError {
        let (message, label) = (message.into(), label.into());
        match origin {
            Origin::Text(span) => {
                let span = Some(span.clone().into());
                PlanError { message, source_code: self.named(), span, label, help: None }
            }
            Origin::Words(words) => PlanError::of_words(words, 0..words.len(), message, label),
            Origin::Usual => self.error(message, label),
            Origin::Derived(from) => self.error(message, format!("{label}\nThe value comes from here: {from}")),
        }
    }

    /// An error about the plan as a whole, such as something missing.
    pub(super) fn error(&self, message: impl Into<String>, help: impl Into<String>) -> PlanError {
        PlanError {
            message: message.into(),
            source_code: self.named(),
            span: None,
            label: String::new(),
            help: Some(help.into()),
        }
    }

    /// Converts an error of the TOML reader: syntax, a wrong type, an unknown key. `schema` has the keys of the whole
    /// file, for a hint where an unknown key belongs; it may be empty.
    pub(super) fn toml_error(&self, error: &toml::de::Error, schema: &[KeySchema]) -> PlanError {
        let (message, label) = in_words(error, schema);
        self.error_at(&Origin::Text(error.span().unwrap_or(0..0)), message, label)
    }
}

/// Words an error of the TOML reader. Returns the message, and the label at its place.
pub(super) fn in_words(error: &toml::de::Error, schema: &[KeySchema]) -> (String, String) {
    let message = error.message();
    match UnknownField::read(message) {
        Some(unknown) => (format!("unknown key `{}`", unknown.name), unknown.advice(schema)),
        None => (with_plain_types(message), "here".to_owned()),
    }
}

/// Replaces the type of Rust that a message expects.
fn with_plain_types(message: &str) -> String {
    let plain = |kind: &str| match kind {
        "u8" | "u16" | "u32" | "u64" | "usize" => Some("a whole number, 0 or more"),
        "i8" | "i16" | "i32" | "i64" => Some("a whole number"),
        "f32" | "f64" => Some("a number"),
        "a sequence" => Some("a list"),
        _ => None,
    };
    let replaced = message.rsplit_once("expected ").and_then(|(start, kind)| {
        let word = plain(kind.trim_end())?;
        Some(format!("{start}expected {word}"))
    });
    replaced.unwrap_or_else(|| message.to_owned())
}

impl PlanError {
    /// An error about words of the command line, with a caret at a part of them, in bytes.
    pub fn of_words(words: &str, part: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source_code: Arc::new(NamedSource::new("command line", words.to_owned())),
            span: Some(part.into()),
            label: label.into(),
            help: None,
        }
    }

    /// Adds advice on how to mend the error.
    #[must_use]
    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Reads a value from a word of the command line as from a configuration; `words` are the words as typed.
///
/// # Errors
/// [`PlanError`] if the word is not such a value.
pub fn from_word<T: for<'a> Deserialize<'a>>(word: &str, words: &str) -> Result<Given<T>, PlanError> {
    let deserializer: StrDeserializer<'_, serde::de::value::Error> = word.into_deserializer();
    let value = T::deserialize(deserializer);
    value
        .map(|value| Given::words(value, words))
        .map_err(|error| PlanError::of_words(words, 0..words.len(), error.to_string(), "here"))
}

/// The parts of serde's message on an unknown field.
struct UnknownField<'a> {
    name: &'a str,
    known: Vec<&'a str>,
}

impl<'a> UnknownField<'a> {
    fn read(message: &'a str) -> Option<Self> {
        let rest = message.strip_prefix("unknown field `")?;
        let (name, rest) = rest.split_once('`')?;
        Some(Self { name, known: rest.split('`').skip(1).step_by(2).collect() })
    }

    fn advice(&self, schema: &[KeySchema]) -> String {
        if let Some(place) = place_of(schema, self.name, &self.known) {
            return format!("`{}` belongs {place}", self.name);
        }
        match nearest(self.name, self.known.iter().copied()) {
            Some(best) => format!("did you mean `{best}`?"),
            None => format!("expected one of {}", self.known.join(", ")),
        }
    }
}
