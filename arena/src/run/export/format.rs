//! The formats that there are, found by the option of `spar export` or by the name of a download. Each is a module that
//! has its name, its options, what it is made from, and how it writes. A new one is such a module, and a line in
//! [`FORMATS`].

use super::{Row, Timings, csv, epd, json, pgn};
use crate::config::RunConfig;
use std::fmt;
use std::io;

/// The formats, in the order in which the help lists them.
static FORMATS: [FormatInfo; 5] = [json::LINES, json::FORMAT, csv::FORMAT, pgn::FORMAT, epd::FORMAT];

/// How a run is written.
pub trait Format: fmt::Debug + Send + Sync {
    /// What goes before the first pair.
    ///
    /// # Errors
    /// What the system says.
    fn beginning(&self, _config: &RunConfig, _timings: Timings) -> io::Result<String> {
        Ok(String::new())
    }

    /// One pair; `None` if its moves are not moves of the game.
    fn pair(&self, row: &Row<'_>, timings: Timings) -> Option<String>;

    /// What goes between two pairs.
    fn separator(&self) -> &'static str {
        ""
    }

    /// What goes after the last pair.
    fn end(&self) -> &'static str {
        ""
    }

    /// Whether it writes moves or positions, which takes the rules of the game.
    fn needs_rules(&self) -> bool {
        true
    }
}

/// An entry of the list of formats.
pub struct FormatInfo {
    /// The option of `spar export` that asks for it.
    pub option: FormatOption,
    /// Options that it has beside that one.
    pub others: &'static [FormatOption],
    make: fn(&FormatRequest<'_>) -> Result<Box<dyn Format>, String>,
    downloads: &'static [Download],
}

/// An option of the command line.
pub struct FormatOption {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the help.
    pub help: &'static str,
    /// Its value, if it takes one.
    pub value: Option<OptionValue>,
}

/// What an option takes.
pub struct OptionValue {
    /// Its name in the help.
    pub name: &'static str,
    /// Whether there can be several, separated by commas.
    pub is_list: bool,
    /// Checks one. The error says what was expected.
    pub check: fn(&str) -> Result<(), String>,
}

/// The values of the options of a format.
pub struct FormatRequest<'a> {
    /// The values given for the option of a name; none if it was not given.
    pub values: &'a dyn Fn(&str) -> Vec<String>,
}

/// A file that `spar serve` offers.
pub(super) struct Download {
    pub(super) file: &'static str,
    pub(super) media_type: &'static str,
    pub(super) make: fn() -> Box<dyn Format>,
}

impl FormatInfo {
    /// All formats.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        FORMATS.iter()
    }

    /// The format with the values of its options.
    ///
    /// # Errors
    /// Which value was expected in place of one that was given.
    pub fn make(&self, request: &FormatRequest<'_>) -> Result<Box<dyn Format>, String> {
        (self.make)(request)
    }

    /// A format that is asked for by an option without a value.
    pub(super) const fn new(
        name: &'static str,
        help: &'static str,
        make: fn(&FormatRequest<'_>) -> Result<Box<dyn Format>, String>,
        downloads: &'static [Download],
    ) -> Self {
        Self { option: FormatOption { name, help, value: None }, others: &[], make, downloads }
    }

    /// The same with a value.
    pub(super) const fn with_value(mut self, value: OptionValue) -> Self {
        self.option.value = Some(value);
        self
    }

    /// The same with other options.
    pub(super) const fn with_others(self, others: &'static [FormatOption]) -> Self {
        Self { others, ..self }
    }
}

/// The format and the media type of a file that can be downloaded, by its name.
pub fn download(file: &str) -> Option<(Box<dyn Format>, &'static str)> {
    let download = FORMATS.iter().flat_map(|format| format.downloads).find(|download| download.file == file)?;
    Some(((download.make)(), download.media_type))
}

/// The names of all files that can be downloaded.
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
