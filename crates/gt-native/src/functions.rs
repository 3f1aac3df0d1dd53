//! Elementwise functions as types, so that loops are compiled for each of them.

use gt_worker::value::Element;

use super::bits::Bits;
use super::math::periodic;
use super::number::{Float, Number};

/// A function of one element.
pub trait Unary<T> {
    /// The result for one element.
    fn of(x: T) -> T;

    /// Computes the results again that a loop without branches gets wrong.
    fn repair(_x: &[T], _out: &mut [T]) {}
}

/// A question about one element.
pub trait Predicate<T> {
    /// The answer.
    fn of(x: T) -> bool;
}

/// A function of two elements.
pub trait Binary<T> {
    /// The type of the result.
    type Out: Element;

    /// The result for one pair.
    fn of(a: T, b: T) -> Self::Out;

    /// Whether some pairs need another road than a loop without branches.
    const REPAIRS: bool = false;

    /// The result for such a pair; `None` for the others.
    #[inline(always)]
    fn repaired(_a: T, _b: T) -> Option<Self::Out> {
        None
    }
}

macro_rules! unary {
    ($($name:ident $bound:ident |$x:ident| $body:expr $(, far $far:path)?;)*) => {
        $(#[doc = "See [`gt_core::kernel::UnaryFn`]."]
        pub struct $name;

        impl<T: $bound> Unary<T> for $name {
            #[inline(always)]
            fn of($x: T) -> T {
                $body
            }

            $(fn repair(x: &[T], out: &mut [T]) {
                T::repair(x, out, $far);
            })?
        })*
    };
}

unary! {
    Neg Number |x| x.negative();
    Abs Number |x| x.size();
    Relu Number |x| if x > T::ZERO || x.is_nan() { x } else { T::ZERO };
    Sign Number |x| x.sign();
    Floor Number |x| x.floor();
    Ceil Number |x| x.ceil();
    Round Number |x| x.round();
    Trunc Number |x| x.trunc();
    Square Number |x| x.times(x);
    Cube Number |x| x.times(x).times(x);
    Not Bits |x| x.not();
    Flip Bits |x| x.xor(T::ONE);
    Exp Float |x| x.exp();
    Log Float |x| x.log();
    Sqrt Float |x| x.sqrt();
    Tanh Float |x| x.tanh();
    Sigmoid Float |x| x.sigmoid();
    Reciprocal Float |x| T::ONE.over(x);
    Rsqrt Float |x| T::ONE.over(x.sqrt());
    Expm1 Float |x| x.expm1();
    Log1p Float |x| x.log1p();
    Log2 Float |x| x.log2();
    Sin Float |x| x.sin(), far periodic::far_sin;
    Cos Float |x| x.cos(), far periodic::far_cos;
    Tan Float |x| x.tan(), far periodic::far_tan;
    Atan Float |x| x.atan();
    Erf Float |x| x.erf();
    Gelu Float |x| x.gelu();
}

macro_rules! predicates {
    ($($name:ident |$x:ident| $body:expr;)*) => {
        $(#[doc = "See [`gt_core::kernel::UnaryFn`]."]
        pub struct $name;

        impl<T: Number> Predicate<T> for $name {
            #[inline(always)]
            fn of($x: T) -> bool {
                $body
            }
        })*
    };
}

predicates! {
    IsNan |x| x.is_nan();
    IsInf |x| x.is_infinite();
    IsFinite |x| !(x.is_nan() | x.is_infinite());
}

macro_rules! binary {
    ($($name:ident $bound:ident $out:ty: |$a:ident, $b:ident| $body:expr;)*) => {
        $(#[doc = "See [`gt_core::kernel::BinaryFn`]."]
        pub struct $name;

        impl<T: $bound> Binary<T> for $name {
            type Out = $out;

            #[inline(always)]
            fn of($a: T, $b: T) -> $out {
                $body
            }
        })*
    };
}

binary! {
    Add Number T: |a, b| a.plus(b);
    Sub Number T: |a, b| a.minus(b);
    Mul Number T: |a, b| a.times(b);
    Div Float T: |a, b| a.over(b);
    Pow Number T: |a, b| a.power(b);
    Max Number T: |a, b| a.larger(b);
    Min Number T: |a, b| a.smaller(b);
    Eq Number u8: |a, b| u8::from(a == b);
    Ne Number u8: |a, b| u8::from(a != b);
    Lt Number u8: |a, b| u8::from(a < b);
    Le Number u8: |a, b| u8::from(a <= b);
    Gt Number u8: |a, b| u8::from(a > b);
    Ge Number u8: |a, b| u8::from(a >= b);
    TruncDiv Number T: |a, b| a.trunc_over(b);
    And Bits T: |a, b| a.and(b);
    Or Bits T: |a, b| a.or(b);
    Xor Bits T: |a, b| a.xor(b);
    Shl Bits T: |a, b| a.up(b);
    Shr Bits T: |a, b| a.down(b);
}

macro_rules! divisions {
    ($($name:ident |$a:ident, $b:ident, $rest:ident| $body:expr;)*) => {
        $(#[doc = "See [`gt_core::kernel::BinaryFn`]."]
        pub struct $name;

        impl<T: Number> Binary<T> for $name {
            type Out = T;
            const REPAIRS: bool = T::FAR;

            #[inline(always)]
            fn of($a: T, $b: T) -> T {
                let $rest = $a.rest($b);
                $body
            }

            #[inline(always)]
            fn repaired($a: T, $b: T) -> Option<T> {
                let $rest = if $a.is_far($b) { $a.any_rest($b) } else { return None };
                Some($body)
            }
        })*
    };
}

divisions! {
    FloorDiv |a, b, rest| a.floor_over(b, rest);
    Remainder |a, b, rest| b.turned(rest);
    Fmod |a, b, rest| rest;
}
