//! Compresses weights: writes what [`decompress`](crate::decompress) reads. Owns the splitting of a file into tokens;
//! their model is in `coded`.

use crate::coded::{Bits, Chance, Interval, Model, Token};

/// Codes any bytes: their length in 32 bits and the width in 16, little endian, then the tokens.
///
/// A file of weights becomes small if its rows have `width` numbers: those of the first layer have one for each neuron.
/// At most 4 GiB can be decompressed.
pub fn compress(bytes: &[u8], width: u16) -> Vec<u8> {
    let mut coded = (bytes.len() as u32).to_le_bytes().to_vec();
    coded.extend(width.to_le_bytes());
    let mut writer = Writer { interval: Interval::ALL, bytes: coded };
    let mut model = Model::new(width);
    let (mut rest, mut written) = (bytes, Vec::new());
    while let Some(token) = first(rest, &mut written) {
        model.code(&mut writer, token);
        rest = &rest[written.len()..];
    }
    writer.bytes.push(writer.interval.last());
    writer.bytes
}

/// Returns the first token of `bytes`, and puts the token's bytes into `written`.
fn first(bytes: &[u8], written: &mut Vec<u8>) -> Option<Token> {
    let mut zigzag = 0;
    for (&byte, shift) in bytes.iter().zip((0..32).step_by(7)) {
        zigzag |= u32::from(byte & 127) << shift;
        if byte < 128 {
            break;
        }
    }
    let number = Token::Number((zigzag >> 1) as i32 ^ -((zigzag & 1) as i32));
    let byte = Token::Byte(*bytes.first()?);
    // A number counts as one only if encoding it gives the same bytes.
    [number, byte].into_iter().find(|token| {
        written.clear();
        token.write(written);
        bytes.starts_with(written)
    })
}

struct Writer {
    interval: Interval,
    bytes: Vec<u8>,
}

impl Bits for Writer {
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> bool {
        self.interval.split(chance, |_| bit);
        while let Some(byte) = self.interval.settled() {
            self.bytes.push(byte);
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::{Token, compress};
    use crate::coded::PERIOD;
    use crate::decompress;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn written(numbers: Vec<i32>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in numbers {
            Token::Number(number).write(&mut bytes);
        }
        bytes
    }

    /// Inputs of all kinds: arbitrary bytes, small and large numbers, runs, and concatenations of these.
    fn files() -> impl Strategy<Value = Vec<u8>> {
        let any_bytes = || vec(any::<u8>(), 0..200);
        let numbers = prop_oneof![-20..20, -5_000..5_000, any::<i32>(), Just(i32::MIN), Just(i32::MAX)];
        let run = (any::<u8>(), 0_usize..2_000).prop_map(|(byte, count)| vec![byte; count]);
        let part = prop_oneof![any_bytes(), vec(numbers, 0..400).prop_map(written), run];
        vec(part, 0..5).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn what_was_compressed_is_the_same_again(bytes in files(), width in prop_oneof![0_u16..5, any::<u16>()]) {
            let coded = compress(&bytes, width);
            prop_assert_eq!(decompress(&coded), bytes);
        }

        #[test]
        fn what_was_not_compressed_becomes_something(bytes in vec(any::<u8>(), 0..400)) {
            let _anything = decompress(&bytes);
        }

        #[test]
        fn damage_is_survived(bytes in files(), place in any::<prop::sample::Index>(), byte: u8, width in 0_u16..5) {
            let mut coded = compress(&bytes, width);
            let place = place.index(coded.len());
            let _cut = decompress(&coded[..place]);
            coded[place] ^= byte;
            let _changed = decompress(&coded);
        }
    }

    #[test]
    fn numbers_that_come_again_take_less_than_half() {
        assert_eq!(PERIOD, engine::eval::features::BLOCK);
        let block = 4 * PERIOD as i32;
        let rows: Vec<i32> = (0..3 * block).map(|at| at % block * 7 % 61 - 30).collect();
        let bytes = written(rows);
        let coded = compress(&bytes, 4);
        assert!(coded.len() < bytes.len() / 2, "{} of {}", coded.len(), bytes.len());
        assert_eq!(decompress(&coded), bytes);
        assert_eq!(compress(&[], 9), [0, 0, 0, 0, 9, 0, 255]);
        assert_eq!(decompress(&[]), [0; 0]);
    }
}
