//! The program as a child process: every wait has a deadline, and no process outlives its test.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Far longer than any answer takes, even on a busy machine.
const DEADLINE: Duration = Duration::from_secs(600);

/// The processor time that a program may use beyond its clock: it is counted in hundredths of a second.
pub(crate) const MARGIN: Duration = Duration::from_millis(250);

pub(crate) struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Receiver<String>,
}

/// The end of a program.
pub(crate) struct End {
    pub(crate) code: Option<i32>,
    /// The lines not yet received.
    pub(crate) stdout: Vec<String>,
    /// All of standard error.
    pub(crate) stderr: String,
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
        let (all, stderr) = channel();
        thread::spawn(move || {
            let mut text = String::new();
            let _not_text = errors.read_to_string(&mut text);
            all.send(text)
        });
        let input = child.stdin.take();
        Self { child, input, lines, stderr }
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).expect("the program reads");
    }

    /// Closes the program's input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// Waits for the next line.
    pub(crate) fn receive(&mut self) -> String {
        self.lines.recv_timeout(DEADLINE).expect("an answer in time")
    }

    /// Waits for a line that starts with `start`; returns all lines up to and including it.
    pub(crate) fn receive_until(&mut self, start: &str) -> Vec<String> {
        let mut lines = vec![self.receive()];
        while !lines.last().is_some_and(|line| line.starts_with(start)) {
            lines.push(self.receive());
        }
        lines
    }

    /// Sends a line and waits for a line that starts with `answer`; returns all lines.
    pub(crate) fn ask(&mut self, line: &str, answer: &str) -> Vec<String> {
        self.send(line);
        self.receive_until(answer)
    }

    /// The processor time that the program has used. Unlike wall time, it does not depend on the load of the machine.
    pub(crate) fn used(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("the program runs");
        // User and system time are the 12th and 13th field after the name, in hundredths of a second.
        let (_, fields) = stat.rsplit_once(')').expect("a name in parentheses");
        let ticks = fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().expect("a number"));
        Duration::from_millis(10 * ticks.sum::<u64>())
    }

    /// Waits for the program to exit.
    pub(crate) fn end(mut self) -> End {
        let mut stdout = Vec::new();
        loop {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(line) => stdout.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the program did not end; its output: {stdout:?}"),
            }
        }
        // The program has closed its output, so it is exiting.
        let stderr = self.stderr.recv_timeout(DEADLINE).expect("standard error ends");
        let code = self.child.wait().expect("the program can be waited for").code();
        End { code, stdout, stderr }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _never_started = self.child.wait();
    }
}
