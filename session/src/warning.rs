//! Warnings, which do not stop a run, with their remedies.

use arena::config::{RoundsNeeded, TuneNote};
use arena::run::{Notice, UnsetOption};
use reports::text::{counted, grouped};
use std::fmt;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// A warning for the user.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// A trace was requested, but no engine process plays.
    NothingToTrace {
        /// The file that stays empty.
        path: PathBuf,
    },
    /// More engine threads than processors.
    TooFewProcessors {
        /// The games at a time.
        workers: usize,
        /// The threads that compute in each game.
        threads: usize,
        /// Whether an engine ponders, so that both engines of a game compute.
        ponder: bool,
        /// The number of processors.
        processors: usize,
    },
    /// A book has the same opening more than once.
    DuplicateOpenings {
        /// The book.
        book: String,
        /// The number of duplicates, and the first of them.
        what: String,
    },
    /// Some lines or games of a book contain no opening.
    SkippedOpenings {
        /// The book.
        book: String,
        /// The number of skipped lines, and the mistake in the first of them.
        what: String,
    },
    /// The run needs more openings than its book has.
    FewOpenings {
        /// The book.
        book: String,
        /// Openings in the book.
        openings: u64,
        /// Rounds of the run: pairs, or another unit.
        rounds: u64,
        /// The name of a round, in the singular.
        unit: &'static str,
    },
    /// A tournament with its own openings for each round needs more of them than its book has.
    FewForRounds {
        /// The book.
        book: String,
        /// Openings in the book.
        openings: u64,
        /// The length of the tournament.
        tournament: TournamentLength,
        /// The name of a round, in the singular: a pair, or another unit.
        unit: &'static str,
    },
    /// The host keeps engines waiting, or no longer does so, and the number of pairs at a time changes.
    Pace {
        /// The number before.
        before: usize,
        /// The number now.
        now: usize,
        /// The number of workers.
        workers: usize,
    },
    /// An engine does not have an option that the configuration sets, or does not accept its value.
    OptionPassedOver(UnsetOption),
    /// Time controls are scaled to this host.
    Scaled {
        /// The factor, in thousandths.
        thousandths: u64,
        /// The entrant whose bench was run, its nodes per second, and those for which the time controls are meant.
        of: Option<(String, NonZeroU64, NonZeroU64)>,
    },
    /// The run to resume has ended already, so nothing was played.
    Finished {
        /// The run or the job of several runs.
        run: String,
        /// Whether its number of pairs can be raised.
        takes_more: bool,
    },
    /// A setting of tuned parameters is not taken literally.
    Tuned(TuneNote),
    /// A tuning session ended with its start values.
    NothingToTest,
    /// The test of a session at several limits has ended.
    Carried {
        /// Whether the gain carried over to the target.
        says: String,
    },
    /// The test of a session has ended.
    Tested {
        /// The gain that the session expected, and the gain that the test measured.
        says: String,
    },
    /// A notice about the machines that play a run.
    Elsewhere(Notice),
    /// The page of a job cannot be written.
    NoPage {
        /// The reason.
        why: String,
    },
}

/// The length of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TournamentLength {
    /// The name of its schedule, such as `knockout`.
    pub called: &'static str,
    /// Its rounds.
    pub rounds: RoundsNeeded,
    /// The pairs of a meeting.
    pub pairs: u64,
}

impl TournamentLength {
    /// The number of openings without any tie-breaks.
    pub fn least_openings(&self) -> u64 {
        self.pairs.saturating_mul(self.rounds.rounds.into())
    }

    /// The number of openings with all possible tie-breaks; each round reserves its tie-breaks, whether it needs them
    /// or not.
    pub fn most_openings(&self) -> u64 {
        self.pairs.saturating_add(self.rounds.tie_breaks.into()).saturating_mul(self.rounds.rounds.into())
    }
}

impl Warning {
    /// Whether the run may suffer from it; other warnings are only informative.
    pub fn is_serious(&self) -> bool {
        match self {
            Self::Elsewhere(notice) => notice.is_serious,
            Self::TooFewProcessors { .. }
            | Self::SkippedOpenings { .. }
            | Self::OptionPassedOver(_)
            | Self::NoPage { .. } => true,
            Self::NothingToTrace { .. }
            | Self::DuplicateOpenings { .. }
            | Self::FewOpenings { .. }
            | Self::FewForRounds { .. }
            | Self::Pace { .. }
            | Self::Scaled { .. }
            | Self::Tuned(_)
            | Self::Carried { .. }
            | Self::Finished { .. }
            | Self::Tested { .. }
            | Self::NothingToTest => false,
        }
    }

    /// Returns the remedy, if there is one.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::NothingToTrace { .. } => Some("leave the trace out"),
            Self::TooFewProcessors { .. } => Some("play fewer games at a time, or give the engines fewer threads"),
            Self::DuplicateOpenings { .. } => Some("`spar book pick` writes a book without duplicates"),
            Self::SkippedOpenings { .. } => {
                Some("correct or remove them; `strict = true` under `[openings]` refuses such a book")
            }
            Self::FewOpenings { .. } | Self::FewForRounds { .. } => Some("use a larger book, or play fewer games"),
            Self::Pace { now, workers, .. } if now < workers => {
                Some("end other programs, or play fewer pairs at a time")
            }
            Self::Finished { takes_more: true, .. } => Some("`--pairs N` gives it more pairs"),
            Self::Tuned(TuneNote::Rounded(_)) => {
                Some("write a whole number, or `kind = \"real\"` if the engine takes fractions")
            }
            Self::Tuned(TuneNote::Off(_)) => Some("add `start = true` to those that are on by default"),
            Self::Tuned(TuneNote::Frozen(_)) => Some("write a step above 0 to tune them"),
            Self::OptionPassedOver(_) => Some("correct it in `options`, or remove it"),
            Self::Finished { .. }
            | Self::Pace { .. }
            | Self::NothingToTest
            | Self::Carried { .. }
            | Self::Tested { .. }
            | Self::Elsewhere(_)
            | Self::Scaled { .. }
            | Self::NoPage { .. } => None,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToTrace { path } => write!(
                f,
                "nothing is written to {}: all players are spar's own, and no lines are exchanged",
                path.display()
            ),
            Self::TooFewProcessors { workers, threads, ponder, processors } => write!(
                f,
                "{} at a time, with {} in each{}, {} {}, and there {}",
                counted(*workers as u64, "game"),
                counted(*threads as u64, "thread"),
                if *ponder { " as engines ponder" } else { "" },
                if *workers == 1 { "wants" } else { "want" },
                counted((workers * threads) as u64, "processor"),
                if *processors == 1 { "is 1".to_owned() } else { format!("are {processors}") }
            ),
            Self::DuplicateOpenings { book, what } => write!(f, "{book} has openings that are the same: {what}"),
            Self::SkippedOpenings { book, what } => write!(f, "{book} has openings that cannot be used: {what}"),
            Self::FewOpenings { book, openings, rounds, unit } => write!(
                f,
                "{book} has only {} for {}, so {}",
                counted(*openings, "opening"),
                counted(*rounds, unit),
                if *openings == 1 { "it repeats" } else { "openings repeat" }
            ),
            Self::FewForRounds { book, openings, tournament, unit } => {
                let TournamentLength { called, rounds: RoundsNeeded { rounds, tie_breaks }, pairs } = *tournament;
                let (least, most) = (tournament.least_openings(), tournament.most_openings());
                write!(
                    f,
                    "each round of a {called} has its own openings: {} of {}",
                    counted(rounds.into(), "round"),
                    counted(pairs, unit)
                )?;
                if tie_breaks > 0 {
                    write!(f, " and up to {}", counted(tie_breaks.into(), "tie-break"))?;
                }
                write!(
                    f,
                    " need {}, more than the {} of {book}: openings {} come again",
                    grouped(most),
                    counted(*openings, "opening"),
                    if least > *openings { "will" } else { "may" }
                )
            }
            Self::Pace { before, now, workers } if now < before => {
                let of = counted(*workers as u64, "worker");
                write!(f, "Engines wait too long for a processor: from now on {now} of {of} play.")
            }
            Self::Pace { now, workers, .. } if now < workers => {
                let of = counted(*workers as u64, "worker");
                write!(f, "The host is quieter: from now on {now} of {of} play.")
            }
            Self::Pace { workers, .. } => write!(f, "The host is quiet again: all {workers} workers play."),
            Self::OptionPassedOver(UnsetOption { entrant, why }) => {
                write!(f, "entrant \"{entrant}\": {why}; ignored")
            }
            Self::Scaled { thousandths, of } => {
                write!(f, "Time controls are multiplied by {:.3} on this host", *thousandths as f64 / 1000.0)?;
                match of {
                    Some((entrant, measured, reference)) => write!(
                        f,
                        ": \"{entrant}\" searches {} nodes/s here, and {} on the reference host.",
                        grouped(measured.get()),
                        grouped(reference.get())
                    ),
                    None => f.write_str("."),
                }
            }
            Self::Finished { run, .. } => write!(f, "{run} is finished: nothing was played."),
            Self::Tuned(note) => note.fmt(f),
            Self::Elsewhere(notice) => f.write_str(&notice.text),
            Self::NoPage { why } => write!(f, "there is no report: {why}"),
            Self::Carried { says } | Self::Tested { says } => f.write_str(says),
            Self::NothingToTest => f.write_str("The session ended at its start values: there is nothing to test."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_nouns_agree() {
        let few = |workers, threads, ponder, processors| {
            Warning::TooFewProcessors { workers, threads, ponder, processors }.to_string()
        };
        assert_eq!(few(4, 1, false, 2), "4 games at a time, with 1 thread in each, want 4 processors, and there are 2");
        assert_eq!(
            few(1, 2, true, 1),
            "1 game at a time, with 2 threads in each as engines ponder, wants 2 processors, and there is 1"
        );
        let openings = |rounds, openings| Warning::FewOpenings { book: "b".to_owned(), openings, rounds, unit: "pair" };
        assert_eq!(openings(2000, 1).to_string(), "b has only 1 opening for 2,000 pairs, so it repeats");
        let knockout = |tie_breaks| {
            let rounds = RoundsNeeded { rounds: 3, tie_breaks };
            let (book, tournament) = ("b".to_owned(), TournamentLength { called: "knockout", rounds, pairs: 4 });
            Warning::FewForRounds { book, openings: 11, tournament, unit: "pair" }.to_string()
        };
        let need = "each round of a knockout has its own openings: 3 rounds of 4 pairs";
        assert_eq!(knockout(0), format!("{need} need 12, more than the 11 openings of b: openings will come again"));
        let all = "and up to 10 tie-breaks need 42, more than the 11 openings of b: openings will come again";
        assert_eq!(knockout(10), format!("{need} {all}"));
    }
}
