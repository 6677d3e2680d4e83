//! The one idea: an experiment proposes pairs and absorbs their results, in pair order.

use crate::schedules::{PairingStanding, TournamentStanding};
use engine::ParamKind;
use record::{PairIndex, Proposal};
use serde::{Deserialize, Serialize};
use stats::{Counts, Outcome, PairOutcome, Score};
use std::any::Any;
use std::fmt;

/// How far an experiment that does not learn runs ahead of its absorbed pairs, so that one slow pair never idles the
/// pool. Its proposals do not depend on results, so this is not part of a run's identity.
pub const FREE_RUN: u64 = 1 << 20;

/// A job of the harness: what to play next, and what the results mean.
///
/// Code that knows the type of an experiment can ask it for more than this, through [`Any`].
///
/// The driver calls [`propose`](Self::propose) for 0, 1, 2 ... and [`absorb`](Self::absorb) for 0, 1, 2 ..., in one
/// fixed interleaving: pair `i` is proposed after exactly [`required_absorbed`](Self::required_absorbed)`(i)` pairs
/// have been absorbed. So a proposal may depend on the configuration, the seed, `i` and those pairs, and on nothing
/// else.
pub trait Experiment: Any + Send + Sync {
    /// How many pairs must have been absorbed before pair `pair` is proposed: at most `pair`, never falling.
    fn required_absorbed(&self, pair: PairIndex) -> u64 {
        pair.saturating_sub(FREE_RUN)
    }

    /// Whether its proposals are independent of absorbed results. They are then made when they are needed, which may be
    /// later than [`required_absorbed`](Self::required_absorbed) allows: a fleet may play a million pairs at a time,
    /// and one machine need not know all of them.
    fn is_free(&self) -> bool {
        false
    }

    /// Names of the parameters whose values its proposals carry, in their order; none if it varies none.
    fn varied(&self) -> &[String] {
        &[]
    }

    /// The sides of pair `pair`; `None` if the experiment wants neither it nor any later one.
    fn propose(&mut self, pair: PairIndex) -> Option<Proposal>;

    /// Takes in the outcome of the next pair, from the view of the proposal's first seat.
    fn absorb(&mut self, pair: PairIndex, proposal: &Proposal, outcome: PairOutcome);

    /// Takes in the score of the next pair's only game, where it was proposed as a single game: never for an experiment
    /// that proposes none.
    fn absorb_game(&mut self, _pair: PairIndex, _proposal: &Proposal, _score: Score) {}

    /// Takes in the next pair, whatever it was.
    fn absorb_outcome(&mut self, pair: PairIndex, proposal: &Proposal, outcome: Outcome) {
        match outcome {
            Outcome::Pair(outcome) => self.absorb(pair, proposal, outcome),
            Outcome::Game(score) => self.absorb_game(pair, proposal, score),
        }
    }

    /// A copy, which takes another course from here on.
    fn copied(&self) -> Box<dyn Experiment>;

    /// The decision, once there is one; no further pair is absorbed then.
    fn verdict(&self) -> Option<Verdict>;

    /// Where it stands, for people and machines to look at.
    fn standing(&self) -> Standing;

    /// Its results as series, to be drawn by others.
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
    /// A fixed number of pairs was played.
    Complete,
}

/// Where an experiment stands after this many absorbed pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Absorbed pairs.
    pub pairs: u64,
    /// The outcomes of those in which the first entrant played, from its view, or in self-play of all from the first
    /// mover's view: pairs six-way, or games.
    pub counts: Counts,
    /// How many pairs are expected to be still needed, if that can be estimated.
    pub pairs_left: Option<u64>,
    /// What only an experiment of its kind has.
    pub of: StandingOf,
}

/// What a kind of experiment has to show beside what all of them have.
#[derive(Clone, Debug, PartialEq)]
pub enum StandingOf {
    /// A sequential test.
    Sprt {
        /// How far it is.
        test: SprtStanding,
        /// Its two entrants.
        pairing: PairingStanding,
    },
    /// A match.
    Match {
        /// Each pairing of its schedule.
        pairings: Vec<PairingStanding>,
    },
    /// A match whose pairings depend on results.
    Tournament {
        /// Each pairing so far, in the order in which they were made.
        pairings: Vec<PairingStanding>,
        /// The table or the bracket.
        tournament: TournamentStanding,
    },
    /// A tuning session.
    Tune(TuneStanding),
    /// A ladder.
    Ladder {
        /// The pairings played so far.
        pairings: Vec<PairingStanding>,
    },
    /// Self-play; its counts are the first mover's.
    Selfplay,
}

impl Standing {
    /// The outcomes of each pairing; a tuning session has none, its one entrant plays itself, and self-play compares no
    /// entrants.
    pub fn pairings(&self) -> &[PairingStanding] {
        match &self.of {
            StandingOf::Sprt { pairing, .. } => std::slice::from_ref(pairing),
            StandingOf::Match { pairings }
            | StandingOf::Tournament { pairings, .. }
            | StandingOf::Ladder { pairings } => pairings,
            StandingOf::Tune(_) | StandingOf::Selfplay => &[],
        }
    }

    /// The state of a sequential test, if it is one.
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

    /// The table or the bracket of a match whose pairings depend on results, if it is one.
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

    /// How those do who move first, if it is self-play.
    pub fn first_mover(&self) -> Option<&Counts> {
        matches!(self.of, StandingOf::Selfplay).then_some(&self.counts)
    }

    /// The state of a tuning session, if it is one.
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
    /// H0 is accepted at or below.
    pub lower: f64,
    /// H1 is accepted at or above.
    pub upper: f64,
    /// What the test says of the difference once it has decided, allowing for its having stopped just then.
    pub decided: Option<DecidedElo>,
}

/// The median-unbiased estimate after a sequential test: the usual one leans towards the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DecidedElo {
    /// Logistic Elo that is too high as often as too low.
    pub elo: f64,
    /// Lower end of its 95% interval; may be infinite.
    pub low: f64,
    /// Upper end of its 95% interval; may be infinite.
    pub high: f64,
    /// Probability under H0 of an outcome at least as good.
    pub p_value: f64,
}

/// The state of a tuning session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TuneStanding {
    /// Each parameter, in the order of the configuration.
    pub parameters: Vec<TunedStanding>,
    /// Elo that the values are believed to gain over the start, and its standard error; `None` without a model.
    pub gain: Option<(f64, f64)>,
    /// Elo that the values are expected to lose to the best in reach; `None` without a model.
    pub regret: Option<f64>,
    /// The most that this is likely to be where strength changes over less than the distance between the sides.
    pub regret_at_most: Option<f64>,
    /// Why these numbers deserve less belief than they ask for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<TuneCaution>,
    /// Where its pairs were played, if that is at several limits: the cheapest first, the target last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitStanding>,
    /// The parameters from their present values on, one line each as `OpenBench` takes them.
    pub openbench: Vec<String>,
}

/// What speaks against the numbers of a tuning session. Numbers have their standard errors beside them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TuneCaution {
    /// These parameters act together: no value of one is the best whatever the others are.
    Together(Vec<String>),
    /// Late pairs came out otherwise than the fit expected: this share of it, where 1 is right.
    Unpredicted(f64, f64),
    /// What curves of single parameters say of the gain, in Elo more than the fit does.
    Curves(f64, f64),
    /// What games against the start say of the gain, in Elo more than the fit does, which never saw them.
    Start(f64, f64),
}

/// A limit of a tuning session that plays at several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitStanding {
    /// The limit.
    pub limit: String,
    /// Absorbed pairs that were played by it.
    pub pairs: u64,
    /// What a pair costs, in pairs at the target: 1 for the target itself.
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

/// The state of one tuned parameter, as pages and JSON have it: in one level, and in the units of the engine's value
/// where a group's factor is tuned. So it repeats fields of [`tuner::Parameter`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TunedStanding {
    /// Its name.
    pub name: String,
    /// The kind of its values: how they are written.
    #[serde(rename = "form", with = "SerialisedKind")]
    pub kind: ParamKind,
    /// Where it started.
    pub start: f64,
    /// The lowest legal value.
    pub min: f64,
    /// The highest legal value.
    pub max: f64,
    /// The value to play, as far as is known.
    pub now: f64,
    /// Standard error of that value; `None` without a model and for a switch.
    pub sd: Option<f64>,
    /// Half the width of the range around that value which holds the best one with 95% probability; `None` as above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<f64>,
    /// Of a switch, the probability that on is better; `None` without a model and for all others.
    pub on: Option<f64>,
    /// How far its best value moves when the limit is doubled, and the standard error of that: in a session at several
    /// limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<(f64, f64)>,
    /// One step as configured: the unit to see changes in.
    pub step: f64,
    /// The course of the value so far, a few dozen points; none of a frozen one.
    pub course: Vec<f64>,
    /// Whether it stays at its start.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub frozen: bool,
    /// Of a category, what it may be; its values in numbers are places in this list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<CategoryValue>,
}

/// One of the values of a category.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CategoryValue {
    /// The text that the engine gets.
    pub text: String,
    /// The probability that it is the best; `None` without a model.
    pub best: Option<f64>,
}

impl TunedStanding {
    /// Decimals that a hundredth of a step needs.
    pub fn decimals(&self) -> usize {
        let (mut hundredth, mut decimals) = (self.step / 100.0, 0);
        while hundredth < 1.0 - 1e-9 && decimals < 8 {
            hundredth *= 10.0;
            decimals += 1;
        }
        decimals
    }

    /// A legal value as text: a category's by its name, whole numbers without decimals, others to a hundredth of a
    /// step. Where that rounding would leave the range, the bound is written in full; so is the value of a frozen one.
    pub fn number(&self, value: f64) -> String {
        if let Some(category) = self.values.get(value as usize) {
            return category.text.clone();
        }
        if self.frozen {
            return value.to_string();
        }
        let decimals = if self.kind == ParamKind::Real { self.decimals() } else { 0 };
        let text = format!("{value:.decimals$}");
        match text.parse::<f64>() {
            Ok(rounded) if rounded < self.min => self.min.to_string(),
            Ok(rounded) if rounded > self.max => self.max.to_string(),
            // Not -0.
            Ok(0.0) => format!("{:.decimals$}", 0.0),
            _ => text,
        }
    }
}

/// A typed series of points, which renderers know by name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// What is shown, e.g. `llr`.
    pub name: String,
    /// The points, by rising x.
    pub points: Vec<Point>,
}

/// A point of a series, with its uncertainty where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Usually absorbed pairs.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Lower end of its band: 95% in matches, one standard error in tuning sessions.
    pub low: Option<f64>,
    /// Upper end of its band.
    pub high: Option<f64>,
}
