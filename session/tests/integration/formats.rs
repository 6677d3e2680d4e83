//! Parameters of a session, written in other tuners' formats and read back: names, ranges, steps and values survive,
//! and kinds if a format has them.

use arena::config::Job;
use plan::load;
use plan::{Disk, jobs};
use proptest::prelude::*;
use reports::tuned::Pasted;
use session::declared::{Declared, Spelling};
use stats::PairOutcome;
use tuner::fishtest::Kindless;
use tuner::{Kind, TunedParameter};

const OUTCOMES: [PairOutcome; 4] = [PairOutcome::WW, PairOutcome::WD, PairOutcome::DD, PairOutcome::LL];

/// A tunable or frozen parameter, with numbers of few decimals.
fn parameter() -> impl Strategy<Value = TunedParameter> {
    let numbers = (any::<bool>(), -500..500_i32, 1..400_i32, 0..=100_i32, 0..300_i32);
    (numbers, "[A-Za-z][A-Za-z _#'.-]{0,8}[A-Za-z]").prop_map(|((is_whole, low, width, place, step), name)| {
        let unit = if is_whole { 1.0 } else { 0.01 };
        let start = low + width * place / 100;
        let [start, min, max, step] = [start, low, low + width, step].map(|number| f64::from(number) * unit);
        let kind = if is_whole { Kind::Integer } else { Kind::Real };
        TunedParameter { name, kind, start, min, max, step, group: None, values: Vec::new() }
    })
}

/// Several parameters with different names, at least one of which is tuned.
fn parameters() -> impl Strategy<Value = Vec<TunedParameter>> {
    let are_apart = |all: &Vec<TunedParameter>| {
        let apart = |(at, one): (usize, &TunedParameter)| !all[..at].iter().any(|other| other.name == one.name);
        all.iter().enumerate().all(apart) && all.iter().any(|one| one.step > 0.0)
    };
    proptest::collection::vec(parameter(), 1..5).prop_filter("distinct names, and one to tune", are_apart)
}

/// Returns a parameter as a format without kinds has it.
fn without_kind(parameter: &TunedParameter) -> TunedParameter {
    let TunedParameter { start, min, max, step, .. } = *parameter;
    let kind = Kindless::ByRange.kind(start, (min, max), step);
    TunedParameter { kind, start: tuner::whole_start(kind, start, (min, max)), ..parameter.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_session_is_written_and_read_again(
        given in parameters(), outcomes in proptest::collection::vec(0..4_usize, 0..12),
    ) {
        let none = Vec::new();
        let declared = Declared {
            spelling: Spelling::UciOptions, parameters: given.clone(), gains: Vec::new(), aside: Vec::new(),
            left_out: Vec::new(), notes: Vec::new(),
        };
        let text = declared.to_toml(None);
        let loaded = load(&text, "x.toml", "x", &none, Job::Tune, Disk);
        let loaded = loaded.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let mut session = jobs::experiment(&loaded.run).expect("a session");
        for (pair, outcome) in (0..).zip(outcomes) {
            let proposal = session.propose(pair).expect("a pair");
            session.absorb(pair, &proposal, OUTCOMES[outcome]);
        }
        let standing = session.standing();
        let tune = standing.tune().expect("a tuning session");
        let pasted = Pasted::new(tune, &loaded.run.entrants[0].player);

        // The answer, as written.
        let now = |(parameter, tuned): (&TunedParameter, &arena::run::TunedStanding)| {
            let text = tuned.number(tuned.now);
            prop_assert!(!text.starts_with("-0") || text.contains(|digit| ('1'..='9').contains(&digit)), "{}", text);
            Ok(TunedParameter { start: text.parse().expect("a number"), ..parameter.clone() })
        };
        let answered = given.iter().zip(&tune.parameters).map(now).collect::<Result<Vec<_>, TestCaseError>>()?;
        for (one, start) in answered.iter().zip(&given) {
            prop_assert!((one.min..=one.max).contains(&one.start));
            prop_assert!(start.step > 0.0 || one.start.to_bits() == start.start.to_bits(), "frozen ones stay");
        }
        let kindless: Vec<TunedParameter> = answered.iter().map(without_kind).collect();
        let mut by_name = kindless.clone();
        by_name.sort_by(|a, b| a.name.cmp(&b.name));
        for (format, expected) in [
            (pasted.openbench.join("\n"), &answered),
            (pasted.fishtest.join("\r\n"), &kindless),
            (pasted.weather_factory, &by_name),
        ] {
            let read = Declared::read(&format).map_err(|error| TestCaseError::fail(format!("{error}\n{format}")))?;
            prop_assert_eq!(&read.parameters, expected, "{}", format);
        }
    }
}
