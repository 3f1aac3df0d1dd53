//! What an operation takes the program that calls it, and what a read of a small result takes.

use criterion::{Criterion, criterion_group, criterion_main};
use gt::Ops;

fn apply(criterion: &mut Criterion) {
    let x = gt::ones(&[16, 16]).expect("a session starts by itself");
    let leaf = gt::ones(&[16, 16]).expect("a session");
    leaf.set_requires_grad(true).expect("a float");
    let mut group = criterion.benchmark_group("apply");
    group.bench_function("add", |bencher| bencher.iter(|| x.add(1.0).expect("shapes fit")));
    group.bench_function("add with gradient", |bencher| {
        bencher.iter(|| leaf.add(1.0).expect("shapes fit"));
    });
    group.bench_function("sum and read", |bencher| {
        bencher.iter(|| x.sum().and_then(|sum| sum.item::<f32>()).expect("nothing fails"));
    });
}

criterion_group!(benches, apply);
criterion_main!(benches);
