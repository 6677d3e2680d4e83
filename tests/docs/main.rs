//! Runs the commands of the README and of the guides, which must print what their page shows.
//!
//! A command is a line `$ ...` of a fenced block, and the lines below it are its output; blocks without `$ spar ...`
//! are skipped. All commands of a page run in one folder, from top to bottom, so that later ones find the runs of
//! earlier ones. The folder has `configs` and `tests/data`, and the example engines.
//!
//! Output is standard output, alone or with standard error before or after it. A line `...` stands for any lines.
//! Times, dates, speeds and numbers of workers count as equal; all other numbers must be the same, because they come
//! from fixed nodes and seeds. Comments directly above a block give its settings:
//!
//! * `<!-- not run: WHY -->`: it needs something that a test lacks, or takes minutes. [`NOT_RUN`] lists these.
//! * `<!-- slow: WHY -->`: it takes more than some seconds, and runs in the test `PAGE (slow)`, with
//!   `--include-ignored`.
//! * `<!-- needs: PROGRAM -->`: a third-party program, or `feature NAME` of this package. The block is a separate test,
//!   which is ignored if the requirement is missing.
//! * `<!-- shape: WHY -->`: numbers are not compared.
//! * `<!-- exit: N -->`: the exit status, if it is not 0.
//!
//! The output of an engine check is not compared if the host was too busy to judge the engine; the check is reported as
//! flaky.

mod block;
mod shown;

#[path = "../tools/mod.rs"]
mod tools;
#[path = "../tools/trials.rs"]
mod when;

use block::{Block, Page};
use libtest_mimic::{Failed, Trial};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use tempfile::TempDir;
use when::When;

/// The blocks that no test runs, by page and first command. The page has the reason for each.
const NOT_RUN: &[(&str, &str)] = &[
    ("README.md", "spar tune configs/tune-bad-start.toml --set each.limit=20ms"),
    (
        "README.md",
        "spar ladder configs/ladder.toml                               # the Elo curve, from the most informative \
        games",
    ),
    ("docs/how-to/check-the-machine.md", "spar doctor"),
    ("docs/how-to/did-tuning-work.md", "spar resume tune-bad-start-1 --pairs 4000"),
    (
        "docs/how-to/did-tuning-work.md",
        r#"spar match runs/sprt-bad-start-verify-1/config.toml --set match.pairs=400 --set 'each.limit="2000 nodes"'"#,
    ),
    ("docs/how-to/draw-an-elo-curve.md", "spar ladder ladder.toml"),
    ("docs/how-to/find-a-regression.md", "spar regress patch.toml --against v1.0 v1.1 --dev v1.2"),
    ("docs/how-to/find-the-commit-that-lost-elo.md", "spar bisect patch.toml --good v1.2 --bad main"),
    ("docs/how-to/fit-evaluation-tables.md", "spar ladder configs/ladder-tables.toml"),
    ("docs/how-to/let-an-engine-learn.md", "spar learn configs/learn-quick.toml --set learn.generations=3"),
    ("docs/how-to/let-an-engine-learn.md", "spar learn configs/learn-tree.toml"),
    (
        "docs/how-to/my-engine-loses-on-time.md",
        "spar match --engine cmd=./mine --engine cmd=./other --st 0.01 --pairs 10 --max-fault-share 1",
    ),
    ("docs/how-to/run-a-campaign.md", "spar campaign campaign.toml"),
    ("docs/how-to/start-runs-in-the-browser.md", "(umask 077; openssl rand -hex 16 > token)"),
    ("docs/how-to/test-a-patch.md", "spar patch patch.toml --base v1.0 --dev v1.1"),
    (
        "docs/how-to/test-with-several-threads.md",
        "spar match --engine cmd=stockfish name=two option.Threads=2 --engine cmd=stockfish name=one --nodes 200 \
            --pairs 2",
    ),
    ("docs/how-to/tune-time-management.md", "spar tune configs/tune.toml"),
    ("docs/how-to/tune-uci-options.md", "cargo build --release -p engine"),
    ("docs/how-to/use-several-machines.md", "spar fleet up -- sprt configs/sprt.toml"),
    ("docs/how-to/use-several-machines.md", "spar fleet status --creds keys/operator.creds"),
    (
        "docs/how-to/use-several-machines.md",
        "spar serve --control --token-file token --fleet tls://fleet.example.org:4222 --creds keys/operator.creds",
    ),
    ("docs/how-to/use-several-machines.md", "spar fleet pause east --creds keys/operator.creds"),
    ("docs/how-to/watch-runs-in-the-browser.md", "spar serve"),
    ("docs/how-to/watch-runs-in-the-browser.md", "(umask 077; openssl rand -hex 16 > token)"),
    (
        "docs/how-to/watch-runs-in-the-browser.md",
        r#"spar serve --notify 'curl -s -d "$SPAR_RUN: $SPAR_SAYS" https://ntfy.example.org/engine'"#,
    ),
    (
        "docs/reference/fleet.md",
        r#"spar fleet set-aside east my-test --why "its fan is broken" --creds keys/operator.creds"#,
    ),
];

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    find_pages(&root.join("docs"), &mut paths);
    paths.push(root.join("README.md"));
    paths.sort();
    let pages: Vec<Page> = paths.iter().map(|path| Page::read(path)).filter(|page| !page.blocks.is_empty()).collect();
    let trials: Vec<(Trial, When)> = pages.iter().flat_map(trials).collect();
    let list = Trial::test("the list of blocks that are not run", move || is_listed(&pages));
    when::run(trials.into_iter().chain([(list, When::Always)]))
}

/// Finds all pages of a folder and its subfolders, except measurements, whose commands can take hours.
fn find_pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder of guides can be read") {
        let path = entry.expect("an entry of the folder of guides").path();
        if path.is_dir() && !path.ends_with("measurements") {
            find_pages(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
}

/// The tests of a page: the quick blocks, all blocks, and those that need third-party programs.
fn trials(page: &Page) -> Vec<(Trial, When)> {
    let mut trials = Vec::new();
    let runs = |wanted: fn(&Block) -> bool| page.blocks.iter().any(wanted);
    let trial = |name: String, wanted: fn(&Block) -> bool| {
        let page = page.clone();
        Trial::test(name, move || run(&page, &wanted))
    };
    if runs(Block::is_quick) {
        trials.push((trial(page.name.clone(), Block::is_quick), When::Always));
    }
    if runs(|block| block.is_run() && block.slow) {
        let missing = page.needs().any(|need| !is_there(need));
        let wanted: fn(&Block) -> bool = if missing { Block::is_own } else { Block::is_run };
        trials.push((trial(format!("{} (slow)", page.name), wanted), When::SecondTier));
    }
    for program in page.needs().collect::<std::collections::BTreeSet<_>>() {
        let (name, page, needed) = (format!("{} ({program})", page.name), page.clone(), program.to_owned());
        let quick = page.blocks.iter().any(|block| block.needs.as_ref() == Some(&needed) && !block.slow);
        if quick {
            let wanted = move |block: &Block| block.is_run() && !block.slow && block.needs.as_ref() == Some(&needed);
            let when = if is_there(program) { When::SecondTier } else { When::Never };
            trials.push((Trial::test(name, move || run(&page, &wanted)), when));
        }
    }
    trials
}

/// Whether a requirement of a block is available.
fn is_there(need: &str) -> bool {
    match need.strip_prefix("feature ") {
        Some("bundle") => cfg!(feature = "bundle"),
        Some(other) => panic!("the feature `{other}` is not known here"),
        None => tools::installed(need),
    }
}

/// Checks that the list has exactly the blocks that are not run.
fn is_listed(pages: &[Page]) -> Result<(), Failed> {
    let blocks = pages.iter().flat_map(|page| page.blocks.iter().map(move |block| (page, block)));
    let found: Vec<(&str, &str)> = blocks
        .filter(|(_, block)| !block.is_run())
        .map(|(page, block)| (page.name.as_str(), block.commands[0].words.as_str()))
        .collect();
    if found == NOT_RUN { Ok(()) } else { Err(format!("the pages mark these: {found:#?}").into()) }
}

/// Runs blocks of a page in order, and reports all whose output differs.
fn run(page: &Page, wanted: &dyn Fn(&Block) -> bool) -> Result<(), Failed> {
    let folder = Folder::new();
    let mut wrong = Vec::new();
    for block in page.blocks.iter().filter(|block| wanted(block)) {
        for (index, command) in block.commands.iter().enumerate() {
            let exit = if index + 1 == block.commands.len() { block.exit } else { 0 };
            let printed = folder.run(&command.words);
            if printed.is_not_judged() {
                println!("flaky: {}:{}: `{}`: the host was too busy", page.name, command.line, command.words);
                continue;
            }
            if let Err(why) = printed.is_as_shown(command, exit, block.shape) {
                wrong.push(format!("{}:{}: $ {}\n{why}", page.name, command.line, command.words));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n\n").into()) }
}

/// The folder in which the commands of a page run.
struct Folder(TempDir);

/// The output of a command.
struct Printed {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        copy(&root.join("configs"), &folder.path().join("configs"));
        copy(&root.join("tests/data"), &folder.path().join("tests/data"));
        fs::create_dir_all(folder.path().join("docs/pictures")).expect("a writable folder");
        for engine in ["random_mover", "misbehaving"] {
            symlink(tools::example(engine), folder.path().join(engine)).expect("a writable folder");
        }
        Self(folder)
    }

    /// Runs a line of a page.
    fn run(&self, line: &str) -> Printed {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.0.path()).stdin(Stdio::null());
        command.env("PATH", path()).env("HOME", self.0.path()).env("NO_COLOR", "1");
        for name in ["SPAR_RUNS", "SPAR_CACHE", "SPAR_FLEET", "SPAR_FLEET_CREDS", "XDG_CACHE_HOME"] {
            command.env_remove(name);
        }
        let output = command.output().expect("sh starts");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Printed { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Printed {
    /// Whether `spar check` could not judge the engine's timing, as it should report on a busy host.
    fn is_not_judged(&self) -> bool {
        self.status == Some(4) && self.stdout.contains("The host was too busy to tell whether the engine is in time")
    }

    fn is_as_shown(&self, command: &block::Command, expected: i32, shape: bool) -> Result<(), String> {
        let Self { status, stdout, stderr } = self;
        let found = format!("--- standard output\n{stdout}--- standard error\n{stderr}");
        if *status != Some(expected) {
            return Err(format!("its exit status is {status:?}, not {expected}\n{found}"));
        }
        // A terminal shows one stream and then the other, and a page may omit remarks.
        let texts = [stdout.clone(), format!("{stderr}{stdout}"), format!("{stdout}{stderr}")];
        if command.output.is_empty() || texts.iter().any(|text| shown::is_as_shown(&command.output, text, shape)) {
            return Ok(());
        }
        Err(format!("--- the page shows\n{}\n{found}", command.output.join("\n")))
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a writable folder");
    for entry in fs::read_dir(from).expect("a readable folder") {
        let path = entry.expect("an entry of a folder").path();
        let to = to.join(path.file_name().expect("a file has a name"));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).map(drop).expect("a writable folder");
        }
    }
}

/// The path on which commands find programs.
fn path() -> std::ffi::OsString {
    let spar = Path::new(tools::SPAR).parent().expect("a program is in a folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(spar).chain(std::env::split_paths(&path)).chain([PathBuf::from("/usr/games")]);
    std::env::join_paths(folders).expect("no folder of the path has a colon")
}
