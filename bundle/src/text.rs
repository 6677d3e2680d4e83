//! Encodes bytes as text, which [`unpack`](crate::unpack) decodes.

/// The number of characters per line.
const LINE: usize = 120;
/// Two characters of an alphabet of this size hold 13 bits.
const DIGITS: u32 = 91;

/// Encodes bytes, in lines.
pub fn pack(bytes: &[u8]) -> String {
    let (mut digits, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for &byte in bytes {
        bits = bits << 8 | u32::from(byte);
        count += 8;
        if count >= 13 {
            count -= 13;
            digits.extend(pair(bits >> count));
            bits &= (1 << count) - 1;
        }
    }
    // Fewer than eight padding bits follow the last bits, so they make no byte.
    match count {
        0 => {}
        1..=6 => digits.push(character(bits << (6 - count))),
        _ => digits.extend(pair(bits << (13 - count))),
    }
    let lines: Vec<&str> = digits.chunks(LINE).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    lines.join("\n")
}

/// Encodes 13 bits.
fn pair(value: u32) -> [u8; 2] {
    [value / DIGITS, value % DIGITS].map(character)
}

/// Any printable character but the space, the quotation mark, the exclamation mark and the backslash.
fn character(digit: u32) -> u8 {
    let code = b'#' + digit as u8;
    if code < b'\\' { code } else { code + 1 }
}

/// A constant in a module, with bytes as text.
pub(crate) fn constant(name: &str, bytes: &[u8]) -> String {
    format!("pub const {}: &str = \"\n{}\n\";\n", name.to_uppercase(), pack(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unpack;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn what_was_packed_is_unpacked(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let text = pack(&bytes);
            let is_plain = |byte: u8| byte == b'\n' || byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
            prop_assert!(text.bytes().all(is_plain));
            prop_assert_eq!(unpack(&text.replace('\n', "\r\n\t")), bytes);
        }
    }
}
