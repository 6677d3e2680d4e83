//! Likelihood ratios whose likeliest laws are far from the sample, or one of several that fit it about equally well.

use stats::sprt::llr_of_counts;
use stats::{Pentanomial, SprtConfig, SprtState};

/// The least losses come from a scan over sigma, in steps of a hundred thousandth, of the two-moment problem solved by
/// damped Newton steps in other code; the laws found there have the requested t-value.
#[test]
fn the_likeliest_law_is_found_among_several() {
    let cases = [
        ([6248, 14, 28, 5352, 64], 1500.0, 3000.0, -8726.934, SprtState::H0),
        ([2, 7, 254, 17, 1], -200.0, 0.0, 136.449, SprtState::H1),
        ([3, 11, 407, 38, 2], -500.0, 0.0, 739.563, SprtState::H1),
        ([12, 7, 357, 2540, 0], -5000.0, 5000.0, 18_291.272, SprtState::H1),
        ([77, 1, 0, 0, 0], -1000.0, -500.0, -2.952, SprtState::H0),
    ];
    for (counts, elo0, elo1, llr, state) in cases {
        let config = SprtConfig { elo0, elo1, ..SprtConfig::default() };
        let found = llr_of_counts(&config, &Pentanomial(counts)).unwrap();
        assert!((found - llr).abs() < 1e-3, "{counts:?} ({elo0}, {elo1}): {found}");
        assert_eq!(config.wald_bounds().judge(found), state);
        let mirrored = SprtConfig { elo0: -elo1, elo1: -elo0, ..config };
        let other = llr_of_counts(&mirrored, &Pentanomial(counts).mirror()).unwrap();
        assert!((other + llr).abs() < 1e-3, "{counts:?} mirrored: {other}");
    }
}
