//! Programs and weights on the server, by the SHA-256 of their content: put there once, fetched and checked by whoever needs them.

use crate::error::FleetError;
use crate::link::{Link, words};
use crate::names::{CONTENT, CONTENT_STREAM};
use async_nats::jetstream::object_store::{Config, ObjectMetadata, ObjectStore};
use play::child::ContentHash;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// What is put on the server stays there for so long.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// Puts files on the server that are not there yet: each with the SHA-256 that it is to have.
///
/// # Errors
/// [`FleetError`]; a file that has changed meanwhile is refused.
pub(crate) async fn publish<'a>(
    link: &mut Link,
    files: impl Iterator<Item = (&'a String, &'a PathBuf)>,
) -> Result<(), FleetError> {
    let jetstream = link.jetstream.clone();
    let config = Config { bucket: CONTENT.to_owned(), max_age: KEPT, num_replicas: 1, ..Config::default() };
    let store = match link.allowed("tell what it keeps", jetstream.get_object_store(CONTENT)).await {
        Ok(store) => store,
        Err(error @ FleetError::NotAllowed { .. }) => return Err(error),
        Err(_) => link.allowed("keep programs", jetstream.create_object_store(config)).await?,
    };
    for (sha256, path) in files {
        if !has(&store, sha256).await {
            put(&store, sha256, path).await?;
        }
    }
    Ok(())
}

async fn has(store: &ObjectStore, sha256: &str) -> bool {
    store.info(sha256).await.is_ok_and(|info| !info.deleted)
}

async fn put(store: &ObjectStore, sha256: &str, path: &Path) -> Result<(), FleetError> {
    let unreadable = |cause| FleetError::io(format!("cannot read {}", path.display()), cause);
    let bytes = tokio::fs::read(path).await.map_err(unreadable)?;
    let found = ContentHash::of(&bytes[..]).map_err(unreadable)?.to_string();
    if found != sha256 {
        return Err(FleetError::Missing(format!("{} has changed since the run began", path.display())));
    }
    let meta = ObjectMetadata { name: sha256.to_owned(), ..ObjectMetadata::default() };
    let stored = store.put(meta, &mut &bytes[..]).await;
    stored.map(drop).map_err(|error| FleetError::Server { what: "keep a program", why: words(&error) })
}

/// Why a file cannot be had, in words.
#[derive(Debug)]
pub(crate) enum Unfetched {
    /// The server does not have it, and may later.
    Yet(String),
    /// This machine cannot keep it.
    Here(String),
}

/// Fetches a file from the server into a place of the cache, unless it is there.
///
/// # Errors
/// [`Unfetched`]
pub(crate) async fn fetch(
    jetstream: &async_nats::jetstream::Context,
    sha256: &str,
    to: &Path,
) -> Result<(), Unfetched> {
    if to.exists() {
        return Ok(());
    }
    let bytes = read(jetstream, sha256).await.map_err(Unfetched::Yet)?;
    keep(&bytes, to).map_err(|error| Unfetched::Here(format!("it cannot be kept in {}: {error}", to.display())))
}

/// Reads what the server has under a SHA-256, and checks it.
async fn read(jetstream: &async_nats::jetstream::Context, sha256: &str) -> Result<Vec<u8>, String> {
    let unknown = |error: &dyn std::error::Error| format!("the server does not have it: {}", words(error));
    let store = jetstream.get_object_store(CONTENT).await.map_err(|error| unknown(&error))?;
    let info = store.info(sha256).await.map_err(|error| unknown(&error))?;
    let stream = jetstream.get_stream_no_info(CONTENT_STREAM).await.map_err(|error| unknown(&error))?;
    let subject = format!("$O.{CONTENT}.C.{}", info.nuid);
    let (mut bytes, mut next) = (Vec::with_capacity(info.size), 1);
    // One message after the other: whoever may read them need not be let make consumers.
    for _ in 0..info.chunks {
        let chunk = stream.get_first_raw_message_by_subject(&subject, next).await.map_err(|error| unknown(&error))?;
        bytes.extend_from_slice(&chunk.payload);
        next = chunk.sequence + 1;
    }
    let found = ContentHash::of(&bytes[..]).map_err(|error| error.to_string())?.to_string();
    if found != sha256 {
        return Err(format!("what the server has under {sha256} is {found}"));
    }
    Ok(bytes)
}

/// Writes a file in one step, so that nobody finds half of it.
fn keep(bytes: &[u8], to: &Path) -> std::io::Result<()> {
    let folder = to.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // A program that somebody has open to be written cannot be started.
    let path = NamedTempFile::new_in(folder)?.into_temp_path();
    std::fs::write(&path, bytes)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    // Whoever was quicker has written the same.
    path.persist(to)?;
    Ok(())
}
