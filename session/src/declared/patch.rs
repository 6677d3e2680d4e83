//! Puts values into a source file in any language: replaces the number in the definition of each name, or the `true` or
//! `false`.

use regex_lite::{Regex, escape};
use std::fmt::Write;
use std::ops::Range;

/// Why values cannot be put into a source file. The file then stays unchanged.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// A name is not defined, or not as a number or switch.
    #[error("the file does not define `{name}` as a number: expected a line such as `{name} = 3`, or `{name} = true`")]
    Missing {
        /// The name.
        name: String,
    },
    /// A name is defined more than once.
    #[error("the file defines `{name}` {} times, in lines {}: expected one definition", lines.len(), listed(lines))]
    Several {
        /// The name.
        name: String,
        /// The lines, from 1.
        lines: Vec<usize>,
    },
    /// Two values are given for one place.
    #[error("there are two values for `{name}` in line {line}: expected one")]
    Twice {
        /// The name.
        name: String,
        /// The line, from 1.
        line: usize,
    },
}

/// The most lines that are listed.
const MOST_LISTED: usize = 20;

fn listed(lines: &[usize]) -> String {
    let listed = lines.iter().take(MOST_LISTED).map(usize::to_string).collect::<Vec<_>>().join(", ");
    if lines.len() > MOST_LISTED { format!("{listed} and others") } else { listed }
}

/// A source file with the new values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// The file.
    pub text: String,
    /// The changes, as lines of a diff; empty without changes.
    pub diff: String,
}

/// Finds the numbers in the definitions of a name: `x = 3`, `x{3}`, `const X: i32 = 3`, `"x": 3`, `#define X 3`.
pub(super) fn places(text: &str, name: &str) -> Vec<Range<usize>> {
    defined_as(r"-?[0-9]+(?:\.[0-9]+)?", text, name)
}

/// Finds the values in the definitions of a name that match the pattern.
fn defined_as(value: &str, text: &str, name: &str) -> Vec<Range<usize>> {
    let name = escape(name);
    // More characters after the number would be part of it, or of a larger expression.
    let defined = format!(
        r#"(?:\b{name}(?:\s*:\s*[A-Za-z0-9_:]+)?\s*=\s*|\b{name}\s*\{{\s*|"{name}"\s*[:=]\s*|#define\s+{name}\s+)"#
    );
    let pattern = format!(r"{defined}({value})(?:[fFuUlL]*)\s*(?:[;,)}}\]]|$|//|/\*|#)");
    let Ok(pattern) = Regex::new(&format!("(?m){pattern}")) else { return Vec::new() };
    pattern.captures_iter(text).filter_map(|found| found.get(1)).map(|number| number.range()).collect()
}

/// A switch as a source file writes it: `false` in the form of the word that it replaces.
fn switch(word: &str, value: &str) -> String {
    let is_on = value.parse::<f64>().is_ok_and(|value| value != 0.0);
    let new = if is_on { "true" } else { "false" };
    if word.starts_with(char::is_uppercase) {
        format!("{}{}", new[..1].to_uppercase(), &new[1..])
    } else {
        new.to_owned()
    }
}

/// Replaces the numbers and the switches in the definitions of names. The value of a switch is 1 or 0.
///
/// # Errors
/// [`PatchError`] if a name is not defined exactly once, or is given twice.
pub fn patch(text: &str, values: &[(String, String)]) -> Result<Patched, PatchError> {
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let mut changes = Vec::new();
    for (name, value) in values {
        let (mut places, mut new) = (places(text, name), value.clone());
        if places.is_empty() && matches!(value.as_str(), "0" | "1") {
            places = defined_as("true|false|True|False", text, name);
            new = places.first().map_or(new, |place| switch(&text[place.clone()], value));
        }
        match places.as_slice() {
            [] => return Err(PatchError::Missing { name: name.clone() }),
            [place] => changes.push((place.clone(), name, new)),
            several => {
                let lines = several.iter().map(|place| line_of(place.start)).collect();
                return Err(PatchError::Several { name: name.clone(), lines });
            }
        }
    }
    changes.sort_by_key(|(place, ..)| place.start);
    let mut patched = String::new();
    let mut from = 0;
    for (place, name, value) in changes {
        if place.start < from {
            return Err(PatchError::Twice { name: name.clone(), line: line_of(place.start) });
        }
        patched.push_str(&text[from..place.start]);
        patched.push_str(&value);
        from = place.end;
    }
    patched.push_str(&text[from..]);
    // Values have no line breaks, so lines keep their places.
    let mut diff = String::new();
    for (number, (before, after)) in text.lines().zip(patched.lines()).enumerate().filter(|(_, (a, b))| a != b) {
        let _into_memory = write!(diff, "@@ line {} @@\n-{before}\n+{after}\n", number + 1);
    }
    Ok(Patched { text: patched, diff })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn switches_keep_the_form_of_their_language() {
        let text =
            "bool panic = false;\nconstexpr bool iir{true};\nlazy = False\nint singular = 1;\nbool x = true && y;\n";
        let set = [("panic", "1"), ("iir", "0"), ("lazy", "1"), ("singular", "0")];
        let patched = patch(text, &values(&set)).unwrap().text;
        let expected = "bool panic = true;\nconstexpr bool iir{false};\nlazy = True\nint singular = 0;\n";
        assert_eq!(patched, format!("{expected}bool x = true && y;\n"));
        for (name, value) in [("panic", "2"), ("x", "1")] {
            let error = patch(text, &values(&[(name, value)])).unwrap_err();
            assert_eq!(error, PatchError::Missing { name: name.to_owned() }, "{value}");
        }
    }

    #[test]
    fn two_values_for_one_definition_are_refused() {
        let error = patch("\nint a = 3;", &values(&[("a", "4"), ("a", "5")])).unwrap_err();
        assert_eq!(error, PatchError::Twice { name: "a".to_owned(), line: 2 });
    }

    #[test]
    fn definitions_of_many_languages_are_found_and_nothing_else() {
        let text = "int razor = 300; // razor = 5 was too little\nconst FUTILITY: i32 = 120;\nstatic constexpr int \
            Depth{4};\n#define LMR 75\n\
                    {\"delta\": 12, \"scale\": 0.5}\nmargin = 7\nif (razor == 3 || Depth <= 2) x = razor * 2; float f \
                    = 1.5f;\n";
        let new = [
            ("razor", "310"),
            ("FUTILITY", "99"),
            ("Depth", "5"),
            ("LMR", "80"),
            ("delta", "-3"),
            ("scale", "0.75"),
            ("margin", "8"),
            ("f", "2.5"),
        ];
        let patched = patch(text, &values(&new)).expect("each is defined once");
        assert_eq!(
            patched.text,
            "int razor = 310; // razor = 5 was too little\nconst FUTILITY: i32 = 99;\nstatic constexpr int \
                Depth{5};\n#define LMR 80\n\
             {\"delta\": -3, \"scale\": 0.75}\nmargin = 8\nif (razor == 3 || Depth <= 2) x = razor * 2; float f = \
             2.5f;\n"
        );
        assert!(patched.diff.starts_with("@@ line 1 @@\n-int razor = 300;"), "{}", patched.diff);
        assert_eq!(patch(text, &values(&[("razor", "300")])).expect("the same").diff, "");
    }

    #[test]
    fn what_is_not_defined_once_is_refused() {
        let text = "int a = 1;\nvoid f() { int a = 2; }\nint b = c + 3;\nint ab = 3;\n";
        let several = patch(text, &values(&[("a", "5")])).expect_err("twice");
        assert_eq!(several.to_string(), "the file defines `a` 2 times, in lines 1, 2: expected one definition");
        for name in ["b", "none"] {
            assert_eq!(
                patch(text, &values(&[("ab", "4"), (name, "5")])),
                Err(PatchError::Missing { name: name.to_owned() })
            );
        }
    }
}
