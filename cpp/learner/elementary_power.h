// Power of either type, root of three, power of two.
#pragma once

#include "learner/elementary_wide.h"

namespace alpha {

// exp(x) for a Pair, over- and underflow as they come.
template <class T>
constexpr T exponential_of_pair(Pair x) {
  if constexpr (sizeof(T) == sizeof(f64)) {
    return exponential_wide(x);
  } else {
    if (x.high > 89) return kInfinity<f32>;
    if (x.high < -105) return 0;
    return rounded(exponential_pair(x));
  }
}

// |x|^y for finite x != 0 and finite y, within one unit in the last place (nearly always correctly
// rounded).
template <class T>
[[gnu::noinline]] constexpr T power_of_magnitude(T x, f64 y) {
  const Pair exponent = logarithm_wide(absolute(static_cast<f64>(x)));
  // Past every range, and past what a Pair's product takes.
  if (absolute(exponent.high * y) > 1000) {
    return (exponent.high > 0) == (y > 0) ? kInfinity<T> : T(0);
  }
  return exponential_of_pair<T>(exponent * y);
}

// Zeros and infinities to a power; `odd` says whether the sign comes through.
template <class T>
constexpr T power_of_limit(T x, bool negative_power, bool odd) {
  const bool grows = (x == 0) == negative_power;
  const T magnitude = grows ? kInfinity<T> : T(0);
  return odd ? with_sign_of(magnitude, x) : magnitude;
}

template <class T>
constexpr T power_to_integer(T x, i32 y) {
  if (y == 0) return 1;
  if (x != x) return kNan<T>;
  const bool odd = (y & 1) != 0;
  if (x == 0 || !is_finite(x)) return power_of_limit(x, y < 0, odd);
  const T magnitude = power_of_magnitude(x, y);
  return odd ? with_sign_of(magnitude, x) : magnitude;
}
constexpr f32 power(f32 x, i32 y) { return power_to_integer(x, y); }
constexpr f64 power(f64 x, i32 y) { return power_to_integer(x, y); }

template <class T>
constexpr T power_of(T x, T y) {
  constexpr T kEven = static_cast<T>(2 * Bits<T>::kWhole);  // from here on all numbers are
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return kNan<T>;
  const T size = absolute(x);
  if (!is_finite(y)) {
    if (size == 1) return 1;
    return (size > 1) == (y > 0) ? kInfinity<T> : T(0);
  }
  const bool whole = absolute(y) >= kEven || static_cast<T>(static_cast<i64>(y)) == y;
  const bool odd = absolute(y) < kEven && whole && (static_cast<i64>(y) & 1) != 0;
  if (x == 0 || !is_finite(x)) return power_of_limit(x, y < 0, odd);
  if (x < 0 && !whole) return kNan<T>;
  const T magnitude = power_of_magnitude(x, y);
  return odd ? with_sign_of(magnitude, x) : magnitude;
}
constexpr f32 power(f32 x, f32 y) { return power_of(x, y); }
constexpr f64 power(f64 x, f64 y) { return power_of(x, y); }

template <class T>
constexpr T exponential_base_two_of(T x) {
  if (x != x) return kNan<T>;
  if (x >= 1024) return kInfinity<T>;
  if (x <= (sizeof(T) == sizeof(f64) ? -1075 : -150)) return 0;  // half of the least is a tie
  const f64 wide = x;
  return exponential_of_pair<T>(product_exact(wide, kLn2High) + kLn2Low * wide);
}
constexpr f32 exponential_base_two(f32 x) { return exponential_base_two_of(x); }
constexpr f64 exponential_base_two(f64 x) { return exponential_base_two_of(x); }

// A guess good to 2^-44, and one step of Newton's on its exact cube.
template <class T>
constexpr T cube_root_of(T x) {
  if (!is_finite(x) || x == 0) return x != x ? kNan<T> : x;
  f64 size = absolute(static_cast<f64>(x));
  f64 factor = 1;
  if (sizeof(T) == sizeof(f64) && size > 0x1p900) {
    size *= 0x1p-300;
    factor = 0x1p100;
  }
  if (sizeof(T) == sizeof(f64) && size < 0x1p-800) {
    size *= 0x1p300;
    factor = 0x1p-100;
  }
  const f64 guess = exponential_quick(logarithm_quick(size) * (1.0 / 3), 1);
  const Pair square = product_exact(guess, guess);
  const Pair residue = square * guess + -size;
  const Pair root = sum_ordered(guess, -residue.high / (3 * square.high));
  const T result = rounded_to<T>(scaled(root, factor));
  return with_sign_of(result, x);
}
constexpr f32 cube_root(f32 x) { return cube_root_of(x); }
constexpr f64 cube_root(f64 x) { return cube_root_of(x); }

}  // namespace alpha
