// The error function and its complement, the inverse error function, from a table and Taylor
// series.
#pragma once

#include "learner/elementary.h"

namespace alpha {

// The integral of exp(-t^2) from a to a + h over exp(-a^2): h + sum of (-1)^n H_n(a) h^(n+1) /
// (n+1)!.
constexpr Pair error_step(f64 a, f64 h) {
  f64 before = 2 * a;
  f64 hermite = 4 * a * a - 2;
  f64 power = -0.5 * h * h;
  f64 tail = 0;
  for (u64 n = 2; n < 15; ++n) {
    power *= -h / static_cast<f64>(n + 1);
    tail += hermite * power;
    const f64 next = 2 * a * hermite - 2 * static_cast<f64>(n) * before;
    before = hermite;
    hermite = next;
  }
  return (product_exact(h, h) * -a + h) + tail;
}

// Of magnitude < 10.5: erf below 6, and 1 - erf.
[[gnu::noinline]] constexpr Pair error_pair(f64 magnitude) {
  const i64 step = nearest(magnitude * 32);
  const f64 a = static_cast<f64>(step) * 0x1p-5;
  return kErrors[step] + kErrorSlopes[step] * error_step(a, magnitude - a);
}
[[gnu::noinline]] constexpr Pair error_complement_pair(f64 magnitude) {
  const i64 step = nearest(magnitude * 32);
  const f64 a = static_cast<f64>(step) * 0x1p-5;
  return kErrorComplements[step] + -(kErrorSlopes[step] * error_step(a, magnitude - a));
}

template <class T>
constexpr T error_function_of(T x) {
  if (x != x) return kNan<T>;
  if (x == 0) return x;
  const f64 magnitude = absolute(static_cast<f64>(x));
  if (magnitude >= 6) return x < 0 ? T(-1) : T(1);
  // What is tiny is made larger for the product's low part; there the function is a line.
  const f64 factor = magnitude < 0x1p-500 ? 0x1p200 : 1;
  const Pair result = scaled(error_pair(magnitude * factor), 1 / factor);
  return rounded_to<T>(x < 0 ? -result : result);
}
constexpr f32 error_function(f32 x) { return error_function_of(x); }
constexpr f64 error_function(f64 x) { return error_function_of(x); }

constexpr f32 error_function_complement(f32 x) {
  if (x != x) return kNan<f32>;
  if (x > 10.25f) return 0;
  if (x < -5) return 2;
  const f64 magnitude = absolute(static_cast<f64>(x));
  return rounded(x < 0 ? error_pair(magnitude) + 1.0 : error_complement_pair(magnitude));
}

// ---- inverse ------------------------------------------------------------------------------------

// erf_inv(x) / x as Chebyshev interpolants, written as polynomials in [-1, 1]: of w = -log(1 - x^2)
// up to 6.5, of its root from there to the last float below 1.
ALPHA_TABLE f64 kInverseErrorNear[] = {
    0x1.aeff02cbbb1f1p+0,   0x1.8d0ece1e6ef17p-1,   -0x1.104ffbce86fadp-4,  -0x1.6d5484b303aa0p-6,
    0x1.44f07290fe41cp-6,   -0x1.5effb572e46f2p-8,  -0x1.37780f2da67a7p-10, 0x1.89e56190d8f64p-10,
    -0x1.ae67b4948e67ap-12, -0x1.e38b3715f5d02p-14, 0x1.0a06a4feed7dbp-13,  -0x1.fa216f97ee11bp-16,
    -0x1.9c7e4587019fep-17, 0x1.73f0cc2b7710fp-17,  -0x1.1b85dde19949ep-19, -0x1.85a936e298151p-20,
    0x1.05139d907a3ecp-20,  -0x1.2a1fd708d5cbap-27, -0x1.54cff85e9dac2p-23, 0x1.71e1a54615167p-26,
    0x1.66d021df7f850p-27};
ALPHA_TABLE f64 kInverseErrorFar[] = {
    0x1.9accbfabaa3acp+1,   0x1.a93f4549189d6p-1,   0x1.743d079ee3e1bp-9,   -0x1.932f245440944p-10,
    0x1.8e28698a5cd78p-11,  -0x1.b403c1f261af4p-12, 0x1.b6ee1af7e50d9p-13,  -0x1.4b06591ea1af2p-14,
    0x1.03029a6000000p-16,  0x1.ea2bdf8d79439p-19,  -0x1.1dbc48f9435e3p-18, 0x1.a6ccfe1af286dp-20,
    -0x1.4c0746bca1af3p-23, -0x1.21fc21af286c0p-23, 0x1.4d76a1af286bdp-24,  -0x1.142a1af286bcap-26,
    -0x1.8450d79435e4ep-29, 0x1.6000000000000p-29,  -0x1.e6bca1af286bdp-32};

template <u64 kCount>
constexpr f64 polynomial(const f64 (&coefficients)[kCount], f64 x) {
  f64 value = coefficients[kCount - 1];
  for (u64 i = kCount - 1; i != 0; --i) value = value * x + coefficients[i - 1];
  return value;
}

// Wrong by less than 2^-43 of itself; |x| < 1.
constexpr f64 inverse_error_quick(f64 x) {
  constexpr f64 kFarStart = 2.5495097567963922;  // the root of 6.5
  constexpr f64 kFarEnd = 4.2;
  const f64 w = -logarithm_quick(1 - x * x);
  const f64 ratio =
      w < 6.5 ? polynomial(kInverseErrorNear, w / 3.25 - 1)
              : polynomial(kInverseErrorFar, (square_root(w) - (kFarStart + kFarEnd) / 2) /
                                                 ((kFarEnd - kFarStart) / 2));
  return x * ratio;
}

// One step of Newton's from a guess for 0 < x < 1; near 1 on the complement, which keeps its bits.
[[gnu::noinline]] constexpr Pair inverse_error_pair(f64 x, f64 guess) {
  const f64 left =
      x < 0.5 ? (error_pair(guess) + -x).high : (-error_complement_pair(guess) + (1 - x)).high;
  const f64 slope = kErrorSlopes[0].high * exponential_quick(-guess * guess, 1);
  return sum_ordered(guess, -left / slope);
}

constexpr f32 inverse_error_function(f32 x) {
  if (!(absolute(x) <= 1)) return kNan<f32>;
  if (absolute(x) == 1) return with_sign_of(kInfinity<f32>, x);
  if (x == 0) return x;
  const f64 size = absolute(static_cast<f64>(x));
  const f64 guess = inverse_error_quick(size);
  const f64 slack = guess * 0x1p-42;
  f32 result = static_cast<f32>(guess - slack);
  if (result != static_cast<f32>(guess + slack)) result = rounded(inverse_error_pair(size, guess));
  return with_sign_of(result, x);
}

}  // namespace alpha
