//! The signature of an engine: the nodes that its bench counts. Two builds with the same signature search alike.

use super::error::BuildError;
use super::process::{End, run_telling};
use super::recipe::Bench;
use super::revision::Revision;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Runs the bench of a program with its output going to `log`, and returns the signature. `tell` gets the elapsed time.
pub(super) fn take(
    bench: &Bench,
    program: &Path,
    log: &Path,
    within: Duration,
    stop: &AtomicBool,
    tell: &dyn Fn(Duration),
) -> Result<u64, BuildError> {
    let mut command = Command::new(program);
    command.args(&bench.arguments).current_dir(program.parent().unwrap_or(Path::new("/")));
    let command_line = format!("{} {}", program.display(), bench.arguments.join(" "));
    let unusable = |why: String| BuildError::NoSignature { command: command_line.clone(), why, log: log.to_owned() };
    match run_telling(&mut command, log, within, stop, tell)? {
        End::Stopped => return Err(BuildError::Interrupted),
        End::TooLong => return Err(unusable(format!("did not end within {within:?}"))),
        End::Exited(status) if !status.success() => return Err(unusable(format!("failed ({status})"))),
        End::Exited(_) => {}
    }
    let output = fs_err::read(log)?;
    let nodes = find(&bench.pattern, &String::from_utf8_lossy(&output));
    nodes.ok_or_else(|| unusable(format!("printed nothing like \"{}\"", bench.pattern)))
}

/// Finds the number in place of `{}` in the last line that matches the pattern. Any blanks match any others.
fn find(pattern: &str, output: &str) -> Option<u64> {
    let (before, after) = pattern.split_once("{}")?;
    let [before, after] = [before, after].map(single_spaced);
    let (before, after) = (before.trim_start(), after.trim_end());
    output.lines().rev().find_map(|line| {
        let line = single_spaced(line);
        line.match_indices(before).find_map(|(at, _)| {
            // A match must not begin in the middle of a number.
            let starts = !before.is_empty() || !line[..at].ends_with(|c: char| c.is_ascii_digit());
            let rest = &line[at + before.len()..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let fits = starts && rest[digits..].starts_with(after);
            fits.then(|| rest[..digits].parse().ok()).flatten()
        })
    })
}

fn single_spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_whitespace() {
            true if spaced.ends_with(' ') => {}
            true => spaced.push(' '),
            false => spaced.push(c),
        }
    }
    spaced
}

/// Returns the signature that a commit's message promises: the last line of the form `Bench: 1234567`.
pub(super) fn promised(revision: &Revision) -> Option<u64> {
    revision.message.lines().rev().find_map(|line| {
        let (key, value) = line.trim().split_once(':')?;
        key.trim().eq_ignore_ascii_case("bench").then(|| value.trim().replace([',', '_'], "").parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_found_in_what_engines_print() {
        assert_eq!(find("{} nodes", "warming up\n7654321 nodes 1000000 nps\n"), Some(7_654_321));
        assert_eq!(find("Nodes searched : {}", "Total\nNodes searched  : 2050\nNodes/second    : 9"), Some(2050));
        assert_eq!(find("Bench: {}", "Bench: 1\nBench: 2"), Some(2), "the last one counts");
        assert_eq!(find("{}", "a 12 b"), Some(12));
        for (pattern, output) in [("{} nodes", "no nodes"), ("{} nodes", ""), ("{}", "99999999999999999999999")] {
            assert_eq!(find(pattern, output), None, "{pattern} {output}");
        }
    }

    #[test]
    fn messages_promise_signatures() {
        let revision = |message: &str| Revision {
            asked: "x".into(),
            commit: "0".repeat(40),
            id: "0".repeat(40),
            message: message.into(),
            time: 0,
        };
        assert_eq!(promised(&revision("Faster\n\nbench: 1,234")), Some(1234));
        assert_eq!(promised(&revision("Faster\n\nBench: 1\nBench: 22\n")), Some(22));
        assert_eq!(promised(&revision("Bench: none of it")), None);
        assert_eq!(promised(&revision("Say Bench: 12 in a sentence? no: Bench: 5")), None);
    }
}
