//! Decodes bytes from text that no editor changes: each 13 bits are two of 91 printable characters, in lines; up to six
//! bits at the end are one character.
//!
//! Owns the decoder. This file is also part of every bundle, so it uses the Rust version of bundles.

/// Decodes a text; skips other characters, above all line ends.
pub fn unpack(text: &str) -> Vec<u8> {
    let mut digits = text.bytes().filter_map(|byte| match byte {
        b'#'..=b'[' => Some(u32::from(byte - b'#')),
        b']'..=b'~' => Some(u32::from(byte - b'$')),
        _ => None,
    });
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len()), 0_u32, 0);
    while let Some(first) = digits.next() {
        let (value, more) = match digits.next() {
            Some(second) => (first * 91 + second, 13),
            None => (first, 6),
        };
        bits = bits << more | value & ((1 << more) - 1);
        count += more;
        while count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
        bits &= (1 << count) - 1;
    }
    bytes
}
