// Hyperbolic functions of either type and their inverses.
#pragma once

#include "learner/elementary_wide.h"

namespace alpha {

// Largest argument whose exponential a Pair holds with room for what is made of it.
inline constexpr f64 kHyperbolicFar = 100;

template <class T>
constexpr T hyperbolic_sine_of(T x) {
  if (x != x) return kNan<T>;
  if (absolute(x) < T(0x1p-27)) return x;
  const f64 size = absolute(static_cast<f64>(x));
  if (size > kHyperbolicFar) {
    const f64 far = sizeof(T) == sizeof(f64) ? exponential_wide({size, 0}, -1) : kInfinity<f64>;
    return with_sign_of(static_cast<T>(far), x);
  }
  const Pair part = exponential_minus_one_pair({size, 0});
  return with_sign_of(rounded_to<T>((part + part / (part + 1.0)) * 0.5), x);
}
constexpr f32 hyperbolic_sine(f32 x) { return hyperbolic_sine_of(x); }
constexpr f64 hyperbolic_sine(f64 x) { return hyperbolic_sine_of(x); }

template <class T>
constexpr T hyperbolic_cosine_of(T x) {
  if (x != x) return kNan<T>;
  const f64 size = absolute(static_cast<f64>(x));
  if (size > kHyperbolicFar) {
    const f64 far = sizeof(T) == sizeof(f64) ? exponential_wide({size, 0}, -1) : kInfinity<f64>;
    return static_cast<T>(far);
  }
  const Pair part = exponential_pair({size, 0});
  return rounded_to<T>((part + Pair{1, 0} / part) * 0.5);
}
constexpr f32 hyperbolic_cosine(f32 x) { return hyperbolic_cosine_of(x); }
constexpr f64 hyperbolic_cosine(f64 x) { return hyperbolic_cosine_of(x); }

// ---- inverses -----------------------------------------------------------------------------------

// log(2x) for a large x, where what is left out is below 2^-80.
inline constexpr f64 kLogarithmOfTwice = 0x1p40;
constexpr Pair logarithm_of_twice(f64 x) {
  return logarithm_wide(x) + (Pair{kLn2High, 0} + kLn2Low);
}

template <class T>
constexpr T inverse_hyperbolic_sine_of(T x) {
  if (!is_finite(x)) return x != x ? kNan<T> : x;
  if (absolute(x) < T(0x1p-27)) return x;
  const f64 size = absolute(static_cast<f64>(x));
  Pair result;
  if (size < 0x1p-17) {
    const f64 square = size * size;
    result = sum_ordered(size, size * square * (-1.0 / 6 + square * (3.0 / 40)));
  } else if (size > kLogarithmOfTwice) {
    result = logarithm_of_twice(size);
  } else {
    const Pair square = product_exact(size, size);
    const Pair root = square_root(square + 1.0);
    result = logarithm_pair((square / (root + 1.0) + size) + 1.0);
  }
  return with_sign_of(rounded_to<T>(result), x);
}
constexpr f32 inverse_hyperbolic_sine(f32 x) { return inverse_hyperbolic_sine_of(x); }
constexpr f64 inverse_hyperbolic_sine(f64 x) { return inverse_hyperbolic_sine_of(x); }

template <class T>
constexpr T inverse_hyperbolic_cosine_of(T x) {
  if (!(x >= 1)) return kNan<T>;
  if (x == 1 || !is_finite(x)) return x == 1 ? T(0) : x;
  const f64 wide = x;
  if (wide > kLogarithmOfTwice) return rounded_to<T>(logarithm_of_twice(wide));
  const Pair above = sum_exact(wide, -1);
  return rounded_to<T>(logarithm_pair((square_root(above * (above + 2.0)) + above) + 1.0));
}
constexpr f32 inverse_hyperbolic_cosine(f32 x) { return inverse_hyperbolic_cosine_of(x); }
constexpr f64 inverse_hyperbolic_cosine(f64 x) { return inverse_hyperbolic_cosine_of(x); }

template <class T>
constexpr T inverse_hyperbolic_tangent_of(T x) {
  if (!(absolute(x) <= 1)) return kNan<T>;
  if (absolute(x) == 1) return with_sign_of(kInfinity<T>, x);
  if (absolute(x) < T(0x1p-28)) return x;
  const f64 size = absolute(static_cast<f64>(x));
  if (size < 0x1p-17) {
    const f64 square = size * size;
    const Pair result = sum_ordered(size, size * square * (1.0 / 3 + square * (1.0 / 5)));
    return with_sign_of(rounded_to<T>(result), x);
  }
  const Pair ratio = sum_exact(1, size) / sum_exact(1, -size);
  return with_sign_of(rounded_to<T>(logarithm_pair(ratio) * 0.5), x);
}
constexpr f32 inverse_hyperbolic_tangent(f32 x) { return inverse_hyperbolic_tangent_of(x); }
constexpr f64 inverse_hyperbolic_tangent(f64 x) { return inverse_hyperbolic_tangent_of(x); }

}  // namespace alpha
