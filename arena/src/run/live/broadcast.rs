//! From the process that plays to those that look on: a mark of theirs in the run's folder, and a file of tables beside
//! it.

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

/// The mark of those who look on: they touch it each time that they look.
const MARK: &str = "watched";
/// The tables, as JSON.
const FILE: &str = "live.json";
/// The form of that file.
const VERSION: u32 = 1;
/// A watcher that has not looked for this long is gone.
const GONE_AFTER: Duration = Duration::from_secs(5);
/// How often the tables are written while somebody looks, at most.
const WRITE_EVERY: Duration = Duration::from_millis(250);
/// When they are written first once somebody does.
const FIRST_AFTER: Duration = Duration::from_millis(50);
/// How often it is seen whether somebody looks.
const SEE_EVERY: Duration = Duration::from_millis(500);
/// A file that is longer is none of ours.
const LONGEST: u64 = 64 << 20;

/// The games of a run while they are played.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveNow {
    version: u32,
    /// What is on each table, by worker.
    pub tables: Vec<Option<LiveGame>>,
}

/// Writes what is on the tables into a run's folder while somebody looks, until it is dropped.
#[derive(Debug)]
pub struct Broadcast {
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Broadcast {
    /// Begins to look out for those who look.
    ///
    /// # Errors
    /// The operating system's, if it grants no thread.
    pub fn start(folder: &Path, tables: Arc<LiveTables>) -> io::Result<Self> {
        let (end, ended) = bounded(0);
        let mut writer =
            Writer { file: folder.join(FILE), mark: folder.join(MARK), tables, is_wanted: false, last: None };
        // One that was killed has left its last games.
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
    /// Whether somebody looks.
    is_wanted: bool,
    /// What was written last.
    last: Option<LiveNow>,
}

impl Writer {
    /// Writes the tables if somebody looks and there is something new. When to come again.
    fn work(&mut self) -> Duration {
        match (self.is_wanted, is_fresh(&self.mark)) {
            (false, false) => SEE_EVERY,
            (true, false) => {
                self.clear();
                SEE_EVERY
            }
            // What is on the tables now may be there since somebody looked an hour ago.
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
            // The journal reports a full disk; here only pictures are lost.
            self.last = text.and_then(|text| replace_file(&self.file, &text)).ok().map(|()| now);
        }
    }

    /// No watcher is left: nothing stays in the folder.
    fn clear(&mut self) {
        self.is_wanted = false;
        self.tables.want(false);
        self.last = None;
        for file in [&self.file, &self.mark] {
            let _was_never_there = fs::remove_file(file);
        }
    }
}

/// Whether a file was touched a moment ago. One from the future was, by a clock that was put back since.
fn is_fresh(mark: &Path) -> bool {
    let touched = mark.metadata().and_then(|metadata| metadata.modified());
    touched.is_ok_and(|at| at.elapsed().unwrap_or_default() < GONE_AFTER)
}

/// Reads the running games of the run in a folder. Call it about every second: at first there is nothing to see yet.
/// `None` if nothing has been written: no process plays there, or it has not seen the mark yet.
///
/// # Errors
/// If the mark cannot be left in the folder, or what is written there is not to be read: another version of the program
/// may play.
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
