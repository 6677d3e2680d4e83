//! Where a job of several runs stands, as a line and a table: for the terminal and the dashboard while it runs.

/// Where a job of several runs stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobTable {
    /// How far it is, in a line.
    pub says: String,
    /// What it does next, if anything is left to do.
    pub next: Option<String>,
    /// The columns, from the left. The first one has the names.
    pub columns: Vec<Column>,
    /// The rows, the best first.
    pub rows: Vec<Row>,
    /// Lines below the table.
    pub below: Vec<String>,
}

impl JobTable {
    /// How far it is and what it does next, in a line.
    pub fn line(&self) -> String {
        self.next.as_ref().map_or_else(|| self.says.clone(), |next| format!("{}. Next: {next}", self.says))
    }

    /// The heads of the columns.
    pub fn heads(&self) -> Vec<&'static str> {
        self.columns.iter().map(|column| column.head).collect()
    }
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// What is above it.
    pub head: &'static str,
    /// Whether it has text, which begins at the left; numbers end at the right.
    pub is_text: bool,
    /// How unimportant it is: where there is no room, the columns with the largest number are left out first. Those of
    /// 0 always stay.
    pub rank: u8,
}

/// A row: a patch of a campaign, for instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its cells, one for each column.
    pub cells: Vec<String>,
    /// What has become of it.
    pub tone: Tone,
    /// The name of its run, once it has one.
    pub run: Option<String>,
    /// Why it no longer plays, if it does not.
    pub why: Option<String>,
}

/// What has become of a row. Its cells have the word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// It was found.
    Good,
    /// It plays.
    Open,
    /// It no longer plays.
    Over,
}

impl Tone {
    /// The word for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Open => "open",
            Self::Over => "over",
        }
    }
}
