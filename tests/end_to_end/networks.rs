//! Weights from files: networks that play each other, and are part of a run's identity.

use crate::support::{Sandbox, wait};
use engine::eval::features::FEATURES;
use engine::eval::network::NetworkParts;
use engine::eval::policy::{BIASES, ROWS};
use engine::{Network, Policy, PolicyParts, WazirPieceSquare};

/// Numbers from `-most` to `most`, determined by the seed.
fn numbers(seed: u64, count: usize, most: i64) -> Vec<i16> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as i64 % (2 * most + 1) - most) as i16
    };
    (0..count).map(|_| next()).collect()
}

/// The bytes of a small network of random weights.
fn network(seed: u64) -> Vec<u8> {
    let parts = NetworkParts {
        hidden: 32,
        buckets: engine::eval::network::Buckets { pieces: 2, plies: 1 },
        feature_weights: numbers(seed, FEATURES * 32, 30),
        feature_biases: numbers(seed + 1, 32, 60),
        output_scale: 64,
        output_weights: numbers(seed + 2, 2 * 2 * 32, 60),
        output_biases: vec![20, -30],
    };
    Network::new(&parts).expect("a network").to_bytes()
}

fn write(sandbox: &Sandbox, name: &str, bytes: &[u8]) {
    std::fs::write(sandbox.path(name), bytes).expect("a writable folder");
}

/// A round robin of two networks and the built-in evaluation.
const MATCH: &str = r#"
name = "nets"
[match]
pairs = 2
schedule = "round-robin"
[openings]
plies = 4
[each]
limit = "60 nodes"
table = "64 KiB"
[[entrant]]
name = "new"
network = "nets/new.bin"
[[entrant]]
name = "linear"
network = "linear.bin"
evaluation = "wps"
[[entrant]]
name = "shipped"
"#;

pub(crate) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("nets")).expect("a folder");
    write(&sandbox, "nets/new.bin", &network(1));
    let linear = WazirPieceSquare::new(numbers(9, FEATURES, 900), 20).expect("6,360 weights");
    write(&sandbox, "linear.bin", &linear.to_bytes());
    sandbox.write("m.toml", MATCH);
    sandbox
}

/// The moves of all games.
fn games(sandbox: &Sandbox, run: &str) -> Vec<String> {
    let exported = sandbox.spar(&["export", run, "--json"]).exits(0).json();
    let pairs = exported["pairs"].as_array().expect("pairs").clone();
    pairs.iter().map(|pair| pair["games"].to_string()).collect()
}

#[test]
#[ignore = "slow"]
fn networks_play_like_settings_and_no_run_resumes_with_others() {
    let sandbox = sandbox();
    let _played = sandbox.spar(&["match", "m.toml", "--concurrency", "1"]).exits(0);
    let _played = sandbox.spar(&["match", "m.toml", "--concurrency", "2"]).exits(0);
    let first = games(&sandbox, "match-nets-1");
    assert_eq!((first.len(), &games(&sandbox, "match-nets-2")), (6, &first), "with other threads and reused players");

    // The file's content, not its path, identifies the player.
    std::fs::rename(sandbox.path("nets/new.bin"), sandbox.path("same.bin")).expect("our own file");
    let moved = ["match", "m.toml", "--set", "entrant.new.network=same.bin"];
    let _played = sandbox.spar(&moved).exits(0);
    assert_eq!(games(&sandbox, "match-nets-3"), first);
    let missing = sandbox.spar(&["resume", "match-nets-1", "--set", "match.pairs=3"]).exits(2);
    assert!(missing.stderr.contains("cannot read nets/new.bin"), "{missing:?}");
    assert!(missing.stderr.contains("config.toml:"), "{missing:?}");

    write(&sandbox, "nets/new.bin", &network(5));
    let changed = sandbox.spar(&["resume", "match-nets-1", "--set", "match.pairs=3"]).exits(2);
    for text in ["so it cannot continue", "builds.0.native.network: ", "builds.0.native.bench: "] {
        assert!(changed.stderr.contains(text), "{text}: {changed:?}");
    }
    let _played = sandbox.spar(&["match", "m.toml"]).exits(0);
    let other = games(&sandbox, "match-nets-4");
    let differ: Vec<bool> = first.iter().zip(&other).map(|(one, other)| one != other).collect();
    assert_eq!(differ.iter().filter(|&&differs| differs).count(), 4, "all games of the other network: {differ:?}");

    std::fs::rename(sandbox.path("same.bin"), sandbox.path("nets/new.bin")).expect("our own file");
    let _resumed = sandbox.spar(&["resume", "match-nets-1", "--set", "match.pairs=3"]).exits(0);
    assert_eq!(games(&sandbox, "match-nets-1").len(), 9);
}

/// The bytes of a policy of random weights for the network with this hash.
fn policy(seed: u64, hash: u64) -> Vec<u8> {
    let parts = PolicyParts {
        network: hash,
        hidden: 32,
        scale: 64,
        weights: numbers(seed, ROWS * 64, 60),
        biases: vec![0; BIASES],
    };
    Policy::new(parts).expect("a policy").to_bytes()
}

/// A tree search with a policy against one without, and against alpha-beta.
const POLICY_MATCH: &str = r#"
name = "trees"
[match]
pairs = 2
schedule = "round-robin"
[openings]
plies = 4
[each]
limit = "60 nodes"
table = "64 KiB"
network = "new.bin"
search = "mcts"
[[entrant]]
name = "guided"
policy = "guide"
[[entrant]]
name = "paper"
mcts_preset = "crazyara"
[[entrant]]
name = "other"
search = "alpha-beta"
"#;

#[test]
fn a_policy_is_part_of_what_a_run_is() {
    let sandbox = Sandbox::new();
    let bytes = network(1);
    let hash = Network::from_bytes(&bytes).expect("a network").hash();
    write(&sandbox, "new.bin", &bytes);
    write(&sandbox, "guide", &policy(3, hash));
    sandbox.write("m.toml", POLICY_MATCH);
    let _played = sandbox.spar(&["match", "m.toml", "--concurrency", "1"]).exits(0);
    let _played = sandbox.spar(&["match", "m.toml", "--concurrency", "3"]).exits(0);
    let first = games(&sandbox, "match-trees-1");
    assert_eq!((first.len(), &games(&sandbox, "match-trees-2")), (6, &first), "with other threads and reused players");

    write(&sandbox, "guide", &policy(5, hash));
    let changed = sandbox.spar(&["resume", "match-trees-1", "--set", "match.pairs=3"]).exits(2);
    for text in ["so it cannot continue", "builds.0.native.policy: ", "builds.0.native.bench: "] {
        assert!(changed.stderr.contains(text), "{text}: {changed:?}");
    }
    write(&sandbox, "guide", &policy(3, hash));
    let _resumed = sandbox.spar(&["resume", "match-trees-1", "--set", "match.pairs=3"]).exits(0);
    assert_eq!(games(&sandbox, "match-trees-1").len(), 9);
}

#[test]
fn games_of_the_tree_search_are_the_same_after_a_kill() {
    let sandbox = Sandbox::new();
    let bytes = network(1);
    write(&sandbox, "new.bin", &bytes);
    write(&sandbox, "guide", &policy(3, Network::from_bytes(&bytes).expect("a network").hash()));
    sandbox.write("m.toml", POLICY_MATCH);
    let longer = ["match", "m.toml", "--set", "match.pairs=8", "--concurrency", "2"];
    let _played = sandbox.spar(&longer).exits(0);
    let mut child = sandbox.start(&longer);
    sandbox.wait_for_pairs("match-trees-2", 2);
    child.kill().expect("it runs");
    let code = wait(child).code;
    assert!(matches!(code, None | Some(0)), "killed in the middle, or over before: {code:?}");
    let _resumed = sandbox.spar(&["resume", "match-trees-2", "--concurrency", "3"]).exits(0);
    let whole = games(&sandbox, "match-trees-1");
    assert_eq!((whole.len(), &games(&sandbox, "match-trees-2")), (24, &whole));
}

#[test]
fn policies_that_cannot_be_used_are_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    let bytes = network(1);
    let hash = Network::from_bytes(&bytes).expect("a network").hash();
    let good = policy(3, hash);
    write(&sandbox, "new.bin", &bytes);
    write(&sandbox, "guide", &good);
    write(&sandbox, "cut", &good[..good.len() / 2]);
    write(&sandbox, "other", &policy(3, hash ^ 1));
    sandbox.write("m.toml", POLICY_MATCH);
    let refused = |setting: &str, why: &str| {
        let refused = sandbox.spar(&["match", "m.toml", "--set", setting]).exits(2);
        // Long messages are wrapped behind a bar.
        let said = refused.stderr.replace('│', " ");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(why), "{why}: {refused:?}");
    };
    refused("entrant.guided.policy=cut", "the weights are cut short or damaged: their check sum is wrong");
    refused(
        "entrant.guided.policy=new.bin",
        "new.bin: not a file of weights of this kind: it does not begin with `spar-",
    );
    refused("entrant.guided.policy=none", "none: No such file");
    refused("entrant.guided.policy=other", "other: a policy for the network ");
    refused("entrant.guided.evaluation=wps", "but the evaluation is not a network");
    refused("entrant.other.policy=guide", "the search `alpha-beta` has no use for a policy");
    refused("entrant.paper.mcts_preset=alphazero", "`alphazero` is not a valid set of parameters");
}

#[test]
fn networks_are_named_on_the_command_line() {
    let sandbox = sandbox();
    let engines = ["--engine", "network=nets/new.bin", "--engine", "evaluation=material", "name=bare"];
    let options = ["--game", "0.1", "--nodes", "30", "--pairs", "1", "--json"];
    let played = sandbox.spar(&[&["match"], &engines[..], &options].concat()).exits(0).json();
    assert_eq!(played["entrants"], serde_json::json!(["new.bin", "bare"]));
    let position = "AFADDW.D/.AADAFAA/..N.A.../......../....n.../......../aa.wafda/adddaaaf - r 6";
    let evaluated = |options: &[&str]| {
        let arguments = [&["eval", position, "--json"], options].concat();
        sandbox.spar(&arguments).exits(0).json()
    };
    let (linear, shipped) = (evaluated(&["--network", "linear.bin"]), evaluated(&[]));
    assert_eq!((&linear["evaluation"], &shipped["evaluation"]), (&"wps".into(), &"network".into()));
    assert_ne!(linear["eval"], shipped["eval"]);
    assert_eq!(evaluated(&["--network", "linear.bin", "--evaluation", "wps"]), linear);
    let refused = sandbox.spar(&["eval", position, "--network", "linear.bin", "--evaluation", "network"]).exits(2);
    assert!(refused.stderr.contains("linear.bin holds the weights of the evaluation wps"), "{refused:?}");
    let refused = sandbox.spar(&["eval", position, "--network", "m.toml"]).exits(2);
    assert!(refused.stderr.contains("not a file of weights"), "{refused:?}");
}
