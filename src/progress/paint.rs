//! The colours on the terminal: green is good for the tested engine, red is bad, yellow needs attention, bold is most
//! important, dim least. Colour alone never carries information.

use console::Style;

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Paint {
    is_on: bool,
}

impl Paint {
    /// The setting for standard error, which follows `NO_COLOR` and `--color`.
    pub(super) fn of_stderr() -> Self {
        Self { is_on: console::colors_enabled_stderr() }
    }

    #[cfg(test)]
    pub(super) fn of(is_on: bool) -> Self {
        Self { is_on }
    }

    fn paint(self, style: Style, text: &str) -> String {
        style.force_styling(self.is_on).apply_to(text).to_string()
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.paint(Style::new().dim(), text)
    }

    pub(super) fn good(self, text: &str) -> String {
        self.paint(Style::new().green(), text)
    }

    pub(super) fn warn(self, text: &str) -> String {
        self.paint(Style::new().yellow(), text)
    }

    /// The colour of an estimate that is surely above 0, surely below 0, or neither.
    pub(super) fn signed(self, text: &str, low: f64, high: f64) -> String {
        match (low > 0.0, high < 0.0) {
            (true, _) => self.good(text),
            (_, true) => self.paint(Style::new().red(), text),
            _ => text.to_owned(),
        }
    }
}
