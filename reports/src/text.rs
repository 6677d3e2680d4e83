//! How numbers look: thousands separators, signs, durations.

use std::time::Duration;

/// An integer with its digits grouped by thousands.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Counts in brackets, as pairs by outcome are shown.
pub fn grouped_list(counts: &[u64]) -> String {
    let counts: Vec<String> = counts.iter().copied().map(grouped).collect();
    format!("[{}]", counts.join(" "))
}

/// A duration as a person says it.
pub fn spoken(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..10.0 => format!("{seconds:.1} s"),
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}

/// A signed number with so many decimals; infinity as a symbol.
pub fn signed(value: f64, decimals: usize) -> String {
    if value == f64::INFINITY {
        "+∞".to_owned()
    } else if value == f64::NEG_INFINITY {
        "-∞".to_owned()
    } else {
        // Never "-0.0".
        let value = if value.abs() * libm::pow(10.0, decimals as f64) < 0.5 { 0.0 } else { value };
        format!("{value:+.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups() {
        let texts = [0, 999, 1000, 123_456, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn durations() {
        let texts = [0.04, 9.94, 61.0, 600.0, 10_000.0, 400_000.0].map(|s| spoken(Duration::from_secs_f64(s)));
        assert_eq!(texts, ["0.0 s", "9.9 s", "61 s", "10 min", "2.8 h", "5 days"]);
    }

    #[test]
    fn signs() {
        assert_eq!(signed(-0.01, 1), "+0.0");
        assert_eq!(signed(12.34, 1), "+12.3");
        assert_eq!(signed(f64::NEG_INFINITY, 1), "-∞");
    }
}
