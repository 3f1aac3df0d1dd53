//! The native engine behind the same door as the reference.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::expr::Term;
use gt_core::kernel::Kernel;
use gt_core::op::Call;
use gt_core::{DType, Meta, Result};
use gt_native::Native;
use gt_worker::buffer::Pool;
use gt_worker::engine::{Engine, Operand, Operands, Takes};
use gt_worker::value::Value;
use half::{bf16, f16};

use super::Kernels;
use super::array::Array;

/// The native engine.
pub struct NativeKernels {
    engine: Native,
    pool: Arc<Pool>,
}

impl NativeKernels {
    /// An engine with this many threads.
    pub fn new(threads: usize) -> Self {
        crate::cpu::select();
        let pool = Pool::patterned(1 << 30, 0xFF);
        let engine = Native::new(Arc::clone(&pool), threads).expect("threads can be started");
        NativeKernels { engine, pool }
    }

    fn operands(&self, inputs: &[Term<Array>]) -> Result<Operands> {
        let operand = |input: &Term<Array>| match input {
            Term::Value(array) => {
                let bytes = to_bytes(array);
                Value::from_bytes(array.meta.clone(), bytes, &self.pool).map(Operand::Tensor)
            }
            Term::Scalar(scalar) => Ok(Operand::Scalar(*scalar)),
            Term::Zero => Ok(Operand::Scalar(0.0.into())),
        };
        inputs.iter().map(operand).collect()
    }
}

impl Kernels for NativeKernels {
    fn run(&self, kernel: &Kernel, inputs: &[Term<Array>], outputs: &[Meta]) -> Result<Vec<Array>> {
        let results = self.engine.run(kernel, self.operands(inputs)?, outputs)?;
        Ok(results.iter().map(from_value).collect())
    }

    fn run_whole(
        &self,
        call: &Call,
        inputs: &[Term<Array>],
        outputs: &[Meta],
    ) -> Option<Result<Vec<Array>>> {
        let run = || {
            let inputs = self.operands(inputs)?;
            let results = self.engine.run_whole(call.op, call.attrs, inputs, outputs)?;
            Ok(results.iter().map(from_value).collect())
        };
        self.engine.takes(call).then(run)
    }
}

macro_rules! by_dtype {
    ($dtype:expr, $do:ident($($arg:expr),*)) => {
        match $dtype {
            DType::Bool | DType::U8 => $do!(u8, $($arg),*),
            DType::I8 => $do!(i8, $($arg),*),
            DType::I16 => $do!(i16, $($arg),*),
            DType::I32 => $do!(i32, $($arg),*),
            DType::I64 => $do!(i64, $($arg),*),
            DType::F32 => $do!(f32, $($arg),*),
            DType::F64 => $do!(f64, $($arg),*),
            other => panic!("{other} is not supported yet"),
        }
    };
}

macro_rules! write {
    ($type:ty, $data:expr) => {
        $data.iter().flat_map(|&number| (number as $type).to_le_bytes()).collect()
    };
}

macro_rules! read {
    ($type:ty, $bytes:expr) => {{
        let (numbers, _) = $bytes.as_chunks::<{ size_of::<$type>() }>();
        numbers.iter().map(|&number| <$type>::from_le_bytes(number) as f64).collect()
    }};
}

fn to_bytes(array: &Array) -> Bytes {
    let data = &array.data;
    match array.meta.dtype {
        DType::F16 => data.iter().flat_map(|&x| f16::from_f64(x).to_le_bytes()).collect(),
        DType::BF16 => data.iter().flat_map(|&x| bf16::from_f64(x).to_le_bytes()).collect(),
        dtype => by_dtype!(dtype, write(data)),
    }
}

fn from_value(value: &Value) -> Array {
    let bytes = value.to_bytes();
    let (pairs, _) = bytes.as_chunks::<2>();
    let data = match value.dtype() {
        DType::F16 => pairs.iter().map(|&x| f16::from_le_bytes(x).to_f64()).collect(),
        DType::BF16 => pairs.iter().map(|&x| bf16::from_le_bytes(x).to_f64()).collect(),
        dtype => by_dtype!(dtype, read(bytes)),
    };
    Array { meta: value.meta().clone(), data }
}
