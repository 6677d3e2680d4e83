//! The central abstraction: an experiment proposes pairs and absorbs their results, in pair order.

use crate::schedules::{PairingStanding, TournamentStanding};
use engine::ParamKind;
use record::{PairIndex, Proposal};
use serde::{Deserialize, Serialize};
use stats::{Counts, Outcome, PairOutcome, Score};
use std::any::Any;
use std::fmt;

/// How far an experiment that does not learn runs ahead of its absorbed pairs, so that one slow pair never idles the
/// workers. Its proposals do not depend on results, so this is not part of a run's identity.
pub const FREE_RUN: u64 = 1 << 20;

/// A job of the harness: decides what to play next, and what the results mean.
///
/// Code that knows the type of an experiment can reach its other methods through [`Any`].
///
/// The driver calls [`propose`](Self::propose) for 0, 1, 2 ... and [`absorb`](Self::absorb) for 0, 1, 2 ..., in one
/// fixed interleaving: pair `i` is proposed after exactly [`required_absorbed`](Self::required_absorbed)`(i)` pairs
/// have been absorbed. So a proposal may depend only on the configuration, the seed, `i` and those pairs.
pub trait Experiment: Any + Send + Sync {
    /// Returns how many pairs must be absorbed before pair `pair` is proposed: at most `pair`, and never decreasing.
    fn required_absorbed(&self, pair: PairIndex) -> u64 {
        pair.saturating_sub(FREE_RUN)
    }

    /// Whether the proposals are independent of absorbed results. They are then made on demand, which may be later than
    /// [`required_absorbed`](Self::required_absorbed) allows: a fleet may have a million pairs in play, and no single
    /// machine needs to know all of them.
    fn is_free(&self) -> bool {
        false
    }

    /// Returns the names of the parameters whose values the proposals carry, in their order; empty if none vary.
    fn varied(&self) -> &[String] {
        &[]
    }

    /// Returns the proposal for pair `pair`; `None` if the experiment wants neither it nor any later pair.
    fn propose(&mut self, pair: PairIndex) -> Option<Proposal>;

    /// Absorbs the outcome of the next pair, from the view of the proposal's first seat.
    fn absorb(&mut self, pair: PairIndex, proposal: &Proposal, outcome: PairOutcome);

    /// Absorbs the score of a pair that was proposed as a single game. Never called for an experiment that proposes
    /// none.
    fn absorb_game(&mut self, _pair: PairIndex, _proposal: &Proposal, _score: Score) {}

    /// Absorbs the next pair, whether it has two games or one.
    fn absorb_outcome(&mut self, pair: PairIndex, proposal: &Proposal, outcome: Outcome) {
        match outcome {
            Outcome::Pair(outcome) => self.absorb(pair, proposal, outcome),
            Outcome::Game(score) => self.absorb_game(pair, proposal, score),
        }
    }

    /// Returns an independent copy.
    fn copied(&self) -> Box<dyn Experiment>;

    /// Returns the verdict, once there is one. No further pair is absorbed after that.
    fn verdict(&self) -> Option<Verdict>;

    /// Returns the current standing, for display and for machines.
    fn standing(&self) -> Standing;

    /// Returns the results as series for plotting.
    fn series(&self) -> Vec<Series>;
}

impl Clone for Box<dyn Experiment> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}

impl fmt::Debug for dyn Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Experiment").field(&self.standing()).finish()
    }
}

/// How an experiment ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// SPRT: H1 accepted.
    AcceptedH1,
    /// SPRT: H0 accepted.
    AcceptedH0,
    /// SPRT: the pair limit came first.
    Undecided,
    /// The fixed number of pairs was played.
    Complete,
}

/// The standing of an experiment after a number of absorbed pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Absorbed pairs.
    pub pairs: u64,
    /// The outcomes, six-way for pairs or by game, of the pairs with the first entrant, from its view; in self-play of
    /// all games, from the first mover's view.
    pub counts: Counts,
    /// The expected number of pairs still needed, if it can be estimated.
    pub pairs_left: Option<u64>,
    /// The part that only this kind of experiment has.
    pub of: StandingOf,
}

/// The part of a standing that depends on the kind of experiment.
#[derive(Clone, Debug, PartialEq)]
pub enum StandingOf {
    /// A sequential test.
    Sprt {
        /// The state of the test.
        test: SprtStanding,
        /// The pairing of its two entrants.
        pairing: PairingStanding,
    },
    /// A match.
    Match {
        /// Each pairing of its schedule.
        pairings: Vec<PairingStanding>,
    },
    /// A match whose pairings depend on results.
    Tournament {
        /// Each pairing so far, in the order in which they were drawn.
        pairings: Vec<PairingStanding>,
        /// The table or bracket.
        tournament: TournamentStanding,
    },
    /// A tuning session.
    Tune(TuneStanding),
    /// A ladder.
    Ladder {
        /// The pairings played so far.
        pairings: Vec<PairingStanding>,
    },
    /// Self-play; its counts are from the first mover's view.
    Selfplay,
}

impl Standing {
    /// Returns the outcomes of each pairing. Empty for a tuning session, whose one entrant plays itself, and for
    /// self-play, which compares no entrants.
    pub fn pairings(&self) -> &[PairingStanding] {
        match &self.of {
            StandingOf::Sprt { pairing, .. } => std::slice::from_ref(pairing),
            StandingOf::Match { pairings }
            | StandingOf::Tournament { pairings, .. }
            | StandingOf::Ladder { pairings } => pairings,
            StandingOf::Tune(_) | StandingOf::Selfplay => &[],
        }
    }

    /// Returns the state of the sequential test, if the experiment is one.
    pub fn sprt(&self) -> Option<&SprtStanding> {
        match &self.of {
            StandingOf::Sprt { test, .. } => Some(test),
            StandingOf::Match { .. }
            | StandingOf::Tournament { .. }
            | StandingOf::Tune(_)
            | StandingOf::Ladder { .. }
            | StandingOf::Selfplay => None,
        }
    }

    /// Returns the table or bracket, if the experiment is a match whose pairings depend on results.
    pub fn tournament(&self) -> Option<&TournamentStanding> {
        match &self.of {
            StandingOf::Tournament { tournament, .. } => Some(tournament),
            StandingOf::Sprt { .. }
            | StandingOf::Match { .. }
            | StandingOf::Tune(_)
            | StandingOf::Ladder { .. }
            | StandingOf::Selfplay => None,
        }
    }

    /// Returns the first mover's counts, if the experiment is self-play.
    pub fn first_mover(&self) -> Option<&Counts> {
        matches!(self.of, StandingOf::Selfplay).then_some(&self.counts)
    }

    /// Returns the state of the tuning session, if the experiment is one.
    pub fn tune(&self) -> Option<&TuneStanding> {
        match &self.of {
            StandingOf::Tune(tune) => Some(tune),
            StandingOf::Sprt { .. }
            | StandingOf::Match { .. }
            | StandingOf::Tournament { .. }
            | StandingOf::Ladder { .. }
            | StandingOf::Selfplay => None,
        }
    }
}

/// The state of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtStanding {
    /// Log-likelihood ratio.
    pub llr: f64,
    /// The LLR at or below which H0 is accepted.
    pub lower: f64,
    /// The LLR at or above which H1 is accepted.
    pub upper: f64,
    /// The estimated difference once the test has decided, corrected for the stopping rule.
    pub decided: Option<DecidedElo>,
}

/// The median-unbiased estimate after a sequential test. The usual estimate is biased towards the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DecidedElo {
    /// Logistic Elo, which is too high as often as too low.
    pub elo: f64,
    /// The lower end of the 95% interval; may be infinite.
    pub low: f64,
    /// The upper end of the 95% interval; may be infinite.
    pub high: f64,
    /// The probability under H0 of an outcome at least as good.
    pub p_value: f64,
}

/// The state of a tuning session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TuneStanding {
    /// Each parameter, in the order of the configuration.
    pub parameters: Vec<TunedStanding>,
    /// The estimated Elo gain over the start and its standard error; `None` without a model.
    pub gain: Option<(f64, f64)>,
    /// The expected Elo loss against the best values within reach; `None` without a model.
    pub regret: Option<f64>,
    /// A likely upper bound of the regret if strength changes over less than the distance between the sides.
    pub regret_at_most: Option<f64>,
    /// Reasons to trust these numbers less than they suggest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<TuneCaution>,
    /// The limits at which pairs were played, if there are several: the cheapest first, the target last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitStanding>,
    /// The parameters with their current values, one `OpenBench` input line each.
    pub openbench: Vec<String>,
}

/// A reason to distrust the numbers of a tuning session. Each number is followed by its standard error.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TuneCaution {
    /// These parameters interact: the best value of one depends on the values of the others.
    Together(Vec<String>),
    /// Late pairs differ from the fit's prediction: they show this share of it, where 1 is right.
    Unpredicted(f64, f64),
    /// The Elo gain that curves of single parameters show beyond that of the fit.
    Curves(f64, f64),
    /// The Elo gain that games against the start show beyond that of the fit, which never saw those games.
    Start(f64, f64),
}

/// A limit of a tuning session that plays at several limits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitStanding {
    /// The limit.
    pub limit: String,
    /// The number of absorbed pairs played at this limit.
    pub pairs: u64,
    /// The cost of a pair, in pairs at the target; 1 for the target itself.
    pub cost: f64,
}

/// The serialised form of [`ParamKind`].
#[derive(Serialize)]
#[serde(remote = "ParamKind", rename_all = "kebab-case")]
enum SerialisedKind {
    Real,
    #[serde(rename = "whole")]
    Integer,
    Switch,
}

/// The state of one tuned parameter, flat as pages and JSON need it, and in units of the engine's value where a group's
/// factor is tuned. It therefore repeats fields of [`tuner::Parameter`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TunedStanding {
    /// The parameter's name.
    pub name: String,
    /// The kind of values, which decides how they are written.
    #[serde(rename = "form", with = "SerialisedKind")]
    pub kind: ParamKind,
    /// The start value.
    pub start: f64,
    /// The lowest legal value.
    pub min: f64,
    /// The highest legal value.
    pub max: f64,
    /// The current estimate of the best value.
    pub now: f64,
    /// The standard error of that estimate; `None` without a model and for a switch.
    pub sd: Option<f64>,
    /// Half the width of the range around that estimate that holds the best value with 95% probability; `None` as
    /// above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<f64>,
    /// The probability that a switch is better on; `None` without a model and for all other kinds.
    pub on: Option<f64>,
    /// How far the best value moves when the limit is doubled, and its standard error, in a session at several limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<(f64, f64)>,
    /// One step as configured: the unit for judging changes.
    pub step: f64,
    /// Whether steps are equal on a logarithmic scale; `step` is then the one from the start.
    #[serde(skip)]
    pub is_log: bool,
    /// The value over time, as a few dozen points; empty for a frozen parameter.
    pub course: Vec<f64>,
    /// Whether the parameter stays at its start.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub frozen: bool,
    /// The values of a category. Its numeric values are indices into this list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<CategoryValue>,
}

/// A value of a category.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CategoryValue {
    /// The text that the engine gets.
    pub text: String,
    /// The probability that this value is the best; `None` without a model.
    pub best: Option<f64>,
}

impl TunedStanding {
    /// Returns the number of decimals that shows a hundredth of a step from `value`.
    pub fn decimals(&self, value: f64) -> usize {
        let step = if self.is_log { self.step * value / self.start } else { self.step };
        let (mut hundredth, mut decimals) = (step / 100.0, 0);
        while hundredth < 1.0 - 1e-9 && decimals < 8 {
            hundredth *= 10.0;
            decimals += 1;
        }
        decimals
    }

    /// Returns how many steps the current value is from the start.
    pub fn steps(&self) -> f64 {
        if self.is_log {
            libm::log(self.now / self.start) / libm::log1p(self.step / self.start)
        } else {
            (self.now - self.start) / self.step
        }
    }

    /// Formats a legal value: a category by its text, whole numbers without decimals, others to a hundredth of a step.
    /// If rounding would leave the range, the bound is written in full; so is the value of a frozen parameter.
    pub fn number(&self, value: f64) -> String {
        if let Some(category) = self.values.get(value as usize) {
            return category.text.clone();
        }
        if self.frozen {
            return value.to_string();
        }
        let decimals = if self.kind == ParamKind::Real { self.decimals(value) } else { 0 };
        let text = format!("{value:.decimals$}");
        match text.parse::<f64>() {
            Ok(rounded) if rounded < self.min => self.min.to_string(),
            Ok(rounded) if rounded > self.max => self.max.to_string(),
            // Avoid `-0`.
            Ok(0.0) => format!("{:.decimals$}", 0.0),
            _ => text,
        }
    }
}

/// A series of points, which renderers identify by its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// The name of the plotted quantity, e.g. `llr`.
    pub name: String,
    /// The points, in order of x.
    pub points: Vec<Point>,
}

/// A point of a series, with its uncertainty if known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The x value, usually the number of absorbed pairs.
    pub x: f64,
    /// The y value.
    pub y: f64,
    /// The lower end of the band: 95% in matches, one standard error in tuning sessions.
    pub low: Option<f64>,
    /// The upper end of the band.
    pub high: Option<f64>,
}
