//! Records of operating characteristics, from fishtest's calculator.

use super::record::{Record, close, number};
use stats::SprtConfig;
use stats::plan::{Conditions, Prospect};

pub(crate) fn curve(record: &Record) {
    let (draws, bias) = (number(&record["draw_ratio"]), number(&record["rms_bias"]));
    let conditions = Conditions::new(draws, bias).unwrap();
    let variance = number(&record["variance_per_game"]);
    close("variance", conditions.variance_per_game(), variance, 0.0, 1e-9);
    let config = SprtConfig {
        elo0: number(&record["elo0"]),
        elo1: number(&record["elo1"]),
        alpha: number(&record["alpha"]),
        beta: number(&record["beta"]),
        model: record["model"].as_str().unwrap().to_lowercase().parse().unwrap(),
        overshoot: true,
    };
    let points = record["points"].as_array().unwrap();
    assert!(!points.is_empty());
    for point in points {
        let prospect = Prospect::new(&config, &conditions, number(&point["lelo"])).unwrap();
        close("pass", prospect.pass, number(&point["pass"]), 1e-9, 1e-9);
        close("games", prospect.games, number(&point["expected_games"]), 0.0, 1e-9);
    }
}
