//! Declared parameters of engines and other tuners, and values that are put into sources.

use super::target;
use crate::declared::{Declared, patch};
use fuzz::ReadOutcome;

#[test]
fn declarations() {
    target("params").run(|input| {
        let text = String::from_utf8_lossy(input);
        let read = Declared::read(&text);
        ReadOutcome::of(read, |declared| {
            let all = declared.parameters.len() + declared.aside.len();
            assert!(all > 0, "nothing was read, without an error");
            for parameter in &declared.parameters {
                assert!(!parameter.name.is_empty(), "a parameter without a name");
                let only = declared.clone().only(std::slice::from_ref(&parameter.name)).expect("it is declared");
                assert_eq!(only.parameters.len(), 1);
            }
            format!("{all} {:?}", declared.spelling)
        })
    });
}

#[test]
fn patches() {
    target("patch").run(|input| {
        let text = String::from_utf8_lossy(input);
        let (names, source) = text.split_once('\n').unwrap_or((&text, ""));
        let values: Vec<_> = names.split(' ').take(4).map(|name| (name.to_owned(), "7".to_owned())).collect();
        ReadOutcome::of(patch(source, &values), |patched| patched.text.len().to_string())
    });
}
