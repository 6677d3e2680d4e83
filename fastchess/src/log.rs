//! `-log`: a file with the runner's messages and, if requested, every line to and from the engines.

use super::words::{Pair, Words};
use crate::error::FastchessError;
use play::child::{Direction, Trace};
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The importance of a line, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Actions of the runner.
    Trace,
    /// The progress of the run.
    Info,
    /// Needs attention.
    Warn,
    /// An error that ends a run.
    Error,
    /// Like `Error`; fastchess has another word for it.
    Fatal,
}

/// The requested log file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogFile {
    path: PathBuf,
    /// Less important lines are omitted.
    level: Level,
    /// Whether the present content of the file is kept.
    pub(super) append: bool,
    /// Whether lines of engines are written; by default only at the level of traces.
    engines: Option<bool>,
}

impl LogFile {
    /// Reads `-log`.
    pub(super) fn read(given: &Words<'_>) -> Result<Self, FastchessError> {
        let (named, words) = given.named_file();
        let mut log = Self {
            path: named.map(PathBuf::from).unwrap_or_default(),
            level: Level::Warn,
            append: true,
            engines: None,
        };
        for pair in words.pairs(&["file", "level", "realtime", "engine", "compress", "append"])? {
            match pair.key {
                "file" => log.path = pair.file_name()?,
                "level" => log.level = level(&pair)?,
                "engine" => log.engines = Some(pair.switch()?),
                "append" => log.append = pair.switch()?,
                "compress" if pair.switch()? => {
                    return Err(pair.expected("`compress=false`: compress the file afterwards, `gzip FILE`"));
                }
                // Lines are always flushed at once.
                _ => drop(pair.switch()?),
            }
        }
        if log.path.as_os_str().is_empty() { Err(given.expected("`file=...`")) } else { Ok(log) }
    }

    /// Opens the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn open(&self) -> Result<Log, FastchessError> {
        let Self { path, level, append, engines } = self;
        let file = File::options().create(true).write(true).append(*append).truncate(!append).open(path);
        let cannot_write = || format!("cannot write the log to {}", path.display());
        let file = file.map_err(|cause| FastchessError::file(cannot_write(), &cause))?;
        let lines = Sink { file: BufWriter::new(file), started: Instant::now() };
        let tells_engines = engines.unwrap_or(*level == Level::Trace);
        Ok(Log { lines: Arc::new(Mutex::new(lines)), level: *level, tells_engines })
    }
}

fn level(pair: &Pair<'_>) -> Result<Level, FastchessError> {
    match pair.value {
        "trace" => Ok(Level::Trace),
        "info" => Ok(Level::Info),
        "warn" => Ok(Level::Warn),
        "err" => Ok(Level::Error),
        "fatal" => Ok(Level::Fatal),
        _ => Err(pair.expected("`trace`, `info`, `warn`, `err` or `fatal`")),
    }
}

/// The file, which several threads write to.
struct Sink {
    file: BufWriter<File>,
    started: Instant,
}

impl Sink {
    /// Writes the seconds since the start, the engine, the direction, and the line. A failure to write must not end the
    /// run.
    fn write(&mut self, who: &str, sign: char, line: &str) {
        let time = self.started.elapsed().as_secs_f64();
        let _full = writeln!(self.file, "{time:.6} {who} {sign} {line}").and_then(|()| self.file.flush());
    }
}

/// An open log.
pub(super) struct Log {
    lines: Arc<Mutex<Sink>>,
    level: Level,
    tells_engines: bool,
}

impl Log {
    /// The trace that receives the lines of engines, if they are requested.
    pub(super) fn trace(&self) -> Option<Trace> {
        let lines = Arc::clone(&self.lines);
        let trace = move |direction: Direction, line: &str| {
            let sign = match direction {
                Direction::Sent => '>',
                Direction::Received => '<',
                Direction::Complaint => '!',
            };
            let worker = std::thread::current();
            lines.lock().unwrap_or_else(PoisonError::into_inner).write(worker.name().unwrap_or("?"), sign, line);
        };
        self.tells_engines.then(|| Arc::new(trace) as Trace)
    }

    /// Writes a printed text.
    pub(super) fn note(&self, level: Level, text: &str) {
        if level < self.level {
            return;
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        text.lines().filter(|line| !line.is_empty()).for_each(|line| lines.write("runner", '=', line));
    }

    /// Writes the output about games and results, or only its warnings, by the level.
    fn note_printed(&self, text: &str) {
        match self.level {
            Level::Trace | Level::Info => self.note(Level::Info, text),
            Level::Warn => {
                text.lines().filter(|line| is_of_warning(line)).for_each(|line| self.note(Level::Warn, line));
            }
            Level::Error | Level::Fatal => {}
        }
    }
}

/// Lines to write: those for standard output, and those for the log, which gets more.
#[derive(Debug, Default)]
pub(super) struct Lines {
    printed: String,
    logged: String,
}

impl Lines {
    /// Adds whole lines.
    pub(super) fn push(&mut self, text: &str) {
        self.printed.push_str(text);
        self.logged.push_str(text);
    }

    /// Adds a warning to the log alone.
    pub(super) fn log_warning(&mut self, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.logged, "{WARNING}{text}");
    }
}

impl fmt::Write for Lines {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}

/// The output of a run, which is also written to the log.
pub(super) struct Printer<'a, W> {
    out: W,
    log: Option<&'a Log>,
    /// The first error of the output. After it, only the log is written: a closed pipe must not end the run.
    failure: Option<io::Error>,
}

impl<'a, W: Write> Printer<'a, W> {
    /// Prints to this destination, and to the log if there is one.
    pub(super) fn new(out: W, log: Option<&'a Log>) -> Self {
        Self { out, log, failure: None }
    }

    /// Prints a text of whole lines.
    pub(super) fn print(&mut self, text: &str) {
        self.print_lines(&Lines { printed: text.to_owned(), logged: text.to_owned() });
    }

    /// Prints lines, and writes the lines for the log to the log.
    pub(super) fn print_lines(&mut self, lines: &Lines) {
        if let Some(log) = self.log {
            log.note_printed(&lines.logged);
        }
        if self.failure.is_none() {
            self.failure = self.out.write_all(lines.printed.as_bytes()).and_then(|()| self.out.flush()).err();
        }
    }

    /// Returns the first error of the output. A closed pipe is no error: its reader has read enough.
    ///
    /// # Errors
    /// The output could not be written.
    pub(super) fn finish(self) -> io::Result<()> {
        match self.failure {
            Some(failure) if failure.kind() != io::ErrorKind::BrokenPipe => Err(failure),
            _ => Ok(()),
        }
    }
}

/// The prefix of warnings.
pub(super) const WARNING: &str = "Warning; ";

/// The prefixes of the further lines of a warning about a variation: the variation, its ply, and the moves before it.
pub(super) const ABOUT: [&str; 3] = ["Info; ", "Position; ", "Moves; "];

fn is_of_warning(line: &str) -> bool {
    line.starts_with(WARNING) || ABOUT.iter().any(|about| line.starts_with(about))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<LogFile, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        LogFile::read(&Words { name: "log", words: &words }).map_err(|failure| failure.to_string())
    }

    /// An output that fails, and counts the attempts.
    struct Failing<'a>(io::ErrorKind, &'a mut u32);

    impl Write for Failing<'_> {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            *self.1 += 1;
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_failed_output_is_not_written_again_and_only_a_closed_one_is_no_error() {
        for (kind, expected) in
            [(io::ErrorKind::BrokenPipe, None), (io::ErrorKind::StorageFull, Some("no storage space"))]
        {
            let mut attempts = 0;
            let mut printer = Printer::new(Failing(kind, &mut attempts), None);
            printer.print("a\n");
            printer.print("b\n");
            let failure = printer.finish().err().map(|failure| failure.to_string());
            assert_eq!((failure.as_deref(), attempts), (expected, 1));
        }
    }

    #[test]
    fn keys_say_what_is_written() {
        let usual = LogFile { path: "a".into(), level: Level::Warn, append: true, engines: None };
        assert_eq!(read("file=a").as_ref(), Ok(&usual));
        assert_eq!(read("a compress=false realtime=true").as_ref(), Ok(&usual));
        let all = LogFile { level: Level::Trace, append: false, engines: Some(true), ..usual };
        assert_eq!(read("file=a level=trace append=false engine=true realtime=false"), Ok(all));
        for (words, message) in [
            ("level=info", "`-log level=info`: expected `file=...`"),
            ("file=", "`-log file=`: expected a file's name"),
            ("file=a level=all", "`-log level=all`: expected `trace`, `info`, `warn`, `err` or `fatal`"),
            ("file=a engine=yes", "`-log engine=yes`: expected `true` or `false`"),
            (
                "file=a compress=true",
                "`-log compress=true`: expected `compress=false`: compress the file afterwards, `gzip FILE`",
            ),
        ] {
            assert_eq!(read(words).err().as_deref(), Some(message));
        }
    }
}
