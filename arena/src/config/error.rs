//! What is wrong with a configuration: the file, the line with a caret, what was expected, how to mend it.

use miette::{Diagnostic, NamedSource, SourceSpan};
pub(super) use play::spelling::nearest;
use std::ops::Range;
use std::sync::Arc;

/// A configuration that cannot be used. Rendered by `miette` it shows the line and a caret.
#[derive(Clone, Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
pub struct ConfigError {
    message: String,
    #[source_code]
    source_code: Arc<NamedSource<String>>,
    #[label("{label}")]
    span: Option<SourceSpan>,
    label: String,
    #[help]
    help: Option<String>,
}

/// The text of a configuration and its name, from which errors are made.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) text: String,
}

impl Source {
    fn named(&self) -> Arc<NamedSource<String>> {
        Arc::new(NamedSource::new(&self.name, self.text.clone()).with_language("TOML"))
    }

    /// An error at a place in the text.
    pub(super) fn error_at(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> ConfigError {
        ConfigError {
            message: message.into(),
            source_code: self.named(),
            span: Some(span.into()),
            label: label.into(),
            help: None,
        }
    }

    /// An error about the text as a whole, such as something missing.
    pub(super) fn error(&self, message: impl Into<String>, help: impl Into<String>) -> ConfigError {
        ConfigError {
            message: message.into(),
            source_code: self.named(),
            span: None,
            label: String::new(),
            help: Some(help.into()),
        }
    }

    /// An error of the TOML reader: syntax, a wrong type, an unknown or missing key.
    pub(super) fn toml_error(&self, error: &toml::de::Error) -> ConfigError {
        let span = error.span().unwrap_or(0..0);
        let message = error.message();
        match UnknownField::read(message) {
            Some(unknown) => self.error_at(span, format!("unknown key `{}`", unknown.name), unknown.advice()),
            None => self.error_at(span, message.to_owned(), "here"),
        }
    }
}

impl ConfigError {
    /// The same error with advice on how to mend it.
    #[must_use]
    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// serde's message on an unknown field, taken apart.
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

    fn advice(&self) -> String {
        match nearest(self.name, self.known.iter().copied()) {
            Some(best) => format!("did you mean `{best}`?"),
            None => format!("expected one of {}", self.known.join(", ")),
        }
    }
}
