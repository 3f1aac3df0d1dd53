//! Random programs of one client, and what may come of them. A program is a list of acts, so it
//! can be evaluated again without updates that a failure kept from happening.

use std::collections::{BTreeMap, BTreeSet};

use gt_core::instruction::Command;
use gt_core::placement::Wish;
use gt_core::{RequestId, ScopeId, SessionId, Slot};
use gt_sim::client::Answer;
use gt_sim::script::Saying;
use gt_sim::{Dice, Script};
use gt_transport::Message;
use smallvec::SmallVec;

/// More than a message may carry.
pub const SHAPE: [usize; 2] = [50, 30];
/// Whole numbers up to this are exact, however they are added.
const MOST: f32 = 16_777_216.0;
/// A program has no more updates than can be tried with and without each of them.
const MOST_UPDATES: usize = 10;

/// Wishes to choose from: one axis cut, none, and both on a mesh of two axes.
fn wishes() -> Vec<Wish> {
    let mesh = |cuts: [Option<i32>; 2]| Wish {
        mesh: SmallVec::from_iter([("rows".into(), 2), ("columns".into(), 2)]),
        cuts: SmallVec::from_iter(cuts),
        ..Wish::replicated(0..4)
    };
    vec![
        Wish::sharded(0, [0, 1]),
        Wish::sharded(1, [0, 1, 2]),
        Wish::sharded(0, [1, 3]),
        Wish::replicated([0, 1]),
        mesh([Some(0), Some(1)]),
        mesh([None, Some(0)]),
    ]
}

/// Something that a program does with its variables, which have numbers.
#[derive(Clone, Debug)]
enum Act {
    /// A variable from the client.
    Upload(usize, Vec<f32>),
    /// A variable is the sum of two others.
    Add(usize, usize, usize),
    /// A variable is another one plus the sums of its columns.
    Summed(usize, usize),
    /// A variable has the rows of another one in reverse, looked up by an index.
    Reversed(usize, usize),
    /// The second variable is added to the first, in place.
    Update(usize, usize),
    /// A variable is read.
    Read(usize, RequestId),
    /// The client asks whether everything so far is good.
    Sync(RequestId),
}

/// A variable that is alive.
#[derive(Clone, Copy)]
struct Live {
    variable: usize,
    slot: Slot,
    /// No element is larger.
    most: f32,
}

/// A program and what it does.
pub struct Program {
    pub script: Script,
    acts: Vec<Act>,
    variables: usize,
    live: Vec<Live>,
    /// The positions that name the rows of a value in reverse, once they are uploaded.
    index: Option<Slot>,
    /// The reads for which the client no longer waits.
    given_up: BTreeSet<RequestId>,
}

impl Program {
    /// Uploads, sums, lookups, updates and reads of one client, whose numbers are like nobody
    /// else's.
    pub fn random(dice: &mut Dice, client: usize) -> Program {
        let (script, acts, live) = Default::default();
        let mut program =
            Program { script, acts, variables: 0, live, index: None, given_up: BTreeSet::new() };
        let wishes = wishes();
        for (index, wish) in wishes.iter().enumerate() {
            let (scope, name) = (ScopeId(index as u32 + 1), "layer".into());
            let (parent, wish) = (ScopeId(0), Some(wish.clone()));
            program.script.command(Command::DefineScope { scope, parent, name, wish });
        }
        for step in 0..4 + dice.below(14) {
            if dice.once_in(2) {
                let scope = ScopeId(dice.below(wishes.len() + 1) as u32);
                program.script.command(Command::Scope(scope));
            }
            program.step(dice, (client * 1000 + step * 10) as f32);
        }
        program.end(dice);
        program
    }

    fn step(&mut self, dice: &mut Dice, first: f32) {
        let updates = self.acts.iter().filter(|act| matches!(act, Act::Update(..))).count();
        match dice.below(9) {
            1 if self.live.len() > 1 => {
                let (a, b) = (*dice.choose(&self.live), *dice.choose(&self.live));
                if a.most + b.most <= MOST {
                    let slot = self.script.say(&format!("add {} {}", a.slot, b.slot));
                    let variable = self.name(slot, a.most + b.most);
                    self.acts.push(Act::Add(variable, a.variable, b.variable));
                }
            }
            2 if !self.live.is_empty() => {
                let Live { variable, slot, .. } = *dice.choose(&self.live);
                let request = self.script.read(slot);
                self.acts.push(Act::Read(variable, request));
                self.wait_at_times(dice, request);
            }
            3 if self.live.len() > 3 => {
                let Live { slot, .. } = self.live.swap_remove(dice.below(self.live.len()));
                self.script.free(slot);
            }
            4 if !self.live.is_empty() => self.add_sums(*dice.choose(&self.live)),
            5 | 6 if self.live.len() > 1 && updates < MOST_UPDATES => {
                let (at, other) = (dice.below(self.live.len()), *dice.choose(&self.live));
                let old = self.live[at];
                if old.most + other.most <= MOST {
                    let text = format!("add {0} {1} replaces {0}", old.slot, other.slot);
                    let slot = self.script.say(&text);
                    self.live[at] = Live { slot, most: old.most + other.most, ..old };
                    self.acts.push(Act::Update(old.variable, other.variable));
                }
            }
            7 if !self.live.is_empty() => self.reverse(*dice.choose(&self.live)),
            8 if dice.once_in(2) => self.synchronize(dice),
            _ => {
                let count = SHAPE.iter().product();
                let numbers: Vec<f32> = (0..count).map(|at| first + (at % 7) as f32).collect();
                let slot = self.script.numbers(SHAPE, &numbers);
                let variable = self.name(slot, first + 6.0);
                self.acts.push(Act::Upload(variable, numbers));
            }
        }
    }

    /// Reads everything that is left and frees it.
    fn end(&mut self, dice: &mut Dice) {
        if dice.once_in(2) {
            self.synchronize(dice);
        }
        for Live { variable, slot, .. } in std::mem::take(&mut self.live) {
            let request = self.script.read(slot);
            self.script.push(Saying::Await(request));
            self.acts.push(Act::Read(variable, request));
            self.script.free(slot);
        }
        self.index.take().into_iter().for_each(|slot| self.script.free(slot));
    }

    fn name(&mut self, slot: Slot, most: f32) -> usize {
        self.variables += 1;
        self.live.push(Live { variable: self.variables - 1, slot, most });
        self.variables - 1
    }

    /// Waits for an answer, or goes on, or gives up what was asked for so far.
    fn wait_at_times(&mut self, dice: &mut Dice, request: RequestId) {
        match dice.below(8) {
            0..4 => self.script.push(Saying::Await(request)),
            4 => {
                let request = Some(request).filter(|_| dice.once_in(2));
                self.given_up.extend(request);
                let session = SessionId(0);
                self.script.push(Saying::Message(Message::Cancel { session, request }));
            }
            _ => {}
        }
    }

    fn synchronize(&mut self, dice: &mut Dice) {
        let request = self.script.synchronize();
        self.acts.push(Act::Sync(request));
        self.wait_at_times(dice, request);
    }

    /// A value plus the sums of its columns, which workers that have rows of it put together.
    fn add_sums(&mut self, value: Live) {
        let most = value.most * (SHAPE[0] + 1) as f32;
        if most > MOST {
            return;
        }
        let sums = self.script.say(&format!("sum {} dim=[0]", value.slot));
        let slot = self.script.say(&format!("add {} {sums}", value.slot));
        self.script.free(sums);
        let variable = self.name(slot, most);
        self.acts.push(Act::Summed(variable, value.variable));
    }

    /// Data can make a lookup fail, so that updates elsewhere wait for what becomes of it.
    fn reverse(&mut self, value: Live) {
        let index = *self.index.get_or_insert_with(|| {
            let rows: Vec<i64> = (0..SHAPE[0] as i64).rev().collect();
            self.script.integers([SHAPE[0]], &rows)
        });
        let slot = self.script.say(&format!("index_select {} {index} dim=0", value.slot));
        let variable = self.name(slot, value.most);
        self.acts.push(Act::Reversed(variable, value.variable));
    }

    /// Everything that the client asks for.
    pub fn requests(&self) -> impl Iterator<Item = RequestId> {
        self.acts.iter().filter_map(|act| match act {
            Act::Read(_, request) | Act::Sync(request) => Some(*request),
            _ => None,
        })
    }

    /// Whether this is the answer to a read for which the client did not wait.
    pub fn is_given_up(&self, request: RequestId, answer: &Answer) -> bool {
        let is_interrupted = answer.as_ref().is_err_and(|failure| failure.is_given_up());
        is_interrupted && self.given_up.contains(&request)
    }

    /// Checks what was answered. An update may only be missing if the client was told of a failure
    /// after it, before anything said that all was well.
    ///
    /// # Panics
    /// If no such updates explain the answers.
    pub fn check(&self, answers: &BTreeMap<RequestId, Answer>) {
        let excused = self.excused(answers);
        let worlds = 1_u32 << excused.len();
        let explains = |world: u32| {
            let skipped = excused.iter().enumerate();
            let skipped = skipped.filter(|(bit, _)| world >> bit & 1 == 1);
            let skipped: BTreeSet<usize> = skipped.map(|(_, act)| *act).collect();
            self.first_wrong(&skipped, answers).is_none()
        };
        if !(0..worlds).any(explains) {
            let wrong = self.first_wrong(&BTreeSet::new(), answers);
            let told = self.told(answers);
            panic!("other numbers for {wrong:?}; only {excused:?} may be missing of\n{told}");
        }
    }

    /// The acts and what was answered, for whoever has to find out why.
    fn told(&self, answers: &BTreeMap<RequestId, Answer>) -> String {
        let line = |(number, act): (usize, &Act)| match act {
            Act::Upload(variable, _) => format!("{number}: v{variable} uploaded"),
            Act::Read(_, request) | Act::Sync(request) => {
                let answer = match answers.get(request) {
                    Some(Ok(value)) => runs(&value.data),
                    Some(Err(failure)) => format!("{}: {}", failure.instruction, failure.error),
                    None => "no answer".to_string(),
                };
                format!("{number}: {act:?} -> {answer}")
            }
            act => format!("{number}: {act:?}"),
        };
        self.acts.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The updates that may be missing.
    fn excused(&self, answers: &BTreeMap<RequestId, Answer>) -> Vec<usize> {
        let is_excused = |&act: &usize| {
            let Act::Update(updated, _) = self.acts[act] else { return false };
            for later in &self.acts[act + 1..] {
                let (request, tells_all) = match later {
                    Act::Read(variable, request) => (request, *variable == updated),
                    Act::Sync(request) => (request, true),
                    _ => continue,
                };
                match answers.get(request) {
                    Some(answer) if self.is_given_up(*request, answer) => {}
                    Some(Err(_)) | None => return true,
                    Some(Ok(_)) if tells_all => return false,
                    Some(Ok(_)) => {}
                }
            }
            false
        };
        (0..self.acts.len()).filter(is_excused).collect()
    }

    /// The first request that was answered with other numbers than the program has without these
    /// updates.
    fn first_wrong(
        &self,
        skipped: &BTreeSet<usize>,
        answers: &BTreeMap<RequestId, Answer>,
    ) -> Option<RequestId> {
        let mut values: Vec<Vec<f32>> = Vec::new();
        for (number, act) in self.acts.iter().enumerate() {
            match act {
                Act::Upload(variable, numbers) => set(&mut values, *variable, numbers.clone()),
                Act::Add(variable, a, b) => {
                    let sum = added(&values[*a], &values[*b]);
                    set(&mut values, *variable, sum);
                }
                Act::Summed(variable, of) => {
                    let numbers = with_sums(&values[*of]);
                    set(&mut values, *variable, numbers);
                }
                Act::Reversed(variable, of) => {
                    let rows = values[*of].chunks(SHAPE[1]).rev().flatten();
                    let numbers = rows.copied().collect();
                    set(&mut values, *variable, numbers);
                }
                Act::Update(variable, other) if !skipped.contains(&number) => {
                    values[*variable] = added(&values[*variable], &values[*other]);
                }
                Act::Read(variable, request) => {
                    let Some(Ok(value)) = answers.get(request) else { continue };
                    let own = values[*variable].iter().flat_map(|number| number.to_le_bytes());
                    if !own.eq(value.data.iter().copied()) {
                        return Some(*request);
                    }
                }
                Act::Update(..) | Act::Sync(_) => {}
            }
        }
        None
    }
}

/// The first number of each run of rows that go on alike.
fn runs(data: &[u8]) -> String {
    let numbers = data.chunks(4).filter_map(|number| number.try_into().ok());
    let numbers: Vec<f32> = numbers.map(f32::from_le_bytes).collect();
    let starts = numbers.windows(8).enumerate();
    let starts = starts.filter(|(_, pair)| pair[7] - pair[0] != 0.0);
    let starts: Vec<_> = starts.map(|(at, pair)| (at + 7, pair[7])).take(4).collect();
    format!("{:?} … {starts:?}", numbers.first())
}

/// Variables get their numbers in order.
fn set(values: &mut Vec<Vec<f32>>, variable: usize, numbers: Vec<f32>) {
    assert_eq!(values.len(), variable);
    values.push(numbers);
}

fn added(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn with_sums(numbers: &[f32]) -> Vec<f32> {
    let columns = SHAPE[1];
    let column = |at: usize| numbers[at..].iter().step_by(columns).sum::<f32>();
    let sums: Vec<f32> = (0..columns).map(column).collect();
    numbers.iter().zip(sums.iter().cycle()).map(|(number, sum)| number + sum).collect()
}
