//! Making an input that fails shorter.

use std::time::{Duration, Instant};

/// The most times that a reader is asked.
const MOST_TRIES: usize = 4_000;

/// How long that may take: the input fails either way.
const LONGEST: Duration = Duration::from_secs(20);

/// A shorter input that `fails` as well: pieces are left out, half of it at first and single bytes at last, while it
/// does.
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
