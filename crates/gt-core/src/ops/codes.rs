//! The table: each row with its wire code, in the order of the codes. Codes are stable, because
//! clients, servers and logs of different versions exchange them.
//!
//! To add a row, add a line at the end of [`table`] with the next number, and let the row take its
//! code from here: `code: codes::SQRT`. The code of a deleted row goes to [`RETIRED`]. The compiler
//! enforces these rules.

use std::ops::RangeInclusive;

use super::elementwise::{activation, binary, compare, logic, ternary, trigonometry, unary};
use super::index::{advanced, gather, mask, scatter, select};
use super::layer::{
    attention, convolution, embedding, gru, linear, lstm, normalization, pooling, softmax, window,
};
use super::order::{search, sort};
use super::product::{einsum, matmul};
use super::random::{distribution, sampling};
use super::reduce::{any_all, extreme, statistics, sum};
use super::shape::{axes, diagonal, flip, join, pad, repeat, slice};
use super::{CODE_LIMIT, create, optim, placement, scan};
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
      1 binary::ADD,
      2 binary::SUB,
      3 binary::MUL,
      4 binary::DIV,
      5 binary::POW,
      6 binary::MAXIMUM,
      7 binary::MINIMUM,

     20 unary::NEG,
     21 unary::ABS,
     22 unary::EXP,
     23 unary::LOG,
     24 unary::SQRT,
     25 trigonometry::TANH,
     26 activation::SIGMOID,
     27 activation::RELU,

     40 ternary::WHERE,
     41 unary::CAST,

     60 compare::EQ,
     61 compare::NE,
     62 compare::LT,
     63 compare::LE,
     64 compare::GT,
     65 compare::GE,

     80 sum::SUM,
     81 sum::MEAN,
     82 extreme::AMAX,
     83 extreme::AMIN,

    100 matmul::MATMUL,

    120 axes::RESHAPE,
    121 axes::PERMUTE,
    122 repeat::EXPAND,
    123 slice::SLICE,
    124 slice::SLICE_WRITE,
    125 join::CAT,
    126 axes::VIEW,
    127 axes::TRANSPOSE,
    128 axes::UNSQUEEZE,
    129 axes::SQUEEZE,

    140 gather::GATHER,
    141 scatter::SCATTER_ADD,
    142 sort::TOPK,
    143 mask::NONZERO,

    160 create::ZEROS,
    161 create::ONES,
    162 create::FULL,
    163 create::ARANGE,

    180 distribution::RAND,
    181 distribution::RANDN,

    200 window::WINDOW,
    201 window::FOLD,

    220 softmax::SOFTMAX,
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
    311 trigonometry::SIN,
    312 trigonometry::COS,
    313 trigonometry::TAN,
    314 unary::ERF,

    318 unary::ROUND_DECIMALS,

    330 activation::GELU,
    331 activation::SILU,
    332 activation::SOFTPLUS,
    333 activation::LEAKY_RELU,
    334 activation::ELU,

    350 compare::ISNAN,
    351 compare::ISINF,
    352 compare::ISFINITE,
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

    380 binary::FLOOR_DIVIDE,
    381 binary::REMAINDER,
    382 binary::FMOD,
    383 binary::TRUNC_DIVIDE,
    384 ternary::CLAMP,
    385 ternary::LERP,
    386 ternary::ADDCMUL,
    387 ternary::MASKED_FILL,
    388 binary::DIV_ROUNDED,
    389 ternary::CLAMP_MIN,
    390 ternary::CLAMP_MAX,

    400 sum::PROD,
    401 any_all::ANY,
    402 any_all::ALL,
    403 extreme::ARGMAX,
    404 extreme::ARGMIN,
    405 statistics::VAR,
    406 statistics::STD,
    407 statistics::NORM,
    408 statistics::LOGSUMEXP,
    409 scan::CUMSUM,
    410 scan::CUMPROD,

    420 repeat::REPEAT,
    421 repeat::TILE,
    422 flip::FLIP,
    423 flip::FLIPLR,
    424 flip::FLIPUD,
    425 flip::ROLL,
    426 flip::ROT90,
    427 join::STACK,
    428 join::HSTACK,
    429 join::VSTACK,
    430 pad::PAD,
    431 diagonal::TRIL,
    432 diagonal::TRIU,
    433 diagonal::DIAG,
    434 diagonal::TRACE,
    435 axes::FLATTEN,
    436 axes::UNFLATTEN,
    437 slice::NARROW,
    438 axes::MOVEDIM,
    439 repeat::BROADCAST_TO,
    440 create::LINSPACE,
    441 create::LOGSPACE,
    442 create::EYE,
    443 create::ZEROS_LIKE,
    444 create::ONES_LIKE,
    445 create::FULL_LIKE,
    446 distribution::RAND_LIKE,
    447 distribution::RANDN_LIKE,
    448 distribution::RANDINT,
    449 distribution::RANDINT_LIKE,
    450 sampling::RANDPERM,
    451 distribution::BERNOULLI,
    452 distribution::UNIFORM,
    453 distribution::NORMAL,
    454 sampling::MULTINOMIAL,
    455 sampling::REQUIRE,
    456 matmul::MM,
    457 matmul::BMM,
    458 matmul::MV,
    459 matmul::DOT,
    460 matmul::OUTER,
    461 matmul::INNER,
    462 matmul::ADDMM,
    463 matmul::BADDBMM,
    464 einsum::EINSUM,
    465 unary::LOG10,
    466 unary::EXP2,
    467 unary::ERFC,
    468 unary::FRAC,

    470 trigonometry::SINH,
    471 trigonometry::COSH,
    472 trigonometry::ASINH,
    473 trigonometry::ACOSH,
    474 trigonometry::ATANH,
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
    485 ternary::ADDCDIV,
    486 binary::LOGADDEXP,
    487 binary::HYPOT,
    488 binary::HEAVISIDE,
    489 unary::NAN_TO_NUM,
    490 softmax::LOG_SOFTMAX,
    491 softmax::SOFTMIN,
    492 axes::RAVEL,
    493 softmax::SOFTMAX_IN,
    494 softmax::LOG_SOFTMAX_IN,
    495 softmax::SOFTMIN_IN,
    496 trigonometry::SINC,
    497 create::NEW_ZEROS,
    498 create::NEW_ONES,
    499 create::NEW_FULL,
    500 advanced::RAVEL_INDEX,
    501 advanced::INDEX,
    502 advanced::INDEX_WRITE,
    503 select::INDEX_SELECT,
    504 select::INDEX_ADD,
    505 select::INDEX_COPY,
    506 select::INDEX_FILL,
    507 advanced::TAKE,
    508 scatter::SCATTER,
    509 gather::TAKE_ALONG_DIM,
    510 mask::MASKED_SCATTER,
    511 scatter::ONE_HOT,
    512 sort::SORT,
    513 sort::ARGSORT,
    514 extreme::MAX_ALONG,
    515 extreme::MIN_ALONG,
    516 scan::RUNNING_MAX,
    517 scan::RUNNING_MIN,
    518 scan::CUMMAX,
    519 scan::CUMMIN,
    520 compare::ISCLOSE,

    560 normalization::STANDARDIZE,
    561 convolution::CONV_TRANSPOSE2D,
    562 pooling::MAX_POOL2D,
    563 pooling::AVG_POOL2D,
    564 convolution::CONV2D_WEIGHT,
    565 normalization::STANDARDIZE_GRAD,
    566 softmax::SOFTMAX_GRAD,
    567 softmax::LOG_SOFTMAX_GRAD,
    568 pooling::MAX_POOL2D_GRAD,
    569 normalization::RMS_STANDARDIZE,
    570 normalization::RMS_STANDARDIZE_GRAD,

    640 optim::ADD_SCALED,
    641 optim::SUB_SCALED,
    642 optim::DECAY_ADD,
    643 optim::DECAY_ADD_SQUARE,
    644 optim::STEP_ALONG,
    645 trigonometry::ASIN,
    646 trigonometry::ACOS,
    647 trigonometry::ATAN,
    648 trigonometry::ATAN2,
    649 diagonal::DIAGONAL,
    650 diagonal::DIAGONAL_SCATTER,
    651 sort::MEDIAN,
    652 sort::MEDIAN_ALONG,
    653 search::SEARCHSORTED,
    654 search::BUCKETIZE,
    655 search::SEARCHSORTED_BY,
    656 optim::ADAM,
    657 optim::AMSGRAD,
    658 placement::PLACE,
    659 placement::PLACE_LIKE,
    660 optim::MOMENTUM,
    661 optim::NESTEROV,
    680 lstm::LSTM_STEPS,
    681 lstm::LSTM_STEPS_BACKWARD,
    682 linear::LINEAR,
    683 linear::LINEAR_WITHOUT_BIAS,
    684 attention::ATTEND,
    685 attention::ATTEND_BACKWARD,
    686 normalization::LAYER_NORM_AFFINE,
    687 normalization::LAYER_NORM_AFFINE_BACKWARD,
    688 gru::GRU_STEPS,
    689 gru::GRU_STEPS_BACKWARD,
    690 embedding::EMBEDDING,
    691 softmax::SAFE_SOFTMAX,
}

/// Codes of deleted rows, which are never reused.
const RETIRED: &[u16] = &[
    222, // log_softmax_in, before it was 494
    223, // softmin_in, before it was 495
];

/// Codes that no row has ever had.
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

/// The row of each code, evaluated at compile time together with the rules of the table.
pub static BY_CODE: [Option<&Op>; CODE_LIMIT as usize] = {
    let mut rows = [None; CODE_LIMIT as usize];
    let mut known = [false; CODE_LIMIT as usize];
    let mut next = 0;
    while next < CODES.len() {
        assert!(next == 0 || CODES[next - 1] < CODES[next], "the table is not in order");
        claim(&mut known, CODES[next]);
        assert!(TABLE[next].code == CODES[next], "a row has another code than the table gives it");
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
    assert!(!known[code as usize], "a code is in the table twice");
    known[code as usize] = true;
}
