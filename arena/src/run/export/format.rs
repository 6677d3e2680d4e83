//! The export formats, found by the option of `spar export` or by the name of a download. Each format is a module with
//! its name, its options, its constructor and its writer. A new format needs such a module and an entry in [`FORMATS`].

use super::{Row, Timings, csv, epd, json, pgn};
use crate::config::RunConfig;
use std::fmt;
use std::io;

/// All formats, in the order in which the help lists them.
static FORMATS: [FormatInfo; 5] = [json::LINES, json::FORMAT, csv::FORMAT, pgn::FORMAT, epd::FORMAT];

/// A format in which a run is written.
pub trait Format: fmt::Debug + Send + Sync {
    /// Returns the text before the first pair.
    ///
    /// # Errors
    /// The system's error.
    fn beginning(&self, _config: &RunConfig, _timings: Timings) -> io::Result<String> {
        Ok(String::new())
    }

    /// Returns one pair; `None` if its moves are not moves of the game.
    fn pair(&self, row: &Row<'_>, timings: Timings) -> Option<String>;

    /// Returns the text between two pairs.
    fn separator(&self) -> &'static str {
        ""
    }

    /// Returns the text after the last pair.
    fn end(&self) -> &'static str {
        ""
    }

    /// Whether the format writes moves or positions, which needs the rules of the game.
    fn needs_rules(&self) -> bool {
        true
    }
}

/// The static description of a format.
pub struct FormatInfo {
    /// The option of `spar export` that selects the format.
    pub option: FormatOption,
    /// The format's further options.
    pub others: &'static [FormatOption],
    make: fn(&FormatRequest<'_>) -> Result<Box<dyn Format>, String>,
    downloads: &'static [Download],
}

/// A command-line option.
pub struct FormatOption {
    /// The option's name.
    pub name: &'static str,
    /// The option's effect, for the help.
    pub help: &'static str,
    /// The option's value, if it takes one.
    pub value: Option<OptionValue>,
}

/// The value of an option.
pub struct OptionValue {
    /// The value's name in the help.
    pub name: &'static str,
    /// Whether the option takes several values, separated by commas.
    pub is_list: bool,
    /// Checks one value. The error says what was expected.
    pub check: fn(&str) -> Result<(), String>,
}

/// The option values for a format.
pub struct FormatRequest<'a> {
    /// Returns the values given for the option with this name; empty if it was not given.
    pub values: &'a dyn Fn(&str) -> Vec<String>,
}

/// A file that `spar serve` offers for download.
pub(super) struct Download {
    pub(super) file: &'static str,
    pub(super) media_type: &'static str,
    pub(super) make: fn() -> Box<dyn Format>,
}

impl FormatInfo {
    /// Returns all formats.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        FORMATS.iter()
    }

    /// Returns the format with its option values.
    ///
    /// # Errors
    /// What was expected in place of an invalid value.
    pub fn make(&self, request: &FormatRequest<'_>) -> Result<Box<dyn Format>, String> {
        (self.make)(request)
    }

    /// Returns a format selected by an option without a value.
    pub(super) const fn new(
        name: &'static str,
        help: &'static str,
        make: fn(&FormatRequest<'_>) -> Result<Box<dyn Format>, String>,
        downloads: &'static [Download],
    ) -> Self {
        Self { option: FormatOption { name, help, value: None }, others: &[], make, downloads }
    }

    /// Returns the format with a value for its option.
    pub(super) const fn with_value(mut self, value: OptionValue) -> Self {
        self.option.value = Some(value);
        self
    }

    /// Returns the format with further options.
    pub(super) const fn with_others(self, others: &'static [FormatOption]) -> Self {
        Self { others, ..self }
    }
}

/// Returns the format and media type of a download, by its file name.
pub fn download(file: &str) -> Option<(Box<dyn Format>, &'static str)> {
    let download = FORMATS.iter().flat_map(|format| format.downloads).find(|download| download.file == file)?;
    Some(((download.make)(), download.media_type))
}

/// Returns the file names of all downloads.
pub fn downloads() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| format.downloads).map(|download| download.file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_of_options_and_files_are_unique() {
        let options = FORMATS
            .iter()
            .flat_map(|format| [&format.option].into_iter().chain(format.others).map(|option| option.name));
        for names in [options.collect::<Vec<_>>(), downloads().collect()] {
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        }
    }

    #[test]
    fn each_file_has_the_extension_of_its_format() {
        for format in &FORMATS {
            for file in format.downloads {
                assert_eq!(file.file.rsplit('.').next(), Some(format.option.name));
                assert!(download(file.file).is_some_and(|(_, media_type)| media_type == file.media_type));
            }
        }
        assert!(download("games.exe").is_none());
    }
}
