//! The standing of a job of several runs, as a line and a table, for the terminal and the dashboard while the job runs.

/// The standing of a job of several runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobTable {
    /// Its progress, in a line.
    pub says: String,
    /// Its next step, if there is one.
    pub next: Option<String>,
    /// The columns, from the left. The first one has the names.
    pub columns: Vec<Column>,
    /// The rows, the best first.
    pub rows: Vec<Row>,
    /// Lines below the table.
    pub below: Vec<String>,
}

impl JobTable {
    /// Returns its progress and its next step, in a line.
    pub fn line(&self) -> String {
        self.next.as_ref().map_or_else(|| self.says.clone(), |next| format!("{}. Next: {next}", self.says))
    }

    /// Returns the headers of the columns.
    pub fn heads(&self) -> Vec<&'static str> {
        self.columns.iter().map(|column| column.head).collect()
    }
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its header.
    pub head: &'static str,
    /// Whether it contains text, which is aligned to the left; numbers are aligned to the right.
    pub is_text: bool,
    /// Its priority: without enough space, the columns with the highest number are dropped first. Columns with 0 always
    /// stay.
    pub rank: u8,
}

/// A row: a patch of a campaign, for instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its cells, one for each column.
    pub cells: Vec<String>,
    /// The state of the row.
    pub tone: Tone,
    /// The name of its run, once it has one.
    pub run: Option<String>,
    /// The reason if it no longer plays.
    pub why: Option<String>,
}

/// The state of a row. The cells contain the word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The patch or commit was found.
    Good,
    /// It still plays.
    Open,
    /// It no longer plays.
    Over,
}

impl Tone {
    /// Returns the word for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Open => "open",
            Self::Over => "over",
        }
    }
}
