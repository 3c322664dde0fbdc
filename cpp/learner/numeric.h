// What emitted programs do to single elements: JAX's edge semantics, the same bits on every target.
//
// Integers wrap; x/0 is -1 (all ones), x rem 0 is x, MIN/-1 is MIN; shifts past the width give 0 or
// the sign; float to integer saturates and NaN gives 0; maximum and minimum are IEEE 754-2019's.
#pragma once

#include "base/types.h"
#include "learner/narrow.h"

// Before a loop that reads nothing which it writes.
#if defined(__clang__)
#define ALPHA_APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define ALPHA_APART _Pragma("GCC ivdep")
#endif

// Functions here are constexpr so that CUDA's compiler may use them on the device too; a table that
// they look up at run time has to be there as well.
#if defined(__CUDACC__)
#define ALPHA_TABLE static __device__ constexpr
#else
#define ALPHA_TABLE inline constexpr
#endif

namespace alpha {

using i8 = int8_t;
using i16 = int16_t;

template <class T>
struct Bits;
template <>
struct Bits<f32> {
  using Type = u32;
  static constexpr u32 kNan = 0x7fc00000u;
  static constexpr u32 kInfinity = 0x7f800000u;
  static constexpr i64 kWhole = i64{1} << 23;  // from here on every number is an integer
};
template <>
struct Bits<f64> {
  using Type = u64;
  static constexpr u64 kNan = 0x7ff8000000000000u;
  static constexpr u64 kInfinity = 0x7ff0000000000000u;
  static constexpr i64 kWhole = i64{1} << 52;
};
template <>
struct Bits<bf16> {
  using Type = u16;
  static constexpr u16 kNan = 0x7fc0;
  static constexpr u16 kInfinity = 0x7f80;
  static constexpr i64 kWhole = 128;
};
template <>
struct Bits<f16> {
  using Type = u16;
  static constexpr u16 kNan = 0x7e00;
  static constexpr u16 kInfinity = 0x7c00;
  static constexpr i64 kWhole = 1024;
};

template <class To, class From>
constexpr To bit_cast(From value) {
  return __builtin_bit_cast(To, value);
}

template <class T>
inline constexpr T kNan = bit_cast<T>(Bits<T>::kNan);
template <class T>
inline constexpr T kInfinity = bit_cast<T>(Bits<T>::kInfinity);

template <class T>
inline constexpr bool kIsFloat = false;
template <>
inline constexpr bool kIsFloat<f32> = true;
template <>
inline constexpr bool kIsFloat<f64> = true;
template <>
inline constexpr bool kIsFloat<bf16> = true;
template <>
inline constexpr bool kIsFloat<f16> = true;
template <class T>
inline constexpr bool kIsSigned = static_cast<T>(-1) < static_cast<T>(0);

// The unsigned type of a width, in which arithmetic wraps.
template <u64 kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using Type = u8;
  using SignedType = i8;
};
template <>
struct UnsignedOf<2> {
  using Type = u16;
  using SignedType = i16;
};
template <>
struct UnsignedOf<4> {
  using Type = u32;
  using SignedType = i32;
};
template <>
struct UnsignedOf<8> {
  using Type = u64;
  using SignedType = i64;
};
template <class T>
using Unsigned = typename UnsignedOf<sizeof(T)>::Type;
template <class T>
using Signed = typename UnsignedOf<sizeof(T)>::SignedType;

// ---- NaN ----------------------------------------------------------------------------------------

// The one NaN that leaves a program; x86 and Arm make different ones.  On the bits: to clang, which
// says that an operation may give any NaN, `value != value ? kNan : value` is `value`.
template <class T>
constexpr T canonical(T value) {
  using U = typename Bits<T>::Type;
  const U bits = bit_cast<U>(value);
  const bool is_nan = static_cast<U>(bits << 1) > static_cast<U>(Bits<T>::kInfinity << 1);
  return bit_cast<T>(static_cast<U>(is_nan ? Bits<T>::kNan : bits));
}

template <class T>
constexpr void canonicalise(T* values, u64 count) {
  for (u64 i = 0; i < count; ++i) values[i] = canonical(values[i]);
}

template <class T>
constexpr bool is_finite(T value) {
  return (bit_cast<typename Bits<T>::Type>(value) & Bits<T>::kInfinity) != Bits<T>::kInfinity;
}

// ---- integers -----------------------------------------------------------------------------------

template <class T>
constexpr T wrapping_add(T left, T right) {
  return static_cast<T>(static_cast<u64>(left) + static_cast<u64>(right));
}
template <class T>
constexpr T wrapping_subtract(T left, T right) {
  return static_cast<T>(static_cast<u64>(left) - static_cast<u64>(right));
}
template <class T>
constexpr T wrapping_multiply(T left, T right) {
  return static_cast<T>(static_cast<u64>(left) * static_cast<u64>(right));
}
template <class T>
constexpr T wrapping_negate(T value) {
  return static_cast<T>(u64{0} - static_cast<u64>(value));
}

template <class T>
constexpr T integer_divide(T left, T right) {
  if (right == 0) return static_cast<T>(-1);
  if constexpr (kIsSigned<T>) {
    if (right == -1) return wrapping_negate(left);
  }
  return static_cast<T>(left / right);
}

template <class T>
constexpr T integer_remainder(T left, T right) {
  if (right == 0) return left;
  if constexpr (kIsSigned<T>) {
    if (right == -1) return 0;
  }
  return static_cast<T>(left % right);
}

template <class T>
constexpr T integer_absolute(T value) {
  return value < 0 ? wrapping_negate(value) : value;
}

template <class T>
constexpr T integer_sign(T value) {
  if constexpr (kIsSigned<T>) {
    if (value < 0) return static_cast<T>(-1);
  }
  return static_cast<T>(value != 0);
}

template <class T>
constexpr T bitwise_and(T left, T right) {
  return static_cast<T>(left & right);
}
template <class T>
constexpr T bitwise_or(T left, T right) {
  return static_cast<T>(left | right);
}
template <class T>
constexpr T bitwise_xor(T left, T right) {
  return static_cast<T>(left ^ right);
}
template <class T>
constexpr T bitwise_not(T value) {
  return static_cast<T>(~value);
}

template <class T>
constexpr T count_of_ones(T value) {
  u64 count = 0;
  for (u64 rest = static_cast<Unsigned<T>>(value); rest != 0; rest &= rest - 1) ++count;
  return static_cast<T>(count);
}

// A shift by a negative amount, or past the width, is one past the width.
template <class T>
constexpr bool shifts_out(T amount) {
  return static_cast<Unsigned<T>>(amount) >= sizeof(T) * 8;
}
template <class T>
constexpr T shift_left(T value, T amount) {
  if (shifts_out(amount)) return 0;
  return static_cast<T>(static_cast<u64>(value) << static_cast<u64>(amount));
}
template <class T>
constexpr T shift_right_logical(T value, T amount) {
  if (shifts_out(amount)) return 0;
  return static_cast<T>(static_cast<Unsigned<T>>(value) >> static_cast<u64>(amount));
}
template <class T>
constexpr T shift_right_arithmetic(T value, T amount) {
  const u64 places = shifts_out(amount) ? sizeof(T) * 8 - 1 : static_cast<u64>(amount);
  return static_cast<T>(static_cast<Signed<T>>(value) >> places);
}

// ---- floating point -----------------------------------------------------------------------------

// All bits but the sign's.
template <class U>
inline constexpr U kMagnitude = static_cast<U>(static_cast<U>(~U{0}) >> 1);

template <class T>
constexpr T absolute(T value) {
  using U = typename Bits<T>::Type;
  return bit_cast<T>(static_cast<U>(bit_cast<U>(value) & kMagnitude<U>));
}

template <class T>
constexpr T float_sign(T value) {
  if (value > 0) return 1;
  if (value < 0) return -1;
  return value;  // zeros keep their sign, NaN stays
}

// NaN wins; -0 is below +0.  Without a branch, so that loops become vectors: of two equal numbers
// the bits differ in a zero's sign only.
template <class T>
constexpr T maximum(T left, T right) {
  const T larger = left > right ? left : right;
  if constexpr (kIsFloat<T>) {
    using U = typename Bits<T>::Type;
    const T same = bit_cast<T>(static_cast<U>(bit_cast<U>(left) & bit_cast<U>(right)));
    const T found = left == right ? same : larger;
    return left != left ? left : found;
  } else {
    return larger;
  }
}
template <class T>
constexpr T minimum(T left, T right) {
  const T smaller = left < right ? left : right;
  if constexpr (kIsFloat<T>) {
    using U = typename Bits<T>::Type;
    const T same = bit_cast<T>(static_cast<U>(bit_cast<U>(left) | bit_cast<U>(right)));
    const T found = left == right ? same : smaller;
    return left != left ? left : found;
  } else {
    return smaller;
  }
}

template <class T>
constexpr T with_sign_of(T magnitude, T sign) {
  using U = typename Bits<T>::Type;
  constexpr U kSign = static_cast<U>(~kMagnitude<U>);
  return bit_cast<T>(static_cast<U>((bit_cast<U>(magnitude) & static_cast<U>(~kSign)) |
                                    (bit_cast<U>(sign) & kSign)));
}

template <class T>
constexpr T without_subnormals(T value, T least) {
  return absolute(value) < least ? with_sign_of(T(0), value) : value;
}

// floor and ceil without a library: past 2^(mantissa bits) every value is an integer.
template <class T>
constexpr T round_down(T value) {
  if (!(absolute(value) < static_cast<T>(Bits<T>::kWhole))) return value;
  const T whole = static_cast<T>(static_cast<i64>(value));
  return with_sign_of(whole > value ? static_cast<T>(whole - 1) : whole, value);
}
template <class T>
constexpr T round_up(T value) {
  return static_cast<T>(-round_down(static_cast<T>(-value)));
}

// To the nearest integer, halves away from zero.
template <class T>
constexpr T round_away(T value) {
  const T below = round_down(absolute(value));
  return with_sign_of(absolute(value) - below >= T(0.5) ? static_cast<T>(below + 1) : below, value);
}
// To the nearest integer, halves to the even one.
template <class T>
constexpr T round_to_even(T value) {
  const T below = round_down(absolute(value));
  const T rest = absolute(value) - below;
  const bool odd = round_down(static_cast<T>(below / 2)) * 2 != below;
  const bool up = rest > T(0.5) || (rest == T(0.5) && odd);
  return with_sign_of(up ? static_cast<T>(below + 1) : below, value);
}

// The next number from `value` towards `to`.
template <class T>
constexpr T next_after(T value, T to) {
  using U = typename Bits<T>::Type;
  if (value != value || to != to) return kNan<T>;
  if (value == to) return to;
  if (value == 0) return with_sign_of(bit_cast<T>(U{1}), to);
  const U bits = bit_cast<U>(value);
  const bool away = (value > 0) == (to > value);
  return bit_cast<T>(static_cast<U>(away ? bits + 1 : bits - 1));
}

// The remainder of truncated division, exact, with the sign of the dividend; by long division.
template <class T>
constexpr T float_remainder(T dividend, T divisor) {
  if (!is_finite(dividend) || divisor != divisor || divisor == 0) return kNan<T>;
  T rest = absolute(dividend);
  const T step = absolute(divisor);
  if (!is_finite(divisor)) return dividend;
  while (rest >= step) {
    T part = step;
    while (part <= rest / 2) part *= 2;  // at most the exponent's range
    rest -= part;
  }
  return with_sign_of(rest, dividend);
}

// Exact, so computed wide.
constexpr bf16 float_remainder(bf16 dividend, bf16 divisor) {
  return float_remainder<f32>(dividend, divisor);
}
constexpr f16 float_remainder(f16 dividend, f16 divisor) {
  return float_remainder<f32>(dividend, divisor);
}

// x^Y by squaring, low bit first; a negative power is one division at the end.
template <i64 kPower, class T>
constexpr T integer_power(T value) {
  if constexpr (kPower == 0) {
    return 1;
  } else {
    u64 left = kPower < 0 ? u64{0} - static_cast<u64>(kPower) : static_cast<u64>(kPower);
    T square = value;
    T result = 1;
    bool started = false;
    while (left != 0) {
      if constexpr (kIsFloat<T>) {
        if (left & 1) result = started ? static_cast<T>(result * square) : square;
        square = square * square;
      } else {
        if (left & 1) result = started ? wrapping_multiply(result, square) : square;
        square = wrapping_multiply(square, square);
      }
      started = started || (left & 1);
      left >>= 1;
    }
    if constexpr (kPower < 0) return 1 / result;
    return result;
  }
}

}  // namespace alpha
