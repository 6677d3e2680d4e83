//! Entropy-coded files of weights: an adaptive model predicts each number from the previous ones.
//!
//! Owns the model and the decoder; `compress`, the encoder, drives the same model. This file is also part of every
//! bundle, so it uses the Rust version of bundles.
//!
//! The first layer has a block of rows for each of ten squares of the own wazir, and a row has a number for each
//! neuron. The mean of the same number in the preceding blocks predicts most of it. The residual is coded as a class
//! (its number of bits), the bits below the leading one, and the sign. The context of a probability is the sign of that
//! mean and the recent errors in the same row and in the same column. M. Mahoney, *Data Compression Explained*, section
//! 3.2, describes the coding of bits by adaptive probabilities, with an interval of 32 bits whose equal leading bytes
//! are shifted out.

/// The number of rows after which the same piece is on the same square again.
pub(crate) const PERIOD: usize = 636;
/// The fixed-point unit of means and errors: 1/16.
const ONE: i32 = 16;
/// The initial estimate of the distance between numbers and their means.
const FIRST_ERROR: i32 = 10 * ONE;
/// Numbers are clamped to this when the model learns from them.
const LIMIT: i32 = 1 << 14;
/// The class of a byte that is not part of a number.
const BYTE: usize = 33;
/// The number of classes with their own probabilities for the following bits; larger classes share the last one's.
const CLASSES: usize = 8;

/// The probability that a bit is 1, in units of 1/65,536.
#[derive(Clone, Copy)]
pub(crate) struct Chance(u16);

impl Chance {
    const EVEN: Self = Self(1 << 15);

    fn learn(&mut self, bit: bool) {
        if bit {
            self.0 += !self.0 >> 7;
        } else {
            self.0 -= self.0 >> 7;
        }
    }
}

/// The interval of codes that the bits so far allow.
pub(crate) struct Interval {
    low: u32,
    high: u32,
}

impl Interval {
    pub(crate) const ALL: Self = Self { low: 0, high: u32::MAX };

    /// Splits the interval in proportion to the probability of a bit, and keeps the part up to the split for 1, or the
    /// part after it for 0.
    pub(crate) fn split(&mut self, chance: &mut Chance, is_one: impl FnOnce(u32) -> bool) -> bool {
        let size = u64::from(self.high - self.low);
        let place = self.low + ((size * u64::from(chance.0)) >> 16) as u32;
        let bit = is_one(place);
        if bit {
            self.high = place;
        } else {
            self.low = place + 1;
        }
        chance.learn(bit);
        bit
    }

    /// Shifts out the leading byte if it is settled.
    pub(crate) fn settled(&mut self) -> Option<u8> {
        let byte = self.high >> 24;
        if self.low >> 24 != byte {
            return None;
        }
        self.low <<= 8;
        self.high = self.high << 8 | 255;
        Some(byte as u8)
    }

    /// A byte that lies in the interval if only zeros follow.
    pub(crate) const fn last(&self) -> u8 {
        (self.high >> 24) as u8
    }
}

/// Writes bits, or reads them.
pub(crate) trait Bits {
    /// Writes `bit` and returns it; or ignores it and returns the bit read.
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> bool;
}

struct Reader<'a> {
    interval: Interval,
    value: u32,
    rest: &'a [u8],
    /// The number of zeros read beyond the end.
    missing: u32,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut reader = Self { interval: Interval::ALL, value: 0, rest: bytes, missing: 0 };
        for _ in 0..4 {
            reader.next();
        }
        reader
    }

    fn next(&mut self) {
        let (&byte, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        self.missing += u32::from(self.rest.is_empty());
        self.rest = rest;
        self.value = self.value << 8 | u32::from(byte);
    }
}

impl Bits for Reader<'_> {
    fn bit(&mut self, chance: &mut Chance, _: bool) -> bool {
        let value = self.value;
        let bit = self.interval.split(chance, |place| value <= place);
        while self.interval.settled().is_some() {
            self.next();
        }
        bit
    }
}

/// A token of a file.
#[derive(Clone, Copy)]
pub(crate) enum Token {
    /// A number in the engine's encoding: zigzag, seven bits per byte, in the fewest bytes.
    Number(i32),
    /// A byte that is not part of such a number.
    Byte(u8),
}

impl Token {
    /// Appends the bytes of the token.
    pub(crate) fn write(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Byte(byte) => bytes.push(byte),
            Self::Number(number) => {
                let mut rest = (number << 1 ^ number >> 31) as u32;
                while rest > 127 {
                    bytes.push(rest as u8 | 128);
                    rest >>= 7;
                }
                bytes.push(rest as u8);
            }
        }
    }
}

/// Codes the `count` bits of a number below its leading 1. The context of each bit is the bits above it, up to a small
/// number.
fn below_first(bits: &mut impl Bits, chances: &mut [Chance; 32], count: usize, given: u32) -> u32 {
    let mut found = 1;
    for at in (0..count).rev() {
        let chance = if found < 32 { found as usize } else { 0 };
        found = found << 1 | u32::from(bits.bit(&mut chances[chance], given >> at & 1 == 1));
    }
    found
}

/// The probabilities for numbers with similar neighbours.
#[derive(Clone)]
struct Context {
    class: [Chance; BYTE],
    /// By class, for [`below_first`].
    below: [[Chance; 32]; CLASSES],
    /// By class.
    sign: [Chance; CLASSES],
}

impl Context {
    const NEW: Self =
        Self { class: [Chance::EVEN; BYTE], below: [[Chance::EVEN; 32]; CLASSES], sign: [Chance::EVEN; CLASSES] };
}

/// The state of the model after the tokens so far.
pub(crate) struct Model {
    width: usize,
    count: usize,
    /// For each index within a period.
    means: Vec<i32>,
    /// The recent errors of the numbers of this row, and of those of each column.
    row: i32,
    columns: Vec<i32>,
    contexts: Vec<Context>,
    /// For bytes that are not part of a number.
    bytes: [Chance; 32],
}

impl Model {
    /// Makes a model for rows of `width` numbers.
    pub(crate) fn new(width: u16) -> Self {
        let width = usize::from(width.max(1));
        Self {
            width,
            count: 0,
            means: Vec::new(),
            row: FIRST_ERROR,
            columns: vec![FIRST_ERROR; width],
            contexts: vec![Context::NEW; 3 * 16],
            bytes: [Chance::EVEN; 32],
        }
    }

    /// Writes or reads a token, as [`Bits::bit`] does with a bit.
    pub(crate) fn code(&mut self, bits: &mut impl Bits, token: Token) -> Token {
        let (place, column) = (self.count % (self.width * PERIOD), self.count % self.width);
        if place == self.means.len() {
            self.means.push(0);
        }
        let mean = self.means[place];
        // Numbers are nearer to zero than the mean of the same number in other blocks: a factor of 7/8 makes files
        // smallest.
        let expected = (mean * 7 / 8 + ONE / 2) >> 4;
        let (given, byte) = match token {
            Token::Number(number) => (Some(number.wrapping_sub(expected)), 0),
            Token::Byte(byte) => (None, byte),
        };
        let token = match self.difference(bits, mean, column, given) {
            Some(difference) => Token::Number(expected.wrapping_add(difference)),
            None => Token::Byte(below_first(bits, &mut self.bytes, 8, byte.into()) as u8),
        };
        if let Token::Number(number) = token {
            self.learn(place, column, number);
        }
        self.count += 1;
        token
    }

    /// The difference between a number and its prediction, or `None` for a byte.
    fn difference(&mut self, bits: &mut impl Bits, mean: i32, column: usize, given: Option<i32>) -> Option<i32> {
        let off = (self.row as u64 * self.columns[column] as u64).max(1).ilog2().clamp(5, 20) - 5;
        let sign = ((mean + 2 * ONE) >> 6).signum() + 1;
        let context = &mut self.contexts[16 * sign as usize + off as usize];
        let size = given.map_or(0, i32::unsigned_abs);
        let wanted = given.map_or(BYTE, |_| (u32::BITS - size.leading_zeros()) as usize);
        let mut class = 0;
        while class < BYTE && bits.bit(&mut context.class[class], class < wanted) {
            class += 1;
        }
        if class == 0 || class == BYTE {
            return (class == 0).then_some(0);
        }
        let kind = class.min(CLASSES - 1);
        let found = below_first(bits, &mut context.below[kind], class - 1, size) as i32;
        let is_negative = bits.bit(&mut context.sign[kind], given < Some(0));
        Some(if is_negative { found.wrapping_neg() } else { found })
    }

    fn learn(&mut self, place: usize, column: usize, number: i32) {
        let mean = &mut self.means[place];
        let change = number.clamp(-LIMIT, LIMIT) * ONE - *mean;
        *mean += change / (self.count / (self.width * PERIOD) + 1) as i32;
        self.row += (change.abs() - self.row) >> 4;
        self.columns[column] += (change.abs() - self.columns[column]) >> 4;
    }
}

/// Returns the bytes given to `compress`, or arbitrary bytes for input that `compress` did not make.
pub fn decompress(coded: &[u8]) -> Vec<u8> {
    let &[a, b, c, d, e, f, ref rest @ ..] = coded else { return Vec::new() };
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    let mut model = Model::new(u16::from_le_bytes([e, f]));
    let mut bits = Reader::new(rest);
    let mut bytes = Vec::new();
    // A complete file is not read further beyond its end.
    while bytes.len() < length && bits.missing < 4 {
        model.code(&mut bits, Token::Byte(0)).write(&mut bytes);
    }
    bytes
}
