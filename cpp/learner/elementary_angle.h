// Sine, cosine and tangent of either type: as elementary.h, with a reduction of their own.
#pragma once

#include "learner/elementary.h"

namespace alpha {

// x = quadrant * pi/2 + rest, |rest| <= pi/4.
struct Angle {
  u64 quadrant;
  Pair rest;
};

// By the bits of 2/pi that matter for x's exponent: exact to 2^-125 whatever the size of x, which a
// double can bring within 2^-62 of a multiple of pi/2.
template <class T>
[[gnu::noinline]] constexpr Angle reduced_angle(T x) {
  using U = typename Bits<T>::Type;
  constexpr u64 kFraction = sizeof(T) == sizeof(f64) ? 52 : 23;
  constexpr u64 kBias = sizeof(T) == sizeof(f64) ? 1023 : 127;
  const f64 magnitude = absolute(static_cast<f64>(x));
  if (magnitude <= 0.78539816) return {0, {magnitude, 0}};
  const u64 bits = bit_cast<U>(absolute(x));
  const u64 mantissa = (bits & ((u64{1} << kFraction) - 1)) | u64{1} << kFraction;
  // Where the first bit stands whose weight makes no multiple of 4 of the mantissa.
  const u64 start = (bits >> kFraction) + 62 - (kBias + kFraction);
  const u64 word = start / 64;
  const u64 shift = start % 64;
  u64 window[3];
  for (u64 i = 0; i < 3; ++i) {
    window[i] = kTwoOverPi[word + i] << shift;
    if (shift != 0) window[i] |= kTwoOverPi[word + i + 1] >> (64 - shift);
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
[[gnu::noinline]] constexpr Pair sine_or_cosine(Pair angle, u64 odd) {
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

template <class T>
constexpr T sine_of(T x) {
  if (!is_finite(x)) return kNan<T>;
  if (absolute(x) < T(0x1p-27)) return x;  // what is taken off is 2^-56 of it
  const Angle angle = reduced_angle(x);
  const Pair result = sine_or_cosine(angle.rest, angle.quadrant & 1);
  const bool negative = (angle.quadrant >= 2) != (x < 0);
  return rounded_to<T>(negative ? -result : result);
}
constexpr f32 sine(f32 x) { return sine_of(x); }
constexpr f64 sine(f64 x) { return sine_of(x); }

template <class T>
constexpr T cosine_of(T x) {
  if (!is_finite(x)) return kNan<T>;
  const Angle angle = reduced_angle(x);
  const Pair result = sine_or_cosine(angle.rest, (angle.quadrant & 1) ^ 1);
  const bool negative = angle.quadrant == 1 || angle.quadrant == 2;
  return rounded_to<T>(negative ? -result : result);
}
constexpr f32 cosine(f32 x) { return cosine_of(x); }
constexpr f64 cosine(f64 x) { return cosine_of(x); }

template <class T>
constexpr T tangent_of(T x) {
  if (!is_finite(x)) return kNan<T>;
  if (sizeof(T) == sizeof(f64) && absolute(x) < T(0x1p-28)) return x;
  if (x == 0) return x;
  const Angle angle = reduced_angle(x);
  const bool odd = (angle.quadrant & 1) != 0;
  const Pair sine = sine_or_cosine(angle.rest, 0);
  const Pair cosine = sine_or_cosine(angle.rest, 1);
  const Pair result = odd ? -cosine / sine : sine / cosine;
  return rounded_to<T>(x < 0 ? -result : result);
}
constexpr f32 tangent(f32 x) { return tangent_of(x); }
constexpr f64 tangent(f64 x) { return tangent_of(x); }

}  // namespace alpha
