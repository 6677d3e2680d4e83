//! `-config`: save files. A save file of fastchess's holds its options as JSON and the results so far. It is translated
//! into command line words, so that options have one parser. A save file of spar's holds the folder of its run, the
//! words of its command line, and how much of the run is written to the output and the files of games: that run is
//! resumed, and its other games are written.

use super::words::Words;
use crate::error::FastchessError;
use arena::run::replace_file;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The request of `-config`.
#[derive(Debug, Default)]
pub(super) struct SaveFile {
    /// The file to begin with, if any.
    path: Option<PathBuf>,
    /// The file to save to, if it is given.
    pub(super) outname: Option<PathBuf>,
    /// Whether to ignore the file to begin with.
    discard: bool,
    /// Whether to ignore the results in that file.
    start_over: bool,
}

/// The content of a file to begin with.
#[derive(Debug, Default)]
pub(super) struct Beginning {
    /// The words of a command line.
    pub(super) words: Vec<String>,
    /// The file itself, if it is one of spar's and its run is to be resumed.
    pub(super) resumed: Option<OwnFile>,
}

/// A save file of spar's.
#[derive(Clone, Debug)]
pub(super) struct OwnFile {
    path: PathBuf,
    content: Own,
}

/// Its content.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Own {
    /// The version that wrote it.
    spar: String,
    /// The run's folder.
    run: PathBuf,
    /// The words of its command line.
    words: Vec<String>,
    /// The number of pairs that are written to the output and the files of games. Files of older versions do not have
    /// it.
    written: Option<u64>,
}

impl OwnFile {
    /// Makes the save file of a run, which is not written yet.
    pub(super) fn new(path: &Path, run: &Path, words: &[String]) -> Self {
        let run = std::path::absolute(run).unwrap_or_else(|_| run.to_owned());
        let (spar, words) = (env!("CARGO_PKG_VERSION").to_owned(), words.to_vec());
        Self { path: path.to_owned(), content: Own { spar, run, words, written: None } }
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The run's folder.
    pub(super) fn run(&self) -> &Path {
        &self.content.run
    }

    /// The number of pairs that are written to the output and the files of games, if the file has it.
    pub(super) fn written(&self) -> Option<u64> {
        self.content.written
    }

    /// Writes the file, with this number of written pairs.
    fn write(&mut self, written: u64) -> io::Result<()> {
        self.content.written = Some(written);
        let text = serde_json::to_string_pretty(&self.content)? + "\n";
        // A device must not be replaced by a file.
        if self.path.exists() && !self.path.is_file() {
            std::fs::write(&self.path, text)
        } else {
            replace_file(&self.path, text.as_bytes())
        }
    }
}

/// The save files of a run that is played.
#[derive(Debug, Default)]
pub(super) struct SaveFiles {
    files: Vec<OwnFile>,
    /// The number of written pairs in the files.
    written: Option<u64>,
    has_failed: bool,
}

impl SaveFiles {
    /// The save files of a run.
    pub(super) fn new(files: Vec<OwnFile>) -> Self {
        Self { files, ..Self::default() }
    }

    /// Sets the number of pairs that are written to the output and the files of games.
    ///
    /// # Errors
    /// The first error of any call. Later calls try again, and do not report errors.
    pub(super) fn keep(&mut self, written: u64) -> io::Result<()> {
        if self.written.replace(written) == Some(written) {
            return Ok(());
        }
        let kept = self.files.iter_mut().map(|file| file.write(written)).fold(Ok(()), Result::and);
        let is_reported = self.has_failed;
        self.has_failed |= kept.is_err();
        if is_reported { Ok(()) } else { kept }
    }
}

impl SaveFile {
    /// Reads `-config`.
    pub(super) fn read(given: &Words<'_>) -> Result<Self, FastchessError> {
        let mut file = Self::default();
        for pair in given.pairs(&["file", "outname", "discard", "stats"])? {
            match pair.key {
                "file" => file.path = Some(pair.file_name()?),
                "outname" => file.outname = Some(pair.file_name()?),
                "discard" => file.discard = pair.switch()?,
                _ => file.start_over = !pair.switch()?,
            }
        }
        Ok(file)
    }

    /// Reads the file to begin with; returns nothing if there is none.
    ///
    /// # Errors
    /// The file cannot be read, is not a save file, or holds results of fastchess's that the run would have to
    /// continue.
    pub(super) fn begin(&self) -> Result<Beginning, FastchessError> {
        let Some(path) = self.path.as_deref().filter(|_| !self.discard) else { return Ok(Beginning::default()) };
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|cause| FastchessError::Words(format!("cannot read {}: {cause}", path.display())))?;
        if let Ok(content) = serde_json::from_str::<Own>(&text) {
            let words = content.words.clone();
            refuse_another(path, &words)?;
            let own = OwnFile { path: path.to_owned(), content };
            return Ok(Beginning { words, resumed: Some(own).filter(|_| !self.start_over) });
        }
        let saved = Saved::read(&text).map_err(|error| not_saved(path, &error))?;
        let (games, name) = (saved.games(), path.display());
        if games > 0 && !self.start_over {
            return Err(FastchessError::usage(format!(
                "`-config file={name}`: fastchess has counted {games} games there, and keeps only their totals: finish \
                    that run with fastchess, or start it over here with `-config file={name} stats=false`"
            )));
        }
        Ok(Beginning { words: saved.words(), resumed: None })
    }
}

/// Refuses a save file whose words begin with a save file, which could be the same file.
fn refuse_another(path: &Path, words: &[String]) -> Result<(), FastchessError> {
    let names_another = super::words::split(words)?.iter().any(|given| given.name == "config");
    if names_another {
        let path = path.display();
        return Err(FastchessError::usage(format!(
            "`-config file={path}`: its command line has `-config` itself: take that out"
        )));
    }
    Ok(())
}

fn not_saved(path: &Path, error: &serde_json::Error) -> FastchessError {
    FastchessError::Words(format!("{} is not a save file of fastchess's: {error}", path.display()))
}

/// A save file of fastchess's. Versions differ in the saved values: missing ones have their defaults.
#[derive(Debug)]
struct Saved {
    engines: Vec<SavedEngine>,
    stats: BTreeMap<String, SavedStats>,
    /// The other options, by name.
    options: Value,
}

#[derive(Debug, Deserialize)]
struct SavedEngine {
    #[serde(default)]
    name: String,
    #[serde(default)]
    dir: String,
    cmd: String,
    #[serde(default)]
    args: String,
    #[serde(default)]
    restart: bool,
    #[serde(default)]
    options: Value,
    #[serde(default)]
    limit: SavedLimit,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SavedLimit {
    tc: SavedClock,
    nodes: u64,
    plies: u64,
}

/// Times are in milliseconds; 0 is none.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SavedClock {
    increment: u64,
    fixed_time: u64,
    time: u64,
    moves: u64,
    timemargin: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SavedStats {
    wins: u64,
    losses: u64,
    draws: u64,
}

/// Formats milliseconds as seconds.
fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}

impl SavedEngine {
    fn words(&self) -> Vec<String> {
        let Self { name, dir, cmd, args, restart, options, limit: SavedLimit { tc, nodes, plies } } = self;
        let mut words = vec!["-engine".to_owned(), format!("cmd={cmd}")];
        let texts = [("name", name), ("dir", dir), ("args", args)].into_iter().filter(|(_, text)| !text.is_empty());
        words.extend(texts.map(|(key, text)| format!("{key}={text}")));
        if tc.time > 0 {
            let moves = if tc.moves > 0 { format!("{}/", tc.moves) } else { String::new() };
            words.push(format!("tc={moves}{}+{}", seconds(tc.time), seconds(tc.increment)));
        } else if tc.fixed_time > 0 {
            words.push(format!("st={}", seconds(tc.fixed_time)));
        }
        let numbers = [("nodes", *nodes), ("depth", *plies), ("timemargin", tc.timemargin)];
        words.extend(
            numbers.into_iter().filter(|(_, number)| *number > 0).map(|(key, number)| format!("{key}={number}")),
        );
        if *restart {
            words.push("restart=on".to_owned());
        }
        words.extend(named(options).map(|(name, value)| format!("option.{name}={value}")));
        words
    }
}

/// The options of engines: some versions save pairs, others an object.
fn named(options: &Value) -> impl Iterator<Item = (&str, &str)> {
    let pairs = options
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|pair| Some((pair.get(0)?.as_str()?, pair.get(1)?.as_str()?)));
    let object =
        options.as_object().into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    pairs.chain(object)
}

/// The form in which an option of the command line is saved.
enum Form {
    /// A number or a text: the word after the option.
    Word,
    /// A switch: the option alone if it is on, nothing if it is off.
    Flag,
    /// A number that is an index into these words, which follow `key=` if there is a key.
    Choice(&'static str, &'static [&'static str]),
    /// An object: keys of the command line, and their names in the file.
    Object(&'static [(&'static str, &'static str)]),
}

/// Options of the command line: their names there and in the file, and the form in which they are saved.
const SAVED: [(&str, &str, Form); 26] = [
    ("resign", "resign", Form::Object(&[("movecount", "move_count"), ("score", "score"), ("twosided", "twosided")])),
    ("draw", "draw", Form::Object(&[("movenumber", "move_number"), ("movecount", "move_count"), ("score", "score")])),
    ("maxmoves", "maxmoves", Form::Object(&[("", "move_count")])),
    ("tb", "tb_adjudication", Form::Object(&[("", "syzygy_dirs")])),
    (
        "sprt",
        "sprt",
        Form::Object(&[("elo0", "elo0"), ("elo1", "elo1"), ("alpha", "alpha"), ("beta", "beta"), ("model", "model")]),
    ),
    (
        "openings",
        "opening",
        Form::Object(&[
            ("file", "file"),
            ("format", "format"),
            ("order", "order"),
            ("plies", "plies"),
            ("start", "start"),
        ]),
    ),
    (
        "pgnout",
        "pgn",
        Form::Object(&[
            ("file", "file"),
            ("notation", "notation"),
            ("nodes", "track_nodes"),
            ("seldepth", "track_seldepth"),
            ("nps", "track_nps"),
            ("hashfull", "track_hashfull"),
            ("tbhits", "track_tbhits"),
            ("timeleft", "track_timeleft"),
            ("latency", "track_latency"),
            ("pv", "track_pv"),
            ("min", "min"),
        ]),
    ),
    ("epdout", "epd", Form::Object(&[("file", "file")])),
    ("output", "output", Form::Choice("format=", &["fastchess", "cutechess"])),
    ("variant", "variant", Form::Choice("", &["standard", "fischerandom"])),
    ("tournament", "type", Form::Choice("", &["roundrobin", "gauntlet"])),
    ("seeds", "gauntlet_seeds", Form::Word),
    ("srand", "seed", Form::Word),
    ("ratinginterval", "ratinginterval", Form::Word),
    ("scoreinterval", "scoreinterval", Form::Word),
    ("wait", "wait", Form::Word),
    ("games", "games", Form::Word),
    ("rounds", "rounds", Form::Word),
    ("concurrency", "concurrency", Form::Word),
    ("force-concurrency", "force_concurrency", Form::Flag),
    ("recover", "recover", Form::Flag),
    ("noswap", "noswap", Form::Flag),
    ("reverse", "reverse", Form::Flag),
    ("use-affinity", "affinity", Form::Flag),
    ("check-mate-pvs", "check_mate_pvs", Form::Flag),
    ("strict", "strict", Form::Flag),
];

/// The words that numbers within objects stand for.
const NUMBERED: [(&str, &[&str]); 3] =
    [("format", &["epd", "pgn"]), ("order", &["random", "sequential"]), ("notation", &["san", "lan", "uci"])];

impl Saved {
    fn read(text: &str) -> Result<Self, serde_json::Error> {
        let mut options: Value = serde_json::from_str(text)?;
        let mut take = |name: &str| options.get_mut(name).map(Value::take).unwrap_or_default();
        let (engines, stats) = (take("engines"), take("stats"));
        let stats = if stats.is_null() { BTreeMap::new() } else { serde_json::from_value(stats)? };
        Ok(Self { engines: serde_json::from_value(engines)?, stats, options })
    }

    /// The number of games that have been played.
    fn games(&self) -> u64 {
        let counts = self.stats.values().flat_map(|SavedStats { wins, losses, draws }| [*wins, *losses, *draws]);
        counts.fold(0, u64::saturating_add)
    }

    /// The words of the command line.
    fn words(&self) -> Vec<String> {
        let engines = self.engines.iter().flat_map(SavedEngine::words);
        let options = SAVED.iter().filter_map(|(option, name, form)| {
            let words = form.words(self.options.get(*name)?)?;
            Some(std::iter::once(format!("-{option}")).chain(words))
        });
        let mut words: Vec<String> = engines.chain(options.flatten()).collect();
        words.extend(self.other_words());
        words
    }

    /// The words of values whose saved form differs from their typed form.
    fn other_words(&self) -> Vec<String> {
        let at = |path: &str| self.options.pointer(path);
        let mut words = Vec::new();
        if at("/report_penta") == Some(&Value::Bool(false)) {
            words.extend(["-report".to_owned(), "penta=false".to_owned()]);
        }
        if at("/tb_adjudication/enabled") == Some(&Value::Bool(true)) {
            if let Some(men) = at("/tb_adjudication/max_pieces").and_then(Value::as_u64).filter(|men| *men > 0) {
                words.extend(["-tbpieces".to_owned(), men.to_string()]);
            }
            if at("/tb_adjudication/ignore_50_move_rule") == Some(&Value::Bool(true)) {
                words.push("-tbignore50".to_owned());
            }
        }
        for (option, path) in [("-event", "/pgn/event_name"), ("-site", "/pgn/site")] {
            if let Some(text) = at(path).and_then(Value::as_str).filter(|text| !text.is_empty()) {
                words.extend([option.to_owned(), text.to_owned()]);
            }
        }
        words
    }
}

impl Form {
    /// The words after the option; `None` if it is not given.
    fn words(&self, value: &Value) -> Option<Vec<String>> {
        match self {
            Self::Word => Some(vec![plain(value)?]),
            Self::Flag => (value == &Value::Bool(true)).then(Vec::new),
            Self::Choice(key, words) => {
                let word = words.get(usize::try_from(value.as_u64()?).ok()?)?;
                Some(vec![format!("{key}{word}")])
            }
            Self::Object(keys) => {
                let is_on = value.get("enabled").is_none_or(|enabled| enabled == &Value::Bool(true));
                let is_named = value.get("file").is_none_or(|file| file.as_str().is_some_and(|file| !file.is_empty()));
                (is_on && is_named)
                    .then(|| keys.iter().filter_map(|(key, name)| entry(key, value.get(name)?)).collect())
            }
        }
    }
}

/// A word of an object; `None` if the value means that nothing is set.
fn entry(key: &str, value: &Value) -> Option<String> {
    let word = match NUMBERED.iter().find(|(numbered, _)| *numbered == key) {
        Some((_, words)) => (*words.get(usize::try_from(value.as_u64()?).ok()?)?).to_owned(),
        // A negative number means all plies.
        None if key == "plies" && value.as_i64().is_some_and(|plies| plies < 0) => return None,
        None => plain(value)?,
    };
    Some(if key.is_empty() { word } else { format!("{key}={word}") })
}

/// A number, a text or a switch as it is typed.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(on) => Some(on.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as fastchess writes it, with every option off or at its default.
    const FILE: &str = r#"{
        "resign": {"move_count": 6, "score": 500, "twosided": true, "enabled": true},
        "draw": {"move_number": 0, "move_count": 6, "score": 25, "enabled": false},
        "maxmoves": {"move_count": 40, "enabled": true},
        "tb_adjudication": {"syzygy_dirs": "/tb", "max_pieces": 5, "ignore_50_move_rule": true, "enabled": true},
        "opening": {"file": "b.pgn", "format": 1, "order": 0, "plies": -1, "start": 3},
        "pgn": {"additional_lines_rgx": [], "event_name": "E", "site": "?", "file": "g.pgn", "notation": 1,
            "track_nodes": true, "crc": false},
        "epd": {"file": ""},
        "sprt": {"alpha": 0.05, "beta": 0.05, "elo0": -3.0, "elo1": 0.0, "model": "normalized", "enabled": true},
        "config_name": "", "output": 1, "seed": 11640166910256665083, "variant": 1, "type": 1, "gauntlet_seeds": 1,
        "wait": 0, "games": 2, "rounds": 5, "concurrency": 1, "force_concurrency": false, "recover": true,
        "report_penta": false,
        "engines": [
            {"name": "a", "dir": "", "cmd": "./a b", "args": "x y", "restart": true,
             "options": [["Hash", "8"], ["Move Overhead", "5"]],
             "limit": {"tc": {"increment": 10, "fixed_time": 0, "time": 5500, "moves": 40, "timemargin": 20},
                "nodes": 0, "plies": 0}},
            {"cmd": "b", "options": {"Hash": "4"}, "limit": {"tc": {"fixed_time": 1500}, "nodes": 7, "plies": 3}}
        ],
        "stats": {"a vs b": {"wins": 0, "losses": 0, "draws": 0, "penta_WW": 0}}
    }"#;

    #[test]
    fn a_save_file_is_read_into_the_words_that_it_stands_for() {
        let saved = Saved::read(FILE).unwrap();
        let expected = "-engine|cmd=./a b|name=a|args=x \
            y|tc=40/5.500+0.010|timemargin=20|restart=on|option.Hash=8|option.Move Overhead=5|\
            -engine|cmd=b|st=1.500|nodes=7|depth=3|option.Hash=4|\
            -resign|movecount=6|score=500|twosided=true|-maxmoves|40|-tb|/tb|\
            -sprt|elo0=-3.0|elo1=0.0|alpha=0.05|beta=0.05|model=normalized|\
            -openings|file=b.pgn|format=pgn|order=random|start=3|-pgnout|file=g.pgn|notation=lan|nodes=true|\
            -output|format=cutechess|-variant|fischerandom|-tournament|gauntlet|-seeds|1|\
            -srand|11640166910256665083|-wait|0|-games|2|-rounds|5|-concurrency|1|\
            -recover|-report|penta=false|-tbpieces|5|-tbignore50|-event|E|-site|?";
        assert_eq!(saved.words().join("|"), expected);
        assert_eq!(saved.games(), 0);
        let later = FILE.replace(r#""wins": 0"#, r#""wins": 3"#).replace(r#""draws": 0"#, r#""draws": 4"#);
        assert_eq!(Saved::read(&later).unwrap().games(), 7);
    }

    #[test]
    fn save_files_of_spar_s_hold_the_number_of_written_pairs() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old.json", "new.json"].map(|name| folder.path().join(name));
        std::fs::write(&old, r#"{"spar": "0.1.0", "run": "/runs/a-1", "words": ["-recover"]}"#).unwrap();
        let read = |path: &Path| {
            let file = SaveFile { path: Some(path.to_owned()), ..SaveFile::default() };
            file.begin().unwrap().resumed.unwrap()
        };
        assert_eq!(read(&old).written(), None);
        let files = vec![read(&old), OwnFile::new(&new, Path::new("/runs/a-1"), &["-strict".to_owned()])];
        SaveFiles::new(files).keep(3).unwrap();
        let [old, new] = [old, new].map(|path| read(&path));
        assert_eq!([&old, &new].map(|file| (file.written(), file.run())), [(Some(3), Path::new("/runs/a-1")); 2]);
        assert_eq!([old.content.words, new.content.words], [["-recover"], ["-strict"]]);
    }

    #[test]
    fn a_save_file_that_cannot_be_written_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none").join("save.json");
        let mut saves = SaveFiles::new(vec![OwnFile::new(&path, Path::new("/runs/a-1"), &[])]);
        let error = saves.keep(1).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot write {}: ", path.display())), "{error}");
        saves.keep(2).unwrap();
    }

    #[test]
    fn what_is_no_save_file_is_said() {
        for (text, why) in [
            ("[engine]", "expected value"),
            ("{}", "expected a sequence"),
            (r#"{"engines": [{}]}"#, "missing field `cmd`"),
        ] {
            let error = Saved::read(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
