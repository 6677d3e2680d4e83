//! Engine processes with the real launcher and supervisor: their preparation, and that none is left behind.

use crate::support::{Sandbox, example, lives, wait_until};
use play::child::{Child, ChildSpec, Cpus, Direction, Exit, Launcher, Spawner};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const SPAR: &str = env!("CARGO_BIN_EXE_spar");

fn soon() -> Instant {
    Instant::now() + Duration::from_mins(10)
}

fn shell(script: &str) -> ChildSpec {
    ChildSpec { arguments: vec!["-c".into(), script.into()], ..ChildSpec::new("/bin/sh") }
}

fn start(spec: &ChildSpec) -> Child {
    let spawner = Spawner::start(Some(Launcher::at(Path::new(SPAR)))).expect("a supervisor");
    spawner.spawn(spec).expect("a launcher")
}

fn next(child: &mut Child) -> String {
    child.receive(soon(), &AtomicBool::new(false)).expect("a line").to_owned()
}

#[test]
fn a_launched_engine_is_as_if_started_directly() {
    let mut spec = shell("echo $0 $1 $MOOD $PWD; cat");
    spec.arguments.extend(["name".into(), "--nice".into()]);
    spec.environment.insert("MOOD".into(), "fine".into());
    spec.directory = Some("/".into());
    let mut child = start(&spec);
    assert_eq!(next(&mut child), "name --nice fine /");
    child.send("uci\n", soon()).unwrap();
    assert_eq!(next(&mut child), "uci");
    let command = std::fs::read_to_string(format!("/proc/{}/cmdline", child.pid())).unwrap();
    assert!(command.starts_with("/bin/sh\0-c\0"), "{command:?}");
    assert_eq!(child.shut_down("", Duration::from_mins(10)), Some(Exit::Status(0)));
}

#[test]
fn cpus_and_niceness_are_set() {
    let cpu = *Cpus::of_this_process().unwrap().cores().last().and_then(|core| core.last()).unwrap();
    let spec = ChildSpec { cpus: vec![cpu], nice: Some(7), ..shell("nice; grep Cpus_allowed_list /proc/$$/status") };
    let mut child = start(&spec);
    assert_eq!(next(&mut child), "7");
    assert_eq!(next(&mut child).split_ascii_whitespace().last(), Some(cpu.to_string().as_str()));
}

#[test]
fn a_program_that_cannot_be_executed_is_an_error() {
    let mut child = start(&ChildSpec::new("/no/such/engine"));
    assert_eq!(child.wait_for_exit(soon()), Some(Exit::Status(127)));
    let tail = child.tail();
    let complaint = &tail.of(Direction::Complaint).last().expect("a complaint").text;
    assert!(complaint.starts_with("cannot start /no/such/engine: No such file"), "{complaint}");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let spawner = Spawner::start(Some(Launcher::at(Path::new(SPAR)))).expect("a supervisor");
    let spec = ChildSpec { directory: Some("/no/such/folder".into()), ..shell("true") };
    let error = spawner.spawn(&spec).expect_err("refused").to_string();
    assert_eq!(error, "cannot start /bin/sh in /no/such/folder: there is no such folder");
}

#[test]
fn the_launcher_starts_nothing_for_others() {
    for words in [&["__launch", "--parent", "1", "--", "/bin/echo", "started"][..], &["__launch", "/bin/echo"]] {
        let output = Command::new(SPAR).args(words).stdin(Stdio::null()).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(125), 0), "{output:?}");
    }
}

/// Starts a host of a misbehaving engine; returns it and the ids of all processes below it: the supervisor, the engine,
/// and its grandchild if there is one.
fn host(mode: &str, kin: usize) -> (std::process::Child, Vec<String>) {
    let mut command = Command::new(example("engine_host"));
    command.args(["--hold", "--spar", SPAR]).arg(example("misbehaving")).arg(mode);
    let mut host = command.stdout(Stdio::piped()).spawn().expect("the host starts");
    let mut kinsfolk = Vec::new();
    for line in BufReader::new(host.stdout.take().expect("its output")).lines() {
        let line = line.expect("UTF-8");
        kinsfolk.extend(line.strip_prefix("info string grandchild ").map(str::to_owned));
        if line.starts_with("info string pid ") {
            break;
        }
    }
    let tasks = Path::new("/proc").join(host.id().to_string()).join("task");
    for task in tasks.read_dir().expect("a living host").flatten() {
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        kinsfolk.extend(children.split_ascii_whitespace().map(str::to_owned));
    }
    assert_eq!(kinsfolk.len(), kin, "{kinsfolk:?}");
    (host, kinsfolk)
}

fn kill(pid: &str, signal: Signal) {
    let pid = pid.parse().ok().and_then(Pid::from_raw).expect("a process number");
    kill_process(pid, signal).expect("a process of ours");
}

/// Kills a host with SIGKILL, and waits until none of its descendants lives.
fn kill_and_look(mut host: std::process::Child, kin: &[String]) {
    assert!(kin.iter().all(|pid| lives(pid)), "{kin:?}");
    host.kill().expect("a living host");
    host.wait().expect("a dead host");
    wait_until("all processes are gone", || !kin.iter().any(|pid| lives(pid)));
}

#[test]
fn kill_nine_leaves_no_engine_and_no_grandchild() {
    let (host, kin) = host("spawns-grandchild", 3);
    kill_and_look(host, &kin);
}

#[test]
fn kill_nine_leaves_no_engine_that_ignores_everything() {
    let (host, kin) = host("ignores-eof", 2);
    kill_and_look(host, &kin);
}

/// Removes the supervisor from a host's descendants.
fn take_supervisor(kin: &mut Vec<String>) -> String {
    let is_supervisor = |pid: &String| {
        std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|command| command.contains("__supervise"))
    };
    let index = kin.iter().position(is_supervisor).expect("a supervisor");
    kin.remove(index)
}

/// Whether a process catches all of these signals, as the supervisor does soon after its start.
fn catches(pid: &str, signals: &[Signal]) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("status")).expect("a living process");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("the signals that it catches");
    let mask = u64::from_str_radix(mask.trim(), 16).expect("a mask in hexadecimal");
    signals.iter().all(|signal| mask & (1 << (signal.as_raw() - 1)) != 0)
}

#[test]
fn the_supervisor_cannot_be_asked_to_leave() {
    let (host, mut kin) = host("spawns-grandchild", 3);
    let supervisor = take_supervisor(&mut kin);
    wait_until("the supervisor catches signals", || catches(&supervisor, &[Signal::INT, Signal::TERM, Signal::HUP]));
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        kill(&supervisor, signal);
    }
    kill_and_look(host, &kin);
}

#[test]
fn engines_die_with_the_host_even_without_a_supervisor() {
    let (host, mut kin) = host("ignores-eof", 2);
    let supervisor = take_supervisor(&mut kin);
    kill(&supervisor, Signal::KILL);
    wait_until("the supervisor is gone", || !lives(&supervisor));
    kill_and_look(host, &kin);
}

#[test]
fn an_engine_outlives_the_thread_that_asked_for_it() {
    let mut child = std::thread::spawn(|| start(&shell("cat"))).join().unwrap();
    child.send("uci\n", soon()).unwrap();
    assert_eq!(next(&mut child), "uci");
}

#[test]
fn two_hundred_starts_leave_no_descriptor_and_no_zombie() {
    let mut command = Command::new(example("engine_host"));
    command.args(["--times", "200", "--spar", SPAR]).arg(example("random_mover"));
    let output = command.output().expect("the host starts");
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |start: &str| text.lines().find_map(|line| line.strip_prefix(start)).map(str::to_owned);
    let before = line("descriptors and processes before ").unwrap_or_else(|| panic!("{text}"));
    assert_eq!(line("descriptors and processes after "), Some(before), "{text}");
}

/// The processors that a thread of a process may run on, as the kernel lists them.
fn allowed(process: u32, thread: &str) -> Option<String> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let is_it = |task: &Path| std::fs::read_to_string(task.join("comm")).is_ok_and(|name| name.trim() == thread);
    let task = tasks.flatten().map(|task| task.path()).find(|task| is_it(task))?;
    let status = std::fs::read_to_string(task.join("status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).map(|list| list.trim().to_owned())
}

#[test]
fn a_worker_stays_with_its_engines_where_nothing_is_timed() {
    let cpu = *Cpus::of_this_process().unwrap().cores().last().and_then(|core| core.last()).unwrap();
    let engine = example("random_mover");
    for (limit, is_bound) in [("1 nodes", true), ("60s+1s", false)] {
        let sandbox = Sandbox::new();
        let each = format!("[each]\ncmd = '{}'\nlimit = '{limit}'\n", engine.display());
        let head =
            format!("game = 'chess'\naffinity = [{cpu}]\n[match]\npairs = 1000000\n[adjudication]\nmax_moves = 2\n");
        sandbox.write("m.toml", &format!("{head}{each}[[entrant]]\nname = 'a'\n[[entrant]]\nname = 'b'\n"));
        let mut child = sandbox.start(&["match", "m.toml", "--concurrency", "1"]);
        sandbox.wait_for_pairs("match-m-1", 1);
        let everywhere = allowed(child.id(), "spawner").expect("the thread that starts engines");
        let expected = if is_bound { cpu.to_string() } else { everywhere };
        assert_eq!(allowed(child.id(), "worker-0"), Some(expected), "{limit}");
        child.kill().expect("it plays on");
        let _killed = child.wait().expect("it ends");
    }
}
