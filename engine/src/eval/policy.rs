//! The policy: predicts the move of a position without a search, from the hidden layer of a network.
//!
//! ```text
//! logit(move) = h . (W[move] + V[kind] + P[plan]) + b[move] + c[kind] + d[detail]
//! ```
//!
//! h are the activations of the network's hidden layer, the mover's half first, as for its own output. Moves are
//! numbered in the mover's perspective. Their kind, plan and details describe what they do (see [`PolicyRow`]), since
//! origin and target alone do not tell.
//!
//! Owns the weights, their quantisation and file. All weights are whole numbers from -127 to 127 in units of 1/`scale`,
//! biases are in units of 1/(255 x `scale`). Activations are rounded to units of 1/127, so that products of 8 bits
//! suffice.

use super::network::{Hidden, MAX_HIDDEN, OUTPUT_LIMIT};
use super::simd::{Bytes, AT_ONCE, LANES};
use super::weights::{self, Reader, WeightsError, Writer};
use super::{EvaluationKind, Evaluator};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The number of numbered moves: 1,092 jumps, and 256 drops.
pub const MOVES: usize = JUMPS + 256;
/// The number of jumps that some piece can make.
pub const JUMPS: usize = 1_092;
/// The number of kinds of moves.
pub const KINDS: usize = 270;
/// The number of ways in which a move can react to a threat.
pub(crate) const RESCUES: usize = 7;
/// The number of plans.
pub const PLANS: usize = 9 * RESCUES * 3;
/// The number of details.
pub const DETAILS: usize = PLANS * 12;
/// The number of rows of weights.
pub const ROWS: usize = MOVES + KINDS + PLANS;
/// The number of biases.
pub const BIASES: usize = MOVES + KINDS + DETAILS;
/// The first bytes of a policy's file.
const MAGIC: &str = "spar-pol";
/// No policy.
pub const NONE: Option<Arc<Policy>> = None;

/// The shipped policy: a file beside this one, part of the program.
pub(crate) fn shipped() -> Arc<Policy> {
    static POLICY: OnceLock<Arc<Policy>> = OnceLock::new();
    let read = || Policy::from_bytes(include_bytes!("policy.bin"));
    // The fallback is never used: a test reads the file.
    Arc::clone(POLICY.get_or_init(|| Arc::new(read().unwrap_or_default())))
}

/// The weights that belong to a move of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyRow {
    /// The number of the move, below [`MOVES`].
    pub mv: u16,
    /// The kind, below [`KINDS`]: the piece that moves or is dropped, whether the move wins or loses by exchanges,
    /// whether it gives check, and what it captures.
    pub kind: u16,
    /// The plan, below [`PLANS`]: the piece, what the move does for the own piece that is most in danger, and the
    /// number of pieces that it threatens.
    pub plan: u16,
    /// The details, below [`DETAILS`]: the plan, the number of attacked squares that the opponent's wazir can jump to,
    /// and which sides attack the target.
    pub detail: u16,
}

impl PolicyRow {
    /// The numbers of the move's weights, below [`ROWS`].
    pub fn weights(self) -> [usize; 3] {
        let [kind, plan] = self.shared();
        [usize::from(self.mv), MOVES + kind, MOVES + plan]
    }

    /// The numbers of the kind and the plan among those of kinds and plans.
    fn shared(self) -> [usize; 2] {
        [usize::from(self.kind), KINDS + usize::from(self.plan)]
    }

    /// The numbers of the move's biases, below [`BIASES`].
    pub fn biases(self) -> [usize; 3] {
        [usize::from(self.mv), MOVES + usize::from(self.kind), MOVES + KINDS + usize::from(self.detail)]
    }
}

/// The weights of a policy before they are checked: plain numbers in the units given in the module's documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyParts {
    /// The hash of the network whose hidden layer the policy reads ([`super::Network::hash`]).
    pub network: u64,
    /// The number of neurons of that layer for each perspective.
    pub hidden: usize,
    /// The number of units per 1.0 of a weight: 1 to 16,384.
    pub scale: u16,
    /// `2 x hidden` numbers from -127 to 127, the mover's half first, for each move, then for each kind, then for each
    /// plan.
    pub weights: Vec<i16>,
    /// A bias for each move, then each kind, then each detail.
    pub biases: Vec<i32>,
}

/// A policy, ready to use. The default fits no network.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    parts: PolicyParts,
    /// The weights in blocks.
    rows: Vec<Bytes>,
    hash: u64,
}

/// The policy needs the hidden layer of another network than the evaluation's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherNetwork {
    /// The hash of the network that the policy needs.
    pub expected: u64,
    /// The hash of the evaluation's network, if it is a network.
    pub found: Option<u64>,
}

impl fmt::Display for OtherNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a policy for the network {:016x}, ", self.expected)?;
        match self.found {
            Some(found) => write!(f, "not for the one that evaluates, {found:016x}"),
            None => f.write_str("but the evaluation is not a network"),
        }
    }
}

impl std::error::Error for OtherNetwork {}

/// Policies are equal if their files are equal.
impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Policy {
    /// Makes a policy of these weights.
    ///
    /// # Errors
    /// [`WeightsError::Architecture`] for sizes or weights that are not allowed.
    pub fn new(parts: PolicyParts) -> Result<Self, WeightsError> {
        check(&parts)?;
        let rows = parts.weights.chunks(LANES).map(|numbers| {
            let mut bytes = Bytes::ZERO;
            for (place, &number) in bytes.0.iter_mut().zip(numbers) {
                // The weights are -127 to 127.
                *place = number as i8;
            }
            bytes
        });
        Ok(Self { rows: rows.collect(), hash: weights::hash(&encode(&parts)), parts })
    }

    /// Reads a policy from the bytes of its file.
    ///
    /// # Errors
    /// [`WeightsError`] for bytes that are not a policy of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        Self::new(decode(bytes)?)
    }

    /// The bytes of the policy's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(&self.parts)
    }

    /// The weights.
    pub fn parts(&self) -> &PolicyParts {
        &self.parts
    }

    /// A hash of the policy's file: the same for the same policy, on every machine.
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Checks that the policy reads the hidden layer of this evaluation.
    ///
    /// # Errors
    /// [`OtherNetwork`] for any other evaluation.
    pub fn check_fits(&self, evaluator: &Evaluator) -> Result<(), OtherNetwork> {
        let is_network = evaluator.kind() == EvaluationKind::Network;
        if is_network && evaluator.hash() == self.parts.network {
            Ok(())
        } else {
            let found = is_network.then_some(evaluator.hash());
            Err(OtherNetwork { expected: self.parts.network, found })
        }
    }

    fn row(&self, number: usize) -> &[Bytes] {
        let blocks = 2 * self.parts.hidden / LANES;
        &self.rows[number * blocks..][..blocks]
    }
}

/// An activation of 1.
const ONE: i64 = 127;
/// The units of a bias for each unit of a weight.
const BIAS_UNITS: i64 = 255;
/// The dot products of kinds and plans.
type Shared = [i32; KINDS + PLANS];

impl Policy {
    /// Replaces the content of `logits` with the logits of moves of one position. The hidden layer must be that of the
    /// position, by the network that the policy is for.
    pub fn logits(&self, hidden: Hidden<'_>, rows: &[PolicyRow], logits: &mut Vec<f32>) {
        // The activations, both halves side by side: one sum of products is faster than two.
        let mut values = [Bytes::ZERO; 2 * MAX_HIDDEN / LANES];
        for (place, &block) in values.iter_mut().zip(hidden.own.iter().chain(hidden.other)) {
            *place = block.squares();
        }
        let values = &values[..2 * self.parts.hidden / LANES];
        let dots = |numbers: [usize; AT_ONCE]| hidden.level.dots(values, numbers.map(|number| self.row(number)));

        // Many moves are of the same kind, and few plans are in use.
        let (mut wanted, mut count, mut is_wanted) = ([0_u16; KINDS + PLANS + 1], 0, [false; KINDS + PLANS]);
        for number in rows.iter().flat_map(|row| row.shared()) {
            // Without a branch, since the processor could not predict it.
            wanted[count] = number as u16;
            count += usize::from(!is_wanted[number]);
            is_wanted[number] = true;
        }
        let mut shared: Shared = [0; KINDS + PLANS];
        for numbers in wanted[..count].chunks(AT_ONCE) {
            for (&number, dot) in numbers.iter().zip(dots(padded(numbers).map(|number| MOVES + usize::from(number)))) {
                shared[usize::from(number)] = dot;
            }
        }
        logits.clear();
        for rows in rows.chunks(AT_ONCE) {
            let dots = dots(padded(rows).map(|row| usize::from(row.mv)));
            logits.extend(rows.iter().zip(dots).map(|(&row, dot)| self.logit(row, dot, &shared)));
        }
    }

    /// The logit of a move from its dot product and those of its kind and plan.
    fn logit(&self, row: PolicyRow, dot: i32, shared: &Shared) -> f32 {
        let [kind, plan] = row.shared().map(|number| i64::from(shared[number]));
        let biases: i64 = row.biases().iter().map(|&number| i64::from(self.parts.biases[number])).sum();
        let sum = BIAS_UNITS * (i64::from(dot) + kind + plan) + ONE * biases;
        sum as f32 / (BIAS_UNITS * ONE * i64::from(self.parts.scale)) as f32
    }
}

/// As many numbers as are processed at once; the last is repeated. There must be at least one.
fn padded<T: Copy>(some: &[T]) -> [T; AT_ONCE] {
    std::array::from_fn(|index| some[index.min(some.len() - 1)])
}

impl Hidden<'_> {
    /// The activations, the mover's half first, in units of 1/255 squared.
    pub fn activations(&self) -> impl Iterator<Item = u16> + '_ {
        let values = self.own.iter().chain(self.other).flat_map(|block| block.0);
        values.map(|value| {
            let clamped = value.clamp(0, 255) as u16;
            clamped * clamped
        })
    }
}

fn wrong<T>(what: &'static str, found: usize) -> Result<T, WeightsError> {
    Err(WeightsError::Architecture { what, found: found as i64 })
}

fn check_sizes(hidden: usize, scale: u16) -> Result<(), WeightsError> {
    if hidden == 0 || hidden % LANES != 0 || hidden > MAX_HIDDEN {
        return wrong("the hidden layer must be a multiple of 32 neurons, at most 512", hidden);
    }
    if scale == 0 || scale > 16_384 {
        return wrong("the scale of the weights must be 1 to 16,384", usize::from(scale));
    }
    Ok(())
}

fn check(parts: &PolicyParts) -> Result<(), WeightsError> {
    let PolicyParts { hidden, scale, .. } = *parts;
    check_sizes(hidden, scale)?;
    if parts.weights.len() != ROWS * 2 * hidden {
        return wrong("there must be two weights for each neuron and row", parts.weights.len());
    }
    if parts.biases.len() != BIASES {
        return wrong("there must be a bias for each move, kind and detail", parts.biases.len());
    }
    match parts.weights.iter().find(|weight| weight.unsigned_abs() > OUTPUT_LIMIT.unsigned_abs()) {
        Some(&weight) => {
            Err(WeightsError::Architecture { what: "weights must be -127 to 127", found: i64::from(weight) })
        }
        None => Ok(()),
    }
}

/// The numbers of rows and biases in the header.
const COUNTS: [u16; 2] = [ROWS as u16, BIASES as u16];

fn encode(parts: &PolicyParts) -> Vec<u8> {
    let network = [48, 32, 16, 0].map(|shift| (parts.network >> shift) as u16);
    let sizes = [parts.hidden as u16, parts.scale, COUNTS[0], COUNTS[1]];
    let mut writer = Writer::new(MAGIC, &[&sizes[..], &network].concat());
    parts.weights.iter().for_each(|&weight| writer.number(i32::from(weight)));
    parts.biases.iter().for_each(|&bias| writer.number(bias));
    writer.finish()
}

fn decode(bytes: &[u8]) -> Result<PolicyParts, WeightsError> {
    let (mut reader, sizes): (_, [u16; 8]) = Reader::new(bytes, MAGIC)?;
    let (hidden, scale) = (usize::from(sizes[0]), sizes[1]);
    check_sizes(hidden, scale)?;
    if sizes[2..4] != COUNTS {
        return wrong("there must be as many rows as this build knows", usize::from(sizes[2]));
    }
    let weights = (0..ROWS * 2 * hidden).map(|_| i16::try_from(reader.number()?).map_err(|_| WeightsError::Damaged));
    let weights = weights.collect::<Result<_, _>>()?;
    let biases = (0..BIASES).map(|_| reader.number()).collect::<Result<_, _>>()?;
    reader.finish()?;
    let network = sizes[4..].iter().fold(0, |hash, &part| (hash << 16) | u64::from(part));
    Ok(PolicyParts { network, hidden, scale, weights, biases })
}

#[cfg(test)]
mod tests {
    use super::{shipped, Policy, PolicyParts, WeightsError, BIASES, ROWS};
    use crate::{EvaluationKind, Evaluator};

    fn parts() -> PolicyParts {
        let numbers = |count: usize| (0..count).map(|n| (n * 7_919 % 255) as i16 - 127).collect();
        PolicyParts {
            network: Evaluator::from(EvaluationKind::Network).hash(),
            hidden: 32,
            scale: 64,
            weights: numbers(ROWS * 64),
            biases: (0..BIASES as i32).map(|number| 3 * number - 7_000).collect(),
        }
    }

    #[test]
    fn the_shipped_file_is_whole_and_fits_the_shipped_network() {
        let policy = Policy::from_bytes(include_bytes!("policy.bin")).unwrap();
        assert_eq!(policy.check_fits(&EvaluationKind::Network.into()), Ok(()));
        assert_eq!(*shipped(), policy);
    }

    #[test]
    fn a_file_is_read_back() {
        let policy = Policy::new(parts()).unwrap();
        let read = Policy::from_bytes(&policy.to_bytes()).unwrap();
        assert_eq!((read.parts(), read.hash()), (&parts(), policy.hash()));
    }

    #[test]
    fn what_is_not_a_policy_is_refused_with_the_reason() {
        let bytes = Policy::new(parts()).unwrap().to_bytes();
        let refused = |bytes: &[u8]| Policy::from_bytes(bytes).unwrap_err().to_string();
        for length in [8, 9, 20, bytes.len() / 2, bytes.len() - 1] {
            assert!(refused(&bytes[..length]).contains("cut short or damaged"), "{length}");
        }
        let mut changed = bytes.clone();
        changed[1_000] ^= 1;
        assert_eq!(refused(&changed), WeightsError::Damaged.to_string());
        let foreign = "not a file of weights of this kind: it does not begin with `spar-pol`";
        assert_eq!(refused(b"spar-net and so on"), foreign);
        assert_eq!(refused(b""), foreign);
        let wrong = |parts: PolicyParts| Policy::new(parts).unwrap_err().to_string();
        assert!(wrong(PolicyParts { hidden: 33, ..parts() }).contains("multiple of 32"));
        assert!(wrong(PolicyParts { scale: 0, ..parts() }).contains("scale"));
        assert!(
            wrong(PolicyParts { biases: vec![0], ..parts() }).contains("a bias for each move, kind and detail, not 1")
        );
        let mut large = parts();
        large.weights[5] = 128;
        assert!(wrong(large).contains("-127 to 127, not 128"));
    }

    #[test]
    fn a_policy_for_another_network_is_refused() {
        let policy = |network| Policy::new(PolicyParts { network, ..parts() }).unwrap();
        let network = Evaluator::from(EvaluationKind::Network);
        assert_eq!(policy(network.hash()).check_fits(&network), Ok(()));
        let refused = |policy: &Policy, evaluator| policy.check_fits(evaluator).unwrap_err().to_string();
        assert!(refused(&policy(7), &network).starts_with("a policy for the network 0000000000000007, not "));
        let wps = EvaluationKind::WazirPieceSquare.into();
        assert!(refused(&policy(7), &wps).ends_with("but the evaluation is not a network"));
    }
}
