//! What all threads of a depot share.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use bytes::Bytes;
use gt_core::Result;

use super::connection::Connection;
use super::listener::{Listener, Source, Stop};
use super::tickets::Tickets;
use crate::bulk::buffer_source::BufferSource;
use crate::bulk::counters::Meter;
use crate::bulk::limits::Limits;
use crate::bulk::socket::Socket;
use crate::bulk::thread_group::ThreadGroup;
use crate::lock::{Condvar, Mutex};

/// Told of each delivery under a tag.
pub(super) type Arrived = Box<dyn Fn(u64, Result<Bytes>) + Send + Sync>;

/// The tickets, the connections, and how to answer.
pub(super) struct Hub {
    pub tickets: Mutex<Tickets>,
    pub buffer_source: Arc<dyn BufferSource>,
    pub arrived: Arrived,
    pub limits: Limits,
    pub meter: Meter,
    pub thread_group: Arc<ThreadGroup>,
    /// Bytes of segments that all connections have.
    pub lent: Arc<AtomicUsize>,
    doors: Mutex<Doors>,
    closing: Condvar,
}

#[derive(Default)]
struct Doors {
    connections: HashMap<u64, Arc<Connection>>,
    next: u64,
    stops: Vec<Stop>,
    closed: bool,
}

impl Hub {
    pub fn open(
        buffer_source: Arc<dyn BufferSource>,
        arrived: Arrived,
        limits: Limits,
    ) -> Arc<Hub> {
        Arc::new(Hub {
            tickets: Mutex::new(Tickets::default()),
            buffer_source,
            arrived,
            limits,
            meter: Meter::default(),
            thread_group: Arc::default(),
            lent: Arc::default(),
            doors: Mutex::new(Doors::default()),
            closing: Condvar::default(),
        })
    }

    /// Accepts connections on a thread of its own.
    pub fn listen(self: &Arc<Self>, listener: Listener) -> io::Result<()> {
        self.doors.lock().stops.push(listener.stop()?);
        let hub = self.clone();
        self.thread_group.spawn("gt-bulk-accept", move || {
            while !hub.is_closed() {
                match listener.accept() {
                    Ok(Some((socket, source))) => hub.admit(socket, source),
                    Ok(None) => {}
                    // Most likely there is no descriptor left; some may be freed in a moment.
                    Err(_) => hub.pause(Duration::from_millis(50)),
                }
            }
        })
    }

    /// Removes a connection that has ended.
    pub fn remove(&self, number: u64) {
        self.doors.lock().connections.remove(&number);
    }

    pub fn close(&self) {
        let (connections, stops) = {
            let mut doors = self.doors.lock();
            doors.closed = true;
            self.closing.notify_all();
            (std::mem::take(&mut doors.connections), std::mem::take(&mut doors.stops))
        };
        stops.iter().for_each(Stop::stop);
        connections.values().for_each(|connection| connection.end());
        self.thread_group.wait();
        self.tickets.lock().clear();
    }

    fn is_closed(&self) -> bool {
        self.doors.lock().closed
    }

    fn pause(&self, time: Duration) {
        let doors = self.doors.lock();
        if !doors.closed {
            drop(self.closing.wait_for(doors, time));
        }
    }

    /// Serves a connection. If there are too many strangers the oldest goes, and first of all one
    /// from where the new one comes; those who have shown a key stay. If there are too many of
    /// these, the new one is just closed.
    fn admit(self: &Arc<Self>, socket: Socket, source: Source) {
        let mut doors = self.doors.lock();
        let strangers = doors.strangers();
        let proven = doors.connections.len() - strangers.len();
        if doors.closed || proven >= self.limits.connections {
            return;
        }
        let of_one = strangers.iter().filter(|stranger| stranger.source == source);
        let of_one: Vec<&Arc<Connection>> = of_one.collect();
        let leaves = if of_one.len() >= self.limits.strangers_of_one {
            of_one.first().copied()
        } else if strangers.len() >= self.limits.strangers {
            strangers.first()
        } else {
            None
        };
        if let Some(oldest) = leaves {
            doors.connections.remove(&oldest.number);
        }
        doors.next += 1;
        let number = doors.next;
        let connection = Arc::new(Connection::open(self, number, socket, source));
        doors.connections.insert(number, connection.clone());
        drop(doors);
        leaves.into_iter().for_each(|oldest| oldest.end());
        let hub = self.clone();
        let started = self.thread_group.spawn("gt-bulk-hear", move || connection.serve(&hub));
        if started.is_err() {
            self.remove(number);
        }
    }
}

impl Doors {
    /// Those who have not shown a key, the oldest first.
    fn strangers(&self) -> Vec<Arc<Connection>> {
        let strangers = self.connections.values().filter(|connection| !connection.is_proven());
        let mut strangers: Vec<Arc<Connection>> = strangers.cloned().collect();
        strangers.sort_by_key(|connection| connection.number);
        strangers
    }
}
