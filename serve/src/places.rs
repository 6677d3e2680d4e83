//! Places for connections: a maximum in total, and a smaller one for silent connections of one address.
//!
//! A connection is silent until its first request is complete, and between two requests. Silent connections block no
//! others. When all places are taken, a new connection gets the place of the connection that has been silent the
//! longest, from the address with the most silent ones. Only when all connections are being answered, new ones are
//! closed at once.

use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::Notify;

/// All places.
#[derive(Debug)]
pub(crate) struct Places {
    most: usize,
    most_silent_each: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// A counter that rises with each change, to order events.
    now: u64,
    /// The connections by number.
    connections: BTreeMap<u64, Connection>,
}

#[derive(Debug)]
struct Connection {
    from: IpAddr,
    /// Since when the connection has been silent; `None` while it is being answered.
    silent: Option<u64>,
    /// Closes the connection.
    go: Arc<Notify>,
}

impl Taken {
    fn next(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    /// Returns how many connections of each address are silent.
    fn silent(&self) -> BTreeMap<IpAddr, usize> {
        let mut silent = BTreeMap::new();
        for one in self.connections.values().filter(|one| one.silent.is_some()) {
            *silent.entry(one.from).or_default() += 1;
        }
        silent
    }

    /// Closes the connection of an address that has been silent the longest.
    fn send_away(&mut self, from: IpAddr) {
        let silent = self.connections.iter().filter(|(_, one)| one.from == from);
        let oldest = silent.filter_map(|(number, one)| Some((one.silent?, *number))).min();
        if let Some(gone) = oldest.and_then(|(_, number)| self.connections.remove(&number)) {
            gone.go.notify_one();
        }
    }
}

impl Places {
    /// Returns `most` places, with at most `most_silent_each` silent connections of each address.
    pub(crate) fn new(most: usize, most_silent_each: usize) -> Arc<Self> {
        Arc::new(Self { most, most_silent_each, taken: Mutex::default() })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a place for a new connection; `None` if all are taken by connections that are being answered.
    pub(crate) fn admit(self: &Arc<Self>, from: IpAddr) -> Option<Guest> {
        let mut taken = self.taken();
        let silent = taken.silent();
        if silent.get(&from).is_some_and(|count| *count >= self.most_silent_each) {
            taken.send_away(from);
        } else if taken.connections.len() >= self.most
            && let Some((most_silent, _)) = silent.iter().max_by_key(|(_, count)| **count)
        {
            taken.send_away(*most_silent);
        }
        if taken.connections.len() >= self.most {
            return None;
        }
        let (number, go) = (taken.next(), Arc::new(Notify::new()));
        taken.connections.insert(number, Connection { from, silent: Some(number), go: Arc::clone(&go) });
        drop(taken);
        Some(Guest { places: Arc::clone(self), number, go })
    }
}

/// A connection that has a place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Guest {
    places: Arc<Places>,
    number: u64,
    go: Arc<Notify>,
}

impl Guest {
    /// Waits until another connection takes its place.
    pub(crate) async fn sent_away(&self) {
        self.go.notified().await;
    }

    /// Notes that the head of a request has arrived.
    pub(crate) fn asks(&self) -> Arc<Exchange> {
        Arc::new(Exchange { places: Arc::clone(&self.places), number: self.number })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.places.taken().connections.remove(&self.number);
    }
}

/// A request and its answer, until both are dropped.
#[derive(Debug)]
pub(crate) struct Exchange {
    places: Arc<Places>,
    number: u64,
}

impl Exchange {
    /// Notes that the whole request has arrived: its connection is being answered.
    pub(crate) fn on_request(&self) {
        if let Some(one) = self.places.taken().connections.get_mut(&self.number) {
            one.silent = None;
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        let now = taken.next();
        if let Some(one) = taken.connections.get_mut(&self.number) {
            one.silent = Some(now);
        }
    }
}

/// The body of an answer, which ends its exchange.
pub(crate) struct Answering {
    pub(crate) body: axum::body::Body,
    pub(crate) _exchange: Arc<Exchange>,
}

impl Body for Answering {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const THERE: IpAddr = IpAddr::V6(std::net::Ipv6Addr::LOCALHOST);

    fn is_sent_away(guest: &Guest) -> bool {
        guest.sent_away().now_or_never().is_some()
    }

    #[test]
    fn the_longest_silent_one_makes_room_and_those_that_are_answered_stay() {
        let places = Places::new(3, 3);
        let guests: Vec<Guest> = (0..3).map(|_| places.admit(HERE).expect("a place")).collect();
        let answered = guests[0].asks();
        answered.on_request();
        let next = places.admit(THERE).expect("the place of a silent one");
        assert_eq!(guests.iter().map(is_sent_away).collect::<Vec<_>>(), [false, true, false]);
        // Between two requests the connection is silent again, but not for as long as the others.
        drop(answered);
        let another = places.admit(THERE).expect("the place of a silent one");
        assert_eq!(guests.iter().map(is_sent_away).collect::<Vec<_>>(), [false, false, true]);
        let all = [&guests[0], &next, &another].map(Guest::asks);
        for exchange in &all {
            exchange.on_request();
        }
        assert!(places.admit(HERE).is_none(), "all are being answered");
        drop(guests);
        assert!(places.admit(HERE).is_some());
    }

    #[test]
    fn an_address_with_many_silent_connections_loses_its_own() {
        let places = Places::new(10, 2);
        let other = places.admit(THERE).expect("a place");
        let guests: Vec<Guest> = (0..5).map(|_| places.admit(HERE).expect("a place")).collect();
        assert_eq!(guests.iter().map(is_sent_away).collect::<Vec<_>>(), [true, true, true, false, false]);
        assert!(!is_sent_away(&other));
    }
}
