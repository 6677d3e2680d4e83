//! Working trees of every kind, and side effects that their owners must never notice. Offline, with the `git` program.

use super::super::error::BuildError;
use super::super::git::{GitTimeouts, Repository};
use super::super::revision::{Revision, WORKTREE};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, UNIX_EPOCH};
use tempfile::TempDir;

/// A repository with an engine and a commit, in a folder with a blank in its name.
struct Place {
    folder: TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my engine ö");
        let place = Self { folder, path };
        fs::create_dir(&place.path).unwrap();
        place.git(&["init", "--quiet", "--initial-branch", "main"]);
        place.write("engine.c", "int main(void) { return 0; }\n");
        place.write("src/search.c", "search\n");
        place.write("docs/guide.md", "guide\n");
        place.commit("An engine");
        place
    }

    /// Moves to another repository in the same folder.
    fn at(self, path: PathBuf) -> Self {
        Self { path, ..self }
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = self.git_command(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    fn git_command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.path).args(["-c", "user.name=x", "-c", "user.email=x@example.org"]);
        command.args(["-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"]).args(arguments);
        command
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    fn write(&self, name: &str, text: &str) {
        self.write_at(Path::new(name), text);
    }

    fn write_at(&self, name: &Path, text: &str) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Snapshots the working tree, and checks that nothing changes for its owner.
    fn try_snapshot(&self, apart: &[&str], allow_dirty: bool) -> Result<Revision, BuildError> {
        let before = self.state();
        let apart: Vec<PathBuf> = apart.iter().map(|name| self.path.join(name)).collect();
        let apart: Vec<&Path> = apart.iter().map(PathBuf::as_path).collect();
        let revision = Repository::open(&self.path, GitTimeouts::default())?.resolve(WORKTREE, &apart, allow_dirty);
        assert!(before == self.state(), "the repository has changed");
        revision
    }

    fn snapshot(&self) -> Revision {
        self.try_snapshot(&["runs", "patch.toml"], false).unwrap()
    }

    /// Asserts that the working tree is exactly as committed.
    fn is_as_committed(&self, why: &str) {
        let revision = self.snapshot();
        let difference = || self.git(&["diff", "--stat", "HEAD", &revision.commit]);
        assert_eq!(revision.id, self.git(&["rev-parse", "HEAD"]), "{why}: {}", difference());
    }

    /// The files of a revision, with their modes.
    fn files(&self, revision: &Revision) -> BTreeMap<String, String> {
        let listed = self.git(&["ls-tree", "-r", "-z", &revision.commit]);
        let entries = listed.split('\0').filter_map(|line| line.split_once('\t'));
        entries.map(|(info, path)| (path.to_owned(), info[..6].to_owned())).collect()
    }

    fn text(&self, revision: &Revision, path: &str) -> String {
        self.git(&["cat-file", "blob", &format!("{}:{path}", revision.commit)])
    }

    /// Returns everything that the owner could notice.
    fn state(&self) -> (BTreeMap<PathBuf, Vec<u8>>, Vec<String>) {
        let git_folder = PathBuf::from(self.git(&["rev-parse", "--absolute-git-dir"]));
        let mut files = BTreeMap::new();
        read_all(&self.path, &mut files);
        for name in ["index", "HEAD", "config", "info/exclude", "info/sparse-checkout"] {
            if let Ok(bytes) = fs::read(git_folder.join(name)) {
                files.insert(git_folder.join(name), bytes);
            }
        }
        let more = fs::read_dir(&git_folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = more.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names.push(self.git(&["for-each-ref"]));
        names.push(self.git(&["worktree", "list", "--porcelain"]));
        (files, names)
    }

    /// Checks a revision out as a build does, and returns the files.
    fn checked_out(&self, revision: &Revision) -> BTreeMap<PathBuf, Vec<u8>> {
        let repository = Repository::open(&self.path, GitTimeouts::default()).unwrap();
        let folder = self.folder.path().join("cache/check out");
        repository.check_out(revision, &folder).unwrap();
        let mut files = BTreeMap::new();
        read_all(&folder, &mut files);
        repository.forget(&folder);
        assert!(!folder.exists());
        assert!(!self.git(&["worktree", "list"]).contains("check out"));
        files.into_iter().map(|(path, bytes)| (path.strip_prefix(&folder).unwrap().to_owned(), bytes)).collect()
    }
}

/// Reads files and links below a folder, except git's own.
fn read_all(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap().file_type();
        if path.file_name() == Some(OsStr::new(".git")) {
        } else if kind.is_dir() {
            read_all(&path, files);
        } else if kind.is_symlink() {
            files.insert(path.clone(), fs::read_link(path).unwrap().as_os_str().as_bytes().to_vec());
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
}

#[test]
fn a_runs_folder_is_no_change_however_it_is_ignored() {
    type Ignore = fn(&Place);
    let ignores: [(&str, Ignore); 6] = [
        ("not at all", |_| {}),
        ("in the tree", |place| {
            place.write(".gitignore", "/runs/\n*.o\n");
            place.commit("Ignore runs");
        }),
        ("by name in a folder above", |place| {
            place.write(".gitignore", "runs\n");
            place.commit("Ignore runs");
        }),
        ("in .git/info/exclude", |place| place.write(".git/info/exclude", "runs\n")),
        ("in the user's own file", |place| {
            let file = place.folder.path().join("ignore");
            fs::write(&file, "runs/\n").unwrap();
            place.git(&["config", "core.excludesFile", file.to_str().unwrap()]);
        }),
        ("by a file of its own", |place| place.write("runs/.gitignore", "*\n")),
    ];
    for (how, ignore) in ignores {
        let place = Place::new();
        ignore(&place);
        place.is_as_committed(how);
        fs::create_dir_all(place.path.join("runs")).unwrap();
        place.is_as_committed(how);
        place.write("runs/sprt-1/journal.sqlite", "pairs");
        place.is_as_committed(how);
        place.write("src/search.c", "better\n");
        place.write("new.c", "new\n");
        let changed = place.snapshot();
        assert_eq!(place.text(&changed, "src/search.c"), "better", "{how}");
        let names: Vec<String> = place.files(&changed).into_keys().filter(|name| name != ".gitignore").collect();
        assert_eq!(names, ["docs/guide.md", "engine.c", "new.c", "src/search.c"], "{how}");
        assert_eq!(place.snapshot(), changed, "{how}: a tree has one id");
    }
}

#[test]
fn what_is_spars_own_stays_as_committed() {
    let place = Place::new();
    place.write("runs/notes.md", "first\n");
    place.write("patch.toml", "[sprt]\n");
    place.commit("Runs and a configuration that git tracks");
    place.write("runs/notes.md", "second\n");
    place.write("runs/sprt-1/journal.sqlite", "pairs");
    place.write("patch.toml", "[sprt]\nelo1 = 3\n");
    place.is_as_committed("they were changed");
    let apart = [place.path.join("runs"), place.path.join("patch.toml")];
    let apart: Vec<&Path> = apart.iter().map(PathBuf::as_path).collect();
    let repository = Repository::open(&place.path, GitTimeouts::default()).unwrap();
    assert_eq!(repository.uncommitted(&apart).unwrap(), None);
    assert!(repository.uncommitted(&[]).unwrap().is_some());
    fs::remove_file(place.path.join("patch.toml")).unwrap();
    fs::remove_dir_all(place.path.join("runs")).unwrap();
    place.is_as_committed("they are gone");
    fs::create_dir(place.folder.path().join("elsewhere")).unwrap();
    symlink(place.folder.path().join("elsewhere"), place.path.join("runs")).unwrap();
    place.is_as_committed("a link to a place outside");
    place.write("patch.toml.orig", "not the configuration\n");
    assert!(place.files(&place.snapshot()).contains_key("patch.toml.orig"), "only whole names count");
}

#[test]
fn changes_of_every_kind_are_taken_as_they_are() {
    let place = Place::new();
    for name in ["file-to-folder", "folder-to-file/a", "folder-to-link/a", "gone", "run.sh", "untracked-later.log"] {
        place.write(name, "old\n");
    }
    for name in ["hidden", "overlooked"] {
        place.write(name, "old\n");
    }
    place.commit("Files of many kinds");
    fs::remove_file(place.path.join("file-to-folder")).unwrap();
    place.write("file-to-folder/a", "new\n");
    for name in ["folder-to-file", "folder-to-link"] {
        fs::remove_dir_all(place.path.join(name)).unwrap();
    }
    place.write("folder-to-file", "new\n");
    place.write("target/a", "new\n");
    symlink("target", place.path.join("folder-to-link")).unwrap();
    fs::remove_file(place.path.join("gone")).unwrap();
    fs::set_permissions(place.path.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    place.write(".gitignore", "*.log\n*.forced\n");
    place.git(&["rm", "--quiet", "--cached", "untracked-later.log"]);
    place.write("a.forced", "ignored, but added\n");
    place.git(&["add", "--force", "a.forced"]);
    place.write("meant.c", "to be added\n");
    place.git(&["add", "--intent-to-add", "meant.c"]);
    place.git(&["update-index", "--assume-unchanged", "overlooked"]);
    place.git(&["update-index", "--skip-worktree", "hidden"]);
    place.write("hidden", "new\n");
    place.write("overlooked", "new\n");
    let names = [" leading", "-dash", "a b", "ö/ü.c", ":(top)x", "*", "[a]", "qu\"ote", "line\nbreak", "back\\slash"];
    for name in names {
        place.write(name, "odd\n");
    }
    place.write_at(Path::new(OsStr::from_bytes(b"latin-\xe9")), "odd\n");

    let revision = place.snapshot();
    let files = place.files(&revision);
    let has = |name: &str| files.contains_key(name);
    assert!(has("file-to-folder/a") && !has("file-to-folder"));
    assert!(has("folder-to-file") && !has("folder-to-file/a"));
    assert_eq!((files["folder-to-link"].as_str(), has("folder-to-link/a")), ("120000", false));
    assert_eq!((has("gone"), files["run.sh"].as_str()), (false, "100755"));
    assert!(has("a.forced") && !has("untracked-later.log"));
    assert_eq!(place.text(&revision, "meant.c"), "to be added");
    assert_eq!(place.text(&revision, "hidden"), "new", "git was set to overlook it, but the build would see it");
    assert_eq!(place.text(&revision, "overlooked"), "new");
    for name in names {
        assert_eq!(place.text(&revision, name), "odd", "{name:?}");
    }
    let there = place.checked_out(&revision);
    assert_eq!(there[Path::new(OsStr::from_bytes(b"latin-\xe9"))], b"odd\n");
    assert_eq!(there.len(), files.len());
}

#[test]
fn an_unfinished_merge_is_taken_as_it_lies_there() {
    let place = Place::new();
    place.git(&["checkout", "--quiet", "-b", "other"]);
    place.write("engine.c", "theirs\n");
    place.commit("Theirs");
    place.git(&["checkout", "--quiet", "main"]);
    place.write("engine.c", "ours\n");
    place.commit("Ours");
    assert!(!place.git_command(&["merge", "--quiet", "other"]).output().unwrap().status.success());
    assert!(place.text(&place.snapshot(), "engine.c").contains("<<<<<<<"));
}

#[test]
fn a_sparse_checkout_keeps_what_is_not_there() {
    for more in [&[][..], &["--sparse-index"]] {
        let place = Place::new();
        place.git(&[&["sparse-checkout", "set"], more, &["src"]].concat());
        assert!(!place.path.join("docs").exists());
        place.is_as_committed("sparse");
        place.write("src/search.c", "better\n");
        let revision = place.snapshot();
        let files = place.files(&revision);
        assert!(files.contains_key("docs/guide.md"), "{files:?}");
        let there = place.checked_out(&revision);
        assert_eq!(there[Path::new("src/search.c")], b"better\n");
    }
}

#[test]
fn a_shallow_or_partial_clone_will_do() {
    let origin = Place::new();
    origin.git(&["tag", "v1"]);
    origin.write("engine.c", "second\n");
    origin.commit("Second");
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", origin.path.display());
    origin.git(&["clone", "--quiet", "--depth", "1", &url, "../shallow"]);
    origin.git(&["clone", "--quiet", "--filter=blob:none", "--sparse", &url, "../partial"]);
    let folder = origin.folder.path().to_owned();
    let mut place = origin;
    for name in ["shallow", "partial"] {
        place = place.at(folder.join(name));
        place.is_as_committed(name);
        place.write("engine.c", "third\n");
        let revision = place.snapshot();
        assert_eq!(place.checked_out(&revision)[Path::new("engine.c")], b"third\n", "{name}");
    }
    place = place.at(folder.join("shallow"));
    let unknown = Repository::open(&place.path, GitTimeouts::default())
        .unwrap()
        .resolve("v1", &[], false)
        .unwrap_err()
        .to_string();
    assert!(unknown.contains("shallow clone. Fetch the whole history: `git fetch --unshallow"), "{unknown}");
}

#[test]
fn a_linked_worktree_is_its_own_working_tree_and_others_stay() {
    let place = Place::new();
    for name in ["linked", "unplugged"] {
        place.git(&["worktree", "add", "--quiet", "--detach", &format!("../{name}")]);
    }
    // Simulates an unmounted disk: git lists the worktree until a prune.
    let folder = place.folder.path().to_owned();
    fs::rename(folder.join("unplugged"), folder.join("away")).unwrap();
    let main = place.state();
    let place = place.at(folder.join("linked"));
    place.is_as_committed("linked");
    place.write("engine.c", "linked\n");
    let revision = place.snapshot();
    assert_eq!(place.checked_out(&revision)[Path::new("engine.c")], b"linked\n");
    let place = place.at(folder.join("my engine ö"));
    assert!(main == place.state(), "the main one, and the list of all");
    place.is_as_committed("main");
    // A worktree inside the working tree is not part of it.
    place.git(&["worktree", "add", "--quiet", "--detach", "inner"]);
    place.is_as_committed("with one inside");
}

#[test]
fn a_checkout_that_was_interrupted_is_replaced() {
    let place = Place::new();
    let revision = place.snapshot();
    let folder = place.folder.path().join("cache/check out");
    // Git locks a checkout until all files are written. If it is killed, some are there, or the folder is gone.
    for is_left in [true, false] {
        place.git(&["worktree", "add", "--quiet", "--lock", "--detach", folder.to_str().unwrap()]);
        fs::remove_file(folder.join("engine.c")).unwrap();
        if !is_left {
            fs::remove_dir_all(&folder).unwrap();
        }
        assert!(place.checked_out(&revision).contains_key(Path::new("engine.c")), "{is_left}");
    }
}

#[test]
fn submodules_are_their_commits() {
    let place = Place::new();
    place.git(&["clone", "--quiet", ".", "../library"]);
    place.git(&["submodule", "--quiet", "add", "../library", "third party/library"]);
    place.commit("A library");
    place.write(".gitignore", "runs\n");
    place.commit("Ignore runs");
    fs::create_dir(place.path.join("runs")).unwrap();
    place.is_as_committed("clean");
    let there = place.checked_out(&place.snapshot());
    assert!(there.contains_key(Path::new("engine.c")) && there.contains_key(Path::new(".gitmodules")));

    place.write("third party/library/build.o", "what a build leaves\n");
    place.is_as_committed("new files in it");
    place.write("third party/library/engine.c", "changed\n");
    let refused = place.try_snapshot(&[], false).unwrap_err().to_string();
    assert!(refused.contains("submodule `third party/library`") && refused.contains("--allow-dirty"), "{refused}");
    let without = place.try_snapshot(&["runs"], true).unwrap();
    assert_eq!(without.id, place.git(&["rev-parse", "HEAD"]));

    let folder = place.path.clone();
    let library = place.at(folder.join("third party/library"));
    library.commit("A change of the library");
    let commit = library.git(&["rev-parse", "HEAD"]);
    let place = library.at(folder);
    let revision = place.snapshot();
    assert!(place.git(&["ls-tree", &revision.commit, "third party/library"]).contains(&commit));
}

#[test]
fn filters_run_only_on_what_has_changed() {
    let place = Place::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n";
    place.write(".gitattributes", "*.nnue filter=lfs diff=lfs merge=lfs -text\n");
    place.write("net.nnue", pointer);
    // Git rereads files that are as new as its index.
    let long_ago = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::options().write(true).open(place.path.join("net.nnue")).unwrap().set_modified(long_ago).unwrap();
    place.commit("A pointer");
    place.is_as_committed("no filter is configured");
    assert_eq!(place.checked_out(&place.snapshot())[Path::new("net.nnue")], pointer.as_bytes());

    for (key, value) in [("clean", "spar-has-no-such-filter clean %f"), ("required", "true")] {
        place.git(&["config", &format!("filter.lfs.{key}"), value]);
    }
    place.is_as_committed("the filter's program is missing");
    place.write("engine.c", "changed\n");
    assert_eq!(place.text(&place.snapshot(), "engine.c"), "changed");
    place.write("net.nnue", "net");
    let error = place.try_snapshot(&[], false).unwrap_err().to_string();
    for words in ["spar-has-no-such-filter", "clean filter 'lfs' failed", "net.nnue"] {
        assert!(error.contains(words), "{error}");
    }

    place.git(&["config", "filter.lfs.clean", "tr a-z A-Z"]);
    place.git(&["config", "filter.lfs.smudge", "tr A-Z a-z"]);
    let revision = place.snapshot();
    assert_eq!(place.text(&revision, "net.nnue"), "NET");
    assert_eq!(place.checked_out(&revision)[Path::new("net.nnue")], b"net");
}

#[test]
fn a_bare_repository_has_no_working_tree() {
    let place = Place::new();
    place.git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
    let repository = Repository::open(&place.folder.path().join("bare.git"), GitTimeouts::default()).unwrap();
    let refused = repository.resolve(WORKTREE, &[], false).unwrap_err();
    assert!(matches!(refused, BuildError::NoWorkingTree { .. }), "{refused}");
    assert_eq!(repository.uncommitted(&[]).unwrap(), None);
    let revision = repository.resolve("main", &[], false).unwrap();
    assert_eq!(place.checked_out(&revision).len(), 3);
}

/// A repository with a changed file that a filter never finishes; the filter writes its process id to a file.
fn hanging() -> (Place, PathBuf) {
    let place = Place::new();
    place.write(".gitattributes", "*.net filter=slow\n");
    place.write("big.net", "weights\n");
    place.commit("Weights");
    let begun = place.folder.path().join("begun");
    place.git(&[
        "config",
        "filter.slow.clean",
        &format!("echo $$ > '{0}.new'; mv '{0}.new' '{0}'; sleep 1000", begun.display()),
    ]);
    place.write("big.net", "other weights\n");
    (place, begun)
}

/// Whether a killed process soon ends or becomes a zombie: a busy host takes a while to end it.
fn ends(number: &str) -> bool {
    let runs = || {
        let status = fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap_or_default();
        status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
    };
    let deadline = Instant::now() + Duration::from_mins(1);
    while runs() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

#[test]
fn git_does_not_hang_for_ever() {
    let (place, begun) = hanging();
    let within = Duration::from_secs(5);
    let timeouts = GitTimeouts { within, ..GitTimeouts::default() };
    let snapshot = || Repository::open(&place.path, timeouts)?.resolve(WORKTREE, &[], false);
    let late = snapshot().unwrap_err();
    assert!(matches!(late, BuildError::GitTooLong { .. }), "{late:?}");
    let says = late.to_string();
    assert!(says.starts_with("`git ") && says.contains("` did not end within 5.0 s and was killed"), "{says}");
    // On a slow host, git may be stopped before its filter has begun.
    assert!(fs::read_to_string(begun).is_ok_and(|number| ends(&number)) || !says.contains("update-index"), "{says}");
}

#[test]
fn git_ends_when_we_are_asked_to_stop() {
    let (place, begun) = hanging();
    let stop = std::sync::atomic::AtomicBool::new(false);
    let timeouts = GitTimeouts { within: Duration::from_mins(5), stop: &stop };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !begun.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let stopped = Repository::open(&place.path, timeouts).and_then(|git| git.resolve(WORKTREE, &[], false));
        assert!(matches!(stopped, Err(BuildError::Interrupted)), "{stopped:?}");
    });
    assert!(ends(&fs::read_to_string(begun).unwrap()), "the filter has gone, too");
}
