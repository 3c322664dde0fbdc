// Elementary functions in vectors of four doubles: quick values without a branch, and where one
// does not settle the rounding, or the argument is a special one, the exact way for each.
#include "learner/elementary_arrays.h"

#include "learner/elementary.h"

// Out of line, a vector would travel through memory.
#define ALPHA_INLINE __attribute__((always_inline)) inline

namespace alpha {
namespace {

constexpr u64 kBlock = 8;
using Singles = f32 __attribute__((vector_size(16)));
using Doubles = f64 __attribute__((vector_size(32)));
using Words = u64 __attribute__((vector_size(32)));
using Masks = i32 __attribute__((vector_size(16)));

// What a quick way found, and in which lanes it may be wrong.
struct Found {
  Singles value;
  Masks unsettled;
};

ALPHA_INLINE Found settled(Doubles value) {
  const Doubles slack = value * kSlack;
  const Singles below = __builtin_convertvector(value - slack, Singles);
  const Singles above = __builtin_convertvector(value + slack, Singles);
  return {below, below != above};
}

ALPHA_INLINE bool any(Masks masks) {
  const Words halves =
      __builtin_bit_cast(Words, __builtin_shufflevector(masks, masks, 0, 1, 2, 3, 0, 1, 2, 3));
  return (halves[0] | halves[1]) != 0;
}

ALPHA_INLINE Doubles between(f64 low, Doubles x, f64 high) {
  const Doubles above = x < low ? Doubles{} + low : x;
  return above > high ? Doubles{} + high : above;
}

ALPHA_INLINE Singles with_sign_of(Singles magnitude, Singles sign) {
  const Masks bits = __builtin_bit_cast(Masks, magnitude) & 0x7fffffff;
  return __builtin_bit_cast(Singles, bits | (__builtin_bit_cast(Masks, sign) & ~0x7fffffff));
}

// A whole number below 2^51 added to this stands in the low bits.
constexpr f64 kWholeInLowBits = 0x1.8p52;

// exponential_quick of four.
ALPHA_INLINE Doubles exponential_quick(Doubles x, f64 offset) {
  // 1023 * 64 more, so that what lies above the 64ths is a double's exponent.
  constexpr f64 kShift = kWholeInLowBits + 1023 * 64;
  const Doubles shifted = x * k64OfLn2 + kShift;
  const Words bits = __builtin_bit_cast(Words, shifted);
  const Doubles steps = shifted - kShift;
  const Doubles r = (x - steps * kLn2Of64High) - steps * kLn2Of64Low.high;
  const Doubles rest =
      r + r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720)))));
  const Doubles factor = __builtin_bit_cast(Doubles, (bits >> 6) << 52);
  const Words index = bits & 63;
  const Pair p = kPowersOfTwo[index[0]], q = kPowersOfTwo[index[1]];
  const Pair s = kPowersOfTwo[index[2]], t = kPowersOfTwo[index[3]];
  const Doubles high = Doubles{p.high, q.high, s.high, t.high} * factor;
  const Doubles low = Doubles{p.low, q.low, s.low, t.low} * factor;
  return (high - (1 - offset)) + (low + high * rest);
}

// logarithm_quick of four positive normal doubles.
ALPHA_INLINE Doubles logarithm_quick(Doubles x) {
  const Words bits = __builtin_bit_cast(Words, x);
  const Doubles m = __builtin_bit_cast(Doubles, (bits & ((u64{1} << 52) - 1)) | (u64{1023} << 52));
  const auto halved = m > 1.4142135623730951;
  const Doubles value = halved ? m * 0.5 : m;
  // The biased exponent in the low bits of 2^52.
  const Doubles biased = __builtin_bit_cast(Doubles, (bits >> 52) | (u64{1075} << 52)) - 0x1p52;
  const Doubles exponent = biased - (halved ? Doubles{} + 1022 : Doubles{} + 1023);
  const Words index = (__builtin_bit_cast(Words, value * 128 + kWholeInLowBits) & 255) - 90;
  const u64 a = index[0], b = index[1], c = index[2], d = index[3];
  const Doubles inverse = {kInverses[a], kInverses[b], kInverses[c], kInverses[d]};
  const Doubles logarithm = {kLogarithms[a].high, kLogarithms[b].high, kLogarithms[c].high,
                             kLogarithms[d].high};
  const Doubles z = value * inverse - 1;
  const Doubles tail =
      z * z * (-0.5 + z * (1.0 / 3 + z * (-0.25 + z * (0.2 + z * (-1.0 / 6 + z * (1.0 / 7))))));
  return exponent * kLn2High + (logarithm + (z + (tail + exponent * kLn2Low.high)));
}

ALPHA_INLINE Doubles wide(Singles x) { return __builtin_convertvector(x, Doubles); }

// Past the bounds that `between` takes here, a result rounds to what it is at them.
struct ExponentialOf {
  static f32 exact(f32 x) { return exponential(x); }
  ALPHA_INLINE static Found quick(Singles x) {
    return settled(exponential_quick(between(-110, wide(x), 90), 1));
  }
};
struct ExponentialMinusOneOf {
  static f32 exact(f32 x) { return exponential_minus_one(x); }
  ALPHA_INLINE static Found quick(Singles x) {
    const Found found = settled(exponential_quick(between(-30, wide(x), 90), 0));
    return {with_sign_of(found.value, x), found.unsettled};
  }
};
struct LogarithmOf {
  static f32 exact(f32 x) { return logarithm(x); }
  ALPHA_INLINE static Found quick(Singles x) {
    const Masks special = ~((x > 0) & (x < kInfinity<f32>));
    const Found found = settled(logarithm_quick(wide(x)));
    return {found.value, found.unsettled | special};
  }
};
struct HyperbolicTangentOf {
  static f32 exact(f32 x) { return hyperbolic_tangent(x); }
  ALPHA_INLINE static Found quick(Singles x) {
    const Doubles twice = exponential_quick(between(-26, 2 * wide(x), 26), 0);
    const Found found = settled(twice / (twice + 2));
    return {with_sign_of(found.value, x), found.unsettled};
  }
};
struct LogisticOf {
  static f32 exact(f32 x) { return logistic(x); }
  ALPHA_INLINE static Found quick(Singles x) {
    return settled(1 / (1 + exponential_quick(between(-22, -wide(x), 110), 1)));
  }
};

template <class Of>
[[gnu::noinline]] void one_by_one(const f32* from, f32* to) {
  for (u64 i = 0; i < kBlock; ++i) to[i] = Of::exact(from[i]);
}

// Two vectors at once: neither waits for the other.
template <class Of>
ALPHA_INLINE void block(const f32* from, f32* to) {
  Singles x, y;
  __builtin_memcpy(&x, from, sizeof x);
  __builtin_memcpy(&y, from + kBlock / 2, sizeof y);
  const Found left = Of::quick(x), right = Of::quick(y);
  if (any(left.unsettled | right.unsettled)) return one_by_one<Of>(from, to);
  __builtin_memcpy(to, &left.value, sizeof left.value);
  __builtin_memcpy(to + kBlock / 2, &right.value, sizeof right.value);
}

template <class Of>
void all(const f32* from, f32* to, u64 count) {
  for (; count >= kBlock; count -= kBlock, from += kBlock, to += kBlock) block<Of>(from, to);
  if (count == 0) return;
  f32 last[kBlock] = {1, 1, 1, 1, 1, 1, 1, 1};
  for (u64 i = 0; i < count; ++i) last[i] = from[i];
  block<Of>(last, last);
  for (u64 i = 0; i < count; ++i) to[i] = last[i];
}

}  // namespace

void exponential_of(const f32* from, f32* to, u64 count) { all<ExponentialOf>(from, to, count); }
void exponential_minus_one_of(const f32* from, f32* to, u64 count) {
  all<ExponentialMinusOneOf>(from, to, count);
}
void logarithm_of(const f32* from, f32* to, u64 count) { all<LogarithmOf>(from, to, count); }
void hyperbolic_tangent_of(const f32* from, f32* to, u64 count) {
  all<HyperbolicTangentOf>(from, to, count);
}
void logistic_of(const f32* from, f32* to, u64 count) { all<LogisticOf>(from, to, count); }

}  // namespace alpha

#undef ALPHA_INLINE
