// Arc sine, arc cosine and arc tangents of either type, all from one arc tangent of a Pair.
#pragma once

#include "learner/elementary.h"

namespace alpha {

// atan(t) for t >= 0, a pair of doubles of moderate size: by the nearest 64th, past 1 by its
// inverse.
[[gnu::noinline]] constexpr Pair arc_tangent_pair(Pair t) {
  const bool inverted = t.high > 1;
  const Pair value = inverted ? Pair{1, 0} / t : t;
  const i64 step = nearest(value.high * 64);
  const f64 a = static_cast<f64>(step) * 0x1p-6;
  const Pair u = (value + -a) / (value * a + 1.0);
  const f64 s = u.high * u.high;
  const f64 tail = u.high * s * (-1.0 / 3 + s * (0.2 + s * (-1.0 / 7 + s * (1.0 / 9))));
  const Pair angle = kArcTangents[step] + (u + tail);
  return inverted ? kHalfPi + -angle : angle;
}

// sqrt(1 - x^2) for 0 <= x < 1.
constexpr Pair other_leg(f64 x) { return square_root(sum_exact(1, -x) * sum_exact(1, x)); }

template <class T>
constexpr T arc_tangent_of(T x) {
  if (x != x) return kNan<T>;
  if (absolute(x) < T(0x1p-28)) return x;
  const f64 size = absolute(static_cast<f64>(x));
  const Pair result = size > 0x1p70 ? kHalfPi + -1 / size : arc_tangent_pair({size, 0});
  return with_sign_of(rounded_to<T>(result), x);
}
constexpr f32 arc_tangent(f32 x) { return arc_tangent_of(x); }
constexpr f64 arc_tangent(f64 x) { return arc_tangent_of(x); }

template <class T>
constexpr T arc_sine_of(T x) {
  if (!(absolute(x) <= 1)) return kNan<T>;
  if (absolute(x) < T(0x1p-28)) return x;
  const f64 size = absolute(static_cast<f64>(x));
  const Pair result = size == 1 ? kHalfPi : arc_tangent_pair(Pair{size, 0} / other_leg(size));
  return with_sign_of(rounded_to<T>(result), x);
}
constexpr f32 arc_sine(f32 x) { return arc_sine_of(x); }
constexpr f64 arc_sine(f64 x) { return arc_sine_of(x); }

template <class T>
constexpr T arc_cosine_of(T x) {
  if (!(absolute(x) <= 1)) return kNan<T>;
  const f64 size = absolute(static_cast<f64>(x));
  Pair result;
  if (size < 0x1p-60) {
    result = kHalfPi;  // less x, which is less than a Pair's own error
  } else {
    result = size == 1 ? Pair{0, 0} : arc_tangent_pair(other_leg(size) / Pair{size, 0});
  }
  return rounded_to<T>(x < 0 ? kHalfPi * 2.0 + -result : result);
}
constexpr f32 arc_cosine(f32 x) { return arc_cosine_of(x); }
constexpr f64 arc_cosine(f64 x) { return arc_cosine_of(x); }

// The angle of (x, y), within one unit in the last place.
template <class T>
constexpr T arc_tangent_two_of(T y, T x) {
  if (x != x || y != y) return kNan<T>;
  f64 rise = absolute(static_cast<f64>(y));
  f64 run = absolute(static_cast<f64>(x));
  const bool left = bit_cast<Signed<T>>(x) < 0;
  const f64 most = rise > run ? rise : run;
  if (most == kInfinity<f64> && rise == run) rise = run = 1;
  if (most > 0x1p900 || (most < 0x1p-900 && most != 0)) {  // exact, but for what vanishes beside it
    const f64 factor = most > 1 ? 0x1p-200 : 0x1p200;
    rise *= factor;
    run *= factor;
  }
  Pair result;
  if (rise == 0 || rise / run < 0x1p-60) {
    if (!left) return with_sign_of(rise == 0 ? T(0) : static_cast<T>(rise / run), y);
    result = kHalfPi * 2.0;
  } else if (run == 0 || rise / run > 0x1p70) {
    result = kHalfPi;
  } else {
    const Pair angle = arc_tangent_pair(Pair{rise, 0} / Pair{run, 0});
    result = left ? kHalfPi * 2.0 + -angle : angle;
  }
  return with_sign_of(rounded_to<T>(result), y);
}
constexpr f32 arc_tangent_two(f32 y, f32 x) { return arc_tangent_two_of(y, x); }
constexpr f64 arc_tangent_two(f64 y, f64 x) { return arc_tangent_two_of(y, x); }

}  // namespace alpha
