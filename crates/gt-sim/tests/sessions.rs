//! What sessions may do to each other: nothing.

mod common;

use common::for_each_seed;
use gt_core::attrs::{Attr, AttrKind, AttrSpec, Attrs};
use gt_core::instruction::{Command, Instruction, Operand};
use gt_core::op::{Arg, Call, Op};
use gt_core::{DType, Meta, Provenance, RequestId, ScopeId, SessionId, Slot, ops};
use gt_sim::client::Answer;
use gt_sim::script::Saying;
use gt_sim::{Dice, Program, Script, Settings, Simulation};
use gt_transport::hello::Hello;
use gt_transport::{Batch, Message};
use gt_worker::Window;
use smallvec::{SmallVec, smallvec};

fn settings(seed: u64, clients: usize) -> Settings {
    let workers = 1 + seed as usize % 4;
    let commands = [1, 3, usize::MAX][seed as usize / 4 % 3];
    let window = Window { commands, cost_ns: 2_000_000 };
    Settings { seed, clients, workers, window, busy_ns: 0 }
}

fn numbers(answer: &Answer) -> Vec<f32> {
    let value = answer.as_ref().expect("the read gives a value");
    let (numbers, _) = value.data.as_chunks::<4>();
    numbers.iter().map(|&number| f32::from_le_bytes(number)).collect()
}

/// Whether a worker knows anything of a session.
fn knows(simulation: &Simulation, worker: usize, session: SessionId) -> bool {
    format!("{:?}", simulation.worker(worker)).contains(&format!("{session}: Queue"))
}

fn check(simulation: &Simulation, client: usize, program: &Program) {
    let found = simulation.client(client);
    assert_eq!(found.ended(), None, "client {client} was ended");
    assert!(found.is_through(), "client {client} still waits");
    assert_eq!(found.answers().len(), program.answers.len(), "client {client}");
    for (request, expected) in &program.answers {
        let answer = &found.answers()[request];
        assert!(expected.allows(answer), "client {client}, {request}: {answer:?}");
    }
    assert_eq!(found.done(), found.sent(), "client {client} is not told that all is done");
}

#[test]
fn the_same_names_in_every_session_mean_different_values() {
    for_each_seed(100, |seed| {
        let mut simulation = Simulation::new(settings(seed, 4));
        let mut request = RequestId(0);
        for client in 0..4 {
            let mut script = Script::default();
            let a = script.numbers([2], &[client as f32, 10.0]);
            let b = script.numbers([2], &[1.0, 2.0]);
            assert_eq!((a, b), (Slot(0), Slot(1)));
            let c = script.say("add t0 t1");
            script.free(a);
            let d = script.say("mul t2 t2");
            assert_eq!((c, d), (Slot(2), Slot(0)), "names are used again");
            request = script.read(d);
            simulation.say(client, script.take());
        }
        simulation.run_to_quiet();
        for client in 0..4 {
            let first = (client as f32 + 1.0).powi(2);
            assert_eq!(numbers(&simulation.client(client).answers()[&request]), [first, 144.0]);
        }
    });
}

#[test]
fn what_depends_on_a_failure_fails_with_it_and_updates_in_place_keep_the_old_value() {
    for_each_seed(100, |seed| {
        let mut simulation = Simulation::new(settings(seed, 1));
        let mut script = Script::default();
        let x = script.numbers([3], &[1.0, 2.0, 3.0]);
        let other = script.numbers([2], &[4.0, 5.0]);
        let index = script.integers([1], &[3]);
        let bad = script.say(&format!("gather {x} {index} dim=0"));
        let worse = script.say(&format!("exp {bad}"));
        let kept = script.say(&format!("add {x} {worse} replaces {x}"));
        // It depends on nothing that failed, but the program does not know of the failure.
        let other = script.say(&format!("mul {other} {other} replaces {other}"));
        let reads = [bad, worse, kept, other].map(|slot| script.read(slot));
        let next = script.say(&format!("mul {kept} {kept} replaces {kept}"));
        let next = script.read(next);
        simulation.say(0, script.take());
        simulation.run_to_quiet();
        let client = simulation.client(0);
        for request in &reads[..2] {
            let failure = client.answers()[request].as_ref().expect_err("the index is too large");
            assert_eq!((failure.slot, failure.instruction.as_str()), (bad, "t3 := gather"));
            assert!(failure.error.to_string().contains("out of bounds"), "{}", failure.error);
        }
        assert_eq!(numbers(&client.answers()[&reads[2]]), [1.0, 2.0, 3.0]);
        assert_eq!(numbers(&client.answers()[&reads[3]]), [4.0, 5.0]);
        assert_eq!(numbers(&client.answers()[&next]), [1.0, 4.0, 9.0]);
    });
}

/// A batch as it is, with names and codes that no stream would give.
fn scope(number: u32, parent: u32) -> Command {
    let (scope, parent) = (ScopeId(number), ScopeId(parent));
    Command::DefineScope { scope, parent, name: "layer".into(), wish: None }
}

/// The session of the first client, which breaks the rules.
const OFFENDER: SessionId = SessionId(1);

fn batch(commands: &[Command]) -> Saying {
    let mut batch = Batch::default();
    commands.iter().for_each(|command| batch.push(command));
    Saying::Message(Message::Commands { session: OFFENDER, batch: batch.into() })
}

fn apply(text: &str) -> Command {
    Command::Apply(gt_core::text::parse_instruction(text).expect("it is well written"))
}

fn upload(slot: u32) -> Command {
    let meta = Meta::new(DType::F32, [1]);
    let data = 1f32.to_le_bytes().to_vec().into();
    Command::Upload { out: Slot(slot), meta, data, provenance: Provenance::UNKNOWN }
}

fn free(slots: &[u32]) -> Command {
    Command::Free(slots.iter().map(|&slot| Slot(slot)).collect())
}

/// Ways to break the rules, after `t0` and `t1` were uploaded, and what is said of each.
fn offences() -> Vec<(Saying, &'static str)> {
    let read = |slot| Command::Read { slot: Slot(slot), request: RequestId(9) };
    let copy = Slot::FIRST_COPY;
    let mut unknown_code = Batch::default();
    unknown_code.push(&apply("t2 := exp t0"));
    unknown_code.records[0].op = 1000;
    let mut beyond_commands = unknown_code.clone();
    beyond_commands.records[0].op = 60_000;
    let mut outside = Batch::default();
    outside.push(&apply("t2 := sum t0"));
    outside.push(&upload(3));
    outside.extra.clear();
    let raw = |batch: Batch| {
        Saying::Message(Message::Commands { session: OFFENDER, batch: batch.into() })
    };
    let mut elsewhere = Batch::default();
    elsewhere.push(&read(0));
    let elsewhere = Message::Commands { session: SessionId(2), batch: elsewhere.into() };
    let answer = Message::Answer {
        session: SessionId(2),
        request: RequestId(1),
        result: Ok(gt_transport::Value { meta: Meta::new(DType::F32, [0]), data: "".into() }),
    };
    vec![
        (batch(&[apply("t3 := add t0 t2")]), "t2 does not exist"),
        (batch(&[read(5)]), "t5 does not exist"),
        (batch(&[Command::Describe { slot: Slot(5), request: RequestId(9) }]), "does not exist"),
        (batch(&[apply("t1 := exp t0")]), "t1 is named twice"),
        (batch(&[apply("t2, t2 := topk t0 k=1")]), "t2 is named twice"),
        (batch(&[upload(0)]), "t0 is named twice"),
        (batch(&[upload(1 << 30)]), "not a name a client can give"),
        (batch(&[upload(copy)]), "may not name"),
        (batch(&[apply(&format!("t{copy} := exp t0"))]), ""),
        (batch(&[apply(&format!("t3 := exp t{copy}"))]), ""),
        (batch(&[free(&[0, 0])]), "t0 does not exist"),
        (batch(&[free(&[0]), free(&[0])]), "t0 does not exist"),
        (batch(&[free(&[copy])]), ""),
        (batch(&[free(&[u32::MAX])]), ""),
        (batch(&[apply("t2 := exp t0 replaces t7")]), "t7 does not exist"),
        (batch(&[apply("t2 := exp t0 replaces t0"), read(0)]), "t0 does not exist"),
        (batch(&[apply("t2 := reshape t0 shape=[1, 1] replaces t0")]), "in the place of"),
        (batch(&[apply("t2 := nonzero t0 replaces t0")]), "in the place of"),
        (batch(&[apply("t2 := reshape t0 shape=[7]")]), "reshape"),
        (batch(&[apply("t2 := nonzero t0"), apply("t3 := abs t2")]), "not known yet"),
        (batch(&[Command::Scope(ScopeId(1))]), "scope1 is not defined"),
        (batch(&[scope(2, 0)]), "scope2 is not the next"),
        (batch(&[scope(1, 1)]), "scope1 is not defined"),
        (
            batch(&[Command::Receive { out: Slot(2), tag: 0, provenance: Provenance(0) }]),
            "may not say",
        ),
        (raw(unknown_code), "code 1000"),
        (raw(beyond_commands), "code 60000"),
        (raw(outside), "outside of its batch"),
        (Saying::Message(elsewhere), "somebody else"),
        (Saying::Message(Message::Hello(Hello::named("again"))), "opened twice"),
        (Saying::Message(Message::Register(Box::default())), "only others send"),
        (Saying::Message(Message::Forget { session: SessionId(2) }), "only others send"),
        (Saying::Message(answer), "only others send"),
    ]
}

#[test]
fn a_session_that_breaks_the_rules_ends_alone() {
    for_each_seed(120, |seed| {
        let offences = offences();
        let (offence, expected) = &offences[seed as usize % offences.len()];
        let programs: Vec<_> = (0..2).map(|n| Program::random(seed, seed * 2 + n, 12)).collect();
        let mut simulation = Simulation::new(settings(seed, 3));
        let mut script = Script::default();
        let (a, b) = (script.numbers([1], &[1.0]), script.numbers([1], &[2.0]));
        let early = script.read(a);
        script.push(Saying::Await(early));
        script.push(offence.clone());
        script.read(b);
        simulation.say(0, script.take());
        for (client, program) in programs.iter().enumerate() {
            simulation.say(client + 1, program.sayings.clone());
        }
        simulation.run_to_quiet();
        let offender = simulation.client(0);
        let error = offender.ended().expect("the session ends").to_string();
        assert!(error.contains(expected), "{error}\n  does not say\n{expected}");
        assert_eq!(numbers(&offender.answers()[&early]), [1.0], "what was asked before it");
        assert!(simulation.dispatcher().session(offender.id()).is_none());
        for worker in 0..settings(seed, 3).workers {
            assert!(!knows(&simulation, worker, offender.id()), "worker {worker} remembers it");
        }
        for (client, program) in programs.iter().enumerate() {
            check(&simulation, client + 1, program);
        }
    });
}

/// Two of three sessions say goodbye, after so many things they say or at the end.
fn say_goodbye(seed: u64, length: impl Fn(usize) -> usize) {
    let stays = Program::random(seed, seed, 12);
    let mut simulation = Simulation::new(settings(seed, 3));
    simulation.say(0, stays.sayings.clone());
    for client in 1..3 {
        let mut program = Program::random(seed + client as u64, seed, 24);
        program.sayings.truncate(length(program.sayings.len()));
        simulation.say(client, program.sayings);
    }
    let bye = || [Saying::Message(Message::Bye)];
    if length(usize::MAX) == usize::MAX {
        simulation.run_to_quiet();
    }
    (1..3).for_each(|client| simulation.say(client, bye()));
    simulation.run_to_quiet();
    check(&simulation, 0, &stays);
    for client in 1..3 {
        let id = simulation.client(client).id();
        assert!(simulation.dispatcher().session(id).is_none());
        for worker in 0..settings(seed, 3).workers {
            assert!(!knows(&simulation, worker, id), "worker {worker} remembers {id}");
        }
    }
    simulation.say(0, bye());
    simulation.run_to_quiet();
    simulation.drop_answers();
    assert_eq!(simulation.used_bytes(), 0, "values of sessions that are gone");
}

#[test]
fn nothing_is_left_of_sessions_that_said_goodbye() {
    for_each_seed(100, |seed| say_goodbye(seed, |length| length));
}

#[test]
fn nothing_is_left_of_sessions_that_left_in_the_middle_of_their_work() {
    for_each_seed(100, |seed| say_goodbye(seed, |length| length.min(seed as usize % 50)));
}

#[test]
fn a_batch_that_gives_no_worker_anything_to_do_is_done_at_once() {
    let mut simulation = Simulation::new(settings(1, 1));
    let mut script = Script::default();
    script.command(scope(1, 0));
    script.command(Command::Scope(ScopeId(1)));
    simulation.say(0, script.take());
    simulation.run_to_quiet();
    let client = simulation.client(0);
    assert_eq!((client.done(), client.done().commands), (client.sent(), 2));
}

/// A name that is freed and given again while its description is on its way.
#[test]
fn the_answer_about_a_freed_value_does_not_describe_the_next_of_its_name() {
    for_each_seed(100, |seed| {
        let mut simulation = Simulation::new(settings(seed, 1));
        let mut script = Script::default();
        let few = script.numbers([3], &[0.0, 1.0, 0.0]);
        let many = script.numbers([3], &[1.0, 1.0, 1.0]);
        let first = script.say(&format!("nonzero {few}"));
        script.command(Command::Describe { slot: first, request: RequestId(50) });
        script.free(first);
        let second = script.say(&format!("nonzero {many}"));
        assert_eq!(first, second);
        script.describe(second);
        let sum = script.say(&format!("add {second} {second}"));
        let flat = script.say(&format!("reshape {sum} shape=[3]"));
        let request = script.read(flat);
        simulation.say(0, script.take());
        simulation.run_to_quiet();
        let client = simulation.client(0);
        assert_eq!(client.ended(), None);
        let value = client.answers()[&request].as_ref().expect("it has a value");
        assert_eq!(value.meta, Meta::new(DType::I64, [3]));
    });
}

/// Attributes of the right kind with numbers nobody means.
fn hostile_attrs(op: &Op, dice: &mut Dice) -> Attrs {
    let numbers = [0, 1, -1, 2, 3, 5, -4, 63, 1 << 31, 1 << 40, -(1 << 40), i64::MAX, i64::MIN];
    let value = |spec: &AttrSpec| {
        let mut number = || *dice.choose(&numbers);
        let ints: SmallVec<[i64; 4]> = smallvec![number(), number(), number()];
        let length = dice.below(4);
        match spec.kind {
            AttrKind::Bool => Attr::Bool(length.is_multiple_of(2)),
            AttrKind::Int | AttrKind::Axis | AttrKind::Seed | AttrKind::RngIndex => {
                Attr::Int(ints[0])
            }
            AttrKind::Float | AttrKind::Number | AttrKind::Order => Attr::Float(ints[0] as f64),
            AttrKind::Axes | AttrKind::Sizes | AttrKind::Spatial | AttrKind::Region => {
                Attr::Ints(ints[..length].into())
            }
            AttrKind::DType => Attr::DType(*dice.choose(&[DType::F32, DType::I64, DType::C64])),
            AttrKind::Ranges => {
                let range = |&start: &i64| gt_core::attrs::Range {
                    start: start as usize,
                    len: ints[1] as usize,
                    step: ints[2],
                };
                Attr::Ranges(ints[..length].iter().map(range).collect())
            }
            AttrKind::Text => Attr::Text("ij,jk->ik".into()),
        }
    };
    Attrs(op.attrs.iter().map(value).collect())
}

/// Whether it would succeed and be large: memory is another test's business.
fn is_large(instruction: &Instruction, metas: &[Meta]) -> bool {
    let arg = |input: &Operand| match input {
        Operand::Slot(slot) => Arg::Tensor(&metas[slot.0 as usize]),
        Operand::Scalar(scalar) => Arg::Scalar(*scalar),
    };
    let args: Vec<Arg> = instruction.inputs.iter().map(arg).collect();
    let call = Call { op: instruction.op, inputs: &args, attrs: &instruction.attrs };
    let outputs = call.infer().map(|inferred| inferred.outputs).unwrap_or_default();
    outputs.iter().any(|meta| meta.bytes() > 1 << 16)
}

/// Any row with inputs and attributes that may mean nothing.
fn hostile(dice: &mut Dice, metas: &[Meta]) -> Option<Instruction> {
    let op = *dice.choose(ops::ALL);
    let arity = if op.variadic { 1 + dice.below(3) } else { op.inputs.len() };
    let inputs = (0..arity).map(|_| match dice.below(8) {
        0 => Operand::Scalar(2.5.into()),
        _ => Operand::Slot(Slot(dice.below(metas.len()) as u32)),
    });
    let inputs = inputs.collect();
    let attrs = match op.default_attrs() {
        Some(attrs) if dice.once_in(3) => attrs,
        _ => hostile_attrs(op, dice),
    };
    let outputs = (0..op.outputs.len()).map(|n| Slot((metas.len() + n) as u32)).collect();
    let provenance = Provenance::UNKNOWN;
    let instruction =
        Instruction { op, outputs, inputs, attrs, replaces: Default::default(), provenance };
    (!is_large(&instruction, metas)).then_some(instruction)
}

#[test]
fn attributes_that_nobody_means_harm_only_whoever_sent_them() {
    for_each_seed(2000, |seed| {
        let mut dice = Dice::new(seed);
        let shapes: [&[usize]; 6] = [&[], &[3], &[4, 3], &[0, 3], &[2, 3, 4], &[1, 2, 4, 4]];
        let mut script = Script::default();
        let metas: Vec<Meta> = shapes.map(|shape| Meta::new(DType::F32, shape)).into();
        for meta in &metas {
            script.upload(meta.clone(), vec![0; meta.bytes()].into());
        }
        let Some(instruction) = hostile(&mut dice, &metas) else { return };
        let outputs = instruction.outputs.clone();
        let text = instruction.to_string();
        script.command(Command::Apply(instruction));
        let requests: Vec<_> = outputs.iter().map(|&slot| script.read(slot)).collect();
        let mut simulation = Simulation::new(settings(seed, 1));
        simulation.say(0, script.take());
        simulation.run_to_quiet();
        let client = simulation.client(0);
        let answered = requests.iter().all(|request| client.answers().contains_key(request));
        assert!(answered || client.ended().is_some(), "'{text}' is never answered");
    });
}
