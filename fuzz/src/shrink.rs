//! Shortens an input that fails.

use std::time::{Duration, Instant};

/// The most calls of the reader.
const MOST_TRIES: usize = 4_000;

/// The longest time to shorten an input, which fails at any length.
const LONGEST: Duration = Duration::from_secs(20);

/// Returns a shorter input for which `fails` holds as well: omits pieces while it does, at first half of the input, at
/// last single bytes.
pub(crate) fn shrink(input: &[u8], mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let (mut short, mut tries, started) = (input.to_vec(), 0, Instant::now());
    let mut piece = short.len().div_ceil(2);
    while piece > 0 {
        let mut at = 0;
        while at < short.len() {
            if tries == MOST_TRIES || started.elapsed() > LONGEST {
                return short;
            }
            tries += 1;
            let end = (at + piece).min(short.len());
            let without = [&short[..at], &short[end..]].concat();
            if fails(&without) {
                short = without;
            } else {
                at = end;
            }
        }
        piece /= 2;
    }
    short
}
