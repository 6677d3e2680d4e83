//! Regression cases, as files: each file in this folder is a case with an input, a command and the expected result.
//!
//! A case is a TOML file with the keys of [`Case`]. Its command runs in an empty folder that holds its files, with the
//! built `spar` and the example engines on the path.

#[path = "../tools/mod.rs"]
mod tools;
#[path = "../tools/trials.rs"]
mod trials;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use libtest_mimic::{Failed, Trial};
use serde::Deserialize;
use trials::When;

/// One case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The earlier error, and the correct behaviour.
    #[serde(rename = "why")]
    _why: String,
    /// Programs that the command needs besides spar and the example engines; the case is ignored without them.
    #[serde(default)]
    needs: Vec<String>,
    /// The files of the folder, by path. A file that begins with `#!` is executable.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// A script for `sh`.
    command: String,
    /// The exit status.
    #[serde(default)]
    exit: i32,
    /// Texts that standard output must hold.
    #[serde(default)]
    stdout: Vec<String>,
    /// Texts that standard output must not hold.
    #[serde(default)]
    not_stdout: Vec<String>,
    /// Texts that standard error must hold.
    #[serde(default)]
    stderr: Vec<String>,
    /// Texts that standard error must not hold.
    #[serde(default)]
    not_stderr: Vec<String>,
}

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .expect("the folder of cases can be read")
        .map(|entry| entry.expect("an entry of the folder of cases").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    trials::run(paths.iter().map(|path| trial(path)))
}

/// The test of the case in a file.
fn trial(path: &Path) -> (Trial, When) {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let case: Case = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let is_ready = case.needs.iter().all(|program| tools::installed(program));
    let when = if is_ready { When::Always } else { When::Never };
    (Trial::test(name, move || case.run()), when)
}

impl Case {
    /// Runs the command and compares its results.
    fn run(&self) -> Result<(), Failed> {
        let folder = tempfile::tempdir()?;
        for (name, text) in &self.files {
            write(&folder.path().join(name), text)?;
        }
        let output =
            Command::new("sh").args(["-c", &self.command]).current_dir(folder.path()).env("PATH", path()).output()?;
        self.compare(&output).map_err(|difference| {
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            format!("{difference}\n--- standard output\n{out}--- standard error\n{err}").into()
        })
    }

    /// The first difference between the actual and the expected output.
    fn compare(&self, output: &Output) -> Result<(), String> {
        if output.status.code() != Some(self.exit) {
            return Err(format!("{}, but {} is expected", output.status, self.exit));
        }
        let streams = [
            ("standard output", &output.stdout, &self.stdout, &self.not_stdout),
            ("standard error", &output.stderr, &self.stderr, &self.not_stderr),
        ];
        for (name, bytes, wanted, unwanted) in streams {
            let text = String::from_utf8_lossy(bytes);
            if let Some(missing) = wanted.iter().find(|wanted| !text.contains(wanted.as_str())) {
                return Err(format!("{name} lacks {missing:?}"));
            }
            if let Some(unwanted) = unwanted.iter().find(|unwanted| text.contains(unwanted.as_str())) {
                return Err(format!("{name} has {unwanted:?}"));
            }
        }
        Ok(())
    }
}

/// Writes a file of a case, and makes its folders.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().expect("a file of a case is in its folder"))?;
    fs::write(path, text)?;
    if text.starts_with("#!") {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// The path on which cases find programs.
fn path() -> std::ffi::OsString {
    for engine in ["random_mover", "misbehaving"] {
        tools::example(engine);
    }
    let folder = Path::new(tools::SPAR).parent().expect("a program is in a folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let games = std::path::PathBuf::from("/usr/games");
    let folders = [folder, tools::examples()].into_iter().chain(std::env::split_paths(&path)).chain([games]);
    std::env::join_paths(folders).expect("no folder of the path has a colon")
}
