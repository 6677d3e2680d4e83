//! The programs that the end-to-end tests run: the built programs of this package, and installed third-party programs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The built program.
pub(crate) const SPAR: &str = env!("CARGO_BIN_EXE_spar");

/// The path of an example of this package, built first if it is not there.
///
/// `cargo test` builds the examples, `cargo test --test NAME` does not.
#[allow(dead_code, reason = "not each test needs it")]
pub(crate) fn example(name: &str) -> PathBuf {
    built(examples().join(name), &["--example", name])
}

/// The path of the small chess engine, another package of this workspace, built first if it is not there.
#[allow(dead_code, reason = "not each test needs it")]
pub(crate) fn pst_engine() -> PathBuf {
    built(Path::new(SPAR).with_file_name("pst_engine"), &["--package", "pst_engine"])
}

/// The path of the crazyhouse engine, another package of this workspace, built first if it is not there.
#[allow(dead_code, reason = "not each test needs it")]
pub(crate) fn crazyhouse() -> PathBuf {
    built(Path::new(SPAR).with_file_name("crazyhouse"), &["--package", "crazyhouse"])
}

/// The path of a program that cargo builds with these words, built first if it is missing.
fn built(path: PathBuf, words: &[&str]) -> PathBuf {
    static BUILDING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = BUILDING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !path.exists() {
        let profile = if examples().ends_with("release/examples") { "release" } else { "test" };
        let cargo = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--locked", "--profile", profile])
            .args(words)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status();
        assert!(cargo.is_ok_and(|status| status.success()), "cargo could not build {}", path.display());
    }
    path
}

/// The folder that cargo puts the built examples into.
pub(crate) fn examples() -> PathBuf {
    Path::new(SPAR).with_file_name("examples")
}

/// Whether a program can be started: found on the path, or in one of Debian's folders for games.
#[allow(dead_code, reason = "not each test needs programs of other people")]
pub(crate) fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]).any(|folder| folder.join(program).is_file())
}
