//! Joins elementwise steps that follow one another and make results of one shape. An engine
//! computes them together; what nobody else needs of their results is never stored.

use gt_core::kernel::Kernel;
use gt_core::{DType, Meta};
use smallvec::SmallVec;

use crate::engine::Takes;
use crate::engine::program::{Program, ProgramStep, Reduction, Source};
use crate::plan::{Compute, Fused, Input, Job, Plan, Register, Step, Use};

/// So many steps are joined at most, so that what they have at hand stays near the processor.
const MOST_STEPS: usize = 36;

/// Joins what can be joined. The last use of each value is known; `metas` says what is in each
/// register.
pub(super) fn fuse(plan: &mut Plan, metas: &[Meta], engine: &dyn Takes) {
    if plan.steps.len() < 2 {
        return;
    }
    let steps = std::mem::take(&mut plan.steps);
    plan.steps.reserve(steps.len());
    let mut group: Vec<Compute> = Vec::new();
    for step in steps {
        let Step::Compute(compute) = step else {
            close(&mut group, metas, &mut plan.steps);
            plan.steps.push(step);
            continue;
        };
        if is_view(&compute) && is_apart(&compute, &group) {
            plan.steps.push(Step::Compute(compute));
            continue;
        }
        if closes(&compute, &group, metas, engine) {
            group.push(compute);
            close(&mut group, metas, &mut plan.steps);
            continue;
        }
        if !is_fusible(&compute, metas, engine) {
            close(&mut group, metas, &mut plan.steps);
            plan.steps.push(Step::Compute(compute));
            continue;
        }
        let other = |first: &Compute| first.metas[0].shape != compute.metas[0].shape;
        if group.len() == MOST_STEPS || group.first().is_some_and(other) {
            close(&mut group, metas, &mut plan.steps);
        }
        group.push(compute);
    }
    close(&mut group, metas, &mut plan.steps);
}

/// So many elements are combined into one at least, if that is done while they are computed: a tile
/// has no more than these.
const LEAST_COMBINED: usize = 256;

/// Whether a step combines what a group makes along the last axes, so that it can be its end. What
/// the group reads must lie in rows that the reduction does not cross.
fn closes(compute: &Compute, group: &[Compute], metas: &[Meta], engine: &dyn Takes) -> bool {
    let (Job::Kernel(kernel), [Input::Register(used)]) = (&compute.job, &compute.inputs[..]) else {
        return false;
    };
    let Some(first) = first_axis(kernel, &metas[used.register.0 as usize]) else { return false };
    let meta = &metas[used.register.0 as usize];
    let is_made = |register| group.iter().any(|step| step.outputs.contains(&register));
    let in_rows = |register: Register| {
        let read = &metas[register.0 as usize].shape;
        is_made(register) || *read == meta.shape || read.count() == 1
    };
    is_made(used.register)
        && compute.replaces.is_none()
        && meta.shape[first..].iter().product::<usize>() >= LEAST_COMBINED
        && meta.shape.count() > 0
        && (first + 1 == meta.shape.rank() || group.iter().flat_map(registers).all(in_rows))
        && engine.fuses(kernel, meta.dtype, compute.metas[0].dtype)
}

/// The axis from which on a kernel combines all others.
fn first_axis(kernel: &Kernel, meta: &Meta) -> Option<usize> {
    let Kernel::Reduce { axes, .. } = kernel else { return None };
    let first = axes.iter().min().copied()?;
    (first + axes.len() == meta.shape.rank()).then_some(first)
}

/// Whether a step only sees elements in another way. It may be done before a group that has nothing
/// to do with it, which is not ended by it.
fn is_view(compute: &Compute) -> bool {
    let Job::Kernel(kernel) = &compute.job else { return false };
    let is_view =
        matches!(kernel, Kernel::Slice(_) | Kernel::Permute(_) | Kernel::Reshape | Kernel::Expand);
    is_view && compute.replaces.is_none()
}

/// Whether no step of a group makes, reads or replaces what a step reads.
fn is_apart(compute: &Compute, group: &[Compute]) -> bool {
    registers(compute).all(|register| {
        let meets = |other: &Compute| {
            other.outputs.contains(&register) || registers(other).any(|used| used == register)
        };
        !group.iter().any(meets)
    })
}

/// What a step reads, and what it replaces.
fn registers(compute: &Compute) -> impl Iterator<Item = Register> {
    let inputs = compute.inputs.iter().filter_map(|input| match input {
        Input::Register(used) => Some(used.register),
        Input::Scalar(_) => None,
    });
    inputs.chain(compute.replaces.map(|old| old.register))
}

/// Whether a step computes each element of its result by itself, and the engine can do that
/// together with others.
fn is_fusible(compute: &Compute, metas: &[Meta], engine: &dyn Takes) -> bool {
    let Job::Kernel(kernel) = &compute.job else { return false };
    let [out] = &compute.metas[..] else { return false };
    let has_mask = matches!(compute.inputs.first(), Some(Input::Register(_)));
    let is_elementwise = match kernel {
        Kernel::Map(_) | Kernel::Zip(_) | Kernel::Cast => true,
        Kernel::Where => has_mask,
        _ => false,
    };
    is_elementwise
        && out.shape.count() > 0
        && operand(compute, metas).is_some_and(|dtype| engine.fuses(kernel, dtype, out.dtype))
}

/// The dtype of the first tensor among the inputs.
fn operand(compute: &Compute, metas: &[Meta]) -> Option<DType> {
    compute.inputs.iter().find_map(|input| match input {
        Input::Register(used) => Some(metas[used.register.0 as usize].dtype),
        Input::Scalar(_) => None,
    })
}

/// Ends a group: one step stays what it is, several become one.
fn close(group: &mut Vec<Compute>, metas: &[Meta], steps: &mut Vec<Step>) {
    match group.len() {
        0 => {}
        1 => steps.extend(group.drain(..).map(Step::Compute)),
        _ => steps.push(Step::Fused(Box::new(join(std::mem::take(group), metas)))),
    }
}

fn join(computes: Vec<Compute>, metas: &[Meta]) -> Fused {
    let made: SmallVec<[Register; MOST_STEPS]> =
        computes.iter().map(|compute| compute.outputs[0]).collect();
    let mut is_needed: SmallVec<[bool; MOST_STEPS]> = SmallVec::from_elem(true, made.len());
    let (mut inputs, mut ended) = (SmallVec::<[Use; 4]>::new(), SmallVec::new());
    let mut program_steps = Vec::with_capacity(computes.len());
    let mut reduction = None;
    for compute in &computes {
        let Job::Kernel(kernel) = &compute.job else { unreachable!("only kernels are joined") };
        let mut meet = |used: Use| {
            if let Some(step) = made.iter().position(|register| *register == used.register) {
                is_needed[step] &= !used.last;
                return Source::Step(step);
            }
            let known = inputs.iter().position(|input| input.register == used.register);
            let index = known.unwrap_or_else(|| {
                inputs.push(Use::of(used.register));
                inputs.len() - 1
            });
            inputs[index].last |= used.last;
            Source::Input(index)
        };
        let sources = compute.inputs.iter().map(|input| match *input {
            Input::Register(used) => meet(used),
            Input::Scalar(scalar) => Source::Scalar(scalar),
        });
        let sources: SmallVec<[Source; 3]> = sources.collect();
        if let (Kernel::Reduce { with, .. }, [Source::Step(step)]) = (kernel, &sources[..]) {
            let made = &metas[made[*step].0 as usize];
            let first_axis = first_axis(kernel, made).expect("the last axes are combined");
            let (with, step, out) = (*with, *step, compute.metas[0].clone());
            reduction = Some(Reduction { with, first_axis, step, out });
            continue;
        }
        program_steps.push(ProgramStep {
            kernel: kernel.clone(),
            sources,
            operand: operand(compute, metas).expect("one of them is a tensor"),
            result: compute.metas[0].dtype,
        });
    }
    for old in computes.iter().filter_map(|compute| compute.replaces) {
        if let Some(step) = made.iter().position(|register| *register == old.register) {
            is_needed[step] &= !old.last;
        } else if let Some(input) = inputs.iter_mut().find(|input| input.register == old.register) {
            input.last |= old.last;
        } else if old.last {
            ended.push(old.register);
        }
    }
    let outputs = (0..made.len()).filter(|&step| is_needed[step]).collect();
    let shape = computes[0].metas[0].shape.clone();
    let program = Program { shape, steps: program_steps, reduction, outputs };
    Fused { computes, program, inputs, ended }
}
