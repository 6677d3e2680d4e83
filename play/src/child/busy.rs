//! Programs that are open for writing, which the system refuses to start (`ETXTBSY`).
//!
//! Copying a program and starting it can fail in this way even in order: a process that another thread starts in
//! between has the copy open, too, until its own program starts.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// How long a program may be busy. A process that inherited the open file needs this long on a very busy machine.
const WRITTEN_WITHIN: Duration = Duration::from_secs(5);
/// The interval of attempts.
const AGAIN: Duration = Duration::from_millis(5);

/// Starts a program by `start`, again and again while the program is open for writing, for at most 5 seconds.
///
/// # Errors
/// The error of the last attempt.
pub fn start_once_written<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let began = Instant::now();
    loop {
        // Taken before the attempt: this process itself may be held up in between.
        let is_last = began.elapsed() >= WRITTEN_WITHIN;
        match start() {
            Err(why) if why.kind() == ErrorKind::ExecutableFileBusy && !is_last => {
                std::thread::sleep(AGAIN);
            }
            started => return started,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, OpenOptions};
    use std::process::Command;

    #[test]
    fn a_program_starts_once_its_writers_have_closed_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("true");
        std::fs::copy("/bin/true", &program).expect("a writable folder");
        let mut writer: Option<File> = Some(OpenOptions::new().append(true).open(&program).expect("our own file"));
        let mut attempts = 0;
        let status = start_once_written(|| {
            attempts += 1;
            let status = Command::new(&program).status();
            if attempts == 2 {
                drop(writer.take());
            }
            status
        });
        assert!(status.expect("it starts").success());
        assert!(attempts >= 3, "{attempts}");
    }

    #[test]
    fn other_errors_are_returned_at_once() {
        let mut attempts = 0;
        let start = || {
            attempts += 1;
            Command::new("/no/such/program").status()
        };
        assert_eq!(start_once_written(start).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(attempts, 1);
    }
}
