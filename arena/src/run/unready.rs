//! Why a run cannot start.

use super::drive::error::RunError;

/// This many of the last lines of an engine are shown.
const MOST_HEARD: usize = 12;

/// Why a run cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Unready {
    /// An entrant's process does not get ready.
    #[error("entrant \"{entrant}\" could not be started for a game: {why}{}", shown_evidence(.evidence.as_deref()))]
    Entrant {
        /// Which.
        entrant: String,
        /// Why.
        why: String,
        /// Its last lines.
        evidence: Option<String>,
    },
    /// There is no first opening.
    #[error("the first opening cannot be made: {why}")]
    Opening {
        /// Why.
        why: String,
    },
    /// The endgame tables that games are to be ended by cannot be used.
    #[error("{why}")]
    Endgames {
        /// Why.
        why: String,
    },
    /// The pairs of the run cannot be made.
    #[error(transparent)]
    Pair(#[from] RunError),
}

/// The last lines of a process, indented.
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
