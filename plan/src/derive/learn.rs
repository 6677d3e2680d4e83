//! `[learn]`: self-play, training and a test of the result, generation after generation, as plans of the runs.

use super::super::given::value;
use super::super::keys::{EnginePlan, FirstWeights, GatePlan, LearnPlan, SprtPlan, TrainPlan, within};
use super::super::names::run_name;
use super::super::resolve::{self, evaluation_of};
use super::super::section::{Section, Writer};
use super::super::training::Fitting;
use super::super::{Given, Origin, PlanError, RunPlan};
use arena::config::{ExperimentConfig, Job};
use engine::{EvaluationKind, Evaluator};
use play::LinesKept;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::Path;
use trainer::train::{Dataset, Kind, Moves, Settings, fits};

/// The step of the seed from run to run: each run gets its own openings, which are the same every time.
const FRESH_OPENINGS: u64 = 4_000_003;
/// The default number of newest generations whose positions the training uses.
const USUAL_KEEP: u32 = 3;
/// The most generations: their number is part of names.
const MOST_GENERATIONS: u32 = 10_000;

/// The entrant of a generation: its name, its evaluation and its policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learner {
    /// Its name in runs.
    pub name: String,
    /// Its evaluation.
    pub weights: Weights,
    /// The file of its policy, relative to the working directory; `None` for the engine's own, if that fits the
    /// evaluation.
    pub policy: Option<String>,
}

/// An evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weights {
    /// A built-in evaluation, by name.
    Named(EvaluationKind),
    /// A file of weights, relative to the working directory.
    File(String),
}

impl Weights {
    /// Returns the file, if there is one.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Named(_) => None,
            Self::File(file) => Some(file),
        }
    }
}

impl Learner {
    fn seat(&self) -> Given<EnginePlan> {
        let origin = Origin::derived("learnt");
        let mut engine =
            EnginePlan { name: Some(Given::new(self.name.clone(), origin.clone())), ..EnginePlan::default() };
        match &self.weights {
            Weights::Named(kind) => engine.evaluation = Some(Given::new(kind.to_string(), origin.clone())),
            Weights::File(file) => engine.network = Some(Given::new(file.clone(), origin.clone())),
        }
        engine.policy = self.policy.as_ref().map(|file| Given::new(file.clone(), origin.clone()));
        Given::new(engine, origin)
    }
}

/// What to learn, after checks.
#[derive(Clone, Debug)]
pub struct Learning {
    /// The whole configuration.
    pub plan: RunPlan,
    /// Its name.
    pub name: String,
    /// The number of generations.
    pub generations: NonZeroU32,
    /// The number of newest generations whose positions are trained on.
    pub keep: NonZeroU32,
    /// The entrant of the first generation.
    pub start: Learner,
    /// The weights that a training begins with.
    pub weights: FirstWeights,
    /// How to train evaluations, if they are trained.
    pub evaluation: Option<Fitting>,
    /// How to train policies, if they are trained. At least one of the two is set.
    pub policy: Option<Fitting>,
}

impl RunPlan {
    /// Returns the settings of `[learn]`, after checking everything that its runs need.
    ///
    /// # Errors
    /// [`PlanError`]: a missing section or key, a value that cannot be used, or a start that cannot play.
    pub fn learning(&self) -> Result<Learning, PlanError> {
        let missing = |section: &str, example: &str| {
            self.error(format!("there is no `[{section}]` section"), format!("add one, for instance\n  {example}"))
        };
        let given = self.keys.learn.as_ref().ok_or_else(|| missing("learn", "[learn]\n  generations = 3"))?;
        let (train, train_policy) = (self.keys.train.as_ref(), self.keys.train_policy.as_ref());
        if train.is_none() && train_policy.is_none() {
            return Err(missing("train", "[train]\n  model = \"network\""));
        }
        if self.keys.gate.is_none() {
            return Err(missing("gate", "[gate]\n  elo0 = 0\n  elo1 = 20\n  max_pairs = 500"));
        }
        if let Some(entrant) = self.keys.entrant.first() {
            let label = "put settings for all into `[each]`; `[learn]` says how the first generation evaluates";
            return Err(self.error_at(&entrant.origin, "the entrants are the generations", label));
        }
        if let Some(sprt) = &self.keys.sprt {
            return Err(self.error_at(&sprt.origin, "the test of learning is `[gate]`", "write it there"));
        }
        let generations = self.count(given.value.generations.as_ref(), "generations")?;
        let generations = generations
            .ok_or_else(|| self.error_at(&given.origin, "`[learn]` has no `generations`", "add `generations = ...`"))?;
        let keep = self.count(given.value.keep.as_ref(), "keep")?;
        let learning = Learning {
            name: resolve::run_name(&self.source, self.keys.name.as_ref(), self.stem())?,
            generations,
            keep: keep.unwrap_or(NonZeroU32::MIN.saturating_add(USUAL_KEEP - 1)),
            start: self.start(&given.value)?,
            weights: value(given.value.weights.as_ref()).unwrap_or_default(),
            evaluation: train.map(|train| Fitting::of_section(&self.source, train)).transpose()?,
            policy: train_policy.map(|train| Fitting::of_policy_section(&self.source, train)).transpose()?,
            plan: self.clone(),
        };
        learning.check(&given.value)?;
        Ok(learning)
    }

    /// Returns a number from 1, if given.
    fn count(&self, key: Option<&Given<u32>>, name: &str) -> Result<Option<NonZeroU32>, PlanError> {
        let Some(Given { value, origin }) = key else { return Ok(None) };
        let number = NonZeroU32::new(*value).filter(|number| number.get() <= MOST_GENERATIONS);
        let none = || {
            let label = format!("expected 1 to {MOST_GENERATIONS}");
            self.error_at(origin, format!("`{name}` cannot be {value}"), label)
        };
        number.map(Some).ok_or_else(none)
    }

    /// Returns the entrant of the first generation.
    fn start(&self, given: &LearnPlan) -> Result<Learner, PlanError> {
        let usual = if self.keys.train.is_some() { EvaluationKind::PieceSquare } else { EvaluationKind::Network };
        let (evaluation, file) = evaluation_of(&self.source, given.evaluation.as_ref(), given.network.as_ref(), usual)?;
        let policy = given.policy.as_ref().map(|file| file.value.clone());
        let name = if file.is_some() || policy.is_some() { "start".to_owned() } else { evaluation.to_string() };
        Ok(Learner { name, weights: file.map_or(Weights::Named(evaluation), Weights::File), policy })
    }

    /// Returns the differences to another plan, one line for each value, without those that may change during learning.
    pub fn differences_in_learning(&self, other: &Self) -> Vec<String> {
        let [this, other] = [self, other].map(Self::flat);
        let shown = |value: Option<&toml::Value>| value.map_or("nothing".to_owned(), ToString::to_string);
        let keys: BTreeSet<&String> = this.keys().chain(other.keys()).collect();
        let differs = keys.into_iter().filter(|key| this.get(*key) != other.get(*key));
        differs.map(|key| format!("{key}: {} now, {} then", shown(this.get(key)), shown(other.get(key)))).collect()
    }

    /// Returns everything that determines what is learnt, key by key.
    fn flat(&self) -> BTreeMap<String, toml::Value> {
        let mut keys = self.keys.clone();
        (keys.title, keys.concurrency, keys.max_fault_share) = (None, None, None);
        if let Some(learn) = &mut keys.learn {
            learn.value.generations = None;
        }
        // Compared by content, so that moving a file changes nothing.
        if let Some(LearnPlan { network, policy, .. }) = keys.learn.as_mut().map(|learn| &mut learn.value) {
            if let Some(file) = network
                && let Ok(read) = self.source.files.network(&file.value)
            {
                file.value = read.content().to_string();
            }
            if let Some(file) = policy
                && let Ok(read) = self.source.files.policy(&file.value)
            {
                file.value = read.content().to_string();
            }
        }
        let mut writer = Writer::plain();
        keys.write(&mut writer);
        let mut flat = BTreeMap::new();
        // Text that was just written can be read.
        if let Ok(table) = writer.text().parse::<toml::Table>() {
            flatten("", &table, &mut flat);
        }
        flat
    }
}

fn flatten(path: &str, table: &toml::Table, to: &mut BTreeMap<String, toml::Value>) {
    for (key, value) in table {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match value {
            toml::Value::Table(inner) => flatten(&path, inner, to),
            value => drop(to.insert(path, value.clone())),
        }
    }
}

impl Learning {
    /// Returns the plan of a generation's self-play games by this player.
    pub fn selfplay(&self, generation: u32, player: &Learner) -> RunPlan {
        let mut plan = self.run(generation, 0);
        plan.keys.entrant = vec![player.seat()];
        if self.policy.as_ref().is_some_and(|how| how.choice.moves == Moves::Visits) {
            plan.keys.lines = Some(Given::derived(LinesKept::All, "the visits of each move"));
        }
        plan
    }

    /// Returns the plan of the test of a generation against the best one before it.
    pub fn gate(&self, generation: u32, new: &Learner, best: &Learner) -> RunPlan {
        let mut plan = self.run(generation, 1);
        plan.keys.selfplay = None;
        if let Some(Given { value: gate, origin }) = &self.plan.keys.gate {
            if gate.limit.is_some() {
                within(&mut plan.keys.each).limit.clone_from(&gate.limit);
            }
            plan.keys.sprt = Some(Given::new(sprt(gate), origin.clone()));
        }
        plan.keys.entrant = vec![new.seat(), best.seat()];
        plan
    }

    /// Returns the configuration of a training, as text for its folder. The training is of an evaluation that begins
    /// with this file or with random weights, or of a policy that reads the network in this file or the shipped one.
    pub fn training_text(&self, kind: Kind, data: &[String], out: &Path, network: Option<&str>, seed: u64) -> String {
        let is_policy = matches!(kind, Kind::Policy { .. });
        let section = if is_policy { &self.plan.keys.train_policy } else { &self.plan.keys.train };
        let mut keys = section.as_ref().map_or_else(TrainPlan::default, |train| train.value.clone());
        keys.data = Some(Given::usual(data));
        keys.out = Some(Given::usual(out.to_string_lossy()));
        if is_policy {
            keys.model = Some(Given::usual("policy"));
            keys.network = network.map(Given::usual);
        } else {
            keys.start = network.map(Given::usual);
        }
        keys.seed = Some(Given::usual(seed));
        let mut writer = Writer::plain();
        keys.write(&mut writer);
        writer.text()
    }

    /// Returns the settings of a generation's training on these positions, with its own seed.
    pub fn settings(how: &Fitting, generation: u32, data: &Dataset) -> Settings {
        let settings = how.settings_for(data);
        let seed = settings.seed.wrapping_add(u64::from(generation - 1)) & (u64::MAX >> 1);
        Settings { seed, ..settings }
    }

    /// Returns the best network if the training is set to begin with it, and can.
    pub fn first_weights<'a>(&self, best: &'a Evaluator) -> Option<&'a Evaluator> {
        let kind = self.evaluation.as_ref()?.settings.kind;
        (self.weights == FirstWeights::Best && fits(best, kind).is_ok()).then_some(best)
    }

    /// Returns the plan of one of a generation's runs, without players.
    fn run(&self, generation: u32, number: u64) -> RunPlan {
        let mut plan = self.plan.clone();
        let keys = &mut plan.keys;
        (keys.learn, keys.train, keys.train_policy, keys.gate, keys.title) = (None, None, None, None, None);
        let origin = Origin::derived(format!("generation {generation}"));
        keys.name = Some(Given::new(run_name(&self.name, &format!("-gen-{generation}")), origin.clone()));
        let seed = keys.seed.as_ref().map_or(1, |seed| seed.value);
        let step = 2 * u64::from(generation - 1) + number;
        let seed = seed.wrapping_add(FRESH_OPENINGS.wrapping_mul(step)) & (u64::MAX >> 1);
        keys.seed = Some(Given::new(seed, origin));
        plan
    }

    /// Checks that all runs can be made, before any of them leaves files.
    fn check(&self, given: &LearnPlan) -> Result<(), PlanError> {
        self.check_policy(given)?;
        self.selfplay(1, &self.start).resolve(Job::Selfplay)?;
        let gate = self.plan.keys.gate.as_ref();
        let bounds = |gate: &GatePlan| [("elo0", gate.elo0.is_some()), ("elo1", gate.elo1.is_some())];
        if let Some(gate) = gate.filter(|gate| gate.value.preset.is_none())
            && let Some((name, _)) = bounds(&gate.value).into_iter().find(|(_, is_given)| !is_given)
        {
            let message = format!("`[gate]` has no `{name}`");
            return Err(self.plan.error_at(&gate.origin, message, format!("add `{name} = ...`, or a `preset`")));
        }
        let new = Learner { name: "gen-1".to_owned(), ..self.start.clone() };
        let test = self.gate(1, &new, &self.start).resolve(Job::Sprt)?;
        if let (ExperimentConfig::Sprt { max_pairs: None, .. }, Some(gate)) = (&test.run.experiment, gate) {
            let message = "`[gate]` has no `max_pairs`: equal players could be tested for ever";
            return Err(self.plan.error_at(&gate.origin, message, "add `max_pairs = ...`"));
        }
        self.check_first_weights(given)
    }

    /// Checks that policies can be trained and used, if the plan trains them.
    fn check_policy(&self, given: &LearnPlan) -> Result<(), PlanError> {
        let Some(section) = &self.plan.keys.train_policy else {
            let Some(file) = &given.policy else { return Ok(()) };
            let message = "a policy does not fit the evaluations that are trained";
            return Err(self.plan.error_at(&file.origin, message, "leave this out, or add `[train_policy]`"));
        };
        let each = self.plan.keys.each.as_ref().map(|each| &each.value);
        let search = each.and_then(|each| each.search.as_ref()).map(|search| search.value.as_str());
        if search != Some("mcts") {
            let label = "add `search = \"mcts\"` to `[each]`";
            return Err(self.plan.error_at(&section.origin, "only the tree search has a policy", label));
        }
        let refuse = |origin: &Origin, label: &str| {
            Err(self.plan.error_at(origin, "a policy reads the hidden layer of a network", label))
        };
        match (&self.evaluation, &self.plan.keys.train) {
            (Some(how), Some(train)) if how.settings.kind == Kind::Wps => {
                refuse(&train.origin, "expected `model = \"network\"`")
            }
            (None, _) if !self.starts_with_network() => {
                let origin =
                    given.network.as_ref().or(given.evaluation.as_ref()).map_or(&section.origin, |key| &key.origin);
                refuse(origin, "expected a network to start with, or `[train]`")
            }
            _ => Ok(()),
        }
    }

    /// Whether the first player evaluates by a network.
    fn starts_with_network(&self) -> bool {
        match &self.start.weights {
            Weights::Named(kind) => *kind == EvaluationKind::Network,
            Weights::File(file) => {
                let read = self.plan.source.files.network(file);
                read.is_ok_and(|read| read.evaluator().kind() == EvaluationKind::Network)
            }
        }
    }

    /// Refuses a first network that the first training is set to begin with, and cannot.
    fn check_first_weights(&self, given: &LearnPlan) -> Result<(), PlanError> {
        let Some(weights) = given.weights.as_ref().filter(|weights| weights.value == FirstWeights::Best) else {
            return Ok(());
        };
        let Some(how) = &self.evaluation else {
            let message = "only evaluations begin with the weights of the best";
            return Err(self.plan.error_at(&weights.origin, message, "leave this out, or add `[train]`"));
        };
        let kind = how.settings.kind;
        if kind == Kind::Wps {
            let message = "the linear model ends the same wherever its training begins";
            return Err(self.plan.error_at(&weights.origin, message, "leave this out"));
        }
        let Some(file) = &given.network else { return Ok(()) };
        // The file was read before, so it can be read again.
        let Ok(read) = self.plan.source.files.network(&file.value) else { return Ok(()) };
        fits(read.evaluator(), kind).map_err(|misfit| {
            let message = format!("no training can begin with `{}`: {misfit}", file.value);
            self.plan.error_at(
                &file.origin,
                message,
                "expected a network of the sizes of `[train]`, or `weights = \"new\"`",
            )
        })
    }
}

/// Returns the test of a gate.
fn sprt(gate: &GatePlan) -> SprtPlan {
    let GatePlan { limit: _, preset, elo0, elo1, alpha, beta, model, overshoot, max_pairs } = gate.clone();
    SprtPlan { preset, elo0, elo1, alpha, beta, model, overshoot, max_pairs, ..SprtPlan::default() }
}
