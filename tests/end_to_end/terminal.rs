//! The terminal's display of a running run.

use crate::support::{Sandbox, Terminal};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The width of the widest line in a piece of output; 0 if it draws nothing.
fn widest(piece: &str) -> usize {
    let text = console::strip_ansi_codes(piece).into_owned();
    text.split(['\r', '\n']).map(|line| console::measure_text_width(line.trim_end())).max().unwrap_or(0)
}

/// Reads until three consecutive pieces that draw something have the expected width.
fn wait_for_width(terminal: &mut Terminal, what: &str, is_right: impl Fn(usize) -> bool) {
    let deadline = Instant::now() + Duration::from_mins(10);
    let (mut on_end, mut last) = (0, String::new());
    while on_end < 3 {
        assert!(Instant::now() < deadline, "{what}: {last:?}");
        last = terminal.read(deadline).unwrap_or_else(|| panic!("{what}: it has ended after {last:?}"));
        match widest(&last) {
            0 => {}
            width if is_right(width) => on_end += 1,
            _ => on_end = 0,
        }
    }
}

#[test]
#[ignore = "slow"]
fn lines_follow_the_width_of_a_terminal() {
    let sandbox = Sandbox::new();
    let engine = |name: &str| format!("[[entrant]]\nname = \"{name}\"\nlimit = \"50 nodes\"\n");
    let engines = ["an-engine-with-a-name", "another-engine", "a-third-engine"].map(engine).concat();
    let text = format!("[match]\npairs = 1000000\nschedule = \"round-robin\"\n[openings]\nplies = 4\n{engines}");
    sandbox.write("m.toml", &text);
    let mut terminal = Terminal::open();
    terminal.resize(150, 40);
    let mut command = sandbox.command(&["match", "m.toml", "--concurrency", "1"]);
    let command = command.env("TERM", "xterm").env_remove("NO_COLOR").stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = terminal.start(command);
    wait_for_width(&mut terminal, "wide at first", |width| (61..150).contains(&width));
    terminal.resize(60, 40);
    wait_for_width(&mut terminal, "narrow", |width| width <= 60);
    terminal.resize(150, 40);
    wait_for_width(&mut terminal, "wide again", |width| (61..150).contains(&width));
    child.kill().expect("it plays on");
    let _killed = child.wait().expect("it ends");
}
