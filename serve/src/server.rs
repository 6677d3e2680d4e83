//! The server: its threads, its connections and their limits, and its shutdown.

use crate::access;
use crate::api::{self, App};
use crate::control::Control;
use crate::deadline_stream::DeadlineStream;
use crate::jobs::Jobs;
use crate::listing::Listing;
use crate::notify::Notifier;
use crate::peer::Peer;
use crate::places::{Answering, Guest, Places};
use crate::run_watcher::{Listeners, look_on};
use crate::settings::{Limits, Settings, SettingsError};
use crate::spool::Spool;
use crate::starters::Starters;
use crate::webhook::Deliverer;
use crate::workers::Crew;
use arena::run::threads_granted;
use axum::body::Body;
use axum::http::Method;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The buffer size in bytes for a request's head, and for unsent output.
const BUFFER: usize = 32 << 10;
/// The deadline for connections to end when the server stops.
const END_WITHIN: Duration = Duration::from_secs(3);
/// How long to wait after a failed accept, such as without free file descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// The number of threads that talk with clients.
const WORKERS: usize = 2;
/// The number of threads that read journals and make reports on request, besides those of exports.
const READERS: usize = 8;
/// How long idle reading threads stay: an answer must not need a thread that the system may not grant then.
const READERS_STAY: Duration = Duration::from_hours(24 * 365);
/// The deadline for the first reading thread to start.
const READER_WITHIN: Duration = Duration::from_secs(10);

/// An error that prevents the server from starting.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The settings are not allowed.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The address is unavailable.
    #[error("cannot listen on {listen}: {cause}")]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// The reason.
        cause: io::Error,
    },
    /// The queue of the runs to start cannot be used.
    #[error("cannot keep the queue in {folder}: {cause}")]
    Queue {
        /// The folder of the runs.
        folder: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// The system grants no threads for the server.
    #[error("cannot start the server's threads: {0}")]
    Threads(io::Error),
    /// Messages of the webhook cannot be stored until they are delivered.
    #[error("--webhook: {0}")]
    Webhook(io::Error),
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    settings: Settings,
    listener: TcpListener,
    address: SocketAddr,
    stop: watch::Sender<bool>,
}

/// Stops a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Lets the server answer the current requests, and stops it.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Listens; requests are answered once it [runs](Self::run).
    ///
    /// # Errors
    /// [`ServeError`] if the settings are not allowed, or the address is unavailable.
    pub fn bind(settings: Settings) -> Result<Self, ServeError> {
        settings.check()?;
        let failed = |cause| ServeError::Listen { listen: settings.listen, cause };
        let listener = TcpListener::bind(settings.listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { settings, listener, address, stop: watch::Sender::new(false) })
    }

    /// Returns the address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a handle that stops the server.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Serves until it is stopped. Calls `ready` once the server can answer requests.
    ///
    /// # Errors
    /// [`ServeError::Threads`], [`ServeError::Webhook`] and [`ServeError::Queue`].
    pub fn run(self, ready: impl FnOnce()) -> Result<(), ServeError> {
        let starters = Arc::new(Starters::read(&self.settings.runs));
        let listing = Arc::new(Listing::new(session::unix_ms().unsigned_abs(), Arc::clone(&starters)));
        // Lists the runs before the first request: a page that continues with a restarted server finds its run.
        listing.set(arena::run::RunFolder::list(&self.settings.runs).unwrap_or_default());
        let notifier = self.settings.notify.clone().map(Notifier::start).transpose().map_err(ServeError::Threads)?;
        let listeners = Listeners { notifier, deliverer: self.deliverer()? };
        let (_looks_on, is_over) = sync_channel(0);
        let jobs = Arc::new(Jobs::new(&self.settings.runs, starters));
        let (looked, folder) = ((Arc::clone(&listing), Arc::clone(&jobs)), self.settings.runs.clone());
        let looks = move || look_on((&looked.0, &looked.1), &folder, &listeners, &is_over);
        let _ends_by_itself = Builder::new().name("look".to_owned()).spawn(looks).map_err(ServeError::Threads)?;
        let control = self.control(&listing, &jobs)?;
        let kept = control.as_ref().map(|control| control.file("workers.json"));
        let crew = self.settings.workers.clone();
        let crew = crew.map(|workers| Arc::new(Crew::new(workers, control.is_some(), kept)));
        let (_watches_on, no_watch) = sync_channel(0);
        if let Some(crew) = crew.clone() {
            let listing = Arc::clone(&listing);
            let watches = move || crew.watch(&listing, &no_watch);
            let _ends_by_itself =
                Builder::new().name("workers".to_owned()).spawn(watches).map_err(ServeError::Threads)?;
        }
        let runtime = runtime().map_err(ServeError::Threads)?;
        let plays = control.as_ref().map(|control| {
            let control = Arc::clone(control);
            Builder::new().name("queue".to_owned()).spawn(move || control.work())
        });
        let plays = plays.transpose().map_err(ServeError::Threads)?;
        ready();
        let served = runtime.block_on(self.accept(listing, jobs, control.clone(), crew));
        if let (Some(control), Some(plays)) = (control, plays) {
            control.end();
            // Committed pairs are kept; games in progress are lost.
            let _panicked = plays.join();
        }
        served?;
        // A report in the making may take a while, and has no reader any more.
        runtime.shutdown_timeout(Duration::from_millis(100));
        Ok(())
    }

    fn deliverer(&self) -> Result<Option<Deliverer>, ServeError> {
        let Some(webhook) = self.settings.webhook.clone() else { return Ok(None) };
        let spool = Spool::open(&self.settings.runs).map_err(ServeError::Webhook)?;
        Deliverer::start(webhook, spool).map(Some).map_err(ServeError::Threads)
    }

    fn control(&self, listing: &Arc<Listing>, jobs: &Arc<Jobs>) -> Result<Option<Arc<Control>>, ServeError> {
        let Some(leave) = self.settings.control.clone() else { return Ok(None) };
        let folder = &self.settings.runs;
        let opened = Control::open(folder, leave, Arc::clone(listing), Arc::clone(jobs));
        let opened = opened.map_err(|cause| ServeError::Queue { folder: folder.clone(), cause })?;
        Ok(Some(Arc::new(opened)))
    }

    async fn accept(
        self,
        listing: Arc<Listing>,
        jobs: Arc<Jobs>,
        control: Option<Arc<Control>>,
        crew: Option<Arc<Crew>>,
    ) -> Result<(), ServeError> {
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(ServeError::Threads)?;
        let interface = api::router(App::new(listing, jobs, control, crew, self.settings.png, self.stop.subscribe()));
        let service = TowerToHyperService::new(access::router(interface, &self.settings));
        let limits = self.settings.limits;
        let places = Places::new(limits.connections, limits.silent_each);
        let mut conversations = JoinSet::new();
        let mut stop = self.stop.subscribe();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _stopped = stop.wait_for(|stop| *stop) => break,
            };
            let Ok((stream, from)) = accepted else {
                tokio::time::sleep(ACCEPT_AGAIN).await;
                continue;
            };
            while conversations.try_join_next().is_some() {}
            // A connection without a place is dropped, which closes it.
            let Some(guest) = places.admit(from.ip()) else { continue };
            conversations.spawn(converse(stream, guest, from, service.clone(), limits, stop.clone()));
        }
        drop(listener);
        let ended = async { while conversations.join_next().await.is_some() {} };
        let _those_left_are_cut_off = timeout(END_WITHIN, ended).await;
        Ok(())
    }
}

/// Returns the runtime for answers, with at least one reading thread.
fn runtime() -> io::Result<Runtime> {
    // tokio panics if it is refused its first thread.
    threads_granted(WORKERS + 1)?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(WORKERS).max_blocking_threads(READERS + api::LONG).thread_keep_alive(READERS_STAY);
    runtime.thread_name("serve").enable_all();
    let panicked = |_panic| Err(io::Error::other("the system grants none"));
    let runtime = catch_unwind(AssertUnwindSafe(|| runtime.build())).unwrap_or_else(panicked)?;
    let reader = runtime.spawn_blocking(|| ());
    let came = runtime.block_on(async { timeout(READER_WITHIN, reader).await });
    came.map(|_it_is_there| runtime).map_err(|_late| io::Error::other("the system grants none that reads runs"))
}

/// Answers the requests of one connection.
async fn converse(
    stream: TcpStream,
    guest: Guest,
    from: SocketAddr,
    service: TowerToHyperService<axum::Router>,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
) {
    let _slower_without = stream.set_nodelay(true);
    let io = TokioIo::new(DeadlineStream::new(stream, limits.taken_within));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head_within).max_buf_size(BUFFER).keep_alive(true);
    let guest = &guest;
    let service = service_fn(move |mut request: Request<Incoming>| {
        let exchange = guest.asks();
        match *request.method() {
            // Bodies are read when they arrive.
            Method::POST => drop(request.extensions_mut().insert(Arc::clone(&exchange))),
            _ => exchange.on_request(),
        }
        request.extensions_mut().insert(Peer(from.ip()));
        let answer = service.call(request);
        async move { Ok::<_, Infallible>(answer.await?.map(|body| Body::new(Answering { body, _exchange: exchange }))) }
    });
    let mut connection = std::pin::pin!(http.serve_connection(io, service));
    tokio::select! {
        _ended = connection.as_mut() => return,
        () = guest.sent_away() => return,
        _stopped = stop.wait_for(|stop| *stop) => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ended = connection => {}
        () = guest.sent_away() => {}
    }
}
