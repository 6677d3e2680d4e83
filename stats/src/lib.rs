//! Match statistics: counts in, numbers out. No I/O, no clock, no unseeded randomness.
//!
//! * [`bisect`]: finds the commit that lost the strength, and the most informative match;
//! * [`campaign`]: finds the patches that gain, under one error budget;
//! * [`counted`]: counts of pairs or of games, by the kind of the match;
//! * [`counts`]: outcomes of games and pairs, and how often each occurred;
//! * [`durations`]: durations, in bins; [`delays`]: their excess over the reported durations;
//! * [`elo`]: the Elo scales; [`law`]: the sampled law of one pair or game and its moments;
//! * [`estimate`]: the estimates of a finished match, with intervals;
//! * [`likelihood`]: generalised log-likelihood ratios;
//! * [`matrix`]: symmetric systems of equations;
//! * [`sprt`]: the sequential test, pair by pair, and the estimate after it;
//! * [`plan`]: the cost and the power of a test, before it runs;
//! * [`random`]: seeded streams of random numbers, the same on every machine;
//! * [`residuals`]: tests whether parts of a match are alike;
//! * [`rating`]: ratings of many engines from their games against each other.
//!
//! Every number that affects a decision is computed from integers and `f64` arithmetic in a fixed order, with `libm`
//! for the other functions, so it is the same on every machine.

#![expect(clippy::doc_markdown, reason = "formulas in the documentation are plain text")]

pub mod bisect;
pub mod campaign;
pub mod counted;
pub mod counts;
pub mod delays;
pub mod durations;
pub mod elo;
pub mod estimate;
pub mod law;
pub mod likelihood;
pub mod matrix;
pub mod normal;
pub mod plan;
pub mod random;
pub mod rating;
pub mod residuals;
pub mod sprt;

pub use counted::{Counts, Outcome};
pub use counts::{CountsError, PairCounts, PairOutcome, Pentanomial, Score, Tally, Wdl};
pub use delays::{Delays, Latency};
pub use durations::Durations;
pub use estimate::{Basis, Estimate, Spread, Summary};
pub use law::{Law, Moments, Unit};
pub use likelihood::Model;
pub use sprt::{Bounds, Sprt, SprtConfig, SprtError, SprtState};
