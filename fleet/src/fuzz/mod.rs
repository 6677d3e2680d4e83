//! Fuzzes the messages of a fleet and credentials files with randomly changed inputs from `tests/corpus`. No server is
//! needed.

use crate::access::Credentials;
use crate::message::{Heartbeat, Order, Report, Request, RunNews, Unreadable, pack, unpack};
use crate::names::worker_of;
use crate::orders::StandingOrder;
use crate::tidy::{tidy_hello, tidy_run};
use crate::worker_setup::WorkerSetup;
use fuzz::{ReadOutcome, Target};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

fn target(name: &'static str) -> Target {
    Target::new(name, env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn messages() {
    target("message").run(|input| {
        // The first byte chooses the kind of message.
        let Some((&choice, bytes)) = input.split_first() else { return ReadOutcome::Read(String::new()) };
        match choice % 8 {
            0 => packed::<Order>(bytes),
            1 => packed::<Report>(bytes),
            2 => ReadOutcome::of(unpack::<Report>(bytes), |report| report.answers.len().to_string()),
            3 => ReadOutcome::of(serde_json::from_slice::<Heartbeat>(bytes).map(tidy_hello), |heartbeat| {
                checked_hello(&heartbeat)
            }),
            4 => ReadOutcome::of(serde_json::from_slice::<RunNews>(bytes).map(tidy_run), |news| shown(&news)),
            5 => ReadOutcome::of(serde_json::from_slice::<Request>(bytes), |request| format!("{request:?}")),
            6 => ReadOutcome::of(serde_json::from_slice::<WorkerSetup>(bytes), |worker_setup| {
                worker_setup.is_empty().to_string()
            }),
            _ => match StandingOrder::read(bytes) {
                Some(order) => ReadOutcome::Read(shown(&order)),
                None => ReadOutcome::Read(format!("{:?}", worker_of(&String::from_utf8_lossy(bytes)).is_some())),
            },
        }
    });
}

/// Reads a message from its bytes before compression, and checks that it reads the same when packed again.
fn packed<T: Serialize + DeserializeOwned + PartialEq + Debug>(plain: &[u8]) -> ReadOutcome {
    let mut bytes = crate::message::WIRE.to_le_bytes().to_vec();
    bytes.extend(zstd::bulk::compress(plain, 1).expect("memory"));
    let read: Result<T, Unreadable> = unpack(&bytes);
    ReadOutcome::of(read, |message| {
        assert_eq!(unpack::<T>(&pack(&message)).as_ref(), Ok(&message));
        format!("{message:?}").chars().take(40).collect()
    })
}

/// Checks that a worker's heartbeat can be shown and counted.
fn checked_hello(heartbeat: &Heartbeat) -> String {
    let sum = heartbeat.cores + heartbeat.at_a_time + heartbeat.busy;
    assert!(sum < 1 << 20, "no machine has so many cores");
    shown(&(&heartbeat.spar, &heartbeat.host, &heartbeat.trouble, &heartbeat.preparing.values().collect::<Vec<_>>()));
    let _unfit = heartbeat.unfit();
    format!("{} runs", heartbeat.holds.len())
}

/// Checks a text as people see it: nothing in it controls a terminal.
fn shown(of: &impl Serialize) -> String {
    let text = serde_json::to_string(of).expect("it can be written");
    assert!(!text.contains("\\u001b") && !text.contains('\u{202e}'), "it steers a terminal: {text}");
    text.len().to_string()
}

#[test]
fn credentials() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("east.creds");
    target("credentials").run(|input| {
        std::fs::write(&path, input).expect("a file");
        let text = String::from_utf8_lossy(input);
        let is_seed = |word: &&str| word.len() > 50 && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let secret = text.split('"').find(is_seed).map(str::to_owned);
        match Credentials::read(&path) {
            Ok(credentials) => ReadOutcome::Read(format!("{:?}", credentials.role)),
            Err(error) => {
                let message = error.to_string().replace(&*path.to_string_lossy(), "east.creds");
                assert!(secret.is_none_or(|secret| !message.contains(&secret)), "it shows the secret");
                ReadOutcome::Refused(message)
            }
        }
    });
}
