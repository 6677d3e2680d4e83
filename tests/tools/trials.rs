//! Tests as lists, and when each runs: always, in the second tier only, or never because a third-party program is
//! missing.

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

/// A test by its name.
#[allow(dead_code, reason = "some lists are made of files")]
pub(crate) type Test = (&'static str, fn());

/// When a test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "not each list has tests of all kinds")]
pub(crate) enum When {
    /// In every call.
    Always,
    /// With `--include-ignored` or `--ignored`.
    SecondTier,
    /// Never, because a requirement is missing: always reported as ignored.
    Never,
}

/// Functions as a list of [`Test`]s.
#[allow(unused_macros, reason = "some lists are made of files")]
macro_rules! tests {
    ($($test:path),* $(,)?) => { &[$((stringify!($test), $test as fn())),*] };
}
#[allow(unused_imports, reason = "some lists are made of files")]
pub(crate) use tests;

/// The tests of a list, as trials.
#[allow(dead_code, reason = "some lists are made of files")]
pub(crate) fn trials(tests: &'static [Test], when: When) -> impl Iterator<Item = (Trial, When)> {
    tests.iter().map(move |&(name, test)| {
        let run = move || {
            test();
            Ok(())
        };
        (Trial::test(name, run), when)
    })
}

/// Runs the tests that the command line selects.
#[allow(dead_code, reason = "some lists are of tests that wait")]
pub(crate) fn run(all: impl IntoIterator<Item = (Trial, When)>) -> ExitCode {
    run_as_asked(Arguments::from_args(), all)
}

/// Like [`run`], for tests that mostly wait for other programs: four at a time on each processor, unless
/// `--test-threads` sets the number.
#[allow(dead_code, reason = "most tests compute")]
pub(crate) fn run_waiting(all: impl IntoIterator<Item = (Trial, When)>) -> ExitCode {
    let mut arguments = Arguments::from_args();
    let threads = std::thread::available_parallelism().map_or(4, |processors| 4 * processors.get());
    let _threads = arguments.test_threads.get_or_insert(threads);
    run_as_asked(arguments, all)
}

fn run_as_asked(mut arguments: Arguments, all: impl IntoIterator<Item = (Trial, When)>) -> ExitCode {
    let is_second = !arguments.list && (arguments.include_ignored || arguments.ignored);
    let all = all.into_iter().filter(|(_, when)| !(is_second && arguments.ignored) || *when != When::Always);
    let is_ignored = |when| when == When::Never || (when == When::SecondTier && !is_second);
    let trials = all.map(|(trial, when)| trial.with_ignored_flag(is_ignored(when))).collect();
    if is_second {
        (arguments.ignored, arguments.include_ignored) = (false, false);
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
