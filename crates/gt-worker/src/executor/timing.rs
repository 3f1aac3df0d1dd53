//! How long the commands of a plan take, by the clock of this process.

use std::sync::OnceLock;
use std::time::Instant;

use gt_core::event::{Span, Spans};
use gt_transport::Message;

use super::run::Run;
use crate::engine::Engine;
use crate::plan::{Compute, Position, Step};

/// A plan tells of so many commands at most.
const MOST: usize = 1 << 16;

/// What a step was about.
pub(super) struct Timed {
    position: Option<Position>,
    bytes: u64,
    fused: u32,
    failed: bool,
}

/// The time since somebody first asked.
fn clock_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Measures the steps of a plan.
pub(super) struct Timing;

impl Timing {
    /// Runs the steps; steps of one command that follow one another become one span.
    pub(super) fn of<'a>(
        steps: impl Iterator<Item = &'a mut Step>,
        mut run: impl FnMut(&mut Step) -> Timed,
    ) -> Box<Spans> {
        let mut spans = Box::new(Spans { clock_ns: clock_ns(), ..Spans::default() });
        for step in steps {
            let Timed { position, bytes, fused, failed } = run(step);
            let start_ns = spans.clock_ns;
            spans.clock_ns = clock_ns();
            let Some(Position(position)) = position else { continue };
            let duration_ns = spans.clock_ns - start_ns;
            let failed = u32::from(failed);
            let has_room = spans.list.len() < MOST;
            match spans.list.last_mut().filter(|last| last.position == position) {
                Some(last) => {
                    last.duration_ns = start_ns + duration_ns - last.start_ns;
                    // What looks at a result or puts it in place makes nothing.
                    last.bytes = if bytes > 0 { bytes } else { last.bytes };
                    last.fused = last.fused.max(fused);
                    last.failed |= failed;
                }
                None if has_room => {
                    let span = Span { position, start_ns, duration_ns, bytes, fused, failed };
                    spans.list.push(span);
                }
                None => spans.lost += 1,
            }
        }
        spans
    }
}

impl<E: Engine + ?Sized> Run<'_, E> {
    /// Does one thing, and says what it was about.
    pub(super) fn timed_step(&mut self, step: &mut Step) -> Timed {
        let said = self.messages.len();
        let mut timed = about(step);
        self.step(step);
        for message in &self.messages[said..] {
            match message {
                Message::Failed { .. } => timed.failed = true,
                Message::Answer { result: Ok(value), .. } => timed.bytes = value.data.len() as u64,
                Message::Handover { result: Ok(data), .. } => timed.bytes = data.len() as u64,
                Message::Answer { .. } | Message::Handover { .. } => timed.failed = true,
                _ => {}
            }
        }
        let results: &[Compute] = match step {
            Step::Compute(compute) => std::slice::from_ref(compute),
            Step::Fused(fused) => &fused.computes,
            _ => &[],
        };
        timed.failed |= results.iter().any(|compute| self.has_failed(compute.outputs[0]));
        timed
    }
}

/// What is known of a step before it runs.
fn about(step: &Step) -> Timed {
    let made = |compute: &Compute| compute.metas.iter().map(|meta| meta.bytes() as u64).sum();
    let (position, bytes, fused) = match step {
        Step::Compute(compute) => (Some(compute.origin.position), made(compute), 0),
        Step::Fused(fused) => {
            let last = fused.computes.last();
            let bytes = fused.program.outputs.iter().map(|&index| made(&fused.computes[index]));
            let position = last.map(|compute| compute.origin.position);
            (position, bytes.sum(), fused.computes.len() as u32)
        }
        Step::Upload { value, origin, .. } => (Some(origin.position), value.meta.bytes() as u64, 0),
        Step::Replace(replace) => (Some(replace.origin.position), 0, 0),
        Step::Check(check) => (Some(check.origin.position), 0, 0),
        Step::Fail(position, _)
        | Step::Report { position, .. }
        | Step::Vote { position, .. }
        | Step::Sync { position, .. }
        | Step::GiveUp { position, .. }
        | Step::Answer { position, .. }
        | Step::Handover { position, .. } => (Some(*position), 0, 0),
        Step::Bear { .. } | Step::Poison(..) => (None, 0, 0),
    };
    Timed { position, bytes, fused, failed: false }
}
