//! Tests that need programs of other people, as lists: where a program is missing they are reported as ignored.

use libtest_mimic::Trial;

/// A test by its name.
pub(crate) type Test = (&'static str, fn());

/// Functions as a list of [`Test`]s.
macro_rules! tests {
    ($($test:path),* $(,)?) => { &[$((stringify!($test), $test as fn())),*] };
}
pub(crate) use tests;

/// The tests of a list, ignored if what they need is missing.
pub(crate) fn trials(tests: &'static [Test], is_missing: bool) -> impl Iterator<Item = Trial> {
    tests.iter().map(move |&(name, test)| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(is_missing)
    })
}
