//! The speed of a worker over the last hours, in steps of some minutes: a bounded number of means.

use std::collections::VecDeque;

/// The length of a step.
pub(super) const STEP_MS: i64 = 5 * 60 * 1000;
/// The number of steps that are kept: twelve hours.
pub(super) const STEPS: usize = 144;
/// The total length of the kept steps.
pub(super) const SPAN_MS: i64 = STEP_MS * STEPS as i64;

/// The mean speed in each step, in pairs per second.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Speeds {
    /// The completed steps, with their numbers since 1970. A step without a look is missing.
    past: VecDeque<(i64, f32)>,
    /// The number of the current step, the sum of the speeds seen in it, and the number of looks.
    now: (i64, f64, u32),
}

impl Speeds {
    /// Returns the speeds of stored steps.
    pub(super) fn new(past: impl IntoIterator<Item = (i64, f32)>) -> Self {
        Self { past: past.into_iter().take(STEPS).collect(), ..Self::default() }
    }

    /// Returns all steps.
    pub(super) fn steps(&self) -> Vec<(i64, f32)> {
        self.past.iter().copied().chain(self.current()).collect()
    }

    fn current(&self) -> Option<(i64, f32)> {
        let (step, sum, looks) = self.now;
        (looks > 0).then(|| (step, (sum / f64::from(looks)) as f32))
    }

    /// Records a speed.
    pub(super) fn note(&mut self, unix_ms: i64, rate: f64) {
        let step = unix_ms.div_euclid(STEP_MS);
        // A restarted server continues with its stored step.
        if self.past.back().is_some_and(|(last, _)| *last == step) && self.now.2 == 0 {
            let kept = self.past.pop_back().map_or(0.0, |(_, mean)| f64::from(mean));
            self.now = (step, kept, 1);
        }
        if step != self.now.0 {
            self.past.extend(self.current());
            self.now = (step, 0.0, 0);
        }
        while self.past.len() > STEPS {
            self.past.pop_front();
        }
        self.now.1 += if rate.is_finite() { rate.max(0.0) } else { 0.0 };
        self.now.2 += 1;
    }

    /// Returns the speed in each of the last steps, the current one last, to three digits; `None` where the worker was
    /// not heard.
    pub(super) fn course(&self, unix_ms: i64) -> Vec<Option<f64>> {
        let first = unix_ms.div_euclid(STEP_MS) - STEPS as i64 + 1;
        let mut course = vec![None; STEPS];
        for (step, mean) in self.steps() {
            let place = usize::try_from(step - first).ok().and_then(|index| course.get_mut(index));
            if let Some(place) = place {
                *place = format!("{mean:.2e}").parse().ok();
            }
        }
        course
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_the_mean_of_what_was_seen_in_it() {
        let mut speeds = Speeds::default();
        let begin = 1000 * STEP_MS;
        for (at, rate) in [(0, 1.0), (1000, 3.0), (STEP_MS, 5.0), (3 * STEP_MS, 0.0), (3 * STEP_MS + 1, f64::NAN)] {
            speeds.note(begin + at, rate);
        }
        let course = speeds.course(begin + 3 * STEP_MS);
        assert_eq!(course.len(), STEPS);
        assert_eq!(course[STEPS - 4..], [Some(2.0), Some(5.0), None, Some(0.0)]);
        assert!(course[..STEPS - 4].iter().all(Option::is_none));
        assert!(speeds.course(begin + 10 * SPAN_MS).iter().all(Option::is_none), "long ago");
        // The stored steps are continued.
        let mut again = Speeds::new(speeds.steps());
        again.note(begin + 3 * STEP_MS + 2, 8.0);
        assert_eq!(again.course(begin + 3 * STEP_MS)[STEPS - 4..], [Some(2.0), Some(5.0), None, Some(4.0)]);
    }

    #[test]
    fn they_take_no_more_room_after_days() {
        let mut speeds = Speeds::default();
        (0..5000).for_each(|step| speeds.note(step * STEP_MS, 1.234_567));
        assert!(speeds.steps().len() <= STEPS + 1);
        assert!(speeds.course(4999 * STEP_MS).iter().all(|speed| *speed == Some(1.23)));
        // The clock is set back.
        speeds.note(0, 2.0);
        assert_eq!(speeds.course(0)[STEPS - 1], Some(2.0));
    }
}
