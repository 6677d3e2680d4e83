//! Resolves entrants: the settings of `[[entrant]]` override those of `[each]`, and errors point to the place of a
//! value.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, Origin};
use super::super::keys::{EnginePlan, Keys, Named, OwnPlayer};
use super::process;
use super::read::parse;
use super::settings::Settings;
use arena::config::{read_bytes, read_time_source};
use engine::params::MctsParams;
use engine::{EvaluationKind, PARAMS, ParamInfo, Params, SearchKind};
use play::entrant::{CustomSpec, Entrant, NativeSpec, PlayerSpec};
use play::games::GameKind;
use play::spelling::nearest;
use play::{Limit, TimeSource};
use std::num::NonZeroU64;

/// The default table size of an entrant: fast games want the table in the cache.
const DEFAULT_TABLE_BYTES: u64 = 1 << 20;

pub(super) fn resolve(source: &Source, raw: &Keys, is_stored: bool) -> Result<Vec<Entrant>, PlanError> {
    let none = EnginePlan::default();
    let each = raw.each.as_ref().map_or(&none, |each| &each.value);
    if let Some(name) = &each.name {
        return Err(source.error_at(&name.origin, "`[each]` has no name", "names belong to `[[entrant]]` sections"));
    }
    let game = raw.game();
    let mut entrants: Vec<Entrant> = Vec::new();
    for given in &raw.entrant {
        let entrant = Settings { source, each, own: &given.value, place: &given.origin, is_stored };
        let name = entrant.name()?;
        if entrants.iter().any(|other| other.name == name.value) {
            let message = format!("two entrants are called \"{}\"", name.value);
            return Err(source.error_at(&name.origin, message, "expected another name"));
        }
        let player = entrant.player(game)?;
        entrants.push(Entrant { name: name.value.clone(), player });
    }
    Ok(entrants)
}

impl Settings<'_> {
    fn player(&self, game: GameKind) -> Result<PlayerSpec, PlanError> {
        // The entrant's own kind of player takes precedence over that of `[each]`.
        let command = match self.own {
            EnginePlan { cmd: Some(command), .. } => Some(command),
            EnginePlan { player: Some(_), .. } => None,
            _ => self.each.cmd.as_ref(),
        };
        if let Some(command) = command {
            self.refuse(&native_settings(self.own), "an engine process has no such setting")?;
            return Ok(PlayerSpec::Process(Box::new(process::resolve(self, game, command)?)));
        }
        let player = self.get(|raw| &raw.player).map(|player| player.value).unwrap_or_default();
        if player != OwnPlayer::Custom {
            self.refuse(&process_settings(self.own), "only an engine process has this setting: give it a `cmd`")?;
        }
        match player {
            OwnPlayer::Custom => self.custom(),
            OwnPlayer::Native => self.native(game).map(|native| PlayerSpec::Native(Box::new(native))),
            OwnPlayer::Random => {
                let given =
                    native_settings(self.own).into_iter().chain(self.own.limit.as_ref().map(|limit| &limit.origin));
                self.refuse(&given.collect::<Vec<_>>(), "a random player has no settings")?;
                Ok(PlayerSpec::Random)
            }
        }
    }

    /// Resolves a player of the program that plays the run. That program gets the settings.
    fn custom(&self) -> Result<PlayerSpec, PlanError> {
        let settings = process::options(self.source, [&self.each.options, &self.own.options])?;
        let settings = settings.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let limit = if self.get(|raw| &raw.limit).is_some() { self.limit()? } else { Limit::Nodes(NonZeroU64::MIN) };
        Ok(PlayerSpec::Custom(Box::new(CustomSpec { limit, settings })))
    }

    /// Refuses the first of these settings, if any is given.
    fn refuse(&self, given: &[&Origin], why: &str) -> Result<(), PlanError> {
        given.first().map_or(Ok(()), |place| Err(self.source.error_at(place, why, "remove this")))
    }

    fn native(&self, game: GameKind) -> Result<NativeSpec, PlanError> {
        let name = self.name()?;
        if game != GameKind::ZeroPointOne {
            let message = format!("entrant \"{}\" has no `cmd`", name.value);
            let error = self.source.error_at(&name.origin, message, format!("which program plays {game}?"));
            return Err(error.with_help("spar's own engine plays only 0.1: add `cmd = \"...\"`"));
        }
        let mut params = Params::default();
        if let Some(preset) = self.get(|raw| &raw.mcts_preset) {
            params.mcts =
                parse(self.source, preset, MctsParams::preset, "set of parameters", &MctsParams::preset_names())?;
        }
        set_params(self.source, &mut params, &self.each.params, "[each]")?;
        set_params(self.source, &mut params, &self.own.params, &format!("entrant \"{}\"", name.value))?;
        let (evaluation, network) = self.evaluation()?;
        let search = self.get(|raw| &raw.search).map_or(Ok(SearchKind::default()), |text| {
            parse(self.source, text, |text| text.parse().ok(), "search", &SearchKind::names())
        })?;
        Ok(NativeSpec {
            search,
            policy: self.policy(search, evaluation, network.as_deref())?,
            evaluation,
            network,
            table_bytes: self
                .get(|raw| &raw.table)
                .map_or(Ok(DEFAULT_TABLE_BYTES), |text| parse_table(self.source, text))?,
            limit: self.limit()?,
            source: self.get(|raw| &raw.clock).map_or(Ok(TimeSource::Wall), |text| {
                let forms = "`wall`, or a rate such as `1000000 nodes/s`";
                parse(self.source, text, read_time_source, "clock", forms)
            })?,
            params,
        })
    }

    /// Returns the evaluation and the file of its weights. The two keys set the same thing, so either of the entrant's
    /// own keys overrides both keys of `[each]`.
    fn evaluation(&self) -> Result<(EvaluationKind, Option<String>), PlanError> {
        let says = |plan: &EnginePlan| plan.evaluation.is_some() || plan.network.is_some();
        let EnginePlan { evaluation, network, .. } = if says(self.own) { self.own } else { self.each };
        evaluation_of(self.source, evaluation.as_ref(), network.as_ref(), EvaluationKind::default())
    }

    /// Returns the file of its policy, which must fit its search and its network.
    fn policy(
        &self,
        search: SearchKind,
        evaluation: EvaluationKind,
        network: Option<&str>,
    ) -> Result<Option<String>, PlanError> {
        let Some(file) = self.get(|raw| &raw.policy) else { return Ok(None) };
        let refuse = |why: String, label: &str| self.source.error_at(&file.origin, why, label);
        if search.name() != "mcts" {
            if self.own.policy.is_none() {
                // The policy of `[each]` is for the other entrants.
                return Ok(None);
            }
            let why = format!("the search `{search}` has no use for a policy");
            return Err(refuse(why, "remove this, or add `search = \"mcts\"`"));
        }
        let label = "expected the file of a policy, from the working directory";
        let policy = self.source.files.policy(&file.value).map_err(|error| refuse(error.to_string(), label))?;
        let evaluator = match network {
            Some(network) => self.source.files.network(network).map(|read| read.evaluator().clone()),
            None => Ok(evaluation.into()),
        };
        let evaluator = evaluator.map_err(|error| refuse(error.to_string(), "for the network beside it"))?;
        let fits = policy.policy().check_fits(&evaluator);
        fits.map_err(|why| refuse(format!("{}: {why}", file.value), "expected a policy for this evaluation"))?;
        Ok(Some(file.value.clone()))
    }
}

/// Returns an evaluation by name, by the file of its weights, or by both, if they agree; `usual` by default.
pub(in super::super) fn evaluation_of(
    source: &Source,
    evaluation: Option<&Given<String>>,
    network: Option<&Given<String>>,
    usual: EvaluationKind,
) -> Result<(EvaluationKind, Option<String>), PlanError> {
    let Some(file) = network else {
        let kind = evaluation.map(|text| parse_evaluation(source, text)).transpose()?;
        return Ok((kind.unwrap_or(usual), None));
    };
    let read = source.files.network(&file.value).map_err(|error| {
        let label = "expected a file of weights, from the working directory";
        source.error_at(&file.origin, error.to_string(), label)
    })?;
    let holds = read.evaluator().kind();
    if let Some(text) = evaluation
        && parse_evaluation(source, text)? != holds
    {
        let message = format!("`{}` holds the weights of the evaluation `{holds}`, not `{}`", file.value, text.value);
        return Err(source.error_at(&text.origin, message, "leave this out: it follows from `network`"));
    }
    Ok((holds, Some(file.value.clone())))
}

/// The origins of settings of the built-in engine.
fn native_settings(raw: &EnginePlan) -> Vec<&Origin> {
    let texts = [&raw.clock, &raw.search, &raw.evaluation, &raw.network, &raw.policy, &raw.mcts_preset, &raw.table]
        .into_iter()
        .flatten()
        .map(|given| &given.origin);
    texts.chain(raw.params.names().map(|name| &name.origin)).collect()
}

/// The origins of settings of an engine process.
fn process_settings(raw: &EnginePlan) -> Vec<&Origin> {
    let texts =
        [&raw.dir, &raw.margin, &raw.start_within, &raw.answer_within, &raw.overrun_within].into_iter().flatten();
    let lists = [&raw.args, &raw.init].into_iter().flatten();
    let maps = raw.env.names().chain(raw.options.names()).map(|name| &name.origin);
    let others = raw.protocol.iter().map(|given| &given.origin).chain(raw.restart.iter().map(|given| &given.origin));
    let others = others.chain(raw.nice.iter().map(|given| &given.origin));
    let others = others.chain(raw.unknown_options.iter().map(|given| &given.origin));
    let others = others.chain(raw.moves.iter().map(|given| &given.origin));
    let others = others.chain(raw.ponder.iter().map(|given| &given.origin));
    texts.map(|given| &given.origin).chain(lists.map(|given| &given.origin)).chain(maps).chain(others).collect()
}

fn parse_evaluation(source: &Source, text: &Given<String>) -> Result<EvaluationKind, PlanError> {
    parse(source, text, |text| text.parse().ok(), "evaluation", &EvaluationKind::names())
}

/// The most bytes of a table. Every worker has two tables, so larger ones would exhaust most machines.
const MOST_TABLE_BYTES: u64 = 4 << 30;

fn parse_table(source: &Source, text: &Given<String>) -> Result<u64, PlanError> {
    let size = |text: &str| read_bytes(text).filter(|&bytes| bytes <= MOST_TABLE_BYTES);
    parse(source, text, size, "table size", "a size such as `256 KiB` or `1 MiB`, at most `4 GiB`")
}

fn set_params(source: &Source, params: &mut Params, raw: &Named, whose: &str) -> Result<(), PlanError> {
    for (name, value) in raw.iter() {
        let Some(info) = PARAMS.iter().find(|info| info.name == name.value) else {
            let message = format!("unknown parameter `{}` of {whose}", name.value);
            return Err(source.error_at(&name.origin, message, param_advice(&name.value)));
        };
        let number = number(&value.value, info);
        let refused = number.is_none_or(|number| params.set(info.name, number).is_err());
        if refused {
            let message = format!("`{}` of {whose} cannot be {}", info.name, value.value);
            return Err(source.error_at(&value.origin, message, format!("expected {}", range(info))));
        }
    }
    Ok(())
}

/// Returns the number of a TOML value, if its type fits the parameter's kind.
fn number(value: &toml::Value, info: &ParamInfo) -> Option<f64> {
    let is_switch = info.kind == engine::ParamKind::Switch;
    match value {
        toml::Value::Boolean(on) if is_switch => Some(f64::from(u8::from(*on))),
        toml::Value::Integer(n) if !is_switch => Some(*n as f64),
        toml::Value::Float(x) if !is_switch => Some(*x),
        _ => None,
    }
}

fn param_advice(name: &str) -> String {
    let best = nearest(name, PARAMS.iter().map(|info| info.name));
    match best.and_then(|best| PARAMS.iter().find(|info| info.name == best)) {
        Some(info) => format!("did you mean `{}` ({})?", info.name, range(info)),
        None => "`spar params` lists them all".to_owned(),
    }
}

fn range(info: &ParamInfo) -> String {
    match info.kind {
        engine::ParamKind::Switch => format!("true or false, default {}", info.default != 0.0),
        _ => format!("{} to {}, default {}", info.min, info.max, info.default),
    }
}
