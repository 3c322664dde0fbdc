// Sine, cosine, error function and power of f32: as elementary.h, with reductions of their own.
#pragma once

#include "learner/elementary.h"

namespace alpha {

// x = quadrant * pi/2 + rest, |rest| <= pi/4.
struct Angle {
  u64 quadrant;
  Pair rest;
};

// By the bits of 2/pi that matter for x's exponent: exact to 2^-90 whatever the size of x.
[[gnu::noinline]] inline Angle reduced_angle(f32 x) {
  const f64 magnitude = absolute(static_cast<f64>(x));
  if (magnitude <= 0.78539816) return {0, {magnitude, 0}};
  const u32 bits = bit_cast<u32>(x);
  const u64 mantissa = (bits & 0x7fffffu) | 0x800000u;
  const u64 start =
      ((bits >> 23) & 0xffu) - 150 + 30;  // weight of the first bit that is no multiple of 4
  const u64 word = start / 64;
  const u64 shift = start % 64;
  u64 window[3];
  for (u64 i = 0; i < 3; ++i) {
    window[i] = kTwoOverPi[word + i] << shift;
    if (shift != 0 && word + i + 1 < 6) window[i] |= kTwoOverPi[word + i + 1] >> (64 - shift);
  }
  using Wide = unsigned __int128;
  const Wide low = static_cast<Wide>(mantissa) * window[2];
  const Wide middle = static_cast<Wide>(mantissa) * window[1] + static_cast<u64>(low >> 64);
  const u64 high = mantissa * window[0] + static_cast<u64>(middle >> 64);
  u64 quadrant = high >> 62;
  u64 first = high << 2 | static_cast<u64>(middle) >> 62;
  u64 second = static_cast<u64>(middle) << 2 | static_cast<u64>(low) >> 62;
  const bool above = first >> 63 != 0;  // past the middle of the quadrant: count down from the next
  if (above) {
    ++quadrant;
    second = u64{0} - second;
    first = ~first + (second == 0 ? 1 : 0);
  }
  const f64 pieces[] = {
      static_cast<f64>(first >> 32) * 0x1p-32, static_cast<f64>(first & 0xffffffffu) * 0x1p-64,
      static_cast<f64>(second >> 32) * 0x1p-96, static_cast<f64>(second & 0xffffffffu) * 0x1p-128};
  Pair fraction = Pair{pieces[0], 0} + pieces[1];
  fraction = (fraction + pieces[2]) + pieces[3];
  const Pair rest = fraction * kHalfPi;
  return {quadrant & 3, above ? -rest : rest};
}

// Sine (odd = 0) or cosine (odd = 1) of |angle| <= pi/4.
[[gnu::noinline]] inline Pair sine_or_cosine(Pair angle, u64 odd) {
  const bool negative = angle.high < 0;
  const Pair size = negative ? -angle : angle;
  const i64 step = nearest(size.high * 64);
  const Pair b = Pair{size.high - static_cast<f64>(step) * 0x1p-6, 0} + size.low;
  const f64 s = b.high * b.high;
  const f64 sine_tail =
      b.high * s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880))));
  const f64 cosine_tail = s * (-0.5 + s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320))));
  const Pair sine = b + sine_tail;
  const Pair near = odd ? kCosines[step] : kSines[step];
  const Pair other = odd ? -kSines[step] : kCosines[step];
  const Pair result = near + (other * sine + near.high * cosine_tail);
  return negative && !odd ? -result : result;
}

inline f32 sine(f32 x) {
  if (!is_finite(x)) return kNan<f32>;
  if (x == 0) return x;
  const Angle angle = reduced_angle(x);
  const Pair result = sine_or_cosine(angle.rest, angle.quadrant & 1);
  const bool negative = (angle.quadrant >= 2) != (x < 0);
  return rounded(negative ? -result : result);
}

inline f32 cosine(f32 x) {
  if (!is_finite(x)) return kNan<f32>;
  const Angle angle = reduced_angle(x);
  const Pair result = sine_or_cosine(angle.rest, (angle.quadrant & 1) ^ 1);
  const bool negative = angle.quadrant == 1 || angle.quadrant == 2;
  return rounded(negative ? -result : result);
}

// erf(a + h) = erf(a) + erf'(a) (h + sum of (-1)^n H_n(a) h^(n+1) / (n+1)!), a a multiple of 1/32.
[[gnu::noinline]] inline f32 error_function(f32 x) {
  if (x != x) return kNan<f32>;
  if (x == 0) return x;
  const f64 magnitude = absolute(static_cast<f64>(x));
  if (magnitude >= 4) return x < 0 ? -1.0f : 1.0f;
  const i64 step = nearest(magnitude * 32);
  const f64 a = static_cast<f64>(step) * 0x1p-5;
  const f64 h = magnitude - a;
  f64 before = 1;
  f64 hermite = 2 * a;
  f64 power = h;
  f64 tail = 0;
  for (u64 n = 1; n < 14; ++n) {
    power *= -h / static_cast<f64>(n + 1);
    tail += hermite * power;
    const f64 next = 2 * a * hermite - 2 * static_cast<f64>(n) * before;
    before = hermite;
    hermite = next;
  }
  const Pair result = kErrors[step] + kErrorSlopes[step] * sum_ordered(h, tail);
  return rounded(x < 0 ? -result : result);
}

// ---- power --------------------------------------------------------------------------------------

// |x|^y for finite x != 0 and finite y, within one unit in the last place (nearly always correctly
// rounded).
[[gnu::noinline]] inline f32 power_of_magnitude(f32 x, f64 y) {
  const Pair exponent = logarithm_pair({absolute(static_cast<f64>(x)), 0}) * y;
  if (exponent.high > 89) return kInfinity<f32>;
  if (exponent.high < -105) return 0;
  return rounded(exponential_pair(exponent));
}

// Zeros and infinities to a power; `odd` says whether the sign comes through.
inline f32 power_of_limit(f32 x, bool negative_power, bool odd) {
  const bool grows = (x == 0) == negative_power;
  const f32 magnitude = grows ? kInfinity<f32> : 0.0f;
  return odd ? with_sign_of(magnitude, x) : magnitude;
}

inline f32 power(f32 x, i32 y) {
  if (y == 0) return 1;
  if (x != x) return kNan<f32>;
  const bool odd = (y & 1) != 0;
  if (x == 0 || !is_finite(x)) return power_of_limit(x, y < 0, odd);
  const f32 magnitude = power_of_magnitude(x, y);
  return odd ? with_sign_of(magnitude, x) : magnitude;
}

inline f32 power(f32 x, f32 y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return kNan<f32>;
  const f32 size = absolute(x);
  if (!is_finite(y)) {
    if (size == 1) return 1;
    return (size > 1) == (y > 0) ? kInfinity<f32> : 0.0f;
  }
  const bool whole = absolute(y) >= 16777216 || static_cast<f32>(static_cast<i64>(y)) == y;
  const bool odd = absolute(y) < 16777216 && whole && (static_cast<i64>(y) & 1) != 0;
  if (x == 0 || !is_finite(x)) return power_of_limit(x, y < 0, odd);
  if (x < 0 && !whole) return kNan<f32>;
  const f32 magnitude = power_of_magnitude(x, y);
  return odd ? with_sign_of(magnitude, x) : magnitude;
}

}  // namespace alpha
