//! The table: each row with its code on the wire, in the order of the codes. A code is stable: a
//! program may speak to a server of another version, and a log may be older than both.
//!
//! To add a row, add a line at the end of [`table`] with the next number, and let the row take its
//! code from here: `code: codes::SQRT`. A row that goes leaves its code in [`RETIRED`]. What breaks
//! these rules does not compile.

use std::ops::RangeInclusive;

use super::{
    CODE_LIMIT, activation, advanced_index, arithmetic, attention, axes, binary, compare,
    composite, convolution, create, create_like, einsum, elementwise, embedding, gru, hyperbolic,
    index, index_select, join, layer, layer_norm, linear, logic, matmul, movement, normalize,
    optimizer, pad, place, pooling, product, random, rearrange, recurrent, reduce, repeat, rms,
    sampling, scan, scatter, search, sort, statistics, triangular, trigonometry, truth, unary,
    window,
};
use crate::op::Op;

macro_rules! table {
    ($($code:literal $file:ident::$row:ident,)*) => {
        $(pub const $row: u16 = $code;)*

        /// Every row.
        pub static TABLE: &[&Op] = &[$(&$file::$row,)*];

        const CODES: &[u16] = &[$($code,)*];
    };
}

table! {
      1 elementwise::ADD,
      2 elementwise::SUB,
      3 elementwise::MUL,
      4 elementwise::DIV,
      5 elementwise::POW,
      6 elementwise::MAXIMUM,
      7 elementwise::MINIMUM,

     20 elementwise::NEG,
     21 elementwise::ABS,
     22 elementwise::EXP,
     23 elementwise::LOG,
     24 elementwise::SQRT,
     25 elementwise::TANH,
     26 elementwise::SIGMOID,
     27 elementwise::RELU,

     40 elementwise::WHERE,
     41 elementwise::CAST,

     60 compare::EQ,
     61 compare::NE,
     62 compare::LT,
     63 compare::LE,
     64 compare::GT,
     65 compare::GE,

     80 reduce::SUM,
     81 reduce::MEAN,
     82 reduce::AMAX,
     83 reduce::AMIN,

    100 matmul::MATMUL,

    120 movement::RESHAPE,
    121 movement::PERMUTE,
    122 movement::EXPAND,
    123 movement::SLICE,
    124 movement::SLICE_WRITE,
    125 movement::CAT,
    126 axes::VIEW,
    127 axes::TRANSPOSE,
    128 axes::UNSQUEEZE,
    129 axes::SQUEEZE,

    140 index::GATHER,
    141 index::SCATTER_ADD,
    142 index::TOPK,
    143 index::NONZERO,

    160 create::ZEROS,
    161 create::ONES,
    162 create::FULL,
    163 create::ARANGE,

    180 random::RAND,
    181 random::RANDN,

    200 window::WINDOW,
    201 window::FOLD,

    220 composite::SOFTMAX,
    221 convolution::CONV2D,

    300 unary::SIGN,
    301 unary::FLOOR,
    302 unary::CEIL,
    303 unary::ROUND,
    304 unary::TRUNC,
    305 unary::RECIPROCAL,
    306 unary::RSQRT,
    307 unary::SQUARE,
    308 unary::EXPM1,
    309 unary::LOG1P,
    310 unary::LOG2,
    311 unary::SIN,
    312 unary::COS,
    313 unary::TAN,
    314 unary::ERF,

    318 unary::ROUND_DECIMALS,

    330 activation::GELU,
    331 activation::SILU,
    332 activation::SOFTPLUS,
    333 activation::LEAKY_RELU,
    334 activation::ELU,

    350 logic::ISNAN,
    351 logic::ISINF,
    352 logic::ISFINITE,
    353 logic::LOGICAL_NOT,
    354 logic::LOGICAL_AND,
    355 logic::LOGICAL_OR,
    356 logic::LOGICAL_XOR,
    357 logic::BITWISE_AND,
    358 logic::BITWISE_OR,
    359 logic::BITWISE_XOR,
    360 logic::BITWISE_NOT,
    361 logic::SHIFT_LEFT,
    362 logic::SHIFT_RIGHT,

    380 arithmetic::FLOOR_DIVIDE,
    381 arithmetic::REMAINDER,
    382 arithmetic::FMOD,
    383 arithmetic::TRUNC_DIVIDE,
    384 arithmetic::CLAMP,
    385 arithmetic::LERP,
    386 arithmetic::ADDCMUL,
    387 arithmetic::MASKED_FILL,
    388 arithmetic::DIV_ROUNDED,
    389 arithmetic::CLAMP_MIN,
    390 arithmetic::CLAMP_MAX,

    400 product::PROD,
    401 truth::ANY,
    402 truth::ALL,
    403 statistics::ARGMAX,
    404 statistics::ARGMIN,
    405 statistics::VAR,
    406 statistics::STD,
    407 statistics::NORM,
    408 statistics::LOGSUMEXP,
    409 scan::CUMSUM,
    410 product::CUMPROD,

    420 repeat::REPEAT,
    421 repeat::TILE,
    422 rearrange::FLIP,
    423 rearrange::FLIPLR,
    424 rearrange::FLIPUD,
    425 rearrange::ROLL,
    426 rearrange::ROT90,
    427 join::STACK,
    428 join::HSTACK,
    429 join::VSTACK,
    430 pad::PAD,
    431 triangular::TRIL,
    432 triangular::TRIU,
    433 triangular::DIAG,
    434 triangular::TRACE,
    435 axes::FLATTEN,
    436 axes::UNFLATTEN,
    437 axes::NARROW,
    438 axes::MOVEDIM,
    439 axes::BROADCAST_TO,
    440 create::LINSPACE,
    441 create::LOGSPACE,
    442 create::EYE,
    443 create_like::ZEROS_LIKE,
    444 create_like::ONES_LIKE,
    445 create_like::FULL_LIKE,
    446 random::RAND_LIKE,
    447 random::RANDN_LIKE,
    448 random::RANDINT,
    449 random::RANDINT_LIKE,
    450 sampling::RANDPERM,
    451 sampling::BERNOULLI,
    452 sampling::UNIFORM,
    453 sampling::NORMAL,
    454 sampling::MULTINOMIAL,
    455 sampling::REQUIRE,
    456 linear::MM,
    457 linear::BMM,
    458 linear::MV,
    459 linear::DOT,
    460 linear::OUTER,
    461 linear::INNER,
    462 linear::ADDMM,
    463 linear::BADDBMM,
    464 einsum::EINSUM,
    465 unary::LOG10,
    466 unary::EXP2,
    467 unary::ERFC,
    468 unary::FRAC,

    470 hyperbolic::SINH,
    471 hyperbolic::COSH,
    472 hyperbolic::ASINH,
    473 hyperbolic::ACOSH,
    474 hyperbolic::ATANH,
    475 activation::HARDTANH,
    476 activation::RELU6,
    477 activation::HARDSWISH,
    478 activation::HARDSIGMOID,
    479 activation::THRESHOLD,
    480 activation::MISH,
    481 activation::CELU,
    482 activation::SELU,
    483 activation::LOGSIGMOID,
    484 binary::RSUB,
    485 binary::ADDCDIV,
    486 binary::LOGADDEXP,
    487 binary::HYPOT,
    488 binary::HEAVISIDE,
    489 binary::NAN_TO_NUM,
    490 composite::LOG_SOFTMAX,
    491 composite::SOFTMIN,
    492 axes::RAVEL,
    493 composite::SOFTMAX_IN,
    494 composite::LOG_SOFTMAX_IN,
    495 composite::SOFTMIN_IN,
    496 unary::SINC,
    497 create_like::NEW_ZEROS,
    498 create_like::NEW_ONES,
    499 create_like::NEW_FULL,
    500 advanced_index::RAVEL_INDEX,
    501 advanced_index::INDEX,
    502 advanced_index::INDEX_WRITE,
    503 index_select::INDEX_SELECT,
    504 index_select::INDEX_ADD,
    505 index_select::INDEX_COPY,
    506 index_select::INDEX_FILL,
    507 advanced_index::TAKE,
    508 scatter::SCATTER,
    509 scatter::TAKE_ALONG_DIM,
    510 scatter::MASKED_SCATTER,
    511 scatter::ONE_HOT,
    512 sort::SORT,
    513 sort::ARGSORT,
    514 sort::MAX_ALONG,
    515 sort::MIN_ALONG,
    516 sort::RUNNING_MAX,
    517 sort::RUNNING_MIN,
    518 sort::CUMMAX,
    519 sort::CUMMIN,
    520 compare::ISCLOSE,

    560 normalize::STANDARDIZE,
    561 convolution::CONV_TRANSPOSE2D,
    562 pooling::MAX_POOL2D,
    563 pooling::AVG_POOL2D,
    564 convolution::CONV2D_WEIGHT,
    565 normalize::STANDARDIZE_GRAD,
    566 composite::SOFTMAX_GRAD,
    567 composite::LOG_SOFTMAX_GRAD,
    568 pooling::MAX_POOL2D_GRAD,
    569 rms::RMS_STANDARDIZE,
    570 rms::RMS_STANDARDIZE_GRAD,

    640 optimizer::ADD_SCALED,
    641 optimizer::SUB_SCALED,
    642 optimizer::DECAY_ADD,
    643 optimizer::DECAY_ADD_SQUARE,
    644 optimizer::STEP_ALONG,
    645 trigonometry::ASIN,
    646 trigonometry::ACOS,
    647 trigonometry::ATAN,
    648 trigonometry::ATAN2,
    649 triangular::DIAGONAL,
    650 triangular::DIAGONAL_SCATTER,
    651 search::MEDIAN,
    652 search::MEDIAN_ALONG,
    653 search::SEARCHSORTED,
    654 search::BUCKETIZE,
    655 search::SEARCHSORTED_BY,
    656 optimizer::ADAM,
    657 optimizer::AMSGRAD,
    658 place::PLACE,
    659 place::PLACE_LIKE,
    660 optimizer::MOMENTUM,
    661 optimizer::NESTEROV,
    680 recurrent::LSTM_STEPS,
    681 recurrent::LSTM_STEPS_BACKWARD,
    682 layer::LINEAR,
    683 layer::LINEAR_WITHOUT_BIAS,
    684 attention::ATTEND,
    685 attention::ATTEND_BACKWARD,
    686 layer_norm::LAYER_NORM_AFFINE,
    687 layer_norm::LAYER_NORM_AFFINE_BACKWARD,
    688 gru::GRU_STEPS,
    689 gru::GRU_STEPS_BACKWARD,
    690 embedding::EMBEDDING,
    691 composite::SAFE_SOFTMAX,
}

/// Codes that had a row once. They are never given again.
const RETIRED: &[u16] = &[
    222, // log_softmax_in, before it was 494
    223, // softmin_in, before it was 495
];

/// Codes that no row ever had.
const UNUSED: &[RangeInclusive<u16>] = &[
    0..=0,
    8..=19,
    28..=39,
    42..=59,
    66..=79,
    84..=99,
    101..=119,
    130..=139,
    144..=159,
    164..=179,
    182..=199,
    202..=219,
    224..=299,
    315..=317,
    319..=329,
    335..=349,
    363..=379,
    391..=399,
    411..=419,
    469..=469,
    521..=559,
    571..=639,
    662..=679,
];

/// The row of each code. The compiler evaluates it, and with it the rules of the table.
pub static BY_CODE: [Option<&Op>; CODE_LIMIT as usize] = {
    let mut rows = [None; CODE_LIMIT as usize];
    let mut known = [false; CODE_LIMIT as usize];
    let mut next = 0;
    while next < CODES.len() {
        assert!(next == 0 || CODES[next - 1] < CODES[next], "the table is not in order");
        claim(&mut known, CODES[next]);
        assert!(TABLE[next].code == CODES[next], "a row has not the code that the table gives it");
        rows[CODES[next] as usize] = Some(TABLE[next]);
        next += 1;
    }
    next = 0;
    while next < RETIRED.len() {
        claim(&mut known, RETIRED[next]);
        next += 1;
    }
    next = 0;
    while next < UNUSED.len() {
        let mut code = *UNUSED[next].start();
        while code <= *UNUSED[next].end() {
            claim(&mut known, code);
            code += 1;
        }
        next += 1;
    }
    let mut code = 0;
    while code < CODES[CODES.len() - 1] {
        assert!(known[code as usize], "a code is missing: it has a row, or is retired or unused");
        code += 1;
    }
    rows
};

const fn claim(known: &mut [bool], code: u16) {
    assert!(code < CODE_LIMIT, "codes from CODE_LIMIT on are commands");
    assert!(!known[code as usize], "a code stands in the table twice");
    known[code as usize] = true;
}
