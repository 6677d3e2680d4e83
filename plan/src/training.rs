//! The plan of a training: its data, its target and its method, in a configuration of its own, since a training is not
//! a run. Also `[train]` of a configuration that learns generation after generation.

use super::error::{PlanError, Source};
use super::files::Files;
use super::given::{Given, Origin};
use super::keys::{Key, TrainPlan, WeightKeys};
use super::sources::{Games, Place, files_and_runs, run_of};
use super::values::{Range, count, number};
use crate::error::ReadError;
use play::NetworkFile;
use play::games::GameKind;
use std::path::{Path, PathBuf};
use trainer::train::{self, Choice, Dataset, Kind, Moves, PositionWeights, PstNet, Settings, Start, fits};

/// The most threads of a training.
const MOST_THREADS: usize = 256;
/// The most positions of a step.
const MOST_BATCH: usize = 1 << 24;
/// The most units of an output weight of 1.
const MOST_OUTPUT_SCALE: u16 = 16_384;
/// The most centipawns of a logit.
const MOST_SCALE: u16 = 3_200;
/// In logits, since scores are kept in 1/1,000 logit.
const MOST_LOGITS: f64 = 32.0;

/// How to train, independent of the data.
#[derive(Clone, Debug)]
pub struct Fitting {
    /// The positions that are used.
    pub choice: Choice,
    /// How it is trained.
    pub settings: Settings,
    /// The number of positions to see, if given instead of epochs; [`Settings::epochs`] then follows from the data.
    pub positions: Option<u64>,
    /// The network that the training begins with, or whose hidden layer a policy reads; `None` for random weights, or
    /// for the shipped network.
    pub start: Option<FirstNetwork>,
}

/// A network that a training begins with, or that a policy reads.
#[derive(Clone, Debug)]
pub enum FirstNetwork {
    /// A network of 0.1.
    ZeroPointOne(NetworkFile),
    /// A network of chess.
    Chess(PstNet),
    /// A network of crazyhouse.
    Crazyhouse(Box<trainer::crazyhouse::Network>),
}

impl FirstNetwork {
    /// Returns its weights.
    pub fn weights(&self) -> Start<'_> {
        match self {
            Self::ZeroPointOne(file) => file.evaluator().into(),
            Self::Chess(network) => network.into(),
            Self::Crazyhouse(network) => (&**network).into(),
        }
    }

    fn parse(path: &Path, bytes: &[u8], kind: Kind) -> Result<Self, String> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        match kind {
            Kind::Chess { .. } => PstNet::from_bytes(bytes).map(Self::Chess).map_err(|error| named(&error)),
            Kind::Crazyhouse { .. } => {
                let read = trainer::crazyhouse::Network::from_bytes(bytes);
                read.map(|network| Self::Crazyhouse(Box::new(network))).map_err(|error| named(&error))
            }
            Kind::Wps | Kind::Network { .. } | Kind::Policy { .. } => {
                NetworkFile::of_bytes(path, bytes).map(Self::ZeroPointOne).map_err(|error| error.to_string())
            }
        }
    }
}

/// A requested training.
#[derive(Clone, Debug)]
pub struct TrainingPlan {
    /// Files of positions and runs, or patterns of their names; at least one.
    pub data: Given<Vec<String>>,
    /// The folder for all its files.
    pub out: PathBuf,
    /// How to train.
    pub how: Fitting,
    /// The configuration as it was read.
    pub text: String,
    source: Source,
}

const SHARE: Range = Range { low: 0.0, high: 1.0, says: "0 to 1" };
const RATE: Range = Range { low: 1e-9, high: 1.0, says: "a number above 0, at most 1" };
const WEIGHT: Range = Range { low: 0.0, high: 1e6, says: "a weight, 0 to 1000000" };
const LOGITS: Range = Range { low: 0.001, high: MOST_LOGITS, says: "logits, above 0 and at most 32" };

impl TrainingPlan {
    /// Reads a configuration. `name` identifies the text in errors, `changes` are `key=value` texts that override it,
    /// and `files` holds the files that it may name.
    ///
    /// # Errors
    /// [`PlanError`] for the first mistake, at its place.
    pub fn read(text: &str, name: &str, changes: &[String], files: impl Files + 'static) -> Result<Self, PlanError> {
        let (source, keys) = Source::read(text, name, changes, files)?;
        resolve(&keys, source)
    }

    /// Returns the files and runs to read, in the order of `data`.
    ///
    /// # Errors
    /// [`ReadError::Plan`] for an invalid pattern or one without matches, and for a run of another game than the
    /// model's or without scores; otherwise the error of a run.
    pub fn sources(&self) -> Result<Vec<train::Source>, ReadError> {
        let source = |place| match place {
            Place::File(path) => Ok(train::Source::File(path)),
            Place::Journal(path) => self.run(&path),
        };
        files_and_runs(&self.source, &self.data)?.into_iter().map(source).collect()
    }

    fn run(&self, path: &Path) -> Result<train::Source, ReadError> {
        let (games, expected) = match self.how.settings.kind {
            Kind::Chess { .. } => (Games::Chess, "`game = \"chess\"` trains on runs of chess and Chess960"),
            Kind::Crazyhouse { .. } => (Games::Crazyhouse, "`game = \"crazyhouse\"` trains on runs of crazyhouse"),
            Kind::Wps | Kind::Network { .. } | Kind::Policy { .. } => {
                (Games::ZeroPointOne, "this model is trained on runs of 0.1")
            }
        };
        Ok(train::Source::Run(run_of(&self.source, &self.data, path, games, expected)?))
    }
}

impl Fitting {
    /// Reads how learning trains an evaluation from its section, which must not name data.
    pub(super) fn of_section(source: &Source, given: &Given<TrainPlan>) -> Result<Self, PlanError> {
        data_follows(source, &given.value)?;
        match &given.value.model {
            None => {
                let label = "add `model = \"network\"` or `model = \"wps\"`";
                Err(source.error_at(&given.origin, "`[train]` has no `model`", label))
            }
            Some(model) if model.value == "policy" => {
                let message = "`[train]` of `spar learn` is for evaluations";
                Err(source.error_at(&model.origin, message, "write it into `[train_policy]`"))
            }
            Some(_) => resolve_how(&given.value, source),
        }
    }

    /// Does the same for the section of a policy, which need not name its model.
    pub(super) fn of_policy_section(source: &Source, given: &Given<TrainPlan>) -> Result<Self, PlanError> {
        data_follows(source, &given.value)?;
        if let Some(model) = given.value.model.as_ref().filter(|model| model.value != "policy") {
            let message = format!("`[train_policy]` trains policies, and not `{}`", model.value);
            return Err(source.error_at(&model.origin, message, "leave this out"));
        }
        let model = Some(Given::usual("policy"));
        resolve_how(&TrainPlan { model, ..given.value.clone() }, source)
    }

    /// Returns the settings for training on these positions.
    pub fn settings_for(&self, data: &Dataset) -> Settings {
        let epochs = |positions: u64| positions as f64 / data.identity().training.max(1) as f64;
        Settings { epochs: self.positions.map_or(self.settings.epochs, epochs), ..self.settings.clone() }
    }
}

/// Refuses the keys of a learning section that follow from the generations.
fn data_follows(source: &Source, keys: &TrainPlan) -> Result<(), PlanError> {
    let origins = [
        ("data", keys.data.as_ref().map(|given| &given.origin)),
        ("out", keys.out.as_ref().map(|given| &given.origin)),
        ("start", keys.start.as_ref().map(|given| &given.origin)),
        ("network", keys.network.as_ref().map(|given| &given.origin)),
        ("game", keys.game.as_ref().map(|given| &given.origin)),
    ];
    let Some((name, origin)) = origins.into_iter().find_map(|(name, origin)| Some((name, origin?))) else {
        return Ok(());
    };
    let label = if name == "start" { "`weights` of `[learn]` says it" } else { "leave this out" };
    Err(source.error_at(origin, format!("`{name}` follows from the generations"), label))
}

fn resolve(keys: &TrainPlan, source: Source) -> Result<TrainingPlan, PlanError> {
    let missing = |what: &str, example: &str| source.error(format!("there is no `{what}`"), format!("add `{example}`"));
    let data = keys.data.clone().ok_or_else(|| missing("data", "data = [\"games.positions\"]"))?;
    if data.value.is_empty() {
        return Err(source.error_at(&data.origin, "there is nothing to train on", "expected at least one file or run"));
    }
    let out = keys.out.as_ref().ok_or_else(|| missing("out", "out = \"fits/first\""))?;
    if out.value.is_empty() {
        return Err(source.error_at(&out.origin, "`out` is empty", "expected a folder"));
    }
    let how = resolve_how(keys, &source)?;
    Ok(TrainingPlan { data, out: PathBuf::from(&out.value), how, text: source.text.clone(), source })
}

fn resolve_how(keys: &TrainPlan, source: &Source) -> Result<Fitting, PlanError> {
    let settings = settings(keys, source)?;
    let start = keys.start.as_ref().or(keys.network.as_ref());
    let start = start.map(|file| first_network(source, file, settings.kind)).transpose()?;
    let choice = choice(keys, source, moves(keys, source, settings.kind)?)?;
    Ok(Fitting { choice, settings, positions: positions(keys, source)?, start })
}

/// Reads a network to begin with, whose sizes must be those of the trained network, or the network that a policy reads.
fn first_network(source: &Source, file: &Given<String>, kind: Kind) -> Result<FirstNetwork, PlanError> {
    let path = Path::new(&file.value);
    let bytes = source.files.weights(path).map_err(|error| error.to_string());
    let read = bytes
        .and_then(|bytes| FirstNetwork::parse(path, &bytes, kind))
        .map_err(|why| source.error_at(&file.origin, why, "expected a network's file, from the working directory"))?;
    match fits(read.weights(), kind) {
        Ok(()) => Ok(read),
        Err(misfit) => {
            let (message, label) = match kind {
                Kind::Policy { .. } => ("has no hidden layer for a policy", "expected a network of 0.1"),
                _ => ("is nothing to begin with", "expected a network of the sizes that are trained"),
            };
            Err(source.error_at(&file.origin, format!("`{}` {message}: {misfit}", file.value), label))
        }
    }
}

/// Returns which moves are learnt.
fn moves(keys: &TrainPlan, source: &Source, kind: Kind) -> Result<Moves, PlanError> {
    let Some(target) = &keys.target else {
        let learns_moves = matches!(kind, Kind::Policy { .. } | Kind::Crazyhouse { .. });
        return Ok(if learns_moves { Moves::Played } else { Moves::None });
    };
    match (kind, target.value.as_str()) {
        (Kind::Policy { .. }, "moves") => Ok(Moves::Played),
        (Kind::Policy { .. }, "visits") => Ok(Moves::Visits),
        (Kind::Policy { .. }, other) => {
            let message = format!("unknown target `{other}`");
            Err(source.error_at(&target.origin, message, "expected `moves` or `visits`"))
        }
        _ => Err(source.error_at(&target.origin, "`target` is of policies of 0.1", "remove it")),
    }
}

fn choice(keys: &TrainPlan, source: &Source, moves: Moves) -> Result<Choice, PlanError> {
    let share = Range { low: 1e-4, high: 0.9, says: "a share of all games, 0.0001 to 0.9" };
    // A policy learns the winning moves, too.
    let most = if moves == Moves::None { 8.0 } else { MOST_LOGITS };
    Ok(Choice {
        held_out: number(source, keys.held_out.as_ref(), "held_out", 0.05, &share)?,
        max_score: millilogits(number(source, keys.max_score.as_ref(), "max_score", most, &LOGITS)?),
        moves,
    })
}

fn settings(keys: &TrainPlan, source: &Source) -> Result<Settings, PlanError> {
    let usual = Settings::new(kind(keys, source)?);
    let number = |key: &Key<f64>, name, usual, range: &Range| number(source, key.as_ref(), name, usual, range);
    let epochs = Range { low: 1e-6, high: 1e6, says: "a number above 0" };
    let decay = Range { low: 0.0, high: 10.0, says: "0 to 10" };
    let rate = number(&keys.learning_rate, "learning_rate", usual.learning_rate, &RATE)?;
    let last = number(&keys.final_learning_rate, "final_learning_rate", usual.final_learning_rate.min(rate), &RATE)?;
    let settings = Settings {
        kind: usual.kind,
        epochs: number(&keys.epochs, "epochs", usual.epochs, &epochs)?,
        batch: count(source, keys.batch.as_ref(), "batch", usual.batch, MOST_BATCH)?,
        learning_rate: rate,
        final_learning_rate: last,
        warm_up: number(&keys.warm_up, "warm_up", usual.warm_up, &SHARE)?,
        weight_decay: number(&keys.weight_decay, "weight_decay", usual.weight_decay, &decay)?,
        lambda: number(&keys.lambda, "lambda", usual.lambda, &SHARE)?,
        score_clip: millilogits(number(&keys.score_clip, "score_clip", f64::from(usual.score_clip) / 1000.0, &LOGITS)?),
        seed: keys.seed.as_ref().map_or(usual.seed, |seed| seed.value),
        threads: count(source, keys.threads.as_ref(), "threads", usual.threads, MOST_THREADS)?,
        evaluations: count(source, keys.evaluations.as_ref(), "evaluations", usual.evaluations, 100_000)?,
        patience: keys
            .patience
            .as_ref()
            .map(|_| count(source, keys.patience.as_ref(), "patience", 1, 100_000))
            .transpose()?,
        weights: keys
            .weights
            .as_ref()
            .map_or_else(|| Ok(PositionWeights::default()), |given| weights(source, given))?,
    };
    match &keys.final_learning_rate {
        Some(given) if last > rate => {
            Err(source.error_at(&given.origin, "the learning rate would rise", format!("expected at most {rate}")))
        }
        _ => Ok(settings),
    }
}

fn weights(source: &Source, given: &Given<WeightKeys>) -> Result<PositionWeights, PlanError> {
    let keys = &given.value;
    let of_result = |key: &Key<f64>, name| number(source, key.as_ref(), name, 1.0, &WEIGHT);
    let [win, draw, loss] =
        [of_result(&keys.win, "win")?, of_result(&keys.draw, "draw")?, of_result(&keys.loss, "loss")?];
    if win + draw + loss == 0.0 {
        return Err(source.error_at(&given.origin, "no position counts", "expected a weight above 0 for some result"));
    }
    let ply = keys.ply.as_ref().map(|given| by_ply(source, given)).transpose()?.unwrap_or_default();
    Ok(PositionWeights { ply, win, draw, loss })
}

/// Reads weights at rising plies.
fn by_ply(source: &Source, given: &Given<toml::Value>) -> Result<Vec<(u32, f64)>, PlanError> {
    let refuse = |message: String, label: &str| Err(source.error_at(&given.origin, message, label));
    let pairs = "expected plies with weights, such as [[0, 0.3], [16, 1.0]]";
    let Ok(plies) = given.value.clone().try_into::<Vec<(u32, f64)>>() else {
        return refuse(format!("`ply` cannot be {}", given.value), pairs);
    };
    if let Some((ply, weight)) = plies.iter().find(|(_, weight)| !(WEIGHT.low..=WEIGHT.high).contains(weight)) {
        return refuse(format!("the weight at ply {ply} cannot be {weight}"), "expected 0 to 1000000");
    }
    if let Some(pair) = plies.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
        return refuse(format!("ply {} stands behind ply {}", pair[1].0, pair[0].0), "expected rising plies");
    }
    if plies.iter().all(|(_, weight)| *weight == 0.0) {
        return refuse("no position counts".to_owned(), pairs);
    }
    Ok(plies)
}

fn kind(keys: &TrainPlan, source: &Source) -> Result<Kind, PlanError> {
    let game = keys.game.clone().unwrap_or_else(|| Given::usual(GameKind::ZeroPointOne));
    if !matches!(game.value, GameKind::ZeroPointOne | GameKind::Chess | GameKind::Crazyhouse) {
        let message = format!("there is nothing to train for {}", game.value);
        return Err(source.error_at(&game.origin, message, "expected `0.1`, `chess` or `crazyhouse`"));
    }
    let Some(model) = &keys.model else {
        let is_alone = game.value != GameKind::ZeroPointOne;
        let models = if is_alone { "" } else { ", `model = \"wps\"` or `model = \"policy\"`" };
        return Err(source.error("there is no `model`", format!("add `model = \"network\"`{models}")));
    };
    if model.value != "policy" {
        let message = |name: &str| format!("`{name}` is of policies");
        let network = keys.network.as_ref().map(|given| &given.origin);
        without(source, &[("network", network)], message, "remove it; `start` names a network to begin with")?;
    }
    match (model.value.as_str(), game.value) {
        ("network", GameKind::Chess) => chess(keys, source),
        ("network", GameKind::Crazyhouse) => crazyhouse(keys, source),
        ("network", _) => network(keys, source),
        ("wps", GameKind::Chess) => Err(source.error_at(
            &model.origin,
            "`wps` is a model of 0.1",
            "expected `network`: piece-square tables are fitted by `spar fit`",
        )),
        ("wps" | "policy", GameKind::Crazyhouse) => {
            let message = format!("`{}` is a model of 0.1", model.value);
            Err(source.error_at(&model.origin, message, "expected `network`: it has a value and a policy"))
        }
        ("wps", _) => {
            let message = |name: &str| format!("`{name}` is a size of networks, and this model is linear");
            without(source, &sizes(keys), message, "remove it, or train a network")?;
            Ok(Kind::Wps)
        }
        ("policy", GameKind::Chess) => {
            Err(source.error_at(&model.origin, "`policy` is a model of 0.1", "expected `network`"))
        }
        ("policy", _) => policy(keys, source),
        (other, _) => {
            let message = format!("unknown model `{other}`");
            Err(source.error_at(&model.origin, message, "expected `wps`, `network` or `policy`"))
        }
    }
}

/// Reads the policy, whose size and target follow from the network and the moves.
fn policy(keys: &TrainPlan, source: &Source) -> Result<Kind, PlanError> {
    let [hidden, buckets, ply_buckets, _, scale] = sizes(keys);
    let others = [
        hidden,
        buckets,
        ply_buckets,
        scale,
        ("start", keys.start.as_ref().map(|given| &given.origin)),
        ("lambda", keys.lambda.as_ref().map(|given| &given.origin)),
        ("score_clip", keys.score_clip.as_ref().map(|given| &given.origin)),
    ];
    let message = |name: &str| format!("`{name}` is of evaluations");
    without(source, &others, message, "a policy learns the moves that were played: remove it")?;
    Ok(Kind::Policy { output_scale: count(source, keys.output_scale.as_ref(), "output_scale", 64, MOST_OUTPUT_SCALE)? })
}

/// The keys for the size of a network, and their origins.
fn sizes(keys: &TrainPlan) -> [(&'static str, Option<&Origin>); 5] {
    [
        ("hidden", keys.hidden.as_ref().map(|given| &given.origin)),
        ("buckets", keys.buckets.as_ref().map(|given| &given.origin)),
        ("ply_buckets", keys.ply_buckets.as_ref().map(|given| &given.origin)),
        ("output_scale", keys.output_scale.as_ref().map(|given| &given.origin)),
        ("scale", keys.scale.as_ref().map(|given| &given.origin)),
    ]
}

/// Refuses the first of these keys that is given.
fn without(
    source: &Source,
    keys: &[(&'static str, Option<&Origin>)],
    message: impl Fn(&str) -> String,
    label: &str,
) -> Result<(), PlanError> {
    match keys.iter().find_map(|(name, origin)| Some((name, (*origin)?))) {
        Some((name, origin)) => Err(source.error_at(origin, message(name), label)),
        None => Ok(()),
    }
}

fn network(keys: &TrainPlan, source: &Source) -> Result<Kind, PlanError> {
    let [_, _, _, _, scale] = sizes(keys);
    without(
        source,
        &[scale],
        |name| format!("`{name}` is of chess and crazyhouse"),
        "positions of 0.1 are scored in logits: remove it",
    )?;
    let hidden = hidden(keys, source, 128, 32, engine::eval::network::MAX_HIDDEN)?;
    let buckets = count(source, keys.buckets.as_ref(), "buckets", 8, engine::eval::network::MAX_BUCKETS)?;
    let ply_buckets = count(source, keys.ply_buckets.as_ref(), "ply_buckets", 1, engine::eval::network::MAX_BUCKETS)?;
    let output_scale = count(source, keys.output_scale.as_ref(), "output_scale", 127, MOST_OUTPUT_SCALE)?;
    Ok(Kind::Network { hidden, buckets, ply_buckets, output_scale })
}

/// Reads the network of chess, whose file format has its own limits.
fn chess(keys: &TrainPlan, source: &Source) -> Result<Kind, PlanError> {
    let [_, buckets, ply_buckets, _, _] = sizes(keys);
    without(source, &[buckets], |name| format!("`{name}` is always 5 in chess"), "remove it")?;
    without(source, &[ply_buckets], |name| format!("a network of chess has no `{name}`"), "remove it")?;
    Ok(Kind::Chess {
        hidden: hidden(keys, source, 64, 16, 2_048)?,
        output_scale: count(source, keys.output_scale.as_ref(), "output_scale", 256, MOST_OUTPUT_SCALE)?,
        scale: count(source, keys.scale.as_ref(), "scale", 400, MOST_SCALE)?,
    })
}

/// Reads the network of crazyhouse, whose outputs have their own units.
fn crazyhouse(keys: &TrainPlan, source: &Source) -> Result<Kind, PlanError> {
    let [_, buckets, ply_buckets, output_scale, _] = sizes(keys);
    let message = |name: &str| format!("a network of crazyhouse has no `{name}`");
    without(source, &[buckets, ply_buckets, output_scale], message, "remove it")?;
    Ok(Kind::Crazyhouse {
        hidden: hidden(keys, source, 128, 32, trainer::crazyhouse::network::MOST_HIDDEN)?,
        scale: count(source, keys.scale.as_ref(), "scale", 250, MOST_SCALE)?,
    })
}

/// Returns the neurons of a side, a multiple of `step`.
fn hidden(keys: &TrainPlan, source: &Source, usual: usize, step: usize, most: usize) -> Result<usize, PlanError> {
    let hidden = keys.hidden.clone().unwrap_or_else(|| Given::usual(usual));
    if hidden.value.is_multiple_of(step) && (step..=most).contains(&hidden.value) {
        return Ok(hidden.value);
    }
    let message = format!("a network cannot have {} neurons", hidden.value);
    Err(source.error_at(&hidden.origin, message, format!("expected a multiple of {step}, at most {most}")))
}

/// Returns the number of positions to see, if given.
fn positions(keys: &TrainPlan, source: &Source) -> Result<Option<u64>, PlanError> {
    match (&keys.positions, &keys.epochs) {
        (Some(positions), Some(_)) => {
            Err(source.error_at(&positions.origin, "the length is given twice", "remove `epochs` or `positions`"))
        }
        (Some(Given { value: 0, origin }), None) => {
            Err(source.error_at(origin, "`positions` cannot be 0", "expected a number from 1"))
        }
        (positions, _) => Ok(positions.as_ref().map(|given| given.value)),
    }
}

fn millilogits(logits: f64) -> i16 {
    (logits * 1000.0).round() as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory::Memory;

    const TEXT: &str = "data = [\"a.positions\"]\nout = \"fits/a\"\nmodel = \"network\"\n";

    fn shown(text: &str) -> String {
        let files = Memory::empty().with("Cargo.toml", b"[package]");
        let error = TrainingPlan::read(text, "train.toml", &[], files).unwrap_err();
        format!("{:?}", miette::Report::new(error))
    }

    #[test]
    fn a_short_configuration_is_enough() {
        let plan =
            TrainingPlan::read(TEXT, "train.toml", &["hidden=64".to_owned(), "lambda=0.1".to_owned()], Memory::empty())
                .unwrap();
        let kind = Kind::Network { hidden: 64, buckets: 8, ply_buckets: 1, output_scale: 127 };
        assert_eq!(plan.how.settings, Settings { lambda: 0.1, ..Settings::new(kind) });
        assert_eq!((plan.out, plan.how.positions), (PathBuf::from("fits/a"), None));
        assert_eq!(plan.how.choice, Choice { held_out: 0.05, max_score: 8_000, moves: Moves::None });
    }

    #[test]
    fn a_policy_learns_moves_and_reads_a_network() {
        let text = TEXT.replace("\"network\"", "\"policy\"");
        let plan = TrainingPlan::read(&text, "train.toml", &[], Memory::empty()).unwrap();
        assert_eq!(plan.how.settings, Settings::new(Kind::Policy { output_scale: 64 }));
        assert_eq!(plan.how.choice, Choice { held_out: 0.05, max_score: 32_000, moves: Moves::Played });
        for (line, message, label) in [
            ("hidden = 64", "`hidden` is of evaluations", "remove it"),
            ("lambda = 0.5", "`lambda` is of evaluations", "a policy learns the moves that were played"),
            ("start = \"a.bin\"", "`start` is of evaluations", "remove it"),
            ("network = \"a.bin\"", "a.bin: ", "expected a network's file"),
            ("game = \"chess\"", "`policy` is a model of 0.1", "expected `network`"),
            ("target = \"values\"", "unknown target `values`", "expected `moves` or `visits`"),
        ] {
            let shown = shown(&format!("{text}{line}\n"));
            assert!(shown.contains(message) && shown.contains(label), "{line}: {shown}");
        }
        assert!(shown(&format!("{TEXT}network = \"a.bin\"\n")).contains("`network` is of policies"));
        assert!(shown(&format!("{TEXT}target = \"moves\"\n")).contains("`target` is of policies of 0.1"));
        for (target, moves) in [("moves", Moves::Played), ("visits", Moves::Visits)] {
            let text = format!("{text}target = \"{target}\"\n");
            let plan = TrainingPlan::read(&text, "train.toml", &[], Memory::empty()).unwrap();
            assert_eq!(plan.how.choice.moves, moves);
        }
    }

    #[test]
    fn crazyhouse_has_a_network_with_a_value_and_a_policy() {
        let text = "game = \"crazyhouse\"\ndata = [\"a.plain\"]\nout = \"nets/a\"\nmodel = \"network\"\n";
        let read = |text: &str| TrainingPlan::read(text, "train.toml", &[], Memory::empty()).unwrap();
        let plan = read(text);
        assert_eq!(plan.how.settings.kind, Kind::Crazyhouse { hidden: 128, scale: 250 });
        // It learns from mates, too.
        assert_eq!((plan.how.choice.moves, plan.how.choice.max_score), (Moves::Played, 32_000));
        assert_eq!((plan.how.settings.batch, plan.how.settings.lambda.to_bits()), (4_096, 0.3_f64.to_bits()));
        let other = read(&format!("{text}hidden = 256\nscale = 300\n"));
        assert_eq!(other.how.settings.kind, Kind::Crazyhouse { hidden: 256, scale: 300 });
        for (line, expected) in [
            ("buckets = 2", "a network of crazyhouse has no `buckets`"),
            ("ply_buckets = 2", "a network of crazyhouse has no `ply_buckets`"),
            ("hidden = 512", "expected a multiple of 32, at most 256"),
            ("network = \"a.bin\"", "`network` is of policies"),
        ] {
            let shown = shown(&format!("{text}{line}\n"));
            assert!(shown.contains(expected), "{line}: {shown}");
        }
        assert!(shown(&text.replace("\"network\"", "\"policy\"")).contains("it has a value and a policy"));
    }

    #[test]
    fn chess_has_a_network_of_its_own() {
        let text = format!("{TEXT}game = \"chess\"\n");
        let plan = TrainingPlan::read(&text, "train.toml", &[], Memory::empty()).unwrap();
        assert_eq!(plan.how.settings.kind, Kind::Chess { hidden: 64, output_scale: 256, scale: 400 });
        let plan =
            TrainingPlan::read(&text, "train.toml", &["hidden=48".to_owned(), "scale=300".to_owned()], Memory::empty())
                .unwrap();
        assert_eq!(plan.how.settings.kind, Kind::Chess { hidden: 48, output_scale: 256, scale: 300 });
        for (line, message, label) in [
            ("hidden = 40", "a network cannot have 40 neurons", "expected a multiple of 16, at most 2048"),
            ("buckets = 8", "`buckets` is always 5 in chess", "remove it"),
            ("ply_buckets = 8", "a network of chess has no `ply_buckets`", "remove it"),
            ("scale = 0", "`scale` cannot be 0", "expected 1 to 3200"),
            ("start = \"a.bin\"", "cannot read a.bin", "expected a network's file"),
            ("start = \"Cargo.toml\"", "Cargo.toml: this is not a network of chess", "expected a network's file"),
        ] {
            let shown = shown(&format!("{text}{line}\n"));
            assert!(shown.contains(message) && shown.contains(label), "{line}: {shown}");
        }
        assert!(shown(&text.replace("network", "wps")).contains("`wps` is a model of 0.1"));
        assert!(shown(&text.replace("\"chess\"", "\"atomic\"")).contains("expected `0.1`, `chess` or `crazyhouse`"));
        assert!(shown(&format!("{TEXT}scale = 300\n")).contains("`scale` is of chess"));
    }

    #[test]
    fn positions_can_have_weights() {
        let text = format!("{TEXT}[weights]\nply = [[0, 0.3], [16, 1], [200, 0.5]]\ndraw = 0.5\n");
        let weights = PositionWeights { ply: vec![(0, 0.3), (16, 1.0), (200, 0.5)], win: 1.0, draw: 0.5, loss: 1.0 };
        let plan = TrainingPlan::read(&text, "train.toml", &[], Memory::empty()).unwrap();
        assert_eq!(plan.how.settings.weights, weights);
        let plan = TrainingPlan::read(TEXT, "train.toml", &["weights.loss=2".to_owned()], Memory::empty()).unwrap();
        assert_eq!(plan.how.settings.weights, PositionWeights { loss: 2.0, ..PositionWeights::default() });
        for (line, message, label) in [
            ("win = -1.0", "`win` cannot be -1", "expected a weight, 0 to 1000000"),
            ("draw = nan", "`draw` cannot be NaN", "expected a weight"),
            ("win = 0\ndraw = 0\nloss = 0", "no position counts", "for some result"),
            ("ply = [[0, inf]]", "the weight at ply 0 cannot be inf", "expected 0 to 1000000"),
            ("ply = [[5, 1.0], [5, 0.5]]", "ply 5 stands behind ply 5", "expected rising plies"),
            ("ply = [[0, 0.0], [9, 0.0]]", "no position counts", "such as [[0, 0.3], [16, 1.0]]"),
            ("ply = []", "no position counts", "such as [[0, 0.3], [16, 1.0]]"),
            ("ply = [[0.5, 1.0]]", "`ply` cannot be [[0.5, 1.0]]", "such as [[0, 0.3], [16, 1.0]]"),
            ("ply = 3", "`ply` cannot be 3", "expected plies with weights"),
            ("black = 1.0", "unknown key `black`", ""),
        ] {
            let shown = shown(&format!("{TEXT}[weights]\n{line}\n"));
            assert!(shown.contains(message) && shown.contains(label), "{line}: {shown}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_shown_where_it_stands() {
        let with = |line: &str| shown(&format!("{TEXT}{line}\n"));
        for (line, message, label) in [
            ("hidden = 100", "a network cannot have 100 neurons", "expected a multiple of 32, at most 512"),
            ("buckets = 17", "`buckets` cannot be 17", "expected 1 to 16"),
            ("ply_buckets = 0", "`ply_buckets` cannot be 0", "expected 1 to 16"),
            ("lambda = 1.5", "`lambda` cannot be 1.5", "expected 0 to 1"),
            ("batch = 0", "`batch` cannot be 0", "expected 1 to 16777216"),
            ("learning_rate = nan", "`learning_rate` cannot be NaN", "a number above 0, at most 1"),
            ("final_learning_rate = 0.1", "the learning rate would rise", "expected at most 0.001"),
            ("held_out = 0", "`held_out` cannot be 0", "a share of all games"),
            ("held_out = 0.0", "`held_out` cannot be 0", "a share of all games"),
            ("epochs = 1.0\npositions = 5", "the length is given twice", "remove `epochs` or `positions`"),
            ("positions = 0", "`positions` cannot be 0", "expected a number from 1"),
            ("score_clip = 40.0", "`score_clip` cannot be 40", "at most 32"),
            ("lamda = 0.1", "unknown key `lamda`", "did you mean `lambda`?"),
        ] {
            let shown = with(line);
            assert!(shown.contains(message) && shown.contains(label), "{line}: {shown}");
            assert!(shown.contains("train.toml:"), "{shown}");
        }
        assert!(shown("out = \"a\"\nmodel = \"wps\"").contains("there is no `data`"));
        assert!(shown("data = []\nout = \"a\"\nmodel = \"wps\"").contains("expected at least one file"));
        let linear = TEXT.replace("network", "wps") + "hidden = 32";
        assert!(shown(&linear).contains("this model is linear"));
        assert!(shown(&TEXT.replace("network", "deep")).contains("expected `wps`, `network` or `policy`"));
    }
}
