//! Engine processes, played by shell scripts: lines, deadlines, floods, complaints, deaths.

use play::child::{Child, ChildError, ChildSpec, Direction, Exit, LONGEST_LINE, SpawnError, Spawner};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

/// Never set.
static GO_ON: AtomicBool = AtomicBool::new(false);
/// Far more time than anything here takes.
const AMPLE: Duration = Duration::from_mins(10);
/// Longer than it takes to notice that a deadline has passed, even on a busy machine.
const LATE: Duration = Duration::from_mins(1);
/// Short, for deadlines that are meant to be missed.
const SHORT: Duration = Duration::from_millis(100);

fn soon() -> Instant {
    Instant::now() + AMPLE
}

fn shell(script: &str) -> ChildSpec {
    ChildSpec { arguments: vec!["-c".into(), script.into()], ..ChildSpec::new("/bin/sh") }
}

/// One spawner for all tests, as in a run: while one of two spawners starts something, the pipes of a process started
/// by the other may seem to be open.
static SPAWNER: LazyLock<Spawner> = LazyLock::new(|| Spawner::start(None).expect("a thread"));

fn start(script: &str) -> Child {
    SPAWNER.spawn(&shell(script)).expect("a shell")
}

fn next(child: &mut Child) -> Result<String, ChildError> {
    child.receive(soon(), &GO_ON).map(str::to_owned)
}

/// Whether a process with this id exists and is not a zombie.
fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

/// Whether a thread of this process waits for something.
fn sleeps(thread: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('S'))
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = soon();
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn lines_go_both_ways() {
    let mut child = start("cat");
    for line in ["uci", "", "position startpos moves e2e4 \u{e9}"] {
        let before = Instant::now();
        child.send(&format!("{line}\n"), soon()).unwrap();
        assert_eq!(next(&mut child).unwrap(), line);
        assert!(child.received_at() >= before && child.received_at() <= Instant::now());
    }
    assert!(child.is_alive());
    assert_eq!(child.shut_down("quit\n", AMPLE), Some(Exit::Status(0)));
}

#[test]
fn an_unfinished_last_line_is_a_line() {
    let mut child = start("printf 'one\\r\\ntwo'");
    assert_eq!(next(&mut child).unwrap(), "one");
    assert_eq!(next(&mut child).unwrap(), "two");
    assert!(matches!(next(&mut child), Err(ChildError::Closed)));
    assert_eq!(child.wait_for_exit(soon()), Some(Exit::Status(0)));
}

#[test]
fn what_is_not_utf8_is_replaced() {
    let mut child = start("printf 'a\\377b\\nc\\n'");
    assert_eq!(next(&mut child).unwrap(), "a\u{fffd}b");
    assert_eq!(next(&mut child).unwrap(), "c");
}

#[test]
fn a_line_of_five_megabytes_is_cut() {
    let mut child = start("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo bestmove");
    assert_eq!(next(&mut child).unwrap().len(), LONGEST_LINE);
    assert_eq!(next(&mut child).unwrap(), "bestmove");
}

#[test]
fn silence_ends_at_the_deadline() {
    let mut child = start("cat");
    let begun = Instant::now();
    assert!(matches!(child.receive(begun + SHORT, &GO_ON), Err(ChildError::Deadline)));
    assert!(begun.elapsed() >= SHORT && begun.elapsed() < LATE);
}

#[test]
fn a_flood_does_not_extend_the_deadline() {
    for script in ["while :; do echo info; done", "while :; do echo info >&2; done", "cat /dev/zero"] {
        let mut child = start(script);
        let begun = Instant::now();
        let ending = loop {
            match child.receive(begun + SHORT, &GO_ON) {
                Ok(_) => assert!(begun.elapsed() < LATE),
                Err(error) => break error,
            }
        };
        assert!(matches!(ending, ChildError::Deadline), "{script}: {ending}");
    }
}

#[test]
fn stopping_interrupts_a_wait() {
    let mut child = start("cat");
    let (stop, thread) = (AtomicBool::new(false), AtomicI32::new(0));
    // Without the interruption, it ends with another error.
    let deadline = Instant::now() + Duration::from_mins(2);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            thread.store(rustix::thread::gettid().as_raw_nonzero().get(), Ordering::Relaxed);
            matches!(child.receive(deadline, &stop), Err(ChildError::Stopped))
        });
        wait_until("it waits", || sleeps(thread.load(Ordering::Relaxed)));
        stop.store(true, Ordering::Relaxed);
        assert!(waiting.join().unwrap());
    });
}

#[test]
fn one_that_does_not_read_does_not_block_us() {
    let mut child = start("exec sleep 1000");
    let text = format!("{}\n", "x".repeat(200_000));
    let begun = Instant::now();
    assert!(matches!(child.send(&text, begun + SHORT), Err(ChildError::Deadline)));
    assert!(begun.elapsed() >= SHORT && begun.elapsed() < LATE);
}

#[test]
fn a_dead_one_is_closed_to_both_sides() {
    let mut child = start("echo oops >&2; exit 3");
    assert!(matches!(next(&mut child), Err(ChildError::Closed)));
    assert_eq!(child.wait_for_exit(soon()), Some(Exit::Status(3)));
    assert!(!child.is_alive());
    assert!(matches!(child.send("go\n", soon()), Err(ChildError::Closed)));
    assert_eq!(child.tail().of(Direction::Complaint).map(|line| &line.text).collect::<Vec<_>>(), ["oops"]);
}

#[test]
fn a_signal_is_distinguished_from_a_status() {
    let mut child = start("kill -SEGV $$");
    assert!(matches!(next(&mut child), Err(ChildError::Closed)));
    assert_eq!(child.wait_for_exit(soon()).unwrap().to_string(), "killed by SIGSEGV");
}

#[test]
fn a_death_is_seen_although_a_grandchild_keeps_the_pipes_open() {
    let mut child = start("sleep 1000 & echo $!; exit 1");
    let grandchild = next(&mut child).unwrap();
    assert!(matches!(next(&mut child), Err(ChildError::Closed)));
    assert_eq!(child.exit(), Some(Exit::Status(1)));
    assert!(lives(&grandchild));
    drop(child);
    wait_until("the grandchild is killed", || !lives(&grandchild));
}

#[test]
fn one_that_will_not_go_is_killed_with_all_it_started() {
    let mut child = start("trap '' TERM INT HUP; sleep 1000 & echo $!; while :; do wait; done");
    let (pid, grandchild) = (child.pid().to_string(), next(&mut child).unwrap());
    assert_eq!(child.shut_down("quit\n", SHORT), None);
    wait_until("both are killed", || !lives(&pid) && !lives(&grandchild));
}

#[test]
fn one_that_floods_while_it_leaves_is_not_blocked() {
    let child = start("read line; head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; exit 7");
    assert_eq!(child.shut_down("quit\n", AMPLE), Some(Exit::Status(7)));
}

#[test]
fn stale_lines_can_be_read_or_thrown_away_without_waiting() {
    let mut child = start("echo first; echo second; echo third; echo done >&2; read line; echo fourth");
    assert_eq!(next(&mut child).unwrap(), "first");
    wait_until("the third line", || child.drain().unwrap() > 0 && child.tail().to_string().contains("third"));
    assert_eq!(child.pending().unwrap(), None);
    child.send("on\n", soon()).unwrap();
    assert_eq!(next(&mut child).unwrap(), "fourth");
    assert_eq!(child.wait_for_exit(soon()), Some(Exit::Status(0)));
}

#[test]
fn complaints_in_any_number_do_not_block_an_engine() {
    let mut child = start("i=0; while [ $i -lt 20000 ]; do echo complaint $i >&2; i=$((i+1)); done; echo bestmove");
    assert_eq!(next(&mut child).unwrap(), "bestmove");
    assert_eq!(child.wait_for_exit(soon()), Some(Exit::Status(0)));
    assert_eq!(child.tail().of(Direction::Complaint).last().unwrap().text, "complaint 19999");
}

#[test]
fn a_trace_gets_every_line() {
    let mut child = start("cat; echo oops >&2");
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    child.set_trace(Arc::new(move |direction, line| sink.lock().unwrap().push((direction, line.to_owned()))));
    child.send("uci\nisready\n", soon()).unwrap();
    assert_eq!((next(&mut child).unwrap(), next(&mut child).unwrap()), ("uci".into(), "isready".into()));
    child.shut_down("", AMPLE);
    let (sent, received) = (Direction::Sent, Direction::Received);
    let expected =
        [(sent, "uci"), (sent, "isready"), (received, "uci"), (received, "isready"), (Direction::Complaint, "oops")];
    assert_eq!(*lines.lock().unwrap(), expected.map(|(direction, line)| (direction, line.to_owned())));
}

#[test]
fn folder_environment_and_arguments_arrive() {
    let mut spec = shell("echo \"$PWD $MOOD $1\"");
    spec.arguments.extend(["sh".into(), "a b".into()]);
    spec.environment.insert("MOOD".into(), "fine".into());
    spec.directory = Some("/".into());
    let mut child = SPAWNER.spawn(&spec).unwrap();
    assert_eq!(next(&mut child).unwrap(), "/ fine a b");
}

#[test]
fn what_cannot_be_started_is_an_error() {
    let missing = SPAWNER.spawn(&ChildSpec::new("/no/such/engine")).unwrap_err();
    assert!(missing.to_string().starts_with("cannot start /no/such/engine: "), "{missing}");
    let pinned = ChildSpec { cpus: vec![0], ..ChildSpec::new("/bin/true") };
    assert!(matches!(SPAWNER.spawn(&pinned), Err(SpawnError::NeedsLauncher)));
}

#[test]
fn threads_share_a_nursery() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for _ in 0..5 {
                    let mut child = SPAWNER.spawn(&shell(&format!("echo {thread}"))).unwrap();
                    assert_eq!(next(&mut child).unwrap(), thread.to_string());
                }
            });
        }
    });
}

#[test]
fn the_time_waited_for_a_cpu_is_counted() {
    let child = start("while :; do :; done");
    let known = Path::new("/proc/self/schedstat").exists();
    assert_eq!(child.run_delay().is_some(), known);
}
