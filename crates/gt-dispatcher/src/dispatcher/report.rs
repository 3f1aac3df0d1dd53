//! What workers report. It counts only for sessions and requests that the worker was given.

use gt_core::{Error, RequestId, Result, SessionId, WorkerId};
use gt_transport::report::MemoryUsage;
use gt_transport::{Message, Peer};

use super::Dispatcher;
use crate::outbox::Outbox;
use crate::session::Session;

impl Dispatcher {
    /// A session that a worker speaks of. None if it is over, which the worker may not know yet;
    /// an error if it never was, or the worker was given nothing of it.
    fn session_of(&mut self, worker: WorkerId, id: SessionId) -> Result<Option<&mut Session>> {
        let stranger = || Error::bug(format!("{worker} speaks of {id}, of which it was not told"));
        let over = id <= self.last_session;
        match self.sessions.get_mut(&id) {
            Some(session) if session.has_given(worker) => Ok(Some(session)),
            None if over => Ok(None),
            _ => Err(stranger()),
        }
    }

    pub(super) fn step_worker(
        &mut self,
        now_ns: u64,
        worker: WorkerId,
        message: Message,
        out: &mut Outbox,
    ) -> Result<()> {
        let pace = self.pace(now_ns);
        match message {
            Message::Register(info) => return self.register(now_ns, worker, *info, out),
            Message::Answer { session, request, result } => {
                let Some(open) = self.session_of(worker, session)? else { return Ok(()) };
                open.answer(worker, request, &result, pace, out)?;
                out.send(Peer::Client(session), Message::Answer { session, request, result });
            }
            Message::Failed { session, failure } => {
                if let Some(open) = self.session_of(worker, session)? {
                    open.note_failure(worker, failure.id, pace, out);
                }
                self.recording.fail(session, worker, &failure);
            }
            Message::FailureReport { session, barrier, failure, checksums } => {
                let Some(open) = self.session_of(worker, session)? else { return Ok(()) };
                open.report_failure(worker, barrier, (failure, checksums), out)?;
            }
            Message::Done { session, commands, busy_ns, .. } => {
                self.load.note_busy(now_ns, worker, busy_ns);
                let Some(open) = self.session_of(worker, session)? else { return Ok(()) };
                let done = open.finish(worker, commands, pace, out)?;
                let (held, finished) = (open.held_since(), open.progress(worker).done);
                self.flush_by(held, pace);
                self.recording.finish(now_ns, (session, worker), finished);
                if let Some((commands, bytes)) = done {
                    let done = Message::Done { session, commands, bytes, busy_ns };
                    out.send(Peer::Client(session), done);
                }
            }
            Message::Spans { session, spans } => {
                if self.session_of(worker, session)?.is_some() {
                    self.recording.spans(now_ns, (session, worker), &spans);
                }
            }
            Message::Ended { session, error } => {
                if self.session_of(worker, session)?.is_some() {
                    self.close(now_ns, session, error, out);
                }
            }
            Message::Handover { session, to, tag, .. } => {
                let Some(open) = self.session_of(worker, session)? else { return Ok(()) };
                open.hand_over(worker, to, tag)?;
                out.send(Peer::Worker(to), message);
            }
            Message::MemoryReply { session, request, usage, .. } => {
                self.memory_reply(worker, session, request, usage, out)?;
            }
            _ => return Err(Error::bug(format!("{worker} sent what only others send"))),
        }
        Ok(())
    }

    /// A worker says what a session holds there.
    fn memory_reply(
        &mut self,
        worker: WorkerId,
        id: SessionId,
        request: RequestId,
        usage: Box<MemoryUsage>,
        out: &mut Outbox,
    ) -> Result<()> {
        let over = id <= self.last_session;
        let Some(session) = self.sessions.get_mut(&id) else {
            let stranger = || Error::bug(format!("{worker} speaks of {id}, which never was"));
            return if over { Ok(()) } else { Err(stranger()) };
        };
        let parts = session.memory_query_parts(request);
        session.note_memory_reply(worker, request)?;
        out.send(Peer::Client(id), Message::MemoryReply { session: id, request, parts, usage });
        Ok(())
    }
}
