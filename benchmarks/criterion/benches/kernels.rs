//! Kernels of the native engine on one thread, without a session around them.

use std::hint::black_box;

use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gt_core::kernel::{BinaryFn, Kernel, ReduceFn, UnaryFn};
use gt_core::{DType, Meta};
use gt_worker::buffer::Pool;
use gt_native::Native;
use gt_worker::engine::{Engine, Operand, Operands};
use gt_worker::value::Value;

/// Elements of the operands that are not multiplied as matrices.
const ROWS: usize = 512;

fn matrix(native: &Native, rows: usize, columns: usize) -> Value {
    let numbers = (0..rows * columns).map(|index| (index % 1000) as f32 * 0.002 - 1.0);
    let data: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
    native.upload(Meta::new(DType::F32, [rows, columns]), Bytes::from(data)).expect("room")
}

fn elementwise_and_reductions(criterion: &mut Criterion) {
    let native = Native::new(Pool::new(1 << 30), 1).expect("no threads are started");
    let x = matrix(&native, ROWS, ROWS);
    let whole = Meta::new(DType::F32, [ROWS, ROWS]);
    let row = Meta::new(DType::F32, [ROWS]);
    let sum = |axis| Kernel::Reduce { with: ReduceFn::Sum, axes: [axis].into_iter().collect() };
    let cases = [
        ("add", Kernel::Zip(BinaryFn::Add), 2, &whole),
        ("exp", Kernel::Map(UnaryFn::Exp), 1, &whole),
        ("tanh", Kernel::Map(UnaryFn::Tanh), 1, &whole),
        ("gelu", Kernel::Map(UnaryFn::Gelu), 1, &whole),
        ("sum along rows", sum(1), 1, &row),
        ("sum along columns", sum(0), 1, &row),
    ];
    let mut group = criterion.benchmark_group("kernels");
    group.throughput(Throughput::Elements((ROWS * ROWS) as u64));
    for (name, kernel, inputs, out) in cases {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let operands: Operands = (0..inputs).map(|_| Operand::Tensor(x.clone())).collect();
                native.run(&kernel, black_box(operands), std::slice::from_ref(out)).expect("room")
            });
        });
    }
}

fn products(criterion: &mut Criterion) {
    let native = Native::new(Pool::new(1 << 30), 1).expect("no threads are started");
    let mut group = criterion.benchmark_group("products");
    for (rows, inner, columns) in [(1, 512, 512), (64, 64, 64), (64, 784, 256), (512, 512, 512)] {
        let (a, b) = (matrix(&native, rows, inner), matrix(&native, inner, columns));
        let out = Meta::new(DType::F32, [rows, columns]);
        group.throughput(Throughput::Elements((2 * rows * inner * columns) as u64));
        group.bench_function(format!("{rows}×{inner}×{columns}"), |bencher| {
            bencher.iter(|| {
                let operands = [&a, &b].map(|x| Operand::Tensor(x.clone())).into_iter().collect();
                native.run(&Kernel::Matmul, operands, std::slice::from_ref(&out)).expect("room")
            });
        });
    }
}

criterion_group!(benches, elementwise_and_reductions, products);
criterion_main!(benches);
