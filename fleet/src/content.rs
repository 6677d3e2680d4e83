//! Programs and weights on the server, by the SHA-256 of their content. Each is uploaded once; every worker that needs
//! it fetches and checks it.

use crate::error::FleetError;
use crate::link::{Link, words};
use crate::names::{CONTENT, CONTENT_STREAM};
use async_nats::jetstream::Context;
use async_nats::jetstream::object_store::{ObjectInfo, ObjectOptions, ObjectStore};
use async_nats::jetstream::stream::{self, DiscardPolicy};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use bytes::Bytes;
use futures_util::StreamExt;
use play::child::ContentHash;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::NamedTempFile;

/// How long the server keeps files.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// The bytes of a file in one message.
const CHUNK: usize = 128 << 10;

/// Returns the configuration of the stream that keeps files. It has the layout of a NATS object store, but nothing can
/// be removed before it expires. A server answers to any subject a client names, with its own rights, and would execute
/// an answer that arrives as a request to remove files.
fn stream() -> stream::Config {
    stream::Config {
        name: CONTENT_STREAM.to_owned(),
        subjects: ["C", "M"].map(|kind| format!("$O.{CONTENT}.{kind}.>")).to_vec(),
        max_age: KEPT,
        discard: DiscardPolicy::New,
        allow_direct: true,
        deny_purge: true,
        deny_delete: true,
        ..stream::Config::default()
    }
}

/// Uploads the files that the server lacks or has damaged, each given with its SHA-256. Returns their number.
///
/// # Errors
/// [`FleetError`], also if a file has changed since its SHA-256 was computed.
pub(crate) async fn publish<'a>(
    link: &mut Link,
    files: impl Iterator<Item = (&'a String, &'a PathBuf)>,
) -> Result<usize, FleetError> {
    let jetstream = link.jetstream.clone();
    let known = match link.allowed("tell what it keeps", jetstream.get_stream(CONTENT_STREAM)).await {
        Ok(known) if known.cached_info().config.deny_purge => true,
        // A store with another configuration lets files be removed.
        Ok(_) => link.allowed("keep programs", jetstream.update_stream(stream())).await.map(|_| true)?,
        Err(error @ FleetError::NotAllowed { .. }) => return Err(error),
        Err(_) => false,
    };
    if !known {
        let _made = link.allowed("keep programs", jetstream.create_stream(stream())).await?;
    }
    let store = link.allowed("keep programs", jetstream.get_object_store(CONTENT)).await?;
    put_missing(&jetstream, &store, files).await
}

/// Uploads files, in the background, to a server that may have lost them or its data directory. Returns the number of
/// uploaded files.
///
/// # Errors
/// [`FleetError`]; the server reports denied permissions elsewhere.
pub(crate) async fn put_back(jetstream: Context, files: BTreeMap<String, PathBuf>) -> Result<usize, FleetError> {
    let failed = |why: String| FleetError::Server { what: "keep programs", why };
    if jetstream.get_stream(CONTENT_STREAM).await.is_err() {
        let _made = jetstream.create_stream(stream()).await.map_err(|error| failed(words(&error)))?;
    }
    let store = jetstream.get_object_store(CONTENT).await.map_err(|error| failed(words(&error)))?;
    put_missing(&jetstream, &store, files.iter()).await
}

async fn put_missing<'a>(
    jetstream: &Context,
    store: &ObjectStore,
    files: impl Iterator<Item = (&'a String, &'a PathBuf)>,
) -> Result<usize, FleetError> {
    let mut put_now = 0;
    for (sha256, path) in files {
        if !has(jetstream, store, sha256).await {
            put(jetstream, sha256, path).await?;
            put_now += 1;
        }
    }
    Ok(put_now)
}

/// Whether the server has the whole file. Its description of the file may come from another member.
async fn has(jetstream: &Context, store: &ObjectStore, sha256: &str) -> bool {
    let Ok(info) = store.info(sha256).await else { return false };
    if info.deleted || info.name != sha256 || info.digest != digest(sha256) {
        return false;
    }
    let Ok(stream) = jetstream.get_stream_no_info(CONTENT_STREAM).await else { return false };
    let Ok(mut chunks) = stream.info_with_subjects(format!("$O.{CONTENT}.C.{}", info.nuid)).await else { return false };
    // The server removes the oldest chunks first.
    matches!(chunks.next().await, Some(Ok((_, count))) if count >= info.chunks) || info.chunks == 0
}

/// Converts a hexadecimal SHA-256 to an object store's format.
fn digest(sha256: &str) -> Option<String> {
    let byte = |at: usize| u8::from_str_radix(sha256.get(at..at + 2)?, 16).ok();
    let bytes = (0..sha256.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>()?;
    Some(format!("SHA-256={}", URL_SAFE.encode(bytes)))
}

#[expect(clippy::default_trait_access, reason = "the client has a hash map there, which is empty")]
async fn put(jetstream: &Context, sha256: &str, path: &Path) -> Result<(), FleetError> {
    let unreadable = |cause| FleetError::io(format!("cannot read {}", path.display()), cause);
    let bytes = tokio::fs::read(path).await.map_err(unreadable)?;
    let found = ContentHash::of(&bytes[..]).map_err(unreadable)?.to_string();
    if found != sha256 {
        return Err(FleetError::Missing(format!("{} has changed since the run began", path.display())));
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Each upload has its own name, so that half of another upload is not mistaken for a part of it.
    let nuid = format!("{:x}{}", since.as_nanos(), &sha256[..16]);
    let (bytes, mut chunks) = (Bytes::from(bytes), 0);
    for start in (0..bytes.len()).step_by(CHUNK) {
        let chunk = bytes.slice(start..bytes.len().min(start + CHUNK));
        send(jetstream, format!("$O.{CONTENT}.C.{nuid}"), chunk).await?;
        chunks += 1;
    }
    let info = ObjectInfo {
        name: sha256.to_owned(),
        description: None,
        metadata: Default::default(),
        headers: None,
        options: Some(ObjectOptions { link: None, max_chunk_size: Some(CHUNK) }),
        bucket: CONTENT.to_owned(),
        nuid,
        size: bytes.len(),
        chunks,
        modified: None,
        digest: digest(sha256),
        deleted: false,
    };
    let text = serde_json::to_vec(&info).unwrap_or_default();
    send(jetstream, format!("$O.{CONTENT}.M.{}", URL_SAFE.encode(sha256)), text.into()).await
}

/// Publishes a message and waits until the server keeps it.
async fn send(jetstream: &Context, subject: String, bytes: Bytes) -> Result<(), FleetError> {
    let sent = async { jetstream.publish(subject, bytes).await?.await };
    sent.await.map(drop).map_err(|error| FleetError::Server { what: "keep a program", why: words(&error) })
}

/// Why a file is unavailable, in words.
#[derive(Debug)]
pub(crate) enum FetchError {
    /// The server does not have it now, but may later.
    Yet(String),
    /// This machine cannot store it.
    Here(String),
}

/// Fetches a file from the server into the cache, unless it is there.
///
/// # Errors
/// [`FetchError`]
pub(crate) async fn fetch(jetstream: &Context, sha256: &str, to: &Path) -> Result<(), FetchError> {
    if to.exists() {
        return Ok(());
    }
    let bytes = read(jetstream, sha256).await.map_err(FetchError::Yet)?;
    keep(&bytes, to).map_err(|error| FetchError::Here(format!("it cannot be kept in {}: {error}", to.display())))
}

/// Reads the file with a SHA-256 from the server, and checks it.
async fn read(jetstream: &Context, sha256: &str) -> Result<Vec<u8>, String> {
    let unknown = |error: &dyn std::error::Error| format!("the server does not have it: {}", words(error));
    let store = jetstream.get_object_store(CONTENT).await.map_err(|error| unknown(&error))?;
    let info = store.info(sha256).await.map_err(|error| unknown(&error))?;
    let stream = jetstream.get_stream_no_info(CONTENT_STREAM).await.map_err(|error| unknown(&error))?;
    let subject = format!("$O.{CONTENT}.C.{}", info.nuid);
    let (mut bytes, mut next) = (Vec::with_capacity(info.size), 1);
    // Fetches message by message: readers then need no permission to create consumers.
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

/// Writes a file in one step, so that readers never see half of it.
fn keep(bytes: &[u8], to: &Path) -> std::io::Result<()> {
    let folder = to.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // A program that is open for writing cannot be started.
    let path = NamedTempFile::new_in(folder)?.into_temp_path();
    std::fs::write(&path, bytes)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    // If another writer was faster, it has written the same content.
    path.persist(to)?;
    Ok(())
}

/// The files on the server as one member of a fleet may access them, for tests with a real server.
#[cfg(feature = "server-tests")]
pub struct Store(Link);

#[cfg(feature = "server-tests")]
impl Store {
    /// The object store of NATS.
    pub const BUCKET: &str = CONTENT;
    /// The stream that holds its files.
    pub const STREAM: &str = CONTENT_STREAM;

    /// Connects as a member of the fleet.
    ///
    /// # Errors
    /// [`FleetError`] if the server is unavailable or refuses the member.
    pub async fn connect(access: &crate::access::Access, name: &str) -> Result<Self, FleetError> {
        Link::connect(access, name).await.map(Self)
    }

    /// Returns the connection, for messages of any kind.
    pub fn client(&self) -> &async_nats::Client {
        &self.0.client
    }

    /// Returns the server's streams.
    pub fn jetstream(&self) -> &Context {
        &self.0.jetstream
    }

    /// Uploads the files that the server lacks, by their SHA-256; returns their number.
    ///
    /// # Errors
    /// [`FleetError`] if the server refuses them, or a file has a different SHA-256.
    pub async fn publish(&mut self, files: &BTreeMap<String, PathBuf>) -> Result<usize, FleetError> {
        publish(&mut self.0, files.iter()).await
    }

    /// Uploads the files that the server has lost; returns their number.
    ///
    /// # Errors
    /// [`FleetError`] if the server refuses them.
    pub async fn put_back(&self, files: &BTreeMap<String, PathBuf>) -> Result<usize, FleetError> {
        put_back(self.0.jetstream.clone(), files.clone()).await
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    /// The reason, if the server lacks the file or has a different content.
    pub async fn read(&self, sha256: &str) -> Result<Vec<u8>, String> {
        read(&self.0.jetstream, sha256).await
    }
}
