//! What a courier makes of what a depot says.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::Event;
use super::lane::{Asked, Lane, Stage};
use super::loan::Loans;
use crate::bulk::buffer_source::land;
use crate::bulk::depot::Refusal;
use crate::bulk::frame::{Frame, Kind};
use crate::bulk::link::Link;
use crate::bulk::parcel::{Incoming, Unpacker};
use crate::bulk::ticket::Way;

/// What the hearing thread of a connection knows.
#[derive(Default)]
struct Ear {
    unpacker: Unpacker,
    /// Fetches under way, by request.
    parcels: HashMap<u64, Incoming>,
    loans: Loans,
}

impl Lane {
    /// Hears the depot until the connection ends.
    pub fn hear_all(self: &Arc<Self>, link: &Arc<Link>) {
        let mut ear = Ear::default();
        loop {
            let heard = link.hear(|| self.is_due());
            let done = heard.and_then(|(frame, fd)| self.hear(link, &mut ear, &frame, fd));
            if let Err(error) = done {
                return self.lose(link, &error);
            }
        }
    }

    /// Leaves something to be said, if the connection is still the same.
    pub fn say(&self, link: &Arc<Link>, frame: Frame) {
        let mut desk = self.desk.lock();
        if desk.link.as_ref().is_some_and(|own| Arc::ptr_eq(own, link)) {
            desk.sayings.push_back(frame);
            self.changed.notify_all();
        }
    }

    fn hear(
        self: &Arc<Self>,
        link: &Arc<Link>,
        ear: &mut Ear,
        frame: &Frame,
        fd: Option<OwnedFd>,
    ) -> io::Result<()> {
        match (frame.kind, self.way) {
            (Kind::Ready, Way::Deliver) => self.start_sending(frame),
            (Kind::Ready, Way::Fetch) => self.start_receiving(ear, frame),
            (Kind::Chunk, Way::Fetch) => self.receive(link, ear, frame),
            (Kind::Ring, Way::Fetch) => ear.unpacker.open(fd),
            (Kind::Loan, Way::Fetch) => self.borrow(link, ear, frame, fd),
            (Kind::Free, Way::Deliver) if link.slots.free(frame.value) => Ok(()),
            (Kind::Done, Way::Deliver) => {
                let tag = self.conclude(frame)?;
                self.office.tell(tag.map(|tag| Event::Delivered { tag }).into_iter().collect());
                Ok(())
            }
            (Kind::Withdrawn, _) => self.withdraw(frame),
            (Kind::Refused, _) => {
                self.refuse(frame);
                Ok(())
            }
            (Kind::Forget, Way::Fetch) => {
                ear.loans.forget(frame.value);
                Ok(())
            }
            _ => Err(wrong("a frame that depots do not send")),
        }
    }

    fn start_sending(&self, frame: &Frame) -> io::Result<()> {
        let mut desk = self.desk.lock();
        let Some(Asked { errand, transfer }) = desk.asked.get(&frame.request) else {
            return Err(wrong("an answer to no question"));
        };
        if !transfer.accepts(frame, errand.bytes) {
            return Err(wrong("the depot does not know the key"));
        }
        desk.ready.push_back(frame.request);
        self.changed.notify_all();
        Ok(())
    }

    fn start_receiving(&self, ear: &mut Ear, frame: &Frame) -> io::Result<()> {
        let (tag, bytes) = self.accept(frame)?;
        let landed = land(&*self.office.buffer_source, bytes);
        let mut desk = self.desk.lock();
        let Some(Asked { errand, transfer }) = desk.asked.get_mut(&frame.request) else {
            return Err(wrong("the courier was closed"));
        };
        let mut events = Vec::new();
        let buffer = landed.map_err(|error| {
            // The chunks are read away; the connection serves others.
            if errand.stage != Stage::Over {
                errand.stage = Stage::Over;
                events.push(Event::Failed { tag, error });
            }
        });
        let parcel = Incoming::begin(tag, transfer.clone(), bytes, buffer.ok());
        ear.parcels.insert(frame.request, parcel);
        drop(desk);
        self.office.tell(events);
        Ok(())
    }

    /// Checks the answer to a fetch, which uses the ticket up.
    fn accept(&self, frame: &Frame) -> io::Result<(u64, usize)> {
        let mut desk = self.desk.lock();
        let Some(Asked { errand, transfer }) = desk.asked.get_mut(&frame.request) else {
            return Err(wrong("an answer to no question"));
        };
        let had_begun = errand.stage == Stage::Moving;
        if errand.stage == Stage::Asked {
            errand.stage = Stage::Moving;
        }
        if had_begun || !transfer.accepts(frame, errand.bytes) {
            return Err(wrong("the depot does not know the key, or its value has another length"));
        }
        Ok((errand.tag, errand.bytes))
    }

    fn receive(&self, link: &Link, ear: &mut Ear, frame: &Frame) -> io::Result<()> {
        let Some(parcel) = ear.parcels.get_mut(&frame.request) else {
            return Err(wrong("a chunk that nobody asked for"));
        };
        if self.is_over(frame.request) {
            parcel.buffer = None;
        }
        ear.unpacker.receive(link, frame, parcel)?;
        if !parcel.is_whole() {
            return Ok(());
        }
        let parcel = ear.parcels.remove(&frame.request).expect("just filled");
        let asked = self.desk.lock().asked.remove(&frame.request);
        let is_wanted = asked.is_some_and(|asked| asked.errand.stage != Stage::Over);
        if let Some(buffer) = parcel.buffer.filter(|_| is_wanted) {
            self.office.meter.arrived(link.road(), parcel.bytes);
            let data = buffer.freeze();
            self.office.tell(vec![Event::Fetched { tag: parcel.tag, data }]);
        }
        Ok(())
    }

    fn borrow(
        self: &Arc<Self>,
        link: &Arc<Link>,
        ear: &mut Ear,
        frame: &Frame,
        fd: Option<OwnedFd>,
    ) -> io::Result<()> {
        let (tag, bytes) = self.accept(frame)?;
        let data = ear.loans.borrow(self, link, frame.value, fd, bytes)?;
        let asked = self.desk.lock().asked.remove(&frame.request);
        if asked.is_some_and(|asked| asked.errand.stage != Stage::Over) {
            self.office.meter.arrived(link.road(), bytes);
            self.office.tell(vec![Event::Fetched { tag, data }]);
        }
        Ok(())
    }

    fn withdraw(&self, frame: &Frame) -> io::Result<()> {
        let mut guard = self.desk.lock();
        let desk = &mut *guard;
        let asked = desk.asked.get(&frame.request);
        // One that is forged must not stop a parcel that is asked for again.
        let is_proven = |a: &&Asked| a.transfer.accepts(frame, a.errand.proven_bytes());
        if let Some(Asked { errand, transfer }) = asked.filter(is_proven) {
            // Whoever is sending it stops, and says so after its last chunk.
            errand.stop.store(true, Relaxed);
            if self.way == Way::Deliver && errand.stage == Stage::Asked {
                let over = transfer.frame(Kind::Cancel, errand.tag, errand.proven_bytes());
                desk.sayings.push_back(over);
                self.changed.notify_all();
            }
        }
        drop(guard);
        let tag = self.conclude(frame)?;
        self.office.tell(tag.map(|tag| Event::Withdrawn { tag }).into_iter().collect());
        Ok(())
    }

    /// The depot refuses a request. That needs no proof: whoever could forge it could as well cut
    /// the connection.
    fn refuse(&self, frame: &Frame) {
        let asked = self.desk.lock().asked.remove(&frame.request);
        let Some(Asked { errand, .. }) = asked.filter(|a| a.errand.stage != Stage::Over) else {
            return;
        };
        errand.stop.store(true, Relaxed);
        let (tag, error) = (errand.tag, Refusal::error(frame.value, errand.tag));
        self.office.tell(vec![Event::Failed { tag, error }]);
    }

    /// Ends an errand by a frame that proves the key; the tag, if nobody has given it up.
    fn conclude(&self, frame: &Frame) -> io::Result<Option<u64>> {
        let mut desk = self.desk.lock();
        let Some(Asked { errand, transfer }) = desk.asked.get(&frame.request) else {
            return Ok(None);
        };
        if !transfer.accepts(frame, errand.proven_bytes()) {
            return Err(wrong("the depot does not know the key"));
        }
        let asked = desk.asked.remove(&frame.request).expect("just seen");
        Ok((asked.errand.stage != Stage::Over).then_some(asked.errand.tag))
    }

    fn is_over(&self, request: u64) -> bool {
        let desk = self.desk.lock();
        desk.asked.get(&request).is_none_or(|asked| asked.errand.stage == Stage::Over)
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
