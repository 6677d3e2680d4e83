//! Makes new inputs from others.

use crate::corpus::hash;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The most changes to one input.
const MOST_CHANGES: usize = 6;
/// The number of latest inputs that are preferred.
const NEWEST: usize = 32;
/// The most words that are taken from a corpus.
const MOST_WORDS: usize = 2_000;
/// The longest piece that is repeated until the input is full.
const LONGEST_PIECE: usize = 64;

/// Numbers at the limits of types, and texts that look like numbers.
const NUMBERS: [&str; 30] = [
    "0",
    "-0",
    "1",
    "-1",
    "00",
    "+1",
    "127",
    "128",
    "255",
    "256",
    "32767",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "0.1",
    "1e308",
    "1e400",
    "5e-324",
    "nan",
    "inf",
    "99999999999999999999999999999999999999999999",
];

/// Bytes with a meaning to most readers, or to none.
const PIECES: [&[u8]; 24] = [
    b"\n",
    b"\r\n",
    b"\r",
    b"\t",
    b" ",
    b"\0",
    b"\x1b[31m",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    "\u{e9}".as_bytes(),
    "\u{1f600}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{661}".as_bytes(),
    b"\"",
    b"'",
    b"\\",
    b"{",
    b"}",
    b"(",
    b")",
    b";",
    b"=",
];

/// Makes new inputs.
pub(crate) struct Mutator {
    random: Xoshiro256PlusPlus,
    words: Vec<Vec<u8>>,
    longest: usize,
}

impl Mutator {
    /// Makes the mutator of a target and a seed. The same corpus yields the same inputs.
    pub(crate) fn new(name: &str, seed: u64, words: &[Vec<u8>], corpus: &[Vec<u8>], longest: usize) -> Self {
        let random =
            Xoshiro256PlusPlus::seed_from_u64(hash(name.as_bytes()) ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut words = words.to_vec();
        words.extend(corpus.iter().flat_map(|input| words_of(input)).map(<[u8]>::to_vec));
        words.sort();
        words.dedup();
        words.truncate(MOST_WORDS);
        words.extend(PIECES.map(<[u8]>::to_vec));
        Self { random, words, longest }
    }

    /// A number in `low..high`, which is not empty.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        let span = (high - low).max(1) as u64;
        low + (self.random.next_u64() % span) as usize
    }

    fn below(&mut self, count: usize) -> usize {
        self.between(0, count)
    }

    /// Makes a new input from these, which are in order of discovery; half of the inputs are made from the latest.
    pub(crate) fn next(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let first = if self.below(2) == 0 { inputs.len().saturating_sub(NEWEST) } else { 0 };
        let at = self.between(first, inputs.len());
        let mut input = inputs[at].clone();
        for _ in 0..=self.below(MOST_CHANGES) {
            self.change(&mut input, inputs);
            // An input of the corpus may be longer than the limit.
            input.truncate(self.longest.max(inputs[at].len()));
        }
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, inputs: &[Vec<u8>]) {
        match self.below(12) {
            0 => self.flip(input),
            1 => self.overwrite(input),
            2 => self.insert_bytes(input),
            3 => self.remove(input),
            4 => self.repeat(input),
            5 => self.splice(input, inputs),
            6 | 7 => self.insert_word(input),
            8 => self.replace_word(input),
            9 => self.replace_number(input),
            10 => self.move_range(input),
            _ => self.cut(input),
        }
    }

    /// A random range of the input; short ranges are more frequent.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let rest = length - start;
        let most = if self.below(4) == 0 { rest } else { rest.min(16) };
        start..start + self.below(most + 1)
    }

    fn flip(&mut self, input: &mut [u8]) {
        if !input.is_empty() {
            let (at, bit) = (self.below(input.len()), self.below(8));
            input[at] ^= 1 << bit;
        }
    }

    fn overwrite(&mut self, input: &mut [u8]) {
        if !input.is_empty() {
            let (at, byte) = (self.below(input.len()), self.random.next_u64() as u8);
            input[at] = [byte, byte, byte, byte, 0, 0xff, 0x7f, 0x80][self.below(8)];
        }
    }

    fn insert_bytes(&mut self, input: &mut Vec<u8>) {
        let (at, bytes) = (self.below(input.len() + 1), self.random.next_u64().to_le_bytes());
        let count = self.below(bytes.len()) + 1;
        input.splice(at..at, bytes[..count].iter().copied());
    }

    fn remove(&mut self, input: &mut Vec<u8>) {
        let range = self.range(input.len());
        input.drain(range);
    }

    /// Repeats a piece a few times, or until the input is full.
    fn repeat(&mut self, input: &mut Vec<u8>) {
        let range = self.range(input.len());
        let piece = input[range.clone()].to_vec();
        if piece.is_empty() {
            return;
        }
        let room = (self.longest.saturating_sub(input.len()) / piece.len()).max(1);
        let is_full = piece.len() <= LONGEST_PIECE && self.below(8) == 0;
        let times = if is_full { room } else { 1 + self.below(room.min(4)) };
        input.splice(range.end..range.end, piece.repeat(times));
    }

    /// Replaces a range of this input by a range of another.
    fn splice(&mut self, input: &mut Vec<u8>, inputs: &[Vec<u8>]) {
        let other = self.below(inputs.len());
        let (from, to) = (self.range(inputs[other].len()), self.range(input.len()));
        input.splice(to, inputs[other][from].iter().copied());
    }

    fn insert_word(&mut self, input: &mut Vec<u8>) {
        let (at, word) = (self.below(input.len() + 1), self.below(self.words.len()));
        input.splice(at..at, self.words[word].iter().copied());
    }

    fn replace_word(&mut self, input: &mut Vec<u8>) {
        let word = self.below(self.words.len());
        let places: Vec<_> = ranges(input, is_of_word);
        if !places.is_empty() {
            let place = places[self.below(places.len())].clone();
            input.splice(place, self.words[word].iter().copied());
        }
    }

    fn replace_number(&mut self, input: &mut Vec<u8>) {
        let places = ranges(input, u8::is_ascii_digit);
        if !places.is_empty() {
            let place = places[self.below(places.len())].clone();
            let number = NUMBERS[self.below(NUMBERS.len())];
            input.splice(place, number.bytes());
        }
    }

    /// Moves a range to another place.
    fn move_range(&mut self, input: &mut Vec<u8>) {
        let range = self.range(input.len());
        let piece: Vec<u8> = input.drain(range).collect();
        let at = self.below(input.len() + 1);
        input.splice(at..at, piece);
    }

    fn cut(&mut self, input: &mut Vec<u8>) {
        let length = self.below(input.len() + 1);
        input.truncate(length);
    }
}

/// The words of an input.
fn words_of(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    ranges(input, is_of_word).into_iter().map(|range| &input[range]).filter(|word| word.len() <= LONGEST_PIECE)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as u8::is_ascii_digit")]
fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.')
}

/// The ranges of consecutive bytes that match.
fn ranges(input: &[u8], is_so: impl Fn(&u8) -> bool) -> Vec<std::ops::Range<usize>> {
    let (mut ranges, mut at) = (Vec::new(), 0);
    for piece in input.chunk_by(|one, next| is_so(one) == is_so(next)) {
        if is_so(&piece[0]) {
            ranges.push(at..at + piece.len());
        }
        at += piece.len();
    }
    ranges
}
