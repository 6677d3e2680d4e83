//! The probability of a draw, given the expected score and the draw rate between equals.
//!
//! Davidson's condition P(win) P(loss) = f^2 P(draw)^2 with P(win) + P(draw)/2 = the expected score E, and f =
//! (1-d0)/(2 d0) so that equals draw at the rate d0. (Davidson, JASA 65 (1970); related to the expected score as in
//! Ordo.)

/// The probability of a draw at the expected score `e`, if equals draw at the rate `d0` in [0, 1].
pub(super) fn draw_probability(e: f64, d0: f64) -> f64 {
    if d0 <= 0.0 {
        return 0.0;
    }
    // (f^2 - 1/4) d^2 + d/2 - e(1-e) = 0, solved in the form that does not cancel.
    let f = (1.0 - d0) / (2.0 * d0);
    let quadratic = f * f - 0.25;
    let product = e * (1.0 - e);
    2.0 * product / (0.5 + (0.25 + 4.0 * quadratic * product).max(0.0).sqrt())
}

/// The draw rate between equals for which these games (expected score, number) have `draws` draws in all.
pub(super) fn draw_rate(games: &[(f64, f64)], draws: f64) -> f64 {
    let expected = |d0: f64| {
        let terms = games.iter().map(|&(e, n)| n * draw_probability(e, d0));
        terms.sum::<f64>()
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if expected(middle) < draws {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}
