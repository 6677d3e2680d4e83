//! Why a host's speed is not known.

use arena::config::{LEAST_FACTOR, MOST_FACTOR};
use reports::text::grouped;
use std::num::NonZeroU64;

/// This many lines of a bench without a speed are shown.
const SHOWN_LINES: usize = 5;

/// Why a host's speed is not known.
#[derive(Debug, thiserror::Error)]
pub enum SpeedError {
    /// The bench does not work.
    #[error("the speed of this host cannot be measured: `{command}` {why}{}", shown(.output))]
    Bench {
        /// What was run.
        command: String,
        /// What was wrong.
        why: String,
        /// The last lines that it printed.
        output: String,
    },
    /// The factor makes no sense.
    #[error(
        "\"{entrant}\" searches {} nodes/s here, and {} on the reference host: the factor {factor:.4} is not from \
            {LEAST_FACTOR} to {MOST_FACTOR}. Is `bench.nps` right?", grouped(measured.get()), grouped(reference.get())
    )]
    Factor {
        /// Whose bench was run.
        entrant: String,
        /// What it did.
        measured: NonZeroU64,
        /// What it was to do.
        reference: NonZeroU64,
        /// The one by the other.
        factor: f64,
    },
}

fn shown(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    let last = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    last.iter().flat_map(|line| ["\n  ", line]).collect()
}
