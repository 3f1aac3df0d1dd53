//! The data plane without sockets: machines, connections made of bytes, and dice that decide when
//! bytes arrive and where a connection is cut.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use gt_transport::Peer;
use gt_transport::transfers::{
    Action, BufferSource, ConnectionId, Event, Held, Limits, Protection, Reader, Transfers, Via,
    Writer,
};

use crate::dice::Dice;

use self::troubles::Trouble;
pub use self::troubles::Troubles;

mod troubles;

/// How long somebody waits at the relay.
const RELAY_WAIT_MS: u64 = 2500;

/// One end of a connection.
struct End {
    at: Peer,
    other: ConnectionId,
    reader: Reader,
    writer: Writer,
    /// Bytes on their way here.
    arriving: VecDeque<u8>,
    /// The connection is cut; this end learns it when the bytes before it are read.
    cut: bool,
    trouble: Trouble,
}

/// How long somebody waits for an answer to the first bytes of a connection.
const ANSWER_MS: u64 = 800;

struct Attempt {
    peer: Peer,
    via: Via,
    number: u64,
    due: u64,
    /// Somebody has taken the connection, and does not answer.
    is_unanswered: bool,
}

/// Which ways there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// Everybody reaches everybody.
    Direct,
    /// Some pairs have no direct way.
    Walls,
}

/// The machine of a process, and which keys that has.
struct Machine {
    transfers: Transfers,
    keys: u64,
}

/// All machines, and what is on its way between them.
pub struct DataNetwork {
    machines: BTreeMap<Peer, Machine>,
    ends: BTreeMap<ConnectionId, End>,
    next_connection: u64,
    attempts: BTreeMap<Peer, Vec<Attempt>>,
    at_relay: BTreeMap<(Peer, Peer), u64>,
    ways: Ways,
    walls: BTreeMap<(Peer, Peer), bool>,
    /// Attempts to connect that will not be answered.
    unanswered: usize,
    /// Processes that are stopped, and until when.
    stopped: BTreeMap<Peer, u64>,
    /// Which keys processes that begin now have; those with others do not let them in.
    keys: u64,
    /// What happened, for whoever has to find out why; nothing is written unless it is wanted.
    tape: Option<Vec<String>>,
}

impl DataNetwork {
    /// Nobody is there.
    pub fn new(ways: Ways) -> Self {
        let (machines, ends, attempts, at_relay, walls) = Default::default();
        DataNetwork {
            machines,
            ends,
            next_connection: 0,
            attempts,
            at_relay,
            ways,
            walls,
            unanswered: 0,
            stopped: BTreeMap::new(),
            keys: 0,
            tape: None,
        }
    }

    /// From here on what happens is written down.
    pub fn record(&mut self) {
        self.tape = Some(Vec::new());
    }

    /// What was written down.
    pub fn tape(&self) -> String {
        self.tape.as_ref().map(|lines| lines.join("\n")).unwrap_or_default()
    }

    /// Who comes from here on has other keys than whoever is there, and they do not meet.
    pub fn change_keys(&mut self) {
        self.keys += 1;
    }

    /// A process is there.
    pub fn add(&mut self, now: u64, peer: Peer, limits: Limits, source: Arc<dyn BufferSource>) {
        let transfers = Transfers::new(limits, source, now);
        self.machines.insert(peer, Machine { transfers, keys: self.keys });
    }

    /// Who is there.
    pub fn peers(&self) -> Vec<Peer> {
        self.machines.keys().copied().collect()
    }

    /// The machine of a process, if it is there.
    pub fn machine(&mut self, peer: Peer) -> Option<&mut Transfers> {
        self.machines.get_mut(&peer).map(|machine| &mut machine.transfers)
    }

    /// Writes a line of the tape.
    pub fn note(&mut self, now: u64, what: impl FnOnce() -> String) {
        if let Some(tape) = &mut self.tape {
            tape.push(format!("{now:>7} {}", what()));
        }
    }

    /// What everybody holds.
    pub fn held(&self) -> Vec<(Peer, Held)> {
        self.machines.iter().map(|(peer, machine)| (*peer, machine.transfers.held())).collect()
    }

    /// A process is gone.
    pub fn crash(&mut self, now: u64, peer: Peer, dice: &mut Dice) {
        self.note(now, || format!("{peer} is gone"));
        self.machines.remove(&peer);
        self.attempts.remove(&peer);
        self.stopped.remove(&peer);
        self.at_relay.retain(|(one, _), _| *one != peer);
        let ends = self.ends.iter().filter(|(_, end)| end.at == peer).map(|(id, _)| *id);
        for end in ends.collect::<Vec<_>>() {
            self.cut(now, end, dice);
            self.ends.remove(&end);
        }
    }

    /// A process does nothing until then.
    pub fn stop(&mut self, now: u64, peer: Peer, until: u64) {
        self.note(now, || format!("{peer} is stopped until {until}"));
        self.stopped.insert(peer, until);
    }

    fn is_stopped(&self, peer: Peer, now: u64) -> bool {
        self.stopped.get(&peer).is_some_and(|until| *until > now)
    }

    fn some_end(&self, dice: &mut Dice) -> Option<ConnectionId> {
        let count = self.ends.len();
        (count > 0).then(|| self.ends.keys().nth(dice.below(count)).copied()).flatten()
    }

    /// Cuts a connection: some of what is on its way is lost.
    fn cut(&mut self, now: u64, id: ConnectionId, dice: &mut Dice) {
        let Some(other) = self.ends.get(&id).map(|end| end.other) else { return };
        self.note(now, || format!("{} and {} are cut", id.0, other.0));
        for id in [id, other] {
            if let Some(end) = self.ends.get_mut(&id) {
                end.arriving.truncate(dice.below(end.arriving.len() + 1));
                end.cut = true;
            }
        }
    }

    /// Time passes for everybody.
    pub fn tick(&mut self, now: u64, dice: &mut Dice) {
        for peer in self.peers() {
            if self.is_stopped(peer, now) {
                continue;
            }
            self.with(peer, |machine| machine.tick(now));
            let attempts = self.attempts.remove(&peer).unwrap_or_default();
            for attempt in attempts {
                if attempt.due > now {
                    self.attempts.entry(peer).or_default().push(attempt);
                } else {
                    self.attempt(now, peer, attempt, dice);
                }
            }
        }
    }

    fn attempt(&mut self, now: u64, own: Peer, attempt: Attempt, dice: &mut Dice) {
        let Attempt { peer, via, number, due, is_unanswered } = attempt;
        if is_unanswered {
            return self.with(own, |own| own.unreachable(now, peer, number, "no answer in time"));
        }
        let is_stopped = self.is_stopped(peer, now);
        if via == Via::Direct && (is_stopped || self.unanswered > 0) {
            self.unanswered -= usize::from(!is_stopped);
            self.note(now, || format!("{own} hears nothing of {peer}"));
            let (due, is_unanswered) = (now + ANSWER_MS, true);
            let attempt = Attempt { peer, via, number, due, is_unanswered };
            return self.attempts.entry(own).or_default().push(attempt);
        }
        let keys = |peer| self.machines.get(&peer).map(|machine| machine.keys);
        let is_there = keys(peer).is_some() && keys(peer) == keys(own);
        let mate = self.at_relay.get(&(peer, own)).copied();
        let mate = mate.filter(|_| is_there && !is_stopped);
        match (via, mate) {
            (Via::Direct, _) if is_there && !self.has_wall(own, peer, dice) => {
                let (one, other) = self.connect(own, peer);
                self.note(now, || format!("{own} connects to {peer}: {}", one.0));
                self.with(own, |machine| machine.connected(now, peer, number, one));
                self.with(peer, |machine| machine.accepted(now, own, other));
            }
            (Via::Relay, Some(mate)) => {
                let (one, other) = self.connect(own, peer);
                self.note(now, || format!("{own} meets {peer} at the relay: {}", one.0));
                self.at_relay.remove(&(peer, own));
                self.at_relay.remove(&(own, peer));
                self.with(own, |machine| machine.connected(now, peer, number, one));
                self.with(peer, |machine| machine.connected(now, own, mate, other));
            }
            (Via::Relay, None) if now < due + RELAY_WAIT_MS => {
                self.at_relay.insert((own, peer), number);
                let attempt = Attempt { peer, via, number, due, is_unanswered };
                self.attempts.entry(own).or_default().push(attempt);
            }
            _ => {
                self.at_relay.remove(&(own, peer));
                self.with(own, |machine| machine.unreachable(now, peer, number, "no answer"));
            }
        }
    }

    fn with(&mut self, peer: Peer, act: impl FnOnce(&mut Transfers)) {
        if let Some(machine) = self.machine(peer) {
            act(machine);
        }
    }

    fn has_wall(&mut self, a: Peer, b: Peer, dice: &mut Dice) -> bool {
        let pair = (a.min(b), a.max(b));
        self.ways == Ways::Walls && *self.walls.entry(pair).or_insert_with(|| dice.once_in(2))
    }

    fn connect(&mut self, a: Peer, b: Peer) -> (ConnectionId, ConnectionId) {
        let (one, other) =
            (ConnectionId(self.next_connection), ConnectionId(self.next_connection + 1));
        self.next_connection += 2;
        let trouble = Trouble::None;
        let end = |at, other| {
            let (reader, writer) = (Reader::new(Protection::Plain), Writer::new(Protection::Plain));
            End { at, other, reader, writer, arriving: VecDeque::new(), cut: false, trouble }
        };
        self.ends.insert(one, end(a, other));
        self.ends.insert(other, end(b, one));
        (one, other)
    }

    /// Does what the machines want done; gives what they tell.
    pub fn act(&mut self, now: u64, dice: &mut Dice) -> Vec<(Peer, Event)> {
        let mut events = Vec::new();
        let mut wanted = Vec::new();
        for (own, machine) in &mut self.machines {
            wanted.extend(machine.transfers.actions().into_iter().map(|action| (*own, action)));
        }
        for (own, action) in wanted {
            match action {
                Action::Connect { peer, via, attempt: number } => {
                    self.note(now, || format!("{own} wants to reach {peer}: {via:?}"));
                    let due = now + dice.below(60) as u64;
                    let attempt = Attempt { peer, via, number, due, is_unanswered: false };
                    self.attempts.entry(own).or_default().push(attempt);
                }
                Action::Close(connection) => {
                    self.note(now, || format!("{own} closes {}", connection.0));
                    self.cut(now, connection, dice);
                    self.ends.remove(&connection);
                }
                Action::Tell(event) => {
                    self.note(now, || format!("{own} is told: {}", name(&event)));
                    events.push((own, event));
                }
            }
        }
        events
    }

    /// Some end puts what it has to say on its way, or a part of it.
    pub fn write_some(&mut self, now: u64, dice: &mut Dice) {
        let Some(id) = self.some_end(dice) else { return };
        if self.ends.get(&id).is_some_and(|end| self.is_stopped(end.at, now)) {
            return;
        }
        let Some(end) = self.ends.get_mut(&id) else { return };
        let Some(Machine { transfers: machine, .. }) = self.machines.get_mut(&end.at) else {
            return;
        };
        while end.writer.rest().len() < 100 {
            let Some((frame, data)) = machine.next_frame(now, id) else { break };
            if let Some(tape) = &mut self.tape {
                tape.push(format!("{now:>7} {} says {frame:?}", id.0));
            }
            end.writer.push(&frame, &data);
        }
        // Mostly everything, at times up to any byte.
        let rest = end.writer.rest().len();
        let count = if dice.once_in(2) { rest } else { dice.below(rest + 1) };
        let bytes: Vec<u8> = end.writer.rest()[..count].to_vec();
        end.writer.sent(count);
        let (other, is_lost) = (end.other, end.cut || end.trouble == Trouble::Mute);
        if let (Some(other), false) = (self.ends.get_mut(&other), is_lost) {
            other.arriving.extend(bytes);
        }
    }

    /// Some end reads what has come, or a part of it.
    ///
    /// # Panics
    /// If a machine does not keep to the protocol.
    pub fn read_some(&mut self, now: u64, dice: &mut Dice) {
        let Some(id) = self.some_end(dice) else { return };
        if self.ends.get(&id).is_some_and(|end| self.is_stopped(end.at, now)) {
            return;
        }
        let Some(end) = self.ends.get_mut(&id) else { return };
        let there = end.arriving.len();
        let mut left = match end.trouble {
            Trouble::Late(until) if until > now => return,
            Trouble::Slow => there.min(dice.below(3)),
            _ if dice.once_in(2) => there,
            _ => dice.below(there + 1),
        };
        if there == 0 && end.cut {
            let at = end.at;
            self.ends.remove(&id);
            return self.with(at, |machine| machine.lost(now, id, "it was cut"));
        }
        let Some(Machine { transfers: machine, .. }) = self.machines.get_mut(&end.at) else {
            return;
        };
        while left > 0 {
            let space = end.reader.space(machine, id);
            let count = space.len().min(left);
            end.arriving.drain(..count).zip(space).for_each(|(byte, to)| *to = byte);
            left -= count;
            let advanced = end.reader.advance(now, machine, id, count);
            assert!(advanced.is_ok(), "a machine breaks the rules: {advanced:?}");
        }
    }
}

fn name(event: &Event) -> String {
    match event {
        Event::Arrived { tag, data } => format!("{tag} arrived, {} bytes", data.len()),
        Event::Confirmed { tag } => format!("{tag} is confirmed"),
        Event::Failed { tag, error } => format!("{tag} failed: {error}"),
    }
}
