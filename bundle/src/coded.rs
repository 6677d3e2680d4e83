//! Files of weights, entropy-coded: a model that adapts itself tells each number from those before it.
//!
//! Owns the model and reading; writing is left to `compress`, which drives the same model. This file is part of every
//! bundle as well, so it uses the Rust version of bundles.
//!
//! The first layer has a block of rows for each of ten squares of the own wazir, and a row has a number for each
//! neuron. The mean of the same number in the preceding blocks predicts most of it. What remains is written as a class
//! (how many bits it has), the bits below the first and the sign. The context of a chance is the sign of that mean and
//! the recent errors in the same row and in the same column. Coding bits by adaptive chances, with an interval of 32
//! bits whose equal leading bytes are moved out, is described in M. Mahoney, *Data Compression Explained*, section 3.2.

/// Rows after which the same piece stands on the same square again.
pub(crate) const PERIOD: usize = 636;
/// Means, and how far numbers are from them, are kept in units of 1/16.
const ONE: i32 = 16;
/// How far numbers are taken to be from their means before any is known.
const FIRST_ERROR: i32 = 10 * ONE;
/// Numbers beyond it are learnt from as if they were it.
const LIMIT: i32 = 1 << 14;
/// The class that stands for a byte that is of no number.
const BYTE: usize = 33;
/// Classes that have chances of their own for what follows; the last has them for all larger ones, too.
const CLASSES: usize = 8;

/// How likely a bit is 1, in units of 1/65,536.
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

/// What the bits so far leave possible.
pub(crate) struct Interval {
    low: u32,
    high: u32,
}

impl Interval {
    pub(crate) const ALL: Self = Self { low: 0, high: u32::MAX };

    /// Splits the interval by the chance of a bit, and leaves the part up to the place given for 1, the part behind it
    /// for 0.
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

    /// Moves the leading byte out if it is certain.
    pub(crate) fn settled(&mut self) -> Option<u8> {
        let byte = self.high >> 24;
        if self.low >> 24 != byte {
            return None;
        }
        self.low <<= 8;
        self.high = self.high << 8 | 255;
        Some(byte as u8)
    }

    /// A byte that lies in the interval when followed by zeros only.
    pub(crate) const fn last(&self) -> u8 {
        (self.high >> 24) as u8
    }
}

/// Writes bits, or reads them.
pub(crate) trait Bits {
    /// Writes `bit`, and returns it; or pays no attention to it, and returns what is read.
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> bool;
}

struct Reader<'a> {
    interval: Interval,
    value: u32,
    rest: &'a [u8],
    /// Zeros read behind the end.
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

/// A piece of a file.
#[derive(Clone, Copy)]
pub(crate) enum Token {
    /// A number as the engine writes it: zigzag-coded, seven bits a byte, in as few bytes as it takes.
    Number(i32),
    /// A byte that is not of such a number.
    Byte(u8),
}

impl Token {
    /// Appends its bytes.
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

/// Writes or reads `count` bits of a number behind its first, which is 1. The context of each bit is the bits above it,
/// up to a small number.
fn below_first(bits: &mut impl Bits, chances: &mut [Chance; 32], count: usize, given: u32) -> u32 {
    let mut found = 1;
    for at in (0..count).rev() {
        let chance = if found < 32 { found as usize } else { 0 };
        found = found << 1 | u32::from(bits.bit(&mut chances[chance], given >> at & 1 == 1));
    }
    found
}

/// Chances for numbers whose neighbours are alike.
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

/// What is known from the tokens so far.
pub(crate) struct Model {
    width: usize,
    count: usize,
    /// For each place of a period.
    means: Vec<i32>,
    /// How far numbers of this row differed lately from their means, and those of each column.
    row: i32,
    columns: Vec<i32>,
    contexts: Vec<Context>,
    /// For bytes of no number.
    bytes: [Chance; 32],
}

impl Model {
    /// The numbers of a row are `width`.
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

    /// Writes a token or reads one, as [`Bits::bit`] does with a bit.
    pub(crate) fn code(&mut self, bits: &mut impl Bits, token: Token) -> Token {
        let (place, column) = (self.count % (self.width * PERIOD), self.count % self.width);
        if place == self.means.len() {
            self.means.push(0);
        }
        let mean = self.means[place];
        // Numbers are nearer to zero than the mean of the same number in other blocks: 7/8 makes files smallest.
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

    /// By how much a number differs from what was expected, or none for a byte.
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

/// The bytes that `compress` was given; any bytes for what it did not make.
pub fn decompress(coded: &[u8]) -> Vec<u8> {
    let &[a, b, c, d, e, f, ref rest @ ..] = coded else { return Vec::new() };
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    let mut model = Model::new(u16::from_le_bytes([e, f]));
    let mut bits = Reader::new(rest);
    let mut bytes = Vec::new();
    // What was written whole is not read further behind its end.
    while bytes.len() < length && bits.missing < 4 {
        model.code(&mut bits, Token::Byte(0)).write(&mut bytes);
    }
    bytes
}
