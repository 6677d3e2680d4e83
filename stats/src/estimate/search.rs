//! Two line searches for the intervals: the point where a rising function reaches a level, and the maximum of a
//! function with few hills. No statistics.

/// The most steps; the bracket halves at least every other step, so far fewer are used.
const MAX_STEPS: usize = 200;
/// The relative width at which a bracket is an answer.
const NARROW: f64 = 1e-13;
/// The number of points of the coarse search for the highest hill.
const COARSE: usize = 16;
/// Steps of the golden section: they narrow two coarse cells down to 10^-6 of one, and the height is flat there.
const GOLDEN_STEPS: usize = 28;

/// The x within (0, `most`] at which `f`, which rises from f(0) = 0 about as the square of x and may become infinite,
/// reaches `level`; `most` if it does not. `guess` is a first try, within (0, `most`].
pub(crate) fn reach(f: impl Fn(f64) -> f64, level: f64, guess: f64, most: f64) -> f64 {
    // The root is almost a straight line, which suits the secant.
    let height = |x: f64| f(x).sqrt() - level.sqrt();
    let (mut low, mut high) = ((0.0, -level.sqrt()), (guess, height(guess)));
    while high.1 < 0.0 {
        if high.0 >= most {
            return most;
        }
        low = high;
        let x = (2.0 * high.0).min(most);
        high = (x, height(x));
    }
    narrow(height, low, high)
}

/// The root of a rising function inside a bracket of points and heights: the secant method, whose stale end loses half
/// its height each time (Illinois), and bisection if a height is infinite or the bracket hardly shrinks.
fn narrow(height: impl Fn(f64) -> f64, mut low: (f64, f64), mut high: (f64, f64)) -> f64 {
    for step in 0..MAX_STEPS {
        if high.0 - low.0 <= NARROW * high.0 {
            break;
        }
        let secant = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1));
        let x = if high.1.is_finite() && step % 8 != 7 { secant } else { f64::midpoint(low.0, high.0) };
        let y = height(x);
        if y.abs() < NARROW {
            return x;
        }
        if y < 0.0 {
            low = (x, y);
            high.1 *= 0.5;
        } else {
            high = (x, y);
            low.1 *= 0.5;
        }
    }
    f64::midpoint(low.0, high.0)
}

/// The point on [`from`, `to`] at which `f` is greatest: a coarse search, then the golden section around its highest
/// point.
pub(crate) fn place_of_greatest(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let cell = (to - from) / COARSE as f64;
    let mut best = (f64::NEG_INFINITY, from);
    for k in 0..=COARSE {
        let x = from + cell * k as f64;
        let y = f(x);
        if y > best.0 {
            best = (y, x);
        }
    }
    let (low, high) = ((best.1 - cell).max(from), (best.1 + cell).min(to));
    let (y, x) = golden_section(&f, low, high);
    if y > best.0 { x } else { best.1 }
}

/// Height and position of the top of the single hill of `f` between `low` and `high`.
fn golden_section(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> (f64, f64) {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let at = |x: f64| (f(x), x);
    let mut left = at(high - golden * (high - low));
    let mut right = at(low + golden * (high - low));
    for _ in 0..GOLDEN_STEPS {
        if left.0 > right.0 {
            (high, right) = (right.1, left);
            left = at(high - golden * (high - low));
        } else {
            (low, left) = (left.1, right);
            right = at(low + golden * (high - low));
        }
    }
    if left.0 > right.0 { left } else { right }
}
