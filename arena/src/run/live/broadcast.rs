//! The channel from the playing process to viewers: a mark that viewers leave in the run's folder, and a file of tables
//! beside it.

use super::game::LiveGame;
use super::table::LiveTables;
use crate::run::replace::replace_file;
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, SystemTime};

/// The mark of viewers, which they touch each time they look.
const MARK: &str = "watched";
/// The file of tables, as JSON.
const FILE: &str = "live.json";
/// The version of the file's format.
const VERSION: u32 = 1;
/// A viewer that has not looked for this long is gone.
const GONE_AFTER: Duration = Duration::from_secs(5);
/// The shortest interval between writes while a viewer looks.
const WRITE_EVERY: Duration = Duration::from_millis(250);
/// The delay of the first write once a viewer looks.
const FIRST_AFTER: Duration = Duration::from_millis(50);
/// How often the mark is checked.
const SEE_EVERY: Duration = Duration::from_millis(500);
/// A longer file was not written by spar.
const LONGEST: u64 = 64 << 20;

/// The games of a run in progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveNow {
    version: u32,
    /// The game at each table, by worker.
    pub tables: Vec<Option<LiveGame>>,
}

/// Writes the tables into a run's folder while a viewer looks, until dropped.
#[derive(Debug)]
pub struct Broadcast {
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Broadcast {
    /// Starts watching for viewers.
    ///
    /// # Errors
    /// The operating system's error if it grants no thread.
    pub fn start(folder: &Path, tables: Arc<LiveTables>) -> io::Result<Self> {
        let (end, ended) = bounded(0);
        let mut writer =
            Writer { file: folder.join(FILE), mark: folder.join(MARK), tables, is_wanted: false, last: None };
        // A process that was killed has left its last games.
        writer.clear();
        let work = move || {
            while ended.recv_timeout(writer.work()) == Err(RecvTimeoutError::Timeout) {}
            writer.clear();
        };
        let thread = Builder::new().name("broadcast".to_owned()).spawn(work)?;
        Ok(Self { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Broadcast {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _a_panic_hides_no_game_of_the_run = thread.join();
        }
    }
}

struct Writer {
    file: PathBuf,
    mark: PathBuf,
    tables: Arc<LiveTables>,
    /// Whether a viewer looks.
    is_wanted: bool,
    /// The last written tables.
    last: Option<LiveNow>,
}

impl Writer {
    /// Writes the tables if a viewer looks and something is new. Returns when to call it again.
    fn work(&mut self) -> Duration {
        match (self.is_wanted, is_fresh(&self.mark)) {
            (false, false) => SEE_EVERY,
            (true, false) => {
                self.clear();
                SEE_EVERY
            }
            // The current tables may date from when a viewer last looked, perhaps an hour ago.
            (false, true) => {
                self.is_wanted = true;
                self.tables.want(true);
                FIRST_AFTER
            }
            (true, true) => {
                self.write();
                WRITE_EVERY
            }
        }
    }

    fn write(&mut self) {
        let now = LiveNow { version: VERSION, tables: self.tables.now() };
        if self.last.as_ref() != Some(&now) {
            let text = serde_json::to_vec(&now).map_err(io::Error::from);
            // The journal reports a full disk; here only a picture is lost.
            self.last = text.and_then(|text| replace_file(&self.file, &text)).ok().map(|()| now);
        }
    }

    /// Stops watching after the last viewer left, and removes both files.
    fn clear(&mut self) {
        self.is_wanted = false;
        self.tables.want(false);
        self.last = None;
        for file in [&self.file, &self.mark] {
            let _was_never_there = fs::remove_file(file);
        }
    }
}

/// Whether a file was touched a moment ago. A time in the future also counts: the clock was put back since.
fn is_fresh(mark: &Path) -> bool {
    let touched = mark.metadata().and_then(|metadata| metadata.modified());
    touched.is_ok_and(|at| at.elapsed().unwrap_or_default() < GONE_AFTER)
}

/// Reads the running games of the run in a folder. Call it about every second; the first calls return nothing yet.
/// `None` if nothing has been written: no process plays there, or it has not seen the mark yet.
///
/// # Errors
/// If the mark cannot be left in the folder, or the file cannot be read: another version of spar may be playing.
pub fn look(folder: &Path) -> io::Result<Option<LiveNow>> {
    let mark = folder.join(MARK);
    let touched =
        File::options().append(true).create(true).open(&mark).and_then(|file| file.set_modified(SystemTime::now()));
    touched.map_err(|cause| {
        io::Error::new(cause.kind(), format!("cannot leave a mark in {}: {cause}", folder.display()))
    })?;
    let file = folder.join(FILE);
    match file.metadata() {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(cause),
        Ok(metadata) if metadata.len() > LONGEST => return Err(unknown()),
        Ok(_) => {}
    }
    let text = match fs::read(&file) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    let now: LiveNow = serde_json::from_slice(&text).map_err(|_| unknown())?;
    if now.version == VERSION { Ok(Some(now)) } else { Err(unknown()) }
}

fn unknown() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "its games are written by another version of spar, which plays them")
}
