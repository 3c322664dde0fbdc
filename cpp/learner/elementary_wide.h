// The functions of elementary.h for f64, within one unit in the last place: the same Pairs, known
// to about 2^-60, rounded once.
#pragma once

#include "learner/elementary.h"

namespace alpha {

// value * 2^exponent for value near 1: two steps, so that only the second leaves the normal
// numbers.
constexpr f64 times_power_of_two(f64 value, i64 exponent) {
  const i64 half = exponent / 2;
  return value * power_of_two(half) * power_of_two(exponent - half);
}

// exp(x) * 2^shift, for any finite x.
[[gnu::noinline]] constexpr f64 exponential_wide(Pair x, i64 shift = 0) {
  if (x.high > 712) return kInfinity<f64>;
  if (x.high < -747) return 0;
  const Exponential parts = exponential_parts(x);
  const Pair value = parts.power + parts.power * parts.rest;
  return times_power_of_two(value.high, parts.exponent + shift);
}

// log of any positive finite double: those at the ends are brought to where a Pair has room.
constexpr Pair logarithm_wide(f64 x) {
  if (x >= 0x1p-1022 && x < 0x1p1000) return logarithm_pair({x, 0});
  const f64 steps = x < 1 ? 54 : -54;
  const Pair moved = Pair{steps * kLn2High, 0} + kLn2Low * steps;
  return logarithm_pair({x * (x < 1 ? 0x1p54 : 0x1p-54), 0}) + -moved;
}

constexpr f64 exponential(f64 x) { return x != x ? kNan<f64> : exponential_wide({x, 0}); }

constexpr f64 exponential_minus_one(f64 x) {
  if (x != x) return kNan<f64>;
  if (absolute(x) < 0x1p-54) return x;
  if (x > 100) return exponential_wide({x, 0});
  if (x < -50) return -1;
  return exponential_minus_one_pair({x, 0}).high;
}

constexpr f64 logarithm(f64 x) {
  if (!(x >= 0)) return kNan<f64>;
  if (x == 0) return -kInfinity<f64>;
  if (x == kInfinity<f64>) return x;
  return logarithm_wide(x).high;
}

constexpr f64 logarithm_of_one_plus(f64 x) {
  if (!(x >= -1)) return kNan<f64>;
  if (x == -1) return -kInfinity<f64>;
  if (absolute(x) < 0x1p-54 || x == kInfinity<f64>) return x;
  return logarithm_pair(sum_exact(1, x)).high;
}

constexpr f64 hyperbolic_tangent(f64 x) {
  if (x != x) return kNan<f64>;
  if (absolute(x) < 0x1p-28) return x;
  if (absolute(x) > 22) return x < 0 ? -1 : 1;
  const Pair part = exponential_minus_one_pair({2 * x, 0});
  return (part / (part + 2.0)).high;
}

constexpr f64 logistic(f64 x) {
  if (x != x) return kNan<f64>;
  if (x > 50) return 1;
  if (x < -50) return exponential_wide({x, 0});  // over 1 + 2^-72
  return (Pair{1, 0} / (exponential_pair({-x, 0}) + 1.0)).high;
}

}  // namespace alpha
