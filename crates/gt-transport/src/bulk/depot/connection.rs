//! One connection of a depot: a thread that hears what the courier says, and one that answers.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::Refusal;
use super::hub::Hub;
use super::lender::{Lender, SMALLEST_LOAN};
use super::listener::Source;
use crate::bulk::buffer_source::land;
use crate::bulk::counters::Road;
use crate::bulk::frame::{Frame, Kind};
use crate::bulk::link::{Link, Side};
use crate::bulk::parcel::{Incoming, Packer};
use crate::bulk::socket::Socket;
use crate::bulk::ticket::{Transfer, Way};
use crate::lock::{Condvar, Mutex};

/// Deliveries whose memory waits at once: one on its way, one that follows without a pause.
const MOST_ARRIVING: usize = 2;
/// How long a peer that was sent away has to hear why.
const FAREWELL: Duration = Duration::from_secs(1);

/// What the thread that answers is told to do.
pub(super) enum Order {
    Say(Frame),
    Refuse(u64, Refusal),
    /// The request does not prove the key: say so and hang up.
    Reject(u64),
    Grant(Grant),
    /// The value under this tag may leave.
    Ship(u64, Transfer),
}

/// A delivery that may begin.
pub(super) struct Grant {
    pub tag: u64,
    pub transfer: Transfer,
    pub bytes: usize,
    pub void: Arc<AtomicBool>,
}

/// A delivery that has begun.
pub(super) struct Arrival {
    pub parcel: Incoming,
    pub void: Arc<AtomicBool>,
}

/// A request that waits for its ticket until then.
struct Wait {
    until: Instant,
    way: Way,
    tag: u64,
    request: u64,
}

#[derive(Default)]
pub(super) struct Desk {
    orders: VecDeque<Order>,
    grants: VecDeque<Grant>,
    /// Deliveries that have begun and of which the hearing thread knows nothing yet.
    pub begun: HashMap<u64, Arrival>,
    pub arriving: usize,
    waits: VecDeque<Wait>,
    ended: bool,
    silent: bool,
}

/// A courier at the door.
pub(super) struct Connection {
    pub number: u64,
    pub source: Source,
    pub link: Link,
    pub desk: Mutex<Desk>,
    pub lender: Mutex<Lender>,
    changed: Condvar,
    /// Shown a key of ours; strangers have not.
    proven: AtomicBool,
    opened: Instant,
    ticket_wait: Duration,
    segment_idle: Duration,
    most_requests: usize,
}

impl Connection {
    pub fn open(hub: &Hub, number: u64, socket: Socket, source: Source) -> Connection {
        Connection {
            number,
            source,
            link: Link::over(socket, hub.limits.stall),
            desk: Mutex::default(),
            lender: Mutex::new(Lender::open(hub.lent.clone(), hub.limits.segment_bytes)),
            changed: Condvar::default(),
            proven: AtomicBool::new(false),
            opened: Instant::now(),
            ticket_wait: hub.limits.ticket_wait,
            segment_idle: hub.limits.segment_idle,
            most_requests: hub.limits.requests,
        }
    }

    /// Tells the answering thread what to do.
    pub fn order(&self, order: Order) {
        let mut desk = self.desk.lock();
        match order {
            Order::Grant(grant) => desk.grants.push_back(grant),
            order => desk.orders.push_back(order),
        }
        self.changed.notify_all();
    }

    /// Lets the answering thread look at what has changed.
    pub fn wake(&self) {
        // The lock makes sure that it is either before its check or inside its wait.
        drop(self.desk.lock());
        self.changed.notify_all();
    }

    /// Notes when a request has waited long enough.
    pub fn expire_later(&self, way: Way, tag: u64, request: u64) {
        let until = Instant::now() + self.ticket_wait;
        self.desk.lock().waits.push_back(Wait { until, way, tag, request });
        self.changed.notify_all();
    }

    /// The courier has shown a key: it is no stranger.
    pub fn prove(&self) {
        self.proven.store(true, Relaxed);
    }

    /// Whether the courier has shown a key.
    pub fn is_proven(&self) -> bool {
        self.proven.load(Relaxed)
    }

    /// Whether more is waiting to be said than an honest courier causes.
    pub fn is_flooded(&self) -> bool {
        let desk = self.desk.lock();
        desk.orders.len().max(desk.waits.len()) >= self.most_requests
    }

    /// Ends the connection; both threads notice.
    pub fn end(&self) {
        self.desk.lock().ended = true;
        self.changed.notify_all();
        self.link.end();
    }

    /// A delivery has left the desk; another may begin.
    pub fn leave(&self, count: usize) {
        self.desk.lock().arriving -= count;
        self.changed.notify_all();
    }

    /// The whole life of the connection, on its hearing thread.
    pub fn serve(self: &Arc<Self>, hub: &Arc<Hub>) {
        let mut arrivals = HashMap::new();
        if self.link.greet(Side::Depot, self.ticket_wait).is_ok() && self.start_speaking(hub) {
            // What went wrong concerns the parcels under way, which are told below.
            let error = self.hear_all(hub, &mut arrivals).err();
            self.end();
            self.wait_for_silence();
            self.give_up(hub, arrivals, error);
        }
        self.link.end();
        hub.remove(self.number);
    }

    fn start_speaking(self: &Arc<Self>, hub: &Arc<Hub>) -> bool {
        let (connection, own) = (self.clone(), hub.clone());
        let started = hub.thread_group.spawn("gt-bulk-speak", move || {
            // The hearing thread finds the connection ended and says so where it matters.
            let _ = connection.speak(&own);
            connection.end();
            connection.desk.lock().silent = true;
            connection.changed.notify_all();
        });
        started.is_ok()
    }

    fn wait_for_silence(&self) {
        let mut desk = self.desk.lock();
        while !desk.silent {
            desk = self.changed.wait_for(desk, Duration::from_secs(1));
        }
    }

    /// Deliveries under way have failed; what had not begun may be tried again.
    fn give_up(
        self: &Arc<Self>,
        hub: &Hub,
        mut arrivals: HashMap<u64, Arrival>,
        error: Option<io::Error>,
    ) {
        arrivals.extend(std::mem::take(&mut self.desk.lock().begun));
        let why = error.map_or_else(|| "it was closed".into(), |error| error.to_string());
        for (request, arrival) in arrivals {
            hub.fail(self, arrival.parcel.tag, request, &why);
        }
        hub.tickets.lock().forget(self);
    }

    /// Does what it is told until the connection ends.
    fn speak(self: &Arc<Self>, hub: &Hub) -> io::Result<()> {
        let mut packer = Packer::default();
        loop {
            match self.next() {
                Task::Order(Order::Say(frame)) => self.link.say(&frame)?,
                Task::Order(Order::Refuse(request, why)) => self.refuse(request, why)?,
                Task::Order(Order::Reject(request)) => {
                    self.refuse(request, Refusal::WrongKey)?;
                    return self.bid_farewell();
                }
                Task::Order(Order::Grant(grant)) => self.admit(hub, grant)?,
                Task::Order(Order::Ship(tag, transfer)) => {
                    let data = hub.tickets.lock().depart(tag, self, transfer.request);
                    if let Some(data) = data {
                        self.ship(hub, &mut packer, &transfer, &data)?;
                    }
                }
                Task::Expire(wait) => {
                    let Wait { way, tag, request, .. } = wait;
                    if hub.tickets.lock().expire(self, way, tag, request) {
                        self.refuse(request, Refusal::NoTicket)?;
                        if !self.proven.load(Relaxed) {
                            return self.bid_farewell();
                        }
                    }
                }
                Task::Shrink => self.shrink(self.segment_idle)?,
                Task::End => return Ok(()),
            }
        }
    }

    fn next(&self) -> Task {
        let mut desk = self.desk.lock();
        loop {
            let now = Instant::now();
            let stranger_until = self.opened + self.ticket_wait;
            let is_stranger = !self.proven.load(Relaxed);
            if desk.ended || (is_stranger && desk.waits.is_empty() && now >= stranger_until) {
                return Task::End;
            }
            if let Some(order) = desk.orders.pop_front() {
                return Task::Order(order);
            }
            if desk.arriving < MOST_ARRIVING
                && let Some(grant) = desk.grants.pop_front()
            {
                desk.arriving += 1;
                return Task::Order(Order::Grant(grant));
            }
            let mut time = Duration::from_secs(60);
            if let Some(wait) = desk.waits.front() {
                if now >= wait.until {
                    return Task::Expire(desk.waits.pop_front().expect("just seen"));
                }
                time = wait.until - now;
            } else if is_stranger {
                time = stranger_until - now;
            }
            if let Some(since) = self.lender.lock().free_since() {
                let idle = now.saturating_duration_since(since);
                if idle >= self.segment_idle {
                    return Task::Shrink;
                }
                time = time.min(self.segment_idle - idle);
            }
            desk = self.changed.wait_for(desk, time);
        }
    }

    fn refuse(&self, request: u64, why: Refusal) -> io::Result<()> {
        self.link.say(&Frame::plain(Kind::Refused, request, why as u64))
    }

    /// Says no more, and gives the peer a moment to hear what was said.
    fn bid_farewell(&self) -> io::Result<()> {
        self.link.socket.shutdown(Shutdown::Write);
        let deadline = Instant::now() + FAREWELL;
        let mut desk = self.desk.lock();
        while !desk.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            desk = self.changed.wait_for(desk, left);
        }
        Ok(())
    }

    /// Makes room for a delivery and lets it begin.
    fn admit(self: &Arc<Self>, hub: &Hub, grant: Grant) -> io::Result<()> {
        let Grant { tag, transfer, bytes, void } = grant;
        let request = transfer.request;
        if !hub.tickets.lock().begin(tag, self, request) {
            self.leave(1);
            return Ok(());
        }
        let buffer = match land(&*hub.buffer_source, bytes) {
            Ok(buffer) => buffer,
            Err(error) => {
                self.leave(1);
                if hub.tickets.lock().finish(tag, self, request) {
                    (hub.arrived)(tag, Err(error));
                }
                return self.refuse(request, Refusal::NoMemory);
            }
        };
        let ready = transfer.frame(Kind::Ready, 0, bytes);
        let parcel = Incoming::begin(tag, transfer, bytes, Some(buffer));
        self.desk.lock().begun.insert(request, Arrival { parcel, void });
        self.link.say(&ready)
    }

    /// Sends a value: in a segment that the courier may keep for a while, or piece by piece.
    fn ship(
        &self,
        hub: &Hub,
        packer: &mut Packer,
        transfer: &Transfer,
        data: &[u8],
    ) -> io::Result<()> {
        if self.link.road() == Road::Tcp
            || data.len() < SMALLEST_LOAN
            || !self.lend(transfer, data)?
        {
            self.link.say(&transfer.frame(Kind::Ready, 0, data.len()))?;
            packer.send(&self.link, transfer, data, &AtomicBool::new(false))?;
        }
        hub.meter.sent(self.link.road(), data.len());
        Ok(())
    }

    fn lend(&self, transfer: &Transfer, data: &[u8]) -> io::Result<bool> {
        let mut loan = self.lender.lock().lend(data)?;
        if loan.is_none() {
            self.shrink(Duration::ZERO)?;
            loan = self.lender.lock().lend(data)?;
        }
        let Some(loan) = loan else { return Ok(false) };
        let frame = transfer.frame(Kind::Loan, loan.id, data.len());
        match loan.fd {
            Some(fd) => self.link.say_with(&frame, fd.as_fd())?,
            None => self.link.say(&frame)?,
        }
        Ok(true)
    }

    fn shrink(&self, idle: Duration) -> io::Result<()> {
        let gone = self.lender.lock().shrink(Instant::now(), idle);
        gone.into_iter().try_for_each(|id| self.link.say(&Frame::plain(Kind::Forget, 0, id)))
    }
}

/// What the answering thread does next.
enum Task {
    Order(Order),
    Expire(Wait),
    Shrink,
    End,
}
