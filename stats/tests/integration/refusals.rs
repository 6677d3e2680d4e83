//! Settings that make no test and no plan, and the messages for them.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use stats::plan::{Conditions, Goal, PlanError, Prospect, bounds_for, duration, fixed};
use stats::sprt::llr_of_counts;
use stats::{Model, PairCounts, Pentanomial, Sprt, SprtConfig, SprtError, elo};
use std::time::Duration;

fn refusal(change: impl Fn(&mut SprtConfig)) -> String {
    let mut config = SprtConfig::default();
    change(&mut config);
    Sprt::new(config).unwrap_err().to_string()
}

#[test]
fn tests_say_what_is_wrong_with_them() {
    assert_eq!(refusal(|c| c.elo0 = 5.0), "elo0 is 5 and elo1 is 5: expected elo0 less than elo1");
    assert_eq!(refusal(|c| c.elo0 = f64::NAN), "elo0 is NaN: expected a number from -5000 to 5000");
    assert_eq!(refusal(|c| c.elo1 = f64::INFINITY), "elo1 is inf: expected a number from -5000 to 5000");
    assert_eq!(refusal(|c| c.alpha = 0.5), "alpha is 0.5: expected 1e-9 or more, and less than 0.5");
    assert_eq!(refusal(|c| c.alpha = 1e-10), "alpha is 1e-10: expected 1e-9 or more, and less than 0.5");
    let broken = |change: fn(&mut SprtConfig)| {
        let mut config = SprtConfig::default();
        change(&mut config);
        config.check().unwrap_err().setting()
    };
    let settings = [broken(|c| c.elo0 = f64::NAN), broken(|c| c.elo0 = 9.0), broken(|c| c.beta = 0.7)];
    assert_eq!(settings, [Some("elo0"), Some("elo1"), Some("beta")]);
    assert!(refusal(|c| c.alpha = 1e-320).contains("expected 1e-9 or more"));
    assert_eq!(refusal(|c| c.beta = 0.0), "beta is 0.0: expected 1e-9 or more, and less than 0.5");
    assert_eq!(refusal(|c| c.beta = f64::NAN), "beta is NaN: expected 1e-9 or more, and less than 0.5");
}

#[test]
fn five_counts_know_no_draws() {
    let config = SprtConfig { model: Model::Bayesian, ..SprtConfig::default() };
    assert_eq!(llr_of_counts(&config, &Pentanomial::default()), Err(SprtError::DrawsUnknown));
}

#[test]
fn models_have_one_spelling() {
    for model in [Model::Logistic, Model::Normalized, Model::Bayesian] {
        assert_eq!(model.to_string().parse(), Ok(model));
    }
    let error = "Logistic".parse::<Model>().unwrap_err();
    assert_eq!(error.to_string(), "unknown model `Logistic`: expected `logistic`, `normalized` or `bayesian`");
}

#[test]
fn conditions_that_cannot_be_are_refused() {
    assert_eq!(Conditions::new(1.0, 0.0), Err(PlanError::DrawRatio(1.0)));
    assert!(matches!(Conditions::new(f64::NAN, 0.0), Err(PlanError::DrawRatio(_))));
    assert_eq!(Conditions::new(0.5, -1.0), Err(PlanError::Bias(-1.0)));
    assert!(matches!(Conditions::new(0.9, 400.0), Err(PlanError::NoSuchPair { .. })));
    let drawish = Conditions::new(0.6, 50.0).unwrap();
    assert!(matches!(drawish.pair_law(0.9), Err(PlanError::NoSuchPair { .. })));
    assert!(Conditions::observed(&PairCounts::default()).is_err());
}

#[test]
fn budgets_give_the_bounds_that_use_them() {
    let conditions = Conditions::new(0.4, 60.0).unwrap();
    for (goal, games) in [(Goal::Gain, 40_000.0), (Goal::NoLoss, 1e6)] {
        let config = bounds_for(goal, games, 0.05, 0.1).unwrap();
        let worst = Prospect::worst(&config, &conditions).unwrap();
        assert!((worst.games / games - 1.0).abs() < 1e-3, "{worst:?}");
        assert!(config.elo0 < config.elo1 && (config.elo0 * config.elo1).abs() < 1e-12);
    }
    assert_eq!(bounds_for(Goal::Gain, 0.0, 0.05, 0.05), Err(PlanError::Budget(0.0)));
    assert!(bounds_for(Goal::Gain, 1e4, 0.7, 0.05).is_err());
}

#[test]
fn prospects_bound_their_errors() {
    let conditions = Conditions::new(0.3, 30.0).unwrap();
    for model in [Model::Logistic, Model::Normalized, Model::Bayesian] {
        let config = SprtConfig { elo1: 2.0, alpha: 0.03, beta: 0.1, model, ..SprtConfig::default() };
        let pass = |elo| Prospect::at_score(&config, &conditions, conditions.score(model, elo)).unwrap().pass;
        assert!((pass(0.0) - 0.03).abs() < 1e-5 && (pass(2.0) - 0.9).abs() < 1e-5);
        assert!(pass(-5000.0) < 1e-9 && pass(5000.0) > 1.0 - 1e-9);
    }
}

#[test]
fn fixed_tests_have_the_power_asked_for() {
    let conditions = Conditions::new(0.5, 0.0).unwrap();
    let score = elo::expected_score(5.0);
    // The number by quantiles of the normal distribution: z(0.95) + z(0.9) errors from one half.
    let errors = (1.644_853_626_951_472_7 + 1.281_551_565_544_600_4) / (score - 0.5);
    let games = conditions.variance_per_game() * errors * errors;
    assert!((fixed::power(&conditions, score, games, 0.05).unwrap() - 0.9).abs() < 1e-12);
    assert!((fixed::power(&conditions, 0.5, games, 0.05).unwrap() - 0.05).abs() < 1e-12);
    assert_eq!(fixed::power(&conditions, score, 100.0, 0.6), Err(PlanError::ErrorRate(0.6)));
    assert_eq!(fixed::power(&conditions, score, 100.0, 1e-320), Err(PlanError::ErrorRate(1e-320)));
}

#[test]
fn time_follows_from_the_rate() {
    assert_eq!(duration(1000.0, 50.0), Some(Duration::from_secs(10)));
    assert_eq!(duration(1000.0, 0.0), None);
}
