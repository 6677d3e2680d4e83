//! Watches for inputs from which a reader does not return: it hangs, exhausts the memory, or kills the process.

use crate::corpus::Corpus;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A reader that takes this long hangs.
const HANG: Duration = Duration::from_mins(1);
/// More memory than any reader needs for an input of some kilobytes, in bytes.
const MUCH_MEMORY: u64 = 2 << 30;
/// The interval between checks.
const LOOK: Duration = Duration::from_millis(100);

/// Checks the reader from another thread, and ends the process if the reader does not return.
#[derive(Debug)]
pub(crate) struct Watch {
    at: Arc<Mutex<At>>,
    /// The file to which inputs are written before they are read, if any.
    last: Option<File>,
    corpus: Corpus,
    looking: Option<(Sender<()>, JoinHandle<()>)>,
}

/// The input that is being read, and its start time.
#[derive(Debug, Default)]
struct At {
    input: Vec<u8>,
    since: Option<Instant>,
}

impl Watch {
    pub(crate) fn start(name: &'static str, corpus: Corpus) -> Self {
        let at = Arc::new(Mutex::new(At::default()));
        let (sender, receiver) = channel();
        let (seen, before, found) = (Arc::clone(&at), memory(), corpus.clone());
        let looking = std::thread::spawn(move || {
            while receiver.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                look(name, &seen, before, &found);
            }
        });
        Self { at, last: None, corpus, looking: Some((sender, looking)) }
    }

    /// Records that an input is about to be read.
    pub(crate) fn begin(&mut self, input: &[u8]) {
        if let Some(file) = &self.last {
            // If this fails, a process that dies leaves no trace, which is no reason to stop.
            let _unwritten = file.write_all_at(input, 0).and_then(|()| file.set_len(input.len() as u64));
        }
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        at.input.clear();
        at.input.extend_from_slice(input);
        at.since = Some(Instant::now());
    }

    /// Records that the input has been read.
    pub(crate) fn end(&mut self) {
        self.at.lock().unwrap_or_else(PoisonError::into_inner).since = None;
    }

    /// Makes inputs be written to a file before they are read. An input left by a process that died joins the corpus.
    pub(crate) fn keep_last(&mut self) {
        let path = self.corpus.in_flight();
        if let Ok(input) = fs::read(&path)
            && !input.is_empty()
        {
            let kept = self.corpus.add("died", &input);
            tell(&format!(
                "the process before ended while it read {}: run the test again, and remove the file if it passes",
                kept.display()
            ));
        }
        self.last = File::create(path).ok();
    }

    /// Removes the file after the last input.
    pub(crate) fn forget_last(&mut self) {
        if self.last.take().is_some() {
            let _gone = fs::remove_file(self.corpus.in_flight());
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some((sender, looking)) = self.looking.take() {
            drop(sender);
            let _ended = looking.join();
        }
    }
}

fn look(name: &str, at: &Mutex<At>, before: u64, corpus: &Corpus) {
    let at = at.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(since) = at.since else { return };
    let (hangs, grows) = (since.elapsed() > HANG, memory() > before + MUCH_MEMORY);
    if hangs || grows {
        let (kind, what) = if hangs { ("hang", "does not end") } else { ("memory", "takes more than 2 GiB") };
        let path = corpus.add(kind, &at.input);
        tell(&format!("fuzz {name}: reading {} {what}", path.display()));
        let _gone = fs::remove_file(corpus.in_flight());
        std::process::exit(101);
    }
}

/// The memory of this process, in bytes; 0 if the system does not report it.
fn memory() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * 4_096
}

fn tell(text: &str) {
    let _unread = writeln!(std::io::stderr(), "{text}");
}
