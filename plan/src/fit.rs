//! The plan of a fit: its data, its target and its method. It has its own configuration, since a fit is not a run.

use super::error::{PlanError, Source};
use super::files::Files;
use super::given::Given;
use super::keys::{FitKeys, GeneticKeys};
use super::sources::{Games, Place, files_and_runs, run_of};
use super::values::{Range, count, number, one_of, word};
use crate::error::ReadError;
use std::path::{Path, PathBuf};
use trainer::chess::View;
use trainer::chess::read::{Format, Reading, Unit};
use trainer::fit::{
    AdamSettings, Fitness, GeneticSettings, Input, LbfgsSettings, Method, Model, Quiet, Settings, Weights,
};

/// A requested fit.
#[derive(Clone, Debug)]
pub struct FitPlan {
    /// The folder for all its files.
    pub out: PathBuf,
    /// The settings that determine the fit.
    pub settings: Settings,
    /// The configuration as it was read.
    pub text: String,
    data: Given<Vec<String>>,
    reading: ReadingKeys,
    source: Source,
}

/// How to read the files.
#[derive(Clone, Copy, Debug)]
struct ReadingKeys {
    format: Option<Format>,
    view: Option<View>,
    unit: Option<Unit>,
}

const SHARE: Range = Range { low: 0.0, high: 1.0, says: "0 to 1" };
const ABOVE_0: Range = Range { low: 1e-12, high: 1e12, says: "a number above 0" };

impl FitPlan {
    /// Reads a configuration. `name` identifies the text in errors, `changes` are `key=value` texts that override it,
    /// and `files` holds the files that it may name.
    ///
    /// # Errors
    /// [`PlanError`] for the first mistake, at its place.
    pub fn read(text: &str, name: &str, changes: &[String], files: impl Files + 'static) -> Result<Self, PlanError> {
        let (source, keys) = Source::read(text, name, changes, files)?;
        resolve(&keys, source)
    }

    /// Returns the files and runs to read, and how to read them.
    ///
    /// # Errors
    /// [`ReadError::Plan`] for an invalid pattern or one without matches, for a file of unknown format, and for a run
    /// of another game than the model's or without scores; otherwise the error of a run.
    pub fn inputs(&self) -> Result<Vec<Input>, ReadError> {
        let input = |place| match place {
            Place::File(path) => Ok(self.file(path)?),
            Place::Journal(path) => self.run(&path),
        };
        files_and_runs(&self.source, &self.data)?.into_iter().map(input).collect()
    }

    fn run(&self, path: &Path) -> Result<Input, ReadError> {
        let (games, expected) = match self.settings.model {
            Model::ChessTables { .. } => (Games::Chess, "`chess-tables` are fitted to runs of chess and Chess960"),
            Model::PieceSquare | Model::Wps => (Games::ZeroPointOne, "this model is fitted to runs of 0.1"),
            Model::Features => (Games::No, "`features` are read from files"),
        };
        Ok(Input::Run(run_of(&self.source, &self.data, path, games, expected)?))
    }

    fn file(&self, path: PathBuf) -> Result<Input, PlanError> {
        if !matches!(self.settings.model, Model::ChessTables { .. }) {
            return Ok(Input::File { path, reading: None });
        }
        let ReadingKeys { format, view, unit } = self.reading;
        let Some(format) = format.or_else(|| Format::of_path(&path)) else {
            let message = format!("the name of `{}` does not say how it is written", path.display());
            let label = "add `format = \"pgn\"`, `\"lines\"`, `\"csv\"`, `\"json\"`, `\"bullet\"` or `\"plain\"`";
            return Err(self.source.error_at(&self.data.origin, message, label));
        };
        if let Some((of_format, of_scores)) = format.fixed()
            && (view.is_some_and(|view| view != of_format) || unit.is_some_and(|unit| unit != of_scores))
        {
            let message =
                format!("scores in `{}` are the mover's, in centipawns, as its format has them", path.display());
            return Err(self.source.error_at(&self.data.origin, message, "leave `view` and `unit` out"));
        }
        Ok(Input::File { path, reading: Some(Reading { format, view, unit }) })
    }
}

fn resolve(keys: &FitKeys, source: Source) -> Result<FitPlan, PlanError> {
    let missing = |what: &str, example: &str| source.error(format!("there is no `{what}`"), format!("add `{example}`"));
    let data = keys.data.clone().ok_or_else(|| missing("data", "data = [\"games/*.pgn\"]"))?;
    if data.value.is_empty() {
        return Err(source.error_at(&data.origin, "there is nothing to fit to", "expected at least one file or run"));
    }
    let out = keys.out.as_ref().ok_or_else(|| missing("out", "out = \"fits/tables\""))?;
    if out.value.is_empty() {
        return Err(source.error_at(&out.origin, "`out` is empty", "expected a folder"));
    }
    let settings = settings(keys, &source)?;
    let reading = reading(keys, &source, settings.model)?;
    Ok(FitPlan { out: PathBuf::from(&out.value), settings, text: source.text.clone(), data, reading, source })
}

fn model(keys: &FitKeys, source: &Source) -> Result<Model, PlanError> {
    let tapered = keys.tapered.as_ref().is_none_or(|given| given.value);
    let words = [
        ("chess-tables", Model::ChessTables { tapered }),
        ("piece-square", Model::PieceSquare),
        ("wps", Model::Wps),
        ("features", Model::Features),
    ];
    let model = word(source, keys.model.as_ref(), "model", &words)?;
    let model = model.ok_or_else(|| source.error("there is no `model`", "add `model = \"chess-tables\"`"))?;
    match &keys.tapered {
        Some(given) if !matches!(model, Model::ChessTables { .. }) => {
            Err(source.error_at(&given.origin, "only tables of chess can be tapered", "remove it"))
        }
        _ => Ok(model),
    }
}

fn reading(keys: &FitKeys, source: &Source, model: Model) -> Result<ReadingKeys, PlanError> {
    let of_chess = [("format", &keys.format), ("view", &keys.view), ("unit", &keys.unit), ("quiet", &keys.quiet)];
    if !matches!(model, Model::ChessTables { .. })
        && let Some((name, given)) = of_chess.into_iter().find_map(|(name, key)| Some((name, key.as_ref()?)))
    {
        let message = format!("`{name}` is for positions of chess");
        return Err(source.error_at(&given.origin, message, "remove it, or fit `chess-tables`"));
    }
    Ok(ReadingKeys {
        format: word(source, keys.format.as_ref(), "format", &Format::ALL)?,
        view: word(source, keys.view.as_ref(), "view", &[("white", View::White), ("mover", View::Mover)])?,
        unit: word(source, keys.unit.as_ref(), "unit", &[("centipawns", Unit::Centipawns), ("pawns", Unit::Pawns)])?,
    })
}

fn settings(keys: &FitKeys, source: &Source) -> Result<Settings, PlanError> {
    let number =
        |key: &Option<Given<f64>>, name, usual, range: Range| number(source, key.as_ref(), name, usual, &range);
    let maybe = |key: &Option<Given<f64>>, name| key.as_ref().map(|_| number(key, name, 1.0, ABOVE_0)).transpose();
    let quiet = [("as-is", Quiet::AsIs), ("only", Quiet::Only), ("resolve", Quiet::Resolve)];
    let model = model(keys, source)?;
    Ok(Settings {
        model,
        start: keys.start.as_ref().map(|file| start(source, file)).transpose()?,
        positions: count(source, keys.positions.as_ref().map(as_u32).as_ref(), "positions", 1_000_000, 1_u32 << 30)?
            as usize,
        held_out: number(
            &keys.held_out,
            "held_out",
            0.1,
            Range { low: 1e-4, high: 0.9, says: "a share of all games, 0.0001 to 0.9" },
        )?,
        quiet: word(source, keys.quiet.as_ref(), "quiet", &quiet)?.unwrap_or(Quiet::Only),
        max_score: number(
            &keys.max_score,
            "max_score",
            2_000.0,
            Range { high: 32_000.0, says: "centipawns, at most 32000", ..ABOVE_0 },
        )?,
        lambda: number(&keys.lambda, "lambda", 0.5, SHARE)?,
        score_scale: maybe(&keys.score_scale, "score_scale")?,
        scale: maybe(&keys.scale, "scale")?,
        spread: number(&keys.spread, "spread", 100.0, Range { high: f64::INFINITY, ..ABOVE_0 })?,
        seed: keys.seed.as_ref().map_or(1, |seed| seed.value),
        methods: methods(keys, source)?,
        adam: adam(keys, source)?,
        lbfgs: lbfgs(keys, source)?,
        genetic: keys.genetic.as_ref().map_or(Ok(GeneticSettings::default()), |given| genetic(&given.value, source))?,
    })
}

/// Converts a count; a count beyond `u32` becomes `u32::MAX`, which is reported as too large.
fn as_u32(given: &Given<usize>) -> Given<u32> {
    given.with(u32::try_from(given.value).unwrap_or(u32::MAX))
}

fn start(source: &Source, file: &Given<String>) -> Result<Weights, PlanError> {
    let refuse =
        |why: String| source.error_at(&file.origin, why, "expected a file of weights, from the working directory");
    let path = Path::new(&file.value);
    let text = source.files.text(path).map_err(|error| refuse(format!("cannot read {}: {error}", path.display())))?;
    Weights::parse(&text).map_err(|error| refuse(format!("{}: {error}", path.display())))
}

fn methods(keys: &FitKeys, source: &Source) -> Result<Vec<Method>, PlanError> {
    let Some(given) = &keys.methods else { return Ok(vec![Method::Lbfgs]) };
    if given.value.is_empty() {
        return Err(source.error_at(&given.origin, "there is no method", "expected `adam`, `lbfgs` or `genetic`"));
    }
    let mut methods = Vec::new();
    for name in &given.value {
        let method = one_of(source, name, &given.origin, "methods", &Method::ALL)?;
        if methods.contains(&method) {
            return Err(source.error_at(&given.origin, format!("`{name}` is there twice"), "expected each once"));
        }
        methods.push(method);
    }
    Ok(methods)
}

fn adam(keys: &FitKeys, source: &Source) -> Result<AdamSettings, PlanError> {
    let usual = AdamSettings::default();
    let Some(Given { value: keys, .. }) = &keys.adam else { return Ok(usual) };
    let batch = keys.batch.as_ref().map(as_u32);
    Ok(AdamSettings {
        epochs: count(source, keys.epochs.as_ref(), "epochs", usual.epochs, 100_000)?,
        batch: count(source, batch.as_ref(), "batch", usual.batch as u32, 1 << 24)? as usize,
        learning_rate: number(source, keys.learning_rate.as_ref(), "learning_rate", usual.learning_rate, &ABOVE_0)?,
    })
}

fn lbfgs(keys: &FitKeys, source: &Source) -> Result<LbfgsSettings, PlanError> {
    let usual = LbfgsSettings::default();
    let Some(Given { value: keys, .. }) = &keys.lbfgs else { return Ok(usual) };
    Ok(LbfgsSettings {
        iterations: count(source, keys.iterations.as_ref(), "iterations", usual.iterations, 100_000)?,
        tolerance: number(source, keys.tolerance.as_ref(), "tolerance", usual.tolerance, &ABOVE_0)?,
    })
}

fn genetic(keys: &GeneticKeys, source: &Source) -> Result<GeneticSettings, PlanError> {
    let usual = GeneticSettings::default();
    let number =
        |key: &Option<Given<f64>>, name, usual, range: &Range| number(source, key.as_ref(), name, usual, range);
    let count = |key: &Option<Given<u32>>, name, usual| count(source, key.as_ref(), name, usual, 1_000_000);
    let fitness = [("absolute", Fitness::Absolute), ("rank", Fitness::Rank), ("logistic", Fitness::Logistic)];
    let settings = GeneticSettings {
        generations: count(&keys.generations, "generations", usual.generations)?,
        children: count(&keys.children, "children", usual.children)?,
        parents: count(&keys.parents, "parents", usual.parents)?,
        mutation_rate: number(&keys.mutation_rate, "mutation_rate", usual.mutation_rate, &SHARE)?,
        mutation_size: number(&keys.mutation_size, "mutation_size", usual.mutation_size, &ABOVE_0)?,
        mutation_decay: number(&keys.mutation_decay, "mutation_decay", usual.mutation_decay, &SHARE)?,
        crossover: number(&keys.crossover, "crossover", usual.crossover, &SHARE)?,
        bounds: number(&keys.bounds, "bounds", usual.bounds, &ABOVE_0)?,
        fitness: word(source, keys.fitness.as_ref(), "fitness", &fitness)?.unwrap_or(usual.fitness),
    };
    match &keys.parents {
        Some(given) if settings.parents > settings.children => {
            let message = format!("{} parents cannot be chosen among {} children", settings.parents, settings.children);
            Err(source.error_at(&given.origin, message, "expected at most as many as `children`"))
        }
        _ => Ok(settings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory::Memory;

    const TEXT: &str = "data = [\"a.pgn\"]\nout = \"fits/a\"\nmodel = \"chess-tables\"\n";

    fn shown(text: &str) -> String {
        let error = FitPlan::read(text, "fit.toml", &[], Memory::empty())
            .and_then(|plan| plan.file(PathBuf::from(&plan.data.value[0])))
            .unwrap_err();
        format!("{:?}", miette::Report::new(error))
    }

    #[test]
    fn a_short_configuration_is_enough() {
        let plan = FitPlan::read(TEXT, "fit.toml", &["lambda=1.0".to_owned()], Memory::empty()).unwrap();
        assert_eq!((plan.settings.lambda, plan.settings.methods.as_slice()), (1.0, &[Method::Lbfgs][..]));
        assert_eq!(plan.settings.model, Model::ChessTables { tapered: true });
        let path = PathBuf::from("a.pgn");
        let reading = Some(Reading { format: Format::Pgn, view: None, unit: None });
        assert_eq!(plan.file(path.clone()).unwrap(), Input::File { path, reading });
        let spread =
            FitPlan::read(&format!("{TEXT}spread = inf\n"), "fit.toml", &[], Memory::empty()).unwrap().settings.spread;
        assert!(spread.is_infinite());
    }

    #[test]
    fn what_cannot_be_used_is_shown_where_it_stands() {
        for (line, message, label) in [
            ("quiet = \"x\"", "`quiet` cannot be `x`", "expected `as-is`, `only`, `resolve`"),
            ("methods = []", "there is no method", "expected `adam`"),
            ("methods = [\"adam\", \"adam\"]", "`adam` is there twice", "each once"),
            ("methods = [\"sgd\"]", "`methods` cannot be `sgd`", "`lbfgs`"),
            ("lambda = 2.0", "`lambda` cannot be 2", "expected 0 to 1"),
            ("spread = 0.0", "`spread` cannot be 0", "a number above 0"),
            ("positions = 0", "`positions` cannot be 0", "expected 1 to"),
            ("start = \"nowhere.toml\"", "cannot read nowhere.toml", "expected a file of weights"),
            ("[genetic]\nchildren = 5\nparents = 6", "6 parents cannot be chosen among 5 children", "at most"),
            ("[genetic]\nfitness = \"mean\"", "`fitness` cannot be `mean`", "`rank`"),
            ("[adam]\nepochs = 0", "`epochs` cannot be 0", "expected 1 to"),
            ("[lbfgs]\niteration = 3", "unknown key `iteration`", "did you mean `iterations`?"),
        ] {
            let shown = shown(&format!("{TEXT}{line}\n"));
            assert!(shown.contains(message) && shown.contains(label), "{line}: {shown}");
        }
        for (from, to, message) in [
            ("model = \"chess-tables\"", "", "there is no `model`"),
            ("data = [\"a.pgn\"]", "", "there is no `data`"),
            ("out = \"fits/a\"", "", "there is no `out`"),
            ("a.pgn", "a.dat", "the name of `a.dat` does not say how it is written"),
            ("[\"a.pgn\"]", "[\"a.plain\"]\nview = \"white\"", "scores in `a.plain` are the mover's, in centipawns"),
            ("[\"a.pgn\"]", "[\"a.bullet\"]\nunit = \"pawns\"", "scores in `a.bullet` are the mover's, in centipawns"),
            ("chess-tables\"", "wps\"\ntapered = true", "only tables of chess can be tapered"),
            ("chess-tables\"", "wps\"\nview = \"white\"", "`view` is for positions of chess"),
            ("chess-tables\"", "features\"\nquiet = \"only\"", "`quiet` is for positions of chess"),
        ] {
            let shown = shown(&TEXT.replace(from, to));
            assert!(shown.contains(message), "{from}: {shown}");
        }
    }
}
