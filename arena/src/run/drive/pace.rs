//! The number of pairs played at a time. A session or a fleet worker whose players the host repeatedly starves lowers
//! this number, and raises it again when the host is quiet.
//!
//! The pace limits only how many pairs are submitted. It affects neither which pairs are played nor the order in which
//! they count.

/// The number of results in a window.
const WINDOW: u32 = 8;

/// The number of starved pairs in a window that is no accident.
const REPEATED: u32 = 3;

/// The numbers of consecutive pairs without starvation after which the host counts as quiet: the initial number, and
/// the maximum after repeated premature increases.
const QUIET: [u32; 2] = [16, 256];

/// The number of pairs submitted per worker where players are timed: enough that no worker waits for the driver, and
/// few enough that a lower pace takes effect soon.
const AHEAD: usize = 2;

/// The number of pairs at a time, and the evidence for changing it.
#[derive(Debug)]
pub struct Pace {
    workers: usize,
    now: usize,
    /// Whether the executor measures starvation.
    measured: bool,
    /// The number of results in this window, and the number of starved ones.
    seen: u32,
    starved: u32,
    /// The number of consecutive results without starvation.
    quiet: u32,
    /// The number of consecutive results without starvation that raises the pace.
    wanted: u32,
    /// Whether the pace has been raised since it was lowered.
    raised: bool,
    /// The number of missing results of pairs that were submitted before the pace changed.
    stale: usize,
}

impl Pace {
    /// Creates a pace at which all workers play. `measured` is whether the executor can measure starvation.
    pub fn new(workers: usize, measured: bool) -> Self {
        let (seen, starved, quiet, wanted) = (0, 0, 0, QUIET[0]);
        Self { workers, now: workers, measured, seen, starved, quiet, wanted, raised: false, stale: 0 }
    }

    /// Returns how many pairs are played at a time.
    pub fn at_a_time(&self) -> usize {
        self.now
    }

    /// Returns how many pairs would be played at a time if the host starved no players.
    pub(super) fn workers(&self) -> usize {
        self.workers
    }

    /// Plays `workers` pairs at a time from now on; `others` pairs are still being played.
    pub(super) fn set_workers(&mut self, workers: usize, others: usize) {
        self.workers = workers;
        self.change(workers, others);
    }

    /// Returns how many pairs may be outstanding at an executor of this capacity that plays `begun` at a time.
    pub(super) fn most(&self, capacity: usize, begun: usize) -> usize {
        match self.now {
            now if now < self.workers => now,
            // An executor that would start more pairs than wanted gets no more than that.
            now if now < begun => now,
            now if self.measured => capacity.min(now * AHEAD),
            _ => capacity,
        }
    }

    /// Records whether the host starved a player in a pair; `others` pairs are still being played.
    pub fn note(&mut self, starved: bool, others: usize) {
        if self.stale > 0 {
            self.stale -= 1;
            return;
        }
        self.seen += 1;
        self.starved += u32::from(starved);
        self.quiet = if starved { 0 } else { self.quiet.saturating_add(1) };
        if self.starved >= REPEATED && self.now > 1 {
            self.lower(others);
        } else if self.quiet >= self.wanted {
            self.raise(others);
        } else if self.seen >= WINDOW {
            (self.seen, self.starved) = (0, 0);
        }
    }

    fn lower(&mut self, others: usize) {
        if self.raised {
            self.wanted = (self.wanted * 2).min(QUIET[1]);
        }
        self.change(self.now - (self.now / 4).max(1), others);
        self.raised = false;
    }

    fn raise(&mut self, others: usize) {
        if self.now == self.workers {
            // All workers play and the host is quiet: earlier premature increases are forgotten.
            (self.wanted, self.quiet) = (QUIET[0], 0);
            return;
        }
        self.change((self.now + (self.workers / 8).max(1)).min(self.workers), others);
        self.raised = true;
    }

    fn change(&mut self, now: usize, others: usize) {
        self.now = now;
        (self.seen, self.starved, self.quiet, self.stale) = (0, 0, 0, others);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records results one at a time, and returns the resulting number of pairs at a time.
    fn after(pace: &mut Pace, results: impl IntoIterator<Item = bool>) -> usize {
        for starved in results {
            pace.note(starved, 0);
        }
        pace.at_a_time()
    }

    #[test]
    fn it_falls_to_one_under_load_and_comes_back() {
        let mut pace = Pace::new(8, true);
        assert_eq!(after(&mut pace, [true, false, true]), 8, "twice may be an accident");
        assert_eq!(after(&mut pace, [true]), 6);
        assert_eq!(after(&mut pace, [true; 300]), 1);
        assert_eq!(after(&mut pace, [false; 15]), 1);
        assert_eq!(after(&mut pace, [false]), 2);
        assert_eq!(after(&mut pace, [false; 6 * 16]), 8);
        assert_eq!(after(&mut pace, [false; 1000]), 8);
    }

    #[test]
    fn a_starved_pair_now_and_then_changes_nothing() {
        let mut pace = Pace::new(4, true);
        assert_eq!(after(&mut pace, (0..400).map(|pair| pair % 8 < 2)), 4);
    }

    #[test]
    fn what_was_given_out_before_is_no_evidence_of_what_is_now() {
        let mut pace = Pace::new(8, true);
        after(&mut pace, [true, true]);
        pace.note(true, 5);
        assert_eq!(after(&mut pace, [true; 5]), 6, "still played by eight at a time");
        assert_eq!(after(&mut pace, [true; 3]), 5);
    }

    #[test]
    fn raising_too_early_makes_it_wait_longer() {
        let mut pace = Pace::new(2, true);
        for wanted in [16, 32, 64, 128, 256, 256] {
            assert_eq!(after(&mut pace, [true; 3]), 1);
            assert_eq!(after(&mut pace, (1..wanted).map(|_| false)), 1, "{wanted}");
            assert_eq!(after(&mut pace, [false]), 2, "{wanted}");
        }
    }

    #[test]
    fn no_more_is_given_out_than_is_played() {
        let mut pace = Pace::new(8, true);
        assert_eq!((pace.most(512, 8), Pace::new(8, false).most(512, 8)), (16, 512));
        after(&mut pace, [true; 3]);
        assert_eq!(pace.most(512, 8), 6);
        pace.set_workers(4, 0);
        assert_eq!((pace.most(512, 8), pace.most(512, 4), pace.at_a_time()), (4, 8, 4));
    }
}
