//! Tests that the bundle uses nothing newer than the tournament's compiler. Clippy checks this; without clippy the test
//! is ignored.

use libtest_mimic::{Arguments, Trial};
use std::process::{Command, ExitCode, Stdio};

/// The tool that knows when each item of the standard library became stable: `rustup component add clippy`.
const LINTS: &str = "clippy-driver";

fn main() -> ExitCode {
    let started = Command::new(LINTS).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_missing = !started.is_ok_and(|status| status.success());
    let test = || {
        check();
        Ok(())
    };
    let name = "a_bundle_needs_nothing_that_the_tournaments_compiler_does_not_have";
    let trials = vec![Trial::test(name, test).with_ignored_flag(is_missing)];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn check() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("clippy.toml"), "msrv = \"1.75.0\"\n").expect("a file");
    let lints = ["--edition", "2021", "-A", "clippy::all", "-D", "clippy::incompatible_msrv", "--emit=metadata"];
    let linted = |text: &str| {
        let source = folder.path().join("entry.rs");
        std::fs::write(&source, text).expect("a file");
        let mut clippy = Command::new(LINTS);
        clippy
            .args(lints)
            .arg("-o")
            .arg(folder.path().join("entry"))
            .arg(&source)
            .env("CLIPPY_CONF_DIR", folder.path());
        let linted = clippy.output().expect("the lints start");
        (linted.status.success(), String::from_utf8_lossy(&linted.stderr).into_owned())
    };
    let made = bundle::bundle(&bundle::Contents::default()).expect("a bundle").text;
    let (is_sound, stderr) = linted(&made);
    assert!(is_sound, "{stderr}");
    let newer =
        made.replacen("fn main() -> ExitCode {", "fn main() -> ExitCode { let _newer = 3_u32.is_multiple_of(2);", 1);
    assert!(!linted(&newer).0, "the lint sees nothing");
}
