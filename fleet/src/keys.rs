//! Credentials for all members of a fleet, and the server's configuration with their keys.
//!
//! Each member has its own key with the permissions of its role. A worker may send heartbeats, answer on its own
//! subject, fetch programs, and read its own orders and inbox. The keys are made here. Their seeds are written to files
//! that only their owner can read; the server has the public halves.

use crate::access::{Credentials, Role, Secret};
use crate::error::FleetError;
use crate::names::{CALL, CONTENT_STREAM, WorkerName, heartbeat, inbox, work};
use nkeys::KeyPair;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair as TlsKey, date_time_ymd};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::Builder;

/// The keys to make.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The folder.
    pub folder: PathBuf,
    /// The names and addresses by which machines reach the server; the first is written into the credentials. If empty,
    /// those that the folder already has.
    pub hosts: Vec<String>,
    /// The server's port. If `None`, the one that the folder already has, or 4222.
    pub port: Option<u16>,
    /// Whether connections are encrypted. If `true`, a folder that exists stays as it is.
    pub tls: bool,
    /// The workers to make credentials for, besides those that the folder already has.
    pub workers: Vec<WorkerName>,
}

/// The port of a NATS server, unless another one is given.
const USUAL_PORT: u16 = 4222;

/// The content of the folder's `members.toml`, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Members {
    url: String,
    /// The names and addresses in the server's certificate; none if an earlier version has made the folder.
    #[serde(default)]
    hosts: Vec<String>,
    port: u16,
    tls: bool,
    /// The members with their public keys, by name.
    keys: BTreeMap<String, Member>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Member {
    role: Role,
    key: String,
}

/// Makes missing keys, and rewrites the server's configuration. Returns the files that it wrote. Each file is written
/// whole or not at all; after an interruption, run it again. No key is valid until `members.toml` exists. From then on,
/// a member that is not in it gets a new key.
///
/// # Errors
/// [`FleetError`] if a file cannot be written, or the folder belongs to a fleet with another server.
pub fn make(keys: &Keys) -> Result<Vec<PathBuf>, FleetError> {
    let folder = &keys.folder;
    std::fs::create_dir_all(folder)
        .map_err(|cause| FleetError::io(format!("cannot make {}", folder.display()), cause))?;
    let list = folder.join("members.toml");
    let mut written = Vec::new();
    let (mut members, is_new) = match std::fs::read_to_string(&list) {
        Ok(text) => (known(keys, &list, &text)?, false),
        Err(_) => (found(keys, &mut written)?, true),
    };
    let ca = read_ca(folder, members.tls)?;
    let wanted =
        [("operator", Role::Operator), ("coordinator", Role::Coordinator)].map(|(name, role)| (name.to_owned(), role));
    let workers = keys.workers.iter().map(|worker| (worker.to_string(), Role::Worker));
    for (name, role) in wanted.into_iter().chain(workers) {
        if let Some(member) = members.keys.get(&name) {
            if member.role != role {
                return Err(FleetError::Missing(format!("`{name}` is the name of the {} already", member.role)));
            }
            continue;
        }
        let path = folder.join(format!("{name}.creds"));
        // The key in a file of a member that was removed is no longer valid, and stays so.
        let pair = if is_new { key(&path, role)? } else { KeyPair::new_user() };
        let seed = pair.seed().map_err(|error| FleetError::Missing(format!("no key can be made: {error}")))?;
        members.keys.insert(name.clone(), Member { role, key: pair.public_key() });
        let url = Some(members.url.clone());
        let credentials = Credentials { name: name.clone(), role, url, seed: Secret::new(seed), ca: ca.clone() };
        write_secret(&path, &to_toml(&credentials)?)?;
        written.push(path);
    }
    write(&list, &to_toml(&members)?)?;
    let conf = folder.join("nats.conf");
    write(&conf, &server_configuration(folder, &members)?)?;
    written.push(conf);
    Ok(written)
}

/// Reads the members of a folder that exists.
fn known(keys: &Keys, list: &Path, text: &str) -> Result<Members, FleetError> {
    let members: Members = toml::from_str(text).map_err(|error| FleetError::Credentials {
        path: list.to_owned(),
        why: format!("is not as `spar fleet keys` writes it: {}", error.message()),
    })?;
    if let Some(option) = members.contradicting(keys) {
        let url = &members.url;
        let why = format!("has the keys of the server at {url}, and {option} is for another one: use a new folder");
        return Err(FleetError::Missing(format!("{} {why}", keys.folder.display())));
    }
    Ok(members)
}

impl Members {
    /// Returns the option that asks for another server than the folder's, if any.
    fn contradicting(&self, keys: &Keys) -> Option<&'static str> {
        let is_other = |host: &String| !self.hosts.is_empty() && !self.hosts.contains(host);
        let has_other_first = keys.hosts.first().is_some_and(|host| url(self.tls, host, self.port) != self.url);
        match keys {
            Keys { tls: false, .. } if self.tls => Some("`--no-tls`"),
            Keys { port: Some(port), .. } if *port != self.port => Some("`--port`"),
            Keys { hosts, .. } if has_other_first || hosts.iter().any(is_other) => Some("`--host`"),
            _ => None,
        }
    }
}

fn url(tls: bool, host: &str, port: u16) -> String {
    let scheme = if tls { "tls" } else { "nats" };
    format!("{scheme}://{host}:{port}")
}

/// Returns the key in a file that an interrupted run left, or a new key.
fn key(path: &Path, role: Role) -> Result<KeyPair, FleetError> {
    let unmade = |error: nkeys::error::Error| FleetError::Missing(format!("no key can be made: {error}"));
    if !path.exists() {
        return Ok(KeyPair::new_user());
    }
    let there = Credentials::read(path)?;
    if there.role != role {
        let why = format!("is a key of the {}, not of the {role}; remove it if it is not needed", there.role);
        return Err(FleetError::Credentials { path: path.to_owned(), why });
    }
    KeyPair::from_seed(there.seed.reveal()).map_err(unmade)
}

fn to_toml(value: &impl Serialize) -> Result<String, FleetError> {
    toml::to_string(value).map_err(|error| FleetError::Missing(error.to_string()))
}

/// Sets up a new folder: the server's certificate and its signer's.
fn found(keys: &Keys, written: &mut Vec<PathBuf>) -> Result<Members, FleetError> {
    let hosts =
        if keys.hosts.is_empty() { vec!["localhost".to_owned(), "127.0.0.1".to_owned()] } else { keys.hosts.clone() };
    let port = keys.port.unwrap_or(USUAL_PORT);
    let url = url(keys.tls, &hosts[0], port);
    if keys.tls {
        let broken = |error: rcgen::Error| FleetError::Missing(format!("no certificate can be made: {error}"));
        let mut signer = always_valid(Vec::new()).map_err(broken)?;
        signer.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        signer.distinguished_name.push(rcgen::DnType::CommonName, "spar fleet");
        let signer = CertifiedIssuer::self_signed(signer, TlsKey::generate().map_err(broken)?).map_err(broken)?;
        let server = TlsKey::generate().map_err(broken)?;
        let certificate = always_valid(hosts.clone()).map_err(broken)?.signed_by(&server, &signer).map_err(broken)?;
        // The signing key is not kept, so nobody can make another server that these credentials trust.
        for (name, text) in [("ca.pem", signer.pem()), ("server.pem", certificate.pem())] {
            write(&keys.folder.join(name), &text)?;
            written.push(keys.folder.join(name));
        }
        write_secret(&keys.folder.join("server-key.pem"), &server.serialize_pem())?;
        written.push(keys.folder.join("server-key.pem"));
    }
    Ok(Members { url, hosts, port, tls: keys.tls, keys: BTreeMap::new() })
}

/// Returns a certificate that is valid on machines whose clocks are years off: a machine without a battery starts in
/// 1970.
fn always_valid(hosts: Vec<String>) -> Result<CertificateParams, rcgen::Error> {
    let mut certificate = CertificateParams::new(hosts)?;
    (certificate.not_before, certificate.not_after) = (date_time_ymd(1970, 1, 1), date_time_ymd(4096, 1, 1));
    Ok(certificate)
}

fn read_ca(folder: &Path, tls: bool) -> Result<Option<String>, FleetError> {
    let path = folder.join("ca.pem");
    let read = || {
        std::fs::read_to_string(&path).map_err(|cause| FleetError::io(format!("cannot read {}", path.display()), cause))
    };
    tls.then(read).transpose()
}

/// The server's timeout for a client's part of the TLS handshake, and then for its key. The default of 2 seconds is too
/// short for a worker on a busy machine.
const GREETING_SECONDS: u32 = 30;

/// Returns the server's configuration. Its paths are absolute.
fn server_configuration(folder: &Path, members: &Members) -> Result<String, FleetError> {
    let folder =
        folder.canonicalize().map_err(|cause| FleetError::io(format!("cannot find {}", folder.display()), cause))?;
    let path = |name: &str| folder.join(name).display().to_string();
    let users: Vec<Value> = members
        .keys
        .iter()
        .map(|(name, member)| match permissions(name, member.role) {
            Some(permissions) => json!({ "nkey": member.key, "permissions": permissions }),
            None => json!({ "nkey": member.key }),
        })
        .collect();
    let mut server = json!({
        "port": members.port,
        "jetstream": { "store_dir": path("jetstream") },
        "authorization": { "users": users, "timeout": GREETING_SECONDS },
    });
    if members.tls {
        let (certificate, key) = (path("server.pem"), path("server-key.pem"));
        server["tls"] = json!({ "cert_file": certificate, "key_file": key, "timeout": GREETING_SECONDS });
    }
    let text = serde_json::to_string_pretty(&server).map_err(|error| FleetError::Missing(error.to_string()))?;
    Ok(format!(
        "# Written by `spar fleet keys`, which overwrites it. Start the server: nats-server -c {}\n{text}\n",
        path("nats.conf")
    ))
}

/// Returns a member's permissions; `None` for all.
fn permissions(name: &str, role: Role) -> Option<Value> {
    let inbox = format!("{}.>", inbox(name));
    match role {
        Role::Operator => None,
        Role::Coordinator => Some(json!({
            "publish": ["spar.call", "spar.work.*", "spar.run.*", "$JS.API.>", "$JS.ACK.>", "$JS.FC.>", "$O.spar.>"],
            "subscribe": ["spar.heartbeat.*", "spar.run.*", "spar.ask.*", inbox],
            // Allows answers to requests.
            "allow_responses": true,
        })),
        Role::Worker => {
            let worker: WorkerName = name.parse().ok()?;
            let reads =
                ["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET"].map(|api| format!("$JS.API.{api}.{CONTENT_STREAM}"));
            let direct = format!("$JS.API.DIRECT.GET.{CONTENT_STREAM}.>");
            let mut publish = vec![heartbeat(&worker), format!("spar.result.{worker}.*"), direct];
            publish.extend(reads);
            Some(json!({ "publish": publish, "subscribe": [CALL, work(&worker).as_str(), inbox.as_str()] }))
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), FleetError> {
    write_whole(path, text, 0o644)
}

/// Writes a file that only its owner can read.
fn write_secret(path: &Path, text: &str) -> Result<(), FleetError> {
    write_whole(path, text, 0o600)
}

/// Writes a file in one step: readers never see half of it, even after an interruption.
fn write_whole(path: &Path, text: &str, mode: u32) -> Result<(), FleetError> {
    let make = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = Builder::new().permissions(Permissions::from_mode(mode)).tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    make().map_err(|cause: std::io::Error| FleetError::io(format!("cannot write {}", path.display()), cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(folder: &Path, workers: &[&str]) -> Keys {
        let workers = workers.iter().map(|worker| worker.parse().unwrap()).collect();
        Keys { folder: folder.to_owned(), hosts: vec!["example.org".to_owned()], port: None, tls: true, workers }
    }

    #[test]
    fn everybody_gets_a_key_of_his_own_and_later_ones_are_added() {
        let folder = tempfile::tempdir().unwrap();
        make(&keys(folder.path(), &["east"])).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let (east, conf) = (read("east.creds"), read("nats.conf"));
        let credentials = Credentials::read(&folder.path().join("east.creds")).unwrap();
        assert_eq!((credentials.role, credentials.url.as_deref()), (Role::Worker, Some("tls://example.org:4222")));
        let mode = folder.path().join("east.creds").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(!conf.contains(credentials.seed.reveal()), "the server has public keys alone");
        assert!(!read("members.toml").contains(credentials.seed.reveal()));

        let added = make(&keys(folder.path(), &["east", "west"])).unwrap();
        assert_eq!(added.len(), 2, "{added:?}");
        assert_eq!(read("east.creds"), east);
        assert!(read("nats.conf").contains("spar.result.west.*"));
        let error = make(&keys(folder.path(), &["operator"])).unwrap_err().to_string();
        assert!(error.contains("`operator` is the name of the operator already"), "{error}");
    }

    #[test]
    fn what_was_interrupted_is_brought_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let wanted = keys(folder.path(), &["east"]);
        make(&wanted).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let seed = |name: &str| Credentials::read(&folder.path().join(name)).unwrap().seed;
        let seeds = [seed("east.creds"), seed("coordinator.creds")];
        // As if neither the list nor the configuration had been written, and one key were missing.
        for name in ["members.toml", "nats.conf", "operator.creds"] {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
        make(&wanted).unwrap();
        assert_eq!([seed("east.creds"), seed("coordinator.creds")], seeds);
        for name in ["east", "coordinator", "operator"] {
            let credentials = Credentials::read(&folder.path().join(format!("{name}.creds"))).unwrap();
            assert_eq!(credentials.ca.as_deref(), Some(read("ca.pem").as_str()), "{name} trusts the server");
            let key = KeyPair::from_seed(credentials.seed.reveal()).unwrap().public_key();
            assert!(read("nats.conf").contains(&key), "the server knows {name}");
        }
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 8, "the keys of three, the server's three files, and what it knows");
    }

    #[test]
    fn a_member_that_was_removed_gets_a_new_key() {
        let folder = tempfile::tempdir().unwrap();
        let wanted = keys(folder.path(), &["east", "west"]);
        make(&wanted).unwrap();
        let public = |name: &str| {
            let credentials = Credentials::read(&folder.path().join(format!("{name}.creds"))).unwrap();
            KeyPair::from_seed(credentials.seed.reveal()).unwrap().public_key()
        };
        let (removed, west) = (["east", "coordinator"].map(|name| (name, public(name))), public("west"));
        let list = folder.path().join("members.toml");
        let mut members: Members = toml::from_str(&std::fs::read_to_string(&list).unwrap()).unwrap();
        members.keys.retain(|name, _| name != "east" && name != "coordinator");
        write(&list, &to_toml(&members).unwrap()).unwrap();
        make(&wanted).unwrap();
        let conf = std::fs::read_to_string(folder.path().join("nats.conf")).unwrap();
        for (name, revoked) in removed {
            assert!(!conf.contains(&revoked) && conf.contains(&public(name)), "{name} has a new key");
        }
        assert!(public("west") == west && conf.contains(&west));
    }

    #[test]
    fn options_for_another_server_want_a_new_folder() {
        let folder = tempfile::tempdir().unwrap();
        let keys = |hosts: &[&str]| {
            let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
            Keys { hosts, ..keys(folder.path(), &["east"]) }
        };
        make(&Keys { workers: Vec::new(), ..keys(&["example.org", "10.0.0.1"]) }).unwrap();
        let refused = [
            ("--host", keys(&["other.org"])),
            ("--host", keys(&["10.0.0.1", "example.org"])),
            ("--host", keys(&["example.org", "other.org"])),
            ("--port", Keys { port: Some(4223), ..keys(&[]) }),
            ("--no-tls", Keys { tls: false, ..keys(&[]) }),
        ];
        for (option, keys) in refused {
            let error = make(&keys).unwrap_err().to_string();
            assert!(error.contains(option) && error.ends_with("use a new folder"), "{error}");
        }
        assert!(!folder.path().join("east.creds").exists());
        make(&keys(&[])).unwrap();
        make(&Keys { port: Some(4222), ..keys(&["example.org", "10.0.0.1"]) }).unwrap();
        // Folders of earlier versions list no hosts.
        let list = folder.path().join("members.toml");
        let text = std::fs::read_to_string(&list).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("hosts")).collect();
        write(&list, &lines.join("\n")).unwrap();
        make(&keys(&["example.org", "10.0.0.1"])).unwrap();
        make(&keys(&["other.org"])).unwrap_err();
    }

    #[test]
    fn a_worker_may_do_nothing_in_anothers_name() {
        let permissions = permissions("east", Role::Worker).unwrap();
        let allowed: Vec<&str> = ["publish", "subscribe"]
            .iter()
            .flat_map(|way| permissions[way].as_array().unwrap())
            .filter_map(Value::as_str)
            .collect();
        for subject in &allowed {
            assert!(
                subject.contains("east")
                    || *subject == CALL
                    || subject.ends_with("OBJ_spar")
                    || subject.ends_with("OBJ_spar.>"),
                "{subject}"
            );
        }
    }
}
