//! Random messages, made of what the rows of the op table try.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::event::{Detail, Event, Events, Span, Spans, Station};
use gt_core::instruction::{After, Command, Instruction, Move, Operand, Question, Replaces};
use gt_core::op::SampleInput;
use gt_core::placement::{At, Cut, Layout, Mesh, Placement, Signature, Wish};
use gt_core::{
    DType, Error, Meta, Provenance, RequestId, Scalar, ScopeId, SessionId, Shape, SignatureId,
    Slot, WorkerId, ops,
};
use gt_transport::hello::{Hello, Resume, Token, Welcome, WorkerInfo};
use gt_transport::order::Order;
use gt_transport::region::Region;
use gt_transport::report::{
    ChannelTraffic, Channels, MemoryUsage, Modifiers, Report, Road, SessionReport, Traffic,
    ValueReport, ValuesReport, WorkerReport,
};
use gt_transport::share::{MemoryLimit, Share, UserId, Weight};
use gt_transport::ticket::{Access, Address, Key, Role, Route, Ticket, TransferKind};
use gt_transport::{Batch, Checksum, Failure, FailureId, Message, Peer, Value};
use proptest::prelude::*;
use proptest::sample::Index;

/// A message of any kind.
pub fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        Just(Message::Bye),
        greetings(),
        transfers(),
        accounts(),
        commands(),
        (session(), any::<u32>(), result()).prop_map(|(session, request, result)| {
            Message::Answer { session, request: RequestId(request), result }
        }),
        (session(), failure()).prop_map(|(session, failure)| Message::Failed { session, failure }),
        (session(), any::<u64>(), failure(), any::<[bool; 3]>()).prop_map(
            |(session, barrier, failure, [failed, report, told])| {
                let failure = failed.then_some(failure);
                match report {
                    true => {
                        let sum = Checksum { sum: barrier, provenance: Provenance(7) };
                        let checksums = told.then_some(sum).into_iter().collect();
                        Message::FailureReport { session, barrier, failure, checksums }
                    }
                    false => Message::FailureVerdict { session, barrier, failure, told },
                }
            },
        ),
        (session(), any::<[u64; 3]>()).prop_map(|(session, [commands, bytes, busy_ns])| {
            Message::Done { session, commands, bytes, busy_ns }
        }),
        (session(), any::<u32>(), any::<u64>(), value(), failure(), any::<bool>()).prop_map(
            |(session, to, tag, Value { meta, data }, failure, arrived)| {
                let result = if arrived { Ok(data) } else { Err(failure) };
                Message::Handover { session, to: WorkerId(to), tag, meta, result }
            }
        ),
        session().prop_map(|session| Message::Forget { session }),
        session().prop_map(|session| Message::CheckNan { session }),
        (session(), any::<Option<u32>>()).prop_map(|(session, request)| {
            Message::Cancel { session, request: request.map(RequestId) }
        }),
        (session(), any::<bool>())
            .prop_map(|(session, is_away)| Message::Away { session, is_away }),
        (session(), 0..7).prop_map(|(session, order)| {
            Message::Order(match order {
                0 => Order::Kill(session),
                1 => Order::Pause(session),
                2 => Order::Resume(session),
                3 => Order::Drain,
                4 => Order::DrainWorker(WorkerId(session.0 as u32)),
                5 => Order::UndrainWorker(WorkerId(session.0 as u32)),
                _ => Order::Undrain,
            })
        }),
        (session(), any::<u64>(), 1..=u16::MAX, any::<bool>()).prop_map(
            |(session, user, weight, paused)| {
                let weight = Weight::new(weight).expect("it is not zero");
                let memory = MemoryLimit { bytes: user, percent: 7 };
                let share =
                    Share { user: UserId(user), weight, paused, memory, ..Share::default() };
                Message::Share { session, share }
            }
        ),
        (session(), error()).prop_map(|(session, error)| Message::Ended { session, error }),
    ]
}

/// What is said when somebody arrives or is still there.
fn greetings() -> impl Strategy<Value = Message> {
    let resume = (session(), any::<[u8; 16]>(), any::<u64>())
        .prop_map(|(session, token, received)| Resume { session, token: Token(token), received });
    let hello = (".*", any::<Option<u32>>(), prop::option::of(resume)).prop_map(
        |(name, workers, resume)| {
            let (compare_copies, check_nan) = (workers.is_some(), resume.is_some());
            let memory_bytes = workers.map(u64::from);
            Message::Hello(Hello { name, workers, memory_bytes, resume, compare_copies, check_nan })
        },
    );
    let welcome = (session(), any::<[u8; 16]>(), any::<[u64; 2]>(), any::<[u32; 2]>()).prop_map(
        |(session, token, [received, memory_bytes], [workers, threads])| {
            let token = Token(token);
            let welcome = Welcome { session, token, received, workers, threads, memory_bytes };
            Message::Welcome(welcome)
        },
    );
    let beat = any::<[u64; 2]>()
        .prop_map(|[received, used_bytes]| Message::Heartbeat { received, used_bytes });
    let enlisted = (any::<u32>(), key())
        .prop_map(|(id, key)| Message::Registered { worker: WorkerId(id), key });
    prop_oneof![
        hello,
        welcome,
        beat,
        enlisted,
        info().prop_map(|info| Message::Register(Box::new(info)))
    ]
}

fn info() -> impl Strategy<Value = WorkerInfo> {
    (".*", ".*", any::<[u32; 2]>(), any::<u64>(), address()).prop_map(
        |(name, host, [pid, threads], memory_bytes, data)| {
            let (engine, device) = ("native".to_string(), "cpu".to_string());
            WorkerInfo {
                name,
                host,
                pid,
                engine,
                device,
                threads,
                memory_bytes,
                data,
                ..WorkerInfo::default()
            }
        },
    )
}

fn address() -> impl Strategy<Value = Address> {
    (prop::option::of("[a-z/]{1,20}"), prop::option::of(".{1,20}"))
        .prop_map(|(unix, tcp)| Address { unix: unix.map(Into::into), tcp })
}

/// What is said about values that travel apart.
fn transfers() -> impl Strategy<Value = Message> {
    let request = || any::<u32>().prop_map(RequestId);
    let kind = prop_oneof![
        any::<u32>().prop_map(|number| TransferKind::Upload { number, more: number % 2 == 0 }),
        Just(TransferKind::Handover),
        request().prop_map(TransferKind::Answer)
    ];
    let peer = prop_oneof![
        session().prop_map(Peer::Client),
        any::<u32>().prop_map(|id| Peer::Worker(WorkerId(id))),
        Just(Peer::Relay)
    ];
    let access = || {
        let access = (address(), key()).prop_map(|(address, key)| Access { address, key });
        prop::option::of(access)
    };
    let route = (access(), access()).prop_map(|(direct, relay)| Route { direct, relay });
    let role = prop_oneof![Just(Role::Send), Just(Role::Receive)];
    let ticket = (session(), any::<u64>(), value(), role, kind, peer, route).prop_map(
        |(session, tag, value, role, kind, peer, route)| {
            let region = Some(Region::all(&value.meta.shape)).filter(|_| tag % 2 == 0);
            let ticket = Ticket { session, tag, meta: value.meta, region, role, kind, peer, route };
            Message::Ticket(Box::new(ticket))
        },
    );
    prop_oneof![ticket, Just(Message::Channels(Channels { list: channels() }))]
}

fn channels() -> Vec<ChannelTraffic> {
    let peer = Peer::Client(SessionId(3));
    vec![ChannelTraffic { bytes_in: 1, bytes_out: 2, ..ChannelTraffic::new(peer, Road::Relay) }]
}

fn key() -> impl Strategy<Value = Key> {
    any::<[u8; 32]>().prop_map(Key)
}

/// What the system tells of itself.
fn accounts() -> impl Strategy<Value = Message> {
    let asked = || (session(), any::<[u32; 2]>());
    let memory_usage = asked().prop_map(|(session, [request, parts])| Message::MemoryQuery {
        session,
        request: RequestId(request),
        parts,
    });
    let holding = (prop::sample::select(DType::ALL), any::<u32>(), any::<u64>())
        .prop_map(|(dtype, place, bytes)| (dtype, Provenance(place), bytes));
    let replied = (asked(), any::<u64>(), prop::collection::vec(holding, 0..5)).prop_map(
        |((session, [request, parts]), used_bytes, holdings)| {
            let usage = Box::new(MemoryUsage { used_bytes, holdings, ..MemoryUsage::default() });
            Message::MemoryReply { session, request: RequestId(request), parts, usage }
        },
    );
    let worker = (any::<u32>(), info(), any::<[u64; 3]>()).prop_map(
        |(id, info, [silent_ns, used_bytes, queued])| WorkerReport {
            id: WorkerId(id),
            info,
            silent_ns,
            used_bytes,
            queued,
            is_drained: queued > 7,
            channels: channels(),
        },
    );
    let client = (session(), ".*", any::<bool>(), any::<[u64; 3]>(), any::<Vec<Option<u32>>>())
        .prop_map(|(id, name, connected, [silent_ns, values, queued], workers)| {
            let workers = workers.into_iter().map(|id| id.map(WorkerId)).collect();
            let modifiers =
                Modifiers { shard_cut: values, reshard_bytes: queued, ..Default::default() };
            let (user, host, age_ns) = (name.clone(), name.clone(), silent_ns);
            let share = Share::default();
            SessionReport {
                id,
                name,
                user,
                host,
                age_ns,
                share,
                connected,
                silent_ns,
                workers,
                values,
                queued,
                modifiers,
            }
        });
    let (workers, sessions) =
        (prop::collection::vec(worker, 0..4), prop::collection::vec(client, 0..4));
    let report = (".*", any::<u64>(), workers, sessions).prop_map(
        |(version, uptime_ns, workers, sessions)| {
            let traffic = Traffic { messages: uptime_ns, ..Traffic::default() };
            Message::Report(Box::new(Report { version, uptime_ns, workers, sessions, traffic }))
        },
    );
    prop_oneof![memory_usage, replied, report, Just(Message::StatusRequest), observed()]
}

/// What is said to and by those who observe.
fn observed() -> impl Strategy<Value = Message> {
    let span = any::<[u64; 4]>().prop_map(|[position, start_ns, duration_ns, bytes]| {
        let (fused, failed) = (bytes as u32, position as u32);
        Span { position, start_ns, duration_ns, bytes, fused, failed }
    });
    let spans = (session(), any::<[u64; 2]>(), prop::collection::vec(span, 0..5)).prop_map(
        |(session, [clock_ns, lost], list)| Message::Spans {
            session,
            spans: Box::new(Spans { clock_ns, list, lost }),
        },
    );
    let event = (any::<[u64; 3]>(), any::<Vec<u8>>());
    let events = (any::<u64>(), prop::collection::vec(event, 0..5)).prop_map(|(lost, list)| {
        let mut events = Events { lost, ..Events::default() };
        for ([time_ns, instruction, bytes], beside) in list {
            let event = Event::new(time_ns, Station::Ended, SessionId(instruction));
            events.push(Event { instruction, bytes, ..event }, &beside);
        }
        Message::Events(events.into())
    });
    let record = any::<bool>().prop_map(|on| Message::Record { on });
    let detail = prop_oneof![Just(Detail::Each), Just(Detail::Sums)];
    let observe =
        (any::<u32>(), detail).prop_map(|(messages, detail)| Message::Observe { messages, detail });
    prop_oneof![spans, events, record, observe, values(), Just(Message::ValuesRequest)]
}

/// Where values are: whole, copied, or cut along their first axis.
fn values() -> impl Strategy<Value = Message> {
    let one = (session(), any::<u32>(), value(), 1..4u32).prop_map(
        |(session, slot, Value { meta, .. }, workers)| {
            let mesh = || Mesh::group((0..workers).map(WorkerId));
            let cut = Placement::new(mesh(), [Layout::Shard(Cut::even(0))], &meta.shape);
            let meshes = [Ok(Placement::replicated(mesh())), cut].into_iter().flatten().collect();
            let (slot, whole) = (Slot(slot), vec![WorkerId(slot)]);
            ValueReport { session, slot, meta, whole, meshes }
        },
    );
    let list = (prop::collection::vec(one, 0..4), any::<u64>());
    list.prop_map(|(list, left_out)| Message::Values(Box::new(ValuesReport { list, left_out })))
}

/// A batch of any commands.
pub fn commands() -> impl Strategy<Value = Message> {
    (session(), prop::collection::vec(command(), 0..20)).prop_map(|(session, commands)| {
        Message::Commands { session, batch: batch(&commands).into() }
    })
}

/// These commands in a batch.
pub fn batch(commands: &[Command]) -> Batch {
    let mut batch = Batch::default();
    commands.iter().for_each(|command| batch.push(command));
    batch
}

/// A command of any kind. Frees are short; longer ones become several records.
pub fn command() -> impl Strategy<Value = Command> {
    let request = || (slot(), any::<u32>().prop_map(RequestId));
    prop_oneof![
        8 => instruction().prop_map(Command::Apply),
        1 => prop::collection::vec(slot(), 1..=4).prop_map(|slots| Command::Free(slots.into())),
        1 => (slot(), value(), any::<u32>()).prop_map(|(out, Value { meta, data }, place)| {
            Command::Upload { out, meta, data, provenance: Provenance(place) }
        }),
        1 => request().prop_map(|(slot, request)| Command::Read { slot, request }),
        1 => request().prop_map(|(slot, request)| Command::Describe { slot, request }),
        1 => (".*", any::<[u32; 2]>(), prop::option::of(prop::collection::vec(0..9u32, 0..6)))
            .prop_map(|(name, [scope, parent], workers)| {
                let (scope, parent) = (ScopeId(scope), ScopeId(parent));
                let wish = workers.map(Wish::replicated);
                Command::DefineScope { scope, parent, name: name.into(), wish }
            }),
        1 => any::<u32>().prop_map(|scope| Command::Scope(ScopeId(scope))),
        1 => (slot(), any::<u64>(), any::<u32>()).prop_map(|(out, tag, place)| {
            Command::Receive { out, tag, provenance: Provenance(place) }
        }),
        1 => (slot(), value(), any::<[u32; 2]>()).prop_map(|(out, value, [number, place])| {
            Command::Announce { out, meta: value.meta, number, provenance: Provenance(place) }
        }),
        1 => any::<u32>().prop_map(|request| Command::Sync { request: RequestId(request) }),
        1 => any::<u64>().prop_map(|barrier| Command::Report { barrier }),
        1 => (any::<u64>(), slot()).prop_map(|(barrier, slot)| {
            let slots = [slot].into_iter().collect();
            Command::Vote { barrier, slots, compare: barrier % 2 == 0 }
        }),
        1 => (any::<u64>(), any::<bool>()).prop_map(|(barrier, all)| {
            let after = if all { After::Everything } else { After::Risks };
            Command::Settle { barrier, after }
        }),
        1 => any::<u64>().prop_map(|barrier| Command::Wait { barrier }),
        1 => (request(), any::<bool>()).prop_map(|((slot, request), about_slot)| {
            let question = match (about_slot, slot.0 % 3) {
                (true, _) => Question::Placement(slot),
                (false, 0) => Question::Moved,
                (false, 1) => Question::Stats,
                (false, _) => Question::Lost,
            };
            Command::Ask { question, request }
        }),
        1 => any::<u32>().prop_map(|number| Command::Signature(SignatureId(number))),
        1 => (any::<u32>(), any::<u8>(), mesh()).prop_map(|(number, letter, mesh)| {
            let signature = Signature { mesh, cuts: [Some((letter, At::Even))].into() };
            Command::DefineSignature { number: SignatureId(number), signature }
        }),
        1 => (slot(), slot(), value(), [mesh(), mesh()], any::<u64>()).prop_map(
            |(out, slot, Value { meta, .. }, [from, to], tag)| {
                let (from, to) = (Placement::replicated(from), Placement::replicated(to));
                let to = to.with_layouts([Layout::Shard(Cut::even(0))]);
                Command::Move(Box::new(Move { out, slot, meta, from, to, tag }))
            },
        ),
    ]
}

fn mesh() -> impl Strategy<Value = Mesh> {
    prop::collection::vec(any::<u32>(), 1..6)
        .prop_map(|workers| Mesh::group(workers.into_iter().map(WorkerId)))
}

/// What a client says if nothing is replaced is nothing.
fn replaced(old: &[Option<u32>]) -> Replaces {
    match old.iter().all(Option::is_none) {
        true => Replaces::default(),
        false => Replaces(old.iter().map(|old| old.map(Slot)).collect()),
    }
}

/// Any row with one of its samples, on any slots.
pub fn instruction() -> impl Strategy<Value = Instruction> {
    let parts = (any::<[Index; 2]>(), any::<[u32; 16]>(), scalar(), any::<[Option<u32>; 4]>());
    parts.prop_map(|([row, sample], numbers, number, replaces)| {
        let op = *row.get(ops::ALL);
        let samples = (op.samples)();
        let sample = sample.get(&samples);
        let operand = |(input, &slot): (&SampleInput, &u32)| match input {
            SampleInput::Scalar(_) => Operand::Scalar(number),
            _ => Operand::Slot(Slot(slot)),
        };
        Instruction {
            op,
            outputs: (0..op.outputs.len()).map(|n| Slot(numbers[8 + n])).collect(),
            inputs: sample.inputs.iter().zip(&numbers).map(operand).collect(),
            attrs: sample.attrs.clone(),
            replaces: replaced(&replaces[..op.outputs.len().min(4)]),
            provenance: Provenance(numbers[15]),
        }
    })
}

fn scalar() -> impl Strategy<Value = Scalar> {
    // A number that is not one equals nothing, not even itself after a journey.
    let float = prop::num::f64::ANY.prop_filter("equals itself", |value| !value.is_nan());
    prop_oneof![
        any::<bool>().prop_map(Scalar::Bool),
        any::<i64>().prop_map(Scalar::Int),
        float.prop_map(Scalar::Float)
    ]
}

fn slot() -> impl Strategy<Value = Slot> {
    any::<u32>().prop_map(Slot)
}

fn session() -> impl Strategy<Value = SessionId> {
    any::<u64>().prop_map(SessionId)
}

fn value() -> impl Strategy<Value = Value> {
    let shape = prop_oneof![
        9 => prop::collection::vec(0usize..5, 0..5),
        1 => prop::collection::vec(10usize..20, 3),
    ];
    (prop::sample::select(DType::ALL), shape, any::<u8>()).prop_map(|(dtype, sizes, first)| {
        let meta = Meta::new(dtype, Shape::from(sizes.as_slice()));
        let data: Bytes = (0..meta.bytes()).map(|n| first.wrapping_add(n as u8)).collect();
        Value { meta, data }
    })
}

fn result() -> impl Strategy<Value = Result<Value, Arc<Failure>>> {
    prop_oneof![value().prop_map(Ok), failure().prop_map(Err)]
}

fn failure() -> impl Strategy<Value = Arc<Failure>> {
    (error(), ".*", slot(), any::<u32>()).prop_map(|(error, instruction, slot, place)| {
        Arc::new(Failure {
            id: FailureId { worker: place, number: u64::from(slot.0) << 20 },
            error,
            instruction,
            slot,
            provenance: Provenance(place),
            holders: Default::default(),
        })
    })
}

fn error() -> impl Strategy<Value = Error> {
    (any::<Index>(), ".*").prop_map(|(kind, text)| {
        let make = *kind.get(&[
            Error::runtime as fn(String) -> Error,
            Error::value,
            Error::type_,
            Error::index,
            Error::OutOfMemory,
            Error::Lost,
            Error::WorkerLost,
            Error::SessionLost,
            Error::Bug,
            |_| Error::Interrupted,
        ]);
        make(text)
    })
}
