//! The progress of a training, in one line.

use reports::text::{grouped, spoken};
use session::TrainingProgress;
use std::time::Duration;

/// The progress of a training, as a line.
pub(crate) fn training_line(progress: &TrainingProgress) -> String {
    let TrainingProgress { positions, of, loss, held_out, speed } = *progress;
    let share = 100.0 * positions as f64 / of.max(1) as f64;
    let left = of.saturating_sub(positions) as f64 / speed.max(1e-9);
    let held_out = held_out.map_or_else(String::new, |loss| format!("  held out {loss:.5}"));
    format!(
        "{share:.1}% of {} positions  loss {loss:.5}{held_out}  {} positions/s  about {}",
        grouped(of),
        grouped(speed as u64),
        spoken(Duration::from_secs_f64(left.min(1e9)))
    )
}
