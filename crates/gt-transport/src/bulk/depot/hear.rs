//! What a depot makes of what a courier says.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use gt_core::Error;

use super::connection::{Arrival, Connection, Order};
use super::hub::Hub;
use super::tickets::Request;
use crate::bulk::frame::{Frame, Kind};
use crate::bulk::parcel::Unpacker;
use crate::bulk::ticket::Way;

/// The deliveries under way on a connection, by request.
type Arrivals = HashMap<u64, Arrival>;

impl Connection {
    /// Hears the courier until the connection ends.
    pub fn hear_all(self: &Arc<Self>, hub: &Hub, arrivals: &mut Arrivals) -> io::Result<()> {
        let mut unpacker = Unpacker::default();
        let mut last_request = 0;
        loop {
            let is_due = || !arrivals.is_empty() || !self.desk.lock().begun.is_empty();
            let (frame, fd) = self.link.hear(is_due)?;
            match frame.kind {
                Kind::Deliver | Kind::Fetch => {
                    if frame.request <= last_request {
                        return Err(wrong("a request was repeated"));
                    }
                    last_request = frame.request;
                    self.ask(hub, frame)?;
                }
                Kind::Chunk => self.receive(hub, &mut unpacker, arrivals, &frame)?,
                Kind::Cancel => self.cancel(hub, arrivals, &frame),
                Kind::Ring => unpacker.open(fd)?,
                _ => self.take_back(&frame, fd)?,
            }
        }
    }

    fn ask(self: &Arc<Self>, hub: &Hub, frame: Frame) -> io::Result<()> {
        if self.is_flooded() {
            return Err(wrong("more requests than answers are heard"));
        }
        let way = if frame.kind == Kind::Deliver { Way::Deliver } else { Way::Fetch };
        let request = Request { connection: self.clone(), frame };
        hub.tickets.lock().request(way, request, hub.limits.requests);
        Ok(())
    }

    fn receive(
        self: &Arc<Self>,
        hub: &Hub,
        unpacker: &mut Unpacker,
        arrivals: &mut Arrivals,
        frame: &Frame,
    ) -> io::Result<()> {
        if let Some(begun) = self.desk.lock().begun.remove(&frame.request) {
            arrivals.insert(frame.request, begun);
        }
        let arrival = arrivals
            .get_mut(&frame.request)
            .ok_or_else(|| wrong("a chunk that nobody asked for"))?;
        if arrival.void.load(Relaxed) {
            arrival.parcel.buffer = None;
        }
        unpacker.receive(&self.link, frame, &mut arrival.parcel)?;
        if !arrival.parcel.is_whole() {
            return Ok(());
        }
        let parcel = arrivals.remove(&frame.request).expect("just filled").parcel;
        self.leave(1);
        let is_wanted = hub.tickets.lock().finish(parcel.tag, self, frame.request);
        let Some(buffer) = parcel.buffer.filter(|_| is_wanted) else { return Ok(()) };
        hub.meter.arrived(self.link.road(), parcel.bytes);
        (hub.arrived)(parcel.tag, Ok(buffer.freeze()));
        self.order(Order::Say(parcel.transfer.frame(Kind::Done, 0, parcel.bytes)));
        Ok(())
    }

    /// The courier takes a request back, or stops sending because it was told to.
    fn cancel(self: &Arc<Self>, hub: &Hub, arrivals: &mut Arrivals, frame: &Frame) {
        let is_missed = hub.tickets.lock().cancel(self, frame);
        let begun = self.desk.lock().begun.remove(&frame.request);
        if arrivals.remove(&frame.request).or(begun).is_some() {
            self.leave(1);
        }
        if is_missed {
            let why = format!("parcel {} was taken back by its sender", frame.value);
            (hub.arrived)(frame.value, Err(Error::Lost(why)));
        }
    }

    /// The courier is done with a slot or a segment.
    fn take_back(&self, frame: &Frame, fd: Option<OwnedFd>) -> io::Result<()> {
        let is_ours = match frame.kind {
            Kind::Free => self.link.slots.free(frame.value),
            Kind::Return => self.lender.lock().give_back(frame.value, Instant::now()),
            _ => false,
        };
        if !is_ours || fd.is_some() {
            return Err(wrong("a frame that couriers do not send"));
        }
        if frame.kind == Kind::Return {
            self.wake();
        }
        Ok(())
    }
}

impl Hub {
    /// A delivery under way will not become whole.
    pub fn fail(&self, connection: &Arc<Connection>, tag: u64, request: u64, why: &str) {
        if self.tickets.lock().finish(tag, connection, request) {
            let why = format!("parcel {tag} broke off: {why}");
            (self.arrived)(tag, Err(Error::Lost(why)));
        }
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
