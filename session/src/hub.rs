//! Passes the events of a session to any number of watchers, none of which can delay it.
//!
//! The hub keeps the latest events, and the state that results from all events. A watcher reads at its own speed; if it
//! has missed events that are no longer kept, it gets the state instead.

use crate::event::{Event, State};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of events that are kept for watchers that are slower than the session.
const MOST_EVENTS: usize = 4096;

/// The receiver of events.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    inner: Mutex<Inner>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    state: Arc<State>,
    events: VecDeque<Event>,
    /// The number of events before the kept ones.
    forgotten: u64,
}

impl Inner {
    fn end(&self) -> u64 {
        self.forgotten + self.events.len() as u64
    }
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes an event to all watchers, without waiting for any.
    pub(crate) fn publish(&self, event: Event) {
        let mut inner = self.lock();
        Arc::make_mut(&mut inner.state).apply(&event);
        inner.events.push_back(event);
        if inner.events.len() > MOST_EVENTS {
            inner.events.pop_front();
            inner.forgotten += 1;
        }
        drop(inner);
        self.news.notify_all();
    }

    /// Returns the state that results from all events so far.
    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.lock().state)
    }
}

/// A reader of a session's events. It may be slow or stop reading without affecting others.
///
/// As an iterator, it waits for each event, and ends when the session has ended.
#[derive(Clone, Debug)]
pub struct Watcher {
    hub: Arc<Hub>,
    /// Its position among all events; `None` before it got the current state.
    next: Option<u64>,
    ended: bool,
}

impl Watcher {
    /// Makes a watcher that reads all events if all are still kept, and otherwise gets the state first.
    pub(crate) fn new(hub: Arc<Hub>) -> Self {
        let next = (hub.lock().forgotten == 0).then_some(0);
        Self { hub, next, ended: false }
    }

    /// Waits until `deadline` for the next event; `None` if there was none, or if the session has ended.
    pub fn next_before(&mut self, deadline: Instant) -> Option<Event> {
        if self.ended {
            return None;
        }
        let mut inner = self.hub.lock();
        loop {
            if let Some(event) = Self::read(&mut self.next, &inner) {
                self.ended = match &event {
                    Event::Finished { .. } => true,
                    Event::Resync(state) => state.finished.is_some(),
                    _ => false,
                };
                return Some(event);
            }
            let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            inner = self.hub.news.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn read(next: &mut Option<u64>, inner: &Inner) -> Option<Event> {
        match *next {
            Some(place) if place >= inner.forgotten => {
                let event = inner.events.get((place - inner.forgotten) as usize)?.clone();
                *next = Some(place + 1);
                Some(event)
            }
            _ => {
                *next = Some(inner.end());
                Some(Event::Resync(Arc::clone(&inner.state)))
            }
        }
    }

    /// Returns the state that results from all events so far, read or not.
    pub fn state(&self) -> Arc<State> {
        self.hub.state()
    }
}

/// The time that an iterator waits at once.
const WAIT: Duration = Duration::from_hours(1);

impl Iterator for Watcher {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        while !self.ended {
            if let Some(event) = self.next_before(Instant::now() + WAIT) {
                return Some(event);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warning::Warning;

    fn pace(now: usize) -> Event {
        Event::Warning(Warning::Pace { before: 9, now, workers: 9 })
    }

    fn now(event: Option<Event>) -> Option<usize> {
        match event? {
            Event::Warning(Warning::Pace { now, .. }) => Some(now),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_watcher_reads_everything_in_order() {
        let hub = Arc::new(Hub::default());
        let mut early = Watcher::new(Arc::clone(&hub));
        assert!(early.next_before(Instant::now()).is_none());
        (0..3).for_each(|number| hub.publish(pace(number)));
        let mut late = Watcher::new(Arc::clone(&hub));
        hub.publish(Event::Finished { failure: None });
        for watcher in [&mut early, &mut late] {
            assert_eq!(
                (0..3).map(|_| now(watcher.next_before(Instant::now()))).collect::<Vec<_>>(),
                [0, 1, 2].map(Some)
            );
            assert!(matches!(watcher.next(), Some(Event::Finished { failure: None })));
            assert!(watcher.next().is_none() && watcher.ended);
        }
    }

    #[test]
    fn a_slow_watcher_gets_the_state_and_then_what_follows() {
        let hub = Arc::new(Hub::default());
        let mut asleep = Watcher::new(Arc::clone(&hub));
        (0..MOST_EVENTS + 10).for_each(|number| hub.publish(pace(number)));
        for mut watcher in [Watcher::new(Arc::clone(&hub)), asleep.clone()] {
            let Some(Event::Resync(state)) = watcher.next() else { panic!("a state") };
            assert_eq!(state.warnings.len(), crate::event::MOST_KEPT);
            assert!(watcher.next_before(Instant::now()).is_none());
        }
        assert!(matches!(asleep.next(), Some(Event::Resync(_))));
        hub.publish(pace(7));
        assert_eq!(now(asleep.next()), Some(7));
    }

    #[test]
    fn a_watcher_after_the_end_gets_the_outcome() {
        let hub = Arc::new(Hub::default());
        (0..MOST_EVENTS).for_each(|number| hub.publish(pace(number)));
        hub.publish(Event::Finished { failure: Some("why".into()) });
        let mut late = Watcher::new(hub);
        let Some(Event::Resync(state)) = late.next() else { panic!("a state") };
        assert_eq!(state.finished, Some(Some("why".into())));
        assert!(late.next().is_none());
    }
}
