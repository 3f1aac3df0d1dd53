//! The numbers of the messages. Stable on the wire, never reused.

/// [`crate::Message::Hello`]: the client.
pub const HELLO: u16 = 1;
/// [`crate::Message::Bye`]: nothing.
pub const BYE: u16 = 2;
/// [`crate::Message::Register`]: the worker.
pub const REGISTER: u16 = 3;
/// [`crate::Message::Commands`]: a batch header, records, and what did not fit into them.
pub const COMMANDS: u16 = 4;
/// [`crate::Message::Answer`]: session, request, the value's dtype and shape or the failure.
/// In the answer to a [`gt_core::instruction::Command::Describe`] the payload is empty.
pub const ANSWER: u16 = 5;
/// [`crate::Message::Failed`]: session, failure.
pub const FAILED: u16 = 6;
/// [`crate::Message::Done`]: session, commands, bytes, nanoseconds.
pub const DONE: u16 = 7;
/// [`crate::Message::Handover`]: session, worker, tag, dtype and shape, the failure if any.
pub const HANDOVER: u16 = 8;
/// [`crate::Message::Forget`]: session.
pub const FORGET: u16 = 9;
/// [`crate::Message::Ended`]: session, error.
pub const ENDED: u16 = 10;
/// [`crate::Message::Welcome`]: the session.
pub const WELCOME: u16 = 11;
/// [`crate::Message::Registered`]: the worker's number, its key.
pub const REGISTERED: u16 = 12;
/// [`crate::Message::Heartbeat`]: messages, bytes.
pub const HEARTBEAT: u16 = 13;
/// [`crate::Message::Ticket`]: the ticket.
pub const TICKET: u16 = 14;
// 15 is retired.
/// [`crate::Message::MemoryQuery`]: session, request, parts.
pub const MEMORY_QUERY: u16 = 16;
/// [`crate::Message::MemoryReply`]: session, request, parts, usage.
pub const MEMORY_REPLY: u16 = 17;
/// [`crate::Message::StatusRequest`]: nothing.
pub const STATUS_REQUEST: u16 = 18;
/// [`crate::Message::Report`]: the report.
pub const REPORT: u16 = 19;
/// [`crate::Message::FailureReport`]: session, barrier, failure, checksums.
pub const FAILURE_REPORT: u16 = 20;
/// [`crate::Message::FailureVerdict`]: session, barrier, failure, told.
pub const FAILURE_VERDICT: u16 = 21;
/// [`crate::Message::Channels`]: the channels.
pub const CHANNELS: u16 = 22;
/// [`crate::Message::Record`]: whether to.
pub const RECORD: u16 = 23;
/// [`crate::Message::Spans`]: session, the worker's clock, how many are left out, spans as they lie
/// in memory.
pub const SPANS: u16 = 24;
/// [`crate::Message::Observe`]: messages.
pub const OBSERVE: u16 = 25;
/// [`crate::Message::Events`]: how many are lost, events as they lie in memory, what belongs to
/// them.
pub const EVENTS: u16 = 26;
/// [`crate::Message::ValuesRequest`]: nothing.
pub const VALUES_REQUEST: u16 = 27;
/// [`crate::Message::Values`]: the report.
pub const VALUES: u16 = 28;
/// [`crate::Message::CheckNan`]: session.
pub const CHECK_NAN: u16 = 29;
/// [`crate::Message::Share`]: session, share.
pub const SHARE: u16 = 30;
/// [`crate::Message::Order`]: the order.
pub const ORDER: u16 = 31;
/// [`crate::Message::Cancel`]: session, request.
pub const CANCEL: u16 = 32;
// 33 to 35 are free.
/// [`crate::Message::Away`]: session, whether it is away.
pub const AWAY: u16 = 36;
