//! Messages of a fleet and files of credentials, on inputs that are changed at random; inputs are in `tests/corpus`. No server is needed.

use crate::access::Credentials;
use crate::message::{Hello, Order, Report, Request, RunNews, Unreadable, pack, unpack};
use crate::names::worker_of;
use crate::terms::Terms;
use crate::tidy::{tidy_hello, tidy_run};
use fuzz::{Said, Target};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

fn target(name: &'static str) -> Target {
    Target::new(name, env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn messages() {
    target("message").run(|input| {
        // The first byte chooses what the message is.
        let Some((&choice, bytes)) = input.split_first() else { return Said::Read(String::new()) };
        match choice % 8 {
            0 => packed::<Order>(bytes),
            1 => packed::<Report>(bytes),
            2 => Said::of(unpack::<Report>(bytes), |report| report.answers.len().to_string()),
            3 => Said::of(serde_json::from_slice::<Hello>(bytes).map(tidy_hello), |hello| checked_hello(&hello)),
            4 => Said::of(serde_json::from_slice::<RunNews>(bytes).map(tidy_run), |news| shown(&news)),
            5 => Said::of(serde_json::from_slice::<Request>(bytes), |request| format!("{request:?}")),
            6 => Said::of(serde_json::from_slice::<Terms>(bytes), |terms| terms.is_empty().to_string()),
            _ => Said::Read(format!("{:?}", worker_of(&String::from_utf8_lossy(bytes)).is_some())),
        }
    });
}

/// A message of these bytes before they are compressed: it reads the same when it is packed again.
fn packed<T: Serialize + DeserializeOwned + PartialEq + Debug>(plain: &[u8]) -> Said {
    let mut bytes = crate::message::WIRE.to_le_bytes().to_vec();
    bytes.extend(zstd::bulk::compress(plain, 1).expect("memory"));
    let read: Result<T, Unreadable> = unpack(&bytes);
    Said::of(read, |message| {
        assert_eq!(unpack::<T>(&pack(&message)).as_ref(), Ok(&message));
        format!("{message:?}").chars().take(40).collect()
    })
}

/// What a worker says of itself can be shown and counted with.
fn checked_hello(hello: &Hello) -> String {
    let sum = hello.cores + hello.at_a_time + hello.busy;
    assert!(sum < 1 << 20, "nobody has so many cores");
    shown(&(&hello.spar, &hello.host, &hello.trouble, &hello.preparing.values().collect::<Vec<_>>()));
    let _unfit = hello.unfit();
    format!("{} runs", hello.holds.len())
}

/// As people see it: nothing in it steers a terminal.
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
            Ok(credentials) => Said::Read(format!("{:?}", credentials.role)),
            Err(error) => {
                let message = error.to_string().replace(&*path.to_string_lossy(), "east.creds");
                assert!(secret.is_none_or(|secret| !message.contains(&secret)), "it shows the secret");
                Said::Refused(message)
            }
        }
    });
}
