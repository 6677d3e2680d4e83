//! Every way in which a parameter or a space is refused, and the rounding of sides.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use tuner::{Kind, Parameter, Space};

fn refusal(kind: Kind, start: f64, range: (f64, f64), step: f64) -> String {
    Parameter::new("p".to_owned(), kind, start, range, step).unwrap_err().to_string()
}

fn real(name: &str) -> Parameter {
    Parameter::new(name.to_owned(), Kind::Real, 0.0, (-1.0, 1.0), 0.1).unwrap()
}

#[test]
fn refusals_say_what_is_wrong() {
    let cases = [
        (refusal(Kind::Real, 3.0, (0.0, 2.0), 1.0), "start 3 is outside 0..2"),
        (refusal(Kind::Real, 1.0, (1.0, 1.0), 1.0), "min 1 must be less than max 1"),
        (refusal(Kind::Real, 1.0, (0.0, 2.0), 0.0), "step 0 must be greater than 0"),
        (refusal(Kind::Real, 1.0, (0.0, 2.0), -1.0), "step -1 must be greater than 0"),
        (refusal(Kind::Real, 1.0, (0.0, f64::INFINITY), 1.0), "max is inf, but must be finite"),
        (refusal(Kind::Real, f64::NAN, (0.0, 1.0), 1.0), "start is NaN, but must be finite"),
        (refusal(Kind::Real, 1e9, (0.0, 2e9), 1e-6), "must be at least 2"),
        (
            refusal(Kind::Integer, 1.0, (0.0, 2.0), 0.4),
            "with kind = \"integer\" and step 0.4 both sides would be the same engine; the step must be at least 0.5",
        ),
        (
            refusal(Kind::Integer, 1.5, (0.0, 2.0), 1.0),
            "start is 1.5, but with kind = \"integer\" it must be a whole number, or write kind = \"real\"",
        ),
        (refusal(Kind::Log, 1.0, (0.0, 2.0), 1.0), "with kind = \"log\" min must be greater than 0, not 0"),
        (refusal(Kind::Boolean, 1.0, (0.0, 2.0), 1.0), "with kind = \"switch\" min must be 0 and max 1"),
    ];
    for (found, expected) in cases {
        assert!(found.starts_with("parameter `p`: ") && found.contains(expected), "{found}");
    }
}

#[test]
fn spaces_need_distinct_names() {
    assert_eq!(Space::new(vec![]).unwrap_err().to_string(), "no parameter to tune");
    let twice = Space::new(vec![real("a"), real("b"), real("a")]).unwrap_err();
    assert_eq!(twice.to_string(), "parameter `a` is given twice");
    assert_eq!(Space::new(vec![real("a"), real(" ")]).unwrap_err().to_string(), "parameter 1 has an empty name");
}

#[test]
fn rounding_is_right_on_average_and_common_to_both_sides() {
    let p = Parameter::new("p".to_owned(), Kind::Integer, 10.0, (0.0, 20.0), 1.0).unwrap();
    let (mut plus, mut minus) = (0.0, 0.0);
    for n in 0..1000 {
        let (a, b) = p.sides(2.3, -0.9, (f64::from(n) + 0.5) / 1000.0);
        assert!((3.0..=4.0).contains(&(a - b)), "{a} and {b}");
        plus += a;
        minus += b;
    }
    assert!((plus / 1000.0 - 12.3).abs() < 1e-9 && (minus / 1000.0 - 9.1).abs() < 1e-9);
}

#[test]
fn sides_at_a_bound_still_differ() {
    let p = Parameter::new("p".to_owned(), Kind::Integer, 5.0, (0.0, 5.0), 0.5).unwrap();
    for (plus, minus) in [(1.0, -1.0), (-1.0, 1.0), (9.0, 7.0), (-40.0, -42.0)] {
        let (a, b) = p.sides(plus, minus, 0.75);
        assert!((a - b).abs() >= 1.0 && (a > b) == (plus > minus), "{a} and {b}");
    }
}

#[test]
fn a_logarithmic_step_multiplies() {
    let p = Parameter::new("p".to_owned(), Kind::Log, 2.0, (0.1, 100.0), 1.0).unwrap();
    assert!((p.value(1.0) - 3.0).abs() < 1e-12 && (p.value(2.0) - 4.5).abs() < 1e-12);
    assert!((p.value(-1.0) - 4.0 / 3.0).abs() < 1e-12);
}
