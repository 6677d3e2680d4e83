//! Programs and weights that pairs name by their content, in a folder of this machine: `<folder>/<SHA-256>/<name>`.
//!
//! What is found there is what it is called: each file is hashed when it is first used, and looked at again whenever it is started.

use crate::content::{Unfetched, fetch};
use crate::message::Said;
use arena::run::{PairSpec, content_of};
use async_nats::jetstream::Context;
use engine::Evaluator;
use play::NetworkFile;
use play::child::Executable;
use play::entrant::{Entrant, NativeSpec, PlayerSpec, ProcessSpec};
use play::players::process::{Introduction, Programs, unknown_network};
use play::protocol::OptionError;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The folder, and what was used of it.
pub(super) struct Cache {
    folder: PathBuf,
    programs: Mutex<BTreeMap<String, Executable>>,
    networks: Mutex<BTreeMap<String, Arc<NetworkFile>>>,
    said: Mutex<Vec<Said>>,
    /// Files are fetched one after the other: many pairs want the same.
    fetching: tokio::sync::Mutex<()>,
}

/// The file that an entrant names by its content, if it does.
fn file_of(entrant: &Entrant) -> Option<&str> {
    match &entrant.player {
        PlayerSpec::Process(process) if play::child::address(&process.command).is_none() => Some(&process.command),
        PlayerSpec::Native(native) => native.network.as_deref(),
        _ => None,
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    pub(super) fn new(folder: PathBuf) -> Self {
        let (programs, networks, said, fetching) = Default::default();
        Self { folder, programs, networks, said, fetching }
    }

    /// Where a content is, or is to be.
    fn place(&self, name: &str) -> Result<(String, PathBuf), String> {
        let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match content_of(name) {
            Some((sha256, file)) if is_hash(sha256) && !file.contains('/') && !matches!(file, "" | "." | "..") => {
                Ok((sha256.to_owned(), self.folder.join(sha256).join(file)))
            }
            _ => Err(format!("`{name}` is no name of a content")),
        }
    }

    /// Whether all files are here that a pair names.
    pub(super) fn has(&self, spec: &PairSpec) -> bool {
        spec.seats.iter().filter_map(|entrant| file_of(entrant)).all(|name| {
            let is_used = lock(&self.programs).contains_key(name) || lock(&self.networks).contains_key(name);
            is_used || self.place(name).is_ok_and(|(_, path)| path.exists())
        })
    }

    /// Has all files here that a pair names.
    ///
    /// # Errors
    /// Why one cannot be had.
    pub(super) async fn provide(&self, spec: &PairSpec, jetstream: &Context) -> Result<(), Unfetched> {
        for entrant in &spec.seats {
            let Some(name) = file_of(entrant) else { continue };
            let of = |why: String| format!("entrant \"{}\": {why}", entrant.name);
            let (sha256, path) = self.place(name).map_err(|why| Unfetched::Here(of(why)))?;
            let _others_wait = self.fetching.lock().await;
            fetch(jetstream, &sha256, &path).await.map_err(|why| match why {
                Unfetched::Yet(why) => Unfetched::Yet(of(why)),
                Unfetched::Here(why) => Unfetched::Here(of(why)),
            })?;
        }
        Ok(())
    }

    /// What engines said since this was called last.
    pub(super) fn said(&self) -> Vec<Said> {
        std::mem::take(&mut *lock(&self.said))
    }

    fn note(&self, process: &ProcessSpec, said: impl FnOnce(String) -> Said) {
        if let Ok(process) = serde_json::to_string(process) {
            let (said, mut all) = (said(process), lock(&self.said));
            if !all.contains(&said) {
                all.push(said);
            }
        }
    }
}

impl Programs for Cache {
    fn find(&self, process: &ProcessSpec) -> Result<PathBuf, String> {
        let (sha256, path) = self.place(&process.command)?;
        let mut programs = lock(&self.programs);
        if !programs.contains_key(&process.command) {
            let executable = Executable::open(&path).map_err(|error| error.to_string())?;
            let found = executable.content().to_string();
            if found != sha256 {
                return Err(format!(
                    "{} was changed: it is {found} now. Remove it, and it is fetched again",
                    path.display()
                ));
            }
            programs.insert(process.command.clone(), executable);
        }
        match programs.get_mut(&process.command) {
            Some(executable) => executable.check().map_err(|error| error.to_string())?,
            None => return Err(format!("{} is not there", path.display())),
        }
        Ok(path)
    }

    fn network(&self, native: &NativeSpec) -> Result<Evaluator, String> {
        let name = native.network.as_deref().ok_or_else(|| unknown_network(native))?;
        let (sha256, path) = self.place(name)?;
        let mut networks = lock(&self.networks);
        if !networks.contains_key(name) {
            let file = NetworkFile::read(&path).map_err(|error| error.to_string())?;
            if file.content().to_string() != sha256 {
                return Err(format!("{} was changed. Remove it, and it is fetched again", path.display()));
            }
            networks.insert(name.to_owned(), Arc::new(file));
        }
        networks.get(name).map(|file| file.evaluator().clone()).ok_or_else(|| unknown_network(native))
    }

    fn introduced(&self, process: &ProcessSpec, introduction: &Introduction) {
        self.note(process, |process| Said::Introduced(process, introduction.clone()));
    }

    fn passed_over(&self, process: &ProcessSpec, why: &OptionError) {
        self.note(process, |process| Said::PassedOver(process, why.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let cache = Cache::new("/cache".into());
        let hash = "0f".repeat(32);
        let (sha256, path) = cache.place(&format!("sha256:{hash}/dev")).unwrap();
        assert_eq!((sha256, path), (hash.clone(), Path::new("/cache").join(&hash).join("dev")));
        for bad in
            ["dev", "sha256:../dev", "sha256:00/dev", &format!("sha256:{hash}/../dev"), &format!("sha256:{hash}/..")]
        {
            assert!(cache.place(bad).is_err(), "{bad}");
        }
    }
}
