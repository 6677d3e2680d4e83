//! The program as a child process: every wait has a deadline, and none outlives its test.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Far longer than any answer takes, even on a busy machine.
const DEADLINE: Duration = Duration::from_secs(30);

/// By how much a clock may be overrun, since the other tests run at the same time.
pub(crate) const MARGIN: Duration = Duration::from_millis(250);

pub(crate) struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    complaint: Receiver<String>,
}

/// How a program ended.
pub(crate) struct End {
    pub(crate) code: Option<i32>,
    /// Lines that had not been heard.
    pub(crate) said: Vec<String>,
    /// All of standard error.
    pub(crate) complaint: String,
}

impl Program {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_zeropoint"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = child.stdout.take().expect("standard output is piped");
        let mut errors = child.stderr.take().expect("standard error is piped");
        let (line, lines) = channel();
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|text| line.send(text))
        });
        let (all, complaint) = channel();
        thread::spawn(move || {
            let mut text = String::new();
            let _not_text = errors.read_to_string(&mut text);
            all.send(text)
        });
        let input = child.stdin.take();
        Self { child, input, lines, complaint }
    }

    /// Sends a line.
    pub(crate) fn tell(&mut self, line: &str) {
        self.tell_bytes(format!("{line}\n").as_bytes());
    }

    pub(crate) fn tell_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).expect("the program reads");
    }

    /// Closes the program's input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// Waits for the next line.
    pub(crate) fn hear(&mut self) -> String {
        self.lines.recv_timeout(DEADLINE).expect("an answer in time")
    }

    /// Waits for a line that begins so; all lines up to it, itself included.
    pub(crate) fn hear_until(&mut self, start: &str) -> Vec<String> {
        let mut heard = vec![self.hear()];
        while !heard.last().is_some_and(|line| line.starts_with(start)) {
            heard.push(self.hear());
        }
        heard
    }

    /// Sends a line and waits for one in return: with the time from before the one to after the other.
    pub(crate) fn ask(&mut self, line: &str, answer: &str) -> (Vec<String>, Duration) {
        let asked = Instant::now();
        self.tell(line);
        let heard = self.hear_until(answer);
        (heard, asked.elapsed())
    }

    /// Waits for the program to end by itself.
    pub(crate) fn end(mut self) -> End {
        let mut said = Vec::new();
        loop {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(line) => said.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the program did not end; it said {said:?}"),
            }
        }
        // Both of its outputs are closed by now, so that it cannot be waited for in vain.
        let complaint = self.complaint.recv_timeout(DEADLINE).expect("standard error ends");
        let code = self.child.wait().expect("the program can be waited for").code();
        End { code, said, complaint }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _never_started = self.child.wait();
    }
}
