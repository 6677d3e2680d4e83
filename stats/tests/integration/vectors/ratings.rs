//! Records of ratings: Ordo's own figures, and independent fits of its model.

use super::record::{Record, close, number};
use serde_json::Value;
use stats::Wdl;
use stats::normal::Z95;
use stats::rating::ordo::{self, OrdoMode, OrdoRatings, Reference};
use stats::rating::{RatingError, RatingSettings, Results, Standing, rate};

fn results(record: &Record) -> Results {
    let table = record["games_white_black_WDL"].as_array().unwrap();
    let mut results = Results::new(table.len());
    for (first, row) in table.iter().enumerate() {
        for (second, cell) in row.as_array().unwrap().iter().enumerate() {
            let [wins, draws, losses] = [0, 1, 2].map(|k| cell[k].as_u64().unwrap());
            if first != second {
                let games = Wdl { wins, draws, losses };
                results.add_games(first, second, &games).unwrap();
            }
        }
    }
    results
}

fn names(record: &Record) -> Vec<&str> {
    let names = record["names"].as_array().unwrap().iter();
    names.map(|n| n.as_str().unwrap()).collect()
}

fn anchor(record: &Record) -> Reference {
    let entrant = names(record).iter().position(|n| record["anchor"] == *n).unwrap();
    Reference::Anchor { entrant, rating: number(&record["anchor_rating"]) }
}

pub(crate) fn as_ordo(record: &Record) {
    let results = results(record);
    let modes = [
        ("ordo_plain", OrdoMode::Plain, anchor(record)),
        ("ordo_WD", OrdoMode::SeatsAndDraws, anchor(record)),
        ("ordo_ML", OrdoMode::MaximumLikelihood, anchor(record)),
        ("ordo_WD_sims2000", OrdoMode::SeatsAndDraws, anchor(record)),
        ("ordo_WD_sims2000_poolrel", OrdoMode::SeatsAndDraws, Reference::Mean(number(&record["anchor_rating"]))),
    ];
    for (name, mode, reference) in modes {
        let ours = ordo::rate(&results, mode, reference).unwrap();
        compare(&ours, &record[name], &names(record), mode);
    }
    let plain = ordo::rate(&results, OrdoMode::Plain, anchor(record)).unwrap();
    let seats = ordo::rate(&results, OrdoMode::SeatsAndDraws, anchor(record)).unwrap();
    let fits = [(&plain.ratings, &record["indep_plain"]), (&seats.ratings, &record["indep_WD"]["ratings"])];
    for (ours, theirs) in fits {
        for (ours, theirs) in ours.iter().zip(theirs.as_array().unwrap()) {
            close("independent fit", *ours, number(theirs), 1e-4, 0.0);
        }
    }
    let indep = &record["indep_WD"];
    close("advantage", seats.first_mover, number(&indep["white_adv"]), 1e-4, 0.0);
    close("draw rate", seats.draw_rate, number(&indep["draw_rate"]), 1e-6, 0.0);
}

fn compare(ours: &OrdoRatings, theirs: &Value, names: &[&str], mode: OrdoMode) {
    for player in theirs["players"].as_array().unwrap() {
        let k = names.iter().position(|n| player["name"] == *n).unwrap();
        close("rating", ours.ratings[k], number(&player["rating"]), 0.01, 0.0);
        if let Some(error) = player["error"].as_f64() {
            // Ordo's errors come from 2000 simulations.
            close("error", ours.errors[k], error, 0.0, 0.08);
        }
    }
    let text = |v: &Value| v.as_str().map(|s| s.parse::<f64>().unwrap());
    if let (Some(value), false) = (text(&theirs["white_adv"][0]), mode == OrdoMode::Plain) {
        close("advantage", ours.first_mover, value, 0.01, 0.0);
        let rate = text(&theirs["draw_rate_pct"][0]).unwrap();
        close("draw rate", 100.0 * ours.draw_rate, rate, 0.01, 0.0);
    }
    if let Some(error) = text(&theirs["white_adv"][1]) {
        // Here Ordo prints one standard error.
        close("advantage error", ours.first_mover_error / Z95, error, 0.0, 0.08);
    }
}

/// Ordo refuses; spar's own ratings are finite and report their basis.
pub(crate) fn perfect_score(record: &Record) {
    let results = results(record);
    for mode in [OrdoMode::Plain, OrdoMode::SeatsAndDraws, OrdoMode::MaximumLikelihood] {
        let refused = ordo::rate(&results, mode, anchor(record));
        assert_eq!(refused, Err(RatingError::NotComparable));
    }
    let ratings = rate(&results, &RatingSettings::default()).unwrap();
    assert_eq!(ratings.groups, 2);
    let perfect = names(record).iter().position(|n| *n == "Perfect").unwrap();
    for (k, rating) in ratings.entrants.iter().enumerate() {
        assert!(rating.elo.low.is_finite() && rating.elo.high.is_finite());
        let expected = if k == perfect { Standing::AllWon } else { Standing::Bounded };
        assert_eq!(rating.standing, expected);
        if k != perfect {
            let ahead = ratings.difference(perfect, k).unwrap();
            assert!(ahead.low > 200.0, "{ahead:?}");
        }
    }
}
