//! The inner loops of the network, compiled for the processor's features: AVX2, SSE4.1, or neither.
//!
//! Owns the choice at run time, performance hints to processor and system, and the only `unsafe` code of the engine.
//! All levels compute with integers and give the same results bit for bit; a test compares them.

#![allow(unsafe_code)]
#![allow(clippy::wildcard_imports)] // Intrinsics are named by their instructions.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Prefetches the cache line of a value. Affects only speed.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction; it reads nothing.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>((value as *const T).cast::<i8>());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Makes a vector of `length` values in pages as large as the system grants, so that random access does not wait for
/// address translation. Affects only speed.
pub(crate) fn vec_in_large_pages<T: Clone>(value: T, length: usize) -> Vec<T> {
    let mut vec = Vec::with_capacity(length);
    #[cfg(target_os = "linux")]
    request_large_pages(vec.spare_capacity_mut());
    vec.resize(length, value);
    vec
}

/// Requests large pages before the memory is first touched; skips the first and last partial page.
#[cfg(target_os = "linux")]
fn request_large_pages<T>(memory: &mut [std::mem::MaybeUninit<T>]) {
    extern "C" {
        fn madvise(address: *mut u8, length: usize, advice: i32) -> i32;
    }
    const PAGE: usize = 4096;
    const MADV_HUGEPAGE: i32 = 14;
    let bytes = std::mem::size_of_val(memory);
    let start = memory.as_mut_ptr().cast::<u8>();
    let skipped = start.align_offset(PAGE);
    if bytes > skipped {
        let length = (bytes - skipped) / PAGE * PAGE;
        // SAFETY: the pages lie within memory that is borrowed here, and the advice does not change their content. A
        // refusal by the system does not matter.
        unsafe { madvise(start.wrapping_add(skipped), length, MADV_HUGEPAGE) };
    }
}

/// 16-bit numbers in a [`Block`].
pub(super) const LANES: usize = 32;

/// A cache line of 16-bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Block(pub(super) [i16; LANES]);

impl Block {
    pub(super) const ZERO: Self = Self([0; LANES]);

    /// `clamp(value, 0, 255)^2 / 512`, rounded: 0 to 127.
    pub(super) fn squares(self) -> Bytes {
        Bytes(self.0.map(|value| {
            let value = value.clamp(0, 255) as u16;
            ((value * value + 256) >> 9) as i8
        }))
    }
}

/// The number of rows of 8-bit weights whose dot products are computed together.
pub(super) const AT_ONCE: usize = 4;

/// As many 8-bit numbers as a [`Block`] has numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub(super) struct Bytes(pub(super) [i8; LANES]);

impl Bytes {
    pub(super) const ZERO: Self = Self([0; LANES]);
}

/// The instruction set to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Sse41(Sse41),
    Scalar,
}

/// Proof that the processor has AVX2: only [`Level::all`] makes it.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Avx2(());

/// Proof that the processor has SSE4.1: only [`Level::all`] makes it.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sse41(());

impl Level {
    /// All levels of this processor, best first.
    pub(super) fn all() -> Vec<Self> {
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                levels.push(Self::Avx2(Avx2(())));
            }
            if is_x86_feature_detected!("sse4.1") {
                levels.push(Self::Sse41(Sse41(())));
            }
        }
        levels.push(Self::Scalar);
        levels
    }

    /// The best level of this processor.
    pub(super) fn best() -> Self {
        Self::all()[0]
    }

    /// `out = base + the rows added - the rows removed`, number by number. All slices have the same length.
    #[inline]
    pub(super) fn change<const ADDED: usize, const REMOVED: usize>(
        self,
        out: &mut [Block],
        base: &[Block],
        added: [&[Block]; ADDED],
        removed: [&[Block]; REMOVED],
    ) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Avx2` is made only after detecting the feature.
            Self::Avx2(_) => unsafe { change_avx2(out, base, added, removed) },
            // The compiler vectorises the loop with the 16-byte registers that every x86-64 processor has.
            _ => change(out, base, added, removed),
        }
    }

    /// `sum of clamp(value, 0, 255)^2 x weight`. Weights are -127 to 127; at most 1,024 numbers.
    #[inline]
    pub(super) fn squared_dot(self, values: &[Block], weights: &[Block]) -> i64 {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Avx2` is made only after detecting the feature.
            Self::Avx2(_) => unsafe { squared_dot_avx2(values, weights) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Sse41` is made only after detecting the feature.
            Self::Sse41(_) => unsafe { squared_dot_sse41(values, weights) },
            Self::Scalar => squared_dot(values, weights),
        }
    }

    /// For each row of weights, `sum of value x weight`. Values are 0 to 127, weights -127 to 127; at most 1,024
    /// numbers, and as many in each row.
    #[inline]
    pub(super) fn dots(self, values: &[Bytes], rows: [&[Bytes]; AT_ONCE]) -> [i32; AT_ONCE] {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Avx2` is made only after detecting the feature.
            Self::Avx2(_) => unsafe { dots_avx2(values, rows) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Sse41` is made only after detecting the feature.
            Self::Sse41(_) => unsafe { dots_sse41(values, rows) },
            Self::Scalar => rows.map(|row| dot(values, row)),
        }
    }
}

#[allow(clippy::inline_always)] // To be compiled for the level of each caller.
#[inline(always)]
fn change<const ADDED: usize, const REMOVED: usize>(
    out: &mut [Block],
    base: &[Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    let blocks = out.len();
    // Slices of known length remove the loop's bounds checks.
    let (base, added, removed) = (&base[..blocks], added.map(|row| &row[..blocks]), removed.map(|row| &row[..blocks]));
    for block in 0..blocks {
        let mut sum = base[block];
        for row in &added {
            for lane in 0..LANES {
                sum.0[lane] = sum.0[lane].wrapping_add(row[block].0[lane]);
            }
        }
        for row in &removed {
            for lane in 0..LANES {
                sum.0[lane] = sum.0[lane].wrapping_sub(row[block].0[lane]);
            }
        }
        out[block] = sum;
    }
}

/// Not a closure, which would not be compiled for the caller's level and not be inlined into it.
#[cfg(target_arch = "x86_64")]
#[allow(clippy::inline_always)]
#[inline(always)]
fn total<const WIDTH: usize, const ROWS: usize>(lanes: &[[i32; WIDTH]; ROWS]) -> i64 {
    let mut total = 0;
    for row in lanes {
        for &lane in row {
            total += i64::from(lane);
        }
    }
    total
}

fn squared_dot(values: &[Block], weights: &[Block]) -> i64 {
    let mut sum = 0;
    for (values, weights) in values.iter().zip(weights) {
        for (&value, &weight) in values.0.iter().zip(&weights.0) {
            let value = i64::from(value.clamp(0, 255));
            sum += value * value * i64::from(weight);
        }
    }
    sum
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn change_avx2<const ADDED: usize, const REMOVED: usize>(
    out: &mut [Block],
    base: &[Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    change(out, base, added, removed);
}

/// A clamped value times its weight fits into 16 bits (255 x 127), so that a multiply-add of pairs does the rest; the
/// sixteen sums of 32 bits hold the products of 64 numbers each: at most 64 x 255 x 255 x 127 < 2^31.
///
/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn squared_dot_avx2(values: &[Block], weights: &[Block]) -> i64 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
    let mut sums = [zero; 2];
    for (values, weights) in values.iter().zip(weights) {
        let (values, weights) =
            ((values as *const Block).cast::<__m256i>(), (weights as *const Block).cast::<__m256i>());
        for (half, sum) in sums.iter_mut().enumerate() {
            // SAFETY: a block is two registers of 32 bytes and aligned to 64.
            let (value, weight) =
                unsafe { (_mm256_load_si256(values.add(half)), _mm256_load_si256(weights.add(half))) };
            let value = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
            let products = _mm256_madd_epi16(_mm256_mullo_epi16(value, weight), value);
            *sum = _mm256_add_epi32(*sum, products);
        }
    }
    let mut lanes = [[0_i32; 8]; 2];
    for (lanes, sum) in lanes.iter_mut().zip(sums) {
        // SAFETY: eight numbers of four bytes are 32; the store needs no alignment.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum) };
    }
    total(&lanes)
}

/// Like AVX2, in registers of half the size.
///
/// # Safety
/// The processor must have SSE4.1.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse4.1")]
unsafe fn squared_dot_sse41(values: &[Block], weights: &[Block]) -> i64 {
    let (zero, one) = (_mm_setzero_si128(), _mm_set1_epi16(255));
    let mut sums = [zero; 4];
    for (values, weights) in values.iter().zip(weights) {
        let (values, weights) =
            ((values as *const Block).cast::<__m128i>(), (weights as *const Block).cast::<__m128i>());
        for (quarter, sum) in sums.iter_mut().enumerate() {
            // SAFETY: a block is four registers of 16 bytes and aligned to 64.
            let (value, weight) =
                unsafe { (_mm_load_si128(values.add(quarter)), _mm_load_si128(weights.add(quarter))) };
            let value = _mm_min_epi16(_mm_max_epi16(value, zero), one);
            let products = _mm_madd_epi16(_mm_mullo_epi16(value, weight), value);
            *sum = _mm_add_epi32(*sum, products);
        }
    }
    let mut lanes = [[0_i32; 4]; 4];
    for (lanes, sum) in lanes.iter_mut().zip(sums) {
        // SAFETY: four numbers of four bytes are 16; the store needs no alignment.
        unsafe { _mm_storeu_si128(lanes.as_mut_ptr().cast(), sum) };
    }
    total(&lanes)
}

fn dot(values: &[Bytes], weights: &[Bytes]) -> i32 {
    let mut sum = 0;
    for (values, weights) in values.iter().zip(weights) {
        for (&value, &weight) in values.0.iter().zip(&weights.0) {
            sum += i32::from(value) * i32::from(weight);
        }
    }
    sum
}

/// Two products fit into 16 bits (2 x 127 x 127), which a multiply-add turns into sums of 32 bits. The rows share the
/// values and the last additions.
///
/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn dots_avx2(values: &[Bytes], rows: [&[Bytes]; AT_ONCE]) -> [i32; AT_ONCE] {
    let ones = _mm256_set1_epi16(1);
    let mut sums = [_mm256_setzero_si256(); AT_ONCE];
    let rows = rows.map(|row| &row[..values.len()]);
    for (index, value) in values.iter().enumerate() {
        // SAFETY: the numbers are one register of 32 bytes and aligned to it.
        let value = unsafe { _mm256_load_si256((value as *const Bytes).cast()) };
        for (sum, row) in sums.iter_mut().zip(rows) {
            // SAFETY: as before.
            let weight = unsafe { _mm256_load_si256(std::ptr::addr_of!(row[index]).cast()) };
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(_mm256_maddubs_epi16(value, weight), ones));
        }
    }
    let pairs = (_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
    let halves = _mm256_hadd_epi32(pairs.0, pairs.1);
    let sum = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
    to_array(sum)
}

/// Like AVX2, in registers of half the size.
///
/// # Safety
/// The processor must have SSE4.1.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse4.1")]
unsafe fn dots_sse41(values: &[Bytes], rows: [&[Bytes]; AT_ONCE]) -> [i32; AT_ONCE] {
    let ones = _mm_set1_epi16(1);
    let mut sums = [_mm_setzero_si128(); AT_ONCE];
    let rows = rows.map(|row| &row[..values.len()]);
    for (index, value) in values.iter().enumerate() {
        let value = (value as *const Bytes).cast::<__m128i>();
        for (sum, row) in sums.iter_mut().zip(rows) {
            let weight = std::ptr::addr_of!(row[index]).cast::<__m128i>();
            for half in 0..2 {
                // SAFETY: the numbers are two registers of 16 bytes and aligned to them.
                let (value, weight) = unsafe { (_mm_load_si128(value.add(half)), _mm_load_si128(weight.add(half))) };
                *sum = _mm_add_epi32(*sum, _mm_madd_epi16(_mm_maddubs_epi16(value, weight), ones));
            }
        }
    }
    to_array(_mm_hadd_epi32(_mm_hadd_epi32(sums[0], sums[1]), _mm_hadd_epi32(sums[2], sums[3])))
}

/// The four numbers in a register.
///
/// # Safety
/// The processor must have SSE2, which all of them have.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn to_array(register: __m128i) -> [i32; AT_ONCE] {
    let mut numbers = [0; AT_ONCE];
    // SAFETY: four numbers of 32 bits are 16 bytes.
    unsafe { _mm_storeu_si128(numbers.as_mut_ptr().cast(), register) };
    numbers
}

#[cfg(test)]
mod tests {
    use super::{Block, Bytes, Level, AT_ONCE, LANES};
    use proptest::prelude::*;

    fn block(values: std::ops::RangeInclusive<i16>) -> impl Strategy<Value = Block> {
        prop::collection::vec(values, LANES).prop_map(|values| {
            let mut block = Block::ZERO;
            block.0.copy_from_slice(&values);
            block
        })
    }

    fn row(values: std::ops::RangeInclusive<i16>) -> impl Strategy<Value = Vec<Block>> {
        prop::collection::vec(block(values), 4)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn all_levels_give_the_same_bits(
            base in row(i16::MIN..=i16::MAX),
            rows in prop::collection::vec(row(i16::MIN..=i16::MAX), 4),
            weights in row(-127..=127),
        ) {
            let results: Vec<_> = Level::all().into_iter().map(|level| {
                let mut out = vec![Block::ZERO; base.len()];
                level.change(&mut out, &base, [&rows[0], &rows[1]], [&rows[2], &rows[3]]);
                let dot = level.squared_dot(&out, &weights);
                let squares: Vec<Bytes> = out.iter().copied().map(Block::squares).collect();
                // Four rows: the blocks of weights in different orders.
                let bytes: Vec<Bytes> = weights.iter().map(|block| Bytes(block.0.map(|weight| weight as i8))).collect();
                let rotated: Vec<Vec<Bytes>> = (0..AT_ONCE).map(|by| {
                    let mut row = bytes.clone();
                    row.rotate_left(by % bytes.len().max(1));
                    row
                }).collect();
                let dots = level.dots(&squares, std::array::from_fn(|row| &rotated[row][..]));
                (out, dot, dots)
            }).collect();
            prop_assert!(results.iter().all(|result| *result == results[0]));
        }
    }

    /// Tests the largest possible sums.
    #[test]
    fn nothing_overflows_at_the_largest_size() {
        let (values, weights) = (vec![Block([i16::MAX; LANES]); 32], vec![Block([127; LANES]); 32]);
        for level in Level::all() {
            assert_eq!(level.squared_dot(&values, &weights), 1024 * 255 * 255 * 127, "{level:?}");
            let squares: Vec<Bytes> = values.iter().copied().map(Block::squares).collect();
            let rows = [-127, 127, 1, 0].map(|weight| [Bytes([weight; LANES]); 32]);
            let dots = level.dots(&squares, [&rows[0], &rows[1], &rows[2], &rows[3]]);
            assert_eq!(dots, [-127, 127, 1, 0].map(|weight| 1024 * 127 * weight), "{level:?}");
        }
    }
}
