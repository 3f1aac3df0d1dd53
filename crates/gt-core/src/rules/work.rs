//! How much there is to compute in a call: the kernels that it comes to, products apart from the
//! rest. A composite is worth what its expansion is.

use smallvec::SmallVec;

use super::abstract_eval::visit_kernels;
use crate::error::Result;
use crate::expr::Term;
use crate::kernel::Kernel;
use crate::op::{Arg, Call};
use crate::shape::Meta;

/// How long the kernels of a call take on the core that [`Kernel::cost_ns`] has in mind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Those that multiply matrices.
    pub product_ns: u64,
    /// Those that are as quick as memory is.
    pub other_ns: u64,
}

impl Work {
    /// How long one core takes, with what every instruction costs.
    pub fn cost_ns(self) -> u64 {
        self.product_ns.saturating_add(self.other_ns).saturating_add(Kernel::LEAST_NS)
    }

    /// What each of so many workers does that share it.
    pub fn share(self, workers: u64) -> Work {
        let workers = workers.max(1);
        Work { product_ns: self.product_ns / workers, other_ns: self.other_ns / workers }
    }
}

/// How much there is to compute in a call.
pub fn work(call: &Call) -> Result<Work> {
    let term = |arg: &Arg| match *arg {
        Arg::Tensor(meta) => Term::Value(meta.clone()),
        Arg::Scalar(scalar) => Term::Scalar(scalar),
    };
    let terms: SmallVec<[Term<Meta>; 3]> = call.inputs.iter().map(term).collect();
    let mut work = Work::default();
    visit_kernels(
        call.op,
        &terms,
        call.attrs,
        |_| (),
        |run| {
            let took = run.kernel.cost_ns(run.inputs, run.outputs).saturating_sub(Kernel::LEAST_NS);
            let kind = match run.kernel {
                Kernel::Matmul => &mut work.product_ns,
                _ => &mut work.other_ns,
            };
            *kind = kind.saturating_add(took);
        },
    )?;
    Ok(work)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attrs::Attrs;
    use crate::dtype::DType;
    use crate::ops;

    #[test]
    fn a_composite_is_worth_its_products() {
        let (x, w) = (Meta::new(DType::F32, [64, 128]), Meta::new(DType::F32, [256, 128]));
        let op = ops::by_name("linear_without_bias").expect("a row");
        let inputs = [Arg::Tensor(&x), Arg::Tensor(&w)];
        let found = work(&Call { op, inputs: &inputs, attrs: &Attrs::none() }).expect("a call");
        assert_eq!(found.product_ns, 64 * 128 * 256 / 40);
        let op = ops::by_name("add").expect("a row");
        let inputs = [Arg::Tensor(&x), Arg::Tensor(&x)];
        let found = work(&Call { op, inputs: &inputs, attrs: &Attrs::none() }).expect("a call");
        assert_eq!(found, Work { product_ns: 0, other_ns: 3 * 64 * 128 / 8 });
    }
}
