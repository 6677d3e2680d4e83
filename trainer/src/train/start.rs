//! The initial weights of a training, instead of random ones: a network of the same sizes that was trained before.

use super::error::Misfit;
use super::pst_net::PstNet;
use super::settings::Kind;
use engine::Evaluator;

/// Weights to begin with.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// An evaluation of 0.1.
    Engine(&'a Evaluator),
    /// A network of chess.
    Chess(&'a PstNet),
    /// A network of crazyhouse.
    Crazyhouse(&'a crazyhouse::Network),
}

impl<'a> From<&'a Evaluator> for Start<'a> {
    fn from(evaluator: &'a Evaluator) -> Self {
        Self::Engine(evaluator)
    }
}

impl<'a> From<&'a PstNet> for Start<'a> {
    fn from(network: &'a PstNet) -> Self {
        Self::Chess(network)
    }
}

impl<'a> From<&'a crazyhouse::Network> for Start<'a> {
    fn from(network: &'a crazyhouse::Network) -> Self {
        Self::Crazyhouse(network)
    }
}

impl Start<'_> {
    /// A hash that identifies the weights.
    pub(super) fn hash(self) -> u64 {
        match self {
            Self::Engine(evaluator) => evaluator.hash(),
            Self::Chess(network) => u64::from(crc32fast::hash(&network.to_bytes())),
            Self::Crazyhouse(network) => u64::from(crc32fast::hash(&network.to_bytes())),
        }
    }
}

/// Checks that a training of this kind can begin with these weights.
///
/// # Errors
/// [`Misfit`] if it cannot.
pub fn fits<'a>(start: impl Into<Start<'a>>, kind: Kind) -> Result<(), Misfit> {
    match (start.into(), kind) {
        (_, Kind::Wps) => Err(Misfit::Linear),
        (Start::Engine(Evaluator::Network(network)), Kind::Network { hidden, buckets, ply_buckets, output_scale }) => {
            let parts = network.parts();
            let has = [parts.hidden, parts.buckets.pieces, usize::from(parts.output_scale)];
            same(["buckets", "output_scale"], has, [hidden, buckets, usize::from(output_scale)])?;
            match parts.buckets.plies {
                has if has == 1 || has == ply_buckets => Ok(()),
                has => Err(Misfit::PlyBuckets { has, wanted: ply_buckets }),
            }
        }
        (Start::Engine(Evaluator::Network(_)), Kind::Policy { .. }) => Ok(()),
        (Start::Chess(network), Kind::Chess { hidden, output_scale, scale }) => {
            let wanted = [hidden, usize::from(output_scale), usize::from(scale)];
            same(["output_scale", "scale"], network.sizes(), wanted)?;
            if network.is_within_limits() { Ok(()) } else { Err(Misfit::Limits) }
        }
        (Start::Crazyhouse(network), Kind::Crazyhouse { hidden, .. }) => match network.weights().hidden {
            has if has == hidden => Ok(()),
            has => Err(Misfit::Width { has, wanted: hidden }),
        },
        _ => Err(Misfit::NoNetwork),
    }
}

fn same([second, third]: [&'static str; 2], has: [usize; 3], wanted: [usize; 3]) -> Result<(), Misfit> {
    if has == wanted { Ok(()) } else { Err(Misfit::Shape { second, third, has, wanted }) }
}
