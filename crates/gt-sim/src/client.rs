//! A client that says what its script says, in batches that end where the dice say.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use gt_client::stream::Stream;
use gt_core::instruction::Command;
use gt_core::{Error, RequestId, SessionId};
use gt_transport::{Failure, Message, Value};

use crate::dice::Dice;
use crate::script::Saying;

/// The answer to a read.
pub type Answer = Result<Value, Arc<Failure>>;

/// At most so many things are said in one turn.
const PER_TURN: usize = 8;

/// One session's client.
#[derive(Debug)]
pub struct Client {
    id: SessionId,
    stream: Stream,
    script: VecDeque<Saying>,
    answers: BTreeMap<RequestId, Answer>,
    ended: Option<Error>,
    sent: Amount,
    done: Amount,
}

/// So much of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Commands.
    pub commands: u64,
    /// Bytes they take.
    pub bytes: u64,
}

impl Client {
    /// A client that says nothing yet.
    pub fn new(id: SessionId) -> Self {
        Client {
            id,
            stream: Stream::default(),
            script: VecDeque::new(),
            answers: BTreeMap::new(),
            ended: None,
            sent: Amount::default(),
            done: Amount::default(),
        }
    }

    /// Its session.
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// Every answer it got.
    pub fn answers(&self) -> &BTreeMap<RequestId, Answer> {
        &self.answers
    }

    /// Drops every answer it got.
    pub fn drop_answers(&mut self) {
        self.answers.clear();
    }

    /// Why its session ended, if it did.
    pub fn ended(&self) -> Option<&Error> {
        self.ended.as_ref()
    }

    /// How much it has sent.
    pub fn sent(&self) -> Amount {
        self.sent
    }

    /// How much of that it was told is done.
    pub fn done(&self) -> Amount {
        self.done
    }

    /// Whether it has said all it wanted to say.
    pub fn is_through(&self) -> bool {
        self.script.is_empty() && self.stream.is_empty()
    }

    /// Gives it more to say.
    pub fn continue_with(&mut self, sayings: impl IntoIterator<Item = Saying>) {
        self.script.extend(sayings);
    }

    /// Whether it could say something without hearing something first.
    pub fn can_speak(&self) -> bool {
        self.ended.is_none() && (!self.stream.is_empty() || self.may_go_on())
    }

    fn may_go_on(&self) -> bool {
        match self.script.front() {
            Some(Saying::Await(request)) => self.answers.contains_key(request),
            Some(_) => true,
            None => false,
        }
    }

    /// Says a few things. What it has to wait for, and the end of its script, end a batch.
    pub fn speak(&mut self, dice: &mut Dice) -> Vec<Message> {
        let mut out = Vec::new();
        for _ in 0..1 + dice.below(PER_TURN) {
            if !self.may_go_on() {
                break;
            }
            match self.script.pop_front() {
                Some(Saying::Command(command)) => self.append(&command),
                Some(Saying::Message(message)) => {
                    self.flush(&mut out);
                    out.push(message);
                }
                Some(Saying::Await(_)) | None => {}
            }
            if self.stream.is_full() {
                self.flush(&mut out);
            }
        }
        if !self.may_go_on() || dice.once_in(3) {
            self.flush(&mut out);
        }
        out
    }

    fn append(&mut self, command: &Command) {
        match command {
            Command::Apply(instruction) => self.stream.push_instruction(instruction),
            Command::Free(slots) => self.stream.free(slots),
            other => self.stream.push(other),
        }
    }

    fn flush(&mut self, out: &mut Vec<Message>) {
        if self.stream.is_empty() {
            return;
        }
        let batch = self.stream.take();
        self.sent.commands += batch.len() as u64;
        self.sent.bytes += batch.bytes() as u64;
        out.push(Message::Commands { session: self.id, batch: batch.into() });
    }

    /// Takes in a message.
    ///
    /// # Panics
    /// If no dispatcher would send it to this client.
    pub fn hear(&mut self, message: Message) {
        match message {
            Message::Answer { session, request, result } => {
                assert_eq!(session, self.id, "an answer of another session");
                let before = self.answers.insert(request, result);
                let was_given_up = |failure: Arc<Failure>| failure.is_given_up();
                let is_first = before.is_none_or(|before| before.is_err_and(was_given_up));
                assert!(is_first, "{request} was answered twice");
            }
            Message::Done { session, commands, bytes, .. } => {
                assert_eq!(session, self.id, "what another session did");
                self.done.commands += commands;
                self.done.bytes += bytes;
                let Amount { commands, bytes } = self.sent;
                assert!(self.done.commands <= commands, "more is done than was sent");
                assert!(self.done.bytes <= bytes, "more bytes are done than were sent");
            }
            Message::Ended { session, error } => {
                assert_eq!(session, self.id, "the end of another session");
                self.ended.get_or_insert(error);
            }
            other => panic!("a dispatcher does not say this to a client: {other:?}"),
        }
    }
}
