//! A line of the instruction log, read back.

use crate::kind::Kind;

/// Where an entry happened, as the log says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A peer came.
    Connect,
    /// A peer went.
    Disconnect,
    /// The dispatcher got a command from a client.
    Recv,
    /// It sent one to a worker.
    WorkerSend,
    /// The worker was done with it.
    WorkerRecv,
    /// The dispatcher answered the client.
    Send,
}

impl Event {
    fn of(name: &str) -> Option<Event> {
        Some(match name {
            "CONNECT" => Event::Connect,
            "DISCONNECT" => Event::Disconnect,
            "RECV" => Event::Recv,
            "WORKER_SEND" => Event::WorkerSend,
            "WORKER_RECV" => Event::WorkerRecv,
            "SEND" => Event::Send,
            _ => return None,
        })
    }

    /// What the log calls it.
    pub fn name(self) -> &'static str {
        match self {
            Event::Connect => "CONNECT",
            Event::Disconnect => "DISCONNECT",
            Event::Recv => "RECV",
            Event::WorkerSend => "WORKER_SEND",
            Event::WorkerRecv => "WORKER_RECV",
            Event::Send => "SEND",
        }
    }
}

/// A line, taken apart. Texts are parts of the line.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<'a> {
    /// When, since the dispatcher's start.
    pub time_ns: u64,
    /// What happened.
    pub event: Event,
    /// Whether it is about a worker.
    pub is_worker: bool,
    /// The name of the client or worker.
    pub source: &'a str,
    /// The session, also where it is about a worker.
    pub session: Option<&'a str>,
    /// The command's name.
    pub command: &'a str,
    /// The operation's name.
    pub op: Option<&'a str>,
    /// What it is for.
    pub kind: Kind,
    /// Bytes, as exactly as the log says.
    pub bytes: u64,
    /// The number of the instruction.
    pub instruction: Option<u64>,
    /// When a worker began with it, and how long it took.
    pub span: Option<(u64, u64)>,
    /// The signal around it.
    pub signal: Option<&'a str>,
    /// Whether it failed.
    pub has_failed: bool,
    /// What both sides of a transfer call it.
    pub tag: Option<u64>,
    /// The command in text form, which ends the line.
    pub text: &'a str,
}

/// Takes a line apart; none if it is no line of the log.
pub fn parse(line: &str) -> Option<Parsed<'_>> {
    let mut columns = line.splitn(7, " | ").map(str::trim);
    let mut column = || columns.next();
    let seconds: f64 = column()?.strip_suffix('s')?.parse().ok()?;
    column()?.strip_prefix('#')?;
    let event = Event::of(column()?)?;
    let (role, source) = column()?.split_once(' ')?;
    let command = column()?;
    let bytes = bytes(column()?.trim_end_matches('|').trim())?;
    let details = column().unwrap_or_default();
    let value = |key: &str| value(details, key);
    let number = |key: &str| value(key).and_then(|text| text.parse::<u64>().ok());
    let is_worker = match event {
        Event::WorkerSend | Event::WorkerRecv => true,
        Event::Recv | Event::Send => false,
        Event::Connect | Event::Disconnect => role == "WORKER",
    };
    let source = source.trim();
    let time_ns = number("ns").unwrap_or((seconds * 1e9).round().max(0.0) as u64);
    let op = value("op");
    let tag = || details.rsplit_once(" #").or_else(|| details.rsplit_once(" as #"));
    let kind = Kind::of_names(command, op);
    let tag = tag().and_then(|(_, tag)| tag.parse().ok()).filter(|_| kind == Kind::Transfer);
    Some(Parsed {
        time_ns,
        event,
        is_worker,
        source,
        session: value("session").or_else(|| (!is_worker).then_some(source)),
        command,
        op,
        kind,
        bytes,
        instruction: number("i"),
        span: number("start_ns").zip(number("took_ns")),
        signal: value("signal"),
        has_failed: value("success") == Some("False"),
        tag,
        text: text(details),
    })
}

/// The command in text form: what follows the last `key=value` of the log itself.
fn text(details: &str) -> &str {
    let Some((_, mut rest)) = details.split_once("ns=") else { return "" };
    loop {
        let Some((_, after)) = rest.split_once(' ') else { return "" };
        if !after.split(' ').next().is_some_and(|word| word.contains('=')) {
            return after;
        }
        rest = after;
    }
}

/// The value behind ` key=`, without its quotes.
fn value<'a>(details: &'a str, key: &str) -> Option<&'a str> {
    let mut rest = details;
    loop {
        let at = rest.find(key)?;
        let is_word = at == 0 || rest.as_bytes()[at - 1] == b' ';
        let after = &rest[at + key.len()..];
        match after.strip_prefix('=').filter(|_| is_word) {
            Some(text) => {
                return match text.strip_prefix('"') {
                    Some(quoted) => quoted.split('"').next(),
                    None => text.split(' ').next(),
                };
            }
            None => rest = after,
        }
    }
}

/// `117B`, `4.0KB`.
fn bytes(text: &str) -> Option<u64> {
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(unit);
    let power = ["B", "KB", "MB", "GB", "TB", "PB", "EB"].iter().position(|one| *one == unit)?;
    Some((number.parse::<f64>().ok()? * 1024_f64.powi(power as i32)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_log_is_read_back() {
        let line = "1.608s | #0011 | WORKER_RECV  | WORKER w0                    | \
            WorkerBinaryOp      |      4.0KB | session=s1 op=matmul result=2 left=0 right=1 i=3 \
            signal=\"forward\" success=True ns=1608999999 start_ns=1608000000 took_ns=42 \
            t2 := matmul t0 t1";
        let parsed = parse(line).unwrap();
        assert_eq!((parsed.time_ns, parsed.event), (1_608_999_999, Event::WorkerRecv));
        assert_eq!((parsed.source, parsed.session), ("w0", Some("s1")));
        assert_eq!((parsed.op, parsed.kind, parsed.bytes), (Some("matmul"), Kind::Matmul, 4096));
        assert_eq!((parsed.instruction, parsed.signal), (Some(3), Some("forward")));
        assert_eq!((parsed.span, parsed.has_failed), (Some((1_608_000_000, 42)), false));
    }

    #[test]
    fn lines_of_other_logs_in_the_same_form_are_read_too() {
        let line = "  0.125s | #0043 | WORKER_SEND  | WORKER worker_0        | WorkerBinaryOp  | \
            123KB | op=add";
        let parsed = parse(line).unwrap();
        assert_eq!(
            (parsed.time_ns, parsed.source, parsed.op),
            (125_000_000, "worker_0", Some("add"))
        );
        assert_eq!(parsed.bytes, 123 << 10);
        assert_eq!(parse("# 5 events are missing here"), None);
        assert_eq!(parse(""), None);
        assert_eq!(parse("x | y | z"), None);
        // Whoever writes that a client was sent work means a worker.
        let line = "0.1s | #1 | WORKER_RECV | CLIENT s1 | BinaryOp | 1B | op=add";
        assert!(parse(line).is_some_and(|parsed| parsed.is_worker));
    }

    #[test]
    fn transfers_have_tags() {
        let head = "0.1s | #1 | WORKER_SEND | WORKER w0 | WorkerMoveTensor | 32B | ";
        let tag = |tail: &str| parse(&format!("{head}{tail}")).unwrap().tag;
        assert_eq!(tag("ns=5 t4 := move t3 from w0 to w1 as #9"), Some(9));
        assert_eq!(tag("ns=5 t3 := receive #12"), Some(12));
    }
}
