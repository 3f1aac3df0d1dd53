//! How a value lies in memory depends on where it was computed: a view stays a view on its worker
//! and becomes rows when it is handed over. No bit of a result may depend on it.

use gt_core::kernel::Kernel;
use gt_core::{DType, Meta};
use gt_native::Native;
use gt_worker::buffer::Pool;
use gt_worker::engine::{Engine, Operand};
use gt_worker::value::Value;

const SIZES: [usize; 7] = [1, 2, 3, 5, 8, 17, 40];

struct Bench(Native);

impl Bench {
    fn run(&self, kernel: Kernel, inputs: &[&Value], shape: [usize; 2]) -> Value {
        let inputs = inputs.iter().map(|&value| Operand::Tensor(value.clone())).collect();
        let results = self.0.run(&kernel, inputs, &[Meta::new(DType::F32, shape)]);
        results.expect("the kernel runs").remove(0)
    }

    fn numbers(&self, shape: [usize; 2], seed: usize) -> Value {
        let count = shape[0] * shape[1];
        let number = |at: usize| ((at * 7919 + seed * 104_729) % 1009) as f32 / 97.0 - 5.0;
        let data: Vec<u8> = (0..count).flat_map(|at| number(at).to_le_bytes()).collect();
        let meta = Meta::new(DType::F32, shape);
        Value::from_bytes(meta, data.into(), self.0.pool()).expect("there is memory")
    }

    /// The same matrix with its columns as runs.
    fn in_columns(&self, value: &Value) -> Value {
        let [rows, columns] = [value.shape()[0], value.shape()[1]];
        let exchange = || Kernel::Permute([1, 0].into_iter().collect());
        let turned = self.run(exchange(), &[value], [columns, rows]);
        let meta = Meta::new(DType::F32, [columns, rows]);
        let rows_again = Value::from_bytes(meta, turned.to_bytes(), self.0.pool());
        self.run(exchange(), &[&rows_again.expect("there is memory")], [rows, columns])
    }
}

#[test]
fn no_bit_of_a_product_depends_on_how_its_operands_lie() {
    let bench = Bench(Native::new(Pool::new(1 << 24), 1).expect("it needs no threads"));
    let mut wrong = Vec::new();
    for m in SIZES {
        for (k, n) in SIZES.into_iter().flat_map(|k| SIZES.map(|n| (k, n))) {
            let (a, b) = (bench.numbers([m, k], 1), bench.numbers([k, n], 2));
            let (c, d) = (bench.in_columns(&a), bench.in_columns(&b));
            assert_eq!((a.to_bytes(), b.to_bytes()), (c.to_bytes(), d.to_bytes()));
            let product = |a, b| bench.run(Kernel::Matmul, &[a, b], [m, n]).to_bytes();
            let rows = product(&a, &b);
            let others = [product(&c, &b), product(&a, &d), product(&c, &d)];
            if others.iter().any(|other| *other != rows) {
                wrong.push([m, k, n]);
            }
        }
    }
    assert_eq!(wrong, Vec::<[usize; 3]>::new(), "sizes m, k, n with other bits");
}
