//! A first look at GT from Rust: a dispatcher and two workers start inside this program.

use gt::Ops;

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> gt::Result<()> {
    gt::workers(2)?;
    let a = gt::randn(&[256, 512])?;
    let b = gt::randn(&[512, 128])?;
    let c = a.matmul(&b)?.relu()?;
    let mean = c.mean()?;
    println!("relu(a @ b) is {} with mean {:.4}", c.meta(), mean.item::<f32>()?);

    let rows = gt::tensor(&[[1.0f32, 2.0], [3.0, 4.0]])?;
    println!("{:?}", rows.add(1.0)?.mul(&rows)?.to_vec::<f32>()?);
    Ok(())
}
