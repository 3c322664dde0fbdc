// Elementary functions of one f32, correctly rounded on every target: f64 additions,
// multiplications and divisions, no fused operation, no library.
//
// Each is known to about 2^-65 as a Pair and rounded once; no result lies nearer to a midpoint than
// that, so it is the correctly rounded one.  Where a plain double already settles the rounding, it
// decides.
#pragma once

#include "learner/elementary_tables.h"
#include "learner/pair.h"

namespace alpha {

// To the nearest integer, halves up or down: only used where either does.
constexpr i64 nearest(f64 value) { return static_cast<i64>(value + (value < 0 ? -0.5 : 0.5)); }

// The exact ways are rarely taken: kept out of line, so that loops around the quick ones stay
// small.

// exp(x) = 2^exponent * (power + power * rest), power in [1, 2).
struct Exponential {
  Pair power;
  Pair rest;
  i64 exponent;
};

// For |x| < 1100.
constexpr Exponential exponential_parts(Pair x) {
  const i64 k = nearest(x.high * k64OfLn2);
  const f64 steps = static_cast<f64>(k);
  const Pair near = (product_exact(steps, -kLn2Of64High) + x.high) + -(kLn2Of64Low * steps);
  const Pair r = near + x.low;
  const f64 s = r.high;
  const f64 tail =
      s * s * s * (1.0 / 6 + s * (1.0 / 24 + s * (1.0 / 120 + s * (1.0 / 720 + s * (1.0 / 5040)))));
  return {kPowersOfTwo[k & 63], (r + r * r * 0.5) + tail, k >> 6};
}

// For |x| < 700.
[[gnu::noinline]] constexpr Pair exponential_pair(Pair x) {
  const Exponential parts = exponential_parts(x);
  return scaled(parts.power + parts.power * parts.rest, power_of_two(parts.exponent));
}
[[gnu::noinline]] constexpr Pair exponential_minus_one_pair(Pair x) {
  const Exponential parts = exponential_parts(x);
  const Pair scale = scaled(parts.power, power_of_two(parts.exponent));
  return (scale + -1.0) + scale * parts.rest;
}

// x = value * 2^exponent for a positive normal double, value in [0.70, 1.42); `inverse` is near 1 /
// value, and `logarithm` is -log(inverse).
struct Mantissa {
  f64 value;
  f64 exponent;
  f64 inverse;
  Pair logarithm;
};

constexpr Mantissa mantissa_of(f64 x) {
  constexpr u64 kMantissa = (u64{1} << 52) - 1;
  const u64 bits = bit_cast<u64>(x);
  const f64 m = bit_cast<f64>((bits & kMantissa) | (u64{1023} << 52));  // in [1, 2)
  const bool halved = m > 1.4142135623730951;
  const f64 value = halved ? m * 0.5 : m;
  const i64 exponent = static_cast<i64>(bits >> 52) - (halved ? 1022 : 1023);
  const i64 index = nearest(value * 128) - 90;
  return {value, static_cast<f64>(exponent), kInverses[index], kLogarithms[index]};
}

// log of value = high + low > 0, high a normal double.
[[gnu::noinline]] constexpr Pair logarithm_pair(Pair value) {
  const Mantissa part = mantissa_of(value.high);
  const f64 low = value.low * power_of_two(-static_cast<i64>(part.exponent)) * part.inverse;
  const Pair z = (product_exact(part.value, part.inverse) + -1.0) + low;
  const f64 s = z.high;
  const f64 tail =
      s * s * s *
      (1.0 / 3 -
       s * (1.0 / 4 -
            s * (1.0 / 5 -
                 s * (1.0 / 6 - s * (1.0 / 7 - s * (1.0 / 8 - s * (1.0 / 9 - s * 0.1)))))));
  const Pair near_one = (z + -(z * z * 0.5)) + tail;
  const Pair whole = Pair{part.exponent * kLn2High, 0} + kLn2Low * part.exponent;
  return (whole + part.logarithm) + near_one;
}

// ---- quick values ------------------------------------------------------------------------------
// One double, wrong by less than kSlack of itself: it settles all but one result in a few hundred
// thousand.

inline constexpr f64 kSlack = 0x1p-46;

// Whether every number within kSlack of `value` rounds to the same f32.
constexpr bool settles(f64 value, f32* result) {
  const f64 slack = value * kSlack;
  *result = static_cast<f32>(value - slack);
  return *result == static_cast<f32>(value + slack);
}

// exp(x) - 1 + offset for offset 0 or 1, |x| < 700.
constexpr f64 exponential_quick(f64 x, f64 offset) {
  const i64 k = nearest(x * k64OfLn2);
  const f64 steps = static_cast<f64>(k);
  const f64 r = (x - steps * kLn2Of64High) - steps * kLn2Of64Low.high;
  const f64 rest =
      r + r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720)))));
  const f64 factor = power_of_two(k >> 6);
  const Pair power = kPowersOfTwo[k & 63];
  const f64 high = power.high * factor;
  return (high - (1 - offset)) + (power.low * factor + high * rest);
}

// For x with at most 40 significant bits.
constexpr f64 logarithm_quick(f64 x) {
  const Mantissa part = mantissa_of(x);
  const f64 z = part.value * part.inverse - 1;
  const f64 tail =
      z * z * (-0.5 + z * (1.0 / 3 + z * (-0.25 + z * (0.2 + z * (-1.0 / 6 + z * (1.0 / 7))))));
  return part.exponent * kLn2High +
         (part.logarithm.high + (z + (tail + part.exponent * kLn2Low.high)));
}

// ---- functions of one f32 -----------------------------------------------------------------------

constexpr f32 exponential(f32 x) {
  if (x != x) return kNan<f32>;
  if (x > 89) return kInfinity<f32>;
  if (x < -105) return 0;
  f32 result;
  if (settles(exponential_quick(x, 1), &result)) return result;
  return rounded(exponential_pair({x, 0}));
}

constexpr f32 exponential_minus_one(f32 x) {
  if (x != x) return kNan<f32>;
  if (x == 0) return x;
  if (x > 89) return kInfinity<f32>;
  if (x < -30) return -1;
  f32 result;
  if (settles(exponential_quick(x, 0), &result)) return result;
  return rounded(exponential_minus_one_pair({x, 0}));
}

constexpr f32 logarithm(f32 x) {
  if (!(x >= 0)) return kNan<f32>;
  if (x == 0) return -kInfinity<f32>;
  if (x == kInfinity<f32>) return x;
  f32 result;
  if (settles(logarithm_quick(x), &result)) return result;
  return rounded(logarithm_pair({x, 0}));
}

constexpr f32 logarithm_of_one_plus(f32 x) {
  if (!(x >= -1)) return kNan<f32>;
  if (x == -1) return -kInfinity<f32>;
  if (x == 0 || x == kInfinity<f32>) return x;
  const f64 magnitude = absolute(static_cast<f64>(x));
  if (magnitude < 0x1p-30) {  // x - x^2/2: 1 + x would keep none of x's low bits
    return rounded(sum_ordered(x, -0.5 * static_cast<f64>(x) * x));
  }
  return rounded(logarithm_pair(sum_exact(1, x)));
}

constexpr f32 hyperbolic_tangent(f32 x) {
  if (x != x) return kNan<f32>;
  if (x == 0) return x;
  if (x > 12) return 1;
  if (x < -12) return -1;
  const f64 twice = 2 * static_cast<f64>(x);
  const f64 quick = exponential_quick(twice, 0);
  f32 result;
  if (settles(quick / (quick + 2), &result)) return result;
  const Pair part = exponential_minus_one_pair({twice, 0});
  return rounded(part / (part + 2.0));
}

// 1 / (1 + exp(-x))
constexpr f32 logistic(f32 x) {
  if (x != x) return kNan<f32>;
  if (x > 20) return 1;
  if (x < -105) return 0;
  const f64 negated = -static_cast<f64>(x);
  f32 result;
  if (settles(1 / (1 + exponential_quick(negated, 1)), &result)) return result;
  return rounded(Pair{1, 0} / (exponential_pair({negated, 0}) + 1.0));
}

// ---- roots --------------------------------------------------------------------------------------

// One instruction on every target (-fno-math-errno), correctly rounded.
template <class T>
constexpr T square_root(T x) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_sqrt(x);
  } else {
    return __builtin_sqrtf(x);  // of a narrower number as an f32
  }
}

template <class T>
constexpr T reciprocal_square_root_of(T x) {
  if (!(x >= 0)) return kNan<T>;
  if (x == 0) return with_sign_of(kInfinity<T>, x);
  if (x == kInfinity<T>) return 0;
  f64 wide = x;
  f64 factor = 1;
  if (sizeof(T) == sizeof(f64) && (wide < 0x1p-900 || wide > 0x1p900)) {  // its square's inverse
    factor = wide < 1 ? 0x1p100 : 0x1p-100;
    wide *= factor * factor;
  }
  const f64 guess = 1 / square_root(wide);
  const Pair residue = (product_exact(guess, guess) * wide) + -1.0;
  return rounded_to<T>(scaled(sum_ordered(guess, -0.5 * guess * residue.high), factor));
}
constexpr f32 reciprocal_square_root(f32 x) { return reciprocal_square_root_of(x); }
constexpr f64 reciprocal_square_root(f64 x) { return reciprocal_square_root_of(x); }

}  // namespace alpha
