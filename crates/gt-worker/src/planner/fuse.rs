//! Joins elementwise steps that follow one another and make results of one shape. An engine
//! computes them together; what nobody else needs of their results is never stored.

use gt_core::kernel::Kernel;
use gt_core::{DType, Meta};
use smallvec::SmallVec;

use crate::engine::Takes;
use crate::engine::program::{Program, ProgramStep, Source};
use crate::plan::{Compute, Fused, Input, Job, Plan, Register, Step, Use};

/// So many steps are joined at most, so that what they have at hand stays near the processor.
const MOST_STEPS: usize = 24;

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
        let sources = sources.collect();
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
    let program = Program { shape, steps: program_steps, outputs };
    Fused { computes, program, inputs, ended }
}
