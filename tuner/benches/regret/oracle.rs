//! The benchmark's games: from an Elo difference to the distribution and a draw of a pair's result.
//!
//! An opening favours one side by a bias B, one of two values, equally likely. The first game is played at delta + B
//! and the second, with seats swapped, at delta - B. Each has the logistic expectation, and draws related to wins and
//! losses as by Davidson (1970): win x loss = ((1 - d0) / (2 d0))^2 draw^2, with d0 the draw rate at equality.

use stats::PairOutcome;
use tuner::random::Stream;

/// The outcomes of a pair by points, worst first.
const FIVE: [PairOutcome; 5] = [PairOutcome::LL, PairOutcome::LD, PairOutcome::DD, PairOutcome::WD, PairOutcome::WW];

/// The amount of chance in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Many draws: 60 % at equality, openings worth 30 or 170 Elo.
    Chess,
    /// Few draws: 6 % at equality, openings worth 20 or 80 Elo.
    Decisive,
}

impl Noise {
    const fn draw_rate(self) -> f64 {
        match self {
            Self::Chess => 0.60,
            Self::Decisive => 0.06,
        }
    }

    const fn biases(self) -> [f64; 2] {
        match self {
            Self::Chess => [30.0, 170.0],
            Self::Decisive => [20.0, 80.0],
        }
    }

    /// The probabilities of a pair's wins minus losses -2, -1, 0, 1, 2 for an engine `delta` Elo better.
    pub fn pentanomial(self, delta: f64) -> [f64; 5] {
        let mut total = [0.0; 5];
        for bias in self.biases() {
            let first = game(delta + bias, self.draw_rate());
            let second = game(delta - bias, self.draw_rate());
            for (i, a) in first.iter().enumerate() {
                for (j, b) in second.iter().enumerate() {
                    total[i + j] += 0.5 * a * b;
                }
            }
        }
        total
    }

    /// The Elo that a match measures for an engine `delta` better: less than `delta`, because openings that favour one
    /// side decide games.
    pub fn shown(self, delta: f64) -> f64 {
        let net = |(place, p): (usize, f64)| (place as f64 - 2.0) * p;
        let share = 0.5 * self.pentanomial(delta).into_iter().enumerate().map(net).sum::<f64>();
        400.0 * libm::log10((1.0 + share) / (1.0 - share))
    }

    /// Draws one pair's result for an engine `delta` Elo better; uses one number from `stream`.
    pub fn play(self, delta: f64, stream: &mut Stream) -> PairOutcome {
        let mut left = stream.uniform();
        for (outcome, p) in FIVE.into_iter().zip(self.pentanomial(delta)) {
            if left < p {
                return outcome;
            }
            left -= p;
        }
        PairOutcome::WW
    }
}

/// The probabilities of loss, draw and win of one game at `elo`: with m = win - loss = tanh(elo ln 10 / 800), the draw
/// probability solves (1 - d)^2 - m^2 = ((1 - d0) / d0)^2 d^2.
fn game(elo: f64, draw_rate: f64) -> [f64; 3] {
    let margin = 2.0 / (1.0 + libm::exp(-elo * (std::f64::consts::LN_10 / 400.0))) - 1.0;
    let odds = (1.0 - draw_rate) / draw_rate;
    let rest = 1.0 - margin * margin;
    let draw = rest / (1.0 + libm::sqrt(1.0 - (1.0 - odds * odds) * rest));
    [0.5 * (1.0 - draw - margin), draw, 0.5 * (1.0 - draw + margin)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_shows_less_where_openings_decide() {
        assert!(Noise::Chess.shown(0.0).abs() < 1e-9);
        assert!(
            (16.0..19.0).contains(&Noise::Chess.shown(20.0)) && (18.0..20.0).contains(&Noise::Decisive.shown(20.0))
        );
        assert!((Noise::Chess.shown(-20.0) + Noise::Chess.shown(20.0)).abs() < 1e-9);
    }
}
