//! The configuration as typed in: the TOML's shape and nothing more. [`super::resolve`] makes it valid.

use serde::Deserialize;
use serde_spanned::Spanned;
use std::collections::BTreeMap;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawConfig {
    pub(super) name: Option<Spanned<String>>,
    pub(super) title: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) game: play::games::GameKind,
    pub(super) seed: Option<u64>,
    pub(super) concurrency: Option<Spanned<usize>>,
    pub(super) sprt: Option<Spanned<RawSprt>>,
    #[serde(rename = "match")]
    pub(super) fixed: Option<RawMatch>,
    pub(super) tune: Option<RawTune>,
    pub(super) ladder: Option<RawLadder>,
    #[serde(default)]
    pub(super) openings: RawOpenings,
    pub(super) track: Option<bool>,
    #[serde(default)]
    pub(super) adjudication: RawAdjudication,
    pub(super) starvation: Option<RawStarvation>,
    pub(super) affinity: Option<Spanned<RawAffinity>>,
    #[serde(default)]
    pub(super) each: RawPlayer,
    #[serde(default)]
    pub(super) entrant: Vec<Spanned<RawPlayer>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSprt {
    pub(super) elo0: Spanned<f64>,
    pub(super) elo1: Spanned<f64>,
    pub(super) model: Option<Spanned<String>>,
    pub(super) alpha: Option<Spanned<f64>>,
    pub(super) beta: Option<Spanned<f64>>,
    pub(super) overshoot: Option<bool>,
    pub(super) max_pairs: Option<Spanned<u64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMatch {
    pub(super) pairs: Spanned<u64>,
    #[serde(default)]
    pub(super) schedule: super::Schedule,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLadder {
    pub(super) pairs: Spanned<u64>,
    pub(super) precision: Option<Spanned<f64>>,
    pub(super) lookahead: Option<Spanned<u64>>,
    #[serde(default)]
    pub(super) compare: super::Compare,
    pub(super) anchor: Option<Spanned<String>>,
    pub(super) anchor_elo: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) first_opening: u64,
    #[serde(default)]
    pub(super) known: Vec<RawKnown>,
}

/// An earlier result, as `spar ladder` writes it into the configuration of a further run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawKnown {
    pub(super) entrant: Spanned<String>,
    pub(super) opponent: Spanned<String>,
    pub(super) counts: Spanned<[u64; 6]>,
}

/// `[starvation]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStarvation {
    pub(super) threshold: Option<Spanned<String>>,
    pub(super) action: Option<crate::run::OnStarvation>,
}

/// `affinity`: a word, or the processors.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected \"off\", \"auto\" or a list of processors")]
pub(super) enum RawAffinity {
    Word(String),
    List(Vec<usize>),
}

/// `[adjudication]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAdjudication {
    pub(super) draw: Option<RawDraw>,
    pub(super) resign: Option<RawResign>,
    pub(super) max_moves: Option<Spanned<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawDraw {
    #[serde(default)]
    pub(super) from_move: u32,
    pub(super) moves: Spanned<u32>,
    pub(super) score: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawResign {
    pub(super) moves: Spanned<u32>,
    pub(super) score: u32,
    #[serde(default)]
    pub(super) two_sided: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTune {
    pub(super) method: Option<Spanned<String>>,
    pub(super) pairs: Spanned<u64>,
    pub(super) lookahead: Option<u64>,
    pub(super) stop_regret: Option<f64>,
    #[serde(default)]
    pub(super) parameter: Vec<Spanned<RawTuned>>,
    pub(super) lines: Option<Spanned<String>>,
    pub(super) verify: Option<RawVerify>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTuned {
    pub(super) name: Spanned<String>,
    pub(super) kind: Option<super::tune::TunedKind>,
    pub(super) start: Option<Spanned<f64>>,
    pub(super) min: Option<Spanned<f64>>,
    pub(super) max: Option<Spanned<f64>>,
    pub(super) step: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawVerify {
    pub(super) enabled: Option<bool>,
    pub(super) elo0: Option<f64>,
    pub(super) elo1: Option<f64>,
    pub(super) max_pairs: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawOpenings {
    pub(super) source: Option<Spanned<String>>,
    pub(super) file: Option<Spanned<String>>,
    pub(super) format: Option<Spanned<String>>,
    pub(super) order: Option<Spanned<String>>,
    pub(super) start: Option<Spanned<u64>>,
    pub(super) plies: Option<Spanned<u32>>,
    pub(super) balance: Option<Spanned<f64>>,
}

/// An `[[entrant]]`, or what `[each]` gives to all of them and they may replace.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPlayer {
    pub(super) name: Option<Spanned<String>>,
    pub(super) player: Option<RawKind>,
    pub(super) limit: Option<Spanned<String>>,
    pub(super) clock: Option<Spanned<String>>,
    pub(super) evaluation: Option<Spanned<String>>,
    pub(super) table: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) params: RawParams,
    pub(super) cmd: Option<Spanned<String>>,
    pub(super) args: Option<Spanned<Vec<String>>>,
    pub(super) dir: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) env: BTreeMap<Spanned<String>, String>,
    pub(super) protocol: Option<Spanned<play::entrant::Protocol>>,
    #[serde(default)]
    pub(super) options: RawParams,
    pub(super) init: Option<Spanned<Vec<String>>>,
    pub(super) margin: Option<Spanned<String>>,
    pub(super) restart: Option<Spanned<play::entrant::Restart>>,
    pub(super) start_within: Option<Spanned<String>>,
    pub(super) answer_within: Option<Spanned<String>>,
    pub(super) nice: Option<Spanned<i32>>,
}

pub(super) type RawParams = BTreeMap<Spanned<String>, Spanned<toml::Value>>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawKind {
    #[default]
    Native,
    Random,
}
