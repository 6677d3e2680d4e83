//! Events on their way to watchers: a ring with ids, bounded in number and in bytes. Each watcher takes the events that
//! it has not seen. Watchers have no queues of their own, so a slow watcher costs nothing: it gets `reset`.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The maximum number of events that are kept for clients that reconnect.
const MOST_EVENTS: usize = 4096;
/// The maximum total size of these events in bytes.
const MOST_BYTES: usize = 4 << 20;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EventKind {
    /// A run's standing; a later event replaces an earlier one.
    Run,
    /// A run or a job has been removed.
    Gone,
    /// The queue of this server and what it plays. Published for the run that plays, and for no run.
    Queue,
    /// The workers of the fleet, or their activities, have changed.
    Workers,
    /// The standing of a job of several runs.
    Job,
}

impl EventKind {
    /// Returns the event's name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Gone => "gone",
            Self::Queue => "queue",
            Self::Workers => "workers",
            Self::Job => "job",
        }
    }
}

/// An event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The event's id: one more than the previous event's.
    pub(crate) id: u64,
    /// The event's kind.
    pub(crate) kind: EventKind,
    /// The run.
    pub(crate) run: Arc<str>,
    /// The event's data: JSON on one line.
    pub(crate) data: Arc<str>,
}

/// The events that a watcher has missed.
#[derive(Debug)]
pub(crate) enum Since {
    /// The missed events, the oldest first; for each run and its queue only the latest.
    Events(Vec<Event>),
    /// More events than are kept: the watcher has to start again.
    Reset,
}

#[derive(Debug, Default)]
struct Ring {
    events: VecDeque<Event>,
    bytes: usize,
    last: u64,
}

/// All events of a server.
#[derive(Debug)]
pub(crate) struct Hub {
    /// Distinguishes the ids of this server from those of the one before it.
    epoch: u64,
    ring: Mutex<Ring>,
    newest: watch::Sender<u64>,
}

impl Hub {
    /// Returns a hub without events. Each server has another `epoch`.
    pub(crate) fn new(epoch: u64) -> Self {
        Self { epoch, ring: Mutex::default(), newest: watch::Sender::new(0) }
    }

    /// Publishes an event to all watchers.
    pub(crate) fn publish(&self, kind: EventKind, run: &Arc<str>, data: Arc<str>) {
        let mut ring = self.ring();
        ring.last += 1;
        let id = ring.last;
        ring.bytes += data.len();
        ring.events.push_back(Event { id, kind, run: Arc::clone(run), data });
        while ring.events.len() > MOST_EVENTS || ring.bytes > MOST_BYTES {
            let Some(oldest) = ring.events.pop_front() else { break };
            ring.bytes -= oldest.data.len();
        }
        self.newest.send_replace(id);
    }

    /// Returns the events after the one with this id, of one run or of all.
    pub(crate) fn since(&self, id: u64, run: Option<&str>) -> Since {
        let ring = self.ring();
        let kept = ring.events.front().map_or(ring.last, |oldest| oldest.id - 1);
        if id < kept || id > ring.last {
            return Since::Reset;
        }
        let new = (ring.last - id) as usize;
        let mut seen = BTreeSet::new();
        let of_interest = ring.events.iter().rev().take(new).filter(|event| run.is_none_or(|run| *event.run == *run));
        // The event that a run is gone replaces its other events, and the other way round.
        let about = |event: &Event| (event.kind.max(EventKind::Gone), Arc::clone(&event.run));
        let latest = of_interest.filter(|event| seen.insert(about(event))).cloned();
        let mut events: Vec<Event> = latest.collect();
        events.reverse();
        Since::Events(events)
    }

    /// Returns a receiver of the newest event's id.
    pub(crate) fn newest(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// Returns the id of the newest event in the form that watchers get.
    pub(crate) fn id(&self) -> String {
        self.id_of(self.ring().last)
    }

    /// Returns an id in the form that watchers get.
    pub(crate) fn id_of(&self, id: u64) -> String {
        format!("{:x}-{id}", self.epoch)
    }

    /// Parses an id from a watcher; `None` if it is not an id of this server.
    pub(crate) fn known(&self, id: &str) -> Option<u64> {
        let (epoch, id) = id.split_once('-')?;
        (u64::from_str_radix(epoch, 16).ok()? == self.epoch).then(|| id.parse().ok()).flatten()
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(since: Since) -> Vec<u64> {
        match since {
            Since::Events(events) => events.iter().map(|event| event.id).collect(),
            Since::Reset => panic!("too late"),
        }
    }

    #[test]
    fn a_returning_watcher_gets_the_latest_of_each_run() {
        let hub = Hub::new(7);
        let [a, b] = ["a", "b"].map(Arc::<str>::from);
        for run in [&a, &b, &a, &a] {
            hub.publish(EventKind::Run, run, "{}".into());
        }
        assert_eq!(ids(hub.since(0, None)), [2, 4]);
        assert_eq!(ids(hub.since(2, None)), [4]);
        assert_eq!(ids(hub.since(1, Some("b"))), [2]);
        assert!(ids(hub.since(4, None)).is_empty());
        assert!(matches!(hub.since(5, None), Since::Reset), "no watcher has seen an unpublished event");
    }

    #[test]
    fn ids_of_another_server_are_unknown() {
        let hub = Hub::new(0xa1);
        assert_eq!(hub.known(&hub.id_of(12)), Some(12));
        for id in ["", "a1", "a2-12", "a1-x", "a1--1", "-", "zz-1", "a1-99999999999999999999999"] {
            assert_eq!(hub.known(id), None, "{id}");
        }
    }

    /// Publishes two events per second for a day, of a few runs, and checks that the ring stays within its limits.
    #[test]
    fn a_day_of_events_takes_no_more_memory_than_an_hour() {
        let hub = Hub::new(1);
        let runs: Vec<Arc<str>> = (0..5).map(|n| format!("run-{n}").into()).collect();
        let data: Arc<str> = "x".repeat(1500).into();
        for second in 0..86_400_usize {
            hub.publish(EventKind::Run, &runs[second % 5], Arc::clone(&data));
            hub.publish(EventKind::Run, &runs[0], Arc::clone(&data));
        }
        let ring = hub.ring();
        assert!(ring.events.len() <= MOST_EVENTS && ring.bytes <= MOST_BYTES, "{} {}", ring.events.len(), ring.bytes);
        assert_eq!(ring.bytes, ring.events.iter().map(|event| event.data.len()).sum::<usize>());
        drop(ring);
        assert!(matches!(hub.since(1, None), Since::Reset));
        assert_eq!(ids(hub.since(172_790, None)).last(), Some(&172_800));
    }
}
