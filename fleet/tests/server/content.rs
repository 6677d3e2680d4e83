//! Programs and weights on the server: what a worker's key permits, and what becomes of the files.

use crate::{SOON, locked, wait_for};
use async_nats::jetstream::object_store::Config;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use fleet::{Access, Credentials, Store};
use play::child::ContentHash;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tempfile::TempDir;

/// Connects; a server that has just started may drop new connections.
async fn connect(folder: &Path, url: &str, name: &str) -> Store {
    let credentials = Credentials::read(&folder.join(format!("{name}.creds"))).expect("credentials");
    let access = Access { url: url.to_owned(), credentials: Some(credentials) };
    let until = Instant::now() + SOON;
    loop {
        match Store::connect(&access, name).await {
            Ok(store) => return store,
            Err(error) => assert!(Instant::now() < until, "{error}"),
        }
    }
}

fn file(folder: &TempDir, text: &[u8]) -> (String, PathBuf) {
    let sha256 = ContentHash::of(text).expect("short").to_string();
    let path = folder.path().join(&sha256);
    std::fs::write(&path, text).expect("written");
    (sha256, path)
}

pub(crate) fn a_workers_key_removes_no_file_and_what_it_has_the_server_write_is_mended() {
    wait_for(async {
        let server = locked(&["east"]);
        let mut coordinator = connect(server.folder.path(), &server.url, "coordinator").await;
        // Set up by hand, so that files can be removed.
        let old = Config { bucket: Store::BUCKET.to_owned(), ..Config::default() };
        let _store = coordinator.jetstream().create_object_store(old).await.expect("a store");
        let (one, other) = (file(&server.folder, &vec![7; 300_000]), file(&server.folder, b"other"));
        let files: BTreeMap<String, PathBuf> = [one.clone(), other.clone()].into();
        assert_eq!(coordinator.publish(&files).await.expect("published"), 2);
        assert_eq!(coordinator.publish(&files).await.expect("published"), 0);

        let east = connect(server.folder.path(), &server.url, "east").await;
        let about = |sha256: &str| format!("$O.{}.M.{}", Store::BUCKET, URL_SAFE.encode(sha256));
        let wish = serde_json::json!({ "last_by_subj": about(&other.0) }).to_string();
        // The server answers to any subject a client names: to itself, as if asked to remove everything, and in place
        // of a file's description.
        let answers = [format!("$JS.API.STREAM.PURGE.{}", Store::STREAM), about(&one.0)];
        for request in ["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET"] {
            for answer in &answers {
                let subject = format!("$JS.API.{request}.{}", Store::STREAM);
                let wish = if request == "STREAM.INFO" { String::new() } else { wish.clone() };
                east.client().publish_with_reply(subject, answer.clone(), wish.into()).await.expect("sent");
            }
        }
        east.client().flush().await.expect("sent");
        let until = Instant::now() + SOON;
        while east.read(&one.0).await.is_ok() {
            assert!(Instant::now() < until, "the trick does not do what it did");
        }
        assert_eq!(east.read(&other.0).await.as_deref(), Ok(&b"other"[..]), "nothing is removed");
        assert_eq!(coordinator.publish(&files).await.expect("published"), 1);
        assert_eq!(east.read(&one.0).await, Ok(vec![7; 300_000]));

        // The server has lost everything.
        assert_eq!(coordinator.put_back(&files).await.expect("put back"), 0);
        let _gone = coordinator.jetstream().delete_stream(Store::STREAM).await.expect("removed");
        assert_eq!(coordinator.put_back(&files).await.expect("put back"), 2);
        assert_eq!(east.read(&other.0).await.as_deref(), Ok(&b"other"[..]));
    });
}
