//! Why a run cannot start.

use super::drive::error::RunError;

/// The number of an engine's last lines to show.
const MOST_HEARD: usize = 12;

/// Why a run cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Unready {
    /// An entrant's process did not get ready.
    #[error("entrant \"{entrant}\" could not be started for a game: {why}{}", shown_evidence(.evidence.as_deref()))]
    Entrant {
        /// The entrant.
        entrant: String,
        /// The reason.
        why: String,
        /// The process's last lines.
        evidence: Option<String>,
    },
    /// The first opening cannot be made.
    #[error("the first opening cannot be made: {why}")]
    Opening {
        /// The reason.
        why: String,
    },
    /// The endgame tables for adjudication cannot be used.
    #[error("{why}")]
    Endgames {
        /// The reason.
        why: String,
    },
    /// A pair of the run cannot be made.
    #[error(transparent)]
    Pair(#[from] RunError),
}

/// Formats the last lines of a process, indented.
fn shown_evidence(evidence: Option<&str>) -> String {
    let lines: Vec<&str> = evidence.unwrap_or_default().lines().collect();
    let last = &lines[lines.len().saturating_sub(MOST_HEARD)..];
    last.iter().flat_map(|line| ["\n  ", line]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_shown_below() {
        assert_eq!(shown_evidence(None), "");
        let many = (0..20).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
        let shown = shown_evidence(Some(&many));
        assert!(shown.starts_with("\n  8\n  9") && shown.ends_with("\n  19"), "{shown}");
    }
}
