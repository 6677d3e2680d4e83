//! The programs and weights that pairs name by their content, in a folder of this machine: `<folder>/<SHA-256>/<name>`.
//!
//! The content of files matches their names: each file is hashed at its first use, and checked again whenever it is
//! started. Programs that this machine builds from their sources are in `<folder>/builds`, named by the content of the
//! result.

use super::pool::Holder;
use crate::content::{FetchError, fetch};
use crate::message::EngineNotice;
use crate::worker_setup::{Named, ToBuild};
use arena::config::ReferenceSpeed;
use arena::run::{PairSpec, content_name, content_of};
use async_nats::jetstream::Context;
use engine::{Evaluator, Policy};
use play::child::{ContentHash, Executable};
use play::entrant::{Entrant, NativeSpec, PlayerSpec, ProcessSpec};
use play::players::process::{Introduction, Programs, unknown_network, unknown_policy};
use play::protocol::OptionError;
use play::{NetworkError, NetworkFile, PolicyFile};
use session::builds::{Build, BuildEvent};
use session::speed::{Bench, measure};
use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The maximum number of engines' messages that are kept.
const MOST_NOTICES: usize = 1000;

/// A file that has not been used for this long is removed.
const MISSED_FOR: Duration = Duration::from_secs(10);

/// The folder, and its files in use.
pub(super) struct Cache {
    folder: PathBuf,
    programs: Mutex<BTreeMap<String, Executable>>,
    networks: Mutex<BTreeMap<String, Arc<NetworkFile>>>,
    policies: Mutex<BTreeMap<String, Arc<PolicyFile>>>,
    /// All messages of engines.
    notices: Mutex<Vec<EngineNotice>>,
    /// The files that the server did not have, and when each was last requested.
    missed: Mutex<BTreeMap<String, Instant>>,
    /// The programs that entrants name, by the local builds for them.
    built_for: Mutex<BTreeMap<Named, BTreeSet<Named>>>,
    /// The results of programs' benches, in nodes per second.
    speeds: Mutex<BTreeMap<String, NonZeroU64>>,
    /// Serializes builds and benches.
    building: tokio::sync::Mutex<()>,
    /// Serializes fetches: many pairs need the same files.
    fetching: tokio::sync::Mutex<()>,
}

/// Returns the files that an entrant names by their content.
fn files_of(entrant: &Entrant) -> impl Iterator<Item = &str> {
    let program = entrant.player.process().map(|process| process.command.as_str());
    program.filter(|command| play::child::address(command).is_none()).into_iter().chain(entrant.player.weights())
}

/// Returns a text that identifies the program of a bench, whatever limit the entrant plays by.
fn program_of(entrant: &Entrant) -> String {
    match &entrant.player {
        PlayerSpec::Process(process) => {
            let ProcessSpec { command, arguments, directory, environment, .. } = &**process;
            format!("{command} {arguments:?} {directory:?} {environment:?}")
        }
        PlayerSpec::Native(native) => {
            let NativeSpec { search, evaluation, network, policy, table_bytes, params, .. } = &**native;
            format!("{search} {evaluation:?} {network:?} {policy:?} {table_bytes} {params:?}")
        }
        PlayerSpec::Random | PlayerSpec::Custom(_) => String::new(),
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    pub(super) fn new(folder: PathBuf) -> Self {
        let (programs, networks, policies, notices, missed, built_for, speeds, building, fetching) = Default::default();
        Self { folder, programs, networks, policies, notices, missed, built_for, speeds, building, fetching }
    }

    /// Returns the path for a content name, with its SHA-256.
    fn place(&self, name: &str) -> Result<(String, PathBuf), String> {
        let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match content_of(name) {
            Some((sha256, file)) if is_hash(sha256) && !file.contains('/') && !matches!(file, "" | "." | "..") => {
                Ok((sha256.to_owned(), self.folder.join(sha256).join(file)))
            }
            _ => Err(format!("`{name}` is not a content name")),
        }
    }

    /// Whether all files that a pair names are here.
    pub(super) fn has(&self, spec: &PairSpec) -> bool {
        spec.seats.iter().flat_map(|entrant| files_of(entrant)).all(|name| {
            let is_used = lock(&self.programs).contains_key(name)
                || lock(&self.networks).contains_key(name)
                || lock(&self.policies).contains_key(name);
            is_used || self.place(name).is_ok_and(|(_, path)| path.exists())
        })
    }

    /// Fetches all missing files that a pair names.
    ///
    /// # Errors
    /// The reason why a file is unavailable.
    pub(super) async fn provide(&self, spec: &PairSpec, jetstream: &Context) -> Result<(), FetchError> {
        for entrant in &spec.seats {
            self.provide_for(entrant, jetstream).await?;
        }
        Ok(())
    }

    /// Fetches the file that an entrant names, unless it was built here.
    ///
    /// # Errors
    /// The reason why the file is unavailable.
    pub(super) async fn provide_for(&self, entrant: &Entrant, jetstream: &Context) -> Result<(), FetchError> {
        let of = |why: String| format!("entrant \"{}\": {why}", entrant.name);
        let _others_wait = self.fetching.lock().await;
        for name in files_of(entrant) {
            if lock(&self.programs).contains_key(name) {
                continue;
            }
            let (sha256, path) = self.place(name).map_err(|why| FetchError::Here(of(why)))?;
            self.get(jetstream, &sha256, &path).await.map_err(|why| match why {
                FetchError::Yet(why) => FetchError::Yet(of(why)),
                FetchError::Here(why) => FetchError::Here(of(why)),
            })?;
        }
        Ok(())
    }

    /// Returns a file of weights, which is read once.
    fn weights<T>(
        &self,
        known: &Mutex<BTreeMap<String, Arc<T>>>,
        name: &str,
        read: fn(&Path) -> Result<T, NetworkError>,
        content: fn(&T) -> ContentHash,
    ) -> Result<Arc<T>, String> {
        let (sha256, path) = self.place(name)?;
        let mut known = lock(known);
        if let Some(file) = known.get(name) {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(read(&path).map_err(|error| error.to_string())?);
        if content(&file).to_string() != sha256 {
            return Err(format!("{} was changed. Remove it, and it is fetched again", path.display()));
        }
        known.insert(name.to_owned(), Arc::clone(&file));
        Ok(file)
    }

    /// Returns the nodes per second of an entrant's bench on this machine, with this many concurrent runs and this
    /// deadline. No games are played meanwhile. Later calls return the first measurement.
    ///
    /// # Errors
    /// The reason why the speed is unknown, in words.
    pub(super) async fn measure(
        self: &Arc<Self>,
        entrant: Entrant,
        reference: ReferenceSpeed,
        (workers, within): (NonZeroUsize, Duration),
        holder: &Holder,
        stop: &Arc<AtomicBool>,
    ) -> Result<NonZeroU64, String> {
        // Waits for builds to finish.
        let _others_wait = self.building.lock().await;
        let what = format!("{workers} {:?} {}", reference.arguments, program_of(&entrant));
        if let Some(known) = lock(&self.speeds).get(&what) {
            return Ok(*known);
        }
        let Some(_games_wait) = holder.hold(stop).await else { return Err("it was interrupted".to_owned()) };
        let (cache, stop) = (Arc::clone(self), Arc::clone(stop));
        let measured = tokio::task::spawn_blocking(move || {
            let bench = Bench { workers, within, stop: &stop };
            let measured = measure(&entrant.player, &reference, &*cache, bench).map_err(|error| error.to_string())?;
            lock(&cache.speeds).insert(what, measured);
            Ok(measured)
        });
        measured.await.unwrap_or_else(|_| Err("measuring ended in a panic".to_owned()))
    }

    /// Fetches a file, and notes whether the server has it.
    async fn get(&self, jetstream: &Context, sha256: &str, path: &Path) -> Result<(), FetchError> {
        let fetched = fetch(jetstream, sha256, path).await;
        let mut missed = lock(&self.missed);
        match &fetched {
            Err(FetchError::Yet(_)) => drop(missed.insert(sha256.to_owned(), Instant::now())),
            Ok(()) | Err(FetchError::Here(_)) => drop(missed.remove(sha256)),
        }
        fetched
    }

    /// Returns the files that the server was recently asked for and did not have.
    pub(super) fn missed(&self) -> Vec<String> {
        let mut missed = lock(&self.missed);
        missed.retain(|_, at| at.elapsed() < MISSED_FOR);
        missed.keys().cloned().collect()
    }

    /// Fetches the file with this content, under this name, unless it is here.
    ///
    /// # Errors
    /// The reason why the file is unavailable.
    pub(super) async fn fetch(&self, jetstream: &Context, sha256: &str, name: &str) -> Result<PathBuf, FetchError> {
        let (sha256, path) = self.place(&content_name(sha256, name)).map_err(FetchError::Here)?;
        let _others_wait = self.fetching.lock().await;
        self.get(jetstream, &sha256, &path).await?;
        Ok(path)
    }

    /// Builds a program from the archive of its sources, unless it was built before. Returns the entrants' name for it,
    /// and its name here.
    ///
    /// # Errors
    /// The reason why it cannot be built here, in words.
    pub(super) async fn build(
        self: &Arc<Self>,
        to_build: ToBuild,
        archive: PathBuf,
        on_step: impl Fn(String) + Send + 'static,
        stop: &Arc<AtomicBool>,
    ) -> Result<(Named, Named), String> {
        let _others_wait = self.building.lock().await;
        let (cache, stop) = (Arc::clone(self), Arc::clone(stop));
        let built = tokio::task::spawn_blocking(move || {
            let ToBuild { named, build_spec } = to_build;
            // Each text is a line of the worker's log, which needs no progress clock.
            let tell = |news: BuildEvent| {
                if !matches!(news, BuildEvent::Working { .. }) {
                    on_step(news.to_string());
                }
            };
            let build = build_spec.build(&archive, &cache.folder.join("builds"), &stop, &tell);
            let build = build.map_err(|error| error.in_brief())?;
            let directory =
                if named.1.as_deref() == build_spec.directory() { build.directory.clone() } else { named.1.clone() };
            let own = cache.take_in(&build, &named, directory)?;
            Ok((named, own))
        });
        built.await.unwrap_or_else(|_| Err("building ended in a panic".to_owned()))
    }

    /// Records a local build of a program that entrants name; returns its name here.
    fn take_in(&self, build: &Build, named: &Named, directory: Option<PathBuf>) -> Result<Named, String> {
        let file = content_of(&named.0).map_or(named.0.as_str(), |(_, file)| file);
        let own = (content_name(&build.sha256, file), directory);
        let executable = Executable::open(build.program.clone()).map_err(|error| error.to_string())?;
        lock(&self.programs).insert(own.0.clone(), executable);
        lock(&self.built_for).entry(own.clone()).or_default().insert(named.clone());
        Ok(own)
    }

    /// Returns the messages of engines from number `first` on.
    pub(super) fn notices_after(&self, first: usize) -> Vec<EngineNotice> {
        lock(&self.notices).iter().skip(first).cloned().collect()
    }

    fn note(&self, process: &ProcessSpec, notice: impl Fn(String) -> EngineNotice) {
        // The coordinators know the program by other names.
        let own = (process.command.clone(), process.directory.clone());
        let names = lock(&self.built_for).get(&own).cloned().unwrap_or_else(|| [own].into());
        for (command, directory) in names {
            let process = ProcessSpec { command, directory, ..process.clone() };
            if let Ok(process) = serde_json::to_string(&process) {
                let (notice, mut all) = (notice(process), lock(&self.notices));
                if all.len() < MOST_NOTICES && !all.contains(&notice) {
                    all.push(notice);
                }
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
            Some(executable) => {
                executable.check().map_err(|error| error.to_string())?;
                Ok(executable.path().to_owned())
            }
            None => Err(format!("{} is not there", path.display())),
        }
    }

    fn network(&self, native: &NativeSpec) -> Result<Evaluator, String> {
        let name = native.network.as_deref().ok_or_else(|| unknown_network(native))?;
        let file = self.weights(&self.networks, name, NetworkFile::read, NetworkFile::content)?;
        Ok(file.evaluator().clone())
    }

    fn policy(&self, native: &NativeSpec) -> Result<Arc<Policy>, String> {
        let name = native.policy.as_deref().ok_or_else(|| unknown_policy(native))?;
        let file = self.weights(&self.policies, name, PolicyFile::read, PolicyFile::content)?;
        Ok(Arc::clone(file.policy()))
    }

    fn introduced(&self, process: &ProcessSpec, introduction: &Introduction) {
        self.note(process, |process| EngineNotice::Introduced(process, introduction.clone()));
    }

    fn passed_over(&self, process: &ProcessSpec, why: &OptionError) {
        self.note(process, |process| EngineNotice::UnsetOption(process, why.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
