//! Counted random numbers: element `i` of a random tensor is a pure function of the seed, the
//! rng_index and `i`, so a shard computes its own part and a recomputation repeats it.
//!
//! The generator is Philox 4x32-10. Its key is the seed; its counter is the number of a block of
//! elements and the rng_index. An f32 takes one word of a block's four, an f64 takes two.

pub mod polynomial;

use std::ops::Range;

use polynomial::{ln_f32, ln_f64, sin_cos_f32, sin_cos_f64};

/// One block: four random words for a counter and a key.
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let words = rounds(counter.map(|word| [word]), key);
    words.map(|[word]| word)
}

/// Evenly distributed numbers in [0, 1), multiples of 2⁻²⁴: the elements of the whole tensor from
/// number `first` on.
pub fn fill_uniform_f32(seed: u64, rng_index: u64, first: u64, out: &mut [f32]) {
    fill::<UniformF32>(seed, rng_index, first, out);
}

/// Evenly distributed numbers in [0, 1), multiples of 2⁻⁵³; see [`fill_uniform_f32`].
pub fn fill_uniform_f64(seed: u64, rng_index: u64, first: u64, out: &mut [f64]) {
    fill::<UniformF64>(seed, rng_index, first, out);
}

/// Numbers with mean zero and variance one: the elements of the whole tensor from number `first`
/// on. Elements `2k` and `2k + 1` come from the same two uniform numbers (Box and Muller).
pub fn fill_normal_f32(seed: u64, rng_index: u64, first: u64, out: &mut [f32]) {
    fill::<NormalF32>(seed, rng_index, first, out);
}

/// Numbers with mean zero and variance one, in double precision; see [`fill_normal_f32`].
pub fn fill_normal_f64(seed: u64, rng_index: u64, first: u64, out: &mut [f64]) {
    fill::<NormalF64>(seed, rng_index, first, out);
}

/// Whole numbers within a range, each as likely as the others to about one in 2³²: the elements of
/// the whole tensor from number `first` on. A range of up to 2³² numbers takes a word for each
/// element, a larger one takes two. An empty range gives its start.
pub fn fill_integers(seed: u64, rng_index: u64, first: u64, range: Range<i64>, out: &mut [i64]) {
    const PART: usize = 256;
    // As an unsigned number, because the size of a range may be more than the largest i64.
    let size = range.end.wrapping_sub(range.start) as u64;
    for (part, out) in out.chunks_mut(PART).enumerate() {
        let first = first.wrapping_add((part * PART) as u64);
        if size <= 1 << 32 {
            let mut words = [0; PART];
            fill::<Words>(seed, rng_index, first, &mut words[..out.len()]);
            for (out, word) in out.iter_mut().zip(words) {
                *out = range.start.wrapping_add(((u64::from(word) * size) >> 32) as i64);
            }
        } else {
            let mut words = [0; PART];
            fill::<WideWords>(seed, rng_index, first, &mut words[..out.len()]);
            for (out, word) in out.iter_mut().zip(words) {
                let product = u128::from(word) * u128::from(size);
                *out = range.start.wrapping_add((product >> 64) as i64);
            }
        }
    }
}

/// How many blocks are computed side by side: a few vector registers of 32-bit words.
const LANES: usize = 32;

/// The same word of several blocks.
type Lanes<T> = [T; LANES];

/// A way to make numbers out of blocks.
trait Source {
    type Number: Copy;
    type Batch: AsRef<[Self::Number]>;
    const PER_BLOCK: u64;

    fn batch(words: [Lanes<u32>; 4]) -> Self::Batch;
}

fn fill<S: Source>(seed: u64, rng_index: u64, first: u64, out: &mut [S::Number]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { fill_avx2::<S>(seed, rng_index, first, out) };
    }
    fill_lanes::<S>(seed, rng_index, first, out);
}

/// The same loop for wider registers. Multiplications and additions are not contracted, so the
/// bits are the same.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_avx2<S: Source>(seed: u64, rng_index: u64, first: u64, out: &mut [S::Number]) {
    fill_lanes::<S>(seed, rng_index, first, out);
}

#[inline(always)]
fn fill_lanes<S: Source>(seed: u64, rng_index: u64, first: u64, out: &mut [S::Number]) {
    let mut block = first / S::PER_BLOCK;
    let mut skip = (first % S::PER_BLOCK) as usize;
    let mut rest = out;
    while !rest.is_empty() {
        let batch = S::batch(blocks(seed, rng_index, block));
        let numbers = &batch.as_ref()[skip..];
        let count = numbers.len().min(rest.len());
        let (head, tail) = rest.split_at_mut(count);
        head.copy_from_slice(&numbers[..count]);
        rest = tail;
        skip = 0;
        block = block.wrapping_add(LANES as u64);
    }
}

/// The words of `LANES` blocks from number `first` on.
#[inline(always)]
fn blocks(seed: u64, rng_index: u64, first: u64) -> [Lanes<u32>; 4] {
    let numbers: Lanes<u64> = std::array::from_fn(|lane| first.wrapping_add(lane as u64));
    let low = numbers.map(|number| number as u32);
    let high = numbers.map(|number| (number >> 32) as u32);
    let counter = [low, high, [rng_index as u32; LANES], [(rng_index >> 32) as u32; LANES]];
    rounds(counter, [seed as u32, (seed >> 32) as u32])
}

#[inline(always)]
fn rounds<const N: usize>(counter: [[u32; N]; 4], key: [u32; 2]) -> [[u32; N]; 4] {
    let mut words = counter;
    // The rounds are inside and written out: so the loop over the lanes becomes a vector.
    for lane in 0..N {
        let mut block = [words[0][lane], words[1][lane], words[2][lane], words[3][lane]];
        block = round(block, key, 0);
        block = round(block, key, 1);
        block = round(block, key, 2);
        block = round(block, key, 3);
        block = round(block, key, 4);
        block = round(block, key, 5);
        block = round(block, key, 6);
        block = round(block, key, 7);
        block = round(block, key, 8);
        block = round(block, key, 9);
        for (words, word) in words.iter_mut().zip(block) {
            words[lane] = word;
        }
    }
    words
}

#[inline(always)]
fn round([c0, c1, c2, c3]: [u32; 4], key: [u32; 2], number: u32) -> [u32; 4] {
    const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    let product0 = 0xD251_1F53 * u64::from(c0);
    let product1 = 0xCD9E_8D57 * u64::from(c2);
    let key0 = key[0].wrapping_add(WEYL[0].wrapping_mul(number));
    let key1 = key[1].wrapping_add(WEYL[1].wrapping_mul(number));
    [
        (product1 >> 32) as u32 ^ c1 ^ key0,
        product1 as u32,
        (product0 >> 32) as u32 ^ c3 ^ key1,
        product0 as u32,
    ]
}

struct Words;

impl Source for Words {
    type Number = u32;
    type Batch = [u32; 4 * LANES];
    const PER_BLOCK: u64 = 4;

    #[inline(always)]
    fn batch(words: [Lanes<u32>; 4]) -> Self::Batch {
        interleave(words)
    }
}

struct WideWords;

impl Source for WideWords {
    type Number = u64;
    type Batch = [u64; 2 * LANES];
    const PER_BLOCK: u64 = 2;

    #[inline(always)]
    fn batch([a, b, c, d]: [Lanes<u32>; 4]) -> Self::Batch {
        interleave([wide(a, b), wide(c, d)])
    }
}

struct UniformF32;

impl Source for UniformF32 {
    type Number = f32;
    type Batch = [f32; 4 * LANES];
    const PER_BLOCK: u64 = 4;

    #[inline(always)]
    fn batch(words: [Lanes<u32>; 4]) -> Self::Batch {
        // The word is cut to 24 bits first: it then fits an f32 exactly and never rounds up to one.
        interleave(words.map(|word| word.map(|word| (word >> 8) as i32 as f32 * 2f32.powi(-24))))
    }
}

struct NormalF32;

impl Source for NormalF32 {
    type Number = f32;
    type Batch = [f32; 4 * LANES];
    const PER_BLOCK: u64 = 4;

    #[inline(always)]
    fn batch([a, b, c, d]: [Lanes<u32>; 4]) -> Self::Batch {
        let (first, second) = normal_pairs_f32(a, b);
        let (third, fourth) = normal_pairs_f32(c, d);
        interleave([first, second, third, fourth])
    }
}

struct UniformF64;

impl Source for UniformF64 {
    type Number = f64;
    type Batch = [f64; 2 * LANES];
    const PER_BLOCK: u64 = 2;

    #[inline(always)]
    fn batch([a, b, c, d]: [Lanes<u32>; 4]) -> Self::Batch {
        let unit = |word: u64| (word >> 11) as f64 * 2f64.powi(-53);
        interleave([wide(a, b).map(unit), wide(c, d).map(unit)])
    }
}

struct NormalF64;

impl Source for NormalF64 {
    type Number = f64;
    type Batch = [f64; 2 * LANES];
    const PER_BLOCK: u64 = 2;

    #[inline(always)]
    fn batch([a, b, c, d]: [Lanes<u32>; 4]) -> Self::Batch {
        let (first, second) = normal_pairs_f64(wide(a, b), wide(c, d));
        interleave([first, second])
    }
}

#[inline(always)]
fn normal_pairs_f32(radius: Lanes<u32>, angle: Lanes<u32>) -> (Lanes<f32>, Lanes<f32>) {
    let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        // Half a step above zero, because zero has no logarithm.
        let unit = radius[lane] as f32 * 2f32.powi(-32) + 2f32.powi(-33);
        let length = (-2.0 * ln_f32(unit)).sqrt();
        let (sin, cos) = sin_cos_f32(angle[lane]);
        first[lane] = length * cos;
        second[lane] = length * sin;
    }
    (first, second)
}

#[inline(always)]
fn normal_pairs_f64(radius: Lanes<u64>, angle: Lanes<u64>) -> (Lanes<f64>, Lanes<f64>) {
    let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        let unit = (radius[lane] >> 11) as f64 * 2f64.powi(-53) + 2f64.powi(-54);
        let length = (-2.0 * ln_f64(unit)).sqrt();
        let (sin, cos) = sin_cos_f64(angle[lane]);
        first[lane] = length * cos;
        second[lane] = length * sin;
    }
    (first, second)
}

/// Two words of each block as one of 64 bits.
#[inline(always)]
fn wide(low: Lanes<u32>, high: Lanes<u32>) -> Lanes<u64> {
    let mut words = [0; LANES];
    for lane in 0..LANES {
        words[lane] = u64::from(high[lane]) << 32 | u64::from(low[lane]);
    }
    words
}

/// The numbers of the first block, then those of the second, and so on.
#[inline(always)]
fn interleave<T: Copy + Default, const N: usize, const ALL: usize>(
    numbers: [Lanes<T>; N],
) -> [T; ALL] {
    let mut out = [T::default(); ALL];
    for lane in 0..LANES {
        for (index, number) in numbers.iter().enumerate() {
            out[lane * N + index] = number[lane];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_answers_of_the_published_generator() {
        let ones = u32::MAX;
        let cases = [
            ([0; 4], [0; 2], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
            ([ones; 4], [ones; 2], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
            (
                [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
                [0xa4093822, 0x299f31d0],
                [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
            ),
        ];
        for (counter, key, expected) in cases {
            assert_eq!(philox(counter, key), expected);
        }
    }

    #[test]
    fn elements_are_the_words_of_their_block() {
        let (seed, rng_index, first) = (0x1234_5678_9abc_def0, 1 << 33 | 5, (1 << 34) + 1);
        let mut single = [0.0; 6];
        fill_uniform_f32(seed, rng_index, first, &mut single);
        let mut double = [0.0; 3];
        fill_uniform_f64(seed, rng_index, first, &mut double);
        let block = |number: u64| {
            let counter = [number as u32, (number >> 32) as u32, 5, 2];
            philox(counter, [0x9abc_def0, 0x1234_5678])
        };
        for (index, &number) in single.iter().enumerate() {
            let index = first + index as u64;
            let word = block(index / 4)[(index % 4) as usize];
            assert_eq!(number, (word >> 8) as f32 / 16_777_216.0);
        }
        for (index, &number) in double.iter().enumerate() {
            let index = first + index as u64;
            let words = block(index / 2);
            let at = (index % 2) as usize * 2;
            let word = u64::from(words[at + 1]) << 32 | u64::from(words[at]);
            assert_eq!(number, (word >> 11) as f64 / (1u64 << 53) as f64);
        }
    }

    #[test]
    fn whole_numbers_are_spread_over_their_range() {
        let (seed, rng_index, first) = (9, 4, 3);
        for range in [0..1, -5..7, 0..1 << 32, i64::MIN..i64::MAX, -1..(1 << 40)] {
            let size = range.end.wrapping_sub(range.start) as u64;
            let mut found = vec![0; 600];
            fill_integers(seed, rng_index, first, range.clone(), &mut found);
            for (index, &number) in found.iter().enumerate() {
                assert!(range.contains(&number), "{number} in {range:?}");
                let index = first + index as u64;
                let words = |block: u64| philox([block as u32, 0, 4, 0], [9, 0]);
                let exact = if size <= 1 << 32 {
                    (u128::from(words(index / 4)[index as usize % 4]) * u128::from(size)) >> 32
                } else {
                    let at = index as usize % 2 * 2;
                    let words = words(index / 2);
                    let word = u64::from(words[at + 1]) << 32 | u64::from(words[at]);
                    (u128::from(word) * u128::from(size)) >> 64
                };
                assert_eq!(number, range.start.wrapping_add(exact as i64));
            }
        }
        let mut found = vec![0; 1 << 18];
        fill_integers(42, 0, 0, -3..5, &mut found);
        let expected = found.len() as f64 / 8.0;
        for number in -3..5 {
            let count = found.iter().filter(|&&found| found == number).count() as f64;
            assert!((count - expected).abs() < 5.0 * expected.sqrt());
        }
    }

    #[test]
    fn normals_follow_box_and_muller() {
        let mut found = [0.0; 64];
        fill_normal_f64(7, 3, 0, &mut found);
        for (pair, numbers) in found.chunks(2).enumerate() {
            let words = philox([pair as u32, 0, 3, 0], [7, 0]);
            let wide = |at: usize| u64::from(words[at + 1]) << 32 | u64::from(words[at]);
            let unit = ((wide(0) >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            let angle = wide(2) as f64 / 2f64.powi(64) * std::f64::consts::TAU;
            let length = (-2.0 * unit.ln()).sqrt();
            assert!((numbers[0] - length * angle.cos()).abs() < 1e-14 * length.max(1.0));
            assert!((numbers[1] - length * angle.sin()).abs() < 1e-14 * length.max(1.0));
        }
        let mut found = [0.0; 64];
        fill_normal_f32(7, 3, 0, &mut found);
        for (pair, numbers) in found.chunks(2).enumerate() {
            let words = philox([pair as u32 / 2, 0, 3, 0], [7, 0]);
            let unit = (f64::from(words[pair % 2 * 2]) + 0.5) / 2f64.powi(32);
            let angle = f64::from(words[pair % 2 * 2 + 1]) / 2f64.powi(32) * std::f64::consts::TAU;
            let length = (-2.0 * unit.ln()).sqrt();
            assert!((f64::from(numbers[0]) - length * angle.cos()).abs() < 2e-6);
            assert!((f64::from(numbers[1]) - length * angle.sin()).abs() < 2e-6);
        }
    }

    #[test]
    fn bits_do_not_depend_on_the_processor() {
        let mut wide = vec![0.0; 1000];
        let mut plain = vec![0.0; 1000];
        fill::<NormalF32>(1, 2, 3, &mut wide);
        fill_lanes::<NormalF32>(1, 2, 3, &mut plain);
        assert!(wide.iter().zip(&plain).all(|(a, b)| a.to_bits() == b.to_bits()));
        let mut wide = vec![0.0; 1000];
        let mut plain = vec![0.0; 1000];
        fill::<NormalF64>(1, 2, 3, &mut wide);
        fill_lanes::<NormalF64>(1, 2, 3, &mut plain);
        assert!(wide.iter().zip(&plain).all(|(a, b)| a.to_bits() == b.to_bits()));
    }

    #[test]
    fn uniform_numbers_are_spread_evenly() {
        let mut numbers = vec![0.0; 1 << 20];
        fill_uniform_f32(42, 0, 0, &mut numbers);
        let mut bins = [0; 64];
        for number in &numbers {
            bins[(number * 64.0) as usize] += 1;
        }
        let expected = numbers.len() as f64 / 64.0;
        let square = |&bin: &i32| (f64::from(bin) - expected).powi(2) / expected;
        let chi_squared: f64 = bins.iter().map(square).sum();
        assert!((30.0..110.0).contains(&chi_squared), "{chi_squared}");
    }

    #[test]
    fn normal_numbers_have_the_moments_and_tails_of_a_normal_distribution() {
        let count = 1 << 21;
        let mut single = vec![0.0; count];
        fill_normal_f32(42, 1, 0, &mut single);
        let mut double = vec![0.0; count];
        fill_normal_f64(42, 1, 0, &mut double);
        let single: Vec<f64> = single.into_iter().map(f64::from).collect();
        for numbers in [single, double] {
            let moment = |power| numbers.iter().map(|x| x.powi(power)).sum::<f64>() / count as f64;
            assert!(moment(1).abs() < 0.004 && (moment(2) - 1.0).abs() < 0.006);
            assert!(moment(3).abs() < 0.015 && (moment(4) - 3.0).abs() < 0.05);
            let beyond = |limit: f64| numbers.iter().filter(|x| x.abs() > limit).count() as f64;
            for (limit, share) in [(1.0, 0.317311), (2.0, 0.0455), (3.0, 0.0026998)] {
                let expected = share * count as f64;
                assert!((beyond(limit) - expected).abs() < 5.0 * expected.sqrt());
            }
            assert!(beyond(4.5) > 0.0 && beyond(7.0) == 0.0);
        }
    }

    proptest! {
        #[test]
        fn any_split_into_runs_gives_the_same_bits(
            seed: u64, rng_index: u64, first in 0u64..1 << 40,
            lengths in proptest::collection::vec(0usize..90, 1..8),
        ) {
            let total = lengths.iter().sum();
            let mut whole = (vec![0.0; total], vec![0.0; total]);
            fill_normal_f32(seed, rng_index, first, &mut whole.0);
            fill_normal_f64(seed, rng_index, first, &mut whole.1);
            let mut start = 0;
            for length in lengths {
                let mut part = (vec![0.0; length], vec![0.0; length]);
                fill_normal_f32(seed, rng_index, first + start as u64, &mut part.0);
                fill_normal_f64(seed, rng_index, first + start as u64, &mut part.1);
                prop_assert_eq!(&part.0[..], &whole.0[start..start + length]);
                prop_assert_eq!(&part.1[..], &whole.1[start..start + length]);
                start += length;
            }
        }
    }
}
