//! Hostile environments: wrong clocks, full disks, networks that drop packets, replaced programs.
//!
//! Disks and networks are in Linux namespaces. Without permission for those, their tests are ignored; a server without
//! space and a bad connection are also tested without them.

use crate::support::{
    MATCH, Running, Sandbox, Server, comes_out_as, configure, configure_at, coordinator, creds, ends_well, expected,
    expected_match, locked, log, output_of, pairs, played_by, program, wait_for_pairs, wait_until, worker, workers,
};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Debian's library that gives programs another time.
pub(crate) fn faketime() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").ok()?.flatten();
    folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1")).find(|place| place.is_file())
}

/// Makes a program see a shifted time, such as `+1h`.
fn with_clock(command: &mut Command, time: &str) {
    let library = faketime().expect("the test is ignored without it");
    // The clock that measures time spans is not changed.
    command.env("LD_PRELOAD", library).env("FAKETIME", time).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command.env("DONT_FAKE_MONOTONIC", "1").env("TZ", "UTC");
}

pub(crate) fn clocks_that_are_off() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let clocks =
        [("behind", "-1h"), ("ahead", "+1h"), ("without", "@1970-01-02 00:00:00"), ("late", "@4100-01-01 00:00:00")];
    let server = locked(&sandbox, "behind,ahead,without,late", true);
    let command = |name: &str, time: &str| {
        let (creds, cache) = (creds(&sandbox, name), sandbox.path("cache").display().to_string());
        let mut command = sandbox.command(&["worker", "--creds", &creds, "--cores", "1", "--cache", &cache]);
        with_clock(command.stderr(log(&sandbox, name)), time);
        command
    };
    // Clocks do matter: by this one the certificate has expired.
    let (late, time) = clocks[3];
    assert_eq!(command(late, time).status().expect("it starts").code(), Some(3), "{}", output_of(&sandbox, late));
    let output = output_of(&sandbox, late);
    assert!(output.contains("no secure connection") && output.contains("certificate expired"), "{output}");

    let _workers = clocks[..3].iter().map(|(name, time)| Running::start(&mut command(name, time))).collect::<Vec<_>>();
    let key = creds(&sandbox, "coordinator");
    let url = server.url().replace("nats://", "tls://");
    let mut session = sandbox.command(&["match", "m.toml", "--fleet", &url, "--creds", &key]);
    with_clock(session.stdout(Stdio::null()).stderr(log(&sandbox, "session")), "-1h");
    ends_well(&sandbox, &mut Running::start(&mut session));
    comes_out_as(&sandbox, "match-m-1", expected_match());
    for (name, _) in &clocks[..3] {
        assert!(output_of(&sandbox, name).contains("pairs to play"), "{name}: {}", output_of(&sandbox, name));
    }
}

/// Namespaces that a test keeps open. They end with their last process.
struct Place {
    holder: Child,
    kinds: Vec<&'static str>,
}

impl Place {
    /// Opens a separate mount or network namespace (`--mount`, `--net`).
    fn open(sandbox: &Sandbox, kind: &'static str) -> Option<Self> {
        let mut kinds = vec![kind];
        let mut command = Command::new("unshare");
        command.arg(kind).current_dir(sandbox.path(""));
        if !rustix::process::geteuid().is_root() {
            kinds.extend(["--user", "--preserve-credentials"]);
            command.arg("--map-root-user");
        }
        // The process ends with its input, when the test or its whole process ends.
        command.args(["sh", "-c", "echo open; exec cat"]);
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut place = Self { holder: started.ok()?, kinds };
        let mut line = String::new();
        let _unread = BufReader::new(place.holder.stdout.take()?).read_line(&mut line);
        (line == "open\n").then_some(place)
    }

    /// The prefix of a command line that runs in the namespace.
    fn before(&self) -> Vec<String> {
        let target = ["nsenter", "--wd", "--target", &self.holder.id().to_string()].map(str::to_owned);
        target.into_iter().chain(self.kinds.iter().map(|&kind| kind.to_owned())).collect()
    }

    /// The same command in the namespace. Its output is not set yet.
    fn inside(&self, command: &Command) -> Command {
        let before = self.before();
        let mut there = Command::new(&before[0]);
        there.args(&before[1..]).arg(command.get_program()).args(command.get_args());
        there.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?)))).env_remove("SPAR_RUNS");
        there
    }

    /// Whether a script succeeds in the namespace.
    fn does(&self, script: &str) -> bool {
        let mut command = self.inside(Command::new("sh").args(["-ec", script]));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|it| it.success())
    }

    /// A folder of limited size (`64k`) in a namespace.
    fn disk(sandbox: &Sandbox, folder: &str, size: &str) -> Option<Self> {
        let place = Self::open(sandbox, "--mount")?;
        let folder = sandbox.path(folder);
        std::fs::create_dir_all(&folder).expect("a writable folder");
        place.does(&format!("mount -t tmpfs -o size={size} none {}", folder.display())).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _gone = (self.holder.kill(), self.holder.wait());
    }
}

/// Whether this machine allows folders of limited size.
pub(crate) fn allows_mounts() -> bool {
    Place::disk(&Sandbox::new(), "disk", "64k").is_some()
}

/// Whether this machine allows separate networks.
pub(crate) fn allows_networks() -> bool {
    Network::open(&Sandbox::new()).is_some()
}

/// The message for a server that stores nothing.
const REFUSED: &str = "the server does not take results";

/// Waits until the session reports that the server does not accept results.
fn wait_for_refusal(sandbox: &Sandbox, session: &mut Running) {
    let logs =
        || ["session", "w1", "w2", "nats"].map(|name| format!("--- {name}\n{}", output_of(sandbox, name))).join("");
    wait_until("the server refuses results", || {
        assert!(!session.is_over(), "the run is over, and no result was refused:\n{}", logs());
        output_of(sandbox, "session").contains(REFUSED)
    });
}

pub(crate) fn a_server_whose_disk_is_full_costs_nothing_but_time() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let place = Place::disk(&sandbox, "jetstream", "8m").expect("mounts are allowed");
    let port = configure(&sandbox, "");
    let mut server = Server::inside(&sandbox, place.before(), "nats.conf", port);
    let mut workers = workers(&sandbox, &server.url(), 2);
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &server.url());
    wait_for_pairs(&sandbox, 1);
    // Stopped workers cannot finish the run while the disk fills: the results that they send later find it full.
    for worker in &workers {
        worker.signal(Signal::STOP);
    }
    let filler = sandbox.path("jetstream/filler").display().to_string();
    assert!(!place.does(&format!("cat /dev/zero > {filler}")), "a disk without end");
    assert!(pairs(&sandbox) < 600, "the disk was full too late: {} of 600 pairs were played", pairs(&sandbox));
    let used =
        |server: &Server, workers: &[Running]| workers.iter().map(Running::used).sum::<Duration>() + server.used();
    let (since, before) = (Instant::now(), used(&server, &workers));
    for worker in &workers {
        worker.signal(Signal::CONT);
    }
    wait_for_refusal(&sandbox, &mut session);
    let (waited, used) = (since.elapsed(), used(&server, &workers).saturating_sub(before));
    assert!(used < waited / 3, "{used:?} of {waited:?} were spent on waiting");
    // The server reports that itself, or does not answer.
    let hint = ["no space left on device", "if its disk is full"];
    let output = output_of(&sandbox, "session");
    assert!(hint.iter().any(|hint| output.contains(hint)), "{output}");
    assert!(pairs(&sandbox) < 600 && !session.is_over() && !workers.iter_mut().any(Running::is_over));
    // nats-server 2.9 continues only after a restart.
    assert!(place.does(&format!("rm {filler}")));
    server.kill();
    server.start();
    ends_well(&sandbox, &mut session);
    comes_out_as(&sandbox, "match-m-1", expected_match());
}

pub(crate) fn a_server_that_has_no_room_for_results_says_so_and_takes_them_when_it_has() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let port = configure(&sandbox, "max_file_store: 100");
    let mut server = Server::of(&sandbox, "nats.conf", port);
    let mut workers = workers(&sandbox, &server.url(), 2);
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &server.url());
    wait_for_refusal(&sandbox, &mut session);
    assert!(pairs(&sandbox) < 600 && !session.is_over() && !workers.iter_mut().any(Running::is_over));
    let configuration = sandbox.read("nats.conf").replace("max_file_store: 100", "");
    sandbox.write("nats.conf", &configuration);
    server.kill();
    server.start();
    ends_well(&sandbox, &mut session);
    comes_out_as(&sandbox, "match-m-1", expected_match());
}

/// Games of two programs that read their moves from their arguments.
const PROGRAMS: &str = r#"
name = "m"
game = "chess"
[match]
pairs = 30
[openings]
source = "start"
[each]
limit = "10 nodes"
cmd = "./reader"
[[entrant]]
name = "a"
args = ["f2f3,0", "e7e5,0", "g2g4,0", "d8h4,0"]
[[entrant]]
name = "b"
args = ["f2f3,0", "e7e5,0", "g2g4,0", "d8h4,0"]
"#;

pub(crate) fn a_worker_that_has_no_room_for_programs_is_set_aside_and_the_others_play() {
    let sandbox = Sandbox::with("m.toml", PROGRAMS);
    sandbox.write_reader("reader");
    let padded = sandbox.read("reader") + &format!("# {}\n", "x".repeat(200_000));
    sandbox.write("reader", &padded);
    let place = Place::disk(&sandbox, "narrow", "64k").expect("mounts are allowed");
    let expected = expected(&sandbox);
    let server = Server::open(&sandbox);
    let mut narrow = sandbox.command(&["worker", "--nats", &server.url(), "--name", "narrow", "--cores", "1"]);
    let mut narrow = place.inside(narrow.args(["--cache", "narrow"]));
    let _narrow = Running::start(narrow.stderr(log(&sandbox, "narrow")));
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &server.url());
    wait_until("it is reported", || output_of(&sandbox, "session").contains("worker narrow is given no pairs"));
    for name in ["session", "narrow"] {
        assert!(output_of(&sandbox, name).contains("No space left on device"), "{}", output_of(&sandbox, name));
    }
    let _wide = Running::start(&mut worker(&sandbox, &server.url(), "wide", 1));
    ends_well(&sandbox, &mut session);
    comes_out_as(&sandbox, "match-m-1", &expected);
}

/// Writes `reader` as a program that thinks while a file `thinks` exists, and then makes a file `asked`.
fn write_thinker(sandbox: &Sandbox) {
    sandbox.write_reader("reader");
    let waits = "go*)\n            while [ -e thinks ]; do : > asked; sleep 0.01; done";
    sandbox.write_program("reader", &sandbox.read("reader").replace("go*)", waits));
}

/// The processes of a program in a worker's cache.
fn running(sandbox: &Sandbox, cache: &str) -> Vec<Pid> {
    let Some(path) = cached(sandbox, cache).map(|path| path.display().to_string()) else { return Vec::new() };
    let is_it = |folder: &PathBuf| {
        let words = std::fs::read(folder.join("cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|word| word == path.as_bytes())
    };
    let folders = std::fs::read_dir("/proc").expect("a list of processes").flatten().map(|entry| entry.path());
    folders.filter(is_it).filter_map(|folder| Pid::from_raw(folder.file_name()?.to_str()?.parse().ok()?)).collect()
}

/// The program in a worker's cache.
fn cached(sandbox: &Sandbox, cache: &str) -> Option<PathBuf> {
    let folder = std::fs::read_dir(sandbox.path(cache).join("content")).ok()?.flatten().next()?;
    Some(folder.path().join("reader")).filter(|path| path.exists())
}

pub(crate) fn a_program_that_was_exchanged_in_a_cache_plays_no_pair() {
    let sandbox = Sandbox::with("m.toml", PROGRAMS);
    write_thinker(&sandbox);
    let expected = expected(&sandbox);
    let server = Server::open(&sandbox);
    let start = |name: &str| {
        let cache = sandbox.path(name).display().to_string();
        let mut command = sandbox.command(&["worker", "--nats", &server.url(), "--name", name, "--cores", "1"]);
        Running::start(command.args(["--cache", &cache]).stderr(log(&sandbox, name)))
    };
    // Other moves, under the same name.
    let exchange = |path: &PathBuf| {
        sandbox.write_program("other", &sandbox.read("reader").replace("game=\"$*\"", "game=\"e2e4,0 e7e5,0\""));
        std::fs::rename(sandbox.path("other"), path).expect("a writable folder");
    };
    // This worker's program is replaced during its first game.
    sandbox.write("thinks", "");
    let _turned = start("turned");
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &server.url());
    wait_until("it plays", || sandbox.path("asked").exists());
    let path = cached(&sandbox, "turned").expect("a program");
    exchange(&path);
    std::fs::remove_file(sandbox.path("thinks")).expect("a file");
    wait_until("it is reported", || output_of(&sandbox, "session").contains("worker turned is given no pairs"));
    // This one's program is replaced before it begins.
    let wrong = sandbox.path("wrong").join(path.strip_prefix(sandbox.path("turned")).expect("a cache"));
    std::fs::create_dir_all(wrong.parent().expect("a folder")).expect("a writable folder");
    exchange(&wrong);
    let _wrong = start("wrong");
    wait_until("it is reported", || output_of(&sandbox, "session").contains("worker wrong is given no pairs"));
    for name in ["turned", "wrong"] {
        assert!(output_of(&sandbox, name).contains("cannot be played here"), "{}", output_of(&sandbox, name));
    }
    assert!(
        output_of(&sandbox, "session").contains("Remove it, and it is fetched again"),
        "{}",
        output_of(&sandbox, "session")
    );
    let _sound = start("sound");
    ends_well(&sandbox, &mut session);
    assert_eq!([played_by(&sandbox, "turned"), played_by(&sandbox, "wrong")], [0, 0]);
    comes_out_as(&sandbox, "match-m-1", &expected);
}

pub(crate) fn a_launcher_that_ends_engines_along_with_their_worker_costs_no_game() {
    let sandbox = Sandbox::with("m.toml", &PROGRAMS.replace("pairs = 30", "pairs = 4"));
    write_thinker(&sandbox);
    let expected = expected(&sandbox);
    let server = Server::open(&sandbox);
    sandbox.write("thinks", "");
    let first = Running::start(&mut worker(&sandbox, &server.url(), "first", 1));
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &server.url());
    let engines = || running(&sandbox, "cache");
    // An engine that ends before the game begins would be restarted.
    wait_until("a game has begun", || sandbox.path("asked").exists());
    let ended = engines();
    assert!(ended.len() >= 2, "{ended:?}");
    kill_process(Pid::from_child(&first.0), Signal::TERM).expect("a process");
    for process in &ended {
        // Processes that an engine started may have ended by themselves.
        let _gone = kill_process(*process, Signal::TERM);
    }
    wait_until("they have ended", || !engines().iter().any(|process| ended.contains(process)));
    // The pair's other game is played to its end.
    std::fs::remove_file(sandbox.path("thinks")).expect("a file");
    wait_until("it reports that", || output_of(&sandbox, "first").contains("their games are handed back"));
    let _second = Running::start(&mut worker(&sandbox, &server.url(), "second", 1));
    ends_well(&sandbox, &mut session);
    comes_out_as(&sandbox, "match-m-1", &expected);
}

/// A network of a server, a worker and a coordinator, with a router between them that can drop packets.
struct Network {
    router: Place,
    server: Place,
    worker: Place,
    coordinator: Place,
}

/// The sides of the router.
const SERVER: u32 = 1;
const WORKER: u32 = 2;
const COORDINATOR: u32 = 3;

impl Network {
    fn open(sandbox: &Sandbox) -> Option<Self> {
        let place = || Place::open(sandbox, "--net");
        let network = Self { router: place()?, server: place()?, worker: place()?, coordinator: place()? };
        let is_router = network.router.does("echo 1 > /proc/sys/net/ipv4/ip_forward");
        let sides = [(SERVER, &network.server), (WORKER, &network.worker), (COORDINATOR, &network.coordinator)];
        let is_joined = sides.into_iter().all(|(side, place)| network.join(side, place));
        (is_router && is_joined).then_some(network)
    }

    fn join(&self, side: u32, place: &Place) -> bool {
        let target = place.holder.id();
        self.router.does(&format!(
            "ip link add to{side} type veth peer name out netns {target}
             ip address add 10.77.{side}.1/24 dev to{side}; ip link set to{side} up"
        )) && place.does(&format!(
            "ip link set lo up; ip address add 10.77.{side}.2/24 dev out; ip link set out up
             ip route add default via 10.77.{side}.1"
        ))
    }

    /// Silently drops all packets from and to this side.
    fn cut(&self, side: u32) {
        assert!(self.router.does(&format!(
            "ip rule add pref 10 iif to{side} blackhole; ip rule add pref 11 to 10.77.{side}.0/24 blackhole"
        )));
    }

    fn heal(&self) {
        assert!(self.router.does("ip rule del pref 10; ip rule del pref 11"));
    }
}

/// Disconnects a worker until that is reported, has another worker play its pairs, and waits for it to reconnect.
fn cut_worker(sandbox: &Sandbox, network: &Network) {
    let silence = "worker far has been silent";
    let before = output_of(sandbox, "session").matches(silence).count();
    network.cut(WORKER);
    wait_until("its silence is reported", || output_of(sandbox, "session").matches(silence).count() > before);
    let near = worker(sandbox, "nats://127.0.0.1:4222", "near", 1);
    let mut near = Running::start(network.server.inside(&near).stderr(log(sandbox, "near")));
    wait_until("another one plays", || played_by(sandbox, "near") >= 50);
    assert_eq!(near.terminate(), Some(0), "{}", output_of(sandbox, "near"));
    let played = played_by(sandbox, "far");
    network.heal();
    wait_until("it plays again", || played_by(sandbox, "far") > played);
}

/// Disconnects the coordinator until it notices, and waits for it to reconnect by itself.
fn cut_coordinator(sandbox: &Sandbox, network: &Network) {
    network.cut(COORDINATOR);
    wait_until("it knows", || output_of(sandbox, "session").contains("is lost; trying again"));
    let before = pairs(sandbox);
    network.heal();
    wait_until("it continues", || pairs(sandbox) > before);
}

/// A run whose network is cut twice, at times drawn from a seed.
fn through_cuts(seed: u64) {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let network = Network::open(&sandbox).expect("networks are allowed");
    configure_at(&sandbox, 4222, "");
    let mut server = Command::new(program().expect("the test is ignored without it"));
    server.arg("-c").arg(sandbox.path("nats.conf")).arg("-l").arg(sandbox.path("nats.log"));
    let _server = Running::start(network.server.inside(&server).stdout(Stdio::null()).stderr(Stdio::null()));
    wait_until("the server listens", || output_of(&sandbox, "nats").contains("Server is ready"));
    let url = "nats://10.77.1.2:4222";
    let far = worker(&sandbox, url, "far", 1);
    let _far = Running::start(network.worker.inside(&far).stderr(log(&sandbox, "far")));
    let session = sandbox.command(&["match", "m.toml", "--fleet", url]);
    let mut session = network.coordinator.inside(&session);
    let mut session = Running::start(session.stdout(Stdio::null()).stderr(log(&sandbox, "session")));
    // Multiplying and shifting is random enough.
    let luck = |number: u64| (seed * 2 + number).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
    let mut cuts = [cut_worker, cut_coordinator];
    cuts.rotate_left((seed % 2) as usize);
    for (number, cut) in (0..).zip(cuts) {
        wait_for_pairs(&sandbox, 50 + 250 * number + luck(number) / 3);
        cut(&sandbox, &network);
    }
    ends_well(&sandbox, &mut session);
    comes_out_as(&sandbox, "match-m-1", expected_match());
}

pub(crate) fn a_network_that_swallows_all_for_a_while() {
    std::thread::scope(|scope| {
        for seed in 1..=2 {
            scope.spawn(move || through_cuts(seed));
        }
    });
}
