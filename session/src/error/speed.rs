//! Why the speed of a host is unknown.

use arena::config::{LEAST_FACTOR, MOST_FACTOR};
use reports::text::grouped;
use std::num::NonZeroU64;

/// The number of lines that are shown of a bench without a speed.
const SHOWN_LINES: usize = 5;

/// Why the speed of a host is unknown.
#[derive(Debug, thiserror::Error)]
pub enum SpeedError {
    /// The bench failed.
    #[error("the speed of this host cannot be measured: `{command}` {why}{}", shown(.output))]
    Bench {
        /// The command.
        command: String,
        /// The failure.
        why: String,
        /// The last lines that it printed.
        output: String,
    },
    /// The factor is out of range.
    #[error(
        "\"{entrant}\" searches {} nodes/s here, and {} on the reference host: the factor {factor:.4} is not from \
            {LEAST_FACTOR} to {MOST_FACTOR}. Is `bench.nps` right?", grouped(measured.get()), grouped(reference.get())
    )]
    Factor {
        /// The entrant whose bench was run.
        entrant: String,
        /// Its nodes per second on this host.
        measured: NonZeroU64,
        /// Its nodes per second on the reference host.
        reference: NonZeroU64,
        /// The ratio of the two.
        factor: f64,
    },
}

fn shown(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    let last = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    last.iter().flat_map(|line| ["\n  ", line]).collect()
}
