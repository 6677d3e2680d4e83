//! Records of counts: estimates against fishtest's, ratios of log-likelihoods against the 60-digit ones.

use super::record::{Record, close, number};
use stats::sprt::{AfterTest, llr_of_counts};
use stats::{Basis, Model, Spread, SprtConfig, Summary, Tally, normal};

pub(crate) fn pairs(record: &Record) {
    let pairs = record.pairs();
    assert_eq!(pairs.pentanomial(), record.pentanomial());
    assert_eq!(pairs.wdl(), record.wdl());
    let summary = Summary::of_pairs(&pairs);
    let fishtest = &record["fishtest"];
    estimates(record, &summary);
    if let (Spread::Varied, Some(nelo)) = (summary.spread, summary.nelo) {
        let (value, half) = (number(&fishtest["nelo"]["nelo"]), number(&fishtest["nelo"]["nelo_err95"]));
        close("nelo", nelo.value, value, 1e-12, 1e-9);
        nelo_ends(&summary, &pairs, [value - half, value + half]);
    }
    pair_ratios(record, &summary);
    likelihood_ratios(record, &pairs);
}

pub(crate) fn games(record: &Record) {
    let games = record.wdl();
    let summary = Summary::of_games(&games);
    estimates(record, &summary);
    let fishtest = &record["fishtest"]["tri_stats"];
    if let (Spread::Varied, Some(nelo)) = (summary.spread, summary.nelo) {
        close("nelo", nelo.value, number(&fishtest["nelo"]), 1e-12, 1e-9);
        nelo_ends(&summary, &games, [number(&fishtest["nelo_ci"][0]), number(&fishtest["nelo_ci"][1])]);
        let draws = summary.draw_ratio.unwrap().value;
        close("draws", draws, number(&fishtest["draw_ratio"]), 0.0, 1e-9);
    }
    likelihood_ratios(record, &games);
}

fn estimates(record: &Record, summary: &Summary) {
    let fishtest = &record["fishtest"]["get_elo"];
    match summary.spread {
        Spread::Empty => assert!(summary.elo.is_none() && summary.nelo.is_none()),
        Spread::Single(x) => {
            let elo = summary.elo.unwrap();
            assert_eq!(elo.value, if x == 0.5 { 0.0 } else { f64::INFINITY });
            assert!(elo.low.is_finite() && elo.low < elo.value);
        }
        Spread::Varied => {
            let elo = summary.elo.unwrap();
            close("elo", elo.value, number(&fishtest["elo"]), 1e-12, 1e-9);
            if summary.basis == Some(Basis::Normal) {
                close("LOS", summary.los, number(&fishtest["los"]), 1e-12, 1e-9);
                // fishtest prints half the width of the mapped interval.
                let half = (elo.high - elo.low) / 2.0;
                close("elo error", half, number(&fishtest["elo_err95"]), 0.0, 1e-9);
            }
        }
    }
}

/// fishtest takes the variance of the t-value at the estimate, spar at each end. With r^2 = z^2 (kurtosis - 1)/(4N)
/// that moves an end by at most (r + r^2)/(1 - r^2) half-widths: the shift of the middle, by Cauchy's inequality, and
/// the stretch.
fn nelo_ends(summary: &Summary, tally: &impl Tally, fishtest: [f64; 2]) {
    if summary.basis == Some(Basis::Normal) {
        let (law, ends) = (tally.law(), summary.nelo.unwrap());
        let r = normal::Z95 * ((law.moments().excess + 2.0) / (4.0 * law.size)).sqrt();
        let room = (r + r * r) / (1.0 - r * r) * (fishtest[1] - fishtest[0]) / 2.0;
        close("nelo low", ends.low, fishtest[0], room, 1e-9);
        close("nelo high", ends.high, fishtest[1], room, 1e-9);
    }
}

fn pair_ratios(record: &Record, summary: &Summary) {
    let fastchess = &record["fastchess"];
    let value = |e: Option<stats::Estimate>| e.map_or(f64::NAN, |e| e.value);
    let expected = number(&record["fishtest"]["pairs_ratio"]);
    let ratio = value(summary.pairs_ratio);
    if expected.is_finite() {
        close("pairs ratio", ratio, expected, 0.0, 1e-9);
    } else {
        assert_eq!(ratio.to_string(), expected.to_string());
    }
    if summary.spread == Spread::Empty {
        return;
    }
    let draws = 100.0 * value(summary.pair_draw_ratio);
    close("pair draws", draws, number(&fastchess["draw_ratio_penta_pct"]), 1e-12, 1e-9);
    if record.pairs().0.iter().all(|n| *n > 0) {
        // If no bin is empty, fishtest regularises nothing, and its bias is the plain one.
        let bias = number(&record["fishtest"]["raw_stats"]["rms_bias_elo"]);
        close("bias", value(summary.rms_bias), bias.max(0.0), 1e-9, 1e-9);
        let games = number(&record["fishtest"]["tri_stats"]["draw_ratio"]);
        close("draws", value(summary.draw_ratio), games, 0.0, 1e-9);
    }
}

fn likelihood_ratios(record: &Record, counts: &impl Tally) {
    let models = [(Model::Logistic, "logistic"), (Model::Normalized, "normalized"), (Model::Bayesian, "bayes_gsprt")];
    for row in record["exact"].as_array().unwrap() {
        let (elo0, elo1) = (number(&row["elo0"]), number(&row["elo1"]));
        for (model, name) in models {
            let config = SprtConfig { elo0, elo1, model, ..SprtConfig::default() };
            let llr = llr_of_counts(&config, counts).unwrap();
            close(name, llr, number(&row[name]), 1e-6, 1e-9);
        }
    }
    states(record, counts);
}

/// fishtest's verdict on the same counts, unless they lie on a bound.
fn states(record: &Record, counts: &impl Tally) {
    for row in record["fishtest"]["sprt"].as_array().unwrap() {
        let model = match row["model"].as_str().unwrap() {
            "BayesElo" => Model::Bayesian,
            other => other.parse().unwrap(),
        };
        let (elo0, elo1) = (number(&row["elo0"]), number(&row["elo1"]));
        let config = SprtConfig { elo0, elo1, model, ..SprtConfig::default() };
        let (llr, bounds) = (llr_of_counts(&config, counts).unwrap(), config.wald_bounds());
        if (llr - bounds.lower).abs() > 1e-6 && (llr - bounds.upper).abs() > 1e-6 {
            let expected = row["state"].as_str().unwrap();
            assert_eq!(super::sequence::word(bounds.judge(llr)), expected);
        }
        // Uniform results have only the noise of the regularisation: fishtest gives 0.8 Elo for 100 drawn pairs.
        let uniform = counts.law().p.iter().any(|p| *p > 0.99);
        if let Some(after) = AfterTest::new(&config, counts).filter(|_| !uniform) {
            after_test(&after, &row["sprt_elo"]);
        }
    }
}

/// fishtest's estimate after a test is clamped at ±1000 Elo, and replaces the exit law by a three-term formula for
/// short tests, which costs up to 0.002 Elo.
fn after_test(after: &AfterTest, expected: &serde_json::Value) {
    let pairs = [
        (after.elo.value, number(&expected["elo"])),
        (after.elo.low, number(&expected["ci"][0])),
        (after.elo.high, number(&expected["ci"][1])),
    ];
    for (ours, theirs) in pairs.into_iter().filter(|(_, theirs)| theirs.abs() < 999.0) {
        close("Elo after the test", ours, theirs, 3e-3, 0.0);
    }
    close("LOS after the test", after.los, number(&expected["los"]), 1e-9, 0.0);
}
