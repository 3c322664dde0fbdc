// A value as an unevaluated sum of two doubles, about 106 bits, from additions and multiplications
// alone.
//
// Nothing here may be contracted or reassociated: the error terms are what is left over by
// rounding.
#pragma once

#include "learner/numeric.h"

namespace alpha {

// high is the sum rounded to a double, low what is left.
struct Pair {
  f64 high;
  f64 low;
};

// The exact sum, for |left| >= |right| or left == 0.
constexpr Pair sum_ordered(f64 left, f64 right) {
  const f64 high = left + right;
  return {high, right - (high - left)};
}

// The exact sum.
constexpr Pair sum_exact(f64 left, f64 right) {
  const f64 high = left + right;
  const f64 part = high - left;
  return {high, (left - (high - part)) + (right - part)};
}

// The exact product, by splitting each factor into 26 bits (Dekker); factors stay below 2^996.
constexpr Pair product_exact(f64 left, f64 right) {
  constexpr f64 kSplit = 134217729.0;  // 2^27 + 1
  const f64 left_scaled = left * kSplit;
  const f64 right_scaled = right * kSplit;
  const f64 left_high = left_scaled - (left_scaled - left);
  const f64 right_high = right_scaled - (right_scaled - right);
  const f64 left_low = left - left_high;
  const f64 right_low = right - right_high;
  const f64 high = left * right;
  const f64 low =
      ((left_high * right_high - high) + left_high * right_low + left_low * right_high) +
      left_low * right_low;
  return {high, low};
}

constexpr Pair operator+(Pair left, f64 right) {
  const Pair sum = sum_exact(left.high, right);
  return sum_ordered(sum.high, sum.low + left.low);
}
constexpr Pair operator+(Pair left, Pair right) {
  const Pair sum = sum_exact(left.high, right.high);
  const Pair rest = sum_exact(left.low, right.low);
  const Pair first = sum_ordered(sum.high, sum.low + rest.high);
  return sum_ordered(first.high, first.low + rest.low);
}
constexpr Pair operator-(Pair value) { return {-value.high, -value.low}; }
constexpr Pair operator*(Pair left, Pair right) {
  const Pair product = product_exact(left.high, right.high);
  return sum_ordered(product.high, product.low + (left.high * right.low + left.low * right.high));
}
constexpr Pair operator*(Pair left, f64 right) {
  const Pair product = product_exact(left.high, right);
  return sum_ordered(product.high, product.low + left.low * right);
}
constexpr Pair operator/(Pair left, Pair right) {
  const f64 first = left.high / right.high;
  const Pair rest = left + -(right * first);
  const f64 second = rest.high / right.high;
  const Pair last = rest + -(right * second);
  const Pair sum = sum_ordered(first, second);
  return sum_ordered(sum.high, sum.low + last.high / right.high);
}

// For zero or a positive normal `high`.
constexpr Pair square_root(Pair value) {
  if (value.high == 0) return value;
  const f64 guess = __builtin_sqrt(value.high);
  const Pair residue = value + -product_exact(guess, guess);
  return sum_ordered(guess, residue.high / (2 * guess));
}

// Both parts times a power of two.
constexpr Pair scaled(Pair value, f64 factor) { return {value.high * factor, value.low * factor}; }

// The sum rounded once to an f32: the double is first made odd where something is left over, so
// that the second rounding sees on which side of a midpoint it lies.
constexpr f32 rounded(Pair value) {
  u64 bits = bit_cast<u64>(value.high);
  if (value.low != 0 && (bits & 1) == 0) {
    bits = (value.low > 0) == (value.high > 0) ? bits + 1 : bits - 1;
  }
  return static_cast<f32>(bit_cast<f64>(bits));
}

// The same to either type: `high` is the sum's nearest double.
template <class T>
constexpr T rounded_to(Pair value) {
  if constexpr (sizeof(T) == sizeof(f64)) {
    return value.high;
  } else {
    return rounded(value);
  }
}

// left * right + sum rounded once, without a fused operation: the product of two f32 is exact as a
// double.
constexpr f32 fused_multiply_add(f32 left, f32 right, f32 sum) {
  const Pair exact = sum_exact(static_cast<f64>(left) * static_cast<f64>(right), sum);
  return is_finite(exact.high) ? rounded(exact) : static_cast<f32>(exact.high);
}

// 2^exponent, for exponents of normal doubles.
constexpr f64 power_of_two(i64 exponent) {
  return bit_cast<f64>(static_cast<u64>(exponent + 1023) << 52);
}

}  // namespace alpha
